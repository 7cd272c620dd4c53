/* tsrun --network all: the same step by each network model of a plan. */
#ifndef TS_TOOLS_TSRUN_NETWORKS_H
#define TS_TOOLS_TSRUN_NETWORKS_H

#include <stdio.h>

#include "runtime/result.h"

/* "all", or names joined by commas. */
bool ts_networks_several(const char *argument);
/* Step time, exposed communication and own run time: of the models in the plan's order, of those of each name alone, and of the links. -1 after filling *stop. */
int ts_networks_compare(const ts_ir *ir, const ts_run_options *options, const char *argument, bool json, FILE *out, ts_stop *stop);

#endif
