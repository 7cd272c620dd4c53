#!/bin/sh
# Criterion's tests, reported as TAP. Each test runs in a process of its own.
: "${top_builddir:=.}"
exec "$top_builddir/tests/unit/unit" --tap=- --timeout "${TS_TEST_TIMEOUT:-60}" --jobs 1
