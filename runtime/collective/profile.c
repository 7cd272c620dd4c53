/* Group profiles. Members are arranged as a ring runs through them: island by island, in rank order
 * inside one. Lanes of the ring run side by side from island to island, as many as there are
 * members, so that a rail-optimised ring uses every member's link out of the island; between
 * islands of different sizes each member takes the same share. All instances of a group communicate
 * at the same time in a training step, so a link that carries the flows of several of them is
 * shared among these; equal paths are used side by side. */
#include "runtime/collective/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "runtime/collective/network_internal.h"

/* the ring inside islands and between them; shifts, in rank order */
typedef enum way { INSIDE, ACROSS, PASSED_ON, WAYS } way;

typedef struct flow { /* between two members */
  uint64_t latency;
  double part;        /* of what the instance sends this way that goes between these two */
  uint32_t tier, way;
  uint32_t from, to;  /* members of their islands */
  uint32_t first, count; /* into prober.links */
} flow;

typedef struct ring { /* of an instance */
  uint32_t first, count; /* flows */
  uint32_t islands, per_island;
} ring;

typedef struct prober {
  ts_network *network;
  /* [vertices] of the island that the vertex leads: its number in the instance, plus 1 */
  uint32_t *island_number;
  /* [size] vertices island by island, and in rank order; number of each one's island */
  uint32_t *member, *unsorted, *number;
  uint32_t *first;          /* [size + 1] members of each island */
  flow *flows;              /* four for each rank at most */
  uint32_t flow_count;
  ts_path_shares links;
  ts_arena *scratch;
  /* [2 * links] what goes over each link and direction, of all instances */
  double *load[WAYS];
} prober;

/* Counting sort of the members by island, islands in the order in which they appear. Returns how
 * many. */
static uint32_t group_by_island(prober *p, uint32_t size)
{
  const ts_link_graph *graph = p->network->graph;
  uint32_t islands = 0;
  for (uint32_t j = 0; j < size; j++) {
    uint32_t *number = &p->island_number[ts_graph_island(graph, p->unsorted[j])];
    if (!*number) {
      *number = ++islands;
      p->first[islands] = 0;
    }
    p->number[j] = *number - 1;
    p->first[*number]++;
  }
  p->first[0] = 0;
  for (uint32_t i = 0; i < islands; i++)
    p->first[i + 1] += p->first[i];
  for (uint32_t j = size; j-- > 0;) {
    p->island_number[ts_graph_island(graph, p->unsorted[j])] = 0;
    p->member[--p->first[p->number[j] + 1]] = p->unsorted[j];
  }
  for (uint32_t i = 0; i < islands; i++) /* each bound has moved down to the begin of its island */
    p->first[i] = p->first[i + 1];
  p->first[islands] = size;
  return islands;
}

static int add_flow(prober *p, uint32_t from, uint32_t to, way way, double part, ts_stop *stop)
{
  if (from == to)
    return 0;
  ts_path path;
  if (!ts_graph_path(p->network->graph, from, to, &path))
    return ts_network_no_path(p->network->arena, p->network->ir, from, to, stop);
  flow *f = &p->flows[p->flow_count++];
  *f = (flow){.latency = path.latency,
              .part = part,
              .tier = path.tier,
              .way = way,
              .first = (uint32_t)p->links.count};
  ts_graph_spread(p->network->graph, from, to, &path, p->scratch, &p->links);
  f->count = (uint32_t)p->links.count - f->first;
  for (uint32_t l = f->first; l < f->first + f->count; l++)
    p->load[way][p->links.at[l].link] += part * p->links.at[l].share;
  return 0;
}

/* From `here` members to `there`: each takes the same share of what leaves or comes, in the same
 * order. */
