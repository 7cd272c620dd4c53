/* What came of playing a plan, looked at as a person would who knows the machine: warnings where it
 * cannot be, or is likely no intention. */
#ifndef TS_RUNTIME_REPORT_PLAUSIBLE_H
#define TS_RUNTIME_REPORT_PLAUSIBLE_H

#include "runtime/report/summary.h"

/* Adds to the summary's warnings. `options`: what the plan was played with; another order of the
 * mesh may be played with them too. False: of that, rounds that were left out need to be listed
 * (ts_stop.unsteady). */
bool ts_plausible(ts_summary *summary, const ts_run_options *options);

#endif
