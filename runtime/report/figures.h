/* Values of the figures of base/figures.def: a function for each, of what was played. */
#ifndef TS_RUNTIME_REPORT_FIGURES_H
#define TS_RUNTIME_REPORT_FIGURES_H

#include "base/figures.h"
#include "runtime/report/summary.h"

ts_figures ts_figures_of(const ts_summary *summary);

#endif
