/* trainspec compare, of a recording: a step of it beside the same rank's step in the play. */
#ifndef TS_TOOLS_CLI_RECORDED_H
#define TS_TOOLS_CLI_RECORDED_H

#include "runtime/account/result.h"
#include "tools/cli/causes.h"
#include "tools/cli/trace_open.h"
#include "trace/step_parts.h"

typedef struct ts_recorded {
  const ts_events *events;
  const ts_steps_beside *beside; /* the plan, the recording */
  uint32_t rank, world;          /* of the plan */
  uint32_t step, steps;          /* which of the marked ones, from 1; 0: all work is one step */
  const char *sentence, *how;    /* what carries the difference, and what became of it */
} ts_recorded;

/* Whether a file begins as recordings do, and not as lines of text. */
bool ts_may_be_recorded(const char *path);
/* False: the recording has no times of device work; then the error is filled. */
bool ts_recorded_beside(ts_arena *arena, const ts_events *events, const ts_ir *ir,
                        const ts_run *run, ts_recorded *out, ts_error *error);
/* What it says of a step, for causes. */
void ts_recorded_observe(ts_arena *arena, const ts_recorded *r, ts_observed *measured);
void ts_recorded_text(ts_arena *arena, const ts_recorded *r, FILE *out);
void ts_recorded_json(const ts_recorded *r, ts_json_writer *w, const char *key);

#endif
