strategy a(d: Axis) {
  rule path {
    match stem.conv
    recompute
  }
  rule quoted {
    match "stem.conv"
    recompute
  }
}
