#include "tools/sweep/play.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/heap.h"
#include "compiler/eval/running.h"
#include "runtime/collective/links.h"
#include "runtime/account/time_bound.h"
#include "runtime/account/memory.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/play_warnings.h"
#include "tools/sweep/apart.h"
#include "tools/sweep/rank.h"

enum { TICK = 50 /* ms */, MANY = 64 /* plans that may wait for a tick until they are told */ };
enum { KEPT = 48 << 20 }; /* bytes of IRs that are kept, in all */

/* A plan that is compiled, and is played when its turn comes. */
typedef struct ts_sweep_compiled { ts_input input; size_t bytes; } ts_sweep_compiled;

const char *ts_sweep_point_text(const ts_sweep *s, size_t point, ts_arena *arena)
{
  const char *text = "";
  for (uint32_t c = 0; c < s->search->column_count; c++)
    text = ts_arena_printf(arena, "%s%s%s=%s", text, c ? " " : "", s->search->columns[c],
                           ts_search_text_at(s->search, point, c));
  return text;
}

/* ---- One ---- */

static void play_measure(ts_session *session, const ts_input *input, const ts_run *run,
                         const ts_run_options *how, ts_outcome *out)
{
  const ts_ir *ir = &input->ir;
  const ts_memory *memory = ts_memory_new(session->arena, ir, run);
  ts_summary *s =
    ts_arena_copy(session->arena, ts_summary_new(session->arena, ir, run, memory, NULL), sizeof *s);
  out->unsteady = !ts_plausible(s, how);
  ts_report_play_warnings(session, &s->warnings, ir, input->kind == TS_INPUT_PLAN,
                          ts_session_source_reader(session));
  const ts_memory_class *fullest = &memory->classes[memory->fullest];
  out->figures = ts_figures_of(s);
  out->limit = (double)fullest->limit;
  ts_confidence *sure = TS_NEW(session->arena, ts_confidence);
  *sure = ts_confidence_copy(session->arena, &s->confidence); /* the IR goes */
  out->sure = sure;
  out->state = fullest->over ? TS_TOO_LARGE : TS_RANKED;
}

/* No lock: it is played all the same. */
static bool may_be_bounded(const ts_sweep *s, const pthread_mutex_t *lock, const ts_outcome *out)
{
  return lock && !out->exact && (out->bounds_only || out->early_bound || (s->top && !s->all));
}

/* Who asks for its early bound is content if there is no room to keep what more is worked out. */
static bool is_requested(const ts_sweep *s, const ts_outcome *out)
{
  return out->bounds_only || (out->early_bound && s->compiled >= KEPT);
}

/* Its bounds tell what becomes of it. */
static bool bounded(const ts_sweep *s, pthread_mutex_t *lock, ts_outcome *out)
{
  if (!may_be_bounded(s, lock, out))
    return false;
  pthread_mutex_lock(lock);
  out->state = out->bounds.over                                    ? TS_TOO_LARGE :
               ts_sweep_cannot_hold(s, out)                        ? TS_LEFT_OUT :
               is_requested(s, out) || ts_sweep_cannot_win(s, out) ? TS_BOUNDED :
                                                                     out->state;
  pthread_mutex_unlock(lock);
  return out->state != TS_REFUSED;
}

/* The same by what is known before it has fragments. An open search goes by all bounds, and its
 * plans are not left out sooner or later by chance. */
static bool bounded_early(const ts_sweep *s, pthread_mutex_t *lock, ts_outcome *out)
{
  if (s->search->open || !may_be_bounded(s, lock, out) || !(out->bounds.early > 0))
    return false;
  pthread_mutex_lock(lock);
  bool enough = is_requested(s, out) || ts_sweep_cannot_win_early(s, out);
  pthread_mutex_unlock(lock);
  out->state = enough ? TS_BOUNDED : out->state;
  return enough;
}

