// TrioSim's networks on its platforms (figures 6 to 13): P1 two A40 on PCIe, P2 four A100, P3 eight H100 on NVLink. fp32 as PyTorch has it,
// Adam; vocabularies are padded to what divides. Measured link rates are not printed:
// those of P1 and P3 are nominal, P2 has the public code's 65 GB/s of an all-reduce, 2 (4 - 1) / 4 of it on each link.
import std.models.vgg, std.models.resnet, std.models.densenet, std.models.bert, std.models.gpt, std.models.t5, std.models.llama
import std.clusters.dgx, std.strategies.data, std.strategies.outputs, std.schedules.gpipe, std.optimizers.adam, std.precision,
  std.costs.hosts, std.gpus.nvidia

let platforms = [
  { kind: a40, gpus: 2, link: 24 GB/s },
  { kind: a100_sxm_40g, gpus: 4, link: 97.5 GB/s },
  { kind: h100_sxm, gpus: 8, link: 450 GB/s },
]
fn gpt2_padded() -> Model = gpt2_small(vocab: 50304)
fn bert_padded() -> Model = bert(12, 768, 12, vocab: 30528)
fn llama_1b() -> Model = llama(layers: 16, hidden: 2048, heads: 32, kv_heads: 8, ffn: 8192, vocab: 128256, seq: 512)

plan triosim(
  p: Int = 2,
  net: Model = vgg13(),
  dp: Int = 1,
  tp: Int = 1,
  pp: Int = 1,
  batch: Int = 128,
  chunks: Int = 1,
  overlap: Bool = true,
  link: Rate = platforms[p - 1].link,
) {
  model = net
  cluster = if p == 1 then pcie_node(2, kind: a40, pcie: link) else nvswitch_nodes(
    1,
    kind: platforms[p - 1].kind,
    gpus: platforms[p - 1].gpus,
    nvlink: link,
    nic: 200 Gb/s,
  )
  mesh = { dp, tp, pp }
  apply = [outputs_split(tp), data_parallel(dp, bucket: 25 MiB, overlap: overlap)]
  schedule = gpipe(p: pp, m: chunks)
  batch = { micro: batch / chunks, global: batch * dp }
  precision = torch_fp32()
  optimizer = adam()
  costs = [roofline(platforms[p - 1].kind, flops: 0.6, bytes: 0.8, floor: 3 us)]
  network = [flow()]
  host = eager_torch
}
