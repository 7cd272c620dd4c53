/* The live page of a play: how far it is, what its streams do, and what waits in their queues. */
#ifndef TS_TOOLS_CLI_PLAY_LIVE_H
#define TS_TOOLS_CLI_PLAY_LIVE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/progress.h"

typedef struct ts_play_live ts_play_live;

/* Serves the page of `file` at `where` (http.h) on a thread of its own. NULL with the error
 * filled. */
ts_play_live *ts_play_live_begin(ts_arena *arena, const char *where, const char *file,
                                 ts_error *error);
const char *ts_play_live_url(const ts_play_live *l);
/* Progress that the page shows and hands on to `inner`. */
ts_progress ts_play_live_watch(ts_play_live *l, ts_progress inner);
void ts_play_live_end(ts_play_live *l);

#endif
