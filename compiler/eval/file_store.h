/* Data files of several sessions, of any threads: digests, and what was made of them, once for each
 * content. They are known by what they hold, so that no change of one goes unseen. */
#ifndef TS_COMPILER_EVAL_FILE_STORE_H
#define TS_COMPILER_EVAL_FILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_file_store ts_file_store;

ts_file_store *ts_file_store_new(void);
void ts_file_store_free(ts_file_store *store);

/* A file's text. It `stays` if it is there as long as the program, at one address, by which it is
 * then known. */
typedef struct ts_file_text {
  const char *bytes;
  size_t size;
  bool stays;
  const uint8_t *sha256; /* NULL: to be worked out */
} ts_file_text;

/* store NULL: there is none, and the digest is worked out. */
void ts_file_store_digest(ts_file_store *store, ts_file_text text, uint8_t sha256[32]);

/* Makes something of a file, in the arena; NULL if it cannot be used. Who gets it never changes it.
 */
typedef const void *ts_file_make(ts_arena *arena, const char *bytes, size_t size);
/* What `make` made of these bytes, now or before. NULL: there is no store, or nothing can be made
 * of them, which the session says by making it itself. */
const void *ts_file_store_get(ts_file_store *store, ts_file_text text, ts_file_make *make);

#endif