static int add_lanes(prober *p, const uint32_t *from, uint32_t here, const uint32_t *to,
                     uint32_t there, ts_stop *stop)
{
  const uint64_t whole = (uint64_t)here * there;
  for (uint64_t at = 0, end; at < whole; at = end) {
    uint32_t j = (uint32_t)(at / there), k = (uint32_t)(at / here), made = p->flow_count;
    end = (j + 1) * (uint64_t)there;
    end = (k + 1) * (uint64_t)here < end ? (k + 1) * (uint64_t)here : end;
    if (add_flow(p, from[j], to[k], ACROSS, (double)(end - at) / (double)whole, stop))
      return -1;
    if (p->flow_count > made) {
      p->flows[made].from = here;
      p->flows[made].to = there;
    }
  }
  return 0;
}

static int make_ring(prober *p, uint32_t size, ring *r, ts_stop *stop)
{
  *r = (ring){.first = p->flow_count, .islands = group_by_island(p, size)};
  for (uint32_t i = 0; i < r->islands; i++) {
    const uint32_t *first = p->first, *member = p->member;
    uint32_t next = (i + 1) % r->islands, here = first[i + 1] - first[i],
             there = first[next + 1] - first[next];
    if (here > r->per_island)
      r->per_island = here;
    for (uint32_t j = 0; j < here; j++)
      if (add_flow(p, member[first[i] + j], member[first[i] + (j + 1) % here], INSIDE, 1, stop))
        return -1;
    if (next != i && add_lanes(p, member + first[i], here, member + first[next], there, stop))
      return -1;
  }
  r->count = p->flow_count - r->first;
  return 0;
}

static int make_shifts(prober *p, uint32_t size, ring *r, ts_stop *stop)
{
  for (uint32_t j = 0; j < size; j++)
    if (add_flow(p, p->unsorted[j], p->unsorted[(j + 1) % size], PASSED_ON, 1, stop))
      return -1;
  r->count = p->flow_count - r->first;
  return 0;
}

static const ts_ir_link_class *profile_class_of(const ts_ir *ir, uint32_t link)
{
  return &ir->link_classes[ir->links[link / 2].link_class];
}

/* Rates of flows that are alike may differ in the last bits; profiles must not. */
static double without_noise(double x)
{
  int exponent;
  double mantissa = frexp(x, &exponent);
  return ldexp(nearbyint(ldexp(mantissa, 32)), exponent - 32);
}

/* Seconds for each byte on the slowest link of a flow, as all instances load it; a flow by itself
 * has one circuit. */
static double slowest(const prober *p, const flow *f)
{
  double most = 0;
  for (uint32_t l = f->first; l < f->first + f->count; l++) {
    ts_share s = p->links.at[l];
    const ts_ir_link_class *class = profile_class_of(p->network->ir, s.link);
    most = fmax(most, fmax(p->load[f->way][s.link] / ts_ir_link_rate(class),
                           f->part * s.share / class->bandwidth));
  }
  return most;
}

/* Seconds for each byte of a member's all-to-all buffer through its own links out of the island,
 * and into it: what is for other islands, of all that it has. */
static double through_own_links(const prober *p, const flow *f, uint32_t size)
{
  const ts_ir *ir = p->network->ir;
  double most = 0;
  for (uint32_t l = f->first; l < f->first + f->count; l++) {
    ts_share s = p->links.at[l];
    uint32_t ends[] = {ir->links[s.link / 2].from, ir->links[s.link / 2].to}, back = s.link % 2;
    bool leaves = ir->devices[ends[back]].device_class != TS_IR_NONE,
         enters = ir->devices[ends[!back]].device_class != TS_IR_NONE;
    double out = leaves ? size - f->from : 0, in = enters ? size - f->to : 0;
    most =
      fmax(most, fmax(out, in) / size * s.share / ts_ir_link_rate(profile_class_of(ir, s.link)));
  }
  return most;
}

