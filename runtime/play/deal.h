/* Players dealt into parts for threads (crew.h): those who exchange most with each other into one
 * part, parts of about equal work. */
#ifndef TS_RUNTIME_PLAY_DEAL_H
#define TS_RUNTIME_PLAY_DEAL_H

#include "runtime/play/fold.h"

typedef struct ts_parts {
  uint32_t count;
  const uint32_t *of;      /* [players] */
  const uint32_t *players; /* [players] part by part, ascending in each */
  const uint32_t *first;   /* [count + 1] into them */
} ts_parts;

/* One part. */
ts_parts ts_parts_whole(ts_arena *arena, uint32_t players);
/* No more than `most` parts; each has players. */
ts_parts ts_parts_new(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                      const ts_fold *fold, uint32_t most);

#endif
