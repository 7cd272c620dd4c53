/* Roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): the larger of work over the rate of
 * arithmetic and bytes over the rate of memory. Efficiency saturates as w / (w + half), so the time
 * of w is (w + half) / (rate * efficiency): a start-up cost in units of work. */
#include <math.h>
#include <string.h>

#include "cost/source.h"

static double saturating(double work, double half, double rate)
{
  return work > 0 ? (work + half) / rate : 0;
}

const ts_peak *ts_roofline_peak(const ts_roofline *r, const char *dtype)
{
  for (uint32_t i = 0; i < r->peak_count && dtype; i++)
    if (strcmp(r->peak[i].dtype, dtype) == 0)
      return &r->peak[i];
  return NULL;
}

bool ts_roofline_ask(const ts_roofline *r, const ts_cost_query *query, ts_cost_answer *answer)
{
  const ts_peak *peak = ts_roofline_peak(r, query->dtype);
  if (query->flops > 0 && (!peak || !(peak->flops * r->flops_efficiency > 0)))
    return false;
  if (query->bytes > 0 && !(r->bandwidth * r->bytes_efficiency > 0))
    return false;
  double arithmetic = query->flops > 0 ?
                        saturating(query->flops, r->flops_half, peak->flops * r->flops_efficiency) :
                        0;
  double memory = query->bytes > 0 ?
                    saturating(query->bytes, r->bytes_half, r->bandwidth * r->bytes_efficiency) :
                    0;
  *answer =
    (ts_cost_answer){.seconds = fmax(arithmetic, memory) + r->floor, .basis = TS_COST_ROOFLINE};
  return true;
}
