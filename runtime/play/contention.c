#include "runtime/play/contention.h"

#include <math.h>
#include <string.h>

#include "runtime/collective/packet_model.h"
#include "runtime/load/event_queue.h"
#include "base/intern.h"

/* next: of those that are not used; message: it has ended when its last byte has left */
typedef struct begin {
  const ts_flow_pattern *pattern;
  double bytes;
  uint64_t latency, start;
  uint32_t tag, next;
  bool message, packets;
} begin;

/* Calls as packets. */
typedef struct packets {
  ts_packet_net *net;          /* NULL: nothing was played yet */
  uint32_t model;              /* the first of packets; TS_IR_NONE: none is played together */
  TS_VEC(ts_packet_flow) flows; /* of the call being started */
  TS_VEC(uint64_t) ahead;      /* of each tag: ps that its end is before its last packet's */
  uint32_t ended;              /* tag, or TS_IR_NONE */
  ts_packet_status status;
} packets;

struct ts_contention {
  ts_arena *arena;
  const ts_tables *tables;
  ts_network *network;
  ts_traffic *traffic;
  packets packets;
  TS_VEC(begin) begins;        /* calls that begin later */
  uint32_t unused;             /* the first place of `begins` that is free; its count: none */
  ts_event_queue heap;              /* when: id a place of `begins` */
  uint64_t order;
  TS_VEC(uint32_t) tags;       /* of each call of the traffic */
  TS_VEC(uint32_t) calls;      /* of the traffic, of each tag: the last */
  /* of each tag: the place of what begins when its call ends, or TS_IR_NONE */
  TS_VEC(uint32_t) followers;
  uint64_t now;
  /* [groups] of [instances * models * shapes]: made when asked for first */
  ts_flow_pattern **patterns;
  ts_intern paths; /* model, sender, which of its peers */
  TS_VEC(ts_flow_pattern *) path_patterns;
};

static uint32_t first_of_packets(const ts_ir *ir)
{
  for (uint32_t m = 0; m < ir->net_models_count; m++)
    if (ir->net_models[m].kind == TS_IR_NET_PACKET)
      return m;
  return TS_IR_NONE;
}

ts_contention *ts_contention_new(ts_arena *arena, const ts_tables *tables, ts_network *network,
                                 bool packets)
{
  ts_contention *c = TS_NEW(arena, ts_contention);
  *c = (ts_contention){.arena = arena,
                       .tables = tables,
                       .network = network,
                       .traffic = ts_traffic_new(arena, tables->ir),
                       .paths.arena = arena};
  c->packets.model = packets ? first_of_packets(tables->ir) : TS_IR_NONE;
  c->packets.ended = TS_IR_NONE;
  c->patterns = TS_NEW_ARRAY(arena, ts_flow_pattern *, tables->ir->groups_count);
  return c;
}

/* A call that takes `times` as long as the network would have it and begins at its start, or when
 * the call with the tag `after` has ended. */
static void contention_add(ts_contention *c, double times, uint32_t after, begin b)
{
  if (c->packets.net && b.start < c->now)
    b.start = c->now;
  b.bytes *= times;
  b.latency = (uint64_t)llround((double)b.latency * times);
  uint32_t place = c->unused;
  if (place < c->begins.count)
    c->unused = c->begins.at[place].next;
  else
    TS_PUSH(c->arena, &c->begins, (begin){.next = ++c->unused});
  c->begins.at[place] = b;
  if (after == TS_IR_NONE) {
    ts_event_queue_announce(c->arena, &c->heap, (ts_moment){b.start, c->order++, place, 0});
    return;
  }
  while (c->followers.count <= after)
    TS_PUSH(c->arena, &c->followers, TS_IR_NONE);
  c->followers.at[after] = place;
}

/* The call with this tag has ended: what was not to pass it begins. */
static void contention_follow(ts_contention *c, uint32_t tag)
{
  uint32_t place = tag < c->followers.count ? c->followers.at[tag] : TS_IR_NONE;
  if (place == TS_IR_NONE)
    return;
  uint64_t start = c->begins.at[place].start;
  c->followers.at[tag] = TS_IR_NONE;
  ts_event_queue_announce(c->arena, &c->heap,
                          (ts_moment){start > c->now ? start : c->now, c->order++, place, 0});
}

/* Whether calls of this model are played among others. */
static bool plays(const ts_contention *c, uint32_t model)
{
  const ts_ir_net_model *models = c->tables->ir->net_models;
  if (models[model].kind != TS_IR_NET_PACKET)
    return true;
  return c->packets.model != TS_IR_NONE &&
         !memcmp(&models[model].packets, &models[c->packets.model].packets,
                 sizeof models->packets);
}

