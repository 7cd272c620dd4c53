// Tensor parallelism layer by layer, as TrioSim has it (Li et al., ISCA 2025) and libraries that
// divide any model do (BlackSamorez/tensor_parallel): weights of convolutions and linear layers are
// split by their outputs, which are gathered behind each layer; embeddings by their rows. All else
// is done by every rank. Linear layers of fewer outputs than `least` stay whole.
strategy outputs_split(t: Axis, least: Int = 5) {
  rule convolutions optional {
    match conv2d
    split w dim 0, b dim 0, y dim 1 over t
    after forward: all_gather(y, over: t, dim: 1)
    after backward(input): all_reduce(dx, over: t)
  }
  rule linears optional {
    match linear where w.shape[0] >= least
    split w dim 0, b dim 0, y dim -1 over t
    after forward: all_gather(y, over: t, dim: -1)
    after backward(input): all_reduce(dx, over: t)
  }
  rule embeddings optional {
    match embedding | eager_embedding as "embed"
    split w dim 0 over t
    after forward: all_reduce(y, over: t)
  }
}
