// One dispatch or combine of tokens by a library of std.exchange, alone: what is measured is the
// kernel, or the call from PyTorch, which copies what came out of the library's buffers, too.
import std.exchange, std.clusters.dgx, std.clusters.hgx, std.precision

// Copies of the tokens of all ranks, for the experts of all ranks. Nothing is computed.
op copies(ranks: Int, count: Int, hidden: Int, format: DType) {
  output y: [ranks, count, hidden] dtype format
  forward { kernel copied { bytes = 1 B } }
}
model sending(ranks: Int, count: Int, hidden: Int, format: DType) {
  y = copies(ranks, count, hidden, format) as copies
}
strategy sent(e: Axis, share: Real) {
  rule sent {
    match copies
    split y dim 1 over e
    after forward: all_to_all(y, dim: 0, over: e, share: share)
  }
}
fn _nothing(bytes: Size) -> Time = 0 us

plan exchange(
  library: String = "hybrid_ep",
  base: Time = exchange_of(library).base,
  call: Time = exchange_of(library).call,
  copy: Rate = exchange_of(library).copy,
  nics: Real = exchange_of(library).nics,
  nvlink: Real = exchange_of(library).nvlink,
  sm: Rate = exchange_of(library).sm,
  row: Time = exchange_of(library).row,
  sms: Int = exchange_of(library).sms,
  kind: String = "h100",
  ranks: Int = 16,
  nodes: Int = 2,
  called: Bool = false,
  tokens: Int = 4096,
  hidden: Int = 7168,
  top: Int = 8,
  limit: Int = 0,
  format: DType = bf16,
  x: Exchange = exchange_of(library) with { base = base, call = call, copy = copy, nics = nics, nvlink = nvlink, sm = sm, row = row },
) {
  model = sending(ranks, ranks * ceil_div(tokens * top, ranks), hidden, format)
  cluster = if kind == "gb200" then racks_of_gb200(ranks) else if kind == "b200" then dgx_b200(nodes: nodes) else if kind == "h800"
    then dgx_h800(nodes: nodes) else dgx_h100(nodes: nodes)
  mesh = { e: ranks }
  apply = [sent(e, exchange_share(x, ranks, nodes, top, limit: limit))]
  batch = { micro: 1 }
  precision = mixed(bf16)
  optimizer = { state: 0 B, master: 0 B, temp: 0 B, kernels: [], fused: true }
  costs = [{ copied: _nothing }]
  network = exchange_network(x, e, ranks, nodes, top, link_of(kind), sms: sms, called: called, limit: limit, token: hidden * bytes(format))
}
