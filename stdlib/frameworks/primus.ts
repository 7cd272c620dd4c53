// Primus's experiments as plans (AMD-AGI/Primus, August 2026): its YAML over MaxText. What a module's `model` names
// is a published model, `overrides` are MaxText's keys.
export import std.frameworks.maxtext

let command_line = maxtext_line with {
  about = "An experiment of Primus's: `trainspec import primus` wrote it."
  gpu = "mi300x"
  prefixes = [
    { given: "modules_pre_trainer_overrides_", as: "" },
    { given: "modules_pre_trainer_model", as: "model_name" },
    { given: "modules_pre_trainer_", as: "primus_" },
    { given: "work_group", as: "primus_work_group" },
    { given: "user_name", as: "primus_user_name" },
    { given: "exp_name", as: "primus_exp_name" },
    { given: "workspace", as: "primus_workspace" },
  ]
  refused = maxtext_line.refused + [
    {
      why: "Primus's Megatron and torchtitan have no plan here yet: import their own files",
      but: ["maxtext"],
      names: ["primus_framework"],
    },
  ]
  harmless = maxtext_line.harmless + [{ why: "names of Primus's files and folders", names: ["primus_* env_*"] }]
}
