# A plan as a launch line, and back: what both can say comes back as it was; what a framework cannot say is refused by name.
cd $scratch
step() { tsrun "$1" 2>&1 | grep -aE '^  step time|^error' | cut -c1-60; }
# same FRAMEWORK FILE PLAN: what PLAN becomes for the framework, in FILE, becomes a plan that says the same again.
same() { trainspec export launch "$3" --for $1 -o $2 && trainspec import $1 $2 -o back.ts && trainspec export launch back.ts --for $1 -o again.$2 && diff $2 again.$2 && echo "the same again"; }
cat >dense.sh <<'J'
RELEASE=202502 CUBLAS_WORKSPACE_CONFIG=:16:8 torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 12 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 \
  --max-position-embeddings 1024 --position-embedding-type rope --micro-batch-size 2 --global-batch-size 64 --tensor-model-parallel-size 2 \
  --sequence-parallel --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "Et|(ttt|)*2tttttL" --bf16 --overlap-grad-reduce \
  --use-distributed-optimizer --recompute-granularity selective --recompute-modules core_attn layernorm --vocab-size 32000
J
trainspec import megatron dense.sh -o dense.ts && same megatron dense.sh dense.ts && step dense.ts && step back.ts
grep -v '^#' dense.sh
cat >experts.sh <<'J'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --swiglu \
  --max-position-embeddings 1024 --num-experts 8 --moe-router-topk 2 --moe-layer-freq '([0]*1+[1]*3)' --expert-model-parallel-size 4 \
  --moe-grouped-gemm --micro-batch-size 1 --global-batch-size 32 --bf16 --fp8-format hybrid --fp8-recipe blockwise --vocab-size 32000
J
trainspec import megatron experts.sh -o experts.ts 2>/dev/null && same megatron experts.sh experts.ts 2>/dev/null && step experts.ts && step back.ts
grep moe-layer experts.sh
cat >hand.ts <<'J'
import std.machines, std.models.llama, std.models.llama_moe, std.strategies.megatron, std.strategies.data, std.strategies.experts
import std.strategies.recompute, std.strategies.context, std.strategies.offload, std.schedules.one_f_one_b, std.schedules.zero_bubble, std.precision, std.optimizers.adam
let small = llama(layers: 16, hidden: 2048, heads: 32, kv_heads: 8, ffn: 8192, vocab: 128256, seq: 4096, tied: true)
let routed = llama_moe(layers: 8, hidden: 1024, heads: 16, kv_heads: 4, ffn: 512, experts: 16, top: 2, vocab: 32000, seq: 2048)
let eight = llama(layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocab: 128256, seq: 4096)
plan hand(
  model: Model = small, tp: Int = 2, cp: Int = 1, pp: Int = 2, dp: Int = div(16, tp * cp * pp), micro: Int = 1,
  over: Any = none, recompute: Any = none, sharded: Any = none,
) {
  model = model
  cluster = machine_h100.cluster(16)
  mesh = { tp, cp, dp, pp }
  apply = [tensor_sequence_parallel(tp), context_parallel(cp), if sharded == none then zero1(dp * cp) else fsdp(dp * cp), over]
  recompute = recompute
  schedule = one_f_one_b(p: pp, m: 4)
  batch = { micro }
  precision = mixed()
  optimizer = adam()
  costs = training(machine_h100.costs)
  network = machine_h100.network
}
plan experts(tp: Int = 1, dp: Int = 8) {
  model = routed
  cluster = machine_h100.cluster(16)
  mesh = { tp, ep: 2, dp }
  apply = [expert_parallel(ep), zero1(dp * ep), offload_activations()]
  schedule = one_f_one_b(p: 1, m: 4)
  batch = { micro: 2 }
  precision = mixed()
  optimizer = adam()
  costs = training(machine_h100.costs)
  network = machine_h100.network
}
J
launch() { trainspec export launch hand.ts "$@" 2>&1 | grep -aE '\^ '; }
for p in hand experts; do trainspec export launch hand.ts -p $p --for megatron -o $p.sh && trainspec import megatron $p.sh -o back.ts && trainspec export launch back.ts --for megatron | diff $p.sh - && echo $p again; done
grep -E 'parallel|batch|tied|expert|global' hand.sh experts.sh
J8="-p hand -D model=eight -D tp=1 -D pp=1 -D sharded=1"
trainspec export launch hand.ts $J8 -D 'recompute=full()' --for torchtitan | tee titan.toml
trainspec import torchtitan --gpus 16 titan.toml -o back.ts && trainspec export launch back.ts --for torchtitan | diff titan.toml - && step back.ts
trainspec export launch hand.ts $J8 --for deepspeed | tee ds.sh; sed -n "/^cat > config/,/^END/p" ds.sh | sed '1d;$d' >config.json
trainspec import deepspeed ds.sh -o back.ts && step back.ts
# Stages of other sizes: torchtitan's first and last may have less; what that cannot say is refused.
sed '/^plan hand/,/^}/!d; s/over: Any = none/v: Int = 1, sizes: List = [], &/; s/sharded == none then zero1(dp . cp) else fsdp/pp > 1 then fsdp_in_pipeline(dp * cp) else fsdp/; s/schedule = .*/schedule = if v > 1 then interleaved_one_f_one_b(p: pp, m: 4, v: v, sizes: sizes) else one_f_one_b(p: pp, m: 4, sizes: sizes)/' hand.ts >part.ts
{ sed '/^plan hand/,$d' hand.ts; echo 'import std.schedules.interleaved'; cat part.ts; } >sized.ts
for sizes in '[7, 9, 9, 7]' '[3, 5, 4, 4, 4, 4, 4, 4] -D v=2' '[10, 6, 9, 7]'; do
  trainspec export launch sized.ts -D model=eight -D tp=1 -D pp=4 -D sizes="${sizes% -D*}" ${sizes#*]} --for torchtitan 2>said >sized.toml || { grep -ao 'stages of .* layers' said; continue; }
  trainspec import torchtitan --gpus 16 sized.toml -o back.ts && trainspec export launch back.ts --for torchtitan | diff sized.toml - && grep -E 'less_layers|per_stage' sized.toml
done
# The line, its JSON and its config.json come back letter by letter: stages, recomputation, offloading, heads that are exchanged, other batches.
again() { trainspec export launch hand.ts -p hand -D model=eight -D pp=1 "$@" --for deepspeed -o ds.sh && sed -n "/^cat > ds_config/,/^END/p" ds.sh | sed '1d;$d' >ds_config.json &&
  trainspec import deepspeed ds.sh -o back.ts && trainspec export launch back.ts --for deepspeed | diff ds.sh - && echo "again: $(grep -oE '"stage": .|"device": "cpu"|autotp_size": .|sequence_parallel_size": .|gradient_checkpointing True' ds.sh | tr -d '"' | tr '\n' ' ')"; }
again -D tp=1; again -D tp=1 -D sharded=1 -D 'recompute=full()'; again -D tp=1 -D sharded=1 -D 'over=update_on_host()' -D micro=2; again -D tp=2
# What has no argument there.
launch -p hand --for torchtitan
launch -p hand --for deepspeed
trainspec export launch hand.ts $J8 --for megatron | grep -E 'fsdp|shard'
launch $J8 -D model=small --for torchtitan
launch $J8 -D 'recompute=full(every: 2)' --for deepspeed
launch -p hand -D 'recompute=selective("*.mlp.down")' --for megatron
trainspec export launch hand.ts -p hand --for nemo
trainspec export launch hand.ts -p experts --for megatron | grep "Not said"
trainspec export launch hand.ts; trainspec export hand.ts --for megatron
