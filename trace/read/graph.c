/* Graphs of nodes with numbers: dependencies by number become edges between events. */
#include <stdlib.h>
#include <string.h>

#include "trace/read/readers.h"

#include "base/order.h"

typedef struct numbered { uint64_t id; uint32_t event; } numbered;

static int graph_by_id(const void *a, const void *b)
{
  const numbered *x = a, *y = b;
  return x->id < y->id ? -1 : x->id > y->id ? 1 : x->event < y->event ? -1 : x->event > y->event;
}

static uint32_t graph_find(const numbered *nodes, uint32_t count, uint64_t id)
{
  uint32_t at;
  TS_SEARCH(at, 0, count, nodes[at].id < id);
  return at < count && nodes[at].id == id ? nodes[at].event : TS_EVENT_NONE;
}

/* Kahn's order; what is left is on a cycle or behind one. Returns a node on a cycle, or NONE. */
static uint32_t on_cycle(const ts_events *e, bool control, ts_arena *work)
{
  uint32_t n = e->count, edges = 0;
  ts_event_edge *edge = TS_NEW_ARRAY(work, ts_event_edge, e->edges.count + 1);
  for (size_t i = 0; i < e->edges.count; i++)
    if (control || !e->edges.at[i].control)
      edge[edges++] = e->edges.at[i];
  uint32_t *waits = TS_NEW_ARRAY(work, uint32_t, n + 1),
           *first = TS_NEW_ARRAY(work, uint32_t, n + 2),
           *next = TS_NEW_ARRAY(work, uint32_t, edges + 1);
  uint32_t *ready = TS_NEW_ARRAY(work, uint32_t, n + 1), head = 0, tail = 0;
  for (uint32_t i = 0; i < edges; i++) {
    waits[edge[i].to]++;
    first[edge[i].from + 1]++;
  }
  for (uint32_t i = 0; i < n; i++) first[i + 1] += first[i];
  uint32_t *at = ts_arena_copy(work, first, sizeof *first * (n + 1));
  for (uint32_t i = 0; i < edges; i++) next[at[edge[i].from]++] = edge[i].to;
  for (uint32_t i = 0; i < n; i++)
    if (!waits[i])
      ready[tail++] = i;
  for (; head < tail; head++)
    for (uint32_t k = first[ready[head]]; k < first[ready[head] + 1]; k++)
      if (!--waits[next[k]])
        ready[tail++] = next[k];
  if (tail == n)
    return TS_EVENT_NONE;
  /* From a node that is left, going back n steps among those left ends on the cycle. */
  uint32_t *from = TS_NEW_ARRAY(work, uint32_t, n + 1), node = 0;
  for (uint32_t i = 0; i < edges; i++)
    if (waits[edge[i].to] && waits[edge[i].from])
      from[edge[i].to] = edge[i].from;
  while (!waits[node]) node++;
  for (uint32_t i = 0; i < n; i++) node = from[node];
  return node;
}

bool ts_trace_graph_finish(ts_events *e, const ts_named_edges *edges, ts_error *error)
{
  ts_arena *work = ts_arena_new("graph");
  numbered *nodes = TS_NEW_ARRAY(work, numbered, e->count + 1);
  for (uint32_t i = 0; i < e->count; i++) nodes[i] = (numbered){ts_event_at(e, i)->id, i};
  qsort(nodes, e->count, sizeof *nodes, graph_by_id);
  bool good = true;
  for (uint32_t i = 1; i < e->count && good; i++)
    if (nodes[i].id == nodes[i - 1].id)
      good = ts_fail(error, NULL, "two nodes have the number %llu: `%.40s` and `%.40s`",
                     (unsigned long long)nodes[i].id,
                     ts_events_text(e, ts_event_at(e, nodes[i - 1].event)->name),
                     ts_events_text(e, ts_event_at(e, nodes[i].event)->name));
  for (size_t i = 0; i < edges->count && good; i++) {
    uint32_t from = graph_find(nodes, e->count, edges->at[i].from);
    if (from == TS_EVENT_NONE)
      e->missing_nodes++;
    else if (from != edges->at[i].to)
      TS_PUSH(e->arena, &e->edges, (ts_event_edge){from, edges->at[i].to, edges->at[i].control});
  }
  uint32_t node = good ? on_cycle(e, true, work) : TS_EVENT_NONE;
  /* some writers give what an operator is nested in as a control dependency */
  if (node != TS_EVENT_NONE) {
    e->nested = true;
    node = on_cycle(e, false, work);
  }
  if (node != TS_EVENT_NONE)
    good = ts_fail(error, NULL, "the data dependencies form a cycle through node %llu, `%.60s`",
                   (unsigned long long)ts_event_at(e, node)->id,
                   ts_events_text(e, ts_event_at(e, node)->name));
  ts_arena_free(work);
  return good;
}
