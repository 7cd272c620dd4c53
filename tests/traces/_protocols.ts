language 1
// Clauses between forwards and backwards, for plans of either kind: schedules, and graphs of ranks.
protocol later { depend token: F(i) at s on B(i - 1) at s - 1 where i > 0 }
protocol bare {
  remove activations
  remove gradients
}
protocol same {
  depend activations: F(i) at s on F(i) at s - 1 sending 32 MiB
  depend gradients: B(i) at s on B(i) at s + 1 sending 32 MiB
}
protocol large { depend activations: F(i) at s on F(i) at s - 1 sending 1 GiB }
protocol late { slow F(i) at 0 by 2 }
protocol update { depend last: S(0) at s on S(0) at s + 1 }
protocol circle { depend token: F(i) at s on B(i) at s + 1 }
protocol some { depend token: S(0) at 0 on any 1 of B(i) at 1 for i in [0, 1] }
protocol pairs { partner F(i) at s with B(i) at s + 1 }
protocol unknown { remove nonsense }
