/* Collectives by hand where other tests compare models with each other: unlike links, unlike
 * members, ranges, and what is stated beyond rates and steps. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/collective/alpha_beta.h"
#include "runtime/collective/bound.h"
#include "runtime/collective/flow_traffic.h"
#include "runtime/collective/network_internal.h"

typedef struct net {
  ts_ir_builder *b;
  ts_ir ir;
  ts_arena *arena;
  const ts_ranks *ranks;
  ts_network *network;
  ts_stop stop;
} net;

#define HEAD                                                                                       \
  "axis x %u\naxis y %u\ngroup all = x\nstream compute\nstream comm\ndevice_class d 1 TB/s\n"      \
  "devices gpu[%u] of d\n"

/* x times y devices; `rest`: links, models and a fragment. */
static void net_new(net *n, uint32_t x, uint32_t y, const char *rest)
{
  static char text[1 << 16];
  ts_error error = {0};
  int at = snprintf(text, sizeof text, HEAD, x, y, x * y);
  snprintf(text + at, sizeof text - (size_t)at, "%s}\nprogram { F }\n", rest);
  *n = (net){.arena = ts_arena_new("test")};
  n->stop = (ts_stop){.arena = n->arena};
  n->b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(n->b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(n->b, &n->ir);
  cr_assert_eq(ts_ir_verify(&n->ir, &error), 0, "%s", error.message);
  n->ranks = ts_ranks_new(n->arena, &n->ir);
  n->network = ts_network_new(n->arena, &n->ir, n->ranks, NULL, &n->stop);
}

static void net_free(net *n)
{
  ts_arena_free(n->arena);
  ts_ir_builder_free(n->b);
}

static uint32_t profile_of(net *n)
{
  const uint32_t *profile = ts_network_group(n->network, 0, &n->stop);
  cr_assert(profile, "%s", n->stop.title);
  return profile[0];
}

static ts_estimate ask(net *n, uint32_t kind, uint64_t bytes)
{
  return ts_network_estimate(n->network, kind, bytes, profile_of(n));
}

/* Two islands of two; 100 GB/s to the island's switch, 10 GB/s a device above. */
#define TWO_ISLANDS                                                                                \
  "switches near[2]\nswitches far[1]\nlink_class in 100 GB/s latency 1 us\nlink_class out 10 "     \
  "GB/s latency 5 us tier 1\nlink gpu[0] -- near[0] in\nlink gpu[1] -- near[0] in\nlink gpu[2] "   \
  "-- near[1] in\nlink gpu[3] -- near[1] in\nlink gpu[0] -- far[0] out\nlink gpu[1] -- far[0] "    \
  "out\nlink gpu[2] -- far[0] out\nlink gpu[3] -- far[0] out\n"
#define STAR "switches hub[1]\nlink_class wire 10 GB/s latency 1 us tier 1\n"
#define CALL(kind) "fragment F { " kind " 1 MB over all "

Test(closed_forms, a_step_inside_is_none_between)
{
  net n;
  net_new(&n, 4, 1, TWO_ISLANDS "net_model m alpha_beta hop 2 us inter_hop 30 us\n" CALL("shift"));
  uint32_t near = ts_network_path(n.network, 0, 1, &n.stop),
           far = ts_network_path(n.network, 0, 2, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 0, near).time, 4000000u);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 0, far).time, 40000000u);
  net_free(&n);
}

/* Thakur, Rabenseifner and Gropp (2005): 2 log2 p steps and 2 (p-1)/p of the bytes, of p that are no
 * power of two two steps and twice the bytes more; halves take half. One shot: a step, p-1 times. */
