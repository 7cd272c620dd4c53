/* What a library does with algorithms: Hu et al., "Demystifying NCCL" (2025), and the library's own
 * tuning. Steps and volumes are the algorithms' (algorithm.h). */
#include "runtime/collective/white_box.h"

#include <math.h>

#include "base/order.h"
#include "base/round.h"
#include "runtime/collective/algorithm.h"
#include "runtime/collective/follow.h"

/* whatever the algorithm */
static bool one_hop(uint32_t kind) { return kind == TS_IR_MESSAGE || kind == TS_IR_SHIFT; }

void ts_method_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra, double *inter)
{
  if (one_hop(m->collective)) {
    *inter = p->islands > 1;
    *intra = 1 - *inter;
  } else {
    ts_algorithm_of(m->algorithm)->steps(m, p, intra, inter);
  }
}

void ts_method_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra, double *inter)
{
  const ts_algorithm *by = ts_algorithm_of(m->algorithm);
  *intra = *inter = ts_ring_volume(m->collective, p->ranks);
  if (one_hop(m->collective)) {
    *intra = 1;
    *inter = p->per_island; /* one rank's links carry it, of all of the island's */
  } else if (by->volumes) {
    by->volumes(m, p, intra, inter);
  }
  *inter *= p->islands > 1;
  *intra *= p->per_island > 1;
}

/* NCCL's tuning takes half of the bus bandwidth for chains of any length (src/graph/tuning.cc): it
 * does not know that the last rank passes nothing on. Its constants, which hold for any ranks, are
 * chosen by that. */
static double believed_volume(const ts_ir_net_method *m, const ts_profile *p, double intra)
{
  bool chain = ts_algorithm_of(m->algorithm)->chain && !m->ranks && intra > 0;
  return chain ? intra / ts_chain_share(p) : intra;
}

static double channels_of(const ts_ir_net_method *m, const ts_profile *p)
{
  double lanes = m->lanes * p->per_island;
  return p->islands > 1 && lanes > 0 && lanes < m->channels ? fmax(1, floor(lanes)) : m->channels;
}

/* Bytes that all channels carry in one round of steps. */
static double round_bytes(const ts_ir_net_method *m, const ts_profile *p)
{
  ts_algorithm_chunks chunks = ts_algorithm_of(m->algorithm)->chunks;
  double parts = chunks == TS_CHUNK_A_RANK     ? p->ranks :
                 chunks == TS_CHUNK_A_MEMBER ? p->per_island :
                                                 1;
  return m->chunk * channels_of(m, p) * parts;
}

/* Bytes that each thread is to have (NCCL, src/enqueue.cc). */
static double bytes_a_thread(const ts_ir_net_method *m, uint32_t ranks)
{
  static const double of_protocol[TS_IR_NET_PROTOCOLS] = {8, 8, 64};
  bool ring = m->protocol == TS_IR_NET_LL && ts_algorithm_of(m->algorithm)->rounds;
  return of_protocol[m->protocol] * (ring ? ranks : 1);
}

/* Small messages use fewer channels: each of them, and each of its threads, is to have some bytes.
 * What an all-reduce moves counts twice. */
static double channels_used(const ts_ir_net_method *m, const ts_profile *p, double bytes)
{
  double traffic = m->collective == TS_IR_ALL_REDUCE ? 2 : 1,
         each = fmax(m->threads * bytes_a_thread(m, p->ranks),
                     p->islands > 1 ? m->deal / traffic : 0);
  return fmin(fmax(1, floor(bytes / each)), channels_of(m, p));
}

