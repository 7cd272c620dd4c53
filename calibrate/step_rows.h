/* Measured steps as a CSV: a row is a step, its columns are parameters of the plan by name and what
 * was measured:
 *   step_s, step_ms, step_us, step     the time; `step` with its unit in the cell, "1.35 s"
 *   memory, memory_gib, memory_gb      the peak of the fullest device; `memory` in bytes, or with
 *                                      its unit in the cell, "61.2 GiB"; may be empty
 *   group                              rows of one group are also left out together
 *   note                               anything; more of them may follow: note_gpu
 * A parameter whose cell is empty keeps its default. Lines that begin with `#` are comments. */
#ifndef TS_CALIBRATE_STEP_ROWS_H
#define TS_CALIBRATE_STEP_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct ts_measured_parameter { const char *name; bool text; } ts_measured_parameter;
/* name, and an expression of the language */
typedef struct ts_measured_value { const char *name, *expression; } ts_measured_value;

typedef struct ts_measured_step {
  uint32_t line;
  uint64_t begin, end;          /* of the row in the text */
  uint32_t value_count;
  const ts_measured_value *values;
  const char *words;            /* "tp=8 micro=2" */
  double seconds;
  double memory;                /* bytes; 0: not measured */
  const char *group;            /* "": none */
} ts_measured_step;

typedef struct ts_measured_steps {
  uint32_t count;
  const ts_measured_step *at;
  bool memory, groups;          /* some rows have them */
  uint32_t copies;              /* rows that were the same as one before, and are left out */
} ts_measured_steps;

/* False after filling the error. */
bool ts_measured_steps_read(ts_arena *arena, const char *text, size_t size,
                            const ts_measured_parameter *parameters, uint32_t parameter_count,
                            ts_measured_steps *out, ts_error *error);

#endif
