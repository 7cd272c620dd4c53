/* Which model of the network answers, and how much of a step each one answered. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/account/network_use.h"
#include "runtime/collective/network.h"
#include "runtime/play/play.h"
#include "runtime/study/change.h"
#include "runtime/study/sensitivity.h"
#include "tests/unit/engine_plan.h"
#include "tests/unit/random_ir.h"

enum { LISTS = 400, TIERS = 4, JOBS = 100 };

static uint64_t state;

static uint32_t below(uint32_t limit) /* xorshift64 (Marsaglia, 2003) */
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 33) % limit;
}

/* Eight devices in a binary tree of switches: ranks that differ in bit t of their number meet over
 * links of tier t. */
static char *tree(char *at)
{
  at += sprintf(
    at,
    "axis a 2\naxis b 2\naxis c 2\ngroup a = a\ngroup ab = a, b\ngroup abc = a, b, c\ngroup b = "
    "b\ngroup c = c\nstream compute\nstream comm\n"
    "device_class d 1 TB/s\ndevices gpu[8] of d\nswitches s0[4]\nswitches s1[2]\nswitches s2[1]\n");
  for (int tier = 0; tier < 3; tier++)
    at += sprintf(at, "link_class t%d 10 GB/s latency 1 us tier %d\n", tier, tier);
  for (int i = 0; i < 8; i++)
    at += sprintf(at, "link gpu[%d] -- s0[%d] t0\n", i, i / 2);
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "link s0[%d] -- s1[%d] t1\n", i, i / 2);
  for (int i = 0; i < 2; i++)
    at += sprintf(at, "link s1[%d] -- s2[0] t2\n", i);
  return at;
}

/* tier TS_IR_NONE: any; reduces: for all-reduce alone */
typedef struct model { uint32_t tier; bool reduces; } model;

/* What doc/networks.md says: of the models for such calls those hold that name no tier, and, from
 * tier 1 on, those that name the highest tier up to the group's; the first of these in the list
 * answers. */
static uint32_t by_the_manual(const model *all, uint32_t count, bool reduce, uint32_t tier)
{
  uint32_t named = TS_IR_NONE, first = TS_IR_NONE;
  for (uint32_t m = 0; m < count; m++)
    if ((reduce || !all[m].reduces) && all[m].tier != TS_IR_NONE && all[m].tier <= tier &&
        (all[m].tier || !tier) && (named == TS_IR_NONE || all[m].tier > named))
      named = all[m].tier;
  for (uint32_t m = count; m-- > 0;)
    if ((reduce || !all[m].reduces) && (all[m].tier == TS_IR_NONE || all[m].tier == named))
      first = m;
  return first;
}

/* Lists of models as plans may have them, on a cluster with more tiers than they name. */
Test(network_use, no_tier_is_left_out)
{
  state = 1;
  for (uint32_t list = 0; list < LISTS; list++) {
    char text[8192], *at = tree(text);
    model all[5];
    uint32_t count = below(6);
    for (uint32_t m = 0; m < count; m++) {
      uint32_t tier = below(TIERS + 1);
      all[m] = (model){tier == TIERS ? TS_IR_NONE : tier, below(3) == 0};
      at +=
        sprintf(at, "net_model m%u alpha_beta for %s", m, all[m].reduces ? "all_reduce" : "any");
      at += tier == TIERS ? sprintf(at, "\n") : sprintf(at, " tier %u\n", tier);
    }
    sprintf(at, "fragment F { all_reduce 1 MB over a\nall_reduce 1 MB over ab\nall_reduce 1 MB "
                "over abc\nall_reduce 1 MB over b\nall_reduce 1 MB over c }\nprogram { F }\n");
    ts_error error = {0};
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    ts_ir ir;
    ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
    cr_assert(b, "line %u: %s", error.line, error.message);
    ts_ir_builder_view(b, &ir);
    ts_network *n = ts_network_new(arena, &ir, ts_ranks_new(arena, &ir), NULL, &stop);
    static const uint32_t tiers[] = {0, 1, 2, 1, 2};
    for (uint32_t g = 0; g < 5; g++) {
      uint32_t profile = ts_network_group(n, g, &stop)[0];
      cr_assert_eq(ts_network_profile(n, profile)->tier, tiers[g]);
      cr_assert_eq(ts_network_answers(n, TS_IR_ALL_REDUCE, profile),
                   by_the_manual(all, count, true, tiers[g]), "list %u, group %u: %s", list, g,
                   text);
      cr_assert_eq(ts_network_answers(n, TS_IR_ALL_GATHER, profile),
                   by_the_manual(all, count, false, tiers[g]), "list %u, group %u: %s", list, g,
                   text);
    }
    ts_arena_free(arena);
    ts_ir_builder_free(b);
  }
}