Test(closed_forms, halving_doubling_and_one_shot)
{
  static const struct {
    uint32_t ranks, kind;
    double steps, volume, shot_steps, shot;
  } cases[] = {{2, TS_IR_ALL_REDUCE, 2, 1, 1, 1},
               {8, TS_IR_ALL_REDUCE, 6, 1.75, 1, 7},
               {16, TS_IR_ALL_REDUCE, 8, 1.875, 1, 15},
               {6, TS_IR_ALL_REDUCE, 6, 3.5, 1, 5},
               {8, TS_IR_ALL_GATHER, 3, 0.875, 7, 0.875},
               {8, TS_IR_REDUCE_SCATTER, 3, 0.875, 7, 0.875},
               {6, TS_IR_ALL_GATHER, 5, 5 / 6.0, 5, 5 / 6.0}};
  ts_profile p = {.islands = 1, .intra = 1e9};
  ts_ir_net_model m = {.kind = TS_IR_NET_ALPHA_BETA, .hop = 2000000, .efficiency = 1};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    p.ranks = p.per_island = cases[i].ranks;
    m.algorithm = TS_IR_NET_HALVING_DOUBLING;
    ts_estimate e = ts_alpha_beta(&m, cases[i].kind, 1000000, &p);
    cr_expect_float_eq((double)e.time, 2e6 * cases[i].steps + 1e9 * cases[i].volume, 2, "%u",
                       p.ranks);
    m.algorithm = TS_IR_NET_ONE_SHOT;
    e = ts_alpha_beta(&m, cases[i].kind, 1000000, &p);
    cr_expect_float_eq((double)e.time, 2e6 * cases[i].shot_steps + 1e9 * cases[i].shot, 2, "%u",
                       p.ranks);
  }
}

/* The IR takes them of models of latency and bandwidth; models of connections do not know them. */
Test(closed_forms, steps_alone_are_no_connections)
{
  ts_error error = {0};
  net n;
  net_new(&n, 4, 1,
          TWO_ISLANDS "net_model m alpha_beta by halving_doubling hop 2 us inter_hop 30 us\n" CALL(
            "all_reduce"));
  cr_assert_eq(ask(&n, TS_IR_ALL_REDUCE, 0).time, 2 * (4000000u + 40000000u));
  ts_ir_net_model *models = TS_NEW(n.arena, ts_ir_net_model);
  *models = n.ir.net_models[0];
  n.ir.net_models = models;
  models->kind = TS_IR_NET_FLOW;
  models->inter_hop = 0;
  cr_assert_lt(ts_ir_verify(&n.ir, &error), 0);
  net_free(&n);
}

/* Half of a rank's 40 MB are for the other island, by its own 10 GB/s. */
Test(closed_forms, an_exchange_leaves_by_own_links)
{
  net n;
  net_new(&n, 4, 1, TWO_ISLANDS CALL("all_to_all"));
  cr_assert_float_eq(ts_network_profile(n.network, profile_of(&n))->pairs, 20e9, 1);
  net_free(&n);
}

/* A link of four ports of 10 GB/s: a ring's one flow has one circuit. */
Test(closed_forms, a_flow_has_one_circuit)
{
  net n;
  net_new(&n, 2, 1, "switches light[1]\nlink_class fibre 10 GB/s latency 1 us ports 4\n"
                    "link gpu[0] -- light[0] fibre\nlink gpu[1] -- light[0] fibre\n"
                    CALL("all_gather"));
  cr_assert_float_eq(ts_network_profile(n.network, profile_of(&n))->intra, 10e9, 1);
  net_free(&n);
}

/* ---- White boxes ---- */

static double method_ps(const ts_ir_net_method *m, uint64_t bytes, const ts_profile *p)
{
  ts_white_box box = ts_white_box_method(m, bytes, p);
  return box.connection + box.intra + box.inter + box.reduction;
}

static const ts_ir_net_method plain = {.collective = TS_IR_ALL_REDUCE,
                                       .algorithm = TS_IR_NET_TREE,
                                       .protocol = TS_IR_NET_SIMPLE,
                                       .channels = 1,
                                       .threads = 64,
                                       .intra_share = 1,
                                       .inter_share = 1};

/* The first 1 MB goes whole up and down a chain of three steps at 10 GB/s and two levels at 1 GB/s,
 * half of it in each tree. */
Test(closed_forms, first_chunks_pass_chains_and_trees)
{
  ts_ir_net_method m = plain;
  ts_profile p = {.ranks = 16, .islands = 4, .per_island = 4, .intra = 1e10, .inter = 1e9};
  m.chunk = 1e6;
  cr_assert_float_eq(method_ps(&m, 1000000000, &p),
                     2e12 + 0.5e6 * (6 / 1e10 + 4 / 1e9) * 1e12, 1e3);
}

