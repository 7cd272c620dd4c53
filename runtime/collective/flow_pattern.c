#include "runtime/collective/flow_pattern.h"

#include <string.h>

#include "ir/parts.h"
#include "runtime/collective/algorithm.h"
#include "runtime/collective/requested.h"

typedef TS_VEC(ts_flow_part) part_list;

enum { MOST_WAYS = 64 }; /* of equal paths that packets are sprayed over */

struct ts_flow_maker {
  ts_arena *arena;
  const ts_ir *ir;
  ts_link_graph *graph;
  const ts_ir_net_model *model;
  uint32_t *load;          /* [2 * links] connections on each so far */
  bool *offered;           /* [2 * links] where equal paths part, on one of them */
  uint32_t *spread;        /* [2 * links] ways of a sprayed connection on each; 0 between uses */
  /* [2 * links] place in `uses` of the part being made, or last place in `circuits`, plus 1 */
  uint32_t *number;
  TS_VEC(ts_flow_use) uses;
  TS_VEC(ts_circuit) circuits;
  TS_VEC(uint32_t) older;  /* of each: the one before it with the same link in, plus 1 */
  TS_VEC(uint32_t) hops;   /* of `legs`, one after the other; models of packets only */
  TS_VEC(ts_flow_leg) legs;
  /* devices by island: those of vertex v's island are device[first[island]...] */
  uint32_t *first, *device;
  /* [vertices] device of island relay_for (plus 1) that sends to this one, and its links to go */
  uint32_t *relay, *relay_hops, *relay_for;
  uint32_t *rail;          /* [vertices] scratch */
  uint32_t *tally;         /* [vertices] scratch, zero between uses */
  uint32_t failed[2];
  ts_flow_connections *connections; /* or NULL; `fresh`: the first of the part being made */
  ts_arena *long_lived;
  size_t fresh;
  uint32_t dimension;
  /* [tiers][vertices] the lowest vertex that links of the tier and below reach; NULL: not asked for
   * yet */
  uint32_t tiers, **part;
};

static void list_islands(ts_flow_maker *m)
{
  uint32_t n = m->ir->devices_count;
  m->first = TS_NEW_ARRAY(m->arena, uint32_t, (size_t)n + 2);
  m->device = TS_NEW_ARRAY(m->arena, uint32_t, n);
  for (uint32_t v = 0; v < n; v++)
    if (m->ir->devices[v].device_class != TS_IR_NONE)
      m->first[ts_graph_island(m->graph, v) + 2]++;
  for (uint32_t v = 1; v < n + 2; v++)
    m->first[v] += m->first[v - 1];
  for (uint32_t v = 0; v < n; v++)
    if (m->ir->devices[v].device_class != TS_IR_NONE)
      m->device[m->first[ts_graph_island(m->graph, v) + 1]++] = v;
}

ts_flow_maker *ts_flow_maker_new(ts_arena *arena, const ts_ir *ir, ts_link_graph *graph,
                                 const ts_ir_net_model *model)
{
  ts_flow_maker *m = TS_NEW(arena, ts_flow_maker);
  *m = (ts_flow_maker){.arena = arena, .ir = ir, .graph = graph, .model = model};
  m->load = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)ir->links_count);
  m->offered = TS_NEW_ARRAY(arena, bool, 2 * (size_t)ir->links_count);
  m->spread = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)ir->links_count);
  m->number = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)ir->links_count);
  m->relay = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count);
  m->relay_hops = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count);
  m->relay_for = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count);
  m->rail = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count);
  m->tally = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count);
  list_islands(m);
  return m;
}

ts_path_use ts_flow_maker_paths(const ts_flow_maker *m)
{
  ts_path_use use = {0, 0};
  for (uint32_t l = 0; l < 2 * m->ir->links_count; l++) {
    use.offered += m->offered[l];
    use.idle += m->offered[l] && !m->load[l];
  }
  return use;
}

const double *ts_flow_capacities(ts_arena *arena, const ts_ir *ir)
{
  double *capacity = TS_NEW_ARRAY(arena, double, 2 * (size_t)ir->links_count);
  for (uint32_t l = 0; l < 2 * ir->links_count; l++)
    capacity[l] = ir->link_classes[ir->links[l / 2].link_class].bandwidth;
  return capacity;
}

void ts_flow_maker_keep(ts_flow_maker *m, ts_arena *arena, ts_flow_connections *list)
{
  m->connections = list;
  m->long_lived = arena;
  m->fresh = list->count;
}

/* ---- A connection ---- */

