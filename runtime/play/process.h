/* The processes of a play. Every stream of every player, and its host thread, is a process with a
 * cursor over the program. It runs until it needs a time that is not known yet, and leaves its
 * number in the place where that time will be written. Who writes it makes the process ready. The
 * engine and the play with overlap (engine.h, overlap.h) decide when a process runs, and how long
 * its operations take. */
#ifndef TS_RUNTIME_PLAY_PROCESS_H
#define TS_RUNTIME_PLAY_PROCESS_H

#include "runtime/play/contention.h"
#include "runtime/play/thread_pool.h"
#include "runtime/play/partition.h"
#include "runtime/play/engine.h"

/* A time that is not known yet has the highest bit set, and below it the number of the first
 * process that waits for it, or TS_IR_NONE. */
#define TS_UNKNOWN (UINT64_C(1) << 63)

static inline bool ts_is_known(uint64_t time) { return !(time & TS_UNKNOWN); }

typedef struct ts_process { /* a stream of a player; the last one of each player is its host */
  uint64_t time;         /* when it is free */
  /* behind a message that others may pass (fan_out.h): when the next may leave; else `time` */
  uint64_t posted;
  uint64_t host;         /* base of issue times */
  const uint32_t *item, *item_end; /* the next of its items, and the end of all */
  const ts_play_item *in;        /* the one before that ... */
  const ts_play_op *op, *op_end; /* ... and what is left of it */
  uint32_t next;         /* who else waits for the same */
  uint32_t player;
  uint32_t wait;         /* host: which wait of the fragment */
  bool met;              /* has arrived at the collective at `op`, or sends */
  bool paused;           /* at the gate of its player (repeats.h) */
} ts_process;

/* a message under contention that does not hold its stream */
typedef struct ts_flight { uint64_t *arrived; uint32_t *lane; uint64_t latency; } ts_flight;

typedef struct ts_processes {
  ts_arena *scratch;
  ts_process *at;
  uint32_t count, per_player;
  uint32_t *ready;           /* stack of processes that may run */
  uint32_t ready_count;
  ts_thread_pool *pool; /* who plays other partitions meanwhile, or NULL: there are none */
  const ts_partitions *partitions;
  uint32_t partition;        /* whose processes these are, on the stack */
  ts_contention *contention; /* of calls that share links, or NULL */
  TS_VEC(ts_flight) flights; /* their tags come after those of rendezvous and processes */
  bool overflow;             /* of the clock */
} ts_processes;

/* None has begun. */
void ts_processes_new(ts_processes *all, ts_arena *scratch, const ts_facts *facts,
                      ts_contention *contention);
/* Those of all->partition are at their begin, and ready; their players are made. */
void ts_processes_begin(ts_processes *all, ts_arena *scratch, const ts_facts *facts);

/* The end of the step, of a play that has come to its end. */
uint64_t ts_processes_end(const ts_processes *all, const ts_facts *facts);

/* Sets one of facts->players; nothing is known of its times but the begin of the host. Events are
 * not set yet. */
void ts_make_player(ts_arena *arena, const ts_facts *facts, uint32_t player);
/* Nothing is known of the events of `count` items from this one of the program on. */
void ts_player_expect(const ts_player *player, uint32_t item, uint32_t count);
/* Makes room for what its sends and collectives take; `kernels_vary`: and all other nodes. */
void ts_player_keep_times(ts_arena *arena, const ts_tables *tables, ts_player *player,
                          bool kernels_vary);

int ts_stop_overflow(ts_stop *stop); /* times beyond what the clock counts */

/* Plays the host up to a wait for something unknown. */
void ts_host_run(ts_processes *all, const ts_facts *facts, uint32_t id);

/* Hands the message of the process, at `op` of `item`, to the network of all. A message that others
 * may pass waits for the one before it in its lane. False: it meets no other call. */
bool ts_message_share(ts_processes *all, const ts_facts *facts, uint32_t id,
                      const ts_play_item *item, const ts_play_op *op, const ts_route *route,
                      uint64_t start);

/* The message that shared links under this tag, and did not hold its stream, has ended. */
void ts_message_land(ts_processes *all, const ts_facts *facts, uint32_t tag, uint64_t now);

/* ---- waiting ---- */

