// Hop (Luo et al., arXiv 1902.01064): decentralized training on a graph of workers. Each worker has
// a model of its own and sends its parameters to its neighbours after every iteration; a step
// averages what has come from them. Two queues keep workers together: updates, tagged with their
// iteration, and tokens, which let a worker run ahead of a neighbour by so many iterations at most.
//   backups    an iteration goes on without the slowest so many updates of its neighbours (backup workers)
//   staleness  updates that are so many iterations old are good enough (bounded staleness)
//   ahead      most iterations by which a worker may be ahead of a neighbour; 0: the updates alone keep them together

// Neighbours in a ring.
fn ring(w: Int, n: Int) -> List = if n > 2 then [(w + n - 1) % n, (w + 1) % n] else [v for v in 0..n if v != w]

// The paper's ring-based graph: a ring in which every worker is joined to the one farthest away,
// too.
fn ring_based(w: Int, n: Int) -> List = if n % 2 == 0 and n > 2 then ring(w, n) + [(w + div(n, 2)) % n] else ring(w, n)

// Its double ring: two ring-based graphs, joined worker to worker.
fn double_ring(w: Int, n: Int) -> List = [div(w, div(n, 2)) * div(n, 2) + v for v in ring_based(w % div(n, 2), div(n, 2))] +
  [(w + div(n, 2)) % n]

// Every worker with every other.
fn all_others(w: Int, n: Int) -> List = [v for v in 0..n if v != w]

schedule hop(
  n: Axis,
  iterations: Int,
  size: Size,
  graph: Function = ring_based,
  backups: Int = 0,
  staleness: Int = 0,
  ahead: Int = 0,
  micro_batches: Int = 1,
) {
  require backups >= 0 and staleness >= 0 and ahead >= 0, "backups, staleness and ahead are counts: 0 or more"
  require backups == 0 or ahead > 0, "with backup workers nothing but tokens keeps workers together: let `ahead` be at least 1"
  stages n
  chunks 1 copies n
  at w in 0..n {
    for k in 0..iterations {
      for i in 0..micro_batches { F(next) B(next) }
      S
    }
  }
  remove copies // gradients stay where they are; what is averaged are parameters
  // What a worker has after iteration k - 1 goes out while iteration k computes, and is averaged by
  // the step of iteration k.
  depend updates: S(k) at w on any max(len(graph(w, n)) - backups, 0) of S(k - 1 - staleness) at v for v in graph(w, n) sending size
  // A token of a neighbour: it has ended iteration k - 1 - ahead.
  depend tokens: F(i) at w on S(div(i, micro_batches) - 1 - ahead) at v for v in graph(w, n) where ahead > 0 and i % micro_batches == 0
}
