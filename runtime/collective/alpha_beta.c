/* Latency and bandwidth (Hockney, "The communication challenge for MPP", 1994):
 *   time = base + latency of the steps + volume / (efficiency * bandwidth * x / (x + half_bytes))
 * A step takes `hop` inside an island and `inter_hop` between islands, and the latency of the links
 * that it goes over.
 *
 * A ring of N ranks that passes M islands goes N-1 steps, M-1 of them between islands; an
 * all-reduce goes twice as many. It enters and leaves each island by the links of all its members,
 * so its bandwidth is that of the slower of two: a member's links inside the island, or an island's
 * links to the next, together. Worked: 1 GiB all-reduce over 16 ranks in 2 islands, 8 x 25 GB/s
 * between them, 300 GB/s inside: 2 * 15/16 * 1.0737e9 / 200e9 = 10.07 ms.
 *
 * An all-reduce may be done by trees instead, whichever is faster: a chain in the island and two
 * binary trees between islands, up and down, each with half of the bytes (doc/networks.md). Chains
 * begin at another member in each channel, so that each passes on 2(K-1)/K of the bytes inside.
 * Over two islands, what one tree sends up the other sends down: each direction carries the bytes
 * once.
 * By dimensions (hierarchical) an all-reduce, all-gather or reduce-scatter of M islands of K takes
 * 2(K-1) or K-1 steps inside and 2(M-1) or M-1 between. Each rank passes on 2(K-1)/K of the bytes
 * inside, and the ranks of an island together 2(M-1)/M of them to the next. Chunks follow each
 * other through the dimensions, so that the slower one counts (Cho et al., "BlueConnect: decomposing
 * all-reduce for deep learning on heterogeneous network hierarchy", MLSys 2019).
 *
 * In an all-to-all of K ranks an island (K-1)/N of a rank's bytes stay inside and the rest goes
 * through its own links out; what is for one island is put together, a message each. A shift waits
 * for the rank with the slowest links. */
#include <math.h>

#include "base/round.h"
#include "ir/spelling.h"
#include "runtime/collective/algorithm.h"
#include "runtime/collective/alpha_beta.h"
#include "runtime/collective/white_box.h"

/* ps of latency; seconds for each byte of the call */
typedef struct plan { double steps, seconds; } plan;

static double over(double volume, double rate)
{
  return volume > 0 && rate > 0 ? volume / rate : 0;
}

/* Steps and volumes of an algorithm (algorithm.h), inside islands and between them at once. Steps
 * of a ring take the mean latency of its links, others the longest. */
static plan done_by(uint32_t algorithm, const ts_ir_net_model *m, uint32_t kind,
                    const ts_profile *p)
{
  const ts_ir_net_method way = {.collective = kind, .algorithm = algorithm};
  bool ring = algorithm == TS_IR_NET_RING;
  double inside, between, near, far;
  ts_method_steps(&way, p, &inside, &between);
  ts_method_volumes(&way, p, &near, &far);
  double steps = inside * (double)(m->hop + (ring ? p->intra_step : p->intra_latency)) +
                 between * (double)(m->inter_hop + (ring ? p->inter_step : p->inter_latency));
  double seconds = fmax(over(near, p->intra), over(far, p->inter));
  return (plan){steps, kind == TS_IR_BARRIER ? 0 : seconds};
}

static plan pairs(const ts_ir_net_model *m, const ts_profile *p)
{
  double latency = (double)(p->islands > 1 ? p->inter_latency : p->intra_latency);
  double steps =
    (p->per_island - 1.0) * (double)m->hop + (p->islands - 1.0) * (double)m->inter_hop + latency;
  return (plan){
    steps, fmax(over((p->per_island - 1.0) / p->ranks, p->intra), over(1, ts_profile_pairs(p)))};
}

static plan one_step(const ts_ir_net_model *m, const ts_profile *p)
{
  double step = p->islands > 1 ? (double)(m->inter_hop + p->inter_latency) :
                                 (double)(m->hop + p->intra_latency);
  return (plan){step, over(1, ts_profile_shift(p))};
}

static ts_estimate estimate(const ts_ir_net_model *m, uint64_t bytes, plan at)
{
  double ramp = m->half_bytes > 0 && bytes ? ((double)bytes + m->half_bytes) / (double)bytes : 1;
  ts_estimate e = {.base = m->base, .steps = ts_round_ps(at.steps)};
  e.transfer = ts_round_ps(at.seconds * (double)bytes * ramp / m->efficiency * 1e12);
  e.time = e.base + e.steps + e.transfer;
  return e;
}

uint32_t ts_alpha_beta_by(const ts_ir_net_model *m, uint32_t kind, const ts_profile *p)
{
  if (!ts_is_whole(kind) && !ts_is_half(kind))
    return TS_IR_NET_RING;
  if (m->algorithm == TS_IR_NONE)
    return ts_is_whole(kind) && p->islands > 1 ? TS_IR_NONE : TS_IR_NET_RING;
  const ts_algorithm *stated = ts_algorithm_of(m->algorithm);
  uint32_t by = m->algorithm;
  if (ts_ir_algorithm_of_links(by, TS_IR_NET_FLOW)) /* as flows do it */
    by = ts_algorithm_of_shape(ts_is_whole(kind) ? stated->whole : stated->half);
  const ts_algorithm *a = ts_algorithm_of(by);
  return a->possible && !a->possible(kind, p) ? TS_IR_NET_RING : by;
}

ts_estimate ts_alpha_beta(const ts_ir_net_model *m, uint32_t kind, uint64_t bytes,
                          const ts_profile *p)
{
  if (kind == TS_IR_ALL_TO_ALL)
    return estimate(m, bytes, pairs(m, p));
  if (kind == TS_IR_SHIFT || kind == TS_IR_MESSAGE)
    return estimate(m, bytes, one_step(m, p));
  uint32_t by = ts_alpha_beta_by(m, kind, p);
  if (by != TS_IR_NONE)
    return estimate(m, bytes, done_by(by, m, kind, p));
  ts_estimate ring = estimate(m, bytes, done_by(TS_IR_NET_RING, m, kind, p)),
              tree = estimate(m, bytes, done_by(TS_IR_NET_TREE, m, kind, p));
  return tree.time < ring.time ? tree : ring;
}
