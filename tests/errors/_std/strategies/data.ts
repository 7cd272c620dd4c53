strategy data_parallel(d: Axis, bucket: Size = 25 MiB, overlap: Bool = true) {
  rule gradients {
    match *
    after gradients: all_reduce(gradients, over: d, bucket: bucket, overlap: overlap)
  }
}
