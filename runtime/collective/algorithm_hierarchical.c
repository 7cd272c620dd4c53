/* Dimension by dimension (Cho et al., "BlueConnect: decomposing all-reduce for deep learning on
 * heterogeneous network hierarchy", MLSys 2019). */
#include "runtime/collective/making.h"

enum { MOST_DIMENSIONS = 64 };

static bool algorithm_hierarchical_possible(uint32_t kind, const ts_profile *p)
{
  return p->ranks == p->islands * p->per_island &&
         (ts_is_whole(kind) || ts_is_half(kind) || kind == TS_IR_MESSAGE || kind == TS_IR_SHIFT);
}

/* A ring in the island and one between islands, in and out. */
static void algorithm_hierarchical_steps(const ts_ir_net_method *m, const ts_profile *p,
                                         double *intra, double *inter)
{
  double passes = ts_passes(m->collective);
  *intra = passes * (p->per_island - 1.0);
  *inter = passes * (p->islands - 1.0);
}

/* Each rank passes on its share of the island's sum, all of them together the whole. */
static void algorithm_hierarchical_volumes(const ts_ir_net_method *m, const ts_profile *p,
                                           double *intra, double *inter)
{
  double passes = ts_passes(m->collective), island = p->per_island;
  *intra = passes * (island - 1) / island;
  *inter = passes * (p->islands - 1.0) / p->islands;
}

/* Inner rings first where data are summed, last where they are gathered: outer ones have less to
 * carry. */
static void add_dimensions(ts_making *m)
{
  uint32_t size[MOST_DIMENSIONS] = {0}, before[MOST_DIMENSIONS + 1] = {0}, dimensions = 0,
           kind = m->out->way.kind;
  uint64_t inner = 1;
  for (size_t at = 0; at < m->connections.count; at += ts_making_of_part(m, at))
    if (m->connections.at[at].dimension < MOST_DIMENSIONS) {
      size[m->connections.at[at].dimension] = ts_making_of_part(m, at);
      dimensions = m->connections.at[at].dimension + 1;
    }
  for (uint32_t d = 0; d < dimensions; d++) before[d + 1] = before[d] + size[d] - 1;
  uint32_t all = before[dimensions], last = 0, ring = 0;
  for (size_t at = 0, n; at < m->connections.count; at += n) {
    uint32_t d = m->connections.at[at].dimension, ways = size[d] > 2 ? 2 : 1;
    n = ts_making_of_part(m, at);
    if (d != last) {
      inner *= size[last];
      last = d;
      ring = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
      ts_pass p = ts_making_pass(m, &m->connections.at[at + i]);
      p.steps = size[d] - 1;
      p.parts = size[d];
      p.position = p.channel ? (size[d] - i) % size[d] : i;
      p.whole =
        ts_part_of(ts_part_of(m->out->way.bytes, inner, ring / ways % inner), ways, p.channel);
      p.first = kind == TS_IR_ALL_GATHER ? all - before[d + 1] : before[d];
      ts_making_add(m, p);
      p.first = all + all - before[d + 1];
      p.position = (p.position + 1) % p.parts;
      if (ts_is_whole(kind))
        ts_making_add(m, p);
    }
    ring++;
  }
}

static bool algorithm_hierarchical_sends(ts_making *m)
{
  ts_making_shape(m, TS_FLOW_DIMENSIONS, add_dimensions);
  return true;
}

const ts_algorithm ts_algorithm_hierarchical = {.possible = algorithm_hierarchical_possible,
                                                .steps = algorithm_hierarchical_steps,
                                                .volumes = algorithm_hierarchical_volumes,
                                                .sends = algorithm_hierarchical_sends,
                                                .whole = TS_FLOW_DIMENSIONS,
                                                .half = TS_FLOW_DIMENSIONS};
