// Primus's experiments as plans (AMD-AGI/Primus, August 2026): its YAML over MaxText, Megatron-LM and torchtitan.
// `framework` of the trainer picks the table. Over MaxText, what a module's `model` names is a published model,
// `overrides` are MaxText's keys.
export import std.frameworks.maxtext, std.frameworks.primus_megatron, std.frameworks.primus_torchtitan

let command_line = {
  about: "An experiment of Primus's: `trainspec import primus` wrote it.",
  arguments: maxtext_line.arguments,
  gpu: "mi300x",
  defaults: true,
  picks: [
    { key: "modules.pre_trainer.framework", value: "megatron", table: primus_megatron_line },
    { key: "modules.pre_trainer.framework", value: "torchtitan", table: primus_torchtitan_line },
  ],
  reads: ["primus_config extends"],
  named: [
    {
      names: ["pre_trainer.yaml"],
      why: "what it leaves open is as Primus has it: weights and moments in bf16",
      keys: ["weight_dtype=bfloat16"],
    },
  ],
  prefixes: [
    { given: "modules_pre_trainer_overrides_", as: "" },
    { given: "modules_pre_trainer_model", as: "model_name" },
    { given: "modules_pre_trainer_", as: "primus_" },
    { given: "modules_post_trainer_framework", as: "primus_framework" },
    { given: "modules_post_trainer_", as: "primus_post_" },
    { given: "work_group", as: "primus_work_group" },
    { given: "user_name", as: "primus_user_name" },
    { given: "exp_name", as: "primus_exp_name" },
    { given: "workspace", as: "primus_workspace" },
  ],
  refused: maxtext_line.refused + [
    {
      why: "Primus over this framework has no plan here yet: MaxText, Megatron-LM and torchtitan are followed",
      but: ["maxtext"],
      names: ["primus_framework"],
    },
  ],
  harmless: maxtext_line.harmless + [{ why: "names of Primus's files and folders", names: ["primus_* env_*"] }],
  gpus: maxtext_line.gpus,
  files: maxtext_line.files,
  open: maxtext_line.open,
  partly: maxtext_line.partly,
  plan: maxtext_line.plan,
}
