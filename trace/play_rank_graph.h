/* Execution graphs of all ranks of a job as the programs of an IR. Each rank has its own; ranks
 * that do the same share the work. */
#ifndef TS_TRACE_PLAY_RANK_GRAPH_H
#define TS_TRACE_PLAY_RANK_GRAPH_H

#include "ir/ir.h"
#include "trace/read/events.h"

typedef TS_VEC(uint32_t) ts_kernel_list; /* of the IR */

/* What the graphs do not say. */
typedef struct ts_rank_prices {
  void *closure;
  /* What is asked for next, so many ranks do alike. */
  void (*alike)(void *closure, uint32_t ranks);
  /* Adds the kernels that an operation of the device is, one after the other, to a list in the
   * arena; none: it launches nothing. False with the error filled. */
  bool (*kernels)(void *closure, const ts_events *rank, uint32_t event, ts_arena *arena,
                  ts_kernel_list *out, ts_error *error);
  bool unshared; /* streams that compute do not share a device: times hold what ran beside */
  uint64_t launch, collective, message, step; /* ps of the host; step: once, before all else */
} ts_rank_prices;

/* Appends groups, streams, fragments and programs to an IR, whose mesh then is one axis, `ranks`:
 * rank i plays program i. ranks[i] is rank i. False with the error filled. */
bool ts_rank_graphs_play(ts_ir_builder *b, const ts_events *const *ranks, uint32_t count,
                         const ts_rank_prices *prices, ts_error *error);

/* Does a table hold what ranks are played from: the graph of one, or a schedule of all? */
bool ts_is_rank_graph(const ts_events *e);

#endif
