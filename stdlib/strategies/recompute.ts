// Activation recomputation (Chen et al., arXiv 1604.06174; selective: Korthikanti et al., arXiv
// 2205.05198). The forward of the matched ops is run again before their backward; of each group
// only the inputs are kept; an op behind the group keeps what it takes of it, unless `discard`
// drops that, too, and makes it again (Megatron-LM's modules `layernorm`, `moe_act`,
// `mla_up_proj`).
strategy selective(ops: Label, discard: Bool = false) {
  rule again {
    match * as ops
    recompute(discard: discard)
  }
}

// torchtitan's selective recomputation by op: what attention and every second product made is kept,
// counted through the layer's q, k, v, output, gate, down and up. Here q, k and v are one product,
// which is kept; so is a gate that is a product of its own (`apart` of std.models.llama). What is no
// product is made again, copies of tokens sorted by expert among it, and so are products of experts
// (torchtitan/distributed/activation_checkpoint.py: `aten._grouped_mm` is none of its list).
strategy selective_by_op() {
  rule again {
    match * as "*.ln1" | "*.qk_norm" | "*.rotary" | "*.proj" | "attn.residual" | "*.ln2" | "*.dispatch" | "*.up" | "*.act"
    recompute(discard: true)
  }
}

// Without a compiler what the policy names stays whether a backward needs it or not
// (torch/utils/checkpoint.py, _CachingTorchDispatchMode): the MLP's last product, too.
strategy cached_by_op() {
  rule last {
    match linear as "*.down"
    set cached = true
  }
}

// A layer by names, as JAX's `save_only_these_names` has it: what `kept` does not name is made again
// from what it names and the layer's input. What no gradient needs belongs to `kept`, too: the
// compiler (XLA) leaves it out.
strategy kept_by_name(kept: Any, layers: Any = "*[*]") {
  rule again {
    match * where within(label, layers) and not within(label, kept)
    recompute(discard: true)
  }
}

// Whole layers, each a group of its own: only the layer's input is kept. Layers are the repeats of
// the model, whatever their names. `every`: of so many layers the first.
strategy full(layers: Label = "*[*]", every: Int = 1) {
  rule again {
    match * as layers where unit % every == 0
    recompute(group: layers)
  }
}