/* Twice as many islands as two: the rate falls by 2^-0.5. */
Test(closed_forms, rates_fall_from_two_islands_on)
{
  ts_ir_net_method m = plain;
  ts_profile p = {.ranks = 2, .islands = 2, .per_island = 1, .inter = 1e9};
  m.algorithm = TS_IR_NET_RING;
  m.spread = 0.5;
  cr_assert_float_eq(method_ps(&m, 1000000000, &p), 1e12, 1e3);
  p.ranks = p.islands = 4;
  cr_assert_float_eq(method_ps(&m, 1000000000, &p), 1.5e12 * sqrt(2), 1e3);
}

/* NVLS-tree over two islands: what one tree sends up, the other sends down. */
Test(closed_forms, switches_of_two_islands_send_once)
{
  ts_ir_net_method m = plain;
  double inside, outside;
  m.algorithm = TS_IR_NET_SWITCH_TREE;
  for (uint32_t islands = 2; islands <= 8; islands *= 2) {
    ts_profile p = {.ranks = 4 * islands, .islands = islands, .per_island = 4};
    ts_method_volumes(&m, &p, &inside, &outside);
    cr_assert_float_eq(inside, 1.25, 1e-12);
    cr_assert_float_eq(outside, islands == 2 ? 1 : 2 * (1 - 0.25 / islands), 1e-12);
  }
}

/* 8 MB of two channels, four ranks and chunks of 100 kB are ten rounds of two steps; over a fabric
 * one. */
Test(closed_forms, rounds_hide_over_a_fabric)
{
  ts_ir_net_method m = plain;
  ts_profile p = {.ranks = 4, .islands = 1, .per_island = 4, .intra = 1e12};
  m.collective = TS_IR_ALL_GATHER;
  m.algorithm = TS_IR_NET_RING;
  m.channels = 2;
  m.chunk = 1e5;
  m.intra_hop = 1000000;
  cr_assert_float_eq(method_ps(&m, 8000000, &p), 10 * 3e6 + 6e6, 1);
  m.believed_share = 0.5;
  cr_assert_float_eq(method_ps(&m, 8000000, &p), 3e6 + 6e6, 1);
}

#define METHOD "  method all_reduce ring simple channels 1 threads 64 "

/* Measured at 50 GB/s on links of 200; here they have 100, of which 0.9 are its share. */
Test(closed_forms, a_measured_rate_stays_on_slower_links)
{
  net n;
  net_new(&n, 4, 1,
          "switches hub[1]\nlink_class in 100 GB/s latency 0 us\nlink gpu[0] -- hub[0] in\nlink "
          "gpu[1] -- hub[0] in\nlink gpu[2] -- hub[0] in\nlink gpu[3] -- hub[0] in\n"
          "net_model m white_box intra_links 200 GB/s {\n" METHOD
          "ranks 4 islands 1 intra_rate 50 GB/s intra_share 0.9\n}\n" CALL("all_reduce"));
  cr_assert_float_eq((double)ask(&n, TS_IR_ALL_REDUCE, 100000000).time, 1.5e8 / 50e9 * 1e12, 10);
  net_free(&n);
}

/* The first is believed faster, but was measured below 1 kB alone. */
Test(closed_forms, ways_that_were_measured_at_the_size_come_first)
{
  net n;
  net_new(&n, 4, 1, TWO_ISLANDS "net_model m white_box {\n" METHOD
          "connection 1 us least 1 B most 1 kB\n" METHOD
          "connection 9 us least 1 B most 1 GB\n}\n" CALL("all_reduce"));
  ts_white_box way;
  cr_assert(ts_network_way(n.network, TS_IR_ALL_REDUCE, 1000000, profile_of(&n), &way));
  cr_assert_float_eq(way.connection, 9e6, 1);
  cr_assert(ts_network_way(n.network, TS_IR_ALL_REDUCE, 1000, profile_of(&n), &way));
  cr_assert_float_eq(way.connection, 1e6, 1);
  net_free(&n);
}

