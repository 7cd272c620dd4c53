#include "runtime/collective/sends.h"

#include <string.h>

#include "runtime/collective/flow_model.h"
#include "runtime/collective/white_box.h"

/* ---- Parts of bytes ---- */

uint64_t ts_parts_before(uint64_t total, uint64_t parts, uint64_t k)
{
  return total / parts * k + total % parts * k / parts;
}

static uint64_t part_of(uint64_t total, uint64_t parts, uint64_t k)
{
  return ts_parts_before(total, parts, k + 1) - ts_parts_before(total, parts, k);
}

uint32_t ts_pass_block(const ts_pass *p, uint32_t step)
{
  return (p->position + p->parts - step % p->parts) % p->parts;
}

uint64_t ts_pass_bytes(const ts_pass *p, uint32_t step)
{
  return part_of(p->whole, p->parts, ts_pass_block(p, step));
}

uint64_t ts_pass_total(const ts_pass *p)
{
  uint64_t total = 0;
  for (uint32_t s = 0; s < p->steps; s++) total += ts_pass_bytes(p, s);
  return total;
}

/* ---- How a call is done ---- */

static bool is_half(uint32_t kind)
{
  return kind == TS_IR_ALL_GATHER || kind == TS_IR_REDUCE_SCATTER;
}

static bool is_whole(uint32_t kind) { return kind == TS_IR_ALL_REDUCE || kind == TS_IR_BARRIER; }

static uint32_t usual_algorithm(uint32_t kind)
{
  return is_whole(kind) || is_half(kind) || kind == TS_IR_BROADCAST || kind == TS_IR_REDUCE ?
           TS_IR_NET_RING :
           TS_IR_NET_PAIRS;
}

ts_call_way ts_white_box_way(const ts_white_box *box, uint32_t kind, uint64_t bytes)
{
  bool pairs = usual_algorithm(kind) == TS_IR_NET_PAIRS;
  return (ts_call_way){.kind = kind,
                       .bytes = bytes,
                       .algorithm = pairs ? TS_IR_NET_PAIRS : box->method->algorithm,
                       .protocol = box->method->protocol,
                       .channels = box->channels,
                       .routing = TS_IR_ROUTE_SHORTEST,
                       .unrelayed = !box->method->relay,
                       .rounds = box->rounds};
}

ts_call_way ts_assumed_way(uint32_t kind, uint64_t bytes)
{
  return (ts_call_way){.kind = kind,
                       .bytes = bytes,
                       .algorithm = usual_algorithm(kind),
                       .protocol = TS_IR_NET_PROTOCOLS,
                       .channels = 1,
                       .routing = TS_IR_ROUTE_SHORTEST,
                       .unrelayed = true,
                       .model = TS_IR_NONE,
                       .assumed = true};
}

ts_call_way ts_network_call_way(ts_network *network, const ts_ir *ir, uint32_t kind,
                                uint64_t bytes, uint32_t profile)
{
  ts_white_box box;
  ts_flow_call call;
  uint32_t model = ts_network_answers(network, kind, profile);
  ts_call_way way = ts_assumed_way(kind, bytes);
  if (ts_network_way(network, kind, bytes, profile, &box))
    way = ts_white_box_way(&box, kind, bytes);
  else if (model != TS_IR_NONE) {
    const ts_ir_net_model *m = &ir->net_models[model];
    if (m->kind == TS_IR_NET_ALPHA_BETA && m->algorithm != TS_IR_NONE &&
        way.algorithm == TS_IR_NET_RING && (is_whole(kind) || is_half(kind))) {
      way.assumed = false;
      way.algorithm = is_half(kind) && m->algorithm == TS_IR_NET_TREE ? TS_IR_NET_RING :
                                                                       m->algorithm;
    }
    if (ts_network_flows(network, kind, bytes, profile, &call)) {
      static const uint32_t algorithms[TS_FLOW_SHAPES] = {
        [TS_FLOW_LOOP] = TS_IR_NET_RING,   [TS_FLOW_CHAIN] = TS_IR_NET_RING,
        [TS_FLOW_TREE] = TS_IR_NET_TREE,   [TS_FLOW_DIMENSIONS] = TS_IR_NET_HIERARCHICAL,
        [TS_FLOW_PAIRS] = TS_IR_NET_PAIRS, [TS_FLOW_SHIFT] = TS_IR_NET_PAIRS};
      way.assumed = false;
      way.algorithm = algorithms[call.shape];
      way.channels = m->channels;
      way.routing = m->routing;
      way.unrelayed = m->unrelayed;
    }
  }
  way.model = model;
  return way;
}

