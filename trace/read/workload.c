/* Text workloads of ASTRA-sim 1.0 and SimAI: a header line, the number of layers, one line a layer
 * with compute times and communication of the forward, the gradient of the input, and the gradient
 * of the weights. Lines run downwards forward and upwards backward, the gradient of the input
 * first; where only weights communicate (DATA, HYBRID_DLRM), last. Weights are summed beside the
 * computations, all else holds them up, as there. Times are nanoseconds: the clock of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/workload.h"

enum { WORDS = 64, PASSES = 3 };

typedef struct word { const char *at; size_t length; } word;
typedef struct workload_pass {
  int64_t compute, bytes;
  uint32_t comm;
} workload_pass;
typedef struct layer {
  uint32_t name;
  workload_pass pass[PASSES];
  int64_t update;
} layer;

typedef struct workload_reader {
  ts_events *e;
  ts_feed *feed;
  uint64_t line;
  uint32_t last;       /* event that the next one waits for */
  bool weights_first;  /* backward */
} workload_reader;

/* The words of the next line that has some. 0 at the end. */
static size_t next_line(workload_reader *r, word *words)
{
  for (;;) {
    ts_feed *f = r->feed;
    const char *end = NULL;
    size_t length = 0;
    if (!ts_feed_need(f, 1))
      return 0;
    while (!(end = memchr(f->buffer + f->at + length, '\n', f->end - f->at - length))) {
      length = f->end - f->at;
      if (!ts_feed_more(f)) {
        end = f->buffer + f->end;
        break;
      }
    }
    if (f->error->message[0])
      return 0;
    size_t count = 0;
    const char *at = f->buffer + f->at;
    f->at = (size_t)(end - f->buffer) + (f->at + (size_t)(end - at) < f->end);
    r->line++;
    while (at < end && count < WORDS) {
      while (at < end && strchr(" \t\r", *at) && *at) at++;
      const char *begin = at;
      while (at < end && !(strchr(" \t\r", *at) && *at)) at++;
      if (at > begin)
        words[count++] = (word){begin, (size_t)(at - begin)};
    }
    if (count && words[0].at[0] != '#')
      return count;
  }
}

static bool workload_wrong(workload_reader *r, const char *format, const word *w)
{
  char text[200];
  snprintf(text, sizeof text, format, (int)(w->length > 40 ? 40 : w->length), w->at);
  ts_feed_fail(r->feed, "a workload has a policy, the number of layers, and 12 columns a layer",
               "line %llu: %s", (unsigned long long)r->line, text);
  r->feed->error->line = (uint32_t)r->line;
  return false;
}

static bool workload_number_of(const word *w, int64_t *value)
{
  return ts_json_integer(w->at, w->length, value) && *value >= 0;
}

static void take_header(workload_reader *r, const word *words, size_t count)
{
  static const struct {
    const char *key, *group;
  } sizes[] = {
    {"model_parallel_NPU_group:", "TP"}, {"ep:", "EP"}, {"pp:", "PP"}, {"all_gpus:", NULL}};
  ts_events *e = r->e;
  ts_workload *w = e->workload = TS_NEW(e->arena, ts_workload);
  w->micro_batches = w->virtual_stages = w->stage_bytes = -1;
  int64_t value, tensor = 1, pipeline = 1;
  r->weights_first =
    ts_is(words[0].at, words[0].length, "DATA") ||
    (words[0].length >= 11 && memcmp(words[0].at, "HYBRID_DLRM", 11) == 0);
  e->version = ts_events_text(e, ts_events_string(e, words[0].at, words[0].length));
  for (size_t i = 1; i + 1 < count; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      if (!ts_is(words[i].at, words[i].length, sizes[k].key) ||
          !workload_number_of(&words[i + 1], &value) || value < 1)
        continue;
      if (!sizes[k].group)
        e->world = value;
      else
        TS_PUSH(e->arena, &e->groups,
                (ts_group_info){.name = ts_events_string(e, sizes[k].group, 2), .size = value});
      tensor = k == 0 ? value : tensor;
      pipeline = k == 2 ? value : pipeline;
    }
  for (size_t i = 1; i + 1 < count; i++) {
    int64_t *found = ts_is(words[i].at, words[i].length, "ga:")      ? &w->micro_batches :
                     ts_is(words[i].at, words[i].length, "vpp:")     ? &w->virtual_stages :
                     ts_is(words[i].at, words[i].length, "pp_comm") ||
                         ts_is(words[i].at, words[i].length, "pp_comm:") ?
                                                                       &w->stage_bytes :
                                                                       NULL;
    if (found && workload_number_of(&words[i + 1], &value))
      *found = value;
  }
  TS_PUSH(e->arena, &w->sections,
          ((ts_workload_section){0, e->world > 0 ? 0 : -1, e->world > 0 ? e->world - 1 : -1}));
  TS_PUSH(e->arena, &w->parts, ((ts_workload_part){.measured = -1}));
  if (e->world > 0 && tensor <= e->world && pipeline <= e->world / tensor)
    TS_PUSH(
      e->arena, &e->groups,
      (ts_group_info){.name = ts_events_string(e, "DP", 2), .size = e->world / tensor / pipeline});
}

