// Interleaved 1F1B (Narayanan et al., arXiv 2104.04473): v chunks a rank, chunk k of rank r is
// stage k p + r. The bubble shrinks by v, messages grow by v. Micro-batches go in groups; within a
// group all of chunk 0, then all of chunk 1, ... The last group may be smaller.

// Micro-batches of a group: p, or where p does not divide m the nearest size above it that does, as
// PyTorch deals them.
fn interleaved_group(p: Int, m: Int) -> Int = max(1, div(m, max(1, div(m, p))))

// Chunk of the n-th forward of a rank.
fn interleaved_chunk(n: Int, m: Int, v: Int, group: Int) -> Int = if n < m * v - m % group * v then div(n, group) % v
  else div(n - (m * v - m % group * v), m % group)

// `group` 0: as above, which is PyTorch's way (ScheduleInterleaved1F1B). Megatron-LM refuses an m
// that p does not divide, unless the size of groups is said
// (`--microbatch-group-size-per-virtual-pipeline-stage`), here `group`: it may differ from p, but
// not be less. `sizes`: repeats of the model on each stage; `balanced`: cut where the times of ranks
// balance; neither: as even as can be.
schedule interleaved_one_f_one_b(p: Axis, m: Int, v: Int, group: Int = 0, sizes: List[Int] = [], balanced: Bool = false) {
  let g = if group > 0 then group else interleaved_group(p, m)
  require group > 0 or m % g == 0, "the `m` micro-batches go in groups of `g`, which is not less than `p`: let `g` divide `m`, or state another size as `group`"
  require group == 0 or group >= p or p == 1, "a group smaller than the pipeline leaves ranks without work"
  require m % g == 0 or m % g >= p, "what is left for the last group must be at least as many micro-batches as there are ranks"
  expect group > 0 or v == 1 or m % p == 0,
    "PyTorch deals micro-batches so, Megatron-LM refuses an `m` that `p` does not divide: let `m` be a multiple of `p`, or state `group`"
  stages p of sizes balanced if balanced
  chunks v
  at r in 0..p {
    let total = m * v
    let warm = min(2 * (p - 1 - r) + (v - 1) * g, total)
    for n in 0..warm { F(next, interleaved_chunk(n, m, v, g)) }
    for n in warm..total {
      F(next, interleaved_chunk(n, m, v, g))
      B(next, v - 1 - interleaved_chunk(n - warm, m, v, g))
    }
    for n in total - warm..total { B(next, v - 1 - interleaved_chunk(n, m, v, g)) }
  }
}
