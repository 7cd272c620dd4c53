/* What tsrun is asked for beyond one step: options, and what they add to the report. */
#ifndef TS_TOOLS_CLI_STUDY_H
#define TS_TOOLS_CLI_STUDY_H

#include "base/options.h"
#include "runtime/report/report.h"

enum {
  STUDY_BLAME = 100,
  STUDY_ALLOCATOR,
  STUDY_OVERLAP,
  STUDY_REPEAT,
  STUDY_JITTER,
  STUDY_SEED,
  STUDY_MTBF,
  STUDY_RESTART,
  STUDY_CHECKPOINT,
  STUDY_EVERY,
  STUDY_STEPS,
  STUDY_WHAT_IF,
  STUDY_SENSITIVITY,
  STUDY_DIFF,
  STUDY_FAIL_AT,
  STUDY_BY,
  STUDY_DEPTH,
  STUDY_MOST_FAILURES = 64
};

typedef struct study {
  bool blame, allocate, jittery;
  bool by_module, depth_stated;
  ts_label_view view;  /* of modules */
  uint32_t repetitions;
  const char *seed;
  ts_allocator_options allocator;
  ts_jitter jitter;
  ts_faults faults;
  bool restart_stated, checkpoint_stated; /* 0 s too */
  double fail_at[STUDY_MOST_FAILURES]; /* s */
  uint32_t failures;
  const ts_slowdown *overlap;
  uint32_t steps;
  const char *what_if; /* changes, joined by commas */
  bool sensitivity;
  const char *diff;    /* the plan to compare with */
} study;

/* TS_EXIT_DONE, or after reporting what is wrong with the option another code. */
int ts_study_option(study *s, ts_arena *arena, ts_options *o, int id);
bool ts_study_any(const study *s);          /* is something asked for beside the play? */
const char *ts_study_wrong(const study *s); /* options that do not go together; NULL: they do */
/* Adds what was asked for to the summary. `other`: the run of the plan to compare with, or NULL. 0,
 * or -1 after filling *stop. */
int ts_study_add(const study *s, const ts_run *other, const ts_run_options *options,
                 ts_summary *summary, ts_stop *stop);

#endif
