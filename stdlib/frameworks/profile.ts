// What a framework does with a plan: a profile is a Framework, and the functions here turn it into
// the pieces of a plan. Profiles stand in the other files of this folder; a plan may take one with
// changes: `megatron_core with { attention = "flash2" }`.
import std.ops.nn, std.ops.moe, std.strategies.megatron, std.strategies.context, std.strategies.experts, std.strategies.data,
  std.strategies.fp8, std.strategies.recompute, std.optimizers.adam, std.costs.hosts

// What a layer of experts costs the host thread: see `framework_experts`.
record ExpertHost {
  call: Time = 0 us
  each: Time = 0 us
  narrow: Time = 0 us
  sort: Time = 0 us
  replay: Time = 0 us
  fused: Real = 1 // time of products of experts in one operation, over that of separate ones
}

record Framework {
  name: String
  release: String = none // of the software that the profile describes
  gradients: DType = fp32 // in which gradients are kept and summed
  accumulate: Size = 0 B // bytes moved for a parameter to add a micro-batch's gradient
  free_gradients: Bool = true // as in `precision`; false: they lie in buffers that stay
  bucket: Any = 25 MiB // of gradients, filled in the order of the backward: a size, or elements
  buckets: Function = as_stated // what a bucket holds, of the profile and the number of replicas
  first: Bool = false // on stages after a pipeline's first one all gradients leave in one bucket
  overlap: Bool = true // sums of gradients go on beside the backward
  gather: Bool = false // updated parameters are gathered beside the next step's forward, not after the update
  tensor: String = "none" // how collectives of tensor parallelism overlap: "none", "stream" (beside work that does not need them), "ring" (in parts, with the products)
  again: Bool = true // what is gathered again for weight gradients goes on beside the input gradients
  context: String = "ring" // how keys and values of other ranks overlap: "none", "stream", "ring"
  messages: Bool = true // messages of a pipeline go on while the host issues what follows
  buffers: Bool = false // a stage has a buffer for the gradients of each micro-batch of a step, and keeps what it sent until the step ends
  keep: Bool = false // what the forward gathered over tensor parallelism stays for the weight gradients
  attention: String // its library: "cudnn", "flash3", "flash2", "flash1", "sdpa"
  arithmetic: Record = {} // what products of fp32 tensors compute in (a router's)
  current: Bool = false // scales of products in fp8 are the tensors' own (a pass before the cast), not of earlier steps
  loss: String = "apart" // "fused": one kernel each way over logits in 16 bits; "apart": softmax and its parts in fp32, one after the other; "copied": each with a tensor of its own
  host: Host // what the host thread spends
  graphs: Bool = false // CUDA graphs take the launches off the host
  experts: ExpertHost = {} // what a layer of experts costs the host
  exchange: String = "all_to_all" // the library that sends tokens to experts (std.exchange)
  limits_apart: Bool = false // activations with a limit are cut off in kernels of their own
  choices: Function = as_profile // what its recipes set for a run: of the profile and the run, as `framework_choices` has it
  update: Function = clipped // an Optimizer with what is done to gradients around it
  copied: Bool = false // parameters and gradients of sharded layers go through buffers
  keep_last: Bool = false // the last layer's parameters stay gathered for its backward
  sharding: String // over replicas: "ddp", "zero1", "zero2", "fsdp"
  shards: List[String] = [sharding] // all that `init` searches and ways out of a lack of memory offer: what runs were validated with
  balanced: Bool = true // stages have as much work as one another; false: as many layers
}
fn as_stated(f: Framework, replicas: Int) -> Any = f.bucket

// What recipes set for a run where its source leaves it open; of experts as std.frameworks.bridge says.
record FrameworkChoices {
  graphs: Bool
  recompute: String = "none"
  again: List[String] = [] // modules that are recomputed, by Megatron-Core's names
  exchange: String
  captured: String // what CUDA graphs hold of a layer of experts
  bounded: Bool = false // tokens above the capacity of an expert are dropped
  beside: Bool = false // forwards go on beside backwards
  unfused: Bool = false // attention in separate kernels
  fused: Bool = false // products of a layer's experts in one operation
  formats: List = [] // products in another format than the recipe's: std.frameworks.bridge
  tensor: String // how collectives of tensor parallelism overlap, as in the profile
}
// `run` has the release (26.04; 26.0401 for 26.04.01; 0: not known), the names of the model
// ("deepseek_v3"; "": another) and of the machine ("gb200"), the format of products, and whether it
// has experts: { release, model, gpu, recipe, experts }.
fn framework_choices(f: Framework, run: Record) -> FrameworkChoices = f.choices(f, run)
// ... nothing besides the profile.
fn as_profile(f: Framework, run: Record) -> FrameworkChoices = {
  graphs: f.graphs,
  exchange: f.exchange,
  captured: if f.graphs then "step" else "none",
  tensor: f.tensor,
}

fn _overlap_of(kind: String) -> Overlap = match kind {
  "ring" -> ring
  "stream" -> true
  "none" -> false
  _ -> refuse("collectives overlap as none, stream or ring")
}

