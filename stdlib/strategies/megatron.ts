// Megatron tensor parallelism (Shoeybi et al., arXiv 1909.08053), without and with sequence
// parallelism (Korthikanti et al., arXiv 2205.05198). The first product of each half is split by
// columns, the second by rows; their partial sums meet in one collective a half and direction.
// Labels: `*.qkv` (or `*.q` and `*.kv`) and `*.up` are columns, `*.proj` and `*.down` rows, `embed`
// and `head` are split over the vocabulary. `overlap`: whether sums of input gradients go on beside
// the weight gradients. Adapters (`rank`) are split as well; what they exchange is not counted.

strategy tensor_parallel(t: Axis, overlap: Overlap = true) {
  rule column {
    match linear as "*.qkv" | "*.q" | "*.kv" | "*.up"
    split w dim 0, b dim 0, a dim 0, u dim 0, m dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t, overlap: overlap)
  }
  rule row {
    match linear as "*.proj" | "*.down"
    split x dim -1, w dim 1, a dim 1, u dim 0, m dim 0 over t
    after forward: all_reduce(y, over: t)
  }
  rule biases optional {
    match bias_gelu as "*.act"
    split b dim 0 over t
  }
  rule heads optional {
    match core_attention
    split heads over t
  }
  rule head_norms optional { // each rank has the same norm and heads of its own
    match qk_norm
    after gradients: all_reduce(gradients, over: t, bucket: 1 GiB, overlap: false)
  }
  rule grouped_heads optional {
    match attention | rotary | eager_attention | eager_rotary
    split heads, kv_heads over t
  }
  rule positions optional { // biases by relative position, of a rank's own heads
    match attention where buckets > 0
    split w dim 1 over t
  }
  rule sinks optional {
    match attention where sinks
    split s dim 0 over t
  }
  rule shared_keys optional {
    match latent_keys
    after backward(input): all_reduce(dshared, over: t)
  }
  rule vocabulary optional {
    match embedding | eager_embedding as "embed"
    split w dim 0 over t
    after forward: all_reduce(y, over: t)
  }
  rule head optional {
    match linear as "head"
    split w dim 0, b dim 0, a dim 0, u dim 0, m dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t, overlap: overlap)
  }
  rule loss optional {
    match cross_entropy | eager_cross_entropy
    after forward: all_reduce(y, over: t)
  }
}

