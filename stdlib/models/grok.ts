// Grok-1 (xAI, March 2024): two of eight experts for each token, gated, in every layer.
export import std.models.llama_moe
export import std.ops.routing

fn grok1(seq: Int = 8192, load: Any = 1) -> Model = llama_moe(
  layers: 64,
  hidden: 6144,
  heads: 48,
  kv_heads: 8,
  ffn: 32768,
  experts: 8,
  top: 2,
  vocab: 131072,
  seq: seq,
  load: load,
)