/* ---- Passes ---- */

typedef struct making {
  ts_arena *arena, *work; /* work: of what the making alone needs */
  const ts_ir *ir;
  ts_link_graph *graph;
  bool paths;
  ts_sends *out;
  ts_flow_maker *maker;
  ts_flow_connections kept; /* of the pattern made last */
  const uint32_t *vertex;
  uint32_t ranks;
  uint32_t channels;        /* that are made, >= 1: where models of flows do not choose */
  uint32_t *place;          /* [devices] of a vertex in the group */
} making;

static ts_pass pass_over(const making *m, const ts_flow_connection *c)
{
  return (ts_pass){.from = m->place[c->from],
                   .to = m->place[c->to],
                   .relay = c->relay == c->from ? TS_IR_NONE : c->relay,
                   .via = c->relay == c->from ? TS_IR_NONE : m->place[c->relay],
                   .channel = c->channel,
                   .steps = 1,
                   .parts = 1,
                   .ways = c->ways,
                   .hops = m->paths ? c->hops : 0,
                   .path = m->paths ? c->path : NULL};
}

static void add(making *m, ts_pass pass)
{
  ts_sends *s = m->out;
  TS_PUSH(m->arena, &s->passes, pass);
  if (pass.first + pass.steps > s->steps)
    s->steps = pass.first + pass.steps;
  if (pass.channel >= s->channels)
    s->channels = pass.channel + 1;
}

static bool make(making *m, ts_flow_shape shape, const uint32_t *vertex, uint32_t count)
{
  ts_flow_pattern pattern;
  m->kept.count = 0;
  ts_flow_maker_keep(m->maker, m->paths ? m->arena : m->work, &m->kept);
  if (ts_flow_pattern_make(m->maker, m->work, shape, vertex, count, &pattern, m->out->unroutable))
    return true;
  m->out->why = "devices of the group are not linked";
  return false;
}

/* How many connections from `at` on are of its part. */
static uint32_t of_part(const making *m, size_t at)
{
  size_t end = at;
  while (end < m->kept.count && m->kept.at[end].part == m->kept.at[at].part) end++;
  return (uint32_t)(end - at);
}

static uint32_t parts_made(const making *m)
{
  return m->kept.count ? m->kept.at[m->kept.count - 1].part + 1 : 1;
}

/* What a channel carries, of the `made` ones, which may stand for several each. */
static uint64_t share_of(const making *m, uint32_t made, uint32_t channel)
{
  uint32_t all = m->out->way.channels > made ? m->out->way.channels : made;
  uint64_t bytes = 0;
  for (uint32_t c = channel; c < all; c += made) bytes += part_of(m->out->way.bytes, all, c);
  return bytes;
}

/* A reduce-scatter leaves block i with the place i of its ring, an all-gather starts from there. */
static void add_loops(making *m)
{
  uint32_t kind = m->out->way.kind, n = m->ranks, channels = parts_made(m);
  for (size_t at = 0, size; at < m->kept.count; at += size) {
    size = of_part(m, at);
    for (uint32_t i = 0; i < size; i++) {
      ts_pass p = pass_over(m, &m->kept.at[at + i]);
      p.steps = (is_whole(kind) ? 2 : 1) * (n - 1);
      p.parts = n;
      p.position = kind == TS_IR_REDUCE_SCATTER ? (i + n - 1) % n : i;
      p.whole = share_of(m, channels, m->kept.at[at].part);
      add(m, p);
    }
  }
}

