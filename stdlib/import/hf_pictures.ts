// Models of pictures and words of Hugging Face's transformers: what each `model_type` of a file with a
// `vision_config` has before its decoder, in the terms of std.models.decoder. Names and defaults are of
// its configuration classes.
import std.models.decoder, std.import.hf_keys, std.import.hf_types

fn _square(side: Int, patch: Int) -> Int = if side % patch == 0 then div(side, patch) * div(side, patch) else refuse(
  "`pixels`: the side of a picture, " + str(side) + ", is no multiple of `patch_size` (" + str(patch) + ")",
)
// Pixels of a side, as asked for, else as the configuration has it.
fn _side(v: Record, otherwise: Int) -> Int = if v.pixels > 0 then v.pixels else otherwise
fn _one(value: Any) -> Int = if is_list(value) then value[0] else value
fn _layers(v: Record, count: Int, heads: Int, hidden: Int, mlp: Mlp, bias: Bool, rotary: Bool) -> List[Layer] = [
  {
    mixer: { heads: heads, head_dim: div(hidden, heads), bias: bias, out_bias: bias, rotary: rotary, causal: false },
    mlp: mlp,
  } for i in 0..count
]
fn _act(v: Record, gated: Bool) -> String = hf_activation(
  { file: v.file, default: { hidden_act: field(v.default, "hidden_act", "gelu") } },
  gated,
)
fn _wide(v: Record, ffn: Int, bias: Bool = true) -> Mlp = { ffn: ffn, activation: _act(v, false), gated: false, bias: bias }
// What makes words of patches: so many side by side, and two products around GELU.
fn _merged(patches: Int, width: Int, out: Int) -> List[Step] = [
  { kind: "merge", count: patches },
  { kind: "linear", out: width, bias: true },
  { kind: "gelu" },
  { kind: "linear", out: out, bias: true },
]

