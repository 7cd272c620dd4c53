// Models of Hugging Face's transformers that are no decoders by themselves, as std.import.hf_types.
import std.import.hf_keys, std.models.t5

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

let hf_other_types: List[Record] = [
  {
    types: "t5 mt5",
    build: _t5,
    reads: "model_type vocab_size d_model d_kv d_ff num_layers num_decoder_layers num_heads relative_attention_num_buckets relative_attention_max_distance feed_forward_proj dense_act_fn is_gated_act tie_word_embeddings n_positions dropout_rate scale_decoder_outputs",
    default: { vocab_size: 32128, d_model: 512, d_kv: 64, d_ff: 2048, num_layers: 6, num_heads: 8, relative_attention_num_buckets: 32 },
  },
]
