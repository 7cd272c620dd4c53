/* JSON of rocprofv3 (`--output-format json`): `rocprofiler-sdk-tool` is a list of processes, each
 * with its GPUs, the names of calls and kernels, and records with exact times. Members are those of
 * ROCm/rocprofiler-sdk, generateJSON.cpp and docs/rocprofv3-schema.json. A kernel has the internal
 * correlation of the call that launched it. Names may come behind the records. */
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"

enum { HIGHEST_KERNEL = 1 << 22, KINDS = 256 };
enum { GPU = 2 }; /* rocprofiler_agent_type_t */

typedef struct kind { uint32_t first, count; } kind; /* of operations */

/* A record whose name is known when all is read. */
typedef struct unnamed { uint32_t event, kind, operation; bool kernel; } unnamed;

typedef struct record {
  int64_t kind, operation, thread, correlation, start, end, bytes, kernel, queue, agent, target;
  bool has_start, has_end;
} record;

typedef struct rocprof_reader {
  ts_events *e;
  ts_json *j;
  TS_VEC(kind) kinds;          /* by number */
  TS_VEC(uint32_t) operations; /* strings */
  TS_VEC(uint32_t) kernels;    /* strings by kernel_id; 0: not known */
  TS_VEC(unnamed) unnamed;
  uint32_t copies;             /* string */
} rocprof_reader;

/* Does what `take` says for each object of a list; of an object alone, for that one. */
static void each(rocprof_reader *r, void (*take)(rocprof_reader *))
{
  ts_json *j = r->j;
  ts_json_kind kind = ts_json_value(j);
  if (kind == TS_JSON_OBJECT)
    take(r);
  while (kind == TS_JSON_ARRAY && ts_json_element(j)) {
    ts_json_kind is = ts_json_value(j);
    if (is == TS_JSON_OBJECT)
      take(r);
    while (is == TS_JSON_ARRAY && ts_json_element(j)) ts_json_skip(j);
  }
}

/* ---- Names ---- */

static void take_operations(rocprof_reader *r)
{
  ts_json *j = r->j;
  kind k = {(uint32_t)r->operations.count, 0};
  while (ts_json_member(j)) {
    bool names = TS_JSON_IS(j, "operations");
    ts_json_kind is = names ? ts_json_value(j) : TS_JSON_NONE;
    if (!names)
      ts_json_skip(j);
    while (is == TS_JSON_OBJECT && ts_json_member(j)) ts_json_skip(j);
    while (is == TS_JSON_ARRAY && ts_json_element(j))
      TS_PUSH(r->e->arena, &r->operations, ts_json_take_string(j, r->e));
  }
  k.count = (uint32_t)r->operations.count - k.first;
  if (r->kinds.count < KINDS)
    TS_PUSH(r->e->arena, &r->kinds, k);
}

static void take_strings(rocprof_reader *r)
{
  ts_json *j = r->j;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "buffer_records"))
      each(r, take_operations);
    else
      ts_json_skip(j);
}

static void take_symbol(rocprof_reader *r)
{
  ts_json *j = r->j;
  int64_t id = -1;
  uint32_t plain = 0, formatted = 0;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "kernel_id"))
      id = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "kernel_name"))
      plain = ts_json_take_string(j, r->e);
    else if (TS_JSON_IS(j, "formatted_kernel_name"))
      formatted = ts_json_take_string(j, r->e);
    else
      ts_json_skip(j);
  if (id < 0 || id >= HIGHEST_KERNEL)
    return;
  while ((int64_t)r->kernels.count <= id) TS_PUSH(r->e->arena, &r->kernels, 0);
  r->kernels.at[id] = formatted ? formatted : plain;
}

static int64_t take_handle(ts_json *j)
{
  int64_t handle = 0;
  ts_json_kind is = ts_json_value(j);
  while (is == TS_JSON_OBJECT && ts_json_member(j))
    if (TS_JSON_IS(j, "handle"))
      handle = ts_json_take_integer(j, 0);
    else
      ts_json_skip(j);
  while (is == TS_JSON_ARRAY && ts_json_element(j)) ts_json_skip(j);
  return handle;
}

