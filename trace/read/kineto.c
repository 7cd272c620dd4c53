/* Traces of the PyTorch profiler (Kineto): one JSON object whose traceEvents are spans on threads
 * of the host and streams of devices. Those of rocprof have the same form: rocprofv2's plugin for
 * JSON has categories of its own (ROCm/rocprofiler, plugin/json/json.cpp); rocprof's before it has
 * none, and the label of a process says what its events are (bin/tblextr.py, bin/sqlitedb.py). */
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"

/* Fields of an event and of its args that are read. Names are the format's. */
#define FIELDS(F)                                                                                  \
  F(PH, "ph")                                                                                      \
  F(CAT, "cat") F(NAME, "name") F(PID, "pid") F(TID, "tid") F(TS, "ts") F(DUR, "dur")              \
    F(ARGS, "args")
#define ARGUMENTS(F)                                                                               \
  F(EXTERNAL, "External id")                                                                       \
  F(EXTERNAL_OLD, "external id") F(CORRELATION, "correlation") F(STREAM, "stream")                 \
    F(CORRELATION_OTHER, "Correlation") F(STREAM_OTHER, "Stream") F(DIMS, "Input Dims")            \
      F(TYPES, "Input type") F(FORWARD_THREAD, "Fwd thread id") F(COLLECTIVE, "Collective name")   \
        F(DTYPE, "dtype") F(IN, "In msg nelems") F(OUT, "Out msg nelems") F(SIZE, "Group size")    \
          F(GROUP, "Process Group Name") F(GROUP_ID, "Process Group ID")                           \
            F(GROUP_LABEL, "Process Group Description") F(RANKS, "Process Group Ranks")            \
              F(SOURCE, "Src Rank") F(DESTINATION, "Dst Rank") F(SEQUENCE, "Seq")                  \
                F(START, "Global rank start") F(STRIDE, "Global rank stride")                      \
                  F(ON_STREAM, "wait_on_stream") F(RECORD, "wait_on_cuda_event_record_corr_id")    \
                    F(ADDRESS, "Addr") F(BYTES, "Bytes") F(ALLOCATED, "Total Allocated")           \
                      F(RESERVED, "Total Reserved") F(DEVICE_TYPE, "Device Type")                  \
                        F(DEVICE, "Device Id") F(ARG_NAME, "name") F(LABELS, "labels")             \
                          F(BLOCKS, "blocks per SM") F(AUTOGRAD, "Sequence number")                \
                            F(CONCRETE, "Concrete Inputs") F(FUNCTION, "Record function id")     \
                              F(CID, "cid") F(BEGIN_NS, "BeginNs") F(END_NS, "EndNs")            \
                                F(COPIED, "bytes") F(BANDWIDTH, "memory bandwidth (GB/s)")

enum {
#define NUMBER(id, name) FIELD_##id,
  FIELDS(NUMBER) ARGUMENTS(NUMBER) FIELD_END
#undef NUMBER
};

static const struct { const char *name; uint8_t length; } field_names[] = {
#define NAMED(id, name) {name, sizeof(name) - 1},
  FIELDS(NAMED) ARGUMENTS(NAMED)
#undef NAMED
};

typedef enum category {
  OTHER_CATEGORY,
  KERNEL,
  COPY,
  FILL,
  RUNTIME,
  OPERATOR,
  ANNOTATION,
  DEVICE_ANNOTATION,
  SYNC,
  INSTANT,
  PYTHON,
  COUNTER,
  IGNORED
} category;

/* Processes of rocprof by the beginnings of their labels. */
static const struct { const char *begins; category is; } processes[] = {
  {"GPU Barriers", IGNORED}, {"GPU", KERNEL},      {"COPY", COPY},
  {"CPU HIP API", RUNTIME},  {"CPU HSA", IGNORED}, {"Markers", ANNOTATION}};

