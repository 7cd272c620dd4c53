/* Why a play stands still: follows who waits for whom until the chain closes or ends at somebody
 * who never comes. */
#include "runtime/play/engine_internal.h"

typedef struct standing { /* a process that waits, and what for */
  uint32_t id;
  const ts_play_item *item;
  const ts_ir_node *node; /* NULL: it waits for the host to begin a fragment */
  uint32_t for_id;        /* process it waits for, or TS_IR_NONE: nobody will ever do it */
  const char *what;
} standing;

static const char *text(const ts_engine *e, ts_ir_str s)
{
  return e->facts.tables->ir->strings + s;
}

static const ts_ir_node *node_at(const ts_engine *e, const ts_play_item *v, uint32_t place)
{
  const ts_tables *t = e->facts.tables;
  return ts_fragment_nodes(t->ir, v->fragment) + t->layouts[v->fragment].order[place];
}

static uint32_t process_of(const ts_engine *e, uint32_t player, uint32_t stream)
{
  return player * e->processes.per_player + stream;
}

static bool waits_for_event(const ts_engine *e, standing *s, const uint32_t *wait, uint32_t count)
{
  const ts_process *p = &e->processes.at[s->id];
  const ts_player *w = &e->facts.players[p->player];
  for (uint32_t i = 0; i < count; i++)
    if (!ts_is_known(w->events[s->item->event_base + wait[i]])) {
      s->for_id =
        process_of(e, p->player, w->role->code[s->item->fragment].producers[wait[i]].stream);
      s->what = "work of another stream";
      return true;
    }
  return false;
}

static void waits_for_message(const ts_engine *e, ts_arena *arena, standing *s,
                              const ts_play_op *op)
{
  const ts_process *p = &e->processes.at[s->id];
  const ts_player *w = &e->facts.players[p->player];
  const ts_route *route = &w->program->routes[s->item->port_base + op->arg];
  const ts_message *m = &w->program->messages[route->slot];
  const ts_ir *ir = e->facts.tables->ir;
  const ts_ir_item *item = &ir->items[ir->programs[w->role->program].first_item + s->item->index];
  uint32_t peer = w->peers[route->peer];
  /* one that may be alike, and of the same class */
  uint32_t sender =
    ts_peer_rank(e->facts.tables->ranks, w->rank, w->program->peers[route->peer].coordinate);
  s->what = ts_arena_printf(arena, "message %u of rank %u",
                            ir->bindings[item->first_binding + op->arg].tag, sender);
  if (m->sender == TS_IR_NONE || m->send_node == TS_IR_NONE)
    return;
  const ts_play_item *v = &e->facts.tables->programs[m->sender].items[m->send_item];
  s->for_id = process_of(e, peer, ts_fragment_nodes(ir, v->fragment)[m->send_node].stream);
}

/* The first member that has not come. */
static void waits_for_members(const ts_engine *e, ts_arena *arena, standing *s,
                              const ts_play_op *op)
{
  const ts_process *p = &e->processes.at[s->id];
  const ts_tables *t = e->facts.tables;
  uint32_t number = e->facts.players[p->player].rendezvous[op->comm],
           stream = t->comms[op->comm].stream;
  const ts_rendezvous *m = &e->facts.fold->rendezvous[number];
  for (uint32_t j = 0; j < m->count; j++) {
    uint32_t member = e->facts.fold->members[m->first + j], id = process_of(e, member, stream);
    const ts_process *q = &e->processes.at[id];
    bool here = q->met && q->op->comm == op->comm;
    if (here)
      continue;
    s->for_id = id;
    s->what = ts_arena_printf(arena, "rank %u to join the collective over %s",
                              e->facts.players[member].rank,
                              text(e, t->ir->groups[t->comms[op->comm].group].name));
    return;
  }
}

static const ts_play_item *next_item(const ts_engine *e, const ts_process *p)
{
  return &e->facts.players[p->player].program->items[*p->item];
}

static standing look_at_host(const ts_engine *e, uint32_t id)
{
  const ts_process *p = &e->processes.at[id];
  const ts_tables *t = e->facts.tables;
  standing s = {.id = id, .item = next_item(e, p), .for_id = TS_IR_NONE};
  const ts_fragment_layout *layout = &t->layouts[s.item->fragment];
  const ts_host_wait *wait = &layout->waits[p->wait];
  s.node = ts_fragment_nodes(t->ir, s.item->fragment) + wait->node;
  waits_for_event(e, &s, t->waits + layout->nodes[wait->node].first_wait,
                  layout->nodes[wait->node].wait_count);
  return s;
}

