/* The profile database: measured operators of many devices in one SQLite file, keyed by family,
 * type, features, device and versions of software, each with its spread and where it comes from.
 * Asked as a table of one device. Format: doc/costs.md. */
#ifndef TS_COST_DATABASE_H
#define TS_COST_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"

typedef struct ts_db ts_db;

typedef struct ts_db_row {
  const char *family, *dtype;    /* dtype "": any */
  const char *features;          /* "k=512 m=128 n=1536", by name */
  const char *device, *software, *source;
  double us, low_us, high_us;    /* median and quartiles; quartiles 0: not known */
  int64_t repeats;               /* 0: not known */
} ts_db_row;

bool ts_db_supported(void); /* built with SQLite */
/* `create`: for writing, made when it is not there. Else for reading, all of one moment: what
 * others have added until then, whether they are done with more or were killed. NULL with the error
 * filled. */
ts_db *ts_db_open(ts_arena *arena, const char *path, bool create, ts_error *error);
void ts_db_close(ts_db *db);

/* All or nothing; a row of equal key and source is replaced. *replaced: how many were. */
bool ts_db_add(ts_db *db, const ts_db_row *rows, size_t count, size_t *replaced, ts_error *error);
/* Calls `take` with each row in order of its key; NULL arguments: of any. */
bool ts_db_each(ts_db *db, const char *family, const char *device, const char *software,
                void (*take)(void *closure, const ts_db_row *row), void *closure, ts_error *error);

/* The rows of a device and software (NULL: of the only one there is) as a table of costs in CSV;
 * several sources of a key become several rows, of which a table takes the median. */
const char *ts_db_table(ts_arena *arena, ts_db *db, const char *device, const char *software,
                        size_t *size, ts_error *error);

/* Of all rows in their order, however they lie in the file. */
bool ts_db_digest(ts_db *db, uint8_t digest[TS_DIGEST_SIZE], ts_error *error);

/* Two sources of one key that differ by more than a tenth and by more than their spreads. */
typedef struct ts_db_dispute {
  const char *family, *dtype, *features, *device, *software, *source[2];
  double us[2];
} ts_db_dispute;
typedef TS_VEC(ts_db_dispute) ts_db_disputes;
bool ts_db_find_disputes(ts_arena *arena, ts_db *db, ts_db_disputes *found, ts_error *error);

#endif
