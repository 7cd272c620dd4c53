/* Why one plan's step takes longer than another's: the parts of the critical paths side by side.
 * Their differences add up to that of the step times. */
#ifndef TS_RUNTIME_STUDY_COMPARE_H
#define TS_RUNTIME_STUDY_COMPARE_H

#include "runtime/account/result.h"

typedef struct ts_difference_part {
  ts_critical_kind kind;
  const char *name;       /* kernel family, group, "host" */
  uint64_t before, after; /* ps on the critical path */
} ts_difference_part;

typedef struct ts_difference {
  uint64_t before, after; /* ps: the step times */
  uint32_t count;
  const ts_difference_part *at; /* largest difference first; those without any are left out */
} ts_difference;

const ts_difference *ts_difference_new(ts_arena *arena, const ts_run *before, const ts_run *after);

#endif