static bool is_circuit(const ts_flow_maker *m, uint32_t link)
{
  return m->ir->link_classes[m->ir->links[link / 2].link_class].ports;
}

static void use_link(ts_flow_maker *m, uint32_t link, double share)
{
  if (!m->number[link]) {
    TS_PUSH(m->arena, &m->uses, (ts_flow_use){link, 0});
    m->number[link] = (uint32_t)m->uses.count;
  }
  m->uses.at[m->number[link] - 1].connections += share;
}

static void use_circuit(ts_flow_maker *m, uint32_t in, uint32_t out)
{
  for (uint32_t i = m->number[in]; i; i = m->older.at[i - 1])
    if (m->circuits.at[i - 1].out == out) {
      m->circuits.at[i - 1].connections++;
      return;
    }
  TS_PUSH(m->arena, &m->circuits, (ts_circuit){in, out, 1});
  TS_PUSH(m->arena, &m->older, m->number[in]);
  m->number[in] = (uint32_t)m->circuits.count;
}

static void keep_leg(ts_flow_maker *m, const ts_path *ways, uint32_t count, uint32_t spares)
{
  for (uint32_t w = 0; w < count + spares; w++)
    for (uint32_t h = 0; h < ways[w].hops; h++)
      TS_PUSH(m->arena, &m->hops, ways[w].link[h]);
  TS_PUSH(m->arena, &m->legs, (ts_flow_leg){NULL, ways->hops, count, spares});
}

/* More links of the connection being made. */
static void keep_path(ts_flow_maker *m, const ts_path *path, uint32_t ways)
{
  ts_flow_connection *c = &m->connections->at[m->connections->count - 1];
  uint32_t *links = TS_NEW_ARRAY(m->long_lived, uint32_t, c->hops + path->hops);
  for (uint32_t h = 0; h < c->hops + path->hops; h++)
    links[h] = h < c->hops ? c->path[h] : path->link[h - c->hops];
  c->path = links;
  c->hops += path->hops;
  c->ways = ways > c->ways ? ways : c->ways;
}

static bool has_circuits(const ts_flow_maker *m, const ts_path *path)
{
  for (uint32_t h = 0; h < path->hops; h++)
    if (is_circuit(m, path->link[h]))
      return true;
  return false;
}

static bool same_links(const ts_path *a, const ts_path *b)
{
  return a->hops == b->hops && !memcmp(a->link, b->link, a->hops * sizeof *a->link);
}

static bool same_ports(const ts_path *a, const ts_path *b)
{
  return a->link[0] == b->link[0] && a->link[a->hops - 1] == b->link[b->hops - 1];
}

/* Equal paths, each by the links that those before it took least, until the first one comes again:
 * all of them where packets are sprayed, one for each port of the ends on rails (NCCL makes one
 * device of a NIC's ports, NCCL_NET_MERGE_LEVEL, and each connection uses all of it). Circuits are
 * set up for one. Returns how many; 0: there is none. */
static uint32_t ways_of(ts_flow_maker *m, uint32_t from, uint32_t to, uint32_t channel,
                        uint32_t routing, ts_path *ways)
{
  bool spray = routing == TS_IR_ROUTE_SPRAY, rail = routing == TS_IR_ROUTE_RAIL;
  ts_fork fork = {spray ? TS_IR_ROUTE_ADAPTIVE : (ts_ir_routing)routing, channel,
                  spray ? m->spread : m->load, m->offered, rail ? m->spread : NULL};
  uint32_t count = 0, ends;
  do {
    if (!(ends = ts_graph_route(m->graph, from, to, &fork, &ways[count])) ||
        (count && (spray ? same_links : same_ports)(&ways[count], &ways[0])))
      break;
    for (uint32_t h = 0; h < ways[count].hops; h++)
      m->spread[ways[count].link[h]]++;
    count++;
  } while ((spray || (rail && ends > 1)) && count < MOST_WAYS && !has_circuits(m, ways));
  for (uint32_t w = 0; w < count; w++)
    for (uint32_t h = 0; h < ways[w].hops; h++)
      m->spread[ways[w].link[h]] = 0;
  return count;
}

static bool goes_down(const ts_flow_maker *m, const ts_path *path)
{
  for (uint32_t h = 0; h < path->hops; h++)
    if (m->ir->link_classes[m->ir->links[path->link[h] / 2].link_class].down)
      return true;
  return false;
}