/* The same by its order of work (runtime/account/time_bound.h), once some others are known to be
 * good. That is not noted with the other bounds: it is not known of those that were played before.
 * So it is played where that bound shows no more than that a condition cannot hold. */
static bool bounded_late(const ts_sweep *s, pthread_mutex_t *lock, ts_outcome *out, const ts_ir *ir,
                         ts_links_cache *links)
{
  ts_outcome late = *out;
  if (s->search->open || !may_be_bounded(s, lock, out))
    return false;
  pthread_mutex_lock(lock);
  bool requested = !ts_sweep_has_room(s);
  pthread_mutex_unlock(lock);
  if (!requested)
    return false;
  late.best.known = false;
  late.bounds.seconds = fmax(late.bounds.seconds, ts_time_bound(ir, links));
  pthread_mutex_lock(lock);
  bool enough = ts_sweep_is_behind(s, &late);
  pthread_mutex_unlock(lock);
  out->state = enough ? TS_BOUNDED : out->state;
  return enough;
}

/* A plan whose bounds may do. */
typedef struct question {
  const ts_sweep *s;
  pthread_mutex_t *lock;
  ts_arena *arena;
  ts_outcome *out;
  bool requested;
} question;

static bool is_enough(void *closure, const ts_ir *ir)
{
  question *q = closure;
  ts_lower_bounds *l = &q->out->bounds, early = *l;
  q->requested = true;
  *l = ts_lower_bounds_of(q->arena, ir);
  l->early = early.early;
  l->early_bytes = early.early_bytes;
  return bounded(q->s, q->lock, q->out);
}

static bool is_enough_early(void *closure, const ts_early_bound *known)
{
  question *q = closure;
  q->out->bounds = (ts_lower_bounds){.early = known->seconds,
                                     .early_bytes = (double)known->bytes,
                                     .tokens = known->tokens,
                                     .devices = known->devices};
  return bounded_early(q->s, q->lock, q->out);
}

/* ---- Compiled before it is played ---- */

static size_t play_bytes_of(const ts_ir *ir)
{
  size_t bytes = 0;
#define TABLE(kind, record, name, size) bytes += (size_t)ir->name##_count * sizeof *ir->name;
#define SINGLE(kind, record, name, size) bytes += sizeof *ir->name;
#include "ir/records.def"
  return bytes;
}

static void keep_compiled(ts_outcome *out, const ts_input *input)
{
  ts_sweep_compiled *c = ts_heap_new(1, sizeof *c);
  *c = (ts_sweep_compiled){*input, play_bytes_of(&input->ir)};
  out->compiled = c;
  out->state = TS_BOUNDED;
}

static void forget(ts_outcome *out)
{
  if (out->compiled)
    ts_input_close(&out->compiled->input);
  free(out->compiled);
  out->compiled = NULL;
}

void ts_sweep_forget(ts_sweep *s)
{
  for (size_t i = 0; i < s->count; i++)
    forget(&s->outcomes[i]);
  s->compiled = 0;
}

/* ---- One, whole ---- */

static void play_run(ts_session *session, const ts_input *input, ts_links_cache *links,
                     ts_outcome *out)
{
  ts_stop stop = {.arena = session->arena};
  ts_run_options how = {.threads = 1, .links = links}; /* plans are played at once instead */
  ts_run *run = ts_run_new(&input->ir, &how, &stop);
  out->played = true;
  out->unsteady = !run && input->ir.left_out; /* what it stops for names items */
  if (run) {
    play_measure(session, input, run, &how, out);
    ts_run_free(run);
    return;
  }
  if (out->unsteady)
    return;
  out->state = TS_STOPPED;
  out->bounds.seconds = fmax(out->bounds.seconds, ts_time_bound(&input->ir, links));
  out->best.known = false;
  out->why = ts_arena_string(session->arena, stop.title, strlen(stop.title));
}

