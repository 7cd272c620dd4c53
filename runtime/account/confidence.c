#include "runtime/account/confidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/spread.h"
#include "runtime/account/calibrated.h"

typedef struct gatherer {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_result *result;
  ts_work_shares work;
  bool own_times; /* of all kernels */
  TS_VEC(ts_uncertain_part) parts;
} gatherer;

static bool same_family(const ts_uncertain_part *a, const ts_uncertain_part *b)
{
  return a->origin == b->origin && a->between == b->between && !strcmp(a->name, b->name);
}

/* `amount`: share times spread, which a family adds up. */
static void confidence_add(gatherer *g, ts_uncertain_part part)
{
  double amount = part.share * part.spread;
  if (!(part.share > 0))
    return;
  for (size_t i = 0; i < g->parts.count; i++) {
    ts_uncertain_part *p = &g->parts.at[i];
    if (!same_family(p, &part))
      continue;
    amount += p->share * p->spread;
    p->share += part.share;
    p->spread = amount / p->share;
    p->assumed |= part.assumed;
    p->extrapolated += part.extrapolated;
    return;
  }
  TS_PUSH(g->arena, &g->parts, part);
}

/* -- kernels -- */

/* How often ranks play each fragment, all together. */
static double *plays_of(const gatherer *g)
{
  const ts_ir *ir = g->ir;
  double *ranks = TS_NEW_ARRAY(g->arena, double, ir->programs_count + 1),
         *plays = TS_NEW_ARRAY(g->arena, double, ir->fragments_count + 1);
  for (uint32_t c = 0; c < g->result->class_count; c++)
    ranks[g->result->classes[c].program] += g->result->classes[c].count;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    ts_ir_count_plays(ir, p, ranks[p], plays);
  return plays;
}

/* Time of each distinct kernel at speed 1. */
static double *kernel_times(const gatherer *g, double *total)
{
  const ts_ir *ir = g->ir;
  const double *plays = plays_of(g);
  double *times = TS_NEW_ARRAY(g->arena, double, ir->kernels_count + 1);
  *total = 0;
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = 0; plays[f] > 0 && n < ir->fragments[f].node_count; n++) {
      const ts_ir_node *node = &ir->nodes[ir->fragments[f].first_node + n];
      if (node->op != TS_IR_COMPUTE)
        continue;
      double time = plays[f] * (double)ir->kernels[node->arg].time;
      times[node->arg] += time;
      *total += time;
    }
  return times;
}

/* Times that the plan brings itself. */
static bool all_own(const ts_ir *ir, const double *times)
{
  bool some = false;
  for (uint32_t k = 0; k < ir->kernels_count; k++) {
    uint32_t basis = ir->kernels[k].basis;
    if (times[k] > 0 && basis != TS_IR_STATED && basis != TS_IR_EXTERN &&
        basis != TS_IR_HELD)
      return false;
    some |= times[k] > 0;
  }
  return some;
}

/* A roofline is off by its shares of the peak rates, which all its kernels have in common. */
static void add_kernels(gatherer *g)
{
  const ts_ir *ir = g->ir;
  double total, *times = kernel_times(g, &total);
  g->own_times = all_own(ir, times);
  for (uint32_t k = 0; k < ir->kernels_count; k++) {
    const ts_ir_kernel *kernel = &ir->kernels[k];
    ts_spread_query q = ts_spread_query_kernel(ir, kernel);
    uint32_t found = ts_spread_find(ir->spreads, ir->spreads_count, ir->strings, &q);
    if (found == TS_IR_NONE || !(times[k] > 0))
      continue;
    bool roofline = kernel->basis == TS_IR_ROOFLINE;
    confidence_add(
      g, (ts_uncertain_part){.origin = TS_IR_ORIGIN_KERNELS,
                             .basis = kernel->basis,
                             .name = roofline ? "" : q.name,
                             .assumed = roofline || q.assumed,
                             .extrapolated = q.assumed ? g->work.compute * times[k] / total : 0,
                             .share = g->work.compute * times[k] / total,
                             .spread = ir->spreads[found].spread});
  }
}

/* -- calls -- */

static void add_network(gatherer *g)
{
  const ts_ir *ir = g->ir;
  const ts_network_use *uses = g->result->network_uses;
  double total = 0;
  for (uint32_t i = 0; uses && i < 2 * ir->net_models_count + 2; i++)
    total += uses[i].time;
  for (uint32_t i = 0; total > 0 && i < 2 * ir->net_models_count + 2; i++) {
    ts_spread_query q = ts_spread_query_network(ir, i / 2, i % 2);
    q.bytes = uses[i].calls ? uses[i].bytes / (double)uses[i].calls : 0;
    uint32_t found = ts_spread_find(ir->spreads, ir->spreads_count, ir->strings, &q);
    if (found == TS_IR_NONE)
      continue;
    bool links = q.origin == TS_IR_ORIGIN_LINKS;
    confidence_add(
      g, (ts_uncertain_part){.origin = q.origin,
                             .basis = q.basis,
                             .name = links ? "" : ir->strings + ir->net_models[i / 2].name,
                             .between = q.between,
                             .assumed = q.assumed || links,
                             .share = g->work.exposed * uses[i].time / total,
                             .spread = ir->spreads[found].spread});
  }
}

