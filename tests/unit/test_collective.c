/* Models of communication against figures worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/collective/network.h"
#include "runtime/collective/sends.h"

typedef struct net {
  ts_ir_builder *b;
  ts_ir ir;
  ts_arena *arena;
  ts_network *network;
  ts_stop stop;
} net;

static void net_new(net *n, const char *text)
{
  ts_error error = {0};
  n->arena = ts_arena_new("test");
  n->stop = (ts_stop){.arena = n->arena};
  n->b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(n->b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(n->b, &n->ir);
  n->network = ts_network_new(n->arena, &n->ir, ts_ranks_new(n->arena, &n->ir), NULL, &n->stop);
}

static void net_free(net *n)
{
  ts_arena_free(n->arena);
  ts_ir_builder_free(n->b);
}

/* Two islands of four devices, so many ranks; 100 GB/s to the island's switch, 10 GB/s a device to
 * the rails above. `models` goes before the fragments. */
static void ranks_in_islands(net *n, int ranks, const char *models)
{
  char text[8192], *at = text;
  at += sprintf(
    at, "axis x %d\naxis y 1\ngroup all = x\nstream compute\nstream comm\n"
        "device_class d 1 TB/s\ndevices gpu[2,4] of d\nswitches near[2]\nswitches far[1]\n"
        "link_class in 100 GB/s latency 1 us\nlink_class out 10 GB/s latency 5 us tier 1\n",
    ranks);
  for (int i = 0; i < 8; i++)
    at += sprintf(at, "link gpu[%d] -- near[%d] in\nlink gpu[%d] -- far[0] out\n", i, i / 4, i);
  at += sprintf(at, "%s", models);
  sprintf(at, "fragment F { all_reduce 1 MB over all }\nprogram { F }\n");
  net_new(n, text);
}

static void two_islands(net *n, const char *models) { ranks_in_islands(n, 8, models); }

Test(collective, a_ring_sends_what_it_must)
{
  cr_assert_float_eq(ts_ring_volume(TS_IR_ALL_REDUCE, 8), 2 * 7 / 8.0, 1e-15);
  cr_assert_float_eq(ts_ring_volume(TS_IR_ALL_GATHER, 8), 7 / 8.0, 1e-15);
  cr_assert_float_eq(ts_ring_volume(TS_IR_REDUCE_SCATTER, 8), 7 / 8.0, 1e-15);
  cr_assert_float_eq(ts_ring_volume(TS_IR_ALL_TO_ALL, 8), 7 / 8.0, 1e-15);
  cr_assert_float_eq(ts_ring_volume(TS_IR_BROADCAST, 8), 1, 1e-15);
  cr_assert_float_eq(ts_ring_volume(TS_IR_BARRIER, 8), 0, 1e-15);
  cr_assert_eq(ts_ring_steps(TS_IR_ALL_REDUCE, 8), 14);
  cr_assert_eq(ts_ring_steps(TS_IR_ALL_GATHER, 8), 7);
}

Test(collective, profile_of_a_group_in_two_islands)
{
  net n;
  two_islands(&n, "");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  cr_assert(profile);
  const ts_profile *p = ts_network_profile(n.network, profile[0]);
  cr_assert_eq(p->ranks, 8);
  cr_assert_eq(p->islands, 2);
  cr_assert_eq(p->per_island, 4);
  cr_assert_eq(p->tier, 1);
  cr_assert_float_eq(p->intra, 100e9, 1);
  cr_assert_float_eq(p->inter, 40e9, 1); /* four rails together */
  cr_assert_eq(p->intra_latency, 2000000);
  cr_assert_eq(p->inter_latency, 10000000);
  net_free(&n);
}

