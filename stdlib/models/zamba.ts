// The layers that Zamba's stack has in common (arXiv 2405.16712, 2411.15242): a transformer over a word and what it was
// in the table, side by side, whose weights stand at several places, with a product of each place behind it.
import std.ops.nn

// `of`: the label of the place that holds the weights, none: this one. `rank`: adapters of a place beside the product into the
// MLP, and (`attention_rank`) beside those of queries, keys and values.
record Shared {
  of: String = ""
  heads: Int
  kv_heads: Int = heads
  head_dim: Int
  ffn: Int
  bias: Bool = false
  rotary: Bool = false
  rank: Int = 0
  attention_rank: Int = 0
}

// Adapters of three products of one width, whose outcomes are packed as theirs.
block _three(x: Tensor, rank: Int, heads: Int, kv_heads: Int, head_dim: Int) {
  qd = linear(x, out: rank) as q.down
  q = linear(qd, out: heads * head_dim) as q.up
  kd = linear(x, out: rank) as k.down
  k = linear(kd, out: kv_heads * head_dim) as k.up
  vd = linear(x, out: rank) as v.down
  v = linear(vd, out: kv_heads * head_dim) as v.up
  kv = join(k, v) as kv
  yield join(q, kv) as join
}

block shared_layer(x: Tensor, words: Tensor, s: Shared) {
  let tied = s.of != ""
  both = join(x, words) as join
  n = rmsnorm(both, tied: tied, table: s.of + ".ln1") as ln1
  qkv = linear(n, out: (s.heads + 2 * s.kv_heads) * s.head_dim, tied: tied, table: s.of + ".attn.qkv") as attn.qkv
  if s.attention_rank > 0 {
    w = _three(n, s.attention_rank, s.heads, s.kv_heads, s.head_dim) as attn.adapter
    qkv = add(qkv, w) as attn.adapted
  }
  if s.rotary {
    qkv = rotary(qkv, heads: s.heads, kv_heads: s.kv_heads, head_dim: s.head_dim) as attn.rotary
  }
  a = attention(qkv, heads: s.heads, kv_heads: s.kv_heads, head_dim: s.head_dim) as attn.core
  o = linear(a, out: last(x.shape), tied: tied, table: s.of + ".attn.proj") as attn.proj
  n2 = rmsnorm(o, tied: tied, table: s.of + ".ln2") as ln2
  u = linear(n2, out: 2 * s.ffn, bias: s.bias, tied: tied, table: s.of + ".mlp.up") as mlp.up
  if s.rank > 0 {
    d = linear(n2, out: s.rank) as mlp.adapter.down
    e = linear(d, out: 2 * s.ffn) as mlp.adapter.up
    u = add(u, e) as mlp.adapted
  }
  g = geglu(u) as mlp.act
  y = linear(g, out: last(x.shape), bias: s.bias, tied: tied, table: s.of + ".mlp.down") as mlp.down
  z = linear(y, out: last(x.shape)) as out
  yield add(x, z) as sum
}
