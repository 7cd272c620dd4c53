// MaxText and PaxML: JAX on TPUs. The compiler (XLA) schedules the whole step: no host, collectives
// beside work that does not need them, gradients from their backward to the update.
import std.frameworks.profile, std.strategies.recompute, std.models.llama

let maxtext: Framework = {
  name: "MaxText",
  gradients: bf16,
  tensor: "stream",
  attention: "cudnn",
  arithmetic: { gemm: bf16 },
  loss: "fused",
  host: { launch: 0 us, collective: 0 us, message: 0 us, item: 0 us, step: 1 ms },
  sharding: "fsdp",
}

// What a layer computes again before its backward. MaxText's `remat_policy`: "full", "custom" and
// the like keep the layer's input, and of what it names (`query_proj` and so on) each that is kept
// on the device or offloaded (`kept`). The compiler leaves out what no gradient needs: the layer's
// last product. Sources: AI-Hypercomputer/maxtext, configs/base.yml and layers/decoders.py.
// Offloading itself takes no time here.
fn _in(x: String, all: List) -> Bool = sum([if y == x then 1 else 0 for y in all]) > 0
fn maxtext_remat(kept: List) -> Any = kept_by_name(
  _unneeded + (if _in("query_proj", kept) then ["*.qkv"] else []) + (if _in("context", kept) then ["attn.core"] else []) +
  (if _in("out_proj", kept) then ["*.proj"] else []) + (if _in("mlpwi", kept) then ["*.up", "*.gate"] else []),
)
let _unneeded = ["*.down", "*.bias", "*.combine", "*.sum", "mlp.norm", "mlp.residual", "moe.residual"]

// MaxText's own dense models (`global_parameter_scale`, a power of two): heads and width of the MLP
// double first, then the hidden size, then the layers (pyconfig.py, get_individual_scales).
fn _log2(n: Int) -> Int = floor(log2(n) + 0.5)
fn _two_to(n: Int) -> Int = round(pow(2, n))
fn maxtext_scaled(scale: Int, seq: Int = 2048) -> Model = llama(
  layers: 16 * _two_to(div(_log2(scale), 3)),
  hidden: 2048 * _two_to(div(_log2(scale) + 1, 3)),
  heads: 16 * _two_to(div(_log2(scale) + 2, 3)),
  kv_heads: 16 * _two_to(div(_log2(scale) + 2, 3)),
  head_dim: 128,
  ffn: 7168 * _two_to(div(_log2(scale) + 2, 3)),
  vocab: 32000,
  seq: seq,
)
