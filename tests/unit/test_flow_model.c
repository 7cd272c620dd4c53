/* Collectives as flows against closed forms: cliques, trees, oversubscription, calls that meet on a
 * link, circuits. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/flow_alike.h"
#include "runtime/collective/flow_traffic.h"
#include "runtime/collective/network.h"
#include "runtime/collective/packet.h"

typedef struct net {
  ts_ir_builder *b;
  ts_ir ir;
  ts_arena *arena;
  ts_network *network;
  ts_stop stop;
} net;

static void net_new(net *n, const char *cluster, const char *work, uint32_t ranks)
{
  char text[16384];
  ts_error error = {0};
  snprintf(text, sizeof text,
           "axis x %u\naxis y 1\ngroup all = x\nstream compute\nstream comm\n%sfragment F { %s "
           "}\nprogram { F }\n",
           ranks, cluster, work);
  n->arena = ts_arena_new("test");
  n->stop = (ts_stop){.arena = n->arena};
  n->b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(n->b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(n->b, &n->ir);
  cr_assert_eq(ts_ir_verify(&n->ir, &error), 0, "%s", error.message);
  n->network = ts_network_new(n->arena, &n->ir, ts_ranks_new(n->arena, &n->ir), NULL, &n->stop);
}

static void net_free(net *n)
{
  ts_arena_free(n->arena);
  ts_ir_builder_free(n->b);
}

/* `model` is the last line of the cluster. */
static char *clique(char *text, uint32_t n, const char *model)
{
  char *at =
    text +
    sprintf(
      text,
      "device_class d 1 TB/s\ndevices gpu[%u] of d\nlink_class wire 10 GB/s latency 1 us tier 1\n",
      n);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = i + 1; k < n; k++)
      at += sprintf(at, "link gpu[%u] -- gpu[%u] wire\n", i, k);
  sprintf(at, "%s\n", model);
  return text;
}

static char *star(char *text, uint32_t n, const char *model)
{
  char *at = text + sprintf(text,
                            "device_class d 1 TB/s\ndevices gpu[%u] of d\nswitches "
                            "hub[1]\nlink_class wire 10 GB/s latency 1 us tier 1\n",
                            n);
  for (uint32_t i = 0; i < n; i++)
    at += sprintf(at, "link gpu[%u] -- hub[0] wire\n", i);
  sprintf(at, "%s\n", model);
  return text;
}

static ts_estimate call(net *n, uint32_t kind, uint64_t bytes)
{
  const uint32_t *profile = ts_network_group(n->network, 0, &n->stop);
  cr_assert(profile, "%s", n->stop.title);
  return ts_network_estimate(n->network, kind, bytes, profile[0]);
}

static void expect(uint64_t got, double wanted)
{
  cr_assert(fabs((double)got - wanted) <= 1e-8 * wanted + 1, "%.0f ps, by hand %.0f", (double)got,
            wanted);
}

Test(flow_model, ring_on_a_clique)
{
  char text[8192];
  net n;
  for (uint32_t ranks = 2; ranks <= 8; ranks += 3) {
    net_new(&n, clique(text, ranks, "net_model f flow by ring channels 1 base 3 us"),
            "all_reduce 1 MB over all", ranks);
    ts_estimate e = call(&n, TS_IR_ALL_REDUCE, 80000000);
    expect(e.base, 3e6);
    expect(e.steps, 2. * (ranks - 1) * 1e6);
    expect(e.transfer, 2. * (ranks - 1) / ranks * 80e6 / 10e9 * 1e12);
    net_free(&n);
    net_new(&n, clique(text, ranks, "net_model f flow channels 1 hop 500 ns inter_hop 2 us"),
            "all_gather 1 MB over all", ranks);
    e = call(&n, TS_IR_ALL_GATHER, 80000000);
    expect(e.steps, (ranks - 1) * 3e6);
    expect(e.transfer, (ranks - 1.) / ranks * 80e6 / 10e9 * 1e12);
    net_free(&n);
  }
}

/* One channel forward, one back: on a star they share each device's link, on a clique they have
 * links of their own. */
