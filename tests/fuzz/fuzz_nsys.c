/* Any database that a script of SQL makes is read as an export of Nsight Systems without harm: tables and columns that lack, of other types, with values of
 * other types. The script may not reach other files, and stops after some thousands of steps. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/events_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>

static int may(void *none, int action, const char *a, const char *b, const char *c, const char *d)
{
  (void)none, (void)a, (void)b, (void)c, (void)d;
  return action == SQLITE_ATTACH || action == SQLITE_PRAGMA || action == SQLITE_CREATE_VTABLE ? SQLITE_DENY : SQLITE_OK;
}

static int enough(void *none)
{
  (void)none;
  return 1;
}

static void fill(const char *file, char *script)
{
  sqlite3 *db = NULL;
  if (sqlite3_open(file, &db) == SQLITE_OK) {
    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
    sqlite3_set_authorizer(db, may, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100000);
    sqlite3_progress_handler(db, 20000, enough, NULL);
    for (char *line = strtok(script, "\n"); line; line = strtok(NULL, "\n")) /* one that fails leaves the others */
      sqlite3_exec(db, line, NULL, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  }
  sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char file[] = "/tmp/fuzz_nsys.XXXXXX";
  int made = mkstemp(file);
  if (made < 0)
    return 0;
  close(made);
  char *script = strndup((const char *)bytes, size);
  fill(file, script);
  free(script);
  ts_arena *arena = ts_arena_new("fuzz");
  ts_import_error error = {{0}, {0}, 0, 0, 0};
  use_events(arena, ts_events_read(arena, file, NULL, &error), &error);
  ts_arena_free(arena);
  unlink(file);
  return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  use_trace(bytes, size);
  return 0;
}
#endif