fn _qwen3(v: Record, words: Int) -> Tower = _qwen3_of(v, hf_get(v, "hidden_size"), hf_get(v, "patch_size"), hf_get(v, "spatial_merge_size"))
fn _qwen3_of(v: Record, hidden: Int, patch: Int, merge: Int) -> Tower = {
  layers: _layers(v, hf_get(v, "depth"), hf_get(v, "num_heads"), hidden, _wide(v, hf_get(v, "intermediate_size")), true, true),
  hidden: hidden,
  patch: hf_get(v, "in_channels") * hf_get(v, "temporal_patch_size") * patch * patch,
  patches: _square(_side(v, patch * round(sqrt(hf_get(v, "num_position_embeddings")))), patch),
  positions: hf_get(v, "num_position_embeddings"),
  steps: [{ kind: "norm" }] + _merged(merge * merge, merge * merge * hidden, hf_get(v, "out_hidden_size")),
  deep: hf_or(v, "deepstack_visual_indexes", []),
  deep_steps: [{ kind: "merge", count: merge * merge }, { kind: "norm" }] +
    [s for s in _merged(merge * merge, merge * merge * hidden, hf_get(v, "out_hidden_size")) if s.kind != "merge"],
}
// Layers but those of `fullatt_block_indexes` see squares of `window_size` pixels.
fn _qwen25(v: Record, words: Int) -> Tower = _qwen25_of(
  v,
  hf_get(v, "hidden_size"),
  hf_get(v, "patch_size"),
  hf_get(v, "spatial_merge_size"),
)
fn _qwen25_of(v: Record, hidden: Int, patch: Int, merge: Int) -> Tower = {
  layers: [
    {
      mixer: {
        heads: hf_get(v, "num_heads"),
        head_dim: div(hidden, hf_get(v, "num_heads")),
        bias: true,
        out_bias: true,
        causal: false,
        window: if any([k == i for k in hf_get(v, "fullatt_block_indexes")]) then 0 else _square(hf_get(v, "window_size"), patch),
      },
      mlp: { ffn: hf_get(v, "intermediate_size"), bias: true },
    } for i in 0..hf_get(v, "depth")
  ],
  hidden: hidden,
  norm: "rms",
  patch: hf_any(v, "in_channels in_chans", 3) * hf_get(v, "temporal_patch_size") * patch * patch,
  patches: _square(_side(v, 8 * hf_get(v, "window_size")), patch),
  patch_bias: false,
  steps: [{ kind: "norm" }] + _merged(merge * merge, merge * merge * hidden, hf_get(v, "out_hidden_size")),
}
fn _qwen2(v: Record, words: Int) -> Tower = _qwen2_of(v, hf_get(v, "embed_dim"), hf_get(v, "patch_size"), hf_get(v, "spatial_merge_size"))
fn _qwen2_of(v: Record, hidden: Int, patch: Int, merge: Int) -> Tower = {
  layers: _layers(v, hf_get(v, "depth"), hf_get(v, "num_heads"), hidden, _wide(v, round(hf_get(v, "mlp_ratio") * hidden)), true, true),
  hidden: hidden,
  patch: hf_any(v, "in_channels in_chans", 3) * hf_get(v, "temporal_patch_size") * patch * patch,
  patches: _square(_side(v, 64 * patch), patch),
  patch_bias: false,
  steps: [{ kind: "norm" }] + _merged(merge * merge, merge * merge * hidden, hf_get(v, "hidden_size")),
}
fn _llama4(v: Record, words: Int) -> Tower = if hf_get(v, "intermediate_size") * pow(hf_get(v, "pixel_shuffle_ratio"), 2) !=
  hf_get(v, "hidden_size") then refuse(
  "`vision_config`: its `intermediate_size` is not that of the patches that become a word: state the tower, or `text: true`",
) else _llama4_of(v, hf_get(v, "hidden_size"), _one(hf_get(v, "patch_size")), words)
fn _llama4_of(v: Record, hidden: Int, patch: Int, words: Int) -> Tower = {
  layers: _layers(
    v,
    hf_get(v, "num_hidden_layers"),
    hf_get(v, "num_attention_heads"),
    hidden,
    _wide(v, hf_get(v, "intermediate_size")),
    true,
    true,
  ),
  hidden: hidden,
  patch: hf_get(v, "num_channels") * patch * patch,
  patches: _square(_side(v, _one(hf_get(v, "image_size"))), patch),
  patch_bias: false,
  positions: _square(_one(hf_get(v, "image_size")), patch) + 1,
  class_token: true,
  pre_norm: true,
  post_norm: true,
  steps: [
    { kind: "merge", count: round(1 / pow(hf_get(v, "pixel_shuffle_ratio"), 2)) },
    { kind: "linear", out: hf_get(v, "projector_input_dim") },
    { kind: "gelu" },
    { kind: "linear", out: hf_get(v, "projector_output_dim") },
    { kind: "gelu" },
    { kind: "linear", out: words },
  ],
}
// SigLIP's tower, whose class has no head here.
fn _siglip(v: Record, steps: List[Step]) -> Tower = _siglip_of(v, steps, hf_get(v, "hidden_size"), _one(hf_get(v, "patch_size")))
fn _siglip_of(v: Record, steps: List[Step], hidden: Int, patch: Int) -> Tower = {
  layers: _layers(
    v,
    hf_get(v, "num_hidden_layers"),
    hf_get(v, "num_attention_heads"),
    hidden,
    _wide(v, hf_get(v, "intermediate_size")),
    true,
    false,
  ),
  hidden: hidden,
  patch: hf_get(v, "num_channels") * patch * patch,
  patches: _square(_side(v, _one(hf_get(v, "image_size"))), patch),
  positions: _square(_one(hf_get(v, "image_size")), patch),
  post_norm: true,
  steps: steps,
}
fn _gemma3(v: Record, words: Int) -> Tower = if hf_or(v, "vision_use_head", false) then refuse(
  "`vision_use_head`: the pooling head of this tower is not followed: write false",
) else _siglip(
  v,
  [
    {
      kind: "pool",
      count: div(
        _square(_side(v, _one(hf_get(v, "image_size"))), _one(hf_get(v, "patch_size"))),
        field(v.whole, "mm_tokens_per_image", 256),
      ),
    },
    { kind: "rmsnorm" },
    { kind: "linear", out: words },
  ],
)
fn _kimi(v: Record, words: Int) -> Tower = _kimi_of(v, hf_any(v, "vt_hidden_size hidden_size", 1152), hf_get(v, "patch_size"), words)
fn _kimi_of(v: Record, hidden: Int, patch: Int, words: Int) -> Tower = {
  layers: _layers(
    v,
    hf_any(v, "vt_num_hidden_layers num_hidden_layers", 27),
    hf_any(v, "vt_num_attention_heads num_attention_heads", 16),
    hidden,
    _wide(v, hf_any(v, "vt_intermediate_size intermediate_size", 4304)),
    true,
    true,
  ),
  hidden: hidden,
  patch: 3 * patch * patch,
  patches: _square(_side(v, 64 * patch), patch),
  positions: hf_any(v, "init_pos_emb_height pos_emb_height", 64) * hf_any(v, "init_pos_emb_width pos_emb_width", 64),
  post_norm: true,
  steps: [{ kind: "norm" }] + _merged(
    hf_get(v, "merge_kernel_size")[0] * hf_get(v, "merge_kernel_size")[1],
    hf_get(v, "merge_kernel_size")[0] * hf_get(v, "merge_kernel_size")[1] * hidden,
    words,
  ),
}
// Pixtral's tower: layers of Llama's kind that see all of a picture.
fn _pixtral(v: Record, words: Int) -> Tower = _pixtral_of(v, hf_get(v, "hidden_size"), _one(hf_get(v, "patch_size")), words)
fn _pixtral_of(v: Record, hidden: Int, patch: Int, words: Int) -> Tower = {
  layers: _layers(
    v,
    hf_get(v, "num_hidden_layers"),
    hf_get(v, "num_attention_heads"),
    hidden,
    { ffn: hf_get(v, "intermediate_size"), activation: _act(v, true) },
    false,
    true,
  ),
  hidden: hidden,
  norm: "rms",
  patch: hf_get(v, "num_channels") * patch * patch,
  patches: _square(_side(v, 64 * patch), patch),
  patch_bias: false,
  pre_norm: true,
  steps: [
    { kind: "norm" },
    { kind: "merge", count: field(v.whole, "spatial_merge_size", 2) * field(v.whole, "spatial_merge_size", 2) },
    { kind: "linear", out: hidden },
    { kind: "linear", out: words, bias: field(v.whole, "multimodal_projector_bias", false) },
    { kind: "gelu" },
    { kind: "linear", out: words, bias: field(v.whole, "multimodal_projector_bias", false) },
  ],
}