Test(flow_model, channels_share_a_star)
{
  char text[8192];
  net n;
  net_new(&n, star(text, 6, "net_model f flow by ring efficiency 0.8"), "all_reduce 1 MB over all",
          6);
  expect(call(&n, TS_IR_ALL_REDUCE, 60000000).transfer, 2. * 5 / 6 * 60e6 / 8e9 * 1e12);
  net_free(&n);
  net_new(&n, clique(text, 6, "net_model f flow by ring"), "all_reduce 1 MB over all", 6);
  expect(call(&n, TS_IR_ALL_REDUCE, 60000000).transfer, 5. / 6 * 60e6 / 10e9 * 1e12);
  net_free(&n);
}

/* Double binary trees: every rank sends each half up once and down to two children of one tree:
 * twice the bytes in all. Ranks 1, 2, 4, 0: three levels. */
Test(flow_model, trees_on_a_star)
{
  char text[8192];
  net n;
  net_new(&n, star(text, 8, "net_model f flow by tree"), "all_reduce 1 MB over all", 8);
  ts_estimate e = call(&n, TS_IR_ALL_REDUCE, 80000000);
  expect(e.transfer, 2 * 80e6 / 10e9 * 1e12);
  expect(e.steps, 2 * 3 * 2e6);
  net_free(&n);
}

/* The switch sums: each link carries the bytes once and a part of them more. Of two ranks a ring is
 * faster; without a switch that all are on there are rings. */
Test(flow_model, a_switch_reduces)
{
  char text[8192], tier0[8192], *at;
  net n;
  for (uint32_t ranks = 2; ranks <= 8; ranks += 3) {
    star(text, ranks, "net_model f flow by switch hop 500 ns");
    at = strstr(text, " tier 1");
    snprintf(tier0, sizeof tier0, "%.*s%s", (int)(at - text), text, at + strlen(" tier 1"));
    net_new(&n, tier0, "all_reduce 1 MB over all", ranks);
    ts_estimate e = call(&n, TS_IR_ALL_REDUCE, 80000000);
    expect(e.transfer, (ranks == 2 ? 1 : 1 + 1. / ranks) * 80e6 / 10e9 * 1e12);
    if (ranks > 2)
      expect(e.steps, 2.5e6);
    net_free(&n);
  }
  net_new(&n, clique(text, 5, "net_model f flow by switch channels 1"), "all_reduce 1 MB over all",
          5);
  expect(call(&n, TS_IR_ALL_REDUCE, 80000000).transfer, 2. * 4 / 5 * 80e6 / 10e9 * 1e12);
  net_free(&n);
}

Test(flow_model, the_faster_of_ring_and_tree)
{
  char text[8192];
  net n;
  net_new(&n, star(text, 8, "net_model f flow"), "all_reduce 1 MB over all", 8);
  expect(call(&n, TS_IR_ALL_REDUCE, 8).steps, 12e6);
  expect(call(&n, TS_IR_ALL_REDUCE, 800000000).steps, 28e6);
  expect(call(&n, TS_IR_BARRIER, 0).time, 12e6);
  net_free(&n);
}

/* Broadcast goes round the ring once; a shift needs one step. */
Test(flow_model, chain_and_shift)
{
  char text[8192];
  net n;
  net_new(&n, clique(text, 5, "net_model f flow channels 1"),
          "broadcast 1 MB over all\n shift 1 MB over all", 5);
  ts_estimate e = call(&n, TS_IR_BROADCAST, 10000000), s = call(&n, TS_IR_SHIFT, 10000000);
  expect(e.steps, 4e6);
  expect(e.transfer, 1e9);
  expect(s.time, 1e6 + 1e9);
  net_free(&n);
}

/* Two leaves of four devices at 10 GB/s; 10 GB/s between the leaves: four to one. */
static char *fat_tree(char *text, const char *model)
{
  char *at =
    text + sprintf(text, "device_class d 1 TB/s\ndevices gpu[8] of d\nswitches leaf[2]\nswitches "
                         "core[1]\nlink_class nic 10 GB/s latency 1 us tier 1\n");
  for (int i = 0; i < 8; i++)
    at += sprintf(at, "link gpu[%d] -- leaf[%d] nic\n", i, i / 4);
  sprintf(at, "link leaf[0] -- core[0] nic\nlink leaf[1] -- core[0] nic\n%s\n", model);
  return text;
}

