/* Which kernels and transfers may meet on a device, and how much slower each is then: what a model
 * of slowdowns is asked before a play begins. */
#ifndef TS_RUNTIME_PLAY_OVERLAP_PAIRS_H
#define TS_RUNTIME_PLAY_OVERLAP_PAIRS_H

#include "runtime/play/roles.h"
#include "runtime/play/slowdown.h"

typedef struct ts_overlap_pairs {
  uint32_t columns;              /* transfers: collectives, then ports */
  const uint32_t *const *number; /* [kinds] of [kernels * columns]: which pair */
  const ts_slowdowns *slows;     /* of pairs */
} ts_overlap_pairs;

/* Of all kinds of ranks. NULL, or why the model fails. */
const char *ts_overlap_pairs_of(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                                const ts_slowdown *model, ts_overlap_pairs *out);

/* Of a model of rows those that are about no kernel or no transfer of the plan, and what its
 * kernels are called: "`pair matmul all_reduce`; kernels here are gemm, norm". NULL: there is none. */
const char *ts_overlap_idle_rows(ts_arena *arena, const ts_ir *ir, const ts_slowdown *model);

/* Names of the plan's kernels and transfers that a learned model has never seen, as
 * ts_learned_unseen. */
const char *ts_overlap_unseen(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                              const ts_slowdown *model);

static inline const ts_slowdowns *ts_overlap_slows(const ts_overlap_pairs *p, uint32_t kind,
                                                   uint32_t kernel, uint32_t column)
{
  return &p->slows[p->number[kind][(size_t)kernel * p->columns + column]];
}

#endif
