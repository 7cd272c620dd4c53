#include "tools/sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/source.h"
#include "base/sqlite.h"

#ifdef TS_HAVE_SQLITE
#include "base/sqlite_calls.h"

struct ts_journal {
  ts_arena *arena;
  ts_sqlite file;
  int lock; /* held by the one that writes; -1: none */
  sqlite3_stmt *find, *put;
};

enum {
  APPLICATION = 0x5453534a, /* "TSSJ" in the header of the file */
  FORMAT = TS_FIGURES - 8   /* each figure is a column */
};

#define NAME(name, member) #name ", "
#define LEAST TS_BOUND_REALS(NAME) "least_memory, least_reserved, least_limit, least_over, "

#define FIGURE(id, name, ...) name " REAL, "
static const char schema[] =
  "CREATE TABLE about (version TEXT NOT NULL, build TEXT NOT NULL, file TEXT NOT NULL, inputs TEXT "
  "NOT NULL);"
  "CREATE TABLE input (name TEXT NOT NULL, path TEXT NOT NULL, role TEXT NOT NULL, sha256 TEXT NOT "
  "NULL, PRIMARY KEY (name, path));"
  "CREATE TABLE plan (key BLOB PRIMARY KEY, parameters TEXT NOT NULL, state TEXT NOT NULL, "
#include "base/figures.def"
  LEAST
  "memory_limit REAL, why TEXT, warnings TEXT NOT NULL, confidence TEXT NOT NULL, seconds REAL);"
  "CREATE TABLE sweep (id INTEGER PRIMARY KEY, title TEXT NOT NULL, goal TEXT NOT NULL, best TEXT "
  "NOT NULL, plans INTEGER NOT NULL, known INTEGER NOT NULL, played INTEGER NOT NULL, begun REAL "
  "NOT NULL, seen REAL NOT NULL, ended INTEGER NOT NULL);";
#undef FIGURE

static bool wrong(ts_journal *j, ts_error *error)
{
  int code = sqlite3_errcode(j->file.handle);
  ts_sqlite_wrong(&j->file, error);
  if (code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_READONLY)
    error->kind = TS_ERROR_UNREADABLE;
  return false;
}

static bool execute(ts_journal *j, const char *what, ts_error *error)
{
  return ts_sqlite_do(&j->file, what) || wrong(j, error);
}

/* ---- Opening ---- */

/* Beside SQLite's own locks, which are of records: those of flock() are of the whole file, and are
 * given up with the process. Where a file system has none, nobody is kept out. */
