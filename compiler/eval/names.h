/* A table from interned names to pointers: open addressing on the address of the name. Never
 * iterated, so its order decides nothing. It is not made of base/hash_table.h: each name that is
 * evaluated is looked up here, and its item lies in the slot, one access away. */
#ifndef TS_COMPILER_EVAL_NAMES_H
#define TS_COMPILER_EVAL_NAMES_H

#include <stdint.h>

#include "base/arena.h"

typedef struct ts_names {
  uint32_t count, room;
  struct {
    const char *name;
    const void *item;
  } * at;
} ts_names;

const void *ts_names_get(const ts_names *names, const char *interned_name); /* NULL if absent */
/* replaces */
void ts_names_put(ts_arena *arena, ts_names *names, const char *interned_name, const void *item);

#endif
