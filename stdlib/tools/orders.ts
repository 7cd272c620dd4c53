// Orders of work that `trainspec schedule` begins with besides the plan's own, so that what it
// finds is no longer than any of them that keeps the memory. An order counts where it has the
// stages of the plan's schedule in the same places; one that the plan's numbers do not allow is
// passed over. The search stops at the first that is as short as an order can be, so the likely
// ones come first.
//
// `chunks`: for schedules of so many chunks a rank; without it, for any number. `order`: the
// schedule for axis p, m micro-batches (of both directions, where there are two), v chunks.
import std.schedules.beside, std.schedules.chimera, std.schedules.controllable_memory
import std.schedules.dual_pipe, std.schedules.gpipe, std.schedules.interleaved
import std.schedules.one_f_one_b, std.schedules.waves, std.schedules.zero_bubble

fn _zb_h1(p: Axis, m: Int, v: Int) -> Schedule = zb_h1(p, m)
fn _zb_h2(p: Axis, m: Int, v: Int) -> Schedule = zb_h2(p, m)
fn _zb_1p(p: Axis, m: Int, v: Int) -> Schedule = zb_1p(p, m, v)
fn _zb_v(p: Axis, m: Int, v: Int) -> Schedule = zb_v(p, m)
fn _zb_v_fixed(p: Axis, m: Int, v: Int) -> Schedule = zb_v_fixed(p, m)
fn _v_half(p: Axis, m: Int, v: Int) -> Schedule = v_half(p, m)
fn _v_min(p: Axis, m: Int, v: Int) -> Schedule = v_min(p, m)
fn _one_f_one_b(p: Axis, m: Int, v: Int) -> Schedule = one_f_one_b(p, m)
fn _one_f_one_b_v(p: Axis, m: Int, v: Int) -> Schedule = one_f_one_b_v(p, m)
fn _beside(p: Axis, m: Int, v: Int) -> Schedule = one_f_one_b_beside(p, m, v)
fn _eager(p: Axis, m: Int, v: Int) -> Schedule = eager_one_f_one_b(p, m)
fn _interleaved(p: Axis, m: Int, v: Int) -> Schedule = interleaved_one_f_one_b(p, m, v)
fn _breadth_first(p: Axis, m: Int, v: Int) -> Schedule = breadth_first(p, m, v)
fn _dual_pipe(p: Axis, m: Int, v: Int) -> Schedule = dual_pipe(p, m)
fn _dual_pipe_v(p: Axis, m: Int, v: Int) -> Schedule = dual_pipe_v(p, m)
fn _chimera(p: Axis, m: Int, v: Int) -> Schedule = chimera(p, m)
fn _hanayo(p: Axis, m: Int, v: Int) -> Schedule = hanayo(p, m, div(v, 2))

let library_orders = [
  { chunks: 1, order: _zb_h1 },
  { chunks: 1, order: _zb_h2 },
  { chunks: 2, order: _zb_v },
  { chunks: 2, order: _v_half },
  { chunks: 2, order: _v_min },
  { chunks: 2, order: _dual_pipe_v },
  { chunks: 2, order: _dual_pipe },
  { chunks: 2, order: _zb_v_fixed },
  { chunks: 2, order: _one_f_one_b_v },
  { chunks: 2, order: _chimera },
  { chunks: 1, order: _one_f_one_b },
  { chunks: 1, order: _eager },
  { order: _zb_1p },
  { order: _beside },
  { order: _interleaved },
  { order: _breadth_first },
  { chunks: 2, order: _hanayo },
  { chunks: 4, order: _hanayo },
  { chunks: 6, order: _hanayo },
  { chunks: 8, order: _hanayo },
]
