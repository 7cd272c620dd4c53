/* What the choices of a framework's profile save: the plan is played without each of them. */
#ifndef TS_TOOLS_CLI_CHOICES_H
#define TS_TOOLS_CLI_CHOICES_H

#include <stdio.h>

#include "compiler/compile.h"
#include "runtime/report/summary.h"

/* Those of std.tools.choices that change the step by a thousandth, or without which the plan is
 * refused, into `summary`; `input` is the
 * plan and `summary` how it was played, with `options`. Nothing is set of an IR, whose plan is not
 * known, or if the work was interrupted. */
void ts_choices_find(ts_arena *arena, const char *path, const ts_input *input,
                     const ts_compile_options *compile, const ts_run_options *options,
                     ts_summary *summary);

/* Of a plan `from` that becomes `to`: each field of its framework that differs, played alone, and
 * their sum. False: one of them is no plan with a framework, or the work was interrupted. */
bool ts_choices_between(ts_arena *arena, const char *const paths[2],
                        const ts_input *const inputs[2], const ts_compile_options *compile,
                        const uint64_t steps[2], FILE *out);

#endif
