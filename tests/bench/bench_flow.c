/* Flows on a rail-optimised Clos: events a second, and the time of an all-reduce over everything. A
 * flow event is the start or the end of a flow of the solver; one flow may be many connections (a
 * channel of a ring). The floor is to read, once for each event, the links of the flow and who is
 * on them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/collective/flow_traffic.h"

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33) % n;
}

/* Nodes of eight, pods of 32 nodes, a leaf for each rail of a pod, one spine. */
static void clos(uint32_t nodes, ts_ir_builder *b, ts_ir *ir)
{
  enum { GPUS = 8, POD = 32 };
  uint32_t pods = (nodes + POD - 1) / POD, gpus = nodes * GPUS, leafs = pods * GPUS, link = 0;
  const uint32_t dims[4][4] = {{nodes, GPUS}, {nodes}, {pods, GPUS}, {1}},
                 counts[4] = {gpus, nodes, leafs, 1}, ranks[4] = {2, 1, 2, 1};
  const char *names[] = {"gpu", "nvswitch", "leaf", "spine"};
  void *records;
  ts_ir_append(b, TS_IR_ARRAYS, 4, &records);
  ts_ir_array *arrays = records;
  for (uint32_t a = 0, first = 0; a < 4; first += counts[a++]) {
    arrays[a] = (ts_ir_array){.kind = a ? TS_IR_SWITCH : TS_IR_DEVICE,
                              .first = first,
                              .count = counts[a],
                              .dims = ranks[a]};
    memcpy(arrays[a].dim, dims[a], sizeof dims[a]);
  }
  for (uint32_t a = 0; a < 4; a++)
    arrays[a].name = ts_ir_add_string(b, names[a]);
  ts_ir_append(b, TS_IR_DEVICE_CLASSES, 1, &records);
  ts_ir_append(b, TS_IR_DEVICES, gpus + nodes + leafs + 1, &records);
  ts_ir_device *devices = records;
  for (uint32_t a = 0, v = 0; a < 4; a++)
    for (uint32_t i = 0; i < counts[a]; i++)
      devices[v++] = (ts_ir_device){a, a ? TS_IR_NONE : 0, 1};
  ts_ir_append(b, TS_IR_LINK_CLASSES, 3, &records);
  ts_ir_link_class *classes = records;
  classes[0] = (ts_ir_link_class){.tier = 0, .bandwidth = 450e9, .latency = 600000};
  classes[1] = (ts_ir_link_class){.tier = 1, .bandwidth = 50e9, .latency = 1800000};
  classes[2] = (ts_ir_link_class){.tier = 2, .bandwidth = 50e9 * POD, .latency = 400000};
  ts_ir_append(b, TS_IR_LINKS, 2 * gpus + leafs, &records);
  ts_ir_link *links = records;
  for (uint32_t g = 0; g < gpus; g++) {
    links[link++] = (ts_ir_link){g, gpus + g / GPUS, 0, 1};
    links[link++] = (ts_ir_link){g, gpus + nodes + g / GPUS / POD * GPUS + g % GPUS, 1, 1};
  }
  for (uint32_t l = 0; l < leafs; l++)
    links[link++] = (ts_ir_link){gpus + nodes + l, gpus + nodes + leafs, 2, 1};
  ts_ir_builder_view(b, ir);
}

static const ts_ir_net_model model = {
  .kind = TS_IR_NET_FLOW, .algorithm = TS_IR_NONE, .efficiency = 1};

typedef struct work { ts_flow_pattern *patterns; uint32_t count; uint64_t connections; } work;

/* A tensor group in each node and a data group over each rail of a pod, as a training job has them:
 * all under way all the time. */
