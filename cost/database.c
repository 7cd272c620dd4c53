#include "cost/database.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/heap.h"
#include "base/output.h"
#include "base/sqlite.h"

#ifdef TS_HAVE_SQLITE
#include "base/sqlite_calls.h"

/* A database that is not there yet is made beside its place, with its first rows, and then takes
 * it: a failure leaves nothing. */
struct ts_db {
  ts_arena *arena;
  ts_sqlite file;
  const char *path;
  ts_output made; /* made.beside: NULL of one that is there */
};

static const char schema[] =
  "CREATE TABLE measurement (family TEXT NOT NULL, dtype TEXT NOT NULL, features TEXT NOT NULL, "
  "device TEXT NOT NULL, software TEXT NOT NULL,"
  " source TEXT NOT NULL, time_us REAL NOT NULL CHECK (time_us > 0), low_us REAL, high_us REAL, "
  "repeats INTEGER,"
  " PRIMARY KEY (family, dtype, features, device, software, source)) WITHOUT ROWID;";
enum {
  APPLICATION = 0x54535044, /* "TSPD" in the header of the file */
};

bool ts_db_supported(void) { return true; }

static bool wrong(ts_db *db, ts_error *error) { return ts_sqlite_wrong(&db->file, error); }
static bool execute(ts_db *db, const char *what) { return ts_sqlite_do(&db->file, what); }
static int64_t number(ts_db *db, const char *query) { return ts_sqlite_number(&db->file, query); }

/* -- opening -- */

static const char tables_there[] = "SELECT total(1) FROM sqlite_master";

static bool is_new(int64_t application, int64_t tables) { return !application && !tables; }

/* What it is and what is in it come in one transaction, or a kill between the two would leave a
 * file that is nobody's. In WAL mode readers and the one who writes do not wait for each other;
 * where that cannot be had, the file stays as it is and they wait. */
static bool prepare(ts_db *db)
{
  char mark[64];
  snprintf(mark, sizeof mark, "PRAGMA application_id = %d", APPLICATION);
  /* nobody reads what is being made */
  execute(db, db->made.beside ? "PRAGMA journal_mode = MEMORY" : "PRAGMA journal_mode = WAL");
  if (!execute(db, "BEGIN IMMEDIATE"))
    return false;
  bool made = !is_new(number(db, "PRAGMA application_id"), number(db, tables_there)) ||
              (execute(db, mark) && execute(db, schema));
  return execute(db, made ? "COMMIT" : "ROLLBACK") && made;
}

/* It is ours, or new and empty when it may be made. */
static bool is_ours(ts_db *db, bool create, ts_error *error)
{
  int64_t application = number(db, "PRAGMA application_id"), tables = number(db, tables_there);
  if (tables < 0)
    return wrong(db, error);
  if (create && is_new(application, tables))
    return true;
  if (application != APPLICATION)
    return ts_fail(error, "make one with `trainspec db add`",
                   "this SQLite file is not a profile database");
  return ts_sqlite_has(&db->file, schema, error);
}

/* All that is read is of one moment. */
static bool begin(ts_db *db, bool create, ts_error *error)
{
  if (!execute(db, create ? "BEGIN" : "PRAGMA query_only = ON; BEGIN"))
    return wrong(db, error);
  if (!is_ours(db, create, error))
    return false;
  return !create || (execute(db, "COMMIT") && prepare(db)) || wrong(db, error);
}

static bool open_any(ts_db *db, const char *path, bool create, ts_error *error)
{
  return ts_sqlite_open(&db->file, path, create ? TS_SQLITE_WRITE : TS_SQLITE_READ, db->arena,
                        error) &&
         begin(db, create, error);
}

static bool open_new(ts_db *db, ts_error *error)
{
  int failed = ts_output_open(&db->made, db->path);
  if (failed) {
    return ts_fail(error, NULL, "%s", strerror(failed));
  }
  /* no file beside: the name of something else, which SQLite refuses */
  return open_any(db, db->made.beside ? db->made.beside : db->path, true, error);
}

