language 1
import std.gpus.nvidia
cluster one() { device gpu[1]: h100_sxm }
plan operators {
  model = graph("_operators.json")
  cluster = one()
  costs = [roofline(h100_sxm)]
}
