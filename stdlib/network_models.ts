// Networks of one's own: a function of the language, or of C, says how long a call takes, and
// `measured` plays the points that it gives. Models of published simulators that are closed forms
// are such functions: SimAI-Analytical's busbw.yaml below.
//
//     fn mine(call: Call) -> Time = 5 us + call.bytes / (20 GB/s * call.ranks)
//     network = [measured(points_of(mine, groups: [[8, 1], [16, 2]])), ...]
//
// Between points a time is interpolated in bytes. `groups` are pairs of ranks and islands that they
// are in; calls over others go to the next model of the plan.

// What is asked: the bytes as reports count them (an all-gather's whole tensor, an all-to-all's
// buffer of a rank).
record Call { collective: String, bytes: Size, ranks: Int, islands: Int }

let collectives_of_models = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "message"]

// Two sizes an octave up to 16 MiB, one above: 512 B to 64 GiB.
let sizes_of_points = [pow(2, i / 2.0) * 512 B for i in 0..31] + [pow(2, i) * 32 MiB for i in 0..12]

fn points_of(
  of: Any,
  groups: List[List[Int]],
  collectives: List[String] = collectives_of_models,
  sizes: List = sizes_of_points,
) -> List[Record] = [
  {
    collective: c,
    bytes: s,
    ranks: g[0],
    islands: g[1],
    time: of({ collective: c, bytes: s, ranks: g[0], islands: g[1] }),
  } for c in collectives for g in groups for s in sizes
]

// ---- SimAI-Analytical's busbw.yaml ----
// Bus bandwidths in GB/s by kind of parallelism, as nccl-tests define them: a call takes its bytes
// times a factor of its collective over the bandwidth, and no latency. The file is no YAML that
// readers of YAML take for more than a text: its first line is a word, and lines are not indented.
// `null` is no model. A message has no factor: "PP", [[2, 1], [2, 2]].
//
//     network = [
//       measured(busbw_points("busbw.yaml", "TP", [[8, 1]]), over: tp),
//       measured(busbw_points("busbw.yaml", "DP", [[16, 16]]), over: dp),
//     ]

fn _factor(c: String, n: Int) -> Real = match c {
  "all_reduce" -> 2 * real(n - 1) / n
  "all_gather" -> real(n - 1) / n
  "reduce_scatter" -> real(n - 1) / n
  "all_to_all" -> real(n - 1) / n
  _ -> 1
}
let _of_busbw = {
  allreduce: "all_reduce",
  allgather: "all_gather",
  reducescatter: "reduce_scatter",
  alltoall: "all_to_all",
  busbw: "message",
}
fn _bus_words(line: String) -> List[String] = words(words(line + " ", "#")[0], " \t,:\"'")
// The lines behind the name of a group, up to the next name.
fn _of_group(lines: List, from: Int, to: Int, file: String) -> List = [
  if len(lines[i]) == 2 then lines[i] else refuse(
    "`" + file + "`, line " + str(i + 1) + ": expected a name and a bandwidth",
  ) for i in from..to if len(lines[i]) > 0
]
fn _heads_of(lines: List) -> List[Int] = [i for i in 0..len(lines) if len(lines[i]) == 1]
fn _found(lines: List, heads: List[Int], group: String) -> List[Int] = [k for k in 0..len(heads) if lines[heads[k]][0] == group]
fn _rows_of(lines: List, heads: List[Int], found: List[Int], group: String, file: String) -> List = if len(found) == 1
  then _of_group(lines, heads[found[0]] + 1, (heads + [len(lines)])[found[0] + 1], file)
  else refuse("`" + file + "` has no group `" + group + "`, as `TP:` on a line of its own")
fn _group_rows(lines: List, group: String, file: String) -> List = _rows_of(
  lines,
  _heads_of(lines),
  _found(lines, _heads_of(lines), group),
  group,
  file,
)
fn _positive(x: Any, row: List[String], file: String) -> Rate = if x == none or x <= 0
  then refuse("`" + file + "`: `" + row[1] + "` is no bandwidth in GB/s above 0, nor null") else x * 1 GB/s
fn _bandwidth(row: List[String], file: String) -> Rate = _positive(number(row[1], none), row, file)
fn _known(row: List[String], file: String) -> String = _named(field(_of_busbw, row[0], ""), row[0], file)
fn _named(collective: String, name: String, file: String) -> String = if collective == ""
  then refuse("`" + file + "`: `" + name + "` is none of allreduce, allgather, reducescatter, alltoall, busbw") else collective

fn busbw_points(file: String, group: String, groups: List[List[Int]]) -> List[Record] = [
  {
    collective: _known(r, file),
    bytes: s,
    ranks: g[0],
    islands: g[1],
    time: max(s * _factor(_known(r, file), g[0]) / _bandwidth(r, file), 1 ps),
  } for r in _group_rows([_bus_words(l) for l in lines(file)], group, file) for g in groups for s in sizes_of_points if r[1] != "null" and
    g[0] > 1
]
