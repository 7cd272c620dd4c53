// Encoders of words, and encoders with a decoder, as std.import.hf_types.
import std.models.decoder, std.import.hf_keys, std.import.hf_types

// RoBERTa: layers with norms behind sums, that see everything, and a head for hidden words. `max_position_embeddings` counts
// two positions that no word has.
fn _roberta(c: Record) -> Decoder = if hf_or(c, "position_embedding_type", "absolute") != "absolute" or hf_flag(
  c,
  "is_decoder",
) then refuse(
  "`position_embedding_type`, `is_decoder`: an encoder of this type has absolute positions: write absolute and false",
) else _masked(c, "sum", true) with { final_norm = false }
// Norms before each half, and one behind the last.
fn _roberta_before(c: Record) -> Decoder = _masked(c, "before", true)
fn _masked(c: Record, norms: String, embed_norm: Bool) -> Decoder = hf_alike(
  c,
  [m with { causal = false, rotary = false } for m in hf_mixers(c, hf_always(c), true, true)],
  hf_dense(c, true, false),
  norms,
) with {
  norm = "layer"
  positions = hf_get(c, "max_position_embeddings")
  segments = hf_get(c, "type_vocab_size")
  embed_norm = embed_norm
  head_bias = true
  head_dense = true
  dropout = hf_or(c, "hidden_dropout_prob", 0.1)
  embed_dropout = hf_or(c, "hidden_dropout_prob", 0.1)
}

// An encoder and a decoder with sizes of their own under BART's names.
fn _part(c: Record, heads: Int, ffn: Int, biased: Real, norms: String, causal: Bool) -> Layer = {
  mixer: _attention(c, heads, biased) with { causal = causal },
  mlp: {
    ffn: ffn,
    activation: hf_activation(c, false),
    gated: false,
    bias: true,
    dropped: hf_or(c, "activation_dropout", 0) != 0,
  },
  norms: norms,
}
fn _attention(c: Record, heads: Int, biased: Real) -> Mixer = {
  heads: heads,
  head_dim: div(hf_get(c, "d_model"), heads),
  bias: true,
  biased: biased,
  out_bias: true,
  rotary: false,
}
fn _both(c: Record, norms: String, bias_of_keys: Bool, seq: Int, encoder: Encoder) -> Decoder = if hf_or(
  c,
  "encoder_layerdrop",
  0,
) != 0 or hf_or(c, "decoder_layerdrop", 0) != 0 then refuse(
  "`encoder_layerdrop`, `decoder_layerdrop`: layers that are left out by chance have no plan here: write 0.0",
) else {
  layers: [
    _part(c, hf_get(c, "decoder_attention_heads"), hf_get(c, "decoder_ffn_dim"), if bias_of_keys then 1 else 2 / 3.0, norms, true) with {
      cross = [_attention(c, hf_get(c, "decoder_attention_heads"), if bias_of_keys then 1 else 0.5)]
    } for i in 0..hf_get(c, "decoder_layers")
  ],
  hidden: hf_get(c, "d_model"),
  vocab: hf_get(c, "vocab_size"),
  seq: seq,
  norm: "layer",
  tied: hf_or(c, "tie_word_embeddings", true),
  dropout: hf_or(c, "dropout", 0),
  embed_dropout: hf_or(c, "dropout", 0),
  encoder: [
    encoder with {
      layers = [
        _part(
          c,
          hf_get(c, "encoder_attention_heads"),
          hf_get(c, "encoder_ffn_dim"),
          if bias_of_keys then 1 else 2 / 3.0,
          norms,
          false,
        ) for i in 0..hf_get(c, "encoder_layers")
      ]
    },
  ],
}
fn _seq(c: Record) -> Int = hf_asked(c, min(1024, hf_get(c, "max_position_embeddings")))
fn _target(c: Record, otherwise: Int) -> Int = if c.target > 0 then c.target else otherwise
// Learned positions have two more than words; what a decoder predicts is as long as what the encoder reads. mBART has
// norms before each half, and behind the last.
fn _bart(c: Record) -> Decoder = _bart_of(c, "sum", false)
fn _mbart(c: Record) -> Decoder = _bart_of(c, "before", true)
fn _bart_of(c: Record, norms: String, final: Bool) -> Decoder = _both(
  c,
  norms,
  true,
  _target(c, _seq(c)),
  { layers: [], seq: _seq(c), positions: hf_get(c, "max_position_embeddings") + 2, embed_norm: true, final_norm: final },
) with {
  positions = hf_get(c, "max_position_embeddings") + 2
  embed_norm = true
  final_norm = final
}
// Whisper: a sample has as many frames of sound as the file has positions for; keys have no biases.
fn _whisper(c: Record) -> Decoder = if hf_flag(c, "apply_spec_augment") then refuse(
  "`apply_spec_augment`: frames that are hidden by chance are not followed: write false",
) else _both(
  c,
  "before",
  false,
  _target(c, hf_asked(c, hf_get(c, "max_target_positions"))),
  {
    layers: [],
    seq: hf_get(c, "max_source_positions"),
    positions: hf_get(c, "max_source_positions"),
    fixed: true,
    sounds: true,
    bands: hf_get(c, "num_mel_bins"),
  },
) with {
  positions = hf_get(c, "max_target_positions")
}