/* Nodes of three devices, a rail each: 10 GB/s a device, which each carries a third of a ring. */
Test(flow_model, odd_nodes_use_their_links_alike)
{
  char text[8192],
    *at = text + sprintf(text, "device_class d 1 TB/s\ndevices gpu[9] of d\nswitches "
                               "node[3]\nswitches rail[3]\nlink_class near 100 GB/s latency 1 us\n"
                               "link_class nic 10 GB/s latency 1 us tier 1\n");
  for (int i = 0; i < 9; i++)
    at += sprintf(at, "link gpu[%d] -- node[%d] near\nlink gpu[%d] -- rail[%d] nic\n", i, i / 3, i,
                  i % 3);
  sprintf(at, "net_model f flow by ring\n");
  net n;
  net_new(&n, text, "reduce_scatter 1 MB over all\n all_reduce 1 MB over all", 9);
  expect(call(&n, TS_IR_REDUCE_SCATTER, 90000000).transfer, 8. / 9 * 90e6 / 30e9 * 1e12);
  expect(call(&n, TS_IR_ALL_REDUCE, 900000000).transfer, 2 * 8. / 9 * 900e6 / 30e9 * 1e12);
  net_free(&n);
}

Test(flow_model, oversubscribed_fat_tree)
{
  char text[8192];
  net n;
  net_new(&n, fat_tree(text, "net_model f flow"),
          "all_to_all 1 MB over all\n all_gather 1 MB over all", 8);
  ts_estimate e = call(&n, TS_IR_ALL_TO_ALL, 80000000);
  expect(e.transfer, 4 * 4 * 80e6 / 8 / 10e9 * 1e12); /* all that leaves a leaf */
  expect(e.steps, 4e6);
  e = call(&n, TS_IR_ALL_GATHER, 80000000); /* a ring leaves it once */
  expect(e.transfer, 7. / 8 * 80e6 / 10e9 * 1e12);
  net_free(&n);
}

/* Two islands of four with a rail each: channel c leaves over rail c, handed to its device inside.
 * */
Test(flow_model, rails)
{
  char text[8192], *at = text;
  net n;
  at += sprintf(at, "device_class d 1 TB/s\ndevices gpu[2,4] of d\nswitches near[2]\nswitches "
                    "rail[4]\nswitches spine[1]\n"
                    "link_class in 100 GB/s latency 1 us\nlink_class out 10 GB/s latency 5 us tier "
                    "1\nlink_class up 10 GB/s latency 1 us tier 2\n");
  for (int i = 0; i < 8; i++)
    at += sprintf(at, "link gpu[%d] -- near[%d] in\nlink gpu[%d] -- rail[%d] out\n", i, i / 4, i,
                  i % 4);
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "link rail[%d] -- spine[0] up\n", i);
  char *model = at;
  sprintf(model, "net_model f flow by ring\n");
  net_new(&n, text, "all_reduce 1 MB over all\n all_to_all 1 MB over all", 8);
  ts_estimate e = call(&n, TS_IR_ALL_REDUCE, 80000000);
  expect(e.transfer, 2. * 7 / 8 * 80e6 / 40e9 * 1e12); /* four rails together */
  /* per round: 3 hops inside of 2 us in each island, and two out: 2 us to the relay, 10 us on the
   * rail; twice round less the two longest that follow on each other */
  expect(e.steps, 2 * (2 * 3 * 2e6 + 2 * 12e6) - 2 * 2e6);
  e = call(&n, TS_IR_ALL_TO_ALL, 80000000);
  /* each rail carries what four devices send to one, and no spine is crossed */
  expect(e.transfer, 4 * 80e6 / 8 / 10e9 * 1e12);
  net_free(&n);
  sprintf(model, "net_model f flow routing shortest unrelayed\n");
  net_new(&n, text, "all_to_all 1 MB over all", 8);
  expect(call(&n, TS_IR_ALL_TO_ALL, 80000000).steps, 12e6); /* over the spine: 5 + 1 + 1 + 5 us */
  net_free(&n);
}

/* Two leaves of four under two spines: 16 connections each way over spines of 10 GB/s, devices' own
 * links are no limit. */
static double over_spines(const char *routing)
{
  char text[8192], *at = text;
  net n;
  at += sprintf(
    at,
    "device_class d 1 TB/s\ndevices gpu[8] of d\nswitches leaf[2]\nswitches spine[2]\nlink_class "
    "nic 1 TB/s latency 1 us tier 1\nlink_class up 10 GB/s latency 1 us tier 2\n");
  for (int i = 0; i < 8; i++)
    at += sprintf(at, "link gpu[%d] -- leaf[%d] nic\n", i, i / 4);
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "link leaf[%d] -- spine[%d] up\n", i / 2, i % 2);
  sprintf(at, "net_model f flow routing %s\n", routing);
  net_new(&n, text, "all_to_all 1 MB over all", 8);
  ts_estimate e = call(&n, TS_IR_ALL_TO_ALL, 80000000);
  net_free(&n);
  return (double)e.transfer / (80e6 / 8 / 10e9 * 1e12); /* connections on the fullest link */
}

