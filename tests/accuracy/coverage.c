#include "tests/accuracy/coverage.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "calibrate/conformal.h"
#include "ir/spelling.h"

static const double share_held = 0.8;
/* On each side. */
static const double share_of_side = 0.9;
/* A kind with less is taken with its neighbours. Chosen with all sets in view. */
enum { FEWEST_ROWS = 10, FEWEST_CONFIGURATIONS = 2 };
/* Of less, no quantile of 90 % (1 + 1/n) is below all: such a kind is taken wider. */
enum { FEWEST_FRAMEWORKS = 10 };

/* What is no part of the table for a row: all of its model and machine, of its framework ... */
typedef enum leave {
  LEAVE_NONE,
  LEAVE_GROUP,
  LEAVE_FRAMEWORK,
  LEAVE_GPU,
  LEAVE_BITS,
  LEAVES
} leave;

typedef enum seen_what { SEEN_STEP, SEEN_MEMORY, SEEN_FIGURE, SEEN_KINDS } seen_what;
static const char *const quantities[] = {"step_time", "peak_memory", "figures"};

typedef struct seen {
  seen_what what;
  const char *set, *group; /* group: what is left out together */
  acc_run run;
  acc_origin of;           /* of figures */
  double spread, log;      /* log: of measured / predicted */
  double shipped_below, shipped_above; /* logarithms of the interval that ships */
  bool calibrates;         /* its error is part of the table */
  double left_below, left_above;
  leave left; /* ... were found with this left out */
} seen;

/* Rows of one set and quantity. */
typedef struct seen_set { const char *name; seen_what what; bool calibrates; } seen_set;

typedef struct seen_list { TS_VEC(seen) rows; } seen_list;

struct acc_coverage {
  ts_arena *arena;
  seen_list of[SEEN_KINDS]; /* by what they are */
  TS_VEC(seen_set) sets;    /* in the order in which they came */
};

acc_coverage *acc_coverage_new(ts_arena *arena)
{
  acc_coverage *v = TS_NEW(arena, acc_coverage);
  v->arena = arena;
  return v;
}

/* -- what was seen -- */

static void add(const acc_context *c, seen s)
{
  acc_coverage *v = c->coverage;
  if (!v || !isfinite(s.log))
    return;
  bool known = false;
  for (size_t i = 0; i < v->sets.count && !known; i++)
    known = v->sets.at[i].what == s.what && !strcmp(v->sets.at[i].name, s.set);
  if (!known)
    TS_PUSH(v->arena, &v->sets, ((seen_set){s.set, s.what, s.calibrates}));
  TS_PUSH(v->arena, &v->of[s.what].rows, s);
}

static const char *configuration(const acc_context *c, const acc_run *k)
{
  return ts_arena_printf(c->arena, "%s, %llu parameters on %s", k->framework,
                         (unsigned long long)k->parameters, k->gpu);
}

void acc_cover_row(const acc_context *c, const acc_set *set, const acc_row *r)
{
  if (!r->done || !r->validation)
    return;
  if (set->figure) {
    acc_cover_figure(c, set->name, set->figure, r->run.gpu, r->predicted, r->measured);
    return;
  }
  seen s = {.what = SEEN_STEP,
            .set = set->name,
            .group = configuration(c, &r->run),
            .run = r->run,
            .spread = r->spread,
            .log = log(r->measured / r->predicted),
            .shipped_below = r->low > 0 ? log(r->predicted / r->low) : NAN,
            .shipped_above = r->low > 0 ? log(r->high / r->predicted) : NAN,
            .calibrates = !set->apart};
  add(c, s);
  if (!isfinite(r->memory) || !(r->memory > 0) || !(r->predicted_memory > 0))
    return;
  s.what = SEEN_MEMORY;
  s.spread = 1;
  s.log = log(r->memory / r->predicted_memory);
  s.shipped_below = r->run.memory_below;
  s.shipped_above = r->run.memory_above;
  add(c, s);
}

