strategy tensor_parallel(t: Axis) {
  rule column {
    match linear as "*.qkv" | "*.up"
    split w dim 0, b dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
  rule row {
    match linear as "*.proj" | "*.down"
    split x dim -1, w dim 1 over t
    after forward: all_reduce(y, over: t)
  }
  rule heads optional {
    match core_attention
    split heads over t
  }
  rule grouped_heads optional {
    match attention | rotary | eager_attention | eager_rotary
    split heads, kv_heads over t
  }
  rule vocabulary optional {
    match embedding | eager_embedding as "embed"
    split w dim 0 over t
    after forward: all_reduce(y, over: t)
  }
  rule head optional {
    match linear as "head"
    split w dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
  rule loss optional {
    match cross_entropy | eager_cross_entropy
    after forward: all_reduce(y, over: t)
  }
}

strategy tensor_sequence_parallel(t: Axis, async: Bool = false) {
  let gather: Overlap = if async then own_part else true
  rule column {
    match linear as "*.qkv" | "*.up"
    before forward: all_gather(x, dim: 1, over: t, overlap: gather)
    split w dim 0, b dim 0, y dim -1 over t
    after backward(input): reduce_scatter(dx, dim: 1, over: t)
    before backward(weight): all_gather(x, dim: 1, over: t)
  }
  rule row {
    match linear as "*.proj" | "*.down"
    split x dim -1, w dim 1 over t
    after forward: reduce_scatter(y, dim: 1, over: t)
    before backward(input): all_gather(dy, dim: 1, over: t, overlap: gather)
  }
  rule heads optional {
    match core_attention
    split heads over t
  }
  rule grouped_heads optional {
    match attention | rotary | eager_attention | eager_rotary
    split heads, kv_heads over t
  }
  rule vocabulary optional {
    match embedding | eager_embedding as "embed"
    split w dim 0 over t
    after forward: reduce_scatter(y, dim: 1, over: t)
    before backward(weight): all_gather(dy, dim: 1, over: t)
  }
  rule head optional {
    match linear as "head"
    before forward: all_gather(x, dim: 1, over: t, overlap: gather)
    split w dim 0, y dim -1 over t
    after backward(input): reduce_scatter(dx, dim: 1, over: t)
    before backward(weight): all_gather(x, dim: 1, over: t)
  }
  rule loss optional {
    match cross_entropy | eager_cross_entropy
    after forward: all_reduce(y, over: t)
  }
}
