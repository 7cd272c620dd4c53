#include "base/sqlite.h"

#ifdef TS_HAVE_SQLITE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/source.h"
#include "base/sqlite_calls.h"

enum {
  OLDEST = 3031000,     /* with SQLITE_DBCONFIG_TRUSTED_SCHEMA */
  PATIENCE = 60000,     /* ms that one waits for others that write */
  LONGEST = 1 << 20,    /* bytes of a text or a row */
  DEEPEST = 100,        /* of expressions */
  STRIDE = 1000,        /* steps between two looks at the budget */
  FREE_STEPS = 1000000, /* of a statement, whatever the file's size: some 50 ms */
  FREE_BYTES = 1 << 20,
  /* A row takes a step or two for each column and some more, and as many bytes. */
  STEPS_A_BYTE = 4,
};

/* ---- The library ---- */

const sqlite3_api_routines *ts_sqlite_api; /* NULL: it is not there */

/* Both are here where a program is linked with SQLite; otherwise the library is opened. */
#undef sqlite3_auto_extension
#undef sqlite3_open
#pragma weak sqlite3_auto_extension
#pragma weak sqlite3_open

static int take_table(sqlite3 *db, char **wrong, const sqlite3_api_routines *table)
{
  (void)db, (void)wrong;
  ts_sqlite_api = table;
  return SQLITE_OK;
}

/* A table comes with the next file that is opened. It is empty where SQLite has no extensions. */
static void load_library(void)
{
  static const char *const names[] = {"libsqlite3.so.0", "libsqlite3.dylib"};
  int (*add)(void (*)(void)) = sqlite3_auto_extension;
  int (*open)(const char *, sqlite3 **) = sqlite3_open;
  void *loaded = NULL;
  sqlite3 *db = NULL;
  for (size_t i = 0; !open && !loaded && i < sizeof names / sizeof *names; i++)
    loaded = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (loaded) {
    *(void **)&add = dlsym(loaded, "sqlite3_auto_extension");
    *(void **)&open = dlsym(loaded, "sqlite3_open");
  }
  if (!add || !open || add((void (*)(void))take_table) != SQLITE_OK ||
      open(":memory:", &db) != SQLITE_OK || !ts_sqlite_api)
    return;
  if (!ts_sqlite_api->libversion_number || sqlite3_libversion_number() < OLDEST) {
    ts_sqlite_api = NULL;
    return;
  }
  sqlite3_cancel_auto_extension((void (*)(void))take_table);
  sqlite3_close(db);
}

static bool has_library(ts_error *error)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_library);
  return ts_sqlite_api || ts_fail(error, "install it (Debian: libsqlite3-0)",
                                  "databases need SQLite 3.31 or later, whose library is not here");
}

/* ---- What went wrong ---- */

bool ts_sqlite_wrong(ts_sqlite *db, ts_error *error)
{
  bool no_memory = sqlite3_errcode(db->handle) == SQLITE_NOMEM;
  if (no_memory)
    ts_heap_or_file();
  if (db->spent)
    return ts_fail(error, NULL, "it is damaged: it has more rows than its size allows");
  return ts_fail(error, NULL, "%s",
                 no_memory ? sqlite3_errstr(SQLITE_CORRUPT) : sqlite3_errmsg(db->handle));
}

/* ---- The budget ---- */

static uint64_t size_of(const char *path, const char *suffix)
{
  char name[4096 + 8];
  struct stat there;
  int length = snprintf(name, sizeof name, "%s%s", path, suffix);
  bool found = length > 0 && (size_t)length < sizeof name && stat(name, &there) == 0;
  return found && there.st_size > 0 ? (uint64_t)there.st_size : 0;
}

/* Pages may be in the file or wait beside it. */
static uint64_t bytes_there(const ts_sqlite *db)
{
  return db->path ? size_of(db->path, "") + size_of(db->path, "-wal") : 0;
}

static int look(void *closure)
{
  ts_sqlite *db = closure;
  db->steps += STRIDE;
  db->spent |= db->steps > FREE_STEPS && db->steps > FREE_STEPS + STEPS_A_BYTE * bytes_there(db);
  return db->spent;
}

static void begin(ts_sqlite *db) { db->steps = db->bytes = 0, db->spent = false; }

static uint64_t bytes_of(sqlite3_stmt *s)
{
  uint64_t bytes = 0;
  for (int i = sqlite3_column_count(s); i-- > 0;) {
    int type = sqlite3_column_type(s, i);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB)
      bytes += (uint64_t)sqlite3_column_bytes(s, i);
  }
  return bytes;
}

