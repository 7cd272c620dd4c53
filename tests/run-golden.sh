#!/bin/sh
# Golden files, reported as TAP: run-golden.sh [--update] [KIND[/NAME]...]
exec python3 "${top_srcdir:-$(dirname "$0")/..}/tests/golden.py" "$@"
