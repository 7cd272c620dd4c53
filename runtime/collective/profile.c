/* Group profiles. Members are arranged as a ring runs through them: island by island, in rank order inside one, and the j-th member of an
 * island talks to the j-th of the next, so a rail-optimised ring uses every member's link out of the island. All instances of a
 * group communicate at the same time in a training step, so a link that carries the flows of several of them is shared among these. */
#include "runtime/collective/profile.h"

#include <string.h>

#include "runtime/collective/network_internal.h"

typedef struct flow { /* one hop of the ring between two members, over `hops` links */
  uint64_t latency;
  double bandwidth;
  uint32_t tier;
  uint16_t hops, planes; /* planes: paths like it, used side by side */
  bool crosses;       /* islands */
  uint32_t first;     /* into prober.links */
} flow;

typedef struct ring { /* of an instance */
  uint32_t first, count; /* flows */
  uint32_t islands, per_island;
} ring;

typedef struct prober {
  ts_network *network;
  uint32_t *island_number;  /* [vertices] of the island that the vertex leads: its number in the instance, plus 1 */
  uint32_t *member, *unsorted, *number; /* [size] vertices island by island, and in rank order; number of each one's island */
  uint32_t *first;          /* [size + 1] members of each island */
  flow *flows;              /* two for each rank at most */
  uint32_t flow_count;
  TS_VEC(uint32_t) links;
  ts_arena *scratch;
  uint32_t *inside, *across; /* flows on each link and direction */
} prober;

/* Counting sort of the members by island, islands in the order in which they appear. Returns how many. */
static uint32_t group_by_island(prober *p, uint32_t size)
{
  const ts_graph *graph = p->network->graph;
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

static int add_flow(prober *p, uint32_t from, uint32_t to, bool crosses, ts_stop *stop)
{
  if (from == to)
    return 0;
  ts_path path;
  if (!ts_graph_path(p->network->graph, from, to, &path))
    return ts_network_no_path(p->network->arena, p->network->ir, from, to, stop);
  p->flows[p->flow_count++] = (flow){path.latency, path.bandwidth, path.tier, (uint16_t)path.hops, (uint16_t)ts_graph_planes(p->network->graph, from, to, &path), crosses, (uint32_t)p->links.count};
  for (uint32_t h = 0; h < path.hops; h++) {
    TS_PUSH(p->scratch, &p->links, path.link[h]);
    (crosses ? p->across : p->inside)[path.link[h]]++;
  }
  return 0;
}

/* At most two flows a member: to the next one of its island, and to its like in the next island. */
static int make_ring(prober *p, uint32_t size, ring *r, ts_stop *stop)
{
  *r = (ring){.first = p->flow_count, .islands = group_by_island(p, size)};
  for (uint32_t i = 0; i < r->islands; i++) {
    const uint32_t *first = p->first, *member = p->member;
    uint32_t next = (i + 1) % r->islands, here = first[i + 1] - first[i], there = first[next + 1] - first[next];
    if (here > r->per_island)
      r->per_island = here;
    for (uint32_t j = 0; j < here; j++)
      if (add_flow(p, member[first[i] + j], member[first[i] + (j + 1) % here], false, stop) ||
          (next != i && add_flow(p, member[first[i] + j], member[first[next] + j % there], true, stop)))
        return -1;
  }
  r->count = p->flow_count - r->first;
  return 0;
}

/* What one flow gets of a path whose links are shared evenly; all flows are counted on the same one of several planes. */
static double fair_share(const prober *p, const flow *f)
{
  const ts_ir *ir = p->network->ir;
  const uint32_t *load = f->crosses ? p->across : p->inside;
  double least = f->bandwidth;
  for (uint32_t h = f->first; h < f->first + f->hops; h++) {
    uint32_t link = p->links.at[h];
    double share = ir->link_classes[ir->links[link / 2].link_class].bandwidth / load[link];
    if (share < least)
      least = share;
  }
  return least * f->planes;
}

static uint32_t measure(const prober *p, const ring *r, uint32_t size, uint32_t axes)
{
  ts_profile profile = {.ranks = size, .axes = axes, .islands = r->islands, .per_island = r->per_island};
  for (uint32_t f = r->first; f < r->first + r->count; f++) {
    const flow *at = &p->flows[f];
    double rate = fair_share(p, at);
    double *least = at->crosses ? &profile.inter : &profile.intra;
    uint64_t *latency = at->crosses ? &profile.inter_latency : &profile.intra_latency;
    if (*least == 0 || rate < *least)
      *least = rate;
    if (at->latency > *latency)
      *latency = at->latency;
    if (at->tier > profile.tier)
      profile.tier = at->tier;
  }
  profile.inter *= r->per_island;
  return ts_network_intern(p->network, &profile);
}

static prober prober_new(ts_arena *scratch, ts_network *n, const ts_rank_group *g)
{
  prober p = {.network = n, .scratch = scratch, .island_number = TS_NEW_ARRAY(scratch, uint32_t, n->ir->devices_count)};
  p.member = TS_NEW_ARRAY(scratch, uint32_t, g->size);
  p.unsorted = TS_NEW_ARRAY(scratch, uint32_t, g->size);
  p.number = TS_NEW_ARRAY(scratch, uint32_t, g->size);
  p.first = TS_NEW_ARRAY(scratch, uint32_t, g->size + 1);
  p.flows = TS_NEW_ARRAY(scratch, flow, 2 * (size_t)n->ranks->world);
  p.inside = TS_NEW_ARRAY(scratch, uint32_t, 2 * (size_t)n->ir->links_count);
  p.across = TS_NEW_ARRAY(scratch, uint32_t, 2 * (size_t)n->ir->links_count);
  return p;
}

const uint32_t *ts_profile_group(ts_network *n, const ts_rank_group *g, uint32_t axes, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("group profiles");
  uint32_t *profile = TS_NEW_ARRAY(n->arena, uint32_t, g->instances);
  ring *rings = TS_NEW_ARRAY(scratch, ring, g->instances);
  prober p = prober_new(scratch, n, g);
  int status = 0;
  for (uint32_t i = 0; i < g->instances && !status; i++) {
    for (uint32_t j = 0; j < g->size; j++)
      p.unsorted[j] = n->ranks->vertex[g->base[i] + g->offset[j]];
    status = make_ring(&p, g->size, &rings[i], stop);
  }
  for (uint32_t i = 0; i < g->instances && !status; i++)
    profile[i] = measure(&p, &rings[i], g->size, axes);
  ts_arena_free(scratch);
  return status ? NULL : profile;
}

uint32_t ts_profile_path(ts_network *n, uint32_t from, uint32_t to, uint32_t axes, ts_stop *stop)
{
  ts_path path;
  if (!ts_graph_path(n->graph, from, to, &path)) {
    ts_network_no_path(n->arena, n->ir, from, to, stop);
    return TS_IR_NONE;
  }
  bool crosses = ts_graph_island(n->graph, from) != ts_graph_island(n->graph, to);
  ts_profile p = {.ranks = 2, .islands = crosses ? 2 : 1, .per_island = crosses ? 1 : 2, .tier = path.tier, .axes = axes};
  *(crosses ? &p.inter : &p.intra) = path.bandwidth * ts_graph_planes(n->graph, from, to, &path);
  *(crosses ? &p.inter_latency : &p.intra_latency) = path.latency;
  return ts_network_intern(n, &p);
}
