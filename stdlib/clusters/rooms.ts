// What a machine room says of its network: ibnetdiscover, Slurm's topology.conf, `nvidia-smi topo -m`
// (std.clusters.topologies).
import std.clusters.graphs

// ---- ibnetdiscover: a section for each switch and each HCA, with a line for each port ----
// `4xHDR`: lanes and their generation. Source: InfiniBand Trade Association, roadmap; data rates.
fn _lane(generation: String) -> Rate = match generation {
  "SDR" -> 2 Gb/s
  "DDR" -> 4 Gb/s
  "QDR" -> 8 Gb/s
  "FDR10" -> 10 Gb/s
  "FDR" -> 14 Gb/s
  "EDR" -> 25 Gb/s
  "HDR" -> 50 Gb/s
  "NDR" -> 100 Gb/s
  "XDR" -> 200 Gb/s
  _ -> refuse("`" + generation + "` is no speed of InfiniBand (SDR to XDR)")
}
fn _port_rate(word: String) -> Rate = must(number(word, none), "`" + word + "` is no width and speed of a port, as `4xHDR`") *
  _lane(_generation(words(word, "x")))
fn _generation(words: List[String]) -> String = if len(words) == 2 then words[1] else ""
fn _heads(lines: List[String]) -> List[Int] = [
  i for i in 0..len(lines) if len([w for w in words(lines[i], " \t") if w == "Switch" or w == "Ca"]) > 0 and len(words(lines[i], "\"")) >=
    2 and letters(lines[i])[0] != "["
]
fn _after(heads: List, k: Int, count: Int) -> Int = if k + 1 < len(heads) then heads[k + 1] else count
fn _is_port(line: String) -> Bool = len(words(line, "\"")) > 1 and letters(line)[0] == "["
fn _title(line: String, pieces: List) -> Record = {
  switch: words(line, " \t")[0] == "Switch",
  id: pieces[1],
  host: words((pieces + ["", pieces[1]])[if len(pieces) > 3 then 3 else len(pieces) + 1])[0],
}
fn graph_of_ibnetdiscover(lines: List[String], room: Room) -> Graph = _sections(lines, _heads(lines), room)
fn _sections(lines: List[String], heads: List[Int], room: Room) -> Graph = _fabric(
  [_title(lines[h], words(lines[h], "\"")) for h in heads],
  [
    { at: k, peer: words(lines[i], "\"")[1], rate: last(words(lines[i], " \t")) } for k in 0..len(heads) for i in heads[k] +
      1.._after(heads, k, len(lines)) if _is_port(lines[i])
  ],
)
fn _fabric(parts: List[Record], ports: List[Record]) -> Graph = _cabled(
  parts,
  ports,
  places([p.peer for p in ports], [t.id for t in parts]),
)
// A link between switches stands in both sections, one of an HCA counts in the HCA's.
fn _cabled(parts: List[Record], ports: List[Record], peer: List[Int]) -> Graph = {
  parts: [{ name: t.id, kind: "switch" } for t in parts if t.switch] +
    [{ name: h, kind: "host" } for h in _hosts([t.host for t in parts if not t.switch])],
  cables: [
    {
      a: if parts[ports[i].at].switch then parts[ports[i].at].id else parts[ports[i].at].host,
      b: ports[i].peer,
      rate: _port_rate(ports[i].rate),
    } for i in 0..len(ports) if peer[i] >= 0 and
      (if parts[ports[i].at].switch then parts[peer[i]].switch and ports[i].at < peer[i] else parts[peer[i]].switch)
  ],
}
fn _hosts(names: List[String]) -> List[String] = [names[g[0]] for g in groups(names)]