/* Plans may be added to an open search meanwhile. */
static void give_parameters(const ts_sweep *s, pthread_mutex_t *lock, size_t point,
                            const ts_session *session, ts_compile_options *compile)
{
  if (lock)
    pthread_mutex_lock(lock);
  compile->defines =
    ts_search_defines_at(s->search, point, session->lasting, &compile->define_count);
  if (lock)
    pthread_mutex_unlock(lock);
}

static void compile_and_run(const ts_sweep *s, pthread_mutex_t *lock, ts_session *session,
                            ts_links_cache *links, ts_outcome *out)
{
  ts_compile_options compile = s->compile;
  ts_input input = {0};
  compile.listed = out->all_rounds ? 0 : TS_LISTED;
  compile.orderless = true;
  question asks = {s, lock, session->arena, out, false};
  ts_memory_bound held = {.enough = is_enough,
                          .enough_early = s->search->open ? NULL : is_enough_early,
                          .closure = &asks,
                          .early = !s->search->open};
  if (may_be_bounded(s, lock, out))
    compile.held = &held;
  compile.plan_name = s->search->plan;
  give_parameters(s, lock, out->point, session, &compile);
  out->bounds = (ts_lower_bounds){0};
  ts_input_open(session, s->path, &compile, &input);
  switch (input.status) {
  case TS_PASS_DONE: {
    bool had =
      !asks.requested && is_enough(&asks, &input.ir); /* graphs of ranks come another way */
    if (!had && out->early_bound) {
      keep_compiled(out, &input);
      return;
    }
    if (!had && !bounded_late(s, lock, out, &input.ir, links))
      play_run(session, &input, links, out);
    ts_input_close(&input);
    break;
  }
  case TS_PASS_TOO_LARGE:
    out->bounds = (ts_lower_bounds){
      .bytes = held.bytes, .reserved = held.reserved, .limit = held.limit, .over = true};
    out->state = TS_TOO_LARGE;
    break;
  case TS_PASS_ENOUGH: break;
  case TS_PASS_REFUSED: {
    const char *why = ts_diags_first_error(session->diags);
    out->why = why ? why : "no reason was given";
    out->unread = ts_diags_exit(session->diags) == TS_EXIT_ENVIRONMENT;
    out->unsteady = session->options->listed > 0; /* perhaps as rounds are left out */
    if (session->running->starved)
      out->state = TS_STOPPED, out->starved = out->played = true;
  }
  }
}

static ts_outcome play_in(const ts_sweep *s, pthread_mutex_t *lock, const ts_outcome *requested,
                          ts_session *session, ts_links_cache *links)
{
  ts_outcome out = {.state = TS_REFUSED,
                    .point = requested->point,
                    .exact = requested->exact,
                    .bounds_only = requested->bounds_only,
                    .early_bound = requested->early_bound,
                    .all_rounds = requested->all_rounds};
  if (!requested->early_bound) { /* its early bound may be too little by now */
    out.bounds = requested->bounds;
    out.compiled = requested->compiled;
  }
  if (bounded_early(s, lock, &out))
    return out;
  if (!out.compiled)
    compile_and_run(s, lock, session, links, &out);
  else if (!bounded_late(s, lock, &out, &out.compiled->input.ir, links))
    play_run(session, &out.compiled->input, links, &out);
  return out;
}

ts_outcome ts_sweep_play_requested(const ts_sweep *s, pthread_mutex_t *lock,
                                   const ts_outcome *requested, ts_arena *arena,
                                   ts_session **session, ts_links_cache *links)
{
  *session = ts_session_next(*session, arena, s->common);
  ts_outcome out = play_in(s, lock, requested, *session, links);
  if (!out.unsteady)
    return out;
  ts_outcome all = *requested;
  all.compiled = NULL;
  all.all_rounds = true;
  *session = ts_session_next(*session, arena, s->common);
  return play_in(s, lock, &all, *session, links);
}