static void add_other(gatherer *g, uint32_t origin, double share)
{
  ts_spread_query q = {.origin = origin, .name = "", .dtype = ""};
  uint32_t found = ts_spread_find(g->ir->spreads, g->ir->spreads_count, g->ir->strings, &q);
  if (found != TS_IR_NONE)
    confidence_add(
      g, (ts_uncertain_part){
           .origin = origin, .name = "", .share = share, .spread = g->ir->spreads[found].spread});
}

/* -- together -- */

static int by_amount(const void *x, const void *y)
{
  const ts_uncertain_part *a = x, *b = y;
  double p = a->share * a->spread, q = b->share * b->spread;
  if (p != q)
    return p < q ? 1 : -1;
  if (a->origin != b->origin)
    return a->origin < b->origin ? -1 : 1;
  return a->between != b->between ? (a->between ? 1 : -1) : strcmp(a->name, b->name);
}

double ts_spread_of_parts(const ts_uncertain_part *parts, uint32_t count)
{
  double squares = 0;
  for (uint32_t i = 0; i < count; i++)
    squares += parts[i].share * parts[i].spread * parts[i].share * parts[i].spread;
  return sqrt(squares);
}

ts_interval ts_interval_around(double figure, double spread, const ts_ir_validation *on)
{
  if (!on)
    return (ts_interval){.figure = figure, .low = figure, .high = figure};
  return (ts_interval){.figure = figure,
                       .low = figure * exp(-on->below * spread),
                       .high = figure * exp(on->above * spread),
                       .on = on};
}

static const ts_ir_validation *validation_of(const ts_ir *ir, uint32_t quantity)
{
  for (uint32_t i = 0; i < ir->validations_count; i++)
    if (ir->validations[i].quantity == quantity)
      return &ir->validations[i];
  return NULL;
}

/* -- calibrated -- */

/* What its measured steps say: `runs` is their file. */
static ts_ir_validation *steps_of(ts_arena *arena, const ts_ir *ir, uint32_t quantity)
{
  ts_ir_validation *on = TS_NEW(arena, ts_ir_validation);
  uint32_t source = ir->calibrations[0].source;
  *on = (ts_ir_validation){.quantity = quantity,
                           .runs = source == TS_IR_NONE ? 0 : ir->cost_sources[source].name,
                           .rows = ir->calibrations[0].rows,
                           .groups = ir->calibrations[0].rows,
                           .same_kind = 1};
  return on;
}

static void add_quantities(gatherer *g, const double *shares)
{
  static const uint32_t origins[TS_IR_CALIBRATED_KINDS] = {
    [TS_IR_CALIBRATED_KERNELS] = TS_IR_ORIGIN_KERNELS,
    [TS_IR_CALIBRATED_HOST] = TS_IR_ORIGIN_HOST,
    [TS_IR_CALIBRATED_INSIDE] = TS_IR_ORIGIN_NETWORK,
    [TS_IR_CALIBRATED_BETWEEN] = TS_IR_ORIGIN_NETWORK,
    [TS_IR_CALIBRATED_STEP] = TS_IR_ORIGIN_RUN};
  for (uint32_t i = 0; i < g->ir->calibrations_count; i++) {
    const ts_ir_calibration *k = &g->ir->calibrations[i];
    if (k->kind == TS_IR_CALIBRATED_MEMORY)
      continue;
    confidence_add(g, (ts_uncertain_part){.origin = origins[k->kind],
                                          .name = g->ir->strings + k->name,
                                          .between = k->kind == TS_IR_CALIBRATED_BETWEEN,
                                          .calibrated = true,
                                          .share = k->kind == TS_IR_CALIBRATED_STEP ? 1 : shares[i],
                                          .spread = sqrt(k->covariance[i])});
  }
}

static void take_calibration(gatherer *g, double peak, double reserved, ts_confidence *c)
{
  const ts_ir *ir = g->ir;
  const double *shares = ts_calibrated_shares(g->arena, ir, g->result);
  ts_calibrated_step step = ts_calibrated_spread(ir, shares);
  ts_ir_validation *on = steps_of(g->arena, ir, TS_IR_STEP_TIME);
  double bytes = ts_calibrated_memory(ir);
  g->parts.count = 0;
  add_quantities(g, shares);
  TS_SORT(&g->parts, by_amount);
  c->part_count = (uint32_t)g->parts.count;
  c->parts = g->parts.at;
  c->calibrated = true;
  c->spread = step.spread;
  on->below = on->above = on->apart = step.spread > 0 ? step.reach / step.spread : 0;
  c->step = ts_interval_around(c->step.figure, c->spread, on);
  if (bytes > 0 && peak > 0)
    c->memory = (ts_interval){.figure = peak + reserved,
                              .low = fmax(peak + reserved - bytes, 0),
                              .high = peak + reserved + bytes,
                              .on = steps_of(g->arena, ir, TS_IR_PEAK_MEMORY)};
}

