# Levels that a plan tries reach the attention of each library: twice as slow; four times for FlashAttention 3, whose level is a share of cuDNN's.
of() { tsc -S -o - -D "library=\"$1\"" -D "change=$2" _levels.ts 2>/dev/null | awk '$1 == "kernel" && $2 ~ /^attention/ { print $2, $3 * ($4 == "ms" ? 1e3 : 1) }'; }
for library in cudnn flash3 flash2 flash1; do
  paste -d' ' <(of $library 1) <(of $library 2) | awk -v library=$library '{ printf "%s %s %.3f\n", library, $1, $4 / $2 }'
done
