// 1F1B whose forward of a micro-batch goes on beside the backward of another, so that one computes
// while what the other sends travels: Megatron-Core's `overlap_moe_expert_parallel_comm` (its
// combined_1f1b; the idea is DualPipe's, DeepSeek-AI, arXiv 2412.19437, on an ordinary pipeline).
// As both begin together, a rank has one forward more under way than interleaved 1F1B.
import std.schedules.interleaved

schedule one_f_one_b_beside(p: Axis, m: Int, v: Int = 1, sizes: List[Int] = []) {
  let g = interleaved_group(p, m)
  require v == 1 or m % g == 0, "the `m` micro-batches go in groups of `g`, which is not less than `p`: let `g` divide `m`"
  stages p of sizes
  chunks v
  at r in 0..p {
    let total = m * v
    let warm = min((if v == 1 then 2 * (p - 1 - r) else 2 * (p - 1 - r) + (v - 1) * g) + 1, total)
    for n in 0..warm { F(next, interleaved_chunk(n, m, v, g)) }
    for n in warm..total {
      pair F(next, interleaved_chunk(n, m, v, g)) with B(next, v - 1 - interleaved_chunk(n - warm, m, v, g))
    }
    for n in total - warm..total { B(next, v - 1 - interleaved_chunk(n, m, v, g)) }
  }
}
