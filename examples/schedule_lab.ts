// The schedule laboratory: a pipeline without a model. Every stage has stated times for its forward (F), its gradients of inputs (I) and of weights (W), a message takes a stated time,
// and a micro-batch holds a stated size from F to W on every stage, part of which I may free. What is left is the schedule:
//   tsrun examples/schedule_lab.ts -D 'schedule=zb_h1(p: 8, m: 16)' -D f=10us -D i=11us -D w=9us -D message=1us
//   tsc --emit=schedule-csv examples/schedule_lab.ts -D 'schedule=zb_v(p: 4, m: 8)'
// Times and sizes are those of one chunk; where there are several, a rank does as many times the work.
export import std.schedules.gpipe, std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.zero_bubble, std.schedules.dual_pipe
export import std.schedules.controllable_memory, std.schedules.chimera, std.schedules.waves, std.schedules.file

// Has a parameter, so that even the first stage computes gradients of its input.
op source(x: Tensor) {
  weight w: [1]
  output y: x.shape
}

// Activations that are needed until I.
op held_until_input(x: Tensor, size: Size) {
  output y: x.shape
  saves [size]
}

op stage_work(x: Tensor, f: Time, i: Time, w: Time, held: Size) {
  output y: x.shape
  forward { kernel stated { ps = f / 1 ps } }
  backward(input) { kernel stated { ps = i / 1 ps } }
  backward(weight) { kernel stated { ps = w / 1 ps } }
  saves [held]
}

model stages_of_stated_work(count: Int, f: Time, i: Time, w: Time, held: Size, held_by_i: Size) {
  x = source(input([1], bf16)) as source
  repeat count as stage {
    x = held_until_input(x, size: held_by_i) as until_i
    x = stage_work(x, f: f, i: i, w: w, held: held - held_by_i) as work
  }
  yield x
}

gpu worker {
  memory = 1 PiB
  bandwidth = 1 TB/s
  peak = { fp32: 1 TFLOP/s }
}

cluster all_to_all(ranks: Int) {
  device rank[ranks]: worker
  switch center[1]
  for r in 0..ranks {
    link rank[r] <-> center[0] { bandwidth = 1000 TB/s, latency = 0 us }
  }
}

fn stated(ps: Real) -> Time = ps * 1 ps

plan schedule_lab(
  schedule: Schedule = one_f_one_b(p: 4, m: 8),
  f: Time = 10 us,
  i: Time = 10 us,
  w: Time = 10 us,
  message: Time = 0 us,
  activation: Size = 1 GiB,
  freed_by_i: Size = 0 B,
  ranks: Int = 128,
  count: Int = stages(schedule),
) {
  model = stages_of_stated_work(count: count, f: f, i: i, w: w, held: activation, held_by_i: freed_by_i)
  cluster = all_to_all(ranks)
  schedule = schedule
  costs = [{ stated: stated }, roofline(worker)]
  precision = { gradients: fp8 } // of the only weight, `source`'s: one byte, too little for the copies of a model to share
  network = [alpha_beta(base: message, hop: 0 us, efficiency: 1)]
}