/* Then fewer threads. */
static void shrink(ts_white_box *box, double bytes, const ts_profile *p)
{
  const ts_ir_net_method *m = box->method;
  double least = bytes_a_thread(m, p->ranks);
  box->channels = (uint32_t)channels_used(m, p, bytes);
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

static const ts_ir_net_links not_known;

static double ps_per_byte(double volume, double rate)
{
  return rate > 0 ? volume / rate * 1e12 : 0;
}

/* A method for a profile: what its parts take for each round and each byte, in ps. */
typedef struct way {
  const ts_ir_net_method *method;
  double connection, believed;    /* a call */
  /* what the library takes for steps, and for a byte, where that is not what they take */
  bool misjudged;
  double believed_hops, believed_pace;
  double believed_more;           /* else: a byte, in chains */
  double intra_hops, inter_hops;  /* a round */
  /* bytes of a round; 0: all bytes go in one, or rounds run into one another */
  double round;
  double intra, inter, reduction; /* a byte */
  double adding;                  /* a byte, meanwhile */
  /* the first bytes, and what more one of them takes on its way through a tree between islands */
  double first, filling;
  /* processors that pass on words: ps a byte of one, and those of separate ranks; bytes of a
   * channel that a tree takes whole through its steps, and the volume of the others */
  double lane, processors, chunk, whole_steps, volume;
  ts_profile profile;
} way;

/* What links between islands carry of a volume, seen as an island's all together. Rings leave by
 * all of them; of pairs and shifts the slowest rank or cut counts. */
static double links_between(const ts_ir_net_method *m, const ts_profile *p, double volume)
{
  if (m->collective == TS_IR_ALL_TO_ALL && p->islands > 1)
    return volume * ts_profile_pairs(p);
  return m->collective == TS_IR_SHIFT && p->islands > 1 ? volume * ts_profile_shift(p) : p->inter;
}

/* The rate that was measured, on links faster than those it was measured on; constants for any
 * ranks know the shares they reach and the library's own bounds. */
static double measured_rate(const ts_ir_net_method *m, double rate, double links,
                            double measured_on)
{
  return m->ranks ? rate * fmax(1, ts_rate_factor(links, measured_on)) : rate;
}

/* Trees between islands: the first chunk of each channel is passed on whole at every step, before
 * others follow it closely. Half of the channels are of each tree, so half of the bytes pass a
 * link. A switch takes one step up and one down. */
static void white_box_fill(way *w, const ts_profile *p, double inside, double between)
{
  const ts_ir_net_method *m = w->method;
  double intra, inter;
  if (p->islands < 2 || m->collective != TS_IR_ALL_REDUCE || !ts_algorithm_of(m->algorithm)->tree)
    return;
  ts_method_steps(m, p, &intra, &inter);
  intra += ts_algorithm_of(m->algorithm)->more_inside;
  w->first = round_bytes(m, p);
  w->filling = 0.5 * (ps_per_byte(intra, inside) + ps_per_byte(inter, between));
}

/* Between islands the library's tuning has its own steps and rates, of no fabric in particular. */
static void believe(way *w, const ts_profile *p, double intra_pace, double volume)
{
  const ts_ir_net_method *m = w->method;
  double intra, inter;
  if (p->islands < 2 || m->believed_share <= 0)
    return;
  ts_method_steps(m, p, &intra, &inter);
  w->misjudged = true;
  w->believed_hops = intra * (double)m->believed_intra_hop + inter * (double)m->believed_inter_hop;
  w->believed_pace =
    fmax(intra_pace,
         ps_per_byte(volume, rate_of(m->believed_rate, m->believed_share, p->inter)));
}

/* Words with flags: a rank's processor looks at each before it sends them on. */
static void pass_on(way *w, const ts_profile *p, double volume)
{
  const ts_ir_net_method *m = w->method;
  double intra;
  if (p->islands < 2 || m->lane_rate <= 0)
    return;
  w->lane = 1e12 / m->lane_rate;
  w->processors = fmin(channels_of(m, p), p->per_island);
  w->volume = volume;
  w->profile = *p;
  if (m->algorithm == TS_IR_NET_TREE) {
    ts_method_steps(m, p, &intra, &w->whole_steps);
    w->chunk = m->chunk;
  }
}

/* A tree's first chunks go whole from step to step; what follows them, and rings, keep all
 * processors busy at a time. */
static double lanes_of(const way *w, double bytes)
{
  if (w->lane <= 0)
    return 0;
  double used = channels_used(w->method, &w->profile, bytes), first = fmin(bytes, w->chunk * used);
  return w->lane * (w->whole_steps * first / used +
                    w->volume * (bytes - first) / fmin(used, w->processors));
}

/* What a rank's processors add up, as a part of the bytes: its mean over ranks is the same for
 * rings, trees and chains. Switches leave them what comes from other islands. They add at their
 * rate inside an island. */
static double added(const ts_ir_net_method *m, const ts_profile *p)
{
  double ranks = p->ranks, inside = p->per_island;
  if (!ts_adds(m->collective))
    return 0;
  if (m->algorithm == TS_IR_NET_ONE_SHOT)
    return ranks - 1;
  return ts_algorithm_of(m->algorithm)->switches ? (p->islands - 1.0) / p->islands / inside :
                                                   (ranks - 1) / ranks;
}

/* A method moves its volume through both kinds of links at once: the slower one counts. `counts`:
 * the links that its figures hold for. */
static way way_of(const ts_ir_net_method *m, const ts_profile *p, const ts_ir_net_links *counts)
{
  way w = {.method = m, .connection = (double)m->connection, .believed = (double)m->believed};
  double intra, inter, near, far;
  ts_method_steps(m, p, &intra, &inter);
  ts_method_volumes(m, p, &near, &far);
  double most_inside = measured_rate(m, m->intra_rate, p->intra, counts->intra_links),
         most_between = measured_rate(m, m->inter_rate, p->inter, counts->inter_links);
  double between = rate_of(most_between, m->inter_share, links_between(m, p, far)),
         inside = rate_of(most_inside, m->intra_share, p->intra);
  w.intra_hops =
    intra * (double)(m->intra_hop + ts_more_latency(p->intra_latency, counts->intra_latency));
  w.inter_hops =
    inter * (double)(m->inter_hop + ts_more_latency(p->inter_latency, counts->inter_latency));
  /* over a fabric the steps of one chunk hide behind the bytes of others */
  w.round = ts_algorithm_of(m->algorithm)->rounds && m->chunk > 0 && m->believed_share <= 0 ?
              round_bytes(m, p) :
              0;
  if (p->islands > 2 && m->spread > 0)
    between *= pow(p->islands / 2.0, -m->spread);
  if (p->islands > 2 && m->branching > 0)
    between *= m->branching;
  pass_on(&w, p, far);
  if (w.lane <= 0)
    white_box_fill(&w, p, inside, between);
  double believed = ps_per_byte(believed_volume(m, p, near), inside);
  near = ps_per_byte(near, inside);
  believe(&w, p, believed, far);
  far = w.lane > 0 ? 0 : ps_per_byte(far, between);
  *(near >= far ? &w.intra : &w.inter) = fmax(near, far);
  w.believed_more = fmax(believed, far) - fmax(near, far);
  double own = rate_of(most_inside, m->intra_share, p->per_island > 1 ? p->intra : p->inter);
  w.reduction = m->reduction + ps_per_byte(m->local / p->ranks, own);
  /* one rank an island: 6.4 ps a byte, as Moye's table 5 has it of 256 MB over 32 H800 */
  w.adding = w.reduction > 0 ? 0 : ps_per_byte(added(m, p), p->per_island > 1 ? own : 156e9);
  return w;
}

static double rounds_of(const way *w, double bytes)
{
  return w->round > 0 && bytes > w->round ? ceil(bytes / w->round) : 1;
}

static double filling_of(const way *w, double bytes) { return fmin(bytes, w->first) * w->filling; }

/* All but the connection. */
static double white_box_work_of(const way *w, double bytes)
{
  return rounds_of(w, bytes) * (w->intra_hops + w->inter_hops) + filling_of(w, bytes) +
         lanes_of(w, bytes) + bytes * (w->intra + w->inter + w->reduction);
}

static bool beyond(const ts_ir_net_method *m, double bytes)
{
  return m->most && (bytes < (double)m->least || bytes > (double)m->most);
}

static ts_white_box box_of(const way *w, uint64_t size, const ts_profile *p)
{
  const ts_ir_net_method *m = w->method;
  double bytes = (double)size, latencies = rounds_of(w, bytes);
  ts_white_box box = {.method = m,
                      .rounds = 1,
                      .connection = w->connection,
                      .factor = 1,
                      .beyond = beyond(m, bytes)};
  shrink(&box, bytes, p);
  if (m->chunk > 0)
    box.rounds = fmax(1, ceil(bytes / round_bytes(m, p)));
  box.intra = latencies * w->intra_hops + bytes * w->intra;
  box.inter = latencies * w->inter_hops + bytes * w->inter + filling_of(w, bytes) +
              lanes_of(w, bytes);
  box.reduction = bytes * w->reduction;
  double inside = bytes * w->intra, between = box.inter - latencies * w->inter_hops;
  box.adding_inside = inside >= between;
  box.adding = fmin(bytes * w->adding, fmax(inside, between));
  return box;
}

ts_white_box ts_white_box_method(const ts_ir_net_method *m, uint64_t bytes, const ts_profile *p)
{
  way w = way_of(m, p, &not_known);
  return box_of(&w, bytes, p);
}

bool ts_method_possible(const ts_ir_net_method *m, const ts_profile *p)
{
  const ts_algorithm *by = ts_algorithm_of(m->algorithm);
  return p->islands >= m->least_islands && (!by->possible || by->possible(m->collective, p));
}

struct ts_white_box_plan {
  ts_profile profile;
  ts_ir_net_links counts;
  uint32_t way_count, anchor_count;
  way *ways;
  /* there are anchors of this collective, but none for these ranks nor for fewer and more */
  bool unmeasured;
  uint64_t *bytes;                /* of the anchors, and */
  double *log_bytes, *residual;   /* log of measured / modelled there */
};

/* Methods for these ranks and islands if there are any (and `own` ones are wanted), or those for
 * all. */
static uint32_t ways_for(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind,
                         const ts_profile *p, const ts_profile *rates,
                         const ts_ir_net_links *counts, bool own_too, way *ways)
{
  uint32_t count = 0;
  bool special = false;
  for (uint32_t i = 0; i < model->method_count; i++) {
    const ts_ir_net_method *m = &ir->net_methods[model->first_method + i];
    bool own = own_too && m->ranks == p->ranks && m->islands == p->islands;
    if (m->collective != kind || (m->ranks ? !own : special) || !ts_method_possible(m, p))
      continue;
    if (own && !special)
      count = 0;
    special |= own;
    ways[count++] = way_of(m, rates, counts);
  }
  return count;
}

/* The share of a rate that the library believes in at this size. */
static double believed_part(const ts_ir_net_method *m, double bytes)
{
  const double first = 64;
  size_t i = bytes > first ? (size_t)fmin(log2(bytes / first), TS_IR_NET_SIZES - 1) : 0;
  while (i && !m->believed_tenths[i])
    i--;
  return m->believed_tenths[i] ? m->believed_tenths[i] / 10.0 : 1;
}

static double believed_of(const way *w, double bytes)
{
  return w->believed + (w->misjudged ? w->believed_hops + bytes * w->believed_pace /
                                                            believed_part(w->method, bytes) :
                                       white_box_work_of(w, bytes) + bytes * w->believed_more);
}

/* The library believes that the chosen one is the fastest, of those that were measured at such
 * sizes if any was. */
static const way *white_box_choose(const way *ways, uint32_t count, double bytes)
{
  const way *best = NULL;
  double least = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    bool outside = beyond(ways[i].method, bytes),
         worse = best && outside && !beyond(best->method, bytes),
         better = best && !outside && beyond(best->method, bytes);
    double believed = believed_of(&ways[i], bytes);
    if (!best || better || (!worse && believed < least)) {
      best = &ways[i];
      least = believed;
    }
  }
  return best;
}

