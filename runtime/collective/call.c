#include "runtime/collective/call.h"

#include <math.h>

#include "ir/names.h"
#include "runtime/collective/graph.h"

int ts_network_no_path(ts_arena *arena, const ts_ir *ir, uint32_t from, uint32_t to, ts_stop *stop)
{
  ts_stop_set(stop, TS_EXIT_NO, "R0301", "no-path",
              "no link of the cluster connects devices that communicate");
  ts_stop_fact(stop, "from", "%s", ts_report_vertex(arena, ir, from));
  ts_stop_fact(stop, "to", "%s", ts_report_vertex(arena, ir, to));
  ts_stop_help(
    stop, "link both to a switch, or place the ranks on devices that are at most %d links apart",
    TS_PATH_MAX);
  return -1;
}

bool ts_is_half(uint32_t kind) { return kind == TS_IR_ALL_GATHER || kind == TS_IR_REDUCE_SCATTER; }

bool ts_is_whole(uint32_t kind) { return kind == TS_IR_ALL_REDUCE || kind == TS_IR_BARRIER; }

bool ts_adds(uint32_t kind)
{
  return kind == TS_IR_ALL_REDUCE || kind == TS_IR_REDUCE_SCATTER || kind == TS_IR_REDUCE;
}

double ts_passes(uint32_t kind) { return ts_is_whole(kind) ? 2 : 1; }

double ts_levels(uint32_t islands) { return islands > 1 ? floor(log2(islands)) : 0; }

double ts_chain_share(const ts_profile *p) { return (p->per_island - 1.0) / p->per_island; }

double ts_tree_share(const ts_profile *p) { return p->islands == 2 ? 0.5 : 1; }

double ts_ring_volume(uint32_t kind, uint32_t ranks)
{
  double others = (double)(ranks - 1) / ranks;
  switch (kind) {
  case TS_IR_ALL_REDUCE: return 2 * others;
  case TS_IR_ALL_GATHER: case TS_IR_REDUCE_SCATTER: case TS_IR_ALL_TO_ALL: return others;
  case TS_IR_BARRIER: return 0;
  default: return 1;
  }
}

double ts_profile_pairs(const ts_profile *p)
{
  double ranks = p->ranks, island = p->per_island;
  return p->pairs > 0 || p->islands < 2 ? p->pairs : p->inter * ranks / (island * (ranks - island));
}

double ts_profile_shift(const ts_profile *p)
{
  return p->shift > 0 ? p->shift : p->islands > 1 ? p->inter / p->per_island : p->intra;
}

uint32_t ts_ring_steps(uint32_t kind, uint32_t ranks)
{
  if (kind == TS_IR_SHIFT)
    return 1;
  return (ts_is_whole(kind) ? 2 : 1) * (ranks - 1);
}
