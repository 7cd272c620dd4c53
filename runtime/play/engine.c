#include "runtime/play/engine.h"

#include <string.h>

#include "runtime/play/engine_internal.h"
#include "runtime/play/lanes.h"

/* so that threads end together */
enum { PARTITIONS_A_THREAD = 4 };

/* The call that all members have come to ends then. Returns who waits for that. */
static uint32_t end_call(ts_rendezvous_state *r, uint64_t end)
{
  uint32_t waiters = r->waiters;
  r->end = end;
  r->count = 0;
  r->waiters = TS_IR_NONE;
  return waiters;
}

/* The same, where some of the events suffice. All must be known: which come first is not decided
 * before (doc/decisions/11_any_of.md). */
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

static void park_at_call(ts_rendezvous_state *r, ts_process *p, uint32_t id)
{
  p->met = true;
  p->next = r->waiters;
  r->waiters = id;
}

typedef enum joined { WAITS, IS_LAST, IS_ELSEWHERE } joined;

/* Comes to the call. The last one does not wait. */
static joined engine_join(ts_engine *e, uint32_t id, ts_rendezvous_state *r, const ts_play_op *op,
                          uint64_t ready)
{
  ts_process *p = &e->processes.at[id];
  if (r->count && r->collective != op->arg)
    return IS_ELSEWHERE;
  if (!r->count || ready > r->latest || (ready == r->latest && p->player < r->who))
    r->latest = ready, r->who = p->player;
  r->collective = op->arg;
  if (++r->count < r->expected) {
    park_at_call(r, p, id);
    return WAITS;
  }
  r->start = r->latest;
  if (r->expected > 1) {
    e->starts[r->call_base + r->calls] = r->start;
    e->latest[r->call_base + r->calls++] = r->who;
  }
  return IS_LAST;
}

/* The collective at the process's cursor. False: it waits for others, or for the end of a call that
 * shares links. */
static bool meet(ts_engine *e, uint32_t id, const ts_play_item *v, const ts_play_op *op,
                 uint64_t ready, uint64_t *end)
{
  ts_process *p = &e->processes.at[id];
  const ts_player *w = &e->facts.players[p->player];
  uint32_t rendezvous = w->rendezvous[op->comm], waiters = TS_IR_NONE;
  ts_rendezvous_state *r = &e->rendezvous[rendezvous];
  if (p->met) {
    p->met = false;
    *end = r->end;
    ts_keep_time(w, e->facts.tables, v, op, r->end - r->start);
    return true;
  }
  if (r->shared)
    ts_thread_pool_lock(e->processes.pool, rendezvous);
  joined how = engine_join(e, id, r, op, ready);
  bool shares = how == IS_LAST && e->processes.contention &&
                ts_contention_collective(e->processes.contention, w->role, op->arg, w->rank,
                                         r->start, rendezvous);
  if (shares)
    park_at_call(r, p, id);
  else if (how == IS_LAST)
    waiters = end_call(
      r, *end = (uint64_t)ts_node_end((int64_t)ready, (int64_t)r->start, (int64_t)op->time));
  if (r->shared)
    ts_thread_pool_unlock(e->processes.pool, rendezvous);
  if (how == IS_ELSEWHERE)
    e->mismatch = id;
  if (how != IS_LAST || shares)
    return false;
  ts_process_wake_others(&e->processes, waiters);
  return true;
}

/* `posted`: from when on it may leave, whatever its stream does. False: it is under way beside
 * other calls. */
static bool engine_send(ts_engine *e, uint32_t id, const ts_player *w, const ts_play_item *v,
                        const ts_play_op *op, uint64_t posted)
{
  ts_process *p = &e->processes.at[id];
  const ts_route *route = &w->program->routes[v->port_base + op->arg];
  const ts_transit *m = ts_transit_of(w->role, route);
  const ts_player *to = &e->facts.players[w->peers[route->peer]];
  bool shared = p->met;
  if (!p->met) {
    uint64_t start = p->time > posted ? p->time : posted;
    p->met = e->processes.contention &&
             ts_message_share(&e->processes, &e->facts, id, v, op, route, start);
    ts_sending s = ts_send(m, (int64_t)p->time, (int64_t)posted, p->met);
    to->sent[route->slot] = (uint64_t)s.sent;
    p->time = (uint64_t)s.free;
    p->posted = (uint64_t)s.posted;
    ts_keep_time(w, e->facts.tables, v, op, p->time - start);
    if (p->met) {
      p->met = ts_send_is_alone(m);
      return !p->met;
    }
  } else { /* it has ended beside the others */
    ts_keep_time(w, e->facts.tables, v, op, p->time - to->sent[route->slot]);
    p->posted = p->time;
  }
  p->met = false;
  uint64_t arrived =
    shared ? p->time + m->latency : ts_message_arrival(w->role, m, w->queues, p->posted, p->time);
  e->processes.overflow |= arrived >> TS_CLOCK_BITS != 0;
  ts_message_settle(&e->processes, w->peers[route->peer], &to->arrived[route->slot], arrived);
  return true;
}

