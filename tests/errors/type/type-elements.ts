import std.models.gpt, std.clusters.dgx

fn longest(rows: List[List[Int]]) -> Int = max([len(r) for r in rows])
fn halves(n: Int) -> List[Int] = [n, n / 2.0]

let rows: List[List[Int]] = [[1, 2], [3, "four"]]
let factors: List[Real] = [1, 2.5, 3 us]
let misplaced: Int[Real] = 3

plan small(sizes: List[Size] = [1 MiB, 2]) {
  model = gpt(layers: longest([[1, 2], 0..4]), hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: longest([[1], 0..4, [true]]))
  memory = { buffers: sum(sizes) }
  tokens = halves(3)[0]
  costs = [roofline(a100_sxm_80g)]
}
