#!/bin/sh
# JSON outputs of the programs against share/schemas, reported as TAP; skipped where there is no Python 3.9.
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
export PYTHONDONTWRITEBYTECODE=1 PATH="$build:$PATH"
python=${PYTHON:-python3}
if "$python" -c 'import sys; assert sys.version_info >= (3, 9)' 2>/dev/null; then
  exec "$python" "$root/tests/tap.py" "$root/tests/schemas" "$@"
fi
skip_all "no Python 3.9"
