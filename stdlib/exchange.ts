// How tokens travel to experts and back, by library:
//   all_to_all  NCCL's: every copy of a token is sent, at the rates of the machine's network
//   deep_ep     DeepEP (deepseek-ai/DeepEP, normal kernels): a token goes once to every node that wants
//               it, over the NIC of its rank, and inside the node once to every rank that does
//   deep_ep_2   its second version, whose kernels keep fewer processors
//   deep_ep_low_latency  its kernels for few tokens: each copy goes straight to the rank of its expert
//   hybrid_ep   HybridEP (the branch hybrid-ep of the same, of NVIDIA): likewise, with whole racks of
//               NVLink as nodes
//
// A kernel takes `base`, and the longer of two: bytes over NICs at the share `nics` of their rate,
// and copies over NVLink at the share `nvlink` of its rate, or as the `sms` processors move them
// that the library keeps, if that is longer: each takes `row` for a token's copy and moves its
// bytes at `sm`. Called from PyTorch (`called`), it takes `call` longer, and copies what came out
// of the library's buffers at `copy`. A library's `sms` are the defaults of Megatron-Core
// (moe_deepep_num_sms: 20) and of Megatron-Bridge's performance recipes (moe_hybridep_num_sms: 32).
//
// The constants of `deep_ep` and `hybrid_ep` are fitted to one half of the bandwidths that DeepEP's
// pages print (H100, H800, GB200; 4,096 tokens of 7,168): `accuracy --fit "ep_bandwidth/HybridEP"
// base=20us:0us:60us,call=40us:0us:200us,copy=3000GB/s:500GB/s:8000GB/s,nics=0.85:0.6:1,
// nvlink=0.74:0.5:1,sm=53GB/s:20GB/s:120GB/s,row=0.13us:0us:0.6us` (one line; `DeepEP` likewise
// from base=25us, sm=44GB/s, row=0.3us). The fit left `deep_ep_2` as it was put. Those of
// `deep_ep_low_latency` are from AIConfigurator's measurements (deepep_ll_aic.csv.gz: 1 to 1,024
// tokens a rank): base and share of NICs from H100s on 2 and 8 nodes (4 nodes are then 3 % off on
// average), of NVLink from one node (H100 dispatch 0.54, combine 0.48; B200 0.54 and 0.64).
import std.strategies.experts

record Exchange {
  name: String
  base: Time = 0 us
  far: Time = 0 us // what a call between nodes takes more
  call: Time = 0 us
  copy: Rate = 1000 GB/s
  nics: Real = 1
  nvlink: Real = 1
  sm: Rate = 0 GB/s
  row: Time = 0 us
  sms: Int = 0
}

let deep_ep: Exchange = {
  name: "deep_ep",
  base: 4.1 us,
  call: 25 us,
  copy: 2110 GB/s,
  nics: 0.874,
  nvlink: 0.694,
  sm: 39.7 GB/s,
  row: 0.272 us,
  sms: 20,
}
let deep_ep_2: Exchange = deep_ep with { name = "deep_ep_2", sm = 60 GB/s, row = 0.1 us, sms = 12 }
let hybrid_ep: Exchange = {
  name: "hybrid_ep",
  base: 11 us,
  call: 72 us,
  copy: 1920 GB/s,
  nics: 0.736,
  nvlink: 0.753,
  sm: 67.9 GB/s,
  row: 0.132 us,
  sms: 32,
}
let deep_ep_low_latency: Exchange = {
  name: "deep_ep_low_latency",
  base: 12 us,
  far: 14 us,
  call: 25 us,
  copy: 2110 GB/s,
  nics: 0.96,
  nvlink: 0.52,
}
let nccl_exchange: Exchange = { name: "all_to_all" }

