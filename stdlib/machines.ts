// Machines by name: a gpu, how so many of it are joined, what collectives and kernels cost there.
// For plans that take a machine as one parameter:
//   plan mine(machine: Record = machine_h100) { cluster = machine.cluster(64), network = machine.network, costs = training(machine.costs) }
// `island`: ranks that talk without NICs, 0 for a whole rack; `costs` is a record of std.costs.training;
// `measured` says whether kernels of this gpu were, or of one so near that its kernels are scaled
// (std.costs.training). The networks of machine_h100_500w, machine_h20 and machine_h200_nvl were measured
// on the H100 and the H200 with NVSwitch: reports warn of it (W0808).
export import std.costs.training
import std.clusters.dgx, std.clusters.hgx, std.clusters.linked, std.clusters.tpu, std.networks
import std.gpus.geforce, std.gpus.hopper, std.gpus.nvidia

record Machine {
  island: Int
  cluster: Function
  network: List
  costs: TrainingCosts
  measured: Bool
}

fn _nodes(gpus: Int) -> Int = ceil_div(gpus, 8)
fn _a100(gpus: Int) -> Cluster = dgx_a100(nodes: _nodes(gpus))
fn _a100_40g(gpus: Int) -> Cluster = dgx_a100_40g(nodes: _nodes(gpus))
fn _h100(gpus: Int) -> Cluster = dgx_h100(nodes: _nodes(gpus))
fn _h100_500w(gpus: Int) -> Cluster = hgx_h100_500w(nodes: _nodes(gpus))
fn _h200(gpus: Int) -> Cluster = dgx_h200(nodes: _nodes(gpus))
fn _b200(gpus: Int) -> Cluster = dgx_b200(nodes: _nodes(gpus))
fn _b300(gpus: Int) -> Cluster = dgx_b300(nodes: _nodes(gpus))
fn _mi300x(gpus: Int) -> Cluster = mi300x_nodes(nodes: _nodes(gpus))
fn _mi325x(gpus: Int) -> Cluster = mi325x_nodes(nodes: _nodes(gpus))
fn _mi350x(gpus: Int) -> Cluster = mi350x_nodes(nodes: _nodes(gpus))
fn _mi355x(gpus: Int) -> Cluster = mi355x_nodes(nodes: _nodes(gpus))
fn _gaudi2(gpus: Int) -> Cluster = gaudi2_nodes(nodes: _nodes(gpus))
fn _gaudi3(gpus: Int) -> Cluster = gaudi3_nodes(nodes: _nodes(gpus))
fn _l40s(gpus: Int) -> Cluster = linked_nodes(ceil_div(gpus, 4), kind: l40s, links: 24 GB/s, nic: 200 Gb/s, gpus: 4, latency: 2.5 us)
fn _h20(gpus: Int) -> Cluster = hgx_h20(nodes: _nodes(gpus))
// Four a node, all linked, on Slingshot 11 (the nodes of Alps).
fn _gh200(gpus: Int) -> Cluster = nvswitch_nodes(ceil_div(gpus, 4), kind: gh200, gpus: 4, nvlink: 450 GB/s, nic: 200 Gb/s)
fn _rtx_pro_6000(gpus: Int) -> Cluster = linked_nodes(
  _nodes(gpus),
  kind: rtx_pro_6000_server,
  links: 50 GB/s,
  nic: 400 Gb/s,
  latency: 2.5 us,
)
fn _h200_nvl(gpus: Int) -> Cluster = nvswitch_nodes(ceil_div(gpus, 4), kind: h200_nvl, gpus: 4, nvlink: 450 GB/s, nic: 400 Gb/s)

// Boards that nobody measured here: eight a node on PCIe, with the rates of the L40S's nodes (PCIe 4)
// and of the RTX PRO 6000's (PCIe 5).
fn _on_pcie(gpus: Int, kind: Gpu, links: Rate) -> Cluster = linked_nodes(
  _nodes(gpus),
  kind: kind,
  links: links,
  nic: 200 Gb/s,
  latency: 2.5 us,
)
fn _rtx_4090(gpus: Int) -> Cluster = _on_pcie(gpus, rtx_4090, 24 GB/s)
fn _rtx_5090(gpus: Int) -> Cluster = _on_pcie(gpus, rtx_5090, 50 GB/s)
fn _h100_pcie(gpus: Int) -> Cluster = _on_pcie(gpus, h100_pcie, 50 GB/s)
fn _h100_nvl(gpus: Int) -> Cluster = _on_pcie(gpus, h100_nvl, 50 GB/s)
fn _a100_pcie_80g(gpus: Int) -> Cluster = _on_pcie(gpus, a100_pcie_80g, 24 GB/s)
fn _a40(gpus: Int) -> Cluster = _on_pcie(gpus, a40, 24 GB/s)
fn _a10g(gpus: Int) -> Cluster = _on_pcie(gpus, a10g, 24 GB/s)
fn _l4(gpus: Int) -> Cluster = _on_pcie(gpus, l4, 24 GB/s)