// Between the split products activations are split along the sequence (dimension 1): the
// all-reduces become reduce-scatter and all-gather, and layer norms, dropouts and residuals are
// done once, not t times. The gradients of weights that all ranks have are then sums over their
// parts of the sequence: one all-reduce at the end of the step, as Megatron-LM does it
// (`finalize_model_grads`). `gather: own_part`: a product that waits for a gather begins with the
// rows that its rank holds already. `gather: ring, scatter: ring`: both become shifts around a
// ring, a t-th of the product between every two of them (Wang et al., ASPLOS 2023; PyTorch's async
// TP, Transformer Engine's user buffers). `slows`: the factor by which products beside these
// collectives are slower.
// `keep_gathered`: what the forward gathered stays for the weight gradients, instead of being
// gathered again; `again`: whether that second gather goes on beside the input gradients.
// `adapters`: the input of an adapter beside a product of columns is gathered for it alone, as where
// user buffers gather the product's in parts and do not hand it on (Megatron-Bridge,
// peft/utils.py, ParallelLinearAdapter). `elsewhere`: a kind of ops whose gradients the strategy of the
// replicas sums over the ranks of `t` as well.
strategy tensor_sequence_parallel(
  t: Axis,
  gather: Overlap = true,
  scatter: Overlap = true,
  keep_gathered: Bool = false,
  slows: Real = 1.0,
  again: Overlap = true,
  adapters: Bool = false,
  elsewhere: String = "",
) {
  let second = if keep_gathered then 1 else t
  let apart = if adapters then t else 1
  rule column {
    match linear as "*.qkv" | "*.q" | "*.kv" | "*.up"
    before forward: all_gather(x, dim: 1, over: t, overlap: gather, slows: slows)
    split w dim 0, b dim 0, a dim 0, u dim 0, m dim 0, y dim -1 over t
    after backward(input): reduce_scatter(dx, dim: 1, over: t, overlap: scatter, slows: slows)
    before backward(weight): all_gather(x, dim: 1, over: second, overlap: again, slows: slows)
  }
  rule row {
    match linear as "*.proj" | "*.down"
    split x dim -1, w dim 1, a dim 1, u dim 0, m dim 0 over t
    after forward: reduce_scatter(y, dim: 1, over: t, overlap: scatter)
    before backward(input): all_gather(dy, dim: 1, over: t, overlap: gather, slows: slows)
  }
  rule adapters optional {
    match linear as "*.adapter_in"
    before forward: all_gather(x, dim: 1, over: apart, overlap: false)
    split y dim 1 over apart
    after backward(input): reduce_scatter(dx, dim: 1, over: apart, overlap: false)
    before backward(weight): all_gather(x, dim: 1, over: apart, overlap: false)
  }
  rule biases optional {
    match bias_gelu as "*.act"
    split b dim 0 over t
  }
  rule heads optional {
    match core_attention
    split heads over t
  }
  rule grouped_heads optional {
    match attention | rotary | eager_attention | eager_rotary
    split heads, kv_heads over t
  }
  rule positions optional { // biases by relative position, of a rank's own heads
    match attention where buckets > 0
    split w dim 1 over t
  }
  rule sinks optional {
    match attention where sinks
    split s dim 0 over t
  }
  rule shared_keys optional {
    match latent_keys
    before forward: all_gather(shared, dim: 1, over: t)
    after backward(input): reduce_scatter(dshared, dim: 1, over: t)
  }
  rule vocabulary optional {
    match embedding | eager_embedding as "embed"
    split w dim 0 over t
    after forward: reduce_scatter(y, dim: 1, over: t)
    before backward(weight): all_gather(dy, dim: 1, over: t, overlap: again)
  }
  rule head optional {
    match linear as "head" where len(x.shape) > 2
    before forward: all_gather(x, dim: 1, over: t, overlap: gather, slows: slows)
    split w dim 0, b dim 0, a dim 0, u dim 0, m dim 0, y dim -1 over t
    after backward(input): reduce_scatter(dx, dim: 1, over: t, overlap: scatter, slows: slows)
    before backward(weight): all_gather(x, dim: 1, over: second, overlap: again, slows: slows)
  }
  rule classes optional { // of one word alone
    match linear as "head" where len(x.shape) == 2
    split w dim 0, b dim 0, a dim 0, u dim 0, m dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
  rule loss optional {
    match cross_entropy | eager_cross_entropy
    after forward: all_reduce(y, over: t)
  }
  rule class optional { // what begins with pictures: each rank goes on with its part of the words
    match class_token
    split y dim 1 over t
    after backward(input): all_reduce(dx, over: t)
  }
  rule one optional { // a single word is on one rank; all go on with it
    match first_token
    before forward: all_gather(x, dim: 1, over: t)
  }
  rule replicated {
    match * where kind != elsewhere
    after gradients: all_reduce(gradients, over: t, bucket: 1 GiB, overlap: false)
  }
}

// The vocabulary alone: embedding, head and loss. Each rank looks up, and scores, its part of the
// words.
strategy vocabulary_parallel(t: Axis) {
  rule embedding {
    match embedding | eager_embedding as "embed"
    split w dim 0 over t
    after forward: all_reduce(y, over: t)
  }
  rule head {
    match linear as "head"
    split w dim 0, b dim 0, a dim 0, u dim 0, m dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
  rule loss {
    match cross_entropy | eager_cross_entropy
    after forward: all_reduce(y, over: t)
  }
}
