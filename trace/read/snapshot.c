/* Memory snapshots of PyTorch's caching allocator as JSON (share/snapshot_to_json.py): `segments`
 * are what it holds at the end, `device_traces` what it did before, one list a device. What was
 * allocated when recording began follows from both. Names are those of torch/cuda/memory.py. */
#include "trace/read/format.h"
#include "trace/read/readers.h"

enum { DEVICES = 1024 };
static const int64_t most = INT64_C(1) << 50; /* bytes and microseconds */

static int64_t bounded(int64_t value, int64_t otherwise)
{
  return value < 0 || value > most ? otherwise : value;
}

/* A state of a device's end: kept as a memory event without a time until ts_read_snapshot_finish.
 * */
static void take_segments(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  while (ts_json_element(j)) {
    int64_t device = 0, held = 0, allocated = 0;
    if (ts_json_value(j) != TS_JSON_OBJECT)
      continue;
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "device"))
        device = ts_json_take_integer(j, 0);
      else if (TS_JSON_IS(j, "total_size"))
        held = bounded(ts_json_take_integer(j, 0), 0);
      else if (TS_JSON_IS(j, "allocated_size"))
        allocated = bounded(ts_json_take_integer(j, 0), 0);
      else
        ts_json_skip(j);
    e->seen++;
    if (device >= 0 && device < DEVICES)
      TS_PUSH(e->arena, &e->memory,
              ((ts_memory_event){.time = INT64_MAX,
                                 .allocated = allocated,
                                 .reserved = held,
                                 .device = (int32_t)device,
                                 .on_device = true}));
  }
}

/* `allocated` and `reserved` hold the changes; what is freed counts from the request, as the
 * allocator's own statistics have it. */
static void take_entry(ts_events *e, ts_json *j, int32_t device)
{
  ts_memory_event m = {.device = device, .on_device = true};
  int64_t size = 0, allocates = 0, reserves = 0;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "action") && ts_json_value(j) == TS_JSON_STRING) {
      allocates = TS_JSON_IS(j, "alloc") ? 1 : TS_JSON_IS(j, "free_requested") ? -1 : 0;
      reserves = TS_JSON_IS(j, "segment_alloc") || TS_JSON_IS(j, "segment_map")  ? 1 :
                 TS_JSON_IS(j, "segment_free") || TS_JSON_IS(j, "segment_unmap") ? -1 :
                                                                                   0;
    } else if (TS_JSON_IS(j, "size"))
      size = bounded(ts_json_take_integer(j, 0), 0);
    else if (TS_JSON_IS(j, "time_us"))
      m.time = bounded(ts_json_take_integer(j, 0), 0) * 1000;
    else if (TS_JSON_IS(j, "addr"))
      m.address = (uint64_t)ts_json_take_integer(j, 0);
    else
      ts_json_skip(j);
  e->seen++;
  m.bytes = m.allocated = allocates * size;
  m.reserved = reserves * size;
  if (m.allocated || m.reserved)
    TS_PUSH(e->arena, &e->memory, m);
}

static void take_traces(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  for (int32_t device = 0; ts_json_element(j); device++) {
    if (ts_json_value(j) != TS_JSON_ARRAY)
      continue;
    while (ts_json_element(j))
      if (ts_json_value(j) == TS_JSON_OBJECT && device < DEVICES)
        take_entry(e, j, device);
  }
}

static bool take_member(ts_events *e, ts_json *j)
{
  bool segments = TS_JSON_IS(j, "segments");
  if (!segments && !TS_JSON_IS(j, "device_traces"))
    return false;
  if (!e->format || e->format == TS_TRACE_SNAPSHOT) {
    e->format = TS_TRACE_SNAPSHOT;
    e->timed = true;
    (segments ? take_segments : take_traces)(e, j);
  } else
    ts_json_skip(j);
  return true;
}

static bool finish_snapshot(ts_events *e, ts_json *j)
{
  (void)j;
  ts_arena *work = ts_arena_new("snapshot");
  struct { uint64_t allocated, reserved; } *at = TS_NEW_ARRAY(work, __typeof__(*at), DEVICES);
  /* backwards in time from the end to where recording began */
  for (size_t i = 0; i < e->memory.count; i++) {
    const ts_memory_event *m = &e->memory.at[i];
    uint64_t sign = m->time == INT64_MAX ? 1 : UINT64_MAX; /* sums of hostile files wrap around */
    at[m->device].allocated += sign * (uint64_t)m->allocated;
    at[m->device].reserved += sign * (uint64_t)m->reserved;
  }
  bool *moved = TS_NEW_ARRAY(work, bool, DEVICES);
  for (size_t i = 0; i < e->memory.count; i++)
    moved[e->memory.at[i].device] |= e->memory.at[i].time != INT64_MAX;
  size_t remaining = 0;
  for (size_t i = 0; i < e->memory.count; i++) {
    ts_memory_event m = e->memory.at[i];
    bool ends = m.time == INT64_MAX;
    if (ends && moved[m.device])
      continue;
    moved[m.device] = true; /* of a device that recorded nothing, one event says what it holds */
    at[m.device].allocated += ends ? 0 : (uint64_t)m.allocated;
    at[m.device].reserved += ends ? 0 : (uint64_t)m.reserved;
    m.time = ends ? 0 : m.time;
    m.allocated = bounded((int64_t)at[m.device].allocated, 0);
    m.reserved = bounded((int64_t)at[m.device].reserved, 0);
    e->memory.at[remaining++] = m;
  }
  e->memory.count = remaining;
  ts_arena_free(work);
  return true;
}

const ts_trace_reader ts_trace_reader_snapshot = {
  .key = "segments", .member = take_member, .finish = finish_snapshot};
