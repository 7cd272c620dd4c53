/* Changes of a plan, tried several at once: each is compiled and played by itself. What is alike in
 * them is found once. */
#ifndef TS_TOOLS_CLI_TRIALS_H
#define TS_TOOLS_CLI_TRIALS_H

#include "compiler/eval/options.h"
#include "compiler/ways_out.h"
#include "runtime/account/result.h"

struct ts_links_shared;

typedef struct ts_trials {
  const char *path;
  const ts_input *input; /* the plan as it is */
  const ts_compile_options *compile;
  ts_run_options run;
  ts_common *common;
  struct ts_links_shared *links;
} ts_trials;

ts_trials ts_trials_begin(const char *path, const ts_input *input,
                          const ts_compile_options *compile, const ts_run_options *run);
void ts_trials_end(ts_trials *trials);

typedef struct ts_trials_job {
  const ts_way *ways; /* the first of `count`, which lie `stride` bytes apart */
  size_t stride, count;
  /* Plays what became of way `i`: the plan's own IR where the way changes nothing, NULL where it is
   * refused. Each on any thread. */
  void (*play)(void *closure, size_t i, ts_arena *scratch, const ts_ir *ir,
               const ts_run_options *run);
  /* NULL, or takes those that hold too much: they are compiled no further than to know it */
  void (*too_large)(void *closure, size_t i, const ts_memory_bound *held);
  void *closure;
  const char *what;   /* is being done, for the progress ... */
  double done, share; /* ... that it has when they begin, and that they are */
} ts_trials_job;

/* False: it was interrupted. */
bool ts_trials_play(const ts_trials *trials, const ts_trials_job *job);

#endif
