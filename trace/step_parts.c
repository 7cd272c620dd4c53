#include "trace/step_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STRETCHES = 600 };

/* ---- One step ---- */

static int step_parts_by_start(const void *a, const void *b)
{
  const ts_work_span *x = a, *y = b;
  return x->span.start != y->span.start ? (x->span.start < y->span.start ? -1 : 1) :
         x->span.end != y->span.end     ? (x->span.end < y->span.end ? -1 : 1) :
                                          strcmp(x->name, y->name);
}

static void part_add(ts_arena *arena, ts_step_parts *p, ts_step_part add)
{
  size_t i = 0;
  while (i < p->parts.count &&
         (p->parts.at[i].kind != add.kind || strcmp(p->parts.at[i].name, add.name) != 0))
    i++;
  if (i == p->parts.count)
    TS_PUSH(arena, &p->parts, ((ts_step_part){.name = add.name, .kind = add.kind}));
  p->parts.at[i].count += add.count;
  if (p->parts.at[i].time < INT64_MAX / 2) /* times that a file makes up */
    p->parts.at[i].time += add.time;
  p->parts.at[i].alone += add.alone;
}

static void stretch_add(ts_arena *arena, ts_stretches *s, ts_stretch add, bool apart)
{
  ts_stretch *last = s->of.count ? &s->of.at[s->of.count - 1] : NULL;
  if (last && !apart && !strcmp(last->name, add.name)) {
    last->count++;
    last->time += add.time;
  } else {
    TS_PUSH(arena, &s->of, add);
  }
}

static void idle_add(ts_arena *arena, ts_step_parts *p, const char *why, const char *before,
                     int64_t at, int64_t time)
{
  bool large = time >= p->length / 100;
  part_add(arena, p, (ts_step_part){why, TS_PART_IDLE, 1, time, time});
  stretch_add(
    arena, &p->idle,
    (ts_stretch){large && before ? ts_arena_printf(arena, "%s, before %s", why, before) : why, 1,
                 at, time},
    large);
}

/* Of calls what neither kernels nor calls before them cover, of kernels what others do not. */
static void find_parts(ts_arena *arena, ts_step_parts *p, const ts_work_span *work, uint32_t count,
                       const ts_busy *computing, uint32_t spans)
{
  int64_t begin = work[0].span.start, until[2] = {begin, begin}, all = begin;
  uint32_t next = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ts_busy *s = &work[i].span;
    int64_t *own = &until[s->comm], from = s->start > *own ? s->start : *own, alone = 0;
    if (s->start > all)
      idle_add(arena, p, work[i].issued > all ? "the host is late" : "waits", work[i].name,
               all - begin, s->start - all);
    if (s->end > from)
      alone = s->comm ? ts_not_computing(computing, spans, &next, from, s->end) : s->end - from;
    part_add(arena, p,
             (ts_step_part){work[i].name, s->comm ? TS_PART_CALLS : TS_PART_KERNELS, 1,
                            s->end - s->start, alone});
    if (s->comm && alone > 0)
      stretch_add(arena, &p->exposed, (ts_stretch){work[i].name, 1, s->start - begin, alone},
                  false);
    *own = s->end > *own ? s->end : *own;
    all = s->end > all ? s->end : all;
  }
  if (p->length > all - begin)
    idle_add(arena, p, "the end of the step", NULL, all - begin, p->length - (all - begin));
}

ts_step_parts *ts_step_parts_new(ts_arena *arena, ts_work_span *work, uint32_t count,
                                 int64_t length)
{
  ts_step_parts *p = TS_NEW(arena, ts_step_parts);
  if (!count)
    return p;
  qsort(work, count, sizeof *work, step_parts_by_start);
  ts_arena *scratch = ts_arena_new("step parts");
  ts_busy *busy = TS_NEW_ARRAY(scratch, ts_busy, count);
  int64_t end = work[0].span.start + length;
  for (uint32_t i = 0; i < count; i++) {
    busy[i] = work[i].span;
    end = busy[i].end > end ? busy[i].end : end;
  }
  p->length = end - work[0].span.start;
  uint32_t spans = ts_computing(busy, count);
  find_parts(arena, p, work, count, busy, spans);
  ts_arena_free(scratch);
  return p;
}

/* ---- Two steps ---- */

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

static int by_difference(const void *a, const void *b)
{
  const ts_part_pair *x = a, *y = b;
  int64_t dx = distance(x->of[0].alone, x->of[1].alone),
          dy = distance(y->of[0].alone, y->of[1].alone);
  return dx != dy                       ? (dx > dy ? -1 : 1) :
         x->of[0].kind != y->of[0].kind ? (int)x->of[0].kind - (int)y->of[0].kind :
                                          strcmp(x->of[0].name, y->of[0].name);
}

