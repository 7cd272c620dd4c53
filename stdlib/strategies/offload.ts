// Memory of the host instead of the device's, over PCIe: `link` is the rate each way.

// Inputs of the model lie in a memory elsewhere, and are read by each rank for each micro-batch:
// `ahead` ops before the op that needs them, the first as its micro-batch begins (TrioSim: Li et al.,
// ISCA 2025, section 4.3; its region "Remote" has 696 GB/s, the memory of an A40, as usual).
strategy remote_inputs(link: Rate = 696 GB/s, ahead: Int = 1) {
  rule inputs {
    match *
    offload(inputs, at: link, ahead: ahead)
  }
}

// What the forward keeps leaves when it has been used, and comes back `ahead` layers before its
// backward (Ren et al., arXiv 2101.06840, section 5; SSDTrain, arXiv 2408.10013). `first`: of so many
// layers alone, whose activations stay longest (Megatron-LM and Transformer Engine,
// `cpu_offloading_num_layers`); 0: of all.
strategy offload_activations(ops: Label = "*[*]", link: Rate = 50 GB/s, ahead: Int = 1, first: Int = 0) {
  let layers = if first < 0 then refuse("`first` counts layers") else first
  rule kept {
    match * as ops where layers == 0 or unit < layers
    offload(activations, at: link, group: ops, ahead: ahead)
  }
}

// Optimizer state and master weights stay on the host; for the update they come in pieces and go
// back.
strategy offload_optimizer(link: Rate = 50 GB/s, piece: Size = 256 MiB) {
  rule state {
    match *
    offload(optimizer, at: link, bucket: piece)
  }
}

// The host updates as well: gradients go to it in pieces, its processors run the optimizer at the
// rate of its memory, `memory` of which is one device's share, and the weights come back
// (ZeRO-Offload: Ren et al., arXiv 2101.06840, section 4).
strategy update_on_host(link: Rate = 50 GB/s, memory: Rate = 50 GB/s, piece: Size = 256 MiB) {
  rule state {
    match *
    offload(optimizer, at: link, bucket: piece, updates: memory)
  }
}