void acc_cover_memory(const acc_context *c, const char *set, const acc_run *run, double predicted,
                      double measured)
{
  add(c, (seen){.what = SEEN_MEMORY,
                .set = set,
                .group = configuration(c, run),
                .run = *run,
                .spread = 1,
                .log = log(measured / predicted),
                .shipped_below = run->memory_below,
                .shipped_above = run->memory_above,
                .calibrates = true});
}

void acc_cover_figure(const acc_context *c, const char *set, const acc_origin *of,
                      const char *group, double predicted, double measured)
{
  add(c, (seen){.what = SEEN_FIGURE,
                .set = set,
                .group = group,
                .of = *of,
                .spread = 1,
                .log = log(measured / predicted),
                .shipped_below = NAN,
                .shipped_above = NAN,
                .calibrates = true});
}

/* -- kinds, from special to general -- */

enum { FRAMEWORK = 1, GPU = 2, BITS = 4, EXPERTS = 8, NODES = 16 };
static const unsigned ladder[] = {FRAMEWORK | GPU | BITS | EXPERTS | NODES,
                                  FRAMEWORK | BITS | EXPERTS | NODES,
                                  FRAMEWORK | BITS | EXPERTS,
                                  FRAMEWORK | EXPERTS,
                                  EXPERTS,
                                  0};
enum { STEPS = sizeof ladder / sizeof *ladder };

static bool same_text(const char *a, const char *b)
{
  return !strcmp(a ? a : "", b ? b : "");
}

static bool same_kind(const seen *a, const seen *b, unsigned by)
{
  if (a->what == SEEN_FIGURE) /* one step: what std.errors has a line for */
    return a->of.origin == b->of.origin && a->of.basis == b->of.basis &&
           same_text(a->of.name, b->of.name) && same_text(a->of.dtype, b->of.dtype) &&
           a->of.between == b->of.between && a->of.least_kib == b->of.least_kib;
  return (!(by & FRAMEWORK) || !strcmp(a->run.framework, b->run.framework)) &&
         (!(by & GPU) || !strcmp(a->run.gpu, b->run.gpu)) &&
         (!(by & BITS) || a->run.bits == b->run.bits) &&
         (!(by & EXPERTS) || a->run.experts == b->run.experts) &&
         (!(by & NODES) || a->run.nodes == b->run.nodes);
}

/* -- how far runs of a kind were off -- */

typedef struct reach {
  uint32_t rows, configurations, frameworks;
  double below, above, spread; /* spread: root of the mean square of the logarithms */
} reach;

/* alike: rows of its group; beside: groups of its framework */
typedef struct member {
  const seen *at;
  uint32_t alike, beside;
} member;

/* A kind without a framework is for programs that nobody validated: these are as many as there are
 * frameworks, however many rows each has. */
static bool by_frameworks(const seen *s, unsigned by)
{
  return s->what == SEEN_STEP && !(by & FRAMEWORK);
}

/* Rows of a configuration are not so many independent ones: n of them weigh as the cube root of n,
 * which was chosen with all sets in view (the root holds too few rows of MLPerf, one alike too many
 * of nanotron). Where the framework does not count, a configuration weighs as one: else whoever
 * published most rows would speak for all. Of steps, a framework weighs as one there. */
static double weight_of(const member *m, unsigned by)
{
  double alike = m->alike;
  if (by_frameworks(m->at, by))
    return 1 / alike / m->beside;
  return m->at->what == SEEN_FIGURE || by & FRAMEWORK ? cbrt(alike) / alike : 1 / alike;
}

/* Groups begin with their framework. */
static int by_group(const void *x, const void *y)
{
  return strcmp(((const member *)x)->at->group, ((const member *)y)->at->group);
}

