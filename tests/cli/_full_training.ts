// Long training in `format` with the costs that std has for the machine.
import std.models.gpt, std.machines, std.costs.sources, std.precision, std.optimizers.adam

plan long(machine: Record = machine_h100, format: DType = fp32, of: List = machine_costs(machine), layers: Int = 2) {
  model = gpt(layers: layers, hidden: 4096, heads: 32, vocab: 51200, seq: 2048)
  cluster = machine.cluster(1)
  batch = { micro: 2 }
  tokens = 2048
  precision = if format == fp32 then full_precision() else mixed(format)
  optimizer = adam()
  costs = of
}
