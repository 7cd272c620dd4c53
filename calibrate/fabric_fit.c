/* Simplex searches in the logarithms of the constants, fabrics by turns and then what the library
 * has on all of them. The loss is the mean absolute logarithm of modelled over measured, by classes
 * of sizes, so that long sweeps of small messages do not outweigh the few sizes that matter. */
#include "calibrate/fabric_fit.h"

#include <math.h>
#include <stddef.h>

#include "cost/minimize.h"

enum { ROUNDS = 6, STARTS = 3 /* of a search */ };

/* A constant that is fitted, and how far it may go. */
typedef struct constant {
  size_t at;
  double min, max;
} constant;

#define OF(field, min, max)                                                                        \
  {                                                                                                \
    offsetof(ts_fabric, field), min, max                                                           \
  }
/* By collective and protocol, of a fabric; of one whose islands are racks; of the library on all
 * fabrics. Steps of a protocol that no row used stay where they start. */
static const constant rings_and_trees[] = {OF(hop, 1, 200),       OF(share, 0.3, 0.97),
                                           OF(chunks, 0.1, 20),   OF(word_rate, 0.1, 20)},
                      steps[] = {OF(line_hop, 1, 1000), OF(tree_hop, 1, 1000),
                                 OF(ring_hop, 1, 1000)},
                      racks[] = {OF(hop, 1, 200), OF(chunks, 0.1, 20), OF(inside_hop, 1, 5),
                                 OF(switch_hop, 1, 20), OF(inside_share, 0.5, 1)},
                      pairs[] = {OF(pairs_hop, 0.1, 200), OF(pairs_share, 0.1, 0.97)},
                      library_constants[] = {OF(line_share, 0.3, 1), OF(tree_share, 0.3, 1),
                                             OF(switch_share, 0.7, 1)};
#undef OF

const ts_fabric ts_fabric_start = {.share = 0.92,
                                   .hop = 10,
                                   .chunks = 1,
                                   .pairs_share = 0.85,
                                   .pairs_hop = 3,
                                   .inside_hop = 1,
                                   .switch_hop = 1,
                                   .inside_share = 1,
                                   .line_hop = 30,
                                   .tree_hop = 20,
                                   .ring_hop = 30,
                                   .word_rate = 1,
                                   .lanes = 2,
                                   .trees_from = 2,
                                   .deal = 32768, /* NCCL 2.30.7, as `lanes` */
                                   .line_share = 120 / 128.0, /* the rest of a line are flags */
                                   .tree_share = 0.8,
                                   .switch_share = 0.95,
                                   .words = 1,
                                   .lines = 1,
                                   .switches = 1};

uint32_t ts_fabric_class(uint64_t bytes)
{
  return bytes >= UINT64_C(16) << 20 ? 0 : bytes >= UINT64_C(1) << 20 ? 1 : 2;
}

static double *value(ts_fabric *f, const constant *c)
{
  return (double *)(void *)((char *)f + c->at);
}

static double constant_of(const ts_fabric *f, const constant *c)
{
  return *(const double *)(const void *)((const char *)f + c->at);
}

/* Shares of rates are alike on all fabrics, so rows must speak clearly to move one. */
static bool is_share(const constant *c) { return c->max > 0.9 && c->max <= 1; }

/* -- how far off -- */

static const ts_white_box_plan *plan_of(ts_arena *arena, const ts_fabric *f,
                                        const ts_fabric_row *row)
{
  ts_network_file file = *row->hardware;
  ts_fabric_apply(arena, f, &file);
  return ts_network_file_plan(arena, &file, row->kind, &row->profile);
}

double ts_fabric_time(const ts_fabric *fabric, const ts_fabric_row *row)
{
  ts_arena *arena = ts_arena_new("a call between nodes");
  const ts_white_box_plan *plan = plan_of(arena, fabric, row);
  double seconds = plan ? ts_network_plan_time(plan, row->bytes) : 0;
  ts_arena_free(arena);
  return seconds;
}

