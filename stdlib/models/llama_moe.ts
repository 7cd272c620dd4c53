// Llama whose MLPs are mixtures of experts: in each `every`-th layer (the last of so many), the
// others are dense and of width `dense`. `load`: how unevenly tokens are dealt out to experts
// (std.ops.routing).
import std.ops.nn, std.ops.moe, std.models.llama
export import std.ops.routing

block moe_half(x: Tensor, routed: Int, top: Int, ffn: Int, shared: Int, load: Any, biased: Bool = false) {
  n = rmsnorm(x) as ln2
  y = experts(n, experts: routed, top: top, ffn: ffn, shared: shared, load: load, biased: biased) as moe
  yield add(x, y) as moe.residual
}

model llama_moe(
  layers: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  ffn: Int,
  experts: Int,
  top: Int,
  vocab: Int,
  seq: Int,
  head_dim: Int = hidden / heads,
  qk_norm: Bool = false,
  shared: Int = 0,
  every: Int = 1,
  dense: Int = 0,
  load: Any = 1,
) {
  require min(layers, hidden, heads, kv_heads, head_dim, vocab, seq) >= 1, "counts and widths are 1 or more"
  require every >= 1, "`every` counts layers: 1 or more"
  require every == 1 or dense >= 1, "layers without experts need a width: state `dense`"
  require loads_fit(load, div(layers, every)), "where layers have loads of their own, there is one for each layer with experts"
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    r = llama_attention(x, heads, kv_heads, head_dim, qk_norm)
    if layer % every == every - 1 {
      x = moe_half(r, experts, top, ffn, shared, load_at(load, div(layer, every)))
    } else {
      x = llama_mlp(r, dense)
    }
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab) as head
  loss = cross_entropy(logits) as loss
}
