/* Time against size is a few lines, one for each protocol: latency high and rate low to the left,
 * the reverse to the right. Each is fitted to relative errors; where one ends is tried out (a group
 * has some twenty sizes). A line then becomes a method: its latency is split over connection and
 * steps in the proportions that the hardware's method has, its slope gives the rate. The sizes
 * measured stay as anchors. */
#include "calibrate/network_fit.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

#include "calibrate/network_curves.h"
#include "calibrate/network_infer.h"
#include "compiler/machine/network_table.h"
#include "ir/spelling.h"
#include "runtime/collective/white_box.h"

enum { MOST_LINES = 3, LEAST_POINTS = 2 };

typedef struct network_fit_line {
  double latency, slope;
} network_fit_line; /* us, us per byte */
/* end: one past the last point it was fitted to */
typedef struct network_fit_lines {
  network_fit_line at[MOST_LINES];
  uint32_t end[MOST_LINES];
  uint32_t count;
} network_fit_lines;

static double us(const ts_ir_net_point *p) { return (double)p->time * 1e-6; }

/* Least squares of ((latency + slope x) / y - 1), neither below 0. */
static network_fit_line fit_line(const ts_ir_net_point *p, uint32_t count)
{
  double w = 0, wx = 0, wxx = 0, v = 0, vx = 0;
  for (uint32_t i = 0; i < count; i++) {
    double a = 1 / us(&p[i]), b = (double)p[i].bytes * a;
    w += a * a, wx += a * b, wxx += b * b, v += a, vx += b;
  }
  double d = w * wxx - wx * wx;
  network_fit_line l = {v / w, 0};
  if (count > 1 && d > 1e-12 * w * wxx)
    l = (network_fit_line){(v * wxx - wx * vx) / d, (w * vx - wx * v) / d};
  if (l.slope < 0)
    l = (network_fit_line){v / w, 0};
  if (l.latency < 0)
    l = (network_fit_line){0, vx / wxx};
  return l;
}

static double at(const network_fit_lines *l, double x)
{
  double min = INFINITY;
  for (uint32_t k = 0; k < l->count; k++)
    min = fmin(min, l->at[k].latency + l->at[k].slope * x);
  return min;
}

static double loss(const network_fit_lines *l, const ts_ir_net_point *p, uint32_t count)
{
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    double e = log(fmax(at(l, (double)p[i].bytes), 1e-9) / us(&p[i]));
    sum += e * e;
  }
  /* 3e-4: repeats differ by 1.7 %; another line must be worth it */
  return count * log(sum / count + 3e-4) + 2.0 * l->count;
}

static void keep_best(network_fit_lines *best, double *min, const network_fit_lines *l,
                      const ts_ir_net_point *p, uint32_t count)
{
  double x = loss(l, p, count);
  if (best->count && x >= *min)
    return;
  *best = *l;
  *min = x;
}

static network_fit_lines fit_lines(const ts_ir_net_point *p, uint32_t n)
{
  network_fit_lines best = {.count = 0}, l = {.at = {fit_line(p, n)}, .end = {n}, .count = 1};
  double min = INFINITY;
  keep_best(&best, &min, &l, p, n);
  for (uint32_t i = LEAST_POINTS; i + LEAST_POINTS <= n; i++) {
    network_fit_line first = fit_line(p, i);
    l = (network_fit_lines){{first, fit_line(p + i, n - i)}, {i, n}, 2};
    keep_best(&best, &min, &l, p, n);
    for (uint32_t k = i + LEAST_POINTS; k + LEAST_POINTS <= n; k++) {
      l =
        (network_fit_lines){{first, fit_line(p + i, k - i), fit_line(p + k, n - k)}, {i, k, n}, 3};
      keep_best(&best, &min, &l, p, n);
    }
  }
  return best;
}

ts_profile ts_fit_profile(ts_fit_links links, uint32_t ranks, uint32_t islands)
{
  ts_profile p = {.ranks = ranks,
                  .islands = islands,
                  .per_island = (ranks + islands - 1) / islands,
                  .tier = islands > 1,
                  .inter = islands > 1 ? links.inter : 0};
  p.intra = p.per_island > 1 ? links.intra : 0;
  return p;
}

double ts_network_method_latency(const ts_ir_net_method *m, const ts_profile *p)
{
  ts_white_box box = ts_white_box_method(m, 0, p);
  return (box.connection + box.intra + box.inter + box.reduction) * 1e-12;
}

