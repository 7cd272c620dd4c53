// Nodes as NCCL sees them: from the file that NCCL_TOPO_DUMP_FILE writes on a node and
// NCCL_TOPO_FILE names. Its rates are NCCL's: what it reckons with, below those of data sheets.
// Elements and rates: NCCL 2.30, src/graph/topo.cc and xml.cc.

// ---- The file: its elements in their order, each with what it stands in ----
fn _said(r: Record, name: String) -> Any = field(r.attributes, name, none)
fn _refuse(r: Record, why: String) -> Any = refuse("line " + str(r.line) + ": " + why)
fn _whole(r: Record, name: String, otherwise: Int, least: Int, most: Int) -> Int = if _said(r, name) == none then otherwise
  else _in_range(r, name, _said(r, name), number(_said(r, name), least - 1), least, most)
fn _in_range(r: Record, name: String, text: String, n: Any, least: Int, most: Int) -> Int = if str(n) == text and n >= least and n <= most
  then n else _refuse(
  r,
  "`" + name + "` of `" + r.name + "` must be a whole number from " + str(least) + " to " + str(most) + ", not `" + text + "`",
)
// Of a PCIe link: width * rate of its generation / 80, in GB/s.
fn _speed(text: Any) -> Int = if text == none then 60 else if not within(text, "*GT/s*") then 60 else match number(text, 0) {
  2.5 -> 15
  5 -> 30
  16 -> 120
  32 -> 240
  64 -> 480
  _ -> 60
}
fn _width(width: Int) -> Int = if width > 0 then width else 16
fn _pcie(e: Record) -> Rate = real(_speed(_said(e, "link_speed"))) * _width(_whole(e, "link_width", 0, 0, 64)) / 80 * 1 GB/s

// `part`: the path of the processor or PCIe device that it hangs off, "" outside of all. A PCIe device
// is a part when another one or a NIC hangs off it. `above`, `rate`, `busid`: of the PCIe device.
fn _holds(e: Record) -> Bool = len([i for i in e.inside if i.name == "pci" or i.name == "nic"]) > 0
fn _here(e: Record, path: String, up: Record) -> Record = {
  name: e.name,
  line: e.line,
  attributes: e.attributes,
  path: path,
  up: up.name,
  part: if e.name == "cpu" or (e.name == "pci" and _holds(e)) then path else up.part,
  above: if e.name == "pci" then up.part else up.above,
  rate: if e.name == "pci" then _pcie(e) else up.rate,
  busid: if e.name == "pci" then field(e.attributes, "busid", "no busid") else up.busid,
  cpu: if e.name == "cpu" then path else up.cpu,
  gpu: if e.name == "gpu" then path else up.gpu,
}
let _outside = { name: "", part: "", above: "", rate: 0 GB/s, busid: "", cpu: "", gpu: "" }
fn _below(h: Record, e: Record, next: Function) -> List[Record] = [h] +
  [r for i in 0..len(e.inside) for r in next(e.inside[i], h.path + "." + str(i), h)]
fn _in0(e: Record, path: String, up: Record) -> List = _refuse(e, "elements are nested more than 12 deep")
fn _in1(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in0)
fn _in2(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in1)
fn _in3(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in2)
fn _in4(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in3)
fn _in5(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in4)
fn _in6(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in5)
fn _in7(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in6)
fn _in8(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in7)
fn _in9(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in8)
fn _in10(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in9)
fn _in11(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in10)
fn _in12(e: Record, path: String, up: Record) -> List[Record] = _below(_here(e, path, up), e, _in11)

fn _wrong(r: Record) -> String = match r.name {
  "cpu" -> if r.up == "system" then "" else "a `cpu` must be inside `system`"
  "pci" -> if r.above != "" then "" else "a `pci` must be inside a `cpu`"
  "gpu" -> if r.up != "pci" or r.above == "" then "a `gpu` must be inside a `pci` of a `cpu`" else if _said(r, "dev") == none
    then "a `gpu` needs `dev`" else ""
  "nvlink" -> if r.gpu != "" and _said(r, "target") != none then "" else "an `nvlink` must be inside a `gpu` and have a `target`"
  "c2c" -> if r.gpu != "" then "" else "a `c2c` must be inside a `gpu`"
  "net" -> if r.part != "" then "" else "a `net` must be inside a `nic` of a `cpu` or `pci`"
  _ -> ""
}
fn _sound(rows: List[Record], wrong: List) -> List[Record] = if len(wrong) > 0 then _refuse(wrong[0], _wrong(wrong[0])) else rows
fn _elements(root: Record) -> List[Record] = if root.name != "system"
  then _refuse(root, "the file begins with `" + root.name + "`, a topology with `system`") else if field(root.attributes, "version", "") !=
  "1" then _refuse(root, "this is not version 1 of topologies, the only known one") else _checked(_in12(root, "0", _outside))
