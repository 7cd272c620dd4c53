#!/bin/sh
# The tests of `trainspec profile`, reported as TAP: all that needs no PyTorch, and a whole run where there is one.
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
export PYTHONDONTWRITEBYTECODE=1
found=
for python in ${PYTHON:-python3 /usr/bin/python3}; do
  "$python" -c 'import sys; assert sys.version_info >= (3, 9)' 2>/dev/null || continue
  found=${found:-$python}
  "$python" -c 'import torch.distributed as d; assert d.is_available()' 2>/dev/null && found=$python && break
done
[ -n "$found" ] || skip_all "no python3 of 3.9 or later"
exec "$found" "$root/tests/tap.py" "$root/packages/tracer/profile_tests" "$@"
