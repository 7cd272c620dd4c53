/* Sums over the device work of a trace. */
#include "trace/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "trace/read/rank_graph.h"

/* ---- Spans ---- */

static int by_start(const void *a, const void *b)
{
  const ts_busy *x = a, *y = b;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) :
                                (x->end > y->end) - (x->end < y->end);
}

/* The union of those that communicate, of those that do not, and of all, in one sweep by start. */
ts_time_shares ts_time_shares_of(ts_busy *work, uint32_t count)
{
  ts_time_shares s = {0};
  if (!count)
    return s;
  for (uint32_t i = 1; i < count; i++)
    if (work[i].start < work[i - 1].start) { /* most come in order */
      qsort(work, count, sizeof *work, by_start);
      break;
    }
  s.begin = work[0].start;
  int64_t until[2] = {s.begin, s.begin}, all = s.begin; /* covered up to here */
  for (uint32_t i = 0; i < count; i++) {
    const ts_busy *w = &work[i];
    int64_t *own = &until[w->comm], other = until[!w->comm];
    int64_t from = w->start > *own ? w->start : *own;
    if (w->end > from) {
      *(w->comm ? &s.comm : &s.compute) += w->end - from;
      /* the other kind began before and reaches into this */
      int64_t both = w->end < other ? w->end : other;
      if (both > from)
        s.overlap += both - from;
      *own = w->end;
    }
    from = w->start > all ? w->start : all;
    if (w->end > from) {
      s.busy += w->end - from;
      all = w->end;
    }
  }
  s.span = all - s.begin;
  s.idle = s.span - s.busy;
  return s;
}

ts_busy *ts_busy_of_events(ts_arena *arena, const ts_events *e, const uint32_t *chosen,
                           uint32_t count)
{
  ts_busy *busy = TS_NEW_ARRAY(arena, ts_busy, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const ts_event *v = ts_event_at(e, chosen[i]);
    busy[i] = (ts_busy){v->start, ts_event_end(v), v->kind == TS_KERNEL_COMMUNICATION};
  }
  return busy;
}

ts_time_shares ts_time_shares_of_events(const ts_events *e, const uint32_t *chosen, uint32_t count)
{
  ts_arena *work = ts_arena_new("shares");
  ts_time_shares shares = ts_time_shares_of(ts_busy_of_events(work, e, chosen, count), count);
  ts_arena_free(work);
  return shares;
}

uint32_t ts_computing(ts_busy *work, uint32_t count)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (work[i].comm)
      continue;
    if (n && work[i].start <= work[n - 1].end)
      work[n - 1].end = work[i].end > work[n - 1].end ? work[i].end : work[n - 1].end;
    else
      work[n++] = work[i];
  }
  return n;
}

int64_t ts_not_computing(const ts_busy *spans, uint32_t count, uint32_t *next, int64_t from,
                         int64_t end)
{
  int64_t left = end - from;
  while (*next < count && spans[*next].end <= from)
    ++*next;
  for (uint32_t k = *next; k < count && spans[k].start < end; k++) {
    int64_t begin = spans[k].start > from ? spans[k].start : from,
            stop = spans[k].end < end ? spans[k].end : end;
    left -= stop > begin ? stop - begin : 0;
  }
  return left;
}

/* Idle time before work that the host launched only after the device had run dry. */
static int64_t idle_for_host(const ts_events *e)
{
  int64_t idle = 0, until = INT64_MIN;
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    if (until != INT64_MIN && v->start > until && v->call != TS_EVENT_NONE) {
      int64_t launched = ts_event_at(e, v->call)->start;
      if (launched > until)
        idle += v->start - until;
    }
    if (ts_event_end(v) > until)
      until = ts_event_end(v);
  }
  return idle;
}