Test(flow_model, routing_over_equal_paths)
{
  cr_assert_float_eq(over_spines("shortest"), 16, 1e-6);
  cr_assert_float_eq(over_spines("adaptive"), 8, 1e-6);
  double hashed = over_spines("ecmp");
  cr_assert(hashed >= 8 - 1e-6 && hashed < 16 - 1e-6 && hashed == over_spines("ecmp"), "%g",
            hashed);
}

/* One message each way between two leaves under `spines` of 10 GB/s each: GB/s of a message. */
static double between_leaves(const char *model, int spines)
{
  char text[8192], *at = text;
  net n;
  at += sprintf(at,
                "device_class d 1 TB/s\ndevices gpu[2] of d\nswitches leaf[2]\nswitches "
                "spine[%d]\nlink_class nic 1 TB/s latency 1 us tier 1\nlink_class up 10 GB/s "
                "latency 1 us tier 2\nlink gpu[0] -- leaf[0] nic\nlink gpu[1] -- leaf[1] nic\n",
                spines);
  for (int i = 0; i < 2 * spines; i++)
    at += sprintf(at, "link leaf[%d] -- spine[%d] up\n", i / spines, i % spines);
  sprintf(at, "net_model f %s\n", model);
  net_new(&n, text, "shift 1 MB over all", 2);
  ts_estimate e = call(&n, TS_IR_SHIFT, 64 << 20);
  net_free(&n);
  return (64 << 20) / ((double)e.transfer * 1e-12) * 1e-9;
}

Test(flow_model, spray_takes_all_equal_paths)
{
  cr_assert_float_eq(over_spines("spray"), 8, 1e-6);
  for (int spines = 1; spines <= 5; spines++)
    cr_assert_float_eq(between_leaves("flow routing spray", spines), 10 * spines, 1e-6);
  cr_assert_float_eq(between_leaves("flow routing ecmp", 5), 10, 1e-6);
}

Test(packet, spray_takes_all_equal_paths)
{
  if (!ts_packet_available())
    cr_skip_test("no ns-3 in this build");
  /* senders know nothing of the fabric: they keep to what switches tell them, a few percent below */
  const double data = 4096. / (4096 + 82);
  for (int spines = 1; spines <= 4; spines *= 2) {
    double rate = between_leaves("packet routing spray control hpcc", spines) / data / spines;
    cr_assert(rate > 9 && rate < 10, "%d: %f", spines, rate);
  }
}

/* ---- dimensions ---- */

typedef struct tiers { uint32_t gpus, nodes, pods; double rate[3]; } tiers;

/* `gpus` a node, `nodes` a pod, `pods`: links of 100, 10 and 2 GB/s to switches of their own, so
 * that each tier's rate is a device's. */
static void fabric(net *n, const tiers *t, const char *model, const char *work)
{
  char *text = malloc(65536), *at = text;
  uint32_t pod = t->gpus * t->nodes, ranks = pod * t->pods;
  at += sprintf(at,
                "device_class d 1 TB/s\ndevices gpu[%u] of d\nswitches near[%u]\nswitches "
                "rail[%u]\nswitches plane[1]\nlink_class in %g GB/s latency 1 us\nlink_class out %g "
                "GB/s latency 2 us tier 1\nlink_class far %g GB/s latency 5 us tier 2\n",
                ranks, ranks / t->gpus, t->pods, t->rate[0], t->rate[1], t->rate[2]);
  for (uint32_t r = 0; r < ranks; r++) {
    at += sprintf(at, "link gpu[%u] -- near[%u] in\n", r, r / t->gpus);
    if (t->nodes > 1)
      at += sprintf(at, "link gpu[%u] -- rail[%u] out\n", r, r / pod);
    if (t->pods > 1)
      at += sprintf(at, "link gpu[%u] -- plane[0] far\n", r);
  }
  sprintf(at, "%s\n", model);
  net_new(n, text, work, ranks);
  free(text);
}

static double worst(double a, double b) { return a > b ? a : b; }

