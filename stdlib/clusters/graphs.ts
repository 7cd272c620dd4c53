// Graphs of parts and cables as clusters (std.clusters.topologies), and those that are written as
// such: JSON and YAML (`nodes` and `links`, as networkx has them), tables of links, GraphML, SimAI.

// What a description leaves open. `hosts`: only hosts of these names have GPUs.
record Room {
  rate: Rate = 1 Gb/s // of a number without a unit
  time: Time = 1 us // the same
  gpus: Int = 8 // in a host
  hosts: String = "*"
  nvlink: Rate = none // of a GPU; where a matrix counts NVLinks, of one
  nic: Rate = none // where a file has no rates
  pcie: Rate = 48 GB/s
  between_processors: Rate = 16 GB/s
  oversubscription: Real = 1 // of switches, where a file has no rates
  latency: Time = 0.6 us // of links inside a node
  nic_latency: Time = 1.8 us
  hop: Time = 0.4 us // of links between switches
  nodes: Int = 1 // of a file that describes one
}
// `kind`: "gpu", "inside" (a switch or a processor of a node), "host" (which has GPUs), "switch".
record Part {
  name: String
  kind: String
}
record Cable {
  a: String
  b: String
  rate: Rate
  latency: Time = none
  tier: Int = none
  loss: Real = 0 // share of packets
}
// `directed`: each cable is one direction of a link.
record Graph {
  parts: List[Part]
  cables: List[Cable]
  directed: Bool = false
}

// ---- Numbers with units ----
fn _or(value: Any, otherwise: Any) -> Any = if value == none then otherwise else value
fn must(value: Any, why: String) -> Any = if value == none then refuse(why) else value
fn _unit(text: String) -> String = last([""] + words(text, "0123456789.+-eE "))
fn _number(text: String) -> Real = must(number(text, none), "`" + text + "` is no number with a unit")
fn rate_of(text: String, unit: Rate) -> Rate = _number(text) * (match _unit(text) {
  "" -> unit
  "Gbps" | "Gb/s" | "Gbit/s" | "gbps" | "G" -> 1 Gb/s
  "Mbps" | "Mb/s" | "Mbit/s" | "mbps" | "M" -> 0.001 Gb/s
  "Tbps" | "Tb/s" | "Tbit/s" | "tbps" | "T" -> 1000 Gb/s
  "GB/s" | "GBps" -> 1 GB/s
  "GiB/s" -> 1.073741824 GB/s
  "MB/s" | "MBps" -> 0.001 GB/s
  "TB/s" | "TBps" -> 1 TB/s
  "bps" | "b/s" -> 0.000000001 Gb/s
  "B/s" -> 1 B/s
  _ -> refuse("`" + text + "` is no rate: say Gb/s or GB/s")
})
fn time_of(text: String, unit: Time) -> Time = _number(text) * (match _unit(text) {
  "" -> unit
  "ps" -> 1 ps
  "ns" -> 1 ns
  "us" | "µs" -> 1 us
  "ms" -> 1 ms
  "s" -> 1 s
  _ -> refuse("`" + text + "` is no time: say ns, us or ms")
})

// ---- Graphs as records: fields have many names ----
fn _said(value: Any) -> Bool = if value == none then false else str(value) != ""
fn _known(r: Record, names: List) -> List[String] = [str(field(r, n, none)) for n in names if _said(field(r, n, none))]
fn _first(found: List, what: String, r: Record) -> String = if len(found) > 0 then found[0]
  else refuse("no " + what + " stands in " + str(r))
fn _optional(found: List, read: Function, unit: Any) -> Any = if len(found) > 0 then read(found[0], unit) else none
fn _whole(text: String, unit: Any) -> Int = must(number(text, none), "`" + text + "` is no tier")
let _froms = ["source", "from", "src", "a", "node1", "u", "Source"]
let _tos = ["target", "to", "dst", "b", "node2", "v", "Target"]
let _rates = ["bandwidth", "rate", "speed", "capacity", "bw", "Bandwidth"]
let _times = ["latency", "delay", "Latency"]
let _counts = ["count", "cables", "parallel"]
let _names = ["id", "name", "label", "Id"]
let _kinds = ["type", "kind", "role", "class", "Type"]