/* Equal paths that stay, behind `count` ways of which one goes down. Returns how many. */
static uint32_t spares_of(ts_flow_maker *m, uint32_t from, uint32_t to, uint32_t channel,
                          ts_path *ways, uint32_t count)
{
  ts_path all[MOST_WAYS];
  uint32_t spares = 0, found = 0;
  for (uint32_t w = 0; w < count && !found; w++)
    if (goes_down(m, &ways[w]))
      found = ways_of(m, from, to, channel, TS_IR_ROUTE_SPRAY, all);
  for (uint32_t i = 0; i < found && count + spares < MOST_WAYS; i++) {
    bool stays = !goes_down(m, &all[i]);
    for (uint32_t w = 0; w < count && stays; w++)
      stays = !same_links(&all[i], &ways[w]);
    for (uint32_t h = 0; h < all[i].hops && stays; h++)
      use_link(m, all[i].link[h], 0);
    if (stays)
      ways[count + spares++] = all[i];
  }
  return spares;
}

static bool flow_pattern_walk(ts_flow_maker *m, uint32_t from, uint32_t to, uint32_t channel,
                              uint64_t *latency)
{
  ts_path ways[MOST_WAYS];
  uint32_t count = ways_of(m, from, to, channel, m->model->routing, ways);
  if (!count) {
    m->failed[0] = from;
    m->failed[1] = to;
    return false;
  }
  for (uint32_t w = 0; w < count; w++) {
    const ts_path *path = &ways[w];
    for (uint32_t h = 0; h < path->hops; h++) {
      m->load[path->link[h]]++;
      if (h + 1 < path->hops && is_circuit(m, path->link[h]) && is_circuit(m, path->link[h + 1])) {
        use_circuit(m, path->link[h], path->link[h + 1]);
        m->load[path->link[++h]]++;
      } else {
        use_link(m, path->link[h], 1. / count);
      }
    }
  }
  if (m->model->kind == TS_IR_NET_PACKET)
    keep_leg(m, ways, count, spares_of(m, from, to, channel, ways, count));
  if (m->connections)
    keep_path(m, ways, count);
  *latency += ways->latency;
  return true;
}

/* Devices of an island that have so few links to go to `to` as none has fewer, and how many. */
static uint32_t on_rail(ts_flow_maker *m, uint32_t island, uint32_t to, uint32_t *rail,
                        uint32_t *hops)
{
  uint32_t count = 0;
  *hops = TS_IR_NONE;
  for (uint32_t i = m->first[island]; i < m->first[island + 1]; i++) {
    uint32_t own = ts_graph_hops(m->graph, m->device[i], to);
    if (!own || own > *hops)
      continue;
    count = own < *hops ? 0 : count;
    *hops = own;
    rail[count++] = m->device[i];
  }
  return count;
}

/* Among the devices of an island that are on the receiver's rail, the one that has the place there
 * which the receiver has among those of its own island on that rail. So devices that share a rail,
 * or a fabric without rails, share the links out of the island, too. */
static void find_relay(ts_flow_maker *m, uint32_t island, uint32_t to)
{
  uint32_t own = ts_graph_island(m->graph, to), place = 0, mates = 0, *rail = m->rail,
           count = on_rail(m, island, to, rail, &m->relay_hops[to]);
  for (uint32_t i = m->first[own]; count > 1 && i < m->first[own + 1]; i++) {
    place = m->device[i] == to ? mates : place;
    mates += ts_graph_hops(m->graph, rail[0], m->device[i]) == m->relay_hops[to];
  }
  m->relay_for[to] = island + 1;
  m->relay[to] = !count ? TS_IR_NONE : count == 1 ? rail[0] : rail[(uint64_t)place * count / mates];
}

/* The device of the sender's island by which data leave it: NCCL hands them to the GPU at the NIC
 * of the receiver's rail (PXN), and keeps a ring to one NIC of each node (NCCL_CROSS_NIC). Who has
 * no link to that GPU but the one that it sends by itself (PCIe) sends itself. */
static uint32_t relay_of(ts_flow_maker *m, uint32_t from, uint32_t to)
{
  ts_path out, in;
  uint32_t island = ts_graph_island(m->graph, from);
  if (m->relay_for[to] != island + 1)
    find_relay(m, island, to);
  if (m->relay[to] == TS_IR_NONE || m->relay[to] == from)
    return from;
  uint32_t hops = ts_graph_hops(m->graph, from, to);
  if (!hops || hops > m->relay_hops[to])
    return m->relay[to];
  bool apart = ts_graph_path(m->graph, from, to, &out) &&
               ts_graph_path(m->graph, from, m->relay[to], &in) && in.link[0] != out.link[0];
  return apart ? m->relay[to] : from;
}

