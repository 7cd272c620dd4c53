// GPT-OSS (OpenAI, arXiv 2508.10925): experts in each layer, heads of 64, every other layer sees
// the last 128 words alone, positions are scaled as in YaRN. The experts' second products have
// biases; others are left out.
import std.ops.nn, std.ops.moe, std.models.llama, std.models.llama_moe
export import std.ops.routing

model gpt_oss(layers: Int, experts: Int, seq: Int, load: Any = 1) {
  require min(layers, experts, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  x = embedding(ids, 201088, 2880) as embed
  repeat layers as layer {
    r = llama_attention(x, 64, 8, 64, window: if layer % 2 == 0 then 128 else 0, scaled: true)
    x = moe_half(r, experts, 4, 2880, 0, load, biased: true)
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: 201088) as head
  loss = cross_entropy(logits) as loss
}

fn gpt_oss_20b(seq: Int = 8192, load: Any = 1) -> Model = gpt_oss(24, 32, seq, load)
fn gpt_oss_120b(seq: Int = 8192, load: Any = 1) -> Model = gpt_oss(36, 128, seq, load)
