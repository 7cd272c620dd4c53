#include "tools/cli/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/eval/value.h"
#include "runtime/account/run.h"
#include "runtime/load/tables.h"
#include "runtime/study/change.h"
#include "tools/cli/trials.h"

enum {
  MOST_LEVELS = 8,
  BETWEEN = 12, /* degrees looked at between two levels */
  PAIRED = 8,   /* likeliest causes of which each two are put together ... */
  PLAYED = 6    /* ... and pairs that are played */
};

/* Errors of a prediction, as standard deviations of the logarithm. */
static const double min_spread = 0.05, memory_spread = 0.1, part_spread = 0.2;
/* Of what a recording says: a share of the part, and of the step. */
static const double share_spread = 0.2, min_share = 0.01;
/* What changes less of a step plays no part in it. */
static const double nothing = 0.01;
/* Spreads within which four of five predictions lie. */
static const double near_by = 1.28;

typedef struct causes_degrees {
  double levels[MOST_LEVELS];
  ts_observed seen[MOST_LEVELS];
  uint32_t count; /* of those that could be played */
} causes_degrees;

typedef struct causes_trial {
  ts_way way;
  causes_degrees degrees;
  ts_cause best;
  bool counts; /* it moves something, towards what was measured */
} causes_trial;

typedef struct causes_search {
  ts_arena *arena;
  const ts_input *input;
  const ts_summary *before;
  ts_observed seen; /* before */
  const ts_observed *measured;
  double spread[TS_OBSERVED_PARTS], gradients, full;
  causes_trial *trials;
} causes_search;

/* ---- What is seen of a step ---- */

typedef struct causes_parts {
  const ts_ir *ir;
  double of[TS_IR_PHASES];
  double seen[TS_OBSERVED_PARTS];
} causes_parts;

ts_observed_part ts_observed_family(const char *family)
{
  return strstr(family, "gemm") || !strncmp(family, "conv", 4) ? TS_OBSERVED_PRODUCTS :
         !strncmp(family, "attention", 9)                      ? TS_OBSERVED_ATTENTION :
                                                                 TS_OBSERVED_KERNELS;
}

static void causes_take(void *closure, const ts_ir_node *node, ts_share_kind kind, uint64_t time)
{
  causes_parts *p = closure;
  if (kind == TS_SHARE_TRANSFER)
    return;
  p->of[node->phase] += (double)time * 1e-12;
  p->seen[kind == TS_SHARE_EXPOSED || node->op != TS_IR_COMPUTE ?
            TS_OBSERVED_EXPOSED :
            ts_observed_family(p->ir->strings + p->ir->kernels[node->arg].family)] +=
    (double)time * 1e-12;
}

/* The class that is longest at work. */
static uint32_t busiest_class(const ts_result *r)
{
  uint32_t best = 0;
  for (uint32_t c = 1; c < r->class_count; c++)
    if (r->classes[c].bubble + r->classes[c].tail < r->classes[best].bubble + r->classes[best].tail)
      best = c;
  return best;
}

ts_observed ts_observed_of(const ts_run *run, const ts_memory *memory)
{
  const ts_result *r = ts_run_result(run);
  const ts_memory_class *fullest = &memory->classes[memory->fullest];
  uint32_t busiest = busiest_class(r);
  const ts_class_result *class = &r->classes[busiest];
  causes_parts p = {.ir = ts_run_facts(run)->tables->ir};
  ts_run_attribute(run, busiest, &(ts_attribution){.take = causes_take, .closure = &p});
  ts_observed o = {{(double)r->step * 1e-12, (double)(fullest->peak + fullest->reserved),
                    p.of[TS_IR_PHASE_FORWARD],
                    p.of[TS_IR_PHASE_BACKWARD_INPUT] + p.of[TS_IR_PHASE_BACKWARD_WEIGHT] +
                      p.of[TS_IR_PHASE_RECOMPUTE],
                    p.of[TS_IR_PHASE_OPTIMIZER] + p.of[TS_IR_PHASE_COMMUNICATION]}};
  memcpy(o.of + TS_OBSERVED_SHOWN, p.seen + TS_OBSERVED_SHOWN,
         (TS_OBSERVED_PARTS - TS_OBSERVED_SHOWN) * sizeof *o.of);
  o.of[TS_OBSERVED_EXPOSED] += (double)class->bubble * 1e-12;
  o.of[TS_OBSERVED_IDLE] += (double)(class->host + class->tail) * 1e-12;
  return o;
}

/* How well a prediction fits: Student's distribution of two degrees of freedom, as a cause seldom
 * is all there is. A logarithm, 0 at best. */