static double times_of(const ts_contention *c, uint32_t call)
{
  return c->tables->transfer ? c->tables->transfer[call] : 1;
}

bool ts_contention_plays(ts_contention *c, uint32_t kind, uint64_t bytes, uint32_t profile,
                         ts_flow_call *flows)
{
  return profile != TS_IR_NONE && ts_network_flows(c->network, kind, bytes, profile, flows) &&
         plays(c, flows->model);
}

ts_flow_pattern *ts_contention_pattern(ts_contention *c, uint32_t group, uint32_t instance,
                                       uint32_t model, ts_flow_shape shape)
{
  const ts_ranks *ranks = c->tables->ranks;
  const ts_rank_group *g = &ranks->groups[group];
  size_t models = c->tables->ir->net_models_count;
  if (!c->patterns[group])
    c->patterns[group] =
      TS_NEW_ARRAY(c->arena, ts_flow_pattern, (size_t)g->instances * models * TS_FLOW_SHAPES);
  ts_flow_pattern *p =
    &c->patterns[group][((size_t)instance * models + model) * TS_FLOW_SHAPES + shape];
  if (!p->count) {
    ts_arena *scratch = ts_arena_new("members");
    uint32_t *vertex = TS_NEW_ARRAY(scratch, uint32_t, g->size), pair[2];
    for (uint32_t j = 0; j < g->size; j++)
      vertex[j] = ranks->vertex[ts_instance_ranks(g, instance)[j]];
    /* the network has found paths before */
    ts_flow_pattern_make(ts_network_maker(c->network, model), c->arena, shape, vertex, g->size, p,
                         pair);
    ts_arena_free(scratch);
  }
  return p;
}

ts_flow_pattern *ts_contention_path(ts_contention *c, uint32_t model, uint32_t from, uint32_t to,
                                    uint32_t peer)
{
  const uint32_t *vertex = c->tables->ranks->vertex;
  uint32_t path = ts_intern_run(&c->paths, (uint32_t[]){model, from, peer}, 3);
  if (path == c->path_patterns.count) {
    ts_flow_pattern *made = TS_NEW(c->arena, ts_flow_pattern);
    ts_flow_pattern_message(ts_network_maker(c->network, model), c->arena, vertex[from], vertex[to],
                            made);
    TS_PUSH(c->arena, &c->path_patterns, made);
  }
  return c->path_patterns.at[path];
}

bool ts_contention_collective(ts_contention *c, const ts_role *role, uint32_t collective,
                              uint32_t rank, uint64_t start, uint32_t tag)
{
  const ts_ir *ir = c->tables->ir;
  const ts_ir_collective *call = &ir->collectives[collective];
  const ts_rank_group *g = &c->tables->ranks->groups[call->group];
  ts_flow_call flows;
  if (!ts_contention_plays(c, call->kind, call->bytes, role->group_profile[call->group], &flows))
    return false;
  const ts_flow_pattern *pattern =
    ts_contention_pattern(c, call->group, g->instance_of[rank], flows.model, flows.shape);
  contention_add(c, times_of(c, collective), TS_IR_NONE,
                 (begin){pattern, flows.volume * pattern->share,
                         flows.base + ts_flow_latency(pattern, call->kind), start, tag, 0, false,
                         ir->net_models[flows.model].kind == TS_IR_NET_PACKET});
  return true;
}

bool ts_contention_message(ts_contention *c, const ts_role *role, uint32_t peer, uint32_t port,
                           uint32_t from, uint32_t to, uint64_t start, uint32_t tag, uint32_t after)
{
  const ts_ir *ir = c->tables->ir;
  ts_flow_call flows;
  if (!ts_contention_plays(c, TS_IR_MESSAGE, ir->ports[port].bytes, role->peer_profile[peer],
                           &flows))
    return false;
  const ts_flow_pattern *pattern = ts_contention_path(c, flows.model, from, to, peer);
  contention_add(c, times_of(c, ir->collectives_count + port), after,
                 (begin){pattern, flows.volume, flows.base, start, tag, 0, true,
                         ir->net_models[flows.model].kind == TS_IR_NET_PACKET});
  return true;
}

static void make_net(ts_contention *c)
{
  const ts_ir *ir = c->tables->ir;
  const ts_ir_net_packets *with = &ir->net_models[c->packets.model].packets;
  ts_packet_job job = {.links = ts_packet_links_of(c->arena, ir, with),
                       .node_count = ir->devices_count,
                       .link_count = ir->links_count,
                       .with = with,
                       .progress = c->tables->progress};
  c->packets.net = ts_packet_net_new(&job);
}

