// No pipeline: one stage that runs each micro-batch forward and backward, accumulating gradients.
schedule accumulate(m: Int) {
  stages 1
  at 0 {
    for i in 0..m { F(i) B(i) }
  }
}
