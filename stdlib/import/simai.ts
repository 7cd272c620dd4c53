// SimAI's text workloads list the work of one stage; their pipeline is Megatron-LM's, with as many
// parts a rank as the header says (`vpp`). The default `schedule` of such plans.
import std.schedules.one_f_one_b, std.schedules.interleaved

fn pipeline(p: Axis, m: Int, v: Int) = if v > 1 then interleaved_one_f_one_b(p, m, v) else one_f_one_b(p, m)

// SimAI.conf and the files of HPCC's ns-3 as a model of packets. Marks are those of ports of the NIC's
// rate. What is not played is refused: other controls, links that lose packets or go down.
fn _values(lines: List[String], key: String) -> List[String] = last(
  [[]] + [[w[i] for i in 1..len(w)] for w in [words(l, " \t") for l in lines] if len(w) > 1 and w[0] == key],
)
fn _value(values: List[String], key: String) -> Real = if len(values) != 1 then refuse(
  "the file must say `" + key + "` with one value",
) else _number_of(values[0], number(values[0], none))
fn _number_of(text: String, value: Any) -> Real = if value == none then refuse("`" + text + "` is no number") else value
fn _said(lines: List[String], key: String) -> Real = _value(_values(lines, key), key)
// `KMAX_MAP n rate kB rate kB ...`: the entry of the rate.
fn _of_rate(lines: List[String], key: String, nic: Rate) -> Real = _entry(_values(lines, key), key, nic)
fn _entry(map: List[String], key: String, nic: Rate) -> Real = _found(
  [_number_of(map[i + 1], number(map[i + 1], none)) for i in range(1, len(map) - 1, 2) if number(map[i], 0) == nic / (1 b/s)],
  key,
  nic,
)
fn _found(values: List, key: String, nic: Rate) -> Real = if len(values) == 1 then values[0]
  else refuse("`" + key + "` has no ports of " + str(nic) + ": say the rate of a NIC that it has, `nic`")
fn _control(mode: Real) -> String = match round(mode) {
  1 -> "dcqcn"
  3 -> "hpcc"
  7 -> "timely"
  8 -> "dctcp"
  _ -> refuse("CC_MODE " + str(round(mode)) + " is not played: DCQCN (1), HPCC (3), TIMELY (7) and DCTCP (8) are")
}
fn _sound(lines: List[String]) -> List[String] = if any([_said(lines, "ERROR_RATE_PER_LINK") > 0])
  then refuse("ERROR_RATE_PER_LINK: give the links of the cluster `loss`")
  else if any([number(v, 0) != 0 for v in _values(lines, "LINK_DOWN")])
  then refuse("LINK_DOWN: give the link of the cluster `down`, a time") else lines
fn simai_packets(file: String, nic: Rate = 400 Gb/s, pause: Size = 0 B) = _packets(_sound(lines(file)), nic, pause)
fn _packets(conf: List[String], nic: Rate, pause: Size) = packet(
  mtu: _said(conf, "PACKET_PAYLOAD_SIZE") * 1 B,
  queue: _said(conf, "BUFFER_SIZE") * 1 MB,
  control: _control(_said(conf, "CC_MODE")),
  mark_from: _of_rate(conf, "KMIN_MAP", nic) * 1 kB / nic,
  mark_to: _of_rate(conf, "KMAX_MAP", nic) * 1 kB / nic,
  mark_share: _of_rate(conf, "PMAX_MAP", nic),
  gain: if _control(_said(conf, "CC_MODE")) == "timely" then 0.875 else _said(conf, "EWMA_GAIN"),
  timer: _said(conf, "RP_TIMER") * 1 us,
  report: _said(conf, "RATE_DECREASE_INTERVAL") * 1 us,
  eta: _said(conf, "U_TARGET"),
  pause: pause,
)
