// Rules of the standard library's strategies added, replaced and removed from the plan.
import std.models.llama, std.clusters.dgx, std.precision, std.strategies.megatron, std.strategies.data

plan changed(tp: Int = 2, dp: Int = 2) {
  model = llama(layers: 2, hidden: 256, heads: 4, kv_heads: 4, ffn: 512, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp }
  apply = [
    tensor_sequence_parallel(tp) with {
      rule loss { // the logits are gathered before it, instead of its sums reduced
        match cross_entropy
        before forward: all_gather(x, dim: -1, over: t)
      }
      rule replicated { // each norm by itself, while the backward goes on
        match rmsnorm
        after gradients: all_reduce(gradients, over: tp)
      }
    },
    data_parallel(dp) with {
      remove gradients
      rule halves {
        match *
        after gradients: all_reduce(gradients, over: d, bucket: bucket, share: 0.5)
      }
    },
  ]
  batch = { micro: 1 }
  precision = mixed(bf16)
  costs = [roofline(h100_sxm)]
}
