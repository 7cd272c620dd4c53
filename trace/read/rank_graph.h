/* Execution graphs, one rank a file: the format of the tracer, doc/graph_json.md. Read into the
 * common table, with what the table has no place for beside it. */
#ifndef TS_TRACE_READ_RANK_GRAPH_H
#define TS_TRACE_READ_RANK_GRAPH_H

#include "trace/read/events.h"

typedef struct ts_graph_facts { /* of an event */
  uint32_t in, out;       /* shapes, or TS_EVENT_NONE */
  uint32_t phase, module; /* strings */
  int64_t root;           /* of a collective with one; -1: none */
  bool sync;              /* the host waits for it */
  double slowed;          /* of no file: its kernels take so many times as long; 0: as they do */
} ts_graph_facts;

/* TS_EVENT_NONE: held before; category, module (or ""): strings */
typedef struct ts_graph_memory {
  uint32_t event;
  int64_t bytes;
  uint32_t category, module;
} ts_graph_memory;

struct ts_rank_graph {
  uint32_t producer;      /* string */
  int64_t like;           /* the rank that was traced; -1: this one */
  /* the operator in which the rank ran out of memory: the graph ends there; 0: it is whole */
  uint32_t short_in;
  uint32_t routing;       /* string: by which experts were chosen where no scores were computed */
  uint32_t packages;      /* string: of stand-ins, with commas */
  /* places of the script where a value that nobody computed decided: how many, and the first */
  uint32_t decisions, decided_at;
  TS_VEC(ts_graph_facts) facts; /* by event */
  TS_VEC(ts_graph_memory) memory; /* in the order of events */
};

/* What the graph says of an event; NULL: nothing. */
static inline const ts_graph_facts *ts_graph_facts_of(const ts_events *e, uint32_t event)
{
  return e->graph && event < e->graph->facts.count ? &e->graph->facts.at[event] : NULL;
}

#endif
