/* Plays a listed search: bounds first, then the plans whose bounds are best, until no other can be
 * among the best that are asked for. */
#ifndef TS_TOOLS_SWEEP_LISTED_H
#define TS_TOOLS_SWEEP_LISTED_H

#include "tools/sweep/play.h"

/* Of a search that is loaded: an outcome for each of its plans, or of those of the part. Its
 * session, search, shard, top and all are set before. */
void ts_sweep_prepare(ts_sweep *s);

/* How plans are played: NULL: here (ts_sweep_play). Else by others, without early bounds. */
typedef bool ts_sweep_players(void *closure, const ts_sweep_plays *plays);

/* Plays those whose outcomes are not known; of an open search, which is played before, only the one
 * that is nearest to fitting. Of `plays` the list is left to this, and `done` must
 * note and judge each (rank.h). False after an error, or when it was to stop. */
bool ts_sweep_play_listed(ts_sweep *s, const ts_sweep_plays *plays, ts_sweep_players *players);

#endif
