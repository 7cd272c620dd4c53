/* Private to engine.c, explain.c and overlap.c: processes of streams, and what they wait for. */
#ifndef TS_RUNTIME_PLAY_ENGINE_INTERNAL_H
#define TS_RUNTIME_PLAY_ENGINE_INTERNAL_H

#include "runtime/play/engine.h"

/* A time that is not known yet has the highest bit set, and below it the number of the first
 * process that waits for it, or TS_IR_NONE. */
#define TS_UNKNOWN (UINT64_C(1) << 63)

static inline bool ts_is_known(uint64_t time) { return !(time & TS_UNKNOWN); }

typedef struct ts_process { /* a stream of a player; the last one of each player is its host */
  uint64_t time;         /* when it is free */
  /* behind a message that others may pass (fan.h): from when on the next may leave; else `time` */
  uint64_t posted;
  uint64_t host;         /* base of issue times */
  const ts_play_item *item; /* the next one */
  const ts_play_item *item_end;
  const ts_play_op *op, *op_end; /* of the item before `item` */
  uint32_t next;         /* who else waits for the same */
  uint32_t player;
  uint32_t wait;         /* host: which wait of the fragment */
  bool met;              /* has arrived at the collective at `op`, or sends */
} ts_process;

/* of a rendezvous: the call that is open, and the start of the last one */
typedef struct ts_rendezvous_state {
  uint64_t start, latest, end;
  uint32_t count, expected;
  uint32_t collective, waiters, who;
  uint32_t calls;
  uint64_t call_base;
} ts_rendezvous_state;

/* a message under contention that does not hold its stream */
typedef struct ts_flight { uint64_t *arrived; uint32_t *lane; uint64_t latency; } ts_flight;

typedef struct ts_engine {
  ts_facts facts;
  ts_process *processes;
  ts_rendezvous_state *rendezvous;
  uint32_t per_player;   /* processes */
  uint32_t *ready;       /* stack of processes that may run */
  uint32_t ready_count, process_count;
  uint64_t *starts;
  uint32_t *latest;
  uint32_t order;
  struct ts_contention *contention;
  TS_VEC(ts_flight) flights; /* their tags come after those of rendezvous and processes */
  ts_arena *scratch;
  uint32_t rounds; /* since progress was reported */
  bool overflow, interrupted;
  uint32_t mismatch;     /* process whose collective differs from the others', or TS_IR_NONE */
} ts_engine;

static inline bool ts_is_done(const ts_process *p)
{
  return p->op == p->op_end && p->item == p->item_end;
}

/* Sets facts->players for its fold; nothing is known of their times but the begin of the host. */
void ts_make_players(ts_arena *arena, ts_facts *facts);

/* Whether a process, a stream of the player or its host, counts for the end of the step. */
static inline bool ts_counts(const ts_player *w, const ts_tables *t, uint32_t process)
{
  return process >= t->streams || !w->program->late[process];
}

/* When the last host has done its work, of a play that has come to its end. */
uint64_t ts_end_of_hosts(const ts_facts *facts);

/* Fills *stop when some process could not end. */
int ts_explain_stop(const ts_engine *engine, ts_stop *stop);
int ts_stop_overflow(ts_stop *stop); /* times beyond what the clock counts */

#endif
