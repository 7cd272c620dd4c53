/* Steps and volumes: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH" (2005), for rings; Sanders,
 * Speck and Träff, "Two-tree algorithms" (2009), for trees; Klenk et al., "An in-network architecture for accelerating shared-memory
 * multiprocessor collectives" (ISCA 2020), for switches. What a library does with them: Hu et al., "Demystifying NCCL" (2025), and the library's own tuning. */
#include "runtime/collective/white_box.h"

#include <math.h>

#include "runtime/collective/network_internal.h"

static bool halves(uint32_t kind) { return kind == TS_IR_ALL_GATHER || kind == TS_IR_REDUCE_SCATTER; }

static double log2_of(uint32_t n) { return n > 1 ? floor(log2((double)n)) : 0; }

void ts_method_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra, double *inter)
{
  double islands = p->islands, ranks = p->ranks, ring = ts_ring_steps(m->collective, p->ranks);
  if (m->collective == TS_IR_MESSAGE || m->collective == TS_IR_SHIFT) { /* one hop, whatever the algorithm */
    *inter = p->islands > 1;
    *intra = 1 - *inter;
    return;
  }
  switch (m->algorithm) {
  case TS_IR_NET_RING:
    *inter = p->islands > 1 ? (m->collective == TS_IR_ALL_REDUCE || m->collective == TS_IR_BARRIER ? 2 : 1) * (islands - 1) : 0;
    *intra = ring - *inter;
    break;
  case TS_IR_NET_TREE: /* up and down: a chain in the island, a binary tree between islands */
    *intra = (halves(m->collective) ? 1 : 2) * ((double)p->per_island - 1);
    *inter = (halves(m->collective) ? 1 : 2) * log2_of(p->islands);
    break;
  case TS_IR_NET_SWITCH:
    *intra = 1;
    *inter = 0;
    break;
  case TS_IR_NET_SWITCH_TREE:
    *intra = 1;
    *inter = 2 * log2_of(p->islands);
    break;
  default:
    *intra = (double)p->per_island - 1;
    *inter = ranks - (double)p->per_island;
  }
}

double ts_method_volume(const ts_ir_net_method *m, const ts_profile *p)
{
  double ranks = p->ranks;
  if (m->collective == TS_IR_MESSAGE || m->collective == TS_IR_SHIFT)
    return 1;
  switch (m->algorithm) {
  case TS_IR_NET_TREE:
    return halves(m->collective) ? 1 : 2;
  case TS_IR_NET_SWITCH: case TS_IR_NET_SWITCH_TREE: /* all-reduce: the switch reads all ranks' data and hands the sums back */
    return m->collective == TS_IR_ALL_REDUCE ? 1 + 1 / (double)p->per_island : 1;
  case TS_IR_NET_PAIRS:
    return (ranks - 1) / ranks;
  default:
    return ts_ring_volume(m->collective, p->ranks);
  }
}

/* Bytes that all channels carry in one round of steps. */
static double round_bytes(const ts_ir_net_method *m, const ts_profile *p)
{
  double parts = m->algorithm == TS_IR_NET_RING ? p->ranks : m->algorithm == TS_IR_NET_SWITCH ? p->per_island : 1;
  return m->chunk * m->channels * parts;
}

/* Small messages use fewer channels, then fewer threads: each thread is to have some bytes (NCCL, src/enqueue.cc). */
static void shrink(ts_white_box *box, double bytes, const ts_profile *p)
{
  static const double bytes_a_thread[TS_IR_NET_PROTOCOLS] = {8, 8, 64};
  const ts_ir_net_method *m = box->method;
  double least = bytes_a_thread[m->protocol];
  if (m->protocol == TS_IR_NET_LL && m->algorithm == TS_IR_NET_RING)
    least *= p->ranks;
  double wanted = floor(bytes / (m->threads * least));
  box->channels = wanted >= m->channels ? m->channels : wanted < 1 ? 1 : (uint32_t)wanted;
  box->threads = m->threads;
  while (box->channels == 1 && bytes < box->threads * least && box->threads % 128 == 0)
    box->threads /= 2;
}

/* Bytes/s, 0: nothing bounds it. */
static double rate_of(double bound, double share, double links)
{
  double rate = share * links;
  return bound > 0 && (rate == 0 || bound < rate) ? bound : rate;
}

static double picoseconds(double bytes, double rate) { return rate > 0 ? bytes / rate * 1e12 : 0; }

/* A ring or tree moves its volume through both kinds of links at once; pairs move a part through each. */
static void transfer(ts_white_box *box, double bytes, const ts_profile *p)
{
  const ts_ir_net_method *m = box->method;
  double volume = ts_method_volume(m, p) * bytes, near = volume, far = p->islands > 1 ? volume : 0;
  if (m->algorithm == TS_IR_NET_SWITCH_TREE) /* between islands it is like any tree or ring */
    far = ts_ring_volume(m->collective, p->ranks) * bytes;
  if (m->collective == TS_IR_ALL_TO_ALL && m->algorithm == TS_IR_NET_PAIRS && p->islands > 1) {
    near = volume * (p->per_island - 1.0) / (p->ranks - 1.0);
    far = (volume - near) * p->per_island;
  } else if (p->per_island < 2) {
    near = 0;
  }
  double between = rate_of(m->inter_rate, m->inter_share, p->inter);
  if (p->islands > 2 && m->spread > 0)
    between *= pow(p->islands / 2.0, -m->spread);
  double inside = picoseconds(near, rate_of(m->intra_rate, m->intra_share, p->intra)), outside = picoseconds(far, between);
  *(inside >= outside ? &box->intra : &box->inter) += fmax(inside, outside);
}