static ts_profile profile_measure(const prober *p, const ring *r, uint32_t size)
{
  ts_profile profile = {.ranks = size, .islands = r->islands, .per_island = r->per_island};
  double slow[WAYS] = {0}, pairs = 0, inside = 0, across = 0;
  uint32_t flows_inside = 0;
  for (uint32_t f = r->first; f < r->first + r->count; f++) {
    const flow *at = &p->flows[f];
    slow[at->way] = fmax(slow[at->way], slowest(p, at));
    if (at->tier > profile.tier)
      profile.tier = at->tier;
    if (at->way == PASSED_ON)
      continue;
    uint64_t *latency = at->way == ACROSS ? &profile.inter_latency : &profile.intra_latency;
    if (at->latency > *latency)
      *latency = at->latency;
    if (at->way == ACROSS) {
      pairs = fmax(pairs, through_own_links(p, at, size));
      across += at->part * (double)at->latency / r->islands;
    } else {
      inside += (double)at->latency;
      flows_inside++;
    }
  }
  profile.intra = slow[INSIDE] > 0 ? without_noise(1 / slow[INSIDE]) : 0;
  profile.inter = slow[ACROSS] > 0 ? without_noise(1 / slow[ACROSS]) : 0;
  profile.shift = slow[PASSED_ON] > 0 ? without_noise(1 / slow[PASSED_ON]) : 0;
  profile.pairs = pairs > 0 ? without_noise(1 / pairs) : 0;
  profile.intra_step = flows_inside ? (uint64_t)llround(inside / flows_inside) : 0;
  profile.inter_step = (uint64_t)llround(across);
  return profile;
}

static prober prober_new(ts_arena *scratch, ts_network *n, const ts_rank_group *g)
{
  prober p = {.network = n,
              .scratch = scratch,
              .island_number = TS_NEW_ARRAY(scratch, uint32_t, n->ir->devices_count)};
  p.member = TS_NEW_ARRAY(scratch, uint32_t, g->size);
  p.unsorted = TS_NEW_ARRAY(scratch, uint32_t, g->size);
  p.number = TS_NEW_ARRAY(scratch, uint32_t, g->size);
  p.first = TS_NEW_ARRAY(scratch, uint32_t, g->size + 1);
  p.flows = TS_NEW_ARRAY(scratch, flow, 4 * (size_t)n->ranks->world);
  for (int w = 0; w < WAYS; w++)
    p.load[w] = TS_NEW_ARRAY(scratch, double, 2 * (size_t)n->ir->links_count);
  return p;
}

static uint32_t kinds_called(const ts_ir *ir, uint32_t group)
{
  uint32_t kinds = 0;
  for (uint32_t c = 0; c < ir->collectives_count; c++)
    if (ir->collectives[c].group == group)
      kinds |= 1u << ir->collectives[c].kind;
  return kinds;
}

/* All-to-alls of all instances: what each rank's own links take, or a cut that they meet in. */
static double pairs_rate(const ts_profile *p, const ts_bound *b)
{
  double cut = b->together[TS_IR_ALL_TO_ALL];
  return p->islands > 1 && cut > 0 ? without_noise(fmin(p->pairs, 1e12 / cut)) : p->pairs;
}

typedef struct profile_requested { /* of the links */
  ts_network *network;
  const ts_rank_group *group;
  uint32_t kinds;        /* of calls, bit k: kind k */
  const ts_network_message *messages; /* between devices */
  uint32_t count;
  ts_stop *stop;
} profile_requested;

/* Of each instance. */
static bool find_group(void *closure, uint32_t *found)
{
  const profile_requested *a = closure;
  ts_network *n = a->network;
  const ts_rank_group *g = a->group;
  ts_arena *scratch = ts_arena_new("group profiles");
  ring *rings = TS_NEW_ARRAY(scratch, ring, g->instances);
  ts_bound *bounds = TS_NEW_ARRAY(scratch, ts_bound, g->instances);
  prober p = prober_new(scratch, n, g);
  int status = 0;
  for (uint32_t i = 0; i < g->instances && !status; i++) {
    for (uint32_t j = 0; j < g->size; j++)
      p.unsorted[j] = n->ranks->vertex[ts_instance_ranks(g, i)[j]];
    status = make_ring(&p, g->size, &rings[i], a->stop);
    if (!status && a->kinds >> TS_IR_SHIFT & 1)
      status = make_shifts(&p, g->size, &rings[i], a->stop);
  }
  if (!status)
    ts_cuts_group(n->links->cuts, n->ranks, g, a->kinds, bounds);
  for (uint32_t i = 0; i < g->instances && !status; i++) {
    ts_link_find at = {profile_measure(&p, &rings[i], g->size), bounds[i]};
    at.profile.pairs =
      a->kinds >> TS_IR_ALL_TO_ALL & 1 ? pairs_rate(&at.profile, &bounds[i]) : 0;
    found[i] = ts_links_note(n->links, &at);
  }
  ts_arena_free(scratch);
  return !status;
}

