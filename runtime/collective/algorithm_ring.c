/* Rings: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
 * MPICH" (2005). */
#include "runtime/collective/making.h"

static void algorithm_ring_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                 double *inter)
{
  *inter = ts_passes(m->collective) * (p->islands - 1.0);
  *intra = ts_ring_steps(m->collective, p->ranks) - *inter;
}

/* A reduce-scatter leaves block i with the place i of its ring, an all-gather starts from there. */
static void add_loops(ts_making *m)
{
  uint32_t kind = m->out->way.kind, n = m->ranks, channels = ts_making_parts(m);
  for (size_t at = 0, size; at < m->connections.count; at += size) {
    size = ts_making_of_part(m, at);
    for (uint32_t i = 0; i < size; i++) {
      ts_pass p = ts_making_pass(m, &m->connections.at[at + i]);
      p.steps = (ts_is_whole(kind) ? 2 : 1) * (n - 1);
      p.parts = n;
      p.position = kind == TS_IR_REDUCE_SCATTER ? (i + n - 1) % n : i;
      p.whole = ts_making_share(m, channels, m->connections.at[at].part);
      ts_making_add(m, p);
    }
  }
}

static bool algorithm_ring_sends(ts_making *m)
{
  ts_making_shape(m, TS_FLOW_LOOP, add_loops);
  return true;
}

const ts_algorithm ts_algorithm_ring = {.steps = algorithm_ring_steps,
                                        .sends = algorithm_ring_sends,
                                        .whole = TS_FLOW_LOOP,
                                        .half = TS_FLOW_LOOP,
                                        .chunks = TS_CHUNK_A_RANK,
                                        .rounds = true};
