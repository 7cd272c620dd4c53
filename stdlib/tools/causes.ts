// Causes of a step that takes another time, or other memory, than its plan says, for `trainspec compare`. Each
// is played, and those that come near what was measured are listed, likeliest first.
//
//   name: what happened; rows of one name are degrees of one cause
//   tell: the one measurement that tells it from others
//   odds: how often practice meets it where it plays a part; 1: as others
//   what_if: a change of the play, as after `--what-if`; DEVICE: one device of the plan
//   adds: a share of the step that is spent outside of it; holds: memory over that of the plan
//   levels: of which each stands for LEVEL in `what_if`, `adds` and `holds`; all between them count, too
//   needs: a family of kernels, or a label of memory, without which it is no cause
//   casts: bytes of the host's memory for a byte of gradients, moved in the backward, at LEVEL GB/s
//   full: the share of a device's memory that must be in use, measured or predicted
//   wrap: TYPE, with: FIELDS    records of this type that the plan names have other fields
//   turn: "parameters"          a Bool of the plan's parameters is the other one; a String is another text that
//                               the plan compares it with
// and the changes of std.tools.ways_out. What moves nothing of a plan is no cause for it. Odds are judgement, from
// threads of the trackers of DeepSpeed, Megatron-LM, torchtitan, MaxText, GPT-NeoX, InternLM, OLMo, fms-fsdp, llm-foundry,
// LLaMA-Factory, ms-swift, ModernBERT and marin. Sockets: Ethernet of 10 to 100 Gb/s a node where eight NICs have 200 or 400 each.

fn without(level: Any = none) = none // in the place of what a plan calls