Test(collective, links_alone_when_no_model_answers)
{
  net n;
  two_islands(&n, "");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  ts_estimate e = ts_network_estimate(n.network, TS_IR_ALL_REDUCE, 80000000, profile[0]);
  /* by trees: twice 3 steps inside and one between, each at the latency of its own links */
  cr_assert_eq(e.steps, 6u * 2000000 + 2u * 10000000);
  cr_assert_eq(e.transfer, 2000000000u); /* 80 MB / 40 GB/s: each direction carries them once */
  cr_assert_eq(e.time, e.base + e.steps + e.transfer);
  cr_assert_eq(e.model, TS_IR_NONE);
  net_free(&n);
}

Test(collective, alpha_beta)
{
  net n;
  two_islands(&n, "net_model m alpha_beta for all_reduce by ring efficiency 0.8 base 10 us hop 2 us "
                  "inter_hop 3 us half 8 MB\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  ts_estimate e = ts_network_estimate(n.network, TS_IR_ALL_REDUCE, 8000000, profile[0]);
  cr_assert_eq(e.base, 10000000);
  cr_assert_eq(e.steps, 12u * 4000000 + 2u * 13000000); /* links' latency of 2 and 10 us in each */
  cr_assert_eq(e.transfer, 875000000);               /* 14 MB / (0.8 * 40 GB/s * 1/2) */
  cr_assert_eq(e.model, 0);
  e = ts_network_estimate(n.network, TS_IR_ALL_GATHER, 8000000, profile[0]);
  cr_assert_eq(e.model, TS_IR_NONE);
  net_free(&n);
}

/* Up and down, a chain of four in the island and one level between islands: 2 * (3 * 4 + 13) us. One
 * tree sends its half up over the links between the islands, the other sends its half down. */
Test(collective, trees_where_they_are_faster)
{
  net n;
  two_islands(&n, "net_model m alpha_beta hop 2 us inter_hop 3 us\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  /* 8 kB / 40 GB/s */
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_ALL_REDUCE, 8000, profile[0]).time,
               50000000u + 200000u);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_BARRIER, 0, profile[0]).time, 50000000u);
  /* rings: six steps of 4 us, one of 13 */
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_ALL_GATHER, 0, profile[0]).time, 37000000u);
  net_free(&n);
  two_islands(&n, "net_model m alpha_beta by ring hop 2 us inter_hop 3 us\n");
  profile = ts_network_group(n.network, 0, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_BARRIER, 0, profile[0]).time, 74000000u);
  net_free(&n);
}

/* Three steps inside and one between, in and out, of 4 and 13 us. Inside 2 * 3/4 of the bytes at 100
 * GB/s, between the islands 2 * 1/2 at 40 GB/s: the slower one counts. */
Test(collective, by_dimensions)
{
  net n;
  two_islands(&n, "net_model m alpha_beta by hierarchical efficiency 0.5 hop 2 us inter_hop 3 us\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  ts_estimate e = ts_network_estimate(n.network, TS_IR_ALL_REDUCE, 80000000, profile[0]);
  cr_assert_eq(e.steps, 2 * (3u * 4000000 + 13000000));
  cr_assert_eq(e.transfer, 4000000000u);
  cr_assert(!e.raised);
  e = ts_network_estimate(n.network, TS_IR_REDUCE_SCATTER, 80000000, profile[0]);
  cr_assert_eq(e.steps, 3u * 4000000 + 13000000);
  cr_assert_eq(e.transfer, 2000000000u);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_BARRIER, 0, profile[0]).time, 50000000u);
  net_free(&n);
}

/* Dimensions need islands of one size: over four and three ranks a ring is timed, and named. */
Test(collective, unlike_islands_have_no_dimensions)
{
  static const char models[] = "net_model m alpha_beta by hierarchical hop 2 us inter_hop 3 us\n";
  for (int ranks = 7; ranks <= 8; ranks++) {
    net n;
    ranks_in_islands(&n, ranks, models);
    uint32_t profile = ts_network_group(n.network, 0, &n.stop)[0];
    ts_call_way way = ts_network_call_way(n.network, &n.ir, TS_IR_ALL_GATHER, 1 << 20, profile);
    uint64_t steps = ts_network_estimate(n.network, TS_IR_ALL_GATHER, 0, profile).steps;
    cr_assert_eq(way.algorithm, ranks == 8 ? TS_IR_NET_HIERARCHICAL : TS_IR_NET_RING);
    cr_assert_eq(steps, ranks == 8 ? 3u * 4000000 + 13000000 : 5u * 4000000 + 13000000);
    net_free(&n);
  }
}