/* To the root of a reduction data run the other way. */
static ts_pass turned(const making *m, ts_pass p)
{
  uint32_t *path = TS_NEW_ARRAY(m->arena, uint32_t, p.hops), from = p.from;
  for (uint32_t h = 0; h < p.hops; h++) path[h] = p.path[p.hops - 1 - h] ^ 1;
  p.from = p.to;
  p.to = from;
  p.path = path;
  return p;
}

static void add_chains(making *m)
{
  uint32_t channels = parts_made(m);
  for (size_t at = 0, size; at < m->kept.count; at += size) {
    uint32_t root = 0;
    size = of_part(m, at);
    while (m->place[m->kept.at[at + root].from]) root++;
    for (uint32_t i = 0; i < size; i++) {
      ts_pass p = pass_over(m, &m->kept.at[at + i]);
      p.first = (uint32_t)((i + size - root) % size);
      p.whole = share_of(m, channels, m->kept.at[at].part);
      if (m->out->way.kind == TS_IR_REDUCE) {
        p = turned(m, p);
        p.first = (uint32_t)size - 1 - p.first;
      }
      add(m, p);
    }
  }
}

/* Connections of a tree: up and down in turn. A rank sends up when all below it have. */
static void add_tree(making *m, size_t at, size_t size, uint32_t start, uint64_t whole)
{
  ts_arena *scratch = ts_arena_new("tree");
  uint32_t *height = TS_NEW_ARRAY(scratch, uint32_t, m->ranks),
           *depth = TS_NEW_ARRAY(scratch, uint32_t, m->ranks), top = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = at; i < at + size; i += 2) {
      uint32_t child = m->place[m->kept.at[i].from], parent = m->place[m->kept.at[i].to];
      changed |= height[parent] <= height[child] || depth[child] != depth[parent] + 1;
      height[parent] = height[parent] > height[child] ? height[parent] : height[child] + 1;
      depth[child] = depth[parent] + 1;
      top = height[parent] > top ? height[parent] : top;
    }
  }
  for (size_t i = at; i < at + size; i++) {
    ts_pass p = pass_over(m, &m->kept.at[i]);
    p.first = start + ((i - at) % 2 ? top + depth[p.from] : height[p.from]);
    p.whole = whole;
    add(m, p);
  }
  ts_arena_free(scratch);
}

static void add_trees(making *m)
{
  uint32_t channels = parts_made(m);
  for (size_t at = 0, size; at < m->kept.count; at += size) {
    size = of_part(m, at);
    add_tree(m, at, size, 0, share_of(m, channels, m->kept.at[at].part));
  }
}

enum { MOST_DIMENSIONS = 64 };

/* Inner rings first where data are summed, last where they are gathered: outer ones have less to
 * carry. */
static void add_dimensions(making *m)
{
  uint32_t size[MOST_DIMENSIONS] = {0}, before[MOST_DIMENSIONS + 1] = {0}, dimensions = 0,
           kind = m->out->way.kind;
  uint64_t inner = 1;
  for (size_t at = 0; at < m->kept.count; at += of_part(m, at))
    if (m->kept.at[at].dimension < MOST_DIMENSIONS) {
      size[m->kept.at[at].dimension] = of_part(m, at);
      dimensions = m->kept.at[at].dimension + 1;
    }
  for (uint32_t d = 0; d < dimensions; d++) before[d + 1] = before[d] + size[d] - 1;
  uint32_t all = before[dimensions], last = 0, ring = 0;
  for (size_t at = 0, n; at < m->kept.count; at += n) {
    uint32_t d = m->kept.at[at].dimension, ways = size[d] > 2 ? 2 : 1;
    n = of_part(m, at);
    if (d != last) {
      inner *= size[last];
      last = d;
      ring = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
      ts_pass p = pass_over(m, &m->kept.at[at + i]);
      p.steps = size[d] - 1;
      p.parts = size[d];
      p.position = p.channel ? (size[d] - i) % size[d] : i;
      p.whole = part_of(part_of(m->out->way.bytes, inner, ring / ways % inner), ways, p.channel);
      p.first = kind == TS_IR_ALL_GATHER ? all - before[d + 1] : before[d];
      add(m, p);
      p.first = all + all - before[d + 1];
      p.position = (p.position + 1) % p.parts;
      if (is_whole(kind))
        add(m, p);
    }
    ring++;
  }
}