let causes = [
  // The plan is of another job.
  {
    name: "a setting of the run is not as in the plan",
    turn: "parameters",
    odds: 2,
    tell: "the launch line and the configuration that the run printed",
  },
  {
    name: "all activations are recomputed",
    add: "framework_recompute(\"full\")",
    to: "apply",
    from: "std.frameworks.profile",
    tell: "memory: it falls with the longer backward; the setting of activation checkpointing",
  },
  {
    name: "a part of the activations is recomputed",
    add: "framework_recompute(\"ops\")",
    to: "apply",
    from: "std.frameworks.profile",
    odds: 0.5,
    tell: "memory: it falls with the longer backward; the setting of activation checkpointing",
  },
  {
    name: "activations are not recomputed",
    call: "framework_recompute",
    by: "without",
    from: "std.tools.causes",
    tell: "memory: it rises; the setting of activation checkpointing",
  },
  {
    name: "activations are not recomputed",
    call: "full",
    by: "without",
    from: "std.tools.causes",
    keep: 0,
    tell: "memory: it rises; the setting of activation checkpointing",
  },
  {
    name: "another micro-batch",
    halve: "micro",
    odds: 0.4,
    tell: "tokens of a step, which the log states",
  },
  {
    name: "gradients are kept and summed in fp32",
    wrap: "Framework",
    with: "gradients = fp32",
    odds: 0.5,
    tell: "memory of gradients; the type of reductions in a profile (ncclFloat32)",
  },

  // Links.
  {
    name: "GPUs of a node talk over PCIe, not NVLink",
    what_if: "tier0.bandwidth=LEVEL GB/s",
    levels: [25, 12, 5],
    tell: "nvidia-smi topo -m, and all_reduce_perf on one node",
  },
  {
    name: "network interfaces at half their rate, or fewer than there are",
    what_if: "nic.bandwidth/LEVEL",
    levels: [1.5, 2, 4],
    odds: 1.2,
    tell: "all_reduce_perf on two nodes; NCCL_DEBUG=INFO names the interfaces",
  },
  {
    name: "sockets in the place of RDMA (TCP fallback, no GPUDirect)",
    what_if: "nic.bandwidth/LEVEL,network.latency*5",
    levels: [5, 20, 80, 300],
    odds: 2,
    tell: "NCCL_DEBUG=INFO: `via NET/Socket` rather than `NET/IB` or the plugin's name",
  },
  {
    name: "many small messages: their latency counts, not their bytes",
    what_if: "network.latency*LEVEL",
    levels: [4, 10, 30],
    odds: 0.7,
    tell: "a profile: calls of some microseconds in long rows",
  },

  // Communication that a plan hides.
  {
    name: "gathers of sharded parameters weigh: for each micro-batch, tensor by tensor, over the whole mesh",
    needs: "gathered parameters",
    what_if: "all_gather.speed/LEVEL,reduce_scatter.speed/LEVEL",
    levels: [2, 6, 20],
    odds: 2.5,
    tell: "one run with HSDP or without resharding (SHARD_GRAD_OP, ZeRO-2), or with a larger micro-batch",
  },
  {
    name: "gathers of sharded parameters weigh: for each micro-batch, tensor by tensor, over the whole mesh",
    needs: "gathered parameters",
    call: "fsdp_in_pipeline",
    by: "fsdp",
    from: "std.strategies.data",
    keep: 1,
    what_if: "all_gather.speed/LEVEL,reduce_scatter.speed/LEVEL",
    levels: [1, 4, 16],
    odds: 2.5,
    tell: "one run with HSDP or without resharding (SHARD_GRAD_OP, ZeRO-2), or with a larger micro-batch",
  },
  {
    name: "gradients are summed for each micro-batch, or in many small buckets",
    what_if: "all_reduce.speed/LEVEL",
    levels: [4, 16, 64],
    odds: 0.8,
    tell: "a profile: sums in each backward rather than in the last (no_sync)",
  },
  {
    name: "collectives of replicas do not overlap with the backward",
    wrap: "Framework",
    with: "overlap = false",
    odds: 1.2,
    tell: "a profile: the compute stream waits for the last bucket (CUDA_DEVICE_MAX_CONNECTIONS, overlap_comm)",
  },
  {
    name: "collectives of tensor parallelism do not overlap with products",
    wrap: "Framework",
    with: "tensor = \"none\"",
    odds: 1.5,
    tell: "a profile: gathers before each product; the setting of tp_comm_overlap or of async TP",
  },
  {
    name: "keys and values of other ranks do not overlap with attention",
    wrap: "Framework",
    with: "context = \"none\"",
    odds: 0.8,
    tell: "a profile: attention waits for sends",
  },
  {
    name: "sends between stages wait for the host",
    wrap: "Framework",
    with: "messages = false",
    odds: 0.6,
    tell: "a profile: gaps at sends and receives (batch_p2p, overlap_p2p)",
  },

  // Experts.
  {
    name: "tokens are skewed: the busiest experts have more than their share",
    what_if: "grouped_gemm.speed/LEVEL,all_to_all.speed/LEVEL",
    levels: [1.3, 2, 4, 8],
    needs: "grouped_gemm",
    odds: 2,
    tell: "tokens of each expert; a run with forced balance, or the same run some hundred steps later",
  },
  {
    name: "experts run one after another, not as grouped products",
    what_if: "grouped_gemm.speed/LEVEL,host.speed/2",
    levels: [2, 4, 8],
    needs: "grouped_gemm",
    odds: 0.8,
    tell: "a profile: a product for each expert; the setting of grouped GEMM",
  },
  {
    name: "tokens are exchanged by a slower library, or gathered by all ranks",
    what_if: "all_to_all.speed/LEVEL",
    levels: [2, 5, 10],
    needs: "grouped_gemm",
    odds: 0.8,
    tell: "a profile: the dispatcher's share; all-to-all, all-gather or DeepEP",
  },

  // Kernels.
  {
    name: "attention by a slower library (eager, math, unfused)",
    what_if: "attention.speed/LEVEL,attention_backward.speed/LEVEL",
    levels: [1.5, 3, 8, 16],
    odds: 1.3,
    tell: "names of attention kernels in a profile: flash, cudnn, or bmm and softmax",
  },
  {
    name: "not compiled: norms, activations and the loss in many eager kernels",
    what_if: "elementwise.speed/LEVEL,host.speed/1.5",
    levels: [1.5, 3, 6],
    odds: 0.9,
    tell: "a profile: the share of elementwise kernels; torch.compile, fused loss and norms",
  },
  {
    name: "the loss in parts, each with a copy of the logits in fp32",
    wrap: "Framework",
    with: "loss = \"copied\"",
    odds: 0.6,
    tell: "memory at the end of the forward; the names of the loss kernels",
  },
  {
    name: "products in fp32 or TF32",
    what_if: "gemm.speed/LEVEL",
    levels: [2, 4, 8],
    odds: 0.15,
    tell: "names of products in a profile: tf32, s16816, bf16",
  },
  {
    name: "an unfused optimizer: kernels for each tensor",
    what_if: "adam.speed/LEVEL,host.speed/1.5",
    levels: [3, 10],
    odds: 0.5,
    tell: "the time of the update alone; fused=True, foreach",
  },
  {
    name: "devices run slower: power cap, heat, or another variant of the GPU",
    what_if: "compute.speed/LEVEL",
    levels: [1.08, 1.25, 1.6],
    odds: 0.8,
    tell: "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER during the run; a product of 8192 by 8192 alone",
  },
  {
    name: "a straggler: one device slower than the others",
    what_if: "DEVICE.speed/LEVEL",
    levels: [1.1, 1.5, 2.5],
    odds: 0.6,
    tell: "times of a rank alone, before its first collective; the same job on other nodes",
  },

  // The host.
  {
    name: "the host launches too slowly",
    what_if: "host.speed/LEVEL",
    levels: [1.5, 3, 8],
    tell: "GPU utilization and gaps between kernels; CPU governor, cores a rank, garbage collection of Python",
  },
  {
    name: "Adam on the host's processors takes long: few cores or one memory bus for many ranks",
    what_if: "host update.speed/LEVEL",
    levels: [1.2, 3, 10],
    needs: "host update",
    odds: 3,
    tell: "the update with ranks bound to their own cores (--bind_cores_to_rank), threads of the update",
  },
  {
    name: "the host casts and adds up gradients during the backward",
    casts: 3,
    levels: [20, 5, 1],
    needs: "host update",
    odds: 2,
    tell: "the backward with and without offload; a profile of the host's threads",
  },
  {
    name: "copies between host and device are slow: pageable memory, a PCIe link with few lanes",
    what_if: "copy.speed/LEVEL",
    levels: [2, 4, 10],
    needs: "copy",
    tell: "a profile: the rate of copies (12, 25 or 50 GB/s); nvidia-smi -q shows the lanes",
  },
  {
    name: "the optimizer is on the host",
    add: "update_on_host()",
    to: "apply",
    from: "std.strategies.offload",
    odds: 0.7,
    tell: "memory: the optimizer's is free; the time of the update",
  },

  // What a run does better than its plan.
  {
    name: "collectives of replicas overlap with the backward",
    wrap: "Framework",
    with: "overlap = true",
    tell: "a profile: buckets leave while the backward goes on",
  },
  {
    name: "launches are captured: CUDA graphs, or a compiled step",
    what_if: "host.speed*LEVEL",
    levels: [1.5, 4, 10],
    tell: "a profile: graph launches, no gaps between kernels",
  },
  {
    name: "kernels are compiled or fused",
    what_if: "elementwise.speed*LEVEL",
    levels: [1.2, 1.6, 2.5],
    tell: "a profile: names of kernels with triton, fused",
  },
  {
    name: "products in 8 bits",
    what_if: "gemm.speed*LEVEL",
    levels: [1.2, 1.5, 1.8],
    odds: 0.5,
    tell: "names of products in a profile: e4m3, fp8",
  },

  // Beside the step.
  {
    name: "kernels are compiled anew in the step, as shapes change or a cache misses",
    adds: "LEVEL",
    levels: [1, 8, 60],
    odds: 0.5,
    tell: "TORCH_LOGS=recompiles; processors busy while devices idle; a run with sequences of one length",
  },
  {
    name: "Python's garbage collection pauses one rank after another",
    adds: "LEVEL",
    levels: [0.02, 0.2, 1],
    odds: 0.5,
    tell: "the median of the steps beside their mean; a run with collections by hand (gc_freq, --manual-gc)",
  },
  {
    name: "the input pipeline is late (data loading, tokenization)",
    adds: "LEVEL",
    levels: [0.05, 0.5, 4],
    odds: 1,
    tell: "a run with synthetic data; time between the end of a step and the next forward",
  },
  {
    name: "the time counts more than steps: evaluation, checkpoints, logging, compilation",
    adds: "LEVEL",
    levels: [0.03, 0.2, 1],
    odds: 0.5,
    tell: "single steps of the log rather than their mean (`trainspec log`)",
  },
  {
    name: "memory is nearly full: the allocator frees its cache and asks the driver again",
    adds: "LEVEL",
    levels: [0.05, 0.5, 3],
    full: 0.92,
    odds: 2,
    tell: "num_alloc_retries of torch.cuda.memory_stats(), warnings about cache flushes; a smaller micro-batch",
  },
  {
    name: "memory is that of the allocator: cached and fragmented blocks, or nvidia-smi's sum",
    holds: "LEVEL",
    levels: [1.05, 1.2, 1.6],
    tell: "max_memory_allocated beside max_memory_reserved; expandable_segments",
  },
]
