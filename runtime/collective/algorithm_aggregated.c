/* Aggregated trees, whose order of sends is that of Bruck et al., "Efficient algorithms for
 * all-to-all communications" (1997). */
#include "runtime/collective/making.h"

static bool algorithm_aggregated_possible(uint32_t kind, const ts_profile *p)
{
  return p->islands == p->ranks && ts_is_half(kind);
}

/* A part for each rank has to be looked after. */
static void algorithm_aggregated_steps(const ts_ir_net_method *m, const ts_profile *p,
                                       double *intra, double *inter)
{
  (void)m;
  *intra = p->ranks;
  *inter = ts_levels(p->islands);
}

/* Step k hands on the blocks of 2^k ranks to one that is as far away, and a reduce-scatter goes the
 * same way back. */
static bool add_bruck(ts_making *m)
{
  uint32_t n = m->ranks, channels = m->channels, steps = 0;
  bool reduces = m->out->way.kind == TS_IR_REDUCE_SCATTER;
  while ((n - 1) >> steps) steps++;
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < steps; k++)
      for (uint32_t i = 0; i < n; i++) {
        uint32_t far = 1u << k, count = far < n - far ? far : n - far, to = (i + n - far) % n;
        uint64_t whole = ts_making_share(m, channels, c), wrap = i + count > n ? i + count - n : 0,
                 bytes = ts_parts_before(whole, n, i + count - wrap) -
                         ts_parts_before(whole, n, i) + ts_parts_before(whole, n, wrap);
        if (!ts_making_message(m, reduces ? to : i, reduces ? i : to, c,
                               reduces ? steps - 1 - k : k, bytes))
          return false;
      }
  return true;
}

static bool algorithm_aggregated_sends(ts_making *m)
{
  if (!ts_is_half(m->out->way.kind))
    return false;
  add_bruck(m);
  return true;
}

const ts_algorithm ts_algorithm_aggregated_trees = {.possible = algorithm_aggregated_possible,
                                                    .steps = algorithm_aggregated_steps,
                                                    .sends = algorithm_aggregated_sends};
