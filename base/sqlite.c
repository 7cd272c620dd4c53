#include "base/sqlite.h"

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/heap.h"

enum {
  PATIENCE = 60000,  /* ms that one waits for others that write */
  LONGEST = 1 << 20, /* bytes of a text or a row */
};

bool ts_sqlite_wrong(sqlite3 *handle, ts_error *error)
{
  bool no_memory = sqlite3_errcode(handle) == SQLITE_NOMEM;
  if (no_memory)
    ts_heap_or_file();
  return ts_fail(error, NULL, "%s",
                 no_memory ? sqlite3_errstr(SQLITE_CORRUPT) : sqlite3_errmsg(handle));
}

bool ts_sqlite_do(sqlite3 *handle, const char *statements)
{
  return sqlite3_exec(handle, statements, NULL, NULL, NULL) == SQLITE_OK;
}

int64_t ts_sqlite_number(sqlite3 *handle, const char *query)
{
  sqlite3_stmt *s = NULL;
  int64_t value = -1;
  if (sqlite3_prepare_v2(handle, query, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
    value = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  return value;
}

/* A file beside a database: its last `size` bytes, or false. */
static bool end_of(const char *path, const char *suffix, ts_arena *arena, void *bytes, long size)
{
  FILE *in = fopen(ts_arena_printf(arena, "%s%s", path, suffix), "rbe");
  bool read =
    in && fseek(in, -size, SEEK_END) == 0 && fread(bytes, 1, (size_t)size, in) == (size_t)size;
  if (in)
    fclose(in);
  return read;
}

/* A journal of a change of several databases names a file at its end, behind which the magic number
 * stands again, and whoever takes the change back deletes that file (sqlite.org/fileformat.html, 3;
 * sqlite.org/atomiccommit.html, 5). Databases of ours are always changed alone. */
bool ts_sqlite_deletes_a_file(const char *path, ts_arena *arena)
{
  static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  unsigned char last[sizeof magic];
  return end_of(path, "-journal", arena, last, sizeof last) &&
         memcmp(last, magic, sizeof magic) == 0;
}

bool ts_sqlite_at_rest(const char *path, ts_arena *arena)
{
  char byte;
  return !end_of(path, "-journal", arena, &byte, 1) && !end_of(path, "-wal", arena, &byte, 1);
}

static void distrust(sqlite3 *handle)
{
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, LONGEST);
  sqlite3_exec(handle, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

bool ts_sqlite_connect(sqlite3 **handle, const char *name, int flags, ts_error *error)
{
  *error = (ts_error){0};
  if (sqlite3_open_v2(name, handle, flags, NULL) != SQLITE_OK) {
    if (!*handle)
      ts_heap_none(0);
    return ts_sqlite_wrong(*handle, error);
  }
  sqlite3_busy_timeout(*handle, PATIENCE);
  distrust(*handle);
  return true;
}

bool ts_sqlite_needs_write(sqlite3 *handle)
{
  int code = sqlite3_errcode(handle);
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

const char *ts_sqlite_immutable(ts_arena *arena, const char *path)
{
  const char *name = "file:";
  for (; *path; path++)
    name = ts_arena_printf(arena, strchr("%?#", *path) ? "%s%%%02x" : "%s%c", name, *path);
  return ts_arena_printf(arena, "%s?immutable=1", name);
}
#endif