// Tensor parallelism over `t`, with sequence parallelism. `slows`: of the machine
// (`machine.costs.slows`); `elsewhere`: as in `tensor_sequence_parallel`.
fn framework_tensor(f: Framework, t: Axis, slows: Real, elsewhere: String = "") = if t.size == 1 then none else tensor_sequence_parallel(
  t,
  gather: _overlap_of(f.tensor),
  scatter: _overlap_of(f.tensor),
  keep_gathered: f.keep,
  slows: slows,
  again: f.again,
  adapters: f.tensor == "ring",
  elsewhere: elsewhere,
)

// Parts of each sequence on `c`; `heads`: heads instead of keys and values travel.
fn framework_context(f: Framework, c: Axis, heads: Bool = false) = if c.size == 1 then none else if heads then ulysses(
  c,
  overlap: f.context != "none",
) else context_parallel(c, overlap: _overlap_of(f.context))

// Replicas along `d`; `sharding`: "ddp", "zero1" (Megatron's distributed optimizer), "zero2",
// "fsdp" (parameters too). `stages`: of the pipeline.
fn framework_data(f: Framework, d: Axis, sharding: String, stages: Int = 1) = if d.size == 1 then none else match sharding {
  "fsdp" -> if stages > 1 then fsdp_in_pipeline(d, bucket: f.bucket, copied: f.copied) else fsdp(
    d,
    overlap: f.overlap,
    keep_last: f.keep_last,
    copied: f.copied,
  )
  "zero2" -> fsdp(d, reshard: false, overlap: f.overlap, copied: f.copied)
  "zero1" -> zero1(
    d,
    bucket: f.buckets(f, d.size),
    overlap: f.overlap,
    beside: f.gather,
    first_of: if f.first then stages else 1,
    updated: if f.first and f.overlap then f.buckets(f, d.size) else 1 TiB,
  )
  "ddp" -> data_parallel(d, bucket: f.buckets(f, d.size), overlap: f.overlap, first_of: if f.first then stages else 1)
  _ -> refuse("replicas are sharded as ddp, zero1, zero2 or fsdp")
}

// What a stage holds besides, for `memory` of a plan: of `micro_batches` messages of `message` each.
// Buffers that activations are received into are none of it: a stage that still needs them holds
// them as its activations.
fn framework_memory(f: Framework, stages: Int, micro_batches: Int, message: Size) -> Record = if f.buffers and stages > 1 then {
  messages: 2 * micro_batches * message,
} else {}

fn framework_optimizer(f: Framework) -> Optimizer = f.update(adam())

