/* Sources of the gpu that ran a traced table: `trace(..., from: gpu, by: [fit("x.fit.json")])`. What
 * they say of a row at its own sizes, against what the plan's `costs` say of it in the plan, is how
 * its measured time is scaled. */
#ifndef TS_COMPILER_LOWER_TRACED_SOURCES_H
#define TS_COMPILER_LOWER_TRACED_SOURCES_H

#include "compiler/lower/costing.h"
#include "compiler/model/traced.h"

typedef struct ts_traced_sources ts_traced_sources;

/* *sources: NULL where the trace has none. False after errors. */
bool ts_traced_sources_read(ts_session *s, const ts_plan *plan, const ts_graph *g,
                            ts_traced_sources **sources);
/* ps of all kernels of a direction; 0: one of them is not known. *roofline: whether one of them is
 * of a roofline. */
double ts_traced_sources_sum(const ts_traced_sources *sources, const ts_work *work,
                             ts_direction direction, bool *roofline);
/* "a100 to h100 by a.fit.json of table.csv", for reports. */
const char *ts_traced_sources_name(const ts_traced_sources *sources, const char *table);
/* The plan's gpu. */
const char *ts_traced_sources_device(const ts_traced_sources *sources);

#endif