static bool hold(ts_journal *j, const char *path, ts_error *error)
{
  j->lock = open(path, O_RDONLY | O_CLOEXEC);
  if (j->lock < 0 || flock(j->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return true;
  return ts_fail(error, "wait for it, or give this one a journal of its own and merge the two",
                 "another sweep writes it");
}

static bool is_ours(ts_journal *j, bool create, bool *new, ts_error *error)
{
  int64_t application = ts_sqlite_number(&j->file, "PRAGMA application_id"),
          format = ts_sqlite_number(&j->file, "PRAGMA user_version"),
          tables = ts_sqlite_number(&j->file, "SELECT total(1) FROM sqlite_master");
  *new = !application && !tables;
  if (tables < 0)
    return wrong(j, error);
  if (*new && create)
    return true;
  if (application != APPLICATION)
    return ts_fail(error, "`--journal FILE` of a sweep makes one", "it is not a journal of sweeps");
  if (format > FORMAT)
    return ts_fail(error, "use that one", "a newer TrainSpec wrote it");
  if (format < FORMAT)
    return ts_fail(error, "give another file", "an older TrainSpec wrote it");
  return ts_sqlite_has(&j->file, schema, error);
}

/* What it is and what is in it come in one transaction: a kill leaves an empty file or a whole
 * journal. Commits are on the disk when they return. */
static bool prepare(ts_journal *j, ts_journal_how how, ts_error *error)
{
  char marks[96];
  bool new;
  snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
           FORMAT);
  if (!is_ours(j, true, &new, error)) /* before anything of it changes */
    return false;
  /* in WAL mode readers do not wait for the one who writes */
  ts_sqlite_do(&j->file, how == TS_JOURNAL_UNSEEN ? "PRAGMA journal_mode = MEMORY" :
                                                    "PRAGMA journal_mode = WAL");
  if (!execute(j, "PRAGMA synchronous = FULL; BEGIN IMMEDIATE", error))
    return false;
  bool made = is_ours(j, true, &new, error) &&
              (!new || (execute(j, marks, error) && execute(j, schema, error)));
  if (made)
    return execute(j, "COMMIT", error);
  ts_sqlite_do(&j->file, "ROLLBACK");
  return false;
}

static bool open_to_write(ts_journal *j, const char *path, ts_journal_how how, ts_error *error)
{
  return ts_sqlite_open(&j->file, path, TS_SQLITE_WRITE, j->arena, error) &&
         prepare(j, how, error) && hold(j, path, error);
}

static bool open_to_read(ts_journal *j, const char *path, ts_error *error)
{
  bool new;
  return ts_sqlite_open(&j->file, path, TS_SQLITE_READ, j->arena, error) &&
         is_ours(j, false, &new, error) && execute(j, "PRAGMA query_only = ON", error);
}

static bool has_folder(const char *path, ts_arena *arena)
{
  size_t length = (size_t)(ts_base_name(path) - path);
  return !length || access(ts_arena_string(arena, path, length), F_OK) == 0;
}

static bool open_as(ts_journal *j, const char *path, ts_journal_how how, ts_error *error)
{
  struct stat there;
  char *real = ts_heap_real_path(path); /* what waits lies beside the file that a link means */
  bool opened = false;
  if (!real && how == TS_JOURNAL_READ)
    ts_fail(error, NULL, "%s", strerror(errno));
  else if (!real && !has_folder(path, j->arena))
    ts_fail(error, NULL, "its folder is not there");
  else if (real && how == TS_JOURNAL_NEW && stat(real, &there) == 0 && there.st_size > 0)
    ts_fail(error, "go on in it with `--resume`, or give another file", "it is there already");
  else if (how == TS_JOURNAL_READ)
    opened = open_to_read(j, real, error);
  else
    opened = open_to_write(j, real ? real : path, how, error);
  free(real);
  return opened;
}

ts_journal *ts_journal_open(ts_arena *arena, const char *path, ts_journal_how how, ts_error *error)
{
  ts_journal *j = TS_NEW(arena, ts_journal);
  *j = (ts_journal){.arena = arena, .lock = -1};
  *error = (ts_error){0};
  if (open_as(j, path, how, error))
    return j;
  ts_journal_close(j);
  return NULL;
}

/* The lock goes last: closing any descriptor of the file gives up SQLite's own. */
void ts_journal_close(ts_journal *j)
{
  if (!j)
    return;
  if (j->file.handle) {
    sqlite3_finalize(j->find);
    sqlite3_finalize(j->put);
  }
  ts_sqlite_close(&j->file);
  if (j->lock >= 0)
    close(j->lock);
}

/* ---- Statements ---- */

static bool prepared(ts_journal *j, const char *query, sqlite3_stmt **s, ts_error *error)
{
  *s = ts_sqlite_query(&j->file, query);
  return *s || wrong(j, error);
}

static const char *text_at(sqlite3_stmt *s, int column, ts_arena *arena)
{
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text ? ts_arena_string(arena, text, strlen(text)) : "";
}

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
  sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

/* Runs a statement that gives no rows. */
static bool run(ts_journal *j, sqlite3_stmt *s, ts_error *error)
{
  bool done = ts_sqlite_step(&j->file, s) == SQLITE_DONE || wrong(j, error);
  sqlite3_finalize(s);
  return done;
}

/* ---- Reading ---- */

bool ts_journal_about_of(ts_journal *j, ts_arena *arena, ts_journal_about *about, ts_error *error)
{
  sqlite3_stmt *s = NULL;
  *about = (ts_journal_about){"", "", "", ""};
  if (!prepared(j, "SELECT version, build, file, inputs FROM about", &s, error))
    return false;
  int status = ts_sqlite_step(&j->file, s);
  if (status == SQLITE_ROW)
    *about = (ts_journal_about){text_at(s, 0, arena), text_at(s, 1, arena), text_at(s, 2, arena),
                                text_at(s, 3, arena)};
  bool good = status == SQLITE_ROW || status == SQLITE_DONE || wrong(j, error);
  sqlite3_finalize(s);
  return good;
}

static int digit_of(char c)
{
  const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

static bool read_hex(const char *hex, uint8_t digest[TS_DIGEST_SIZE])
{
  if (strlen(hex) != 2 * TS_DIGEST_SIZE)
    return false;
  for (int i = 0; i < TS_DIGEST_SIZE; i++) {
    int high = digit_of(hex[2 * i]), low = digit_of(hex[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    digest[i] = (uint8_t)(16 * high + low);
  }
  return true;
}

static bool damaged(ts_error *error)
{
  return ts_fail(error, "give another file", "it is damaged: a row is not one of a journal");
}

bool ts_journal_inputs(ts_journal *j, ts_inputs *inputs, ts_error *error)
{
  sqlite3_stmt *s = NULL;
  int status;
  bool good = true;
  if (!prepared(j, "SELECT name, path, role, sha256 FROM input ORDER BY 1, 2", &s, error))
    return false;
  while (good && (status = ts_sqlite_step(&j->file, s)) != SQLITE_DONE) {
    ts_sweep_input input = {.name = text_at(s, 0, j->arena),
                            .path = text_at(s, 1, j->arena),
                            .role = text_at(s, 2, j->arena)};
    good = status != SQLITE_ROW                              ? wrong(j, error) :
           !read_hex(text_at(s, 3, j->arena), input.sha256) ? damaged(error) :
                                                              true;
    if (good)
      ts_inputs_add(inputs, &input);
  }
  sqlite3_finalize(s);
  return good;
}

/* NaN is no number of SQLite. */
static double number_at(sqlite3_stmt *s, int column)
{
  return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

/* TS_OUTCOME_STATES: it is none. */
static int state_of(const char *name)
{
  int which = 0;
  while (which < TS_OUTCOME_STATES && strcmp(ts_outcome_states[which], name) != 0)
    which++;
  return which;
}

static bool read_outcome(sqlite3_stmt *s, ts_arena *arena, ts_outcome *o)
{
  int at = 1, which = state_of(text_at(s, 0, arena));
  o->state = (ts_outcome_state)which;
  for (int f = 0; f < TS_FIGURES; f++)
    o->figures.of[f] = number_at(s, at++);
#define REAL(name, member) o->bounds.member = number_at(s, at++);
  TS_BOUND_REALS(REAL)
#undef REAL
  o->bounds.bytes = (uint64_t)sqlite3_column_int64(s, at++);
  o->bounds.reserved = (uint64_t)sqlite3_column_int64(s, at++);
  o->bounds.limit = (uint64_t)sqlite3_column_int64(s, at++);
  o->bounds.over = sqlite3_column_int(s, at++) != 0;
  o->limit = number_at(s, at++);
  if (sqlite3_column_type(s, at++) != SQLITE_NULL)
    o->why = text_at(s, at - 1, arena);
  return which < TS_OUTCOME_STATES &&
         (o->why != NULL) == (o->state == TS_REFUSED || o->state == TS_STOPPED) &&
         ts_outcome_read(o, text_at(s, at, arena), text_at(s, at + 1, arena), arena);
}

#define FIGURE(id, name, ...) name ", "
static const char find_query[] = "SELECT state, "
#include "base/figures.def"
                                 LEAST
                                 "memory_limit, why, warnings, confidence FROM plan WHERE key = ?1";
static const char put_query[] = "INSERT OR IGNORE INTO plan (state, "
#include "base/figures.def"
  LEAST "memory_limit, why, warnings, confidence, key, parameters, seconds)"
                                " VALUES (?1"
#undef FIGURE
#define FIGURE(id, name, ...) ", ?"
#define MARK(name, member) ", ?"
#include "base/figures.def"
  TS_BOUND_REALS(MARK) ", ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
#undef FIGURE

bool ts_journal_find(ts_journal *j, const uint8_t key[TS_DIGEST_SIZE], ts_arena *arena,
                     ts_outcome *outcome, bool *found, ts_error *error)
{
  if (!j->find && !prepared(j, find_query, &j->find, error))
    return false;
  sqlite3_bind_blob(j->find, 1, key, TS_DIGEST_SIZE, SQLITE_STATIC);
  int status = ts_sqlite_step(&j->file, j->find);
  *found = status == SQLITE_ROW;
  bool good = status == SQLITE_DONE || (*found ? read_outcome(j->find, arena, outcome) ||
                                                   damaged(error) :
                                                 wrong(j, error));
  ts_sqlite_again(&j->file, j->find);
  return good;
}

#define FIGURE(id, name, ...) name ", "
static const char after_query[] = "SELECT "
#include "base/figures.def"
                                  "parameters, state, rowid FROM plan WHERE rowid > ?1 ORDER "
                                  "BY rowid";
#undef FIGURE

bool ts_journal_plans_after(ts_journal *j, int64_t row, ts_arena *arena,
                            void (*take)(void *closure, const ts_journal_plan *plan), void *closure,
                            ts_error *error)
{
  sqlite3_stmt *s = NULL;
  int status;
  bool good = true;
  if (!prepared(j, after_query, &s, error))
    return false;
  sqlite3_bind_int64(s, 1, row);
  while (good && (status = ts_sqlite_step(&j->file, s)) != SQLITE_DONE) {
    good = status == SQLITE_ROW || wrong(j, error);
    if (!good)
      break;
    ts_journal_plan p = {.row = sqlite3_column_int64(s, TS_FIGURES + 2),
                         .parameters = text_at(s, TS_FIGURES, arena)};
    p.state = (ts_outcome_state)state_of(text_at(s, TS_FIGURES + 1, arena));
    for (int f = 0; f < TS_FIGURES; f++)
      p.figures.of[f] = number_at(s, f);
    good = p.state < TS_OUTCOME_STATES || damaged(error);
    if (good)
      take(closure, &p);
  }
  sqlite3_finalize(s);
  return good;
}

bool ts_journal_plans(ts_journal *j, uint64_t *count, ts_error *error)
{
  int64_t found = ts_sqlite_number(&j->file, "SELECT total(1) FROM plan");
  *count = found < 0 ? 0 : (uint64_t)found;
  return found >= 0 || wrong(j, error);
}

static bool is_count(sqlite3_stmt *s, int column)
{
  int64_t count = sqlite3_column_int64(s, column);
  return count >= 0 && count <= INT64_C(1) << 53; /* the last that a double has exactly */
}

static bool is_moment(sqlite3_stmt *s, int column)
{
  double t = sqlite3_column_double(s, column);
  return t >= 0 && t < 1e12; /* s since 1970 */
}

#define SWEEP "title, goal, best, plans, known, played, begun, seen, ended"
static const char sweeps_query[] = "SELECT " SWEEP " FROM sweep ORDER BY id";

static bool read_sweep(sqlite3_stmt *s, ts_arena *arena, ts_journal_sweep *sweep)
{
  *sweep = (ts_journal_sweep){.title = text_at(s, 0, arena),
                              .goal = text_at(s, 1, arena),
                              .best = text_at(s, 2, arena),
                              .plans = (uint64_t)sqlite3_column_int64(s, 3),
                              .known = (uint64_t)sqlite3_column_int64(s, 4),
                              .played = (uint64_t)sqlite3_column_int64(s, 5),
                              .begun = sqlite3_column_double(s, 6),
                              .seen = sqlite3_column_double(s, 7),
                              .ended = sqlite3_column_int(s, 8) != 0};
  return is_count(s, 3) && is_count(s, 4) && is_count(s, 5) && is_moment(s, 6) && is_moment(s, 7);
}

bool ts_journal_sweeps(ts_journal *j, ts_arena *arena,
                       void (*take)(void *closure, const ts_journal_sweep *sweep), void *closure,
                       ts_error *error)
{
  sqlite3_stmt *s = NULL;
  ts_journal_sweep sweep;
  int status;
  bool good = true;
  if (!prepared(j, sweeps_query, &s, error))
    return false;
  while (good && (status = ts_sqlite_step(&j->file, s)) != SQLITE_DONE) {
    good = status != SQLITE_ROW          ? wrong(j, error) :
           !read_sweep(s, arena, &sweep) ? damaged(error) :
                                           true;
    if (good)
      take(closure, &sweep);
  }
  sqlite3_finalize(s);
  return good;
}

/* ---- Writing ---- */

bool ts_journal_begin(ts_journal *j, ts_error *error) { return execute(j, "BEGIN IMMEDIATE", error); }
bool ts_journal_commit(ts_journal *j, ts_error *error) { return execute(j, "COMMIT", error); }
void ts_journal_undo(ts_journal *j) { ts_sqlite_do(&j->file, "ROLLBACK"); }

bool ts_journal_set_about(ts_journal *j, const ts_journal_about *about, ts_error *error)
{
  sqlite3_stmt *s = NULL;
  if (!prepared(j, "INSERT INTO about VALUES (?1, ?2, ?3, ?4)", &s, error))
    return false;
  const char *texts[] = {about->version, about->build, about->file, about->inputs};
  for (int i = 0; i < 4; i++)
    bind_text(s, i + 1, texts[i]);
  return run(j, s, error);
}

bool ts_journal_put_input(ts_journal *j, const ts_sweep_input *input, ts_error *error)
{
  sqlite3_stmt *s = NULL;
  char hex[2 * TS_DIGEST_SIZE + 1];
  if (!prepared(j, "INSERT OR IGNORE INTO input VALUES (?1, ?2, ?3, ?4)", &s, error))
    return false;
  ts_digest_hex(input->sha256, hex);
  const char *texts[] = {input->name, input->path, input->role, hex};
  for (int i = 0; i < 4; i++)
    bind_text(s, i + 1, texts[i]);
  return run(j, s, error);
}

bool ts_journal_put(ts_journal *j, const uint8_t key[TS_DIGEST_SIZE], const char *parameters,
                    const ts_outcome *o, double seconds, ts_arena *arena, ts_error *error)
{
  if (!j->put && !prepared(j, put_query, &j->put, error))
    return false;
  sqlite3_stmt *s = j->put;
  int at = 1;
  sqlite3_clear_bindings(s);
  bind_text(s, at++, ts_outcome_states[o->state]);
  for (int f = 0; f < TS_FIGURES; f++)
    sqlite3_bind_double(s, at++, o->figures.of[f]);
#define REAL(name, member) sqlite3_bind_double(s, at++, o->bounds.member);
  TS_BOUND_REALS(REAL)
#undef REAL
  sqlite3_bind_int64(s, at++, (int64_t)o->bounds.bytes);
  sqlite3_bind_int64(s, at++, (int64_t)o->bounds.reserved);
  sqlite3_bind_int64(s, at++, (int64_t)o->bounds.limit);
  sqlite3_bind_int(s, at++, o->bounds.over);
  sqlite3_bind_double(s, at++, o->limit);
  bind_text(s, at++, o->why); /* NULL stays NULL */
  bind_text(s, at++, ts_outcome_warnings_text(o, arena));
  bind_text(s, at++, o->sure ? ts_outcome_sure_text(o, arena) : "");
  sqlite3_bind_blob(s, at++, key, TS_DIGEST_SIZE, SQLITE_TRANSIENT);
  bind_text(s, at++, parameters);
  sqlite3_bind_double(s, at++, seconds);
  bool done = ts_sqlite_step(&j->file, s) == SQLITE_DONE || wrong(j, error);
  ts_sqlite_again(&j->file, s);
  return done;
}

bool ts_journal_put_sweep(ts_journal *j, int64_t *id, const ts_journal_sweep *sweep,
                          ts_error *error)
{
  sqlite3_stmt *s = NULL;
  if (!prepared(j, "INSERT OR REPLACE INTO sweep VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                &s, error))
    return false;
  if (*id)
    sqlite3_bind_int64(s, 1, *id);
  bind_text(s, 2, sweep->title);
  bind_text(s, 3, sweep->goal);
  bind_text(s, 4, sweep->best);
  sqlite3_bind_int64(s, 5, (int64_t)sweep->plans);
  sqlite3_bind_int64(s, 6, (int64_t)sweep->known);
  sqlite3_bind_int64(s, 7, (int64_t)sweep->played);
  sqlite3_bind_double(s, 8, sweep->begun);
  sqlite3_bind_double(s, 9, sweep->seen);
  sqlite3_bind_int(s, 10, sweep->ended);
  if (!run(j, s, error))
    return false;
  *id = *id ? *id : sqlite3_last_insert_rowid(j->file.handle);
  return true;
}
/* ---- Merging ---- */

bool ts_journal_is_of(const ts_journal *j, const char *path)
{
  struct stat a, b;
  return stat(j->file.path, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/* Rows of one table on their way into another journal. Each is read here, as a tree that points to
 * itself has rows without end. */
typedef struct taking {
  ts_journal *to, *from;
  sqlite3_stmt *read, *put;
  sqlite3_stmt *differ; /* finds a row that contradicts the one that is read */
  uint64_t differing;
  const char *first; /* the first column of the first one that does */
} taking;

static bool begin_taking(taking *t, const char *read, const char *put, const char *differ,
                         ts_error *error)
{
  return prepared(t->from, read, &t->read, error) && prepared(t->to, put, &t->put, error) &&
         prepared(t->to, differ, &t->differ, error);
}

static void end_taking(taking *t)
{
  sqlite3_finalize(t->read);
  sqlite3_finalize(t->put);
  sqlite3_finalize(t->differ);
  t->read = t->put = t->differ = NULL;
}

/* Runs a statement of `to` with the columns of the row that is read. *found: it gave a row. */
static bool run_with_row(taking *t, sqlite3_stmt *s, bool *found, ts_error *error)
{
  for (int i = 0; i < sqlite3_bind_parameter_count(s); i++)
    sqlite3_bind_value(s, i + 1, sqlite3_column_value(t->read, i));
  int status = ts_sqlite_step(&t->to->file, s);
  *found = status == SQLITE_ROW;
  bool good = *found || status == SQLITE_DONE || wrong(t->to, error);
  ts_sqlite_again(&t->to->file, s);
  return good;
}

/* All of one table. `whole`: the row is one of a journal. */
static bool take_rows(taking *t, bool (*whole)(sqlite3_stmt *s, ts_arena *arena), ts_error *error)
{
  int status;
  bool good = true, found;
  ts_arena *scratch = ts_arena_new("a row");
  while (good && (status = ts_sqlite_step(&t->from->file, t->read)) != SQLITE_DONE) {
    good = status != SQLITE_ROW      ? wrong(t->from, error) :
           !whole(t->read, scratch) ? damaged(error) :
                                      run_with_row(t, t->put, &found, error) &&
                                        run_with_row(t, t->differ, &found, error);
    if (good && found && !t->differing++)
      t->first = text_at(t->read, 0, t->to->arena);
    ts_arena_reset(scratch);
  }
  ts_arena_free(scratch);
  return good;
}

static bool whole_plan(sqlite3_stmt *s, ts_arena *arena)
{
  return sqlite3_column_type(s, 0) == SQLITE_BLOB && sqlite3_column_bytes(s, 0) == TS_DIGEST_SIZE &&
         state_of(text_at(s, 1, arena)) < TS_OUTCOME_STATES;
}

static bool whole_input(sqlite3_stmt *s, ts_arena *arena)
{
  uint8_t digest[TS_DIGEST_SIZE];
  return read_hex(text_at(s, 3, arena), digest);
}

static bool whole_sweep(sqlite3_stmt *s, ts_arena *arena)
{
  ts_journal_sweep sweep;
  return read_sweep(s, arena, &sweep);
}

/* What both have must be the same, but for bounds and how long it took. The columns of that come
 * first. */
#define FIGURE(id, name, ...) name ", "
#define BEHIND ", parameters, seconds, " LEAST "memory_limit"
static const char each_plan[] = "SELECT key, state, "
#include "base/figures.def"
                                "why, warnings, confidence" BEHIND " FROM plan";
static const char put_plan[] = "INSERT OR IGNORE INTO plan (key, state, "
#include "base/figures.def"
                               "why, warnings, confidence" BEHIND ") VALUES (?, ?"
#undef FIGURE
#define FIGURE(id, name, ...) ", ?"
#include "base/figures.def"
                               ", ?, ?, ?, ?, ?" TS_BOUND_REALS(MARK) ", ?, ?, ?, ?, ?)";
#undef FIGURE
#define FIGURE(id, name, ...) name ", "
static const char other_plan[] = "SELECT 1 FROM plan WHERE key = ? AND (state, "
#include "base/figures.def"
                                 "why, warnings, confidence) IS NOT (?"
#undef FIGURE
#define FIGURE(id, name, ...) ", ?"
#include "base/figures.def"
                                 ", ?, ?, ?)";
#undef FIGURE

static bool take_plans(ts_journal *j, ts_journal *other, ts_error *error)
{
  taking t = {.to = j, .from = other};
  bool good = begin_taking(&t, each_plan, put_plan, other_plan, error) &&
              take_rows(&t, whole_plan, error);
  end_taking(&t);
  return good && (!t.differing || ts_fail(error, "make one of them anew",
                                          "%llu of its plans came to other figures than in the "
                                          "others", (unsigned long long)t.differing));
}

static bool take_inputs(ts_journal *j, ts_journal *other, ts_error *error)
{
  taking t = {.to = j, .from = other};
  bool good = begin_taking(&t, "SELECT name, path, role, sha256 FROM input",
                           "INSERT OR IGNORE INTO input VALUES (?, ?, ?, ?)",
                           "SELECT 1 FROM input WHERE name = ?1 AND sha256 <> ?4", error) &&
              take_rows(&t, whole_input, error);
  end_taking(&t);
  return good && (!t.differing ||
                  ts_fail(error, "merge journals of one program, plan and inputs",
                          "it is of other inputs: its plans read another `%s`", t.first));
}

/* The same one may have come with another part. */
static bool take_sweeps(ts_journal *j, ts_journal *other, ts_error *error)
{
  taking t = {.to = j, .from = other};
  bool good = begin_taking(&t, sweeps_query,
                           "INSERT INTO sweep (" SWEEP ") SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 "
                           "WHERE NOT EXISTS (SELECT 1 FROM sweep WHERE begun = ?7 AND title = ?1 "
                           "AND plans = ?4)",
                           "SELECT 1 WHERE 0", error) &&
              take_rows(&t, whole_sweep, error);
  end_taking(&t);
  return good;
}

bool ts_journal_take(ts_journal *j, ts_journal *other, ts_error *error)
{
  return execute(other, "BEGIN", error) && take_inputs(j, other, error) &&
         take_plans(j, other, error) && take_sweeps(j, other, error) &&
         execute(other, "COMMIT", error);
}
#else
struct ts_journal { int none; };

static bool missing(ts_error *error)
{
  return ts_fail(error, "install libsqlite3-dev, configure and build again",
                 "this build has no SQLite");
}

ts_journal *ts_journal_open(ts_arena *arena, const char *path, ts_journal_how how, ts_error *error)
{
  (void)arena, (void)path, (void)how, missing(error);
  return NULL;
}

/* None is open, so none of these is called. */
void ts_journal_close(ts_journal *j) { (void)j; }
bool ts_journal_about_of(ts_journal *j, ts_arena *arena, ts_journal_about *about, ts_error *error)
{
  return (void)j, (void)arena, (void)about, missing(error);
}
bool ts_journal_inputs(ts_journal *j, ts_inputs *inputs, ts_error *error)
{
  return (void)j, (void)inputs, missing(error);
}
bool ts_journal_find(ts_journal *j, const uint8_t key[TS_DIGEST_SIZE], ts_arena *arena,
                     ts_outcome *outcome, bool *found, ts_error *error)
{
  return (void)j, (void)key, (void)arena, (void)outcome, (void)found, missing(error);
}
bool ts_journal_plans(ts_journal *j, uint64_t *count, ts_error *error)
{
  return (void)j, (void)count, missing(error);
}
bool ts_journal_plans_after(ts_journal *j, int64_t row, ts_arena *arena,
                            void (*take)(void *closure, const ts_journal_plan *plan), void *closure,
                            ts_error *error)
{
  return (void)j, (void)row, (void)arena, (void)take, (void)closure, missing(error);
}
bool ts_journal_sweeps(ts_journal *j, ts_arena *arena,
                       void (*take)(void *closure, const ts_journal_sweep *sweep), void *closure,
                       ts_error *error)
{
  return (void)j, (void)arena, (void)take, (void)closure, missing(error);
}
bool ts_journal_begin(ts_journal *j, ts_error *error) { return (void)j, missing(error); }
bool ts_journal_commit(ts_journal *j, ts_error *error) { return (void)j, missing(error); }
void ts_journal_undo(ts_journal *j) { (void)j; }
bool ts_journal_set_about(ts_journal *j, const ts_journal_about *about, ts_error *error)
{
  return (void)j, (void)about, missing(error);
}
bool ts_journal_put_input(ts_journal *j, const ts_sweep_input *input, ts_error *error)
{
  return (void)j, (void)input, missing(error);
}
bool ts_journal_put(ts_journal *j, const uint8_t key[TS_DIGEST_SIZE], const char *parameters,
                    const ts_outcome *o, double seconds, ts_arena *arena, ts_error *error)
{
  return (void)j, (void)key, (void)parameters, (void)o, (void)seconds, (void)arena, missing(error);
}
bool ts_journal_put_sweep(ts_journal *j, int64_t *id, const ts_journal_sweep *sweep,
                          ts_error *error)
{
  return (void)j, (void)id, (void)sweep, missing(error);
}
bool ts_journal_is_of(const ts_journal *j, const char *path) { return (void)j, (void)path, false; }
bool ts_journal_take(ts_journal *j, ts_journal *other, ts_error *error)
{
  return (void)j, (void)other, missing(error);
}
#endif
