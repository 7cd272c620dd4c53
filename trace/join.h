/* A profile of the PyTorch profiler without shapes, and the execution trace of the same steps,
 * which has them and no times. */
#ifndef TS_TRACE_JOIN_H
#define TS_TRACE_JOIN_H

#include "trace/read/events.h"

/* Operators of `e` without shapes take those of `graph`: by their numbers in the record of
 * functions, which both have when they observed the same run; else by name and order, for names of
 * which the profile has as many as the graph, or a multiple. Returns how many took some. */
uint32_t ts_events_join_shapes(ts_events *e, const ts_events *graph);

/* The same, and which node each event of the profile is: node_of[event], or TS_EVENT_NONE. */
uint32_t ts_events_join(ts_events *e, const ts_events *graph, uint32_t *node_of);

#endif
