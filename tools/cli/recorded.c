#include "tools/cli/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "ir/spelling.h"

enum { MOST_PAIRS = 6 };

/* ---- Of the play ---- */

typedef struct recorded_play {
  ts_arena *arena;
  const ts_ir *ir;
  TS_VEC(ts_work_span) work;
  bool exchanges; /* has an all-to-all */
} recorded_play;

/* Kernels of the update are one family in recordings. */
static const char *name_in_play(const recorded_play *p, const ts_ir_node *node)
{
  if (node->op == TS_IR_COLLECTIVE)
    return ts_ir_collective_names[p->ir->collectives[node->arg].kind];
  if (node->op != TS_IR_COMPUTE)
    return ts_ir_collective_names[TS_IR_MESSAGE];
  const char *family = p->ir->strings + p->ir->kernels[node->arg].family;
  return node->phase == TS_IR_PHASE_OPTIMIZER && strcmp(family, "gemm") != 0 ? "optimizer" : family;
}

/* A recorded call lasts from its launch: it waits on the device. */
static void take_played(void *closure, const ts_span_event *e)
{
  recorded_play *p = closure;
  uint8_t op = e->node->op;
  bool comm = op == TS_IR_COLLECTIVE || op == TS_IR_SEND || op == TS_IR_RECV;
  if ((op != TS_IR_COMPUTE && !comm) || e->end <= e->start)
    return;
  ts_work_span work = {
    .span = {(int64_t)((comm ? e->ready : e->start) / 1000), (int64_t)(e->end / 1000), comm},
    .name = name_in_play(p, e->node),
    .issued = (int64_t)(e->issued / 1000)};
  p->exchanges |=
    op == TS_IR_COLLECTIVE && p->ir->collectives[e->node->arg].kind == TS_IR_ALL_TO_ALL;
  TS_PUSH(p->arena, &p->work, work);
}

/* ---- Of the recording ---- */

static const char *name_in_events(const recorded_play *p, const ts_events *e, const ts_event *v)
{
  const char *name = ts_events_text(e, v->name), *family;
  if (v->kind == TS_KERNEL_COMMUNICATION) {
    uint32_t kind = v->detail != TS_EVENT_NONE ? e->comms.at[v->detail].kind : TS_COMM_UNKNOWN;
    kind = kind ? kind : ts_comm_kind_of(name, strlen(name));
    if (kind == TS_COMM_SEND_RECV && !p->exchanges)
      kind = TS_COMM_SEND; /* NCCL has one kernel for both */
    family = ts_comm_transfer((ts_comm_kind)kind);
    return *family ? family : "communication";
  }
  if (v->kind == TS_KERNEL_FILL || (v->kind == TS_KERNEL_COPY && strstr(name, "DtoD")))
    return ts_kernel_family(TS_KERNEL_ELEMENTWISE, "");
  return ts_kernel_family((ts_event_kind)v->kind, name);
}

typedef struct recorded_step {
  const uint32_t *work;
  uint32_t count, number;
  int64_t length; /* to the first work of the next step */
} recorded_step;

static int step_by_length(const void *a, const void *b)
{
  const recorded_step *x = a, *y = b;
  return (x->length > y->length) - (x->length < y->length);
}

/* Of the steps that others follow, the one of median length. */
static recorded_step typical_step(ts_arena *arena, const ts_events *e)
{
  TS_VEC(recorded_step) steps = {0};
  for (uint32_t i = 0; i < e->step_count; i++) {
    recorded_step s = {.number = i + 1};
    s.work = ts_step_work(arena, e, ts_event_at(e, e->steps[i]), &s.count);
    if (!s.count)
      continue;
    if (steps.count) {
      recorded_step *last = &steps.at[steps.count - 1];
      last->length = ts_event_at(e, s.work[0])->start - ts_event_at(e, last->work[0])->start;
    }
    TS_PUSH(arena, &steps, s);
  }
  if (!steps.count)
    return (recorded_step){e->device, e->device_count, 0, 0};
  steps.count -= steps.count > 1; /* nothing says how long the last one is */
  TS_SORT(&steps, step_by_length);
  return steps.at[steps.count / 2];
}

static const ts_step_parts *parts_of_events(ts_arena *arena, const recorded_play *p,
                                            const ts_events *e, ts_recorded *out)
{
  recorded_step step = typical_step(arena, e);
  ts_work_span *work = TS_NEW_ARRAY(arena, ts_work_span, step.count + 1);
  ts_busy *busy = ts_busy_of_events(arena, e, step.work, step.count);
  for (uint32_t i = 0; i < step.count; i++) {
    const ts_event *v = ts_event_at(e, step.work[i]);
    work[i] = (ts_work_span){busy[i], name_in_events(p, e, v),
                             v->call != TS_EVENT_NONE ? ts_event_at(e, v->call)->start : INT64_MIN};
  }
  out->step = step.number;
  out->steps = e->step_count;
  return ts_step_parts_new(arena, work, step.count, step.length);
}

