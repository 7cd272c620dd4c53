// Expert parallelism (Lepikhin et al., arXiv 2006.16668): experts are dealt out over `e`, and an
// all-to-all takes each token's copies to the ranks of its experts and back. Ranks along `e` have
// different samples, so `e` is a part of the data-parallel ranks and `micro` of the plan's batch is
// that of all of them; with `data_parallel(d * e)` the weights that all have are summed over both,
// those of the experts over `d`.
//
// `batch`: along which axes of `e` samples differ. Where `e` takes in the axis of tensor
// parallelism, tokens differ along that by sequence parallelism: `expert_parallel(t * e, batch:
// e)`.
// `sent`, `returned`: shares of the bytes that travel: 1/2 for copies in fp8 (DeepSeek-V3, arXiv
// 2412.19437, section 3.2), `limit / top` where a token goes to at most `limit` nodes and copies
// for one node travel once.
//
// The fullest rank gets more than the mean, as the `load` of the layer says (std.ops.routing), and
// holds more until the results go back. `overlap`: work that does not need what travels (an expert
// that all share) goes on.
export import std.ops.routing

strategy expert_parallel(e: Axis, batch: Axis = e, sent: Real = 1, returned: Real = 1, overlap: Overlap = true) {
  rule tokens {
    match embedding | eager_embedding
    split ids dim 0 over batch
  }
  rule pictures optional {
    match images
    split y dim 0 over batch
  }
  rule send {
    match dispatch
    after forward: all_to_all(y, dim: 0, over: e, share: sent, fullest: fullest_rank(load, e), overlap: overlap)
    before backward(input): all_to_all(dy, dim: 1, over: e, share: returned, fullest: fullest_rank(load, e), overlap: overlap)
  }
  rule receive {
    match combine
    before forward: all_to_all(x, dim: 1, over: e, share: returned, fullest: fullest_rank(load, e), overlap: overlap)
    after backward(input): all_to_all(dx, dim: 0, over: e, share: sent, fullest: fullest_rank(load, e), overlap: overlap)
  }
  rule experts {
    match expert_linear
    split w dim 0, a dim 0, u dim 0 over e
  }
  rule biases optional {
    match expert_bias
    split b dim 0 over e
  }
}

// How many of `nodes` a token goes to on average, when its `top` experts are picked uniformly from
// all, or of `limit` of them.
fn _met_of(nodes: Int, top: Int) -> Real = nodes * (1 - pow(1 - 1.0 / nodes, top))
fn nodes_met(nodes: Int, top: Int, limit: Int = 0) -> Real = _met_of(if limit > 0 then min(limit, nodes) else nodes, top)

// The fullest rank of the fullest node, over the mean of that: experts are dealt out to nodes, and
// on each to its ranks.
fn _fullest_of_node(load: Any, inner: Int, nodes: Int) -> Real = fullest_rank(load, inner * nodes) / fullest_rank(load, nodes)

// Experts over the ranks `inner` of each of `nodes`. What goes to a node travels to it once,
// however many of its experts want it, over the link of the rank that has it; inside the node it is
// copied to those. A token may be limited to so many nodes (DeepSeek-V3, arXiv 2412.19437, sections
// 2.1.2 and 3.2; DeepEP). Of the results those of one node are added there before they go back.
strategy node_expert_parallel(
  inner: Axis,
  nodes: Axis,
  top: Int,
  limit: Int = 0,
  batch: Axis = inner * nodes,
  sent: Real = 1,
  returned: Real = 1,
) {
  let once = nodes_met(nodes, top, limit) / top
  rule tokens {
    match embedding | eager_embedding
    split ids dim 0 over batch
  }
  rule pictures optional {
    match images
    split y dim 0 over batch
  }
  rule send {
    match dispatch
    after forward: all_to_all(y, dim: 0, over: nodes, share: sent * once, fullest: fullest_rank(load, nodes))
    after forward: all_to_all(y, dim: 0, over: inner, share: sent, fullest: _fullest_of_node(load, inner, nodes))
    before backward(input): all_to_all(dy, dim: 1, over: inner, share: returned, fullest: _fullest_of_node(load, inner, nodes))
    before backward(input): all_to_all(dy, dim: 1, over: nodes, share: returned * once, fullest: fullest_rank(load, nodes))
  }
  rule receive {
    match combine
    before forward: all_to_all(x, dim: 1, over: inner, share: returned, fullest: _fullest_of_node(load, inner, nodes))
    before forward: all_to_all(x, dim: 1, over: nodes, share: returned * once, fullest: fullest_rank(load, nodes))
    after backward(input): all_to_all(dx, dim: 0, over: nodes, share: sent * once, fullest: fullest_rank(load, nodes))
    after backward(input): all_to_all(dx, dim: 0, over: inner, share: sent, fullest: _fullest_of_node(load, inner, nodes))
  }
  rule experts {
    match expert_linear
    split w dim 0, a dim 0, u dim 0 over inner
    split w dim 0, a dim 0, u dim 0 over nodes
  }
  rule biases optional {
    match expert_bias
    split b dim 0 over inner
    split b dim 0 over nodes
  }
}

// Each expert split over `t` as well, columns then rows, where tokens lie split over `t` by
// sequence parallelism.
strategy expert_tensor_parallel(t: Axis) {
  rule column {
    match expert_linear as "*.up"
    before forward: all_gather(x, dim: 1, over: t)
    split w dim 1, u dim 1, y dim -1 over t
    after backward(input): reduce_scatter(dx, dim: 1, over: t)
    before backward(weight): all_gather(x, dim: 1, over: t)
  }
  rule row {
    match expert_linear as "*.down"
    split x dim -1, w dim 2, a dim 2 over t
    after forward: reduce_scatter(y, dim: 1, over: t)
    before backward(input): all_gather(dy, dim: 1, over: t)
  }
}
