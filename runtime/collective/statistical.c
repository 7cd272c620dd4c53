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

static double seconds(double bytes, double rate) { return rate > 0 ? bytes / rate : 0; }

double ts_curve_analytic(const ts_ir_net_curve *c, double bytes, const ts_profile *p)
{
  bool reduces = c->collective == TS_IR_ALL_REDUCE || c->collective == TS_IR_BARRIER;
  double times = reduces ? 2 : 1,
         steps = p->islands < 2 ? 0 :
                 reduces        ? floor(log2(p->islands)) + 1 :
                                  p->islands - 1.0,
         time = 0;
  if (p->per_island > 1)
    time += times * seconds(bytes, bandwidth(bytes, c->intra_limit, c->intra_floor, c->intra_slope,
                                             c->intra_middle)) +
            (p->per_island - 1.0) * (double)c->intra_latency * 1e-12;
  if (p->islands > 1)
    time += times * seconds(bytes, bandwidth(bytes, c->inter_limit, c->inter_floor, c->inter_slope,
                                             c->inter_middle)) +
            steps * (double)c->inter_latency * 1e-12;
  return time;
}

static double between(double x, double least, double most)
{
  return most > least ? fmin(fmax(log(x / least) / log(most / least), 0), 1) : 0;
}

void ts_curve_place(const ts_ir_net_curve *c, double bytes, uint32_t ranks, double *size,
                    double *group)
{
  *size = between(fmax(bytes, 1), (double)c->least, (double)c->most);
  *group = between(ranks, c->least_ranks, c->most_ranks);
}

double ts_curve_correction(const ts_ir_net_curve *c, double bytes, uint32_t ranks)
{
  double x, n;
  ts_curve_place(c, bytes, ranks, &x, &n);
  double few = pow(c->small_few, 1 - x) * pow(c->large_few, x),
         many = pow(c->small_many, 1 - x) * pow(c->large_many, x);
  return pow(few, 1 - n) * pow(many, n);
}

double ts_curve_stragglers(const ts_ir_net_curve *c, double bytes, uint32_t ranks)
{
  double most_bytes = c->most ? fmin(bytes, (double)c->most) : bytes;
  uint32_t most_ranks = c->most_ranks && ranks > c->most_ranks ? c->most_ranks : ranks;
  return 1 + c->straggler + c->straggler_slope * most_ranks * log(fmax(most_bytes, 1));
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
  return c;
}

ts_estimate ts_curve_estimate(const ts_ir_net_curve *c, uint64_t bytes, const ts_profile *p)
{
  double size = (double)bytes, time = ts_curve_analytic(c, size, p) *
                                      ts_curve_correction(c, size, p->ranks) *
                                      ts_curve_stragglers(c, size, p->ranks) * 1e12;
  uint64_t ps = ts_round_ps(time), latency = 0;
  /* the part of the hop's latency in what correction and stragglers have made of the whole */
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
