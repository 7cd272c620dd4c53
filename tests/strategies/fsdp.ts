// FSDP over 8 ranks. Parameters of a rank: 1/8 held, the whole of two units gathered at a time.
import "_model.ts", std.strategies.data

plan fsdp_plan(d: Int = 8, m: Int = 2, prefetch: Int = 1, reshard: Bool = true) {
  model = llama(layers: 8, hidden: hidden, heads: 16, kv_heads: 16, ffn: ffn, vocab: vocab, seq: seq)
  cluster = dgx_h100(nodes: 1)
  mesh = { d }
  apply = [fsdp(d, prefetch: prefetch, reshard: reshard)]
  schedule = accumulate(m: m)
  batch = { micro: 1, global: 8 * m }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