static bool connect(ts_flow_maker *m, uint32_t from, uint32_t to, uint32_t channel,
                    uint64_t *latency)
{
  bool across = ts_graph_island(m->graph, from) != ts_graph_island(m->graph, to);
  *latency = across ? m->model->inter_hop : m->model->hop;
  uint32_t relay = across && !m->model->unrelayed ? relay_of(m, from, to) : from;
  if (m->connections)
    TS_PUSH(m->long_lived, m->connections,
            ((ts_flow_connection){from, to, relay, channel, 0, m->dimension, 1, 0, NULL}));
  return (relay == from || flow_pattern_walk(m, from, relay, channel, latency)) &&
         flow_pattern_walk(m, relay, to, channel, latency);
}

static void forget_part(ts_flow_maker *m)
{
  for (size_t u = 0; u < m->uses.count; u++)
    m->number[m->uses.at[u].link] = 0;
  for (size_t i = 0; i < m->circuits.count; i++)
    m->number[m->circuits.at[i].in] = 0;
  m->uses.count = m->circuits.count = m->older.count = m->hops.count = m->legs.count = 0;
}

static const ts_flow_leg *legs_of(const ts_flow_maker *m, ts_arena *arena)
{
  const uint32_t *hop = ts_arena_copy(arena, m->hops.at, m->hops.count * sizeof *m->hops.at);
  ts_flow_leg *legs = ts_arena_copy(arena, m->legs.at, m->legs.count * sizeof *m->legs.at);
  for (size_t i = 0; i < m->legs.count;
       hop += (size_t)legs[i].hops * (legs[i].ways + legs[i].spares), i++)
    legs[i].path = hop;
  return legs;
}

/* What was connected since the last time becomes a part that has so much of the bytes. */
static void end_share(ts_flow_maker *m, ts_arena *arena, part_list *parts, double share)
{
  ts_flow_part part = {.count = (uint32_t)m->uses.count,
                       .circuit_count = (uint32_t)m->circuits.count,
                       .share = share};
  for (size_t u = 0; u < m->uses.count; u++)
    m->uses.at[u].connections *= share;
  for (size_t c = 0; c < m->circuits.count; c++)
    m->circuits.at[c].connections *= share;
  part.uses = ts_arena_copy(arena, m->uses.at, m->uses.count * sizeof *m->uses.at);
  part.circuits = ts_arena_copy(arena, m->circuits.at, m->circuits.count * sizeof *m->circuits.at);
  part.leg_count = (uint32_t)m->legs.count;
  part.legs = legs_of(m, arena);
  for (; m->connections && m->fresh < m->connections->count; m->fresh++)
    m->connections->at[m->fresh].part = (uint32_t)parts->count;
  TS_PUSH(arena, parts, part);
  forget_part(m);
}

static void end_part(ts_flow_maker *m, ts_arena *arena, part_list *parts)
{
  end_share(m, arena, parts, 1);
}

/* ---- A group ---- */

typedef struct members { /* island by island, islands in the order in which they appear */
  uint32_t count, islands, most;
  uint32_t *vertex, *first; /* [count]; [islands + 1] */
} members;

