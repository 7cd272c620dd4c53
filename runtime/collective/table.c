/* Measured calls. What a message takes without bytes, on the line through its two shortest measured
 * sizes, is taken for latency, the rest occupies its sender. Inside the measured range of bytes the
 * time is interpolated linearly in log bytes and log time; above it the bus bandwidth of the
 * largest point holds, below it the time of the smallest. Ranks and islands must have been measured
 * as they are. */
#include <math.h>

#include "base/order.h"
#include "base/round.h"
#include "runtime/collective/follow.h"
#include "runtime/collective/table.h"

static int order(const ts_ir_net_point *point, uint32_t kind, const ts_profile *p)
{
  if (point->collective != kind)
    return point->collective < kind ? -1 : 1;
  if (point->ranks != p->ranks)
    return point->ranks < p->ranks ? -1 : 1;
  if (point->islands != p->islands)
    return point->islands < p->islands ? -1 : 1;
  return 0;
}

/* First point that is not before (kind, profile) and, where it is of these, has at least `bytes`.
 * */
static uint32_t lower_bound(const ts_ir_net_point *points, uint32_t count, uint32_t kind,
                            const ts_profile *p, uint64_t bytes)
{
  uint32_t at;
  int o;
  TS_SEARCH(at, 0, count,
            (o = order(&points[at], kind, p)) < 0 || (o == 0 && points[at].bytes < bytes));
  return at;
}

static double between(const ts_ir_net_point *a, const ts_ir_net_point *b, uint64_t bytes)
{
  if (!a->bytes || !a->time || !b->time)
    return (double)b->time;
  double share = log((double)bytes / (double)a->bytes) / log((double)b->bytes / (double)a->bytes);
  return exp(log((double)a->time) + share * log((double)b->time / (double)a->time));
}

bool ts_table_has(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, const ts_profile *p)
{
  uint32_t at = lower_bound(ir->net_points + model->first_point, model->point_count, kind, p, 0);
  return at < model->point_count && order(&ir->net_points[model->first_point + at], kind, p) == 0;
}

/* `first`: the shortest of the kind and profile. With a single size nothing separates latency from
 * bandwidth: then all of it occupies. */
static uint64_t latency(const ts_ir_net_model *model, const ts_ir_net_point *points, uint32_t first,
                        uint32_t kind, const ts_profile *p, uint64_t most)
{
  const ts_ir_net_point *a = &points[first], *b = a + 1;
  if (kind != TS_IR_MESSAGE || first + 1 >= model->point_count || order(b, kind, p) ||
      b->bytes <= a->bytes || b->time < a->time)
    return 0;
  double at_none = (double)a->time -
                   (double)a->bytes * (double)(b->time - a->time) / (double)(b->bytes - a->bytes);
  uint64_t ps = at_none > 0 ? ts_round_ps(at_none) : 0;
  return ps < most ? ps : most;
}

/* What goes with the rate of the links: all but the least time of the group's points, which is
 * latency. `at`: one of them. */
static double on_these_links(const ts_ir_net_links *links, const ts_ir_net_point *points,
                             uint32_t at, double time, const ts_profile *p)
{
  double factor = p->islands > 1 ? ts_rate_factor(p->inter, links->inter_links) :
                                   ts_rate_factor(p->intra, links->intra_links);
  uint32_t first = at;
  if (factor == 1)
    return time;
  while (first && order(&points[first - 1], points[at].collective, p) == 0)
    first--;
  double lower = fmin((double)points[first].time, time);
  return lower + (time - lower) / factor;
}

ts_estimate ts_table_estimate(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind,
                              uint64_t bytes, const ts_profile *p)
{
  const ts_ir_net_point *points = ir->net_points + model->first_point;
  uint32_t at = lower_bound(points, model->point_count, kind, p, bytes);
  bool below = at < model->point_count && order(&points[at], kind, p) == 0;
  bool above = at > 0 && order(&points[at - 1], kind, p) == 0;
  double time;
  if (below && points[at].bytes == bytes)
    time = (double)points[at].time;
  else if (below && above)
    time = between(&points[at - 1], &points[at], bytes);
  else if (below)
    time = (double)points[at].time;
  else
    time = (double)points[at - 1].time *
           ((double)bytes / (double)(points[at - 1].bytes ? points[at - 1].bytes : 1));
  time = on_these_links(&model->links, points, at - !below, time, p);
  uint64_t ps = ts_round_ps(time);
  uint32_t first = lower_bound(points, model->point_count, kind, p, 0);
  return (ts_estimate){.time = ps,
                       .transfer = ps,
                       .latency = latency(model, points, first, kind, p, ps),
                       .beyond = !below || (!above && points[at].bytes != bytes)};
}