fn framework_precision(f: Framework) = {
  compute: bf16,
  weights: bf16,
  gradients: f.gradients,
  accumulate: f.accumulate,
  free_gradients: f.free_gradients,
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
// `current`: a scale a tensor is that of the tensor itself, not of earlier steps.
fn framework_products(recipe: String, layers: Label = "layer[*]", current: Bool = false) = match recipe {
  "bf16" -> none
  "fp8" -> fp8_products(layers, current: current)
  "fp8_block" -> fp8_products(layers, format: fp8_block)
  "mxfp8" -> fp8_products(layers, format: mxfp8)
  "nvfp4" -> fp4_products(layers)
  "mxfp4" -> fp4_products(layers, format: mxfp4)
  _ -> refuse("a recipe is bf16, fp8, fp8_block, mxfp8, nvfp4 or mxfp4")
}

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
fn framework_loss(f: Framework) = match f.loss {
  "fused" -> fused_loss()
  "copied" -> copied_loss()
  "apart" -> none
  _ -> refuse("the loss is fused, apart or copied")
}

// The ladder of recomputation: "none", "cheap" (norms and activations: Megatron's modules
// `layernorm`, `moe_act` and the like), "attention" (its softmax and dropout: Megatron's
// selective), "ops" (torchtitan's selective by op; "ops_eager": not compiled), "attn", "mlp" (all of
// that label in each layer), "selective" (every second layer), "full".
fn framework_recompute(level: String) = match level {
  "none" -> none
  "cheap" -> [selective(label, discard: true) for label in ["*.ln1", "*.ln2", "*.act"]]
  "attention" -> selective("attn.core")
  "ops" -> selective_by_op()
  "ops_eager" -> [selective_by_op(), cached_by_op()]
  "attn" | "mlp" -> selective(level)
  "selective" -> full(every: 2)
  "full" -> full()
  _ -> refuse("recomputation is none, cheap, attention, ops, ops_eager, attn, mlp, selective or full")
}

// Modules that are recomputed, by Megatron-Core's names; what a model has not is passed over. Of
// those that it calls cheap what they made is dropped, too, until the backward makes it again
// (CheckpointWithoutOutput of megatron/core/tensor_parallel/random.py), where `discard` has it so.
strategy modules_again(ops: Label, discard: Bool) {
  rule again optional {
    match * as ops
    recompute(discard: discard)
  }
}
let _modules = [
  { name: "mla_up_proj", ops: ["*.query.up", "*.query.rotary", "*.keys.up", "*.keys.rotary"], cheap: true },
  { name: "layernorm", ops: ["*.ln1", "*.ln2"], cheap: true },
  { name: "moe_act", ops: ["*.experts.act"], cheap: true },
  { name: "core_attn", ops: ["*.attn.core"], cheap: false },
  { name: "mlp", ops: ["*.mlp.up", "*.mlp.act", "*.mlp.down"], cheap: false },
  { name: "moe", ops: ["*.moe"], cheap: false },
  { name: "shared_experts", ops: ["*.moe.shared"], cheap: false },
]
fn framework_modules(names: List[String], discard: Bool = true) = [
  modules_again(o, discard and m.cheap) for m in _modules for o in m.ops if any([m.name == n for n in names])
]

// Modules whose activations go to the host, by Megatron-Core's names.
let _offloaded = [
  { name: "attn_norm", ops: "*.ln1" },
  { name: "qkv_linear", ops: "*.attn.qkv" },
  { name: "core_attn", ops: "*.attn.core" },
  { name: "attn_proj", ops: "*.attn.proj" },
  { name: "mlp_norm", ops: "*.ln2" },
  { name: "expert_fc1", ops: "*.experts.up" },
  { name: "moe_act", ops: "*.experts.act" },
]
strategy _to_host(ops: Label) {
  rule kept optional {
    match * as ops
    offload(activations, at: 50 GB/s, group: ops, ahead: 1)
  }
}
fn framework_offload(names: List[String]) = [_to_host(m.ops) for m in _offloaded if any([m.name == n for n in names])]

// Products of a recipe that are done in another format.
strategy _in_format(ops: Label, format: Any, from: Int) {
  rule products optional {
    match linear | expert_linear as ops where unit >= from
    set products = format
  }
}
fn framework_formats(c: FrameworkChoices) = [_in_format(f.ops, f.format, f.from) for f in c.formats]

// NCCL's all-to-all delivers tokens by rank: where a rank has several experts they are sorted once
// more, and before they go back.
strategy _sorted_twice(ranks: Int) {
  rule sorting optional {
    match dispatch where y.shape[0] > ranks
    set passes = 2
  }
  rule back optional {
    match combine where x.shape[0] > ranks
    set passes = 2
  }
}
fn framework_sorting(exchange: String, ranks: Int) = if exchange == "all_to_all" and ranks > 1 then _sorted_twice(ranks) else none

// Activations whose halves are cut off at a limit, by kernels of their own.
strategy _limits_apart() {
  rule limits optional {
    match limited_swiglu
    set apart = true
    set sync = true
  }
}
// Products of experts and what stands between them: `whole`: in one operation.
fn framework_fusions(f: Framework, whole: Bool) = if whole then fused_experts() else if f.limits_apart then _limits_apart() else none

// Products of experts and what stands between them in one operation: their epilogues add biases.
strategy fused_experts() {
  rule biases optional {
    match expert_bias
    set fused = true
  }
}

// Latent attention where no library fuses it. `split`: nor its softmax, which PyTorch then casts,
// scales, masks, takes and casts back in fp32 (forward_torch_softmax of Transformer Engine's
// FusedScaleMaskSoftmax).
strategy unfused_attention(split: Bool = true) {
  rule attention optional {
    match query_attention
    set unfused = true
    set parts = split
  }
}

// What a layer of experts costs the host thread. Products of experts are one kernel here, but
// launched one for each expert of a rank (Transformer Engine's GroupedLinear: cuBLAS on four
// streams), and so are the casts before them, with transposes and swizzles of scales: `call` for the
// module, `each` a product in 16 bits, `narrow` a product or a cast in 8 or 4. `sort`: the dispatcher's own work before tokens are sent and after they
// come back. The host reads how many tokens each expert
// gets before it issues their products, and waits for the device there (`sync`). CUDA graphs hold
// the router (`captured`: "router"), attention, too ("layer"), or the step ("step"), for which
// buffers are made for the most tokens there may be, so that nothing is waited for.
strategy _expert_launches(ranks: Int, call: Time, each: Time, sort: Time, sync: Bool) {
  rule products optional {
    match expert_linear
    set host = call + div(x.shape[0], ranks) * each
  }
  rule exchange optional {
    match dispatch | combine
    set host = sort
  }
  rule counts optional {
    match dispatch
    set sync = sync
  }
}
strategy _layer_launches(ops: Label, each: Time) {
  rule launches optional {
    match * as ops
    set host = each
  }
}
// `ranks`: over which the experts lie; `bounded`: tokens above an expert's capacity are dropped, so that no
// counts are waited for.
fn framework_experts(e: ExpertHost, ranks: Int, captured: String, recipe: String, bounded: Bool = false) = if captured == "step" then none else [
  if captured == "layer" then _layer_launches("layer[*]", e.replay) else none,
  if captured == "router" then _layer_launches("*.moe.router", e.replay) else none,
  _expert_launches(ranks, e.call, if recipe == "bf16" then e.each else e.narrow, e.sort, not bounded),
]
