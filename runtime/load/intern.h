/* Numbers for runs of words: equal runs get equal numbers, counted from 0 in the order in which
 * they are first seen. */
#ifndef TS_RUNTIME_LOAD_INTERN_H
#define TS_RUNTIME_LOAD_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash_table.h"

typedef struct ts_interned { uint32_t first, count; } ts_interned; /* into words */

typedef struct ts_intern {
  ts_arena *arena;
  TS_VEC(uint32_t) words;
  TS_VEC(ts_interned) runs;
  ts_hash_table table; /* of runs */
} ts_intern;

uint32_t ts_intern_run(ts_intern *intern, const uint32_t *words, uint32_t count);

/* Splits the classes of a partition by a key: members stay together when they were and have equal
 * keys. Classes are numbered by their lowest member. `of` and `key` have `members` entries. Returns
 * the new number of classes. */
uint32_t ts_refine(uint32_t *of, uint32_t classes, const uint32_t *key, uint32_t members);

#endif
