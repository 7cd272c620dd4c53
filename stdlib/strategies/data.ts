// Data parallelism. Gradients are summed over the replicas once a step, in buckets that are filled in the order of the backward (PyTorch DDP,
// Li et al., arXiv 2006.15704); with `overlap` a bucket leaves as soon as the last micro-batch's backward has completed it.
strategy data_parallel(d: Axis, bucket: Size = 25 MiB, overlap: Bool = true) {
  rule gradients {
    match *
    after gradients: all_reduce(gradients) over d bucket bucket overlap overlap
  }
}

// ZeRO stage 1 (Rajbhandari et al., arXiv 1910.02054): each replica keeps and updates 1/d of the optimizer state. Gradients are
// reduce-scattered to their owner, updated parameters gathered from it.
strategy zero1(d: Axis, bucket: Size = 25 MiB, overlap: Bool = true) {
  rule gradients {
    match *
    after gradients: reduce_scatter(gradients) over d bucket bucket overlap overlap
    shard optimizer over d
    after step: all_gather(parameters) over d
  }
}
