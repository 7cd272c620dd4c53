/* GOAL schedules. Read they are one table, whose tracks are (rank, cpu); an edge of `control` is
 * `irequires`: its end waits for its beginning to start. */
#ifndef TS_TRACE_READ_GOAL_H
#define TS_TRACE_READ_GOAL_H

#include "trace/read/events.h"

/* The table as one for each rank, to be played together by ts_graph_ir: operations after what they
 * wait for; computations and sends of a cpu on a stream each, in the order of the file, receives on
 * one for each sender. NULL with the error filled where messages are from any rank or with any tag,
 * which depends on time. */
const ts_events **ts_goal_ranks(ts_arena *arena, const ts_events *e, ts_error *error);

#endif
