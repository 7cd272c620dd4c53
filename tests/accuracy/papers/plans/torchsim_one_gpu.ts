// TorchSim's tables 16 and 19: one H100, eager models of transformers and timm. `precision`: "fp", "mp" (autocast in fp16 over fp32), "hp"
// (weights, gradients and moments in fp16). `again`: the modules that are recomputed. `decay`: Adam has one, and copies all gradients for it.
import std.models.hf_decoder, std.models.hf_towers, std.models.hf_t5, std.models.timm_convnext, std.clusters.dgx, std.gpus.hopper,
  std.precision, std.costs.hosts, std.costs.sources, std.machines, std.optimizers.adam

fn model_of(name: String, seq: Int, amp: Any, again: Bool) -> Model = match name {
  "llama" -> hf_llama32_1b(seq, amp, again)
  "gemma" -> hf_gemma_2b(seq, amp, again)
  "gpt2" -> hf_gpt2_large(seq, amp, again)
  "vit" -> timm_vit_h14(seq, amp)
  "t5" -> hf_t5_large(seq, amp, again)
  "convnext" -> timm_convnextv2_huge(seq, amp)
  "clip" -> hf_clip_l14(seq, 20, amp)
}

strategy checkpoint(modules: Label) {
  rule again {
    match * as modules
    recompute(group: modules)
  }
}
fn moment(precision: Precision) -> Size = bytes(precision.weights)

plan torchsim_one_gpu(name: String, micro: Int, seq: Int, kind: String = "hp", modules: List[String] = [], decay: Bool = true) {
  model = model_of(name, seq, if kind == "mp" then fp16 else none, len(modules) > 0)
  cluster = nvswitch_nodes(1, kind: h100_sxm, gpus: 1, nvlink: 450 GB/s, nic: 400 Gb/s)
  apply = [checkpoint(m) for m in modules]
  batch = { micro: micro }
  precision = if kind == "hp" then { compute: fp16, weights: fp16, gradients: fp16 } else full_precision()
  optimizer = adam(master: false) with { state = [moment, moment], temp = if decay then [moment, moment] else moment }
  costs = [
    fit("std/fits/h100_sxm_fp32.fit.json", floor: 2 us, beyond: 16), // its widest product is a twentieth of Gemma's head
    fit("std/fits/h100_sxm_elementwise.fit.json", floor: 2 us, beyond: 16),
  ] + machine_costs(machine_h100, "bf16", "sdpa")
  host = eager_torch
  memory = { cublas: 64 MiB }
}
