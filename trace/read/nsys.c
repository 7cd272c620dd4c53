/* SQLite exports of Nsight Systems (`nsys export --type sqlite`): kernels, copies, fills, calls of
 * the runtime and ranges of NVTX, as the tables CUPTI_ACTIVITY_KIND_* and NVTX_EVENTS have them.
 * Times are nanoseconds. Which tables and columns there are differs between versions: those that
 * are not there are done without. Synchronizing calls are recognized by their names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/heap.h"
#include "trace/read/readers.h"

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>

typedef struct reader {
  ts_events *e;
  const ts_events_options *options;
  sqlite3 *db;
  ts_error *error;
} reader;

/* The first error is reported, and reading ends. */
static bool wrong(reader *r)
{
  bool no_memory = sqlite3_errcode(r->db) == SQLITE_NOMEM;
  if (no_memory)
    ts_heap_or_file();
  if (!r->error->message[0])
    ts_fail(r->error, "export the report again", "the database cannot be read: %s",
            no_memory ? sqlite3_errstr(SQLITE_CORRUPT) : sqlite3_errmsg(r->db));
  return false;
}

/* As a table: a view could run for ever. */
static bool exists(reader *r, const char *table, const char *column)
{
  static const char query[] = "SELECT 1 FROM sqlite_master AS m, pragma_table_info(?1) AS c WHERE "
                              "m.type = 'table' AND m.name = ?1 AND (?2 IS NULL OR c.name = ?2)";
  sqlite3_stmt *s = NULL;
  bool asked = sqlite3_prepare_v2(r->db, query, -1, &s, NULL) == SQLITE_OK &&
               sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
               (!column || sqlite3_bind_text(s, 2, column, -1, SQLITE_STATIC) == SQLITE_OK);
  int status = asked ? sqlite3_step(s) : SQLITE_ERROR;
  if (status != SQLITE_ROW && status != SQLITE_DONE)
    wrong(r);
  sqlite3_finalize(s);
  return status == SQLITE_ROW;
}

/* The first of the columns that the table has; "NULL": none. */
static const char *column_of(reader *r, const char *table, const char *a, const char *b)
{
  return exists(r, table, a) ? a : b && exists(r, table, b) ? b : "NULL";
}

static uint32_t text_at(reader *r, sqlite3_stmt *s, int column)
{
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text ? ts_events_string(r->e, text, strlen(text)) : 0;
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
  uint32_t name = text_at(r, s, 2),
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
  sqlite3_stmt *s = NULL;
  int status = sqlite3_prepare_v2(r->db, query, -1, &s, NULL);
  while (status == SQLITE_OK || status == SQLITE_ROW) {
    if ((status = sqlite3_step(s)) != SQLITE_ROW)
      break;
    if (r->e->count >= TS_EVENTS_MOST || r->e->tracks.count >= TS_TRACKS_MOST) {
      ts_fail(r->error, "export a shorter range of time",
              "more than %u events or %d streams and threads", TS_EVENTS_MOST, TS_TRACKS_MOST);
      break;
    }
    with(r, s);
    /* a text that could not be had looks like one that is not there */
    if (sqlite3_errcode(r->db) == SQLITE_NOMEM)
      break;
  }
  if (status != SQLITE_DONE)
    wrong(r);
  sqlite3_finalize(s);
  return !r->error->message[0];
}

static void kernel(reader *r, sqlite3_stmt *s)
{
  const char *name = (const char *)sqlite3_column_text(s, 2);
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
  ts_device_info d = {text_at(r, s, 1), sqlite3_column_int64(s, 0), -1, -1};
  d.memory = sqlite3_column_type(s, 2) == SQLITE_INTEGER ? sqlite3_column_int64(s, 2) : -1;
  d.processors = sqlite3_column_type(s, 3) == SQLITE_INTEGER ? sqlite3_column_int64(s, 3) : -1;
  TS_PUSH(r->e->arena, &r->e->devices, d);
}

/* Rows of a table of activities by start; `name`: what gives its name, of the table `a` and of `n`,
 * the strings. */
static bool activities(reader *r, const char *table, const char *id, const char *name,
                       const char *process, const char *thread, const char *correlation,
                       const char *more, void (*with)(reader *r, sqlite3_stmt *s))
{
  char query[800];
  if (!exists(r, table, NULL))
    return true;
  snprintf(query, sizeof query,
           "SELECT a.start, a.%s, %s, %s, %s, %s, %s FROM %s a LEFT JOIN %s n ON n.id = %s ORDER "
           "BY a.start, a.rowid",
           exists(r, table, "end") ? "end" : "start", name, process, thread, correlation, more,
           table, exists(r, "StringIds", NULL) ? "StringIds" : "(SELECT NULL id, NULL value)", id);
  return each(r, query, with);
}

