/* SQLite exports of Nsight Systems (`nsys export --type sqlite`): kernels, copies, fills, calls of
 * the runtime and ranges of NVTX, as the tables CUPTI_ACTIVITY_KIND_* and NVTX_EVENTS have them.
 * Times are nanoseconds. Which tables and columns there are differs between versions: those that
 * are not there are done without. Synchronizing calls are recognized by their names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/order.h"
#include "base/sqlite.h"
#include "trace/read/format.h"
#include "trace/read/readers.h"

#ifdef TS_HAVE_SQLITE
#include "base/sqlite_calls.h"

typedef struct named { int64_t id; size_t row; const char *text; } named;

typedef struct reader {
  ts_events *e;
  const ts_events_options *options;
  ts_sqlite file;
  ts_error *error;
  ts_arena *work;
  TS_VEC(named) names; /* of StringIds, by id */
} reader;

static const char again[] = "export the report again";

/* The first error is reported, and reading ends. */
static bool wrong(reader *r)
{
  ts_error error = {0};
  ts_sqlite_wrong(&r->file, &error);
  return ts_fail(r->error, again, "the database cannot be read: %s", error.message);
}

static bool exists(reader *r, const char *table, const char *column)
{
  ts_error error = {0};
  bool there = ts_sqlite_plain(&r->file, table, column, &error);
  if (*error.message)
    ts_fail(r->error, again, "the database cannot be read: %s", error.message);
  return there;
}

/* The column, or the other one; "NULL": the table has neither. */
static const char *column_of(reader *r, const char *table, const char *a, const char *b)
{
  return exists(r, table, a) ? a : b && exists(r, table, b) ? b : "NULL";
}

static uint32_t interned(reader *r, const char *text)
{
  return text ? ts_events_string(r->e, text, strlen(text)) : 0;
}

static int by_id(const void *x, const void *y)
{
  const named *a = x, *b = y;
  int order = (a->id > b->id) - (a->id < b->id);
  return order ? order : (a->row > b->row) - (a->row < b->row);
}

static void keep_name(reader *r, sqlite3_stmt *s)
{
  const char *text = (const char *)sqlite3_column_text(s, 1);
  if (text)
    TS_PUSH(r->work, &r->names,
            ((named){sqlite3_column_int64(s, 0), r->names.count,
                     ts_arena_string(r->work, text, strlen(text))}));
}

/* The first one of that id. */
static const char *named_by(const reader *r, int64_t id)
{
  size_t at;
  TS_SEARCH(at, 0, r->names.count, r->names.at[at].id < id);
  return at < r->names.count && r->names.at[at].id == id ? r->names.at[at].text : NULL;
}

/* A text, or the number of one in StringIds; NULL: it has none. */
static const char *name_of(const reader *r, sqlite3_stmt *s, int column)
{
  int type = sqlite3_column_type(s, column);
  return type == SQLITE_INTEGER ? named_by(r, sqlite3_column_int64(s, column)) :
         type == SQLITE_TEXT    ? (const char *)sqlite3_column_text(s, column) :
                                  NULL;
}

/* Track of two numbers, as the profiler's JSON has them. */
static uint32_t track_of(reader *r, int64_t process, int64_t thread, bool device)
{
  char text[2][32];
  uint32_t name[2];
  int64_t number[2] = {process, thread};
  for (int i = 0; i < 2; i++)
    name[i] = ts_events_string(r->e, text[i],
                               (size_t)snprintf(text[i], sizeof text[i], "%" PRId64, number[i]));
  return ts_events_track(r->e, name[0], name[1], device);
}

/* NULL: not kept, since it has no time. Columns: start, end, name, place, place, correlation. */
static ts_event *take(reader *r, sqlite3_stmt *s, ts_event_class class, ts_event_kind kind)
{
  int64_t start = sqlite3_column_int64(s, 0), end = sqlite3_column_int64(s, 1);
  bool ends = sqlite3_column_type(s, 1) == SQLITE_INTEGER;
  r->e->seen++;
  if (sqlite3_column_type(s, 0) != SQLITE_INTEGER || start < 0 || start > INT64_MAX / 4 ||
      end > INT64_MAX / 4) {
    r->e->untimed++;
    return NULL;
  }
  if (ends && end < start)
    r->e->negative++;
  uint32_t name = interned(r, name_of(r, s, 2)),
           track = track_of(r, sqlite3_column_int64(s, 3), sqlite3_column_int64(s, 4),
                            class == TS_EVENT_DEVICE);
  ts_event *v = ts_events_add(r->e, class, kind);
  v->start = start;
  v->duration = ends && end > start ? end - start : 0;
  v->name = name;
  v->track = track;
  v->id = class == TS_EVENT_MARK ? 0 : (uint64_t)sqlite3_column_int64(s, 5);
  return v;
}