/* Plays the op at the cursor. False: it waits. */
static inline bool engine_play(ts_engine *e, uint32_t id, ts_process *p, const ts_player *w,
                               const ts_play_item *v, const ts_play_op *op)
{
  uint64_t time =
             (uint64_t)ts_node_from(op->kind == TS_OP_SEND, (int64_t)p->time, (int64_t)p->posted),
           arrived, *place;
  const ts_route *route;
  if (op->kind == TS_OP_CHOICE) {
    if (!await_some(e, id, w->events + v->event_base, ts_waits_of(e->facts.tables, op), op, &time))
      return false;
  } else if (op->waits && !ts_process_await(&e->processes, id, w->events + v->event_base,
                                    ts_waits_of(e->facts.tables, op), op->waits, &time)) {
    return false;
  }
  time = (uint64_t)ts_node_ready((int64_t)time, (int64_t)(p->host + op->issued));
  switch (op->kind) {
  case TS_OP_RUN: p->posted = p->time = time + op->time; return true;
  case TS_OP_CHOICE:
    p->posted = p->time = time;
    return true;
  case TS_OP_COLLECTIVE:
    if (!meet(e, id, v, op, time, &p->time))
      return false;
    p->posted = p->time;
    return true;
  case TS_OP_SEND: return engine_send(e, id, w, v, op, time);
  case TS_OP_RECV:
    route = &w->program->routes[v->port_base + op->arg];
    place = &w->arrived[route->slot];
    arrived = ts_arrival_at(place);
    if (!ts_is_known(arrived) &&
        ts_message_park(&e->processes, id, w->peers[route->peer], place))
      return false;
    arrived = ts_arrival_at(place);
    p->posted = p->time = (uint64_t)ts_node_end((int64_t)time, (int64_t)arrived, 0);
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
    const ts_play_item *v = p->in;
    const ts_play_op *op = p->op;
    if (!engine_play(e, id, p, w, v, op))
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

/* Takes the next process off the stack, or with `order` one from anywhere (a linear congruential
 * generator chooses). */
static uint32_t engine_take(ts_engine *e)
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
      ts_process_wake(&e->processes, end_call(&e->rendezvous[tag], now));
    } else if (tag - rendezvous < e->processes.count) {
      e->processes.at[tag - rendezvous].time = now;
      e->processes.ready[e->processes.ready_count++] = tag - rendezvous;
    } else {
      ts_message_land(&e->processes, &e->facts, tag, now);
    }
  }
  return true;
}

/* ---- Progress ---- */

/* Items that each process of the partition has begun, or is to begin. */
static uint64_t count_items(const ts_engine *e, bool all)
{
  const ts_partitions *partitions = e->processes.partitions;
  uint64_t count = 0;
  for (uint32_t k = partitions->first[e->processes.partition];
       k < partitions->first[e->processes.partition + 1]; k++) {
    const ts_program_info *program = e->facts.players[partitions->players[k]].program;
    for (uint32_t s = 0; s < e->processes.per_player; s++) {
      ts_range range = program->stream[s];
      const ts_process *p =
        &e->processes.at[(size_t)partitions->players[k] * e->processes.per_player + s];
      count += all ? range.count : (uint64_t)(p->item - (program->stream_items + range.first));
    }
  }
  return count;
}

/* On the thread that began it all. */
static bool tick(ts_engine *e)
{
  const ts_progress *progress = e->facts.tables->progress;
  uint64_t done = 0, all = 0;
  for (uint32_t k = 0; progress && k < e->processes.partitions->count; k++) {
    done += __atomic_load_n(&e->partitions[k].done, __ATOMIC_RELAXED);
    all += e->partitions[k].items;
  }
  if (!ts_tick(progress, "playing", all ? (double)done / (double)all : 1))
    e->partitions->interrupted = true;
  return !e->partitions->interrupted;
}

/* False: the play is to stop. Looks at all processes of the partition, so not in each round. */
static bool go_on(ts_engine *e)
{
  enum { LEAST = 1 << 12, EACH = 32 };
  const uint32_t *first = e->processes.partitions->first + e->processes.partition;
  if (++e->rounds < LEAST || e->rounds / EACH < (first[1] - first[0]) * e->processes.per_player)
    return true;
  e->rounds = 0;
  if (e->facts.tables->progress)
    __atomic_store_n(&e->done, count_items(e, false), __ATOMIC_RELAXED);
  if (e->first && !tick(e))
    return false;
  if (e->first)
    ts_lanes_show(&e->processes, &e->facts);
  return !e->processes.pool || !ts_thread_pool_stopped(e->processes.pool);
}

