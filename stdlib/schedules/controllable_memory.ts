// Controllable memory (Qi et al., arXiv 2405.15362): V schedules whose building block decides what is held. A block is the slots of the passes of micro-batch 0; micro-batch i comes 6 i
// slots later. Here the slots are preferences of a policy that goes by the real costs, and the block's lifespans limit what is open.
import std.schedules.zero_bubble

// V-Min: about a third of 1F1B's activations (4, 8, 12 chunks of half a stage's size on 4, 8, 16 ranks), at the price of two thirds of its bubble.
schedule v_min(p: Axis, m: Int) {
  stages p
  chunks 2 place v_shape
  policy m at r in 0..p {
    try gap in if m * p > 1100 then [0] else [0, 1, 2, 3]
    try more in [0, 1]
    try late in if m * p > 1100 then [3] else [3, 6, 1000000]
    try wait in if m * p > 1100 then [0] else [0, 1]
    try less in if m * p > 1100 then [0] else [0, 1]
    let most = if p < 4 then 3 else 4 * (ceil_div(p, 4) - div(p, 16))
    let forward = [v_forward(p, r, 0, 1, 1), v_forward(p, r, 1, 1, 1)]
    let backward = [v_backward(p, r, 0, 1, 1, gap, turn: 1), v_backward(p, r, 1, 1, 1, gap, turn: 1)]
    limit F(i, c) <= most - (1 - c) * less
    limit open(0) <= ceil_div(backward[0] - forward[0], 6) + more
    limit open(1) <= ceil_div(backward[1] - forward[1], 6) + more
    limit delay(W) <= 0
    limit delay(F) <= wait
    prefer I(i, c) by 6 * i + backward[c], F(i, c) by 6 * i + forward[c], W(i, c) by 6 * i + backward[c] + late
  }
}

// V-Half: half of 1F1B's activations, p + 2 chunks of half a stage's size.
schedule v_half(p: Axis, m: Int) {
  stages p
  chunks 2 place v_shape
  policy m at r in 0..p {
    try gap in if m * p > 1100 then [0] else [0, 1, 2, 3]
    try more in [0, 1]
    try late in if m * p > 1100 then [3] else [3, 6, 1000000]
    try wait in if m * p > 1100 then [0] else [0, 1]
    try less in if m * p > 1100 then [0] else [0, 1]
    let most = 2 * ceil_div(p + 2, 2)
    let forward = [v_forward(p, r, 0, 2, 1), v_forward(p, r, 1, 2, 1)]
    let backward = [v_backward(p, r, 0, 2, 1, gap, turn: 2), v_backward(p, r, 1, 2, 1, gap, turn: 2)]
    limit F(i, c) <= most - (1 - c) * less
    limit open(0) <= ceil_div(backward[0] - forward[0], 6) + more
    limit open(1) <= ceil_div(backward[1] - forward[1], 6) + more
    limit delay(W) <= 0
    limit delay(F) <= wait
    prefer I(i, c) by 6 * i + backward[c], F(i, c) by 6 * i + forward[c], W(i, c) by 6 * i + backward[c] + late
  }
}
