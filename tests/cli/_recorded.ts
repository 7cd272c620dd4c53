// A small job whose recordings `trainspec compare` is tried with.
import std.models.llama, std.clusters.dgx, std.machines, std.precision, std.strategies.data, std.strategies.megatron,
  std.schedules.one_f_one_b

plan recorded(
  nic: Rate = 400 Gb/s,
  attention: String = "flash3",
  overlap: Bool = true,
  seq: Int = 4096,
  launch: Time = 2 us,
  pp: Int = 1,
  tp: Int = 1,
  dp: Int = 16 / (pp * tp),
) {
  model = llama(layers: 8, hidden: 4096, heads: 32, kv_heads: 8, ffn: 8192, vocab: 32000, seq: seq)
  cluster = nvswitch_nodes(2, kind: h100_sxm, nvlink: 450 GB/s, nic: nic)
  mesh = { tp, dp, pp }
  apply = [
    if tp == 1 then none else tensor_sequence_parallel(tp),
    if dp == 1 then none else fsdp(dp, overlap: overlap),
  ]
  schedule = one_f_one_b(pp, m: 4)
  batch = { micro: 1 }
  precision = mixed(bf16)
  costs = machine_costs(machine_h100, "bf16", attention)
  host = { launch: launch }
}
