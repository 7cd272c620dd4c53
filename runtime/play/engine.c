#include "runtime/play/engine.h"

#include <string.h>

#include "runtime/play/contention.h"
#include "runtime/play/engine_internal.h"

static void wake(ts_engine *e, uint32_t waiter)
{
  for (; waiter != TS_IR_NONE; waiter = e->processes[waiter].next)
    e->ready[e->ready_count++] = waiter;
}

/* Leaves the process where the time it needs will be written. */
static void park(ts_engine *e, uint32_t id, uint64_t *place)
{
  e->processes[id].next = (uint32_t)*place;
  *place = TS_UNKNOWN | id;
}

static inline void settle(ts_engine *e, uint64_t *place, uint64_t time)
{
  uint32_t waiters = (uint32_t)*place;
  *place = time;
  wake(e, waiters);
}

/* Raises *time to the latest of the events, or parks. */
static inline bool await(ts_engine *e, uint32_t id, uint64_t *events, const uint32_t *wait,
                         uint32_t count, uint64_t *time)
{
  for (uint32_t i = 0; i < count; i++) {
    uint64_t *place = &events[wait[i]];
    if (!ts_is_known(*place)) {
      park(e, id, place);
      return false;
    }
    if (*place > *time)
      *time = *place;
  }
  return true;
}

static void keep_time(const ts_player *w, const ts_tables *t, const ts_play_item *v,
                      const ts_play_op *op, uint64_t time)
{
  if (w->took)
    w->took[w->program->node_base[v->index] + t->layouts[v->fragment].order[op->first]] = time;
}

static void end_rendezvous(ts_engine *e, ts_rendezvous_state *r, uint64_t end)
{
  uint32_t waiters = r->waiters;
  r->end = end;
  r->count = 0;
  r->waiters = TS_IR_NONE;
  wake(e, waiters);
}

/* The same, where some of the events suffice. All must be known: which come first is not decided
 * before (doc/architecture.md). */
static bool await_some(ts_engine *e, uint32_t id, uint64_t *events, const uint32_t *wait,
                       const ts_play_op *op, uint64_t *time)
{
  uint64_t all = 0;
  if (!await(e, id, events, wait, op->waits, &all))
    return false;
  uint64_t enough = ts_choice_time(events, wait, op->waits, op->arg);
  *time = enough > *time ? enough : *time;
  return true;
}

/* The collective at the process's cursor. False: it waits for others, or for the end of a call that
 * shares links. */
static bool meet(ts_engine *e, uint32_t id, const ts_play_item *v, const ts_play_op *op,
                 uint64_t ready, uint64_t *end)
{
  ts_process *p = &e->processes[id];
  const ts_player *w = &e->facts.players[p->player];
  uint32_t rendezvous = w->rendezvous[op->comm];
  ts_rendezvous_state *r = &e->rendezvous[rendezvous];
  if (p->met) {
    p->met = false;
    *end = r->end;
    keep_time(w, e->facts.tables, v, op, r->end - r->start);
    return true;
  }
  if (r->count && r->collective != op->arg) {
    e->mismatch = id;
    return false;
  }
  if (!r->count || ready > r->latest || (ready == r->latest && p->player < r->who))
    r->latest = ready, r->who = p->player;
  r->collective = op->arg;
  bool last = ++r->count == r->expected;
  if (last) {
    r->start = r->latest;
    e->starts[r->call_base + r->calls] = r->start;
    e->latest[r->call_base + r->calls++] = r->who;
  }
  if (!last || (e->contention && ts_contention_collective(e->contention, w->role, op->arg, w->rank,
                                                          r->start, rendezvous))) {
    p->met = true;
    p->next = r->waiters;
    r->waiters = id;
    return false;
  }
  end_rendezvous(e, r, r->start + op->time);
  *end = r->end;
  return true;
}

/* Hands a message to the network of all. A message that others may pass waits for the one before it
 * in its lane, and leaves its stream free. */
static bool share(ts_engine *e, uint32_t id, const ts_player *w, const ts_play_item *v,
                  const ts_play_op *op, const ts_route *route, uint64_t start)
{
  const ts_player *to = &e->facts.players[w->peers[route->peer]];
  const ts_passage *m = ts_passage_of(w->role, route);
  uint32_t port = e->facts.tables->ir->fragments[v->fragment].first_port + op->arg,
           tag = e->facts.fold->rendezvous_count + id;
  uint32_t *lane = m->lane == TS_IR_NONE ? NULL : &w->lanes[m->lane];
  if (lane)
    tag = e->facts.fold->rendezvous_count + e->process_count + (uint32_t)e->flights.count;
  if (!ts_contention_message(e->contention, w->role->peer_profile[route->peer], port, w->rank,
                             to->rank, start, tag, lane ? *lane : TS_IR_NONE))
    return false;
  if (lane) {
    *lane = tag;
    TS_PUSH(e->scratch, &e->flights, (ts_flight){&to->arrived[route->slot], lane, m->latency});
  }
  return true;
}

