/* Joins two summaries by the names of kernels, and follows what is launched and has not begun. */
#include "trace/trace_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/order.h"

enum { SHOWN = 20 };

/* ---- Kernels ---- */

static int trace_diff_by_name(const void *a, const void *b)
{
  return strcmp(((const ts_diff_row *)a)->name, ((const ts_diff_row *)b)->name);
}

static int64_t trace_diff_change(const ts_diff_row *r)
{
  return r->time[1] > r->time[0] ? r->time[1] - r->time[0] : r->time[0] - r->time[1];
}

static int by_change(const void *a, const void *b)
{
  int64_t x = trace_diff_change(a), y = trace_diff_change(b);
  return x != y ? (x > y ? -1 : 1) : trace_diff_by_name(a, b);
}

static void join_rows(ts_arena *arena, ts_trace_diff *d)
{
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < d->of[i]->names.count; k++) {
      const ts_name_sum *n = &d->of[i]->names.at[k];
      ts_diff_row row = {.name = ts_events_text(d->of[i]->events, n->name)};
      row.count[i] = n->count;
      row.time[i] = n->time;
      TS_PUSH(arena, &d->rows, row);
    }
  TS_SORT(&d->rows, trace_diff_by_name);
  size_t merged = 0;
  for (size_t i = 0; i < d->rows.count; i++) {
    ts_diff_row *last = merged ? &d->rows.at[merged - 1] : NULL, row = d->rows.at[i];
    if (last && strcmp(last->name, row.name) == 0)
      for (int s = 0; s < 2; s++) {
        last->count[s] += row.count[s];
        last->time[s] += row.time[s];
      }
    else
      d->rows.at[merged++] = row;
  }
  d->rows.count = merged;
  for (size_t i = 0; i < merged; i++) {
    const ts_diff_row *r = &d->rows.at[i];
    if (!r->count[0] || !r->count[1])
      d->only[!r->count[0]]++;
    else if (r->count[0] != r->count[1])
      d->changed++;
    else
      d->same++;
  }
  TS_SORT(&d->rows, by_change);
}

/* ---- Launches ---- */

static ts_launch_sum launches_of(const ts_trace_summary *s)
{
  const ts_events *e = s->events;
  ts_launch_sum l = {0};
  ts_arena *work = ts_arena_new("launches");
  int64_t *latency = TS_NEW_ARRAY(work, int64_t, e->device_count + 1);
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    if (v->call == TS_EVENT_NONE)
      continue;
    latency[l.count++] = v->start - ts_event_at(e, v->call)->start;
  }
  if (l.count)
    qsort(latency, l.count, sizeof *latency, ts_by_i64);
  for (size_t i = 0; i < s->series.at.count; i++) {
    const ts_series *q = &s->series.at.at[i];
    if (q->kind == TS_SERIES_QUEUE && q->most > l.queued_most)
      l.queued_most = (uint32_t)q->most;
    if (q->kind == TS_SERIES_QUEUE && q->mean > l.queued_mean)
      l.queued_mean = q->mean;
  }
  l.median = l.count ? latency[l.count / 2] : 0;
  l.largest = l.count ? latency[l.count - 1] : 0;
  ts_arena_free(work);
  return l;
}

ts_trace_diff *ts_trace_diff_new(ts_arena *arena, const ts_trace_summary *a,
                                 const ts_trace_summary *b)
{
  ts_trace_diff *d = TS_NEW(arena, ts_trace_diff);
  d->of[0] = a;
  d->of[1] = b;
  join_rows(arena, d);
  for (int i = 0; i < 2; i++) d->launch[i] = launches_of(d->of[i]);
  return d;
}

/* ---- Reports ---- */