static members by_island(ts_flow_maker *m, ts_arena *scratch, const uint32_t *vertex,
                         uint32_t count)
{
  members g = {.count = count,
               .vertex = TS_NEW_ARRAY(scratch, uint32_t, count),
               .first = TS_NEW_ARRAY(scratch, uint32_t, (size_t)count + 1)};
  uint32_t *number = m->tally, *at = TS_NEW_ARRAY(scratch, uint32_t, (size_t)count + 1);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t *n = &number[ts_graph_island(m->graph, vertex[i])];
    if (!*n)
      *n = ++g.islands;
    at[*n]++;
  }
  for (uint32_t i = 0; i < g.islands; i++) {
    g.most = at[i + 1] > g.most ? at[i + 1] : g.most;
    at[i + 1] += at[i];
    g.first[i + 1] = at[i + 1];
  }
  for (uint32_t i = 0; i < count; i++)
    g.vertex[at[number[ts_graph_island(m->graph, vertex[i])] - 1]++] = vertex[i];
  for (uint32_t i = 0; i < count; i++)
    number[ts_graph_island(m->graph, vertex[i])] = 0;
  return g;
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
  uint32_t x = a, y = b;
  while (y) {
    uint32_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

/* An even number, as half of them run the other way round, and one that the members of every island
 * divide, so that all links out of it carry the same. */
static uint32_t channels_of(const ts_flow_maker *m, const members *g)
{
  enum { MANY = 64 };
  uint32_t channels = 2;
  if (m->model->channels)
    return m->model->channels;
  for (uint32_t i = 0; g->islands > 1 && i < g->islands; i++) {
    uint32_t more = common_multiple(channels, g->first[i + 1] - g->first[i]);
    /* more are more work than they are worth */
    channels = more <= MANY || more <= 2 * g->most ? more : channels;
  }
  return channels > g->most || g->islands == 1 ? channels : g->most + g->most % 2;
}

/* The members in the order of a channel's ring. */
static void ring_order(const members *g, uint32_t channel, uint32_t *order)
{
  uint32_t at = 0;
  bool back = channel % 2;
  for (uint32_t n = 0; n < g->islands; n++) {
    uint32_t i = back ? g->islands - 1 - n : n, size = g->first[i + 1] - g->first[i],
             enter = channel % size;
    for (uint32_t k = 0; k < size; k++)
      order[at++] = g->vertex[g->first[i] + (enter + (back ? size - k : k)) % size];
  }
}

/* The longest that any `count` connections in a row take, and all of them. */
static uint64_t longest(const uint64_t *latency, uint32_t n, uint32_t count)
{
  uint64_t sum = 0, most = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += latency[i];
  for (uint32_t i = 0; i < n; i++) {
    most = sum > most ? sum : most;
    sum += latency[(i + count) % n] - latency[i];
  }
  return most;
}

static bool make_loops(ts_flow_maker *m, ts_arena *arena, ts_arena *scratch, const members *g,
                       uint32_t root, part_list *parts, ts_flow_pattern *out)
{
  uint32_t channels = channels_of(m, g), n = g->count;
  uint32_t *order = TS_NEW_ARRAY(scratch, uint32_t, n);
  uint64_t *latency = TS_NEW_ARRAY(scratch, uint64_t, n);
  for (uint32_t c = 0; c < channels; c++) {
    ring_order(g, c, order);
    uint64_t all = 0, chain = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t next = order[(i + 1) % n];
      if (next == root)
        latency[i] = 0;
      else if (!connect(m, order[i], next, c, &latency[i]))
        return false;
      all += latency[i];
    }
    chain = root == TS_IR_NONE ? longest(latency, n, n - 1) : all;
    /* 2(n-1) in a row: once round and n - 2 more */
    uint64_t twice = root == TS_IR_NONE ? all + longest(latency, n, n - 2) : all;
    out->latency = chain > out->latency ? chain : out->latency;
    out->again = twice - chain > out->again ? twice - chain : out->again;
    end_part(m, arena, parts);
  }
  out->share = 1. / channels;
  return true;
}

/* The parent of `rank` in a binary tree over n, in which inner ranks are even: NCCL's ncclGetBtree.
 * TS_IR_NONE: it is the root. */
static uint32_t parent_in_tree(uint32_t rank, uint32_t n)
{
  uint32_t bit = 1;
  if (!rank)
    return TS_IR_NONE;
  while (!(rank & bit))
    bit <<= 1;
  uint32_t up = (rank ^ bit) | bit << 1;
  return up < n ? up : rank ^ bit;
}

/* The second tree is the first one mirrored, or shifted by one for odd n, so that inner ranks of
 * one are leaves of the other. */
static uint32_t parent_of(uint32_t rank, uint32_t n, bool second)
{
  if (!second)
    return parent_in_tree(rank, n);
  if (n % 2 == 0) {
    uint32_t up = parent_in_tree(n - 1 - rank, n);
    return up == TS_IR_NONE ? up : n - 1 - up;
  }
  uint32_t up = parent_in_tree((rank + n - 1) % n, n);
  return up == TS_IR_NONE ? up : (up + 1) % n;
}

/* Both directions of a link of the tree; the slower one's latency. */
static bool flow_pattern_join(ts_flow_maker *m, uint32_t child, uint32_t parent, uint32_t channel,
                              uint64_t *latency)
{
  uint64_t up, down;
  if (!connect(m, child, parent, channel, &up) || !connect(m, parent, child, channel, &down))
    return false;
  *latency = up > down ? up : down;
  return true;
}