fn _checked(rows: List[Record]) -> List[Record] = _sound(rows, [r for r in rows if _wrong(r) != ""])

// ---- What it says: parts, and GPUs by their numbers ----
fn _named(rows: List[Record], name: String) -> List[Record] = [r for r in rows if r.name == name]
fn _ordered(gpus: List[Record], devs: List[Int]) -> List[Record] = if len(gpus) > 1024 then refuse(
  "more than 1,024 GPUs in a node",
) else _by_number(
  gpus,
  devs,
  places([str(k) for k in 0..len(gpus)], [str(len([d for d in devs if d < e])) for e in devs]),
)
fn _by_number(gpus: List[Record], devs: List[Int], at: List[Int]) -> List[Record] = [
  if i >= 0 then gpus[i] else _twin(gpus, devs) for i in at
]
fn _twin(gpus: List[Record], devs: List[Int]) -> Record = [
  _refuse(gpus[i], "two GPUs have number " + str(devs[i])) for i in 0..len(gpus) if len([j for j in 0..i if devs[j] == devs[i]]) > 0
][0]
fn _nvlinks(links: List[Record], gpus: List[Record]) -> List[Record] = _joined(
  links,
  places([l.gpu for l in links], [g.path for g in gpus]),
  places([_said(l, "target") for l in links], [g.busid for g in gpus]),
)
// `other` -1: a switch, or something that this node has none of.
fn _joined(links: List[Record], at: List[Int], other: List[Int]) -> List[Record] = [
  {
    gpu: at[i],
    switched: within(field(links[i].attributes, "tclass", ""), "0x0680*"),
    other: if other[i] != at[i] or within(field(links[i].attributes, "tclass", ""), "0x0680*") then other[i]
      else _refuse(links[i], "an `nvlink` from a GPU to itself"),
    count: _whole(links[i], "count", 1, 1, 1024),
  } for i in 0..len(links)
]
// Between two GPUs a link is listed at both.
fn _pairs(links: List[Record]) -> List = [
  [min(links[g[0]].gpu, links[g[0]].other), max(links[g[0]].gpu, links[g[0]].other), max([links[i].count for i in g])] for g in groups([
    str(min(l.gpu, l.other)) + " " + str(max(l.gpu, l.other)) for l in links
  ])
]
fn _switched(links: List[Record]) -> List = [
  [links[g[0]].gpu, 0, sum([links[i].count for i in g])] for g in groups([str(l.gpu) for l in links])
]
// Of the direct links to its processor (C2C), the first.
fn _direct(links: List[Record], g: Record) -> List[Rate] = [
  _whole(l, "count", 1, 1, 1024) * _whole(l, "bw", 0, 1, 100000000) * 1000000 B/s for l in links if l.gpu == g.path and g.above == l.cpu and
    _said(l, "bw") != none
]
fn _speed_of(speed: Int) -> Rate = (if speed > 0 then speed else 10000) * 125000 B/s
fn _at(parts: List[Record], paths: List[String]) -> List[Int] = places(paths, [p.path for p in parts])
fn _links(pci: List[Record], from: List[Int], to: List[Int]) -> List = [[from[i], to[i], pci[i].rate] for i in 0..len(pci)]
fn _gpu_links(gpus: List[Record], at: List[Int], c2c: List[Record]) -> List = [
  [i, at[i], (_direct(c2c, gpus[i]) + [gpus[i].rate])[0]] for i in 0..len(gpus)
]
fn _nets(nets: List[Record], at: List[Int]) -> List = [
  [at[i], i, _speed_of(_whole(nets[i], "speed", 10000, -1, 100000000))] for i in 0..len(nets)
]
fn _node(
  rows: List[Record],
  parts: List[Record],
  gpus: List[Record],
  pci: List[Record],
  nets: List[Record],
  nvlinks: List[Record],
) -> Record = {
  gpus: len(gpus),
  parts: len(parts),
  sm: _whole(gpus[0], "sm", 0, 0, 9999),
  processors: [i for i in 0..len(parts) if parts[i].name == "cpu"],
  links: _links(pci, _at(parts, [p.above for p in pci]), _at(parts, [p.path for p in pci])),
  gpu_links: _gpu_links(gpus, _at(parts, [g.above for g in gpus]), _named(rows, "c2c")),
  pairs: _pairs([l for l in nvlinks if not l.switched and l.other >= 0]),
  switched: _switched([l for l in nvlinks if l.switched]),
  nets: _nets(nets, _at(parts, [n.part for n in nets])),
}
fn _parted(rows: List[Record], parts: List[Record], gpus: List[Record]) -> Record = _node(
  rows,
  parts,
  gpus,
  [p for p in parts if p.name == "pci"],
  _named(rows, "net"),
  _nvlinks(_named(rows, "nvlink"), gpus),
)
fn _described(rows: List[Record], gpus: List[Record]) -> Record = if len(gpus) == 0 then _refuse(
  rows[0],
  "the topology has no GPU",
) else _parted(rows, [r for r in rows if r.path == r.part], _ordered(gpus, [_whole(g, "dev", 0, 0, 65535) for g in gpus]))
fn _gpus_of(rows: List[Record]) -> Record = _described(rows, _named(rows, "gpu"))
fn nccl_xml(file: String) -> Record = _gpus_of(_elements(xml(file)))