/* What a rank has to pass on in each dimension, over its links of that tier; the slowest counts. */
static double by_hand(const tiers *t, double bytes)
{
  double of[3] = {t->gpus, t->nodes, t->pods}, before = 1, time = 0;
  for (int d = 0; d < 3; d++) {
    time = worst(time, 2 * (of[d] - 1) / of[d] * bytes / before / (t->rate[d] * 1e9) * 1e12);
    before *= of[d];
  }
  return time;
}

Test(flow_model, all_reduce_by_dimensions)
{
  static const tiers layouts[] = {
    {4, 1, 1, {100, 10, 2}}, {1, 4, 1, {100, 10, 2}},  {2, 2, 1, {100, 10, 2}},
    {4, 3, 1, {100, 10, 2}}, {4, 3, 1, {10, 100, 2}},  {2, 2, 2, {100, 10, 2}},
    {4, 2, 3, {100, 10, 2}}, {4, 2, 3, {100, 10, 10}}, {3, 5, 2, {20, 10, 10}},
    {8, 1, 4, {100, 10, 2}}, {1, 3, 3, {100, 10, 2}}};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    const tiers *t = &layouts[i];
    uint32_t ranks = t->gpus * t->nodes * t->pods;
    net n;
    fabric(&n, t, "net_model f flow by hierarchical hop 1 us inter_hop 3 us",
           "all_reduce 1 MB over all\n all_gather 1 MB over all\n reduce_scatter 1 MB over all");
    ts_estimate e = call(&n, TS_IR_ALL_REDUCE, 80000000);
    expect(e.transfer, by_hand(t, 80e6));
    /* a step: twice the link to the switch, and the hop */
    expect(e.steps, 2 * ((t->gpus - 1) * 3e6 + (t->nodes - 1) * (t->gpus ? 7e6 : 0) +
                         (t->pods - 1) * 13e6));
    cr_assert(!e.raised, "no faster than the cuts allow: %u ranks", ranks);
    for (int k = 0; k < 2; k++) {
      ts_estimate half = call(&n, k ? TS_IR_ALL_GATHER : TS_IR_REDUCE_SCATTER, 80000000);
      expect(half.transfer, by_hand(t, 80e6) / 2);
      expect(half.steps, (double)e.steps / 2);
      cr_assert(!half.raised);
    }
    net_free(&n);
  }
}

/* Nodes of unlike numbers have no dimension of their own: one ring through all. */
Test(flow_model, unlike_nodes_are_no_dimension)
{
  net n;
  net_new(&n,
          "device_class d 1 TB/s\ndevices gpu[5] of d\nswitches near[2]\nswitches hub[1]\n"
          "link_class in 100 GB/s latency 1 us\nlink_class out 10 GB/s latency 1 us tier 1\n"
          "link gpu[0] -- near[0] in\nlink gpu[1] -- near[0] in\nlink gpu[2] -- near[1] in\n"
          "link gpu[3] -- near[1] in\nlink gpu[4] -- near[1] in\nlink gpu[0] -- hub[0] out\n"
          "link gpu[1] -- hub[0] out\nlink gpu[2] -- hub[0] out\nlink gpu[3] -- hub[0] out\n"
          "link gpu[4] -- hub[0] out\nnet_model f flow by hierarchical\n",
          "all_reduce 1 MB over all", 5);
  expect(call(&n, TS_IR_ALL_REDUCE, 80000000).transfer, 2. * 4 / 5 * 80e6 / 10e9 * 1e12 / 2);
  net_free(&n);
}

Test(packet, all_reduce_by_dimensions)
{
  if (!ts_packet_available())
    cr_skip_test("no ns-3 in this build");
  const tiers t = {2, 2, 2, {100, 10, 2}};
  net n;
  fabric(&n, &t, "net_model f packet by hierarchical", "all_reduce 1 MB over all");
  double data = 4096. / (4096 + 82), took = (double)call(&n, TS_IR_ALL_REDUCE, 8000000).transfer;
  cr_assert_float_eq(took * data / by_hand(&t, 8e6), 1, 0.02, "%f", took);
  net_free(&n);
}

Test(flow_model, unroutable)
{
  net n;
  net_new(&n,
          "device_class d 1 TB/s\ndevices gpu[4] of d\nswitches hub[2]\nlink_class wire 10 GB/s "
          "tier 1\nlink gpu[0] -- hub[0] wire\nlink gpu[1] -- hub[0] wire\n"
          "link gpu[2] -- hub[1] wire\nlink gpu[3] -- hub[1] wire\nnet_model f flow\n",
          "all_reduce 1 MB over all", 4);
  cr_assert_null(ts_network_group(n.network, 0, &n.stop));
  cr_assert_str_eq(n.stop.code, "R0301");
  net_free(&n);
}