static bool make_tree(ts_flow_maker *m, ts_arena *scratch, const members *g, uint32_t channel,
                      uint64_t *height)
{
  uint64_t *chain = TS_NEW_ARRAY(scratch, uint64_t, g->islands),
           *up = TS_NEW_ARRAY(scratch, uint64_t, g->islands);
  for (uint32_t i = 0; i < g->islands; i++) {
    uint32_t size = g->first[i + 1] - g->first[i], parent = parent_of(i, g->islands, channel % 2);
    const uint32_t *vertex = g->vertex + g->first[i];
    for (uint32_t k = 0; k + 1 < size; k++) {
      uint64_t latency;
      if (!flow_pattern_join(m, vertex[(channel + k + 1) % size], vertex[(channel + k) % size],
                             channel, &latency))
        return false;
      chain[i] += latency;
    }
    if (parent != TS_IR_NONE) {
      uint32_t there = g->first[parent + 1] - g->first[parent];
      if (!flow_pattern_join(m, vertex[channel % size],
                             g->vertex[g->first[parent] + channel % there], channel, &up[i]))
        return false;
    }
  }
  for (uint32_t i = 0; i < g->islands; i++) {
    uint64_t depth = chain[i];
    for (uint32_t at = i, next; (next = parent_of(at, g->islands, channel % 2)) != TS_IR_NONE;
         at = next)
      depth += up[at];
    *height = depth > *height ? depth : *height;
  }
  return true;
}

static bool make_trees(ts_flow_maker *m, ts_arena *arena, ts_arena *scratch, const members *g,
                       part_list *parts, ts_flow_pattern *out)
{
  uint32_t channels = channels_of(m, g);
  uint64_t height = 0;
  for (uint32_t c = 0; c < channels; c++) {
    if (!make_tree(m, scratch, g, c, &height))
      return false;
    end_part(m, arena, parts);
  }
  out->latency = 2 * height;
  out->share = 1. / channels;
  return true;
}

/* ---- By dimensions ---- */

/* Which vertices hang together by links of each tier and below. */
static void find_parts(ts_flow_maker *m)
{
  const ts_ir *ir = m->ir;
  for (uint32_t c = 0; c < ir->link_classes_count; c++)
    m->tiers = ir->link_classes[c].tier >= m->tiers ? ir->link_classes[c].tier + 1 : m->tiers;
  m->part = TS_NEW_ARRAY(m->arena, uint32_t *, m->tiers);
  for (uint32_t t = 0; t < m->tiers; t++)
    m->part[t] = ts_ir_parts(m->arena, ir, t);
}

/* How many members each part of a tier has; 0: not the same number. */
static uint32_t members_each(const uint32_t *part, const uint32_t *vertex, uint32_t n,
                             uint32_t *count)
{
  uint32_t each = 0;
  bool same = true;
  for (uint32_t i = 0; i < n; i++)
    count[part[vertex[i]]]++;
  for (uint32_t i = 0; i < n; i++) {
    same = same && (!each || count[part[vertex[i]]] == each);
    each = count[part[vertex[i]]];
  }
  for (uint32_t i = 0; i < n; i++)
    count[part[vertex[i]]] = 0;
  return same ? each : 0;
}

/* Members in an order in which each part's are together, those of a part in the order given. */
static void gather_parts(const uint32_t *part, uint32_t *vertex, uint32_t n, ts_arena *scratch,
                         uint32_t *first)
{
  uint32_t *sorted = TS_NEW_ARRAY(scratch, uint32_t, n), *of = TS_NEW_ARRAY(scratch, uint32_t, n),
           *place = TS_NEW_ARRAY(scratch, uint32_t, (size_t)n + 1), parts = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *number = &first[part[vertex[i]]];
    if (!*number)
      *number = ++parts;
    of[i] = *number - 1;
    place[of[i] + 1]++;
  }
  for (uint32_t k = 0; k < parts; k++)
    place[k + 1] += place[k];
  for (uint32_t i = 0; i < n; i++) {
    first[part[vertex[i]]] = 0;
    sorted[place[of[i]]++] = vertex[i];
  }
  memcpy(vertex, sorted, n * sizeof *vertex);
}

/* The ring of `n` members that are `stride` apart, both ways round if that is another way. */
static bool make_ring(ts_flow_maker *m, ts_arena *arena, const uint32_t *vertex, uint32_t n,
                      uint32_t stride, double share, part_list *parts, uint64_t *latency)
{
  uint32_t ways = n > 2 ? 2 : 1;
  for (uint32_t c = 0; c < ways; c++) {
    uint64_t slowest = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint64_t one;
      uint32_t next = (i + (c ? n - 1 : 1)) % n;
      if (!connect(m, vertex[(size_t)i * stride], vertex[(size_t)next * stride], c, &one))
        return false;
      slowest = one > slowest ? one : slowest;
    }
    *latency = (n - 1) * slowest > *latency ? (n - 1) * slowest : *latency;
    end_share(m, arena, parts, share / ways);
  }
  return true;
}