ts_outcome ts_sweep_play_one(const ts_sweep *s, size_t point, ts_arena *arena)
{
  ts_outcome requested = {.point = point};
  ts_outcome out = play_in(s, NULL, &requested, ts_session_with(arena, s->common), NULL);
  requested.all_rounds = out.unsteady;
  return out.unsteady ? play_in(s, NULL, &requested, ts_session_with(arena, s->common), NULL) : out;
}

void ts_sweep_tell(ts_sweep *s, size_t point)
{
  ts_outcome requested = {.point = point};
  for (bool reported = false; !reported;) {
    ts_arena *arena = ts_arena_new("plan of a sweep");
    ts_session *session = ts_session_new(arena);
    reported = !(requested.all_rounds = play_in(s, NULL, &requested, session, NULL).unsteady);
    if (reported)
      ts_diags_copy(s->session->diags, s->session->sources, session->diags);
    ts_arena_free(arena);
  }
}

/* ---- Many ---- */

typedef struct finished { size_t index; double seconds; } finished;

/* Who plays and who asked share this; `lock` also guards the arena and the inputs of the sweep. */
typedef struct play_pool {
  ts_sweep *sweep;
  const ts_sweep_source *from;
  pthread_mutex_t lock;
  pthread_cond_t news, work; /* a plan was played; plans may have come */
  ts_links_shared *links;
  size_t begun, reported;    /* plays begun, and those that `done` was called for */
  bool alone;                /* there is no thread but the calling one */
  bool stopped;              /* no more begin */
  bool ended;                /* likewise, and all are told */
  TS_VEC(finished) ready;
} play_pool;

/* What outlives the plan's session. */
static void play_keep(play_pool *p, size_t index, ts_outcome out, const ts_session *session)
{
  ts_sweep *s = p->sweep;
  const ts_outcome *before = &s->outcomes[index];
  if (before->compiled) {
    if (out.compiled) /* else it was compiled again */
      ts_outcome_add_warnings(&out, before, session->arena);
    s->compiled -= before->compiled->bytes;
    forget(&s->outcomes[index]);
    out.compiled = NULL;
  }
  s->compiled += out.compiled ? out.compiled->bytes : 0;
  ts_inputs_take(s->inputs, session);
  ts_outcome_keep(&out, &s->once, s->arena);
  out.known = !out.early_bound || out.state != TS_BOUNDED;
  s->outcomes[index] = out;
}

/* Waits for one where others tell when there is; what was played is told before. */
static bool play_begin(play_pool *p, size_t *index, ts_outcome *requested)
{
  bool got;
  pthread_mutex_lock(&p->lock);
  while (!(got = !p->stopped && !p->ended && p->from->next(p->from->closure, index)) && !p->ended &&
         !p->alone) {
    pthread_cond_signal(&p->news);
    pthread_cond_wait(&p->work, &p->lock);
  }
  p->begun += got;
  if (got)
    *requested = p->sweep->outcomes[*index];
  pthread_mutex_unlock(&p->lock);
  return got;
}

static void *play_work(void *closure)
{
  play_pool *p = closure;
  ts_arena *arena = ts_arena_new("plans of a sweep");
  ts_session *session = NULL;
  ts_links_cache *links = ts_links_cache_new(p->links);
  ts_outcome requested;
  for (size_t index; play_begin(p, &index, &requested);) {
    double begun = ts_clock();
    ts_outcome out =
      ts_sweep_play_requested(p->sweep, &p->lock, &requested, arena, &session, links);
    double seconds = ts_clock() - begun;
    ts_outcome_take_warnings(&out, session->diags, session->arena);
    pthread_mutex_lock(&p->lock);
    play_keep(p, index, out, session);
    if (p->from->notes)
      ts_sweep_note(p->sweep, index);
    TS_PUSH(p->sweep->arena, &p->ready, ((finished){index, seconds}));
    if (p->ready.count >= MANY)
      pthread_cond_signal(&p->news);
    pthread_mutex_unlock(&p->lock);
  }
  ts_links_cache_free(links);
  ts_arena_free(arena);
  return NULL;
}

