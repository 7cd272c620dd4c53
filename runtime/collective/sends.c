#include "runtime/collective/sends.h"

#include <string.h>

#include "runtime/collective/alpha_beta.h"
#include "runtime/collective/flow_model.h"
#include "runtime/collective/making.h"
#include "runtime/collective/white_box.h"

/* ---- Parts of bytes ---- */

uint64_t ts_parts_before(uint64_t total, uint64_t parts, uint64_t k)
{
  return total / parts * k + total % parts * k / parts;
}

uint64_t ts_part_of(uint64_t total, uint64_t parts, uint64_t k)
{
  return ts_parts_before(total, parts, k + 1) - ts_parts_before(total, parts, k);
}

uint32_t ts_pass_block(const ts_pass *p, uint32_t step)
{
  return (p->position + p->parts - step % p->parts) % p->parts;
}

uint64_t ts_pass_bytes(const ts_pass *p, uint32_t step)
{
  return ts_part_of(p->whole, p->parts, ts_pass_block(p, step));
}

uint64_t ts_pass_total(const ts_pass *p)
{
  uint64_t total = 0;
  for (uint32_t s = 0; s < p->steps; s++) total += ts_pass_bytes(p, s);
  return total;
}

/* ---- How a call is done ---- */

static uint32_t usual_algorithm(uint32_t kind)
{
  return ts_is_whole(kind) || ts_is_half(kind) || kind == TS_IR_BROADCAST || kind == TS_IR_REDUCE ?
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
        way.algorithm == TS_IR_NET_RING && (ts_is_whole(kind) || ts_is_half(kind))) {
      way.assumed = false;
      way.algorithm = ts_alpha_beta_by(m, kind, ts_network_profile(network, profile));
    }
    if (ts_network_flows(network, kind, bytes, profile, &call)) {
      way.assumed = false;
      way.algorithm = ts_algorithm_of_shape(call.shape);
      way.channels = m->channels;
      way.routing = m->routing;
      way.unrelayed = m->unrelayed;
    }
  }
  way.model = model;
  return way;
}

/* ---- Passes ---- */

ts_pass ts_making_pass(const ts_making *m, const ts_flow_connection *c)
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

void ts_making_add(ts_making *m, ts_pass pass)
{
  ts_sends *s = m->out;
  TS_PUSH(m->arena, &s->passes, pass);
  if (pass.first + pass.steps > s->steps)
    s->steps = pass.first + pass.steps;
  if (pass.channel >= s->channels)
    s->channels = pass.channel + 1;
}

bool ts_making_pattern(ts_making *m, ts_flow_shape shape, const uint32_t *vertex, uint32_t count)
{
  ts_flow_pattern pattern;
  m->connections.count = 0;
  ts_flow_maker_keep(m->maker, m->paths ? m->arena : m->work, &m->connections);
  if (ts_flow_pattern_make(m->maker, m->work, shape, vertex, count, &pattern, m->out->unroutable))
    return true;
  m->out->why = "devices of the group are not linked";
  return false;
}

uint32_t ts_making_of_part(const ts_making *m, size_t at)
{
  size_t end = at;
  while (end < m->connections.count && m->connections.at[end].part == m->connections.at[at].part)
    end++;
  return (uint32_t)(end - at);
}

uint32_t ts_making_parts(const ts_making *m)
{
  return m->connections.count ? m->connections.at[m->connections.count - 1].part + 1 : 1;
}

uint64_t ts_making_share(const ts_making *m, uint32_t made, uint32_t channel)
{
  uint32_t all = m->out->way.channels > made ? m->out->way.channels : made;
  uint64_t bytes = 0;
  for (uint32_t c = channel; c < all; c += made) bytes += ts_part_of(m->out->way.bytes, all, c);
  return bytes;
}

/* To the root of a reduction data run the other way. */
static ts_pass turned(const ts_making *m, ts_pass p)
{
  uint32_t *path = TS_NEW_ARRAY(m->arena, uint32_t, p.hops), from = p.from;
  for (uint32_t h = 0; h < p.hops; h++) path[h] = p.path[p.hops - 1 - h] ^ 1;
  p.from = p.to;
  p.to = from;
  p.path = path;
  return p;
}

static void add_chains(ts_making *m)
{
  uint32_t channels = ts_making_parts(m);
  for (size_t at = 0, size; at < m->connections.count; at += size) {
    uint32_t root = 0;
    size = ts_making_of_part(m, at);
    while (m->place[m->connections.at[at + root].from])
      root++;
    for (uint32_t i = 0; i < size; i++) {
      ts_pass p = ts_making_pass(m, &m->connections.at[at + i]);
      p.first = (uint32_t)((i + size - root) % size);
      p.whole = ts_making_share(m, channels, m->connections.at[at].part);
      if (m->out->way.kind == TS_IR_REDUCE) {
        p = turned(m, p);
        p.first = (uint32_t)size - 1 - p.first;
      }
      ts_making_add(m, p);
    }
  }
}

