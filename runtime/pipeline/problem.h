/* The pipeline of an IR: from a program for each of its ranks to letters, items and maps. */
#ifndef TS_RUNTIME_PIPELINE_PROBLEM_H
#define TS_RUNTIME_PIPELINE_PROBLEM_H

#include "runtime/pipeline/pipeline.h"
#include "runtime/play/play.h"

/* Which stages the ranks of the pipeline have, as the schedule places them: [rank * chunks +
 * chunk]. The model is there stages / parts times, and stage s holds part s % parts. */
typedef struct ts_pipeline_stages {
  uint32_t chunks, stages, parts;
  const uint32_t *of;
} ts_pipeline_stages;

/* Of an IR whose programs have F, and I and W or B, of every micro-batch, in any order. `lane`: any
 * rank; times are those of the ranks that differ from it along the pipeline alone. `room` is left
 * for the caller to fill. NULL with the error filled, as "it has ...": its orders cannot be
 * searched. */
ts_pipeline *ts_pipeline_new(ts_arena *arena, const ts_prepared *prepared,
                             const ts_pipeline_stages *stages, uint32_t lane, ts_error *error);

/* What an item of a program does: an item, or several that are played as one. */
typedef struct ts_pipeline_parts {
  uint32_t count;  /* up to 3 */
  uint32_t item[3]; /* letter * micro_batches + micro-batch, in the order of a word */
} ts_pipeline_parts;

/* Learns from another IR of the same plan, whose programs play items as one, how long these take.
 * `parts`: [ranks] of the items of its programs. False: nothing is shorter so. */
bool ts_pipeline_find_merges(ts_arena *arena, ts_pipeline *p, const ts_prepared *prepared,
                             uint32_t lane, const ts_pipeline_parts *const *parts);

/* Bytes that the program of a rank holds throughout. */
int64_t ts_pipeline_base(const ts_ir *ir, uint32_t rank);

#endif
