// An eager model on one GPU, its update left out: what PyTorch holds between the first operator and the last of the backward.
import std.models.hf_decoder, std.models.hf_towers, std.models.hf_t5, std.models.timm_convnext
import std.clusters.dgx, std.precision, std.optimizers.adam

strategy checkpoint(modules: Label) {
  rule again {
    match * as modules
    recompute(group: modules)
  }
}
fn moments(precision: Precision) -> Size = 2 * bytes(precision.weights)
fn of(name: String, seq: Int, amp: Any, again: Bool) -> Model = match name {
  "llama" -> hf_llama32_1b(seq, amp, again)
  "gemma" -> hf_gemma_2b(seq, amp, again)
  "gpt2" -> hf_gpt2_large(seq, amp, again)
  "t5" -> hf_t5_large(seq, amp, again)
  "vit" -> timm_vit_h14(seq, amp)
  "clip" -> hf_clip_l14(seq, 20, amp)
  "convnext" -> timm_convnextv2_huge(seq, amp)
}
fn modules(name: String) -> List[String] = match name {
  "gpt2" | "vit" -> ["layer[*]"]
  "clip" -> ["image[*]", "text[*]"]
  "convnext" -> ["*.mlp"]
  "t5" -> ["*.ln", "*.ff", "encoder_ln", "decoder_ln"]
  _ -> ["*.ln1", "*.ln2", "*.mlp", "norm"]
}

plan step(name: String, samples: Int, seq: Int, format: String, again: Bool) {
  model = of(name, seq, if format == "mp" then fp16 else none, again)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp: 8 }
  apply = if again then [checkpoint(m) for m in modules(name)] else []
  batch = { micro: samples }
  precision = if format == "hp" then { compute: fp16, weights: fp16, gradients: fp16 } else full_precision()
  optimizer = adam(master: false) with { state = moments }
  costs = [roofline(h100_sxm)]
}
