#!/usr/bin/env bash
# Flows beside packets: run.sh BUILD-FOLDER. Plays small cases of long messages at the flow level and with ns-3 (Debian: libns3-dev), and prints the difference of
# the times at which all messages have arrived.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD-FOLDER}" && pwd)
[ -d /usr/include/ns3 ] && command -v g++ >/dev/null || { echo "skipped: no ns-3 here (libns3-dev) or no C++ compiler"; exit 0; }
mkdir -p "$build/tests/packet"
cd "$build/tests/packet"
"$build/libtool" --quiet --tag=CC --mode=link "${CC:-cc}" -std=c17 -D_XOPEN_SOURCE=700 -O2 -I"$root" -o cases "$root/tests/packet/cases.c" "$build/libtrainspec.la" -lm
[ packets -nt "$root/tests/packet/packets.cc" ] ||
  "${CXX:-g++}" -std=c++17 -O2 -w -o packets "$root/tests/packet/packets.cc" -lns3-core -lns3-network -lns3-internet -lns3-point-to-point -lns3-traffic-control
printf '%-12s %10s %10s %12s\n' case 'flows, ms' 'packets' difference
for name in ring incast-100 incast incast-400 unequal tree-pairs tree-ring; do
  flow=$(./cases -p "$name" | sort -g | tail -1)
  packet=$(./cases "$name" | ./packets | sort -g | tail -1)
  awk -v n="$name" -v f="$flow" -v p="$packet" 'BEGIN { printf "%-12s %10.3f %10.3f %+11.2f %%\n", n, f, p, 100 * (f / p - 1) }'
done