static bool open_there(ts_db *db, bool create, ts_error *error)
{
  char *real = ts_heap_real_path(db->path); /* a journal lies beside the file that a link means */
  bool absent = !real && errno == ENOENT,
       open = create && absent ? open_new(db, error) :
                                 open_any(db, real ? real : db->path, create, error);
  free(real);
  return open;
}

ts_db *ts_db_open(ts_arena *arena, const char *path, bool create, ts_error *error)
{
  ts_db *db = TS_NEW(arena, ts_db);
  db->arena = arena;
  db->path = ts_arena_string(arena, path, strlen(path));
  if (open_there(db, create, error))
    return db;
  ts_db_close(db);
  return NULL;
}

void ts_db_close(ts_db *db)
{
  ts_sqlite_close(&db->file);
  if (db->made.path)
    ts_output_close(&db->made, false);
}

static void bind(sqlite3_stmt *s, const ts_db_row *r)
{
  const char *texts[] = {r->family, r->dtype, r->features, r->device, r->software, r->source};
  for (int i = 0; i < 6; i++)
    sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC);
  sqlite3_bind_double(s, 7, r->us);
  if (r->low_us > 0 && r->high_us > 0) {
    sqlite3_bind_double(s, 8, r->low_us);
    sqlite3_bind_double(s, 9, r->high_us);
  }
  if (r->repeats > 0)
    sqlite3_bind_int64(s, 10, r->repeats);
}

static bool add_rows(ts_db *db, const ts_db_row *rows, size_t count, size_t *replaced,
                     ts_error *error)
{
  static const char rows_there[] = "SELECT total(1) FROM measurement";
  int64_t before = execute(db, "BEGIN IMMEDIATE") ? number(db, rows_there) : -1;
  sqlite3_stmt *s =
    before < 0 ? NULL :
                 ts_sqlite_query(
                   &db->file,
                   "INSERT OR REPLACE INTO measurement VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)");
  bool good = s;
  for (size_t i = 0; i < count && good; i++) {
    bind(s, &rows[i]);
    good = ts_sqlite_step(&db->file, s) == SQLITE_DONE && ts_sqlite_again(&db->file, s) &&
           sqlite3_clear_bindings(s) == SQLITE_OK;
  }
  sqlite3_finalize(s);
  int64_t after = good ? number(db, rows_there) : -1;
  if (after < 0 || !execute(db, "COMMIT")) {
    wrong(db, error);
    execute(db, "ROLLBACK");
    return false;
  }
  *replaced = count - (size_t)(after - before);
  return true;
}

/* *taken: another process has made one there meanwhile. */
static bool put_in_place(ts_db *db, bool *taken, ts_error *error)
{
  ts_sqlite_close(&db->file);
  int failed = ts_output_close_new(&db->made);
  *taken = failed == EEXIST;
  if (failed && !*taken)
    ts_fail(error, NULL, "%s", strerror(failed));
  return (!failed || *taken) && open_there(db, true, error);
}

bool ts_db_add(ts_db *db, const ts_db_row *rows, size_t count, size_t *replaced, ts_error *error)
{
  bool taken = false;
  if (!add_rows(db, rows, count, replaced, error))
    return false;
  if (!db->made.beside)
    return true;
  return put_in_place(db, &taken, error) && (!taken || add_rows(db, rows, count, replaced, error));
}

static const char *text_at(sqlite3_stmt *s, int column)
{
  const unsigned char *text = sqlite3_column_text(s, column);
  return text ? (const char *)text : "";
}

