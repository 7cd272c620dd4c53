strategy selective(ops: Label) {
  rule again {
    match * as ops
    recompute
  }
}