// What a part is, by what is said of it, or else by how its name begins.
fn _is(name: String, kinds: List) -> Bool = any([within(name, k + "*") for k in kinds])
fn kind_of(said: String) -> String = if _is(said, ["gpu", "GPU", "Gpu", "npu", "NPU", "accelerator", "device"]) then "gpu" else if _is(
  said,
  ["nvs", "NVS", "NVLink", "nvlink", "inside", "pci", "PCI", "cpu", "CPU", "nic", "NIC", "processor"],
) then "inside" else if _is(said, ["host", "Host", "server", "Server", "node", "compute", "hca", "HCA"]) then "host" else "switch"
fn _part(name: String, said: List) -> Part = { name, kind: kind_of(if len(said) > 0 then said[0] else name) }
fn _part_of(r: Any) -> Part = _part_of_record(if letters(str(r) + " ")[0] == "{" then r else { id: r })
fn _part_of_record(r: Record) -> Part = _part(_first(_known(r, _names), "name of a part", r), _known(r, _kinds))
fn _cable(r: Record, room: Record) -> Cable = {
  a: _first(_known(r, _froms), "part where a link begins (`source`)", r),
  b: _first(_known(r, _tos), "part where a link ends (`target`)", r),
  rate: rate_of(_first(_known(r, _rates), "`bandwidth` of a link", r), room.rate) *
    sum([_number(n) for n in [_first(_known(r, _counts) + ["1"], "", r)]]),
  latency: _optional(_known(r, _times), time_of, room.time),
  tier: _optional(_known(r, ["tier", "Tier"]), _whole, none),
}
fn _named(cables: List[Cable]) -> List[String] = _once([c.a for c in cables] + [c.b for c in cables])
fn _once(names: List[String]) -> List[String] = [names[g[0]] for g in groups(names)]
// Without a list of parts, those that links name.
fn graph_of_rows(parts: List, rows: List, directed: Bool, room: Room) -> Graph = _of_cables(
  [_part_of(p) for p in parts],
  [_cable(r, room) for r in rows],
  directed,
)
fn _of_cables(parts: List[Part], cables: List[Cable], directed: Bool) -> Graph = {
  parts: if len(parts) > 0 then parts else [_part(n, []) for n in _named(cables)],
  cables: cables,
  directed: directed,
}
fn _list(r: Record, names: List[String]) -> List = last([[]] + [field(r, n, []) for n in names if len(field(r, n, [])) > 0])
fn graph_of_record(r: Any, room: Room) -> Graph = if letters(str(r) + " ")[0] != "{" and not is_list(r)
  then refuse("the file is no object with a list `links`") else _graph(r, room)
fn _graph(r: Any, room: Room) -> Graph = if is_list(r) then graph_of_rows([], r, false, room) else if len(_list(r, ["links", "edges"])) == 0
  then refuse("the file has no list `links` or `edges`")
  else graph_of_rows(_list(r, ["nodes", "vertices"]), _list(r, ["links", "edges"]), field(r, "directed", false), room)

// ---- GraphML: what a `data` is called stands in its `key` ----
fn _elements(of: Record, name: String) -> List[Record] = [e for e in of.inside if e.name == name]
fn _attribute(e: Record, name: String) -> String = field(e.attributes, name, "")
fn _data(e: Record, keys: List, names: List) -> List[String] = [
  d.text for d in _elements(e, "data") for k in keys if _attribute(k, "id") == _attribute(d, "key") and
    any([_attribute(k, "attr.name") == n for n in names]) and d.text != ""
]
fn _graphml_part(e: Record, keys: List) -> Part = _part(_attribute(e, "id"), _data(e, keys, _kinds))
fn _graphml_cable(e: Record, keys: List, room: Record) -> Cable = {
  a: _attribute(e, "source"),
  b: _attribute(e, "target"),
  rate: rate_of(_only(_data(e, keys, _rates), e), room.rate) * _number(([d for d in _data(e, keys, _counts)] + ["1"])[0]),
  latency: _optional(_data(e, keys, _times), time_of, room.time),
  tier: _optional(_data(e, keys, ["tier"]), _whole, none),
}
fn _only(found: List, e: Record) -> String = if len(found) > 0 then found[0]
  else refuse("the edge in line " + str(e.line) + " has no `bandwidth`")
