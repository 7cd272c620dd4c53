/* Who waited for whom: every wait of a collective is put down to the member that was ready last,
 * every wait of a receive to its sender. */
#ifndef TS_RUNTIME_ACCOUNT_BLAME_H
#define TS_RUNTIME_ACCOUNT_BLAME_H

#include "runtime/account/result.h"

typedef struct ts_blame {
  uint32_t class;      /* that the others waited for */
  uint32_t group;
  bool messages;
  uint64_t waits;      /* of all ranks */
  double time;         /* ps that ranks waited, summed over them */
  uint32_t ranks;      /* that waited */
  uint32_t most_class; /* the one that waited longest, */
  uint64_t most;       /* ps each of its ranks */
} ts_blame;

typedef struct ts_blames {
  uint32_t count;
  const ts_blame *at; /* longest first */
  double time;        /* of all */
} ts_blames;

const ts_blames *ts_blames_new(ts_arena *arena, const ts_run *run);

#endif
