/* A rank's timeline: node by node in the order of issue, from the facts of the play. It takes from
 * play/node.h what a node means in time, and not the compiled ops, so that the two can be held
 * against each other. */
#include "runtime/account/timeline.h"

#include <string.h>

#include "runtime/account/run.h"

typedef struct cursor {
  const ts_facts *facts;
  const ts_player *w;
  uint32_t rank;
  uint64_t *free;  /* [streams] */
  uint32_t *call;  /* [comms] */
  uint64_t host;
} cursor;

static cursor cursor_new(ts_arena *arena, const ts_run *run, uint32_t rank)
{
  const ts_facts *facts = ts_run_facts(run);
  return (cursor){.facts = facts,
                  .w = &facts->players[facts->fold->of[rank]],
                  .rank = rank,
                  .free = TS_NEW_ARRAY(arena, uint64_t, facts->tables->streams),
                  .call = TS_NEW_ARRAY(arena, uint32_t, facts->tables->comm_count)};
}

/* What the node took if it took another time here than elsewhere, else `usual`. */
static uint64_t took(const cursor *l, const ts_play_item *v, const ts_ir_node *node, uint64_t usual)
{
  return ts_took(l->w, l->facts->tables, v->index,
                 (uint32_t)(node - ts_fragment_nodes(l->facts->tables->ir, v->fragment)), usual);
}

static void fill_message(cursor *l, const ts_play_item *v, const ts_ir_node *node, ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  const ts_route *route = &l->w->program->routes[v->port_base + node->arg];
  e->peer = ts_peer_rank(t->ranks, l->rank, l->w->program->peers[route->peer].coordinate);
  e->tag = t->ir->bindings[t->ir->items[e->item].first_binding + node->arg].tag;
  if (node->op == TS_IR_SEND) {
    e->end = e->start + took(l, v, node, ts_send_time(l->w->role, route));
  } else {
    e->sent = l->w->sent[route->slot];
    e->end = (uint64_t)ts_node_end((int64_t)e->start, (int64_t)l->w->arrived[route->slot], 0);
  }
}

static void fill_collective(cursor *l, const ts_play_item *v, const ts_ir_node *node,
                            ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  uint32_t comm = ts_comm_of(t, node), rendezvous = l->w->rendezvous[comm];
  e->end = e->start;
  if (rendezvous == TS_IR_NONE)
    return;
  const ts_rendezvous *m = &l->facts->fold->rendezvous[rendezvous];
  uint32_t call = l->call[comm]++;
  if (m->count > 1)
    e->start = l->facts->starts[m->call_base + call];
  e->end = e->start + took(l, v, node, l->w->role->collective_time[node->arg]);
}

static void fill_host(cursor *l, const ts_play_item *v, const ts_node_info *info,
                      const ts_ir_node *node, ts_span_event *e)
{
  uint64_t begin = l->host;
  e->stream = TS_IR_NONE;
  if (ts_host_waits(node))
    l->host = l->w->segments[v->segment + info->segment];
  e->start = e->ready = node->op == TS_IR_HOST_SYNC ? begin : l->host;
  l->host += node->host_ps - ts_host_spends_before(node);
  e->end = e->issued = l->host;
}

static void fill_stream(cursor *l, const ts_play_item *v, const ts_node_info *info,
                        const ts_ir_node *node, ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  l->host += node->host_ps;
  e->stream = node->stream;
  e->issued = l->host;
  ts_item_events events = ts_events_of(l->w, v);
  uint64_t from =
    ts_deps_end(l->free[node->stream], events.at, events.by, t->waits + info->first_wait,
                info->wait_count, ts_node_chooses(node) ? node->arg : 0);
  e->start = e->ready = (uint64_t)ts_node_ready((int64_t)from, (int64_t)e->issued);
  if (node->op == TS_IR_COLLECTIVE)
    fill_collective(l, v, node, e);
  else if (node->op == TS_IR_SEND || node->op == TS_IR_RECV)
    fill_message(l, v, node, e);
  else
    e->end = e->start + took(l, v, node, ts_kernel_time(l->w->role, node));
  l->free[node->stream] = e->end;
}

