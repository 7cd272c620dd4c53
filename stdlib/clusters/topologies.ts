// Clusters made of descriptions in files: graphs in JSON, YAML, CSV and GraphML, topologies of SimAI
// and of HPCC's ns-3, and what a machine room has: ibnetdiscover, Slurm's topology.conf, `nvidia-smi
// topo -m`, NCCL's XML. Links keep their own rates, however unlike they are.
//   cluster = topology("fabric.json", kind: h100_sxm)
export import std.clusters.graphs
import std.clusters.nccl, std.clusters.rooms

fn topology(file: String, kind: Gpu, room: Room = {}) -> Cluster = match _ending(words(file, ".")) {
  "json" -> drawn(graph_of_record(json(file), room), kind, room)
  "yaml" | "yml" -> drawn(graph_of_record(yaml(file), room), kind, room)
  "csv" -> drawn(graph_of_rows([], csv(file), false, room), kind, room)
  "graphml" | "xml" -> _of_xml(file, xml(file), kind, room)
  _ -> _of_text(file, lines(file), kind, room)
}
fn _ending(words: List[String]) -> String = if len(words) > 1 and last(words) == "gz" then words[len(words) - 2] else last(words)

fn _of_xml(file: String, root: Record, kind: Gpu, room: Room) -> Cluster = match root.name {
  "graphml" -> drawn(graph_of_graphml(root, room), kind, room)
  "system" -> nccl_nodes(file, kind: kind, nodes: room.nodes, between_processors: room.between_processors)
  _ -> refuse("the file begins with `" + root.name + "`: a topology of NCCL begins with `system`, GraphML with `graphml`")
}

fn _begins(lines: List[String], with: List[String]) -> Bool = any([_is(words(l, " \t="), with) for l in lines])
fn _is(words: List[String], of: List[String]) -> Bool = len(words) > 0 and any([words[0] == w for w in of])
fn _of_text(file: String, lines: List[String], kind: Gpu, room: Room) -> Cluster = if _begins(
  lines,
  ["SwitchName", "BlockName"],
) then drawn(graph_of_slurm(lines, room), kind, room) else if _begins(lines, ["Switch", "Ca"])
  then drawn(graph_of_ibnetdiscover(lines, room), kind, room) else if any([has_self(l) for l in lines])
  then drawn(graph_of_matrix(lines, room), kind, room) else if len(lines) > 1 and is_counts(words(lines[0], " \t"))
  then drawn(graph_of_simai(lines, room), kind, room) else refuse(
  "`" + file + "` is no description of a topology: its name must end in .json, .yaml, .csv, .graphml or .xml, or its text be a topology of SimAI, what ibnetdiscover or `nvidia-smi topo -m` print, or Slurm's topology.conf",
)
