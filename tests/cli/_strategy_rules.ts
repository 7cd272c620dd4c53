// Rules of a strategy of the standard library, changed from the plan.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.schedules.single

// Gradients of norms are not averaged in buckets with the rest, but at once.
let changed = data_parallel(dp) with {
  rule norms {
    match layernorm
    after gradients: all_reduce(gradients, over: d)
  }
  rule gradients {
    match linear | embedding | position_embedding
    after gradients: all_reduce(gradients, over: d, bucket: 100 MiB)
  }
}

plan as_it_is {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [data_parallel(dp)]
  schedule = accumulate(m: 2)
  costs = [roofline(a100_sxm_80g)]
}

plan with_rules {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [changed]
  schedule = accumulate(m: 2)
  costs = [roofline(a100_sxm_80g)]
}

plan without_rules {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [changed with { remove norms }]
  schedule = accumulate(m: 2)
  costs = [roofline(a100_sxm_80g)]
}
