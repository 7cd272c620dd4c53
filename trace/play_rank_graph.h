/* Execution graphs of all ranks of a job as the programs of an IR. Each rank has its own; ranks
 * that do the same share the work. */
#ifndef TS_TRACE_PLAY_RANK_GRAPH_H
#define TS_TRACE_PLAY_RANK_GRAPH_H

#include "trace/program_maker.h"

/* Appends groups, streams, fragments and programs to an IR, whose mesh then is one axis, `ranks`:
 * rank i plays program i. ranks[i] is rank i. False with the error filled. */
bool ts_rank_graphs_play(ts_ir_builder *b, const ts_events *const *ranks, uint32_t count,
                         const ts_rank_prices *prices, ts_error *error);

/* Does a table hold what ranks are played from: the graph of one, or a schedule of all? */
bool ts_is_rank_graph(const ts_events *e);

#endif
