schedule a(p: Axis, s: List, cut: Bool) { stages   p of s   balanced  if cut and   true
 at s in 0..p { F(0) B(0) } }
