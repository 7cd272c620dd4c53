/* Latency and bandwidth (Hockney, "The communication challenge for MPP", 1994), with a ring's steps and volume:
 *   time = base + hop * steps + volume / (efficiency * bandwidth * x / (x + half_bytes))
 * A ring that passes m islands of k members enters and leaves each by the links of all its members, so its bandwidth is that of the slower of
 * two: a member's links inside the island, or an island's links to the next, together. Worked: 1 GiB all-reduce over 16 ranks
 * in 2 islands, 8 x 25 GB/s between them, 300 GB/s inside: 2 * 15/16 * 1.0737e9 / 200e9 = 10.07 ms. */
#include <math.h>

#include "base/round.h"
#include "runtime/collective/network_internal.h"

static double bottleneck(const ts_profile *p)
{
  if (p->inter == 0 || (p->intra != 0 && p->intra < p->inter))
    return p->intra;
  return p->inter;
}

ts_estimate ts_alpha_beta(const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *p)
{
  double bandwidth = model->efficiency * bottleneck(p);
  if (model->half_bytes > 0 && bytes)
    bandwidth *= (double)bytes / ((double)bytes + model->half_bytes);
  double volume = ts_ring_volume(kind, p->ranks) * (double)bytes;
  double transfer = volume > 0 && bandwidth > 0 ? volume / bandwidth * 1e12 : 0;
  ts_estimate e = {.base = model->base, .steps = model->hop * ts_ring_steps(kind, p->ranks)};
  e.transfer = ts_round_ps(transfer);
  e.time = e.base + e.steps + e.transfer;
  return e;
}
