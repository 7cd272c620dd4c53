/* Rows are compiled and played on several threads, each with a session of its own. */
#include "tools/cli/calibrate_steps.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/heap.h"
#include "calibrate/scaled_ir.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "runtime/play/play.h"

enum { MOST_THREADS = 256, MOST_WARNINGS = 16 };

/* x: 0 where a quantity plays no part */
typedef struct calibrate_steps_known {
  const double *x;
  double log_step;
} calibrate_steps_known;

typedef struct calibrate_steps_row {
  ts_arena *arena;
  ts_session *session;
  ts_input input;
  bool open;
  const uint32_t *of;          /* [kernels] quantity */
  bool has[TS_MOST_QUANTITIES];
  double memory;
  ts_stop stop;                /* if it could not be played */
  TS_VEC(calibrate_steps_known *) known;
} calibrate_steps_row;

struct ts_played_steps {
  ts_session *session;
  ts_arena *arena;
  const char *plan;
  ts_compile_options compile;
  const ts_measured_steps *steps;
  const ts_calibration *quantities;
  uint32_t file;
  long jobs;
  const ts_progress *progress;
  calibrate_steps_row *rows;
  const char *warnings[MOST_WARNINGS];
  uint32_t warned[MOST_WARNINGS], warning_count;
};

/* ---- Threads ---- */

typedef struct calibrate_steps_pool {
  void (*work)(void *closure, uint32_t i);
  void *closure;
  uint32_t end;
  atomic_uint next;
  const ts_progress *progress;
  const char *what;
  pthread_t owner; /* tells how far it is */
} calibrate_steps_pool;

static void *calibrate_steps_work(void *closure)
{
  calibrate_steps_pool *c = closure;
  for (uint32_t i; (i = atomic_fetch_add(&c->next, 1)) < c->end;) {
    if (pthread_equal(pthread_self(), c->owner))
      ts_tick_counted(c->progress, c->what, (double)i / c->end, "steps", i);
    c->work(c->closure, i);
  }
  return NULL;
}

static void work_all(long jobs, const ts_progress *progress, const char *what,
                     void (*each)(void *, uint32_t), void *closure, uint32_t count)
{
  calibrate_steps_pool c = {.work = each,
                            .closure = closure,
                            .end = count,
                            .progress = progress,
                            .what = what,
                            .owner = pthread_self()};
  pthread_t threads[MOST_THREADS];
  long started = 0;
  while (started + 1 < jobs && started + 1 < (long)count && started < MOST_THREADS &&
         pthread_create(&threads[started], NULL, calibrate_steps_work, &c) == 0)
    started++;
  calibrate_steps_work(&c);
  while (started > 0)
    pthread_join(threads[--started], NULL);
}

/* ---- Compiling ---- */

static void note_parts(const ts_calibration *c, calibrate_steps_row *r)
{
  const ts_ir *ir = &r->input.ir;
  uint32_t host = ts_calibration_of_kind(c, TS_QUANTITY_HOST);
  r->of = ts_quantities_of_kernels(r->arena, ir, c);
  for (uint32_t k = 0; k < ir->kernels_count; k++)
    if (r->of[k] < c->count && ir->kernels[k].time)
      r->has[r->of[k]] = true;
  for (uint32_t n = 0; n < ir->nodes_count && host < c->count; n++)
    r->has[host] |= ir->nodes[n].host_ps > 0;
  for (uint32_t i = 0; i < c->count && ir->collectives_count + ir->ports_count; i++)
    r->has[i] |= c->quantity[i].kind == TS_QUANTITY_INSIDE ||
                 c->quantity[i].kind == TS_QUANTITY_BETWEEN;
}

static void take_memory(calibrate_steps_row *r)
{
  ts_run *run = ts_run_new(&r->input.ir, &(ts_run_options){.threads = 1}, &r->stop);
  if (!run)
    return;
  const ts_memory *m = ts_memory_new(r->arena, &r->input.ir, run);
  if (m->class_count)
    r->memory =
      (double)(m->classes[m->fullest].peak + m->classes[m->fullest].reserved);
  ts_run_free(run);
}

