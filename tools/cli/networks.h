/* tsrun --network all: the same step by each network model of a plan. */
#ifndef TS_TOOLS_CLI_NETWORKS_H
#define TS_TOOLS_CLI_NETWORKS_H

#include "base/output.h"
#include "runtime/account/result.h"
#include "runtime/report/warnings.h"

typedef struct ts_networks ts_networks;

/* "all", or names joined by commas. */
bool ts_networks_several(const char *argument);
/* Step time, exposed communication and own run time: of the models in the plan's order, of those of
 * each name alone, and of the links. Adds to *warnings what is implausible: of all, in the play by
 * the plan's order; of names, in the plays by each, which the warnings name. NULL after filling
 * *stop. */
ts_networks *ts_networks_play(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                              const char *argument, ts_warnings *warnings, ts_stop *stop);
ts_print ts_networks_text, ts_networks_json; /* closure: ts_networks */

#endif
