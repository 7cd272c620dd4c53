#!/bin/sh
# run.sh BUILD DATA [SET...]: builds the comparison and runs it. See tests/accuracy/accuracy.h.
set -e
build=$1 data=$2
shift 2
make -C "$build" --no-print-directory -s tests/accuracy/accuracy
exec "$build"/tests/accuracy/accuracy --data "$data" --source . "$@"