static bool each(reader *r, const char *query, void (*with)(reader *r, sqlite3_stmt *s))
{
  sqlite3_stmt *s = ts_sqlite_query(&r->file, query);
  int status = s ? SQLITE_OK : SQLITE_ERROR;
  while (status == SQLITE_OK || status == SQLITE_ROW) {
    if ((status = ts_sqlite_step(&r->file, s)) != SQLITE_ROW)
      break;
    if (r->e->count >= TS_EVENTS_MOST || r->e->tracks.count >= TS_TRACKS_MOST) {
      ts_fail(r->error, "export a shorter range of time",
              "more than %u events or %d streams and threads", TS_EVENTS_MOST, TS_TRACKS_MOST);
      break;
    }
    with(r, s);
    /* a text that could not be had looks like one that is not there */
    if (sqlite3_errcode(r->file.handle) == SQLITE_NOMEM)
      break;
  }
  if (status != SQLITE_DONE)
    wrong(r);
  sqlite3_finalize(s);
  return !r->error->message[0];
}

static void kernel(reader *r, sqlite3_stmt *s)
{
  const char *name = name_of(r, s, 2);
  ts_event *v = take(r, s, TS_EVENT_DEVICE, ts_kernel_kind(name ? name : ""));
  if (v && sqlite3_column_type(s, 6) == SQLITE_INTEGER && sqlite3_column_int64(s, 6) > 0)
    /* blocks, until the number of processors is known */
    v->external = (uint64_t)sqlite3_column_int64(s, 6);
}

/* How much of the processors the blocks of a kernel fill. */
static void fill_processors(ts_events *e)
{
  for (uint32_t i = 0; i < e->count; i++) {
    ts_event *v = ts_event_at(e, i);
    int64_t device = e->tracks.at[v->track].process;
    for (size_t d = 0; d < e->devices.count && v->external; d++) {
      const ts_device_info *known = &e->devices.at[d];
      if (known->id == device && known->processors > 0)
        v->fill = v->external >= (uint64_t)known->processors ?
                    UINT8_MAX :
                    (uint8_t)(1 + v->external * (UINT8_MAX - 1) / (uint64_t)known->processors);
    }
    v->external = 0;
  }
}
static void copy(reader *r, sqlite3_stmt *s) { take(r, s, TS_EVENT_DEVICE, TS_KERNEL_COPY); }
static void fill(reader *r, sqlite3_stmt *s) { take(r, s, TS_EVENT_DEVICE, TS_KERNEL_FILL); }

/* "cudaLaunchKernel_v7000": the version is no part of the name. */
static void call(reader *r, sqlite3_stmt *s)
{
  ts_event *v = take(r, s, TS_EVENT_CALL, TS_CALL_OTHER);
  if (!v)
    return;
  const char *name = ts_events_text(r->e, v->name), *version = strstr(name, "_v");
  if (version && strspn(version + 2, "0123456789") == strlen(version + 2))
    v->name = ts_events_string(r->e, name, (size_t)(version - name));
  v->kind = (uint8_t)ts_call_kind(ts_events_text(r->e, v->name));
}

static void mark(reader *r, sqlite3_stmt *s)
{
  ts_event *v = take(r, s, TS_EVENT_MARK, TS_MARK_OTHER);
  if (v && strncmp(ts_events_text(r->e, v->name), "ProfilerStep#", 13) == 0)
    v->kind = TS_MARK_STEP;
}

static void device(reader *r, sqlite3_stmt *s)
{
  ts_device_info d = {interned(r, (const char *)sqlite3_column_text(s, 1)),
                      sqlite3_column_int64(s, 0), -1, -1};
  d.memory = sqlite3_column_type(s, 2) == SQLITE_INTEGER ? sqlite3_column_int64(s, 2) : -1;
  d.processors = sqlite3_column_type(s, 3) == SQLITE_INTEGER ? sqlite3_column_int64(s, 3) : -1;
  TS_PUSH(r->e->arena, &r->e->devices, d);
}

static int by_device(const void *x, const void *y)
{
  const ts_device_info *a = x, *b = y;
  int order = (a->id > b->id) - (a->id < b->id);
  return order ? order : (a->name > b->name) - (a->name < b->name);
}

/* Rows of a table of activities; who asked for them sorts them. `name`: a text, or what is a number
 * of one in StringIds. */
static bool activities(reader *r, const char *table, const char *name, const char *process,
                       const char *thread, const char *correlation, const char *more,
                       void (*with)(reader *r, sqlite3_stmt *s))
{
  char query[800];
  if (!exists(r, table, NULL))
    return true;
  snprintf(query, sizeof query, "SELECT start, %s, %s, %s, %s, %s, %s FROM %s NOT INDEXED",
           exists(r, table, "end") ? "\"end\"" : "start", name, process, thread, correlation, more,
           table);
  return each(r, query, with);
}

