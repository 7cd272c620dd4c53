// Llama in nanotron on nodes of eight H100: eager kernels, tensor and sequence parallel with asynchronous gathers, 1F1B, ZeRO-1 or plain data parallelism.
// With pipelines on several nodes each collective of tensor parallelism keeps the host for `crowd` times its ranks, whatever its bytes: without them, and on
// one node, it does not. What waits there is not known.
import std.models.llama_eager, std.clusters.dgx, std.strategies.megatron, std.strategies.data
import std.schedules.one_f_one_b, std.optimizers.adam, std.costs.hosts

// nanotron fills stages by parameters: a block goes to the next stage once the blocks before it exceed the stages' share.
fn stage_of(i: Int, layer: Int, total: Int, p: Int) -> Int = sum([if i * layer * p > total * (r + 1) then 1 else 0 for r in 0..p])
fn stage_sizes(layers: Int, layer: Int, head: Int, p: Int) = [
  sum([if stage_of(i, layer, layers * layer + head, p) == s then 1 else 0 for i in 0..layers]) for s in 0..p
]

plan nanotron(
  layers: Int = 16,
  hidden: Int = 2048,
  heads: Int = 32,
  kv_heads: Int = 32,
  ffn: Int = 8192,
  vocab: Int = 131072,
  seq: Int = 4096,
  micro: Int = 1,
  accumulation: Int = 32,
  tp: Int = 1,
  dp: Int = 8,
  pp: Int = 1,
  zero: Int = 0,
  tied: Int = 0,
  launch: Time = 44.4 us,
  collective: Time = 200 us,
  message: Time = 24.5 us,
  crowd: Time = 306 us,
  hop: Time = 52 us,
  efficiency: Real = 0.32,
  power: Real = 1.383,
  attention: Real = 1.005,
  backward: Real = 2.5,
  bandwidth: Real = 0.761,
  comm: Real = 1.6,
  slows: Real = 1.0,
) {
  model = eager_llama(
    layers: layers,
    hidden: hidden,
    heads: heads,
    kv_heads: kv_heads,
    ffn: ffn,
    vocab: vocab,
    seq: seq,
    tied: tied == 1,
  )
  framework = { name: "nanotron" }
  cluster = p5_h100(nodes: max(1, div(tp * dp * pp, 8)))
  mesh = { tp, dp, pp }
  apply = [
    tensor_sequence_parallel(tp, gather: own_part, keep_gathered: true, slows: slows),
    if zero == 1 then zero1(dp, bucket: 25 MiB) else data_parallel(dp, bucket: 25 MiB),
  ]
  schedule = one_f_one_b(p: pp, m: accumulation, sizes: stage_sizes(layers, 4 * hidden * hidden + 3 * hidden * ffn, vocab * hidden, pp))
  batch = { micro: micro, global: micro * accumulation * dp }
  tokens = seq
  // FP32GradientAccumulator has one buffer for all gradients, which is zeroed for each step
  // (nanotron/optim/gradient_accumulator.py: zero_grad).
  precision = {
    compute: bf16,
    weights: bf16,
    gradients: fp32,
    accumulate: 10 B,
    buffers: if dp > 1 then 2 B else 0 B,
    free_gradients: false,
  }
  optimizer = adam()
  costs = [
    slower(table "ops/gemm_h100_sxm.csv.gz", by: power),
    slower(table "ops/attention_h100_sxm.csv.gz", by: attention),
    like(table "ops/attention_h100_sxm.csv.gz", family: "attention_backward", as: "attention", by: attention * backward),
    roofline(h100_sxm, bytes: bandwidth, floor: 2.5 us),
  ]
  network = [
    measured(table "ops/nccl_intra.csv.gz", where: { gpu: "h100_sxm", dtype: "half" }, scale: comm),
    alpha_beta(base: 20 us, efficiency: 0.78, tier: 0),
    alpha_beta(base: 30 us, hop: hop, efficiency: efficiency, tier: 1),
  ]
  host = eager_host(
    launch: launch,
    collective: collective + (if pp > 1 and tp * dp * pp > 8 then tp else 0) * crowd,
    message: message,
  )
}