static inline void ts_process_wake(ts_processes *all, uint32_t waiter)
{
  for (; waiter != TS_IR_NONE; waiter = all->at[waiter].next)
    all->ready[all->ready_count++] = waiter;
}

/* Leaves the process where the time it needs will be written. */
static inline void ts_process_park(ts_processes *all, uint32_t id, uint64_t *place)
{
  all->at[id].next = (uint32_t)*place;
  *place = TS_UNKNOWN | id;
}

static inline void ts_process_settle(ts_processes *all, uint64_t *place, uint64_t time)
{
  uint32_t waiters = (uint32_t)*place;
  *place = time;
  ts_process_wake(all, waiters);
}

/* Raises *time to the latest of the events, or parks. */
static inline bool ts_process_await(ts_processes *all, uint32_t id, uint64_t *events,
                                    const uint32_t *wait, uint32_t count, uint64_t *time)
{
  for (uint32_t i = 0; i < count; i++) {
    uint64_t *place = &events[wait[i]];
    if (!ts_is_known(*place)) {
      ts_process_park(all, id, place);
      return false;
    }
    if (*place > *time)
      *time = *place;
  }
  return true;
}

/* ---- waiting for others, who may be of other partitions ---- */

/* The same for those who wait for a collective. */
static inline void ts_process_wake_others(ts_processes *all, uint32_t waiter)
{
  if (!all->pool) {
    ts_process_wake(all, waiter);
    return;
  }
  for (uint32_t next; waiter != TS_IR_NONE; waiter = next) {
    uint32_t partition = all->partitions->of[all->at[waiter].player];
    next = all->at[waiter].next;
    if (partition == all->partition)
      all->ready[all->ready_count++] = waiter;
    else
      ts_thread_pool_leave(all->pool, partition, waiter);
  }
}

/* When the message arrived, or that it is not known. */
static inline uint64_t ts_arrival_at(const uint64_t *place)
{
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/* Whether the player may be played at the same time. */
static inline bool ts_is_elsewhere(const ts_processes *all, uint32_t player)
{
  return all->pool && all->partitions->of[player] != all->partition;
}

/* Leaves the process where a message of player `from` will arrive. False: it has. */
static inline bool ts_message_park(ts_processes *all, uint32_t id, uint32_t from, uint64_t *place)
{
  if (!ts_is_elsewhere(all, from)) {
    ts_process_park(all, id, place);
    return true;
  }
  uint64_t before = ts_arrival_at(place);
  do {
    if (ts_is_known(before))
      return false;
    all->at[id].next = (uint32_t)before;
  } while (!__atomic_compare_exchange_n(place, &before, TS_UNKNOWN | id, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  return true;
}

/* The message to player `to` arrives. */
static inline void ts_message_settle(ts_processes *all, uint32_t to, uint64_t *place,
                                     uint64_t time)
{
  if (!ts_is_elsewhere(all, to))
    ts_process_settle(all, place, time);
  else
    ts_process_wake_others(all, (uint32_t)__atomic_exchange_n(place, time, __ATOMIC_ACQ_REL));
}

/* Begins the next item of `p`, process `id`. False: the host has not come so far. */
static inline bool ts_process_enter(ts_processes *all, uint32_t id, ts_process *p,
                                    const ts_player *w, uint32_t stream)
{
  const ts_play_item *v = &w->program->items[*p->item];
  uint64_t *segment = &w->segments[v->segment];
  if (!ts_is_known(*segment)) {
    ts_process_park(all, id, segment);
    return false;
  }
  ts_range code = w->role->code[v->fragment].stream[stream];
  if (w->entries)
    w->entries[p->item - w->program->stream_items] = p->time;
  p->in = v;
  p->host = *segment + v->offset;
  p->op = w->role->ops + code.first;
  p->op_end = p->op + code.count;
  p->item++;
  return true;
}

/* Whether nothing is left of it. */
static inline bool ts_is_done(const ts_process *p)
{
  return p->op == p->op_end && p->item == p->item_end;
}

/* What an op of the item took, where times are kept. */
static inline void ts_keep_time(const ts_player *w, const ts_tables *t, const ts_play_item *v,
                                const ts_play_op *op, uint64_t time)
{
  uint64_t *took =
    w->took ? ts_took_place(w, t, v->index, t->layouts[v->fragment].order[op->first]) : NULL;
  if (took)
    *took = time;
}

#endif