static bool same_call(const ts_fabric_row *a, const ts_fabric_row *b)
{
  return a->set == b->set && a->profile.ranks == b->profile.ranks &&
         a->profile.islands == b->profile.islands;
}

typedef struct problem {
  ts_fabric *fabrics;
  uint32_t count;
  const ts_fabric_row *rows;
  uint32_t row_count;
  uint32_t fabric;           /* the one that is fitted, or UINT32_MAX: all */
  bool pairs;                /* all-to-all alone, or all but it */
  const constant *constants;
  size_t constant_count;
  const ts_fabric *from;       /* as the fabrics were: few rows pull little away from it */
  const ts_progress *progress;
  uint32_t searches, done;
} problem;

static bool counts(const problem *p, const ts_fabric_row *row)
{
  return (p->fabric == UINT32_MAX || p->fabric == row->fabric) &&
         p->pairs == (row->kind == TS_IR_ALL_TO_ALL);
}

/* Of a set: its classes in their weights. */
static double set_loss(const double *sum, const uint32_t *rows)
{
  static const double weights[TS_FABRIC_CLASSES] = {0.5, 0.25, 0.25};
  double loss = 0, weight = 0;
  for (int k = 0; k < TS_FABRIC_CLASSES; k++)
    if (rows[k]) {
      loss += weights[k] * sum[k] / rows[k];
      weight += weights[k];
    }
  return weight > 0 ? loss / weight : 0;
}

static double loss_of(const problem *p)
{
  enum { MOST = 2 }; /* a row cannot weigh more than one off by e^2 */
  ts_arena *arena = ts_arena_new("fit of fabrics");
  const ts_white_box_plan *plan = NULL;
  double loss = 0, sum[TS_FABRIC_CLASSES] = {0};
  uint32_t sets = 0, rows[TS_FABRIC_CLASSES] = {0};
  for (uint32_t i = 0; i < p->row_count; i++) {
    const ts_fabric_row *row = &p->rows[i];
    if (!counts(p, row))
      continue;
    if (!i || !same_call(row, row - 1))
      plan = plan_of(arena, &p->fabrics[row->fabric], row);
    uint32_t class = ts_fabric_class(row->bytes);
    double ratio = plan ? ts_network_plan_time(plan, row->bytes) / row->seconds : 0;
    sum[class] += ratio > 0 ? fmin(fabs(log(ratio)), MOST) : MOST;
    rows[class]++;
    if (i + 1 == p->row_count || row[1].set != row->set) {
      loss += set_loss(sum, rows);
      sets++;
      for (int k = 0; k < TS_FABRIC_CLASSES; k++)
        sum[k] = rows[k] = 0;
    }
  }
  ts_arena_free(arena);
  return sets ? loss / sets : 0;
}

/* The fabric that is fitted, or one of those that all share it. */
static const ts_fabric *first_of(const problem *p, const ts_fabric *of)
{
  return &of[p->fabric == UINT32_MAX ? 0 : p->fabric];
}

static void put(const problem *p, const double *x)
{
  for (size_t k = 0; k < p->constant_count; k++) {
    const constant *c = &p->constants[k];
    double v = fmin(fmax(exp(x[k]), c->min), c->max);
    for (uint32_t f = 0; f < p->count; f++)
      if (p->fabric == UINT32_MAX || p->fabric == f)
        *value(&p->fabrics[f], c) = v;
  }
}

static double objective(const double *x, void *context)
{
  const problem *p = context;
  double loss, away = 0;
  put(p, x);
  loss = loss_of(p);
  for (size_t k = 0; k < p->constant_count; k++) {
    double d = x[k] - log(constant_of(first_of(p, p->from), &p->constants[k]));
    away += (is_share(&p->constants[k]) ? 0.5 : 0.002) * d * d;
  }
  return loss + away;
}