static bool failed(const ts_engine *e)
{
  return e->processes.overflow || e->mismatch != TS_IR_NONE;
}

/* ---- A partition, or all ---- */

/* Plays until nobody is ready. False: it is to stop. */
static bool play_ready(ts_engine *e)
{
  while (e->processes.ready_count && !failed(e) && go_on(e)) {
    uint32_t id = engine_take(e), stream = id % e->processes.per_player;
    if (stream < e->facts.tables->streams)
      run_stream(e, id, stream);
    else
      ts_host_run(&e->processes, &e->facts, id);
  }
  return !e->processes.ready_count && !failed(e);
}

static void play_alone(ts_engine *e)
{
  e->first = true;
  while (play_ready(e) && go_on(e) && (end_calls(e) || ts_repeats_open(e)))
    ;
}

static void play_partition(void *closure, uint32_t partition, bool first)
{
  ts_engine *e = &((ts_engine *)closure)[partition];
  ts_thread_pool *pool = e->processes.pool;
  e->first = first;
  while (play_ready(e)) {
    uint32_t mail = ts_thread_pool_mail(pool, partition);
    if (mail == TS_IR_NONE)
      return;
    for (; mail != TS_IR_NONE; mail = ts_thread_pool_next(pool, mail))
      e->processes.ready[e->processes.ready_count++] = mail;
  }
  ts_thread_pool_stop(pool);
}

static uint32_t open_gate(void *closure)
{
  ts_engine *partitions = closure;
  for (uint32_t k = 0; k < partitions->processes.partitions->count; k++)
    if (ts_repeats_open(&partitions[k]))
      return k;
  return TS_IR_NONE;
}

static bool look_up(void *closure) { return tick(closure); }

/* ---- Setting the stage ---- */

static void make_rendezvous(ts_arena *arena, ts_arena *scratch, ts_engine *e)
{
  const ts_fold *fold = e->facts.fold;
  const uint32_t *partition_of = e->processes.partitions->of;
  e->rendezvous = TS_NEW_ARRAY(scratch, ts_rendezvous_state, fold->rendezvous_count);
  e->facts.starts = e->starts = TS_NEW_ARRAY(arena, uint64_t, fold->call_count);
  e->facts.latest = e->latest = TS_NEW_ARRAY(arena, uint32_t, fold->call_count);
  for (uint32_t m = 0; m < fold->rendezvous_count; m++) {
    const ts_rendezvous *r = &fold->rendezvous[m];
    e->rendezvous[m] = (ts_rendezvous_state){
      .expected = r->count, .waiters = TS_IR_NONE, .call_base = r->call_base};
    for (uint32_t j = 1; j < r->count; j++)
      e->rendezvous[m].shared |=
        partition_of[fold->members[r->first + j]] != partition_of[fold->members[r->first]];
  }
}

static void keep_entries(ts_arena *arena, const ts_tables *t, ts_player *w)
{
  ts_range last = w->program->stream[t->streams];
  w->entries = ts_arena_alloc_raw(arena, last.first * sizeof *w->entries);
}

typedef struct engine_stage {
  ts_engine *partitions;
  ts_repeats *repeats; /* NULL: every op is played */
  ts_arena **results, **scratch; /* [partitions] */
} engine_stage;

/* What belongs to the partition's players, so that a thread makes it. */
static void set_partition(void *closure, uint32_t partition, bool first)
{
  const engine_stage *s = closure;
  ts_engine *e = &s->partitions[partition];
  const ts_partitions *partitions = e->processes.partitions;
  ts_arena *arena = s->results[partition], *scratch = s->scratch[partition];
  (void)first;
  for (uint32_t k = partitions->first[partition]; k < partitions->first[partition + 1]; k++) {
    ts_player *w = (ts_player *)&e->facts.players[partitions->players[k]];
    ts_make_player(arena, &e->facts, partitions->players[k]);
    if (e->processes.contention)
      ts_player_keep_times(arena, e->facts.tables, w, false);
    else
      keep_entries(arena, e->facts.tables, w);
    if (!s->repeats)
      ts_player_expect(w, 0, e->facts.tables->ir->programs[w->role->program].item_count);
  }
  ts_processes_begin(&e->processes, scratch, &e->facts);
  if (s->repeats)
    e->repeats = ts_repeats_new(arena, scratch, s->repeats, e);
  e->items = e->facts.tables->progress ? count_items(e, true) : 0;
  if (e->processes.pool)
    ts_thread_pool_mail(e->processes.pool, partition);
}