static double box_us(const ts_ir_net_method *m, uint64_t bytes, const ts_profile *p)
{
  ts_white_box box = ts_white_box_method(m, bytes, p);
  return (box.connection + box.intra + box.inter + box.reduction) * 1e-6;
}

/* Without the links' rates only the latency distinguishes methods. */
static double unlike(const ts_ir_net_method *m, const network_fit_line *l, const ts_ir_net_point *p,
                     uint32_t first, uint32_t end, const ts_profile *profile)
{
  bool rates = profile->islands > 1 ? profile->inter > 0 : profile->intra > 0;
  double sum = 0;
  if (!rates)
    return fabs(log(fmax(box_us(m, 1, profile), 0.1) / fmax(l->latency, 0.1)));
  for (uint32_t i = first; i < end; i++)
    sum += fabs(log(box_us(m, p[i].bytes, profile) / us(&p[i])));
  return sum / (end - first);
}

/* The hardware's method that a line is most like, of a protocol no more eager than the one before.
 * */
static const ts_ir_net_method *recognise(const ts_network_file *hardware,
                                         const network_fit_lines *l, uint32_t k,
                                         const ts_ir_net_point *p, const ts_profile *profile,
                                         uint32_t least_protocol)
{
  const ts_ir_net_method *best = NULL;
  double min = INFINITY;
  for (uint32_t i = 0; i < hardware->method_count; i++) {
    const ts_ir_net_method *m = &hardware->methods[i];
    if (m->ranks || !ts_method_possible(m, profile) || m->collective != p->collective ||
        m->protocol < least_protocol ||
        (l->count == 3 && m->protocol > k && m->algorithm != TS_IR_NET_PAIRS))
      continue;
    double x = unlike(m, &l->at[k], p, k ? l->end[k - 1] : 0, l->end[k], profile);
    if (x < min) {
      best = m;
      min = x;
    }
  }
  return best;
}

static ts_ir_net_method calibrated(const ts_ir_net_method *like, const network_fit_line *l,
                                   const ts_ir_net_point *p, uint32_t count,
                                   const ts_profile *profile)
{
  ts_ir_net_method m = *like;
  double intra, inter, near, far, latency = l->latency, slope = l->slope;
  m.ranks = profile->ranks;
  m.islands = profile->islands;
  ts_method_steps(&m, profile, &intra, &inter);
  ts_method_volumes(&m, profile, &near, &far);
  double usual =
    ((double)m.connection + intra * (double)m.intra_hop + inter * (double)m.inter_hop) * 1e-6;
  if (count == 1) { /* one size: the usual latency, and a rate for the rest */
    latency = fmin(usual, us(p) / 2);
    slope = (us(p) - latency) / (double)p->bytes;
  }
  double scale = usual > 0 ? latency / usual : 0;
  m.intra_hop = (uint64_t)llround((double)m.intra_hop * scale);
  m.inter_hop = (uint64_t)llround((double)m.inter_hop * scale);
  double steps = intra * (double)m.intra_hop + inter * (double)m.inter_hop;
  m.believed_share = 0; /* lines are taken where they are the fastest */
  m.connection = m.believed = (uint64_t)llround(fmax(0, latency * 1e6 - steps));
  m.chunk = m.reduction = m.intra_share = m.inter_share = m.intra_rate = m.inter_rate = m.spread =
    m.branching = m.lanes = m.deal = m.lane_rate = 0;
  if (profile->islands > 1) {
    m.local = 0;
    m.inter_rate = slope > 0 ? far / slope * 1e6 : 0;
    m.inter_share = profile->inter > 0 ? m.inter_rate / profile->inter : 0;
  } else {
    m.intra_rate = slope > 0 ? (near + m.local / profile->ranks) / slope * 1e6 : 0;
    /* on slower links the same share is reached */
    m.intra_share = profile->intra > 0 ? m.intra_rate / profile->intra : 0;
  }
  m.least = p[0].bytes;
  m.most = p[count - 1].bytes;
  return m;
}

typedef struct result { TS_VEC(ts_ir_net_method) methods; } result;

static uint32_t same_group(const ts_ir_net_point *p, uint32_t count)
{
  uint32_t n = 1;
  while (n < count && p[n].collective == p->collective && p[n].ranks == p->ranks &&
         p[n].islands == p->islands)
    n++;
  return n;
}