/* FNV-1a of what runs of one kind have in common. */
static uint64_t confidence_kind_of(const ts_ir *ir, const ts_ir_validation *on)
{
  uint64_t hash = 14695981039346656037u;
  for (const char *at = on ? ir->strings + on->runs : ""; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  return hash;
}

ts_confidence ts_confidence_new(ts_arena *arena, const ts_ir *ir, const ts_result *result,
                                double peak, double reserved)
{
  gatherer g = {.arena = arena, .ir = ir, .result = result};
  g.work = ts_work_shares_of(result);
  add_kernels(&g);
  add_network(&g);
  add_other(&g, TS_IR_ORIGIN_HOST, g.work.host);
  add_other(&g, TS_IR_ORIGIN_RUN, 1);
  TS_SORT(&g.parts, by_amount);
  ts_confidence c = {.part_count = (uint32_t)g.parts.count, .parts = g.parts.at};
  c.spread = ts_spread_of_parts(c.parts, c.part_count);
  c.own_times = g.own_times && !ir->calibrations_count;
  c.step = ts_interval_around((double)result->step * 1e-12, c.spread,
                              c.own_times ? NULL : validation_of(ir, TS_IR_STEP_TIME));
  c.memory = ts_interval_around(peak, 1, peak > 0 ? validation_of(ir, TS_IR_PEAK_MEMORY) : NULL);
  c.memory.figure += reserved;
  c.memory.low += reserved;
  c.memory.high += reserved;
  if (ir->calibrations_count)
    take_calibration(&g, peak, reserved, &c);
  c.kind = confidence_kind_of(ir, c.step.on);
  return c;
}

/* -- two plans -- */

static double amount_in(const ts_confidence *c, const ts_uncertain_part *like)
{
  for (uint32_t i = 0; i < c->part_count; i++)
    if (same_family(&c->parts[i], like))
      return c->parts[i].share * c->parts[i].spread;
  return 0;
}

/* Errors of a family are not the same in two plans: its kernels have other sizes, its calls other
 * groups. Their correlation was chosen with pairs of development rows in view, of one model and
 * machine each; no command prints the share of pairs that it holds. */
static const double correlation = 0.7;

/* Of what is left when common errors cancel. */
static double spread_apart(const ts_confidence *a, const ts_confidence *b)
{
  double squares = 0;
  for (uint32_t i = 0; i < a->part_count; i++) {
    const ts_uncertain_part *p = &a->parts[i];
    double x = p->share * p->spread, y = amount_in(b, p);
    squares += x * x + y * y - (p->origin == TS_IR_ORIGIN_RUN ? 0 : 2 * correlation * x * y);
  }
  for (uint32_t i = 0; i < b->part_count; i++) {
    const ts_uncertain_part *p = &b->parts[i];
    double y = p->share * p->spread;
    squares += amount_in(a, p) > 0 ? 0 : y * y;
  }
  return sqrt(squares);
}

/* One below the other's lower end and one above the upper are apart: both sides, as squares. */
static double reach_apart(double below, double below_spread, double above, double above_spread)
{
  return hypot(below * below_spread, above * above_spread);
}

ts_interval ts_interval_of_ratio(const ts_confidence *of, const ts_confidence *to)
{
  const ts_ir_validation *a = of->step.on, *b = to->step.on;
  double ratio = to->step.figure > 0 ? of->step.figure / to->step.figure : 0, below, above;
  if (!a || !b || !(ratio > 0))
    return (ts_interval){.figure = ratio, .low = ratio, .high = ratio};
  if (of->kind == to->kind) {
    below = above = a->apart * spread_apart(of, to);
  } else {
    below = reach_apart(a->below, of->spread, b->above, to->spread);
    above = reach_apart(a->above, of->spread, b->below, to->spread);
  }
  return (ts_interval){
    .figure = ratio, .low = ratio * exp(-below), .high = ratio * exp(above), .on = a};
}

ts_confidence ts_confidence_copy(ts_arena *arena, const ts_confidence *c)
{
  ts_confidence copy = *c;
  ts_uncertain_part *parts = TS_NEW_ARRAY(arena, ts_uncertain_part, c->part_count + 1);
  for (uint32_t i = 0; i < c->part_count; i++) {
    parts[i] = c->parts[i];
    parts[i].name = ts_arena_printf(arena, "%s", c->parts[i].name);
  }
  copy.parts = parts;
  if (c->step.on)
    copy.step.on = ts_arena_copy(arena, c->step.on, sizeof *c->step.on);
  if (c->memory.on)
    copy.memory.on = ts_arena_copy(arena, c->memory.on, sizeof *c->memory.on);
  return copy;
}