bool ts_db_each(ts_db *db, const char *family, const char *device, const char *software,
                void (*take)(void *closure, const ts_db_row *row), void *closure, ts_error *error)
{
  static const char query[] = "SELECT family, dtype, features, device, software, source, time_us, "
                              "low_us, high_us, repeats FROM measurement"
                              " WHERE (?1 IS NULL OR family = ?1) AND (?2 IS NULL OR device = ?2) "
                              "AND (?3 IS NULL OR software = ?3) ORDER BY 1, 2, 3, 4, 5, 6";
  sqlite3_stmt *s = ts_sqlite_query(&db->file, query);
  int status = s ? SQLITE_OK : SQLITE_ERROR;
  const char *requested[] = {family, device, software};
  for (int i = 0; i < 3 && status == SQLITE_OK; i++)
    if (requested[i])
      status = sqlite3_bind_text(s, i + 1, requested[i], -1, SQLITE_STATIC);
  while (status == SQLITE_OK || status == SQLITE_ROW) {
    if ((status = ts_sqlite_step(&db->file, s)) != SQLITE_ROW)
      break;
    take(closure,
         &(ts_db_row){text_at(s, 0), text_at(s, 1), text_at(s, 2), text_at(s, 3), text_at(s, 4),
                      text_at(s, 5), sqlite3_column_double(s, 6), sqlite3_column_double(s, 7),
                      sqlite3_column_double(s, 8), sqlite3_column_int64(s, 9)});
  }
  bool good = status == SQLITE_DONE || wrong(db, error);
  sqlite3_finalize(s);
  return good;
}

#else
struct ts_db { ts_arena *arena; };

static const char missing[] = "this build has no SQLite";
static const char how[] = "install libsqlite3-dev, configure and build again";

bool ts_db_supported(void) { return false; }

ts_db *ts_db_open(ts_arena *arena, const char *path, bool create, ts_error *error)
{
  (void)arena, (void)path, (void)create;
  ts_fail(error, how, "%s", missing);
  return NULL;
}

void ts_db_close(ts_db *db) { (void)db; }

bool ts_db_add(ts_db *db, const ts_db_row *rows, size_t count, size_t *replaced, ts_error *error)
{
  (void)db, (void)rows, (void)count, (void)replaced;
  return ts_fail(error, how, "%s", missing);
}

bool ts_db_each(ts_db *db, const char *family, const char *device, const char *software,
                void (*take)(void *closure, const ts_db_row *row), void *closure, ts_error *error)
{
  (void)db, (void)family, (void)device, (void)software, (void)take, (void)closure;
  return ts_fail(error, how, "%s", missing);
}
#endif

/* -- as a table -- */

typedef TS_VEC(const char *) words;
typedef struct tabled {
  ts_arena *arena;
  TS_VEC(ts_db_row) rows;
  words names, devices, softwares;
} tabled;

static const char *database_keep(ts_arena *arena, const char *text)
{
  return ts_arena_string(arena, text, strlen(text));
}

static void add_word(ts_arena *arena, words *list, const char *text, size_t length)
{
  for (size_t i = 0; i < list->count; i++)
    if (strlen(list->at[i]) == length && memcmp(list->at[i], text, length) == 0)
      return;
  TS_PUSH(arena, list, ts_arena_string(arena, text, length));
}

static void take_row(void *closure, const ts_db_row *r)
{
  tabled *t = closure;
  ts_db_row row = *r;
  row.family = database_keep(t->arena, r->family), row.dtype = database_keep(t->arena, r->dtype),
  row.features = database_keep(t->arena, r->features);
  row.device = database_keep(t->arena, r->device),
  row.software = database_keep(t->arena, r->software),
  row.source = database_keep(t->arena, r->source);
  add_word(t->arena, &t->devices, r->device, strlen(r->device));
  add_word(t->arena, &t->softwares, r->software, strlen(r->software));
  for (const char *at = r->features; *at; at += strcspn(at, " "), at += *at == ' ')
    if (strcspn(at, "=") < strcspn(at, " "))
      add_word(t->arena, &t->names, at, strcspn(at, "="));
  TS_PUSH(t->arena, &t->rows, row);
}

static void put_cell(FILE *out, const char *features, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = features; *at; at += strcspn(at, " "), at += *at == ' ')
    if (strncmp(at, name, length) == 0 && at[length] == '=') {
      ts_put_csv(out, ",%.*s", (int)(strcspn(at, " ") - length - 1), at + length + 1);
      return;
    }
  fputc(',', out);
}