/* A collective's latency has that of all paths in it; its last packet arrives when it ends. */
static void begin_packets(ts_contention *c, const begin *b)
{
  packets *p = &c->packets;
  uint64_t propagation = 0;
  if (!p->net)
    make_net(c);
  p->flows.count = 0;
  for (uint32_t i = 0; i < b->pattern->count; i++)
    for (uint32_t k = 0; k < b->pattern->parts[i].leg_count; k++) {
      uint64_t bytes = (uint64_t)ceil(fmin(b->bytes * b->pattern->parts[i].share, 0x1p53));
      ts_packet_flow flow =
        ts_packet_flow_of(c->tables->ir, &b->pattern->parts[i].legs[k], bytes, &propagation);
      flow.part = i;
      flow.start = b->start + b->latency -
                   (b->message || propagation > b->latency ? 0 : propagation);
      TS_PUSH(c->arena, &p->flows, flow);
    }
  while (p->ahead.count <= b->tag)
    TS_PUSH(c->arena, &p->ahead, 0);
  p->ahead.at[b->tag] = b->message ? propagation : 0;
  ts_packet_net_start(p->net, p->flows.at, (uint32_t)p->flows.count, b->tag);
}

/* Plays packets up to `until`, or until a call ends. */
static bool play_packets(ts_contention *c, uint64_t until, uint64_t *now)
{
  packets *p = &c->packets;
  if (!p->net || p->status != TS_PACKET_DONE)
    return false;
  p->status = ts_packet_net_play(p->net, until);
  if (p->status != TS_PACKET_DONE || !ts_packet_net_ended(p->net, &p->ended))
    return false;
  c->now = ts_packet_net_now(p->net);
  *now = c->now - p->ahead.at[p->ended];
  return true;
}

static void begin_calls(ts_contention *c, uint64_t now)
{
  while (c->heap.count && c->heap.at[0].time <= now) {
    uint32_t place = ts_event_queue_take(&c->heap).id;
    begin b = c->begins.at[place];
    c->begins.at[place].next = c->unused;
    c->unused = place;
    if (b.packets) {
      begin_packets(c, &b);
      continue;
    }
    uint32_t call = ts_traffic_start(c->traffic, b.pattern, b.bytes, b.latency);
    while (c->tags.count <= call)
      TS_PUSH(c->arena, &c->tags, TS_IR_NONE);
    c->tags.at[call] = b.tag;
    while (c->calls.count <= b.tag)
      TS_PUSH(c->arena, &c->calls, TS_FLOW_NONE);
    c->calls.at[b.tag] = call;
  }
}

void ts_contention_pace(ts_contention *c, uint32_t tag, double pace)
{
  ts_traffic_pace(c->traffic, c->calls.at[tag], pace);
}

uint64_t ts_contention_next(ts_contention *c)
{
  uint64_t next = ts_traffic_next(c->traffic);
  return c->heap.count && c->heap.at[0].time < next ? c->heap.at[0].time : next;
}

bool ts_contention_play(ts_contention *c, uint64_t until, uint64_t *now)
{
  for (;;) {
    uint64_t next = ts_contention_next(c);
    if (play_packets(c, next < until ? next : until, now))
      return true;
    if (c->packets.status != TS_PACKET_DONE)
      return false;
    if (next > until || next == TS_FLOW_NEVER) {
      if (until != TS_FLOW_NEVER)
        ts_traffic_advance(c->traffic, until); /* whoever changes a pace means it from then on */
      return false;
    }
    ts_traffic_advance(c->traffic, next);
    begin_calls(c, next);
    *now = c->now = next;
    if (ts_traffic_any_ended(c->traffic))
      return true;
  }
}

uint32_t ts_contention_ended(ts_contention *c)
{
  uint32_t tag = c->packets.ended;
  c->packets.ended = TS_IR_NONE;
  if (tag == TS_IR_NONE) {
    uint32_t call = ts_traffic_ended(c->traffic);
    tag = call == TS_FLOW_NONE ? TS_IR_NONE : c->tags.at[call];
  }
  if (tag != TS_IR_NONE)
    contention_follow(c, tag);
  return tag;
}

void ts_contention_free(ts_contention *c)
{
  if (c)
    ts_packet_net_free(c->packets.net);
}

bool ts_contention_failed(const ts_contention *c, ts_stop *stop)
{
  if (c->packets.status == TS_PACKET_DONE)
    return false;
  ts_packet_report(c->tables->ir, c->packets.model, c->packets.status, stop);
  return true;
}

const ts_packet_use *ts_contention_packets(const ts_contention *c, ts_arena *arena,
                                           const ts_ir_net_packets **with)
{
  if (!c->packets.net)
    return NULL;
  ts_packet_use *use = TS_NEW_ARRAY(arena, ts_packet_use, 2 * (size_t)c->tables->ir->links_count);
  ts_packet_net_uses(c->packets.net, use);
  *with = &c->tables->ir->net_models[c->packets.model].packets;
  return use;
}
