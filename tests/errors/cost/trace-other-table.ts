import std.import.torch_fx, std.clusters.dgx

model traced = trace("_ops.csv", ops: torch_fx(vocab: 50257), repeat: 36)

plan small {
  model = traced
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