static double fits(const causes_search *x, const ts_observed *s)
{
  double sum = 0, step = x->measured->of[TS_OBSERVED_STEP];
  for (int i = TS_OBSERVED_SHOWN; i < TS_OBSERVED_PARTS; i++)
    if (x->measured->of[i] >= 0) {
      double z =
        (x->measured->of[i] - s->of[i]) / (share_spread * x->measured->of[i] + min_share * step);
      sum -= 1.5 * log1p(z * z / 2);
    }
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (x->measured->of[i] > 0 && s->of[i] > 0) {
      double z = log(x->measured->of[i] / s->of[i]) / x->spread[i];
      sum -= 1.5 * log1p(z * z / 2);
    }
  return sum;
}

static bool moves(const causes_search *x, const ts_observed *s)
{
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (x->measured->of[i] > 0 && s->of[i] > 0 && fabs(log(s->of[i] / x->seen.of[i])) >= nothing)
      return true;
  return false;
}

/* ---- A degree of a cause ---- */

static const char *replaced(ts_arena *arena, const char *text, const char *word, const char *by)
{
  const char *at = strstr(text, word);
  return at ? ts_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, by,
                              replaced(arena, at + strlen(word), word, by)) :
              text;
}

static const char *first_device(ts_arena *arena, const ts_ir *ir)
{
  for (uint32_t a = 0; a < ir->arrays_count; a++)
    if (ir->arrays[a].kind == TS_IR_DEVICE)
      return ts_arena_printf(arena, "%s[0]", ir->strings + ir->arrays[a].name);
  return "";
}

static const char *change_of(ts_arena *arena, const causes_search *x, const ts_record *row,
                             double level)
{
  const char *text =
    replaced(arena, ts_record_text(row, "what_if"), "DEVICE", first_device(arena, x->before->ir));
  return replaced(arena, text, "LEVEL", ts_arena_printf(arena, "%.3g", level));
}

static bool causes_play(ts_arena *scratch, const ts_ir *ir, const char *change,
                        ts_run_options options, ts_observed *seen)
{
  ts_changed changed = {.ir = *ir};
  ts_stop stop = {.arena = scratch};
  if (*change && ts_change(scratch, ir, change, &changed))
    return false; /* the plan has no such thing */
  options.transfer = changed.transfer;
  ts_run *run = ts_run_new(&changed.ir, &options, &stop);
  if (run)
    *seen = ts_observed_of(run, ts_memory_new(scratch, &changed.ir, run));
  ts_run_free(run);
  return run != NULL;
}

/* What lies beside the play. */
static void causes_beside(const causes_search *x, const ts_record *row, double level,
                          ts_observed *s)
{
  double casts = ts_record_number(row, "casts", 0) * x->gradients / (level * 1e9);
  double more = *ts_record_text(row, "adds") ? level * s->of[TS_OBSERVED_STEP] : casts;
  s->of[TS_OBSERVED_STEP] += more;
  s->of[TS_OBSERVED_IDLE] += more;
  s->of[TS_OBSERVED_BACKWARD] += casts;
  if (*ts_record_text(row, "holds"))
    s->of[TS_OBSERVED_MEMORY] *= level;
}

static uint32_t levels_of(const ts_record *row, double levels[MOST_LEVELS])
{
  const ts_value *v = ts_record_find(row, "levels");
  uint32_t count = 0;
  levels[0] = 1;
  for (uint32_t i = 0; v && v->type == TS_T_LIST && i < v->u.list->count && i < MOST_LEVELS; i++) {
    const ts_value *one = &v->u.list->at[i];
    levels[count++] = one->type == TS_T_INT ? (double)one->u.integer : one->u.real;
  }
  return count ? count : 1;
}

static ts_observed between(const ts_observed *a, const ts_observed *b, double share)
{
  ts_observed s;
  for (int i = 0; i < TS_OBSERVED_PARTS; i++)
    s.of[i] = a->of[i] > 0 && b->of[i] > 0 ?
                exp(log(a->of[i]) * (1 - share) + log(b->of[i]) * share) :
                a->of[i];
  return s;
}

/* Of a record with other fields it is enough to say which. */
static const char *lines_of(const causes_search *x, const ts_way *way)
{
  const char *type = ts_record_text(way->row, "wrap");
  return *type ?
           ts_arena_printf(x->arena, "%s with { %s }", type, ts_record_text(way->row, "with")) :
           ts_way_lines(x->arena, way, x->input->text, x->input->size);
}