/* Lines as methods. */
static bool fit_by_lines(ts_arena *arena, result *out, const ts_network_file *hardware,
                         const ts_profile *profile, const ts_ir_net_point *p, uint32_t count)
{
  network_fit_lines l = fit_lines(p, count);
  uint32_t protocol = 0;
  for (uint32_t k = 0; k < l.count; k++) {
    const ts_ir_net_method *like = recognise(hardware, &l, k, p, profile, protocol);
    if (!like)
      like = recognise(hardware, &l, k, p, profile, 0);
    if (!like)
      return false;
    ts_ir_net_method m = calibrated(like, &l.at[k], p, count, profile);
    TS_PUSH(arena, &out->methods, m);
    protocol = like->protocol;
  }
  return true;
}

static double bounded(double bound, double share, double links)
{
  double rate = share * links;
  return bound > 0 && (rate == 0 || bound < rate) ? bound : rate;
}

static ts_ir_net_method network_fit_scaled(const ts_ir_net_method *m, double latency, double rate)
{
  ts_ir_net_method x = *m;
  x.connection = (uint64_t)llround((double)m->connection * latency);
  x.believed = (uint64_t)llround((double)m->believed * latency);
  x.intra_hop = (uint64_t)llround((double)m->intra_hop * latency);
  x.inter_hop = (uint64_t)llround((double)m->inter_hop * latency);
  x.intra_rate *= rate, x.intra_share *= rate, x.inter_rate *= rate, x.inter_share *= rate;
  x.lane_rate *= rate;
  x.reduction /= rate;
  return x;
}

/* How far the methods are from a call, measured over modelled, and the latency's share of what they
 * say. */
typedef struct gap { double ratio, latency; } gap;

static gap gap_at(ts_arena *arena, ts_ir_net_method *methods, uint32_t count,
                  const ts_ir_net_point *p, const ts_profile *profile)
{
  const ts_network_file file = {
    .device = "", .library = "", .methods = methods, .method_count = count};
  const ts_white_box_plan *plan = ts_network_file_plan(arena, &file, p->collective, profile);
  double time = ts_network_plan_time(plan, p->bytes);
  return (gap){us(p) / time * 1e-6,
               ts_network_method_latency(ts_white_box_estimate(plan, p->bytes).method, profile) /
                 time};
}

/* The hardware's methods at the rates of these links, their latencies and rates scaled so that the
 * smallest and the largest size come out, if they are small and large enough to tell: where few
 * sizes were measured, the methods' shape says more than lines through them. */
static bool fit_by_hardware(ts_arena *arena, result *out, const ts_network_file *hardware,
                            const ts_profile *profile, const ts_ir_net_point *p, uint32_t count)
{
  ts_ir_net_method *usual = TS_NEW_ARRAY(arena, ts_ir_net_method, hardware->method_count),
                   *now = TS_NEW_ARRAY(arena, ts_ir_net_method, hardware->method_count);
  const ts_ir_net_point *last = &p[count - 1];
  uint32_t n = 0;
  double latency = 1, rate = 1;
  if ((profile->per_island > 1 && !(profile->intra > 0)) ||
      (profile->islands > 1 && !(profile->inter > 0)))
    return false;
  for (uint32_t i = 0; i < hardware->method_count; i++) {
    ts_ir_net_method m = hardware->methods[i];
    if (m.ranks || m.collective != p->collective || !ts_method_possible(&m, profile))
      continue;
    m.ranks = profile->ranks, m.islands = profile->islands;
    m.intra_rate = bounded(m.intra_rate, m.intra_share, profile->intra);
    m.inter_rate = bounded(m.inter_rate, m.inter_share, profile->inter);
    m.intra_share = profile->intra > 0 ? m.intra_rate / profile->intra : 0;
    m.inter_share = profile->inter > 0 ? m.inter_rate / profile->inter : 0;
    m.spread = 0;
    m.least = p->bytes, m.most = last->bytes;
    usual[n] = now[n] = m;
    n++;
  }
  for (int round = 0; n && round < 8; round++) {
    gap small = gap_at(arena, now, n, p, profile), large = gap_at(arena, now, n, last, profile);
    if (small.latency > 0.5)
      latency = fmin(fmax(latency * small.ratio, 0.2), 5);
    if (large.latency < 0.5)
      rate = fmin(fmax(rate / large.ratio, 0.02), 5);
    for (uint32_t i = 0; i < n; i++)
      now[i] = network_fit_scaled(&usual[i], latency, rate);
  }
  for (uint32_t i = 0; i < n; i++)
    TS_PUSH(arena, &out->methods, now[i]);
  return n > 0;
}

typedef bool (*way_to_fit)(ts_arena *arena, result *out, const ts_network_file *hardware,
                           const ts_profile *profile, const ts_ir_net_point *p, uint32_t count);

