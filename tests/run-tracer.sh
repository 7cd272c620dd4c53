#!/bin/sh
# The tests of the tracer, reported as TAP; skipped where there is no PyTorch (./dev deps python3-torch).
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
[ ! -x "$build/trainspec" ] || export TRAINSPEC="$build/trainspec"
export PYTHONDONTWRITEBYTECODE=1
# Sanitizers see nothing of Python: of a build with them, the cases that run its programs.
[ $# != 0 ] || ! grep -q '^TS_CFLAGS = .*-fsanitize' "$build/Makefile" 2>/dev/null || set -- Gpt test_timed_step_is_a_model Here DeepSpeed
for python in ${PYTHON:-python3 /usr/bin/python3}; do
  "$python" -c 'import torch.distributed as d; assert d.is_available()' 2>/dev/null && exec "$python" "$root/tests/tap.py" "$root/packages/tracer/tests" "$@"
done
skip_all "no python3 with PyTorch: ./dev deps python3-torch"
