// Activation recomputation (Chen et al., arXiv 1604.06174; selective: Korthikanti et al., arXiv
// 2205.05198). The forward of the matched ops is run again before their backward; of each group
// only the inputs are kept.
strategy selective(ops: Label) {
  rule again {
    match * as ops
    recompute
  }
}

// Whole layers, each a group of its own: only the layer's input is kept. `every`: of so many layers
// the first.
strategy full(layers: Label = "layer[*]", every: Int = 1) {
  rule again {
    match * as layers where unit % every == 0
    recompute(group: layers)
  }
}
