/* A sweep and its journal: what stands there is not played, what is played is put there. */
#ifndef TS_TOOLS_SWEEP_KEPT_H
#define TS_TOOLS_SWEEP_KEPT_H

#include "tools/sweep/journal.h"
#include "tools/sweep/sweep.h"

typedef struct ts_sweep_kept ts_sweep_kept;

/* Opens the journal and sets the outcomes that it knows. NULL after errors, which are among the
 * messages of the sweep: it is of other inputs or of another TrainSpec, too. */
ts_sweep_kept *ts_kept_open(ts_sweep *s, const char *path, bool resume);
/* Sets an outcome that the journal knows; `known` tells. False after errors. */
bool ts_kept_know(ts_sweep_kept *k, size_t index);
/* Likewise an outcome of no sweep: nothing is counted. */
bool ts_kept_find(ts_sweep_kept *k, ts_outcome *o);
/* A plan was played. */
void ts_kept_take(ts_sweep_kept *k, size_t index, double seconds);
/* Puts what was taken on the disk. False after errors. */
bool ts_kept_write(ts_sweep_kept *k);
/* likewise; of the sweep's plans so many are in the journal */
bool ts_kept_close(ts_sweep_kept *k, bool ended);
size_t ts_kept_count(const ts_sweep_kept *k);

/* What the journal calls a plan: of its name and its parameters, in whatever order. */
void ts_kept_key(const ts_sweep *s, size_t point, ts_arena *arena, uint8_t key[TS_DIGEST_SIZE]);

#endif
