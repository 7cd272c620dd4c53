plan crowded {
  model     = stack(layers: 4)
  cluster   = box(memory: 8 GiB)
  schedule  = in_order(m: 3)
  recompute = none
}
