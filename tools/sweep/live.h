/* The page of a sweep that is under way, from its journal: any number of people may look at it, and
 * who plays notices nothing. */
#ifndef TS_TOOLS_SWEEP_LIVE_H
#define TS_TOOLS_SWEEP_LIVE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct ts_live ts_live;

/* Listens. where: as of ts_http_open. NULL with the error filled: not that address. */
ts_live *ts_live_open(ts_arena *arena, const char *where, ts_error *error);
/* What it shows. False with the error filled. */
bool ts_live_read(ts_live *l, const char *journal, ts_error *error);
const char *ts_live_url(const ts_live *l);
/* Serves until *stop, and closes. */
void ts_live_serve(ts_live *l, const atomic_bool *stop);

/* The same on a thread of its own, while a sweep plays. */
bool ts_live_begin(ts_live *l);
void ts_live_end(ts_live *l);

#endif
