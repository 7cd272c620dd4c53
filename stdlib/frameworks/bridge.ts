// What Megatron-Bridge's performance recipes set for mixtures of experts, by model, machine and
// release: read from the repository's own files at its tags (v0.2.0 of November 2025: release
// 25.11; v0.3.0, v0.3.1: 26.02, 26.02.01; v0.4.0, v0.4.2: 26.04, 26.04.01; v0.5.0, v0.5.1: 26.06,
// 26.06.01; v0.6.0: 26.08; scripts/performance/configs, src/megatron/bridge/perf_recipes). Nothing
// here is fitted. Of 25.09 there is no tag: it is taken for 25.11, but drops tokens where its page
// says so.
//
//   exchange  who sends tokens to experts: "all_to_all", "deep_ep", "hybrid_ep"
//   beside    the forward of a micro-batch goes on beside the backward of another, so that one computes
//             while the other's tokens travel (overlap_moe_expert_parallel_comm)
//   captured  what CUDA graphs hold: "none", "router" (with what is done before tokens are sent),
//             "layer" (attention or state space besides), "step"
//   again     modules that are recomputed, by Megatron-Core's names
//   fused     a layer's products of experts and what stands between them are one operation of Transformer
//             Engine (use_transformer_engine_op_fuser)
//   formats   products that are not done in the format of the recipe, later ones before earlier:
//             { ops, format (none: 16 bits), from (of the layers from this one on) }
//
// Rows of a model and a machine are in the order of releases (26.0401: 26.04.01); the last one that
// fits a run holds. `recipe`: only for products in this format.
fn _row(
  model: String,
  gpus: List[String],
  from: Real,
  exchange: String,
  captured: String = "none",
  beside: Bool = false,
  again: List[String] = [],
  recipe: String = "",
  fused: Bool = captured == "step",
  formats: List = [],
) -> Record = { model, gpus, from, exchange, captured, beside, again, recipe, fused, formats }

let _up = ["mla_up_proj"]
let _norms = ["layernorm", "moe_act"]
let _racks = ["gb200", "gb300"]
// Nemotron 3 Super in NVFP4 (te_quant.cfg, num_layers_at_end_in_bf16): attention, latent
// projections and the last 14 of 88 layers stay in 16 bits, outputs of state spaces are in MXFP8.
let _super4 = [
  { ops: "*.ssm.down", format: mxfp8, from: 0 },
  { ops: "*.attn.qkv", format: none, from: 0 },
  { ops: "*.attn.proj", format: none, from: 0 },
  { ops: "*.moe.latent_in", format: none, from: 0 },
  { ops: "*.moe.latent_out", format: none, from: 0 },
  { ops: "layer[*]", format: none, from: 74 },
]