static bool is_left(const seen *s, const seen *like, leave what)
{
  switch (what) {
  case LEAVE_GROUP: return !strcmp(s->group, like->group);
  case LEAVE_FRAMEWORK: return !strcmp(s->run.framework, like->run.framework);
  case LEAVE_GPU: return !strcmp(s->run.gpu, like->run.gpu);
  case LEAVE_BITS: return s->run.bits == like->run.bits;
  default: return false;
  }
}

/* Of members in order of their groups: how many groups, and how many rows and groups are alike. */
static void count_groups(member *members, reach *r)
{
  for (uint32_t i = 0, end, first = 0; i < r->rows; i = end) {
    for (end = i + 1; end < r->rows && !by_group(&members[i], &members[end]);)
      end++;
    if (!r->frameworks || strcmp(members[i].at->run.framework, members[first].at->run.framework)) {
      first = i;
      r->frameworks++;
    }
    members[first].beside++;
    for (uint32_t k = i; k < end; k++)
      members[k].alike = end - i;
    r->configurations++;
  }
  for (uint32_t i = 1; i < r->rows; i++)
    if (!members[i].beside)
      members[i].beside = members[i - 1].beside;
}

/* The quantile of a side. Of frameworks that weigh as one it is the plain one: with 1 + 1/n for a
 * dozen of them, the one that is furthest off would decide for all. */
static double side(ts_score *scores, const reach *r, bool frameworks)
{
  double n = ts_scores_effective(scores, r->rows),
         share = frameworks ? share_of_side / (1 + 1 / n) : share_of_side;
  return r->rows ? ts_scores_reach(scores, r->rows, share) : 0;
}

/* Of all rows of the kind, but those that are left out. */
static reach reach_of(const acc_coverage *v, const seen *like, unsigned by, leave without)
{
  const seen_list *all = &v->of[like->what];
  ts_arena *arena = ts_arena_new("scores");
  member *members = TS_NEW_ARRAY(arena, member, all->rows.count + 1);
  ts_score *up = TS_NEW_ARRAY(arena, ts_score, all->rows.count + 1),
           *down = TS_NEW_ARRAY(arena, ts_score, all->rows.count + 1);
  reach r = {0};
  for (size_t i = 0; i < all->rows.count; i++) {
    const seen *s = &all->rows.at[i];
    if (s->calibrates && same_kind(s, like, by) && !is_left(s, like, without))
      members[r.rows++] = (member){.at = s};
  }
  qsort(members, r.rows, sizeof *members, by_group);
  count_groups(members, &r);
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < r.rows; i++) {
    const seen *s = members[i].at;
    double weight = weight_of(&members[i], by);
    up[i] = (ts_score){s->log / s->spread, weight};
    down[i] = (ts_score){-s->log / s->spread, weight};
    sum += weight;
    squares += weight * s->log * s->log;
  }
  r.above = side(up, &r, by_frameworks(like, by));
  r.below = side(down, &r, by_frameworks(like, by));
  r.spread = sum > 0 ? sqrt(squares / sum) : 0;
  ts_arena_free(arena);
  return r;
}

static bool enough(const reach *r, const seen *of, int step)
{
  if (step == STEPS - 1)
    return r->rows > 0;
  return r->rows >= FEWEST_ROWS && r->configurations >= FEWEST_CONFIGURATIONS &&
         (!by_frameworks(of, ladder[step]) || r->frameworks >= FEWEST_FRAMEWORKS);
}

static reach nearest(const acc_coverage *v, const seen *s, leave without)
{
  reach r = {0};
  for (int step = s->what == SEEN_FIGURE ? STEPS - 1 : 0; step < STEPS; step++) {
    r = reach_of(v, s, ladder[step], without);
    if (enough(&r, s, step))
      break;
  }
  return r;
}

