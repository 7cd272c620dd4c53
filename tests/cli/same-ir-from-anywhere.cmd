mkdir -p $scratch/tree/plans/sub $scratch/tree/plans/data && cp _plan.ts _sizes.ts _ops.csv $scratch/tree/plans/ && cp ../../examples/gpt2_large.ts $scratch/tree/plans/
cp ../../examples/data/gpt2_large_h100_b1.csv $scratch/tree/plans/data/
cd $scratch/tree && cp plans/_plan.ts plans/sub/up.ts && sed -i -E 's:"(_sizes.ts|_ops.csv)":"../\1":' plans/sub/up.ts && sed "s:\"_ops.csv\":\"$PWD/plans/_ops.csv\":" plans/_plan.ts >plans/named.ts
for plan in plans/gpt2_large.ts plans/_plan.ts plans/named.ts plans/sub/up.ts; do
  rm -f *.ir; folder=${plan%/*} name=${plan##*/}
  tsc $plan --allow-read=plans -o below.ir; (cd $folder && tsc $name --allow-read=.. -o $scratch/tree/inside.ir)
  (cd plans/data && tsc ../../$plan --allow-read=.. -o ../../beside.ir); tsc "$PWD/$plan" --allow-read="$PWD/plans" -o absolute.ir
  for other in inside beside absolute; do cmp below.ir $other.ir && echo "$name $other: the same bytes"; done
  ! grep -q "$scratch" below.ir absolute.ir || echo "$name: a path of this machine"
  tsc -S $plan --allow-read=plans -o - | grep -E '^(source|cost_source) ' | grep -v '^source std/' | cut -d' ' -f 1,2
done