/* A plan is told at the next tick unless many are, or a thread waits for more: to wake up for each
 * costs more than many a plan. */
static void wait_for_news(play_pool *p)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += p->from->pause * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  while (!p->ready.count && pthread_cond_timedwait(&p->news, &p->lock, &until) == 0)
    ;
}

static void play_here(play_pool *p)
{
  pthread_mutex_unlock(&p->lock);
  play_work(p);
  pthread_mutex_lock(&p->lock);
}

/* Tells what is new until nothing more comes and all that began is told. */
static void play_tell(play_pool *p)
{
  const ts_sweep_source *from = p->from;
  double ticked = 0;
  pthread_mutex_lock(&p->lock);
  while (!p->ended) {
    if (p->alone)
      play_here(p);
    wait_for_news(p);
    for (size_t i = 0; i < p->ready.count; i++, p->reported++)
      from->done(from->closure, p->ready.at[i].index, p->ready.at[i].seconds);
    p->ready.count = 0;
    bool more = !p->stopped && from->more(from->closure), last = !more && p->reported == p->begun;
    double now = ts_clock();
    if (last || now - ticked >= TICK * 1e-3) {
      ticked = now;
      p->stopped |= !from->tick(from->closure);
    }
    p->ended = last;
    pthread_cond_broadcast(&p->work);
  }
  pthread_mutex_unlock(&p->lock);
}

bool ts_sweep_play_from(ts_sweep *s, const ts_sweep_source *from)
{
  if (ts_apart()) {
    s->compiled = KEPT; /* nothing is kept that another process has */
    return ts_apart_play(s, from);
  }
  play_pool p = {.sweep = s,
                 .from = from,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .links = from->jobs > 1 ? ts_links_shared_new() : NULL};
  pthread_condattr_t steady;
  pthread_t threads[TS_MOST_JOBS];
  long long started = 0;
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_cond_init(&p.news, &steady);
  pthread_cond_init(&p.work, NULL);
  while (started < from->jobs && pthread_create(&threads[started], NULL, play_work, &p) == 0)
    started++;
  p.alone = !started;
  play_tell(&p);
  while (started > 0)
    pthread_join(threads[--started], NULL);
  ts_links_shared_free(p.links);
  pthread_cond_destroy(&p.work);
  pthread_cond_destroy(&p.news);
  pthread_condattr_destroy(&steady);
  return !p.stopped;
}

/* ---- Those of a list ---- */

typedef struct list { const ts_sweep_plays *plays; size_t next; } list;

static bool next_of_list(void *closure, size_t *index)
{
  list *l = closure;
  if (l->next == l->plays->count)
    return false;
  *index = l->plays->todo[l->next++];
  return true;
}

static bool more_of_list(void *closure)
{
  const list *l = closure;
  return l->next < l->plays->count;
}

static void done_of_list(void *closure, size_t index, double seconds)
{
  const list *l = closure;
  l->plays->done(l->plays->closure, index, seconds);
}

static bool tick_of_list(void *closure)
{
  const list *l = closure;
  return l->plays->tick(l->plays->closure);
}

bool ts_sweep_play(ts_sweep *s, const ts_sweep_plays *plays)
{
  list l = {.plays = plays};
  if (!plays->count)
    return plays->tick(plays->closure);
  return ts_sweep_play_from(
    s, &(ts_sweep_source){
         .jobs = (size_t)plays->jobs < plays->count ? plays->jobs : (long long)plays->count,
         .pause = TICK,
         .notes = true,
         .next = next_of_list,
         .more = more_of_list,
         .done = done_of_list,
         .tick = tick_of_list,
         .closure = &l});
}