#define PROCESS "globalTid >> 24"
#define THREAD "globalTid & 16777215"

static bool read_activities(reader *r)
{
  static const char kernels[] = "CUPTI_ACTIVITY_KIND_KERNEL", marks[] = "NVTX_EVENTS";
  const char *text = exists(r, marks, "text") ? "text" : "NULL",
             *number = exists(r, marks, "textId") ? "textId" : "NULL";
  char named[64];
  snprintf(named, sizeof named, "coalesce(%s, %s)", text, number);
  return activities(r, kernels, column_of(r, kernels, "demangledName", "shortName"), "deviceId",
                    "streamId", "correlationId",
                    exists(r, kernels, "gridX") ? "gridX * gridY * gridZ" : "NULL", kernel) &&
         activities(r, "CUPTI_ACTIVITY_KIND_MEMCPY", "'Memcpy'", "deviceId", "streamId",
                    "correlationId", "NULL", copy) &&
         activities(r, "CUPTI_ACTIVITY_KIND_MEMSET", "'Memset'", "deviceId", "streamId",
                    "correlationId", "NULL", fill) &&
         activities(r, "CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", PROCESS, THREAD, "correlationId",
                    "NULL", call) &&
         activities(r, marks, named, PROCESS, THREAD, "0", "NULL", mark);
}

static bool read_names(reader *r)
{
  if (exists(r, "StringIds", NULL) && !each(r, "SELECT id, value FROM StringIds NOT INDEXED",
                                            keep_name))
    return false;
  TS_SORT(&r->names, by_id);
  return true;
}

static bool read_devices(reader *r)
{
  if (exists(r, "TARGET_INFO_GPU", NULL) &&
      !each(r,
            exists(r, "TARGET_INFO_GPU", "smCount") ?
              "SELECT id, name, totalMemory, smCount FROM TARGET_INFO_GPU NOT INDEXED" :
              "SELECT id, name, totalMemory, NULL FROM TARGET_INFO_GPU NOT INDEXED",
            device))
    return false;
  TS_SORT(&r->e->devices, by_device);
  fill_processors(r->e);
  return true;
}

static bool is_export(reader *r)
{
  return exists(r, "CUPTI_ACTIVITY_KIND_KERNEL", NULL) ||
         exists(r, "CUPTI_ACTIVITY_KIND_RUNTIME", NULL) || r->error->message[0] ||
         ts_fail(r->error, "nsys profile --trace=cuda,nvtx, then nsys export --type sqlite",
                 "this SQLite database has no CUDA activities of Nsight Systems");
}

static bool open_file(reader *r)
{
  ts_error error;
  const char *file = r->e->file;
  char *real = ts_heap_real_path(file);
  bool open = ts_sqlite_open(&r->file, real ? real : file, TS_SQLITE_FOREIGN, r->work, &error);
  free(real);
  return open || ts_fail(r->error, error.help[0] ? error.help : again,
                         "the database cannot be read: %s", error.message);
}

static bool read_all(reader *r, ts_feed *feed)
{
  if (!open_file(r))
    return false;
  int64_t pages = ts_sqlite_number(&r->file, "PRAGMA page_count");
  int64_t size = ts_sqlite_number(&r->file, "PRAGMA page_size");
  if (pages < 0 || size < 0) {
    ts_fail(r->error, "export the report again", "the size of the database cannot be read");
    return false;
  }
  feed->passed = (uint64_t)(pages * size) - feed->at; /* stands for what was read */
  if (!is_export(r))
    return false;
  r->e->format = TS_TRACE_NSYS;
  r->e->timed = true;
  return read_names(r) && read_activities(r) && read_devices(r) && !r->error->message[0];
}

static bool read_nsys(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  reader r = {.e = e, .options = options, .error = feed->error};
  if (feed->file < 0 || feed->packed || strcmp(e->file, "-") == 0)
    return ts_fail(feed->error, "unpack it and name the file",
                   "an SQLite database is read from a file alone, not packed");
  r.work = ts_arena_new("names of a database");
  bool good = read_all(&r, feed);
  ts_sqlite_close(&r.file);
  ts_arena_free(r.work);
  return good;
}

#else
static bool read_nsys(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)e, (void)options;
  return ts_fail(feed->error, "install libsqlite3-dev, configure and build again",
                 "an SQLite database is not read: this build has no SQLite");
}
#endif

static bool is_sqlite(ts_feed *feed)
{
  static const char magic[] = "SQLite format 3";
  return feed->end - feed->at >= sizeof magic - 1 &&
         memcmp(feed->buffer + feed->at, magic, sizeof magic - 1) == 0;
}

const ts_trace_reader ts_trace_reader_nsys = {
  .begins = is_sqlite, .read = read_nsys, .linked = true};