/* Three calls of a ring over four ranks take the six steps three times, and connect once. */
Test(closed_forms, a_group_of_rings_takes_each_ones_steps)
{
  net n;
  net_new(&n, 4, 1, STAR "link gpu[0] -- hub[0] wire\nlink gpu[1] -- hub[0] wire\nlink gpu[2] -- "
                         "hub[0] wire\nlink gpu[3] -- hub[0] wire\nnet_model m white_box {\n"
          METHOD "connection 5 us intra_hop 1 us inter_hop 1 us\n}\n" CALL("all_reduce"));
  uint32_t at = profile_of(&n);
  const ts_white_box_plan *plan = ts_white_box_prepare(
    n.arena, &n.ir, n.ir.net_models, TS_IR_ALL_REDUCE, ts_network_profile(n.network, at));
  ts_white_box one = ts_white_box_estimate(plan, 3000000), three = ts_white_box_grouped(plan, 1000000, 3);
  cr_assert_float_eq(three.intra + three.inter - one.intra - one.inter, 2 * 6e6, 1);
  cr_assert_float_eq(three.connection, 5e6, 1);
  net_free(&n);
}

/* ---- Tables ---- */

#define PAIR STAR "link gpu[0] -- hub[0] wire\nlink gpu[1] -- hub[0] wire\n"

/* On the line through the two shortest, 50 us are left without bytes; at 4 MB no more than all. */
Test(closed_forms, a_measured_message_has_a_latency)
{
  net n;
  net_new(&n, 2, 1, PAIR "net_model t table for message {\n message 2 2 1 MB 200 us\n message 2 2 "
                         "2 MB 350 us\n message 2 2 4 MB 30 us\n}\n" CALL("shift"));
  uint32_t path = ts_network_path(n.network, 0, 1, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 2000000, path).latency, 50000000u);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 4000000, path).latency, 30000000u);
  cr_assert(!ts_network_estimate(n.network, TS_IR_MESSAGE, 1000000, path).beyond);
  cr_assert(ts_network_estimate(n.network, TS_IR_MESSAGE, 999999, path).beyond);
  net_free(&n);
}

/* ---- Bounds ---- */

/* Out of the first device at 10 GB/s, into the second at 1 GB/s. */
Test(closed_forms, a_message_waits_for_the_receivers_links)
{
  net n;
  net_new(&n, 2, 1, "switches hub[1]\nlink_class fast 10 GB/s latency 1 us\nlink_class slow 1 GB/s "
                    "latency 1 us\nlink gpu[0] -- hub[0] fast\nlink gpu[1] -- hub[0] slow\n"
                    CALL("shift"));
  ts_cuts *cuts = ts_cuts_new(n.arena, &n.ir);
  cr_assert_float_eq(ts_cuts_path(cuts, 0, 1).alone[TS_IR_MESSAGE], 1000, 1e-6);
  cr_assert_float_eq(ts_cuts_path(cuts, 1, 0).alone[TS_IR_MESSAGE], 1000, 1e-6);
  net_free(&n);
}

/* Two sums over two islands each; an island sends by two links of 10 GB/s, which both share, and
 * takes by two of 40. Two parts exchange 2 B at least, by 10 GB/s of each island. */