/* ---- calls that meet ---- */

static uint64_t play_all(ts_traffic *t, uint64_t *end)
{
  uint64_t next = 0, last = 0;
  while ((next = ts_traffic_next(t)) != TS_FLOW_NEVER) {
    ts_traffic_advance(t, next);
    for (uint32_t id; (id = ts_traffic_ended(t)) != TS_FLOW_NONE; last = next)
      end[id] = next;
  }
  return last;
}

static const ts_ir_net_model plain = {.kind = TS_IR_NET_FLOW,
                                      .routing = TS_IR_ROUTE_SHORTEST,
                                      .channels = 1,
                                      .algorithm = TS_IR_NONE,
                                      .efficiency = 1};

/* Rings 0 1 4 5 and 2 3 6 7 of the fat tree share the links between the leaves: alone each takes T,
 * both together 2 T, and begun t later than the other both go at half speed until that is over. */
Test(flow_traffic, two_rings_share_a_link)
{
  char text[8192];
  net n;
  net_new(&n, fat_tree(text, ""), "all_gather 1 MB over all", 8);
  ts_flow_maker *maker = ts_flow_maker_new(n.arena, &n.ir, ts_graph_new(n.arena, &n.ir), &plain);
  uint32_t first[] = {0, 1, 4, 5}, second[] = {2, 3, 6, 7}, pair[2];
  ts_flow_pattern a, b;
  cr_assert(ts_flow_pattern_make(maker, n.arena, TS_FLOW_LOOP, first, 4, &a, pair));
  cr_assert(ts_flow_pattern_make(maker, n.arena, TS_FLOW_LOOP, second, 4, &b, pair));
  uint64_t end[2];
  ts_traffic *t = ts_traffic_new(n.arena, &n.ir);
  ts_traffic_start(t, &a, 10e6, 0);
  cr_assert_eq(play_all(t, end), UINT64_C(1000000000)); /* 10 MB at 10 GB/s */
  ts_traffic_start(t, &b, 10e6, 0);
  ts_traffic_advance(t, ts_traffic_next(t)); /* its flows are under way */
  ts_traffic_again(t);
  ts_traffic_start(t, &a, 10e6, 0);
  ts_traffic_start(t, &b, 10e6, 400000000);
  play_all(t, end);
  cr_assert_eq(end[0], UINT64_C(1600000000)); /* 4 MB alone, 6 MB at half speed */
  cr_assert_eq(end[1], UINT64_C(2000000000)); /* 6 MB at half speed, 4 MB alone */
  net_free(&n);
}

/* ---- circuits ---- */

static char *optical(char *text, uint32_t n, const char *rest)
{
  char *at =
    text + sprintf(text,
                   "device_class d 1 TB/s\ndevices gpu[%u] of d\nswitches light[1]\nlink_class "
                   "fibre 10 GB/s latency 1 us tier 1 ports 1 setup 20 us\n",
                   n);
  for (uint32_t i = 0; i < n; i++)
    at += sprintf(at, "link gpu[%u] -- light[0] fibre\n", i);
  sprintf(at, "%s\n", rest);
  return text;
}

Test(flow_traffic, circuits_are_set_up_kept_and_taken_down)
{
  char text[8192];
  net n;
  net_new(&n, optical(text, 4, ""), "all_gather 1 MB over all", 4);
  ts_flow_maker *maker = ts_flow_maker_new(n.arena, &n.ir, ts_graph_new(n.arena, &n.ir), &plain);
  ts_flow_pattern to_1, to_2, from_3;
  cr_assert(ts_flow_pattern_message(maker, n.arena, 0, 1, &to_1) &&
            ts_flow_pattern_message(maker, n.arena, 0, 2, &to_2) &&
            ts_flow_pattern_message(maker, n.arena, 3, 1, &from_3));
  uint64_t end[2];
  ts_traffic *t = ts_traffic_new(n.arena, &n.ir);
  ts_traffic_start(t, &to_1, 1e6, 0);
  cr_assert_eq(play_all(t, end), 20000000u + 100000000u);
  ts_traffic_start(t, &to_1, 1e6, 0); /* it is still up */
  cr_assert_eq(play_all(t, end), 220000000u);
  ts_traffic_start(t, &to_2, 1e6, 0); /* takes the place of the first one, which nobody uses */
  ts_traffic_start(t, &from_3, 1e6, 0);
  cr_assert_eq(play_all(t, end), 340000000u);
  cr_assert_eq(ts_traffic_work_of(t).evictions, 1);
  ts_traffic_start(t, &to_1, 1e6, 0); /* one waits for the other: there is one port */
  /* this one's circuit is up, but its port is taken for the first */
  ts_traffic_start(t, &to_2, 1e6, 0);
  cr_assert_eq(play_all(t, end), 340000000u + 240000000u);
  ts_traffic_start(t, &to_1, 1e6, 0);
  ts_traffic_again(t); /* with a call under way, and circuits that are up */
  ts_traffic_start(t, &to_2, 1e6, 0);
  cr_assert_eq(play_all(t, end), 20000000u + 100000000u);
  net_free(&n);
}