let _recipes = [
  _row("deepseek_v3", ["h100"], 0, "deep_ep", beside: true, again: ["mla_up_proj", "mlp"]),
  _row("deepseek_v3", ["h100"], 26.02, "hybrid_ep", again: ["mla_up_proj", "mlp"]),
  _row("deepseek_v3", ["b200"], 0, "all_to_all", again: _up),
  _row("deepseek_v3", ["b200"], 26.02, "hybrid_ep", again: _up),
  _row("deepseek_v3", ["b200"], 26.0401, "deep_ep", "layer", beside: true, again: ["mla_up_proj", "mlp"], recipe: "mxfp8"),
  _row("deepseek_v3", ["b200"], 26.0401, "deep_ep", beside: true, again: ["mla_up_proj", "layernorm", "moe_act"], recipe: "nvfp4"),
  _row("deepseek_v3", ["b300"], 0, "hybrid_ep", again: _up),
  _row("deepseek_v3", ["b300"], 26.0401, "hybrid_ep", "layer", again: _up),
  _row("deepseek_v3", ["b300"], 26.0601, "hybrid_ep", "step", beside: true, again: _up, recipe: "mxfp8"),
  _row("deepseek_v3", ["gb200"], 0, "hybrid_ep", "router", again: _up),
  _row("deepseek_v3", ["gb200"], 26.02, "hybrid_ep", "layer", again: _up),
  _row("deepseek_v3", ["gb200"], 26.04, "hybrid_ep", "layer", again: ["mlp"], recipe: "fp8"),
  _row("deepseek_v3", ["gb200"], 26.04, "hybrid_ep", "layer", again: ["mlp"], recipe: "mxfp8"),
  _row("deepseek_v3", ["gb200"], 26.04, "hybrid_ep", "layer", again: ["mlp"], recipe: "nvfp4"),
  _row("deepseek_v3", ["gb200"], 26.06, "hybrid_ep", "step", beside: true, again: _up, recipe: "mxfp8"),
  _row("deepseek_v3", ["gb300"], 0, "hybrid_ep", "layer", again: ["moe_act"]),
  _row("deepseek_v3", ["gb300"], 26.02, "hybrid_ep", again: _up, recipe: "fp8"),
  _row("deepseek_v3", ["gb300"], 26.02, "hybrid_ep", again: _up, recipe: "mxfp8"),
  _row("deepseek_v3", ["gb300"], 26.02, "hybrid_ep", again: _up, recipe: "nvfp4"),
  _row("deepseek_v3", ["gb300"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("kimi_k2", ["h100"], 0, "all_to_all", again: ["mla_up_proj", "mlp"]),
  _row("kimi_k2", ["b200", "b300"], 0, "all_to_all", again: _up),
  _row("kimi_k2", ["gb200"], 0, "hybrid_ep", "router", again: _up),
  _row("kimi_k2", ["gb300"], 0, "hybrid_ep", again: _up),
  _row("gpt_oss_120b", ["h100"], 0, "all_to_all", again: _norms),
  _row("gpt_oss_120b", ["b200"], 0, "all_to_all", again: _norms),
  _row("gpt_oss_120b", ["b200"], 26.04, "hybrid_ep", again: _norms),
  _row("gpt_oss_120b", ["b200"], 26.0401, "all_to_all", again: _norms),
  _row("gpt_oss_120b", ["b300"], 0, "all_to_all", "layer"),
  _row("gpt_oss_120b", ["b300"], 26.04, "hybrid_ep", "layer"),
  _row("gpt_oss_120b", ["gb200"], 0, "all_to_all", again: _norms),
  _row("gpt_oss_120b", ["gb200"], 26.04, "hybrid_ep", beside: true, again: _norms),
  _row("gpt_oss_120b", ["gb200"], 26.0401, "all_to_all", beside: true, again: _norms),
  _row("gpt_oss_120b", ["gb200"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("gpt_oss_120b", ["gb300"], 0, "all_to_all", "layer"),
  _row("gpt_oss_120b", ["gb300"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("nemotron3_nano", ["h100"], 0, "hybrid_ep", "layer", again: ["moe", "layernorm"]),
  _row("nemotron3_nano", ["h100"], 0, "hybrid_ep", again: ["moe", "layernorm", "core_attn"], recipe: "fp8"),
  _row("nemotron3_nano", ["b200", "b300", "gb200", "gb300"], 0, "hybrid_ep", "layer"),
  _row("nemotron3_super", _racks, 0, "hybrid_ep", "layer"),
  _row("nemotron3_super", _racks, 0, "hybrid_ep", "layer", recipe: "nvfp4", formats: _super4),
  _row("nemotron3_super", ["b300"], 0, "hybrid_ep", "layer", again: _norms),
  _row("nemotron3_super", ["b300"], 0, "hybrid_ep", "layer", again: _norms, recipe: "nvfp4", formats: _super4),
  _row("nemotron3_super", ["b300"], 0, "hybrid_ep", "layer", recipe: "mxfp8"),
  _row("nemotron3_super", ["b200"], 0, "hybrid_ep", again: ["moe", "layernorm", "core_attn"]),
  _row("nemotron3_super", ["b200"], 0, "hybrid_ep", again: _norms, recipe: "mxfp8"),
  _row("nemotron3_super", ["b200"], 0, "hybrid_ep", "layer", recipe: "nvfp4", formats: _super4),
  _row("nemotron3_ultra", _racks, 0, "hybrid_ep", again: ["moe_act"], fused: true),
  _row("qwen3_235b_a22b", ["h100"], 0, "all_to_all", beside: true),
  _row("qwen3_235b_a22b", ["h100"], 26.0201, "deep_ep", beside: true),
  _row("qwen3_235b_a22b", ["h100"], 26.04, "all_to_all", beside: true),
  _row("qwen3_235b_a22b", ["b200"], 0, "all_to_all", beside: true),
  _row("qwen3_235b_a22b", ["b200"], 26.02, "all_to_all"),
  _row("qwen3_235b_a22b", ["b200"], 26.0201, "deep_ep"),
  _row("qwen3_235b_a22b", ["b200"], 26.04, "all_to_all"),
  _row("qwen3_235b_a22b", ["b200"], 26.0601, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("qwen3_235b_a22b", ["b300"], 0, "all_to_all", beside: true),
  _row("qwen3_235b_a22b", ["b300"], 26.0201, "deep_ep"),
  _row("qwen3_235b_a22b", ["b300"], 26.04, "all_to_all"),
  _row("qwen3_235b_a22b", ["b300"], 26.0401, "hybrid_ep"),
  _row("qwen3_235b_a22b", ["b300"], 26.0601, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("qwen3_235b_a22b", ["gb200"], 0, "hybrid_ep", "layer"),
  _row("qwen3_235b_a22b", ["gb200"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("qwen3_235b_a22b", ["gb300"], 0, "hybrid_ep", "router"),
  _row("qwen3_235b_a22b", ["gb300"], 26.02, "hybrid_ep", "layer", recipe: "fp8"),
  _row("qwen3_235b_a22b", ["gb300"], 26.02, "hybrid_ep", "layer", recipe: "mxfp8"),
  _row("qwen3_235b_a22b", ["gb300"], 26.0201, "hybrid_ep", "layer"),
  _row("qwen3_235b_a22b", ["gb300"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("qwen3_30b_a3b", ["h100"], 0, "all_to_all", beside: true),
  _row("qwen3_30b_a3b", ["h100"], 0, "all_to_all", "router", beside: true, recipe: "bf16"),
  _row("qwen3_30b_a3b", ["h100"], 26.02, "deep_ep", beside: true),
  _row("qwen3_30b_a3b", ["h100"], 26.02, "deep_ep", "router", beside: true, recipe: "bf16"),
  _row("qwen3_30b_a3b", ["h100"], 26.0201, "hybrid_ep"),
  _row("qwen3_30b_a3b", ["h100"], 26.0201, "hybrid_ep", "router", recipe: "bf16"),
  _row("qwen3_30b_a3b", ["h100"], 26.08, "hybrid_ep", "router", beside: true, recipe: "bf16"),
  _row("qwen3_30b_a3b", ["b200"], 0, "all_to_all", "router"),
  _row("qwen3_30b_a3b", ["b200"], 26.0201, "hybrid_ep", "layer"),
  _row("qwen3_30b_a3b", ["b200"], 26.0601, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("qwen3_30b_a3b", ["b300", "gb300"], 0, "hybrid_ep", "router"),
  _row("qwen3_30b_a3b", ["b300", "gb300"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
  _row("qwen3_30b_a3b", ["gb200"], 0, "hybrid_ep", "layer"),
  _row("qwen3_30b_a3b", ["gb200"], 0, "hybrid_ep", "router", recipe: "mxfp8"),
  _row("qwen3_30b_a3b", ["gb200"], 26.06, "hybrid_ep", "step", beside: true, recipe: "mxfp8"),
]

fn _fits(r: Record, run: Record) -> Bool = r.model == run.model and any([g == run.gpu for g in r.gpus]) and r.from <= run.release +
  0.00001 and (r.recipe == "" or r.recipe == run.recipe)
// Those of a run { model, gpu, recipe, release }; the last one holds. Of other models there is none.
fn bridge_recipes(run: Record) -> List = [r for r in _recipes if _fits(r, run)]