// One NVLink by compute capability. Source: NCCL 2.30, src/graph/topo.h.
fn _nccl_nvlink(sm: Int) -> Rate =
  if sm >= 100 then 40.1 GB/s else if sm >= 90 then 20.6 GB/s else if sm == 86 then 12 GB/s else if sm >= 70 then 20 GB/s else 18 GB/s

// GPUs and NICs hang off PCIe switches, these off processors; all processors of a node are linked.
// The NICs of all nodes meet in one fabric. `between_processors`: NCCL has 16 GB/s for AMD, 10 for
// Skylake, 22 for Sapphire Rapids, 40 for Emerald Rapids, 6 for ARM.
cluster nccl_nodes(
  file: String,
  kind: Gpu,
  nodes: Int = 1,
  between_processors: Rate = 16 GB/s,
  nvlink_latency: Time = 0.6 us,
  pcie_latency: Time = 0.6 us,
  nic_latency: Time = 1.8 us,
) {
  let t = nccl_xml(file)
  let nvlink = _nccl_nvlink(t.sm)
  device gpu[nodes, t.gpus]: kind
  switch part[nodes, t.parts], nvswitch[nodes], fabric[1]
  for n in 0..nodes, l in t.gpu_links {
    link gpu[n, l[0]] <-> part[n, l[1]] { bandwidth = l[2], latency = pcie_latency, tier = 0 }
  }
  for n in 0..nodes, l in t.links {
    link part[n, l[0]] <-> part[n, l[1]] { bandwidth = l[2], latency = pcie_latency, tier = 0 }
  }
  for n in 0..nodes, a in t.processors, b in t.processors {
    if a < b {
      link part[n, a] <-> part[n, b] { bandwidth = between_processors, latency = pcie_latency, tier = 0 }
    }
  }
  for n in 0..nodes, l in t.pairs {
    link gpu[n, l[0]] <-> gpu[n, l[1]] { bandwidth = nvlink * l[2], latency = nvlink_latency, tier = 0 }
  }
  for n in 0..nodes, l in t.switched {
    link gpu[n, l[0]] <-> nvswitch[n] { bandwidth = nvlink * l[2], latency = nvlink_latency, tier = 0 }
  }
  for n in 0..nodes, p in 0..t.parts {
    let rate = sum([l[2] for l in t.nets if l[0] == p] + [0 GB/s])
    if rate > 0 GB/s {
      link part[n, p] <-> fabric[0] { bandwidth = rate, latency = nic_latency, tier = 1 }
    }
  }
}
