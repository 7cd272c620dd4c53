# Adapters on models of Hugging Face's: how many weights are trained beside the rest. peft 0.14.0 counts LLaMA 7B, Llama 3.1 8B with all linears, with DoRA and on its head so; the others are by its formula. Then what is held of 4 and 8 bits.
cat >$scratch/p.trainspec <<'P'
import std.models.adapters, std.import.hf, std.import.hf_names, std.frameworks.job, std.clusters.dgx, std.precision, std.optimizers.adam
import std.strategies.data, std.strategies.megatron, std.strategies.experts, std.strategies.recompute, std.schedules.one_f_one_b
plan p(name: String, method: String = "lora", rank: Int = 8, targets: String = "all", saved: String = "", layers: Int = 0, experts: Bool = false, packed: Bool = false, dora: Bool = false, dropped: Bool = false, four: Bool = false, eight: Bool = false, tp: Int = 1, ep: Int = 1, dp: Int = 1, shard: Bool = false) {
  model = hf_of(hf_config("", name), 128)
  tuning = tuning_of({ method: method, rank: rank, targets: words(targets, ","), saved: words(saved), layers: layers, experts: experts, packed: packed, decomposed: dora, dropped: dropped, stored: job_stored(four, eight) }, hf_layers_of(hf_config("", name)))
  cluster = dgx_h100(nodes: 8)
  mesh = { tp, ep, dp }
  apply = [if tp > 1 then tensor_sequence_parallel(tp) else none, if ep > 1 then expert_parallel(ep, batch: ep) else none, if shard then fsdp(dp) else data_parallel(dp * ep), full()]
  batch = { micro: ep }
  precision = mixed(bf16) with { free_gradients = false }
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
P
ir() { tsc -S -o - "$@" $scratch/p.trainspec 2>$scratch/said || cat $scratch/said; }
trained() { # EXPECTED NAME...: weights beside those of the model alone
  expected=$1; shift
  one=$(ir -D "name=\"$1\"" -D 'method="full"' | awk '$1 == "parameters" { print $2 }')
  ir -D "name=\"$1\"" "${@:2}" | awk -v one="$one" -v expected="$expected" -v said="$*" '$1 == "parameters" { printf "%-90s %12d %s\n", said, $2 - one, $2 - one == expected ? "as expected" : "expected: " expected }'
}
trained 4194304 llama-2-7b -D 'targets="q_proj,v_proj"'
trained 159907840 llama-2-7b -D rank=64
trained 41943040 Llama-3.1-8B -D rank=16
trained 41943040 Llama-3.1-8B -D rank=16 -D 'targets="model.language_model.layers.[0-9]+.(mlp|self_attn).(up|down|gate|q|k|v|o)_proj"'
trained $((41943040 + 32 * (2 * 4096 + 2 * 1024 + 4096 + 2 * 14336) )) Llama-3.1-8B -D rank=16 -D dora=true
trained $((32 * 8 * (4096 + 6144))) Llama-3.1-8B -D 'targets="qkv_proj"'
trained $((32 * 8 * (4096 + 6144 + 8192 + 4096 + 28672 + 14336 + 4096))) Llama-3.1-8B -D packed=true
trained $((48 * 8 * (3 * 2048 + 4096 + 1024 + 4096 + 2048))) Qwen3-30B-A3B
trained $((48 * 8 * (3 * 2048 + 4096 + 1024 + 4096 + 2048) + 48 * 128 * 8 * (3 * 2048 + 3 * 768))) Qwen3-30B-A3B -D experts=true
trained $((8 * (4096 + 128256))) Llama-3.1-8B -D 'targets="lm_head"'
trained 0 Llama-3.1-8B -D 'method="freeze"' -D layers=2
trained 0 Llama-3.1-8B -D rank=0
echo '== held'
for how in '-D rank=16' '-D four=true' '-D eight=true' '-D method="freeze" -D layers=2' '-D saved="lm_head"' '-D tp=4 -D four=true' '-D dp=8 -D shard=true -D four=true'; do
  tsrun --format=text -D 'name="Llama-3.1-8B"' $how $scratch/p.trainspec 2>/dev/null | awk -v how="$how" '$2 ~ /^[0-9]/ && /parameters  |gradients  |optimizer  / && $3 ~ /iB/ { said = said sprintf(" %s %s %s,", $1, $2, $3) } END { print how ":" said }'
done
ir -D 'name="Qwen3-30B-A3B"' -D experts=true -D ep=8 -D tp=2 | awk '$1 == "parameters"'
echo '== work'
for how in '-D rank=16' '-D rank=16 -D dropped=true' '-D dora=true' '-D four=true'; do echo "$how: $(ir -D 'name="Llama-3.2-1B"' $how | awk '$1 == "model_flops"') $(ir -D 'name="Llama-3.2-1B"' $how | awk '$1 == "fragment" { f = $2 } $2 == "compute" { n[f]++ } END { for (k in n) print k, n[k] }' | sort | tr '\n' ';')"; done
sed 's/  tuning = .*/  tuning = [{ ops: "*" }]/' $scratch/p.trainspec >$scratch/q.trainspec; tsc -o /dev/null -D 'name="gpt2"' $scratch/q.trainspec 2>&1 | grep -A9 '^error' | sed "s|$scratch/||"
sed 's/  tuning = .*/  tuning = [{ ops: "*", set: { rank: 0.5 } }]/' $scratch/p.trainspec >$scratch/q.trainspec; tsc -o /dev/null -D 'name="gpt2"' $scratch/q.trainspec 2>&1 | grep -A9 '^error' | sed "s|$scratch/||"