fn exchange_of(name: String) -> Exchange = match name {
  "deep_ep" -> deep_ep
  "deep_ep_2" -> deep_ep_2
  "hybrid_ep" -> hybrid_ep
  "deep_ep_low_latency" -> deep_ep_low_latency
  "all_to_all" -> nccl_exchange
  _ -> refuse("an exchange is all_to_all, deep_ep, deep_ep_2, deep_ep_low_latency or hybrid_ep")
}

// Bytes that an all-to-all of all copies would send, of which the library sends so many: over NICs
// where there are `nodes`, else (1: all ranks share NVLink) over NVLink. A token goes to `limit`
// nodes at most (0: any).
fn exchange_share(x: Exchange, ranks: Int, nodes: Int, top: Int, limit: Int = 0) -> Real = if x.name == "all_to_all" or x.name ==
  "deep_ep_low_latency" then 1.0 else nodes_met(if nodes > 1 then nodes else ranks, top, limit) / top

// Experts over `e`, on `nodes`, whose tokens the library sends.
fn exchange_experts(x: Exchange, e: Axis, nodes: Int, top: Int, batch: Axis = e, limit: Int = 0) -> Strategy = expert_parallel(
  e,
  batch: batch,
  sent: exchange_share(x, e.size, nodes, top, limit),
  returned: exchange_share(x, e.size, nodes, top, limit),
)

// A GPU's rate into NVLink, by the name of its machine.
fn link_of(gpu: String) -> Rate = match gpu {
  "b200" | "b300" | "gb200" | "gb300" -> 900 GB/s
  "a100" | "a100_40g" -> 300 GB/s
  "h800" -> 200 GB/s
  _ -> 450 GB/s
}

// Share of a link's rate that is left where `others` is the time that something else takes beside
// (the longer counts), and `more` what it takes besides, both over the link's own.
fn _share(own: Real, others: Real, more: Real) -> Real = 1 / (max(1 / own, others) + more)

// Models of its calls among the ranks along `over`; `link`, `nic`: a GPU's rates into NVLink and to
// other nodes; `token`: bytes of one.
fn exchange_network(
  x: Exchange,
  over: Axis,
  ranks: Int,
  nodes: Int,
  top: Int,
  link: Rate,
  nic: Rate = 50 GB/s,
  sms: Int = x.sms,
  called: Bool = true,
  limit: Int = 0,
  token: Size = 8 KiB,
) = if x.name == "all_to_all" or ranks == 1 then [] else if x.name == "deep_ep_low_latency" then [
  alpha_beta(
    of: "all_to_all",
    over: over,
    base: x.base + (if nodes > 1 then x.far else 0 us) + (if called then x.call else 0 us),
    hop: 0 us,
    inter_hop: 0 us,
    efficiency: if nodes == 1 then x.nvlink else x.nics,
    tier: if nodes == 1 then 0 else 1,
  ),
] else [
  alpha_beta(
    of: "all_to_all",
    over: over,
    base: x.base + (if called then x.call else 0 us),
    hop: 0 us,
    inter_hop: 0 us,
    efficiency: if nodes == 1 then _share(x.nvlink, link * _moving(x, token) / sms, if called then link / x.copy else 0) else _share(
      x.nics,
      nic * max(1 / (x.nvlink * link), _moving(x, token) / sms) * _inside(ranks, nodes, top, limit),
      if called then nic / x.copy * _inside(ranks, nodes, top, limit) else 0,
    ),
    tier: if nodes == 1 then 0 else 1,
  ),
]
// What a byte of a token's copy costs a processor.
fn _moving(x: Exchange, token: Size) = 1 / x.sm + x.row / token
// Bytes over NVLink for one over NICs.
fn _inside(ranks: Int, nodes: Int, top: Int, limit: Int) -> Real = if limit > 0 and limit < nodes
  then nodes_met(div(ranks, nodes) * limit, top) / nodes_met(nodes, top, limit) * nodes / (nodes - 1) else nodes_met(ranks, top) /
  nodes_met(nodes, top) * nodes / (nodes - 1)