/* Mean squared log error on sizes left out in turn, at most `FOLDS` at a time; INFINITY: cannot be
 * fitted so. */
static double left_out(way_to_fit fit, const ts_network_file *hardware, const ts_profile *profile,
                       const ts_ir_net_point *p, uint32_t count)
{
  enum { FOLDS = 12 };
  ts_arena *arena = ts_arena_new("left out");
  ts_ir_net_point *used = TS_NEW_ARRAY(arena, ts_ir_net_point, count);
  uint32_t folds = count < FOLDS ? count : FOLDS;
  double sum = 0;
  for (uint32_t f = 0; f < folds && isfinite(sum); f++) {
    result out = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
      if (i % folds != f)
        used[n++] = p[i];
    const ts_white_box_plan *plan = NULL;
    if (fit(arena, &out, hardware, profile, used, n)) {
      const ts_network_file file = {.device = "",
                                    .library = "",
                                    .methods = out.methods.at,
                                    .method_count = (uint32_t)out.methods.count,
                                    .points = used,
                                    .point_count = n};
      plan = ts_network_file_plan(arena, &file, p->collective, profile);
    }
    for (uint32_t i = f; i < count; i += folds) {
      double e = plan ? log(ts_network_plan_time(plan, p[i].bytes) * 1e6 / us(&p[i])) : INFINITY;
      sum += e * e;
    }
  }
  ts_arena_free(arena);
  return sum / count;
}

/* Lines know nothing but the rows, and the hardware's methods nothing but their ends: what predicts
 * sizes left out better is taken. A few rows cannot tell. *error: how far off that was, INFINITY:
 * not known. */
static bool fit_group(ts_arena *arena, result *out, const ts_network_file *hardware,
                      ts_fit_links links, const ts_ir_net_point *p, uint32_t count, double *error)
{
  enum { TELLING = 4, PLENTY = 64 };
  ts_profile profile = ts_fit_profile(links, p->ranks, p->islands);
  bool by_hardware = count < PLENTY;
  *error = count < PLENTY ? INFINITY : 0;
  if (by_hardware && count >= TELLING) {
    double methods = left_out(fit_by_hardware, hardware, &profile, p, count),
           lines = left_out(fit_by_lines, hardware, &profile, p, count);
    by_hardware = methods < lines;
    *error = fmin(methods, lines);
  }
  return (by_hardware && fit_by_hardware(arena, out, hardware, &profile, p, count)) ||
         fit_by_lines(arena, out, hardware, &profile, p, count);
}

typedef struct trend { double n, x, y, xx, xy; } trend; /* of log rate over log islands/2 */

/* What an island sends a second in the largest call of a group, after the latency that the
 * library's own choice would have. */
static double island_rate(ts_arena *arena, const ts_network_file *hardware, ts_fit_links links,
                          const ts_ir_net_point *largest)
{
  ts_profile profile = ts_fit_profile(links, largest->ranks, largest->islands);
  const ts_white_box_plan *plan =
    ts_network_file_plan(arena, hardware, largest->collective, &profile);
  double seconds = (double)largest->time * 1e-12, near, far;
  if (!plan)
    return 0;
  const ts_ir_net_method *m = ts_white_box_estimate(plan, largest->bytes).method;
  ts_method_volumes(m, &profile, &near, &far);
  return far * (double)largest->bytes /
         (seconds - fmin(ts_network_method_latency(m, &profile), seconds / 2));
}

static trend trend_of(ts_arena *arena, const ts_network_file *hardware, ts_fit_links links,
                      const ts_ir_net_point *p, uint32_t count, uint32_t kind)
{
  trend t = {0};
  for (uint32_t i = 0, n; i < count; i += n) {
    n = same_group(p + i, count - i);
    double rate = p[i].collective == kind && p[i].islands > 1 ?
                    island_rate(arena, hardware, links, &p[i + n - 1]) :
                    0,
           x = log(p[i].islands / 2.0);
    if (rate <= 0)
      continue;
    t.n++, t.x += x, t.y += log(rate), t.xx += x * x, t.xy += x * log(rate);
  }
  return t;
}

/* Rates between islands as rate * (islands/2)^-spread, for counts in between and beyond: contention
 * in the fabric slows all collectives alike, so the spread is one for all and the rate each one's
 * own. */