static bool read_all(reader *r)
{
  char name[64];
  const char *kernels = column_of(r, "CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", "shortName");
  snprintf(name, sizeof name, strcmp(kernels, "NULL") ? "a.%s" : "%s", kernels);
  bool good =
    activities(r, "CUPTI_ACTIVITY_KIND_KERNEL", name, "n.value", "a.deviceId", "a.streamId",
               "a.correlationId",
               exists(r, "CUPTI_ACTIVITY_KIND_KERNEL", "gridX") ? "a.gridX * a.gridY * a.gridZ" :
                                                                  "NULL",
               kernel) &&
    activities(r, "CUPTI_ACTIVITY_KIND_MEMCPY", "NULL", "'Memcpy'", "a.deviceId", "a.streamId",
               "a.correlationId", "NULL", copy) &&
    activities(r, "CUPTI_ACTIVITY_KIND_MEMSET", "NULL", "'Memset'", "a.deviceId", "a.streamId",
               "a.correlationId", "NULL", fill) &&
    activities(r, "CUPTI_ACTIVITY_KIND_RUNTIME", "a.nameId", "n.value", "a.globalTid >> 24",
               "a.globalTid & 16777215", "a.correlationId", "NULL", call);
  if (good && exists(r, "NVTX_EVENTS", NULL))
    good = activities(r, "NVTX_EVENTS", exists(r, "NVTX_EVENTS", "textId") ? "a.textId" : "NULL",
                      exists(r, "NVTX_EVENTS", "text") ? "coalesce(a.text, n.value)" : "n.value",
                      "a.globalTid >> 24", "a.globalTid & 16777215", "0", "NULL", mark);
  if (good && exists(r, "TARGET_INFO_GPU", NULL))
    good = each(r,
                exists(r, "TARGET_INFO_GPU", "smCount") ?
                  "SELECT id, name, totalMemory, smCount FROM TARGET_INFO_GPU ORDER BY id" :
                  "SELECT id, name, totalMemory, NULL FROM TARGET_INFO_GPU ORDER BY id",
                device);
  if (good)
    fill_processors(r->e);
  return good;
}

/* Whether it opens at all; then its size stands for what was read. */
static bool measure(reader *r, ts_feed *feed)
{
  sqlite3_stmt *s = NULL;
  bool good = sqlite3_prepare_v2(r->db,
                                 "SELECT (SELECT count(*) FROM sqlite_master), page_count * "
                                 "page_size FROM pragma_page_count, pragma_page_size",
                                 -1, &s, NULL) == SQLITE_OK &&
              sqlite3_step(s) == SQLITE_ROW;
  if (good)
    feed->passed = (uint64_t)sqlite3_column_int64(s, 1) - feed->at;
  sqlite3_finalize(s);
  return good;
}

bool ts_read_nsys(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  reader r = {.e = e, .options = options, .error = feed->error};
  bool good = false;
  if (feed->file < 0 || feed->packed || strcmp(e->file, "-") == 0)
    return ts_fail(feed->error, "unpack it and name the file",
                   "an SQLite database is read from a file alone, not packed");
  int status = sqlite3_open_v2(e->file, &r.db, SQLITE_OPEN_READONLY, NULL);
  if (!r.db)
    ts_heap_none(0);
  if (status != SQLITE_OK || !measure(&r, feed))
    wrong(&r);
  else if (!exists(&r, "CUPTI_ACTIVITY_KIND_KERNEL", NULL) &&
           !exists(&r, "CUPTI_ACTIVITY_KIND_RUNTIME", NULL) && !r.error->message[0])
    ts_fail(feed->error, "nsys profile --trace=cuda,nvtx, then nsys export --type sqlite",
            "this SQLite database has no CUDA activities of Nsight Systems");
  else {
    e->format = TS_TRACE_NSYS;
    e->timed = true;
    good = read_all(&r) && !r.error->message[0];
  }
  sqlite3_close(r.db);
  return good;
}

#else
bool ts_read_nsys(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)e, (void)options;
  return ts_fail(feed->error, "install libsqlite3-dev, configure and build again",
                 "an SQLite database is not read: this build has no SQLite");
}
#endif
