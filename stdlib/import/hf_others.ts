// Models of Hugging Face's transformers that are no decoders by themselves, as std.import.hf_types.
import std.import.hf_keys, std.models.t5, std.models.bert, std.models.vit

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

// BERT's pre-training with both heads, and ViT with a classifier of `id2label`, in the sizes that their models have.
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
fn _vit(c: Record) -> Model = if c.seq != 0 then refuse("`seq`: a picture has as many words as patches: leave it out") else if _fixed(
  c,
  "num_channels",
  3,
) and _fixed(c, "qkv_bias", true) and _fixed(c, "hidden_act", "gelu") then vit(
  layers: hf_get(c, "num_hidden_layers"),
  hidden: _four(c),
  heads: hf_get(c, "num_attention_heads"),
  patch: hf_get(c, "patch_size"),
  image: hf_get(c, "image_size"),
  classes: hf_or(c, "num_labels", len(fields(hf_get(c, "id2label")))),
) else none

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
  {
    types: "t5 mt5",
    build: _t5,
    reads: "model_type vocab_size d_model d_kv d_ff num_layers num_decoder_layers num_heads relative_attention_num_buckets relative_attention_max_distance feed_forward_proj dense_act_fn is_gated_act tie_word_embeddings n_positions dropout_rate scale_decoder_outputs",
    default: { vocab_size: 32128, d_model: 512, d_kv: 64, d_ff: 2048, num_layers: 6, num_heads: 8, relative_attention_num_buckets: 32 },
  },
]