static void fit_spread(ts_arena *arena, result *out, const ts_network_file *hardware,
                       ts_fit_links links, const ts_ir_net_point *points, uint32_t count)
{
  double over = 0, under = 0, spread;
  trend of[TS_IR_COLLECTIVE_KINDS];
  for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++) {
    trend t = of[kind] = trend_of(arena, hardware, links, points, count, kind);
    if (t.n > 1) {
      over += t.xy - t.x * t.y / t.n;
      under += t.xx - t.x * t.x / t.n;
    }
  }
  spread = under > 1e-9 ? fmax(0, -over / under) : 0;
  for (uint32_t i = 0; under > 1e-9 && i < hardware->method_count; i++) {
    ts_ir_net_method m = hardware->methods[i];
    trend t = of[m.collective];
    if (m.ranks || t.n < 1)
      continue;
    m.inter_rate = exp((t.y + spread * t.x) / t.n);
    m.inter_share = 0;
    m.spread = spread > 1e-6 ? spread : 0;
    TS_PUSH(arena, &out->methods, m);
  }
}

/* A generic method that was fitted stands in for the hardware's. */
static void add_hardware(ts_arena *arena, result *out, const ts_network_file *hardware)
{
  size_t fitted = out->methods.count;
  for (uint32_t i = 0; i < hardware->method_count; i++) {
    const ts_ir_net_method *m = &hardware->methods[i];
    bool there = m->ranks != 0;
    for (size_t k = 0; k < fitted && !there; k++) {
      const ts_ir_net_method *x = &out->methods.at[k];
      there = !x->ranks && x->collective == m->collective && x->algorithm == m->algorithm &&
              x->protocol == m->protocol;
    }
    if (!there)
      TS_PUSH(arena, &out->methods, *m);
  }
}

/* The measured sizes of a group, and inferred ones where other groups of the table tell them better
 * than the group does by itself. */
static void add_anchors(ts_arena *arena, ts_network_points *anchors,
                        const ts_network_inference *inferred, const ts_ir_net_point *points,
                        uint32_t first, uint32_t count, double error)
{
  enum { TELLING = 8 }; /* sizes by which a group knows how well it does by itself */
  if (inferred && error > 0 &&
      (count < TELLING || error > ts_network_infer_error(inferred, first, count)))
    ts_network_infer_group(inferred, first, count, anchors);
  else
    for (uint32_t k = first; k < first + count; k++)
      TS_PUSH(arena, anchors, points[k]);
}

ts_network_file *ts_network_fit(ts_arena *arena, const ts_network_file *hardware,
                                ts_fit_links links, const ts_ir_net_point *points,
                                uint32_t count, const ts_progress *progress)
{
  result out = {0};
  ts_network_points anchors = {0};
  const ts_network_inference *inferred = ts_network_infer(arena, hardware, links, points, count);
  double error;
  for (uint32_t i = 0, n; i < count; i += n) {
    n = same_group(points + i, count - i);
    ts_tick_counted(progress, "fitting methods", (double)i / count, "rows", i);
    if (fit_group(arena, &out, hardware, links, points + i, n, &error))
      add_anchors(arena, &anchors, inferred, points, i, n, error);
  }
  fit_spread(arena, &out, hardware, links, points, count);
  add_hardware(arena, &out, hardware);
  ts_network_file *file = TS_NEW(arena, ts_network_file);
  *file = (ts_network_file){
    hardware->device,
    hardware->library,
    out.methods.at,
    (uint32_t)out.methods.count,
    anchors.at,
    (uint32_t)anchors.count,
    hardware->options,
    hardware->option_count,
    NULL,
    0,
    {links.intra, links.inter, hardware->links.intra_latency, hardware->links.inter_latency},
    NULL};
  return file;
}

const ts_white_box_plan *ts_network_file_plan(ts_arena *arena, const ts_network_file *file,
                                              uint32_t kind, const ts_profile *profile)
{
  ts_ir ir = {.net_methods = file->methods,
              .net_methods_count = file->method_count,
              .net_points = file->points,
              .net_points_count = file->point_count};
  ts_ir_net_model model = {.kind = TS_IR_NET_WHITE_BOX,
                           .method_count = file->method_count,
                           .point_count = file->point_count};
  return ts_white_box_prepare(arena, &ir, &model, kind, profile);
}

double ts_network_plan_time(const ts_white_box_plan *plan, uint64_t bytes)
{
  ts_white_box box = ts_white_box_estimate(plan, bytes);
  return (box.connection + box.intra + box.inter + box.reduction) * box.factor * 1e-12;
}

