# _timeline.sh FILE [OPTION]...: what ran when, a line for each node: rank, stream, label, start and end in microseconds; then the step.
file=$1
shift
tsrun --trace="$scratch/trace.json" -o "$scratch/report" "$@" "$file" || exit
awk '
  function field(name,   at) { at = match($0, "\"" name "\":(\"[^\"]*\"|[-0-9.]+)"); if (!at) return ""; at = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3); gsub("\"", "", at); return at }
  /"thread_name"/ { match($0, /"args":.*/); s = substr($0, RSTART + 16); sub(/".*/, "", s); track[field("pid") "." field("tid")] = s; next }
  /"process_name"/ { match($0, /"args":.*/); s = substr($0, RSTART + 16); split(s, w, " "); rank[field("pid")] = w[2]; next }
  /"ph":"X"/ && field("cat") ~ /^(issue|work)$/ { next }
  /"ph":"X"/ { printf "rank %s  %-8s %-12s %9.3f %9.3f\n", rank[field("pid")], track[field("pid") "." field("tid")], field("name"), field("ts"), field("ts") + field("dur") }
' "$scratch/trace.json"
grep "step time" "$scratch/report"
