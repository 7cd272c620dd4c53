/* Building a schedule: shared by the files compiler/schedule*.c alone. */
#ifndef TS_COMPILER_SCHEDULE_INTERNAL_H
#define TS_COMPILER_SCHEDULE_INTERNAL_H

#include "compiler/eval/names.h"
#include "compiler/schedule/known.h"
#include "compiler/schedule/schedule.h"

typedef struct ts_schedule_builder {
  ts_session *s;
  ts_schedule *sc;
  uint32_t rank;   /* at hand */
  uint32_t *count; /* of it: see schedule_work.c */
  uint32_t oldest; /* item at which to look for an I without its W */
  ts_known *known; /* what expressions of the order gave */
  ts_names forms;  /* of its items, by the addresses of their nodes */
  bool failed;
  /* rounds that a loop of each rank lists at least, 0: all of them; where that does not do */
  uint32_t listed;
  bool uneven;
  uint32_t moved;  /* by the rounds of the rank at hand that are left out so far */
  ts_order *round; /* ts_schedule.round */
} ts_schedule_builder;

/* compiler/schedule/schedule.c: axis of the mesh with so many ranks, where the schedule names none.
 * */
bool ts_schedule_axis(ts_schedule_builder *b, uint32_t ranks, ts_span span);
/* compiler/schedule/work.c: the items of every rank, from `at`. */
void ts_schedule_work(ts_schedule_builder *b);
bool ts_work_kind_of(ts_schedule_builder *b, const ts_ast *item, ts_work_kind *kind);
/* Ends a rank's items with the step. */
void ts_schedule_end_rank(ts_schedule_builder *b, uint32_t first);
/* compiler/schedule/csv.c: stages and items from a file. */
bool ts_schedule_layout_file(ts_schedule_builder *b, const ts_env *env, const ts_ast *order,
                             int64_t copies);
/* compiler/schedule/given.c: the items of s->order. */
bool ts_schedule_given(ts_schedule_builder *b);
/* compiler/schedule/leave_out.c: takes equal rounds out of an order that is all placed, as many of
 * each rank, so that `listed` micro-batches of them stay at least. False: it stays as it is. */
bool ts_schedule_leave_out(ts_schedule_builder *b, uint32_t listed);
/* compiler/schedule/policy.c */
bool ts_policy_open(ts_schedule_builder *b);
bool ts_policy_run(ts_schedule_builder *b, const ts_stage_costs *costs);

#endif