// ---- Slurm: switches, and the nodes or the switches below each ----
fn graph_of_slurm(lines: List[String], room: Room) -> Graph = _tree(
  [_entry(words(l, " \t")) for l in lines if len(words(l, " \t=")) > 1 and _switch(words(l, " \t=")[0])],
  room,
)
fn _switch(word: String) -> Bool = word == "SwitchName" or word == "BlockName"
fn _value(line: List[String], key: String) -> List[String] = _second([words(x, "=") for x in line], key)
fn _second(pairs: List, key: String) -> List[String] = [p[1] for p in pairs if len(p) == 2 and p[0] == key]
fn _entry(line: List[String]) -> Record = {
  name: (_value(line, "SwitchName") + _value(line, "BlockName"))[0],
  hosts: [h for v in _value(line, "Nodes") for h in hosts_of(v)],
  switches: [h for v in _value(line, "Switches") for h in hosts_of(v)],
}
// The file has no rates: what the nodes below a switch can send, over the oversubscription, goes up.
// Nodes below each switch: of its own, and those of the switches below it, found level by level.
fn _counted(entries: List, names: List, below: List[Int]) -> List[Int] = [
  len(e.hosts) + sum([below[i] for i in places(e.switches, names) if i >= 0] + [0]) for e in entries
]
fn _twice(entries: List, names: List, below: List[Int]) -> List[Int] = _counted(entries, names, _counted(entries, names, below))
fn _levels8(entries: List, names: List, below: List[Int]) -> List[Int] = _twice(
  entries,
  names,
  _twice(entries, names, _twice(entries, names, _twice(entries, names, below))),
)
fn _below(entries: List, names: List) -> List[Int] = _settled(entries, names, _levels8(entries, names, [0 for e in entries]))
fn _same(a: List[Int], b: List[Int]) -> Bool = all([a[i] == b[i] for i in 0..len(a)])
fn _settled(entries: List, names: List, below: List[Int]) -> List[Int] = if _same(below, _counted(entries, names, below)) then below
  else refuse("a switch of the file lies below itself, or more than 8 levels are below one")
fn _tree(entries: List[Record], room: Room) -> Graph = _rooted(
  entries,
  [e.name for e in entries],
  _below(entries, [e.name for e in entries]),
  room,
)
fn _nic(room: Room) -> Rate = must(room.nic, "topology.conf has no rates: give `nic` in `room`, the rate of a GPU's NIC")
fn _rooted(entries: List[Record], names: List[String], below: List[Int], room: Room) -> Graph = {
  parts: [{ name: n, kind: "switch" } for n in names] + [{ name: h, kind: "host" } for e in entries for h in e.hosts],
  cables: [{ a: h, b: e.name, rate: _nic(room) } for e in entries for h in e.hosts for g in 0..room.gpus] + [
    {
      a: s,
      b: e.name,
      rate: _nic(room) * room.gpus * below[must_place(s, places([s], names)[0])] / room.oversubscription,
    } for e in entries for s in e.switches
  ],
}
fn must_place(name: String, at: Int) -> Int = if at < 0 then refuse("`" + name + "` is no switch of the file") else at

// `n[001-016,20]-ib,m3`: the names that a list of hosts of Slurm means.
fn _bracket(text: String, bracket: String) -> Int = len([l for l in letters(text) if l == bracket])
fn hosts_of(text: String) -> List[String] = if _bracket(text, "[") != _bracket(text, "]") or letters(text + " ")[0] == "["
  then refuse("`" + text + "` is no list of hosts, as `n[01-16,20]`") else _pieces(words(text, "[]"))
fn _ends_with_comma(p: String) -> Bool = last(letters(p)) == ","
fn _begins_with_comma(p: String) -> Bool = letters(p)[0] == ","
fn _pieces(p: List[String]) -> List[String] = [
  n for i in 0..len(p) for n in (if i % 2 == 0 then _plain(p, i, words(p[i], ",")) else _ranged(p, i))
]
fn _plain(p: List, i: Int, names: List) -> List[String] = [
  names[k] for k in 0..len(names) if (i == 0 or k > 0 or _begins_with_comma(p[i])) and
    (i + 1 == len(p) or k + 1 < len(names) or _ends_with_comma(p[i]))
]
fn _ranged(p: List, i: Int) -> List[String] = _numbered(
  if _ends_with_comma(p[i - 1]) then "" else last(words(p[i - 1], ",")),
  words(p[i], ","),
  if i + 1 == len(p) or _begins_with_comma(p[i + 1]) then "" else words(p[i + 1], ",")[0],
)
fn _numbered(before: String, ranges: List[String], behind: String) -> List[String] = [
  before + n + behind for r in ranges for n in _range(words(r, "-"))
]
fn _range(ends: List[String]) -> List[String] = [_padded(str(n), len(letters(ends[0]))) for n in _at(ends[0]).._at(last(ends)) + 1]
fn _at(text: String) -> Int = must(number(text, none), "`" + text + "` is no number of a host")
fn _padded(text: String, width: Int) -> String = [
  "",
  "0",
  "00",
  "000",
  "0000",
  "00000",
  "000000",
  "0000000",
  "00000000",
][min(
  max(width - len(letters(text)), 0),
  8,
)] + text

