trainspec fit slowdown --from-trace ../traces/_nsys_pairs.sqlite --pairs -
# Its words are a plan's: rows made of them are all about something there.
{ printf 'slowdown 1\nmodel table\nslow 1 1\n'; trainspec fit slowdown --from-trace ../traces/_nsys_pairs.sqlite --pairs - 2>&1 | awk -F, 'NR > 2 { print "pair", $3, $11, $2, 1 }' | sort -u; } | tee $scratch/words | tail -n +4; tsrun --overlap=$scratch/words ../../examples/large.ts 2>/dev/null | grep -e 'step time' -e 'without effect'