static void add_pairs(making *m)
{
  for (size_t i = 0; i < m->kept.count; i++) {
    ts_pass p = pass_over(m, &m->kept.at[i]);
    p.first = (p.to + m->ranks - p.from) % m->ranks - 1;
    p.parts = m->ranks;
    p.position = p.to;
    p.whole = m->out->way.bytes;
    add(m, p);
  }
}

static void add_shifts(making *m)
{
  for (size_t i = 0; i < m->kept.count; i++) {
    ts_pass p = pass_over(m, &m->kept.at[i]);
    p.whole = m->out->way.bytes;
    add(m, p);
  }
}

/* ---- What models of flows do not play ---- */

/* A message of the group, by places. False: there is no path. */
static bool add_message(making *m, uint32_t from, uint32_t to, uint32_t channel, uint32_t step,
                        uint64_t bytes)
{
  ts_flow_pattern pattern;
  m->kept.count = 0;
  ts_flow_maker_keep(m->maker, m->paths ? m->arena : m->work, &m->kept);
  if (!ts_flow_pattern_message(m->maker, m->work, m->vertex[from], m->vertex[to], &pattern)) {
    m->out->unroutable[0] = m->vertex[from];
    m->out->unroutable[1] = m->vertex[to];
    m->out->why = "devices of the group are not linked";
    return false;
  }
  ts_pass p = pass_over(m, &m->kept.at[0]);
  p.channel = channel;
  p.first = step;
  p.whole = bytes;
  add(m, p);
  return true;
}

static void add_end(making *m, uint32_t from, uint32_t to, uint32_t channel, uint32_t step,
                    uint64_t bytes)
{
  add(m, (ts_pass){.from = from,
                   .to = to,
                   .relay = TS_IR_NONE,
                   .via = TS_IR_NONE,
                   .channel = channel,
                   .first = step,
                   .steps = 1,
                   .parts = 1,
                   .whole = bytes});
}

/* Step k hands on the blocks of 2^k ranks to one that is as far away, and a reduce-scatter goes the
 * same way back. */
static bool add_bruck(making *m)
{
  uint32_t n = m->ranks, channels = m->channels, steps = 0;
  bool reduces = m->out->way.kind == TS_IR_REDUCE_SCATTER;
  while ((n - 1) >> steps) steps++;
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < steps; k++)
      for (uint32_t i = 0; i < n; i++) {
        uint32_t far = 1u << k, count = far < n - far ? far : n - far, to = (i + n - far) % n;
        uint64_t whole = share_of(m, channels, c), wrap = i + count > n ? i + count - n : 0,
                 bytes = ts_parts_before(whole, n, i + count - wrap) -
                         ts_parts_before(whole, n, i) + ts_parts_before(whole, n, wrap);
        if (!add_message(m, reduces ? to : i, reduces ? i : to, c, reduces ? steps - 1 - k : k,
                         bytes))
          return false;
      }
  return true;
}

typedef struct islands { uint32_t count, size, *member; } islands; /* [count][size] places */

