/* Timetables: orders of work that are written as the slot in which each item begins, all of one
 * length, and then made as short as the memory that they need allows. */
#ifndef TS_COMPILER_SCHEDULE_TIMETABLE_H
#define TS_COMPILER_SCHEDULE_TIMETABLE_H

#include "compiler/schedule/schedule.h"

enum { TS_TIMETABLE_FORWARD = 1000 }; /* of which an I frees a part */

typedef struct ts_timetable {
  /* backwards are B, two slots each; otherwise I, whose W go where there is room */
  bool whole;
  uint32_t slots;         /* all items end before this one */
  /* forwards, backwards: [stage * micro_batches + micro_batch]; one item a slot on a rank, nothing
   * before what it needs */
  const int32_t *slot[2];
  /* thousandths of what a forward holds that I frees, at least; W frees the rest */
  int32_t freed;
} ts_timetable;

typedef struct ts_timed { ts_work_kind kind; uint32_t stage, micro_batch; } ts_timed;

/* Squeezes it. Writes all items (three, of whole backwards two, for every stage and micro-batch) to
 * `out`, none before what it needs, and gives their number. */
uint32_t ts_timetable_order(ts_arena *arena, const ts_schedule *sc, const ts_timetable *t,
                            ts_timed *out);

#endif