Test(closed_forms, sums_share_the_links_out_of_an_island)
{
  net n;
  net_new(&n, 2, 2,
          "switches near[2]\nswitches far[1]\nlink_class in 100 GB/s latency 1 us\nlink_class out "
          "10 GB/s latency 5 us tier 1\nlink_class back 40 GB/s latency 5 us tier 1\n"
          "link gpu[0] -- near[0] in\nlink gpu[2] -- near[0] in\nlink gpu[1] -- near[1] in\n"
          "link gpu[3] -- near[1] in\nlink gpu[0] -> far[0] out\nlink far[0] -> gpu[0] back\n"
          "link gpu[1] -> far[0] out\nlink far[0] -> gpu[1] back\nlink gpu[2] -> far[0] out\n"
          "link far[0] -> gpu[2] back\nlink gpu[3] -> far[0] out\nlink far[0] -> gpu[3] back\n"
          CALL("all_reduce"));
  ts_bound bounds[2];
  const ts_rank_group *g = &n.ranks->groups[0];
  cr_assert_eq(g->instances, 2u);
  cr_assert_eq(ts_instance_ranks(g, 0)[1], 1u, "of the other island");
  ts_cuts_group(ts_cuts_new(n.arena, &n.ir), n.ranks, g, 1u << TS_IR_ALL_REDUCE, bounds);
  cr_assert_float_eq(bounds[0].summed_alone, 2 / 40e9 * 1e12, 1e-6);
  cr_assert_float_eq(bounds[0].summed_together, 2 / 20e9 * 1e12, 1e-6);
  net_free(&n);
}

/* ---- Flows ---- */

/* A ring of links of 1, 2 and 3 us: the longest two in a row, and once round and one more. */
Test(closed_forms, steps_in_a_row_are_the_longest)
{
  net n;
  net_new(&n, 3, 1,
          "link_class a 10 GB/s latency 1 us tier 1\nlink_class b 10 GB/s latency 2 us tier 1\n"
          "link_class c 10 GB/s latency 3 us tier 1\nlink gpu[0] -> gpu[1] a\nlink gpu[1] -> "
          "gpu[2] b\nlink gpu[2] -> gpu[0] c\nnet_model f flow by ring channels 1\n"
          CALL("all_gather") "\n all_reduce 1 MB over all ");
  cr_assert_eq(ask(&n, TS_IR_ALL_GATHER, 0).steps, 5000000u);
  cr_assert_eq(ask(&n, TS_IR_ALL_REDUCE, 0).steps, 9000000u);
  net_free(&n);
}

/* Two senders at once to one device: each has half of its 10 GB/s. */
Test(closed_forms, messages_of_a_set_share_the_receivers_link)
{
  net n;
  net_new(&n, 3, 1,
          STAR "link gpu[0] -- hub[0] wire\nlink gpu[1] -- hub[0] wire\nlink gpu[2] -- hub[0] "
               "wire\nnet_model f flow\n" CALL("shift"));
  const ts_network_message together[] = {{0, 2, 0}, {1, 2, 0}}, apart[] = {{0, 2, 0}, {1, 2, 1}};
  uint32_t profile[2];
  cr_assert_eq(ts_network_messages(n.network, together, 2, profile, &n.stop), 0);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 1000000, profile[0]).transfer,
               200000000u);
  cr_assert_eq(ts_network_messages(n.network, apart, 2, profile, &n.stop), 0);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 1000000, profile[1]).transfer,
               100000000u);
  net_free(&n);
}

/* Islands of 3 and 65: no few channels let all members of both leave alike, so there is one for each
 * of the 65, and one more, as half of them run back. */
Test(closed_forms, half_of_the_channels_run_back)
{
  static char text[1 << 14];
  net n;
  char *at = text;
  at += sprintf(at, "switches near[2]\nswitches far[1]\nlink_class in 100 GB/s latency 1 us\n"
                    "link_class out 10 GB/s latency 5 us tier 1\n");
  for (int i = 0; i < 68; i++)
    at += sprintf(at, "link gpu[%d] -- near[%d] in\nlink gpu[%d] -- far[0] out\n", i, i >= 3, i);
  sprintf(at, CALL("all_gather"));
  net_new(&n, 68, 1, text);
  const ts_ir_net_model model = {.kind = TS_IR_NET_FLOW, .algorithm = TS_IR_NONE};
  ts_flow_pattern pattern;
  uint32_t vertex[68], unroutable[2];
  for (uint32_t i = 0; i < 68; i++) vertex[i] = i;
  ts_flow_maker *maker =
    ts_flow_maker_new(n.arena, &n.ir, ts_graph_new(n.arena, &n.ir), &model);
  cr_assert(ts_flow_pattern_make(maker, n.arena, TS_FLOW_LOOP, vertex, 68, &pattern, unroutable));
  cr_assert_eq(pattern.count, 66u);
  net_free(&n);
}