/* Every call of every rank has one model: what models answered adds up to what the classes of ranks
 * did, folded or not. */
Test(network_use, adds_up)
{
  uint64_t calls_seen = 0;
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    for (int folded = 0; folded < 2; folded++) {
      ts_run *run = ts_run_new(&ir, &(ts_run_options){.no_fold = !folded}, &stop);
      const ts_result *r = ts_run_result(run);
      uint64_t collectives = 0, ends = 0, calls = 0;
      double transfer = 0, messages = 0, time = 0;
      for (uint32_t c = 0; c < r->class_count; c++)
        for (uint32_t k = 0; k < r->classes[c].comm_count; k++) {
          const ts_comm_share *s = &r->classes[c].comms[k];
          *(s->messages ? &ends : &collectives) += s->calls * r->classes[c].count;
          *(s->messages ? &messages : &transfer) += (double)s->transfer * r->classes[c].count;
        }
      for (uint32_t m = 0; m <= ir.net_models_count; m++) {
        ts_network_use use = ts_network_use_of(r, m);
        calls += use.calls;
        time += use.time;
      }
      cr_assert_eq(calls, collectives + ends / 2,
                   "seed %u: %lu calls, %lu collectives, %lu ends of messages", seed, calls,
                   collectives, ends);
      /* a sender is held for less than a message takes, a receiver waits for links behind others,
       * too */
      cr_assert(time >= transfer * (1 - 1e-9) - 1 && time <= (transfer + messages) * (1 + 1e-9) + 1,
                "seed %u: %g ps, not from %g to %g", seed, time, transfer, transfer + messages);
      if (messages == 0)
        cr_assert_float_eq(time, transfer, 1e-9 * time + 1, "seed %u: %g ps of %g", seed, time,
                           transfer);
      calls_seen += calls;
      ts_run_free(run);
    }
    ts_arena_free(arena);
    plan_free(&p);
  }
  cr_assert(calls_seen > 1000 * JOBS / 10);
}

/* The plan with other links, written as a plan would be. */
static ts_ir edited(ts_arena *arena, const ts_ir *ir, uint32_t tier, double bandwidth,
                    double latency)
{
  ts_ir out = *ir;
  ts_ir_link_class *l = ts_arena_copy(arena, ir->link_classes, ir->link_classes_count * sizeof *l);
  for (uint32_t i = 0; i < ir->link_classes_count; i++)
    if (l[i].tier == tier) {
      l[i].bandwidth *= bandwidth;
      l[i].latency = (uint64_t)llround((double)l[i].latency * latency);
    }
  out.link_classes = l;
  return out;
}

/* What if links were others: the step of a plan that has them, to the picosecond, with every kind
 * of model. */
Test(network_use, what_if_is_the_edited_plan)
{
  static const double factors[] = {2, 0.5, 4, 0.25, 8};
  uint32_t moved = 0;
  for (uint32_t seed = 1; seed <= 150; seed++) {
    ts_ir_builder *b = random_ir_new(seed);
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    ts_ir ir;
    ts_ir_builder_view(b, &ir);
    uint64_t before;
    cr_assert(ts_run_step(&ir, &(ts_run_options){0}, &before, &stop), "seed %u: %s", seed,
              stop.title);
    for (uint32_t k = 0; k < 4 && ir.link_classes_count; k++) {
      double factor = factors[(seed + k) % 5];
      uint32_t tier = k % 2;
      bool latency = k / 2;
      const char *change =
        ts_arena_printf(arena, "tier%u.%s*%g", tier, latency ? "latency" : "bandwidth", factor);
      ts_ir other = edited(arena, &ir, tier, latency ? 1 : factor, latency ? factor : 1);
      uint64_t step, by_hand;
      cr_assert(ts_what_if(arena, &ir, &(ts_run_options){0}, change, &step, &stop),
                "seed %u: %s: %s", seed, change, stop.title);
      cr_assert(ts_run_step(&other, &(ts_run_options){0}, &by_hand, &stop));
      cr_assert_eq(step, by_hand, "seed %u: %s: %lu, the plan edited %lu", seed, change, step,
                   by_hand);
      moved += step != before;
    }
    ts_arena_free(arena);
    ts_ir_builder_free(b);
  }
  cr_assert(moved > 100, "%u", moved);
}