/* ---- The sentence ---- */

static const char *in_time(ts_arena *arena, int64_t ns)
{
  uint64_t most = TS_IR_TIME_MOST / 1000, time = (uint64_t)llabs(ns);
  return ts_arena_printf(arena, "%s", ts_format_time(1000 * (time < most ? time : most)).text);
}

static double hidden(const ts_step_part *p)
{
  return p->time > 0 ? 100 * (1 - (double)p->alone / (double)p->time) : 0;
}

static const char *number_of(ts_arena *arena, const char *thing, uint32_t count)
{
  return ts_arena_printf(arena, "%u %s%s", count, thing, count == 1 ? "" : "s");
}

/* How the plan's part became the recording's. */
static const char *changed(ts_arena *arena, const ts_step_part *was, const ts_step_part *is)
{
  const char *thing = is->kind == TS_PART_CALLS ? "call" : "kernel";
  if (is->kind == TS_PART_IDLE)
    return ts_arena_printf(arena, "%s idle, %s in the plan", in_time(arena, is->alone),
                           in_time(arena, was->alone));
  if (!was->count || !is->count)
    return ts_arena_printf(arena, "%s, none in the %s",
                           number_of(arena, thing, was->count + is->count),
                           was->count ? "run" : "plan");
  double all = (double)is->time / (double)was->time, number = (double)is->count / was->count,
         each = all / number;
  if (is->kind == TS_PART_CALLS && fabs(log(all)) < 0.2)
    return ts_arena_printf(arena,
                           "they take %s, %s in the plan, but %.0f %% of that is hidden, "
                           "not %.0f %%",
                           in_time(arena, is->time), in_time(arena, was->time), hidden(is),
                           hidden(was));
  if (fabs(log(number)) > fabs(log(each)))
    return ts_arena_printf(arena, "%s, %u in the plan", number_of(arena, thing, is->count),
                           was->count);
  return ts_arena_printf(arena, "%ss of %s on average, %s in the plan", thing,
                         in_time(arena, is->time / is->count),
                         in_time(arena, was->time / was->count));
}

static const char *title(ts_arena *arena, const ts_step_part *p)
{
  return p->kind == TS_PART_CALLS ? ts_arena_printf(arena, "exposed %s", p->name) :
         p->kind == TS_PART_IDLE  ? ts_arena_printf(arena, "idle (%s)", p->name) :
                                    p->name;
}

static void say(ts_arena *arena, ts_recorded *r)
{
  const ts_steps_beside *b = r->beside;
  const ts_part_pair *c = ts_steps_carrier(b);
  int64_t more = b->step[1]->length - b->step[0]->length;
  r->how = "";
  r->sentence = "No difference: no family, exposed call or idle time differs by 1 % of the step.";
  if (!c)
    return;
  int64_t by = c->of[1].alone - c->of[0].alone;
  const char *name = title(arena, &c->of[0]);
  r->how = changed(arena, &c->of[0], &c->of[1]);
  r->sentence =
    llabs(more) < b->step[0]->length / 100 ?
      ts_arena_printf(arena,
                      "The steps take the same time, but not for the same: %s takes %s %s:", name,
                      in_time(arena, by), by > 0 ? "more" : "less") :
      ts_arena_printf(arena,
                      "The run is %s %s a step, and %s carries %s of it:", in_time(arena, more),
                      more > 0 ? "slower" : "faster", name, in_time(arena, by));
}

/* ---- Both ---- */

bool ts_may_be_recorded(const char *path)
{
  ts_feed feed;
  ts_error error = {0};
  if (ts_feed_open(&feed, path, &error))
    ts_feed_need(&feed, 64);
  size_t at = feed.at, size = feed.end - feed.at;
  while (size && strchr("\t\n\r \xef\xbb\xbf", feed.buffer[at]) && feed.buffer[at])
    at++, size--;
  unsigned char first = size ? (unsigned char)feed.buffer[at] : 'a';
  bool may = feed.packed || first == '{' || first == '[' || first < ' ' ||
             (size >= 15 && !memcmp(feed.buffer + at, "SQLite format 3", 15));
  ts_feed_close(&feed);
  return may;
}

