/* Switches that reduce inside islands (Klenk et al., "An in-network architecture for accelerating
 * shared-memory multiprocessor collectives", ISCA 2020), and trees between such islands. */
#include "runtime/collective/making.h"

static bool one(uint32_t kind, const ts_profile *p)
{
  (void)kind;
  return p->islands == 1;
}

static bool several(uint32_t kind, const ts_profile *p)
{
  (void)kind;
  return p->islands > 1 && p->per_island > 1;
}

static void algorithm_switch_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                   double *inter)
{
  (void)m, (void)p;
  *intra = 1;
  *inter = 0;
}

static void tree_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra, double *inter)
{
  (void)m;
  *intra = 1;
  *inter = 2 * ts_levels(p->islands);
}

/* An all-reduce: the switch reads all ranks' data and hands the sums back. */
static void algorithm_switch_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                     double *inter)
{
  double ranks = p->ranks;
  *intra = m->collective == TS_IR_ALL_REDUCE ? 1 + 1.0 / p->per_island : 1;
  *inter *= p->islands == 2 ? ts_tree_share(p) * ranks / (ranks - 1) : 1;
}

/* Each rank has a part of its island's sum: the switch reads it from all, and hands it to all. */
static void add_switch(ts_making *m, const ts_islands *g, uint32_t channel, uint32_t first,
                       uint32_t back, uint64_t whole)
{
  uint32_t kind = m->out->way.kind;
  for (uint32_t k = 0; k < g->count; k++)
    for (uint32_t j = 0; j < g->size; j++) {
      uint32_t place = g->member[k * g->size + j];
      uint64_t part = ts_part_of(whole, g->size, j);
      if (kind != TS_IR_ALL_GATHER) {
        ts_making_end(m, place, TS_SEND_SWITCH, channel, first, whole);
        ts_making_end(m, TS_SEND_SWITCH, place, channel, first, part);
      }
      if (kind != TS_IR_REDUCE_SCATTER) {
        ts_making_end(m, place, TS_SEND_SWITCH, channel, back, part);
        ts_making_end(m, TS_SEND_SWITCH, place, channel, back, whole);
      }
    }
}

static bool add_switches(ts_making *m, const ts_islands *g, bool tree)
{
  uint32_t channels = m->channels,
           *heads = TS_NEW_ARRAY(m->work, uint32_t, g->count), back = 1;
  for (uint32_t j = 0; tree && j < g->size; j++) {
    for (uint32_t k = 0; k < g->count; k++) heads[k] = m->vertex[g->member[k * g->size + j]];
    if (!ts_making_pattern(m, TS_FLOW_TREE, heads, g->count))
      return false;
    for (size_t at = 0, size; at < m->connections.count; at += size) {
      size = ts_making_of_part(m, at);
      ts_making_tree(
        m, at, size, 1,
        ts_part_of(ts_making_share(m, channels, m->connections.at[at].part), g->size, j));
    }
    back = m->out->steps;
  }
  if (m->out->way.kind == TS_IR_ALL_GATHER)
    back = 0;
  for (uint32_t c = 0; c < channels; c++)
    add_switch(m, g, c, 0, back, ts_making_share(m, channels, c));
  return true;
}

static bool algorithm_switch_sends(ts_making *m)
{
  ts_islands g = ts_making_islands(m);
  if (g.count > 1 && ts_is_half(m->out->way.kind))
    return false;
  if (g.count)
    add_switches(m, &g, false);
  return true;
}

static bool tree_sends(ts_making *m)
{
  ts_islands g = ts_making_islands(m);
  if (g.count && ts_is_half(m->out->way.kind))
    return false;
  if (g.count)
    add_switches(m, &g, true);
  return true;
}

const ts_algorithm ts_algorithm_switch = {.possible = one,
                                          .steps = algorithm_switch_steps,
                                          .volumes = algorithm_switch_volumes,
                                          .sends = algorithm_switch_sends,
                                          .whole = TS_FLOW_SWITCH,
                                          .half = TS_FLOW_LOOP,
                                          .chunks = TS_CHUNK_A_MEMBER,
                                          .switches = true},
                   ts_algorithm_switch_tree = {.possible = several,
                                               .steps = tree_steps,
                                               .volumes = algorithm_switch_volumes,
                                               .sends = tree_sends,
                                               .chunks = TS_CHUNK_A_MEMBER,
                                               .tree = true,
                                               .more_inside = 1,
                                               .switches = true};
