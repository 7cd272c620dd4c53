// Llama 4 (Meta, April 2025), the text model: one expert for each token beside a shared one; Scout
// has 16 in each layer, Maverick 128 in every other, its dense layers are twice as wide. Attention
// sees all that came before, which is right up to 8,192 words; beyond, three layers of four see
// chunks of so many.
export import std.models.llama_moe
export import std.ops.routing

fn llama4(experts: Int, every: Int, seq: Int, load: Any) -> Model = llama_moe(
  layers: 48,
  hidden: 5120,
  heads: 40,
  kv_heads: 8,
  ffn: 8192,
  experts: experts,
  top: 1,
  shared: 8192,
  every: every,
  dense: 16384,
  vocab: 202048,
  seq: seq,
  load: load,
)
fn llama4_scout(seq: Int = 8192, load: Any = 1) -> Model = llama4(16, 1, seq, load)
fn llama4_maverick(seq: Int = 8192, load: Any = 1) -> Model = llama4(128, 2, seq, load)
