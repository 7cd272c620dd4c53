/* Chakra traces of all ranks of a job as tables that play (trace/play_rank_graph.h). */
#ifndef TS_TRACE_CHAKRA_RANKS_H
#define TS_TRACE_CHAKRA_RANKS_H

#include "trace/read/events.h"

/* files[i] is rank i. `groups`: the text of a file of process groups, {"1": [0, 1], ...}, which
 * `pg_name` of nodes name; NULL: there is none. Nodes come after what they wait for. Computation is
 * one stream, collectives one for each group, messages one for each peer and direction. NULL with
 * the error filled. */
const ts_events **ts_chakra_ranks(ts_arena *arena, const ts_events *const *files, uint32_t count,
                                  const char *groups, size_t groups_size, ts_error *error);

/* The name of the file of groups beside "job.0.et": "job.groups.json"; NULL: the name is no such
 * one. */
const char *ts_chakra_groups_name(ts_arena *arena, const char *name);

static inline bool ts_is_chakra(const ts_events *e)
{
  return e->format == TS_TRACE_CHAKRA || e->format == TS_TRACE_CHAKRA_JSON;
}

#endif
