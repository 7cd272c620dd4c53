/* Memory timelines of PyTorch's profiler, profile.export_memory_timeline(FILE): of one device, by
 * category. As raw.json.gz a list of [time, action, bytes, category], times in ns, -1: before it
 * began; otherwise two lists: times in us, and for each the bytes held, a column behind the first
 * for each category (torch/profiler/_memory_profiler.py: MemoryProfileTimeline). */
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"

static const int64_t most = INT64_C(1) << 50; /* bytes */

/* As _CATEGORY_TO_INDEX counts. */
static const char *const categories[] = {"parameters",  "optimizer states", "inputs",
                                         "temporaries", "activations",      "gradients",
                                         "autograd",    "unknown"};
enum { CATEGORIES = sizeof categories / sizeof *categories };
enum { ACTIONS = 4 }; /* was there, is created, changes its category, is freed: by the bytes */

typedef struct memory_timeline_reader {
  ts_events *e;
  ts_json *j;
  int64_t held, first; /* bytes; ns of the first event with a time */
  uint32_t category[CATEGORIES]; /* strings */
} memory_timeline_reader;

static bool memory_timeline_wrong(memory_timeline_reader *r, const char *what)
{
  return ts_feed_fail(r->j->feed, NULL, "entry %llu %s", (unsigned long long)r->e->seen + 1, what);
}

/* A number of the list that is open. False: it is none. */
static bool memory_timeline_take_number(ts_json *j, int64_t *value)
{
  int64_t thousandths;
  if (ts_json_value(j) != TS_JSON_NUMBER || !ts_json_thousandths(j->text, j->length, &thousandths))
    return false;
  *value = thousandths / 1000;
  return true;
}

static void memory_timeline_add(memory_timeline_reader *r, int64_t time, int64_t bytes,
                                int64_t category)
{
  r->held += bytes;
  if (r->held < 0 || r->held > most)
    r->held = r->held < 0 ? 0 : most;
  ts_memory_event m = {.time = time,
                       .bytes = bytes,
                       .allocated = r->held,
                       .reserved = -1,
                       .on_device = true,
                       .category = r->category[category]};
  TS_PUSH(r->e->arena, &r->e->memory, m);
}

static bool put_raw(memory_timeline_reader *r, const int64_t *n, size_t count)
{
  if (count != 4 || n[1] < 0 || n[1] >= ACTIONS || n[3] < 0 || n[3] >= CATEGORIES || n[2] > most ||
      n[2] < -most || n[0] > INT64_MAX / 4)
    return memory_timeline_wrong(r, "is not [time, action, bytes, category]");
  if (r->first < 0 && n[0] >= 0)
    r->first = n[0];
  memory_timeline_add(r, n[0] < 0 ? -1 : n[0], n[2], n[3]);
  r->e->seen++;
  return true;
}

/* Its list is open, `known` numbers have been read. */
static bool take_raw(memory_timeline_reader *r, int64_t *numbers, size_t known)
{
  ts_json *j = r->j;
  size_t count = known;
  while (ts_json_element(j)) {
    if (count == 4 || !memory_timeline_take_number(j, &numbers[count]))
      return ts_json_ok(j) && memory_timeline_wrong(r, "is not [time, action, bytes, category]");
    count++;
  }
  return ts_json_ok(j) && put_raw(r, numbers, count);
}

/* What was there before is there from the first moment on. */
static void finish_raw(memory_timeline_reader *r)
{
  for (size_t i = 0; i < r->e->memory.count; i++)
    if (r->e->memory.at[i].time < 0)
      r->e->memory.at[i].time = r->first > 0 ? r->first : 0;
}

/* A row of sizes: its changes against the row before. */
static bool take_sizes(memory_timeline_reader *r, int64_t time, int64_t *before)
{
  ts_json *j = r->j;
  int64_t value, column = -1; /* the first is no category */
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && memory_timeline_wrong(r, "of the sizes is not a list");
  for (; ts_json_element(j); column++) {
    if (column >= CATEGORIES || !memory_timeline_take_number(j, &value) || value > most ||
        value < -most)
      return ts_json_ok(j) &&
             memory_timeline_wrong(r, "of the sizes is not a list of bytes by category");
    if (column < 0)
      continue;
    if (value != before[column])
      memory_timeline_add(r, time, value - before[column], column);
    before[column] = value;
  }
  r->e->seen++;
  return ts_json_ok(j);
}

