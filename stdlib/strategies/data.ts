// Data parallelism. Gradients are summed over the replicas once a step, in buckets that are filled
// in the order of the backward (PyTorch DDP, Li et al., arXiv 2006.15704); with `overlap` a bucket
// leaves as soon as the last micro-batch's backward has completed it. The other micro-batches only
// accumulate. Of a parameter that is itself split over a part of `d` (experts) only the replicas
// along the rest are summed. A `bucket` without a unit counts elements. `parted`: of so many repeats
// of the model, from the first on; what later ones hold leaves in one bucket (Megatron-LM, which has
// buckets on the first stage of a pipeline alone: later ones' sums are not on the critical path).
// `first_of`: of the first of so many stages, which share the repeats evenly.
// Weights of ops of the kind `of` have their replicas along `wider`. `first`: of the first bucket of
// a step; DistributedDataParallel has 1 MiB.
let _all = 1 TiB // a bucket that nothing fills
let _every = 1_000_000_000 // repeats: more than any model has

fn _early(unit: Int, repeats: Int, parted: Int, first_of: Int) -> Bool = unit < parted and (first_of == 1 or unit * first_of < repeats)

strategy data_parallel(
  d: Axis,
  bucket: Any = 25 MiB,
  overlap: Bool = true,
  parted: Int = _every,
  first_of: Int = 1,
  wider: Any = 1,
  of: String = "",
  first: Any = 0 B,
) {
  rule gradients optional {
    match * where _early(unit, repeats, parted, first_of)
    after gradients: all_reduce(gradients, over: if kind == of then wider else d, bucket: bucket, first: first, overlap: overlap)
  }
  rule together optional {
    match * where not _early(unit, repeats, parted, first_of)
    after gradients: all_reduce(gradients, over: if kind == of then wider else d, bucket: _all, overlap: overlap)
  }
}

// The three stages of ZeRO (Rajbhandari et al., arXiv 1910.02054). Stage 1: each replica keeps and
// updates 1/d of the optimizer state. Gradients are reduce-scattered to their owner, updated
// parameters gathered from it. Megatron calls it the distributed optimizer. `beside`: they are
// gathered beside the next step's forward, a bucket early (--overlap-param-gather); a step then
// begins with the gathers that the one before it left. `parted`: as above, of gathers, too.
// `updated`: the bucket of what is gathered after the update.
strategy zero1(
  d: Axis,
  bucket: Any = 25 MiB,
  overlap: Bool = true,
  beside: Bool = false,
  parted: Int = _every,
  first_of: Int = 1,
  updated: Any = _all,
  wider: Any = 1,
  of: String = "",
) {
  rule gradients optional {
    match * where _early(unit, repeats, parted, first_of)
    after gradients: reduce_scatter(gradients, over: if kind == of then wider else d, bucket: bucket, overlap: overlap)
    shard(optimizer, over: if kind == of then wider else d)
    before forward: all_gather(parameters, over: if not beside then 1 else if kind == of then wider else d, bucket: bucket, ahead: 1)
    after step: all_gather(parameters, over: if beside then 1 else if kind == of then wider else d, bucket: updated)
  }
  rule together optional {
    match * where not _early(unit, repeats, parted, first_of)
    after gradients: reduce_scatter(gradients, over: if kind == of then wider else d, bucket: _all, overlap: overlap)
    shard(optimizer, over: if kind == of then wider else d)
    before forward: all_gather(parameters, over: if not beside then 1 else if kind == of then wider else d, bucket: _all, ahead: 1)
    after step: all_gather(parameters, over: if beside then 1 else if kind == of then wider else d)
  }
}

// Stage 2: gradients too are kept in parts, so every micro-batch scatters its own. `whole`: they are
// summed in all replicas by an all-reduce in buckets, of which each then keeps its part.
strategy zero2(d: Axis, bucket: Size = 25 MiB, overlap: Bool = true, whole: Bool = false) {
  let scattered = if whole then 1 else d
  let summed = if whole then d else 1
  rule gradients {
    match *
    after backward(weight): reduce_scatter(gradients, over: scattered, bucket: bucket, overlap: overlap)
    after backward(weight): all_reduce(gradients, over: summed, bucket: bucket, overlap: overlap)
    shard(gradients, over: d)
    shard(optimizer, over: d)
    after step: all_gather(parameters, over: d)
  }
}

// Stage 3, as PyTorch's FSDP2 does it (Zhao et al., arXiv 2304.11277): parameters too are kept in
// parts. What one of `units` holds, each repeat of the model whatever its name, is gathered together
// before its forward, `prefetch` units early,
// and dropped after it; gathered again before its backward, unless `reshard` is false: then it
// stays, in a pipeline from the first forward of a step to its last backward, one copy for all
// micro-batches; and its gradients are scattered as soon as they are there. `keep_last`: the last
// repeat stays too, as its backward comes at once. What lies outside of all units is the root's:
// gathered before the first op, held until the backward's end, where its gradients are scattered
// (torch/distributed/fsdp: the root is not resharded after its forward, and its gradients leave in
// the final callback). `copied`: through buffers, as FSDP2 does it. Without `overlap` nothing goes on meanwhile, and nothing is gathered early.
strategy fsdp(
  d: Axis,
  units: Any = "*[*]",
  prefetch: Int = 1,
  reshard: Bool = true,
  overlap: Bool = true,
  keep_last: Bool = false,
  copied: Bool = false,
) {
  let again = if reshard then d else 1
  let early = if overlap then prefetch else 0
  rule parts {
    match *
    shard(parameters, over: d)
    shard(gradients, over: d)
    shard(optimizer, over: d)
  }
  rule units optional {
    match * where within(label, units)
    before forward: all_gather(parameters, over: d, group: units, ahead: early, overlap: overlap, copied: copied)
    after backward(weight): reduce_scatter(gradients, over: d, group: units, overlap: overlap, copied: copied)
  }
  rule again optional {
    match * where within(label, units) and not (keep_last and unit == repeats - 1)
    before backward(input): all_gather(parameters, over: again, group: units, ahead: early, overlap: overlap, copied: copied)
  }
  rule root optional {
    match * where not within(label, units)
    before forward: all_gather(parameters, over: d, group: units, overlap: overlap, copied: copied)
    after backward(weight): reduce_scatter(gradients, over: d, bucket: _all, overlap: overlap, copied: copied)
  }
}

