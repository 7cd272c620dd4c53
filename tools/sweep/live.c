#include "tools/sweep/live.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "base/source.h"
#include "tools/cli/live_page.h"
#include "tools/sweep/journal.h"
#include "tools/sweep/progress.h"

enum { SHOWN = 500 /* plans of the front that are told */ };

typedef struct plan { const char *parameters; double step, memory; } plan;

struct ts_live {
  ts_arena *arena;
  const char *path;
  ts_live_page page;
  int64_t row; /* the last one read */
  uint64_t states[TS_OUTCOME_STATES];
  TS_VEC(plan) front; /* no other has a shorter step and less memory; shortest step first */
  ts_journal_sweep sweep; /* the newest */
  bool any;
};

/* ---- What is new ---- */

/* A plan at `at` that takes no longer and holds no more makes it needless. */
static void add_to_front(ts_live *l, const plan *p)
{
  size_t at = 0, remaining = 0;
  while (at < l->front.count && l->front.at[at].step <= p->step)
    if (l->front.at[at++].memory <= p->memory)
      return;
  TS_PUSH(l->arena, &l->front, *p);
  memmove(l->front.at + at + 1, l->front.at + at, (l->front.count - 1 - at) * sizeof *p);
  l->front.at[at] = *p;
  for (size_t i = 0; i < l->front.count; i++) {
    const plan *other = &l->front.at[i];
    if (i == at || other->step < p->step || other->memory < p->memory)
      l->front.at[remaining++] = *other;
  }
  l->front.count = remaining;
}

static void take_plan(void *closure, const ts_journal_plan *p)
{
  ts_live *l = closure;
  l->row = p->row;
  l->states[p->state]++;
  double step = p->figures.of[TS_FIGURE_STEP], memory = p->figures.of[TS_FIGURE_MEMORY];
  if (p->state != TS_RANKED || !isfinite(step) || !isfinite(memory))
    return;
  for (size_t i = 0; i < l->front.count; i++) /* most are none of it: no name is kept */
    if (l->front.at[i].step <= step && l->front.at[i].memory <= memory)
      return;
  add_to_front(l, &(plan){ts_arena_string(l->arena, p->parameters, strlen(p->parameters)), step,
                          memory});
}

static void take_sweep(void *closure, const ts_journal_sweep *s)
{
  ts_live *l = closure;
  l->sweep = *s;
  l->any = true;
}

/* It is open no longer than that: whoever ends the program leaves nothing beside it. */
static bool read_new(ts_live *l, ts_arena *scratch, ts_journal_about *about, ts_error *error)
{
  l->any = false;
  ts_journal *j = ts_journal_open(scratch, l->path, TS_JOURNAL_READ, error);
  bool read = j && ts_journal_about_of(j, scratch, about, error) &&
              ts_journal_sweeps(j, scratch, take_sweep, l, error) &&
              ts_journal_plans_after(j, l->row, scratch, take_plan, l, error);
  ts_journal_close(j);
  return read;
}

/* ---- As JSON ---- */

static void put_sweep(const ts_live *l, ts_json_writer *w)
{
  const ts_journal_sweep *s = &l->sweep;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  ts_json_begin(w, "sweep", '{');
  ts_progress_put_json(s, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, true, w);
  ts_json_end(w, '}');
}

static void put_front(const ts_live *l, ts_json_writer *w)
{
  size_t every = l->front.count / SHOWN + 1;
  ts_json_begin(w, "front", '[');
  for (size_t i = 0; i < l->front.count; i += every) {
    const plan *p = &l->front.at[i];
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "parameters", p->parameters);
    ts_json_put_number(w, "step_time", "%.9g", p->step);
    ts_json_put_number(w, "peak_memory", "%.9g", p->memory);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

/* A process that is forked meanwhile (apart.h) would find what the thread holds held for ever. */
static pthread_mutex_t answering = PTHREAD_MUTEX_INITIALIZER;
static void live_hold(void) { pthread_mutex_lock(&answering); }
static void let_go(void) { pthread_mutex_unlock(&answering); }

static void put_read(ts_live *l, FILE *out)
{
  ts_arena *scratch = ts_arena_new("status of a sweep");
  ts_json_writer w = {.out = out, .spaced = true};
  ts_journal_about about;
  ts_error error;
  bool read = read_new(l, scratch, &about, &error);
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-live");
  ts_json_put_count(&w, "format", 1);
  if (read) {
    ts_json_put_text(&w, "file", about.file);
    ts_json_put_text(&w, "version", about.version);
    if (l->any)
      put_sweep(l, &w);
    ts_json_begin(&w, "states", '{');
    for (int i = 0; i < TS_OUTCOME_STATES; i++)
      if (l->states[i])
        ts_json_put_count(&w, ts_outcome_states[i], l->states[i]);
    ts_json_end(&w, '}');
    put_front(l, &w);
  } else {
    ts_json_put_text(&w, "error", error.message);
  }
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
  ts_arena_free(scratch);
}

static void put_status(void *closure, FILE *out)
{
  live_hold();
  put_read(closure, out);
  let_go();
}

/* ---- Serving ---- */

ts_live *ts_live_open(ts_arena *arena, const char *where, ts_error *error)
{
  ts_live *l = TS_NEW(arena, ts_live);
  return ts_live_page_open(&l->page, where, error) ? l : NULL;
}

bool ts_live_read(ts_live *l, const char *journal, ts_error *error)
{
  ts_arena *scratch = ts_arena_new("a journal");
  ts_journal *j = ts_journal_open(scratch, journal, TS_JOURNAL_READ, error);
  bool read = j;
  ts_journal_close(j);
  ts_arena_free(scratch);
  l->path = journal;
  l->arena = read ? ts_arena_new("live page") : NULL; /* it may be used on another thread */
  l->page.title = "A sweep under way";
  l->page.heading = ts_base_name(journal);
  l->page.hint =
    "The front: of all plans of the journal that fit, those that no other beats by step "
    "time and peak memory. Conditions of the search are not asked.";
  l->page.put_status = put_status;
  l->page.closure = l;
  return read;
}

const char *ts_live_url(const ts_live *l) { return l->page.http.url; }

void ts_live_serve(ts_live *l, const atomic_bool *stop)
{
  ts_live_page_serve(&l->page, stop);
  ts_arena_free(l->arena);
}

bool ts_live_begin(ts_live *l)
{
  return pthread_atfork(live_hold, let_go, let_go) == 0 && ts_live_page_begin(&l->page);
}

void ts_live_end(ts_live *l)
{
  ts_live_page_end(&l->page);
  ts_arena_free(l->arena);
}
