// Controllable memory (Qi et al., arXiv 2405.15362): V schedules whose building block decides what
// is held. A block is the slots of the items of micro-batch 0; micro-batch i comes 6 i slots later,
// as a rank has six items a micro-batch, and the slots are chosen so that no two items ever meet.
// What the first and the last blocks leave open is squeezed away.
import std.schedules.waves, std.schedules.zero_bubble

// V-Min: about a third of 1F1B's activations (4, 8, 12 chunks of half a stage's size on 4, 8, 16
// ranks), at the price of two thirds of its bubble.
schedule v_min(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  chunks 2 place zigzag
  policy m at r in 0..p {
    let gap = if p % 3 == 0 then 2 else 0
    let forward = [v_forward(p, r, 0, 1, 1), v_forward(p, r, 1, 1, 1)]
    let backward = [v_backward(p, r, 0, 1, 1, gap), v_backward(p, r, 1, 1, 1, gap)]
    slot F(i, c) at 6 * i + forward[c], I(i, c) at 6 * i + backward[c]
  }
}

// V-Half: half of 1F1B's activations, p + 2 chunks of half a stage's size.
schedule v_half(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  chunks 2 place zigzag
  policy m at r in 0..p {
    let gap = if p % 2 == 0 then 3 else 0
    let forward = [v_forward(p, r, 0, 2, 1), v_forward(p, r, 1, 2, 1)]
    let backward = [v_backward(p, r, 0, 2, 1, gap, 2), v_backward(p, r, 1, 2, 1, gap, 2)]
    slot F(i, c) at 6 * i + forward[c], I(i, c) at 6 * i + backward[c]
  }
}

// 1F1B-V: two thirds of 1F1B's activations with whole backwards, of two slots each. Of the n-th
// backward of a micro-batch; every third leaves its rank's slots to the next block.
fn _whole_backward(p: Int, n: Int) -> Int = 2 * p + (if p % 3 == 0 then 3 else 0) + 2 * n + 3 * div((2 * p + 1) % 3 + n, 3)

schedule one_f_one_b_v(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  chunks 2 place zigzag
  policy m at r in 0..p {
    let forward = [v_forward(p, r, 0, 1, 1), v_forward(p, r, 1, 1, 1)]
    let backward = [_whole_backward(p, 2 * p - 1 - r), _whole_backward(p, r)]
    slot F(i, c) at 6 * i + forward[c], B(i, c) at 6 * i + backward[c]
  }
}