/* Members of each island; count 0: not as many in each. */
static islands islands_of(const making *m)
{
  uint32_t n = m->ranks, *number = TS_NEW_ARRAY(m->work, uint32_t, m->ir->devices_count),
           *held = TS_NEW_ARRAY(m->work, uint32_t, n), count = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *k = &number[ts_graph_island(m->graph, m->vertex[i])];
    if (!*k)
      *k = ++count;
    held[*k - 1]++;
  }
  islands g = {count, held[0], TS_NEW_ARRAY(m->work, uint32_t, n)};
  for (uint32_t k = 0; k < count; k++)
    if (held[k] != g.size)
      return (islands){0};
  memset(held, 0, count * sizeof *held);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = number[ts_graph_island(m->graph, m->vertex[i])] - 1;
    g.member[(size_t)k * g.size + held[k]++] = i;
  }
  return g;
}

/* Each rank has a part of its island's sum: the switch reads it from all, and hands it to all. */
static void add_switch(making *m, const islands *g, uint32_t channel, uint32_t first, uint32_t back,
                       uint64_t whole)
{
  uint32_t kind = m->out->way.kind;
  for (uint32_t k = 0; k < g->count; k++)
    for (uint32_t j = 0; j < g->size; j++) {
      uint32_t place = g->member[k * g->size + j];
      uint64_t part = part_of(whole, g->size, j);
      if (kind != TS_IR_ALL_GATHER) {
        add_end(m, place, TS_SEND_SWITCH, channel, first, whole);
        add_end(m, TS_SEND_SWITCH, place, channel, first, part);
      }
      if (kind != TS_IR_REDUCE_SCATTER) {
        add_end(m, place, TS_SEND_SWITCH, channel, back, part);
        add_end(m, TS_SEND_SWITCH, place, channel, back, whole);
      }
    }
}

static bool add_switches(making *m, const islands *g, bool tree)
{
  uint32_t channels = m->channels,
           *heads = TS_NEW_ARRAY(m->work, uint32_t, g->count), back = 1;
  for (uint32_t j = 0; tree && j < g->size; j++) {
    for (uint32_t k = 0; k < g->count; k++) heads[k] = m->vertex[g->member[k * g->size + j]];
    if (!make(m, TS_FLOW_TREE, heads, g->count))
      return false;
    for (size_t at = 0, size; at < m->kept.count; at += size) {
      size = of_part(m, at);
      add_tree(m, at, size, 1,
               part_of(share_of(m, channels, m->kept.at[at].part), g->size, j));
    }
    back = m->out->steps;
  }
  if (m->out->way.kind == TS_IR_ALL_GATHER)
    back = 0;
  for (uint32_t c = 0; c < channels; c++)
    add_switch(m, g, c, 0, back, share_of(m, channels, c));
  return true;
}

/* All members of an island to each other: the part of each receiver, or all their own part. */
static bool exchange(making *m, const islands *g, uint32_t channel, uint32_t step, uint64_t whole,
                     bool gathers)
{
  for (uint32_t k = 0; k < g->count; k++)
    for (uint32_t i = 0; i < g->size; i++)
      for (uint32_t d = 1; d < g->size; d++) {
        uint32_t j = (i + d) % g->size;
        if (!add_message(m, g->member[k * g->size + i], g->member[k * g->size + j], channel, step,
                         part_of(whole, g->size, gathers ? i : j)))
          return false;
      }
  return true;
}

/* Every rank is at the NIC of its rail: parts meet there, the fabric sums or gathers, and parts
 * come back. */
