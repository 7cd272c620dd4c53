/* The constants of a fabric, applied to the methods that a library has for a generation of GPUs. */
#include "compiler/machine/network_fabric.h"

#include <math.h>
#include <stddef.h>

const ts_fabric ts_fabric_usual = {.share = 0.92,
                                   .hop = 10,
                                   .chunks = 1,
                                   .pairs_share = 0.85,
                                   .pairs_hop = 3,
                                   .inside_hop = 1,
                                   .switch_hop = 1,
                                   .inside_share = 1,
                                   .line_hop = 3,
                                   .chunk_hop = 2,
                                   .ring_hop = 3,
                                   .word_share = 0.02,
                                   .line_share = 0.8,
                                   .tree_spread = 0.08,
                                   .switch_share = 0.95,
                                   .words = 1,
                                   .lines = 1,
                                   .switches = 1};

#define FIELD(name, field) {name, 'd', offsetof(ts_fabric, field), 1}
const ts_network_field ts_fabric_fields[] = {FIELD("share", share),
                                             FIELD("hop_us", hop),
                                             FIELD("chunks", chunks),
                                             FIELD("pairs_share", pairs_share),
                                             FIELD("pairs_hop_us", pairs_hop),
                                             FIELD("inside_hop", inside_hop),
                                             FIELD("switch_hop", switch_hop),
                                             FIELD("inside_share", inside_share),
                                             FIELD("line_hop", line_hop),
                                             FIELD("chunk_hop", chunk_hop),
                                             FIELD("ring_hop", ring_hop),
                                             FIELD("word_share", word_share),
                                             FIELD("line_share", line_share),
                                             FIELD("tree_spread", tree_spread),
                                             FIELD("switch_share", switch_share),
                                             FIELD("ll", words),
                                             FIELD("ll128", lines),
                                             FIELD("nvls", switches),
                                             {NULL, 0, 0, 0}};
#undef FIELD

const char *ts_fabric_wrong(const ts_fabric *f)
{
  double shares[] = {f->share, f->pairs_share, f->word_share, f->line_share, f->switch_share},
         factors[] = {f->chunks,   f->inside_hop, f->switch_hop, f->inside_share,
                      f->line_hop, f->chunk_hop,  f->ring_hop};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    if (!(shares[i] >= 1e-3 && shares[i] <= 1))
      return "a share is from 0.001 to 1";
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (!(factors[i] <= 1000))
      return "a factor above 1000";
  if (f->hop > 5e4 / (1 + f->line_hop + f->chunk_hop + f->ring_hop) || f->pairs_hop > 5e4)
    return "a step of more than 50 ms";
  return f->tree_spread > 2 ? "`tree_spread` above 2" : NULL;
}

static uint64_t ps(double us) { return (uint64_t)llround(us * 1e6); }

static bool in_use(const ts_fabric *f, const ts_ir_net_method *m)
{
  return (m->protocol != TS_IR_NET_LL || f->words > 0) &&
         (m->protocol != TS_IR_NET_LL128 || f->lines > 0) &&
         (m->algorithm != TS_IR_NET_SWITCH_TREE || f->switches > 0);
}

/* A collective whose only way is not in use keeps it. */
static bool is_kept(const ts_fabric *f, const ts_network_file *file, const ts_ir_net_method *m)
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

static double hops_of(const ts_fabric *f, const ts_ir_net_method *m)
{
  static const size_t by_protocol[] = {0, offsetof(ts_fabric, line_hop),
                                       offsetof(ts_fabric, chunk_hop)};
  if (m->protocol == TS_IR_NET_LL)
    return 1;
  if (m->protocol == TS_IR_NET_SIMPLE && m->algorithm == TS_IR_NET_RING)
    return f->ring_hop;
  return *(const double *)(const void *)((const char *)f + by_protocol[m->protocol]);
}

static double share_of(const ts_fabric *f, const ts_ir_net_method *m)
{
  double share = m->collective == TS_IR_ALL_TO_ALL ? f->pairs_share : f->share;
  return m->protocol == TS_IR_NET_LL    ? share * f->word_share :
         m->protocol == TS_IR_NET_LL128 ? share * f->line_share :
                                          share;
}

static void apply(const ts_fabric *f, ts_ir_net_method *m)
{
  m->believed = m->connection; /* the fastest is taken: the library's belief knows no fabric */
  m->inter_hop = ps(m->collective == TS_IR_ALL_TO_ALL ? f->pairs_hop : f->hop * hops_of(f, m));
  m->intra_hop = (uint64_t)llround(
    (double)m->intra_hop *
    (m->algorithm == TS_IR_NET_SWITCH_TREE ? f->switch_hop : f->inside_hop));
  m->inter_share = share_of(f, m);
  m->inter_rate = 0;
  m->local = 0; /* the NICs are slower than a GPU's own copies */
  m->spread = m->algorithm == TS_IR_NET_TREE ? f->tree_spread : 0;
  if (m->algorithm == TS_IR_NET_SWITCH_TREE)
    m->intra_share *= f->switch_share * f->inside_share;
  if (m->algorithm == TS_IR_NET_RING)
    m->chunk = 0; /* the steps of one chunk hide behind the bytes of others */
  else
    m->chunk *= f->chunks;
}

void ts_fabric_apply(ts_arena *arena, const ts_fabric *fabric, ts_network_file *file)
{
  ts_ir_net_method *methods = TS_NEW_ARRAY(arena, ts_ir_net_method, file->method_count + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < file->method_count; i++)
    if (is_kept(fabric, file, &file->methods[i])) {
      methods[count] = file->methods[i];
      apply(fabric, &methods[count++]);
    }
  file->methods = methods;
  file->method_count = count;
  file->points = NULL;
  file->point_count = 0;
}
