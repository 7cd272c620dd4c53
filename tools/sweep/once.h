/* Bytes that many have in common, each kept once (hash consing): what the plans of a sweep say. */
#ifndef TS_TOOLS_SWEEP_ONCE_H
#define TS_TOOLS_SWEEP_ONCE_H

#include <stddef.h>

#include "base/arena.h"

typedef struct ts_once ts_once;

ts_once *ts_once_new(ts_arena *arena);
/* The same bytes are the same place, which is aligned for any type; it must not be written to. */
const void *ts_once_bytes(ts_once *once, const void *bytes, size_t size);
const char *ts_once_text(ts_once *once, const char *text); /* NULL stays NULL */

#endif
