#include "trace/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 2, KEY = 2 * NEAR + 1, SHORTEST = 10000 };

typedef struct instance {
  uint32_t key[KEY]; /* names around it */
  uint32_t event, comm; /* comm: the one that overlaps it longest, or NONE */
  double share;      /* of it beside communication */
} instance;

typedef TS_VEC(uint32_t) numbers;

static const ts_event *event_of(const ts_events *e, uint32_t i) { return ts_event_at(e, i); }

static bool communicates(const ts_event *v) { return v->kind == TS_KERNEL_COMMUNICATION; }

static int64_t overlap(const ts_event *a, const ts_event *b)
{
  int64_t from = a->start > b->start ? a->start : b->start,
          to = ts_event_end(a) < ts_event_end(b) ? ts_event_end(a) : ts_event_end(b);
  return to > from ? to - from : 0;
}

/* How long communication ran during the kernel; `first`: calls before have ended before it. Calls
 * are by start. */
static void look_beside(const ts_events *e, const numbers *comms, size_t first, instance *i)
{
  const ts_event *v = event_of(e, i->event);
  int64_t covered = 0, until = v->start, longest = 0;
  i->comm = TS_EVENT_NONE;
  for (size_t c = first; c < comms->count && event_of(e, comms->at[c])->start < ts_event_end(v);
       c++) {
    const ts_event *comm = event_of(e, comms->at[c]);
    int64_t from = comm->start > until ? comm->start : until,
            to = ts_event_end(comm) < ts_event_end(v) ? ts_event_end(comm) : ts_event_end(v);
    if (to > from) {
      covered += to - from;
      until = to;
    }
    if (overlap(v, comm) > longest) {
      longest = overlap(v, comm);
      i->comm = comms->at[c];
    }
  }
  i->share = v->duration > 0 ? (double)covered / (double)v->duration : 0;
}

static int pairs_by_key(const void *x, const void *y)
{
  const instance *a = x, *b = y;
  int order = memcmp(a->key, b->key, sizeof a->key);
  return order ? order : a->event < b->event ? -1 : a->event > b->event;
}

static int ascending(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

/* The median of times that agree, or NAN. */
static double agreed(double *times, uint32_t count)
{
  if (!count)
    return NAN;
  qsort(times, count, sizeof *times, ascending);
  return times[count - 1] > 1.25 * times[0] ? NAN :
         count % 2                          ? times[count / 2] :
                                              (times[count / 2 - 1] + times[count / 2]) / 2;
}

static void describe_comm(const ts_events *e, uint32_t comm, ts_event_pair *p)
{
  const ts_event *v = event_of(e, comm);
  const char *name = ts_events_text(e, v->name);
  const ts_event_comm *c = v->detail != TS_EVENT_NONE ? &e->comms.at[v->detail] : NULL;
  p->comm = c && c->kind ? (ts_comm_kind)c->kind : ts_comm_kind_of(name, strlen(name));
  p->comm_bytes = c && c->bytes >= 0 ? (double)c->bytes : NAN;
  p->comm_time = (double)v->duration;
}

/* Instances [from, to) have equal keys. */
static void compare_group(ts_arena *arena, const ts_events *e, const instance *from,
                          const instance *to, ts_event_pairs *out, ts_event_overlap *overlap)
{
  ts_arena *scratch = ts_arena_new("instances");
  double *alone = TS_NEW_ARRAY(scratch, double, to - from),
         *beside = TS_NEW_ARRAY(scratch, double, to - from);
  uint32_t alones = 0, besides = 0, comm = TS_EVENT_NONE;
  for (const instance *i = from; i < to; i++) {
    double time = (double)event_of(e, i->event)->duration;
    overlap->instances++, overlap->time += time;
    if (i->share >= 0.02)
      overlap->beside++, overlap->time_beside += time;
    if (i->share < 0.02)
      alone[alones++] = time;
    else if (i->share > 0.9)
      beside[besides++] = time, comm = comm == TS_EVENT_NONE ? i->comm : comm;
  }
  if (alones && besides) {
    const ts_event *v = event_of(e, from->event);
    ts_event_pair p = {.name = ts_events_text(e, v->name),
                       .family =
                         ts_kernel_family((ts_event_kind)v->kind, ts_events_text(e, v->name)),
                       .alone = agreed(alone, alones),
                       .beside = agreed(beside, besides),
                       .fill = v->fill ? v->fill / 255.0 : NAN};
    overlap->compared++;
    if (p.alone >= SHORTEST && p.beside >= SHORTEST && p.beside < 3 * p.alone &&
        p.alone < 3 * p.beside) {
      describe_comm(e, comm, &p);
      TS_PUSH(arena, out, p);
    }
  }
  ts_arena_free(scratch);
}

static void name_around(const ts_events *e, const numbers *stream, size_t at, uint32_t key[KEY])
{
  for (size_t k = 0; k < KEY; k++)
    key[k] = at + k < NEAR || at + k - NEAR >= stream->count ?
               TS_EVENT_NONE :
               event_of(e, stream->at[at + k - NEAR])->name;
}

void ts_event_pairs_add(ts_arena *arena, const ts_events *e, ts_event_pairs *out,
                        ts_event_overlap *overlap)
{
  ts_arena *scratch = ts_arena_new("pairs");
  numbers comms = {0}, *streams = TS_NEW_ARRAY(scratch, numbers, e->tracks.count);
  TS_VEC(instance) all = {0};
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = event_of(e, e->device[i]);
    if (communicates(v))
      TS_PUSH(scratch, &comms, e->device[i]);
    else
      TS_PUSH(scratch, &streams[v->track], e->device[i]);
  }
  for (size_t t = 0; t < e->tracks.count; t++) {
    size_t first = 0;
    for (size_t i = 0; i < streams[t].count; i++) {
      const ts_event *v = event_of(e, streams[t].at[i]);
      instance it = {.event = streams[t].at[i]};
      while (first < comms.count && ts_event_end(event_of(e, comms.at[first])) <= v->start)
        first++;
      if (v->kind == TS_KERNEL_COPY || v->kind == TS_KERNEL_FILL)
        continue;
      name_around(e, &streams[t], i, it.key);
      look_beside(e, &comms, first, &it);
      TS_PUSH(scratch, &all, it);
    }
  }
  TS_SORT(&all, pairs_by_key);
  for (size_t from = 0, to; from < all.count; from = to) {
    for (to = from + 1;
         to < all.count && memcmp(all.at[from].key, all.at[to].key, sizeof all.at[0].key) == 0;)
      to++;
    compare_group(arena, e, all.at + from, all.at + to, out, overlap);
  }
  ts_arena_free(scratch);
}