static const struct { const char *name; category is;
} categories[] = {
  {"kernel", KERNEL},
  {"Kernel", KERNEL},
  {"gpu_memcpy", COPY},
  {"Memcpy", COPY},
  {"gpu_memset", FILL},
  {"Memset", FILL},
  {"cuda_runtime", RUNTIME},
  {"Runtime", RUNTIME},
  {"cuda_driver", RUNTIME},
  {"xpu_runtime", RUNTIME},
  {"xpu_driver", RUNTIME},
  {"mtia_runtime", RUNTIME},
  {"privateuse1_runtime", RUNTIME},
  {"privateuse1_driver", RUNTIME},
  {"cpu_op", OPERATOR},
  {"Operator", OPERATOR},
  {"hpu_op", KERNEL},
  {"mtia_ccp_events", KERNEL}, /* work of MTIA: its command processors' (ActivityType.h) */
  {"gpu", KERNEL},             /* of rocprofv2 */
  {"GPU", KERNEL},
  {"COPY", COPY},
  {"HIPBLITKERNELS", COPY},
  {"CPU", RUNTIME},
  {"user_annotation", ANNOTATION},
  {"gpu_user_annotation", DEVICE_ANNOTATION},
  {"cuda_sync", SYNC},
  {"cpu_instant_event", INSTANT},
  {"python_function", PYTHON},
  {"Trace", IGNORED},
  {"overhead", IGNORED},
  {"ac2g", IGNORED},
  {"fwdbwd", IGNORED},
  {"async_cpu_to_gpu", IGNORED},
  {"async_gpu", IGNORED},
  {"forward_backward", IGNORED},
  {"external_correlation", IGNORED},
  {"collective_comm", IGNORED},
  {"cuda_event", IGNORED},
  {"cuda_profiler_range", IGNORED},
  {"hardware_counters", COUNTER},
  {"DataFlow", IGNORED},
  {"mtia_insight", IGNORED},
  {"mtia_counters", COUNTER},
  {"xpu_sync", IGNORED},
  {"xpu_scope_profiler", IGNORED},
  {"glow_runtime", IGNORED},
};

typedef struct scratch { /* one event as it is read */
  char phase;
  category category;
  uint32_t name, process, thread, category_name;
  bool has_start, has_duration, is_comm, backward;
  int64_t start, duration, stream;
  uint64_t external, correlation;
  uint32_t dims, types, arguments, arg_name;
  bool has_dims;
  ts_event_comm comm;
  int64_t first_rank, stride, source, destination, autograd, function;
  ts_event_wait wait;
  ts_memory_event memory;
  int64_t device_type;
  int64_t blocks; /* thousandths for each processor */
  int64_t begin_ns, end_ns, copied, bandwidth; /* bandwidth: bytes/s; 0: not stated */
  uint32_t counters; /* values of a counter event, in `values` */
} scratch;

typedef struct labelled { uint32_t process; category is; } labelled;
typedef struct counted { uint32_t name; int64_t value; } counted;

enum { LONGEST_FIELD = 40 };

typedef struct kineto_reader {
  ts_events *e;
  ts_json *j;
  const ts_events_options *options;
  scratch s;
  TS_VEC(uint8_t) kernel_kinds, call_kinds; /* by string + 1: names come again and again */
  uint32_t last_process, last_thread, last_track;
  bool last_device;
  TS_VEC(labelled) processes; /* of rocprof */
  TS_VEC(counted) values;     /* of the counter event under way */
  uint8_t first_of[LONGEST_FIELD][2]; /* fields and arguments of a length are tried from here on */
} kineto_reader;

/* ---- Values ---- */

int64_t ts_json_take_integer(ts_json *j, int64_t otherwise)
{
  int64_t value;
  ts_json_kind kind = ts_json_value(j);
  if (kind == TS_JSON_OBJECT || kind == TS_JSON_ARRAY) {
    while (kind == TS_JSON_OBJECT ? ts_json_member(j) : ts_json_element(j))
      ts_json_skip(j);
    return otherwise;
  }
  return (kind == TS_JSON_NUMBER || kind == TS_JSON_STRING) &&
             ts_json_integer(j->text, j->length, &value) ?
           value :
           otherwise;
}

static uint32_t kineto_intern(ts_events *e, const char *text, size_t length)
{
  if (!memchr(text, '\\', length))
    return ts_events_string(e, text, length);
  ts_arena *work = ts_arena_new("text");
  char *plain = ts_arena_alloc(work, length + 1);
  uint32_t string = ts_events_string(e, plain, ts_json_unescape(text, length, plain));
  ts_arena_free(work);
  return string;
}