double ts_network_file_time(const ts_network_file *file, uint32_t kind, uint64_t bytes,
                            const ts_profile *profile)
{
  ts_arena *arena = ts_arena_new("a call");
  const ts_white_box_plan *plan = ts_network_file_plan(arena, file, kind, profile);
  double time = plan ? ts_network_plan_time(plan, bytes) : 0;
  ts_arena_free(arena);
  return time;
}

/* -- how well it predicts -- */

/* Rows that a half of a group is asked for; false: beyond its sizes. */
static bool requested(const ts_ir_net_point *p, const ts_ir_net_point *used, uint32_t count,
                      bool extrapolate, ts_network_score *s)
{
  bool beyond = p->bytes < used[0].bytes || p->bytes > used[count - 1].bytes;
  s->beyond += beyond;
  return !beyond || extrapolate;
}

static void note_error(ts_network_score *s, double predicted, double measured, double baseline)
{
  double error = fabs(predicted / measured - 1);
  s->predicted[s->rows] = predicted;
  s->measured[s->rows] = measured;
  s->base_error[s->rows] = baseline;
  s->baseline += baseline;
  s->mean += error;
  s->worst = fmax(s->worst, error);
  s->error[s->rows++] = error;
}

static void finish_score(ts_network_score *s)
{
  if (!s->rows)
    return;
  s->mean /= s->rows;
  s->baseline /= s->rows;
  gsl_sort(s->error, 1, s->rows);
  s->median = s->error[s->rows / 2];
}

static ts_network_score new_score(ts_arena *arena, const ts_ir_net_point *p, uint32_t n)
{
  return (ts_network_score){.collective = p->collective,
                            .ranks = p->ranks,
                            .islands = p->islands,
                            .error = TS_NEW_ARRAY(arena, double, n),
                            .base_error = TS_NEW_ARRAY(arena, double, n),
                            .predicted = TS_NEW_ARRAY(arena, double, n),
                            .measured = TS_NEW_ARRAY(arena, double, n)};
}

/* Every second size of each group, with all its rows. */
typedef struct half {
  bool *keeps; /* of each row */
  ts_ir_net_point *used;
  uint32_t count;
} half;

static uint32_t sizes_of(const ts_ir_net_point *p, uint32_t n)
{
  uint32_t sizes = 1;
  for (uint32_t i = 1; i < n; i++)
    sizes += p[i].bytes != p[i - 1].bytes;
  return sizes;
}

static half halve(ts_arena *arena, const ts_ir_net_point *points, uint32_t count, bool odd)
{
  half h = {TS_NEW_ARRAY(arena, bool, count), TS_NEW_ARRAY(arena, ts_ir_net_point, count), 0};
  for (uint32_t i = 0, n; i < count; i += n) {
    bool keep = !odd;
    n = same_group(points + i, count - i);
    for (uint32_t k = i; k < i + n; k++) {
      keep ^= k > i && points[k].bytes != points[k - 1].bytes;
      h.keeps[k] = keep;
      if (keep)
        h.used[h.count++] = points[k];
    }
  }
  return h;
}

static double line_error(const network_fit_line *l, const ts_ir_net_point *p)
{
  return fabs((l->latency + l->slope * (double)p->bytes) / us(p) - 1);
}

/* What predicts a group's times, in seconds; 0: it cannot. */
typedef double (*predictor)(void *context, const ts_ir_net_point *p);

static void score_group(ts_arena *arena, predictor predict, void *context, const half *h,
                        const ts_ir_net_point *p, const bool *keeps, uint32_t n, uint32_t first,
                        bool extrapolate, ts_network_score *s)
{
  const ts_ir_net_point *used = h->used + first;
  uint32_t count = same_group(used, h->count - first);
  network_fit_line alpha_beta = fit_line(used, count);
  *s = new_score(arena, p, n);
  for (uint32_t i = 0; i < n; i++) {
    double seconds = keeps[i] ? 0 : predict(context, &p[i]);
    if (seconds > 0 && requested(&p[i], used, count, extrapolate, s))
      note_error(s, seconds, us(&p[i]) * 1e-6, line_error(&alpha_beta, &p[i]));
  }
  finish_score(s);
}

static uint32_t score(ts_arena *arena, predictor predict, void *context, const half *h,
                      const ts_ir_net_point *points, uint32_t count, bool extrapolate,
                      ts_network_score **scores)
{
  uint32_t groups = 0, first = 0;
  *scores = TS_NEW_ARRAY(arena, ts_network_score, count + 1);
  for (uint32_t i = 0, n; i < count; i += n) {
    n = same_group(points + i, count - i);
    if (sizes_of(points + i, n) >= 3)
      score_group(arena, predict, context, h, points + i, h->keeps + i, n, first, extrapolate,
                  &(*scores)[groups++]);
    for (uint32_t k = i; k < i + n; k++)
      first += h->keeps[k];
  }
  return groups;
}