static const char *below(ts_arena *arena, const char *text, const char *more)
{
  return ts_arena_printf(arena, "%s%s%s", text, *text && *more ? "\n" : "", more);
}

/* What a person writes: lines of the plan, then the option. */
static const char *written(const causes_search *x, const ts_way *way, const char *lines,
                           const char *what_if)
{
  const char *option = *what_if ? ts_arena_printf(x->arena, "--what-if '%s'", what_if) : "";
  if (way->edit_count + way->define_count)
    lines = below(x->arena, lines, lines_of(x, way));
  return below(x->arena, lines, option);
}

/* All degrees are as likely before: the mean counts, and the nearest one is shown. */
static void weigh(const causes_search *x, causes_trial *t)
{
  const ts_record *row = t->way.row;
  const double *levels = t->degrees.levels;
  const ts_observed *seen = t->degrees.seen;
  uint32_t count = t->degrees.count;
  double sum = 0, nearest = -INFINITY, level = levels[0];
  uint32_t points = 0;
  for (uint32_t l = 0; l < count; l++)
    for (uint32_t k = 0; k < (l + 1 < count ? BETWEEN : 1); k++) {
      double share = (double)k / BETWEEN;
      ts_observed s = l + 1 < count ? between(&seen[l], &seen[l + 1], share) : seen[l];
      double good = fits(x, &s);
      sum += exp(good);
      points++;
      t->counts |= moves(x, &s);
      if (good > nearest) {
        nearest = good;
        level = l + 1 < count ? exp(log(levels[l]) * (1 - share) + log(levels[l + 1]) * share) :
                                levels[l];
        t->best.seen = s;
      }
    }
  t->counts &= nearest > fits(x, &x->seen) + 0.01;
  t->best.score = log(ts_record_number(row, "odds", 1)) + log(sum / points);
  t->best.change = written(x, &t->way, "", change_of(x->arena, x, row, level));
}

/* ---- A cause ---- */

/* Kernels of a family, or something of this label that is held. */
static bool has(const ts_ir *ir, const char *needed)
{
  for (uint32_t i = 0; *needed && i < ir->kernels_count; i++)
    if (!strcmp(ir->strings + ir->kernels[i].family, needed))
      return true;
  for (uint32_t i = 0; *needed && i < ir->mems_count; i++)
    if (!strcmp(ir->strings + ir->mems[i].label, needed))
      return true;
  return !*needed;
}

static bool applies(const causes_search *x, const ts_record *row)
{
  return has(x->before->ir, ts_record_text(row, "needs")) &&
         ts_record_number(row, "full", 0) <= x->full;
}

/* A plan that is refused has no degree. */
static void play_degrees(void *closure, size_t i, ts_arena *scratch, const ts_ir *ir,
                         const ts_run_options *options)
{
  const causes_search *x = closure;
  causes_trial *t = &x->trials[i];
  causes_degrees *d = &t->degrees;
  const ts_record *row = t->way.row;
  uint32_t levels = ir ? levels_of(row, d->levels) : 0;
  for (uint32_t l = 0; l < levels; l++) {
    const char *change = change_of(scratch, x, row, d->levels[l]);
    ts_observed s = x->seen;
    if ((*change || ir != &x->input->ir) && !causes_play(scratch, ir, change, *options, &s))
      return;
    causes_beside(x, row, d->levels[l], &s);
    d->seen[d->count++] = s;
  }
}

/* ---- Two at once ---- */

typedef struct causes_pair {
  ts_way way;
  const causes_trial *of[2];
  double level[2], guess; /* guess: how well it fits, as if the two multiplied */
  ts_cause cause;
  bool lands;
} causes_pair;

typedef struct causes_pairs {
  causes_search *x;
  causes_pair *at;
} causes_pairs;

static bool lands(const causes_search *x, const ts_observed *s)
{
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (x->measured->of[i] > 0 &&
        !(fabs(log(x->measured->of[i] / s->of[i])) <= near_by * x->spread[i]))
      return false;
  return true;
}

static ts_observed together(const causes_search *x, const ts_observed *a, const ts_observed *b)
{
  ts_observed s;
  for (int i = 0; i < TS_OBSERVED_PARTS; i++)
    s.of[i] = x->seen.of[i] > 0 ? a->of[i] * b->of[i] / x->seen.of[i] : a->of[i] + b->of[i];
  return s;
}

