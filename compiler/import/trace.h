/* Models that come from a traced table of operators. */
#ifndef TS_COMPILER_IMPORT_TRACE_H
#define TS_COMPILER_IMPORT_TRACE_H

#include "compiler/graph.h"

/* `trace(...)`: fills the graph from the file. False after errors. compiler/import/trace.c */
bool ts_trace_build(ts_session *s, const ts_plan *plan, const ts_applied *model, ts_graph *g);

#endif
