# Where memory does not suffice, changes of the plan are played, and those that fit shown with what to write. Reports of other forms are written all the same.
tsrun _crowded.ts 2>&1; echo "exit $?"
tsrun --format=json -o "$scratch/report.json" _crowded.ts 2>/dev/null; echo "exit $?"
grep -A7 '"ways_out"' "$scratch/report.json"
tsrun --format=html _crowded.ts 2>/dev/null | grep -A3 '^Changes to the plan'; echo "exit ${PIPESTATUS[0]}"
# Each change by parameters does as it says: the plan with it has this step and this peak.
sed -n '/"ways_out"/,$p' "$scratch/report.json" | awk -F'"' '
  /"change":/ { change = /", "/ ? "" : $4 }
  /"step_time_ps":/ { gsub(/[^0-9]/, ""); step = $0 }
  /"peak_memory_bytes":/ { gsub(/[^0-9]/, ""); if (change ~ /^-D/) print step, $0, change; change = "" }' >"$scratch/offered"
while read -r step peak options; do
  tsrun --format=json $options _crowded.ts >"$scratch/made.json" || echo "does not fit: $options"
  grep -q "\"step_time_ps\":[[:space:]]*$step," "$scratch/made.json" &&
    grep -q "\"peak_memory_bytes\":[[:space:]]*$peak," "$scratch/made.json" && echo "as offered: $options"
done <"$scratch/offered"
# So does each change of lines: an import at the top, a field in the place of the old one or as a new last line.
for line in 'recompute = selective("attn.core")' 'apply = [tensor_sequence_parallel(tp), zero2(dp, bucket: 100 MiB)]'; do
  { echo 'import std.strategies.recompute'; grep -v "^  ${line%% *} = " _crowded.ts | sed "s/^  optimizer = .*/&\n  $line/"; } >"$scratch/changed.ts"
  tsrun --format=json "$scratch/changed.ts" | grep -E '^.("step_time_ps"|"peak_memory_bytes")' >"$scratch/now"
  while read -r name value; do grep -A3 -F "${line%%(*}" "$scratch/report.json" | grep -q -F "$value" || echo "differs: $name $value"; done <"$scratch/now"
  echo "as offered: $line"
done
# Where no single change fits, several together are tried; where none does, the nearest is shown.
tsrun -D 'memory=1.6 GiB' _crowded.ts 2>&1 | grep -A4 '= fits'
tsrun -D 'memory=0.7 GiB' _crowded.ts 2>&1 | grep -A3 '= near'
# An IR has no plan to change.
tsc -o "$scratch/crowded.ir" _crowded.ts && (cd "$scratch" && tsrun crowded.ir 2>&1 | tail -n 1)
