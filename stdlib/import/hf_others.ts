// Models of Hugging Face's transformers that are no decoders by themselves, as std.import.hf_types.
import std.import.hf_keys, std.import.hf_types, std.import.hf_pictures, std.models.t5, std.models.bert, std.models.decoder

fn _t5_gated(c: Record) -> Bool = _gated(hf_or(c, "feed_forward_proj", "relu"))
fn _gated(form: String) -> Bool = match form {
  "gated-gelu" -> true
  "relu" -> false
  _ -> refuse("`feed_forward_proj`: `" + form + "` has no op here: known are relu and gated-gelu")
}
fn _t5_seq(c: Record) -> Int = hf_asked(c, hf_or(c, "n_positions", 512))
fn _t5(c: Record) -> Model = if hf_or(c, "dropout_rate", 0.1) == 0 then refuse(
  "`dropout_rate`: a T5 without dropout has no model here: write 0.1, with which a step takes a little longer",
) else t5(
  layers: hf_get(c, "num_layers"),
  hidden: hf_get(c, "d_model"),
  heads: hf_get(c, "num_heads"),
  head_dim: hf_get(c, "d_kv"),
  ffn: hf_get(c, "d_ff"),
  vocab: hf_get(c, "vocab_size"),
  seq: _t5_seq(c),
  target: if c.target > 0 then c.target else ceil_div(_t5_seq(c) * 114, 512),
  decoders: hf_or(c, "num_decoder_layers", hf_get(c, "num_layers")),
  gated: _t5_gated(c),
  tied: hf_or(c, "tie_word_embeddings", true),
  buckets: hf_get(c, "relative_attention_num_buckets"),
)

// BERT's pre-training with both heads, in the sizes that it has.
fn _four(c: Record) -> Int = if hf_get(c, "intermediate_size") == 4 * hf_get(c, "hidden_size") then hf_get(c, "hidden_size") else refuse(
  "`intermediate_size`: an MLP that is not four times as wide has no model here: write " + str(4 * hf_get(c, "hidden_size")),
)
fn _fixed(c: Record, key: String, value: Any) -> Bool = if hf_get(c, key) == value then true else refuse(
  "`" + key + "`: another value than " + str(value) + " has no model here",
)
fn _bert(c: Record) -> Model = if _fixed(c, "max_position_embeddings", 512) and _fixed(c, "type_vocab_size", 2) and
  _fixed(c, "hidden_act", "gelu") and _fixed(c, "tie_word_embeddings", true) then bert(
  layers: hf_get(c, "num_hidden_layers"),
  hidden: _four(c),
  heads: hf_get(c, "num_attention_heads"),
  vocab: hf_get(c, "vocab_size"),
  seq: hf_asked(c, 512),
  flash: true,
) else none

