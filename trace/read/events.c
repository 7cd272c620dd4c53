/* The common table of traces: strings, tracks, blocks of events. */
#include "trace/read/events.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ir/spelling.h"

uint32_t ts_events_string(ts_events *e, const char *text, size_t length)
{
  return ts_intern_bytes(&e->strings, text, length);
}

const char *ts_events_text(const ts_events *e, uint32_t string)
{
  return e->strings.all.at[string].at;
}
uint32_t ts_events_strings(const ts_events *e) { return (uint32_t)e->strings.all.count; }

ts_events *ts_events_new(ts_arena *arena, const char *file)
{
  ts_events *e = TS_NEW(arena, ts_events);
  e->arena = arena;
  e->file = file;
  e->version = "";
  e->rank = e->world = -1;
  e->strings.arena = arena;
  ts_events_string(e, "", 0);
  return e;
}

ts_event *ts_events_add(ts_events *e, ts_event_class class, ts_event_kind kind)
{
  if (e->count % TS_EVENT_BLOCK == 0)
    TS_PUSH(e->arena, &e->blocks, TS_NEW_ARRAY(e->arena, ts_event, TS_EVENT_BLOCK));
  ts_event *v = ts_event_at(e, e->count++);
  v->class = (uint8_t)class;
  v->kind = (uint8_t)kind;
  v->detail = v->op = v->call = TS_EVENT_NONE;
  v->duration = -1;
  return v;
}

void ts_events_put_work(ts_events *e, uint32_t event, ts_event_work work)
{
  if (!ts_states_work(work))
    return;
  while (e->work.count <= event) TS_PUSH(e->arena, &e->work, (ts_event_work){0});
  e->work.at[event] = work;
}

uint32_t ts_events_track(ts_events *e, uint32_t process, uint32_t thread, bool device)
{
  for (uint32_t i = (uint32_t)e->tracks.count; i-- > 0;) {
    const ts_event_track *t = &e->tracks.at[i];
    if (t->process_name == process && t->thread_name == thread && t->device == device)
      return i;
  }
  ts_event_track t = {.process_name = process, .thread_name = thread, .device = device};
  t.process = strtoll(ts_events_text(e, process), NULL, 10);
  t.thread = strtoll(ts_events_text(e, thread), NULL, 10);
  TS_PUSH(e->arena, &e->tracks, t);
  return (uint32_t)e->tracks.count - 1;
}

static bool contains(const char *text, const char *part)
{
  size_t length = strlen(part);
  for (; *text; text++) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)text[i]) == part[i])
      i++;
    if (i == length)
      return true;
  }
  return false;
}

ts_event_kind ts_kernel_kind(const char *name)
{
  static const struct { const char *part; ts_event_kind kind; } kinds[] = {
#define KERNEL(part, kind) {part, TS_KERNEL_##kind},
#include "trace/read/kernel_kinds.def"
#undef KERNEL
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (contains(name, kinds[i].part))
      return kinds[i].kind;
  return TS_KERNEL_OTHER;
}

const char *ts_event_kind_name(ts_event_kind kind)
{
  static const char *const names[] = {
    "other",     "matmul",    "convolution", "attention",   "norm", "softmax", "embedding",
    "optimizer", "reduction", "indexing",    "elementwise", "copy", "fill",    "communication"};
  TS_TABLE(names, TS_KERNEL_KINDS);
  return kind < TS_KERNEL_KINDS ? names[kind] : "host";
}

const char *ts_kernel_family(ts_event_kind kind, const char *name)
{
  static const struct { const char *part, *family; ts_event_kind kind; } families[] = {
#define FAMILY(kind, part, family) {part, family, TS_KERNEL_##kind},
#include "trace/read/kernel_families.def"
#undef FAMILY
  };
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (families[i].kind == kind && contains(name, families[i].part))
      return families[i].family;
  return ts_event_kind_name(kind);
}

const char *ts_comm_transfer(ts_comm_kind kind)
{
  return kind == TS_COMM_UNKNOWN                        ? "" :
         kind == TS_COMM_SEND || kind == TS_COMM_RECV ? ts_ir_collective_names[TS_IR_MESSAGE] :
                                                        ts_ir_collective_names[ts_comm_in_ir(kind)];
}

ts_ir_collective_kind ts_comm_in_ir(uint32_t kind)
{
  static const uint8_t kinds[TS_COMM_KINDS] = {
    [TS_COMM_ALL_REDUCE] = TS_IR_ALL_REDUCE,         [TS_COMM_ALL_GATHER] = TS_IR_ALL_GATHER,
    [TS_COMM_REDUCE_SCATTER] = TS_IR_REDUCE_SCATTER, [TS_COMM_BROADCAST] = TS_IR_BROADCAST,
    [TS_COMM_REDUCE] = TS_IR_REDUCE,                 [TS_COMM_ALL_TO_ALL] = TS_IR_ALL_TO_ALL,
    [TS_COMM_GATHER] = TS_IR_REDUCE,                 [TS_COMM_SCATTER] = TS_IR_BROADCAST,
    [TS_COMM_BARRIER] = TS_IR_BARRIER,               [TS_COMM_SEND_RECV] = TS_IR_ALL_TO_ALL};
  return kind < TS_COMM_KINDS ? kinds[kind] : TS_IR_ALL_REDUCE;
}

/* Names are compared without `_` and case: allreduce, all_reduce, AllReduce, ALL_REDUCE. The longer
 * of two that fit comes first. */
ts_comm_kind ts_comm_kind_of(const char *name, size_t length)
{
  static const struct { const char *part; ts_comm_kind kind;
  } kinds[] = {
    {"allreduce", TS_COMM_ALL_REDUCE},
    {"reducescatter", TS_COMM_REDUCE_SCATTER},
    {"allgather", TS_COMM_ALL_GATHER},
    {"alltoall", TS_COMM_ALL_TO_ALL},
    {"broadcast", TS_COMM_BROADCAST},
    {"sendrecv", TS_COMM_SEND_RECV},
    {"barrier", TS_COMM_BARRIER},
    {"gather", TS_COMM_GATHER},
    {"scatter", TS_COMM_SCATTER},
    {"reduce", TS_COMM_REDUCE},
    {"send", TS_COMM_SEND},
    {"recv", TS_COMM_RECV},
  };
  char plain[80];
  size_t n = 0;
  for (size_t i = 0; i < length && n < sizeof plain - 1; i++)
    if (name[i] == '(' || name[i] == '<')
      break;
    else if (name[i] != '_' && name[i] != ' ')
      plain[n++] = (char)tolower((unsigned char)name[i]);
  plain[n] = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(plain, kinds[i].part))
      return kinds[i].kind;
  return TS_COMM_UNKNOWN;
}