let _collectives = [
  alpha_beta(base: 15 us, hop: 1 us, efficiency: 0.7, tier: 0),
  alpha_beta(base: 25 us, inter_hop: 5 us, efficiency: 0.8, tier: 1),
]
// A chip of a torus reaches its neighbour by one of its links; collectives over an axis use all.
fn _torus(links: Int) = [
  alpha_beta(of: "shift", base: 15 us, hop: 1 us, efficiency: 0.7 / links, tier: 0),
  alpha_beta(of: "message", base: 15 us, hop: 1 us, efficiency: 0.7 / links, tier: 0),
] + _collectives

let machine_a100: Machine = { island: 8, cluster: _a100, network: a100_infiniband, costs: costs_a100, measured: true }
let machine_a100_40g: Machine = { island: 8, cluster: _a100_40g, network: a100_infiniband, costs: costs_a100_40g, measured: true }
let machine_h100: Machine = { island: 8, cluster: _h100, network: h100_infiniband, costs: costs_h100, measured: true }
let machine_h100_500w: Machine = { island: 8, cluster: _h100_500w, network: h100_infiniband, costs: costs_h100_500w, measured: true }
let machine_h200: Machine = { island: 8, cluster: _h200, network: h200_infiniband, costs: costs_h200, measured: true }
let machine_b200: Machine = { island: 8, cluster: _b200, network: b200_infiniband, costs: costs_b200, measured: true }
let machine_b300: Machine = { island: 8, cluster: _b300, network: b300_infiniband, costs: costs_b300, measured: true }
let machine_gb200: Machine = { island: 0, cluster: racks_of_gb200, network: gb200_nvl72, costs: costs_gb200, measured: true }
let machine_gb300: Machine = { island: 0, cluster: racks_of_gb300, network: gb300_nvl72, costs: costs_gb300, measured: true }
let machine_mi300x: Machine = { island: 8, cluster: _mi300x, network: _collectives, costs: costs_mi300x, measured: false }
let machine_mi325x: Machine = { island: 8, cluster: _mi325x, network: _collectives, costs: costs_mi325x, measured: false }
let machine_mi350x: Machine = { island: 8, cluster: _mi350x, network: _collectives, costs: costs_mi350x, measured: false }
let machine_mi355x: Machine = { island: 8, cluster: _mi355x, network: _collectives, costs: costs_mi355x, measured: false }
let machine_gaudi2: Machine = { island: 8, cluster: _gaudi2, network: _collectives, costs: costs_gaudi2, measured: false }
let machine_gaudi3: Machine = { island: 8, cluster: _gaudi3, network: _collectives, costs: costs_gaudi3, measured: false }
let machine_v5e: Machine = { island: 0, cluster: pods_of_v5e, network: _torus(4), costs: costs_v5e, measured: false }
let machine_v5p: Machine = { island: 0, cluster: pods_of_v5p, network: _torus(6), costs: costs_v5p, measured: false }
let machine_v6e: Machine = { island: 0, cluster: pods_of_v6e, network: _torus(4), costs: costs_v6e, measured: false }
let machine_7x: Machine = { island: 0, cluster: pods_of_7x, network: _torus(6), costs: costs_7x, measured: false }
let machine_l40s: Machine = { island: 4, cluster: _l40s, network: _collectives, costs: costs_l40s, measured: true }
let machine_h20: Machine = { island: 8, cluster: _h20, network: h100_infiniband, costs: costs_h20, measured: false }
let machine_gh200: Machine = { island: 4, cluster: _gh200, network: _collectives, costs: costs_gh200, measured: true }
let machine_rtx_pro_6000: Machine = { island: 8, cluster: _rtx_pro_6000, network: _collectives, costs: costs_rtx_pro_6000, measured: false }
let machine_h200_nvl: Machine = { island: 4, cluster: _h200_nvl, network: h200_infiniband, costs: costs_h200_nvl, measured: false }
fn _board(kind: Gpu, nodes: Function, formats: List[String]) -> Machine = {
  island: 8,
  cluster: nodes,
  network: _collectives,
  costs: { kind: kind, formats: formats },
  measured: false,
}
let machine_rtx_4090: Machine = _board(rtx_4090, _rtx_4090, ["bf16", "fp8"])
let machine_rtx_5090: Machine = _board(rtx_5090, _rtx_5090, ["bf16", "fp8"])
let machine_h100_pcie: Machine = _board(h100_pcie, _h100_pcie, ["bf16", "fp8"])
let machine_h100_nvl: Machine = _board(h100_nvl, _h100_nvl, ["bf16", "fp8"])
let machine_a100_pcie_80g: Machine = _board(a100_pcie_80g, _a100_pcie_80g, ["bf16"])
let machine_a40: Machine = _board(a40, _a40, ["bf16"])
let machine_a10g: Machine = _board(a10g, _a10g, ["bf16"])
let machine_l4: Machine = _board(l4, _l4, ["bf16", "fp8"])

