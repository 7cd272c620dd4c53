/* Players divided into partitions for threads (thread_pool.h): those who exchange most with each
 * other into one partition, partitions of about equal work. */
#ifndef TS_RUNTIME_PLAY_PARTITION_H
#define TS_RUNTIME_PLAY_PARTITION_H

#include "runtime/play/fold.h"

typedef struct ts_partitions {
  uint32_t count;
  const uint32_t *of;      /* [players] */
  const uint32_t *players; /* [players] partition by partition, ascending in each */
  const uint32_t *first;   /* [count + 1] into them */
} ts_partitions;

/* One partition. */
ts_partitions ts_partitions_whole(ts_arena *arena, uint32_t players);
/* No more than `most` partitions; each has players. */
ts_partitions ts_partitions_new(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                                const ts_fold *fold, uint32_t most);

#endif