/* The profile of what was found, for ranks along these axes. */
static uint32_t profile_of(ts_network *n, uint32_t place, uint32_t axes)
{
  while (n->found.count <= place)
    TS_PUSH(n->arena, &n->found, (ts_found_profile){0});
  ts_found_profile *known = &n->found.at[place];
  if (known->profile && known->axes == axes)
    return known->profile - 1;
  ts_link_find at = ts_links_found(n->links, place);
  at.profile.axes = axes;
  at.profile.bounds = ts_network_bound(n, &at.bound) + 1;
  *known = (ts_found_profile){axes, ts_network_intern(n, &at.profile) + 1};
  return known->profile - 1;
}

/* The profiles of answers. */
static const uint32_t *profiles_of(ts_network *n, const uint32_t *found, uint32_t count,
                                   uint32_t axes)
{
  uint32_t *profile = TS_NEW_ARRAY(n->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++)
    profile[i] =
      i && found[i] == found[i - 1] ? profile[i - 1] : profile_of(n, found[i], axes);
  return profile;
}

const uint32_t *ts_profile_group(ts_network *n, uint32_t group, ts_stop *stop)
{
  const ts_rank_group *g = &n->ranks->groups[group];
  profile_requested a = {
    .network = n, .group = g, .kinds = kinds_called(n->ir, group), .stop = stop};
  uint32_t members = g->size * g->instances,
           *words = ts_heap_new((size_t)members + 2, sizeof *words);
  words[0] = a.kinds;
  words[1] = g->size;
  for (uint32_t i = 0; i < members; i++)
    words[i + 2] = n->ranks->vertex[ts_instance_ranks(g, 0)[i]];
  const uint32_t *found = ts_links_ask(
    n->links, &(ts_links_question){words, members + 2, g->instances}, find_group, &a);
  free(words);
  return found ? profiles_of(n, found, g->instances, n->ir->groups[group].axes) : NULL;
}

/* Puts a message on the links of its path. */
static void load_path(ts_network *n, uint32_t from, uint32_t to, const ts_path *path)
{
  ts_path_shares *shares = &n->links->path;
  shares->count = 0;
  ts_graph_spread(n->graph, from, to, path, n->links->arena, shares);
  for (size_t l = 0; l < shares->count; l++)
    n->links->load[shares->at[l].link] += shares->at[l].share;
}

/* Takes off what was put on the links of the path spread last. */
static void clear_path(ts_network *n)
{
  for (size_t l = 0; l < n->links->path.count; l++)
    n->links->load[n->links->path.at[l].link] = 0;
}

static ts_link_find find_path(ts_network *n, uint32_t from, uint32_t to, const ts_path *path)
{
  double slowest = 0;
  const ts_path_shares *shares = &n->links->path;
  load_path(n, from, to, path);
  for (size_t l = 0; l < shares->count; l++)
    slowest = fmax(slowest, n->links->load[shares->at[l].link] /
                              profile_class_of(n->ir, shares->at[l].link)->bandwidth);
  clear_path(n);
  bool crosses = ts_graph_island(n->graph, from) != ts_graph_island(n->graph, to);
  ts_profile p = {.ranks = 2,
                  .islands = crosses ? 2 : 1,
                  .per_island = crosses ? 1 : 2,
                  .tier = path->tier};
  *(crosses ? &p.inter : &p.intra) = without_noise(1 / slowest);
  *(crosses ? &p.inter_latency : &p.intra_latency) = path->latency;
  return (ts_link_find){p, ts_cuts_path(n->links->cuts, from, to)};
}