/* Plans are made once for each group: rows of one come together. */
typedef struct boxes {
  ts_arena *arena;
  const ts_network_file *file;
  ts_fit_links links;
  const ts_white_box_plan *plan;
  ts_ir_net_point of;
} boxes;

static double predict_by_box(void *context, const ts_ir_net_point *p)
{
  boxes *b = context;
  if (b->of.collective != p->collective || b->of.ranks != p->ranks || b->of.islands != p->islands) {
    ts_profile profile = ts_fit_profile(b->links, p->ranks, p->islands);
    b->plan = ts_network_file_plan(b->arena, b->file, p->collective, &profile);
    b->of = *p;
  }
  return b->plan ? ts_network_plan_time(b->plan, p->bytes) : 0;
}

uint32_t ts_network_hold_out(ts_arena *arena, const ts_network_file *hardware, ts_fit_links links,
                             const ts_ir_net_point *points, uint32_t count, bool odd,
                             bool extrapolate, ts_network_score **scores,
                             const ts_progress *progress)
{
  half h = halve(arena, points, count, odd);
  const ts_network_table *used = ts_network_table_of_points(
    arena, ts_arena_copy(arena, h.used, h.count * sizeof *h.used), h.count);
  boxes b = {.arena = arena,
             .file = ts_network_fit(arena, hardware, links, used->points, used->count, progress),
             .links = links};
  return score(arena, predict_by_box, &b, &h, points, count, extrapolate, scores);
}

typedef struct curves { const ts_ir_net_curve *at; uint32_t count; } curves;

static double predict_by_curve(void *context, const ts_ir_net_point *p)
{
  const curves *c = context;
  return ts_network_curves_time(c->at, c->count, p->collective, p->bytes, p->ranks, p->islands);
}

uint32_t ts_network_hold_out_curves(ts_arena *arena, const ts_ir_net_point *points, uint32_t count,
                                    bool odd, bool extrapolate, ts_network_score **scores)
{
  half h = halve(arena, points, count, odd);
  curves c = {0};
  c.at = ts_network_fit_curves(arena, h.used, h.count, &c.count);
  return score(arena, predict_by_curve, &c, &h, points, count, extrapolate, scores);
}

uint32_t ts_network_residuals(ts_arena *arena, const ts_network_file *hardware, ts_fit_links links,
                              const ts_ir_net_point *points, uint32_t count, bool extrapolate,
                              ts_network_score **scores, ts_network_score *all,
                              const ts_progress *progress)
{
  ts_network_score *half[2];
  uint32_t groups = 0;
  double mean = 0, baseline = 0;
  for (int odd = 0; odd < 2; odd++)
    groups =
      hardware ?
        ts_network_hold_out(arena, hardware, links, points, count, odd, extrapolate, &half[odd],
                            progress) :
        ts_network_hold_out_curves(arena, points, count, odd, extrapolate, &half[odd]);
  *scores = TS_NEW_ARRAY(arena, ts_network_score, groups);
  *all = (ts_network_score){0};
  for (uint32_t g = 0; g < groups; g++) {
    const ts_network_score *a = &half[0][g], *b = &half[1][g];
    ts_network_score s = {.collective = a->collective,
                          .ranks = a->ranks,
                          .islands = a->islands,
                          .rows = a->rows + b->rows,
                          .beyond = a->beyond + b->beyond};
    if (s.rows) {
      s.mean = (a->mean * a->rows + b->mean * b->rows) / s.rows;
      s.baseline = (a->baseline * a->rows + b->baseline * b->rows) / s.rows;
    }
    s.median = 0.5 * (a->median + b->median);
    s.worst = a->worst > b->worst ? a->worst : b->worst;
    all->rows += s.rows, all->beyond += s.beyond;
    mean += s.mean * s.rows, baseline += s.baseline * s.rows;
    (*scores)[g] = s;
  }
  if (all->rows)
    all->mean = mean / all->rows, all->baseline = baseline / all->rows;
  return groups;
}

/* -- as a file -- */

