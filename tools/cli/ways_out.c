#include "tools/cli/ways_out.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/eval/shared.h"
#include "compiler/ways_out.h"
#include "runtime/account/memory.h"
#include "runtime/collective/links.h"
#include "tools/cli/progress.h"

enum {
  MOST_NODES = 200000000, /* played for all changes together: some ten seconds of two processors */
  COMPILED = 25,          /* nodes that are played in the time in which one is compiled */
  /* changes between two looks at that limit, so that it does not depend on threads */
  BLOCK = 8,
  MOST_THREADS = 8,
  MOST_LABELS = 3, /* that hold activations, for recomputation */
  WIDTH = 8,       /* changes nearest to fitting that are combined if no single one fits */
  MOST_CHANGES = 4 /* at once */
};

typedef struct ways_out_trial {
  ts_way way;
  ts_way_out out;
  uint64_t nodes; /* played, and COMPILED for each that was compiled */
  bool played;    /* or found to be too large without; else it was refused */
  /* by which it is too large; of one that was not played, as if all else were as before */
  uint64_t guess;
} ways_out_trial;
typedef TS_VEC(ways_out_trial) trials;

typedef struct ways_out_search {
  ts_arena *arena;
  const char *path, *text;
  size_t size;
  ts_compile_options compile;
  ts_run_options run;
  const ts_ir *before;
  ts_common *common;      /* of all that are compiled */
  ts_links_shared *links; /* of all that are played */
  uint64_t above;         /* bytes of its peak that are not held for the whole step */
  uint64_t nodes;         /* of all so far */
  uint32_t tried, untried;
  trials fits, fails;
  atomic_bool interrupted;
  ways_out_trial *block; /* being played */
  double done;           /* of all that are tried now, before the block */
  double share;          /* of one of it */
  atomic_size_t next;
  size_t end;
} ways_out_search;

/* ---- One change ---- */

/* A change that plays another job - fewer devices, another batch - is no way out. */
static bool same_job(const ts_ir *a, const ts_ir *b)
{
  return a->meta->world == b->meta->world &&
         a->meta->samples_per_step == b->meta->samples_per_step &&
         a->meta->tokens_per_step == b->meta->tokens_per_step && a->meta->steps == b->meta->steps;
}

/* What is held for the whole step alone is too much: this need not be played. The least peak that
 * it can have. */
static bool held_too_much(const ts_ir *ir, ts_way_out *out)
{
  for (uint32_t d = 0; d < ir->device_classes_count; d++)
    if (!ir->device_classes[d].memory)
      return false; /* no limit known */
  uint64_t most = 0, limit = 0, reserved = 0;
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    uint64_t held = 0;
    for (uint32_t h = 0; h < ir->programs[p].holding_count; h++)
      held += ir->holdings[ir->programs[p].first_holding + h].bytes;
    most = held > most ? held : most;
  }
  for (uint32_t d = 0; d < ir->device_classes_count; d++) {
    limit = ir->device_classes[d].memory > limit ? ir->device_classes[d].memory : limit;
    reserved = d && ir->device_classes[d].reserved_memory > reserved ?
                 reserved :
                 ir->device_classes[d].reserved_memory;
  }
  *out = (ts_way_out){.peak = most + reserved,
                      .over = most + reserved > limit ? most + reserved - limit : 0};
  return out->over > 0;
}

static void ways_out_measure(ts_arena *scratch, const ts_ir *ir, const ts_run_options *options,
                             ways_out_trial *t)
{
  ts_stop stop = {.arena = scratch};
  ts_run *run = ts_run_new(ir, options, &stop);
  if (!run)
    return;
  const ts_memory *memory = ts_memory_new(scratch, ir, run);
  const ts_memory_class *fullest = &memory->classes[memory->fullest];
  t->nodes += ts_run_result(run)->nodes_played;
  t->out = (ts_way_out){.step = ts_run_result(run)->step,
                        .peak = fullest->peak + fullest->reserved,
                        .over = fullest->over};
  t->played = true;
  ts_run_free(run);
}

