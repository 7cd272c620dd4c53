# Forward FLOPs in closed form, from nothing but a model's published sizes. s: length, l: layers, h: width, a: heads, k: heads of keys and values, d: width
# of a head, f: width of the MLP, v: words.

# Narayanan et al., arXiv 2104.04473, section 5.1 (its 96 B s l h^2 (...) counts forward twice and backward): attention over all pairs.
function gpt(l, h, v, s) { return 24 * s * l * h * h * (1 + s / (6 * h)) + 2 * s * h * v }

# Of attention over all pairs, the half that a causal mask throws away.
function masked_gpt(l, h, v, s) { return 2 * l * s * s * h }

# Projections of grouped-query attention, and half of all pairs (causal), or the last `w` keys.
function pairs(s, w) { return w > 0 && w < s ? w * (2 * s - w) : s * s }
function gqa(h, a, k, d, s, w) { return 2 * s * h * (a + 2 * k) * d + 2 * s * a * d * h + 2 * a * d * pairs(s, w) }
function glu(h, f, s) { return 6 * s * h * f }
function llama(l, h, a, k, d, f, v, s) { return l * (gqa(h, a, k, d, s, 0) + glu(h, f, s)) + 2 * s * h * v }
# `full` layers of l see everything, the others `w` keys.
function gemma(l, full, h, a, k, d, f, v, w, s) { return full * gqa(h, a, k, d, s, 0) + (l - full) * gqa(h, a, k, d, s, w) + l * glu(h, f, s) + 2 * s * h * v }

# Experts: each token goes through `top` of e, and through shared ones of width g.
function experts(h, e, top, f, g, s) { return 2 * s * h * e + 6 * s * h * (top * f + g) }
function moe(l, h, a, k, d, e, top, f, g, v, s) { return l * (gqa(h, a, k, d, s, 0) + experts(h, e, top, f, g, s)) + 2 * s * h * v }
# Llama 4: one layer in `every` has experts.
function llama4(l, every, h, a, k, d, e, f, dense, v, s) {
  return l * gqa(h, a, k, d, s, 0) + l / every * experts(h, e, 1, f, f, s) + (l - l / every) * glu(h, dense, s) + 2 * s * h * v
}
# Parameters of its vision: 34 layers of 1408 and 5632 with biases, patches of 14, 577 positions, an adapter and a projector into the text's 5120.
function llama4_vision(   h, f) {
  h = 1408; f = 5632
  return 34 * (4 * (h * h + h) + 2 * h * f + f + h + 4 * h) + 588 * h + h + 577 * h + 4 * h + f * 4096 + 4096 * 4096 + 4096 * 5120
}
# MLPs without a gate; MPT, and Nemotron-4.
function mlp(h, f, s) { return 4 * s * h * f }
function nemotron(l, h, a, k, f, v, s) { return l * (gqa(h, a, k, h / a, s, 0) + mlp(h, f, s)) + 2 * s * h * v }
# Mamba-2, arXiv 2405.21060: projections in and out, and the scan in chunks of 128 with `n` states: for an element of x 128 / 2 keys and as many values, two products with the states, and the
# scores of each of g groups.
function mamba(h, inner, g, n, heads, s) { return 2 * s * h * (2 * inner + 2 * g * n + heads) + 2 * s * inner * h + s * (2 * inner * (128 + 2 * n) + 2 * 128 * n * g) }
# Experts without a gate, in a space of z (0: of the width h).
function plain_experts(h, e, top, f, shared, z, s) { return 2 * s * h * e + 4 * s * top * f * (z ? z : h) + (z ? 4 * s * h * z : 0) + 4 * s * h * shared }
# Hybrids: attention, state spaces of heads of 64, and MLPs or experts, after one another.
function hybrid_attention(n, h, a, k, v, s) { return n * gqa(h, a, k, 128, s, 0) + 2 * s * h * v }
function nemotron_h(s) { return hybrid_attention(10, 8192, 64, 8, 131072, s) + 54 * (mamba(8192, 16384, 8, 256, 256, s) + mlp(8192, 32768, s)) }
function hybrid(n, m, h, a, inner, e, top, f, shared, z, s) { return hybrid_attention(n, h, a, 2, 131072, s) + m * (mamba(h, inner, 8, 128, inner / 64, s) + plain_experts(h, e, top, f, shared, z, s)) }
# GPT-OSS: every other layer sees 128 words.
function gpt_oss(l, e, s) { return l / 2 * (gqa(2880, 64, 8, 64, s, 0) + gqa(2880, 64, 8, 64, s, 128)) + l * experts(2880, e, 4, 2880, 0, s) + 2 * s * 2880 * 201088 }
# Low-rank pairs beside two frozen products of attention.
function lora(l, h, a, k, f, v, s, r) { return llama(l, h, a, k, h / a, f, v, s) + l * 2 * s * r * (h + (h + 2 * k * h / a) + 2 * h) }
# What no step needs of the trained: the weight gradients of what is frozen.
function frozen_lora(l, h, a, k, f, v, s, r) { return llama(l, h, a, k, h / a, f, v, s) - l * 2 * h * s * s }
function kimi(s) { return 61 * mla(7168, 64, 1536, 512, 128, 64, 128, s) + glu(7168, 18432, s) + 60 * experts(7168, 384, 8, 2048, 2048, s) + 2 * s * 7168 * 163840 }
# DeepSeek-V3, arXiv 2412.19437, section 2.1: ranks q and r, heads of n + p for queries and keys, of o for values.
function mla(h, a, q, r, n, p, o, s) { return 2 * s * (h * q + q * a * (n + p) + h * (r + p) + r * a * (n + o) + a * o * h) + a * (n + p + o) * s * s }
function deepseek(l, dense, mtp, s,   h, one) {
  h = 7168; one = mla(h, 128, 1536, 512, 128, 64, 128, s)
  return (l + mtp) * one + dense * glu(h, 18432, s) + (l - dense + mtp) * experts(h, 256, 8, 2048, 2048, s) + mtp * 4 * s * h * h + (1 + mtp) * 2 * s * h * 129280
}