static void compile_row(void *closure, uint32_t i)
{
  ts_played_steps *p = closure;
  calibrate_steps_row *r = &p->rows[i];
  const ts_measured_step *step = &p->steps->at[i];
  uint32_t given = p->compile.define_count;
  r->arena = ts_arena_new("measured step");
  r->stop = (ts_stop){.arena = r->arena};
  r->session = ts_session_new(r->arena);
  ts_define *defines = TS_NEW_ARRAY(r->arena, ts_define, given + step->value_count + 1);
  if (given)
    memcpy(defines, p->compile.defines, given * sizeof *defines);
  for (uint32_t v = 0; v < step->value_count; v++)
    defines[given + v] = (ts_define){step->values[v].name, step->values[v].expression};
  ts_compile_options o = p->compile;
  o.defines = defines;
  o.define_count = given + step->value_count;
  o.uncalibrated = true;
  r->open = ts_input_open(r->session, p->plan, &o, &r->input);
  if (!r->open)
    return;
  note_parts(p->quantities, r);
  if (p->steps->memory)
    take_memory(r);
}

/* ---- Errors ---- */

static ts_span row_span(const ts_played_steps *p, uint32_t i)
{
  return (ts_span){p->file, (uint32_t)p->steps->at[i].begin, (uint32_t)p->steps->at[i].end};
}

static void calibrate_steps_refuse(ts_played_steps *p, uint32_t i, const char *why)
{
  ts_diag *d = ts_diag_add(p->session->diags, TS_E0506, row_span(p, i),
                           "a measured step cannot be played");
  ts_diag_here(d, "%s", why);
  ts_diag_help(d, "correct the row, or leave it out");
}

/* What is wrong with the plan of a row is shown at its place, with the row that it is of. */
static void tell_errors(ts_played_steps *p, uint32_t i)
{
  ts_diags *all = p->session->diags;
  size_t first = all->all.count;
  const ts_measured_step *step = &p->steps->at[i];
  ts_diags_copy(all, p->session->sources, p->rows[i].session->diags);
  for (size_t k = first; k < all->all.count; k++)
    ts_diag_fact(all->all.at[k], "measured step", "line %u%s%s", step->line,
                 *step->words ? ": " : "", step->words);
}

static void note_warnings(ts_played_steps *p, const ts_diags *diags)
{
  bool counted[MOST_WARNINGS] = {false};
  for (size_t i = 0; i < diags->all.count; i++) {
    const ts_diag *d = diags->all.at[i];
    uint32_t k = 0;
    if (d->severity != TS_WARNING || d->off)
      continue;
    while (k < p->warning_count && strcmp(p->warnings[k], ts_code_name(d->code)) != 0)
      k++;
    if (k == MOST_WARNINGS)
      continue;
    if (k == p->warning_count)
      p->warnings[p->warning_count++] = ts_code_name(d->code);
    p->warned[k] += !counted[k];
    counted[k] = true;
  }
}

static const char *device_of(const calibrate_steps_row *r)
{
  const ts_ir *ir = &r->input.ir;
  return ir->device_classes_count ? ir->strings + ir->device_classes[0].name : "";
}

static const char *framework_of(const calibrate_steps_row *r)
{
  return r->input.ir.strings + r->input.ir.meta->framework;
}

/* False after telling of the first row that is wrong. */
static bool check_rows(ts_played_steps *p)
{
  for (uint32_t i = 0; i < p->steps->count; i++) {
    const calibrate_steps_row *r = &p->rows[i];
    if (!r->open) {
      tell_errors(p, i);
      return false;
    }
    if (r->input.kind != TS_INPUT_PLAN) {
      ts_diag_add(p->session->diags, TS_E0506, TS_NO_SPAN,
                  "`%s` is an IR: its parameters are set already; give the plan", p->plan);
      return false;
    }
    if (r->stop.title) {
      calibrate_steps_refuse(p, i, ts_arena_printf(p->arena, "%s", r->stop.title));
      return false;
    }
    if (strcmp(device_of(r), device_of(&p->rows[0])) != 0) {
      calibrate_steps_refuse(
        p, i,
        ts_arena_printf(p->arena, "this one is on `%s`, the first on `%s`: one device a file",
                        device_of(r), device_of(&p->rows[0])));
      return false;
    }
    if (strcmp(framework_of(r), framework_of(&p->rows[0])) != 0) {
      calibrate_steps_refuse(
        p, i,
        ts_arena_printf(p->arena, "this one runs `%s`, the first `%s`: one framework a file",
                        framework_of(r), framework_of(&p->rows[0])));
      return false;
    }
    note_warnings(p, r->session->diags);
  }
  return true;
}

ts_played_steps *ts_played_steps_new(ts_session *s, const char *plan,
                                     const ts_compile_options *compile,
                                     const ts_measured_steps *steps, uint32_t file,
                                     const ts_calibration *quantities, long jobs,
                                     const ts_progress *progress)
{
  ts_played_steps *p = TS_NEW(s->arena, ts_played_steps);
  *p = (ts_played_steps){.session = s,
                         .arena = s->arena,
                         .plan = plan,
                         .compile = *compile,
                         .steps = steps,
                         .quantities = quantities,
                         .file = file,
                         .jobs = jobs,
                         .progress = progress,
                         .rows = TS_NEW_ARRAY(s->arena, calibrate_steps_row, steps->count + 1)};
  work_all(jobs, progress, "compiling steps", compile_row, p, steps->count);
  if (check_rows(p))
    return p;
  ts_played_steps_free(p);
  return NULL;
}