static bool add_fabric_direct(making *m, const islands *g)
{
  uint32_t channels = m->channels, kind = m->out->way.kind,
           meet = kind != TS_IR_ALL_GATHER;
  for (uint32_t c = 0; c < channels; c++) {
    uint64_t whole = share_of(m, channels, c);
    if (meet && !exchange(m, g, c, 0, whole, false))
      return false;
    for (uint32_t k = 0; k < g->count; k++)
      for (uint32_t j = 0; j < g->size; j++) {
        uint32_t place = g->member[k * g->size + j];
        uint64_t rail = part_of(whole, g->size, j), own = part_of(rail, g->count, k);
        add_end(m, place, TS_SEND_FABRIC, c, meet, kind == TS_IR_ALL_GATHER ? own : rail);
        add_end(m, TS_SEND_FABRIC, place, c, meet + 1,
                kind == TS_IR_ALL_GATHER     ? rail - own :
                kind == TS_IR_REDUCE_SCATTER ? own :
                                               rail);
      }
    if (kind != TS_IR_REDUCE_SCATTER && !exchange(m, g, c, meet + 2, whole, true))
      return false;
  }
  return true;
}

/* A chain to the rank at the channel's NIC, and back. */
static bool add_fabric_chain(making *m, const islands *g)
{
  uint32_t channels = m->channels, far = g->size - 1;
  for (uint32_t c = 0; c < channels; c++)
    for (uint32_t k = 0; k < g->count; k++) {
      const uint32_t *member = g->member + (size_t)k * g->size;
      uint64_t whole = share_of(m, channels, c);
      for (uint32_t d = far; d > 0; d--) {
        uint32_t outer = member[(c + d) % g->size], nearer = member[(c + d - 1) % g->size];
        if (!add_message(m, outer, nearer, c, far - d, whole) ||
            !add_message(m, nearer, outer, c, far + 1 + d, whole))
          return false;
      }
      add_end(m, member[c % g->size], TS_SEND_FABRIC, c, far, whole);
      add_end(m, TS_SEND_FABRIC, member[c % g->size], c, far + 1, whole);
    }
  return true;
}

static void add_reducing(making *m)
{
  const ts_call_way *w = &m->out->way;
  islands g = islands_of(m);
  bool direct = w->algorithm == TS_IR_NET_FABRIC_DIRECT,
       tree = w->algorithm == TS_IR_NET_SWITCH_TREE;
  if (!g.count)
    m->out->why = "islands hold unlike numbers of the group's ranks";
  else if (!is_whole(w->kind) && (!is_half(w->kind) || tree || (g.count > 1 && !direct)))
    m->out->why = "no steps are known of this collective by this algorithm";
  else if (direct)
    add_fabric_direct(m, &g);
  else if (w->algorithm == TS_IR_NET_FABRIC_CHAIN)
    add_fabric_chain(m, &g);
  else
    add_switches(m, &g, tree);
}

/* ---- The whole ---- */

static void add_shape(making *m, ts_flow_shape shape, void (*put)(making *m))
{
  if (make(m, shape, m->vertex, m->ranks))
    put(m);
}

static void add_call(making *m)
{
  uint32_t kind = m->out->way.kind;
  if (kind == TS_IR_MESSAGE)
    add_message(m, 0, m->ranks - 1, 0, 0, m->out->way.bytes);
  else if (kind == TS_IR_ALL_TO_ALL)
    add_shape(m, TS_FLOW_PAIRS, add_pairs);
  else if (usual_algorithm(kind) == TS_IR_NET_PAIRS)
    add_shape(m, TS_FLOW_SHIFT, add_shifts);
  else if (!is_whole(kind) && !is_half(kind))
    add_shape(m, TS_FLOW_CHAIN, add_chains);
  else if (m->out->way.algorithm == TS_IR_NET_RING)
    add_shape(m, TS_FLOW_LOOP, add_loops);
  else if (m->out->way.algorithm == TS_IR_NET_TREE && is_whole(kind))
    add_shape(m, TS_FLOW_TREE, add_trees);
  else if (m->out->way.algorithm == TS_IR_NET_HIERARCHICAL)
    add_shape(m, TS_FLOW_DIMENSIONS, add_dimensions);
  else if (m->out->way.algorithm == TS_IR_NET_AGGREGATED_TREES && is_half(kind))
    add_bruck(m);
  else if (m->out->way.algorithm == TS_IR_NET_TREE || m->out->way.algorithm == TS_IR_NET_PAIRS ||
           m->out->way.algorithm == TS_IR_NET_AGGREGATED_TREES)
    m->out->why = "no steps are known of this collective by this algorithm";
  else
    add_reducing(m);
}