static void fill_event(cursor *l, const ts_play_item *v, uint32_t n, ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  const ts_ir_node *node = &ts_fragment_nodes(t->ir, v->fragment)[n];
  const ts_node_info *info = &t->layouts[v->fragment].nodes[n];
  *e = (ts_span_event){.node = node,
                       .item = t->ir->programs[l->w->role->program].first_item + v->index,
                       .peer = TS_IR_NONE,
                       .tag = TS_IR_NONE};
  if (ts_is_host(node))
    fill_host(l, v, info, node, e);
  else
    fill_stream(l, v, info, node, e);
}

struct ts_issues {
  cursor l;
  uint32_t item, node; /* the next one */
};

ts_issues *ts_issues_new(ts_arena *arena, const ts_run *run, uint32_t rank)
{
  ts_issues *issues = TS_NEW(arena, ts_issues);
  *issues = (ts_issues){.l = cursor_new(arena, run, rank)};
  return issues;
}

bool ts_issues_next(ts_issues *issues, ts_span_event *event)
{
  cursor *l = &issues->l;
  const ts_ir *ir = l->facts->tables->ir;
  for (; issues->item < ir->programs[l->w->role->program].item_count; issues->item++) {
    const ts_play_item *v = &l->w->program->items[issues->item];
    if (issues->node < ir->fragments[v->fragment].node_count) {
      fill_event(l, v, issues->node++, event);
      return true;
    }
    issues->node = 0;
  }
  return false;
}

void ts_run_timeline(const ts_run *run, uint32_t rank,
                     void (*each)(void *closure, const ts_span_event *event), void *closure)
{
  ts_arena *scratch = ts_arena_new("timeline");
  ts_issues *issues = ts_issues_new(scratch, run, rank);
  for (ts_span_event e; ts_issues_next(issues, &e);)
    each(closure, &e);
  ts_arena_free(scratch);
}

/* ---- Item by item ---- */

typedef struct timeline_left { /* by an item that others repeat */
  uint64_t *free;              /* [streams] */
  uint64_t host, spent;        /* when the host came to it, and what it did there */
} timeline_left;

static void play_again(cursor *l, const ts_play_item *v, const timeline_left *left, uint64_t by)
{
  const ts_tables *t = l->facts->tables;
  const uint32_t *first = t->layouts[v->fragment].stream_first;
  for (uint32_t s = 0; s < t->streams; s++)
    if (first[s + 1] > first[s])
      l->free[s] = left->free[s] + by;
  l->host += left->spent;
}

static void read_item(cursor *l, const ts_play_item *v, const ts_item_reader *reader)
{
  for (uint32_t n = 0; n < l->facts->tables->ir->fragments[v->fragment].node_count; n++) {
    ts_span_event e;
    fill_event(l, v, n, &e);
    reader->each(reader->closure, &e);
  }
}

void ts_run_timeline_items(const ts_run *run, uint32_t rank, const ts_item_reader *reader)
{
  ts_arena *scratch = ts_arena_new("timeline");
  cursor l = cursor_new(scratch, run, rank);
  const ts_tables *t = l.facts->tables;
  const ts_ir_program *program = &t->ir->programs[l.w->role->program];
  timeline_left *left = TS_NEW_ARRAY(scratch, timeline_left, program->item_count);
  for (uint32_t i = 0; l.w->alike && i < program->item_count; i++)
    if (l.w->alike[i] != i && !left[l.w->alike[i]].free)
      left[l.w->alike[i]].free = ts_arena_alloc_raw(scratch, t->streams * sizeof *left->free);
  for (uint32_t i = 0; i < program->item_count; i++) {
    const ts_play_item *v = &l.w->program->items[i];
    uint32_t like = l.w->alike ? l.w->alike[i] : i;
    uint64_t by = like == i ? 0 : l.w->begun[i] - l.w->begun[like], host = l.host;
    if (like != i) {
      reader->again(reader->closure, program->first_item + i, program->first_item + like, by,
                    host - left[like].host);
      play_again(&l, v, &left[like], by);
      continue;
    }
    read_item(&l, v, reader);
    if (left[i].free) {
      memcpy(left[i].free, l.free, t->streams * sizeof *l.free);
      left[i].host = host;
      left[i].spent = l.host - host;
    }
  }
  ts_arena_free(scratch);
}

uint64_t ts_event_begun(const ts_span_event *e)
{
  if (e->node->op != TS_IR_RECV || e->sent <= e->start)
    return e->start;
  return e->sent < e->end ? e->sent : e->end;
}

bool ts_event_works(const ts_span_event *e)
{
  return e->stream == 0 && e->node->op != TS_IR_RECORD && e->end > ts_event_begun(e);
}