/* Degree number `n`, of BETWEEN from level to level. */
static double degree(const causes_degrees *d, uint32_t n, ts_observed *s)
{
  uint32_t l = n / BETWEEN;
  double share = (double)(n % BETWEEN) / BETWEEN;
  *s = l + 1 < d->count ? between(&d->seen[l], &d->seen[l + 1], share) : d->seen[l];
  return l + 1 < d->count ? exp(log(d->levels[l]) * (1 - share) + log(d->levels[l + 1]) * share) :
                            d->levels[l];
}

/* The degrees of both that come nearest, as if they multiplied; the mean counts, as of one. */
static void guess_pair(const causes_search *x, causes_pair *p)
{
  const causes_degrees *a = &p->of[0]->degrees, *b = &p->of[1]->degrees;
  uint32_t n = (a->count - 1) * BETWEEN + 1, m = (b->count - 1) * BETWEEN + 1;
  double sum = 0;
  p->guess = -INFINITY;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < m; k++) {
      ts_observed one, other;
      double first = degree(a, i, &one), second = degree(b, k, &other);
      ts_observed both = together(x, &one, &other);
      double good = fits(x, &both);
      sum += exp(good);
      if (good > p->guess) {
        p->guess = good;
        p->level[0] = first;
        p->level[1] = second;
      }
    }
  p->cause.score = log(ts_record_number(p->of[0]->way.row, "odds", 1)) +
                   log(ts_record_number(p->of[1]->way.row, "odds", 1)) + log(sum / n / m);
}

static const char *pair_change(ts_arena *arena, const causes_search *x, const causes_pair *p)
{
  const char *one = change_of(arena, x, p->of[0]->way.row, p->level[0]),
             *other = change_of(arena, x, p->of[1]->way.row, p->level[1]);
  return ts_arena_printf(arena, "%s%s%s", one, *one && *other ? "," : "", other);
}

static void play_pair(void *closure, size_t i, ts_arena *scratch, const ts_ir *ir,
                      const ts_run_options *options)
{
  const causes_pairs *all = closure;
  causes_pair *p = &all->at[i];
  ts_observed s = all->x->seen;
  const char *change = ir ? pair_change(scratch, all->x, p) : "";
  if (!ir ||
      ((*change || ir != &all->x->input->ir) && !causes_play(scratch, ir, change, *options, &s)))
    return;
  for (int k = 0; k < 2; k++)
    causes_beside(all->x, p->of[k]->way.row, p->level[k], &s);
  p->cause.seen = s;
  p->cause.score += fits(all->x, &s) - p->guess;
  p->lands = lands(all->x, &s);
}

static int by_pair(const void *a, const void *b)
{
  const causes_pair *x = a, *y = b;
  return x->cause.score != y->cause.score ? (x->cause.score > y->cause.score ? -1 : 1) :
                                            strcmp(x->cause.name, y->cause.name);
}

static int by_trial(const void *a, const void *b)
{
  const causes_trial *x = a, *y = b;
  if (x->counts != y->counts)
    return x->counts ? -1 : 1;
  return x->best.score != y->best.score ? (x->best.score > y->best.score ? -1 : 1) :
                                          strcmp(x->best.name, y->best.name);
}

/* Of the likeliest, where none of them comes near all that was measured. False: interrupted. */
static bool find_pairs(causes_search *x, const ts_trials *at_once, uint32_t count, ts_causes *out)
{
  for (uint32_t i = 0; i < count; i++)
    if (x->trials[i].counts && lands(x, &x->trials[i].best.seen))
      return true;
  causes_pairs all = {x, TS_NEW_ARRAY(x->arena, causes_pair, PAIRED * PAIRED)};
  uint32_t pairs = 0;
  qsort(x->trials, count, sizeof *x->trials, by_trial);
  for (uint32_t i = 0; i < count && i < PAIRED; i++)
    for (uint32_t k = 0; k < i; k++) {
      causes_pair p = {.of = {&x->trials[k], &x->trials[i]}};
      if (!p.of[1]->counts || !strcmp(p.of[0]->best.name, p.of[1]->best.name) ||
          !ts_way_join(x->arena, &p.of[0]->way, &p.of[1]->way, &p.way))
        continue;
      p.cause.name =
        ts_arena_printf(x->arena, "%s; and: %s", p.of[0]->best.name, p.of[1]->best.name);
      p.cause.tell = ts_arena_printf(x->arena, "%s; %s", p.of[0]->best.tell, p.of[1]->best.tell);
      guess_pair(x, &p);
      all.at[pairs++] = p;
    }
  qsort(all.at, pairs, sizeof *all.at, by_pair);
  pairs = pairs < PLAYED ? pairs : PLAYED;
  if (!ts_trials_play(at_once, &(ts_trials_job){.ways = &all.at->way,
                                                .stride = sizeof *all.at,
                                                .count = pairs,
                                                .play = play_pair,
                                                .closure = &all,
                                                .what = "causes, two at once",
                                                .share = 1}))
    return false;
  qsort(all.at, pairs, sizeof *all.at, by_pair);
  ts_cause *at = TS_NEW_ARRAY(x->arena, ts_cause, pairs + 1);
  out->pairs = at;
  for (uint32_t i = 0; i < pairs; i++)
    if (all.at[i].lands) {
      all.at[i].cause.change =
        written(x, &all.at[i].of[1]->way, written(x, &all.at[i].of[0]->way, "", ""),
                pair_change(x->arena, x, &all.at[i]));
      at[out->pair_count++] = all.at[i].cause;
    }
  return true;
}

