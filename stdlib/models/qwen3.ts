// Qwen3 (Yang et al., arXiv 2505.09388): Llama with heads of 128, RMS norm of queries and keys, and
// a tied head in the small ones; or with experts, eight of 128 for each token and none shared.
export import std.models.llama, std.models.llama_moe
export import std.ops.routing

fn qwen3(layers: Int, hidden: Int, heads: Int, ffn: Int, seq: Int, tied: Bool = false) -> Model = llama(
  layers: layers,
  hidden: hidden,
  heads: heads,
  kv_heads: 8,
  ffn: ffn,
  vocab: 151936,
  seq: seq,
  head_dim: 128,
  qk_norm: true,
  tied: tied,
)
fn qwen3_0_6b(seq: Int = 4096) -> Model = qwen3(28, 1024, 16, 3072, seq, tied: true)
fn qwen3_1_7b(seq: Int = 4096) -> Model = qwen3(28, 2048, 16, 6144, seq, tied: true)
fn qwen3_4b(seq: Int = 4096) -> Model = qwen3(36, 2560, 32, 9728, seq, tied: true)
fn qwen3_8b(seq: Int = 4096) -> Model = qwen3(36, 4096, 32, 12288, seq)
fn qwen3_14b(seq: Int = 4096) -> Model = qwen3(40, 5120, 40, 17408, seq)
fn qwen3_32b(seq: Int = 4096) -> Model = qwen3(64, 5120, 64, 25600, seq)

fn qwen3_moe(layers: Int, hidden: Int, heads: Int, ffn: Int, seq: Int, load: Any) -> Model = llama_moe(
  layers: layers,
  hidden: hidden,
  heads: heads,
  kv_heads: 4,
  ffn: ffn,
  experts: 128,
  top: 8,
  vocab: 151936,
  seq: seq,
  head_dim: 128,
  qk_norm: true,
  load: load,
)
fn qwen3_30b_a3b(seq: Int = 4096, load: Any = 1) -> Model = qwen3_moe(48, 2048, 32, 768, seq, load)
fn qwen3_235b_a22b(seq: Int = 4096, load: Any = 1) -> Model = qwen3_moe(94, 4096, 64, 1536, seq, load)