uint32_t *ts_step_work(ts_arena *arena, const ts_events *e, const ts_event *step, uint32_t *count)
{
  /* Work launched in the step began between its start and its end, by what the calls of the trace
   * were early or late at most. */
  uint32_t low, high;
  TS_SEARCH(low, 0, e->device_count,
            ts_event_at(e, e->device[low])->start < step->start + e->launch_min);
  for (high = low; high < e->device_count &&
                   ts_event_at(e, e->device[high])->start <= ts_event_end(step) + e->launch_max;)
    high++;
  uint32_t *chosen = TS_NEW_ARRAY(arena, uint32_t, high - low + 1);
  *count = 0;
  for (uint32_t i = low; i < high; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    int64_t at = v->call != TS_EVENT_NONE ? ts_event_at(e, v->call)->start : v->start;
    if (at >= step->start && at < ts_event_end(step))
      chosen[(*count)++] = e->device[i];
  }
  return chosen;
}

/* ---- Sums ---- */

static int by_time_of_kind(const void *a, const void *b)
{
  const ts_kind_sum *x = a, *y = b;
  return x->time != y->time ? (x->time < y->time ? 1 : -1) : (int)x->kind - (int)y->kind;
}

static int by_time_of_name(const void *a, const void *b)
{
  const ts_name_sum *x = a, *y = b;
  return x->time != y->time ? (x->time < y->time ? 1 : -1) :
         x->name < y->name  ? -1 :
                              x->name > y->name;
}

static int by_count_of_stream(const void *a, const void *b)
{
  const ts_stream_sum *x = a, *y = b;
  return x->busy != y->busy  ? (x->busy < y->busy ? 1 : -1) :
         x->track < y->track ? -1 :
                               x->track > y->track;
}

static void sum_comm(ts_trace_summary *s, const ts_event *v)
{
  const ts_events *e = s->events;
  ts_event_comm none = {.size = -1, .bytes = -1, .peer = -1};
  const ts_event_comm *c = v->detail != TS_EVENT_NONE ? &e->comms.at[v->detail] : &none;
  const char *name = ts_events_text(e, v->name);
  ts_comm_kind kind = c->kind ? (ts_comm_kind)c->kind : ts_comm_kind_of(name, strlen(name));
  s->comm_count++;
  s->comm_known += c->kind && (c->group || c->ranks || c->size > 0 ||
                               (c->peer >= 0 && v->detail != TS_EVENT_NONE));
  ts_comm_sum *found = NULL;
  for (size_t i = 0; i < s->comms.count && !found; i++) {
    ts_comm_sum *at = &s->comms.at[i];
    if (at->kind == kind && at->group == c->group && at->ranks == c->ranks && at->size == c->size)
      found = at;
  }
  if (!found) {
    if (s->comms.count >= 1000)
      return;
    TS_PUSH(e->arena, &s->comms,
            (ts_comm_sum){.kind = kind,
                          .group = c->group,
                          .ranks = c->ranks,
                          .size = c->size,
                          .shortest = INT64_MAX});
    found = &s->comms.at[s->comms.count - 1];
  }
  found->count++;
  if (v->duration > 0) {
    found->time += v->duration;
    found->shortest = v->duration < found->shortest ? v->duration : found->shortest;
  }
  if (c->bytes >= 0 && c->bytes < INT64_MAX / 4 - found->bytes) {
    found->bytes += c->bytes;
    found->sized++;
  }
}

static void sum_device(ts_trace_summary *s)
{
  const ts_events *e = s->events;
  ts_arena *work = ts_arena_new("sums");
  ts_kind_sum *kinds = TS_NEW_ARRAY(work, ts_kind_sum, TS_KERNEL_KINDS);
  ts_name_sum *names = TS_NEW_ARRAY(work, ts_name_sum, ts_events_strings(e));
  ts_stream_sum *streams = TS_NEW_ARRAY(work, ts_stream_sum, e->tracks.count + 1);
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    int64_t time = v->duration > 0 ? v->duration : 0;
    kinds[v->kind].count++;
    kinds[v->kind].time += time;
    names[v->name] = (ts_name_sum){v->name, names[v->name].count + 1, names[v->name].time + time,
                                   (ts_event_kind)v->kind};
    streams[v->track].count++;
    streams[v->track].busy += time;
    if (v->kind == TS_KERNEL_COMMUNICATION)
      sum_comm(s, v);
  }
  for (uint32_t k = 0; k < TS_KERNEL_KINDS; k++)
    if (kinds[k].count)
      TS_PUSH(e->arena, &s->kinds, (ts_kind_sum){(ts_event_kind)k, kinds[k].count, kinds[k].time});
  for (uint32_t n = 0; n < ts_events_strings(e); n++)
    if (names[n].count)
      TS_PUSH(e->arena, &s->names, names[n]);
  for (uint32_t t = 0; t < e->tracks.count; t++)
    if (streams[t].count)
      TS_PUSH(e->arena, &s->streams, (ts_stream_sum){t, streams[t].count, streams[t].busy});
  TS_SORT(&s->kinds, by_time_of_kind);
  TS_SORT(&s->names, by_time_of_name);
  TS_SORT(&s->streams, by_count_of_stream);
  ts_arena_free(work);
}

