/* What of a plan could be changed so that it fits in memory: each change is compiled and played. */
#ifndef TS_TOOLS_CLI_WAYS_OUT_H
#define TS_TOOLS_CLI_WAYS_OUT_H

#include "compiler/compile.h"
#include "runtime/report/summary.h"

/* `input` is the plan that does not fit and `summary` how it was played, with `options`. NULL if it
 * is no plan but an IR, or if the work was interrupted. */
const ts_ways_out *ts_ways_out_find(ts_arena *arena, const char *path, const ts_input *input,
                                    const ts_compile_options *compile, const ts_summary *summary,
                                    const ts_run_options *options);

#endif
