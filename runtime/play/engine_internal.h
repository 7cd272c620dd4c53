/* Private to engine.c, repeats.c and explain.c: the engine while it plays. */
#ifndef TS_RUNTIME_PLAY_ENGINE_INTERNAL_H
#define TS_RUNTIME_PLAY_ENGINE_INTERNAL_H

#include "runtime/play/process.h"
#include "runtime/play/repeats.h"

/* of a rendezvous: the call that is open, and the start of the last one */
typedef struct ts_rendezvous_state {
  uint64_t start, latest, end;
  uint32_t count, expected;
  uint32_t collective, waiters, who;
  uint32_t calls;
  uint64_t call_base;
  bool shared; /* its members are of several partitions: changed under a lock */
} ts_rendezvous_state;

struct ts_engine { /* one for each partition (thread_pool.h) */
  ts_facts facts;
  ts_processes processes;
  ts_rendezvous_state *rendezvous;
  uint64_t *starts;
  uint32_t *latest;
  uint32_t order;
  uint32_t rounds;       /* since progress was reported */
  uint64_t done, items;  /* that had begun when it was; all of them */
  bool first;            /* on the thread that began it all */
  bool interrupted;
  struct ts_engine *partitions; /* [processes.partitions->count] */
  uint32_t mismatch;     /* process whose collective differs from the others', or TS_IR_NONE */
  ts_repeats *repeats;   /* NULL: every op is played */
};

/* Fills *stop when some process could not end. */
int ts_explain_stop(const ts_engine *engine, ts_stop *stop);

#endif
