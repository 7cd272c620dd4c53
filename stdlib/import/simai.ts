// SimAI's text workloads list the work of one stage; their pipeline is Megatron-LM's, with as many
// parts a rank as the header says (`vpp`). The default `schedule` of such plans.
import std.schedules.one_f_one_b, std.schedules.interleaved

fn pipeline(p: Axis, m: Int, v: Int) = if v > 1 then interleaved_one_f_one_b(p, m, v) else one_f_one_b(p, m)
