// Any model of the library, on ranks as asked: counted by one, compiled for several.
import std.models.gpt, std.models.llama, std.models.qwen3, std.models.gemma, std.models.t5, std.models.bert, std.models.vit, std.models.clip
import std.models.mixtral, std.models.llama4, std.models.deepseek, std.models.vgg, std.models.resnet, std.models.densenet
import std.clusters.dgx, std.strategies.data, std.strategies.megatron, std.schedules.one_f_one_b, std.optimizers.adam, std.precision

plan models(model: Model, dp: Int = 1, tp: Int = 1, pp: Int = 1, sequence: Bool = false) {
  model = model
  cluster = dgx_h100(nodes: ceil_div(dp * tp * pp, 8))
  mesh = { tp, dp, pp }
  apply = [data_parallel(dp), if tp == 1 then [] else [if sequence then tensor_sequence_parallel(tp) else tensor_parallel(tp)]]
  schedule = one_f_one_b(p: pp, m: pp)
  batch = { micro: 1, global: pp * dp }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
