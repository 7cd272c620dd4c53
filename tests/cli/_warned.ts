// A plan that compiles with warnings: the gradients of two replicas are never exchanged, a rule matches nothing.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron

strategy stray(t: Axis) {
  rule nowhere {
    match linear as "nowhere"
    split w dim 0, b dim 0, y dim -1 over t
  }
}

plan warned(dp: Int = 2) {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 4, dp }
  apply = [tensor_parallel(tp), stray(tp)]
  batch = { micro: 1, global: 2 }
  costs = [roofline(a100_sxm_80g)]
}
