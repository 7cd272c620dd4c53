// The models of Megatron-LM (pretrain_gpt.py and its like) from a record of their choices, which
// std.frameworks.megatron makes from a command line: layers of attention or latent attention, dense
// or with experts, and modules that predict further words.
import std.ops.nn, std.ops.latent, std.ops.moe, std.ops.fused

block _norm(x: Tensor, c: Record) {
  if c.rms {
    y = rmsnorm(x) as norm
  } else {
    y = layernorm(x) as norm
  }
  yield y
}

// Kernels that want [batch, seq] get copies of what they take and give in [seq, batch]; the copy of
// what they give is what the next product keeps.
block _attention_core(q: Tensor, c: Record) {
  if c.attention == "unfused" {
    parts = unpacked(q, heads: c.heads, kv_heads: c.kv_heads, head_dim: c.head_dim) as parts
    a = scores_attention(
      parts[0],
      parts[1],
      head_dim: c.head_dim,
      causal: c.causal,
      dropout: c.attention_dropout,
      softmax: c.softmax,
    ) as core
  } else {
    a = attention(q, heads: c.heads, kv_heads: c.kv_heads, head_dim: c.head_dim, causal: c.causal) as core
    if c.attention == "flash" {
      a = reordered(a) as back
    }
  }
  yield a
}

block _self_attention(x: Tensor, c: Record) {
  q = linear(x, out: (c.heads + 2 * c.kv_heads) * c.head_dim, bias: c.qkv_bias) as qkv
  if c.qk_norm {
    q = qk_norm(q, heads: c.heads, kv_heads: c.kv_heads, head_dim: c.head_dim) as qk_norm
  }
  if c.rope {
    q = rotary(q, heads: c.heads, kv_heads: c.kv_heads, head_dim: c.head_dim) as rotary
  }
  a = _attention_core(q, c)
  yield linear(a, out: c.hidden) as proj
}

// Multi-head latent attention. Without a rank of queries they come straight from x.
block _latent_attention(x: Tensor, c: Record) {
  if c.q_rank > 0 {
    qc = linear(x, out: c.q_rank) as query.compress
    qn = rmsnorm(qc) as query.norm
    qu = linear(qn, out: c.heads * (c.nope + c.rope_dim)) as query.up
  } else {
    qu = linear(x, out: c.heads * (c.nope + c.rope_dim)) as query.up
  }
  q = latent_rotary(qu, width: c.nope + c.rope_dim, rope: c.rope_dim) as query.rotary
  d = linear(x, out: c.kv_rank + c.rope_dim) as keys.compress
  parts = cut(d, c.kv_rank) as keys.cut
  kn = rmsnorm(parts[0]) as keys.norm
  f = linear(kn, out: c.heads * (c.nope + c.v_dim)) as keys.up
  kv = latent_keys(f, parts[1], nope: c.nope, v_dim: c.v_dim) as keys.rotary
  if c.attention == "unfused" {
    a = scores_attention(q, kv, head_dim: c.nope + c.rope_dim, v_dim: c.v_dim, dropout: c.attention_dropout, softmax: c.softmax) as core
  } else {
    a = query_attention(q, kv, head_dim: c.nope + c.rope_dim, v_dim: c.v_dim, causal: true) as core
    if c.attention == "flash" {
      a = reordered(a) as back
    }
  }
  yield linear(a, out: c.hidden) as proj
}

block _attention_half(x: Tensor, c: Record) {
  n = _norm(x, c) as ln1
  if c.latent {
    a = _latent_attention(n, c) as attn
  } else {
    a = _self_attention(n, c) as attn
  }
  yield residual(a, x, bias: c.bias, dropout: c.dropout) as attn.residual
}

block _mlp(x: Tensor, c: Record, ffn: Int) {
  u = linear(x, out: if c.gated then 2 * ffn else ffn) as up
  g = activation(u, gated: c.gated, bias: c.bias, kept: c.activation_kept) as act
  yield linear(g, out: c.hidden) as down
}

block _dense_half(x: Tensor, c: Record) {
  n = _norm(x, c) as ln2
  d = _mlp(n, c, c.ffn) as mlp
  yield residual(d, x, bias: c.bias, dropout: c.dropout) as mlp.residual
}

// What comes from other ranks stands in their order, and is put into that of the experts, where a
// rank has several (megatron/core/transformer/moe/token_dispatcher.py).
block _expert_half(x: Tensor, c: Record) {
  n = _norm(x, c) as ln2
  gates = router(n, experts: c.experts, top: c.top) as moe.router
  sent = dispatch(n, experts: c.experts, top: c.top, padded: c.padded) as moe.dispatch
  let routed = 1.0 * rows(n) * c.top / rows(sent)
  if c.sorted {
    sent = sorted_tokens(sent) as moe.sorted
  }
  u = expert_linear(sent, out: if c.gated then 2 * c.expert_ffn else c.expert_ffn, routed: routed) as moe.experts.up
  g = activation(u, gated: c.gated, bias: c.bias, kept: c.expert_kept) as moe.experts.act
  d = expert_linear(g, out: c.hidden, routed: routed) as moe.experts.down
  if c.sorted {
    d = sorted_tokens(d) as moe.unsorted
  }
  y = combine(d, gates) as moe.combine
  if c.shared > 0 {
    s = _mlp(n, c, c.shared) as moe.shared
    y = add(y, s) as moe.shared.sum
  }
  yield residual(y, x, bias: c.bias, dropout: c.dropout) as mlp.residual
}

