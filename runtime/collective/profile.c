/* Group profiles. Members are arranged as a ring runs through them: island by island, in rank order inside one, and the j-th member of an
 * island talks to the j-th of the next, so a rail-optimised ring uses every member's link out of the island. All instances of a
 * group communicate at the same time in a training step, so a link that carries the flows of several of them is shared among these. */
#include "runtime/collective/profile.h"

#include <string.h>

#include "runtime/collective/network_internal.h"

typedef struct flow { /* one hop of the ring between two members */
  uint32_t from, to;  /* vertices */
  bool crosses;       /* islands */
} flow;

typedef struct ring {
  flow *flows;
  uint32_t count;
  uint32_t islands, per_island;
} ring;

typedef struct loads { uint32_t *inside, *across; } loads; /* flows on each link and direction */

static uint32_t island_at(const ts_network *n, const uint32_t *member, uint32_t j) { return ts_graph_island(n->graph, member[j]); }

/* Stable insertion by island, which is the identity for usual placements; members[] are vertices. Returns the number of islands. */
static uint32_t group_by_island(const ts_network *n, uint32_t *member, uint32_t size, uint32_t *first)
{
  uint32_t islands = 0;
  for (uint32_t i = 0; i < size;) {
    uint32_t island = island_at(n, member, i), end = i + 1;
    first[islands++] = i;
    for (uint32_t j = end; j < size; j++) {
      if (island_at(n, member, j) != island)
        continue;
      uint32_t vertex = member[j];
      memmove(&member[end + 1], &member[end], (j - end) * sizeof *member);
      member[end++] = vertex;
    }
    i = end;
  }
  first[islands] = size;
  return islands;
}

static void add_flow(ring *r, uint32_t from, uint32_t to, bool crosses)
{
  if (from != to)
    r->flows[r->count++] = (flow){from, to, crosses};
}

/* At most two flows a member: to the next one of its island, and to its like in the next island. */
static void make_ring(const ts_network *n, uint32_t *member, uint32_t size, uint32_t *first, ring *r)
{
  r->count = 0;
  r->per_island = 0;
  r->islands = group_by_island(n, member, size, first);
  for (uint32_t i = 0; i < r->islands; i++) {
    uint32_t next = (i + 1) % r->islands, here = first[i + 1] - first[i], there = first[next + 1] - first[next];
    if (here > r->per_island)
      r->per_island = here;
    for (uint32_t j = 0; j < here; j++) {
      add_flow(r, member[first[i] + j], member[first[i] + (j + 1) % here], false);
      if (next != i)
        add_flow(r, member[first[i] + j], member[first[next] + j % there], true);
    }
  }
}

static int no_path(const ts_network *n, uint32_t from, uint32_t to, ts_stop *stop)
{
  ts_stop_set(stop, TS_EXIT_NO, "R0301", "no-path", "no link of the cluster connects devices that communicate");
  ts_stop_fact(stop, "from", "%s", ts_network_vertex_name(n, from));
  ts_stop_fact(stop, "to", "%s", ts_network_vertex_name(n, to));
  ts_stop_help(stop, "link both to a switch, or place the ranks on devices that are linked");
  return -1;
}

static int count_loads(ts_network *n, const ring *r, loads *load, ts_stop *stop)
{
  ts_path path;
  for (uint32_t f = 0; f < r->count; f++) {
    if (!ts_graph_path(n->graph, r->flows[f].from, r->flows[f].to, &path))
      return no_path(n, r->flows[f].from, r->flows[f].to, stop);
    for (uint32_t h = 0; h < path.hops; h++)
      (r->flows[f].crosses ? load->across : load->inside)[path.link[h]]++;
  }
  return 0;
}

/* What one flow gets of a path whose links are shared evenly. */
static double fair_share(const ts_network *n, const ts_path *path, const uint32_t *load)
{
  double least = path->bandwidth;
  for (uint32_t h = 0; h < path->hops; h++) {
    uint32_t sharers = load[path->link[h]];
    double share = n->ir->link_classes[n->ir->links[path->link[h] / 2].link_class].bandwidth / (sharers ? sharers : 1);
    if (share < least)
      least = share;
  }
  return least;
}

static ts_profile measure(ts_network *n, const ring *r, uint32_t size, const loads *load)
{
  ts_profile p = {.ranks = size, .islands = r->islands, .per_island = r->per_island};
  ts_path path;
  for (uint32_t f = 0; f < r->count; f++) {
    bool crosses = r->flows[f].crosses;
    ts_graph_path(n->graph, r->flows[f].from, r->flows[f].to, &path);
    double rate = fair_share(n, &path, crosses ? load->across : load->inside);
    double *least = crosses ? &p.inter : &p.intra;
    uint64_t *latency = crosses ? &p.inter_latency : &p.intra_latency;
    if (*least == 0 || rate < *least)
      *least = rate;
    if (path.latency > *latency)
      *latency = path.latency;
    if (path.tier > p.tier)
      p.tier = path.tier;
  }
  p.inter *= r->per_island;
  return p;
}

static void members_of(const ts_network *n, const ts_rank_group *g, uint32_t instance, uint32_t *member)
{
  for (uint32_t j = 0; j < g->size; j++)
    member[j] = n->ranks->vertex[g->base[instance] + g->offset[j]];
}

const uint32_t *ts_profile_group(ts_network *n, const ts_rank_group *g, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("group profiles");
  uint32_t *profile = TS_NEW_ARRAY(n->arena, uint32_t, g->instances);
  uint32_t *member = TS_NEW_ARRAY(scratch, uint32_t, g->size), *first = TS_NEW_ARRAY(scratch, uint32_t, g->size + 1);
  loads load = {TS_NEW_ARRAY(scratch, uint32_t, 2 * n->ir->links_count), TS_NEW_ARRAY(scratch, uint32_t, 2 * n->ir->links_count)};
  ring r = {.flows = TS_NEW_ARRAY(scratch, flow, 2 * g->size)};
  int status = 0;
  for (uint32_t i = 0; i < g->instances && !status; i++) {
    members_of(n, g, i, member);
    make_ring(n, member, g->size, first, &r);
    status = count_loads(n, &r, &load, stop);
  }
  for (uint32_t i = 0; i < g->instances && !status; i++) {
    members_of(n, g, i, member);
    make_ring(n, member, g->size, first, &r);
    ts_profile p = measure(n, &r, g->size, &load);
    profile[i] = ts_network_intern(n, &p);
  }
  ts_arena_free(scratch);
  return status ? NULL : profile;
}

uint32_t ts_profile_path(ts_network *n, uint32_t from, uint32_t to, ts_stop *stop)
{
  ts_path path;
  if (!ts_graph_path(n->graph, from, to, &path)) {
    no_path(n, from, to, stop);
    return TS_IR_NONE;
  }
  bool crosses = ts_graph_island(n->graph, from) != ts_graph_island(n->graph, to);
  ts_profile p = {.ranks = 2, .islands = crosses ? 2 : 1, .per_island = crosses ? 1 : 2, .tier = path.tier};
  *(crosses ? &p.inter : &p.intra) = path.bandwidth;
  *(crosses ? &p.inter_latency : &p.intra_latency) = path.latency;
  return ts_network_intern(n, &p);
}
