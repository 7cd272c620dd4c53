# Sequences that nobody balances: attention of the last of four ranks takes 7 / 4 of the mean, on a roofline exactly, by a fit as for so many sequences; over a window of an eighth 16 / 15 of it.
cp _unbalanced.ts "$scratch"; cd "$scratch"
times() { tsc -S "$@" _unbalanced.ts 2>/dev/null | awk '$1 == "kernel" && $2 ~ /^attention/ { t[$2] = $3 * ($4 == "ms" ? 1000 : 1) } END { print t["attention"], t["attention_backward"] }'; }
for fitted in false true; do for window in 0 1024; do
  echo "fitted $fitted, window $window: $(times -D fitted=$fitted -D window=$window -D balanced=true) $(times -D fitted=$fitted -D window=$window -D balanced=false)" | awk '{ printf "%s %s %s %s %.2f %.2f\n", $1, $2, $3, $4, $7 / $5, $8 / $6 }'
done; done
