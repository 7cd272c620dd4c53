op old(x: Tensor) {
  param w: [last(x.shape)]
  output y: x.shape
  part k: [last(x.shape)] of x
  forward { flops = numel(x) }
}

schedule stated(p: Axis, m: Int) {
  stages p by cost
  chunks 2 place f
  rules none
  at s in 0..p { for i in 0..m { F(i) } overlap F(1) with B(0) B(1) }
  depend late: F(i) at s on F(i) at s - 1 by 1 MiB where s > 0
  match pairs: F(i) at s with B(i) at s
  slow F(i) at s by 6
}

rules extra {
  match F(i) at s with B(i) at s
  depend F(i) at s on any 1 of F(i - 1) at v for v in [s] by 1 B
}

schedule dynamic(p: Axis, m: Int) {
  stages p
  policy m at r in 0..p {
    prefer B(i, c) by i, F by 2
  }
  policy m {
    place F(i) at 2 * i, I(i) at 2 * i + 1
  }
}

plan mine {
  place = f
  rules = [extra]
  apply = sums() with {
    rule r {
      match *
      after backward(param): all_reduce(dw)
    }
  }
}