/* `posted`: from when on it may leave, whatever its stream does. False: it is under way beside
 * other calls. */
static bool send(ts_engine *e, uint32_t id, const ts_player *w, const ts_play_item *v,
                 const ts_play_op *op, uint64_t posted)
{
  ts_process *p = &e->processes[id];
  const ts_route *route = &w->program->routes[v->port_base + op->arg];
  const ts_passage *m = ts_passage_of(w->role, route);
  const ts_player *to = &e->facts.players[w->peers[route->peer]];
  bool alone = m->lane == TS_IR_NONE, shared = p->met;
  if (!p->met) {
    uint64_t start = p->time > posted ? p->time : posted;
    p->met = e->contention && share(e, id, w, v, op, route, start);
    to->sent[route->slot] = alone || p->met ? start : posted;
    p->time = start + (p->met ? m->overhead : m->hold);
    keep_time(w, e->facts.tables, v, op, p->time - start);
    if (p->met) {
      p->posted = p->time;
      p->met = alone;
      return !alone;
    }
  } else { /* it has ended beside the others */
    keep_time(w, e->facts.tables, v, op, p->time - to->sent[route->slot]);
  }
  p->met = false;
  p->posted = alone ? p->time : posted + m->overhead;
  uint64_t arrived =
    shared ? p->time + m->latency : ts_message_arrival(w->role, m, w->queues, p->posted, p->time);
  e->overflow |= arrived >> TS_CLOCK_BITS != 0;
  settle(e, &to->arrived[route->slot], arrived);
  return true;
}

/* Begins the next item. False: the host has not come so far. */
static bool enter(ts_engine *e, uint32_t id, const ts_player *w, uint32_t stream)
{
  ts_process *p = &e->processes[id];
  const ts_play_item *v = p->item;
  uint64_t *segment = &w->segments[v->segment];
  if (!ts_is_known(*segment)) {
    park(e, id, segment);
    return false;
  }
  ts_range code = w->role->code[v->fragment].stream[stream];
  p->host = *segment + v->offset;
  p->op = w->role->ops + code.first;
  p->op_end = p->op + code.count;
  p->item++;
  return true;
}

/* Plays the op at the cursor. False: it waits. */
static inline bool play(ts_engine *e, uint32_t id, ts_process *p, const ts_player *w,
                        const ts_play_item *v, const ts_play_op *op)
{
  uint64_t time = op->kind == TS_OP_SEND ? p->posted : p->time, *place;
  if (op->kind == TS_OP_CHOICE) {
    if (!await_some(e, id, w->events + v->event_base, ts_waits_of(e->facts.tables, op), op, &time))
      return false;
  } else if (op->waits && !await(e, id, w->events + v->event_base, ts_waits_of(e->facts.tables, op),
                                 op->waits, &time)) {
    return false;
  }
  uint64_t issued = p->host + op->issued;
  if (op->kind == TS_OP_RUN) {
    time += op->time;
    p->posted = p->time = time > issued ? time : issued;
    return true;
  }
  if (time < issued)
    time = issued;
  switch (op->kind) {
  case TS_OP_CHOICE:
    p->posted = p->time = time;
    return true;
  case TS_OP_COLLECTIVE:
    if (!meet(e, id, v, op, time, &p->time))
      return false;
    p->posted = p->time;
    return true;
  case TS_OP_SEND:
    return send(e, id, w, v, op, time);
  case TS_OP_RECV:
    place = &w->arrived[w->program->routes[v->port_base + op->arg].slot];
    if (!ts_is_known(*place)) {
      park(e, id, place);
      return false;
    }
    p->posted = p->time = time > *place ? time : *place;
    return true;
  default: /* a new segment of the host */
    place = &w->segments[v->segment + op->arg];
    if (!ts_is_known(*place)) {
      park(e, id, place);
      return false;
    }
    p->host = *place;
    return true;
  }
}

static void run_stream(ts_engine *e, uint32_t id, uint32_t stream)
{
  ts_process *p = &e->processes[id];
  const ts_player *w = &e->facts.players[p->player];
  for (;;) {
    if (p->op == p->op_end) {
      if (p->item == p->item_end || !enter(e, id, w, stream))
        return;
      continue;
    }
    const ts_play_item *v = p->item - 1;
    const ts_play_op *op = p->op;
    if (!play(e, id, p, w, v, op))
      return;
    if (p->time >> TS_CLOCK_BITS) {
      e->overflow = true;
      return;
    }
    p->op++;
    if (op->event != TS_IR_NONE)
      settle(e, &w->events[v->event_base + op->event], p->time);
  }
}