/* "ALLREDUCE_DP_EP": the collective and its group; without one the group of the column. */
static bool take_comm(workload_reader *r, const word *w, const word *bytes, const char *group,
                      workload_pass *p)
{
  static const char *const suffixes[] = {"_DP_EP", "_EP"};
  ts_events *e = r->e;
  if (!workload_number_of(bytes, &p->bytes))
    return workload_wrong(r, "`%.*s` is not a number of bytes", bytes);
  p->comm = TS_EVENT_NONE;
  if (ts_is(w->at, w->length, "NONE"))
    return true;
  size_t length = w->length;
  for (size_t i = 0; i < 2; i++) {
    size_t tail = strlen(suffixes[i]);
    if (length > tail && memcmp(w->at + length - tail, suffixes[i], tail) == 0) {
      group = suffixes[i] + 1;
      length -= tail;
      break;
    }
  }
  ts_event_comm c = {.name = ts_events_string(e, w->at, w->length),
                     .in = -1,
                     .out = -1,
                     .bytes = p->bytes,
                     .size = -1,
                     .sequence = -1,
                     .peer = -1};
  c.kind = ts_comm_kind_of(w->at, length);
  if (!c.kind)
    return workload_wrong(r, "`%.*s` is not a collective", w);
  c.group = ts_events_string(e, group, strlen(group));
  for (size_t i = 0; i < e->groups.count; i++)
    if (e->groups.at[i].name == c.group)
      c.size = e->groups.at[i].size;
  p->comm = (uint32_t)e->comms.count;
  TS_PUSH(e->arena, &e->comms, c);
  return true;
}

static bool take_layer(workload_reader *r, const word *words, size_t count, layer *l)
{
  static const char *const groups[] = {"TP", "TP", "DP"};
  TS_TABLE(groups, PASSES);
  if (count < 12) {
    char text[64];
    int length = snprintf(text, sizeof text, "%zu columns of 12", count);
    return workload_wrong(r, "%.*s", &(word){text, (size_t)length});
  }
  l->name = ts_events_string(r->e, words[0].at, words[0].length);
  for (int p = 0; p < PASSES; p++) {
    const word *w = words + 2 + 3 * p;
    if (!workload_number_of(&w[0], &l->pass[p].compute))
      return workload_wrong(r, "`%.*s` is not a time", &w[0]);
    if (!take_comm(r, &w[1], &w[2], groups[p], &l->pass[p]))
      return false;
  }
  if (!workload_number_of(&words[11], &l->update))
    return workload_wrong(r, "`%.*s` is not a time", &words[11]);
  return true;
}

enum { COMPUTES, BLOCKS, BESIDE }; /* tracks */

/* Behind `after`, an event or NONE; the event, or `after` if there is nothing to do. */
static uint32_t workload_add(workload_reader *r, const layer *l, const char *what, int64_t duration,
                             uint32_t comm, uint32_t track, uint32_t after)
{
  ts_events *e = r->e;
  static const char *const tracks[] = {"", "", "weights"};
  if (!duration && comm == TS_EVENT_NONE)
    return after;
  ts_event *v = ts_events_add(e, TS_EVENT_DEVICE,
                              comm == TS_EVENT_NONE ? TS_KERNEL_OTHER : TS_KERNEL_COMMUNICATION);
  char name[160];
  int length = snprintf(name, sizeof name, "%.120s.%s", ts_events_text(e, l->name), what);
  v->name = ts_events_string(e, name, (size_t)length);
  v->id = e->count;
  v->start = e->count;
  v->duration = comm == TS_EVENT_NONE ? duration : -1;
  v->detail = comm;
  v->track = ts_events_track(
    e, 0, ts_events_string(e, tracks[track], strlen(tracks[track])), true);
  if (after != TS_EVENT_NONE)
    TS_PUSH(e->arena, &e->edges, (ts_event_edge){after, e->count - 1, false});
  return e->count - 1;
}

