/* TorchSim's statistical model of collectives. An all-reduce goes twice through both kinds of
 * links, other collectives once: up and down a tree of islands and the chain of an island for the
 * first, along the chains for the others. */
#include "runtime/collective/statistical.h"

#include <math.h>

#include "base/round.h"
#include "runtime/collective/follow.h"

static double bandwidth(double bytes, double limit, double floor, double slope, double middle)
{
  return limit / (1 + pow(fmax(bytes, 1) / fmax(middle, 1), -slope)) + floor;
}

/* l of equations 8 to 10, with the steps of a collective between islands. */
static double curve_latency(const ts_ir_net_curve *c, const ts_profile *p)
{
  double steps = c->collective == TS_IR_ALL_REDUCE || c->collective == TS_IR_BARRIER ?
                   floor(log2(p->islands)) + 1 :
                 c->collective == TS_IR_ALL_GATHER || c->collective == TS_IR_REDUCE_SCATTER ?
                   p->islands :
                   p->islands - 1.0,
         time = p->per_island > 1 ? (p->per_island - 1.0) * (double)c->intra_latency : 0;
  return (time + (p->islands > 1 ? steps * (double)c->inter_latency : 0)) * 1e-12;
}

static double seconds(double bytes, double rate) { return rate > 0 ? bytes / rate : 0; }

/* Equations 8 to 10 in the paper's words: bytes of a kind of link, and steps between islands. */
double ts_curve_analytic(const ts_ir_net_curve *c, double bytes, const ts_profile *p)
{
  bool reduces = c->collective == TS_IR_ALL_REDUCE || c->collective == TS_IR_BARRIER,
       scatters = c->collective == TS_IR_ALL_GATHER || c->collective == TS_IR_REDUCE_SCATTER;
  double links = (double)p->ranks - p->islands, islands = p->islands,
         /* two ranks: where the paper has no bytes, half of them cross */
    inside = reduces  ? 2 :
             scatters ? fmax((links - 1) / fmax(links, 1), 0.5) :
                        1,
         between = reduces  ? 2 :
                   scatters ? (islands - 1) / islands :
                              1,
         time = 0;
  if (p->per_island > 1)
    time += inside * seconds(bytes, bandwidth(bytes, c->intra_limit, c->intra_floor, c->intra_slope,
                                              c->intra_middle));
  if (p->islands > 1)
    time += between * seconds(bytes, bandwidth(bytes, c->inter_limit, c->inter_floor,
                                               c->inter_slope, c->inter_middle));
  return time + curve_latency(c, p);
}

/* What lies inside what was measured. */
static double within(double x, double least, double most) { return fmin(fmax(x, least), most); }

/* The regressors of equation 11 over the time by curves, so that errors are relative. */
void ts_curve_terms(const ts_ir_net_curve *c, double bytes, const ts_profile *p,
                    double terms[TS_IR_CURVE_WEIGHTS])
{
  double size = within(bytes, (double)c->least, (double)c->most),
         ranks = within(p->ranks, c->least_ranks, c->most_ranks),
         time = ts_curve_analytic(c, size, p), latency = curve_latency(c, p);
  const double of[TS_IR_CURVE_WEIGHTS] = {1,    time,        latency,      ranks,
                                          size, time * size, time * ranks, latency * size};
  for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++)
    terms[k] = time > 0 ? of[k] / time : 0;
}

/* Equation 12: where the regression says nothing of a time, the curves' stays. */
double ts_curve_regression(const ts_ir_net_curve *c, double bytes, const ts_profile *p)
{
  double terms[TS_IR_CURVE_WEIGHTS], factor = 0, most = c->most_factor > 0 ? c->most_factor : 1000;
  ts_curve_terms(c, bytes, p, terms);
  for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++)
    factor += c->weights[k] * terms[k];
  return factor > 0 ? within(factor, 1 / most, most) : 1;
}

/* Equation 13, nowhere more than the most that was measured. */
double ts_curve_stragglers(const ts_ir_net_curve *c, double bytes, uint32_t ranks)
{
  double terms[TS_IR_CURVE_LATE], ratio = 0;
  ts_curve_late_terms(c, bytes, ranks, terms);
  for (int k = 0; k < TS_IR_CURVE_LATE; k++)
    ratio += c->late[k] * terms[k];
  return within(ratio, 1, fmax(c->most_late, 1));
}

void ts_curve_late_terms(const ts_ir_net_curve *c, double bytes, uint32_t ranks,
                         double terms[TS_IR_CURVE_LATE])
{
  double size = log(fmax(within(bytes, (double)c->least, (double)c->most), 1)),
         many = within(ranks, c->least_ranks, c->most_ranks);
  terms[0] = 1, terms[1] = many, terms[2] = size, terms[3] = many * size;
}

/* What was measured between islands holds without curves inside them: it has their part. */
const ts_ir_net_curve *ts_curve_of(const ts_ir_net_curve *curves, uint32_t count, uint32_t kind,
                                   const ts_profile *p)
{
  for (uint32_t i = 0; i < count; i++)
    if (curves[i].collective == kind &&
        (p->islands > 1 ? curves[i].inter_limit > 0 : curves[i].intra_limit > 0))
      return &curves[i];
  return NULL;
}

ts_ir_net_curve ts_curve_on(const ts_ir_net_curve *curve, const ts_ir_net_links *links,
                            const ts_profile *p)
{
  ts_ir_net_curve c = *curve;
  double inside = ts_rate_factor(p->intra, links->intra_links),
         between = ts_rate_factor(p->inter, links->inter_links);
  c.intra_limit *= inside, c.intra_floor *= inside, c.intra_middle *= inside;
  c.inter_limit *= between, c.inter_floor *= between, c.inter_middle *= between;
  c.intra_latency += ts_more_latency(p->intra_latency, links->intra_latency);
  c.inter_latency += ts_more_latency(p->inter_latency, links->inter_latency);
  for (int k = 0; k < TS_IR_CURVE_WEIGHTS; k++) /* those in seconds go with the curves' times */
    if (k == 0 || k == 3 || k == 4)
      c.weights[k] /= p->islands > 1 ? between : inside;
  return c;
}

ts_estimate ts_curve_estimate(const ts_ir_net_curve *c, uint64_t bytes, const ts_profile *p)
{
  double size = (double)bytes, time = ts_curve_analytic(c, size, p) *
                                      ts_curve_regression(c, size, p) *
                                      ts_curve_stragglers(c, size, p->ranks) * 1e12;
  uint64_t ps = ts_round_ps(time), latency = 0;
  /* the part of the hop's latency in what regression and stragglers have made of the whole */
  if (c->collective == TS_IR_MESSAGE)
    latency =
      ts_round_ps(time * fmin(1, (double)(p->islands > 1 ? c->inter_latency : c->intra_latency) *
                                   1e-12 / ts_curve_analytic(c, size, p)));
  return (ts_estimate){.time = ps,
                       .transfer = ps,
                       .latency = latency,
                       .beyond = bytes < c->least || bytes > c->most || p->ranks < c->least_ranks ||
                                 p->ranks > c->most_ranks};
}
