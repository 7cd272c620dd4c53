// MaxText and PaxML: JAX on TPUs. The compiler (XLA) schedules the whole step: no host, collectives
// beside work that does not need them.
import std.frameworks.profile

let maxtext: Framework = {
  name: "MaxText",
  gradients: bf16,
  tensor: "stream",
  attention: "cudnn",
  arithmetic: { gemm: bf16 },
  loss: "fused",
  host: { launch: 0 us, collective: 0 us, message: 0 us, item: 0 us, step: 1 ms },
  sharding: "fsdp",
}