uint32_t ts_json_take_string(ts_json *j, ts_events *e)
{
  ts_json_kind kind = ts_json_value(j);
  if (kind == TS_JSON_OBJECT || kind == TS_JSON_ARRAY) {
    while (kind == TS_JSON_OBJECT ? ts_json_member(j) : ts_json_element(j))
      ts_json_skip(j);
    return 0;
  }
  return kind == TS_JSON_STRING || kind == TS_JSON_NUMBER ? kineto_intern(e, j->text, j->length) :
                                                            0;
}

/* An array as text without blanks. */
uint32_t ts_json_take_list(ts_json *j, ts_events *e)
{
  if (!ts_json_raw(j) || j->kind != TS_JSON_ARRAY)
    return 0;
  char small[512];
  ts_arena *work = j->length > sizeof small ? ts_arena_new("list") : NULL;
  char *plain = work ? ts_arena_alloc(work, j->length) : small;
  size_t n = 0;
  for (size_t i = 0; i < j->length; i++)
    if (j->text[i] != ' ' && j->text[i] != '\n' && j->text[i] != '\r' && j->text[i] != '\t')
      plain[n++] = j->text[i];
  uint32_t string = ts_events_string(e, plain, n);
  ts_arena_free(work);
  return string;
}

static const char *past_blanks(const char *at, const char *end)
{
  while (at < end && strchr(" \t\r\n", *at) && *at) at++;
  return at;
}

/* End of the whole number at `at`; NULL: there is none, or it does not fit. */
static const char *past_rank(const char *at, const char *end)
{
  int64_t rank;
  const char *digit = at;
  while (digit < end && *digit >= '0' && *digit <= '9') digit++;
  return digit > at && ts_json_integer(at, (size_t)(digit - at), &rank) ? digit : NULL;
}

bool ts_take_ranks(ts_events *e, const char *text, size_t length, uint32_t *ranks)
{
  const char *end = text + length, *at = past_blanks(text, end);
  ts_arena *work = ts_arena_new("ranks");
  TS_VEC(char) out = {0};
  bool good = at < end && *at == '[';
  for (at += good; good && (at = past_blanks(at, end)) < end && *at != ']';
       at += at < end && *at == ',') {
    const char *behind = past_rank(at, end);
    good = behind;
    if (out.count)
      TS_PUSH(work, &out, ',');
    for (; good && at < behind; at++) TS_PUSH(work, &out, *at);
    at = past_blanks(at, end);
    good = good && at < end && (*at == ',' || *at == ']');
  }
  good = good && at < end && past_blanks(at + 1, end) == end;
  *ranks = good && out.count ? ts_events_string(e, out.at, out.count) : 0;
  ts_arena_free(work);
  return good;
}

static bool take_time(kineto_reader *r, int64_t *time)
{
  ts_json *j = r->j;
  ts_json_kind kind = ts_json_value(j);
  if (kind == TS_JSON_OBJECT || kind == TS_JSON_ARRAY) {
    while (kind == TS_JSON_OBJECT ? ts_json_member(j) : ts_json_element(j))
      ts_json_skip(j);
    return false;
  }
  return (kind == TS_JSON_NUMBER || kind == TS_JSON_STRING) &&
         ts_json_thousandths(j->text, j->length, time);
}

/* ---- One event ---- */

static int find_field(const kineto_reader *r, const char *text, size_t length, bool arguments)
{
  if (length >= LONGEST_FIELD)
    return -1;
  int end = arguments ? FIELD_END : FIELD_ARGS + 1;
  for (int i = r->first_of[length][arguments]; i < end; i++)
    if (field_names[i].length == length && field_names[i].name[0] == text[0] &&
        memcmp(field_names[i].name, text, length) == 0)
      return i;
  return -1;
}

static ts_event_kind kernel_kind(kineto_reader *r, uint32_t name)
{
  while (r->kernel_kinds.count <= name)
    TS_PUSH(r->e->arena, &r->kernel_kinds, 0);
  uint8_t *known = &r->kernel_kinds.at[name];
  if (!*known)
    *known = (uint8_t)(ts_kernel_kind(ts_events_text(r->e, name)) + 1);
  return (ts_event_kind)(*known - 1);
}