bool ts_recorded_beside(ts_arena *arena, const ts_events *events, const ts_ir *ir,
                        const ts_run *run, ts_recorded *out, ts_error *error)
{
  const ts_result *result = ts_run_result(run);
  bool known = events->rank >= 0 && events->rank < (int64_t)ir->meta->world;
  recorded_play p = {.arena = arena, .ir = ir};
  if (!events->timed || !events->device_count)
    return ts_fail(error, "record with activities=[CPU, CUDA]; or give the output of the program",
                   "it has no times of device work: %s", ts_trace_format_name(events->format));
  *out = (ts_recorded){.events = events,
                       .world = ir->meta->world,
                       .rank = known ? (uint32_t)events->rank : result->critical_rank};
  ts_run_timeline(run, out->rank, take_played, &p);
  const ts_step_parts *plan = ts_step_parts_new(
    arena, TS_ITEMS(arena, &p.work), (uint32_t)p.work.count, (int64_t)(result->step / 1000));
  const ts_step_parts *run_parts = parts_of_events(arena, &p, events, out);
  out->beside = ts_steps_beside_new(arena, plan, run_parts);
  say(arena, out);
  return true;
}

void ts_recorded_observe(ts_arena *arena, const ts_recorded *r, ts_observed *measured)
{
  const ts_step_parts *p = r->beside->step[1];
  for (int i = TS_OBSERVED_PRODUCTS; i < TS_OBSERVED_PARTS; i++)
    measured->of[i] = 0;
  for (size_t i = 0; i < p->parts.count; i++) {
    const ts_step_part *part = &p->parts.at[i];
    ts_observed_part in = part->kind == TS_PART_CALLS ? TS_OBSERVED_EXPOSED :
                          part->kind == TS_PART_IDLE  ? TS_OBSERVED_IDLE :
                                                        ts_observed_family(part->name);
    measured->of[in] += (double)part->alone * 1e-9;
  }
  measured->of[TS_OBSERVED_STEP] = (double)p->length * 1e-9;
  int64_t peak = ts_trace_summary_new(arena, r->events)->memory_peak;
  measured->of[TS_OBSERVED_MEMORY] = peak > 0 ? (double)peak : NAN;
}

/* ---- Text ---- */

static void put_parts(ts_arena *arena, const ts_steps_beside *b, FILE *out)
{
  int64_t min = b->step[0]->length / 10000; /* what is less is not told */
  ts_put_text(out, "\n  %-30s %7s %11s %7s %11s %12s\n", "of the step", "plan", "", "run", "",
              "more");
  for (size_t i = 0; i < b->parts.count; i++) {
    const ts_step_part *p = b->parts.at[i].of;
    int64_t by = p[1].alone - p[0].alone;
    ts_put_text(out, "    %-28.28s %7u %11s %7u %11s", title(arena, &p[0]), p[0].count,
                in_time(arena, p[0].alone), p[1].count, in_time(arena, p[1].alone));
    if (llabs(by) > min)
      ts_put_text(out, " %12s",
                  ts_arena_printf(arena, "%s%s", by < 0 ? "-" : "+", in_time(arena, by)));
    fputc('\n', out);
  }
}

static int64_t pair_change(const ts_stretch_pair *p)
{
  return llabs(p->of[1].time - p->of[0].time);
}

static int pair_by_change(const void *a, const void *b)
{
  int64_t x = pair_change(*(const ts_stretch_pair *const *)a),
          y = pair_change(*(const ts_stretch_pair *const *)b);
  return x != y ? (x > y ? -1 : 1) : 0;
}

static void put_stretch(ts_arena *arena, const ts_stretch *s, FILE *out)
{
  if (s->count)
    ts_put_text(out, " %11s %5u %11s", in_time(arena, s->at), s->count, in_time(arena, s->time));
  else
    ts_put_text(out, " %11s %5s %11s", "", "", "none");
}