static void run_host(ts_engine *e, uint32_t id)
{
  ts_process *p = &e->processes[id];
  const ts_player *w = &e->facts.players[p->player];
  for (; p->item < p->item_end; p->item++, p->wait = 0) {
    const ts_play_item *v = p->item;
    const ts_fragment_layout *layout = &e->facts.tables->layouts[v->fragment];
    for (; p->wait < layout->wait_count; p->wait++) {
      const ts_host_wait *wait = &layout->waits[p->wait];
      const ts_node_info *info = &layout->nodes[wait->node];
      uint64_t time = ts_host_base(w, v, p->wait) + wait->offset;
      if (!await(e, id, w->events + v->event_base, e->facts.tables->waits + info->first_wait,
                 info->wait_count, &time))
        return;
      e->overflow |= time >> TS_CLOCK_BITS != 0;
      settle(e, &w->segments[v->segment + p->wait + 1], time);
    }
  }
}

/* --- setting the stage --- */

static uint64_t *unknown(ts_arena *arena, uint32_t count)
{
  uint64_t *at = TS_NEW_ARRAY(arena, uint64_t, count);
  if (count)
    memset(at, 0xff, count * sizeof *at);
  return at;
}

static const uint32_t *peers_of(ts_arena *arena, const ts_facts *f, const ts_player *w)
{
  uint32_t *peers = TS_NEW_ARRAY(arena, uint32_t, w->program->peer_count);
  for (uint32_t k = 0; k < w->program->peer_count; k++)
    peers[k] =
      f->fold->of[ts_peer_rank(f->tables->ranks, w->rank, w->program->peers[k].coordinate)];
  return peers;
}

void ts_make_players(ts_arena *arena, ts_facts *f)
{
  ts_player *players = TS_NEW_ARRAY(arena, ts_player, f->fold->count);
  for (uint32_t p = 0; p < f->fold->count; p++) {
    ts_player *w = &players[p];
    w->rank = f->fold->rank[p];
    w->role = &f->roles->at[f->roles->of[w->rank]];
    w->program = &f->tables->programs[w->role->program];
    w->peers = peers_of(arena, f, w);
    w->rendezvous = f->fold->rendezvous_of + (size_t)p * f->tables->comm_count;
    w->events = unknown(arena, w->program->event_count);
    w->segments = unknown(arena, w->program->segment_count);
    w->segments[0] = 0;
    w->arrived = unknown(arena, w->program->slot_count);
    w->sent = TS_NEW_ARRAY(arena, uint64_t, w->program->slot_count);
    w->queues = TS_NEW_ARRAY(arena, uint64_t, w->role->queue_count);
    w->lanes = TS_NEW_ARRAY(arena, uint32_t, w->role->lane_count);
    if (w->role->lane_count)
      memset(w->lanes, 0xff, w->role->lane_count * sizeof *w->lanes);
  }
  f->players = players;
}

static void make_processes(ts_arena *arena, ts_engine *e)
{
  const ts_facts *f = &e->facts;
  e->per_player = f->tables->streams + 1;
  e->process_count = f->fold->count * e->per_player;
  e->processes = TS_NEW_ARRAY(arena, ts_process, e->process_count);
  e->ready = TS_NEW_ARRAY(arena, uint32_t, e->process_count);
  for (uint32_t i = 0; i < e->process_count; i++) {
    const ts_program_info *program = f->players[i / e->per_player].program;
    ts_range range = program->stream[i % e->per_player];
    e->processes[i] = (ts_process){.player = i / e->per_player,
                                   .item = program->stream_items + range.first,
                                   .next = TS_IR_NONE,
                                   .item_end = program->stream_items + range.first + range.count};
    e->ready[e->process_count - 1 - i] = i;
  }
  e->ready_count = e->process_count;
}

static void make_rendezvous(ts_arena *arena, ts_arena *scratch, ts_engine *e)
{
  const ts_fold *fold = e->facts.fold;
  e->rendezvous = TS_NEW_ARRAY(scratch, ts_rendezvous_state, fold->rendezvous_count);
  e->facts.starts = e->starts = TS_NEW_ARRAY(arena, uint64_t, fold->call_count);
  e->facts.latest = e->latest = TS_NEW_ARRAY(arena, uint32_t, fold->call_count);
  for (uint32_t m = 0; m < fold->rendezvous_count; m++)
    e->rendezvous[m] = (ts_rendezvous_state){.expected = fold->rendezvous[m].count,
                                             .waiters = TS_IR_NONE,
                                             .call_base = fold->rendezvous[m].call_base};
}

