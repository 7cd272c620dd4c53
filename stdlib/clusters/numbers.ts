// A machine given as four numbers, of which nothing else is known: devices on one switch, as fast in
// every number format, whose kernels take as long as their work or their bytes. What `trainspec
// replay --machine` plays on.

gpu numbered {
  bandwidth = 1 B/s
  peak = { fp32: 1 FLOP/s }
}
fn numbered_gpu(flops: WorkRate, bandwidth: Rate) -> Gpu = numbered with {
  bandwidth = bandwidth
  peak = { fp64: flops, fp32: flops, tf32: flops, bf16: flops, fp16: flops, fp8: flops, fp4: flops, int64: flops, int32: flops, int8: flops, bool8: flops }
}

// `latency`: of a message, half of it on the way to the switch.
cluster one_switch(devices: Int, kind: Gpu, link: Rate, latency: Time) {
  device gpu[devices]: kind
  switch middle[1]
  for d in 0..devices {
    link gpu[d] <-> middle[0] { bandwidth = link, latency = latency / 2 }
  }
}