Test(flow_model, a_ring_over_circuits_pays_for_setting_up_once)
{
  char text[8192];
  net n;
  net_new(&n, optical(text, 4, "net_model f flow by ring channels 1"), "all_reduce 1 MB over all",
          4);
  ts_estimate e = call(&n, TS_IR_ALL_REDUCE, 40000000);
  expect(e.steps, 6 * 2e6 + 20e6);
  expect(e.transfer, 2. * 3 / 4 * 40e6 / 10e9 * 1e12);
  net_free(&n);
}

Test(flow_model, a_tree_needs_more_ports_than_there_are)
{
  char text[8192];
  net n;
  net_new(&n, optical(text, 4, "net_model f flow by tree channels 1"), "all_reduce 1 MB over all",
          4);
  cr_assert_null(ts_network_group(n.network, 0, &n.stop));
  cr_assert_str_eq(n.stop.code, "R0302");
  net_free(&n);
}

/* All-to-all over single ports: senders take turns, three circuits one after the other. */
Test(flow_model, pairs_take_turns_for_circuits)
{
  char text[8192];
  net n;
  net_new(&n, optical(text, 4, "net_model f flow"), "all_to_all 1 MB over all", 4);
  expect(call(&n, TS_IR_ALL_TO_ALL, 40000000).time, 2e6 + 3 * (20e6 + 10e6 / 10e9 * 1e12));
  net_free(&n);
}

/* Ten patterns of one part over links of two classes. */
Test(flow_model, patterns_that_are_alike)
{
  static const ts_flow_use uses[][2] = {
    {{0, 1}, {2, 1}},   {{6, 1}, {4, 1}},   /* 1 is as 0, by links of the same classes */
    {{8, 1}, {10, 1}},                      /* another class */
    {{12, 1}, {14, 1}}, {{16, 1}, {14, 2}}, /* share 14 */
    {{18, 1}, {20, 1}}, {{22, 1}, {20, 2}}, /* likewise 20 */
    {{24, 1}, {26, 1}}, {{28, 1}, {26, 1}}, /* share 26, with less */
    {{30, 1}, {30, 1}},
  };
  enum { COUNT = sizeof uses / sizeof *uses, LINKS = 16 };
  static const uint32_t wanted[COUNT] = {0, 0, 2, 3, 4, 3, 4, 7, 8, 9};
  ts_ir_link links[LINKS] = {0};
  ts_flow_part part[COUNT];
  ts_flow_pattern patterns[COUNT];
  uint32_t mark[2 * LINKS] = {0};
  links[4].link_class = links[5].link_class = 1;
  ts_ir ir = {.links = links, .links_count = LINKS};
  for (uint32_t i = 0; i < COUNT; i++) {
    part[i] = (ts_flow_part){.uses = uses[i], .count = i == 9 ? 1 : 2, .share = 1};
    patterns[i] = (ts_flow_pattern){.share = 1, .count = 1, .parts = &part[i]};
  }
  ts_arena *arena = ts_arena_new("test");
  const uint32_t *alike = ts_flow_alike(arena, &ir, patterns, COUNT, mark);
  for (uint32_t i = 0; i < COUNT; i++)
    cr_expect_eq(alike[i], wanted[i], "pattern %u is taken to be as %u", i, alike[i]);
  for (uint32_t l = 0; l < 2 * LINKS; l++)
    cr_expect_eq(mark[l], 0);
  ts_arena_free(arena);
}