static void groups_of_a_job(ts_arena *arena, ts_flow_maker *maker, uint32_t nodes, work *w)
{
  uint32_t members[64], pair[2];
  w->patterns = TS_NEW_ARRAY(arena, ts_flow_pattern, 2 * nodes);
  for (uint32_t n = 0; n < nodes; n++) {
    for (uint32_t g = 0; g < 8; g++)
      members[g] = 8 * n + g;
    ts_flow_pattern_make(maker, arena, TS_FLOW_LOOP, members, 8, &w->patterns[w->count++], pair);
  }
  for (uint32_t first = 0; first < nodes; first += 32)
    for (uint32_t g = 0; g < 8; g++) {
      for (uint32_t n = 0; n < 32; n++)
        members[n] = 8 * (first + n) + g;
      ts_flow_pattern_make(maker, arena, TS_FLOW_LOOP, members, 32, &w->patterns[w->count++], pair);
    }
}

static uint64_t connections_of(const ts_flow_pattern *p)
{
  uint64_t most = 0; /* every connection leaves a device once */
  for (uint32_t i = 0; i < p->count; i++)
    for (uint32_t u = 0; u < p->parts[i].count; u++)
      most += p->parts[i].uses[u].connections;
  return most / 2;
}

static double floor_of(const ts_ir *ir, const ts_flow_pattern *patterns, uint32_t count,
                       uint64_t events)
{
  uint32_t *on = calloc(2 * (size_t)ir->links_count, sizeof *on);
  uint64_t done = 0, sum = 0;
  double begin = seconds();
  for (uint32_t i = 0; done < events; i = (i + 1) % count)
    for (uint32_t p = 0; p < patterns[i].count; p++, done++)
      for (uint32_t u = 0; u < patterns[i].parts[p].count; u++)
        sum += on[patterns[i].parts[p].uses[u].link] += patterns[i].parts[p].uses[u].connections;
  double time = seconds() - begin;
  free(on);
  return sum ? (double)done / time : 0;
}

/* `together`: calls begin and end in step, as those of a job do; else each has its own size, and
 * every event is solved by itself. */
static void play(const ts_ir *ir, const work *w, bool together, uint64_t calls)
{
  ts_arena *arena = ts_arena_new("bench");
  ts_traffic *t = ts_traffic_new(arena, ir);
  uint32_t *of = TS_NEW_ARRAY(arena, uint32_t, w->count);
  uint64_t random = 1, connections = 0, started = 0;
  double begin = seconds();
  for (uint32_t i = 0; i < w->count; i++)
    of[ts_traffic_start(t, &w->patterns[i], 1e6 * (together ? 64 : 1 + draw(&random, 64)), 0)] = i;
  for (uint64_t now; (now = ts_traffic_next(t)) != TS_FLOW_NEVER;) {
    ts_traffic_advance(t, now);
    for (uint32_t call; (call = ts_traffic_ended(t)) != TS_FLOW_NONE;) {
      uint32_t i = of[call];
      connections += 2 * connections_of(&w->patterns[i]);
      if (++started < calls)
        of[ts_traffic_start(t, &w->patterns[i], 1e6 * (together ? 64 : 1 + draw(&random, 64)), 0)] =
          i;
    }
  }
  double time = seconds() - begin;
  ts_traffic_work done = ts_traffic_work_of(t);
  printf("  %-34s %9.0f events/s, %11.0f of connections/s, %5.1f rates and %6.0f places on links "
         "an event; floor %10.0f events/s\n",
         together ? "groups of a job, in step" : "groups of a job, each by itself",
         (double)done.flows.events / time, (double)connections / time,
         (double)done.flows.rated / (double)done.flows.events,
         (double)done.flows.looked / (double)done.flows.events,
         floor_of(ir, w->patterns, w->count, done.flows.events));
  ts_arena_free(arena);
}

