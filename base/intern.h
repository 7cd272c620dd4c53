/* Numbers for equal things: equal bytes get equal numbers, counted from 0 in the order in which
 * they are first seen, and are held once (hash consing). They stay at their place, which is aligned
 * for any type, and a 0 is behind them. */
#ifndef TS_BASE_INTERN_H
#define TS_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_table.h"

typedef struct ts_interned {
  const void *at;
  size_t size;
} ts_interned;

typedef struct ts_intern {
  ts_arena *arena;
  TS_VEC(ts_interned) all; /* by number */
  ts_hash_table table;
} ts_intern;

uint32_t ts_intern_bytes(ts_intern *intern, const void *bytes, size_t size);
/* The number that the bytes have, or TS_HASH_NONE. */
uint32_t ts_intern_find(const ts_intern *intern, const void *bytes, size_t size);

static inline uint32_t ts_intern_run(ts_intern *intern, const uint32_t *words, uint32_t count)
{
  return ts_intern_bytes(intern, words, count * sizeof *words);
}
/* Where the bytes are held. */
static inline const void *ts_intern_at(ts_intern *intern, const void *bytes, size_t size)
{
  uint32_t number = ts_intern_bytes(intern, bytes, size); /* which may move `all` */
  return intern->all.at[number].at;
}
const char *ts_intern_text(ts_intern *intern, const char *text); /* NULL stays NULL */

/* Splits the classes of a partition by a key: members stay together when they were and have equal
 * keys. Classes are numbered by their lowest member. `of` and `key` have `members` entries. Returns
 * the new number of classes. */
uint32_t ts_refine(uint32_t *of, uint32_t classes, const uint32_t *key, uint32_t members);

#endif