/* Takes the next process off the stack, or with `order` one from anywhere (a linear congruential
 * generator chooses). */
static uint32_t take(ts_engine *e)
{
  if (e->order) {
    e->order = e->order * 1664525u + 1013904223u;
    e->order |= 1;
    uint32_t at = (e->order >> 8) % e->ready_count, taken = e->ready[at];
    e->ready[at] = e->ready[--e->ready_count];
    return taken;
  }
  return e->ready[--e->ready_count];
}

uint64_t ts_end_of_hosts(const ts_facts *facts)
{
  uint64_t end = 0;
  for (uint32_t p = 0; p < facts->fold->count; p++) {
    const ts_player *w = &facts->players[p];
    uint64_t host = w->segments[w->program->tail_segment] + w->program->tail;
    end = host > end ? host : end;
  }
  return end;
}

static uint64_t last_end(const ts_engine *e)
{
  uint64_t end = ts_end_of_hosts(&e->facts);
  for (uint32_t i = 0; i < e->process_count; i++)
    if (e->processes[i].time > end &&
        ts_counts(&e->facts.players[e->processes[i].player], e->facts.tables, i % e->per_player))
      end = e->processes[i].time;
  return end;
}

/* Plays the network up to the next end of a call, and wakes who waited for that. */
static bool end_calls(ts_engine *e)
{
  uint64_t now;
  if (!e->contention || !ts_contention_play(e->contention, UINT64_MAX, &now))
    return false;
  for (uint32_t tag; (tag = ts_contention_ended(e->contention)) != TS_IR_NONE;) {
    uint32_t rendezvous = e->facts.fold->rendezvous_count;
    if (tag < rendezvous) {
      end_rendezvous(e, &e->rendezvous[tag], now);
    } else if (tag - rendezvous < e->process_count) {
      e->processes[tag - rendezvous].time = now;
      e->ready[e->ready_count++] = tag - rendezvous;
    } else {
      const ts_flight *flight = &e->flights.at[tag - rendezvous - e->process_count];
      *flight->lane = *flight->lane == tag ? TS_IR_NONE : *flight->lane;
      settle(e, flight->arrived, now + flight->latency);
    }
  }
  return true;
}

static void keep_times(ts_arena *arena, ts_facts *f)
{
  for (uint32_t p = 0; p < f->fold->count; p++) {
    ts_player *w = (ts_player *)&f->players[p];
    w->took = TS_NEW_ARRAY(arena, uint64_t, w->program->node_count);
    if (w->program->node_count)
      memset(w->took, 0xff, w->program->node_count * sizeof *w->took);
  }
}

/* Share of all items that have begun. */
static double share_done(const ts_engine *e)
{
  uint64_t done = 0, all = 0;
  for (uint32_t i = 0; i < e->process_count; i++) {
    const ts_process *p = &e->processes[i];
    const ts_program_info *program = e->facts.players[p->player].program;
    ts_range range = program->stream[i % e->per_player];
    done += (uint64_t)(p->item - (program->stream_items + range.first));
    all += range.count;
  }
  return all ? (double)done / (double)all : 1;
}

/* False: the play is to stop. Looks at all processes, so not in each round. */
static bool go_on(ts_engine *e)
{
  enum { LEAST = 1 << 12 };
  if (++e->rounds < LEAST || e->rounds < e->process_count)
    return true;
  e->rounds = 0;
  e->interrupted =
    !ts_tick(e->facts.tables->progress, "playing", e->facts.tables->progress ? share_done(e) : 0);
  return !e->interrupted;
}

const ts_facts *ts_engine_play(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                               const ts_fold *fold, ts_contention *contention, uint32_t order,
                               ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("engine");
  ts_engine e = {.facts = {.tables = tables, .roles = roles, .fold = fold},
                 .order = order,
                 .contention = contention,
                 .scratch = scratch,
                 .mismatch = TS_IR_NONE};
  ts_make_players(arena, &e.facts);
  if (contention)
    keep_times(arena, &e.facts);
  make_processes(scratch, &e);
  make_rendezvous(arena, scratch, &e);
  while (!e.overflow && e.mismatch == TS_IR_NONE && go_on(&e) && (e.ready_count || end_calls(&e))) {
    if (!e.ready_count)
      continue;
    uint32_t id = take(&e), stream = id % e.per_player;
    if (stream < tables->streams)
      run_stream(&e, id, stream);
    else
      run_host(&e, id);
  }
  ts_facts *facts = NULL;
  if (!ts_explain_stop(&e, stop)) {
    e.facts.end = last_end(&e);
    facts = ts_arena_copy(arena, &e.facts, sizeof e.facts);
  }
  ts_arena_free(scratch);
  return facts;
}
