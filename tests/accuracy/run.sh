#!/bin/sh
# run.sh BUILD DATA [SET...]: builds what asks fits and compares (tests/accuracy/compare).
# run.sh BUILD DATA configurations|imports|questions|beyond|papers: what is compared by a script of its own.
set -e
build=$1 data=$2
shift 2
here=$(dirname "$0")
case $1 in
  imports) shift; exec "$here/imports.py" "$build" "$data" "$@" ;;
  configurations) shift; exec "$here/configurations.py" "$build/tsc" "$data" "$@" ;;
  questions) shift; exec "$here/questions.py" "$build/trainspec" "${1:-$data/../repro/fidelity}" ;;
  beyond) PATH=$(cd "$build" && pwd):$PATH exec "$here/beyond.sh" "$data" ;;
  papers) shift; PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/papers" --data "$data" --source "$here/../.." --build "$build" "$@" ;;
esac
make -C "$build" --no-print-directory -s tests/accuracy/accuracy
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/compare" --data "$data" --source "$here/../.." --build "$build" "$@"
