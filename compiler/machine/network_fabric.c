/* The constants of a fabric, applied to the methods that a library has for a generation of GPUs. */
#include "compiler/machine/network_fabric.h"

#include <math.h>
#include <stddef.h>

#define FIELD(name, field) {name, 'd', offsetof(ts_fabric, field), 1}
const ts_network_field ts_fabric_fields[] = {FIELD("share", share),
                                             FIELD("hop_us", hop),
                                             FIELD("chunks", chunks),
                                             FIELD("pairs_share", pairs_share),
                                             FIELD("pairs_hop_us", pairs_hop),
                                             FIELD("inside_hop", inside_hop),
                                             FIELD("switch_hop", switch_hop),
                                             FIELD("inside_share", inside_share),
                                             FIELD("line_hop_us", line_hop),
                                             FIELD("tree_hop_us", tree_hop),
                                             FIELD("ring_hop_us", ring_hop),
                                             FIELD("word_gb_s", word_rate),
                                             FIELD("lanes", lanes),
                                             FIELD("trees_from", trees_from),
                                             FIELD("deal", deal),
                                             FIELD("line_share", line_share),
                                             FIELD("tree_share", tree_share),
                                             FIELD("switch_share", switch_share),
                                             FIELD("ll", words),
                                             FIELD("ll128", lines),
                                             FIELD("nvls", switches),
                                             {NULL, 0, 0, 0}};
#undef FIELD

const char *ts_fabric_wrong(const ts_fabric *f)
{
  const double shares[] = {f->share, f->pairs_share, f->line_share, f->switch_share,
                           f->tree_share},
               factors[] = {f->chunks, f->inside_hop, f->switch_hop, f->inside_share, f->lanes},
               steps[] = {f->hop, f->line_hop, f->tree_hop, f->ring_hop, f->pairs_hop},
               switches[] = {f->words, f->lines, f->switches};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    if (!(shares[i] >= 1e-3 && shares[i] <= 1))
      return "a share is from 0.001 to 1";
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (!(factors[i] > 0 && factors[i] <= 1000))
      return "a factor, or `lanes`, is above 0, up to 1000";
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i] > 5e4)
      return "a step of more than 50 ms";
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    if (switches[i] != 0 && switches[i] != 1)
      return "`ll`, `ll128` and `nvls` are 0 or 1";
  if (f->trees_from < 2 || f->trees_from > 1e6 || f->trees_from != floor(f->trees_from))
    return "`trees_from` is a number of islands, 2 or more";
  if (f->deal != 0 && (f->deal < 1 || f->deal > 1e12))
    return "`deal` is a number of bytes, or 0";
  return f->word_rate < 1e-5 || f->word_rate > 1e5 ? "`word_gb_s` is from 0.00001 to 100000" : NULL;
}

static uint64_t ps(double us) { return (uint64_t)llround(us * 1e6); }

static bool in_use(const ts_fabric *f, const ts_ir_net_method *m)
{
  return (m->protocol != TS_IR_NET_LL || f->words > 0) &&
         (m->protocol != TS_IR_NET_LL128 || f->lines > 0) &&
         (m->algorithm != TS_IR_NET_SWITCH_TREE || f->switches > 0);
}

/* A collective whose only way is not in use keeps it. */
static bool is_retained(const ts_fabric *f, const ts_network_file *file, const ts_ir_net_method *m)
{
  if (m->ranks)
    return false;
  if (in_use(f, m))
    return true;
  for (uint32_t i = 0; i < file->method_count; i++) {
    const ts_ir_net_method *x = &file->methods[i];
    if (!x->ranks && x->collective == m->collective && in_use(f, x))
      return false;
  }
  return true;
}

static double hop_of(const ts_fabric *f, const ts_ir_net_method *m)
{
  return m->collective == TS_IR_ALL_TO_ALL     ? f->pairs_hop :
         m->protocol == TS_IR_NET_LL           ? f->hop :
         m->algorithm == TS_IR_NET_RING        ? f->ring_hop :
         m->protocol == TS_IR_NET_LL128        ? f->line_hop :
                                                 f->tree_hop;
}

static double network_fabric_share_of(const ts_fabric *f, const ts_ir_net_method *m)
{
  double share = m->collective == TS_IR_ALL_TO_ALL ? f->pairs_share : f->share;
  return m->protocol == TS_IR_NET_LL128 ? share * f->line_share : share;
}

/* The library chooses by its own constants, whatever the fabric is. */
static void believe(ts_ir_net_method *m)
{
  m->believed_intra_hop = m->believed_intra_hop ? m->believed_intra_hop : m->intra_hop;
  m->believed_inter_hop = m->believed_inter_hop ? m->believed_inter_hop : m->inter_hop;
  if (m->algorithm == TS_IR_NET_PAIRS) /* there is no other way */
    return;
  m->believed_share = m->inter_share;
  m->believed_rate = m->inter_rate;
}

static void network_fabric_apply(const ts_fabric *f, ts_ir_net_method *m)
{
  believe(m);
  m->inter_hop = ps(hop_of(f, m));
  m->intra_hop = (uint64_t)llround(
    (double)m->intra_hop *
    (m->algorithm == TS_IR_NET_SWITCH_TREE ? f->switch_hop : f->inside_hop));
  m->inter_share = network_fabric_share_of(f, m);
  m->lanes = m->algorithm == TS_IR_NET_PAIRS ? 0 : f->lanes;
  m->lane_rate = m->protocol == TS_IR_NET_LL ? f->word_rate * 1e9 : 0;
  m->deal = f->deal;
  m->least_islands = m->algorithm == TS_IR_NET_TREE ? (uint32_t)f->trees_from : 0;
  m->inter_rate = 0;
  m->local = 0; /* the NICs are slower than a GPU's own copies, which hide behind them */
  m->spread = 0;
  m->branching = m->algorithm == TS_IR_NET_TREE ? f->tree_share : 0;
  if (m->algorithm == TS_IR_NET_SWITCH_TREE)
    m->intra_share *= f->switch_share * f->inside_share;
  if (m->algorithm != TS_IR_NET_RING) /* the library's: its rings' steps hide behind other chunks */
    m->chunk *= f->chunks;
}

void ts_fabric_apply(ts_arena *arena, const ts_fabric *fabric, ts_network_file *file)
{
  ts_ir_net_method *methods = TS_NEW_ARRAY(arena, ts_ir_net_method, file->method_count + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < file->method_count; i++)
    if (is_retained(fabric, file, &file->methods[i])) {
      methods[count] = file->methods[i];
      network_fabric_apply(fabric, &methods[count++]);
    }
  file->methods = methods;
  file->method_count = count;
  file->points = NULL;
  file->point_count = 0;
}
