// Local SGD (Stich, arXiv 1805.09767): a worker takes `steps` steps on its own, each over m
// micro-batches, before parameters are averaged. What is averaged, and how, is a strategy's
// business: std.strategies.local_sgd. With one step it is gradient accumulation.
schedule local_sgd(m: Int, steps: Int = 1) {
  stages 1
  at 0 {
    for k in 0..steps {
      for i in 0..m { F(next) B(next) }
      S
    }
  }
}