fn graph_of_graphml(root: Record, room: Room) -> Graph = _graphml(_elements(root, "graph"), _elements(root, "key"), room)
fn _graphml(graphs: List[Record], keys: List[Record], room: Room) -> Graph = if len(graphs) != 1
  then refuse("the file has " + str(len(graphs)) + " graphs, and must have one") else {
  parts: [_graphml_part(e, keys) for e in _elements(graphs[0], "node")],
  cables: [_graphml_cable(e, keys, room) for e in _elements(graphs[0], "edge")],
  directed: _attribute(graphs[0], "edgedefault") == "directed",
}

// ---- SimAI: counts, the numbers of the switches, links ----
// `nodes gpus_per_server nvswitches switches links gpu_type`, or HPCC's `nodes switches links`.
fn is_counts(words: List[String]) -> Bool = (len(words) == 3 or len(words) == 5 or len(words) == 6) and
  all([number(words[i], none) != none for i in 0..min(len(words), 5)])
fn _counted(words: List[String], i: Int) -> Int = number(words[i], 0)
fn graph_of_simai(lines: List[String], room: Room) -> Graph = _simai([words(l, " \t") for l in lines if len(words(l, " \t")) > 0], room)
fn _simai(rows: List, room: Room) -> Graph = if len(rows[0]) == 3 then _simai_of(
  rows,
  rows[1],
  0,
  _counted(rows[0], 2),
  room,
) else _simai_of(rows, rows[1], _counted(rows[0], 2), _counted(rows[0], 4), room)
fn _simai_kind(at: Int, inside: Int) -> String = if at < 0 then "gpu" else if at < inside then "inside" else "switch"
fn _simai_of(rows: List, switches: List[String], inside: Int, links: Int, room: Room) -> Graph = if len(rows) != links + 2
  then refuse("the first line says " + str(links) + " links, and the file has " + str(len(rows) - 2)) else {
  parts: _simai_parts([str(i) for i in 0..max(_counted(rows[0], 0), 0)], switches, inside),
  cables: [_simai_cable(rows[i], i, room) for i in 2..len(rows)],
}
fn _simai_parts(all: List[String], switches: List[String], inside: Int) -> List[Part] = _simai_kinds(all, places(all, switches), inside)
fn _simai_kinds(all: List[String], at: List[Int], inside: Int) -> List[Part] = [
  { name: all[i], kind: _simai_kind(at[i], inside) } for i in 0..len(all)
]
fn _simai_cable(row: List, i: Int, room: Record) -> Cable = if len(row) < 4
  then refuse("link " + str(i - 1) + " must be two numbers, a bandwidth, a latency and an error rate")
  else { a: row[0], b: row[1], rate: rate_of(row[2], room.rate), latency: time_of(row[3], room.time), loss: _loss(row, i) }
fn _loss(row: List, i: Int) -> Real = if len(row) < 5 then 0 else if number(row[4], none) == none
  then refuse("the error rate of link " + str(i - 1) + " is no number: `" + row[4] + "`") else number(row[4], 0)

// ---- From parts and cables to links between numbers ----
// Cables of the same two ends are one link of their rates together.
fn _summed(cables: List[Cable], groups: List) -> List[Cable] = [
  cables[g[0]] with { rate = sum([cables[i].rate for i in g]) } for g in groups
]
fn _straight(c: Cable, first: Bool) -> Cable = if first then c else c with { a = c.b, b = c.a }
fn _sorted(cables: List[Cable], a: List[Int], b: List[Int]) -> List[Cable] = [_straight(cables[i], a[i] <= b[i]) for i in 0..len(cables)]
fn _merged(cables: List[Cable]) -> List[Cable] = _summed(cables, groups([c.a + "\n" + c.b for c in cables]))
// A directed description lists both ways.
fn _back(c: Cable, cables: List, at: Int) -> Rate = if at < 0 then refuse(
  "no link leads back from `" + c.b + "` to `" + c.a + "`",
) else cables[at].rate
fn _pairs(cables: List[Cable], at: List[Int]) -> List = [
  { cable: cables[i], back: _back(cables[i], cables, at[i]) } for i in 0..len(cables) if at[i] < 0 or i <= at[i]
]
fn _both(cables: List[Cable], directed: Bool) -> List = if directed
  then _pairs(cables, places([c.b + "\n" + c.a for c in cables], [c.a + "\n" + c.b for c in cables]))
  else [{ cable: c, back: c.rate } for c in cables]