static void put_share(FILE *out, const char *name, int64_t a, int64_t b)
{
  ts_put_text(out, "  %-24s %14.3f ms %14.3f ms %+14.3f ms", name, (double)a / 1e6, (double)b / 1e6,
              (double)(b - a) / 1e6);
  if (a)
    fprintf(out, " %+7.1f %%", 100.0 * (double)(b - a) / (double)a);
  fputc('\n', out);
}

void ts_trace_diff_text(const ts_trace_diff *d, FILE *out)
{
  const ts_time_shares *a = &d->of[0]->shares, *b = &d->of[1]->shares;
  ts_put_text(out, "A: %s\nB: %s\n\n", d->of[0]->events->file, d->of[1]->events->file);
  fputs("                                        A                 B             change\n", out);
  put_share(out, "first to last kernel", a->span, b->span);
  put_share(out, "computes", a->compute, b->compute);
  put_share(out, "communicates", a->comm, b->comm);
  put_share(out, "hidden communication", a->overlap, b->overlap);
  put_share(out, "idle", a->idle, b->idle);
  fprintf(out, "\n  kernels by name: %u in A alone, %u in B alone, %u with another count, %u alike\n",
          d->only[0], d->only[1], d->changed, d->same);
  fputs("  most changed                A count         A time  B count         B time\n", out);
  for (size_t i = 0; i < d->rows.count && i < SHOWN; i++) {
    const ts_diff_row *r = &d->rows.at[i];
    ts_put_text(out, "  %-24.24s %10u %11.3f ms %8u %11.3f ms\n", r->name, r->count[0],
                (double)r->time[0] / 1e6, r->count[1], (double)r->time[1] / 1e6);
  }
  fputs("\n  launches                        median        largest    queued, most and mean\n", out);
  for (int i = 0; i < 2; i++) {
    const ts_launch_sum *l = &d->launch[i];
    fprintf(out, "  %c: %10u %18.1f us %11.1f us %12u %12.1f\n", i ? 'B' : 'A', l->count,
            (double)l->median / 1e3, (double)l->largest / 1e3, l->queued_most, l->queued_mean);
  }
}

static void put_side(const ts_trace_diff *d, int i, ts_json_writer *w)
{
  const ts_time_shares *s = &d->of[i]->shares;
  const ts_launch_sum *l = &d->launch[i];
  ts_json_line(w, 2);
  ts_json_begin(w, i ? "b" : "a", '{');
  ts_json_put_text(w, "file", d->of[i]->events->file);
  ts_json_put_signed(w, "span_ns", s->span);
  ts_json_put_signed(w, "compute_ns", s->compute);
  ts_json_put_signed(w, "communication_ns", s->comm);
  ts_json_put_signed(w, "overlap_ns", s->overlap);
  ts_json_put_signed(w, "idle_ns", s->idle);
  ts_json_put_count(w, "launches", l->count);
  ts_json_put_signed(w, "launch_median_ns", l->median);
  ts_json_put_signed(w, "launch_largest_ns", l->largest);
  ts_json_put_count(w, "queued_most", l->queued_most);
  ts_json_put_number(w, "queued_mean", "%.3f", l->queued_mean);
  ts_json_end(w, '}');
}

void ts_trace_diff_json(const ts_trace_diff *d, ts_json_writer *w, const char *key)
{
  ts_json_line(w, 0);
  ts_json_begin(w, key, '{');
  for (int i = 0; i < 2; i++) put_side(d, i, w);
  ts_json_line(w, 2);
  ts_json_begin(w, "kernels", '[');
  for (size_t i = 0; i < d->rows.count; i++) {
    const ts_diff_row *r = &d->rows.at[i];
    ts_json_line(w, 4);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "name", r->name);
    ts_json_put_count(w, "a_count", r->count[0]);
    ts_json_put_signed(w, "a_ns", r->time[0]);
    ts_json_put_count(w, "b_count", r->count[1]);
    ts_json_put_signed(w, "b_ns", r->time[1]);
    ts_json_end(w, '}');
  }
  ts_json_last_line(w, 2);
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}
