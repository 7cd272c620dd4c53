/* The files of graph("job.{rank}.json"), read: a table for each rank of the job. */
#ifndef TS_COMPILER_REPLAY_RANK_FILES_H
#define TS_COMPILER_REPLAY_RANK_FILES_H

#include "compiler/eval/session.h"
#include "compiler/eval/value.h"
#include "trace/read/events.h"

typedef struct ts_rank_files {
  const ts_events *const *ranks;
  uint32_t count;
  const char *name; /* as the plan writes it */
} ts_rank_files;

/* `{rank}` in the name stands for the number of a rank; how many there are, the first says. Without
 * it the file is a whole job: a schedule, a workload (one table for all its ranks), or the graph of
 * its one rank. False after errors. */
bool ts_rank_files_read(ts_session *s, const ts_applied *model, ts_rank_files *out);

#endif
