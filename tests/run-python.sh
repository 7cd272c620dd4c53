#!/bin/sh
# The tests of the Python package, reported as TAP; skipped where there is no Python 3.9 or no library.
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
export PYTHONDONTWRITEBYTECODE=1
export TRAINSPEC_LIBRARY="$build/libtrainspec.so" PATH="$build:$PATH"
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; assert sys.version_info >= (3, 9)' 2>/dev/null; then
  skip_all "no Python 3.9"
elif [ ! -f "$TRAINSPEC_LIBRARY" ]; then
  skip_all "no library"
elif nm -D "$TRAINSPEC_LIBRARY" 2>/dev/null | grep -Eq '__(asan|ubsan|tsan)_'; then
  skip_all "the library's sanitizers want to be loaded before Python"
else
  exec "$python" "$root/tests/tap.py" "$root/packages/python/tests" "$@"
fi