static void take_argument(kineto_reader *r, int field)
{
  scratch *s = &r->s;
  ts_json *j = r->j;
  switch (field) {
  case FIELD_EXTERNAL:
  case FIELD_EXTERNAL_OLD: s->external = (uint64_t)ts_json_take_integer(j, 0); break;
  case FIELD_CORRELATION:
  case FIELD_CID:
  case FIELD_CORRELATION_OTHER: s->correlation = (uint64_t)ts_json_take_integer(j, 0); break;
  case FIELD_STREAM: case FIELD_STREAM_OTHER: s->stream = ts_json_take_integer(j, -1); break;
  case FIELD_DIMS: s->dims = ts_json_take_list(j, r->e); s->has_dims = s->dims != 0; break;
  case FIELD_TYPES: s->types = ts_json_take_list(j, r->e); break;
  case FIELD_FORWARD_THREAD: s->backward = ts_json_take_integer(j, 0) != 0; break;
  case FIELD_COLLECTIVE: s->comm.name = ts_json_take_string(j, r->e); s->is_comm = true; break;
  case FIELD_DTYPE: s->comm.dtype = ts_json_take_string(j, r->e); break;
  case FIELD_IN: s->comm.in = ts_json_take_integer(j, -1); break;
  case FIELD_OUT: s->comm.out = ts_json_take_integer(j, -1); break;
  case FIELD_SIZE: s->comm.size = ts_json_take_integer(j, -1); break;
  case FIELD_GROUP: case FIELD_GROUP_ID: s->comm.group = ts_json_take_string(j, r->e); break;
  case FIELD_GROUP_LABEL: s->comm.group_label = ts_json_take_string(j, r->e); break;
  case FIELD_RANKS: s->comm.ranks = ts_json_take_string(j, r->e); break;
  case FIELD_SOURCE: s->source = ts_json_take_integer(j, -1); break;
  case FIELD_DESTINATION: s->destination = ts_json_take_integer(j, -1); break;
  case FIELD_SEQUENCE: s->comm.sequence = ts_json_take_integer(j, -1); break;
  case FIELD_START: s->first_rank = ts_json_take_integer(j, -1); break;
  case FIELD_STRIDE: s->stride = ts_json_take_integer(j, -1); break;
  case FIELD_ON_STREAM: s->wait.on_stream = ts_json_take_integer(j, -1); break;
  case FIELD_RECORD: s->wait.record = (uint64_t)ts_json_take_integer(j, 0); break;
  case FIELD_ADDRESS: s->memory.address = (uint64_t)ts_json_take_integer(j, 0); break;
  case FIELD_BYTES: s->memory.bytes = ts_json_take_integer(j, 0); break;
  case FIELD_ALLOCATED: s->memory.allocated = ts_json_take_integer(j, -1); break;
  case FIELD_RESERVED: s->memory.reserved = ts_json_take_integer(j, -1); break;
  case FIELD_DEVICE_TYPE: s->device_type = ts_json_take_integer(j, 0); break;
  case FIELD_DEVICE: s->memory.device = (int32_t)ts_json_take_integer(j, -1); break;
  case FIELD_ARG_NAME: case FIELD_LABELS: s->arg_name = ts_json_take_string(j, r->e); break;
  case FIELD_AUTOGRAD: s->autograd = ts_json_take_integer(j, -1); break;
  case FIELD_FUNCTION: s->function = ts_json_take_integer(j, -1); break;
  /* sizes of convolutions follow from their strides; those of other operators are not kept */
  case FIELD_CONCRETE:
    if (kernel_kind(r, s->name) == TS_KERNEL_CONVOLUTION)
      s->arguments = ts_json_take_list(j, r->e);
    else
      ts_json_skip(j);
    break;
  case FIELD_BEGIN_NS: s->begin_ns = ts_json_take_integer(j, 0); break;
  case FIELD_END_NS: s->end_ns = ts_json_take_integer(j, 0); break;
  case FIELD_COPIED: s->copied = ts_json_take_integer(j, 0); break;
  case FIELD_BANDWIDTH:
    if (!take_time(r, &s->bandwidth) || s->bandwidth < 0 || s->bandwidth > INT64_C(1) << 40)
      s->bandwidth = 0;
    s->bandwidth *= 1000000; /* thousandths of GB/s */
    break;
  case FIELD_BLOCKS:
    if (!take_time(r, &s->blocks))
      s->blocks = 0;
    break;
  default: ts_json_skip(j);
  }
}

/* Of a counter event: each argument is a series of its own. */
static void take_counters(kineto_reader *r)
{
  ts_json *j = r->j;
  r->values.count = 0;
  while (ts_json_member(j)) {
    counted c = {kineto_intern(r->e, j->text, j->length), 0};
    if (take_time(r, &c.value) && r->values.count < TS_TRACKS_MOST)
      TS_PUSH(r->e->arena, &r->values, c);
  }
}

