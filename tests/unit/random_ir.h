/* Small random plans for property tests: valid, playable to the end, the same for the same seed (of
 * one compiler). A mesh of one to three axes, mostly with a pipeline whose stages exchange messages
 * in GPipe or 1F1B order, collectives inside the stages and over all ranks at the end, a cluster of
 * islands with some slow devices, network models, host work, memory. Names repeat and hold odd
 * characters. */
#ifndef TS_TESTS_RANDOM_IR_H
#define TS_TESTS_RANDOM_IR_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

enum { RANDOM_IR_LARGEST_FRAGMENT = 64 };

typedef struct random_ir {
  uint64_t state;
  ts_ir_builder *b;
  uint32_t axes, size[3], pipeline, stages; /* pipeline: an axis or TS_IR_NONE */
  uint32_t groups, inner;                   /* the first `inner` groups stay within a stage */
  uint32_t kernels, collectives, inner_collectives;
  uint32_t sources, cost_sources, micro_batches;
  uint64_t message_bytes;
  bool one_stream; /* messages to both neighbours leave on one stream, past each other */
} random_ir;

static inline uint64_t random_bits(random_ir *g) /* splitmix64 (Steele, Lea, Flood 2014) */
{
  uint64_t z = g->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static inline uint32_t random_below(random_ir *g, uint32_t limit)
{
  return (uint32_t)(random_bits(g) >> 32) % limit;
}
static inline uint32_t random_between(random_ir *g, uint32_t least, uint32_t most)
{
  return least + random_below(g, most - least + 1);
}
static inline bool random_chance(random_ir *g, uint32_t percent)
{
  return random_below(g, 100) < percent;
}

static inline uint64_t random_time(random_ir *g) /* up to 100 us, often a round figure */
{
  return random_chance(g, 50) ? random_below(g, 100) * UINT64_C(1000000) :
                                random_bits(g) % 100000000;
}

static inline uint64_t random_size(random_ir *g)
{
  return random_chance(g, 50) ? random_below(g, 64) * UINT64_C(1048576) :
                                random_bits(g) % 100000000;
}

static inline ts_ir_str random_name(random_ir *g)
{
  static const char *const names[] = {
    "a",   "b", "gemm", "layer[3].attn", "gpu[0]", "say \"x\"", "two words", "", "\xc3\xa9tage",
    "a.2", "a", "send", "tab\there",     "x->y",   "-",         "compute"};
  return ts_ir_add_string(g->b, names[random_below(g, sizeof names / sizeof *names)]);
}

static inline uint32_t random_loc(random_ir *g)
{
  if (random_chance(g, 40))
    return TS_IR_NONE;
  ts_ir_loc loc = {random_below(g, g->sources), random_between(g, 1, 99), random_between(g, 1, 80),
                   0};
  loc.end_column = loc.column + random_below(g, 9);
  return ts_ir_intern(g->b, TS_IR_LOCS, &loc);
}

static inline void *random_append(random_ir *g, ts_ir_section_kind kind, uint32_t count)
{
  void *records;
  ts_ir_append(g->b, kind, count, &records);
  return records;
}

static inline void random_sources(random_ir *g)
{
  g->sources = random_between(g, 1, 3);
  for (uint32_t i = 0; i < g->sources; i++) {
    ts_ir_source s = {.name = random_name(g), .role = random_name(g), .text = random_name(g)};
    for (int k = 0; k < 32 && i; k++)
      s.sha256[k] = (uint8_t)random_bits(g);
    *(ts_ir_source *)random_append(g, TS_IR_SOURCES, 1) = s;
  }
  g->cost_sources = random_between(g, 1, 2);
  for (uint32_t i = 0; i < g->cost_sources; i++) {
    ts_ir_cost_source s = {.name = random_name(g), .kind = random_name(g), .loc = random_loc(g)};
    *(ts_ir_cost_source *)random_append(g, TS_IR_COST_SOURCES, 1) = s;
  }
  for (uint32_t i = random_below(g, 3); i; i--) {
    ts_ir_format f = {.dtype = random_name(g),
                      .model_flops = (double)random_bits(g),
                      .peak = random_below(g, 3) * 1e12};
    *(ts_ir_format *)random_append(g, TS_IR_FORMATS, 1) = f;
  }
}

/* Warnings of the compilation, each with what belongs to it. */
static inline void random_remarks(random_ir *g)
{
  static const char *const texts[] = {"two words", "say \"x\"", "\xc3\xa9t\xc3\xa9\n2", "a"};
  for (uint32_t left = random_below(g, 4), i = 0, last = TS_IR_REMARK_ASSUMED; i < left; i++) {
    /* what belongs to a warning follows it */
    uint32_t kind = i && last != TS_IR_REMARK_ASSUMED ? random_below(g, TS_IR_REMARK_KINDS) :
                    random_below(g, 2)                ? TS_IR_REMARK_WARNING :
                                                        TS_IR_REMARK_ASSUMED;
    last = kind;
    ts_ir_remark r = {.kind = kind,
                      .loc = random_loc(g),
                      .text = ts_ir_add_string(g->b, texts[random_below(g, 4)])};
    if (kind == TS_IR_REMARK_WARNING) {
      r.name = ts_ir_add_string(g->b, random_chance(g, 50) ? "W0201" : "W0999");
      r.here = random_name(g);
      r.more = random_below(g, 3);
    } else if (kind == TS_IR_REMARK_FACT)
      r.name = ts_ir_add_string(g->b, "fact");
    *(ts_ir_remark *)random_append(g, TS_IR_REMARKS, 1) = r;
  }
}

static inline void random_mesh(random_ir *g)
{
  ts_ir_meta *meta = ts_ir_builder_meta(g->b);
  g->axes = random_between(g, 1, 3);
  g->pipeline = random_chance(g, 85) ? random_below(g, g->axes) : TS_IR_NONE;
  g->stages = 1;
  meta->world = 1;
  for (uint32_t i = 0; i < g->axes; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%u", i);
    ts_ir_axis a = {
      .name = ts_ir_add_string(g->b, name), .size = random_between(g, 1, 4), .stride = meta->world};
    g->size[i] = a.size;
    meta->world *= a.size;
    if (i == g->pipeline)
      g->stages = a.size;
    *(ts_ir_axis *)random_append(g, TS_IR_AXES, 1) = a;
  }
  meta->pipeline_axis = g->pipeline;
  for (uint32_t pass = 0; pass < 2; pass++) { /* groups within a stage first */
    for (uint32_t axes = 0; axes < 1u << g->axes; axes++) {
      bool within = g->pipeline == TS_IR_NONE || !(axes >> g->pipeline & 1);
      if (within != !pass)
        continue;
      ts_ir_group group = {.name = random_name(g), .axes = axes};
      *(ts_ir_group *)random_append(g, TS_IR_GROUPS, 1) = group;
      g->groups++;
    }
    if (!pass)
      g->inner = g->groups;
  }
}

/* Islands of devices around a switch each, one switch above them. */
static inline void random_cluster(random_ir *g)
{
  uint32_t world = ts_ir_builder_meta(g->b)->world, classes = random_between(g, 1, 2);
  uint32_t per_island = 1u << random_below(g, 4),
           islands = (world + per_island - 1) / per_island + random_below(g, 2);
  if (random_chance(g, 10))
    return;
  for (uint32_t i = 0; i < classes; i++) {
    ts_ir_device_class d = {.name = random_name(g),
                            .loc = random_loc(g),
                            .memory = (uint64_t)random_below(g, 3) << 36,
                            .bandwidth = 1e12 + random_below(g, 1000) * 1e9 / 3};
    d.price = random_chance(g, 50) ? TS_NOT_KNOWN : (double)random_below(g, 4);
    d.reserved_memory = d.memory ? random_size(g) : 0;
    *(ts_ir_device_class *)random_append(g, TS_IR_DEVICE_CLASSES, 1) = d;
  }
  const ts_ir_array arrays[] = {
    {random_name(g),
     TS_IR_DEVICE,
     0,
     islands * per_island,
     2,
     {islands, per_island},
     random_loc(g)},
    {random_name(g), TS_IR_SWITCH, islands * per_island, islands, 1, {islands}, random_loc(g)},
    {random_name(g), TS_IR_SWITCH, islands * per_island + islands, 1, 0, {0}, random_loc(g)},
  };
  memcpy(random_append(g, TS_IR_ARRAYS, 3), arrays, sizeof arrays);
  for (uint32_t a = 0; a < 3; a++)
    for (uint32_t i = 0; i < arrays[a].count; i++) {
      ts_ir_device d = {a, a ? TS_IR_NONE : random_below(g, random_chance(g, 20) ? classes : 1), 1};
      if (!a && random_chance(g, 15))
        d.speed = random_between(g, 50, 150) / 100.0;
      *(ts_ir_device *)random_append(g, TS_IR_DEVICES, 1) = d;
    }
  for (uint32_t tier = 0; tier < 2; tier++) {
    ts_ir_link_class k = {.name = random_name(g),
                          .tier = tier,
                          .bandwidth = tier ? 50e9 : 450e9,
                          .latency = random_time(g) / 10,
                          .loc = random_loc(g)};
    *(ts_ir_link_class *)random_append(g, TS_IR_LINK_CLASSES, 1) = k;
  }
  bool duplex = random_chance(g, 70);
  for (uint32_t v = 0; v < islands * per_island + islands; v++) {
    bool device = v < islands * per_island;
    ts_ir_link up = {v, device ? arrays[1].first + v / per_island : arrays[2].first, !device,
                     duplex},
               down = {up.to, up.from, up.link_class, 0};
    *(ts_ir_link *)random_append(g, TS_IR_LINKS, 1) = up;
    if (!duplex)
      *(ts_ir_link *)random_append(g, TS_IR_LINKS, 1) = down;
  }
  if (random_chance(g, 70))
    return;
  uint32_t *place = random_append(g, TS_IR_PLACEMENT, world); /* the devices rotated */
  for (uint32_t r = 0, rotation = random_below(g, islands * per_island); r < world; r++)
    place[r] = (r + rotation) % (islands * per_island);
}

static inline void random_network(random_ir *g)
{
  if (random_chance(g, 40)) {
    ts_ir_net_point points[8];
    for (uint32_t i = 0; i < 8; i++)
      points[i] = (ts_ir_net_point){
        TS_IR_ALL_REDUCE,         2 + i / 4, 1, 0, UINT64_C(1) << (10 + 4 * (i % 4)),
        1000000 * (i % 4 + 1) + i};
    ts_ir_net_model table = {.name = random_name(g),
                             .kind = TS_IR_NET_TABLE,
                             .collectives = 1u << TS_IR_ALL_REDUCE,
                             .tier = 0,
                             .efficiency = 1,
                             .first_point = ts_ir_intern_run(g->b, TS_IR_NET_POINTS, points, 8),
                             .point_count = 8,
                             .source = random_below(g, g->cost_sources),
                             .loc = random_loc(g)};
    *(ts_ir_net_model *)random_append(g, TS_IR_NET_MODELS, 1) = table;
  }
  if (random_chance(g, 40)) {
    ts_ir_net_method methods[2];
    for (uint32_t i = 0; i < 2; i++)
      methods[i] = (ts_ir_net_method){.collective = TS_IR_ALL_GATHER,
                                      .algorithm = random_below(g, TS_IR_NET_ALGORITHMS),
                                      .protocol = i,
                                      .channels = 8,
                                      .threads = 256,
                                      .connection = random_time(g) / 10,
                                      .intra_hop = random_time(g) / 1000,
                                      .inter_share = 0.9,
                                      .intra_rate = i * 1e9 / 3,
                                      .relay = i,
                                      .local = 0.6,
                                      .chunk = (double)random_size(g) / 7 + 1,
                                      .ranks = 4 * i,
                                      .islands = i,
                                      .least = i,
                                      .most = 1000 * i};
    ts_ir_net_model box = {
      .name = random_name(g),
      .kind = TS_IR_NET_WHITE_BOX,
      .collectives = 1u << TS_IR_ALL_GATHER,
      .tier = TS_IR_NONE,
      .efficiency = 1,
      .first_method = ts_ir_intern_run(g->b, TS_IR_NET_METHODS, methods, 2),
      .method_count = 2,
      .source = TS_IR_NONE,
      .loc = random_loc(g),
      .links = {random_chance(g, 50) ? 450e9 : 0, 0, random_time(g) / 1000, 0}};
    if (random_chance(g, 50)) { /* anchors */
      ts_ir_net_point at[3] = {{TS_IR_ALL_GATHER, 2, 1, 0, 1000, 20000000},
                               {TS_IR_ALL_GATHER, 2, 1, 0, 1000000, 30000000},
                               {TS_IR_ALL_GATHER, 4, 1, 0, 1000, 40000000}};
      box.first_point = ts_ir_intern_run(g->b, TS_IR_NET_POINTS, at, 3);
      box.point_count = 3;
    }
    *(ts_ir_net_model *)random_append(g, TS_IR_NET_MODELS, 1) = box;
  }
  if (random_chance(g, 40)) {
    ts_ir_net_curve curve = {.collective = TS_IR_REDUCE_SCATTER,
                             .least_ranks = 2,
                             .most_ranks = 8,
                             .least = 1000,
                             .most = random_size(g) + 1000,
                             .intra_latency = random_time(g) / 1000,
                             .intra_limit = 3e11,
                             .intra_floor = 1e9,
                             .inter_limit = 1e11 / 3,
                             .intra_slope = 0.7,
                             .intra_middle = (double)random_size(g) / 3,
                             .inter_slope = 1,
                             .inter_middle = 1e6,
                             .weights = {1e-6, 0.9, -0.2, 0, 3e-12},
                             .most_factor = 2,
                             .late = {1.2, 0, -0.01},
                             .most_late = 1.3};
    ts_ir_net_model model = {.name = random_name(g),
                             .kind = TS_IR_NET_STATISTICAL,
                             .collectives = 1u << TS_IR_REDUCE_SCATTER,
                             .tier = TS_IR_NONE,
                             .efficiency = 1,
                             .axes = 1,
                             .first_curve = ts_ir_intern_run(g->b, TS_IR_NET_CURVES, &curve, 1),
                             .curve_count = 1,
                             .source = TS_IR_NONE,
                             .loc = random_loc(g),
                             .links = {random_chance(g, 50) ? 450e9 : 0,
                                       random_chance(g, 50) ? 1e11 / 3 : 0, random_time(g) / 1000,
                                       random_time(g) / 1000}};
    *(ts_ir_net_model *)random_append(g, TS_IR_NET_MODELS, 1) = model;
  }
  for (uint32_t i = 0; i < 2; i++) {
    ts_ir_net_model m = {.name = random_name(g),
                         .kind = TS_IR_NET_ALPHA_BETA,
                         .collectives = (1u << TS_IR_COLLECTIVE_KINDS) - 1,
                         .tier = i ? TS_IR_NONE : 0,
                         .efficiency = random_between(g, 50, 100) / 100.0,
                         .base = random_time(g) / 10,
                         .hop = random_time(g) / 100,
                         .half_bytes = (double)random_size(g) / 7,
                         .source = TS_IR_NONE,
                         .loc = random_loc(g),
                         .assumed = random_below(g, 2)};
    *(ts_ir_net_model *)random_append(g, TS_IR_NET_MODELS, 1) = m;
  }
}

static inline void random_work(random_ir *g)
{
  static const ts_ir_stream_kind kinds[] = {TS_IR_STREAM_COMPUTE, TS_IR_STREAM_COMM,
                                            TS_IR_STREAM_COMM, TS_IR_STREAM_COMM,
                                            TS_IR_STREAM_COPY};
  static const char *const streams[] = {"compute", "down", "up", "group", "copy"};
  for (uint32_t i = 0; i < 5; i++)
    *(ts_ir_stream *)random_append(g, TS_IR_STREAMS, 1) =
      (ts_ir_stream){ts_ir_add_string(g->b, streams[i]), kinds[i], !i && g->cost_sources % 2, 0};
  g->kernels = random_between(g, 2, 6);
  for (uint32_t i = 0; i < g->kernels; i++) {
    ts_ir_kernel k = {random_time(g),
                      (double)random_size(g) * 1e3,
                      (double)random_size(g) / 3,
                      random_name(g),
                      random_name(g),
                      random_below(g, TS_IR_BASES),
                      random_chance(g, 50) ? random_below(g, g->cost_sources) : TS_IR_NONE};
    *(ts_ir_kernel *)random_append(g, TS_IR_KERNELS, 1) = k;
  }
  g->inner_collectives = random_between(g, 2, 5);
  g->collectives = g->inner_collectives + random_below(g, 3);
  for (uint32_t i = 0; i < g->collectives; i++) {
    ts_ir_collective c = {random_below(g, TS_IR_MESSAGE),
                          random_below(g, i < g->inner_collectives ? g->inner : g->groups),
                          random_size(g)};
    *(ts_ir_collective *)random_append(g, TS_IR_COLLECTIVES, 1) = c;
  }
}

/* ---- fragments ---- */

typedef struct random_fragment {
  ts_ir_node nodes[RANDOM_IR_LARGEST_FRAGMENT];
  ts_ir_port ports[2];
  uint32_t nodes_count, ports_count;
} random_fragment;

static inline uint32_t random_node(random_ir *g, random_fragment *f, ts_ir_op op, uint32_t stream,
                                   uint32_t arg)
{
  uint32_t deps[4], count = 0, index = f->nodes_count;
  ts_ir_node n = {.op = (uint8_t)op,
                  .stream = (uint8_t)stream,
                  .phase = (uint8_t)random_below(g, TS_IR_PHASES),
                  .arg = arg,
                  .host_ps = random_chance(g, 60) ? random_time(g) / 20 : 0,
                  .label = random_name(g),
                  .loc = random_loc(g),
                  .rule_loc = random_loc(g)};
  if (index && random_chance(g, 70))
    deps[count++] = index - 1;
  while (index && count < 4 && random_chance(g, 25))
    deps[count++] = random_below(g, index);
  n.dep_count = (uint16_t)count;
  n.first_dep = ts_ir_intern_run(g->b, TS_IR_DEPS, deps, count);
  if (random_chance(g, 30)) {
    ts_ir_mem mem[2] = {
      {(int64_t)random_size(g), random_below(g, TS_IR_CATEGORIES), random_name(g)}};
    mem[1] = mem[0];
    mem[1].bytes = -mem[0].bytes;
    n.mem_count = 2;
    n.first_mem = ts_ir_intern_run(g->b, TS_IR_MEMS, mem, 2);
  }
  f->nodes[f->nodes_count++] = n;
  return index;
}

static inline void random_port(random_ir *g, random_fragment *f, uint32_t stream, bool is_send)
{
  uint32_t group = 0;
  ts_ir view;
  ts_ir_builder_view(g->b, &view);
  while (view.groups[group].axes != 1u << g->pipeline)
    group++;
  f->ports[f->ports_count] = (ts_ir_port){g->message_bytes, group, is_send};
  random_node(g, f, is_send ? TS_IR_SEND : TS_IR_RECV, stream, f->ports_count++);
}

static inline void random_nodes(random_ir *g, random_fragment *f)
{
  for (uint32_t left = random_between(g, 1, 8); left > 0; left--) {
    uint32_t what = random_below(g, 100);
    if (what < 55)
      random_node(g, f, TS_IR_COMPUTE, random_chance(g, 90) ? 0 : 4, random_below(g, g->kernels));
    else if (what < 80)
      random_node(g, f, TS_IR_COLLECTIVE, random_chance(g, 80) ? 3 : random_below(g, 4),
                  random_below(g, g->inner_collectives));
    else if (what < 88)
      random_node(g, f, TS_IR_RECORD, random_below(g, 5), 0);
    else
      random_node(g, f, what < 95 ? TS_IR_HOST_WORK : TS_IR_HOST_SYNC, 0, 0);
  }
}

static inline uint32_t random_add_fragment(random_ir *g, const random_fragment *f, const char *work)
{
  ts_ir_fragment out = {random_name(g), ts_ir_add_string(g->b, work), 0, f->nodes_count, 0,
                        f->ports_count};
  void *to;
  out.first_node = ts_ir_append(g->b, TS_IR_NODES, f->nodes_count, &to);
  if (f->nodes_count)
    memcpy(to, f->nodes, f->nodes_count * sizeof *f->nodes);
  out.first_port = ts_ir_append(g->b, TS_IR_PORTS, f->ports_count, &to);
  if (f->ports_count)
    memcpy(to, f->ports, f->ports_count * sizeof *f->ports);
  uint32_t index = ts_ir_append(g->b, TS_IR_FRAGMENTS, 1, &to);
  *(ts_ir_fragment *)to = out;
  return index;
}

/* Receive, work, send; a stage at an end of the pipeline leaves one of them out. */
static inline uint32_t random_pass(random_ir *g, const char *work, uint32_t stream, bool receives,
                                   bool sends)
{
  random_fragment f = {0};
  if (receives)
    random_port(g, &f, stream, false);
  random_nodes(g, &f);
  if (sends)
    random_port(g, &f, stream, true);
  return random_add_fragment(g, &f, work);
}

static inline uint32_t random_step(random_ir *g)
{
  random_fragment f = {0};
  random_nodes(g, &f);
  for (uint32_t c = g->inner_collectives; c < g->collectives; c++)
    random_node(g, &f, TS_IR_COLLECTIVE, 3, c);
  random_nodes(g, &f);
  return random_add_fragment(g, &f, "S");
}

/* ---- programs ---- */

typedef struct random_program {
  ts_ir_item items[256];
  uint32_t count;
} random_program;

static inline void random_item(random_ir *g, random_program *p, uint32_t fragment,
                               uint32_t micro_batch, uint32_t tag, uint32_t from, uint32_t to)
{
  ts_ir_binding bindings[2];
  uint32_t count = 0;
  if (from != TS_IR_NONE)
    bindings[count++] = (ts_ir_binding){from, tag};
  if (to != TS_IR_NONE)
    bindings[count++] = (ts_ir_binding){to, tag};
  p->items[p->count++] = (ts_ir_item){fragment, micro_batch, random_below(g, 2),
                                      ts_ir_intern_run(g->b, TS_IR_BINDINGS, bindings, count)};
}

/* Stage s warms up with `warm` forward passes, then alternates (1F1B), then drains; GPipe warms up
 * with all of them. */
static inline void random_stage(random_ir *g, uint32_t s, uint32_t forward, uint32_t backward,
                                uint32_t step, bool gpipe, uint32_t tags)
{
  random_program p = {0};
  uint32_t before = s ? s - 1 : TS_IR_NONE, after = s + 1 < g->stages ? s + 1 : TS_IR_NONE,
           count = g->micro_batches;
  uint32_t warm = gpipe || g->stages - s > count ? count : g->stages - s;
  for (uint32_t f = 0, b = 0; b < count;) {
    if (f < count && f < b + warm) {
      random_item(g, &p, forward, f, tags + f, before, after);
      f++;
    } else {
      random_item(g, &p, backward, b, tags + b, after, before);
      b++;
    }
  }
  random_item(g, &p, step, TS_IR_NONE, 0, TS_IR_NONE, TS_IR_NONE);
  ts_ir_holding holdings[2] = {{random_size(g), random_below(g, TS_IR_CATEGORIES), random_name(g)},
                               {random_size(g), TS_IR_PARAMETERS, random_name(g)}};
  uint32_t held = random_below(g, 3);
  ts_ir_program program = {.name = random_name(g),
                           .first_item = ts_ir_intern_run(g->b, TS_IR_ITEMS, p.items, p.count),
                           .item_count = p.count,
                           .first_holding = ts_ir_intern_run(g->b, TS_IR_HOLDINGS, holdings, held),
                           .holding_count = held};
  *(ts_ir_program *)random_append(g, TS_IR_PROGRAMS, 1) = program;
}

static inline void random_programs(random_ir *g)
{
  bool several = g->stages > 1, gpipe = random_chance(g, 50);
  uint32_t step = random_step(g), tags = random_chance(g, 50) ? 0 : random_below(g, 1000);
  uint32_t forward = 0, backward = 0;
  for (uint32_t s = 0; s < g->stages; s++) {
    bool first = !s, last = s + 1 == g->stages;
    /* the stages between share their fragments, mostly */
    if (s < 2 || last || random_chance(g, 30)) {
      forward = random_pass(g, "F", 1, several && !first, several && !last);
      backward =
        random_pass(g, "B", g->one_stream ? 1 : 2, several && !last, several && !first);
    }
    random_stage(g, s, forward, backward, step, gpipe, tags);
  }
}

static inline double random_spreads(random_ir *g) { return random_below(g, 300) / 100.0; }

/* What runs the plan, and how far its figures are off. */
static inline void random_confidence(random_ir *g)
{
  ts_ir_meta *meta = ts_ir_builder_meta(g->b);
  if (random_chance(g, 50)) {
    meta->framework = ts_ir_add_string(g->b, "a framework");
    meta->release = random_name(g);
  }
  meta->run_bits = random_below(g, 3) * 8;
  meta->run_flags = random_below(g, 4);
  for (uint32_t left = random_below(g, 5); left; left--) {
    uint32_t origin = random_below(g, TS_IR_ORIGINS);
    bool kernels = origin == TS_IR_ORIGIN_KERNELS, network = origin == TS_IR_ORIGIN_NETWORK;
    ts_ir_spread s = {.origin = origin,
                      .basis = kernels ? random_below(g, TS_IR_BASES) :
                               network ? random_below(g, TS_IR_NET_KINDS) :
                                         0,
                      .name = kernels || network ? random_name(g) : 0,
                      .dtype = kernels ? random_name(g) : 0,
                      .between = (network || origin == TS_IR_ORIGIN_LINKS) && random_chance(g, 50),
                      .assumed = network && random_chance(g, 50),
                      .rows = random_below(g, 3),
                      .least_kib = network ? random_below(g, 3) : 0,
                      .spread = random_spreads(g)};
    *(ts_ir_spread *)random_append(g, TS_IR_SPREADS, 1) = s;
  }
  for (uint32_t quantity = 0; quantity < TS_IR_QUANTITIES; quantity++) {
    ts_ir_validation v = {.quantity = quantity,
                          .runs = random_name(g),
                          .rows = random_below(g, 9),
                          .groups = random_below(g, 3),
                          .same_kind = random_chance(g, 50),
                          .below = random_spreads(g),
                          .above = random_spreads(g)};
    if (random_chance(g, 50))
      *(ts_ir_validation *)random_append(g, TS_IR_VALIDATIONS, 1) = v;
  }
}

/* To be freed with ts_ir_builder_free. `micro_batches`: 0: a few, else up to 120, which repeat each
 * other. */
static inline ts_ir_builder *random_ir_of(uint64_t seed, uint32_t micro_batches)
{
  random_ir g = {.state = seed * 0x9e3779b97f4a7c15u, .b = ts_ir_builder_new()};
  random_sources(&g);
  random_mesh(&g);
  random_cluster(&g);
  random_network(&g);
  random_work(&g);
  g.message_bytes = random_size(&g);
  g.micro_batches = random_between(&g, 1, 6);
  if (micro_batches) {
    g.micro_batches = micro_batches;
    g.one_stream = seed % 4 == 0;
  }
  random_programs(&g);
  random_remarks(&g);
  ts_ir_meta *meta = ts_ir_builder_meta(g.b);
  meta->plan = random_name(&g);
  meta->tool = random_name(&g);
  meta->plan_loc = random_loc(&g);
  meta->memory_loc = random_loc(&g);
  meta->micro_batches = g.micro_batches;
  meta->tokens_per_step = random_below(&g, 1000000);
  meta->samples_per_step = random_below(&g, 1000);
  meta->parameters = random_bits(&g);
  meta->cluster = random_name(&g);
  meta->mesh_loc = random_loc(&g);
  meta->model_flops_per_step = (double)random_bits(&g);
  meta->peak_flops = random_between(&g, 1, 999) * 1e12;
  random_confidence(&g);
  return g.b;
}

static inline ts_ir_builder *random_ir_new(uint64_t seed) { return random_ir_of(seed, 0); }

#endif