const char *ts_db_table(ts_arena *arena, ts_db *db, const char *device, const char *software,
                        size_t *size, ts_error *error)
{
  tabled t = {.arena = arena};
  if (!ts_db_each(db, NULL, device, software, take_row, &t, error))
    return NULL;
  if (!t.rows.count)
    return ts_fail(error, "`trainspec db list` shows its contents",
                   device ? "no rows of `%s`%s%s" : "no rows%s%s%s", device ? device : "",
                   software ? " with " : "", software ? software : ""),
           NULL;
  if (t.devices.count > 1)
    return ts_fail(error, "say which: `device: ...`", "it has rows of several devices: %s",
                   ts_listed(arena, t.devices.at, t.devices.count)),
           NULL;
  if (t.softwares.count > 1)
    return ts_fail(error, "say which: `software: ...`",
                   "it has rows of several versions of software: %s",
                   ts_listed(arena, t.softwares.at, t.softwares.count)),
           NULL;
  char *text = NULL;
  FILE *out = ts_heap_print(&text, size);
  ts_put_text(out, "# device: %s\n# source: %s%s%s\nfamily,dtype", t.devices.at[0], t.devices.at[0],
              *t.softwares.at[0] ? ", " : "", t.softwares.at[0]);
  for (size_t n = 0; n < t.names.count; n++) ts_put_csv(out, ",%s", t.names.at[n]);
  fprintf(out, ",time_us\n");
  for (size_t i = 0; i < t.rows.count; i++) {
    const ts_db_row *r = &t.rows.at[i];
    ts_put_csv(out, "%s,%s", r->family, r->dtype);
    for (size_t n = 0; n < t.names.count; n++) put_cell(out, r->features, t.names.at[n]);
    fprintf(out, ",%.9g\n", r->us);
  }
  ts_heap_printed(out);
  const char *copy = ts_arena_string(arena, text, *size);
  free(text);
  return copy;
}

/* -- digest -- */

static void print_row(void *closure, const ts_db_row *r)
{
  const char *texts[] = {r->family, r->dtype, r->features, r->device, r->software, r->source};
  for (int i = 0; i < 6; i++) {
    ts_put_json_string(closure, texts[i]);
    fputc(' ', closure);
  }
  fprintf(closure, "%.17g %.17g %.17g %lld\n", r->us, r->low_us, r->high_us, (long long)r->repeats);
}

typedef struct rows_of {
  ts_db *db;
  ts_error *error;
  bool good;
} rows_of;

static void print_rows(void *closure, FILE *out)
{
  rows_of *r = closure;
  r->good = ts_db_each(r->db, NULL, NULL, NULL, print_row, out, r->error);
}

bool ts_db_digest(ts_db *db, uint8_t digest[TS_DIGEST_SIZE], ts_error *error)
{
  size_t size;
  rows_of rows = {.db = db, .error = error};
  char *text = ts_printed(print_rows, &rows, &size);
  ts_digest_bytes(text, size, digest);
  free(text);
  return rows.good;
}

/* -- disputes -- */

static bool same_key(const ts_db_row *a, const ts_db_row *b)
{
  return !strcmp(a->family, b->family) && !strcmp(a->dtype, b->dtype) &&
         !strcmp(a->features, b->features) && !strcmp(a->device, b->device) &&
         !strcmp(a->software, b->software);
}

/* A source's spread: half of what lies between the quartiles. */
static double spread(const ts_db_row *r)
{
  return r->low_us > 0 && r->high_us > r->low_us ? (r->high_us - r->low_us) / 2 : 0;
}

bool ts_db_find_disputes(ts_arena *arena, ts_db *db, ts_db_disputes *found, ts_error *error)
{
  tabled t = {.arena = arena};
  if (!ts_db_each(db, NULL, NULL, NULL, take_row, &t, error))
    return false;
  for (size_t i = 0; i < t.rows.count; i++)
    for (size_t k = i + 1; k < t.rows.count && same_key(&t.rows.at[i], &t.rows.at[k]); k++) {
      const ts_db_row *a = &t.rows.at[i], *b = &t.rows.at[k];
      double apart = fabs(a->us - b->us);
      if (apart > 0.1 * fmin(a->us, b->us) && apart > spread(a) + spread(b))
        TS_PUSH(arena, found,
                ((ts_db_dispute){a->family,
                                 a->dtype,
                                 a->features,
                                 a->device,
                                 a->software,
                                 {a->source, b->source},
                                 {a->us, b->us}}));
    }
  return true;
}
