// What the schedule laboratory of the playground plays: examples/schedule_lab.ts with times and
// sizes of a whole rank. A schedule with several chunks a rank divides them, so that all schedules
// do the same work; those with two copies of the model do half of it for each direction.
import "schedule_lab.ts"

plan lab(
  schedule: Schedule,
  p: Int,
  f: Time = 10 us,
  i: Time = 10 us,
  w: Time = 10 us,
  message: Time = 0 us,
  activation: Size = 1 GiB,
  freed_by_i: Size = 0 B,
) {
  model = stages_of_stated_work(
    count: stages(schedule),
    f: f * p / stages(schedule),
    i: i * p / stages(schedule),
    w: w * p / stages(schedule),
    held: activation * p / stages(schedule),
    held_by_i: freed_by_i * p / stages(schedule),
  )
  cluster = all_to_all(128)
  schedule = schedule
  costs = [{ stated: stated }, roofline(worker)]
  precision = { gradients: fp8 } // of the only weight: one byte
  network = [alpha_beta(base: message, hop: 0 us, efficiency: 1)]
}