ts_white_box ts_white_box_method(const ts_ir_net_method *m, uint64_t size, const ts_profile *p)
{
  ts_white_box box = {.method = m, .rounds = 1, .connection = (double)m->connection, .factor = 1};
  double bytes = (double)size, intra, inter;
  shrink(&box, bytes, p);
  ts_method_steps(m, p, &intra, &inter);
  if (m->chunk > 0)
    box.rounds = fmax(1, ceil(bytes / round_bytes(m, p)));
  double latencies = m->algorithm == TS_IR_NET_RING ? box.rounds : 1; /* rounds of the others run into one another */
  box.intra = latencies * intra * (double)m->intra_hop;
  box.inter = latencies * inter * (double)m->inter_hop;
  transfer(&box, bytes, p);
  box.reduction = m->reduction * bytes + picoseconds(m->local * bytes / p->ranks, rate_of(m->intra_rate, m->intra_share, p->per_island > 1 ? p->intra : p->inter));
  box.beyond = m->most && (size < m->least || size > m->most);
  return box;
}

static double sum(const ts_white_box *box) { return box->connection + box->intra + box->inter + box->reduction; }

/* A switch reduces for the ranks on it; the tree between such islands needs several. */
bool ts_method_possible(const ts_ir_net_method *m, const ts_profile *p)
{
  return m->algorithm == TS_IR_NET_SWITCH ? p->islands == 1 : m->algorithm != TS_IR_NET_SWITCH_TREE || p->islands > 1;
}

/* Methods for these ranks and islands if there are any, or those for all; NULL: none. The library believes that the chosen one is the fastest. */
static bool choose(const ts_ir_net_method *methods, uint32_t count, uint32_t kind, uint64_t bytes, const ts_profile *p, ts_white_box *best)
{
  bool found = false, special = false;
  double least = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ts_ir_net_method *m = &methods[i];
    bool own = m->ranks == p->ranks && m->islands == p->islands;
    if (m->collective != kind || (m->ranks ? !own : special) || !ts_method_possible(m, p))
      continue;
    ts_white_box box = ts_white_box_method(m, bytes, p);
    double believed = sum(&box) - box.connection + (double)m->believed;
    if (!found || (own && !special) || believed < least) {
      *best = box;
      least = believed;
    }
    found = true;
    special |= own;
  }
  return found;
}

static int order(const ts_ir_net_point *a, uint32_t kind, const ts_profile *p)
{
  uint32_t left[] = {a->collective, a->ranks, a->islands}, right[] = {kind, p->ranks, p->islands};
  for (int i = 0; i < 3; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

/* Anchors were measured where the methods were: at the rates these state, however slow the links here are. */
static double residual(const ts_ir_net_method *methods, uint32_t count, const ts_ir_net_point *at, const ts_profile *p)
{
  ts_white_box box;
  ts_profile there = *p;
  there.intra = p->intra > 0 ? INFINITY : 0;
  there.inter = p->inter > 0 ? INFINITY : 0;
  return choose(methods, count, at->collective, at->bytes, &there, &box) && sum(&box) > 0 ? log((double)at->time / sum(&box)) : 0;
}

/* Anchors are measured: the model is led through them, its error between two of them is taken to change linearly in log bytes. */
static double correction(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *p)
{
  const ts_ir_net_point *points = ir->net_points + model->first_point;
  const ts_ir_net_method *methods = ir->net_methods + model->first_method;
  uint32_t low = 0, high = model->point_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int o = order(&points[middle], kind, p);
    if (o < 0 || (o == 0 && points[middle].bytes < bytes))
      low = middle + 1;
    else
      high = middle;
  }
  const ts_ir_net_point *above = low < model->point_count && order(&points[low], kind, p) == 0 ? &points[low] : NULL;
  const ts_ir_net_point *below = low > 0 && order(&points[low - 1], kind, p) == 0 ? &points[low - 1] : NULL;
  if (!above && !below)
    return 1;
  if (!above || !below || above->bytes == bytes)
    return exp(residual(methods, model->method_count, above ? above : below, p));
  double share = log((double)bytes / (double)below->bytes) / log((double)above->bytes / (double)below->bytes);
  double left = residual(methods, model->method_count, below, p), right = residual(methods, model->method_count, above, p);
  return exp(left + share * (right - left));
}

bool ts_white_box_estimate(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *p, ts_white_box *box)
{
  if (!choose(ir->net_methods + model->first_method, model->method_count, kind, bytes, p, box))
    return false;
  if (model->point_count && bytes)
    box->factor = correction(ir, model, kind, bytes, p);
  return true;
}

static uint64_t limited(double ps) { return ps < 4e18 ? (uint64_t)llround(ps) : UINT64_C(4000000000000000000); }

bool ts_white_box_time(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *p, ts_estimate *e)
{
  ts_white_box box;
  if (!ts_white_box_estimate(ir, model, kind, bytes, p, &box))
    return false;
  *e = (ts_estimate){.base = limited(box.connection * box.factor), .intra = limited(box.intra * box.factor), .inter = limited(box.inter * box.factor),
                     .reduction = limited(box.reduction * box.factor)};
  e->transfer = e->intra + e->inter + e->reduction;
  e->time = e->base + e->transfer;
  return true;
}