/* Half of each rank's 80 MB leaves through its own 10 GB/s, 3/8 stay at 100 GB/s. Rank 3 passes on
 * to rank 4 alone, not with the island's other links. */
Test(collective, pairs_and_shifts_use_each_ranks_own_links)
{
  net n;
  two_islands(&n, "");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_ALL_TO_ALL, 80000000, profile[0]).transfer,
               4000000000u);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_SHIFT, 80000000, profile[0]).transfer,
               8000000000u);
  net_free(&n);
}

/* Each rank sends to three others in its island and then to those of the other one: three steps of
 * 2 us, one of 3 us, and the latency of the way out, 10 us, once. */
Test(collective, pairs_step_through_all_others)
{
  net n;
  two_islands(&n, "net_model m alpha_beta hop 2 us inter_hop 3 us\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_ALL_TO_ALL, 0, profile[0]).steps,
               3u * 2000000 + 3000000 + 10000000);
  net_free(&n);
}

/* Four spines of a quarter of the rate carry what one does. */
Test(collective, equal_paths_are_used_side_by_side)
{
  for (int spines = 1; spines <= 4; spines += 3) {
    char text[8192], *at = text;
    at += sprintf(
      at,
      "axis x 8\naxis y 1\ngroup all = x\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[8] of "
      "d\nswitches leaf[2]\nswitches spine[%d]\n"
      "link_class nic 10 GB/s latency 1 us tier 1\nlink_class up %d GB/s latency 1 us tier 1\n",
      spines, 20 / spines);
    for (int i = 0; i < 8; i++)
      at += sprintf(at, "link gpu[%d] -- leaf[%d] nic\n", i, i / 4);
    for (int i = 0; i < 2 * spines; i++)
      at += sprintf(at, "link leaf[%d] -- spine[%d] up\n", i % 2, i / 2);
    /* every hop crosses */
    sprintf(at, "place 0, 4, 1, 5, 2, 6, 3, 7\nfragment F { all_gather 1 MB over all on compute\n "
                "all_to_all 1 MB over all on compute }\nprogram { F }\n");
    net n;
    net_new(&n, text);
    const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
    /* four hops share 20 GB/s */
    cr_assert_eq(ts_network_estimate(n.network, TS_IR_ALL_GATHER, 80000000, profile[0]).transfer,
                 14000000000u);
    /* 160 MB cross */
    cr_assert_eq(ts_network_estimate(n.network, TS_IR_ALL_TO_ALL, 80000000, profile[0]).transfer,
                 8000000000u);
    uint32_t path = ts_network_path(n.network, 0, 1, &n.stop);
    cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 80000000, path).transfer,
                 8000000000u);
    net_free(&n);
  }
}

Test(collective, models_answer_in_their_order_and_for_their_tier)
{
  net n;
  two_islands(&n, "net_model inner alpha_beta for any tier 0 base 1 us\nnet_model outer alpha_beta "
                  "for any tier 1 base 2 us\n"
                  "net_model rest alpha_beta for any base 3 us\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_BARRIER, 0, profile[0]).model, 1);
  uint32_t near = ts_network_path(n.network, 0, 1, &n.stop);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 0, near).model, 0);
  net_free(&n);
}