static void make_partitions(const engine_stage *s, const ts_engine *whole)
{
  for (uint32_t k = 0; k < whole->processes.partitions->count; k++) {
    s->partitions[k] = *whole;
    s->partitions[k].partitions = s->partitions;
    s->partitions[k].processes.partition = k;
    s->partitions[k].order = whole->order ? whole->order + k : 0;
  }
}

static void play_together(ts_arena *arena, ts_arena *scratch, engine_stage *s, uint32_t threads)
{
  ts_thread_pool *pool = s->partitions->processes.pool;
  uint32_t partitions = s->partitions->processes.partitions->count;
  s->results = TS_NEW_ARRAY(scratch, ts_arena *, partitions);
  s->scratch = TS_NEW_ARRAY(scratch, ts_arena *, partitions);
  for (uint32_t k = 0; k < partitions; k++) {
    s->results[k] = ts_arena_new("partition of a play");
    s->scratch[k] = ts_arena_new("engine");
  }
  ts_thread_pool_run(pool, threads, &(ts_thread_pool_work){.play = set_partition, .closure = s});
  ts_thread_pool_run(pool, threads,
                     &(ts_thread_pool_work){play_partition, open_gate, look_up, s->partitions});
  for (uint32_t k = 0; k < partitions; k++) {
    ts_arena_adopt(arena, s->results[k]);
    ts_arena_free(s->scratch[k]);
  }
}

static bool ended(const ts_engine *partitions)
{
  const ts_processes *all = &partitions->processes;
  bool good = true;
  for (uint32_t k = 0; k < all->partitions->count && good; k++)
    good = !failed(&partitions[k]);
  for (uint32_t i = 0; i < all->count && good; i++)
    good = ts_is_done(&all->at[i]);
  return good;
}

/* NULL: it did not come to its end; *e says why, unless it was played by several threads. */
static const ts_facts *play_partitions(ts_arena *arena, ts_arena *scratch, ts_engine *whole,
                                       uint32_t threads, ts_engine **e)
{
  engine_stage s = {.partitions =
                      TS_NEW_ARRAY(scratch, ts_engine, whole->processes.partitions->count),
                    .results = &arena,
                    .scratch = &scratch};
  *e = s.partitions;
  make_rendezvous(arena, scratch, whole);
  if (!whole->processes.contention && !whole->facts.tables->every_op)
    s.repeats = ts_repeats_of_all(scratch, whole);
  make_partitions(&s, whole);
  if (whole->processes.pool) {
    play_together(arena, scratch, &s, threads);
  } else {
    set_partition(&s, 0, true);
    play_alone(s.partitions);
  }
  if (s.partitions->interrupted || !ended(s.partitions))
    return NULL;
  s.partitions->facts.end = ts_processes_end(&s.partitions->processes, &s.partitions->facts);
  return &s.partitions->facts;
}

const ts_facts *ts_engine_play(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                               const ts_fold *fold, ts_contention *contention, uint32_t threads,
                               uint32_t order, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("engine");
  ts_engine whole = {.facts = {.tables = tables, .roles = roles, .fold = fold},
                     .order = order,
                     .mismatch = TS_IR_NONE};
  ts_partitions partitions =
    threads > 1 ? ts_partitions_new(scratch, tables, roles, fold, PARTITIONS_A_THREAD * threads) :
                  ts_partitions_whole(scratch, fold->count);
  ts_engine *e;
  whole.facts.players = TS_NEW_ARRAY(arena, ts_player, fold->count);
  ts_processes_new(&whole.processes, scratch, &whole.facts, contention);
  whole.processes.partitions = &partitions;
  if (partitions.count > 1)
    whole.processes.pool = ts_thread_pool_new(scratch, partitions.count, whole.processes.count);
  const ts_facts *facts = play_partitions(arena, scratch, &whole, threads, &e);
  bool again = !facts && !e->interrupted && whole.processes.pool;
  if (contention && ts_contention_failed(contention, stop)) {
    facts = NULL;
  } else if (facts) {
    if (contention)
      e->facts.packets = ts_contention_packets(contention, arena, &e->facts.packets_with);
    facts = ts_arena_copy(arena, facts, sizeof *facts);
  } else if (!again) {
    ts_explain_stop(e, stop);
  }
  ts_arena_free(scratch);
  /* how far others came is not the same each time: one thread finds what to say */
  return again ? ts_engine_play(arena, tables, roles, fold, NULL, 1, order, stop) : facts;
}
