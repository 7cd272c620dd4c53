/* Which format a file has, and what stands around its events. */
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "trace/read/goal_ranks.h"
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

static void take_member(ts_events *e, ts_json *j, const ts_events_options *options)
{
  if (ts_read_graph_member(e, j) || ts_read_snapshot_member(e, j))
    return;
  if (TS_JSON_IS(j, "traceEvents"))
    ts_read_kineto(e, j, options);
  else if (TS_JSON_IS(j, "nodes"))
    ts_read_execution(e, j);
  else if (TS_JSON_IS(j, "rocprofiler-sdk-tool"))
    ts_read_rocprof(e, j);
  else if (TS_JSON_IS(j, "workload_graph"))
    ts_read_chakra_json(e, j);
  else if (TS_JSON_IS(j, "deviceProperties"))
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

static bool read_json(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  ts_json j = {.feed = feed};
  if (ts_is_memory_timeline(feed)) {
    ts_read_memory_timeline(e, &j);
  } else if (feed->buffer[feed->at] == '[') {
    ts_read_kineto(e, &j, options); /* the bare list of events that older tools write */
  } else if (ts_json_value(&j) == TS_JSON_OBJECT) {
    while (ts_json_member(&j))
      take_member(e, &j, options);
  }
  e->cut = j.cut;
  if (feed->error->message[0])
    return false;
  if (e->format == TS_TRACE_GRAPH)
    return ts_read_graph_finish(e, &j);
  if (e->format == TS_TRACE_SNAPSHOT)
    ts_read_snapshot_finish(e);
  if (!e->format && j.cut)
    return ts_feed_fail(feed, "copy the file again", "the file ends %s",
                        e->seen ? "early" : "before its events begin");
  if (!e->format)
    return ts_feed_fail(
      feed,
      "a trace has `traceEvents` (PyTorch profiler), `nodes` (execution trace), `format` "
      "(execution graph), `segments` (memory snapshot), `workload_graph` (Chakra) or "
      "`rocprofiler-sdk-tool` (rocprofv3)",
      "this JSON holds no events of a trace");
  return true;
}

/* A record of a few hundred bytes that begins with its length and the key of a field: the metadata
 * that leads a Chakra file. */
static bool is_chakra(const ts_feed *feed)
{
  const uint8_t *at = (const uint8_t *)feed->buffer + feed->at;
  size_t have = feed->end - feed->at, n = 0;
  while (n < 5 && n < have && at[n] & 0x80)
    n++;
  return n + 1 < have && n < 5 &&
         (at[0] == 0 || at[n + 1] == 0x0a || at[n + 1] == 0x12 || at[n + 1] == 0x08);
}

static bool is_text(const ts_feed *feed)
{
  for (size_t i = feed->at; i < feed->end && i < feed->at + 200; i++) {
    unsigned char c = (unsigned char)feed->buffer[i];
    if (c < ' ' && c != '\n' && c != '\r' && c != '\t')
      return false;
  }
  return true;
}

static bool is_table(const ts_feed *feed)
{
  const char *at = feed->buffer + feed->at, *end = memchr(at, '\n', feed->end - feed->at);
  size_t length = (size_t)((end ? end : feed->buffer + feed->end) - at), commas = 0;
  for (size_t i = 0; i < length; i++)
    commas += at[i] == ',';
  return commas >= 2;
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
  char first = feed->buffer[begin];
  size_t start = feed->at;
  feed->at = begin;
  if (ts_is_aicb(feed))
    return ts_read_aicb(e, feed);
  if (first == '{' || first == '[')
    return read_json(e, feed, options);
  feed->at = start; /* blanks may be a record's length */
  if (feed->end - feed->at >= 15 && memcmp(feed->buffer + feed->at, "SQLite format 3", 15) == 0)
    return ts_read_nsys(e, feed, options);
  if (ts_is_goal_binary(feed))
    return ts_read_goal(e, feed);
  if (ts_is_xplane(feed))
    return ts_read_xplane(e, feed, options);
  if (!is_text(feed)) {
    if (is_chakra(feed))
      return ts_read_chakra(e, feed);
    return ts_feed_fail(
      feed,
      "traces are JSON, protobuf (Chakra, XPlane), SQLite (Nsight Systems), tables or text; plain or gzip",
      "neither JSON nor a Chakra trace or an XPlane profile");
  }
  if (ts_is_triosim(feed))
    return ts_read_triosim(e, feed);
  if (ts_is_goal(feed))
    return ts_read_goal(e, feed);
  if (is_table(feed))
    return ts_fail(feed->error, "models come from such tables by trace(\"...\", MAPPING) in a plan",
                   "a table of operators is not a trace");
  return ts_read_workload(e, feed);
}

/* What to do about a file of a format that is not as it should be, where the reader has nothing
 * better to say. */
static const char *usual_help(ts_trace_format format)
{
  static const char *const helps[] = {
    [TS_TRACE_KINETO] = "write it again with profiler.export_chrome_trace(FILE)",
    [TS_TRACE_EXECUTION] = "write it again with torch.profiler.ExecutionTraceObserver",
    [TS_TRACE_CHAKRA] =
      "records are those of et_def.proto (mlcommons/chakra): convert the trace again",
    [TS_TRACE_CHAKRA_JSON] = "nodes have `Id`, `Name`, `NodeType`, `data_deps`, `runtime`",
    [TS_TRACE_WORKLOAD] = "a workload has a policy, the number of layers, and 12 columns a layer",
    [TS_TRACE_GRAPH] = "doc/graph_json.md says what an execution graph holds",
    [TS_TRACE_NSYS] = "export the report again: nsys export --type sqlite",
    [TS_TRACE_TRIOSIM] = "columns are those of TrioSim's trace.csv",
    [TS_TRACE_AICB] = "columns are those of AICB's workloads: comm_type, comm_group, ...",
    [TS_TRACE_SNAPSHOT] = "convert it again with share/snapshot_to_json.py",
    [TS_TRACE_GOAL] = "a schedule has `num_ranks N`, then `rank K { }` with a line for each "
                      "operation: LogGOPSim's grammar",
    [TS_TRACE_XPLANE] = "write it again: jax.profiler.trace(FOLDER) leaves NAME.xplane.pb",
    [TS_TRACE_ROCPROF] = "write it again: rocprofv3 --sys-trace --output-format json",
    [TS_TRACE_MEMORY_TIMELINE] =
      "write it again: profile.export_memory_timeline(\"NAME.raw.json.gz\")"};
  TS_TABLE(helps, TS_TRACE_FORMATS);
  return helps[format];
}

static ts_events *finish(ts_events *e, ts_feed *feed, bool read)
{
  if (!read && !feed->error->help[0] && feed->error->kind == TS_ERROR_CONTENT &&
      usual_help(e->format))
    snprintf(feed->error->help, sizeof feed->error->help, "%s", usual_help(e->format));
  e->bytes = ts_feed_offset(feed);
  e->packed = feed->packed;
  e->cut |= feed->cut;
  if (read && e->cut && !e->count && !e->memory.count)
    read = ts_feed_fail(feed, "copy the file again", "the file ends before its first event does");
  ts_feed_close(feed);
  if (!read)
    return NULL;
  if (e->format == TS_TRACE_KINETO || e->format == TS_TRACE_NSYS ||
      e->format == TS_TRACE_XPLANE || e->format == TS_TRACE_ROCPROF)
    ts_events_link(e);
  else
    ts_events_sort(e);
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
  return finish(e, &feed, read_any(e, &feed, options ? options : &usual));
}

ts_events *ts_events_parse(ts_arena *arena, const char *name, const void *bytes, size_t size,
                           const ts_events_options *options, ts_error *error)
{
  ts_feed feed;
  *error = (ts_error){0};
  ts_feed_memory(&feed, bytes, size, error);
  ts_events *e = ts_events_new(arena, name);
  return finish(e, &feed, read_any(e, &feed, options ? options : &usual));
}
