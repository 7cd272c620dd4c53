#!/bin/sh
# Golden files, reported as TAP: run-golden.sh [--update] [KIND[/NAME]...]; TS_GOLDEN_CASES names them for `make check`.
[ $# != 0 ] || set -- $TS_GOLDEN_CASES
exec python3 "${top_srcdir:-$(dirname "$0")/..}/tests/golden.py" "$@"
