/* A sweep and its journal: what stands there is not played, what is played is put there. */
#ifndef TS_TOOLS_SWEEP_JOURNALED_H
#define TS_TOOLS_SWEEP_JOURNALED_H

#include "tools/sweep/journal.h"
#include "tools/sweep/sweep.h"

typedef struct ts_journaled ts_journaled;

/* Opens the journal and sets the outcomes that it knows. NULL after errors, which are among the
 * messages of the sweep: it is of other inputs or of another TrainSpec, too. */
ts_journaled *ts_journaled_open(ts_sweep *s, const char *path, bool resume);
/* Sets an outcome that the journal knows; `known` tells. False after errors. */
bool ts_journaled_know(ts_journaled *k, size_t index);
/* Likewise an outcome of no sweep: nothing is counted. */
bool ts_journaled_find(ts_journaled *k, ts_outcome *o);
/* A plan was played. */
void ts_journaled_take(ts_journaled *k, size_t index, double seconds);
/* Puts what was taken on the disk. False after errors. */
bool ts_journaled_write(ts_journaled *k);
/* likewise; of the sweep's plans so many are in the journal */
bool ts_journaled_close(ts_journaled *k, bool ended);
size_t ts_journaled_count(const ts_journaled *k);

/* What the journal calls a plan: of its name and its parameters, in whatever order. */
void ts_journaled_key(const ts_sweep *s, size_t point, ts_arena *arena,
                      uint8_t key[TS_DIGEST_SIZE]);

#endif