static void pair_parts(ts_arena *arena, ts_steps_beside *b)
{
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < b->step[side]->parts.count; i++) {
      const ts_step_part *p = &b->step[side]->parts.at[i];
      size_t k = 0;
      while (k < b->parts.count && (b->parts.at[k].of[0].kind != p->kind ||
                                    strcmp(b->parts.at[k].of[0].name, p->name) != 0))
        k++;
      if (k == b->parts.count) {
        ts_step_part none = {.name = p->name, .kind = p->kind};
        TS_PUSH(arena, &b->parts, ((ts_part_pair){{none, none}}));
      }
      b->parts.at[k].of[side] = *p;
    }
  TS_SORT(&b->parts, by_difference);
}

static int stretch_by_time(const void *a, const void *b)
{
  const ts_stretch *x = a, *y = b;
  return x->time != y->time ? (x->time > y->time ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static int stretch_by_place(const void *a, const void *b)
{
  const ts_stretch *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* The longest ones, in order; what they leave is of no weight. */
static ts_stretches longest(ts_arena *arena, const ts_stretches *s)
{
  ts_stretches out = *s;
  if (s->of.count <= MOST_STRETCHES)
    return out;
  out.of.at = ts_arena_copy(arena, s->of.at, s->of.count * sizeof *s->of.at);
  TS_SORT(&out.of, stretch_by_time);
  out.of.count = MOST_STRETCHES;
  TS_SORT(&out.of, stretch_by_place);
  return out;
}

/* least[i][k]: what is left of a's first i and b's first k. */
static ts_stretch_pair *pair_stretches(ts_arena *arena, const ts_stretches *whole_a,
                                       const ts_stretches *whole_b, size_t *count)
{
  ts_stretches a = longest(arena, whole_a), b = longest(arena, whole_b);
  size_t n = a.of.count, m = b.of.count, width = m + 1, pairs = n + m;
  ts_arena *scratch = ts_arena_new("stretches");
  int64_t *lower = TS_NEW_ARRAY(scratch, int64_t, (n + 1) * width);
  ts_stretch_pair *out = TS_NEW_ARRAY(arena, ts_stretch_pair, pairs + 1);
#define LEAST(i, k) lower[(i)*width + (k)]
#define MATCHES(i, k) (!strcmp(a.of.at[(i)-1].name, b.of.at[(k)-1].name))
#define MATCHED(i, k) (LEAST((i)-1, (k)-1) + distance(a.of.at[(i)-1].time, b.of.at[(k)-1].time))
  for (size_t i = 0; i <= n; i++)
    for (size_t k = i ? 0 : 1; k <= m; k++) {
      int64_t skip = i ? LEAST(i - 1, k) + a.of.at[i - 1].time : INT64_MAX;
      if (k && LEAST(i, k - 1) + b.of.at[k - 1].time < skip)
        skip = LEAST(i, k - 1) + b.of.at[k - 1].time;
      if (i && k && MATCHES(i, k) && MATCHED(i, k) < skip)
        skip = MATCHED(i, k);
      LEAST(i, k) = skip;
    }
  size_t at = pairs, i = n, k = m;
  while (i || k) {
    ts_stretch_pair pair = {{{.name = ""}, {.name = ""}}};
    if (i && k && MATCHES(i, k) && LEAST(i, k) == MATCHED(i, k)) {
      pair.of[0] = a.of.at[--i];
      pair.of[1] = b.of.at[--k];
    } else if (i && LEAST(i, k) == LEAST(i - 1, k) + a.of.at[i - 1].time) {
      pair.of[0] = a.of.at[--i];
    } else {
      pair.of[1] = b.of.at[--k];
    }
    out[--at] = pair;
  }
#undef LEAST
#undef MATCHES
#undef MATCHED
  ts_arena_free(scratch);
  *count = pairs - at;
  return out + at;
}

ts_steps_beside *ts_steps_beside_new(ts_arena *arena, const ts_step_parts *x,
                                     const ts_step_parts *y)
{
  ts_steps_beside *b = TS_NEW(arena, ts_steps_beside);
  b->step[0] = x;
  b->step[1] = y;
  pair_parts(arena, b);
  b->exposed.at = pair_stretches(arena, &x->exposed, &y->exposed, &b->exposed.count);
  b->idle.at = pair_stretches(arena, &x->idle, &y->idle, &b->idle.count);
  return b;
}

const ts_part_pair *ts_steps_carrier(const ts_steps_beside *b)
{
  int64_t length = b->step[0]->length, more = b->step[1]->length - length;
  bool same = llabs(more) < length / 100;
  for (size_t i = 0; i < b->parts.count; i++) {
    int64_t by = b->parts.at[i].of[1].alone - b->parts.at[i].of[0].alone;
    if (llabs(by) >= length / 100 && (same || (by > 0) == (more > 0)))
      return &b->parts.at[i];
    if (!same && by && (by > 0) == (more > 0))
      return &b->parts.at[i];
  }
  return NULL;
}