static void put_method(ts_json_writer *w, const ts_ir_net_method *m)
{
  ts_json_line(w, 2);
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "collective", ts_collective_name(m->collective));
  ts_json_put_text(w, "algorithm", ts_ir_algorithm_names[m->algorithm]);
  ts_json_put_text(w, "protocol", ts_ir_protocol_names[m->protocol]);
  for (const ts_network_field *f = ts_network_fields; f->name; f++) {
    double x = ts_network_field_get(f, m);
    bool usual = x == 0 || (!strcmp(f->name, "believed_us") && m->believed == m->connection);
    if (!usual)
      ts_json_put_number(w, f->name, f->kind == 'd' ? "%.5g" : "%.12g", x);
  }
  if (!m->believed && m->connection)
    ts_json_put_count(w, "believed_us", 0);
  if (m->believed_tenths[0]) {
    ts_json_begin(w, "believed_tenths", '[');
    for (size_t i = 0; i < TS_IR_NET_SIZES && m->believed_tenths[i]; i++)
      ts_json_put_count(w, NULL, m->believed_tenths[i]);
    ts_json_end(w, ']');
  }
  ts_json_end(w, '}');
}

static void put_methods(ts_json_writer *w, const ts_ir_net_method *m, uint32_t count)
{
  ts_json_begin(w, "methods", '[');
  for (uint32_t i = 0; i < count; i++)
    put_method(w, &m[i]);
  ts_json_end(w, ']');
}

static void put_curves(ts_json_writer *w, const ts_network_file *file)
{
  ts_json_line(w, 1);
  ts_json_begin(w, "curves", '[');
  for (uint32_t i = 0; i < file->curve_count; i++) {
    const ts_ir_net_curve *c = &file->curves[i];
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "collective", ts_collective_name(c->collective));
    for (const ts_network_field *f = ts_network_curve_fields; f->name; f++)
      if (ts_network_field_get(f, c) != 0)
        ts_json_put_number(w, f->name, f->kind == 'l' || f->kind == 'u' ? "%.12g" : "%.6g",
                           ts_network_field_get(f, c));
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

/* If anything is known of them. */
static void put_links(ts_json_writer *w, const ts_ir_net_links *links)
{
  bool any = false;
  for (const ts_network_field *f = ts_network_links_fields; f->name; f++) {
    double x = ts_network_field_get(f, links);
    if (x == 0)
      continue;
    if (!any) {
      ts_json_line(w, 1);
      ts_json_begin(w, "links", '{');
    }
    ts_json_put_number(w, f->name, "%.12g", x);
    any = true;
  }
  if (any)
    ts_json_end(w, '}');
}

static void put_options(ts_json_writer *w, const ts_network_file *file)
{
  ts_json_line(w, 1);
  ts_json_begin(w, "optional", '[');
  for (uint32_t i = 0; i < file->option_count; i++) {
    const ts_network_option *o = &file->options[i];
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "variable", o->variable);
    put_methods(w, o->methods, o->count);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_anchors(ts_json_writer *w, const ts_network_file *file)
{
  ts_json_line(w, 1);
  ts_json_begin(w, "anchors", '[');
  for (uint32_t i = 0, n; i < file->point_count; i += n) {
    const ts_ir_net_point *p = file->points + i;
    n = same_group(p, file->point_count - i);
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "collective", ts_collective_name(p->collective));
    ts_json_put_count(w, "ranks", p->ranks);
    ts_json_put_count(w, "islands", p->islands);
    ts_json_begin(w, "points", '[');
    for (uint32_t k = 0; k < n; k++) {
      ts_json_begin(w, NULL, '[');
      ts_json_put_count(w, NULL, p[k].bytes);
      ts_json_put_number(w, NULL, "%.6g", us(&p[k]));
      ts_json_end(w, ']');
    }
    ts_json_end(w, ']');
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

void ts_network_file_write(FILE *out, const ts_network_file *file,
                           void (*put_sources)(void *closure, ts_json_writer *w), void *closure)
{
  ts_json_writer writer = {.out = out, .spaced = true}, *w = &writer;
  ts_json_begin(w, NULL, '{');
  ts_json_put_count(w, "trainspec-network", 1);
  ts_json_put_text(w, "device", file->device);
  ts_json_put_text(w, "library", file->library);
  if (put_sources) {
    ts_json_line(w, 1);
    put_sources(closure, w);
  }
  put_links(w, &file->links);
  if (file->curve_count)
    put_curves(w, file);
  if (file->method_count || !file->curve_count) {
    ts_json_line(w, 1);
    put_methods(w, file->methods, file->method_count);
    if (file->option_count)
      put_options(w, file);
    put_anchors(w, file);
  }
  ts_json_end(w, '}');
  ts_json_end_document(w);
}