int ts_sqlite_step(ts_sqlite *db, sqlite3_stmt *s)
{
  int status = sqlite3_step(s);
  if (status != SQLITE_ROW)
    return status;
  db->bytes += bytes_of(s);
  db->spent |= db->bytes > FREE_BYTES && db->bytes > FREE_BYTES + 2 * bytes_there(db);
  return db->spent ? SQLITE_INTERRUPT : SQLITE_ROW;
}

bool ts_sqlite_again(ts_sqlite *db, sqlite3_stmt *s)
{
  begin(db);
  return sqlite3_reset(s) == SQLITE_OK;
}

/* ---- Statements ---- */

bool ts_sqlite_do(ts_sqlite *db, const char *statements)
{
  begin(db);
  return sqlite3_exec(db->handle, statements, NULL, NULL, NULL) == SQLITE_OK;
}

sqlite3_stmt *ts_sqlite_query(ts_sqlite *db, const char *query)
{
  sqlite3_stmt *s = NULL;
  begin(db);
  return sqlite3_prepare_v2(db->handle, query, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

int64_t ts_sqlite_number(ts_sqlite *db, const char *query)
{
  sqlite3_stmt *s = ts_sqlite_query(db, query);
  int64_t value = s && ts_sqlite_step(db, s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
  sqlite3_finalize(s);
  return value;
}

/* ---- What waits beside a file ---- */

/* Its last `size` bytes, or false. */
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
static bool deletes_a_file(const char *path, ts_arena *arena)
{
  static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  unsigned char last[sizeof magic];
  return end_of(path, "-journal", arena, last, sizeof last) &&
         memcmp(last, magic, sizeof magic) == 0;
}

/* Nothing waits to be put into it, or to be taken back. */
static bool is_at_rest(const char *path)
{
  return !size_of(path, "-journal") && !size_of(path, "-wal");
}

/* ---- Opening ---- */

static void distrust(ts_sqlite *db)
{
  sqlite3 *handle = db->handle;
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, LONGEST);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, LONGEST);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, DEEPEST);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_drop_modules(handle, NULL);
  sqlite3_progress_handler(handle, STRIDE, look, db);
  ts_sqlite_do(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

/* The first page is read, too: where a file cannot be used is known then. */
static bool connect(ts_sqlite *db, const char *name, int flags, ts_error *error)
{
  if (sqlite3_open_v2(name, &db->handle, flags, NULL) != SQLITE_OK) {
    if (!db->handle)
      ts_heap_none(0);
    return ts_sqlite_wrong(db, error);
  }
  sqlite3_busy_timeout(db->handle, PATIENCE);
  distrust(db);
  return ts_sqlite_do(db, "PRAGMA schema_version") || ts_sqlite_wrong(db, error);
}

/* A name for SQLITE_OPEN_URI. */
static const char *immutable(ts_arena *arena, const char *path)
{
  const char *name = "file:";
  for (; *path; path++)
    name = ts_arena_printf(arena, strchr("%?#", *path) ? "%s%%%02x" : "%s%c", name, *path);
  return ts_arena_printf(arena, "%s?immutable=1", name);
}

/* A file at rest. SQLite makes no other file for it, and can read one in WAL mode where nobody can
 * write. */
static bool connect_still(ts_sqlite *db, const char *path, ts_arena *arena, ts_error *error)
{
  sqlite3_close(db->handle);
  db->handle = NULL;
  *error = (ts_error){0};
  return connect(db, immutable(arena, path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
}

static bool can_be_written(const char *path, ts_arena *arena)
{
  const char *folder = ts_arena_string(arena, path, (size_t)(ts_base_name(path) - path));
  return access(path, W_OK) == 0 && access(*folder ? folder : ".", W_OK) == 0;
}

static bool needs_write(const ts_sqlite *db)
{
  int code = sqlite3_errcode(db->handle);
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

/* Others may be writing it; they have a -wal, if an empty one. */
static bool open_to_read(ts_sqlite *db, const char *path, ts_arena *arena, ts_error *error)
{
  bool others = access(ts_arena_printf(arena, "%s-wal", path), F_OK) == 0;
  if (!others && is_at_rest(path) && !can_be_written(path, arena))
    return connect_still(db, path, arena, error);
  if (connect(db, path, SQLITE_OPEN_READWRITE, error))
    return true;
  if (!needs_write(db))
    return false;
  if (is_at_rest(path))
    return connect_still(db, path, arena, error);
  snprintf(error->help, sizeof error->help,
           "what a kill left waits beside it: where the file can be written, reading takes it back");
  return false;
}

static bool open_foreign(ts_sqlite *db, const char *path, ts_arena *arena, ts_error *error)
{
  return is_at_rest(path) ? connect_still(db, path, arena, error) :
                            ts_fail(error, "close what writes it, or export it again",
                                    "a change of it waits in a file beside it");
}

bool ts_sqlite_open(ts_sqlite *db, const char *path, ts_sqlite_how how, ts_arena *arena,
                    ts_error *error)
{
  *error = (ts_error){0};
  *db = (ts_sqlite){.path = ts_arena_string(arena, path, strlen(path))};
  if (!has_library(error))
    return false;
  if (deletes_a_file(path, arena))
    return ts_fail(error,
                   "a copy of the database without its journal opens as it was before or after "
                   "that change",
                   "it holds an interrupted change of several databases");
  switch (how) {
  case TS_SQLITE_WRITE:
    return connect(db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  case TS_SQLITE_READ: return open_to_read(db, path, arena, error);
  case TS_SQLITE_FOREIGN: break;
  }
  return open_foreign(db, path, arena, error);
}

void ts_sqlite_close(ts_sqlite *db)
{
  if (db->handle)
    sqlite3_close(db->handle);
  db->handle = NULL;
}

/* ---- Schemas ---- */

static bool same_text(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
  const char *x = (const char *)sqlite3_column_text(a, column),
             *y = (const char *)sqlite3_column_text(b, column);
  return x && y ? strcmp(x, y) == 0 : x == y;
}

/* Row by row, in the order in which they were made. */
static bool same_schema(ts_sqlite *db, sqlite3_stmt *found, ts_sqlite *made, sqlite3_stmt *wanted,
                        bool *same)
{
  *same = true;
  for (int status; *same && (status = ts_sqlite_step(db, found)) != SQLITE_DONE;) {
    if (status != SQLITE_ROW)
      return false;
    *same = ts_sqlite_step(made, wanted) == SQLITE_ROW;
    for (int column = 0; *same && column < 4; column++)
      *same = same_text(found, wanted, column);
  }
  *same = *same && ts_sqlite_step(made, wanted) == SQLITE_DONE;
  return true;
}

bool ts_sqlite_has(ts_sqlite *db, const char *schema, ts_error *error)
{
  static const char query[] = "SELECT type, name, tbl_name, sql FROM sqlite_master";
  ts_sqlite made = {0};
  bool same = false;
  if (!connect(&made, ":memory:", SQLITE_OPEN_READWRITE, error) || !ts_sqlite_do(&made, schema)) {
    ts_sqlite_wrong(&made, error);
    ts_sqlite_close(&made);
    return false;
  }
  sqlite3_stmt *found = ts_sqlite_query(db, query), *wanted = ts_sqlite_query(&made, query);
  bool read = found && wanted && same_schema(db, found, &made, wanted, &same);
  if (!read)
    ts_sqlite_wrong(db, error);
  else if (!same)
    ts_fail(error, "give another file", "its tables are not those that TrainSpec makes");
  sqlite3_finalize(found);
  sqlite3_finalize(wanted);
  ts_sqlite_close(&made);
  return read && same;
}

/* Columns of a table; none of what is not there. `computed`: one that it has not, or a view. */
static bool columns(ts_sqlite *db, sqlite3_stmt *s, const char *column, bool *there,
                    const char **computed, ts_arena *arena)
{
  int status;
  while ((status = ts_sqlite_step(db, s)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(s, 0);
    *there |= !column || (name && strcmp(name, column) == 0);
    if (sqlite3_column_int(s, 1) != 0 || sqlite3_column_int(s, 2) == 0)
      *computed = ts_arena_string(arena, name ? name : "", name ? strlen(name) : 0);
  }
  return status == SQLITE_DONE;
}

bool ts_sqlite_plain(ts_sqlite *db, const char *table, const char *column, ts_error *error)
{
  static const char query[] =
    "SELECT c.name, c.hidden, m.type = 'table' FROM sqlite_master AS m, "
    "pragma_table_xinfo(m.name) AS c WHERE m.name = ?1 AND m.type IN ('table', 'view')";
  sqlite3_stmt *s = ts_sqlite_query(db, query);
  ts_arena *arena = ts_arena_new("columns");
  const char *computed = NULL;
  bool there = false;
  bool read = s && sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
              columns(db, s, column, &there, &computed, arena);
  if (!read)
    ts_sqlite_wrong(db, error);
  else if (computed)
    ts_fail(error, NULL, "`%s.%s` is no column that holds values, but one that is computed", table,
            computed);
  sqlite3_finalize(s);
  ts_arena_free(arena);
  return read && !computed && there;
}
#endif
