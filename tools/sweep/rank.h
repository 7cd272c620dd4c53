/* Which plans of a sweep are best. */
#ifndef TS_TOOLS_SWEEP_RANK_H
#define TS_TOOLS_SWEEP_RANK_H

#include "tools/sweep/sweep.h"

/* Judges the outcomes that are known, in the order of the search up to the first one that is not:
 * its errors are the same however many plans are played at a time. False after an error, which is
 * among the messages. */
bool ts_sweep_judge(ts_sweep *s);

/* A plan was played: from now on others are left out for it, however far the judging has come. */
void ts_sweep_note(ts_sweep *s, size_t index);

/* Sorts outcomes whose early bound is known: the best bounds first, of
 * several goals by each in turn. */
void ts_sweep_sort_by_bound(const ts_sweep *s, size_t *todo, size_t count);

/* When all are judged: the plan that is nearest to fitting in memory, if only its bounds are known;
 * SIZE_MAX: there is none. */
size_t ts_sweep_nearest_unplayed(ts_sweep *s);

/* Judges all outcomes and sorts them, the best first; finds those that may be as good. False after
 * an error. */
bool ts_sweep_rank(ts_sweep *s);

/* By its bounds: a condition cannot hold; it is worth less than the best that are asked for; it
 * cannot be one of them, for either reason. */
bool ts_sweep_cannot_hold(const ts_sweep *s, ts_outcome *o);
bool ts_sweep_is_behind(const ts_sweep *s, ts_outcome *o);
bool ts_sweep_cannot_win(const ts_sweep *s, ts_outcome *o);
/* The same by what is known before it has fragments. */
bool ts_sweep_cannot_win_early(const ts_sweep *s, const ts_outcome *o);
/* No plan may be left out for the best so far: there are not as many as are asked for. */
bool ts_sweep_has_room(const ts_sweep *s);

/* A plan of which bounds alone are known, as a look finds it. */
ts_outcome ts_sweep_looked(const ts_sweep *s, size_t point, const ts_lower_bounds *bounds);

/* What it can be worth at the best by a goal, by its bounds; turned so that less is better. */
double ts_sweep_best_objective(const ts_sweep *s, ts_outcome *o, uint32_t goal);

/* Of a plan that is ranked. False after an error. */
bool ts_sweep_find_worths(ts_sweep *s, ts_outcome *o);

/* "tp=8 pp=4: 1.2 s, 60 GiB" of the best one judged so far. */
const char *ts_sweep_best_text(const ts_sweep *s, ts_arena *arena);

/* What no plan of the kinds that were tried is better than by the first goal, as the goal has it:
 * their FLOPs at the peak rate of all devices. 0: nothing is known. */
double ts_sweep_bound(const ts_sweep *s);

/* A goal that is better the shorter the step is, and is off as it is. */
bool ts_sweep_is_speed(const ts_sweep *s);
size_t ts_sweep_count(const ts_sweep *s, ts_outcome_state state);
/* The best, or one that may be as good. */
bool ts_sweep_equals_best(const ts_sweep *s, const ts_outcome *o);

#endif
