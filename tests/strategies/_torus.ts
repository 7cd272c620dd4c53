// One layer of Llama on 16 chips of a TPU pod, whose sequences are split.
import std.models.llama, std.machines, std.strategies.context, std.precision

plan torus(how: Overlap = ring, machine: Machine = machine_v5p) {
  model = llama(layers: 1, hidden: 4096, heads: 32, kv_heads: 32, ffn: 11008, vocab: 32000, seq: 32768)
  cluster = machine.cluster(16)
  mesh = { cp: 16 }
  apply = [context_parallel(cp, overlap: how)]
  batch = { micro: 16 }
  precision = mixed(bf16)
  costs = machine_costs(machine)
  network = machine.network
}
