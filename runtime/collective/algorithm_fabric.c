/* Fabrics that reduce (Graham et al., "Scalable hierarchical aggregation protocol (SHARP)", COMHPC
 * 2016). */
#include "runtime/collective/making.h"

static bool chain_possible(uint32_t kind, const ts_profile *p)
{
  return p->islands > 1 && kind == TS_IR_ALL_REDUCE;
}

static bool direct_possible(uint32_t kind, const ts_profile *p)
{
  return p->islands > 1 && (kind == TS_IR_ALL_REDUCE || ts_is_half(kind));
}

/* To the rank at the NIC and back; the fabric answers once. */
static void chain_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                        double *inter)
{
  *intra = ts_passes(m->collective) * (p->per_island - 1.0);
  *inter = 1;
}

/* All ranks at once; sending to each other one costs a tenth of a hop. */
static void direct_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                         double *inter)
{
  double others = p->per_island - 1.0;
  (void)m;
  *intra = 2 * ((others > 0) + 0.1 * others);
  *inter = 1;
}

static double leaving(const ts_profile *p) { return ((double)p->ranks - p->per_island) / p->ranks; }

static void chain_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                          double *inter)
{
  *intra = ts_passes(m->collective) * ts_chain_share(p);
  *inter = m->collective == TS_IR_ALL_REDUCE ? 1 : leaving(p);
}

/* A reduce-scatter in the island, the fabric, an all-gather in the island. */
static void direct_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                           double *inter)
{
  double ranks = p->ranks, island = p->per_island;
  bool reduces = m->collective == TS_IR_ALL_REDUCE;
  *intra = reduces ? 2 * (island - 1) / island : (ranks - 1) / ranks;
  *inter = reduces ? 1 : leaving(p);
}

/* All members of an island to each other: the part of each receiver, or all their own part. */
static bool exchange(ts_making *m, const ts_islands *g, uint32_t channel, uint32_t step,
                     uint64_t whole, bool gathers)
{
  for (uint32_t k = 0; k < g->count; k++)
    for (uint32_t i = 0; i < g->size; i++)
      for (uint32_t d = 1; d < g->size; d++) {
        uint32_t j = (i + d) % g->size;
        if (!ts_making_message(m, g->member[k * g->size + i], g->member[k * g->size + j], channel,
                               step, ts_part_of(whole, g->size, gathers ? i : j)))
          return false;
      }
  return true;
}

/* Every rank is at the NIC of its rail: parts meet there, the fabric sums or gathers, and parts
 * come back. */
static bool add_fabric_direct(ts_making *m, const ts_islands *g)
{
  uint32_t channels = m->channels, kind = m->out->way.kind,
           meet = kind != TS_IR_ALL_GATHER;
  for (uint32_t c = 0; c < channels; c++) {
    uint64_t whole = ts_making_share(m, channels, c);
    if (meet && !exchange(m, g, c, 0, whole, false))
      return false;
    for (uint32_t k = 0; k < g->count; k++)
      for (uint32_t j = 0; j < g->size; j++) {
        uint32_t place = g->member[k * g->size + j];
        uint64_t rail = ts_part_of(whole, g->size, j), own = ts_part_of(rail, g->count, k);
        ts_making_end(m, place, TS_SEND_FABRIC, c, meet, kind == TS_IR_ALL_GATHER ? own : rail);
        ts_making_end(m, TS_SEND_FABRIC, place, c, meet + 1,
                kind == TS_IR_ALL_GATHER     ? rail - own :
                kind == TS_IR_REDUCE_SCATTER ? own :
                                               rail);
      }
    if (kind != TS_IR_REDUCE_SCATTER && !exchange(m, g, c, meet + 2, whole, true))
      return false;
  }
  return true;
}

/* A chain to the rank at the channel's NIC, and back. */
static bool add_fabric_chain(ts_making *m, const ts_islands *g)
{
  uint32_t channels = m->channels, far = g->size - 1;
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < g->count; k++) {
      const uint32_t *member = g->member + (size_t)k * g->size;
      uint64_t whole = ts_making_share(m, channels, c);
      for (uint32_t d = far; d > 0; d--) {
        uint32_t outer = member[(c + d) % g->size], nearer = member[(c + d - 1) % g->size];
        if (!ts_making_message(m, outer, nearer, c, far - d, whole) ||
            !ts_making_message(m, nearer, outer, c, far + 1 + d, whole))
          return false;
      }
      ts_making_end(m, member[c % g->size], TS_SEND_FABRIC, c, far, whole);
      ts_making_end(m, TS_SEND_FABRIC, member[c % g->size], c, far + 1, whole);
    }
  return true;
}

static bool direct_sends(ts_making *m)
{
  ts_islands g = ts_making_islands(m);
  if (g.count)
    add_fabric_direct(m, &g);
  return true;
}

static bool chain_sends(ts_making *m)
{
  ts_islands g = ts_making_islands(m);
  if (g.count > 1 && ts_is_half(m->out->way.kind))
    return false;
  if (g.count)
    add_fabric_chain(m, &g);
  return true;
}

const ts_algorithm ts_algorithm_fabric_chain = {.possible = chain_possible,
                                                .steps = chain_steps,
                                                .volumes = chain_volumes,
                                                .sends = chain_sends,
                                                .chain = true,
                                                .switches = true},
                   ts_algorithm_fabric_direct = {.possible = direct_possible,
                                                 .steps = direct_steps,
                                                 .volumes = direct_volumes,
                                                 .sends = direct_sends,
                                                 .chunks = TS_CHUNK_A_MEMBER,
                                                 .switches = true};