/* A change that the compiler or the play refuses is none; it counts as the plan does. */
static void try_way(const ways_out_search *x, const ts_run_options *options, ways_out_trial *t)
{
  ts_arena *scratch = ts_arena_new("a way out");
  ts_input input;
  ts_session *s =
    ts_way_compile(scratch, x->common, x->path, x->text, x->size, &x->compile, &t->way, &input);
  t->nodes = (uint64_t)COMPILED * x->before->nodes_count;
  if (s) {
    t->nodes = (uint64_t)COMPILED * input.ir.nodes_count;
    if (same_job(&input.ir, x->before) && !(t->played = held_too_much(&input.ir, &t->out)))
      ways_out_measure(scratch, &input.ir, options, t);
    ts_input_close(&input);
    ts_shared_leave(s);
  }
  ts_arena_free(scratch);
}

/* ---- Many ---- */

static bool is_not_interrupted(void *closure, const char *what, double share)
{
  (void)closure, (void)what, (void)share;
  return !ts_progress_interrupted();
}

/* The bar is drawn from the first thread. */
static bool goes_on(ways_out_search *x, size_t i, bool first)
{
  bool stop = first ? !ts_tick(x->run.progress, "changes that fit in memory",
                               x->done + x->share * (double)i) :
                      ts_progress_interrupted();
  if (stop)
    atomic_store(&x->interrupted, true);
  return !stop;
}

static void ways_out_work(ways_out_search *x, bool first)
{
  ts_run_options options = x->run;
  ts_links_kept *links = ts_links_kept_new(x->links);
  static const ts_progress quiet = {.tick = is_not_interrupted};
  if (!first)
    options.progress = &quiet;
  options.links = links;
  for (size_t i; (i = atomic_fetch_add(&x->next, 1)) < x->end && goes_on(x, i, first);)
    try_way(x, &options, &x->block[i]);
  ts_links_kept_free(links);
}

static void *work_beside(void *closure)
{
  ways_out_work(closure, false);
  return NULL;
}

static void play_block(ways_out_search *x, ways_out_trial *block, size_t count)
{
  pthread_t threads[MOST_THREADS];
  long processors = sysconf(_SC_NPROCESSORS_ONLN), started = 0;
  x->block = block;
  x->end = count;
  atomic_store(&x->next, 0);
  while (started + 1 < processors && started < MOST_THREADS && (size_t)started + 1 < count &&
         pthread_create(&threads[started], NULL, work_beside, x) == 0)
    started++;
  ways_out_work(x, true);
  while (started > 0)
    pthread_join(threads[--started], NULL);
}

static void try_all(ways_out_search *x, const trials *all)
{
  for (size_t first = 0; first < all->count && !x->interrupted; first += BLOCK) {
    size_t count = all->count - first < BLOCK ? all->count - first : BLOCK;
    if (x->nodes >= MOST_NODES) {
      x->untried += (uint32_t)(all->count - first);
      return;
    }
    x->done = (double)first / (double)all->count;
    x->share = 1 / (double)all->count;
    play_block(x, all->at + first, count);
    for (size_t i = first; i < first + count; i++) {
      ways_out_trial *t = &all->at[i];
      x->nodes += t->nodes;
      x->tried++;
      if (!t->played)
        continue;
      t->guess = t->out.over + (t->out.step ? 0 : x->above);
      t->out.change = ts_way_lines(x->arena, &t->way, x->text, x->size);
      t->out.replaced = t->way.replaced;
      if (t->out.over)
        TS_PUSH(x->arena, &x->fails, *t);
      else
        TS_PUSH(x->arena, &x->fits, *t);
    }
  }
}

static int by_step(const void *x, const void *y)
{
  const ways_out_trial *a = x, *b = y;
  if (a->out.step != b->out.step)
    return a->out.step < b->out.step ? -1 : 1;
  return a->out.peak != b->out.peak ? (a->out.peak < b->out.peak ? -1 : 1) :
                                      strcmp(a->out.change, b->out.change);
}

static int by_guess(const void *x, const void *y)
{
  const ways_out_trial *a = x, *b = y;
  return a->guess != b->guess ? (a->guess < b->guess ? -1 : 1) : by_step(x, y);
}

static bool ways_out_known(const trials *all, const ts_way *way, const ways_out_search *x)
{
  const char *lines = ts_way_lines(x->arena, way, x->text, x->size);
  for (size_t i = 0; i < all->count; i++)
    if (!strcmp(ts_way_lines(x->arena, &all->at[i].way, x->text, x->size), lines))
      return true;
  return false;
}

