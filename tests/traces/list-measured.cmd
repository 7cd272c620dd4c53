# Times of single kernels in tables of operators are a table of costs, which fits and plans read; a model without a table has none.
tsc --allow-read=../../examples/data --list-measured _measured.ts >$scratch/ops.csv && cat $scratch/ops.csv && cd $scratch && trainspec fit ops ops.csv --device A100 --units 108 --family gemm --keep 1 -o gemm.fit.json | head -3
sed 's/model = .*/model = gpt(layers: 2, hidden: 64, heads: 4, vocab: 128, seq: 32)/; /^    trace\|^  \])/d; s/std.import.plain/std.models.gpt/' $OLDPWD/_measured.ts >none.ts; tsc --list-measured none.ts
