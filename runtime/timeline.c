/* A rank's timeline: node by node in the order of issue, from the facts of the play. Written from the semantics in ir.h alone, without the
 * compiled ops, so that the two can be held against each other. */
#include "runtime/play.h"

typedef struct teller {
  const ts_facts *facts;
  const ts_player *w;
  uint32_t rank;
  uint64_t *free;  /* [streams] */
  uint32_t *turn;  /* [comms] */
  uint64_t host;
} teller;

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* What the node took if it took another time here than elsewhere, else `usual`. */
static uint64_t took(const teller *l, const ts_visit *v, const ts_ir_node *node, uint64_t usual)
{
  return ts_took(l->w, v->item, (uint32_t)(node - ts_nodes_of(l->facts->tables->ir, v->fragment)), usual);
}

static void tell_message(teller *l, const ts_visit *v, const ts_ir_node *node, ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  const ts_route *route = &l->w->program->routes[v->port_base + node->arg];
  e->peer = ts_peer_rank(t->ranks, l->rank, l->w->program->peers[route->peer].coordinate);
  e->tag = t->ir->bindings[t->ir->items[e->item].first_binding + node->arg].tag;
  if (node->op == TS_IR_SEND) {
    e->end = e->start + took(l, v, node, ts_message_time(t, l->w->kind, v->fragment, node->arg, route->peer));
  } else {
    e->sent = l->w->sent[route->slot];
    e->end = later(e->start, l->w->arrived[route->slot]);
  }
}

static void tell_collective(teller *l, const ts_visit *v, const ts_ir_node *node, ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  uint32_t comm = ts_comm_of(t, node), meeting = l->w->meetings[comm];
  e->end = e->start;
  if (meeting == TS_IR_NONE)
    return;
  e->start = l->facts->starts[l->facts->cast->meetings[meeting].turn_base + l->turn[comm]++];
  e->end = e->start + took(l, v, node, l->w->kind->collective_time[node->arg]);
}

static void tell_host(teller *l, const ts_visit *v, const ts_node_info *info, const ts_ir_node *node, ts_span_event *e)
{
  uint64_t begin = l->host;
  bool waits = node->op == TS_IR_HOST_SYNC || node->dep_count;
  e->stream = TS_IR_NONE;
  if (waits)
    l->host = l->w->segments[v->segment + info->segment];
  if (node->op == TS_IR_HOST_SYNC) {
    e->start = e->ready = begin;
    e->end = e->issued = l->host;
    return;
  }
  e->start = e->ready = l->host;
  l->host += node->host_ps;
  e->end = e->issued = l->host;
}

static void tell_stream(teller *l, const ts_visit *v, const ts_node_info *info, const ts_ir_node *node, ts_span_event *e)
{
  const ts_tables *t = l->facts->tables;
  l->host += node->host_ps;
  e->stream = node->stream;
  e->issued = l->host;
  e->ready = later(l->free[node->stream], e->issued);
  const uint64_t *events = l->w->events + v->event_base;
  if (node->op == TS_IR_RECORD && node->arg)
    e->ready = later(e->ready, ts_choice_time(events, t->waits + info->first_wait, info->wait_count, node->arg));
  for (uint32_t i = 0; i < info->wait_count && !(node->op == TS_IR_RECORD && node->arg); i++)
    e->ready = later(e->ready, events[t->waits[info->first_wait + i]]);
  e->start = e->ready;
  if (node->op == TS_IR_COLLECTIVE)
    tell_collective(l, v, node, e);
  else if (node->op == TS_IR_SEND || node->op == TS_IR_RECV)
    tell_message(l, v, node, e);
  else
    e->end = e->start + took(l, v, node, ts_kernel_time(l->w->kind, node));
  l->free[node->stream] = e->end;
}

void ts_run_timeline(const ts_run *run, uint32_t rank, void (*visit)(void *closure, const ts_span_event *event), void *closure)
{
  const ts_facts *facts = ts_run_facts(run);
  const ts_tables *t = facts->tables;
  ts_arena *scratch = ts_arena_new("timeline");
  teller l = {.facts = facts, .w = &facts->players[facts->cast->of[rank]], .rank = rank,
              .free = TS_NEW_ARRAY(scratch, uint64_t, t->streams), .turn = TS_NEW_ARRAY(scratch, uint32_t, t->comm_count)};
  const ts_ir_program *program = &t->ir->programs[l.w->kind->program];
  for (uint32_t i = 0; i < program->item_count; i++) {
    const ts_visit *v = &l.w->program->items[i];
    const ts_ir_node *nodes = ts_nodes_of(t->ir, v->fragment);
    for (uint32_t n = 0; n < t->ir->fragments[v->fragment].node_count; n++) {
      ts_span_event e = {.node = &nodes[n], .item = program->first_item + i, .peer = TS_IR_NONE, .tag = TS_IR_NONE};
      const ts_node_info *info = &t->layouts[v->fragment].nodes[n];
      if (ts_is_host(&nodes[n]))
        tell_host(&l, v, info, &nodes[n], &e);
      else
        tell_stream(&l, v, info, &nodes[n], &e);
      visit(closure, &e);
    }
  }
  ts_arena_free(scratch);
}
