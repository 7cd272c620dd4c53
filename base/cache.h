/* A cache: what was made of a key is made once. A key is bytes that say all that a result comes
 * from. Threads may share a cache: who asks for what another one is making waits for it. Results
 * are never changed. They stay as long as somebody uses them; when there is no more room those go
 * that nobody has asked for longest. */
#ifndef TS_BASE_CACHE_H
#define TS_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_cache ts_cache;
typedef struct ts_cache_item ts_cache_item;

/* `name` is that of its arenas; it holds about `most` bytes, or less where memory has a ceiling. */
ts_cache *ts_cache_new(const char *name, size_t most);
void ts_cache_free(ts_cache *cache); /* NULL is fine; nobody uses it any more */

/* The item of a key, from now on used by the caller, who leaves it in the end. `maker`, an address
 * that names the caller, makes it if there is none yet. */
ts_cache_item *ts_cache_ask(ts_cache *cache, const void *key, size_t size, const void *maker);
/* Whether the caller is to make it, and give it. */
bool ts_cache_makes(const ts_cache_item *item, const void *maker);
/* Where its maker makes it: as long as the item stays. */
ts_arena *ts_cache_arena(const ts_cache_item *item);
/* By its maker. result NULL: there is none to share, and each makes its own; so, too, unless the
 * key says `all` that it comes from. */
void ts_cache_give(ts_cache *cache, ts_cache_item *item, const void *result, bool all);
const void *ts_cache_key(const ts_cache_item *item, size_t *size);
const void *ts_cache_result(const ts_cache_item *item); /* NULL: there is none, or none yet */
/* Stands for the key as long as the cache, once the result was given or found; 0: the key does not
 * say all. */
uint64_t ts_cache_number(const ts_cache_item *item);
/* The caller uses it no more. What it was to make, and did not give, each makes by itself. */
void ts_cache_leave(ts_cache *cache, ts_cache_item *item, const void *maker);

/* Bytes that it may hold. */
size_t ts_cache_most(const ts_cache *cache);

#endif
