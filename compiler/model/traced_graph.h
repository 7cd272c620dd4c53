/* Execution graphs of one rank as models: what was traced once is divided as other models are.
 * Graphs of all ranks are programs (compiler/replay/). */
#ifndef TS_COMPILER_MODEL_TRACED_GRAPH_H
#define TS_COMPILER_MODEL_TRACED_GRAPH_H

#include "compiler/model/traced_table.h"
#include "compiler/plan/plan.h"

/* Whether `model = graph(...)` is the graph of a job of one rank, and the plan says how to divide
 * it: it has a mesh, strategies, a schedule and the like. */
bool ts_plan_divides(ts_session *s, const ts_plan *plan);

/* `{rank}` in the name stands for the number of a rank. */
extern const char ts_graph_rank_place[];
const char *ts_graph_file_of_rank(ts_arena *arena, const char *pattern, uint32_t rank);

/* The text of a graph becomes that of its table; other texts stay. False after a message. */
bool ts_rows_of_graph(ts_session *s, const ts_table_source *source, ts_table_text *table);

#endif
