/* Where the time of a step of one device went, so that two steps can be laid beside each other:
 * kernels by family, calls that nothing hid, idle time. Times in nanoseconds. */
#ifndef TS_TRACE_STEP_PARTS_H
#define TS_TRACE_STEP_PARTS_H

#include "trace/summary.h"

typedef struct ts_work_span {
  ts_busy span;
  const char *name; /* family of the kernel, or kind of the call */
  int64_t issued;   /* when the host had launched it; INT64_MIN: not known */
} ts_work_span;

typedef enum ts_step_part_kind { TS_PART_KERNELS, TS_PART_CALLS, TS_PART_IDLE } ts_step_part_kind;
/* Of a family, of calls of a kind, of idle time of a cause. `alone`: what it adds to the step;
 * over all parts that is the length of the step. */
typedef struct ts_step_part {
  const char *name;
  ts_step_part_kind kind;
  uint32_t count;
  int64_t time, alone;
} ts_step_part;

/* Calls of a kind whose exposed parts follow each other, or idle gaps of a cause that do; a gap of
 * a hundredth of the step stands alone. */
typedef struct ts_stretch {
  const char *name;
  uint32_t count;
  int64_t at, time; /* from the first work of the step */
} ts_stretch;
typedef struct ts_stretches {
  TS_VEC(ts_stretch) of;
} ts_stretches;

typedef struct ts_step_parts {
  int64_t length;
  TS_VEC(ts_step_part) parts;
  ts_stretches exposed, idle;
} ts_step_parts;

/* Sorts `work`. The step ends `length` after its first work begins, or with its last work. */
ts_step_parts *ts_step_parts_new(ts_arena *arena, ts_work_span *work, uint32_t count,
                                 int64_t length);

/* A part or a stretch of one step beside that of the other; a time of 0 where there is none. */
typedef struct ts_part_pair {
  ts_step_part of[2];
} ts_part_pair;
typedef struct ts_stretch_pair {
  ts_stretch of[2];
} ts_stretch_pair;
typedef struct ts_steps_beside {
  const ts_step_parts *step[2];
  TS_VEC(ts_part_pair) parts; /* by how far they differ, farthest first */
  /* In order: paired so that what is left alone or differs within pairs is least. */
  TS_VEC(ts_stretch_pair) exposed, idle;
} ts_steps_beside;
ts_steps_beside *ts_steps_beside_new(ts_arena *arena, const ts_step_parts *a,
                                     const ts_step_parts *b);
/* What carries the difference: the part that moves most in its direction; where the steps take the
 * same time, that which moves most. NULL: nothing differs by a hundredth of the step. */
const ts_part_pair *ts_steps_carrier(const ts_steps_beside *b);

#endif
