#!/usr/bin/env bash
# Flows beside packets: run.sh BUILD-FOLDER [CASE...]. Plays small cases at the flow level and with ns-3, and prints by how much they differ.
# The build must be one with ns-3 (./configure --with-ns3).
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD-FOLDER [CASE...]}" && pwd)
shift
mkdir -p "$build/tests/packet"
cd "$build/tests/packet"
"$build/libtool" --quiet --tag=CC --mode=link "${CC:-cc}" -std=c17 -Wall -Wextra -D_XOPEN_SOURCE=700 -O2 -I"$root" -o cases "$root/tests/packet/cases.c" "$build/libts.la" -lm
status=0
./cases "$@" || status=$?
[ $status != 77 ] || { echo "skipped: this build has no ns-3 (./configure --with-ns3)"; status=0; }
exit $status