Test(collective, measured_points)
{
  net n;
  two_islands(&n, "net_model t table for all_reduce {\n all_reduce 8 2 1 MB 100 us\n all_reduce 8 "
                  "2 4 MB 200 us\n all_reduce 16 2 1 MB 999 us\n}\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  struct { uint64_t bytes; double us; } rows[] = {
      {1000000, 100}, {4000000, 200}, {2000000, 141.421356}, /* half-way in logarithms */
      {1000, 100},      /* below: latency alone */
      {40000000, 2000}, /* above: the bandwidth of the largest */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ts_estimate e = ts_network_estimate(n.network, TS_IR_ALL_REDUCE, rows[i].bytes, profile[0]);
    cr_expect_float_eq(1e-6 * (double)e.time, rows[i].us, 1e-5, "%g", 1e-6 * (double)e.time);
    cr_expect_eq(e.model, 0);
  }
  net_free(&n);
}

/* 80 MB need 40 GB/s for 2 ms out of the island and 2 * 7/8 * 80 MB from each rank over 110 GB/s. A
 * table stays as it was measured. */
Test(collective, times_below_what_the_links_take)
{
  net n;
  two_islands(&n, "net_model t table for all_reduce {\n all_reduce 8 2 80 MB 100 us\n}\n");
  const uint32_t *profile = ts_network_group(n.network, 0, &n.stop);
  ts_estimate e = ts_network_estimate(n.network, TS_IR_ALL_REDUCE, 80000000, profile[0]);
  cr_assert_eq(e.time, 100000000u);
  cr_assert(e.faster && !e.raised);
  net_free(&n);
  for (int switches = 0; switches < 2; switches++) {
    char model[256];
    sprintf(model,
            "net_model w white_box {\n method all_reduce %s simple channels 8 threads 512 "
            "intra_rate 9 TB/s inter_rate 9 TB/s\n}\n",
            switches ? "switch_tree" : "tree");
    two_islands(&n, model);
    profile = ts_network_group(n.network, 0, &n.stop);
    e = ts_network_estimate(n.network, TS_IR_ALL_REDUCE, 80000000, profile[0]);
    cr_assert_float_eq((double)e.time, 2e9, 10); /* of either: the islands' links */
    cr_assert(e.raised);
    cr_assert_eq(e.time, e.base + e.transfer);
    cr_assert_eq(e.transfer, e.intra + e.inter + e.reduction);
    uint32_t count;
    const ts_extrapolation *doubts = ts_network_extrapolations(n.network, n.arena, &count);
    cr_assert_eq(count, 1u);
    cr_assert_eq(doubts[0].doubt, (uint32_t)TS_DOUBT_RAISED);
    net_free(&n);
  }
}

Test(collective, messages_take_the_better_way)
{
  net n;
  two_islands(&n, "");
  const ts_profile *near = ts_network_profile(n.network, ts_network_path(n.network, 0, 3, &n.stop));
  cr_assert_eq(near->tier, 0);
  cr_assert_float_eq(near->intra, 100e9, 1);
  const ts_profile *far = ts_network_profile(n.network, ts_network_path(n.network, 0, 7, &n.stop));
  cr_assert_eq(far->tier, 1);
  cr_assert_eq(far->islands, 2);
  cr_assert_float_eq(far->inter, 10e9, 1);
  cr_assert_eq(far->inter_latency, 10000000);
  cr_assert_eq(ts_network_estimate(n.network, TS_IR_MESSAGE, 10000000,
                                   ts_network_path(n.network, 0, 7, &n.stop))
                 .time,
               10000000u + 1000000000u);
  net_free(&n);
}

Test(collective, devices_without_a_path_are_named)
{
  net n;
  net_new(&n, "axis x 2\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[2] of d\n"
                  "fragment F { all_reduce 1 MB over x on compute }\nprogram { F }\n");
  cr_assert_null(ts_network_group(n.network, 0, &n.stop));
  cr_assert_str_eq(n.stop.code, "R0301");
  cr_assert_str_eq(n.stop.facts[1].text, "gpu[1]");
  net_free(&n);
}
