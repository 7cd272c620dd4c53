// What importers of frameworks over Megatron-Core have in common, by the names of its arguments and
// their values: what is recomputed, products in few bits, what replicas share, layers of stages,
// and what the optimizer keeps.
import std.frameworks.profile, std.optimizers.adam

fn core_again(granularity: String, modules: List) -> Any = match granularity {
  "full" -> framework_recompute("full")
  "selective" -> framework_modules(modules)
  _ -> none
}
fn core_recipe(narrow: Bool, recipe: String) -> String = if not narrow then "bf16" else match recipe {
  "blockwise" -> "fp8_block"
  "mxfp8" -> "mxfp8"
  "nvfp4" -> "nvfp4"
  _ -> "fp8"
}
fn core_sharding(fsdp: Bool, strategy: String, distributed: Bool) -> String =
  if fsdp then (match strategy {
  "optim_grads_params" -> "fsdp"
  "optim_grads" -> "zero2"
  "optim" -> "zero1"
  _ -> "ddp"
}) else if distributed then "zero1" else "ddp"

// Layers of stages, where the first or the last is stated: the others share the rest.
fn core_layers(config: Record) -> Int = field(config, "num_hidden_layers", field(field(config, "text_config", {}), "num_hidden_layers", 0))
fn _count(x: Bool) -> Int = if x then 1 else 0
fn core_sizes(stages: Int, first: Int, last: Int, layers: Int) -> List = if first + last == 0 then [] else [
  if s == 0 and first > 0 then first else if s == stages - 1 and last > 0 then last
    else div(layers - first - last, max(1, stages - _count(first > 0) - _count(last > 0))) for s in 0..stages
]

// Formats of the optimizer (`use_precision_aware_optimizer`). Of weights in fp32 it keeps the 16 bits
// that those in bf16 lack (`store_param_remainders`), unless scales of fp8 are the tensors' own or of
// blocks: Megatron-Core then keeps the weights itself (OptimizerConfig of megatron/core/optimizer).
fn _format_size(format: String) -> Size = match last(words(format, ".")) {
  "fp32" | "float32" -> 4 B
  "fp8" | "uint8" -> 1 B
  "bf16" | "bfloat16" | "fp16" | "float16" | "half" -> 2 B
  _ -> refuse("`" + format + "` is no format of the optimizer's states: fp32, fp16, bf16 and fp8 are")
}
fn core_adam(aware: Bool, first: String, second: String, weights: String, fp8_recipe: String) -> Optimizer = if aware then adam_in(
  _format_size(first),
  _format_size(second),
  if fp8_recipe == "" or fp8_recipe == "delayed" then 2 B else _format_size(weights),
) else adam()

// Gradients of weights in bf16 are held and summed in fp32 unless the arguments say otherwise, in one
// of two ways (validate_args of megatron/training/arguments.py).
fn core_gradients(reduced_in_bf16: Bool, main_grads: String) -> DType = if reduced_in_bf16 or _format_size(main_grads) < 4 B then bf16
  else fp32