# Queries that are not compressed are one product of their own.
function moonlight(s,   h, one) {
  h = 2048; one = mla(h, 16, 0, 512, 128, 64, 128, s) + 2 * s * h * 16 * (128 + 64)
  return 27 * one + glu(h, 11264, s) + 26 * experts(h, 64, 6, 1408, 2816, s) + 2 * s * h * 163840
}

# Encoders: attention over all pairs. `words`: the transformation before BERT's head, its pooler and its two classes.
function encoder(l, h, s) { return l * (24 * s * h * h + 4 * s * s * h) }
function bert(l, h, v, s) { return encoder(l, h, s) + 2 * s * h * h + 2 * s * h * v + 2 * h * h + 4 * h }
function t5(l, h, a, d, f, v, s, t,   i) {
  i = a * d
  return l * (8 * s * h * i + 4 * s * s * i + 4 * s * h * f) + l * (8 * t * h * i + 2 * t * t * i + 4 * t * h * i + 4 * s * h * i + 4 * s * t * i + 4 * t * h * f) + 2 * t * h * v
}
function tower(l, h, p,   n) { n = int(224 / p) ^ 2; return encoder(l, h, n + 1) + 6 * n * p * p * h }
function vit(l, h, p) { return tower(l, h, p) + 2000 * h }
# One pair: image and text tower, two projections, one similarity.
function clip(l, h, p, th, space) { return tower(l, h, p) + 12 * (24 * 77 * th * th + 2 * 77 * 77 * th) + 2 * (h + th) * space + 2 * space }
# torchvision counts a multiplication with its addition once, in units of 1e9.
function macs(n) { return 2e9 * n }

# The first product of a model of pictures: nobody needs the gradient of its input.
function patches(l, h, p, th, space) { return 6 * int(224 / p) ^ 2 * p * p * h }
function first(model) { return model ~ /vgg/ ? 2 * 64 * 27 * 224 ^ 2 : 2 * (model ~ /161/ ? 96 : 64) * 147 * 112 ^ 2 }