void ts_played_steps_free(ts_played_steps *p)
{
  for (uint32_t i = 0; i < p->steps->count; i++) {
    if (p->rows[i].open)
      ts_input_close(&p->rows[i].input);
    ts_arena_free(p->rows[i].arena);
  }
}

const char *ts_played_device(const ts_played_steps *p) { return device_of(&p->rows[0]); }
const char *ts_played_framework(const ts_played_steps *p) { return framework_of(&p->rows[0]); }
double ts_played_memory(const ts_played_steps *p, uint32_t row_) { return p->rows[row_].memory; }

uint32_t ts_played_with(const ts_played_steps *p, uint32_t quantity)
{
  uint32_t rows = 0;
  for (uint32_t i = 0; i < p->steps->count; i++)
    rows += p->rows[i].has[quantity];
  return rows;
}

const char *ts_played_warning(const ts_played_steps *p, uint32_t i, uint32_t *rows)
{
  if (i >= p->warning_count)
    return NULL;
  *rows = p->warned[i];
  return p->warnings[i];
}

/* ---- Playing ---- */

typedef struct pending {
  uint32_t row;
  calibrate_steps_known *to;
  char *why;
} pending; /* why: to be freed */

typedef struct batch {
  ts_played_steps *p;
  TS_VEC(pending) pending;
} batch;

static void calibrate_steps_play(void *closure, uint32_t i)
{
  batch *b = closure;
  pending *n = &b->pending.at[i];
  calibrate_steps_row *r = &b->p->rows[n->row];
  ts_arena *arena = ts_arena_new("play of a measured step");
  ts_calibration c = *b->p->quantities;
  c.quantity = ts_arena_copy(arena, c.quantity, c.count * sizeof *c.quantity);
  for (uint32_t j = 0; j < c.count; j++)
    c.quantity[j].log = n->to->x[j];
  ts_ir ir;
  ts_scaled_ir(arena, &r->input.ir, &c, r->of, &ir);
  ts_stop stop = {.arena = arena};
  uint64_t step = 0;
  bool played = ts_run_step(&ir, &(ts_run_options){.threads = 1}, &step, &stop) && step;
  if (played)
    n->to->log_step = log((double)step * 1e-12);
  else
    n->why = ts_heap_text(stop.title ? stop.title : "the plan takes no time");
  ts_arena_free(arena);
}

/* The row's step at x, if it was played or is going to be; else one that will be. */
static calibrate_steps_known *known_of(batch *b, const ts_step_ask *ask)
{
  calibrate_steps_row *r = &b->p->rows[ask->row];
  uint32_t count = b->p->quantities->count;
  double *x = TS_NEW_ARRAY(b->p->arena, double, count + 1);
  for (uint32_t j = 0; j < count; j++)
    x[j] = r->has[j] ? ask->x[j] : 0;
  for (size_t i = 0; i < r->known.count; i++)
    if (!memcmp(r->known.at[i]->x, x, count * sizeof *x))
      return r->known.at[i];
  calibrate_steps_known *k = TS_NEW(b->p->arena, calibrate_steps_known);
  k->x = x;
  TS_PUSH(b->p->arena, &r->known, k);
  TS_PUSH(b->p->arena, &b->pending, ((pending){ask->row, k, NULL}));
  return k;
}

bool ts_play_steps(void *closure, ts_step_ask *asks, uint32_t count)
{
  ts_played_steps *p = closure;
  batch b = {.p = p};
  calibrate_steps_known **of = TS_NEW_ARRAY(p->arena, calibrate_steps_known *, count + 1);
  for (uint32_t i = 0; i < count; i++)
    of[i] = known_of(&b, &asks[i]);
  work_all(p->jobs, p->progress, "playing steps", calibrate_steps_play, &b,
           (uint32_t)b.pending.count);
  for (uint32_t i = 0; i < count; i++)
    asks[i].log_step = of[i]->log_step;
  bool good = true;
  for (size_t i = 0; i < b.pending.count; i++) {
    if (b.pending.at[i].why && good)
      calibrate_steps_refuse(p, b.pending.at[i].row, b.pending.at[i].why);
    good &= !b.pending.at[i].why;
    free(b.pending.at[i].why);
  }
  return good;
}
