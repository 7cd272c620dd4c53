# Needs ../shared/data/traces/triosim_h100_bs128_vgg13_trace.csv.gz
cp _triosim_rows.ts ../../../shared/data/traces/triosim_h100_bs128_* "$scratch" && cd "$scratch"
for of in vgg13 resnet50; do
  files=triosim_h100_bs128_$of
  for how in dp=1 dp=4 'pp=4 -D micro_batches=4'; do
    echo "$of $how"
    tsrun --ignore-memory _triosim_rows.ts -D "files=\"$files\"" -D 'end=".csv.gz"' -D batch=128 -D $how 2>&1 | grep -E '^error|parameters$|step time|optimizer  |all_reduce|conv  '
  done
  trainspec replay ${files}_trace.csv.gz 2>&1 | sed -n '3,8p'
done
