/* The most that a rank holds at a time: by items that repeat (peak_items.h) where there are any,
 * otherwise by a walk through all changes (changes.h). */
#ifndef TS_RUNTIME_ACCOUNT_PEAK_H
#define TS_RUNTIME_ACCOUNT_PEAK_H

#include "runtime/account/changes.h"
#include "runtime/account/memory.h"
#include "runtime/play/engine.h"

typedef struct ts_memory_peak {
  int64_t bytes;
  ts_memory_moment at;         /* node NULL: before the first node */
  bool over;                   /* more than `room` was held, first at ... */
  ts_memory_moment first_over; /* ... unless that was before the first node */
  /* [2 * nodes] how often node n had allocated (2n) and freed (2n + 1) at the peak; NULL: never */
  const uint32_t *times;
} ts_memory_peak;

/* What is found of one rank that serves others of the same play. In the arena. */
typedef struct ts_peak_memo ts_peak_memo;
ts_peak_memo *ts_peak_memo_new(ts_arena *arena);

/* `held`: before the first node. `room`: bytes that there are. */
ts_memory_peak ts_memory_peak_find(ts_arena *arena, ts_peak_memo *memo,
                                   const ts_memory_input *input, uint32_t class, int64_t held,
                                   int64_t room);

#endif