// ---- `nvidia-smi topo -m`: how each two GPUs and NICs of a node are joined ----
// PIX, PXB: by PCIe switches; PHB, NODE: within a processor; SYS: between processors; NVn: n NVLinks.
fn has_self(line: String) -> Bool = len([w for w in words(line, " \t") if w == "X"]) > 0 and words(line, " \t")[0] != "X"
fn graph_of_matrix(lines: List[String], room: Room) -> Graph = _matrix([words(l, " \t") for l in lines if has_self(l)], room)
fn _joins(cell: String) -> Bool = _near(cell, ["X", "PIX", "PXB", "PHB", "NODE", "SYS"]) or within(cell, "NV*")
fn _matrix(rows: List, room: Room) -> Graph = if any([len([c for c in r if _joins(c)]) != len(rows) for r in rows])
  then refuse("the matrix has " + str(len(rows)) + " rows with an `X`, and a row with another number of cells")
  else if any([rows[i][i + 1] != "X" for i in 0..len(rows)])
  then refuse("the matrix of the file is not square: the row of each GPU and NIC must have its `X` below its own name") else _node(
  rows,
  [i for i in 0..len(rows) if within(rows[i][0], "*GPU*")],
  [i for i in 0..len(rows) if not within(rows[i][0], "*GPU*")],
  room,
)
fn _near(cell: String, words: List) -> Bool = any([cell == w for w in words])
// The first one that shares a PCIe switch, or a processor, with it.
fn _group(rows: List, i: Int, near: List) -> Int = [j for j in 0..len(rows) if j == i or _near(rows[i][j + 1], near)][0]
fn _nvlinks(cell: String) -> Int = if within(cell, "NV*") then number(words(cell, "NV")[0], 0) else 0
fn _node(rows: List, gpus: List[Int], nics: List[Int], room: Room) -> Graph = _parted(
  rows,
  gpus,
  nics,
  [_group(rows, i, ["PIX", "PXB"]) for i in 0..len(rows)],
  [_group(rows, i, ["PIX", "PXB", "PHB", "NODE"]) for i in 0..len(rows)],
  room,
)
// More links to all others than a GPU has (18): they go to a switch, which passes on to all.
fn _switched(rows: List, gpus: List[Int]) -> Bool = any([sum([_nvlinks(rows[i][j + 1]) for j in gpus]) > 18 for i in gpus])
fn _nvlink(room: Room) -> Rate = must(room.nvlink, "the matrix counts NVLinks: give `nvlink` in `room`, the rate of one")
fn _parted(rows: List, gpus: List[Int], nics: List[Int], pci: List[Int], cpu: List[Int], room: Room) -> Graph = {
  parts: [p for n in 0..room.nodes for p in _parts(str(n) + "/", rows, gpus, pci, cpu)] +
    (if len(nics) > 0 or room.nodes > 1 then [{ name: "fabric", kind: "switch" }] else []),
  cables: [c for n in 0..room.nodes for c in _cables(str(n) + "/", rows, gpus, nics, pci, cpu, room)],
}
fn _parts(n: String, rows: List, gpus: List[Int], pci: List[Int], cpu: List[Int]) -> List[Part] = [
  { name: n + rows[i][0], kind: "gpu" } for i in gpus
] + [{ name: n + "pcie" + str(i), kind: "inside" } for i in 0..len(rows) if pci[i] == i] +
  [{ name: n + "cpu" + str(i), kind: "inside" } for i in 0..len(rows) if cpu[i] == i] +
  (if _switched(rows, gpus) then [{ name: n + "nvswitch", kind: "inside" }] else [])
fn _cables(n: String, rows: List, gpus: List[Int], nics: List[Int], pci: List[Int], cpu: List[Int], room: Room) -> List[Cable] = [
  { a: n + rows[i][0], b: n + "pcie" + str(pci[i]), rate: room.pcie, tier: 0 } for i in gpus
] + [{ a: n + "pcie" + str(i), b: n + "cpu" + str(cpu[i]), rate: room.pcie, tier: 0 } for i in 0..len(rows) if pci[i] == i] + [
  { a: n + "cpu" + str(i), b: n + "cpu" + str(j), rate: room.between_processors, tier: 0 } for i in 0..len(rows) for j in i +
    1..len(rows) if cpu[i] == i and cpu[j] == j
] + (if _switched(rows, gpus) then [
  { a: n + rows[i][0], b: n + "nvswitch", rate: _nvlink(room) * max([_nvlinks(rows[i][j + 1]) for j in gpus]), tier: 0 } for i in gpus
] else [
  { a: n + rows[i][0], b: n + rows[j][0], rate: _nvlink(room) * _nvlinks(rows[i][j + 1]), tier: 0 } for i in gpus for j in gpus if i < j and
    _nvlinks(rows[i][j + 1]) > 0
]) + [
  {
    a: n + "pcie" + str(pci[i]),
    b: "fabric",
    rate: must(room.nic, "the matrix has NICs and no rates: give `nic` in `room`, the rate of one"),
  } for i in nics
]