static bool make_dimensions(ts_flow_maker *m, ts_arena *arena, ts_arena *scratch,
                            const uint32_t *vertex, uint32_t n, part_list *parts,
                            ts_flow_pattern *out)
{
  if (!m->part)
    find_parts(m);
  uint32_t *at = ts_arena_copy(scratch, vertex, n * sizeof *vertex), *count = m->tally,
           *each = TS_NEW_ARRAY(scratch, uint32_t, (size_t)m->tiers + 1), inner = 1;
  for (uint32_t t = 0; t < m->tiers; t++) {
    uint32_t size = members_each(m->part[t], at, n, count);
    each[t] = size > inner ? size : 0; /* parts of a tier lie in those of the next: it divides */
    inner = size > inner ? size : inner;
  }
  each[m->tiers] = inner < n ? n : 0;
  for (uint32_t t = m->tiers; t-- > 0;)
    if (each[t])
      gather_parts(m->part[t], at, n, scratch, count);
  inner = 1;
  for (uint32_t t = 0; t <= m->tiers; t++) {
    uint32_t size = each[t] / inner;
    uint64_t latency = 0;
    for (uint32_t i = 0; each[t] && i < n; i++)
      if (i / inner % size == 0 &&
          !make_ring(m, arena, at + i, size, inner, 2. * (size - 1) / size / inner, parts,
                     &latency))
        return false;
    m->dimension += each[t] > 0;
    out->latency += latency;
    inner = each[t] ? each[t] : inner;
  }
  out->again = out->latency;
  out->share = 1;
  return true;
}

/* ---- By a switch ---- */

/* Where a directed link ends. */
static uint32_t flow_pattern_end(const ts_flow_maker *m, uint32_t link)
{
  const ts_ir_link *l = &m->ir->links[link / 2];
  return link % 2 ? l->from : l->to;
}

bool ts_flow_pattern_possible(ts_flow_maker *m, ts_flow_shape shape, const uint32_t *vertex,
                              uint32_t count)
{
  uint32_t hub = TS_IR_NONE;
  for (uint32_t i = 0; shape == TS_FLOW_SWITCH && i < count; i++) {
    ts_path path;
    uint32_t next = vertex[(i + 1) % count];
    if (ts_graph_island(m->graph, vertex[i]) != ts_graph_island(m->graph, next) ||
        !ts_graph_path(m->graph, vertex[i], next, &path) || path.hops != 2)
      return false;
    uint32_t here = flow_pattern_end(m, path.link[0]);
    if (m->ir->devices[here].device_class != TS_IR_NONE || (hub != TS_IR_NONE && hub != here))
      return false;
    hub = here;
  }
  return true;
}

/* Each member's link to the switch and back, with all that it sends and gets. */
static bool make_switch(ts_flow_maker *m, ts_arena *arena, const uint32_t *vertex, uint32_t n,
                        part_list *parts, ts_flow_pattern *out)
{
  for (uint32_t i = 0; i < n; i++) {
    uint64_t latency;
    if (!connect(m, vertex[i], vertex[(i + 1) % n], 0, &latency))
      return false;
    out->latency = latency > out->latency ? latency : out->latency;
  }
  out->share = 1 + 1. / n;
  end_part(m, arena, parts);
  return true;
}

static bool make_pairs(ts_flow_maker *m, ts_arena *arena, const uint32_t *vertex, uint32_t n,
                       part_list *parts, ts_flow_pattern *out)
{
  out->share = 1. / n;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 1; k < n; k++) {
      uint64_t latency;
      if (!connect(m, vertex[i], vertex[(i + k) % n], 0, &latency))
        return false;
      out->latency = latency > out->latency ? latency : out->latency;
      if (m->circuits.count || k + 1 == n)
        end_part(m, arena, parts);
    }
  }
  return true;
}

static bool make_shifts(ts_flow_maker *m, ts_arena *arena, const uint32_t *vertex, uint32_t n,
                        part_list *parts, ts_flow_pattern *out)
{
  out->share = 1;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t latency;
    if (!connect(m, vertex[i], vertex[(i + 1) % n], 0, &latency))
      return false;
    out->latency = latency > out->latency ? latency : out->latency;
    end_part(m, arena, parts);
  }
  return true;
}

