# Long: changes are tried until so much was compiled and played; what was left untried is told.
printf '%s\n' 'import std.models.gpt, std.clusters.dgx, std.strategies.data, std.optimizers.adam' 'plan deep() {' \
  '  cluster = dgx_a100(nodes: 1)' '  costs = [roofline(a100_sxm_80g)]' '  mesh = { dp: 8 }' '  optimizer = adam()' \
  '  model = gpt(layers: 12000, hidden: 64, heads: 2, vocab: 128, seq: 16)' '  apply = [data_parallel(dp)]' \
  '  batch = { micro: 16385, global: 131080 }' '}' >"$scratch/deep.ts"
tsrun "$scratch/deep.ts" 2>&1 | grep '= tried'; echo "exit ${PIPESTATUS[0]}"
