/* One part of a sweep's plans: `--shard 2/8`, and scripts that run all parts of one. */
#ifndef TS_TOOLS_SWEEP_SHARD_H
#define TS_TOOLS_SWEEP_SHARD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/options.h"

/* index: from 0, or all parts one after the other; count 0: the whole */
enum { TS_SHARD_ALL = -1 };
typedef struct ts_sweep_shard { long long index, count; } ts_sweep_shard;

/* Reads "2/8", "all/8", "auto" (Slurm's array of jobs) or "auto/8" (likewise, or an indexed job of
 * Kubernetes, which does not say how many there are). False after reporting a mistake. */
bool ts_sweep_shard_read(ts_options *o, ts_sweep_shard *shard);

/* Plans are dealt in turn: neighbours take about as long. */
static inline bool ts_sweep_shard_has(const ts_sweep_shard *shard, size_t point)
{
  return !shard->count || shard->index == TS_SHARD_ALL ||
         (long long)(point % (size_t)shard->count) == shard->index;
}

/* A script for Slurm that runs this command line in so many parts, each with a journal of its own,
 * "FILE.1" on. whole: who puts them together has to know how many there were. */
void ts_sweep_shard_put_script(long long parts, const char *journal, bool whole, int argc,
                               char **argv, FILE *out);

#endif
