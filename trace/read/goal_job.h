/* A GOAL schedule in flat tables, for jobs of many millions of operations: 28 bytes an operation,
 * 4 a requirement. Operations lie rank by rank, each rank's in the order of the file. */
#ifndef TS_TRACE_READ_GOAL_JOB_H
#define TS_TRACE_READ_GOAL_JOB_H

#include "trace/read/goal_ranks.h"

/* Of those that wait: for the start, not the end. Place in the rank below it. */
#define TS_GOAL_STARTED 0x80000000u

typedef struct ts_goal_job {
  uint32_t world, count; /* ranks, operations */
  uint64_t edges;
  uint32_t *first;   /* [world + 1] operation of each rank */
  uint64_t *size;    /* [count] ns, bytes */
  uint32_t *peer;    /* [count] of messages; UINT32_MAX: any, as `tag` */
  uint32_t *tag;
  uint32_t *how;     /* [count] ts_goal_kind | cpu << 8 | nic << 16 */
  uint32_t *before;  /* [count] how many it waits for */
  uint64_t *next;    /* [world + 1] into `waiting`: where each rank's begin */
  uint32_t *offset;  /* [count + world] who waits for it, from the rank's `next` on */
  uint32_t *waiting; /* [edges] place in the rank, and TS_GOAL_STARTED */
  uint32_t cpus, nics; /* one more than the largest number */
  bool cut;          /* the file ends early */
} ts_goal_job;

/* NULL with the error filled; without a message: the file is no schedule. To be freed. */
ts_goal_job *ts_goal_job_read(const char *path, ts_error *error);
ts_goal_job *ts_goal_job_parse(const void *bytes, size_t size, ts_error *error);
void ts_goal_job_free(ts_goal_job *s);

static inline ts_goal_kind ts_goal_job_kind(const ts_goal_job *s, uint32_t op)
{
  return (ts_goal_kind)(s->how[op] & 0xff);
}

#endif