static void add_input(workload_reader *r, const layer *l, ts_workload_line *line)
{
  const workload_pass *p = &l->pass[1];
  line->first[TS_LINE_INPUT] = r->e->count;
  r->last = workload_add(r, l, "backward_input", p->compute, TS_EVENT_NONE, COMPUTES, r->last);
  if (p->comm != TS_EVENT_NONE)
    r->last = workload_add(r, l, "backward_input.comm", 0, p->comm, BLOCKS, r->last);
  line->end[TS_LINE_INPUT] = r->e->count;
}

static void add_weights(workload_reader *r, const layer *l, ts_workload_line *line)
{
  const workload_pass *p = &l->pass[2];
  line->first[TS_LINE_WEIGHT] = r->e->count;
  r->last = workload_add(r, l, "backward_weight", p->compute, TS_EVENT_NONE, COMPUTES, r->last);
  uint32_t summed = r->last;
  if (p->comm != TS_EVENT_NONE)
    summed = workload_add(r, l, "backward_weight.comm", 0, p->comm, BESIDE, r->last);
  workload_add(r, l, "update", l->update, TS_EVENT_NONE, BESIDE, summed);
  line->end[TS_LINE_WEIGHT] = r->e->count;
}

static void add_layers(workload_reader *r, const layer *layers, size_t count)
{
  ts_workload_line *lines = TS_NEW_ARRAY(r->e->arena, ts_workload_line, count + 1);
  r->last = TS_EVENT_NONE;
  for (size_t i = 0; i < count; i++) {
    const workload_pass *p = &layers[i].pass[0];
    lines[i].name = layers[i].name;
    lines[i].first[TS_LINE_FORWARD] = r->e->count;
    r->last = workload_add(r, &layers[i], "forward", p->compute, TS_EVENT_NONE, COMPUTES, r->last);
    if (p->comm != TS_EVENT_NONE)
      r->last = workload_add(r, &layers[i], "forward.comm", 0, p->comm, BLOCKS, r->last);
    lines[i].end[TS_LINE_FORWARD] = r->e->count;
  }
  for (size_t i = count; i-- > 0;) {
    const layer *l = &layers[i];
    if (r->weights_first)
      add_weights(r, l, &lines[i]);
    add_input(r, l, &lines[i]);
    if (!r->weights_first)
      add_weights(r, l, &lines[i]);
  }
  for (size_t i = 0; i < count; i++) TS_PUSH(r->e->arena, &r->e->workload->lines, lines[i]);
}

static bool is_policy(const word *w)
{
  static const char *const begins[] = {"MICRO", "DATA", "MODEL", "HYBRID_",
                                       "DISTRIBUTED_INFERENCE"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (w->length >= strlen(begins[i]) && memcmp(w->at, begins[i], strlen(begins[i])) == 0)
      return true;
  return false;
}

static bool is_workload(ts_feed *feed) { return ts_is_text(feed) && !ts_is_table(feed); }

static bool read_workload(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)options;
  workload_reader r = {.e = e, .feed = feed, .last = TS_EVENT_NONE};
  word words[WORDS];
  size_t count = next_line(&r, words);
  if (!count || !is_policy(&words[0]))
    return feed->error->message[0] ?
             false :
             ts_fail(feed->error, ts_formats_known, "not a trace of a known format");
  e->format = TS_TRACE_WORKLOAD;
  take_header(&r, words, count);
  int64_t expected;
  count = next_line(&r, words);
  if (count != 1 || !workload_number_of(&words[0], &expected))
    return workload_wrong(
      &r, count ? "`%.*s` is not the number of layers" : "the number of layers is missing%.*s",
      count ? &words[0] : &(word){"", 0});
  TS_VEC(layer) layers = {0};
  while ((count = next_line(&r, words))) {
    layer l = {0};
    if (!take_layer(&r, words, count, &l))
      return false;
    TS_PUSH(e->arena, &layers, l);
  }
  if (feed->error->message[0])
    return false;
  e->seen = layers.count;
  e->cut = (int64_t)layers.count < expected;
  if (!layers.count)
    return ts_fail(feed->error, NULL, "the workload has no layers");
  add_layers(&r, layers.at, layers.count);
  return true;
}

const ts_trace_reader ts_trace_reader_workload = {.begins = is_workload, .read = read_workload};