/* ---- All ---- */

static int by_score(const void *a, const void *b)
{
  const ts_cause *x = a, *y = b;
  return x->score != y->score ? (x->score > y->score ? -1 : 1) : strcmp(x->name, y->name);
}

/* Of several rows of one name the likeliest stands for it; settings of the plan are one each. */
static void add_cause(ts_causes *out, ts_cause *at, const causes_trial *t)
{
  for (uint32_t i = 0; i < out->count; i++)
    if (!strcmp(at[i].name, t->best.name) && !*ts_record_text(t->way.row, "turn")) {
      if (t->best.score > at[i].score)
        at[i] = t->best;
      return;
    }
  at[out->count++] = t->best;
}

static void set_spreads(causes_search *x)
{
  x->spread[TS_OBSERVED_STEP] = fmax(min_spread, x->before->confidence.spread);
  x->spread[TS_OBSERVED_MEMORY] = memory_spread;
  for (int i = TS_OBSERVED_FORWARD; i < TS_OBSERVED_SHOWN; i++)
    x->spread[i] = part_spread;
}

/* How full a device is, as measured where that is known. */
static double fullness(const causes_search *x)
{
  double limit = 0;
  for (uint32_t d = 0; d < x->before->ir->device_classes_count; d++)
    limit = fmax(limit, (double)x->before->ir->device_classes[d].memory);
  double amount = x->measured->of[TS_OBSERVED_MEMORY] > 0 ? x->measured->of[TS_OBSERVED_MEMORY] :
                                                            x->seen.of[TS_OBSERVED_MEMORY];
  return limit > 0 ? amount / limit : 0;
}

const ts_causes *ts_causes_find(ts_arena *arena, const char *path, const ts_input *input,
                                const ts_compile_options *compile, const ts_summary *summary,
                                const ts_run_options *options, const ts_observed *measured)
{
  if (!input->text)
    return NULL;
  const ts_memory_class *fullest = &summary->memory->classes[summary->memory->fullest];
  causes_search x = {.arena = arena,
                     .input = input,
                     .before = summary,
                     .seen = ts_observed_of(summary->run, summary->memory),
                     .measured = measured,
                     .gradients = (double)fullest->category[TS_IR_GRADIENTS]};
  set_spreads(&x);
  x.full = fullness(&x);
  ts_ways ways = ts_ways_list(arena, "causes", path, input->text, input->size, compile, NULL, 0);
  x.trials = TS_NEW_ARRAY(arena, causes_trial, ways.count + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < ways.count; i++)
    if (applies(&x, ways.at[i].row))
      x.trials[count++] = (causes_trial){.way = ways.at[i],
                                         .best = {.name = ts_record_text(ways.at[i].row, "name"),
                                                  .tell = ts_record_text(ways.at[i].row, "tell")}};
  ts_trials at_once = ts_trials_begin(path, input, compile, options);
  bool done = ts_trials_play(&at_once, &(ts_trials_job){.ways = &x.trials->way,
                                                        .stride = sizeof *x.trials,
                                                        .count = count,
                                                        .play = play_degrees,
                                                        .closure = &x,
                                                        .what = "causes",
                                                        .share = 1});
  ts_causes *out = TS_NEW(arena, ts_causes);
  ts_cause *at = TS_NEW_ARRAY(arena, ts_cause, count + 1);
  *out = (ts_causes){.tried = count, .at = at};
  for (uint32_t i = 0; i < count && done; i++) {
    if (x.trials[i].degrees.count)
      weigh(&x, &x.trials[i]);
    if (x.trials[i].counts)
      add_cause(out, at, &x.trials[i]);
  }
  done = done && find_pairs(&x, &at_once, count, out);
  ts_trials_end(&at_once);
  if (!done)
    return NULL;
  qsort(at, out->count, sizeof *at, by_score);
  return out;
}
