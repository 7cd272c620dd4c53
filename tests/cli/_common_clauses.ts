// What every schedule has, taken away clause by clause: messages of 5 us between stages of equal times.
import "../../examples/schedule_lab.ts"

protocol no_activations { remove activations }
protocol no_gradients { remove gradients }
// Activations after all, with a clause of one's own in the place of the built-in one.
protocol larger { depend activations: F(i) at s on F(i) at s - 1 sending 1 MiB }

plan common_clauses(change: List = []) {
  model = stages_of_stated_work(count: 4, f: 10 us, i: 10 us, w: 10 us, held: 1 MiB, held_by_i: 0 B)
  cluster = all_to_all(4)
  mesh = { pp: 4 }
  schedule = one_f_one_b(p: pp, m: 6)
  protocols = change
  costs = [{ stated: stated }, roofline(worker)]
  network = [alpha_beta(base: 5 us, hop: 0 us, efficiency: 1)]
}
