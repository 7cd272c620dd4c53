fn interleaved_micro(n: Int, p: Int, v: Int) -> Int = div(n, p * v) * p + n % p

fn interleaved_chunk(n: Int, p: Int, v: Int) -> Int = div(n, p) % v

schedule interleaved_one_f_one_b(p: Axis, m: Int, v: Int) {
  require m % p == 0, "interleaved 1F1B deals micro-batches in groups of the pipeline size: m must be a multiple of p"
  stages p
  chunks v
  at r in 0..p {
    let total = m * v
    let warm = min(2 * (p - 1 - r) + (v - 1) * p, total)
    for n in 0..warm {
      F(interleaved_micro(n, p, v), interleaved_chunk(n, p, v))
    }
    for n in warm..total {
      F(interleaved_micro(n, p, v), interleaved_chunk(n, p, v))
      B(interleaved_micro(n - warm, p, v), v - 1 - interleaved_chunk(n - warm, p, v))
    }
    for n in total - warm..total {
      B(interleaved_micro(n, p, v), v - 1 - interleaved_chunk(n, p, v))
    }
  }
}