static int by_bytes(const void *a, const void *b)
{
  const ts_memory_sum *x = a, *y = b;
  return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) :
                                (x->category > y->category) - (x->category < y->category);
}

/* Categories are few; what each held at the fullest moment. */
static void sum_categories(ts_trace_summary *s)
{
  const ts_events *e = s->events;
  size_t peak = 0;
  for (size_t i = 0; i < e->memory.count; i++)
    if (e->memory.at[i].on_device && e->memory.at[i].allocated > e->memory.at[peak].allocated)
      peak = i;
  for (size_t i = 0; i <= peak && i < e->memory.count; i++) {
    const ts_memory_event *m = &e->memory.at[i];
    size_t k = 0;
    if (!m->category || !m->on_device)
      continue;
    while (k < s->memory_by.count && s->memory_by.at[k].category != m->category) k++;
    if (k == s->memory_by.count)
      TS_PUSH(e->arena, &s->memory_by, ((ts_memory_sum){m->category, 0}));
    s->memory_by.at[k].bytes += m->bytes;
  }
  TS_SORT(&s->memory_by, by_bytes);
  while (s->memory_by.count && s->memory_by.at[s->memory_by.count - 1].bytes <= 0)
    s->memory_by.count--;
}

static void sum_memory(ts_trace_summary *s)
{
  const ts_events *e = s->events;
  s->memory_peak = s->memory_reserved = s->memory_start = -1;
  for (size_t i = 0; i < e->memory.count; i++) {
    const ts_memory_event *m = &e->memory.at[i];
    if (!m->on_device)
      continue;
    if (s->memory_start < 0)
      s->memory_start = m->allocated - m->bytes;
    s->memory_peak = m->allocated > s->memory_peak ? m->allocated : s->memory_peak;
    s->memory_reserved = m->reserved > s->memory_reserved ? m->reserved : s->memory_reserved;
  }
}

static void count_host(ts_trace_summary *s)
{
  const ts_events *e = s->events;
  for (uint32_t i = 0; i < e->count; i++)
    s->operators += ts_event_at(e, i)->class == TS_EVENT_OPERATOR;
  s->calls = e->host_count;
  for (size_t i = 0; i < e->tracks.count; i++)
    s->threads += !e->tracks.at[i].device && e->tracks.at[i].count;
  s->edges = (uint32_t)e->edges.count;
  s->tensors = (uint32_t)e->tensors.count;
}

static void sum_steps(ts_trace_summary *s)
{
  const ts_events *e = s->events;
  enum { MOST_STEPS = 64 };
  for (uint32_t i = 0; i < e->step_count && i < MOST_STEPS; i++) {
    ts_arena *work = ts_arena_new("step");
    const ts_event *mark = ts_event_at(e, e->steps[i]);
    uint32_t count, *chosen = ts_step_work(work, e, mark, &count);
    TS_PUSH(e->arena, &s->steps,
            (ts_step_sum){e->steps[i], count, mark->duration,
                          ts_time_shares_of_events(e, chosen, count)});
    ts_arena_free(work);
  }
}

#define MISS(...) TS_PUSH(e->arena, &s->missing, ts_arena_printf(e->arena, __VA_ARGS__))