/* Both lists; `times` has been read, and the list of sizes is open. */
static bool take_columns(memory_timeline_reader *r, const int64_t *times, size_t count)
{
  int64_t before[CATEGORIES] = {0};
  size_t row = 0;
  do {
    if (row == count)
      return memory_timeline_wrong(r, "of the sizes has no time");
    if (times[row] < 0 || times[row] > INT64_MAX / 4000)
      return memory_timeline_wrong(r, "has no time in microseconds");
    if (!take_sizes(r, times[row++] * 1000, before))
      return false;
  } while (ts_json_element(r->j));
  return ts_json_ok(r->j) &&
         (row == count || memory_timeline_wrong(r, "of the times has no sizes"));
}

/* The first entry: a raw event, or the times. Which one, the second entry says. */
static bool take_entries(memory_timeline_reader *r)
{
  ts_json *j = r->j;
  TS_VEC(int64_t) first = {0};
  int64_t numbers[4];
  if (!ts_json_element(j) || ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && memory_timeline_wrong(r, "is not a list");
  while (ts_json_element(j)) {
    int64_t value;
    if (!memory_timeline_take_number(j, &value))
      return ts_json_ok(j) && memory_timeline_wrong(r, "is not a list of numbers");
    TS_PUSH(r->e->arena, &first, value);
  }
  bool another = ts_json_element(j);
  if (another && ts_json_value(j) == TS_JSON_ARRAY && ts_json_element(j)) {
    const ts_feed *f = j->feed;
    size_t at = f->at;
    while (at < f->end && strchr(" \t\r\n,", f->buffer[at]) && f->buffer[at]) at++;
    if (at < f->end && f->buffer[at] == '[')
      return take_columns(r, first.at, first.count) &&
             (!ts_json_element(j) || !ts_json_ok(j) ||
              memory_timeline_wrong(r, "follows times and sizes"));
    if (!memory_timeline_take_number(j, &numbers[0]))
      return ts_json_ok(j) && memory_timeline_wrong(r, "is not [time, action, bytes, category]");
  } else if (another)
    return ts_json_ok(j) && memory_timeline_wrong(r, "is not [time, action, bytes, category]");
  if (!ts_json_ok(j) || !put_raw(r, first.at, first.count))
    return false;
  if (another && !take_raw(r, numbers, 1))
    return false;
  while (another && ts_json_element(j))
    if (ts_json_value(j) != TS_JSON_ARRAY)
      return ts_json_ok(j) && memory_timeline_wrong(r, "is not [time, action, bytes, category]");
    else if (!take_raw(r, numbers, 0))
      return false;
  finish_raw(r);
  return ts_json_ok(j);
}

static bool is_timeline(ts_feed *feed)
{
  size_t at = feed->at + 1;
  while (at < feed->end && strchr(" \t\r\n", feed->buffer[at]) && feed->buffer[at]) at++;
  return feed->at < feed->end && feed->buffer[feed->at] == '[' && at < feed->end &&
         feed->buffer[at] == '[';
}

static bool read_timeline(ts_events *e, ts_json *j, const ts_events_options *options)
{
  (void)options;
  memory_timeline_reader r = {.e = e, .j = j, .first = -1};
  e->format = TS_TRACE_MEMORY_TIMELINE;
  e->timed = true;
  for (int c = 0; c < CATEGORIES; c++)
    r.category[c] = ts_events_string(e, categories[c], strlen(categories[c]));
  return ts_json_value(j) == TS_JSON_ARRAY && take_entries(&r);
}

const ts_trace_reader ts_trace_reader_memory_timeline = {
  .begins = is_timeline, .after_blanks = true, .value = read_timeline};
