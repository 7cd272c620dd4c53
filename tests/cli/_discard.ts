// Recomputation that drops what a group made: what a layer of Llama keeps. s b = 2 x 128 tokens, h
// 256, ffn 1024, so that a tensor of h is 128 KiB and one of ffn 512 KiB.
import std.models.llama, std.clusters.dgx, std.schedules.one_f_one_b, std.schedules.zero_bubble, std.strategies.recompute,
  std.strategies.fp8, std.precision, std.gpus.nvidia

plan kept(again: Strategy = selective("*.act"), eight: Bool = false, layers: Int = 4, pp: Int = 1, apart: Bool = true) {
  model = llama(layers: layers, hidden: 256, heads: 4, kv_heads: 4, ffn: 1024, vocab: 64, seq: 128, apart: apart)
  cluster = dgx_h100(nodes: 1)
  mesh = { pp }
  apply = [again, if eight then fp8_products() else none]
  schedule = if pp == 1 then one_f_one_b(p: pp, m: 2) else zb_h1(p: pp, m: 4)
  batch = { micro: 2 }
  precision = mixed(bf16)
  costs = [roofline(h100_sxm)]
}