// CLIP's tower.
fn hf_clip_tower(v: Record, steps: List[Step]) -> Tower = _siglip(v, steps) with {
  patch_bias = false
  positions = _square(_one(hf_get(v, "image_size")), _one(hf_get(v, "patch_size"))) + 1
  class_token = true
  pre_norm = true
}
// ViT's, and DINOv2's, whose layers have learned factors.
fn hf_vit_tower(v: Record, mlp: Mlp, bias: Bool) -> Tower = _siglip(v, []) with {
  layers = [
    l with {
      mixer = l.mixer with { bias = bias }
      mlp = mlp
    } for l in _siglip(v, []).layers
  ]
  positions = _square(_one(hf_get(v, "image_size")), _one(hf_get(v, "patch_size"))) + 1
  class_token = true
  post_norm = false
}
// Its class token is left out after the layers.
fn _llava(v: Record, words: Int) -> Tower = if field(v.whole, "vision_feature_select_strategy", "default") != "default" then refuse(
  "`vision_feature_select_strategy`: a class token among the words is not followed: write default",
) else hf_clip_tower(
  v,
  [
    { kind: "linear", out: words, bias: field(v.whole, "multimodal_projector_bias", true) },
    { kind: "gelu" },
    { kind: "linear", out: words, bias: field(v.whole, "multimodal_projector_bias", true) },
  ],
)

