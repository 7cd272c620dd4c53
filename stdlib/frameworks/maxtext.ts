// MaxText and PaxML: JAX on TPUs. The compiler (XLA) schedules the whole step: no host, collectives
// beside work that does not need them.
import std.frameworks.profile

let maxtext = {
  gradients: bf16,
  accumulate: 0 B,
  bucket: 25 MiB,
  overlap: true,
  gather: "hidden",
  tensor: "stream",
  keep: false,
  attention: "cudnn",
  arithmetic: { gemm: bf16 },
  loss: "fused",
  host: { launch: 0 us, collective: 0 us, message: 0 us, item: 0 us, step: 1 ms },
  graphs: false,
  waits: 0,
  choices: as_profile,
  sharding: "fsdp",
}