bool ts_flow_pattern_make(ts_flow_maker *m, ts_arena *arena, ts_flow_shape shape,
                          const uint32_t *vertex, uint32_t count, ts_flow_pattern *out,
                          uint32_t unroutable[2])
{
  ts_arena *scratch = ts_arena_new("flow pattern");
  members g = by_island(m, scratch, vertex, count);
  part_list parts = {0};
  bool made = false;
  *out = (ts_flow_pattern){0};
  m->dimension = 0;
  switch (shape) {
  case TS_FLOW_LOOP: made = make_loops(m, arena, scratch, &g, TS_IR_NONE, &parts, out); break;
  case TS_FLOW_CHAIN: made = make_loops(m, arena, scratch, &g, vertex[0], &parts, out); break;
  case TS_FLOW_TREE: made = make_trees(m, arena, scratch, &g, &parts, out); break;
  case TS_FLOW_PAIRS: made = make_pairs(m, arena, vertex, count, &parts, out); break;
  case TS_FLOW_DIMENSIONS:
    made = make_dimensions(m, arena, scratch, vertex, count, &parts, out);
    break;
  case TS_FLOW_SWITCH: made = make_switch(m, arena, vertex, count, &parts, out); break;
  default: made = make_shifts(m, arena, vertex, count, &parts, out); break;
  }
  if (!made) {
    forget_part(m);
    memcpy(unroutable, m->failed, sizeof m->failed);
  }
  out->parts = parts.at;
  out->count = (uint32_t)parts.count;
  ts_arena_free(scratch);
  return made;
}

bool ts_flow_pattern_message(ts_flow_maker *m, ts_arena *arena, uint32_t from, uint32_t to,
                             ts_flow_pattern *out)
{
  part_list parts = {0};
  *out = (ts_flow_pattern){.share = 1};
  if (from != to && !connect(m, from, to, 0, &out->latency)) {
    forget_part(m);
    return false;
  }
  end_part(m, arena, &parts);
  out->parts = parts.at;
  out->count = (uint32_t)parts.count;
  return true;
}

/* ---- Which shape does what ---- */

uint32_t ts_flow_shapes_of(uint32_t kind, const ts_ir_net_model *model)
{
  const ts_algorithm *by =
    model->algorithm == TS_IR_NONE ? NULL : ts_algorithm_of(model->algorithm);
  switch (kind) {
  case TS_IR_ALL_REDUCE:
  case TS_IR_BARRIER:
    return !by                         ? 1u << TS_FLOW_LOOP | 1u << TS_FLOW_TREE :
           by->whole == TS_FLOW_SWITCH ? 1u << TS_FLOW_LOOP | 1u << TS_FLOW_SWITCH :
                                         1u << by->whole;
  case TS_IR_ALL_GATHER:
  case TS_IR_REDUCE_SCATTER: return 1u << (by ? by->half : TS_FLOW_LOOP);
  case TS_IR_BROADCAST:
  case TS_IR_REDUCE: return 1u << TS_FLOW_CHAIN;
  case TS_IR_ALL_TO_ALL: return 1u << TS_FLOW_PAIRS;
  default: return 1u << TS_FLOW_SHIFT;
  }
}

uint32_t ts_flow_shapes_called(const ts_ir *ir, uint32_t group, const ts_ir_net_model *model)
{
  uint32_t shapes = 0;
  for (uint32_t c = 0; c < ir->collectives_count; c++)
    if (ir->collectives[c].group == group && model->collectives >> ir->collectives[c].kind & 1)
      shapes |= ts_flow_shapes_of(ir->collectives[c].kind, model);
  return shapes;
}

double ts_flow_volume(ts_flow_shape shape, uint32_t kind, uint32_t ranks)
{
  if (kind == TS_IR_BARRIER)
    return 0;
  if (shape == TS_FLOW_DIMENSIONS) /* its rings have the shares of an all-reduce */
    return kind == TS_IR_ALL_REDUCE ? 1 : 0.5;
  if (shape != TS_FLOW_LOOP)
    return 1;
  return (kind == TS_IR_ALL_REDUCE ? 2. : 1.) * (ranks - 1) / ranks;
}

uint64_t ts_flow_latency(const ts_flow_pattern *pattern, uint32_t kind)
{
  return pattern->latency +
         (kind == TS_IR_ALL_REDUCE || kind == TS_IR_BARRIER ? pattern->again : 0);
}

ts_flow_models ts_flow_models_of(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                                 ts_link_graph *graph, uint32_t kind, const char *only)
{
  uint32_t all = ir->net_models_count;
  ts_flow_models f = {0, TS_NEW_ARRAY(arena, uint32_t, all),
                      TS_NEW_ARRAY(arena, const ts_ir_net_model *, all),
                      TS_NEW_ARRAY(arena, ts_flow_maker *, all)};
  for (uint32_t m = 0; m < all; m++)
    if (ir->net_models[m].kind == kind && ranks->vertex && ts_network_asks(ir, m, only)) {
      f.models[f.count] = &ir->net_models[m];
      f.makers[f.count] = ts_flow_maker_new(arena, ir, graph, &ir->net_models[m]);
      f.place[m] = f.count++;
    }
  return f;
}
