/* What readers of formats (format.h) share. */
#ifndef TS_TRACE_READ_READERS_H
#define TS_TRACE_READ_READERS_H

#include "trace/read/events.h"
#include "trace/read/json.h"

enum { TS_EVENTS_MOST = 1u << 30, TS_TRACKS_MOST = 4096 };

bool ts_is_text(const ts_feed *feed);
bool ts_is_table(const ts_feed *feed); /* its first line has three cells */
extern const char ts_formats_known[];  /* the names of all formats, as help */

ts_event_kind ts_call_kind(const char *name); /* "cudaStreamSynchronize" */

static inline bool ts_is(const char *text, size_t length, const char *word)
{
  return __builtin_strlen(word) == length && __builtin_memcmp(text, word, length) == 0;
}
#define TS_JSON_IS(j, word)                                                                        \
  (sizeof(word) - 1 == (j)->length && __builtin_memcmp((j)->text, word, sizeof(word) - 1) == 0)

/* The value that comes next, as a number or a string; others are skipped and leave the default. */
int64_t ts_json_take_integer(ts_json *j, int64_t otherwise);
uint32_t ts_json_take_string(ts_json *j, ts_events *e); /* numbers too: as written */

/* At a list of process groups as `pg_config` and execution traces have it. */
void ts_read_groups(ts_events *e, ts_json *j);
/* An array as text without blanks; 0: it is none. */
uint32_t ts_json_take_list(ts_json *j, ts_events *e);
/* "[0, 1]", ranks from 0, as "0,1"; none gives 0. False: it is something else. */
bool ts_take_ranks(ts_events *e, const char *text, size_t length, uint32_t *ranks);

/* Edges of graphs by numbers of nodes: kept until all nodes are known. */
typedef struct ts_named_edge { uint64_t from; uint32_t to; bool control; } ts_named_edge;
typedef TS_VEC(ts_named_edge) ts_named_edges;
/* Nodes have ids. Edges to nodes that are not there are counted in e->missing_nodes; a node that is
 * there twice and a cycle fail. */
bool ts_trace_graph_finish(ts_events *e, const ts_named_edges *edges, ts_error *error);

#endif