let _siglip_sizes: Record = {
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  num_channels: 3,
  image_size: 224,
  patch_size: 16,
}
let _qwen_sizes: Record = {
  depth: 27,
  hidden_size: 1152,
  intermediate_size: 4304,
  num_heads: 16,
  in_channels: 3,
  patch_size: 16,
  spatial_merge_size: 2,
  temporal_patch_size: 2,
  out_hidden_size: 3584,
  num_position_embeddings: 2304,
  deepstack_visual_indexes: [],
  window_size: 112,
  fullatt_block_indexes: [7, 15, 23, 31],
  embed_dim: 1280,
  mlp_ratio: 4,
}
let _qwen_reads = "depth hidden_size intermediate_size num_heads in_channels patch_size spatial_merge_size temporal_patch_size out_hidden_size num_position_embeddings deepstack_visual_indexes hidden_act model_type rope_parameters"

// `reads`, `default`: of the file's `vision_config`.
let hf_picture_types: List[Record] = [
  {
    types: "qwen3_vl qwen3_vl_moe",
    build: _qwen3,
    reads: _qwen_reads,
    default: _qwen_sizes with { deepstack_visual_indexes = [8, 16, 24] },
  },
  { types: "qwen3_5 qwen3_5_moe", build: _qwen3, reads: _qwen_reads, default: _qwen_sizes },
  {
    types: "qwen2_5_vl",
    build: _qwen25,
    reads: _qwen_reads + " in_chans window_size fullatt_block_indexes tokens_per_second spatial_patch_size",
    default: _qwen_sizes with {
      depth = 32
      hidden_size = 3584
      intermediate_size = 3420
      patch_size = 14
    },
  },
  {
    types: "qwen2_vl",
    build: _qwen2,
    reads: _qwen_reads + " in_chans embed_dim mlp_ratio spatial_patch_size",
    default: _qwen_sizes with { depth = 32, hidden_size = 3584, patch_size = 14 },
  },
  {
    types: "llama4",
    build: _llama4,
    reads: "hidden_size intermediate_size num_hidden_layers num_attention_heads num_channels image_size patch_size hidden_act model_type pixel_shuffle_ratio projector_input_dim projector_output_dim projector_dropout vision_output_dim vision_feature_layer vision_feature_select_strategy multi_modal_projector_bias rope_parameters",
    default: {
      hidden_size: 768,
      num_hidden_layers: 34,
      num_attention_heads: 16,
      num_channels: 3,
      intermediate_size: 5632,
      image_size: 448,
      patch_size: 14,
      pixel_shuffle_ratio: 0.5,
      projector_input_dim: 4096,
      projector_output_dim: 4096,
    },
  },
  {
    types: "gemma3",
    build: _gemma3,
    reads: "hidden_size intermediate_size num_hidden_layers num_attention_heads num_channels image_size patch_size hidden_act model_type vision_use_head",
    default: _siglip_sizes,
  },
  {
    types: "llava",
    build: _llava,
    reads: "hidden_size intermediate_size num_hidden_layers num_attention_heads num_channels image_size patch_size hidden_act model_type projection_dim vocab_size",
    default: {
      hidden_size: 1024,
      intermediate_size: 4096,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      num_channels: 3,
      image_size: 336,
      patch_size: 14,
    },
  },
  {
    types: "kimi_k25",
    build: _kimi,
    reads: "vt_hidden_size hidden_size vt_num_hidden_layers num_hidden_layers vt_num_attention_heads num_attention_heads vt_intermediate_size intermediate_size patch_size init_pos_emb_height pos_emb_height init_pos_emb_width pos_emb_width init_pos_emb_time pos_emb_time merge_kernel_size merge_type mm_hidden_size mm_projector_type pos_emb_type projector_hidden_act projector_ln_eps text_hidden_size video_attn_type hidden_act model_type rope_parameters",
    default: { patch_size: 14, merge_kernel_size: [2, 2] },
  },
  {
    types: "mistral3",
    build: _pixtral,
    reads: "hidden_size intermediate_size num_hidden_layers num_attention_heads num_channels image_size patch_size hidden_act model_type head_dim rope_parameters vocab_size",
    default: {
      hidden_size: 1024,
      intermediate_size: 4096,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      num_channels: 3,
      image_size: 1024,
      patch_size: 16,
      hidden_act: "gelu",
    },
  },
]