// Those whose decoder has an encoder, for `target`.
let hf_with_encoder = "t5 mt5 bart mbart whisper"
let _both_reads = "is_encoder_decoder d_model encoder_layers encoder_attention_heads encoder_ffn_dim encoder_layerdrop decoder_layers decoder_attention_heads decoder_ffn_dim decoder_layerdrop activation_function dropout activation_dropout scale_embedding add_final_layer_norm add_bias_logits normalize_before normalize_embedding static_position_embeddings extra_pos_embeddings force_bos_token_to_be_generated classif_dropout"
let _bart_sizes: Record = {
  vocab_size: 50265,
  max_position_embeddings: 1024,
  d_model: 1024,
  encoder_layers: 12,
  encoder_attention_heads: 16,
  encoder_ffn_dim: 4096,
  decoder_layers: 12,
  decoder_attention_heads: 16,
  decoder_ffn_dim: 4096,
  activation_function: "gelu",
  dropout: 0.1,
  tie_word_embeddings: true,
}
let _roberta_reads = "position_embedding_type type_vocab_size hidden_dropout_prob is_decoder"
let _roberta_sizes: Record = {
  vocab_size: 50265,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  hidden_act: "gelu",
  max_position_embeddings: 512,
  type_vocab_size: 2,
  tie_word_embeddings: true,
}

let hf_encoder_types: List[Record] = [
  {
    types: "roberta xlm-roberta camembert",
    build: _roberta,
    reads: _roberta_reads,
    default: _roberta_sizes,
  },
  { types: "roberta-prelayernorm", build: _roberta_before, reads: _roberta_reads, default: _roberta_sizes },
  { types: "bart", build: _bart, reads: _both_reads, default: _bart_sizes },
  { types: "mbart", build: _mbart, reads: _both_reads, default: _bart_sizes },
  {
    types: "whisper",
    build: _whisper,
    reads: _both_reads + " num_mel_bins max_source_positions max_target_positions apply_spec_augment use_weighted_layer_sum classifier_proj_size mask_time_prob mask_time_length mask_time_min_masks mask_feature_prob mask_feature_length mask_feature_min_masks median_filter_width",
    default: {
      vocab_size: 51865,
      d_model: 384,
      encoder_layers: 4,
      encoder_attention_heads: 6,
      encoder_ffn_dim: 1536,
      decoder_layers: 4,
      decoder_attention_heads: 6,
      decoder_ffn_dim: 1536,
      activation_function: "gelu",
      dropout: 0.0,
      tie_word_embeddings: true,
      num_mel_bins: 80,
      max_source_positions: 1500,
      max_target_positions: 448,
    },
  },
]
