#include "compiler/cost/database.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

static void fail(ts_db_error *error, const char *help, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fail(ts_db_error *error, const char *help, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(error->message, sizeof error->message, format, args);
  va_end(args);
  snprintf(error->help, sizeof error->help, "%s", help ? help : "");
}

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>

struct ts_db { ts_arena *arena; sqlite3 *handle; unsigned char *bytes; };

static const char schema[] =
  "CREATE TABLE IF NOT EXISTS measurement (family TEXT NOT NULL, dtype TEXT NOT NULL, features TEXT NOT NULL, device TEXT NOT NULL, software TEXT NOT NULL,"
  " source TEXT NOT NULL, time_us REAL NOT NULL CHECK (time_us > 0), low_us REAL, high_us REAL, repeats INTEGER,"
  " PRIMARY KEY (family, dtype, features, device, software, source)) WITHOUT ROWID;";
enum { APPLICATION = 0x54535044 }; /* "TSPD" in the header of the file */

bool ts_db_supported(void) { return true; }

static bool wrong(ts_db *db, ts_db_error *error)
{
  fail(error, NULL, "%s", sqlite3_errmsg(db->handle));
  return false;
}

static int64_t number(ts_db *db, const char *query)
{
  sqlite3_stmt *s = NULL;
  int64_t value = -1;
  if (sqlite3_prepare_v2(db->handle, query, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
    value = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  return value;
}

/* It is ours, or new and empty when it may be made. */
static ts_db *check(ts_db *db, bool create, ts_db_error *error)
{
  char mark[64];
  snprintf(mark, sizeof mark, "PRAGMA application_id = %d", APPLICATION);
  int64_t application = number(db, "PRAGMA application_id"), tables = number(db, "SELECT count(*) FROM sqlite_master");
  if (tables < 0)
    wrong(db, error);
  else if (create && !tables && !application) {
    if (sqlite3_exec(db->handle, mark, NULL, NULL, NULL) || sqlite3_exec(db->handle, schema, NULL, NULL, NULL))
      wrong(db, error);
  } else if (application != APPLICATION)
    fail(error, "make one with `trainspec db add`", "this SQLite file is no profile database");
  if (!error->message[0])
    return db;
  ts_db_close(db);
  return NULL;
}

ts_db *ts_db_open(ts_arena *arena, const char *path, bool create, ts_db_error *error)
{
  ts_db *db = TS_NEW(arena, ts_db);
  db->arena = arena;
  if (sqlite3_open_v2(path, &db->handle, create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
    fail(error, NULL, "%s", db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
    ts_db_close(db);
    return NULL;
  }
  return check(db, create, error);
}

ts_db *ts_db_of_bytes(ts_arena *arena, const void *bytes, size_t size, ts_db_error *error)
{
  ts_db *db = TS_NEW(arena, ts_db);
  db->arena = arena;
  db->bytes = malloc(size + 1); /* outlives the handle */
  if (!db->bytes)
    abort(); /* out of memory, as in the arena */
  memcpy(db->bytes, bytes, size);
  if (sqlite3_open_v2(":memory:", &db->handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_deserialize(db->handle, "main", db->bytes, (sqlite3_int64)size, (sqlite3_int64)size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    fail(error, NULL, "%s", db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
    ts_db_close(db);
    return NULL;
  }
  return check(db, false, error);
}

void ts_db_close(ts_db *db)
{
  sqlite3_close(db->handle);
  free(db->bytes);
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

bool ts_db_add(ts_db *db, const ts_db_row *rows, size_t count, size_t *replaced, ts_db_error *error)
{
  sqlite3_stmt *s = NULL;
  int64_t before = number(db, "SELECT count(*) FROM measurement");
  bool good = sqlite3_exec(db->handle, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(db->handle, "INSERT OR REPLACE INTO measurement VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)", -1, &s, NULL) == SQLITE_OK;
  for (size_t i = 0; i < count && good; i++) {
    bind(s, &rows[i]);
    good = sqlite3_step(s) == SQLITE_DONE && sqlite3_reset(s) == SQLITE_OK && sqlite3_clear_bindings(s) == SQLITE_OK;
  }
  sqlite3_finalize(s);
  if (!good || sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
    wrong(db, error);
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return false;
  }
  *replaced = count - (size_t)(number(db, "SELECT count(*) FROM measurement") - before);
  return true;
}

static const char *text_at(sqlite3_stmt *s, int column)
{
  const unsigned char *text = sqlite3_column_text(s, column);
  return text ? (const char *)text : "";
}

bool ts_db_each(ts_db *db, const char *family, const char *device, const char *software, void (*take)(void *closure, const ts_db_row *row), void *closure,
  ts_db_error *error)
{
  static const char query[] = "SELECT family, dtype, features, device, software, source, time_us, low_us, high_us, repeats FROM measurement"
    " WHERE (?1 IS NULL OR family = ?1) AND (?2 IS NULL OR device = ?2) AND (?3 IS NULL OR software = ?3) ORDER BY 1, 2, 3, 4, 5, 6";
  sqlite3_stmt *s = NULL;
  int status = sqlite3_prepare_v2(db->handle, query, -1, &s, NULL);
  const char *asked[] = {family, device, software};
  for (int i = 0; i < 3 && status == SQLITE_OK; i++)
    if (asked[i])
      status = sqlite3_bind_text(s, i + 1, asked[i], -1, SQLITE_STATIC);
  while (status == SQLITE_OK || status == SQLITE_ROW) {
    if ((status = sqlite3_step(s)) != SQLITE_ROW)
      break;
    take(closure, &(ts_db_row){text_at(s, 0), text_at(s, 1), text_at(s, 2), text_at(s, 3), text_at(s, 4), text_at(s, 5), sqlite3_column_double(s, 6),
                               sqlite3_column_double(s, 7), sqlite3_column_double(s, 8), sqlite3_column_int64(s, 9)});
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

ts_db *ts_db_open(ts_arena *arena, const char *path, bool create, ts_db_error *error)
{
  (void)arena, (void)path, (void)create;
  fail(error, how, "%s", missing);
  return NULL;
}

ts_db *ts_db_of_bytes(ts_arena *arena, const void *bytes, size_t size, ts_db_error *error)
{
  (void)arena, (void)bytes, (void)size;
  fail(error, how, "%s", missing);
  return NULL;
}

void ts_db_close(ts_db *db) { (void)db; }

bool ts_db_add(ts_db *db, const ts_db_row *rows, size_t count, size_t *replaced, ts_db_error *error)
{
  (void)db, (void)rows, (void)count, (void)replaced;
  fail(error, how, "%s", missing);
  return false;
}

bool ts_db_each(ts_db *db, const char *family, const char *device, const char *software, void (*take)(void *closure, const ts_db_row *row), void *closure,
  ts_db_error *error)
{
  (void)db, (void)family, (void)device, (void)software, (void)take, (void)closure;
  fail(error, how, "%s", missing);
  return false;
}
#endif

/* -- as a table -- */

typedef TS_VEC(const char *) words;
typedef struct tabled { ts_arena *arena; TS_VEC(ts_db_row) rows; words names, devices, softwares; } tabled;

static const char *keep(ts_arena *arena, const char *text) { return ts_arena_string(arena, text, strlen(text)); }

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
  row.family = keep(t->arena, r->family), row.dtype = keep(t->arena, r->dtype), row.features = keep(t->arena, r->features);
  row.device = keep(t->arena, r->device), row.software = keep(t->arena, r->software), row.source = keep(t->arena, r->source);
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
      fprintf(out, ",%.*s", (int)(strcspn(at, " ") - length - 1), at + length + 1);
      return;
    }
  fputc(',', out);
}

const char *ts_db_table(ts_arena *arena, ts_db *db, const char *device, const char *software, size_t *size, ts_db_error *error)
{
  tabled t = {.arena = arena};
  if (!ts_db_each(db, NULL, device, software, take_row, &t, error))
    return NULL;
  if (!t.rows.count)
    return fail(error, "`trainspec db list` shows what there is", device ? "no rows of `%s`%s%s" : "no rows%s%s%s", device ? device : "", software ? " with " : "",
                software ? software : ""), NULL;
  if (t.devices.count > 1)
    return fail(error, "say which: `device: ...`", "it has rows of several devices: %s", ts_listed(arena, t.devices.at, t.devices.count)), NULL;
  if (t.softwares.count > 1)
    return fail(error, "say which: `software: ...`", "it has rows of several versions of software: %s", ts_listed(arena, t.softwares.at, t.softwares.count)), NULL;
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    abort(); /* out of memory, as in the arena */
  fprintf(out, "# source: %s%s%s\nfamily,dtype", t.devices.at[0], *t.softwares.at[0] ? ", " : "", t.softwares.at[0]);
  for (size_t n = 0; n < t.names.count; n++) fprintf(out, ",%s", t.names.at[n]);
  fprintf(out, ",time_us\n");
  for (size_t i = 0; i < t.rows.count; i++) {
    const ts_db_row *r = &t.rows.at[i];
    fprintf(out, "%s,%s", r->family, r->dtype);
    for (size_t n = 0; n < t.names.count; n++) put_cell(out, r->features, t.names.at[n]);
    fprintf(out, ",%.9g\n", r->us);
  }
  fclose(out);
  const char *kept = ts_arena_string(arena, text, *size);
  free(text);
  return kept;
}

/* -- disputes -- */

static bool same_key(const ts_db_row *a, const ts_db_row *b)
{
  return !strcmp(a->family, b->family) && !strcmp(a->dtype, b->dtype) && !strcmp(a->features, b->features) && !strcmp(a->device, b->device)
    && !strcmp(a->software, b->software);
}

/* A source's spread: half of what lies between the quartiles. */
static double spread(const ts_db_row *r) { return r->low_us > 0 && r->high_us > r->low_us ? (r->high_us - r->low_us) / 2 : 0; }

bool ts_db_find_disputes(ts_arena *arena, ts_db *db, ts_db_disputes *found, ts_db_error *error)
{
  tabled t = {.arena = arena};
  if (!ts_db_each(db, NULL, NULL, NULL, take_row, &t, error))
    return false;
  for (size_t i = 0; i < t.rows.count; i++)
    for (size_t k = i + 1; k < t.rows.count && same_key(&t.rows.at[i], &t.rows.at[k]); k++) {
      const ts_db_row *a = &t.rows.at[i], *b = &t.rows.at[k];
      double apart = fabs(a->us - b->us);
      if (apart > 0.1 * fmin(a->us, b->us) && apart > spread(a) + spread(b))
        TS_PUSH(arena, found, ((ts_db_dispute){a->family, a->dtype, a->features, a->device, a->software, {a->source, b->source}, {a->us, b->us}}));
    }
  return true;
}