/* Each of the changes nearest to fitting, with each single change that is not in it yet. */
static void combine(ways_out_search *x, const trials *nearest, const trials *singles)
{
  trials all = {0};
  for (size_t i = 0; i < nearest->count && i < WIDTH; i++)
    for (size_t k = 0; k < singles->count && k < WIDTH; k++) {
      ways_out_trial t = {0};
      if (ts_way_join(x->arena, &nearest->at[i].way, &singles->at[k].way, &t.way) &&
          !ways_out_known(&all, &t.way, x))
        TS_PUSH(x->arena, &all, t);
    }
  try_all(x, &all);
}

static void ways_out_look(ways_out_search *x, const ts_ways *ways)
{
  trials all = {0};
  for (uint32_t i = 0; i < ways->count; i++)
    TS_PUSH(x->arena, &all, (ways_out_trial){.way = ways->at[i]});
  try_all(x, &all);
  TS_SORT(&x->fails, by_guess);
  trials singles = x->fails, nearest = x->fails, rest = x->fails;
  for (int changes = 2; !x->fits.count && nearest.count && changes <= MOST_CHANGES; changes++) {
    x->fails = (trials){0};
    combine(x, &nearest, &singles);
    TS_SORT(&x->fails, by_guess);
    nearest = x->fails;
    for (size_t i = 0; i < nearest.count; i++)
      TS_PUSH(x->arena, &rest, nearest.at[i]);
  }
  x->fails = rest;
  TS_SORT(&x->fails, by_guess);
}

/* The change that was played and came nearest. */
static const ts_way_out *closest(const ways_out_search *x)
{
  for (size_t i = 0; i < x->fails.count; i++)
    if (x->fails.at[i].out.step)
      return ts_arena_copy(x->arena, &x->fails.at[i].out, sizeof(ts_way_out));
  return NULL;
}

static const ts_memory_class *fullest(const ts_summary *s)
{
  return &s->memory->classes[s->memory->fullest];
}

/* Recomputation cannot free more than activations hold: where that is less than what is missing, no
 * label is worth it. */
static uint32_t labels_of(const ts_summary *s, const char **labels)
{
  const ts_memory_class *m = fullest(s);
  uint32_t count = 0;
  for (uint32_t h = 0;
       m->category[TS_IR_ACTIVATIONS] > m->over && h < m->holder_count && count < MOST_LABELS; h++)
    if (m->holders[h].category == TS_IR_ACTIVATIONS && *m->holders[h].label)
      labels[count++] = m->holders[h].label;
  return count;
}

const ts_ways_out *ts_ways_out_find(ts_arena *arena, const char *path, const ts_input *input,
                                    const ts_compile_options *compile, const ts_summary *summary,
                                    const ts_run_options *options)
{
  if (!input->text)
    return NULL;
  const char *labels[MOST_LABELS];
  uint32_t label_count = labels_of(summary, labels);
  ways_out_search x = {.arena = arena,
                       .path = path,
                       .text = input->text,
                       .size = input->size,
                       .compile = *compile,
                       .run = *options,
                       .before = &input->ir};
  const ts_memory_class *m = fullest(summary);
  x.above = m->peak - m->base;
  x.run.threads = 1;    /* several changes are played at once instead */
  x.run.packets = NULL; /* of one run at a time */
  ts_ways ways =
    ts_ways_list(arena, "ways_out", path, input->text, input->size, compile, labels, label_count);
  x.common = strcmp(path, "-") != 0 ? ts_common_new(path, compile) : NULL;
  x.links = ts_links_shared_new();
  ways_out_look(&x, &ways);
  ts_links_shared_free(x.links);
  ts_common_free(x.common);
  if (x.interrupted)
    return NULL;
  ts_ways_out *out = TS_NEW(arena, ts_ways_out);
  TS_SORT(&x.fits, by_step);
  ts_way_out *at = TS_NEW_ARRAY(arena, ts_way_out, x.fits.count + 1);
  for (size_t i = 0; i < x.fits.count; i++)
    at[i] = x.fits.at[i].out;
  *out = (ts_ways_out){
    .count = (uint32_t)x.fits.count, .at = at, .tried = x.tried, .untried = x.untried};
  out->closest = out->count ? NULL : closest(&x);
  return out;
}
