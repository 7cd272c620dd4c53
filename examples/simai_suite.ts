// SimAI's benchmark suite (Wang et al., NSDI 2025) by its specification, version 1.1
// (aliyun/aicb, workload/Workload_spec_v1.1.csv): its ten jobs on 128 GPUs. `tsrun -Djob=5` plays the
// fifth. Degrees and widths are those of the row, and parameters, because the workloads that AICB
// publishes differ from it in some. Not stated there: micro-batches of 1, GPUs of the A100 kind,
// vocabularies (AICB's scripts), and recomputation (`again`) where memory does not suffice. The
// tenth is Mixtral 8x7B: experts over `ep` ranks with different samples, tokens shared evenly.
import std.models.gpt, std.models.llama, std.models.mixtral, std.clusters.dgx
import std.strategies.megatron, std.strategies.experts, std.strategies.data, std.strategies.recompute, std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.hosts, std.networks, std.costs

let gpt_175b = {
  name: "GPT_175B",
  gpt: true,
  layers: 96,
  hidden: 12288,
  heads: 96,
  seq: 2048,
  ffn: 49152,
  tp: 8,
  pp: 8,
  sp: true,
  zero: 1,
  again: false,
  ep: 1,
}

let suite = [
  {
    name: "LLaMA_7B",
    gpt: false,
    layers: 32,
    hidden: 4096,
    heads: 32,
    seq: 2048,
    ffn: 16384,
    tp: 1,
    pp: 1,
    sp: false,
    zero: 1,
    again: false,
    ep: 1,
  },
  {
    name: "GPT_13B",
    gpt: true,
    layers: 40,
    hidden: 5120,
    heads: 32,
    seq: 2048,
    ffn: 20480,
    tp: 2,
    pp: 1,
    sp: true,
    zero: 1,
    again: false,
    ep: 1,
  },
  {
    name: "GPT_22B",
    gpt: true,
    layers: 48,
    hidden: 6144,
    heads: 64,
    seq: 2048,
    ffn: 24576,
    tp: 4,
    pp: 1,
    sp: false,
    zero: 1,
    again: false,
    ep: 1,
  },
  {
    name: "LLaMA_65B",
    gpt: false,
    layers: 80,
    hidden: 8192,
    heads: 64,
    seq: 4096,
    ffn: 28672,
    tp: 8,
    pp: 2,
    sp: true,
    zero: 1,
    again: false,
    ep: 1,
  },
  gpt_175b,
  gpt_175b with { sp = false },
  {
    name: "Llama3_405B",
    gpt: false,
    layers: 126,
    hidden: 16384,
    heads: 128,
    seq: 8192,
    ffn: 53248,
    tp: 8,
    pp: 16,
    sp: true,
    zero: 1,
    again: true,
    ep: 1,
  },
  {
    name: "LLaMA_7B",
    gpt: false,
    layers: 32,
    hidden: 4096,
    heads: 32,
    seq: 4096,
    ffn: 11008,
    tp: 1,
    pp: 1,
    sp: false,
    zero: 2,
    again: false,
    ep: 1,
  },
  {
    name: "LLaMA_65B",
    gpt: false,
    layers: 80,
    hidden: 8192,
    heads: 64,
    seq: 4096,
    ffn: 28672,
    tp: 1,
    pp: 1,
    sp: false,
    zero: 3,
    again: true,
    ep: 1,
  },
  {
    name: "Mixtral_8x7B",
    gpt: false,
    layers: 32,
    hidden: 4096,
    heads: 32,
    seq: 2048,
    ffn: 14336,
    tp: 2,
    pp: 1,
    sp: true,
    zero: 1,
    again: false,
    ep: 8,
  },
]

plan simai_suite(
  job: Int = 2,
  tp: Int = suite[job - 1].tp,
  pp: Int = suite[job - 1].pp,
  ep: Int = suite[job - 1].ep,
  dp: Int = 128 / tp / ep / pp,
  layers: Int = suite[job - 1].layers,
  hidden: Int = suite[job - 1].hidden,
  heads: Int = suite[job - 1].heads,
  ffn: Int = suite[job - 1].ffn,
  sp: Bool = suite[job - 1].sp,
  global: Int = dp * ep * pp,
) {
  model = if ep > 1 then mixtral(
    layers: layers,
    hidden: hidden,
    heads: heads,
    ffn: ffn,
    seq: suite[job - 1].seq,
    load: 1,
  ) else if suite[job - 1].gpt
    then gpt(layers: layers, hidden: hidden, heads: heads, vocab: 50304, seq: suite[job - 1].seq, tied: true, flash: true)
    else llama(layers: layers, hidden: hidden, heads: heads, kv_heads: heads, ffn: ffn, vocab: 32000, seq: suite[job - 1].seq)
  cluster = dgx_a100(nodes: 16)
  mesh = { tp, ep, dp, pp }
  apply = [
    if sp then tensor_sequence_parallel(tp) else tensor_parallel(tp),
    expert_parallel(ep),
    if suite[job - 1].zero == 1 then zero1(dp * ep, bucket: 1 TiB) else if suite[job - 1].zero == 2 then zero2(
      dp,
      bucket: 1 GB,
      whole: true,
    ) else zero3(dp),
  ]
  schedule = one_f_one_b(p: pp, m: global / dp / ep)
  batch = { micro: ep, global: global }
  tokens = suite[job - 1].seq
  precision = if suite[job - 1].zero == 1 then mixed(bf16) else mixed(bf16, gradients: bf16)
  recompute = if suite[job - 1].again then full() else none
  optimizer = adam()
  costs = training_a100
  network = a100_infiniband + nccl_ampere + a100_statistical + [flow()]
  host = megatron_host
}
