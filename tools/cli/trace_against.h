/* trainspec trace --against: the most that a recording held of a device's memory, beside what the
 * model of a plan says of the same rank. */
#ifndef TS_TOOLS_CLI_TRACE_AGAINST_H
#define TS_TOOLS_CLI_TRACE_AGAINST_H

#include "tools/cli/plan_options.h"
#include "tools/cli/trace_open.h"
#include "trace/summary.h"

typedef struct ts_against ts_against;

/* Compiles or loads the plan and plays it. NULL after reporting what is wrong, with the exit code.
 * */
ts_against *ts_against_new(ts_trace_task *t, const char *path, const ts_plan_options *options,
                           int *status);
/* One row a recording: that of its rank; of a recording that knows no rank, the rank that holds
 * most. */
void ts_against_text(const ts_against *a, const ts_trace_summary *const *summaries, size_t count,
                     FILE *out);
/* a member of an object; without recordings that have no memory or no rank of the plan */
void ts_against_json(const ts_against *a, const ts_trace_summary *const *summaries, size_t count,
                     ts_json_writer *w, const char *key);
void ts_against_free(ts_against *a);

#endif
