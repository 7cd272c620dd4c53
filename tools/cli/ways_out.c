#include "tools/cli/ways_out.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/account/memory.h"
#include "tools/cli/trials.h"

enum {
  MOST_NODES = 200000000, /* played for all changes together: some ten seconds of two processors */
  COMPILED = 25,          /* nodes that are played in the time in which one is compiled */
  /* changes between two looks at that limit, so that it does not depend on threads */
  BLOCK = 8,
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
  const ts_input *input;
  ts_trials at_once;
  uint64_t above; /* bytes of its peak that are not held for the whole step */
  uint64_t nodes; /* of all so far */
  uint32_t tried, untried;
  trials fits, fails;
  bool interrupted;
  ways_out_trial *block; /* being played */
} ways_out_search;

/* ---- One change ---- */

/* A change that plays another job - fewer devices, another batch - is no way out. */
static bool same_job(const ts_ir *a, const ts_ir *b)
{
  return a->meta->world == b->meta->world &&
         a->meta->samples_per_step == b->meta->samples_per_step &&
         a->meta->tokens_per_step == b->meta->tokens_per_step && a->meta->steps == b->meta->steps;
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
  t->out.step = ts_run_result(run)->step;
  t->out.peak = fullest->peak + fullest->reserved;
  t->out.over = fullest->over;
  t->guess = t->out.over;
  t->played = true;
  ts_run_free(run);
}

/* A change that the compiler or the play refuses is none; it counts as the plan does. */
static void ways_out_try(void *closure, size_t i, ts_arena *scratch, const ts_ir *ir,
                         const ts_run_options *options)
{
  const ways_out_search *x = closure;
  const ts_ir *before = &x->input->ir;
  ways_out_trial *t = &x->block[i];
  t->nodes = (uint64_t)COMPILED * (ir ? ir : before)->nodes_count;
  if (ir && same_job(ir, before))
    ways_out_measure(scratch, ir, options, t);
}

/* This need not be played. The least peak that it can have. */
static void ways_out_too_large(void *closure, size_t i, const ts_memory_bound *held)
{
  const ways_out_search *x = closure;
  ways_out_trial *t = &x->block[i];
  t->nodes = (uint64_t)COMPILED * x->input->ir.nodes_count;
  t->played = true;
  t->out = (ts_way_out){.peak = held->bytes + held->reserved,
                        .over = held->bytes + held->reserved - held->limit};
  t->guess = t->out.over + (held->in_flight ? 0 : x->above);
}

/* ---- Many ---- */

static const char *ways_out_lines(const ways_out_search *x, const ts_way *way)
{
  return ts_way_lines(x->arena, way, x->input->text, x->input->size);
}

static void play_block(ways_out_search *x, const trials *all, size_t first, size_t count,
                       bool whole)
{
  x->block = all->at + first;
  x->interrupted =
    !ts_trials_play(&x->at_once, &(ts_trials_job){.ways = &x->block->way,
                                                  .stride = sizeof *x->block,
                                                  .count = count,
                                                  .play = ways_out_try,
                                                  .too_large = whole ? NULL : ways_out_too_large,
                                                  .closure = x,
                                                  .what = "changes that fit in memory",
                                                  .done = (double)first / (double)all->count,
                                                  .share = (double)count / (double)all->count});
}

static void try_all(ways_out_search *x, const trials *all)
{
  for (size_t first = 0; first < all->count && !x->interrupted; first += BLOCK) {
    size_t count = all->count - first < BLOCK ? all->count - first : BLOCK;
    if (x->nodes >= MOST_NODES) {
      x->untried += (uint32_t)(all->count - first);
      return;
    }
    play_block(x, all, first, count, false);
    for (size_t i = first; i < first + count; i++) {
      ways_out_trial *t = &all->at[i];
      x->nodes += t->nodes;
      x->tried++;
      if (!t->played)
        continue;
      t->out.change = ways_out_lines(x, &t->way);
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
  const char *lines = ways_out_lines(x, way);
  for (size_t i = 0; i < all->count; i++)
    if (!strcmp(ways_out_lines(x, &all->at[i].way), lines))
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

/* The change that comes nearest, played if it was not. */
static const ts_way_out *closest(ways_out_search *x)
{
  for (size_t i = 0; i < x->fails.count && !x->interrupted; i++) {
    ways_out_trial *t = &x->fails.at[i];
    if (!t->out.step)
      play_block(x, &x->fails, i, 1, true);
    if (t->out.step)
      return ts_arena_copy(x->arena, &t->out, sizeof t->out);
  }
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
  ways_out_search x = {
    .arena = arena, .input = input, .at_once = ts_trials_begin(path, input, compile, options)};
  const ts_memory_class *m = fullest(summary);
  x.above = m->peak - m->base;
  ts_ways ways =
    ts_ways_list(arena, "ways_out", path, input->text, input->size, compile, labels, label_count);
  ways_out_look(&x, &ways);
  const ts_way_out *near = x.fits.count ? NULL : closest(&x);
  ts_trials_end(&x.at_once);
  if (x.interrupted)
    return NULL;
  ts_ways_out *out = TS_NEW(arena, ts_ways_out);
  TS_SORT(&x.fits, by_step);
  ts_way_out *at = TS_NEW_ARRAY(arena, ts_way_out, x.fits.count + 1);
  for (size_t i = 0; i < x.fits.count; i++)
    at[i] = x.fits.at[i].out;
  *out = (ts_ways_out){
    .count = (uint32_t)x.fits.count, .at = at, .tried = x.tried, .untried = x.untried};
  out->closest = near;
  return out;
}
