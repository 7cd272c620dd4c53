// Local SGD (Stich, arXiv 1805.09767; post-local SGD: Lin et al., arXiv 1808.07217): replicas step
// on their own and average their parameters after every `steps` of them. Goes with the schedule of
// the same name, which places that many steps.
strategy average_parameters(d: Axis, steps: Int = 1, bucket: Size = 25 MiB) {
  rule average {
    match *
    after step: all_reduce(parameters, over: d, bucket: bucket, every: steps)
  }
}