// Pictures alone, with a classifier of `id2label`.
fn _picture(c: Record) -> Record = if c.seq != 0 then refuse("`seq`: a picture has as many words as patches: leave it out") else {
  file: c.file,
  default: c.default,
  whole: c.file,
  pixels: 0,
}
fn _classes(c: Record) -> Int = hf_or(c, "num_labels", len(fields(hf_get(c, "id2label"))))
fn _vit(c: Record) -> Model = classified(
  hf_vit_tower(_picture(c), hf_dense(c, true, false), hf_or(c, "qkv_bias", true)),
  _classes(c),
  drop: hf_or(c, "hidden_dropout_prob", 0) > 0,
)
fn _dinov2(c: Record) -> Model = if hf_or(c, "drop_path_rate", 0) != 0 then refuse(
  "`drop_path_rate`: layers that are left out by chance have no plan here: write 0.0",
) else classified(
  _factors(hf_vit_tower(_picture(c), _dinov2_mlp(c), hf_or(c, "qkv_bias", true))) with {
    registers = hf_or(c, "num_register_tokens", 0)
    mask = hf_or(c, "use_mask_token", true)
  },
  _classes(c),
  joined: true,
  drop: hf_or(c, "hidden_dropout_prob", 0) > 0,
)
fn _factors(t: Tower) -> Tower = t with { layers = [l with { scaled = true } for l in t.layers] }
// With a gate two thirds as wide, in eights.
fn _dinov2_mlp(c: Record) -> Mlp = if hf_flag(c, "use_swiglu_ffn") then {
  ffn: 8 * div(div(2 * _dinov2_width(c), 3) + 7, 8),
  bias: true,
} else { ffn: _dinov2_width(c), activation: hf_activation(c, false), gated: false, bias: true }
fn _dinov2_width(c: Record) -> Int = round(hf_or(c, "mlp_ratio", 4) * hf_get(c, "hidden_size"))
// CLIP: texts of `seq` words.
fn _clip(c: Record) -> Model = _clip_of(
  c,
  { file: _nested(c, "text_config", _clip_reads), default: _clip_text, seq: c.seq },
  { file: _nested(c, "vision_config", _clip_reads), default: _clip_pictures, whole: c.file, pixels: 0 },
)
fn _clip_of(c: Record, t: Record, v: Record) -> Model = contrasted(
  hf_clip_tower(v, []),
  [
    {
      mixer: { heads: hf_heads(t), head_dim: hf_head_dim(t), bias: true, out_bias: true, rotary: false },
      mlp: hf_dense(t, true, false),
    } for i in 0..hf_layers(t)
  ],
  hf_get(t, "hidden_size"),
  hf_get(t, "vocab_size"),
  hf_asked(t, hf_get(t, "max_position_embeddings")),
  hf_get(t, "max_position_embeddings"),
  hf_or(c, "projection_dim", 512),
)
// A part of the file; in it, too, a key that nobody knows is refused.
fn _nested(c: Record, key: String, reads: String) -> Record = _all_known(
  [k for k in fields(hf_or(c, key, {})) if not any([n == k for n in hf_known([reads])])],
  key,
  hf_or(c, key, {}),
)
fn _all_known(unknown: List, key: String, part: Record) -> Record = if unknown != [] then refuse(
  "`" + key + "`: `" + unknown[0] + "` is not known of this type: take it out if it changes neither parameters nor a step",
) else part
let _clip_reads = "model_type hidden_size intermediate_size num_hidden_layers num_attention_heads num_channels image_size patch_size hidden_act projection_dim vocab_size max_position_embeddings dropout"
let _clip_text: Record = {
  vocab_size: 49408,
  hidden_size: 512,
  intermediate_size: 2048,
  num_hidden_layers: 12,
  num_attention_heads: 8,
  max_position_embeddings: 77,
  hidden_act: "quick_gelu",
}
let _clip_pictures: Record = {
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  num_channels: 3,
  image_size: 224,
  patch_size: 32,
  hidden_act: "quick_gelu",
}

let _dinov2_reads = "model_type hidden_size num_hidden_layers num_attention_heads mlp_ratio hidden_act hidden_dropout_prob image_size patch_size num_channels qkv_bias layerscale_value drop_path_rate use_swiglu_ffn num_register_tokens use_mask_token apply_layernorm reshape_hidden_states stage_names out_features out_indices num_labels"
let _dinov2_sizes: Record = {
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  hidden_act: "gelu",
  image_size: 224,
  patch_size: 14,
  num_channels: 3,
  num_register_tokens: 0,
  id2label: { a: "", b: "" },
  intermediate_size: 1, // of layers whose MLP is replaced
}

let hf_other_types: List[Record] = [
  {
    types: "bert",
    build: _bert,
    reads: "model_type vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size hidden_act hidden_dropout_prob max_position_embeddings type_vocab_size tie_word_embeddings position_embedding_type",
    default: {
      vocab_size: 30522,
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      intermediate_size: 3072,
      hidden_act: "gelu",
      max_position_embeddings: 512,
      type_vocab_size: 2,
      tie_word_embeddings: true,
    },
  },
  {
    types: "vit",
    build: _vit,
    reads: "model_type hidden_size num_hidden_layers num_attention_heads intermediate_size hidden_act hidden_dropout_prob image_size patch_size num_channels qkv_bias encoder_stride pooler_output_size pooler_act num_labels",
    default: {
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      intermediate_size: 3072,
      hidden_act: "gelu",
      image_size: 224,
      patch_size: 16,
      num_channels: 3,
      qkv_bias: true,
      id2label: { a: "", b: "" },
    },
  },
  { types: "dinov2", build: _dinov2, reads: _dinov2_reads, default: _dinov2_sizes },
  {
    types: "dinov2_with_registers",
    build: _dinov2,
    reads: _dinov2_reads,
    default: _dinov2_sizes with { patch_size = 16, num_register_tokens = 4 },
  },
  {
    types: "clip",
    build: _clip,
    reads: "model_type text_config vision_config projection_dim logit_scale_init_value text_config_dict vision_config_dict tie_word_embeddings",
    default: {},
  },
  {
    types: "t5 mt5",
    build: _t5,
    reads: "model_type vocab_size d_model d_kv d_ff num_layers num_decoder_layers num_heads relative_attention_num_buckets relative_attention_max_distance feed_forward_proj dense_act_fn is_gated_act tie_word_embeddings n_positions dropout_rate scale_decoder_outputs",
    default: { vocab_size: 32128, d_model: 512, d_kv: 64, d_ff: 2048, num_layers: 6, num_heads: 8, relative_attention_num_buckets: 32 },
  },
]
