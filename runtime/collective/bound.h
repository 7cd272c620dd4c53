/* What the links alone ask of a call, whatever does it: a set of vertices that must send or take in
 * so many bytes cannot do it faster than all links out of it or into it carry together. The sets
 * are the devices, the parts that hang together by links of a tier and below, and those that hang
 * together by links near the devices (leaves and what is on them): cuts of a fabric. */
#ifndef TS_RUNTIME_COLLECTIVE_BOUND_H
#define TS_RUNTIME_COLLECTIVE_BOUND_H

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/load/ranks.h"

/* ps for a byte of the call, by kind; 0: not called, or nothing is bound */
typedef struct ts_bound {
  double alone[TS_IR_COLLECTIVE_KINDS];    /* an instance with the network to itself */
  /* all instances of the group at once, as far as others need as much of a cut */
  double together[TS_IR_COLLECTIVE_KINDS];
  /* an all-reduce where only ranks reduce; by kind: where switches may, too */
  double summed_alone, summed_together;
} ts_bound;

typedef struct ts_cuts ts_cuts;

ts_cuts *ts_cuts_new(ts_arena *arena, const ts_ir *ir);
/* Of each instance, for the kinds in the set (bit k: kind k). */
void ts_cuts_group(ts_cuts *cuts, const ts_ranks *ranks, const ts_rank_group *group, uint32_t kinds,
                   ts_bound *bounds);
/* Of a message between two devices. */
ts_bound ts_cuts_path(const ts_cuts *cuts, uint32_t from, uint32_t to);
/* Nothing was added, of what follows. */
void ts_cuts_clear(ts_cuts *cuts);
/* What calls of a step need of the links of each part, all together. `bytes`: of the calls of each
 * instance by kind, [instances * TS_IR_COLLECTIVE_KINDS]. */
void ts_cuts_add_calls(ts_cuts *cuts, const ts_ranks *ranks, const ts_rank_group *group,
                       const double *bytes);
void ts_cuts_add_messages(ts_cuts *cuts, uint32_t from, uint32_t to, double bytes);

typedef struct ts_link_load { /* all links out of a part of the cluster, or into it */
  /* ps that calls and messages need of them, had each all of them to itself; 0: none do */
  double time;
  uint32_t vertex, devices; /* the first device of the part; how many there are */
  bool into;
} ts_link_load;
ts_link_load ts_cuts_fullest(const ts_cuts *cuts); /* of what was added */

/* ps, a hair less for sums of rates are rounded; `rank_sums`: no switch reduces. */
static inline double ts_bound_time(const ts_bound *b, uint32_t kind, uint64_t bytes, bool together,
                                   bool rank_sums)
{
  double all = together ? b->together[kind] : b->alone[kind],
         sums = together ? b->summed_together : b->summed_alone;
  return (1 - 1e-9) * (double)bytes *
         (kind == TS_IR_ALL_REDUCE && rank_sums && sums > all ? sums : all);
}

#endif
