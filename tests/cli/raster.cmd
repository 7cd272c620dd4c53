# Pictures as PNG and PDF, where librsvg is installed; where it is not, a message says so and nothing is written.
# fontconfig keeps its tables until the end, which a check for leaks reports.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
for form in png pdf; do
  if ! tsrun --format=$form -o "$scratch/a.$form" ../../examples/schedule_lab.ts 2>&1 | grep -q 'librsvg, which is'; then
    tsrun --format=$form --from 10us --to 100us -o "$scratch/a.$form" ../../examples/schedule_lab.ts && tsrun --format=$form --from 10us --to 100us ../../examples/schedule_lab.ts | cmp - "$scratch/a.$form" && head -c 4 "$scratch/a.$form" | tr -dc 'A-Z' | sed 's/$/\n/'
  else
    [ ! -e "$scratch/a.$form" ] && echo $form | tr a-z A-Z
  fi
done
tsrun --format=pgn ../../examples/schedule_lab.ts 2>&1