static void take_arguments(kineto_reader *r)
{
  ts_json *j = r->j;
  ts_json_kind kind = ts_json_value(j);
  if (kind == TS_JSON_ARRAY)
    while (ts_json_element(j)) ts_json_skip(j);
  if (kind != TS_JSON_OBJECT)
    return;
  if (r->s.phase == 'C') {
    take_counters(r);
    return;
  }
  while (ts_json_member(j)) {
    int field = find_field(r, j->text, j->length, true);
    if (field < 0)
      ts_json_skip(j);
    else
      take_argument(r, field);
  }
}

static bool ends(const char *text, size_t length, const char *with)
{
  size_t tail = strlen(with);
  return length > tail && memcmp(text + length - tail, with, tail) == 0;
}

static void take_category(kineto_reader *r)
{
  scratch *s = &r->s;
  if (ts_json_value(r->j) != TS_JSON_STRING)
    return;
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (ts_is(r->j->text, r->j->length, categories[i].name)) {
      s->category = categories[i].is == PYTHON && !r->options->modules ? IGNORED : categories[i].is;
      return;
    }
  /* of other makers' devices */
  if (ends(r->j->text, r->j->length, "_runtime") || ends(r->j->text, r->j->length, "_driver")) {
    s->category = RUNTIME;
    return;
  }
  s->category_name = kineto_intern(r->e, r->j->text, r->j->length);
}

/* "7"; old traces say "stream 7". */
static uint32_t take_thread(kineto_reader *r)
{
  static const char lead[] = "stream ";
  uint32_t thread = ts_json_take_string(r->j, r->e);
  const char *text = ts_events_text(r->e, thread);
  return strncmp(text, lead, sizeof lead - 1) == 0 ?
           ts_events_string(r->e, text + sizeof lead - 1, strlen(text + sizeof lead - 1)) :
           thread;
}

static bool take_event(kineto_reader *r)
{
  scratch *s = &r->s;
  ts_json *j = r->j;
  *s = (scratch){.stream = -1,
                 .first_rank = -1,
                 .stride = -1,
                 .source = -1,
                 .destination = -1,
                 .autograd = -1,
                 .function = -1};
  s->comm.in = s->comm.out = s->comm.bytes = s->comm.size = s->comm.sequence = s->comm.peer = -1;
  s->wait = (ts_event_wait){-1, -1, 0};
  s->memory.allocated = s->memory.reserved = -1;
  while (ts_json_member(j))
    switch (find_field(r, j->text, j->length, false)) {
    case FIELD_PH:
      if (ts_json_value(j) == TS_JSON_STRING && j->length == 1)
        s->phase = *j->text;
      break;
    case FIELD_CAT: take_category(r); break;
    case FIELD_NAME:
      if (s->category == IGNORED)
        ts_json_skip(j);
      else
        s->name = ts_json_take_string(j, r->e);
      break;
    case FIELD_PID: s->process = ts_json_take_string(j, r->e); break;
    case FIELD_TID: s->thread = take_thread(r); break;
    case FIELD_TS: s->has_start = take_time(r, &s->start); break;
    case FIELD_DUR: s->has_duration = take_time(r, &s->duration); break;
    case FIELD_ARGS:
      if (s->category == IGNORED)
        ts_json_skip(j);
      else
        take_arguments(r);
      break;
    default: ts_json_skip(j);
    }
  return ts_json_ok(j);
}

/* ---- What it means ---- */

static uint32_t kineto_track_of(kineto_reader *r, bool device)
{
  const scratch *s = &r->s;
  if (r->last_track != TS_EVENT_NONE && r->last_process == s->process &&
      r->last_thread == s->thread && r->last_device == device)
    return r->last_track;
  /* of a trace no one can read: all further ones are one */
  if (r->e->tracks.count >= TS_TRACKS_MOST) {
    r->e->too_many++;
    return (uint32_t)r->e->tracks.count - 1;
  }
  r->last_process = s->process;
  r->last_thread = s->thread;
  r->last_device = device;
  return r->last_track = ts_events_track(r->e, s->process, s->thread, device);
}

