// Context parallelism: every rank has a part of each sequence through the whole model, and only
// attention needs the rest of it. Weights are the same on all: their gradients are summed over the
// axis too, `data_parallel(d * c)`.
//
// With a causal mask later tokens have more to do. `balanced`: each rank has a part from the front
// and its mirror image from the back, so all have as much (zigzag; Llama 3, arXiv 2407.21783,
// section 3.3.2); otherwise the last rank has (2 c - 1) / c of the mean, and the others wait for
// it.

fn _is_ring(overlap: Overlap, word: Overlap = ring) -> Bool = overlap == word

// Attention over a window has no ring: Transformer Engine refuses sliding windows where keys and
// values go from rank to rank (`cp_comm_type` p2p), and gathers them.
fn _beside(overlap: Overlap, window: Int) -> Overlap = if window > 0 and _is_ring(overlap) then false else overlap

// The scores of the last of `c` ranks, over the mean: those of a sequence that nobody balances. With
// a window each of its queries sees `window` keys.
fn _last_rank(c: Int, words: Int, window: Int) -> Real = if window == 0 then (2 * c - 1) / real(c)
  else min((2 * c - 1) / real(c), 2 * words / real(2 * words - min(window, words)))

// Keys and values go around a ring while attention works on those that are there (Liu et al., arXiv
// 2310.01889): c - 1 shifts forward; in the backward they go around again and their gradients with
// them. `overlap: true`: they are gathered before and scattered after, and held whole meanwhile.
// On a torus a shift goes by one of a chip's links and a gathering by all, so the ring may be the
// slower one, hidden or not: 16.38 against 8.83 s in MaxText on 64 TPU v5p, Llama 2 7B (MaxText's
// pull request 4687). A ring is not split to go both ways.
strategy context_parallel(c: Axis, overlap: Overlap = ring, balanced: Bool = true) {
  rule tokens optional {
    match embedding | eager_embedding
    split ids dim 1 over c
  }
  rule packed optional {
    match attention
    before forward: all_gather(kv, dim: 1, over: c, overlap: _beside(overlap, window))
    before backward(input): all_gather(kv, dim: 1, over: c, overlap: _beside(overlap, window))
    after backward(input): reduce_scatter(dkv, dim: 1, over: c, overlap: _beside(overlap, window))
    set load = if balanced or not causal then 1 else _last_rank(c.size, qkv.shape[1], window)
  }
  rule apart optional {
    match query_attention
    before forward: all_gather(kv, dim: 1, over: c, overlap: overlap)
    before backward(input): all_gather(kv, dim: 1, over: c, overlap: overlap)
    after backward(input): reduce_scatter(dkv, dim: 1, over: c, overlap: overlap)
    set load = if balanced or not causal then 1 else (2 * c - 1) / real(c)
  }
  rule class optional { // what begins with pictures
    match class_token
    split y dim 1 over c
    after backward(input): all_reduce(dx, over: c)
  }
  rule one optional { // a single word is on one rank; all go on with it
    match first_token
    before forward: all_gather(x, dim: 1, over: c)
  }
}

// Bytes of queries, keys and values when each of `ranks` has a head of keys and values, over those
// without copies.
fn _with_copies(heads: Int, kv_heads: Int, ranks: Int) -> Real = real(heads + 2 * max(kv_heads, ranks)) / (heads + 2 * kv_heads)

// Ulysses (Jacobs et al., arXiv 2309.14509): sequences are split outside of attention and heads
// inside; all-to-all takes one to the other and back. Where there are fewer heads of keys and
// values than ranks, copies of them travel, so that each rank has one. `overlap`: work that does not
// need what travels goes on.
strategy ulysses(c: Axis, overlap: Overlap = true) {
  rule tokens optional {
    match embedding | eager_embedding
    split ids dim 1 over c
  }
  rule heads optional {
    match attention
    before forward: all_to_all(qkv, dim: -1, over: c, overlap: overlap, share: _with_copies(heads, kv_heads, c))
    set kv_heads = max(kv_heads, c.size)
    split heads, kv_heads over c
    after forward: all_to_all(y, dim: 1, over: c, overlap: overlap)
    before backward(input): all_to_all(dy, dim: -1, over: c, overlap: overlap)
    after backward(input): all_to_all(dqkv, dim: 1, over: c, overlap: overlap, share: _with_copies(heads, kv_heads, c))
  }
  rule apart optional {
    match query_attention
    before forward: all_to_all(q, dim: -1, over: c, overlap: overlap)
    before forward: all_to_all(kv, dim: -1, over: c, overlap: overlap)
    after forward: all_to_all(y, dim: 1, over: c, overlap: overlap)
    before backward(input): all_to_all(dy, dim: -1, over: c, overlap: overlap)
    after backward(input): all_to_all(dq, dim: 1, over: c, overlap: overlap)
    after backward(input): all_to_all(dkv, dim: 1, over: c, overlap: overlap)
  }
  rule class optional {
    match class_token
    split y dim 1 over c
    after backward(input): all_reduce(dx, over: c)
  }
  rule one optional {
    match first_token
    before forward: all_gather(x, dim: 1, over: c)
  }
}
