// Context parallelism: every rank has a part of each sequence through the whole model, and only attention needs the rest of it. Weights are the same on all:
// their gradients are summed over the axis too, `data_parallel(d * c)`.
//
// With a causal mask later tokens have more to do. `balanced`: each rank has a part from the front and its mirror image from the back, so all have as much
// (zigzag; Llama 3, arXiv 2407.21783, section 3.3.2); otherwise the last rank has (2 c - 1) / c of the mean, and the others wait for it.

// Keys and values go around a ring while attention works on those that are there (Liu et al., arXiv 2310.01889): c - 1 shifts forward; in the backward
// they go around again and their gradients with them. `ring: false`: they are gathered before and scattered after, and held whole meanwhile.
strategy context_parallel(c: Axis, ring: Bool = true, balanced: Bool = true) {
  let how = if ring then "ring" else true
  rule tokens {
    match embedding | eager_embedding
    split ids dim 1 over c
  }
  rule packed optional {
    match attention
    before forward: all_gather(kv, dim: 1) over c overlap how
    before backward(input): all_gather(kv, dim: 1) over c overlap how
    after backward(input): reduce_scatter(dkv, dim: 1) over c overlap how
    set load = if balanced then 1 else (2 * c - 1) / (1.0 * c)
  }
  rule apart optional {
    match query_attention
    before forward: all_gather(kv, dim: 1) over c overlap how
    before backward(input): all_gather(kv, dim: 1) over c overlap how
    after backward(input): reduce_scatter(dkv, dim: 1) over c overlap how
  }
}

// Ulysses (Jacobs et al., arXiv 2309.14509): sequences are split outside of attention and heads inside; all-to-all takes one to the other and back.
strategy ulysses(c: Axis) {
  rule tokens {
    match embedding | eager_embedding
    split ids dim 1 over c
  }
  rule heads {
    match attention
    before forward: all_to_all(qkv, dim: -1) over c
    split heads, kv_heads over c
    after forward: all_to_all(y, dim: 1) over c
    before backward(input): all_to_all(dy, dim: -1) over c
    after backward(input): all_to_all(dqkv, dim: 1) over c
  }
}
