// ZeRO as DeepSpeed does it (deepspeed/runtime/zero, version 0.16). Arguments have the names and the
// defaults of its `zero_optimization`, and count elements as it does: `stage3_prefetch_bucket_size`
// is `prefetch_bucket_size` here. Stage 3 has one buffer for the gradients of all steps, which a
// plan's precision states (stage3.py: grad_partitions_flat_buffer): `free_gradients = false`.

// Stage 1. The gradients of a step are summed in all replicas: a bucket is reduced by one
// all-reduce, of which each replica uses what it owns (stage_1_and_2.py: average_tensor, as
// `use_multi_rank_bucket_allreduce` has it). Without `overlap_comm` they are summed when the last
// backward has ended, from the first parameter on (reduce_gradients). Updated parameters are
// gathered at once (runtime/utils.py: all_gather_into_tensor_dp_groups; `allgather_bucket_size` is
// not used).
strategy deepspeed_zero1(d: Axis, reduce_bucket_size: Int = 500_000_000, overlap_comm: Bool = false) {
  let beside = if overlap_comm then d else 1
  let behind = if overlap_comm then 1 else d
  rule gradients {
    match *
    after gradients: all_reduce(gradients, over: beside, bucket: reduce_bucket_size, exceed: false)
    before step: all_reduce(gradients, over: behind, bucket: reduce_bucket_size, exceed: false)
    shard(optimizer, over: d)
    after step: all_gather(parameters, over: d)
  }
}

// Stage 2: every micro-batch sums its own, and a replica frees what it does not own.
strategy deepspeed_zero2(d: Axis, reduce_bucket_size: Int = 500_000_000, overlap_comm: Bool = false) {
  rule gradients {
    match *
    after backward(weight): all_reduce(gradients, over: d, bucket: reduce_bucket_size, exceed: false, overlap: overlap_comm)
    shard(gradients, over: d)
    shard(optimizer, over: d)
    after step: all_gather(parameters, over: d)
  }
}

// Stage 3. A module's parameters are gathered together before its forward and before its backward,
// that of an embedding too; tensors of at most `param_persistence_threshold` elements stay whole,
// and are gathered after a step, one by one. The rest of the rules, `prefetch`, `live` and `reuse`,
// are in partitioned_param_coordinator.py. Not in it: an embedding that was gathered for its
// backward stays until the step, as nothing tells DeepSpeed that this backward has ended; with m
// micro-batches it is gathered m - 1 times less.
strategy deepspeed_zero3(
  d: Axis,
  prefetch_bucket_size: Int = 50_000_000,
  param_persistence_threshold: Int = 100_000,
  max_live_parameters: Int = 1_000_000_000,
  max_reuse_distance: Int = 1_000_000_000,
  reduce_bucket_size: Int = 500_000_000,
  overlap_comm: Bool = true,
) {
  rule parts {
    match *
    shard(parameters, over: d, above: param_persistence_threshold)
    shard(gradients, over: d)
    shard(optimizer, over: d)
    before forward: all_gather(
      parameters,
      over: d,
      prefetch: prefetch_bucket_size,
      live: max_live_parameters,
      reuse: max_reuse_distance,
      overlap: overlap_comm,
    )
    before backward(input): all_gather(
      parameters,
      over: d,
      prefetch: prefetch_bucket_size,
      live: max_live_parameters,
      reuse: max_reuse_distance,
      overlap: overlap_comm,
    )
    before backward(weight): all_gather(
      parameters,
      over: d,
      prefetch: prefetch_bucket_size,
      live: max_live_parameters,
      reuse: max_reuse_distance,
      overlap: overlap_comm,
    )
    after backward(weight): reduce_scatter(gradients, over: d, bucket: reduce_bucket_size, exceed: false, overlap: overlap_comm)
    after step: all_gather(parameters, over: d, exceed: false)
  }
}