static const ts_network_use *uses_of(ts_arena *arena, const ts_ir *ir)
{
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s", stop.title);
  ts_network_use *uses = ts_arena_copy(arena, ts_run_result(run)->network_uses,
                                       2 * (ir->net_models_count + 1) * sizeof *uses);
  ts_run_free(run);
  return uses;
}

/* A table of times follows the rate of its links, not their latency: a change of the links between
 * islands is not followed there, and the report says so; of no change it says nothing. */
Test(network_use, what_a_table_does_not_follow)
{
  static const char text[] =
    "axis x 4\ngroup all = x\nstream compute\nstream comm\ndevice_class d 1 TB/s\ndevices gpu[4] of "
    "d\nswitches near[2]\nswitches far[1]\nlink_class in 100 GB/s latency 1 us\nlink_class out 10 "
    "GB/s latency 5 us tier 1\nlink gpu[0] -- near[0] in\nlink gpu[1] -- near[0] in\nlink gpu[2] -- "
    "near[1] in\nlink gpu[3] -- near[1] in\nlink near[0] -- far[0] out\nlink near[1] -- far[0] "
    "out\nnet_model t table for all_reduce {\n all_reduce 4 2 1 MB 100 us\n all_reduce 4 2 100 MB "
    "10000 us\n}\nfragment F { all_reduce 8 MB over all }\nprogram { F 0 }\n";
  static const struct { uint32_t tier, found; } changes[] = {{1, 1}, {2, 0}};
  ts_error error = {0};
  ts_arena *arena = ts_arena_new("test");
  ts_ir ir;
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  const ts_network_use *before = uses_of(arena, &ir);
  cr_expect_float_eq(before[1].are.intra_latency, 4 * 2e6, 1, "%g", before[1].are.intra_latency);
  cr_expect_float_eq(before[1].are.inter_latency, 4 * 12e6, 1, "%g", before[1].are.inter_latency);
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
    ts_ir other = edited(arena, &ir, changes[k].tier, 1, 3);
    const ts_not_followed *list;
    uint32_t found = ts_not_followed_of(arena, &ir, before, uses_of(arena, &other), &list);
    cr_assert_eq(found, changes[k].found, "tier %u: %u", changes[k].tier, found);
    if (found)
      cr_assert(list->model == 0 && list->between && list->latency && !list->rate);
  }
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

/* On links of the rate that they were measured on models say what they measured; on others bytes go
 * with the rate and the latency in the figures stays. */
Test(network_use, measured_models_follow_their_links)
{
  static const char *const models[] = {
    "table for all_reduce intra_links 10 GB/s {\n all_reduce 2 1 1 kB 10 us\n all_reduce 2 1 100 "
    "MB 10010 us\n}\n",
    "statistical for all_reduce intra_links 10 GB/s {\n curve all_reduce least_ranks 2 most_ranks "
    "8 least 1 B most 1 GB intra_limit 20 GB/s intra_slope 1 intra_middle 200 kB\n}\n",
    "white_box for all_reduce intra_links 10 GB/s {\n method all_reduce ring simple ranks 2 "
    "islands 1 channels 1 threads 512 connection 10 us intra_rate 10 GB/s intra_share 1\n"
    " all_reduce 2 1 100 MB 10010 us\n}\n"};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    for (int doubled = 0; doubled < 2; doubled++) {
      char text[2048];
      sprintf(text,
              "axis x 2\ngroup all = x\nstream compute\nstream comm\ndevice_class d 1 "
              "TB/s\ndevices gpu[2] of d\nlink_class in %d GB/s\nlink gpu[0] -- gpu[1] in\n"
              "net_model m %sfragment F { all_reduce 100 MB over all }\nprogram { F 0 }\n",
              doubled ? 20 : 10, models[m]);
      ts_error error = {0};
      ts_arena *arena = ts_arena_new("test");
      ts_stop stop = {.arena = arena};
      ts_ir ir;
      ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
      cr_assert(b, "line %u: %s", error.line, error.message);
      ts_ir_builder_view(b, &ir);
      ts_network *n = ts_network_new(arena, &ir, ts_ranks_new(arena, &ir), NULL, &stop);
      uint32_t profile = ts_network_group(n, 0, &stop)[0];
      double us = 1e-6 * (double)ts_network_estimate(n, TS_IR_ALL_REDUCE, 100000000, profile).time;
      cr_expect_float_eq(us,
                         doubled ? 5010 :
                         m == 1  ? 10020 :
                                   10010,
                         m == 1 ? 11 : 0.01, "model %zu, %g us", m, us);
      ts_arena_free(arena);
      ts_ir_builder_free(b);
    }
}
