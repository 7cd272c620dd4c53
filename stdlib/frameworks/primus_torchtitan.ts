// Primus's experiments over torchtitan as plans (AMD-AGI/Primus, August 2026): keys of its YAML are torchtitan's; the
// file of a model names a flavor. What its trainer leaves open is as primus/configs/modules/torchtitan/pre_trainer.yaml
// has it, where that differs from torchtitan's own.
export import std.frameworks.torchtitan

fn _model(name: String, model: String, flavor: String) -> List = [
  _file(name, model, flavor, []),
  _file(
    name + "-fp8",
    model,
    flavor,
    [
      "model_converters=quantize.linear.float8",
    ],
  ),
]
fn _file(name: String, model: String, flavor: String, more: List) -> Record = {
  names: [name + ".yaml"],
  why: "its model is the flavor `" + flavor + "` of torchtitan's `" + model + "`",
  keys: ["model_name=" + model, "model_flavor=" + flavor] + more,
}
let _models: List = [
  ["llama3_8B", "llama3", "8B"],
  ["llama3.1_8B", "llama3", "8B"],
  ["llama3_70B", "llama3", "70B"],
  ["llama3.1_70B", "llama3", "70B"],
  ["llama3.3_70B", "llama3", "70B"],
  ["llama3.1_405B", "llama3", "405B"],
  ["qwen3_0.6b", "qwen3", "0.6B"],
  ["qwen3_1.7b", "qwen3", "1.7B"],
  ["qwen3_4b", "qwen3", "4B"],
  ["qwen3_8b", "qwen3", "8B"],
  ["qwen3_14b", "qwen3", "14B"],
  ["qwen3_32b", "qwen3", "32B"],
  ["deepseek_v3_16b", "deepseek_v3", "16B"],
  ["deepseek_v3_236b", "deepseek_v3", "236B"],
  ["deepseek_v3_671b", "deepseek_v3", "671B"],
  ["llama4_17Bx16E", "llama4", "17bx16e"],
  ["llama4_17Bx128E", "llama4", "17bx128e"],
  ["gpt_oss_20b", "gpt_oss", "20b"],
  ["gpt_oss_120b", "gpt_oss", "120b"],
]
let primus_torchtitan_line = {
  about: "An experiment of Primus's over torchtitan: `trainspec import primus` wrote it.",
  arguments: torchtitan_line.arguments,
  gpu: "mi300x",
  files: ["yaml"],
  open: ["none null None"],
  defaults: true,
  reads: ["primus_model primus_config"],
  prefixes: [
    { given: "modules_pre_trainer_overrides_", as: "" },
    { given: "modules_pre_trainer_", as: "primus_" },
    { given: "work_group", as: "primus_work_group" },
    { given: "user_name", as: "primus_user_name" },
    { given: "exp_name", as: "primus_exp_name" },
    { given: "workspace", as: "primus_workspace" },
  ],
  named: [f for m in _models for f in _model(m[0], m[1], m[2])] + [
    {
      names: ["pre_trainer.yaml"],
      why: "what it leaves open is as Primus has it: compiled, without recomputation",
      keys: ["compile_enable=true", "activation_checkpoint_mode=none"],
    },
  ],
  harmless: torchtitan_line.harmless + [
    {
      why: "names of Primus's files and folders",
      names: ["primus_work_group primus_user_name primus_exp_name primus_workspace primus_framework"],
    },
    { why: "what Primus logs beside steps", names: ["sink_level file_sink_level stderr_sink_level training_steps training_mock_data"] },
    {
      why: "kernels of Primus-Turbo, which are priced as the GPU's products and attention are",
      names: [
        "primus_turbo_enable_primus_turbo primus_turbo_use_turbo_attention primus_turbo_use_classic_attention",
        "primus_turbo_use_turbo_async_tp primus_turbo_use_turbo_mx_linear primus_turbo_use_turbo_float8_linear",
        "primus_turbo_use_turbo_grouped_mm primus_turbo_use_moe_fp8 primus_turbo_enable_embedding_autocast",
      ],
    },
  ],
  partly: torchtitan_line.partly + [
    { why: "attention is in 16 bits here", but: ["false"], names: ["primus_turbo_enable_attention_float8"] },
    {
      why: "products that are made again by their shapes are not followed",
      names: ["activation_checkpoint_per_op_sac_force_recompute_mm_shapes_by_fqns"],
    },
  ],
  refused: torchtitan_line.refused,
  plan: torchtitan_line.plan,
}
