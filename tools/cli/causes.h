/* Why a step is not as its plan says: causes of std.tools.causes, each played, those that come near
 * what was measured first. */
#ifndef TS_TOOLS_CLI_CAUSES_H
#define TS_TOOLS_CLI_CAUSES_H

#include "compiler/compile.h"
#include "runtime/report/summary.h"

typedef enum ts_observed_part {
  TS_OBSERVED_STEP,    /* s */
  TS_OBSERVED_MEMORY,  /* bytes */
  TS_OBSERVED_FORWARD, /* s of the busiest rank, with what it waits for */
  TS_OBSERVED_BACKWARD,
  TS_OBSERVED_UPDATE,
  /* s that it adds to the step, of a recording: products, attention, other kernels, calls, idle */
  TS_OBSERVED_PRODUCTS,
  TS_OBSERVED_ATTENTION,
  TS_OBSERVED_KERNELS,
  TS_OBSERVED_EXPOSED,
  TS_OBSERVED_IDLE,
  TS_OBSERVED_PARTS,
  TS_OBSERVED_SHOWN = TS_OBSERVED_PRODUCTS /* those before it */
} ts_observed_part;

/* Of a step, measured or predicted; NAN: not known. */
typedef struct ts_observed {
  double of[TS_OBSERVED_PARTS];
} ts_observed;

/* Which part kernels of a family are. */
ts_observed_part ts_observed_family(const char *family);
/* What a play says. */
ts_observed ts_observed_of(const ts_run *run, const ts_memory *memory);

typedef struct ts_cause {
  const char *name, *tell;
  const char *change; /* what a person writes to play it; "": it lies outside of the play */
  ts_observed seen;   /* with the degree of it that comes nearest */
  double score;       /* logarithm of its odds */
} ts_cause;

typedef struct ts_causes {
  uint32_t count, tried;
  const ts_cause *at; /* likeliest first */
  /* two that add up, where no single one comes near all that was measured: likeliest first */
  uint32_t pair_count;
  const ts_cause *pairs;
} ts_causes;

/* The plan of `input` was played as `summary` says, with `options`. NULL: interrupted, or the input
 * is no plan but an IR. */
const ts_causes *ts_causes_find(ts_arena *arena, const char *path, const ts_input *input,
                                const ts_compile_options *compile, const ts_summary *summary,
                                const ts_run_options *options, const ts_observed *measured);

#endif
