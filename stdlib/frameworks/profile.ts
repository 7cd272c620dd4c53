// What a framework does with a plan: a profile is a record, and the functions here turn it into the
// pieces of a plan. Profiles stand in the other files of this folder; a plan may change one field:
// `megatron_bridge("26.04") with {}` is not needed where a function of the profile takes it.
//
//   gradients   number format in which gradients are kept and summed
//   bucket      of gradients, filled in the order of the backward
//   overlap     whether sums of gradients go on beside the backward
//   tensor      how collectives of tensor parallelism overlap: "none", "stream" (beside work that does not need them), "ring" (in parts, with the products)
//   keep        whether what the forward gathered over tensor parallelism stays for the weight gradients
//   attention   library of attention: "cudnn", "flash2"
//   arithmetic  what products of fp32 tensors compute in (a router's)
//   loss        "fused": one kernel each way over logits in 16 bits; "apart": softmax and its parts in fp32, one after the other
//   host        what the host thread spends
//   graphs      whether CUDA graphs take the launches off the host
//   gather      where parameters are gathered after an update: "after" it, or "hidden" beside the next forward
//   waits       microseconds a layer of experts for which the device waits while the host reads counts of tokens
//   choices     what its recipes set for a run: a function of the profile and { release, model, experts, rack, stages }
//   accumulate  bytes moved for a parameter to add a micro-batch's gradient
import std.ops.nn, std.ops.moe, std.strategies.megatron, std.strategies.context, std.strategies.experts, std.strategies.data,
  std.strategies.fp8, std.strategies.recompute

// What recipes set for a run where its source leaves it open: { graphs, waits, recompute }. `run`
// has the release (26.04; 0: not known), the model's family ("gpt_oss", "deepseek", "" for others),
// whether it has experts, whether a rack of GPUs shares NVLink, and the stages of its pipeline.
fn framework_choices(f: Record, run: Record) -> Record = f.choices(f, run)
// ... nothing besides the profile.
fn as_profile(f: Record, run: Record) -> Record = { graphs: f.graphs, waits: f.waits, recompute: "none" }

// Tensor parallelism over `t`, with sequence parallelism.
fn framework_tensor(f: Record, t: Axis) = if t.size == 1 then none else tensor_sequence_parallel(
  t,
  gather: if f.tensor == "ring" then ring else f.tensor != "none",
  scatter: if f.tensor == "ring" then ring else f.tensor != "none",
  keep_gathered: f.keep,
)

// ZeRO-1 whose updated parameters are gathered beside the next step's forward (Megatron's
// overlap_param_gather). Where a step is one micro-batch, `once`, layer by layer before its
// forward; else the forward of the first of many micro-batches hides it, and nothing is played.
strategy distributed_optimizer(d: Axis, bucket: Size, once: Bool) {
  let early = if once then d else 1
  rule gradients {
    match *
    after gradients: reduce_scatter(gradients, over: d, bucket: bucket)
    shard(optimizer, over: d)
    before forward: all_gather(parameters, over: early, group: "layer[*]", ahead: 2)
  }
}

// Replicas along `d`; `sharding`: "ddp", "zero1" (Megatron's distributed optimizer), "zero2",
// "fsdp" (parameters too).
fn framework_data(f: Record, d: Axis, sharding: String, once: Bool = false) = if d.size == 1 then none else if sharding == "fsdp" then fsdp(
  d,
) else if sharding == "zero2" then fsdp(d, reshard: false) else if sharding == "zero1" then zero1(
  d,
  bucket: f.bucket,
  overlap: f.overlap,
) else data_parallel(d, bucket: f.bucket, overlap: f.overlap)

fn framework_precision(f: Record) = {
  compute: bf16,
  weights: bf16,
  gradients: f.gradients,
  accumulate: f.accumulate,
  arithmetic: f.arithmetic,
}
fn framework_host(f: Record, graphs: Bool = f.graphs, launch: Time = 0 us) = if graphs
  then { launch: 0.5 us, collective: 2 us, message: 5 us, item: 50 us, step: 1 ms } else if launch > 0 us
  then { launch: launch, collective: f.host.collective, message: f.host.message, item: f.host.item, step: f.host.step } else f.host

// Products of the layers in the format of a recipe: "bf16" (as they are), "fp8" (a scale a tensor),
// "fp8_block", "mxfp8", "nvfp4", "mxfp4".
fn framework_products(recipe: String, layers: Label = "layer[*]") = if recipe == "bf16" then none else if recipe == "fp8"
  then fp8_products(layers) else if recipe == "fp8_block" then fp8_products(layers, format: fp8_block) else if recipe == "mxfp8"
  then fp8_products(layers, format: mxfp8) else if recipe == "nvfp4" then fp4_products(layers) else if recipe == "mxfp4"
  then fp4_products(layers, format: mxfp4) else refuse("a recipe is bf16, fp8, fp8_block, mxfp8, nvfp4 or mxfp4")

// On Hopper (`machine.costs.turns`) weight gradients in 8 bits take transposed copies.
strategy turned_products(layers: Label = "layer[*]") {
  rule products {
    match linear | expert_linear as layers
    set turned = true
  }
}
fn framework_turned(machine: Record, recipe: String) = if recipe == "fp8" and machine.costs.turns then turned_products() else none

// Cross entropy in one kernel each way, logits left in the compute type.
strategy fused_loss() {
  rule loss {
    match cross_entropy
    set fused = true
  }
}
fn framework_loss(f: Record) = if f.loss == "fused" then fused_loss() else none

// Bytes of an expert's all-to-all over those of all copies: DeepEP and HybridEP send a token once
// to each rank that wants it, and once to each node (`nodes` of them: 1 where all ranks share
// NVLink).
fn framework_sent(ranks: Int, nodes: Int, top: Int) -> Real = nodes_met(if nodes > 1 then nodes else ranks, top) / top

// The ladder of recomputation: "none", "cheap" (norms and activations: Megatron's modules
// `layernorm`, `moe_act` and the like), "attention" (its softmax and dropout: Megatron's
// selective), "ops" (torchtitan's selective by op: all but attention and what every second product
// made; here the larger of the MLP's two and the output projection), "selective" (every second
// layer), "full".
fn framework_recompute(level: String) = if level == "none" then none else if level == "cheap"
  then [selective("*.ln1"), selective("*.ln2"), selective("*.act")] else if level == "attention" then selective(
  "attn.core",
) else if level == "ops" then [
  selective("*.ln1"),
  selective("*.rotary"),
  selective("*.proj"),
  selective("*.ln2"),
  selective("*.up"),
  selective("*.act"),
] else if level == "selective" then full(every: 2) else if level == "full" then full()
  else refuse("recomputation is none, cheap, attention, ops, selective or full")

// The host reads how many tokens each expert gets before it issues the products of the experts, and
// the device waits; not in a CUDA graph, whose buffers hold the most there may be.
strategy token_counts(microseconds: Int) {
  rule counts {
    match dispatch
    set waits = microseconds
  }
}
fn framework_counts(f: Record, waits: Int = f.waits, graphs: Bool = f.graphs) = if graphs or waits == 0 then none else token_counts(waits)
