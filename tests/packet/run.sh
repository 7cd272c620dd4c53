#!/usr/bin/env bash
# Flows beside packets: run.sh BUILD-FOLDER [CASE...]. Plays small cases at the flow level and with ns-3, and prints by how much they differ.
# The build must be one with ns-3 (./configure --with-ns3).
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD-FOLDER [CASE...]}" && pwd)
shift
libs=$(make -C "$build" --no-print-directory -s print-libs)
mkdir -p "$build/tests/packet"
cd "$build/tests/packet"
"${CC:-cc}" -std=c17 -Wall -Wextra -D_XOPEN_SOURCE=700 -O2 -I"$root" -o cases "$root/tests/packet/cases.c" "$build/libts.a" $libs
status=0
./cases "$@" || status=$?
[ $status != 77 ] || { echo "skipped: this build has no ns-3 (./configure --with-ns3)"; status=0; }
exit $status
