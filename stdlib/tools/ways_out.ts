// Changes that may make a plan fit in memory. Where a device's memory does not suffice, `tsrun`
// tries each of them, plays the changed plan, and lists those that fit, fastest first.
//
//   set: FIELD, to: TEXT      the plan's field of this name becomes TEXT
//   call: NAME, by: TEXT      a call of NAME in the plan calls TEXT instead, with the same arguments
//   add: TEXT, to: FIELD      TEXT joins the list of this field
//   halve: NAME               an argument or a field of a record of this name that is a whole number becomes half of it
//   trade: "mesh"             one axis of the mesh doubles and another becomes half: for each two of them
//
// `where`: only where the plan's framework has this value in that field, or in its list; a plan
// without a framework has all. So nothing is offered that no run under the profile validated, and
// `trainspec init`, which searches the same, is not beaten by it.
// `from` is the module that has what TEXT names. LABEL stands for each label that holds activations
// at the peak, and for its scope. `keep: n`: only the first n arguments of the call stay.
let ways_out = [
  { set: "recompute", to: "selective(LABEL)", from: "std.strategies.recompute" },
  { set: "recompute", to: "full(every: 2)", from: "std.strategies.recompute" },
  { set: "recompute", to: "full()", from: "std.strategies.recompute" },
  { call: "data_parallel", by: "zero1", from: "std.strategies.data", where: { shards: "zero1" } },
  { call: "data_parallel", by: "zero2", from: "std.strategies.data", where: { shards: "zero2" } },
  { call: "data_parallel", by: "fsdp", from: "std.strategies.data", keep: 1, where: { shards: "fsdp" } },
  { call: "zero1", by: "zero2", from: "std.strategies.data", where: { shards: "zero2" } },
  { call: "zero1", by: "fsdp", from: "std.strategies.data", keep: 1, where: { shards: "fsdp" } },
  { call: "zero2", by: "fsdp", from: "std.strategies.data", keep: 1, where: { shards: "fsdp" } },
  { halve: "micro" },
  { halve: "v" },
  { trade: "mesh" },
  { add: "offload_optimizer()", to: "apply", from: "std.strategies.offload" },
  { add: "offload_activations()", to: "apply", from: "std.strategies.offload" },
]