static bool any_duration(const ts_events *e)
{
  for (uint32_t i = 0; i < e->device_count; i++)
    if (ts_event_at(e, e->device[i])->duration >= 0)
      return true;
  return false;
}

static void say_missing(ts_trace_summary *s)
{
  const ts_events *e = s->events;
  if (e->cut)
    MISS("the file ends early: %llu events were read before its end", (unsigned long long)e->seen);
  if (e->format == TS_TRACE_KINETO) {
    if (!e->device_count)
      MISS("device work: the profiler recorded the host alone");
    if (e->rank < 0)
      MISS("the rank: no `distributedInfo`");
    if (e->device_count && e->linked_calls < e->device_count)
      MISS("the launching calls of %u of %u kernels", e->device_count - e->linked_calls,
           e->device_count);
    if (e->device_count && e->linked_ops < e->device_count)
      MISS("the operators of %u of %u kernels", e->device_count - e->linked_ops, e->device_count);
    if (s->operators && !e->has_shapes)
      MISS("shapes: record with record_shapes=True");
    if (!e->has_syncs && s->streams.count > 1)
      MISS("which event a stream waits for: dependencies are guessed from times");
    if (s->memory_peak < 0)
      MISS("memory: record with profile_memory=True");
  }
  if (s->comm_known < s->comm_count)
    MISS("the groups of %u of %u communication kernels", s->comm_count - s->comm_known,
         s->comm_count);
  if (e->format == TS_TRACE_EXECUTION)
    MISS("times: execution traces have none");
  if (e->format == TS_TRACE_ROCPROF) {
    if (!e->device_count)
      MISS("device work: record with --kernel-trace");
    else if (e->linked_calls < e->device_count)
      MISS("the launching calls of %u of %u kernels: record with --hip-trace",
           e->device_count - e->linked_calls, e->device_count);
  }
  if (e->format == TS_TRACE_SNAPSHOT)
    MISS("what the memory is for: snapshots name no categories");
  if (e->format == TS_TRACE_AICB && e->device_count && !any_duration(e))
    MISS("times: the workload lists what a rank issues; trainspec replay plays it");
  if (e->format == TS_TRACE_GRAPH && e->device_count && !any_duration(e))
    MISS("times: the graph has none; trainspec replay --machine takes them from a roofline");
  if (e->graph && e->graph->short_in)
    MISS("the end of the step: the rank ran out of memory in %s",
         ts_events_text(e, e->graph->short_in));
  if (e->nested)
    MISS("an order by control dependencies: they form cycles, so are nesting");
  if (e->missing_nodes)
    MISS("%llu dependencies name nodes that are not in the file",
         (unsigned long long)e->missing_nodes);
  if (e->untimed)
    MISS("%llu events without a time were left out", (unsigned long long)e->untimed);
  if (e->negative)
    MISS("%llu events with a negative duration were taken as 0", (unsigned long long)e->negative);
  if (e->backward_clock)
    MISS("%llu kernels began before they were launched: not joined",
         (unsigned long long)e->backward_clock);
  if (e->duplicate_ids)
    MISS("%llu calls share a correlation with another", (unsigned long long)e->duplicate_ids);
  if (e->unknown_category)
    MISS("%llu events of categories that are not known (`%.40s`) were left out",
         (unsigned long long)e->unknown_category, ts_events_text(e, e->unknown_name));
  if (e->too_many)
    MISS("%llu events on more than 4,096 threads and streams were put on one",
         (unsigned long long)e->too_many);
}

ts_trace_summary *ts_trace_summary_new(ts_arena *arena, const ts_events *e)
{
  ts_trace_summary *s = TS_NEW(arena, ts_trace_summary);
  s->events = e;
  if (e->timed) {
    s->shares = ts_time_shares_of_events(e, e->device, e->device_count);
    s->idle_host = idle_for_host(e);
  }
  sum_device(s);
  sum_memory(s);
  sum_categories(s);
  ts_series_of(e->arena, e, &s->series);
  count_host(s);
  sum_steps(s);
  say_missing(s);
  return s;
}
