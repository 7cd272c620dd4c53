// GPT in Megatron-LM with the schedules of Qi et al. (arXiv 2401.10241): one GPU a stage, nodes of eight A100, RoCE. First and last stage have a layer less than the others, for the embedding and
// the head. Costs as of the rows of Narayanan et al. The vocabulary is not stated; 32,000 is what the parameter counts of the four models leave room for (27,000 to 35,000).
import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.costs.hosts, std.networks
import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.zero_bubble

fn sizes_of(layers: Int, stages: Int) -> List = [
  div(layers + 2, stages) - (if s == 0 or s == stages - 1 then 1 else 0) for s in 0..stages
]

fn schedule_of(kind: String, p: Axis, m: Int, sizes: List, chunks: Int) -> Schedule = if kind == "1F1B" then one_f_one_b(
  p,
  m,
  sizes,
) else if kind == "1F1B-I" then interleaved_one_f_one_b(p, m, v: chunks, sizes: sizes) else if kind == "ZB-1p" then zb_h1(
  p,
  m,
  sizes,
) else if kind == "ZB-2p" then zb_h2(p, m, sizes) else zb_v(p, m, sizes)

plan zero_bubble(
  layers: Int = 22,
  hidden: Int = 2304,
  heads: Int = 24,
  seq: Int = 1024,
  vocab: Int = 32000,
  pp: Int = 8,
  chunks: Int = 1,
  micro: Int = 6,
  m: Int = 32,
  kind: String = "1F1B",
  power: Real = 1.167,
  bandwidth: Real = 0.8,
  flops: Real = 0.6,
) {
  model = gpt(layers: layers, hidden: hidden, heads: heads, vocab: vocab, seq: seq)
  framework = { name: "Megatron-LM" }
  cluster = dgx_a100(nodes: pp / 8)
  mesh = { pp }
  schedule = schedule_of(kind, pp, m, sizes_of(layers, pp * chunks), chunks)
  batch = { micro: micro, global: micro * m }
  tokens = seq
  precision = { compute: bf16, weights: bf16, gradients: fp32, accumulate: 0 B, free_gradients: false }
  optimizer = adam()
  costs = [slower(table "ops/gemm_a100_sxm.csv.gz", by: power), roofline(a100_sxm_80g, flops: flops, bytes: bandwidth, floor: 2 us)]
  network = [measured(table "ops/nccl_intra.csv.gz", where: { gpu: "a100_sxm", dtype: "half" }), a100_infiniband]
  host = megatron_host
}