/* Messages between random pairs, `active` at a time, each of its own size. */
static void play_pairs(const ts_ir *ir, ts_flow_maker *maker, uint32_t gpus, uint32_t active,
                       uint64_t calls)
{
  ts_arena *arena = ts_arena_new("bench");
  uint64_t random = 1, started = 0;
  work w = {TS_NEW_ARRAY(arena, ts_flow_pattern, active), active, 0};
  for (uint32_t i = 0; i < active; i++) {
    uint32_t from = draw(&random, gpus), to = (from + 1 + draw(&random, gpus - 1)) % gpus;
    ts_flow_pattern_message(maker, arena, from, to, &w.patterns[i]);
  }
  ts_traffic *t = ts_traffic_new(arena, ir);
  uint32_t *of = TS_NEW_ARRAY(arena, uint32_t, active);
  double begin = seconds();
  for (uint32_t i = 0; i < active; i++)
    of[ts_traffic_start(t, &w.patterns[i], 1e6 * (1 + draw(&random, 64)), 0)] = i;
  for (uint64_t now; (now = ts_traffic_next(t)) != TS_FLOW_NEVER;) {
    ts_traffic_advance(t, now);
    for (uint32_t call; (call = ts_traffic_ended(t)) != TS_FLOW_NONE;) {
      uint32_t i = of[call];
      if (++started < calls)
        of[ts_traffic_start(t, &w.patterns[i], 1e6 * (1 + draw(&random, 64)), 0)] = i;
    }
  }
  double time = seconds() - begin;
  ts_traffic_work done = ts_traffic_work_of(t);
  printf("  %5u random messages, one by one    %9.0f events/s, %38.1f rates and %6.0f places on "
         "links an event; floor %10.0f events/s\n",
         active, (double)done.flows.events / time,
         (double)done.flows.rated / (double)done.flows.events,
         (double)done.flows.looked / (double)done.flows.events,
         floor_of(ir, w.patterns, active, done.flows.events));
  ts_arena_free(arena);
}

static void all_reduce(uint32_t nodes)
{
  ts_ir_builder *b = ts_ir_builder_new();
  ts_ir ir;
  clos(nodes, b, &ir);
  double begin = seconds();
  ts_arena *arena = ts_arena_new("bench");
  uint32_t *vertex = TS_NEW_ARRAY(arena, uint32_t, 8 * nodes), pair[2];
  for (uint32_t i = 0; i < 8 * nodes; i++)
    vertex[i] = i;
  ts_flow_maker *maker = ts_flow_maker_new(arena, &ir, ts_graph_new(arena, &ir), &model);
  ts_flow_pattern pattern;
  ts_flow_pattern_make(maker, arena, TS_FLOW_LOOP, vertex, 8 * nodes, &pattern, pair);
  double made = seconds();
  ts_traffic *t = ts_traffic_new(arena, &ir);
  double bytes = 1e9, volume = ts_flow_volume(TS_FLOW_LOOP, TS_IR_ALL_REDUCE, 8 * nodes) * bytes;
  ts_traffic_start(t, &pattern, volume * pattern.share,
                   ts_flow_latency(&pattern, TS_IR_ALL_REDUCE));
  uint64_t now, end = 0;
  while ((now = ts_traffic_next(t)) != TS_FLOW_NEVER) {
    ts_traffic_advance(t, now);
    while (ts_traffic_ended(t) != TS_FLOW_NONE)
      end = now;
  }
  double done = seconds();
  printf("  all-reduce of 1 GB over %u GPUs: %.3f ms; found in %.0f ms (%.0f ms to route %.0f "
         "connections)\n",
         8 * nodes, (double)end * 1e-9, 1e3 * (done - begin), 1e3 * (made - begin),
         (double)connections_of(&pattern));
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

int main(void)
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  ts_ir_builder *b = ts_ir_builder_new();
  ts_ir ir;
  clos(128, b, &ir);
  ts_arena *arena = ts_arena_new("bench");
  ts_flow_maker *maker = ts_flow_maker_new(arena, &ir, ts_graph_new(arena, &ir), &model);
  work w = {0};
  groups_of_a_job(arena, maker, 128, &w);
  printf("1,024 GPUs on a rail-optimised Clos, %u groups\n", w.count);
  play(&ir, &w, true, 50000);
  play(&ir, &w, false, 50000);
  play_pairs(&ir, maker, 1024, 512, 20000);
  play_pairs(&ir, maker, 1024, 1024, 20000);
  play_pairs(&ir, maker, 1024, 4096, 5000);
  all_reduce(128);
  all_reduce(1024);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
  return 0;
}
