/* Sweeps of spaces that are not listed: of plans drawn at random, and of those near the best ones,
 * bounds are found first, and those are played whose bounds are best, until a budget is spent. */
#ifndef TS_TOOLS_SWEEP_BUDGET_H
#define TS_TOOLS_SWEEP_BUDGET_H

#include "base/options.h"
#include "tools/sweep/play.h"

/* plans: to play; seconds: not to begin more after; 0: no such bound. Neither: no budget */
typedef struct ts_sweep_budget { long long plans; double seconds; } ts_sweep_budget;

/* "500" or "60s", "5min", "2h". False after reporting a mistake. */
bool ts_sweep_budget_read(ts_options *o, ts_sweep_budget *budget);

/* Of a search with more plans than these the budget tries some. */
size_t ts_sweep_budget_lists(const ts_sweep_budget *budget);

/* What plays. Both: false: to stop, after an error. */
typedef struct ts_sweep_player {
  bool (*look)(void *closure, ts_outcome *outcomes, size_t count); /* of plans: their bounds */
  bool (*play)(void *closure, const size_t *todo, size_t count);   /* outcomes of the sweep */
  void *closure;
} ts_sweep_player;

/* Adds plans to an open search and outcomes to the sweep, and has them played. The same seed gives
 * the same plans where the budget is in plans. Parts are searches of their own, each with its share
 * of the budget; one after the other they come to what all of them come to apart. False after an
 * error. */
bool ts_sweep_search(ts_sweep *s, const ts_sweep_budget *budget, const ts_sweep_player *player);
/* Likewise, played by this process; of `plays` the list is left to this. */
bool ts_sweep_search_here(ts_sweep *s, const ts_sweep_budget *budget, const ts_sweep_plays *plays);

#endif