static bool starts(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* Calls of all runtimes are named alike behind their prefix: cuda, cu, hip, ... */
static const char *bare_call(const char *name)
{
  return name + strspn(name, "abcdefghijklmnopqrstuvwxyz");
}

ts_event_kind ts_call_kind(const char *name)
{
  name = bare_call(name);
  return strcmp(name, "DeviceSynchronize") == 0 || strcmp(name, "CtxSynchronize") == 0 ?
           TS_CALL_SYNC_DEVICE :
         strcmp(name, "StreamSynchronize") == 0 ? TS_CALL_SYNC_STREAM :
         strcmp(name, "EventSynchronize") == 0  ? TS_CALL_SYNC_EVENT :
         starts(name, "StreamWaitEvent")        ? TS_CALL_WAIT :
         starts(name, "EventRecord")            ? TS_CALL_RECORD :
                                                  TS_CALL_OTHER;
}

/* "[0, 1]" as "0,1"; shortened lists ("[0, 1, ..., ...]") are written out from start and stride. */
static uint32_t ranks_of(kineto_reader *r, const scratch *s)
{
  enum { MOST_RANKS = 1 << 16 };
  const char *text = ts_events_text(r->e, s->comm.ranks);
  bool whole = *text && !strstr(text, "..."),
       counted = s->first_rank >= 0 && s->stride > 0 && s->comm.size > 0 &&
                 s->comm.size <= MOST_RANKS && s->first_rank < 1 << 30 && s->stride < 1 << 20;
  if (!whole && !counted)
    return 0;
  uint32_t string = 0;
  if (whole)
    return ts_take_ranks(r->e, text, strlen(text), &string) ? string : 0;
  ts_arena *work = ts_arena_new("ranks");
  TS_VEC(char) out = {0};
  for (int64_t i = 0; i < s->comm.size; i++)
    for (const char *digit =
           ts_arena_printf(work, i ? ",%lld" : "%lld", (long long)(s->first_rank + i * s->stride));
         *digit; digit++)
      TS_PUSH(work, &out, *digit);
  string = ts_events_string(r->e, out.at, out.count);
  ts_arena_free(work);
  return string;
}

static uint32_t kineto_add_comm(kineto_reader *r)
{
  scratch *s = &r->s;
  const char *name = ts_events_text(r->e, s->comm.name);
  s->comm.kind = ts_comm_kind_of(name, strlen(name));
  s->comm.ranks = ranks_of(r, s);
  bool receives = s->comm.kind == TS_COMM_RECV && s->source >= 0;
  s->comm.peer = receives || s->destination < 0 ? s->source : s->destination;
  ts_comm_finish(r->e, &s->comm);
  TS_PUSH(r->e->arena, &r->e->comms, s->comm);
  return (uint32_t)r->e->comms.count - 1;
}

static void add_device(kineto_reader *r, ts_event_kind kind)
{
  const scratch *s = &r->s;
  ts_event *v = ts_events_add(r->e, TS_EVENT_DEVICE, kind);
  v->start = s->start;
  v->duration = s->duration;
  v->name = s->name;
  v->id = s->correlation;
  v->external = s->external;
  v->track = kineto_track_of(r, true);
  v->fill = s->blocks <= 0    ? 0 :
            s->blocks >= 1000 ? UINT8_MAX :
                                (uint8_t)(1 + s->blocks * (UINT8_MAX - 1) / 1000);
  if (s->is_comm && kind == TS_KERNEL_COMMUNICATION)
    v->detail = kineto_add_comm(r);
  if (s->copied > 0 || s->bandwidth > 0)
    TS_PUSH(r->e->arena, &r->e->copies,
            ((ts_event_copy){r->e->count - 1, s->copied, s->bandwidth}));
}

static void add_host(kineto_reader *r, ts_event_class class, ts_event_kind kind)
{
  const scratch *s = &r->s;
  ts_event *v = ts_events_add(r->e, class, kind);
  v->start = s->start;
  v->duration = s->duration;
  v->name = s->name;
  v->id = class == TS_EVENT_CALL                         ? s->correlation :
          class == TS_EVENT_OPERATOR && s->autograd >= 0 ? (uint64_t)s->autograd + 1 :
                                                           0;
  v->external = s->external;
  v->track = kineto_track_of(r, false);
  v->flags = s->backward ? TS_EVENT_BACKWARD : 0;
  /* 0: the profiler did not number */
  if (class == TS_EVENT_OPERATOR && s->function > 0 && s->function < TS_EVENT_NONE)
    v->call = (uint32_t)s->function;
  if (s->is_comm) {
    v->kind = TS_OPERATOR_COMMUNICATION;
    v->detail = kineto_add_comm(r);
  } else if (s->has_dims && class == TS_EVENT_OPERATOR) {
    r->e->has_shapes = true;
    ts_shapes shapes = {s->dims, s->types, s->arguments};
    if (r->e->shapes.count &&
        memcmp(&r->e->shapes.at[r->e->shapes.count - 1], &shapes, sizeof shapes) == 0)
      v->detail = (uint32_t)r->e->shapes.count - 1;
    else {
      v->detail = (uint32_t)r->e->shapes.count;
      TS_PUSH(r->e->arena, &r->e->shapes, shapes);
    }
  }
}

static void add_sync(kineto_reader *r)
{
  scratch *s = &r->s;
  r->e->has_syncs = true;
  if (strcmp(ts_events_text(r->e, s->name), "Stream Wait Event") != 0)
    return; /* the others are calls of the host, too */
  ts_event *v = ts_events_add(r->e, TS_EVENT_CALL, TS_CALL_WAIT);
  v->start = s->start;
  v->duration = s->duration;
  v->name = s->name;
  v->id = 0;
  v->track = kineto_track_of(r, true);
  v->detail = (uint32_t)r->e->waits.count;
  s->wait.stream = s->stream;
  TS_PUSH(r->e->arena, &r->e->waits, s->wait);
}

/* Calls that ask and never bring work to a stream: a third of some traces. */
static bool asks(const char *name)
{
  static const char *const begins[] = {
    "EventQuery",  "StreamQuery",  "FuncSet",      "FuncGet",   "StreamIs",      "StreamGet",
    "DeviceGet",   "Occupancy",    "PeekAtLast",   "GetLast",   "GetDevice",     "PointerGet",
    "EventCreate", "EventDestroy", "EventElapsed", "DriverGet", "ThreadExchange"};
  name = bare_call(name);
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (starts(name, begins[i]))
      return true;
  return false;
}

enum { ASKS = UINT8_MAX - 1 };

static int call_kind(kineto_reader *r, uint32_t name)
{
  while (r->call_kinds.count <= name) TS_PUSH(r->e->arena, &r->call_kinds, 0);
  uint8_t *known = &r->call_kinds.at[name];
  const char *text = ts_events_text(r->e, name);
  if (!*known) {
    ts_event_kind kind = ts_call_kind(text);
    *known = (uint8_t)(1 + (kind == TS_CALL_OTHER && asks(text) ? (int)ASKS : (int)kind));
  }
  return *known - 1;
}

static bool is_step(const kineto_reader *r, uint32_t name)
{
  return starts(ts_events_text(r->e, name), "ProfilerStep#");
}

static void add_counter(kineto_reader *r)
{
  const scratch *s = &r->s;
  for (size_t i = 0; i < r->values.count; i++)
    TS_PUSH(r->e->arena, &r->e->counters,
            ((ts_event_counter){s->start, r->values.at[i].value, s->name, r->values.at[i].name,
                                s->process}));
}

/* What a process of rocprof is, whose events have no category; exact times are in their args. */
static category category_of_process(const kineto_reader *r, scratch *s)
{
  for (size_t i = 0; i < r->processes.count; i++)
    if (r->processes.at[i].process == s->process) {
      if (s->begin_ns > 0 && s->end_ns >= s->begin_ns) {
        s->start = s->begin_ns;
        s->duration = s->end_ns - s->begin_ns;
      }
      return r->processes.at[i].is;
    }
  return OTHER_CATEGORY;
}

static void add_span(kineto_reader *r)
{
  scratch *s = &r->s;
  if (s->category == OTHER_CATEGORY && !s->category_name)
    s->category = category_of_process(r, s);
  switch (s->category) {
  case KERNEL: add_device(r, kernel_kind(r, s->name)); break;
  case COPY: add_device(r, TS_KERNEL_COPY); break;
  case FILL: add_device(r, TS_KERNEL_FILL); break;
  case RUNTIME: {
    int kind = call_kind(r, s->name);
    if (kind != ASKS && (kind != TS_CALL_OTHER || s->correlation))
      add_host(r, TS_EVENT_CALL, (ts_event_kind)kind);
    break;
  }
  case OPERATOR:
    if (is_step(r, s->name)) /* a mark, which old traces count among the operators */
      add_host(r, TS_EVENT_MARK, TS_MARK_STEP);
    else if (!r->options->no_operators || s->is_comm)
      add_host(r, TS_EVENT_OPERATOR, TS_OPERATOR_PLAIN);
    break;
  case ANNOTATION:
    add_host(r, TS_EVENT_MARK, is_step(r, s->name) ? TS_MARK_STEP : TS_MARK_OTHER);
    break;
  case PYTHON:
    if (starts(ts_events_text(r->e, s->name), "nn.Module: "))
      add_host(r, TS_EVENT_MARK, TS_MARK_MODULE);
    break;
  case SYNC: add_sync(r); break;
  case OTHER_CATEGORY:
    if (s->category_name && !r->e->unknown_category++)
      r->e->unknown_name = s->category_name;
    break;
  default: break;
  }
}

static void add_process(kineto_reader *r)
{
  const char *label = ts_events_text(r->e, r->s.arg_name);
  for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
    if (starts(label, processes[i].begins) && r->processes.count < TS_TRACKS_MOST) {
      TS_PUSH(r->e->arena, &r->processes, ((labelled){r->s.process, processes[i].is}));
      return;
    }
}

static void add_metadata(kineto_reader *r)
{
  const scratch *s = &r->s;
  if (strcmp(ts_events_text(r->e, s->name), "process_name") == 0)
    add_process(r);
  if (strcmp(ts_events_text(r->e, s->name), "thread_name") != 0 || !s->arg_name)
    return;
  for (uint32_t i = 0; i < r->e->tracks.count; i++) {
    ts_event_track *t = &r->e->tracks.at[i];
    if (t->process_name == s->process && t->thread_name == s->thread)
      t->label = s->arg_name;
  }
}

/* True: go on. */
static bool add_event(kineto_reader *r)
{
  scratch *s = &r->s;
  r->e->seen++;
  if (r->e->count >= TS_EVENTS_MOST)
    return ts_feed_fail(r->j->feed, "cut the trace to a few steps", "more than %u events",
                        TS_EVENTS_MOST);
  if (s->phase == 'M') {
    add_metadata(r);
  } else if (s->phase == 'C' && s->has_start && s->category != IGNORED) {
    add_counter(r);
    r->values.count = 0;
  } else if (s->phase == 'X') {
    if (!s->has_start ||
        (!s->has_duration && s->category != OTHER_CATEGORY && s->category < PYTHON)) {
      r->e->untimed++;
      return true;
    }
    if (s->duration < 0) {
      r->e->negative++;
      s->duration = 0;
    }
    add_span(r);
  } else if (s->phase == 'i' && s->category == INSTANT && s->has_start && !r->options->no_memory &&
             strcmp(ts_events_text(r->e, s->name), "[memory]") == 0) {
    s->memory.time = s->start;
    s->memory.on_device = s->device_type != 0;
    TS_PUSH(r->e->arena, &r->e->memory, s->memory);
  }
  return true;
}

static bool read_kineto(ts_events *e, ts_json *j, const ts_events_options *options)
{
  kineto_reader r = {.e = e, .j = j, .options = options, .last_track = TS_EVENT_NONE};
  for (int length = 0; length < LONGEST_FIELD; length++)
    for (int arguments = 0; arguments < 2; arguments++) {
      int end = arguments ? FIELD_END : FIELD_ARGS + 1, i = arguments ? FIELD_ARGS + 1 : 0;
      while (i < end && field_names[i].length != length)
        i++;
      r.first_of[length][arguments] = (uint8_t)i;
    }
  e->format = TS_TRACE_KINETO;
  e->timed = true;
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`traceEvents` is not a list");
  while (ts_json_element(j)) {
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "event %llu is not an object",
                                           (unsigned long long)e->seen + 1);
    if (!take_event(&r) || !add_event(&r))
      return false;
  }
  return ts_json_ok(j);
}

/* the bare list of events that older tools write */
static bool is_list(ts_feed *feed) { return feed->at < feed->end && feed->buffer[feed->at] == '['; }

const ts_trace_reader ts_trace_reader_kineto = {.begins = is_list,
                                                .after_blanks = true,
                                                .key = "traceEvents",
                                                .value = read_kineto,
                                                .linked = true};