// Levels: 0 for GPUs and what is inside nodes, 1 for the switches that these are linked to, and so on.
fn _reached(level: List[Int], ends: List, k: Int) -> List[String] = [str(e[1]) for e in ends if level[e[0]] == k and level[e[1]] < 0] +
  [str(e[0]) for e in ends if level[e[1]] == k and level[e[0]] < 0]
fn _raised(level: List[Int], marks: List[Int], k: Int) -> List[Int] = [
  if level[i] < 0 and marks[i] >= 0 then k else level[i] for i in 0..len(level)
]
fn _higher(level: List[Int], ends: List, k: Int) -> List[Int] = _marked(level, _reached(level, ends, k), k)
fn _marked(level: List[Int], reached: List[String], k: Int) -> List[Int] = if len(reached) == 0 then level
  else _raised(level, places([str(i) for i in 0..len(level)], reached), k + 1)
fn _four(level: List[Int], ends: List, k: Int) -> List[Int] = _higher(
  _higher(_higher(_higher(level, ends, k), ends, k + 1), ends, k + 2),
  ends,
  k + 3,
)
fn _levels(level: List[Int], ends: List) -> List[Int] = _four(_four(_four(_four(level, ends, 0), ends, 4), ends, 8), ends, 12)

// A part is a member of one of four arrays: gpu, inside, leaf, spine.
record Link {
  a: Int // the array, and the place in it
  at: Int
  b: Int
  to: Int
  rate: Rate
  back: Rate
  latency: Time
  tier: Int
  loss: Real
}
fn _latency(c: Cable, level: Int, room: Record) -> Time = _or(
  c.latency,
  if level == 0 then room.latency else if level == 1 then room.nic_latency else room.hop,
)
fn _link(c: Cable, back: Rate, a: Int, b: Int, array: List, place: List, level: List, room: Record) -> Link = {
  a: array[a],
  at: place[a],
  b: array[b],
  to: place[b],
  rate: c.rate,
  back: back,
  tier: _or(c.tier, max(level[a], level[b])),
  latency: _latency(c, max(level[a], level[b]), room),
  loss: c.loss,
}
fn _up(l: Record, a: Int, b: Int, array: List, place: List, level: List, room: Record) -> Link = if array[a] <= array[b]
  then _link(l.cable, l.back, a, b, array, place, level, room)
  else _link(l.cable with { rate = l.back }, l.cable.rate, b, a, array, place, level, room)
fn _order(members: List, count: Int) -> List[Int] = _chosen(
  [k for m in members for k in 0..len(m)],
  places([str(i) for i in 0..count], [str(i) for m in members for i in m]),
)
fn _chosen(values: List, at: List[Int]) -> List = [values[i] for i in at]
fn _laid(links: List, ends: List, array: List[Int], level: List[Int], room: Room) -> Record = _placed(
  links,
  ends,
  array,
  _order(groups([str(a) for a in array]), len(array)),
  level,
  room,
)
fn _placed(links: List, ends: List, array: List[Int], place: List[Int], level: List[Int], room: Room) -> Record = {
  counts: [sum([1 for a in array if a == k] + [0]) for k in 0..4],
  links: [_up(links[i], ends[i][0], ends[i][1], array, place, level, room) for i in 0..len(links)],
}
fn _leveled(g: Graph, links: List, ends: List, level: List[Int], room: Room) -> Record = if any([l < 0 for l in level]) then refuse(
  "`" + [g.parts[i].name for i in 0..len(level) if level[i] < 0][0] + "` is linked to no GPU, or over more than 16 links",
) else _laid(links, ends, [if g.parts[i].kind == "gpu" then 0 else min(level[i] + 1, 3) for i in 0..len(level)], level, room)
fn _ended(g: Graph, links: List, ends: List, room: Room) -> Record = _leveled(
  g,
  links,
  ends,
  _levels([if p.kind == "switch" then -1 else 0 for p in g.parts], ends),
  room,
)
fn _end(c: Cable, a: Int, b: Int) -> List[Int] = if a < 0 or b < 0
  then refuse("a link names `" + (if a < 0 then c.a else c.b) + "`, which is no part of the description") else if a == b
  then refuse("`" + c.a + "` is linked to itself") else [a, b]
