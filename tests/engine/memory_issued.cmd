sed 's/ memory issued//' memory_issued.tsir > $scratch/played.tsir
for file in memory_issued.tsir $scratch/played.tsir; do
  tsrun --allocator caching $file | sed -n "/peak memory/p; /^Memory at its peak/,/^$/p; /caching allocator/,/^$/p"
done
tsc -S memory_issued.tsir | sed -n "/^program/,\$p"
