# What a strategy says does not depend on how ops call their arguments and inputs. Words of std's strategies become names of arguments, 60 at a time,
# and of inputs, and the report stays byte for byte.
sed 's|//.*||' ../../stdlib/strategies/{data,deepspeed,offload,recompute}.ts | grep -oE '\b[a-z_]+\b' | sort -u | grep -vxE 'rows|numel|batch|x|y|z|m|n|k|label|unit|kind|repeats|host|sync|weight|else|if|then|and|or|not|true|false|none|let|fn|for|in|import|with|where|over' | xargs -n 60 >$scratch/words
for use in 'data_parallel(dp)' 'zero1(dp)' 'zero2(dp)' 'fsdp(dp, keep_last: true)' 'zero3(dp)' 'deepspeed_zero3(dp)' '[data_parallel(dp), offload_activations()]' '[data_parallel(dp), full()]'; do
  tsrun --format=csv -D "use=$use" _names.ts >$scratch/plain 2>/dev/null
  while read -r words; do
    sed "s|op mine(x: Tensor, |&$(printf '%s: Int = 3, ' $words)|" _names.ts >$scratch/names.ts
    tsrun --format=csv -D "use=$use" $scratch/names.ts 2>/dev/null | cmp -s - $scratch/plain || echo "$use changes"
  done <$scratch/words
  for inputs in 'one two three four' 'd overlap units max'; do
    sed "s|op mine(x: Tensor, |&$(printf '%s: Tensor, ' $inputs)|; s|mine(z|&, z, z, z, z|" _names.ts >$scratch/names.ts
    tsrun --format=csv -D "use=$use" $scratch/names.ts 2>/dev/null >$scratch/"${inputs%% *}"
  done
  cmp -s $scratch/one $scratch/d && grep -q 'step_ps' $scratch/d && echo "$use: as before"
done
wc -w <$scratch/words | awk '{ print ($1 > 60 ? "many" : "few") " words" }'
