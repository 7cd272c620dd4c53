#include "trace/series.h"

#include <stdlib.h>
#include <string.h>

/* From `time` on the value is more by so much, or, of a counter, `more`. */
typedef struct point { uint32_t series; int64_t time; double more; } point;

typedef struct series_maker {
  ts_arena *arena, *work;
  const ts_events *e;
  ts_series_list *out;
  TS_VEC(point) points;
  int64_t begin, end;
} series_maker;

static uint32_t series_of(series_maker *m, ts_series_kind kind, const char *name)
{
  uint32_t i = 0;
  while (i < m->out->at.count &&
         (m->out->at.at[i].kind != kind || strcmp(m->out->at.at[i].name, name) != 0))
    i++;
  if (i == m->out->at.count)
    TS_PUSH(m->arena, &m->out->at, ((ts_series){.kind = kind, .name = name}));
  return i;
}

static void series_put(series_maker *m, uint32_t series, int64_t time, double more)
{
  TS_PUSH(m->work, &m->points, ((point){series, time, more}));
}

/* ---- Where points come from ---- */

/* A kernel is queued from its call to its start. */
static void take_queues(series_maker *m)
{
  const ts_events *e = m->e;
  uint32_t *of_track = TS_NEW_ARRAY(m->work, uint32_t, e->tracks.count + 1);
  memset(of_track, 0xff, (e->tracks.count + 1) * sizeof *of_track);
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    if (v->call == TS_EVENT_NONE)
      continue;
    if (of_track[v->track] == UINT32_MAX) {
      const ts_event_track *t = &e->tracks.at[v->track];
      of_track[v->track] = (uint32_t)m->out->at.count;
      TS_PUSH(m->arena, &m->out->at,
              ((ts_series){.kind = TS_SERIES_QUEUE,
                           .name = ts_arena_printf(m->arena, "%s of device %s",
                                                   ts_events_text(e, t->thread_name),
                                                   ts_events_text(e, t->process_name))}));
    }
    int64_t called = ts_event_at(e, v->call)->start;
    series_put(m, of_track[v->track], called < v->start ? called : v->start, 1);
    series_put(m, of_track[v->track], v->start, -1);
  }
}

static void take_copies(series_maker *m)
{
  const ts_events *e = m->e;
  for (size_t i = 0; i < e->copies.count; i++) {
    const ts_event_copy *c = &e->copies.at[i];
    const ts_event *v = ts_event_at(e, c->event);
    double rate = c->rate > 0       ? (double)c->rate :
                  v->duration > 0 ? (double)c->bytes / ((double)v->duration * 1e-9) :
                                    0;
    if (!(rate > 0) || v->duration <= 0)
      continue;
    uint32_t series = series_of(m, TS_SERIES_COPIES, ts_events_text(e, v->name));
    series_put(m, series, v->start, rate);
    series_put(m, series, v->start + v->duration, -rate);
  }
}

enum { COUNTERS_MOST = 256 };

/* Counters of several processes are told apart by them. */
static void take_counters(series_maker *m)
{
  const ts_events *e = m->e;
  for (size_t i = 0; i < e->counters.count; i++) {
    const ts_event_counter *c = &e->counters.at[i];
    const char *name = ts_events_text(e, c->name), *series = ts_events_text(e, c->series),
               *process = ts_events_text(e, c->process);
    name = strcmp(name, series) == 0 || !*series ?
             name :
             ts_arena_printf(m->arena, "%s, %s", name, series);
    if (*process)
      name = ts_arena_printf(m->arena, "%s of %s", name, process);
    if (m->out->at.count < COUNTERS_MOST)
      series_put(m, series_of(m, TS_SERIES_COUNTER, name), c->time, (double)c->value / 1000);
  }
}

/* ---- What they are ---- */

static int by_series_and_time(const void *a, const void *b)
{
  const point *x = a, *y = b;
  if (x->series != y->series)
    return x->series < y->series ? -1 : 1;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->more > y->more) - (x->more < y->more);
}

/* The value holds between two times: to the bins that they reach. */
static void series_fill(const series_maker *m, ts_series *s, int64_t from, int64_t to, double value)
{
  double width = ((double)m->end - (double)m->begin) / TS_SERIES_BINS;
  if (!(width > 0) || from >= to)
    return;
  double first = ((double)from - (double)m->begin) / width,
         last = ((double)to - (double)m->begin) / width;
  for (int b = (int)first; b < TS_SERIES_BINS && b <= last; b++) {
    double begin = first > b ? first : b, end = last < b + 1 ? last : b + 1;
    s->bin[b] += end > begin ? value * (end - begin) : 0;
  }
}

static void series_sum_up(const series_maker *m, ts_series *s, const point *points, size_t count)
{
  double value = 0, sum = 0;
  bool counter = s->kind == TS_SERIES_COUNTER;
  s->points = (uint32_t)count;
  s->most = counter ? points[0].more : 0;
  for (size_t i = 0; i < count; i++) {
    if (i)
      sum += value * ((double)points[i].time - (double)points[i - 1].time);
    value = counter ? points[i].more : value + points[i].more;
    s->most = value > s->most ? value : s->most;
    series_fill(m, s, points[i].time,
                i + 1 < count ? points[i + 1].time :
                counter       ? m->end :
                                0,
                value);
  }
  double span = (double)points[count - 1].time - (double)points[0].time;
  s->mean = span > 0 ? sum / span : counter ? value : 0;
}

void ts_series_of(ts_arena *arena, const ts_events *e, ts_series_list *out)
{
  series_maker m = {.arena = arena, .work = ts_arena_new("series"), .e = e, .out = out};
  *out = (ts_series_list){0};
  if (e->timed) {
    take_queues(&m);
    take_copies(&m);
    take_counters(&m);
  }
  TS_SORT(&m.points, by_series_and_time);
  for (size_t i = 0; i < m.points.count; i++) {
    m.begin = !i || m.points.at[i].time < m.begin ? m.points.at[i].time : m.begin;
    m.end = !i || m.points.at[i].time > m.end ? m.points.at[i].time : m.end;
  }
  for (size_t first = 0, i = 1; i <= m.points.count; i++)
    if (i == m.points.count || m.points.at[i].series != m.points.at[first].series) {
      series_sum_up(&m, &out->at.at[m.points.at[first].series], m.points.at + first, i - first);
      first = i;
    }
  ts_arena_free(m.work);
}