const char *ts_comm_kind_name(ts_comm_kind kind)
{
  static const char *const names[] = {
    "unknown", "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",   "all_to_all",
    "gather",  "scatter",    "barrier",    "send",           "recv",      "send_recv"};
  TS_TABLE(names, TS_COMM_KINDS);
  return names[kind];
}

const char *ts_scalar_name(const char *type)
{
  static const char *const names[][2] = {
    {"float", "fp32"},         {"float32", "fp32"},        {"bfloat16", "bf16"},
    {"float16", "fp16"},       {"float64", "fp64"},        {"int64", "int64"},
    {"int32", "int32"},        {"uint8", "uint8"},         {"int8", "int8"},
    {"c10::BFloat16", "bf16"}, {"c10::Half", "fp16"},      {"double", "fp64"},
    {"long int", "int64"},     {"int", "int32"},           {"long", "int64"},
    {"bool", "bool"},          {"unsigned char", "uint8"}, {"signed char", "int8"},
    {"longint", "int64"},      {"unsignedchar", "uint8"},  {"signedchar", "int8"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i][0], type) == 0)
      return names[i][1];
  return strncmp(type, "c10::Float8", 11) == 0 ? "fp8" : NULL;
}

int64_t ts_scalar_bytes(const char *dtype)
{
  static const struct { const char *name; int64_t bytes;
  } types[] = {
    {"float", 4},        {"half", 2},           {"bfloat16", 2}, {"double", 8},
    {"byte", 1},         {"char", 1},           {"bool", 1},     {"short", 2},
    {"int", 4},          {"long", 8},           {"long int", 8}, {"unsigned char", 1},
    {"signed char", 1},  {"float16", 2},        {"float32", 4},  {"float64", 8},
    {"int8", 1},         {"uint8", 1},          {"int16", 2},    {"int32", 4},
    {"int64", 8},        {"uint16", 2},         {"uint32", 4},   {"uint64", 8},
    {"complexfloat", 8}, {"complexdouble", 16},
  };
  if (strncmp(dtype, "c10::", 5) == 0)
    dtype += 5;
  char lower[24];
  size_t n = 0;
  for (; dtype[n] && n < sizeof lower - 1; n++)
    lower[n] = (char)tolower((unsigned char)dtype[n]);
  lower[n] = 0;
  if (strncmp(lower, "float8", 6) == 0)
    return 1;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, lower) == 0)
      return types[i].bytes;
  return -1;
}

void ts_comm_finish(ts_events *e, ts_event_comm *c)
{
  int64_t each = ts_scalar_bytes(ts_events_text(e, c->dtype));
  int64_t most = c->in > c->out ? c->in : c->out;
  /* The gathered whole, the whole input: the larger of both sides is what nccl-tests counts for
   * every collective. */
  if (c->bytes < 0 && each > 0 && most >= 0 && most < INT64_MAX / 16)
    c->bytes = most * each;
}

bool ts_events_unshared(const ts_events *e)
{
  if (e->format != TS_TRACE_GRAPH && e->format != TS_TRACE_NO_FORMAT)
    return true;
  for (size_t t = 0; t < e->tracks.count; t++)
    if (e->tracks.at[t].unshared)
      return true;
  return false;
}

ts_in_edges ts_events_in_edges(ts_arena *arena, const ts_events *e)
{
  uint32_t *end = TS_NEW_ARRAY(arena, uint32_t, e->count + 2);
  ts_event_edge *edge = TS_NEW_ARRAY(arena, ts_event_edge, e->edges.count + 1);
  /* end[i + 1] is where those of i begin, until they are put there */
  for (size_t i = 0; i < e->edges.count; i++)
    end[e->edges.at[i].to + 2]++;
  for (uint32_t i = 0; i < e->count; i++)
    end[i + 1] += end[i];
  for (size_t i = 0; i < e->edges.count; i++)
    edge[end[e->edges.at[i].to + 1]++] = e->edges.at[i];
  return (ts_in_edges){end, edge};
}