fn _ends(cables: List[Cable], names: List[String]) -> List = _zipped(
  cables,
  places([c.a for c in cables], names),
  places([c.b for c in cables], names),
)
fn _zipped(cables: List[Cable], a: List[Int], b: List[Int]) -> List = [_end(cables[i], a[i], b[i]) for i in 0..len(cables)]
fn _doubles(names: List[String]) -> List[String] = [names[p[0]] for p in groups(names) if len(p) > 1]
fn _named_once(g: Graph, names: List[String], doubles: List[String], room: Room) -> Record = if len(doubles) > 0
  then refuse("two parts are named `" + doubles[0] + "`") else if not any([p.kind == "gpu" for p in g.parts])
  then refuse("the description has no GPU: parts of `type` \"gpu\", or hosts, which have some") else _linked(
  g,
  names,
  if g.directed then g.cables else _sorted(g.cables, places([c.a for c in g.cables], names), places([c.b for c in g.cables], names)),
  room,
)
fn _linked(g: Graph, names: List[String], cables: List[Cable], room: Room) -> Record = _all(
  g,
  names,
  _both(_merged(cables), g.directed),
  room,
)
fn _all(g: Graph, names: List[String], links: List, room: Room) -> Record = _ended(g, links, _ends([l.cable for l in links], names), room)
fn _numbered(g: Graph, room: Room) -> Record = _named_once(g, [p.name for p in g.parts], _doubles([p.name for p in g.parts]), room)

// ---- GPUs of hosts ----
// GPUs of a host are joined by a switch of its own. The k-th of n NICs serves the k-th part of them; a
// NIC that serves several is a part itself.
fn _inside(h: String, room: Record) -> List[Cable] = [
  {
    a: h + "/gpu" + str(g),
    b: h,
    rate: must(
      room.nvlink,
      "the file has hosts and does not say what is in them: give `nvlink` in `room`, the rate of a GPU's links in a host",
    ),
    tier: 0,
  } for g in 0..room.gpus
]
fn _outside(c: Cable, k: Int, n: Int, gpus: Int) -> List[Cable] = if n >= gpus then [
  c with { a = c.a + "/gpu" + str(div(k * gpus, n)) },
] else [c with { a = c.a + "/nic" + str(k) }] + [
  { a: c.a + "/gpu" + str(g), b: c.a + "/nic" + str(k), rate: c.rate, latency: 0 us, tier: 1 } for g in 0..gpus if div(g * n, gpus) == k
]
fn _nics(cables: List[Cable], of_host: List, n: Int, gpus: Int) -> List[Part] = if n >= gpus then []
  else [{ name: cables[s[k]].a + "/nic" + str(k), kind: "inside" } for s in of_host for k in 0..len(s)]
fn _equipped(
  parts: List[Part],
  hosts: List[String],
  others: List[Cable],
  cables: List[Cable],
  of_host: List,
  n: Int,
  directed: Bool,
  room: Room,
) -> Graph = {
  parts: [{ name: h + "/gpu" + str(g), kind: "gpu" } for h in hosts for g in 0..room.gpus] + [{ name: h, kind: "inside" } for h in hosts] +
    _nics(cables, of_host, n, room.gpus) + parts,
  cables: [c for h in hosts for c in _inside(h, room)] +
    [c for s in of_host for k in 0..len(s) for c in _outside(cables[s[k]], k, n, room.gpus)] + others,
  directed: directed,
}
fn _hosted(g: Graph, hosts: List[String], absent: List[String], cables: List[Cable], others: List[Cable], room: Room) -> Graph = if len(
  hosts,
) == 0 then g else if g.directed then refuse("links of hosts must not be directed: which GPU has them is not said")
  else _grouped(g, hosts, absent, cables, others, groups([c.a for c in cables]), room)
