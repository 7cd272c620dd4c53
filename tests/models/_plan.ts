// Any model of the library, on ranks as asked: counted by one, compiled for several.
import std.models.gpt, std.models.llama, std.models.qwen3, std.models.gemma, std.models.t5, std.models.bert, std.models.vit, std.models.clip
import std.models.llama_moe, std.models.mixtral, std.models.llama4, std.models.deepseek, std.models.vgg, std.models.resnet, std.models.densenet
import std.models.mpt, std.models.nemotron, std.models.gpt_oss, std.models.grok, std.models.lora, std.import.hf
import std.clusters.dgx, std.strategies.data, std.strategies.megatron, std.strategies.context, std.strategies.experts
import std.strategies.recompute, std.strategies.fp8, std.frameworks.maxtext (maxtext_scaled)
import std.schedules.one_f_one_b, std.optimizers.adam, std.precision

plan models(model: Model, dp: Int = 1, tp: Int = 1, cp: Int = 1, ep: Int = 1, pp: Int = 1, sequence: Bool = false, heads: Bool = false, again: Bool = false, fp8: Bool = false) {
  model = model
  cluster = dgx_h100(nodes: ceil_div(dp * tp * cp * ep * pp, 8))
  mesh = { tp, cp, ep, dp, pp }
  apply = [
    data_parallel(cp * ep * dp),
    if tp == 1 then [] else if sequence then tensor_sequence_parallel(tp) else tensor_parallel(tp),
    if cp == 1 then [] else if heads then ulysses(cp) else context_parallel(cp),
    if ep == 1 then [] else expert_parallel(ep),
    if again then full() else [],
    if fp8 then fp8_products("*") else [],
  ]
  schedule = one_f_one_b(p: pp, m: pp)
  batch = { micro: ep, global: pp * ep * dp }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
