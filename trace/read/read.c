/* Which format a file has, and what stands around its events. */
#include <stdio.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"

static void take_devices(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  while (ts_json_element(j)) {
    ts_device_info device = {0, -1, -1, -1};
    if (ts_json_value(j) != TS_JSON_OBJECT)
      continue;
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "id"))
        device.id = ts_json_take_integer(j, -1);
      else if (TS_JSON_IS(j, "name"))
        device.name = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "totalGlobalMem"))
        device.memory = ts_json_take_integer(j, -1);
      else if (TS_JSON_IS(j, "numSms"))
        device.processors = ts_json_take_integer(j, -1);
      else
        ts_json_skip(j);
    if (e->devices.count < TS_TRACKS_MOST)
      TS_PUSH(e->arena, &e->devices, device);
  }
}

static uint32_t take_ranks(ts_events *e, ts_json *j)
{
  uint32_t ranks;
  return ts_json_raw(j) && ts_take_ranks(e, j->text, j->length, &ranks) ? ranks : 0;
}

void ts_read_groups(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  while (ts_json_element(j)) {
    ts_group_info group = {.size = -1};
    if (ts_json_value(j) != TS_JSON_OBJECT)
      continue;
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "pg_name"))
        group.name = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "pg_desc"))
        group.label = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "ranks"))
        group.ranks = take_ranks(e, j);
      else if (TS_JSON_IS(j, "pg_size") || TS_JSON_IS(j, "group_size"))
        group.size = ts_json_take_integer(j, -1);
      else
        ts_json_skip(j);
    TS_PUSH(e->arena, &e->groups, group);
  }
}

static void take_distributed(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_OBJECT)
    return;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "rank"))
      e->rank = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "world_size"))
      e->world = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "backend"))
      e->backend = ts_json_take_string(j, e);
    else if (TS_JSON_IS(j, "pg_config"))
      ts_read_groups(e, j);
    else
      ts_json_skip(j);
}

static const struct ts_reader_row {
  const char *name, *remedy;
  const ts_trace_reader *record;
} formats[] = {
#define FORMAT(id, record, name, file, remedy, table, plays, slows)                                \
  [TS_TRACE_##id] = {name, remedy, &ts_trace_reader_##record},
#include "trace/read/formats.def"
#undef FORMAT
};

const char ts_formats_known[] = "known: "
#define FORMAT(id, record, name, ...) name ", "
#include "trace/read/formats.def"
#undef FORMAT
                                "plain or gzip";

const char *ts_trace_format_name(ts_trace_format format)
{
  return format ? formats[format].name : "?";
}

static bool takes_member(const ts_trace_reader *f, ts_events *e, ts_json *j,
                         const ts_events_options *options)
{
  if (f->member)
    return f->member(e, j);
  if (!f->key || strlen(f->key) != j->length || memcmp(f->key, j->text, j->length) != 0)
    return false;
  f->value(e, j, options);
  return true;
}

static void take_member(ts_events *e, ts_json *j, const ts_events_options *options)
{
  for (int f = 1; f < TS_TRACE_FORMATS; f++)
    if (takes_member(formats[f].record, e, j, options))
      return;
  if (TS_JSON_IS(j, "deviceProperties"))
    take_devices(e, j);
  else if (TS_JSON_IS(j, "distributedInfo"))
    take_distributed(e, j);
  else if (TS_JSON_IS(j, "baseTimeNanoseconds"))
    e->base = ts_json_take_integer(j, 0);
  else if (TS_JSON_IS(j, "schema"))
    e->version = ts_events_text(e, ts_json_take_string(j, e));
  else
    ts_json_skip(j);
}

/* "a trace has `nodes` (PyTorch execution trace), ... or `segments` (memory snapshot)" */
static const char *keys_known(ts_arena *arena)
{
  const char *text = "", *last = NULL;
  for (int f = 1; f < TS_TRACE_FORMATS; f++)
    if (formats[f].record->key) {
      text = last ? ts_arena_printf(arena, "%s%s%s", text, *text ? ", " : "", last) : text;
      last = ts_arena_printf(arena, "`%s` (%s)", formats[f].record->key, formats[f].name);
    }
  return ts_arena_printf(arena, "a trace has %s or %s", text, last);
}

/* `whole`: the format whose value it is; NULL: an object, known by its members */
static bool read_json(ts_events *e, ts_feed *feed, const ts_trace_reader *whole,
                      const ts_events_options *options)
{
  ts_json j = {.feed = feed};
  if (whole)
    whole->value(e, &j, options);
  else if (ts_json_value(&j) == TS_JSON_OBJECT)
    while (ts_json_member(&j))
      take_member(e, &j, options);
  e->cut = j.cut;
  if (feed->error->message[0])
    return false;
  if (!e->format && j.cut)
    return ts_feed_fail(feed, "copy the file again", "the file ends %s",
                        e->seen ? "early" : "before its events begin");
  if (!e->format)
    return ts_feed_fail(feed, keys_known(e->arena), "this JSON holds no events of a trace");
  const ts_trace_reader *f = formats[e->format].record;
  return !f->finish || f->finish(e, &j);
}

bool ts_is_text(const ts_feed *feed)
{
  for (size_t i = feed->at; i < feed->end && i < feed->at + 200; i++) {
    unsigned char c = (unsigned char)feed->buffer[i];
    if (c < ' ' && c != '\n' && c != '\r' && c != '\t')
      return false;
  }
  return true;
}

bool ts_is_table(const ts_feed *feed)
{
  const char *at = feed->buffer + feed->at, *end = memchr(at, '\n', feed->end - feed->at);
  size_t length = (size_t)((end ? end : feed->buffer + feed->end) - at), commas = 0;
  for (size_t i = 0; i < length; i++)
    commas += at[i] == ',';
  return commas >= 2;
}

static const ts_trace_reader *begun(ts_feed *feed, bool after_blanks)
{
  for (int f = 1; f < TS_TRACE_FORMATS; f++) {
    const ts_trace_reader *format = formats[f].record;
    if (format->begins && format->after_blanks == after_blanks && format->begins(feed))
      return format;
  }
  return NULL;
}

/* Text: a table has commas in its first line, a plan a word of the language before all. */
static bool no_trace(ts_feed *feed, const char *text)
{
  static const char *const words[] = {"//", "import ", "plan ", "param ", "let ", "language "};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strncmp(text, words[i], strlen(words[i])))
      return ts_fail(feed->error, "`trainspec run` plays it", "this is a plan, not a trace");
  if (memchr(text, ',', strcspn(text, "\n")))
    return ts_fail(feed->error,
                   "models come from such tables by trace(\"...\", MAPPING) in a plan",
                   "a table of operators is not a trace");
  return ts_fail(feed->error, ts_formats_known, "this is text, not a trace");
}

