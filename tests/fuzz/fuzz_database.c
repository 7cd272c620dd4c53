/* Any SQLite file, and any that a script of SQL makes, is read as a profile database without harm,
 * a row is added, and it is read again. What is refused says why; what can be read gives rows that
 * a table of costs takes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cost/cost.h"
#include "cost/database.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#ifdef TS_HAVE_SQLITE
#include "tests/fuzz/sqlite_use.h"

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

static void count(void *closure, const ts_db_row *row)
{
  if (!row->family || !row->dtype || !row->features || !row->device || !row->software ||
      !row->source)
    fail("a row has no text in a column");
  ++*(size_t *)closure;
}

static void reported(bool good, const ts_error *error)
{
  if (!good && !error->message[0])
    fail("a database is refused without a reason");
}

static void read_all(ts_arena *arena, ts_db *db)
{
  ts_error error = {0};
  uint8_t digest[TS_DIGEST_SIZE];
  ts_db_disputes disputes = {0};
  size_t rows = 0, size;
  reported(ts_db_each(db, NULL, NULL, NULL, count, &rows, &error), &error);
  reported(ts_db_digest(db, digest, &error), &error);
  reported(ts_db_find_disputes(arena, db, &disputes, &error), &error);
  const char *table = ts_db_table(arena, db, NULL, NULL, &size, &error);
  reported(table, &error);
  if (!table)
    return;
  ts_error wrong = {0};
  if (!ts_cost_table(arena, table, size, NULL, &wrong) && !wrong.message[0])
    fail("a table is refused without a reason");
}

static const ts_db_row row = {"gemm", "bf16", "k=512 m=128 n=1536", "A", "cuda 12", "fuzz", 3, 2,
                              4,      5};

static void use(ts_arena *arena, const char *file, bool create)
{
  ts_error error = {0};
  size_t replaced;
  ts_db *db = ts_db_open(arena, file, create, &error);
  reported(db, &error);
  if (!db)
    return;
  if (create)
    reported(ts_db_add(db, &row, 1, &replaced, &error), &error);
  read_all(arena, db);
  ts_db_close(db);
}

static void make(const char *file)
{
  ts_arena *arena = ts_arena_new("fuzz");
  use(arena, file, true);
  ts_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  sqlite_input in;
  if (!sqlite_make(&in, bytes, size, make))
    return 0;
  ts_arena *arena = ts_arena_new("fuzz");
  use(arena, in.file, false);
  use(arena, in.file, true);
  ts_arena_free(arena);
  sqlite_remove(&in);
  return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  (void)bytes, (void)size;
  return 0;
}
#endif
