// Attention of one layer by a library, with the machine's levels or others.
import std.models.llama, std.machines, std.precision

plan levels(library: String, change: Real = 1) {
  model = llama(layers: 1, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocab: 1000, seq: 8192)
  cluster = machine_h100.cluster(1)
  precision = mixed(bf16)
  costs = machine_costs(
    machine_h100,
    library: library,
    levels: machine_h100.costs with {
      newest = change * machine_h100.costs.newest
      flash3 = change * machine_h100.costs.flash3
      attention = change * machine_h100.costs.attention
      older = change * machine_h100.costs.older
    },
  )
}