// The same under a pipeline, as torchtitan and torch.distributed.pipelining do it: parameters stay
// gathered from the first forward of a step to its last backward, and gradients are summed over the
// micro-batches whole, before they are scattered at the last one.
strategy fsdp_in_pipeline(d: Axis, units: Any = "*[*]", prefetch: Int = 1, bucket: Size = 25 MiB, copied: Bool = false) {
  rule units {
    match *
    shard(parameters, over: d)
    shard(optimizer, over: d)
    before forward: all_gather(parameters, over: d, group: units, ahead: prefetch, copied: copied)
    after gradients: reduce_scatter(gradients, over: d, bucket: bucket, copied: copied)
  }
}

// The same a parameter tensor at a time, as DeepSpeed's stage 3 does without prefetching.
strategy zero3(d: Axis, prefetch: Int = 0, overlap: Bool = true) {
  rule each {
    match *
    shard(parameters, over: d)
    shard(gradients, over: d)
    shard(optimizer, over: d)
    before forward: all_gather(parameters, over: d, ahead: if overlap then prefetch else 0, overlap: overlap)
    before backward(input): all_gather(parameters, over: d, ahead: if overlap then prefetch else 0, overlap: overlap)
    after backward(weight): reduce_scatter(gradients, over: d, overlap: overlap)
  }
}

// Sharded over `s`, inside of a node say, and replicated over `r`: what a rank holds of the
// gradients is summed over the replicas on the last micro-batch.
strategy hsdp(
  s: Axis,
  r: Axis,
  units: Any = "*[*]",
  prefetch: Int = 1,
  reshard: Bool = true,
  overlap: Bool = true,
  keep_last: Bool = false,
  copied: Bool = false,
) {
  let again = if reshard then s else 1
  let early = if overlap then prefetch else 0
  rule parts {
    match *
    shard(parameters, over: s)
    shard(gradients, over: s)
    shard(optimizer, over: s)
  }
  rule units optional {
    match * where within(label, units)
    before forward: all_gather(parameters, over: s, group: units, ahead: early, overlap: overlap, copied: copied)
    after backward(weight): reduce_scatter(gradients, over: s, group: units, overlap: overlap, copied: copied)
    after gradients: all_reduce(gradients, over: r, group: units, overlap: overlap)
  }
  rule again optional {
    match * where within(label, units) and not (keep_last and unit == repeats - 1)
    before backward(input): all_gather(parameters, over: again, group: units, ahead: early, overlap: overlap, copied: copied)
  }
  rule root optional {
    match * where not within(label, units)
    before forward: all_gather(parameters, over: s, group: units, overlap: overlap, copied: copied)
    after backward(weight): reduce_scatter(gradients, over: s, bucket: _all, overlap: overlap, copied: copied)
    after gradients: all_reduce(gradients, over: r, bucket: _all, overlap: overlap)
  }
}

// PyTorch's DataParallel: one process with a thread for each device of `d`. Before each forward
// device 0 sends the others their part of the batch and copies its parameters to all; the outputs
// come to it for the loss, and their gradients go back; after the whole backward gradients are
// summed on it, in buffers of 10 MiB (torch/nn/parallel: scatter, replicate and
// comm.broadcast_coalesced, gather, reduce_add_coalesced). Nothing goes on meanwhile. What device 0
// sends to or takes from each of the others passes its own port, d - 1 parts in all: it is played as
// a broadcast of that much. The optimizer of device 0 steps; others wait as long. Inputs are those
// of `images` and `embedding`, outputs those of `cross_entropy`: `with` adds rules for other ops.
// Not in it: the state of the optimizer that devices but the first do not hold, the loss of the whole
// batch on device 0, and Python's lock.
strategy torch_data_parallel(d: Axis, bucket: Any = 10 MiB) {
  let others = if d > 65 then refuse(
    "DataParallel is one process, whose device 0 serves at most 64 others: over more, and over nodes, take `data_parallel` (DistributedDataParallel)",
  ) else max(d - 1, 1)
  rule copies {
    match *
    before forward: broadcast(parameters, over: d, bucket: bucket, overlap: false)
    after backward(weight): reduce(gradients, over: d, bucket: bucket, overlap: false)
  }
  rule pictures optional {
    match images
    after forward: broadcast(y, over: d, share: others, overlap: false)
  }
  rule words optional {
    match embedding
    before forward: broadcast(ids, over: d, share: others, overlap: false)
  }
  rule outputs optional {
    match cross_entropy
    before forward: broadcast(x, over: d, share: others, overlap: false)
    after backward(input): broadcast(dx, over: d, share: others, overlap: false)
  }
}

// Beside a data_parallel: the first replica's running statistics of batch norms, as many as their
// weights, go to the others once a step (DistributedDataParallel's `broadcast_buffers`). The norms'
// counters, 8 B each in a call of their own, are left out.
strategy norm_buffers(d: Axis) {
  rule statistics {
    match batch_norm
    after step: broadcast(parameters, over: d, overlap: false)
  }
}