static void take_agent(rocprof_reader *r)
{
  ts_json *j = r->j;
  ts_device_info device = {0, -1, -1, -1};
  uint32_t name = 0;
  int64_t type = 0;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "type"))
      type = ts_json_take_integer(j, 0);
    else if (TS_JSON_IS(j, "id"))
      device.id = take_handle(j);
    else if (TS_JSON_IS(j, "cu_count"))
      device.processors = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "product_name"))
      device.name = ts_json_take_string(j, r->e);
    else if (TS_JSON_IS(j, "name"))
      name = ts_json_take_string(j, r->e);
    else
      ts_json_skip(j);
  device.name = device.name ? device.name : name;
  if (type == GPU && r->e->devices.count < TS_TRACKS_MOST)
    TS_PUSH(r->e->arena, &r->e->devices, device);
}

/* ---- Records ---- */

static uint32_t rocprof_number(ts_events *e, int64_t value)
{
  char text[24];
  size_t at = sizeof text;
  uint64_t rest = value < 0 ? 0 : (uint64_t)value;
  do
    text[--at] = (char)('0' + rest % 10);
  while (rest /= 10);
  return ts_events_string(e, text + at, sizeof text - at);
}

/* The object that comes next is open; false: it is another value, and passed over. */
static bool enters(ts_json *j)
{
  ts_json_kind is = ts_json_value(j);
  while (is == TS_JSON_ARRAY && ts_json_element(j)) ts_json_skip(j);
  return is == TS_JSON_OBJECT;
}

static void take_dispatch(ts_json *j, record *out)
{
  if (!enters(j))
    return;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "agent_id"))
      out->agent = take_handle(j);
    else if (TS_JSON_IS(j, "queue_id"))
      out->queue = take_handle(j);
    else if (TS_JSON_IS(j, "kernel_id"))
      out->kernel = ts_json_take_integer(j, -1);
    else
      ts_json_skip(j);
}

static void take_correlation(ts_json *j, record *out)
{
  if (!enters(j))
    return;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "internal"))
      out->correlation = ts_json_take_integer(j, 0);
    else
      ts_json_skip(j);
}

/* False: it has no times, or ends before it begins: counted. */
static bool take_record(rocprof_reader *r, record *out)
{
  ts_json *j = r->j;
  *out = (record){.kind = -1, .operation = -1, .kernel = -1};
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "kind"))
      out->kind = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "operation"))
      out->operation = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "thread_id"))
      out->thread = ts_json_take_integer(j, 0);
    else if (TS_JSON_IS(j, "correlation_id"))
      take_correlation(j, out);
    else if (TS_JSON_IS(j, "start_timestamp"))
      out->start = ts_json_take_integer(j, -1), out->has_start = out->start >= 0;
    else if (TS_JSON_IS(j, "end_timestamp"))
      out->end = ts_json_take_integer(j, -1), out->has_end = out->end >= 0;
    else if (TS_JSON_IS(j, "dispatch_info"))
      take_dispatch(j, out);
    else if (TS_JSON_IS(j, "dst_agent_id"))
      out->target = take_handle(j);
    else if (TS_JSON_IS(j, "bytes"))
      out->bytes = ts_json_take_integer(j, 0);
    else
      ts_json_skip(j);
  r->e->seen++;
  r->e->untimed += !out->has_start || !out->has_end;
  r->e->negative += out->has_start && out->has_end && out->end < out->start;
  return ts_json_ok(j) && out->has_start && out->has_end && r->e->count < TS_EVENTS_MOST;
}

