/* Sweeps of spaces that are not listed: plans drawn at random, then those near the best ones, until
 * a budget is spent. */
#ifndef TS_TOOLS_SWEEP_BUDGET_H
#define TS_TOOLS_SWEEP_BUDGET_H

#include "base/options.h"
#include "tools/sweep/sweep.h"

/* plans: to try; seconds: not to begin more after; 0: no such bound. Neither: no budget */
typedef struct ts_sweep_budget { long long plans; double seconds; } ts_sweep_budget;

/* "500" or "60s", "5min", "2h". False after reporting a mistake. */
bool ts_sweep_budget_read(ts_options *o, ts_sweep_budget *budget);

/* Plays the outcomes of these indices. False: to stop, after an error. */
typedef bool ts_sweep_player(void *closure, const size_t *todo, size_t count);

/* Adds plans to an open search and outcomes to the sweep, and has them played. The same seed gives
 * the same plans where the budget is in plans. False after an error. */
bool ts_sweep_search(ts_sweep *s, const ts_sweep_budget *budget, ts_sweep_player *play,
                     void *closure);

#endif
