#include "runtime/collective/follow.h"

static double pace(double rate) { return rate > 0 ? 1 / rate : 0; }

ts_link_figures ts_links_as_they_are(const ts_profile *p)
{
  return (ts_link_figures){pace(p->intra), pace(p->inter), (double)p->intra_latency,
                           (double)p->inter_latency};
}

/* Constants of a library say which share of the links they reach, those fitted which rate they
 * reached. */
static bool has_shares(const ts_ir *ir, const ts_ir_net_model *m, bool inter)
{
  for (uint32_t i = 0; i < m->method_count; i++) {
    const ts_ir_net_method *x = &ir->net_methods[m->first_method + i];
    if ((inter ? x->inter_share : x->intra_share) > 0)
      return true;
  }
  return false;
}

ts_link_figures ts_links_as_seen(const ts_ir *ir, const ts_ir_net_model *m, const ts_profile *p)
{
  ts_link_figures seen = ts_links_as_they_are(p);
  const ts_ir_net_links *counts = &m->links;
  bool box = m->kind == TS_IR_NET_WHITE_BOX;
  if (m->kind == TS_IR_NET_FLOW || m->kind == TS_IR_NET_PACKET || m->kind == TS_IR_NET_ALPHA_BETA)
    return seen;
  if (!(counts->intra_links > 0) && !(box && has_shares(ir, m, false)))
    seen.intra_pace = 0;
  if (!(counts->inter_links > 0) && !(box && has_shares(ir, m, true)))
    seen.inter_pace = 0;
  bool steps = m->kind != TS_IR_NET_TABLE; /* a table has times, not steps */
  seen.intra_latency = steps ? (double)ts_more_latency(p->intra_latency, counts->intra_latency) : 0;
  seen.inter_latency = steps ? (double)ts_more_latency(p->inter_latency, counts->inter_latency) : 0;
  return seen;
}