static void add_pairs(ts_making *m)
{
  for (size_t i = 0; i < m->connections.count; i++) {
    ts_pass p = ts_making_pass(m, &m->connections.at[i]);
    p.first = (p.to + m->ranks - p.from) % m->ranks - 1;
    p.parts = m->ranks;
    p.position = p.to;
    p.whole = m->out->way.bytes;
    ts_making_add(m, p);
  }
}

static void add_shifts(ts_making *m)
{
  for (size_t i = 0; i < m->connections.count; i++) {
    ts_pass p = ts_making_pass(m, &m->connections.at[i]);
    p.whole = m->out->way.bytes;
    ts_making_add(m, p);
  }
}

/* ---- What models of flows do not play ---- */

bool ts_making_message(ts_making *m, uint32_t from, uint32_t to, uint32_t channel, uint32_t step,
                       uint64_t bytes)
{
  ts_flow_pattern pattern;
  m->connections.count = 0;
  ts_flow_maker_keep(m->maker, m->paths ? m->arena : m->work, &m->connections);
  if (!ts_flow_pattern_message(m->maker, m->work, m->vertex[from], m->vertex[to], &pattern)) {
    m->out->unroutable[0] = m->vertex[from];
    m->out->unroutable[1] = m->vertex[to];
    m->out->why = "devices of the group are not linked";
    return false;
  }
  ts_pass p = ts_making_pass(m, &m->connections.at[0]);
  p.channel = channel;
  p.first = step;
  p.whole = bytes;
  ts_making_add(m, p);
  return true;
}

void ts_making_end(ts_making *m, uint32_t from, uint32_t to, uint32_t channel, uint32_t step,
                   uint64_t bytes)
{
  ts_making_add(m, (ts_pass){.from = from,
                   .to = to,
                   .relay = TS_IR_NONE,
                   .via = TS_IR_NONE,
                   .channel = channel,
                   .first = step,
                   .steps = 1,
                   .parts = 1,
                   .whole = bytes});
}

ts_islands ts_making_islands(ts_making *m)
{
  uint32_t n = m->ranks, *number = TS_NEW_ARRAY(m->work, uint32_t, m->ir->devices_count),
           *members = TS_NEW_ARRAY(m->work, uint32_t, n), count = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *k = &number[ts_graph_island(m->graph, m->vertex[i])];
    if (!*k)
      *k = ++count;
    members[*k - 1]++;
  }
  ts_islands g = {count, members[0], TS_NEW_ARRAY(m->work, uint32_t, n)};
  for (uint32_t k = 0; k < count; k++)
    if (members[k] != g.size) {
      m->out->why = "islands hold unlike numbers of the group's ranks";
      return (ts_islands){0};
    }
  memset(members, 0, count * sizeof *members);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = number[ts_graph_island(m->graph, m->vertex[i])] - 1;
    g.member[(size_t)k * g.size + members[k]++] = i;
  }
  return g;
}

/* ---- The whole ---- */

void ts_making_shape(ts_making *m, ts_flow_shape shape, void (*put)(ts_making *m))
{
  if (ts_making_pattern(m, shape, m->vertex, m->ranks))
    put(m);
}

/* Collectives from and to a root, exchanges and shifts know one way each. */
static void add_call(ts_making *m)
{
  uint32_t kind = m->out->way.kind;
  if (kind == TS_IR_MESSAGE)
    ts_making_message(m, 0, m->ranks - 1, 0, 0, m->out->way.bytes);
  else if (kind == TS_IR_ALL_TO_ALL)
    ts_making_shape(m, TS_FLOW_PAIRS, add_pairs);
  else if (usual_algorithm(kind) == TS_IR_NET_PAIRS)
    ts_making_shape(m, TS_FLOW_SHIFT, add_shifts);
  else if (!ts_is_whole(kind) && !ts_is_half(kind))
    ts_making_shape(m, TS_FLOW_CHAIN, add_chains);
  else if (!ts_algorithm_of(m->out->way.algorithm)->sends(m))
    m->out->why = "no steps are known of this collective by this algorithm";
}

/* After how many channels connections are the same again: rings and trees enter an island at the
 * channel modulo its members, and half of them run the other way. */
static uint32_t period_of(const ts_making *m)
{
  ts_arena *scratch = ts_arena_new("period");
  uint32_t *members = TS_NEW_ARRAY(scratch, uint32_t, m->ir->devices_count), count = 0, period = 2;
  for (uint32_t i = 0; i < m->ranks; i++)
    count += !members[ts_graph_island(m->graph, m->vertex[i])]++;
  for (uint32_t i = 0; i < m->ranks && count > 1 && period < m->out->way.channels; i++) {
    uint32_t size = members[ts_graph_island(m->graph, m->vertex[i])], one = period;
    while (period % size) period += one;
  }
  ts_arena_free(scratch);
  return period;
}

static uint32_t end_at(const ts_pass *p, int end)
{
  return end == 0 ? p->from : end == 1 ? p->to : p->via;
}

static void index_places(ts_making *m)
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
  ts_making m = {.arena = arena,
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