block _predict_next(x: Tensor, words: Tensor, c: Record) {
  a = _norm(x, c) as norm
  b = _norm(words, c) as word_norm
  j = join(a, b) as join
  yield linear(j, out: c.hidden) as merge
}

// What predicts further words has a copy of the embedding, wherever it lies; its losses are with the
// model's own, on the last stage (megatron/core/models/gpt/gpt_model.py, _postprocess).
model megatron_gpt(c: Record) {
  ids = input([batch, c.seq], int64)
  words = embedding(ids, c.vocab, c.hidden) as embed
  x = words
  if c.embed_norm {
    x = _norm(x, c) as embed_norm
  }
  if c.positions > 0 {
    x = position_embedding(x, c.positions) as position
  }
  if c.dropout > 0 {
    x = dropout(x) as embed_dropout
  }
  repeat c.layers as layer {
    r = _attention_half(x, c)
    if c.moe[layer] == 1 {
      x = _expert_half(r, c)
    } else {
      x = _dense_half(r, c)
    }
  }
  n = _norm(x, c) as final_norm
  let further = []
  repeat c.mtp as mtp {
    words = embedding(ids, c.vocab, c.hidden, tied: true) as embed
    p = _predict_next(x, words, c) as next
    r = _attention_half(p, c)
    if c.experts > 0 {
      x = _expert_half(r, c)
    } else {
      x = _dense_half(r, c)
    }
    f = _norm(x, c) as final_norm
    let further = further + [f]
  }
  l = _loss_of(n, c, c.tied, "embed")
  if c.mtp > 0 {
    m = _further_losses(further, c) as mtp
  }
}

block _loss_of(x: Tensor, c: Record, tied: Bool, table: Label) {
  logits = linear(x, out: c.vocab, tied: tied, table: table) as head
  if c.fused_loss {
    loss = fused_cross_entropy(logits) as loss
  } else {
    loss = cross_entropy(logits, fused: c.engine_loss) as loss
  }
  yield loss
}

block _further_losses(further: List, c: Record) {
  repeat len(further) as module {
    l = _loss_of(further[module], c, true, if c.tied then "embed" else "head")
  }
  yield l
}

// BERT: layers that look both ways, a product and a norm before the head, which is tied and has a
// bias, and a second loss (`binary`) on whether sentences follow each other.
model megatron_bert(c: Record) {
  ids = input([batch, c.seq], int64)
  segments = input([batch, c.seq], int64)
  words = embedding(ids, c.vocab, c.hidden) as embed
  p = position_embedding(words, c.positions) as position
  x = segment_embedding(p, segments, 2) as segment
  if c.dropout > 0 {
    x = dropout(x) as embed_dropout
  }
  repeat c.layers as layer {
    r = _attention_half(x, c)
    x = _dense_half(r, c)
  }
  n = _norm(x, c) as final_norm
  w = linear(n, out: c.hidden, bias: true) as words
  g = gelu(w) as words_act
  m = _norm(g, c) as words_norm
  logits = linear(m, out: c.vocab, bias: true, tied: true) as head
  loss = cross_entropy(logits) as loss
  if c.binary {
    f = first_token(n) as first
    q = linear(f, out: c.hidden, bias: true) as pooler
    a = tanh(q) as pooler_act
    follows = linear(a, out: 2, bias: true) as follows
    follows_loss = cross_entropy(follows) as follows_loss
  }
}

// Queries of the decoder over what the encoder made.
block _cross_attention(x: Tensor, memory: Tensor, c: Record) {
  q = linear(x, out: c.heads * c.head_dim, bias: c.qkv_bias) as q
  kv = linear(memory, out: 2 * c.heads * c.head_dim, bias: c.qkv_bias) as kv
  if c.attention == "unfused" {
    a = scores_attention(q, kv, head_dim: c.head_dim, causal: false, dropout: c.attention_dropout, softmax: c.softmax) as core
  } else {
    a = query_attention(q, kv, head_dim: c.head_dim) as core
    if c.attention == "flash" {
      a = reordered(a) as back
    }
  }
  yield linear(a, out: c.hidden) as proj
}

block _cross_half(x: Tensor, memory: Tensor, c: Record) {
  n = _norm(x, c) as ln3
  a = _cross_attention(n, memory, c) as cross
  yield residual(a, x, bias: c.bias, dropout: c.dropout) as cross.residual
}

// T5: an encoder that looks both ways and a decoder over it; one embedding serves both, and the
// head, which has a bias.
model megatron_t5(source: Record, target: Record) {
  ids = input([batch, source.seq + target.seq], int64)
  e = embedding(ids, source.vocab, source.hidden) as embed
  halves = cut_sequence(e, source.seq, source.seq + target.seq) as halves
  x = position_embedding(halves[0], source.positions) as encoder_position
  y = halves[1]
  if source.dropout > 0 {
    x = dropout(x) as encoder_dropout
    y = dropout(y) as decoder_dropout
  }
  repeat source.layers as encoder {
    r = _attention_half(x, source)
    x = _dense_half(r, source)
  }
  memory = _norm(x, source) as encoder_norm
  repeat target.layers as decoder {
    r = _attention_half(y, target)
    s = _cross_half(r, memory, target)
    y = _dense_half(s, target)
  }
  n = _norm(y, target) as final_norm
  logits = linear(n, out: target.vocab, bias: true, tied: true) as head
  loss = cross_entropy(logits) as loss
}
