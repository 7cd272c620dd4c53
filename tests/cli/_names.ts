import std.models.gpt, std.clusters.dgx, std.gpus.nvidia

plan named(m: Int = 4, more: Int = 1, dp: Int = 8) {
  model = gpt(layers: 1, hidden: 64, heads: 2, vocab: 64, seq: 64)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  tokens = 64 * m * more
  costs = [roofline(h100_sxm)]
}

fn max(a: Int, b: Int) -> Int = a - b

search own_function of named {
  vary m in 1..2000
  vary more in 1..2000
  require max(m, more) == 3, "three apart"
  require more == 4, "four"
}

search own_figure of named {
  let devices = 3
  vary m in [1, 2]
  require devices == 3, "mine"
}

search given of named {
  vary m in 1..2000
  vary more in 1..2000
  set dp = 2 * m
  require dp == 8 and m * more == 3, "given"
}

search excluding of named {
  let zero = 0
  vary m in 1..2000
  vary more in 1..2000
  require (zero == 0 or 12 / zero == m) and more > 50, "large"
  require more == 3, "three"
}