static ts_event *rocprof_add(rocprof_reader *r, const record *of, ts_event_class class,
                             ts_event_kind kind, uint32_t process, uint32_t thread)
{
  ts_events *e = r->e;
  ts_event *v = ts_events_add(e, class, kind);
  v->start = of->start;
  v->duration = of->end > of->start ? of->end - of->start : 0;
  v->id = of->correlation > 0 ? (uint64_t)of->correlation : 0;
  v->detail = TS_EVENT_NONE;
  if (e->tracks.count >= TS_TRACKS_MOST)
    e->too_many++;
  v->track = e->tracks.count < TS_TRACKS_MOST ?
               ts_events_track(e, process, thread, class == TS_EVENT_DEVICE) :
               (uint32_t)e->tracks.count - 1;
  TS_PUSH(e->arena, &r->unnamed,
          ((unnamed){.event = e->count - 1,
                     .kind = of->kind < 0 || of->kind >= KINDS ? KINDS : (uint32_t)of->kind,
                     .operation = of->operation < 0 || of->operation > UINT16_MAX ?
                                    UINT32_MAX :
                                    (uint32_t)of->operation}));
  return v;
}

static void take_kernel(rocprof_reader *r)
{
  record of;
  if (!take_record(r, &of))
    return;
  rocprof_add(r, &of, TS_EVENT_DEVICE, TS_KERNEL_OTHER, rocprof_number(r->e, of.agent),
              rocprof_number(r->e, of.queue));
  unnamed *u = &r->unnamed.at[r->unnamed.count - 1];
  u->kernel = true;
  u->operation = of.kernel < 0 || of.kernel >= HIGHEST_KERNEL ? UINT32_MAX : (uint32_t)of.kernel;
}

static void take_copy(rocprof_reader *r)
{
  record of;
  if (!take_record(r, &of))
    return;
  rocprof_add(r, &of, TS_EVENT_DEVICE, TS_KERNEL_COPY, rocprof_number(r->e, of.target), r->copies);
  if (of.bytes > 0)
    TS_PUSH(r->e->arena, &r->e->copies, ((ts_event_copy){r->e->count - 1, of.bytes, 0}));
}

static void rocprof_take_call(rocprof_reader *r)
{
  record of;
  if (take_record(r, &of))
    rocprof_add(r, &of, TS_EVENT_CALL, TS_CALL_OTHER, 0, rocprof_number(r->e, of.thread));
}

static void take_records(rocprof_reader *r)
{
  ts_json *j = r->j;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "kernel_dispatch"))
      each(r, take_kernel);
    else if (TS_JSON_IS(j, "memory_copy"))
      each(r, take_copy);
    else if (TS_JSON_IS(j, "hip_api"))
      each(r, rocprof_take_call);
    else
      ts_json_skip(j);
}

static void name_events(rocprof_reader *r)
{
  for (size_t i = 0; i < r->unnamed.count; i++) {
    const unnamed *u = &r->unnamed.at[i];
    ts_event *v = ts_event_at(r->e, u->event);
    const kind *k = u->kind < r->kinds.count ? &r->kinds.at[u->kind] : NULL;
    v->name = u->kernel ? u->operation < r->kernels.count ? r->kernels.at[u->operation] : 0 :
              k && u->operation < k->count ? r->operations.at[k->first + u->operation] :
                                             0;
    const char *name = ts_events_text(r->e, v->name);
    if (u->kernel)
      v->kind = (uint8_t)ts_kernel_kind(name);
    else if (v->class == TS_EVENT_CALL)
      v->kind = (uint8_t)ts_call_kind(name);
  }
}

static void take_process(rocprof_reader *r)
{
  ts_json *j = r->j;
  r->kinds.count = r->operations.count = r->kernels.count = r->unnamed.count = 0;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "strings"))
      each(r, take_strings);
    else if (TS_JSON_IS(j, "kernel_symbols"))
      each(r, take_symbol);
    else if (TS_JSON_IS(j, "agents"))
      each(r, take_agent);
    else if (TS_JSON_IS(j, "buffer_records"))
      each(r, take_records);
    else
      ts_json_skip(j);
  name_events(r);
}

static bool read_rocprof(ts_events *e, ts_json *j, const ts_events_options *options)
{
  (void)options;
  rocprof_reader r = {.e = e, .j = j, .copies = ts_events_string(e, "copies", 6)};
  e->format = TS_TRACE_ROCPROF;
  e->timed = true;
  each(&r, take_process);
  return ts_json_ok(j);
}

const ts_trace_reader ts_trace_reader_rocprof = {
  .key = "rocprofiler-sdk-tool", .value = read_rocprof, .linked = true};
