// What a framework does with a plan: a profile is a Framework, and the functions here turn it into
// the pieces of a plan. Profiles stand in the other files of this folder; a plan may take one with
// changes: `megatron_core with { attention = "flash2" }`.
import std.ops.nn, std.ops.moe, std.strategies.megatron, std.strategies.context, std.strategies.experts, std.strategies.data,
  std.strategies.fp8, std.strategies.recompute, std.optimizers.adam, std.hosts

record Framework {
  name: String
  release: String = none // of the software that the profile describes
  gradients: DType = fp32 // in which gradients are kept and summed
  accumulate: Size = 0 B // bytes moved for a parameter to add a micro-batch's gradient
  bucket: Size = 25 MiB // of gradients, filled in the order of the backward
  overlap: Bool = true // sums of gradients go on beside the backward
  gather: String = "hidden" // where parameters are gathered after an update: "after" it, or "hidden" beside the next forward
  tensor: String = "none" // how collectives of tensor parallelism overlap: "none", "stream" (beside work that does not need them), "ring" (in parts, with the products)
  again: Bool = true // what is gathered again for weight gradients goes on beside the input gradients
  context: String = "ring" // how keys and values of other ranks overlap: "none", "stream", "ring"
  messages: Bool = true // messages of a pipeline go on while the host issues what follows
  keep: Bool = false // what the forward gathered over tensor parallelism stays for the weight gradients
  attention: String // its library: "cudnn", "flash2", "flash1"
  arithmetic: Record = {} // what products of fp32 tensors compute in (a router's)
  loss: String = "apart" // "fused": one kernel each way over logits in 16 bits; "apart": softmax and its parts in fp32, one after the other; "copied": each with a tensor of its own
  host: Host // what the host thread spends
  graphs: Bool = false // CUDA graphs take the launches off the host
  waits: Int = 0 // microseconds a layer of experts for which the device waits while the host reads counts of tokens
  choices: Function = as_profile // what its recipes set for a run: of the profile and the run, as `framework_choices` has it
  update: Function = clipped // an Optimizer with what is done to gradients around it
  sharding: String // over replicas: "ddp", "zero1", "zero2", "fsdp"
}

// What recipes set for a run where its source leaves it open.
record FrameworkChoices {
  graphs: Bool
  waits: Int
  recompute: String = "none"
}
// `run` has the release (26.04; 0: not known), the model's family ("gpt_oss", "deepseek", "" for
// others), whether it has experts, whether a rack of GPUs shares NVLink, and the stages of its
// pipeline: { release, model, experts, rack, stages }.
fn framework_choices(f: Framework, run: Record) -> FrameworkChoices = f.choices(f, run)
// ... nothing besides the profile.
fn as_profile(f: Framework, run: Record) -> FrameworkChoices = { graphs: f.graphs, waits: f.waits }

fn _overlap_of(kind: String) -> Overlap = if kind == "ring" then ring else if kind == "stream" then true else if kind == "none" then false
  else refuse("collectives overlap as none, stream or ring")

// Tensor parallelism over `t`, with sequence parallelism.
fn framework_tensor(f: Framework, t: Axis) = if t.size == 1 then none else tensor_sequence_parallel(
  t,
  gather: _overlap_of(f.tensor),
  scatter: _overlap_of(f.tensor),
  keep_gathered: f.keep,
  again: f.again,
)

// Parts of each sequence on `c`; `heads`: heads instead of keys and values travel.
fn framework_context(f: Framework, c: Axis, heads: Bool = false) = if c.size == 1 then none else if heads then ulysses(
  c,
  overlap: f.context != "none",
) else context_parallel(c, overlap: _overlap_of(f.context))

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
// "fsdp" (parameters too). `stages`: of the pipeline.
fn framework_data(f: Framework, d: Axis, sharding: String, once: Bool = false, stages: Int = 1) = if d.size == 1 then none
  else if sharding == "fsdp" and stages > 1 then fsdp_in_pipeline(d, bucket: f.bucket) else if sharding == "fsdp" then fsdp(
  d,
  overlap: f.overlap,
) else if sharding == "zero2" then fsdp(d, reshard: false, overlap: f.overlap) else if sharding == "zero1" then zero1(
  d,
  bucket: f.bucket,
  overlap: f.overlap,
) else if sharding == "ddp" then data_parallel(d, bucket: f.bucket, overlap: f.overlap)
  else refuse("replicas are sharded as ddp, zero1, zero2 or fsdp")

fn framework_optimizer(f: Framework) -> Optimizer = f.update(adam())

fn framework_precision(f: Framework) = {
  compute: bf16,
  weights: bf16,
  gradients: f.gradients,
  accumulate: f.accumulate,
  arithmetic: f.arithmetic,
}
fn framework_host(
  f: Framework,
  graphs: Bool = f.graphs,
  launch: Time = 0 us,
) -> Host = (if graphs then graph_host else if launch > 0 us then f.host with { launch = launch } else f.host) with {
  sync = f.host.sync or not f.messages
}

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
// PyTorch's functional.cross_entropy, each part with a tensor of its own.
strategy copied_loss() {
  rule loss {
    match cross_entropy
    set copied = true
  }
}
fn framework_loss(f: Framework) = if f.loss == "fused" then fused_loss() else if f.loss == "copied" then copied_loss() else if f.loss ==
  "apart" then none else refuse("the loss is fused, apart or copied")

// Bytes of an expert's all-to-all over those of all copies: DeepEP and HybridEP send a token once
// to each rank that wants it, and once to each node (`nodes` of them: 1 where all ranks share
// NVLink).
fn framework_sent(ranks: Int, nodes: Int, top: Int) -> Real = nodes_met(if nodes > 1 then nodes else ranks, top) / top

// The ladder of recomputation: "none", "cheap" (norms and activations: Megatron's modules
// `layernorm`, `moe_act` and the like), "attention" (its softmax and dropout: Megatron's
// selective), "ops" (torchtitan's selective by op), "selective" (every second layer), "full".
fn framework_recompute(level: String) = if level == "none" then none else if level == "cheap"
  then [selective("*.ln1", discard: true), selective("*.ln2", discard: true), selective("*.act", discard: true)] else if level ==
  "attention" then selective(
  "attn.core",
) else if level == "ops" then selective_by_op() else if level == "selective" then full(every: 2) else if level == "full" then full(
) else refuse("recomputation is none, cheap, attention, ops, selective or full")

// The host reads how many tokens each expert gets before it issues the products of the experts, and
// the device waits; not in a CUDA graph, whose buffers hold the most there may be.
strategy token_counts(microseconds: Int) {
  rule counts {
    match dispatch
    set waits = microseconds
  }
}
fn framework_counts(f: Framework, waits: Int = f.waits, graphs: Bool = f.graphs) = if graphs or waits == 0 then none
  else token_counts(waits)