/* Rows of one kind and group have the same answer. */
static void leave_out(const acc_coverage *v, seen_list *list, leave what)
{
  for (size_t i = 0; i < list->rows.count; i++) {
    seen *s = &list->rows.at[i];
    if (s->left == what)
      continue;
    reach r = nearest(v, s, what);
    for (size_t k = i; k < list->rows.count; k++) {
      seen *o = &list->rows.at[k];
      if (o->left == what || !same_kind(s, o, ladder[0]) || strcmp(s->group, o->group) != 0)
        continue;
      o->left = what;
      o->left_below = r.rows ? r.below * o->spread : NAN;
      o->left_above = r.rows ? r.above * o->spread : NAN;
    }
  }
}

/* -- coverage -- */

static int by_number(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double median(double *x, size_t n)
{
  qsort(x, n, sizeof *x, by_number);
  return !n ? NAN : n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Of an interval: what it is wide, as a share of the prediction. */
static double width(double below, double above) { return exp(above) - exp(-below); }

static acc_covered covered_of(const acc_context *c, const seen_set *set)
{
  acc_coverage *v = c->coverage;
  seen_list *list = &v->of[set->what];
  acc_covered covered = {0};
  double *left = TS_NEW_ARRAY(c->arena, double, list->rows.count + 1),
         *shipped = TS_NEW_ARRAY(c->arena, double, list->rows.count + 1);
  size_t left_count = 0, shipped_count = 0, left_held = 0, shipped_held = 0;
  leave_out(v, list, LEAVE_GROUP);
  for (size_t i = 0; i < list->rows.count; i++) {
    const seen *s = &list->rows.at[i];
    if (strcmp(s->set, set->name) != 0)
      continue;
    covered.rows++;
    if (isfinite(s->left_below)) {
      left_held += s->log >= -s->left_below && s->log <= s->left_above;
      left[left_count++] = width(s->left_below, s->left_above);
    }
    if (isfinite(s->shipped_below)) {
      shipped_held += s->log >= -s->shipped_below && s->log <= s->shipped_above;
      shipped[shipped_count++] = width(s->shipped_below, s->shipped_above);
    }
  }
  covered.left_out = left_count ? (double)left_held / (double)left_count : NAN;
  covered.shipped = shipped_count ? (double)shipped_held / (double)shipped_count : NAN;
  covered.left_out_width = median(left, left_count);
  covered.shipped_width = median(shipped, shipped_count);
  return covered;
}

acc_covered acc_covered_of(const acc_context *c, const char *set, const char *quantity)
{
  for (size_t i = 0; i < c->coverage->sets.count; i++) {
    const seen_set *s = &c->coverage->sets.at[i];
    if (!strcmp(s->name, set) && !strcmp(quantities[s->what], quantity))
      return covered_of(c, s);
  }
  return (acc_covered){0, NAN, NAN, NAN, NAN};
}

static void print_share(double share, double wide)
{
  if (isfinite(share))
    printf("   %4.0f %%  %6.1f %%", 100 * share, 100 * wide);
  else
    printf("   %4s    %6s  ", "-", "-");
}

/* For the page: what the set's own figures, of intervals as they ship, do not say. */
static void note_left_out(const acc_context *c, const seen_set *set, const acc_covered *x)
{
  static const char *const words[SEEN_KINDS] = {"step times", "peaks of memory", "times"};
  for (size_t i = 0; c->results && i < c->results->count; i++) {
    acc_result *r = c->results->at[i];
    if (!strcmp(r->name, set->name) && isfinite(x->left_out))
      acc_note_add(c->arena, r, "left out",
                   ts_arena_printf(c->arena,
                                   "80 %% intervals from a table without the row's model and "
                                   "machine hold %.0f %% of %zu %s, %.0f %% wide",
                                   100 * x->left_out, x->rows, words[set->what],
                                   100 * x->left_out_width));
  }
}

typedef struct never_seen {
  size_t rows, held[LEAVES];
} never_seen;

static bool is_held(const seen *s) { return s->log >= -s->left_below && s->log <= s->left_above; }

static void print_never_seen(const char *name, const never_seen *x)
{
  printf("  %-22s %5zu", name, x->rows);
  for (leave what = LEAVE_FRAMEWORK; what < LEAVES; what++)
    printf("  %6.0f %%", 100 * (double)x->held[what] / (double)x->rows);
}

/* Step times, by set: with all rows of their framework left out of the table, of their GPU, of
 * their format. */
static void report_never_seen(const acc_context *c)
{
  acc_coverage *v = c->coverage;
  seen_list *list = &v->of[SEEN_STEP];
  never_seen *of = TS_NEW_ARRAY(c->arena, never_seen, v->sets.count), all = {0};
  for (leave what = LEAVE_FRAMEWORK; what < LEAVES; what++) {
    leave_out(v, list, what);
    for (size_t k = 0; k < list->rows.count; k++)
      for (size_t i = 0; i < v->sets.count; i++)
        if (v->sets.at[i].what == SEEN_STEP && !strcmp(v->sets.at[i].name, list->rows.at[k].set)) {
          of[i].held[what] += is_held(&list->rows.at[k]);
          of[i].rows += what == LEAVE_FRAMEWORK;
        }
  }
  printf(
    "kinds never seen: how many step times the intervals hold without any row of the same ...\n"
    "  %-22s  rows  framework    GPU   format\n",
    "");
  for (size_t i = 0; i < v->sets.count; i++)
    if (of[i].rows) {
      print_never_seen(v->sets.at[i].name, &of[i]);
      printf("\n");
      all.rows += of[i].rows;
      for (leave what = LEAVE_FRAMEWORK; what < LEAVES; what++)
        all.held[what] += of[i].held[what];
    }
  if (all.rows) {
    print_never_seen("together", &all);
    printf("\n\n");
  }
}

void acc_coverage_report(const acc_context *c)
{
  const acc_coverage *v = c->coverage;
  size_t sets = 0, missed = 0;
  if (!v->sets.count)
    return;
  printf("intervals: how many rows the %.0f %% intervals hold, and how wide they are in the median\n"
         "  left out: the row's model and machine are no part of the table; ships: std.errors as it "
         "is\n  %-22s %-12s  rows   left out           ships\n",
         100 * share_held, "", "");
  for (size_t i = 0; i < v->sets.count; i++) {
    const seen_set *s = &v->sets.at[i];
    acc_covered x = covered_of(c, s);
    bool asked = x.rows >= 30 && s->calibrates, miss = !(x.left_out >= 0.72 && x.left_out <= 0.88);
    printf("  %-22s %-12s %5zu", s->name, quantities[s->what], x.rows);
    note_left_out(c, s, &x);
    print_share(x.left_out, x.left_out_width);
    print_share(x.shipped, x.shipped_width);
    printf("%s\n", asked && miss ? "   missed" : !s->calibrates ? "   apart" : "");
    sets += asked;
    missed += asked && miss;
  }
  printf("    asked for    72 to 88 %% of each set of 30 rows and more: %zu of %zu\n\n",
         sets - missed, sets);
  report_never_seen(c);
}

/* -- std.errors -- */

static void write_kind(FILE *out, const seen *s, unsigned by)
{
  if (by & FRAMEWORK)
    fprintf(out, ", framework: \"%s\"", s->run.framework);
  if (by & GPU)
    fprintf(out, ", gpu: \"%s\"", s->run.gpu);
  if (by & BITS)
    fprintf(out, ", bits: %u", s->run.bits);
  if (by & EXPERTS)
    fprintf(out, ", experts: %s", s->run.experts ? "true" : "false");
  if (by & NODES)
    fprintf(out, ", nodes: %s", s->run.nodes ? "true" : "false");
}

typedef struct kinds { TS_VEC(const seen *) at; } kinds;

/* A row of each kind, in the order in which they came. */
static kinds kinds_of(const acc_coverage *v, seen_what what, unsigned by)
{
  kinds found = {0};
  for (size_t i = 0; i < v->of[what].rows.count; i++) {
    const seen *s = &v->of[what].rows.at[i];
    bool known = !s->calibrates;
    for (size_t k = 0; k < found.at.count && !known; k++)
      known = same_kind(found.at.at[k], s, by);
    if (!known)
      TS_PUSH(v->arena, &found.at, s);
  }
  return found;
}

static void write_runs(FILE *out, const acc_coverage *v, seen_what what)
{
  for (int step = 0; step < STEPS; step++) {
    kinds all = kinds_of(v, what, ladder[step]);
    for (size_t i = 0; i < all.at.count; i++) {
      reach r = reach_of(v, all.at.at[i], ladder[step], LEAVE_NONE);
      if (!enough(&r, all.at.at[i], step))
        continue;
      fprintf(out, "    { quantity: \"%s\"", quantities[what]);
      write_kind(out, all.at.at[i], ladder[step]);
      fprintf(out, ", below: %.3g, above: %.3g, rows: %u, groups: %u },\n", r.below, r.above,
              r.rows, r.configurations);
    }
  }
}

static void write_spread(FILE *out, const acc_origin *of, const reach *r)
{
  bool kernels = of->origin == TS_IR_ORIGIN_KERNELS;
  fprintf(out, "    { of: \"%s\", %s: \"%s\"", ts_ir_origin_names[of->origin],
          kernels ? "basis" : "model",
          kernels ? ts_ir_basis_names[of->basis] : ts_ir_net_names[of->basis]);
  if (of->name)
    fprintf(out, ", %s: \"%s\"", kernels ? "family" : "file", of->name);
  if (of->dtype)
    fprintf(out, ", dtype: \"%s\"", of->dtype);
  if (of->between)
    fprintf(out, ", between: true");
  if (of->least_kib)
    fprintf(out, ", kib: %u", of->least_kib);
  fprintf(out, ", spread: %.3g, rows: %u, groups: %u },\n", fmin(3, r->spread), r->rows,
          r->configurations);
}

static void write_spreads(FILE *out, const acc_coverage *v)
{
  kinds all = kinds_of(v, SEEN_FIGURE, 0);
  for (size_t i = 0; i < all.at.count; i++) {
    reach r = reach_of(v, all.at.at[i], 0, LEAVE_NONE);
    write_spread(out, &all.at.at[i]->of, &r);
  }
}

static void write_table(const acc_coverage *v, FILE *out)
{
  fprintf(
    out,
    "// How far predictions were off: written by `./dev accuracy --errors`, from the rows of "
    "its sets that\n// no fit had. Nothing here is written by hand; errors_chosen.ts has "
    "what is.\n//\n"
    "// `spreads`: of figures by themselves, the root of the mean square of log(measured / "
    "predicted).\n"
    "// `runs`: by how many spreads of their own (doc/reports.md, \"How sure\") runs lay below "
    "and above what\n// was predicted, so that 80 %% of them lie between; the first line "
    "that holds for a plan counts. Rows of\n// a group have model and machine in "
    "common.\nimport std.accuracy.errors_chosen\n\nlet errors = {\n  experts: "
    "families_of_experts,\n  chosen: chosen_spreads,\n  spreads: [\n");
  write_spreads(out, v);
  fprintf(out, "  ],\n  runs: [\n");
  write_runs(out, v, SEEN_STEP);
  write_runs(out, v, SEEN_MEMORY);
  fprintf(out, "  ],\n}\n");
}

bool acc_errors_write(const acc_context *c, const char *path)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  write_table(c->coverage, out);
  if (fclose(out))
    abort();
  int error = ts_write_file(path, text, size);
  if (error)
    fprintf(stderr, "accuracy: %s: %s\n", path, strerror(error));
  free(text);
  return !error;
}
