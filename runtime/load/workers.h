/* Work shared among threads. Pieces may be done in any order by any worker, so each writes what is
 * its own; results then do not depend on how many there are. */
#ifndef TS_RUNTIME_LOAD_WORKERS_H
#define TS_RUNTIME_LOAD_WORKERS_H

#include <stdint.h>

#include "base/progress.h"

typedef struct ts_workers_job {
  uint32_t pieces;
  /* worker: 0 .. workers - 1; one piece at a time each */
  void (*work)(void *closure, uint32_t piece, uint32_t worker);
  void *closure;
  const ts_progress *progress; /* or NULL; called for pieces begun */
  const char *what;            /* for it */
} ts_workers_job;

/* Threads worth using: `requested`, or one a processor if that is 0, but no more than the pieces
 * are worth. */
uint32_t ts_workers_size(uint32_t requested, uint32_t pieces);
/* `work` on so many threads, one of them the caller's (`first`); fewer where the system gives no
 * more. Returns when all have. Signals go to the calling thread. */
void ts_workers_together(uint32_t workers, void (*work)(void *closure, bool first),
                         void *closure);
/* Returns when all pieces are done. Signals go to the calling thread. False: it was to stop, and
 * not all are done. */
bool ts_workers_run(uint32_t workers, const ts_workers_job *job);

#endif