static standing look_at(const ts_engine *e, ts_arena *arena, uint32_t id)
{
  const ts_process *p = &e->processes.at[id];
  if (id % e->processes.per_player == e->processes.per_player - 1)
    return look_at_host(e, id);
  standing s = {.id = id,
                .for_id = process_of(e, p->player, e->processes.per_player - 1),
                .what = "the host to issue it"};
  if (p->op == p->op_end) {
    s.item = next_item(e, p);
    return s;
  }
  s.item = p->in;
  if (p->op->kind == TS_OP_SEGMENT)
    return s;
  s.node = node_at(e, s.item, p->op->first);
  s.for_id = TS_IR_NONE;
  if (p->op->waits && waits_for_event(e, &s, ts_waits_of(e->facts.tables, p->op), p->op->waits))
    return s;
  if (p->op->kind == TS_OP_RECV)
    waits_for_message(e, arena, &s, p->op);
  else if (p->op->kind == TS_OP_COLLECTIVE)
    waits_for_members(e, arena, &s, p->op);
  return s;
}

static void explain_report(const ts_engine *e, ts_stop *stop, const standing *s)
{
  const ts_ir *ir = e->facts.tables->ir;
  const ts_player *w = &e->facts.players[e->processes.at[s->id].player];
  uint32_t stream = s->id % e->processes.per_player;
  const ts_ir_item *item = &ir->items[ir->programs[w->role->program].first_item + s->item->index];
  const char *where =
    stream + 1 == e->processes.per_player ? "host" : text(e, ir->streams[stream].name);
  const char *name = ts_arena_printf(stop->arena, "rank %u, %s", w->rank, where);
  const char *batch =
    item->micro_batch == TS_IR_NONE ? "" : ts_arena_printf(stop->arena, "(%u)", item->micro_batch);
  ts_stop_fact(stop, name, "%s in %s%s waits for %s",
               s->node ? text(e, s->node->label) : "the next work",
               text(e, ir->fragments[item->fragment].name), batch, s->what);
  if (s->node && stop->loc == TS_IR_NONE) {
    stop->loc = s->node->loc;
    stop->label = "waits forever";
  }
}

static uint32_t first_standing(const ts_engine *e)
{
  for (uint32_t i = 0; i < e->processes.count; i++)
    if (!ts_is_done(&e->processes.at[i]))
      return i;
  return TS_IR_NONE;
}

/* Goes as many steps as there are processes, which ends on the circle if there is one, then reports
 * the circle. */
static int explain_stall(const ts_engine *e, ts_stop *stop, uint32_t first)
{
  standing s = look_at(e, stop->arena, first);
  uint32_t steps = 0, from;
  for (; steps < e->processes.count && s.for_id != TS_IR_NONE &&
         !ts_is_done(&e->processes.at[s.for_id]);
       steps++)
    s = look_at(e, stop->arena, s.for_id);
  if (steps < e->processes.count) {
    ts_stop_set(stop, TS_EXIT_NO, "R0201", "stalled",
                "the step never ends: a rank waits for something that never happens");
    explain_report(e, stop, &s);
    ts_stop_help(stop, "the program that should do that ends without it");
    return -1;
  }
  ts_stop_set(stop, TS_EXIT_NO, "R0201", "stalled",
              "the step never ends: work items wait for each other in a cycle");
  from = s.id;
  do {
    explain_report(e, stop, &s);
    s = look_at(e, stop->arena, s.for_id);
  } while (s.id != from);
  ts_stop_help(
    stop, "change the order of work in the schedule, or give the transfers streams of their own");
  return -1;
}

static int explain_mismatch(const ts_engine *e, ts_stop *stop)
{
  const ts_process *p = &e->processes.at[e->mismatch];
  const ts_tables *t = e->facts.tables;
  const ts_ir_node *node = node_at(e, p->in, p->op->first);
  ts_stop_set(stop, TS_EXIT_NO, "R0202", "different-collectives",
              "members of a group call different collectives");
  stop->loc = node->loc;
  stop->label = "other members of the group call another one here";
  ts_stop_fact(stop, "rank", "%u", e->facts.players[p->player].rank);
  ts_stop_fact(stop, "group", "%s", text(e, t->ir->groups[t->comms[p->op->comm].group].name));
  ts_stop_fact(stop, "node", "%s", text(e, node->label));
  return -1;
}

int ts_stop_overflow(ts_stop *stop)
{
  return ts_stop_set(
    stop, TS_EXIT_NO, "R0203", "clock-overflow",
    "the step takes longer than the clock can count: 26 days for a step, 6 days for one operation");
}

int ts_explain_stop(const ts_engine *e, ts_stop *stop)
{
  if (e->interrupted)
    return ts_stop_interrupted(stop);
  if (e->processes.overflow)
    return ts_stop_overflow(stop);
  if (e->mismatch != TS_IR_NONE)
    return explain_mismatch(e, stop);
  uint32_t first = first_standing(e);
  return first == TS_IR_NONE ? 0 : explain_stall(e, stop, first);
}
