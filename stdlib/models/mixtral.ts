// Mixtral (Jiang et al., arXiv 2401.04088; 8x22B: Mistral AI, April 2024): two of eight experts for
// each token.
export import std.models.llama_moe
export import std.ops.routing

fn mixtral(layers: Int, hidden: Int, heads: Int, ffn: Int, seq: Int, load: Any) -> Model = llama_moe(
  layers: layers,
  hidden: hidden,
  heads: heads,
  kv_heads: 8,
  ffn: ffn,
  experts: 8,
  top: 2,
  vocab: 32000,
  seq: seq,
  load: load,
)
fn mixtral_8x7b(seq: Int = 4096, load: Any = 1) -> Model = mixtral(32, 4096, 32, 14336, seq, load)
fn mixtral_8x22b(seq: Int = 4096, load: Any = 1) -> Model = mixtral(56, 6144, 48, 16384, seq, load)