fn _grouped(
  g: Graph,
  hosts: List[String],
  absent: List[String],
  cables: List[Cable],
  others: List[Cable],
  of_host: List,
  room: Room,
) -> Graph = _equipped(
  [p for p in g.parts if p.kind != "host"],
  hosts,
  others,
  cables,
  of_host,
  max([1] + [len(s) for s in of_host]),
  g.directed,
  room,
)
fn _with_hosts(
  g: Graph,
  hosts: List[String],
  a: List[Int],
  b: List[Int],
  left_a: List[Int],
  left_b: List[Int],
  room: Room,
) -> Graph = _hosted(
  g,
  hosts,
  [],
  [_straight(g.cables[i], a[i] >= 0) for i in 0..len(a) if (a[i] >= 0 or b[i] >= 0) and left_a[i] < 0 and left_b[i] < 0],
  [g.cables[i] for i in 0..len(a) if a[i] < 0 and b[i] < 0 and left_a[i] < 0 and left_b[i] < 0],
  room,
)
fn _rest(g: Graph, a: List[String], b: List[String], hosts: List[String], left: List[String], room: Room) -> Graph = _with_hosts(
  g,
  hosts,
  places(a, hosts),
  places(b, hosts),
  places(a, left),
  places(b, left),
  room,
)
fn _with_gpus(g: Graph, room: Room) -> Graph = _rest(
  g,
  [c.a for c in g.cables],
  [c.b for c in g.cables],
  [p.name for p in g.parts if p.kind == "host" and within(p.name, room.hosts)],
  [p.name for p in g.parts if p.kind == "host" and not within(p.name, room.hosts)],
  room,
)

fn drawn(graph: Graph, kind: Gpu, room: Room) -> Cluster = joined(_numbered(_with_gpus(graph, room), room), kind)

fn _of(links: List[Link], a: Int, b: Int, even: Bool) -> List[Link] = [
  k for k in links if k.a == a and k.b == b and (k.rate == k.back) == even
]
cluster joined(graph: Record, kind: Gpu) {
  let n = graph.counts
  let l = graph.links
  device gpu[n[0]]: kind
  if n[1] > 0 { switch inside[n[1]] }
  if n[2] > 0 { switch leaf[n[2]] }
  if n[3] > 0 { switch spine[n[3]] }
  for k in _of(l, 0, 0, true) {
    link gpu[k.at] <-> gpu[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 0, 0, false) {
    link gpu[k.at] -> gpu[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link gpu[k.to] -> gpu[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 0, 1, true) {
    link gpu[k.at] <-> inside[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 0, 1, false) {
    link gpu[k.at] -> inside[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link inside[k.to] -> gpu[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 0, 2, true) {
    link gpu[k.at] <-> leaf[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 0, 2, false) {
    link gpu[k.at] -> leaf[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link leaf[k.to] -> gpu[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 1, 1, true) {
    link inside[k.at] <-> inside[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 1, 1, false) {
    link inside[k.at] -> inside[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link inside[k.to] -> inside[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 1, 2, true) {
    link inside[k.at] <-> leaf[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 1, 2, false) {
    link inside[k.at] -> leaf[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link leaf[k.to] -> inside[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 2, 2, true) {
    link leaf[k.at] <-> leaf[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 2, 2, false) {
    link leaf[k.at] -> leaf[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link leaf[k.to] -> leaf[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 2, 3, true) {
    link leaf[k.at] <-> spine[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 2, 3, false) {
    link leaf[k.at] -> spine[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link spine[k.to] -> leaf[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 3, 3, true) {
    link spine[k.at] <-> spine[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
  }
  for k in _of(l, 3, 3, false) {
    link spine[k.at] -> spine[k.to] { bandwidth = k.rate, latency = k.latency, tier = k.tier, loss = k.loss }
    link spine[k.to] -> spine[k.at] { bandwidth = k.back, latency = k.latency, tier = k.tier, loss = k.loss }
  }
}