static int order(const ts_ir_net_point *a, uint32_t kind, const ts_profile *p)
{
  uint32_t left[] = {a->collective, a->ranks, a->islands}, right[] = {kind, p->ranks, p->islands};
  for (int i = 0; i < 3; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

static double residual_of(const way *ways, uint32_t count, const ts_ir_net_point *at)
{
  const way *w = white_box_choose(ways, count, (double)at->bytes);
  double time = w->connection + white_box_work_of(w, (double)at->bytes);
  return time > 0 ? log((double)at->time / time) : 0;
}

/* Measured over other ranks: as many in each island but other islands, or one island of other
 * ranks. `size` is what differs. */
typedef struct kin {
  const ts_ir_net_point *points;
  uint32_t count;
  double size;
  double *residual;
} kin;

static bool is_kin(const ts_ir_net_point *a, uint32_t kind, const ts_profile *p)
{
  bool one = p->islands == 1;
  return a->collective == kind &&
         (one ? a->islands == 1 :
                a->islands > 1 && a->ranks == (uint64_t)a->islands * p->per_island &&
                  p->ranks == p->islands * p->per_island);
}

static double residual_at(const kin *k, double bytes)
{
  uint32_t i = 0;
  while (i < k->count && (double)k->points[i].bytes < bytes)
    i++;
  if (i == k->count || !i || (double)k->points[i].bytes == bytes)
    return k->residual[i == k->count ? i - 1 : i];
  double left = log((double)k->points[i - 1].bytes),
         share = (log(bytes) - left) / (log((double)k->points[i].bytes) - left);
  return k->residual[i - 1] + share * (k->residual[i] - k->residual[i - 1]);
}

/* What the methods for any ranks miss over the kin's ranks. */
static kin kin_of(ts_arena *arena, const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind,
                  const ts_profile *p, const ts_ir_net_point *points, uint32_t count)
{
  kin k = {points, count, log(p->islands == 1 ? points->ranks : points->islands),
           TS_NEW_ARRAY(arena, double, count)};
  ts_profile profile = *p;
  profile.ranks = points->ranks;
  profile.islands = points->islands;
  profile.per_island = points->ranks / points->islands;
  profile.pairs = profile.shift = 0; /* of other ranks */
  way *ways = TS_NEW_ARRAY(arena, way, model->method_count);
  if (model->links.intra_links > 0 && profile.intra > 0) /* where they were measured */
    profile.intra = model->links.intra_links;
  if (model->links.inter_links > 0 && profile.inter > 0)
    profile.inter = model->links.inter_links;
  uint32_t ways_count = ways_for(ir, model, kind, &profile, &profile, &not_known, false, ways);
  for (uint32_t i = 0; ways_count && i < count; i++)
    k.residual[i] = residual_of(ways, ways_count, &points[i]);
  return k;
}

static uint32_t kins_of(ts_arena *arena, const ts_ir *ir, const ts_ir_net_model *model,
                        uint32_t kind, const ts_profile *p, kin *all)
{
  const ts_ir_net_point *points = ir->net_points + model->first_point;
  uint32_t found = 0;
  for (uint32_t i = 0, n; i < model->point_count; i += n) {
    for (n = 1; i + n < model->point_count && points[i + n].collective == points[i].collective &&
                points[i + n].ranks == points[i].ranks &&
                points[i + n].islands == points[i].islands;)
      n++;
    if (is_kin(&points[i], kind, p))
      all[found++] = kin_of(arena, ir, model, kind, p, points + i, n);
  }
  return found; /* by ranks, as the points are */
}

static void add_anchor(ts_white_box_plan *plan, uint64_t bytes, double residual)
{
  plan->bytes[plan->anchor_count] = bytes;
  plan->log_bytes[plan->anchor_count] = log((double)bytes);
  plan->residual[plan->anchor_count++] = residual;
}

/* These ranks were not measured: the error of the methods is taken to change linearly in the
 * logarithm of ranks or islands, from the two measured next to them; beyond the last, the last
 * one's error holds. Between islands one
 * number of them is enough: its error counts less in proportion to how many times as many or as
 * few there are. */
static void take_kin(ts_arena *arena, ts_white_box_plan *plan, const ts_ir *ir,
                     const ts_ir_net_model *model, uint32_t kind)
{
  const ts_profile *p = &plan->profile;
  kin *all = TS_NEW_ARRAY(arena, kin, model->point_count);
  uint32_t count = kins_of(arena, ir, model, kind, p, all), right = 1;
  double size = log(p->islands == 1 ? p->ranks : p->islands);
  if (count < (p->islands > 1 ? 1 : 2))
    return;
  while (right + 1 < count && all[right].size < size)
    right++;
  const kin *a = &all[right - 1], *b = count > 1 ? &all[right] : a;
  double share = b > a ? (size - a->size) / (b->size - a->size) : -1;
  plan->unmeasured = share < 0 || share > 1;
  share = fmin(fmax(share, 0), 1);
  double damp = b > a ? 1 : exp(-fabs(size - a->size));
  plan->bytes = TS_NEW_ARRAY(arena, uint64_t, a->count + b->count);
  plan->log_bytes = TS_NEW_ARRAY(arena, double, a->count + b->count);
  plan->residual = TS_NEW_ARRAY(arena, double, a->count + b->count);
  for (uint32_t i = 0, k = 0; i < a->count || k < b->count;) {
    bool left = k == b->count || (i < a->count && a->points[i].bytes <= b->points[k].bytes);
    uint64_t bytes = left ? a->points[i].bytes : b->points[k].bytes;
    double near = damp * residual_at(a, (double)bytes), far = damp * residual_at(b, (double)bytes);
    add_anchor(plan, bytes, near + share * (far - near));
    i += i < a->count && a->points[i].bytes == bytes;
    k += k < b->count && b->points[k].bytes == bytes;
  }
}

static bool has_own(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind,
                    const ts_profile *p)
{
  for (uint32_t i = 0; i < model->method_count; i++) {
    const ts_ir_net_method *m = &ir->net_methods[model->first_method + i];
    if (m->collective == kind && m->ranks == p->ranks && m->islands == p->islands)
      return true;
  }
  return false;
}

/* The ways as they were where anchors were measured: at the rates that methods state, on links of
 * any rate. The library chose by what it believed of the links there. */
static uint32_t ways_there(ts_arena *arena, const ts_white_box_plan *plan, const ts_ir *ir,
                           const ts_ir_net_model *model, uint32_t kind, way *ways)
{
  ts_profile there = plan->profile, links = there;
  way *chosen = TS_NEW_ARRAY(arena, way, model->method_count);
  there.intra = there.intra > 0 ? INFINITY : 0;
  there.inter = there.inter > 0 ? INFINITY : 0;
  there.pairs = there.shift = 0;
  links.intra =
    links.intra > 0 && plan->counts.intra_links > 0 ? plan->counts.intra_links : links.intra;
  links.inter =
    links.inter > 0 && plan->counts.inter_links > 0 ? plan->counts.inter_links : links.inter;
  uint32_t count = ways_for(ir, model, kind, &plan->profile, &there, &not_known, true, ways);
  ways_for(ir, model, kind, &plan->profile, &links, &not_known, true, chosen);
  for (uint32_t i = 0; i < count; i++)
    ways[i].believed_pace = chosen[i].believed_pace;
  return count;
}

/* Anchors are measured: the model is led through them. They were measured where the methods were,
 * at the rates that these state, however slow the links are here; methods for any ranks state no
 * rates, and answer as they do elsewhere. */
static void take_anchors(ts_arena *arena, ts_white_box_plan *plan, const ts_ir *ir,
                         const ts_ir_net_model *model, uint32_t kind)
{
  if (!model->point_count)
    return;
  const ts_ir_net_point *points = ir->net_points + model->first_point;
  uint32_t first = 0, end;
  while (first < model->point_count && order(&points[first], kind, &plan->profile) < 0)
    first++;
  for (end = first; end < model->point_count && !order(&points[end], kind, &plan->profile);)
    end++;
  for (uint32_t i = 0; i < model->point_count && first == end; i++)
    plan->unmeasured |= points[i].collective == kind;
  if (first == end) {
    take_kin(arena, plan, ir, model, kind);
    return;
  }
  plan->bytes = TS_NEW_ARRAY(arena, uint64_t, end - first);
  plan->log_bytes = TS_NEW_ARRAY(arena, double, end - first);
  plan->residual = TS_NEW_ARRAY(arena, double, end - first);
  if (!has_own(ir, model, kind, &plan->profile)) {
    kin k = kin_of(arena, ir, model, kind, &plan->profile, points + first, end - first);
    for (uint32_t i = first; i < end; i++)
      add_anchor(plan, points[i].bytes, k.residual[i - first]);
    return;
  }
  way *ways = TS_NEW_ARRAY(arena, way, model->method_count);
  uint32_t count = ways_there(arena, plan, ir, model, kind, ways);
  for (uint32_t i = first; i < end; i++)
    add_anchor(plan, points[i].bytes, residual_of(ways, count, &points[i]));
}

const ts_white_box_plan *ts_white_box_prepare(ts_arena *arena, const ts_ir *ir,
                                              const ts_ir_net_model *model, uint32_t kind,
                                              const ts_profile *p)
{
  ts_white_box_plan *plan = TS_NEW(arena, ts_white_box_plan);
  plan->profile = *p;
  plan->counts = model->links;
  plan->ways = TS_NEW_ARRAY(arena, way, model->method_count);
  plan->way_count = ways_for(ir, model, kind, p, p, &plan->counts, true, plan->ways);
  if (!plan->way_count)
    return NULL;
  take_anchors(arena, plan, ir, model, kind);
  return plan;
}

/* The model's error between two anchors is taken to change linearly in log bytes; beyond the last
 * it stays. */
static double correction(const ts_white_box_plan *plan, uint64_t bytes)
{
  uint32_t at;
  TS_SEARCH(at, 0, plan->anchor_count, plan->bytes[at] < bytes);
  if (at == plan->anchor_count)
    return exp(plan->residual[at - 1]);
  if (!at || plan->bytes[at] == bytes)
    return exp(plan->residual[at]);
  double share = (log((double)bytes) - plan->log_bytes[at - 1]) /
                 (plan->log_bytes[at] - plan->log_bytes[at - 1]);
  return exp(plan->residual[at - 1] + share * (plan->residual[at] - plan->residual[at - 1]));
}

ts_white_box ts_white_box_estimate(const ts_white_box_plan *plan, uint64_t bytes)
{
  ts_white_box box =
    box_of(white_box_choose(plan->ways, plan->way_count, (double)bytes), bytes, &plan->profile);
  box.beyond |= plan->unmeasured;
  if (plan->anchor_count && bytes)
    box.factor = correction(plan, bytes);
  return box;
}

ts_white_box ts_white_box_grouped(const ts_white_box_plan *plan, uint64_t bytes, uint32_t calls)
{
  ts_white_box box = ts_white_box_estimate(plan, calls * bytes);
  way w = way_of(box.method, &plan->profile, &plan->counts);
  double more = ts_algorithm_of(box.method->algorithm)->rounds ? calls - 1.0 : 0;
  box.intra += more * w.intra_hops;
  box.inter += more * w.inter_hops;
  return box;
}

ts_estimate ts_white_box_parts(const ts_white_box *box)
{
  ts_estimate e = {.base = ts_round_ps(box->connection * box->factor),
                   .intra = ts_round_ps(box->intra * box->factor),
                   .inter = ts_round_ps(box->inter * box->factor),
                   .reduction = ts_round_ps(box->reduction * box->factor)};
  uint64_t *from = box->adding_inside ? &e.intra : &e.inter,
           adding = ts_round_ps(box->adding * box->factor);
  adding = adding < *from ? adding : *from;
  *from -= adding;
  e.reduction += adding;
  e.transfer = e.intra + e.inter + e.reduction;
  e.time = e.base + e.transfer;
  return e;
}

ts_estimate ts_white_box_time(const ts_white_box_plan *plan, uint64_t bytes)
{
  ts_white_box box = ts_white_box_estimate(plan, bytes);
  ts_estimate e = ts_white_box_parts(&box);
  e.beyond = box.beyond;
  e.switches_reduce = ts_algorithm_of(box.method->algorithm)->switches;
  if (box.method->collective == TS_IR_MESSAGE)
    e.latency = ts_round_ps(
      (double)(plan->profile.islands > 1 ? box.method->inter_hop : box.method->intra_hop) *
      box.factor);
  return e;
}