/* After how many channels connections are the same again: rings and trees enter an island at the
 * channel modulo its members, and half of them run the other way. */
static uint32_t period_of(const making *m)
{
  ts_arena *scratch = ts_arena_new("period");
  uint32_t *held = TS_NEW_ARRAY(scratch, uint32_t, m->ir->devices_count), count = 0, period = 2;
  for (uint32_t i = 0; i < m->ranks; i++)
    count += !held[ts_graph_island(m->graph, m->vertex[i])]++;
  for (uint32_t i = 0; i < m->ranks && count > 1 && period < m->out->way.channels; i++) {
    uint32_t size = held[ts_graph_island(m->graph, m->vertex[i])], one = period;
    while (period % size) period += one;
  }
  ts_arena_free(scratch);
  return period;
}

static uint32_t end_at(const ts_pass *p, int end)
{
  return end == 0 ? p->from : end == 1 ? p->to : p->via;
}

static void index_places(making *m)
{
  ts_sends *s = m->out;
  uint32_t *first = TS_NEW_ARRAY(m->arena, uint32_t, (size_t)m->ranks + 2);
  for (size_t i = 0; i < s->passes.count; i++)
    for (int e = 0; e < 3; e++)
      if (end_at(&s->passes.at[i], e) < m->ranks)
        first[end_at(&s->passes.at[i], e) + 2]++;
  for (uint32_t r = 0; r < m->ranks; r++) first[r + 2] += first[r + 1];
  uint32_t *touching = TS_NEW_ARRAY(m->arena, uint32_t, first[m->ranks + 1] + 1);
  for (size_t i = 0; i < s->passes.count; i++)
    for (int e = 0; e < 3; e++)
      if (end_at(&s->passes.at[i], e) < m->ranks)
        touching[first[end_at(&s->passes.at[i], e) + 1]++] = (uint32_t)i;
  s->first = first;
  s->touching = touching;
}

bool ts_sends_between_ranks(const ts_sends *s)
{
  for (size_t i = 0; i < s->passes.count; i++)
    if (s->passes.at[i].from >= s->ranks || s->passes.at[i].to >= s->ranks)
      return false;
  return !s->why;
}

ts_sends *ts_sends_new(ts_arena *arena, const ts_ir *ir, ts_link_graph *graph,
                       const uint32_t *vertex, uint32_t ranks, const ts_call_way *way, bool alike)
{
  ts_sends *out = TS_NEW(arena, ts_sends);
  making m = {.arena = arena,
              .work = ts_arena_new("sends"),
              .paths = !alike,
              .ir = ir,
              .graph = graph,
              .out = out,
              .vertex = vertex,
              .ranks = ranks};
  m.place = TS_NEW_ARRAY(m.work, uint32_t, ir->devices_count);
  *out = (ts_sends){.way = *way, .ranks = ranks};
  memset(m.place, 0xff, ir->devices_count * sizeof *m.place);
  for (uint32_t i = 0; i < ranks; i++) m.place[vertex[i]] = i;
  uint32_t period = alike ? period_of(&m) : way->channels;
  m.channels = way->algorithm == TS_IR_NET_AGGREGATED_TREES && alike ? 1 :
               period < way->channels                                ? period :
                                                                       way->channels;
  ts_ir_net_model model = {.kind = TS_IR_NET_FLOW,
                           .routing = way->routing,
                           .unrelayed = way->unrelayed,
                           .channels = m.channels,
                           .algorithm = way->algorithm};
  m.maker = ts_flow_maker_new(m.work, ir, graph, &model);
  m.channels += !m.channels;
  add_call(&m);
  if (out->why)
    out->passes.count = 0;
  index_places(&m);
  ts_arena_free(m.work);
  return out;
}
