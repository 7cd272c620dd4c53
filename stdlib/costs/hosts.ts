// What the host thread of a rank spends: `launch` for a kernel, `collective` and `message` for a
// communication, `item` for a micro-batch's forward or backward of a stage, `step` once a step.

// PyTorch run eagerly: Python, the dispatcher, autograd and the launch itself. On the H100 host of
// NeuSight's tables (std.import.torch_fx) a timed operator that launches nothing takes 6.5 to 7.5
// us between its events, one with a tiny kernel 12 us; a kernel so costs its thread about 6 us. A
// view costs 2 us and is not counted. A collective also passes the process group's bookkeeping.
let eager_torch: Host = { launch: 6 us, collective: 20 us, message: 20 us, item: 0 us, step: 50 us }

// Megatron-LM with CUDA_DEVICE_MAX_CONNECTIONS=1: fused kernels, collectives issued without
// waiting.
let megatron_host: Host = { launch: 6 us, collective: 12 us, message: 15 us, item: 100 us, step: 1 ms }

// A step whose kernels are captured in CUDA graphs: the host starts graphs, not kernels. Estimated.
let graph_host: Host = { launch: 0.5 us, collective: 2 us, message: 5 us, item: 50 us, step: 1 ms }

// nanotron on H100 hosts: eager, autograd hooks that accumulate gradients in fp32, a queue of
// shapes before every pipeline message, for which the host waits.
fn eager_host(launch: Time = 25 us, collective: Time = 100 us, message: Time = 500 us) -> Host = {
  launch: launch,
  collective: collective,
  message: message,
  item: 0 us,
  step: 1 ms,
  sync: true,
}
