// Qwen3, dense (Yang et al., arXiv 2505.09388): Llama with heads of 128, RMS norm of queries and keys, and a tied head in the small ones.
import std.models.llama

fn qwen3(layers: Int, hidden: Int, heads: Int, ffn: Int, seq: Int, tied: Bool = false) -> Model = llama(
  layers,
  hidden,
  heads,
  8,
  ffn,
  151936,
  seq,
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