static bool read_any(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  ts_feed_need(feed, 512);
  size_t begin = feed->at;
  while (begin < feed->end && strchr(" \t\r\n", feed->buffer[begin]) && feed->buffer[begin])
    begin++;
  if (feed->end - feed->at >= 3 && memcmp(feed->buffer + feed->at, "\xef\xbb\xbf", 3) == 0)
    begin = feed->at += 3;
  if (begin == feed->end)
    return feed->error->message[0] ?
             false :
             ts_fail(feed->error, "was the program that wrote it stopped?", "the file is empty");
  size_t start = feed->at;
  feed->at = begin;
  const ts_trace_reader *f = begun(feed, true);
  if (f ? !f->read : feed->buffer[begin] == '{')
    return read_json(e, feed, f, options);
  if (!f) {
    feed->at = start; /* blanks may be a record's length */
    f = begun(feed, false);
  }
  if (f)
    return f->read(e, feed, options);
  if (!ts_is_text(feed))
    return ts_feed_fail(feed, ts_formats_known, "none of the formats of traces");
  return no_trace(feed, (const char *)feed->buffer + begin);
}

static ts_events *read_finish(ts_events *e, ts_feed *feed, bool read)
{
  const struct ts_reader_row *f = e->format ? &formats[e->format] : NULL;
  if (!read && !feed->error->help[0] && feed->error->kind == TS_ERROR_CONTENT && f)
    snprintf(feed->error->help, sizeof feed->error->help, "%s", f->remedy);
  e->bytes = ts_feed_offset(feed);
  e->packed = feed->packed;
  e->cut |= feed->cut;
  if (read && e->cut && !e->count && !e->memory.count)
    read = ts_feed_fail(feed, "copy the file again", "the file ends before its first event does");
  ts_feed_close(feed);
  if (!read)
    return NULL;
  (f && f->record->linked ? ts_events_link : ts_events_sort)(e);
  return e;
}

static const ts_events_options usual = {0};

ts_events *ts_events_read(ts_arena *arena, const char *path, const ts_events_options *options,
                          ts_error *error)
{
  ts_feed feed;
  *error = (ts_error){0};
  if (!ts_feed_open(&feed, path, error)) {
    ts_feed_close(&feed);
    return NULL;
  }
  feed.progress = options ? options->progress : NULL;
  ts_events *e = ts_events_new(arena, path);
  return read_finish(e, &feed, read_any(e, &feed, options ? options : &usual));
}

ts_events *ts_events_parse(ts_arena *arena, const char *name, const void *bytes, size_t size,
                           const ts_events_options *options, ts_error *error)
{
  ts_feed feed;
  *error = (ts_error){0};
  ts_feed_memory(&feed, bytes, size, error);
  ts_events *e = ts_events_new(arena, name);
  return read_finish(e, &feed, read_any(e, &feed, options ? options : &usual));
}