static void search(problem *p, const constant *constants, size_t count, bool pairs_too)
{
  enum { ITERATIONS = 200, MOST = 8 };
  bool any = false;
  p->constants = constants;
  p->constant_count = count;
  p->pairs = pairs_too;
  for (uint32_t i = 0; i < p->row_count; i++)
    any |= counts(p, &p->rows[i]);
  if (!any)
    return;
  double x[MOST], step[MOST];
  for (size_t k = 0; k < count; k++)
    x[k] = log(constant_of(first_of(p, p->fabrics), &constants[k]));
  for (int again = 0; again < STARTS; again++) { /* a simplex may have shrunk too early */
    for (size_t k = 0; k < count; k++)
      step[k] = (again % 2 ? 1 : -1) * (is_share(&constants[k]) ? 0.05 : 0.4);
    ts_minimize(&(ts_simplex){objective, p, count, -1, ITERATIONS, 1e-3}, x, step);
    p->done++;
    ts_tick_counted(p->progress, "fitting the fabric", (double)p->done / p->searches, "searches",
                    p->done);
  }
  put(p, x);
}

#define SEARCH(p, list, pairs) search(p, list, sizeof(list) / sizeof *(list), pairs)

/* An island of more ranks than any node has. */
static bool has_racks(const problem *p)
{
  enum { MOST_IN_A_NODE = 16 };
  for (uint32_t i = 0; i < p->row_count; i++)
    if (counts(p, &p->rows[i]) && p->rows[i].profile.per_island > MOST_IN_A_NODE)
      return true;
  return false;
}

void ts_fabric_fit(ts_fabric *fabrics, uint32_t count, const ts_fabric_row *rows,
                   uint32_t row_count, bool library, const ts_progress *progress)
{
  ts_arena *arena = ts_arena_new("fabrics before");
  problem p = {.fabrics = fabrics,
               .count = count,
               .rows = rows,
               .row_count = row_count,
               .progress = progress,
               .searches = ROUNDS * STARTS * (3 * count + library),
               .from = ts_arena_copy(arena, fabrics, count * sizeof *fabrics)};
  for (int round = 0; round < ROUNDS; round++) {
    for (p.fabric = 0; p.fabric < count; p.fabric++) {
      p.pairs = false;
      if (has_racks(&p))
        SEARCH(&p, racks, false);
      else
        SEARCH(&p, rings_and_trees, false);
      SEARCH(&p, steps, false);
      SEARCH(&p, pairs, true);
    }
    p.fabric = UINT32_MAX;
    if (library)
      SEARCH(&p, library_constants, false);
  }
  ts_arena_free(arena);
}

void ts_fabric_fit_points(ts_arena *arena, ts_fabric *fabric, const ts_network_file *hardware,
                          ts_fit_links links, const ts_ir_net_point *points, uint32_t count,
                          const ts_progress *progress)
{
  ts_fabric_row *rows = TS_NEW_ARRAY(arena, ts_fabric_row, count);
  for (uint32_t i = 0; i < count; i++)
    rows[i] = (ts_fabric_row){.set = points[i].collective,
                              .kind = points[i].collective,
                              .hardware = hardware,
                              .profile =
                                ts_fit_profile(links, points[i].ranks, points[i].islands),
                              .bytes = points[i].bytes,
                              .seconds = (double)points[i].time * 1e-12};
  ts_fabric_fit(fabric, 1, rows, count, false, progress);
}

ts_fabric ts_fabric_mean(const ts_fabric *const *others, uint32_t count)
{
  ts_fabric mean = count ? *others[0] : ts_fabric_start;
  const constant *lists[] = {rings_and_trees, steps, pairs};
  const size_t sizes[] = {sizeof rings_and_trees / sizeof *rings_and_trees,
                          sizeof steps / sizeof *steps, sizeof pairs / sizeof *pairs};
  for (size_t l = 0; l < 3; l++)
    for (size_t k = 0; k < sizes[l]; k++) {
      double sum = 0;
      for (uint32_t i = 0; i < count; i++)
        sum += log(constant_of(others[i], &lists[l][k]));
      if (count)
        *value(&mean, &lists[l][k]) = exp(sum / count);
    }
  mean.words = mean.lines = mean.switches = 1;
  mean.inside_hop = mean.switch_hop = mean.inside_share = 1;
  return mean;
}