static uint64_t play_message(ts_traffic *t, const ts_flow_pattern *pattern)
{
  uint64_t last = 0;
  ts_traffic_start(t, pattern, 1e6, 0);
  for (uint64_t next; (next = ts_traffic_next(t)) != TS_FLOW_NEVER;) {
    ts_traffic_advance(t, next);
    while (ts_traffic_ended(t) != TS_FLOW_NONE)
      last = next;
  }
  return last;
}

/* Two ports, three circuits: the one that was used longest ago goes. */
Test(closed_forms, the_oldest_circuit_goes)
{
  net n;
  net_new(&n, 4, 1,
          "switches light[1]\nlink_class fibre 10 GB/s latency 1 us tier 1 ports 2 setup 20 us\n"
          "link gpu[0] -- light[0] fibre\nlink gpu[1] -- light[0] fibre\nlink gpu[2] -- light[0] "
          "fibre\nlink gpu[3] -- light[0] fibre\n" CALL("shift"));
  const ts_ir_net_model model = {.kind = TS_IR_NET_FLOW};
  ts_flow_maker *maker = ts_flow_maker_new(n.arena, &n.ir, ts_graph_new(n.arena, &n.ir), &model);
  ts_flow_pattern to[4];
  ts_traffic *t = ts_traffic_new(n.arena, &n.ir);
  for (uint32_t i = 1; i < 4; i++)
    cr_assert(ts_flow_pattern_message(maker, n.arena, 0, i, &to[i]));
  static const struct { uint32_t to; uint64_t us; } calls[] = {
    {1, 120}, {2, 120}, {1, 100}, {3, 120}, {1, 100}, {2, 120}}; /* 3 takes 2's place */
  uint64_t now = 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    uint64_t end = play_message(t, &to[calls[i].to]);
    cr_assert_eq(end - now, calls[i].us * 1000000, "call %zu: %.0f", i, (double)(end - now));
    now = end;
  }
  net_free(&n);
}

/* Whichever end takes longer to set its circuit up. */
Test(closed_forms, both_ends_of_a_circuit_are_set_up)
{
  for (int turned = 0; turned < 2; turned++) {
    net n;
    char text[1024];
    snprintf(text, sizeof text,
             "switches light[1]\nlink_class a 10 GB/s latency 1 us tier 1 ports 1 setup 20 us\n"
             "link_class b 10 GB/s latency 1 us tier 1 ports 1 setup 50 us\nlink gpu[%d] -- light[0] "
             "a\nlink gpu[%d] -- light[0] b\nnet_model f flow\n" CALL("broadcast"),
             turned, 1 - turned);
    net_new(&n, 2, 1, text);
    uint32_t path = ts_network_path(n.network, 0, 1, &n.stop);
    ts_estimate e = ts_network_estimate(n.network, TS_IR_MESSAGE, 0, path);
    cr_assert_eq(e.time, 52000000u);
    cr_assert_eq(e.latency, 2000000u);
    cr_assert_eq(ask(&n, TS_IR_BROADCAST, 0).time, 52000000u);
    net_free(&n);
  }
}

/* A path has 64 links at most. */
Test(closed_forms, longer_paths_are_not_found)
{
  for (uint32_t links = TS_PATH_MAX; links <= TS_PATH_MAX + 1; links++) {
    net n;
    char text[1 << 14], *at = text;
    at += sprintf(at, "switches s[%u]\nlink_class wire 10 GB/s latency 1 us tier 1\n", links - 1);
    at += sprintf(at, "link gpu[0] -- s[0] wire\nlink gpu[1] -- s[%u] wire\n", links - 2);
    for (uint32_t i = 0; i + 2 < links; i++)
      at += sprintf(at, "link s[%u] -- s[%u] wire\n", i, i + 1);
    sprintf(at, CALL("shift"));
    net_new(&n, 2, 1, text);
    ts_path path;
    cr_assert_eq(ts_graph_path(ts_graph_new(n.arena, &n.ir), 0, 1, &path), links == TS_PATH_MAX);
    net_free(&n);
  }
}
