// Zero-bubble schedules with the costs of a real model: GPT of 1.7 billion parameters on eight A100.
// As in Qi et al. (arXiv 2401.10241) the first stage has a layer less, for the embedding, and the last
// one, for the head. Still no two of F, I and W take equal times, and messages take some: a schedule
// made for equal times leaves gaps.
//   tsrun examples/zero_bubble.ts -D 'schedule=zb_v(p: pp, m: m, sizes: sizes(30, 16))'
//   trainspec schedule --memory=own examples/zero_bubble.ts
import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources
import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.zero_bubble, std.schedules.controllable_memory,
  std.schedules.dual_pipe, std.schedules.file

// Layers of each stage.
fn sizes(layers: Int, stages: Int) -> List[Int] = [
  div(layers + 2, stages) - (if s == 0 or s == stages - 1 then 1 else 0) for s in 0..stages
]

plan zero_bubble(
  pp: Int = 8,
  m: Int = 24,
  layers: Int = 30,
  hidden: Int = 2048,
  heads: Int = 16,
  seq: Int = 2048,
  vocab: Int = 50304,
  schedule: Schedule = zb_h1(p: pp, m: m, sizes: sizes(layers, pp)),
) {
  model = gpt(layers: layers, hidden: hidden, heads: heads, vocab: vocab, seq: seq)
  cluster = dgx_a100(nodes: pp / 8)
  mesh = { pp }
  schedule = schedule
  batch = { micro: 2, global: 2 * m }
  tokens = seq
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
  network = a100_infiniband
  host = megatron_host
  framework = { name: "Megatron-LM" }
}