// A machine of a gpu alone, of which nothing else is known: `cluster` joins so many of it. Eight of
// a node by PCIe 5 and a NIC of 400 Gb/s each are assumed.
fn machine_of(kind: Gpu, cluster: Function) -> Machine = {
  island: 8,
  cluster: cluster,
  network: _collectives,
  costs: { kind: kind },
  measured: false,
}
fn nodes_assumed(gpus: Int, kind: Gpu) -> Cluster = linked_nodes(_nodes(gpus), kind: kind, links: 64 GB/s, nic: 400 Gb/s)

// Costs of a step on it: products by `recipe`, attention by `library`. `levels`: those of its
// record, or others to try.
fn machine_costs(machine: Record, recipe: String = "bf16", library: String = "cudnn", levels: Record = machine.costs) = if machine.measured
  then training(costs_in(machine.costs, recipe), recipe, library, levels: levels)
  else training_estimated(costs_in(machine.costs, recipe), recipe, library, levels: levels)

// By the word after `machine_`, for plans that take it as a text.
let _machines: List[Record] = [
  { word: "a100", machine: machine_a100 },
  { word: "a100_40g", machine: machine_a100_40g },
  { word: "h100", machine: machine_h100 },
  { word: "h100_500w", machine: machine_h100_500w },
  { word: "h200", machine: machine_h200 },
  { word: "b200", machine: machine_b200 },
  { word: "b300", machine: machine_b300 },
  { word: "gb200", machine: machine_gb200 },
  { word: "gb300", machine: machine_gb300 },
  { word: "mi300x", machine: machine_mi300x },
  { word: "mi325x", machine: machine_mi325x },
  { word: "mi350x", machine: machine_mi350x },
  { word: "mi355x", machine: machine_mi355x },
  { word: "gaudi2", machine: machine_gaudi2 },
  { word: "gaudi3", machine: machine_gaudi3 },
  { word: "v5e", machine: machine_v5e },
  { word: "v5p", machine: machine_v5p },
  { word: "v6e", machine: machine_v6e },
  { word: "7x", machine: machine_7x },
  { word: "l40s", machine: machine_l40s },
  { word: "h20", machine: machine_h20 },
  { word: "gh200", machine: machine_gh200 },
  { word: "rtx_pro_6000", machine: machine_rtx_pro_6000 },
  { word: "h200_nvl", machine: machine_h200_nvl },
  { word: "rtx_4090", machine: machine_rtx_4090 },
  { word: "rtx_5090", machine: machine_rtx_5090 },
  { word: "h100_pcie", machine: machine_h100_pcie },
  { word: "h100_nvl", machine: machine_h100_nvl },
  { word: "a100_pcie_80g", machine: machine_a100_pcie_80g },
  { word: "a40", machine: machine_a40 },
  { word: "a10g", machine: machine_a10g },
  { word: "l4", machine: machine_l4 },
]
fn machine_named(word: String) -> Machine = _one([m.machine for m in _machines if m.word == word], word)
fn _one(found: List, word: String) -> Machine = if found != [] then found[0] else refuse(
  "no machine `" + word + "`: choose one of " + str([m.word for m in _machines]),
)