/* Those that differ most, in order, and the others together. */
static void put_stretches(ts_arena *arena, const char *what, const ts_stretch_pair *pairs,
                          size_t count, int64_t min, FILE *out)
{
  const ts_stretch_pair **by = TS_NEW_ARRAY(arena, const ts_stretch_pair *, count + 1);
  int64_t others[2] = {0};
  size_t shown = 0, left = 0;
  for (size_t i = 0; i < count; i++)
    by[i] = &pairs[i];
  if (count)
    qsort(by, count, sizeof *by, pair_by_change);
  if (count > MOST_PAIRS && pair_change(by[MOST_PAIRS]) > min)
    min = pair_change(by[MOST_PAIRS]);
  for (size_t i = 0; i < count; i++) {
    if (pair_change(&pairs[i]) <= min || shown == MOST_PAIRS) {
      left++;
      others[0] += pairs[i].of[0].time;
      others[1] += pairs[i].of[1].time;
      continue;
    }
    if (!shown++)
      ts_put_text(out, "\n  %-28s %11s %5s %11s %11s\n", what, "plan at", "", "", "run at");
    ts_put_text(out, "    %-26.26s",
                *pairs[i].of[0].name ? pairs[i].of[0].name : pairs[i].of[1].name);
    put_stretch(arena, &pairs[i].of[0], out);
    put_stretch(arena, &pairs[i].of[1], out);
    fputc('\n', out);
  }
  if (shown && left)
    ts_put_text(out, "    %-26s %11s %5s %11s %11s %5s %11s\n",
                ts_arena_printf(arena, "%zu others", left), "", "", in_time(arena, others[0]), "",
                "", in_time(arena, others[1]));
}

void ts_recorded_text(ts_arena *arena, const ts_recorded *r, FILE *out)
{
  const ts_steps_beside *b = r->beside;
  ts_put_text(out, "%s\n", r->sentence);
  if (*r->how)
    ts_put_text(out, "  %s.\n", r->how);
  if (r->step)
    ts_put_text(out, "  step %u of the %u recorded ones, the median, beside rank %u of the plan\n",
                r->step, r->steps, r->rank);
  else
    ts_put_text(out, "  the recording marks no steps: all of it, beside rank %u of the plan\n",
                r->rank);
  if (r->events->world > 0 && r->events->world != r->world)
    ts_put_text(
      out,
      "  the recording is of a job of %lld ranks, the plan has %u: one of them is another "
      "job\n",
      (long long)r->events->world, r->world);
  if (r->events->cut)
    ts_put_text(out, "  the recording ends early: what it has counts\n");
  put_parts(arena, b, out);
  put_stretches(arena, "exposed calls, in order", b->exposed.at, b->exposed.count,
                b->step[0]->length / 10000, out);
  put_stretches(arena, "idle, in order", b->idle.at, b->idle.count, b->step[0]->length / 10000,
                out);
  fputc('\n', out);
}

/* ---- JSON ---- */

static void put_pairs(ts_json_writer *w, const char *key, const ts_stretch_pair *pairs,
                      size_t count)
{
  static const char *const sides[] = {"plan", "run"};
  ts_json_begin(w, key, '[');
  for (size_t i = 0; i < count; i++) {
    ts_json_begin(w, NULL, '{');
    for (int side = 0; side < 2; side++) {
      const ts_stretch *s = &pairs[i].of[side];
      if (!s->count)
        continue;
      ts_json_begin(w, sides[side], '{');
      ts_json_put_text(w, "name", s->name);
      ts_json_put_signed(w, "at_ns", s->at);
      ts_json_put_count(w, "count", s->count);
      ts_json_put_signed(w, "time_ns", s->time);
      ts_json_end(w, '}');
    }
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

void ts_recorded_json(const ts_recorded *r, ts_json_writer *w, const char *key)
{
  static const char *const kinds[] = {"kernels", "calls", "idle"};
  const ts_steps_beside *b = r->beside;
  const ts_part_pair *carrier = ts_steps_carrier(b);
  ts_json_begin(w, key, '{');
  ts_json_put_text(w, "says", r->sentence);
  ts_json_put_text(w, "how", r->how);
  if (carrier)
    ts_json_put_text(w, "carried_by", carrier->of[0].name);
  ts_json_put_count(w, "rank", r->rank);
  ts_json_put_count(w, "step", r->step);
  ts_json_put_count(w, "steps", r->steps);
  ts_json_put_signed(w, "plan_ns", b->step[0]->length);
  ts_json_put_signed(w, "run_ns", b->step[1]->length);
  ts_json_begin(w, "parts", '[');
  for (size_t i = 0; i < b->parts.count; i++) {
    const ts_step_part *p = b->parts.at[i].of;
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "name", p[0].name);
    ts_json_put_text(w, "kind", kinds[p[0].kind]);
    ts_json_put_count(w, "plan_count", p[0].count);
    ts_json_put_signed(w, "plan_time_ns", p[0].time);
    ts_json_put_signed(w, "plan_alone_ns", p[0].alone);
    ts_json_put_count(w, "run_count", p[1].count);
    ts_json_put_signed(w, "run_time_ns", p[1].time);
    ts_json_put_signed(w, "run_alone_ns", p[1].alone);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  put_pairs(w, "exposed", b->exposed.at, b->exposed.count);
  put_pairs(w, "idle", b->idle.at, b->idle.count);
  ts_json_end(w, '}');
}
