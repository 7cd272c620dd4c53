#!/usr/bin/env bash
# Which lines and branches the tests reached, by room, and the files that they reach least. After `make check` in a build with --coverage:
#   coverage.sh BUILD-FOLDER [FILES]
# A line or branch counts as reached if any program reached it: tests are linked with some of the tools' files too.
set -euo pipefail
export LC_ALL=C
cd "${1:?no build folder}"
files=${2:-10} # that are reached least

reached() { # FILE LINES REACHED BRANCHES TAKEN, of the files that somebody wrote
  find . -name '*.gcda' | sort | while IFS= read -r data; do
    gcov -b -t "$data" 2>/dev/null || true
  done | awk '
    / 0:Source:/ { file = $0; sub(/.*:Source:/, "", file); skip = !sub(/^(\.\.\/)+/, "", file) || file !~ /^(base|lang|ir|cost|compiler|trace|calibrate|runtime|library|tools)\//; next }
    skip { next }
    /^branch +[0-9]+ / {
      key = file SUBSEP line SUBSEP $2
      if (!(key in taken)) { branches[file]++; taken[key] = 0 }
      if (!taken[key] && $3 == "taken" && $4 != "0%") { taken[key] = 1; branches_taken[file]++ }
      next
    }
    /^ *[-#=0-9]+\*?: *[0-9]+:/ {
      split($0, part, ":"); count = part[1]; line = part[2] + 0
      gsub(/[ *]/, "", count)
      if (count == "-" || !line) next
      key = file SUBSEP line
      if (!(key in seen)) { lines[file]++; seen[key] = 0 }
      if (!seen[key] && count ~ /^[0-9]/) { seen[key] = 1; lines_reached[file]++ }
    }
    END { for (file in lines) print file, lines[file], lines_reached[file] + 0, branches[file] + 0, branches_taken[file] + 0 }' | sort
}

table() {
  awk -v files="$files" '
    function share(part, whole) { return whole ? sprintf("%5.1f %% of %6d", 100 * part / whole, whole) : sprintf("%17s", "-") }
    function row(name, at) { printf "%-36s %18s  %18s\n", name, share(reached[at], lines[at]), share(taken[at], branches[at]) }
    function add(at) { lines[at] += $2; reached[at] += $3; branches[at] += $4; taken[at] += $5 }
    { room = $1; sub(/\/.*/, "", room); add(room "/"); add("all"); add($1); names[NR] = $1 }
    END {
      printf "%-36s %18s  %18s\n", "room", "lines", "branches"
      count = split("base/ lang/ ir/ cost/ compiler/ trace/ calibrate/ runtime/ library/ tools/ all", rooms, " ")
      for (i = 1; i <= count; i++) row(rooms[i], rooms[i])
      print "\nthe files reached least"
      for (n = 1; n <= files && n <= NR; n++) {
        least = 0
        for (i = 1; i <= NR; i++)
          if (!done[i] && (!least || reached[names[i]] / lines[names[i]] < reached[names[least]] / lines[names[least]])) least = i
        done[least] = 1
        row(names[least], names[least])
      }
    }'
}

reached | table
