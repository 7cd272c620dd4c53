#include "runtime/play/engine.h"

#include <string.h>

#include "runtime/play/engine_internal.h"

static void end_rendezvous(ts_engine *e, ts_rendezvous_state *r, uint64_t end)
{
  uint32_t waiters = r->waiters;
  r->end = end;
  r->count = 0;
  r->waiters = TS_IR_NONE;
  ts_process_wake(&e->processes, waiters);
}

/* The same, where some of the events suffice. All must be known: which come first is not decided
 * before (doc/architecture.md). */
static bool await_some(ts_engine *e, uint32_t id, uint64_t *events, const uint32_t *wait,
                       const ts_play_op *op, uint64_t *time)
{
  uint64_t all = 0;
  if (!ts_process_await(&e->processes, id, events, wait, op->waits, &all))
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
  ts_process *p = &e->processes.at[id];
  const ts_player *w = &e->facts.players[p->player];
  uint32_t rendezvous = w->rendezvous[op->comm];
  ts_rendezvous_state *r = &e->rendezvous[rendezvous];
  if (p->met) {
    p->met = false;
    *end = r->end;
    ts_keep_time(w, e->facts.tables, v, op, r->end - r->start);
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
  if (!last || (e->processes.contention &&
                ts_contention_collective(e->processes.contention, w->role, op->arg, w->rank,
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

/* `posted`: from when on it may leave, whatever its stream does. False: it is under way beside
 * other calls. */
static bool send(ts_engine *e, uint32_t id, const ts_player *w, const ts_play_item *v,
                 const ts_play_op *op, uint64_t posted)
{
  ts_process *p = &e->processes.at[id];
  const ts_route *route = &w->program->routes[v->port_base + op->arg];
  const ts_passage *m = ts_passage_of(w->role, route);
  const ts_player *to = &e->facts.players[w->peers[route->peer]];
  bool alone = m->lane == TS_IR_NONE, shared = p->met;
  if (!p->met) {
    uint64_t start = p->time > posted ? p->time : posted;
    p->met = e->processes.contention &&
             ts_message_share(&e->processes, &e->facts, id, v, op, route, start);
    to->sent[route->slot] = alone || p->met ? start : posted;
    p->time = start + (p->met ? m->overhead : m->hold);
    ts_keep_time(w, e->facts.tables, v, op, p->time - start);
    if (p->met) {
      p->posted = p->time;
      p->met = alone;
      return !alone;
    }
  } else { /* it has ended beside the others */
    ts_keep_time(w, e->facts.tables, v, op, p->time - to->sent[route->slot]);
  }
  p->met = false;
  p->posted = alone ? p->time : posted + m->overhead;
  uint64_t arrived =
    shared ? p->time + m->latency : ts_message_arrival(w->role, m, w->queues, p->posted, p->time);
  e->processes.overflow |= arrived >> TS_CLOCK_BITS != 0;
  ts_process_settle(&e->processes, &to->arrived[route->slot], arrived);
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
  } else if (op->waits && !ts_process_await(&e->processes, id, w->events + v->event_base,
                                    ts_waits_of(e->facts.tables, op), op->waits, &time)) {
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
      ts_process_park(&e->processes, id, place);
      return false;
    }
    p->posted = p->time = time > *place ? time : *place;
    return true;
  default: /* a new segment of the host */
    place = &w->segments[v->segment + op->arg];
    if (!ts_is_known(*place)) {
      ts_process_park(&e->processes, id, place);
      return false;
    }
    p->host = *place;
    return true;
  }
}

static void run_stream(ts_engine *e, uint32_t id, uint32_t stream)
{
  ts_process *p = &e->processes.at[id];
  const ts_player *w = &e->facts.players[p->player];
  for (;;) {
    if (p->op == p->op_end) {
      if ((e->repeats && ts_repeats_hold(e, id)) || p->item == p->item_end ||
          !ts_process_enter(&e->processes, id, p, w, stream))
        return;
      continue;
    }
    const ts_play_item *v = p->item - 1;
    const ts_play_op *op = p->op;
    if (!play(e, id, p, w, v, op))
      return;
    if (p->time >> TS_CLOCK_BITS) {
      e->processes.overflow = true;
      return;
    }
    p->op++;
    if (op->event != TS_IR_NONE)
      ts_process_settle(&e->processes, &w->events[v->event_base + op->event], p->time);
  }
}

/* --- setting the stage --- */

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
    uint32_t at = (e->order >> 8) % e->processes.ready_count, taken = e->processes.ready[at];
    e->processes.ready[at] = e->processes.ready[--e->processes.ready_count];
    return taken;
  }
  return e->processes.ready[--e->processes.ready_count];
}

/* Plays the network up to the next end of a call, and wakes who waited for that. */
static bool end_calls(ts_engine *e)
{
  uint64_t now;
  if (!e->processes.contention || !ts_contention_play(e->processes.contention, UINT64_MAX, &now))
    return false;
  for (uint32_t tag; (tag = ts_contention_ended(e->processes.contention)) != TS_IR_NONE;) {
    uint32_t rendezvous = e->facts.fold->rendezvous_count;
    if (tag < rendezvous) {
      end_rendezvous(e, &e->rendezvous[tag], now);
    } else if (tag - rendezvous < e->processes.count) {
      e->processes.at[tag - rendezvous].time = now;
      e->processes.ready[e->processes.ready_count++] = tag - rendezvous;
    } else {
      ts_message_land(&e->processes, &e->facts, tag, now);
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

static void keep_entries(ts_arena *arena, ts_facts *f)
{
  for (uint32_t p = 0; p < f->fold->count; p++) {
    ts_player *w = (ts_player *)&f->players[p];
    ts_range last = w->program->stream[f->tables->streams];
    w->entries = ts_arena_alloc_raw(arena, last.first * sizeof *w->entries);
  }
}

/* Share of all items that have begun. */
static double share_done(const ts_engine *e)
{
  uint64_t done = 0, all = 0;
  for (uint32_t i = 0; i < e->processes.count; i++) {
    const ts_process *p = &e->processes.at[i];
    const ts_program_info *program = e->facts.players[p->player].program;
    ts_range range = program->stream[i % e->processes.per_player];
    done += (uint64_t)(p->item - (program->stream_items + range.first));
    all += range.count;
  }
  return all ? (double)done / (double)all : 1;
}

/* False: the play is to stop. Looks at all processes, so not in each round. */
static bool go_on(ts_engine *e)
{
  enum { LEAST = 1 << 12 };
  if (++e->rounds < LEAST || e->rounds < e->processes.count)
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
                 .mismatch = TS_IR_NONE};
  ts_make_players(arena, &e.facts);
  if (contention)
    keep_times(arena, &e.facts);
  ts_processes_init(&e.processes, scratch, &e.facts, contention);
  make_rendezvous(arena, scratch, &e);
  if (!contention)
    keep_entries(arena, &e.facts);
  if (!contention && !tables->every_op)
    e.repeats = ts_repeats_new(arena, scratch, &e);
  while (!e.processes.overflow && e.mismatch == TS_IR_NONE && go_on(&e) &&
         (e.processes.ready_count || end_calls(&e) || ts_repeats_open(&e))) {
    if (!e.processes.ready_count)
      continue;
    uint32_t id = take(&e), stream = id % e.processes.per_player;
    if (stream < tables->streams)
      run_stream(&e, id, stream);
    else
      ts_host_run(&e.processes, &e.facts, id);
  }
  ts_facts *facts = NULL;
  bool failed = contention && ts_contention_failed(contention, stop);
  if (!failed && !ts_explain_stop(&e, stop)) {
    e.facts.end = ts_processes_end(&e.processes, &e.facts);
    if (contention)
      e.facts.packets = ts_contention_packets(contention, arena, &e.facts.packets_with);
    facts = ts_arena_copy(arena, &e.facts, sizeof e.facts);
  }
  ts_arena_free(scratch);
  return facts;
}
