// What a framework does with a plan: a profile is a record, and the functions here turn it into the pieces of a plan. Profiles stand in the other files of this folder; a
// plan may change one field: `megatron_bridge("26.04") with {}` is not needed where a function of the profile takes it.
//
//   gradients   number format in which gradients are kept and summed
//   bucket      of gradients, filled in the order of the backward
//   overlap     whether sums of gradients go on beside the backward
//   tensor      how collectives of tensor parallelism overlap: "none", "stream" (beside work that does not need them), "ring" (in parts, with the products)
//   keep        whether what the forward gathered over tensor parallelism stays for the weight gradients
//   attention   library of attention: "cudnn", "flash2"
//   host        what the host thread spends
//   graphs      whether CUDA graphs take the launches off the host
//   accumulate  bytes moved for a parameter to add a micro-batch's gradient
import std.strategies.megatron, std.strategies.context, std.strategies.experts, std.strategies.data, std.strategies.fp8

// Tensor parallelism over `t`, with sequence parallelism.
fn framework_tensor(f: Record, t: Axis) = if t.size == 1 then none else tensor_sequence_parallel(
  t,
  gather: if f.tensor == "ring" then ring else f.tensor != "none",
  scatter: if f.tensor == "ring" then ring else f.tensor != "none",
  keep_gathered: f.keep,
)

// Replicas along `d`; `sharding`: "ddp", "zero1" (Megatron's distributed optimizer), "zero2", "fsdp" (parameters too).
fn framework_data(f: Record, d: Axis, sharding: String) = if d.size == 1 then none else if sharding == "fsdp" then fsdp(
  d,
) else if sharding == "zero2" then fsdp(d, reshard: false) else if sharding == "zero1" then zero1(
  d,
  bucket: f.bucket,
  overlap: f.overlap,
) else data_parallel(d, bucket: f.bucket, overlap: f.overlap)

fn framework_precision(f: Record) = { compute: bf16, weights: bf16, gradients: f.gradients, accumulate: f.accumulate }
fn framework_host(f: Record, graphs: Bool = f.graphs) = if graphs
  then { launch: 0.5 us, collective: 2 us, message: 5 us, item: 50 us, step: 1 ms } else f.host

// Products of the layers in the format of a recipe: "bf16" (as they are), "fp8" (a scale a tensor), "fp8_block", "mxfp8", "nvfp4", "mxfp4".
fn framework_products(recipe: String, layers: Label = "layer[*]") = if recipe == "bf16" then none else if recipe == "fp8"
  then fp8_products(layers) else if recipe == "fp8_block" then fp8_products(layers, format: fp8_block) else if recipe == "mxfp8"
  then fp8_products(layers, format: mxfp8) else if recipe == "nvfp4" then fp4_products(layers) else if recipe == "mxfp4"
  then fp4_products(layers, format: mxfp4) else refuse("a recipe is bf16, fp8, fp8_block, mxfp8, nvfp4 or mxfp4")
