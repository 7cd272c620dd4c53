#!/bin/sh
# run.sh BUILD DATA [FILE...]: builds the comparison of schedules and runs it. See tests/schedules/goldens.c.
set -e
build=$1 data=$2
shift 2
make -C "$build" --no-print-directory -s tests/schedules/goldens
exec "$build"/tests/schedules/goldens --data "$data" --source . "$@"