/* Its place in what was found, or TS_IR_NONE. */
static uint32_t profile_place_of(ts_network *n, uint32_t from, uint32_t to, ts_stop *stop)
{
  uint32_t *known = ts_links_path(n->links, from, to);
  ts_path path;
  if (*known != TS_IR_NONE)
    return *known;
  if (!ts_graph_path(n->graph, from, to, &path)) {
    ts_network_no_path(n->arena, n->ir, from, to, stop);
    return TS_IR_NONE;
  }
  ts_link_find found = find_path(n, from, to, &path);
  return *known = ts_links_note(n->links, &found);
}

uint32_t ts_profile_path(ts_network *n, uint32_t from, uint32_t to, uint32_t axes, ts_stop *stop)
{
  uint32_t place = profile_place_of(n, from, to, stop);
  return place == TS_IR_NONE ? TS_IR_NONE : profile_of(n, place, axes);
}

/* Where others of its set are on the links of a message, what was found is no slower for it alone:
 * `place`. */
static uint32_t place_among(ts_network *n, const ts_network_message *m, uint32_t place)
{
  ts_path path;
  ts_link_find found = ts_links_found(n->links, place);
  double *rate = found.profile.inter > 0 ? &found.profile.inter : &found.profile.intra, slowest = 0;
  ts_path_shares *shares = &n->links->path;
  ts_graph_path(n->graph, m->from, m->to, &path);
  shares->count = 0;
  ts_graph_spread(n->graph, m->from, m->to, &path, n->links->arena, shares);
  for (size_t l = 0; l < shares->count; l++)
    slowest = fmax(slowest, n->links->load[shares->at[l].link] /
                              ts_ir_link_rate(profile_class_of(n->ir, shares->at[l].link)));
  if (slowest * *rate <= 1 + 1e-9)
    return place;
  *rate = without_noise(1 / slowest);
  return ts_links_note(n->links, &found);
}

/* `found`: of each message by itself. */
static void share_paths(ts_network *n, const ts_network_message *m, uint32_t count, uint32_t *found)
{
  ts_path path;
  for (uint32_t i = 0; i < count; i++)
    if (ts_graph_path(n->graph, m[i].from, m[i].to, &path))
      load_path(n, m[i].from, m[i].to, &path);
  for (uint32_t i = 0; i < count; i++)
    found[i] = place_among(n, &m[i], found[i]);
  for (uint32_t i = 0; i < count; i++)
    if (ts_graph_path(n->graph, m[i].from, m[i].to, &path)) {
      load_path(n, m[i].from, m[i].to, &path);
      clear_path(n);
    }
}

static bool find_paths(void *closure, uint32_t *found)
{
  const profile_requested *a = closure;
  for (uint32_t i = 0; i < a->count; i++)
    if ((found[i] = profile_place_of(a->network, a->messages[i].from, a->messages[i].to,
                                     a->stop)) == TS_IR_NONE)
      return false;
  for (uint32_t i = 0, end; i < a->count; i = end) {
    for (end = i + 1; end < a->count && a->messages[end].set == a->messages[i].set;)
      end++;
    if (end - i > 1)
      share_paths(a->network, a->messages + i, end - i, found + i);
  }
  return true;
}

const uint32_t *ts_profile_paths(ts_network *n, const ts_network_message *messages, uint32_t count,
                                 uint32_t axes, ts_stop *stop)
{
  profile_requested a = {.network = n, .messages = messages, .count = count, .stop = stop};
  uint32_t *words = ts_heap_new(3 * (size_t)count + 1, sizeof *words), sets = 0;
  words[0] = TS_LINKS_PATHS;
  for (uint32_t i = 0; i < count; i++) {
    sets += i && messages[i].set != messages[i - 1].set;
    words[3 * i + 1] = messages[i].from;
    words[3 * i + 2] = messages[i].to;
    words[3 * i + 3] = sets;
  }
  const uint32_t *found =
    ts_links_ask(n->links, &(ts_links_question){words, 3 * count + 1, count}, find_paths, &a);
  free(words);
  return found ? profiles_of(n, found, count, axes) : NULL;
}
