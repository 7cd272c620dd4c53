/* Plays shared among threads: the same bytes from any number of them, and the same reasons where a
 * play comes to no end. `./dev tsan` watches these for data races. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/play/thread_pool.h"
#include "runtime/play/partition.h"
#include "runtime/play/play.h"
#include "runtime/play/slowdown.h"
#include "tests/unit/amount.h"
#include "tests/unit/engine_plan.h"
#include "tests/unit/random_ir.h"

#define PLANS amount(50, 150)
enum { COUNTS = 4 };

static const uint32_t threads_of[COUNTS] = {1, 2, 3, 8};

/* ---- Reports and facts ---- */

static char *report(const ts_ir *ir, const ts_run_options *how, uint32_t order, uint32_t seed)
{
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_ordered(ir, how, order, &stop);
  cr_assert(run, "seed %u: %s", seed, stop.title);
  char *text = plan_report(ir, run);
  ts_run_free(run);
  ts_arena_free(arena);
  return text;
}

static void check(const ts_ir *ir, ts_run_options how, uint32_t seed)
{
  char *first = NULL;
  how.spread = true;
  for (int i = 0; i < COUNTS; i++) {
    how.threads = threads_of[i];
    char *text = report(ir, &how, i % 2 ? seed + 1 : 0, seed);
    if (first)
      cr_assert_str_eq(text, first, "seed %u, %u threads", seed, how.threads);
    else
      first = text;
    if (text != first)
      free(text);
  }
  free(first);
}

/* With kernels and transfers that slow each other down the times without them are played by all
 * threads; calls that share links are played by one. */
static ts_run_options options_of(uint32_t seed)
{
  return (ts_run_options){.no_fold = seed % 2,
                          .every_op = seed % 3 == 0,
                          .contention = seed % 11 == 5,
                          .overlap = seed % 5 == 0 ? &ts_slowdown_physical : NULL};
}

Test(thread_pool, any_number_of_threads_gives_the_same_bytes)
{
  for (uint32_t seed = 0; seed < PLANS; seed++) {
    ts_ir_builder *b = random_ir_of(seed, seed % 4 ? 0 : 8 + seed % 40);
    ts_ir ir;
    ts_ir_builder_view(b, &ir);
    check(&ir, options_of(seed), seed);
    ts_ir_builder_free(b);
  }
}

Test(thread_pool, any_number_of_threads_gives_the_same_bytes_of_other_jobs)
{
  for (uint32_t seed = 0; seed < PLANS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    check(&ir, options_of(seed), seed);
    plan_free(&p);
  }
}

static void check_times(const uint64_t *a, const uint64_t *b, uint32_t count, uint32_t seed)
{
  if (count)
    cr_assert(memcmp(a, b, count * sizeof *a) == 0, "seed %u", seed);
}

/* Equal items have their events in common, which may be others in the other play. */
static void check_events(const ts_ir *ir, const ts_player *a, const ts_player *b, uint32_t seed)
{
  const ts_play_item *v = a->program->items;
  for (uint32_t i = 0; i < ir->programs[a->role->program].item_count; i++, v++) {
    ts_item_events x = ts_events_of(a, v), y = ts_events_of(b, v);
    for (uint32_t e = 0; e < v[1].event_base - v->event_base; e++)
      cr_assert(x.at[e] + x.by == y.at[e] + y.by, "seed %u: item %u, event %u", seed, i, e);
  }
}

/* Every time that crosses streams, also of those that no report shows. */
Test(thread_pool, every_fact_is_the_same)
{
  for (uint32_t seed = 0; seed < PLANS; seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    plan p = plan_random(seed);
    ts_ir ir;
    ts_prepared prepared;
    plan_view(&p, &ir);
    const ts_facts *f[2];
    for (int i = 0; i < 2; i++) {
      ts_run_options how = {.no_fold = true, .threads = i ? 5 : 1, .spread = true};
      cr_assert(ts_run_prepare(arena, &ir, &how, &prepared, &stop));
      f[i] = ts_run_play(arena, &prepared, &how, 0, &stop);
      cr_assert(f[i], "seed %u: %s", seed, stop.title);
    }
    check_times(f[0]->starts, f[1]->starts, (uint32_t)f[0]->fold->call_count, seed);
    for (uint32_t k = 0; k < f[0]->fold->count; k++) {
      const ts_player *a = &f[0]->players[k], *b = &f[1]->players[k];
      check_events(&ir, a, b, seed);
      check_times(a->arrived, b->arrived, a->program->slot_count, seed);
      check_times(a->sent, b->sent, a->program->slot_count, seed);
      check_times(a->segments, b->segments, a->program->segment_count, seed);
    }
    cr_assert(f[0]->end == f[1]->end);
    ts_arena_free(arena);
    plan_free(&p);
  }
}

/* ---- Plays that come to no end ---- */

/* A ring of stages. `wait`: each waits for the one before it before it sends; `differ`: on one
 * stream they come to different collectives. */
static plan make_ring(uint32_t stages, bool wait, bool differ)
{
  plan p = plan_new(2, (uint32_t[]){stages, 4}, 0, 2);
  plan_network(&p, 100);
  uint32_t pipe = plan_group(&p, 1), dp = plan_group(&p, 2);
  for (uint32_t s = 0; s < stages; s++) {
    uint32_t f = plan_begin(&p, "F");
    plan_compute(&p, 0, 1000 + s, 10, NULL);
    if (wait)
      plan_port(&p, 2, false, pipe, 1 << 20, 10, NULL);
    plan_port(&p, 2, true, pipe, 1 << 20, 10, NULL);
    if (!wait)
      plan_port(&p, 2, false, pipe, 1 << 20, 10, NULL);
    plan_collective(&p, 1, TS_IR_ALL_REDUCE, dp, 1 << 20, 10, NULL);
    if (differ) { /* in order of issue they agree */
      plan_collective(&p, s % 2 ? 0 : 1, TS_IR_ALL_REDUCE, pipe, 1 << 20, 10, NULL);
      plan_collective(&p, 1, TS_IR_ALL_REDUCE, pipe, 8 << 20, 10, NULL);
    }
    plan_end(&p);
    uint32_t next = (s + 1) % stages, before = (s + stages - 1) % stages;
    ts_ir_binding in = {before, before}, out = {next, s};
    plan_program(&p, &(plan_item){f, TS_IR_NONE, {wait ? in : out, wait ? out : in}}, 1);
  }
  return p;
}

static void check_stop(plan *p, const char *code)
{
  ts_ir ir;
  plan_view(p, &ir);
  ts_arena *arena = ts_arena_new("test");
  ts_stop first = {.arena = arena};
  for (int i = 0; i < COUNTS; i++) {
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(
      &ir, &(ts_run_options){.no_fold = true, .threads = threads_of[i], .spread = true}, &stop);
    cr_assert(!run);
    cr_assert_str_eq(stop.code, code);
    if (!i)
      first = stop;
    cr_assert_str_eq(stop.title, first.title);
    cr_assert(stop.loc == first.loc && stop.fact_count == first.fact_count);
    for (uint32_t k = 0; k < stop.fact_count; k++) {
      cr_assert_str_eq(stop.facts[k].name, first.facts[k].name);
      cr_assert_str_eq(stop.facts[k].text, first.facts[k].text);
    }
  }
  ts_arena_free(arena);
}

Test(thread_pool, a_play_that_stands_still_is_explained_the_same)
{
  plan good = make_ring(6, false, false), stands = make_ring(6, true, false),
       differs = make_ring(6, false, true);
  ts_ir ir;
  plan_view(&good, &ir);
  check(&ir, (ts_run_options){.no_fold = true}, 0);
  check_stop(&stands, "R0201");
  check_stop(&differs, "R0202");
  plan_free(&good);
  plan_free(&stands);
  plan_free(&differs);
}

static bool stop_at_once(void *closure, const char *what, double share)
{
  (void)what;
  ++*(int *)closure;
  return share < 0;
}

Test(thread_pool, stops_when_asked)
{
  enum { ITEMS = 3000 };
  plan p = plan_new(1, (uint32_t[]){8}, TS_IR_NONE, 8);
  plan_network(&p, 100);
  uint32_t group = plan_group(&p, 1), f = plan_begin(&p, "F");
  plan_compute(&p, 0, 1000, 10, NULL);
  plan_collective(&p, 0, TS_IR_ALL_REDUCE, group, 1 << 10, 10, NULL);
  plan_end(&p);
  ts_ir_builder_meta(p.b)->micro_batches = ITEMS;
  plan_item *items = calloc(ITEMS, sizeof *items);
  for (uint32_t i = 0; i < ITEMS; i++)
    items[i] = (plan_item){f, i, {{0, 0}}};
  plan_program(&p, items, ITEMS);
  free(items);
  ts_ir ir;
  plan_view(&p, &ir);
  for (uint32_t threads = 1; threads <= 3; threads += 2) {
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    int requested = 0;
    ts_progress progress = {.tick = stop_at_once, .closure = &requested};
    ts_run *run = ts_run_new(
      &ir,
      &(ts_run_options){.no_fold = true, .threads = threads, .spread = true, .progress = &progress},
      &stop);
    cr_assert(!run, "%u threads", threads);
    cr_assert(requested > 0);
    cr_assert(stop.exit_code == TS_EXIT_ENVIRONMENT);
    ts_arena_free(arena);
  }
  plan_free(&p);
}

/* ---- Partitions ---- */

/* Replicas that exchange little are partitions; pipelines stay together where they can. */
Test(thread_pool, partitions_are_of_those_who_exchange_most)
{
  enum { STAGES = 4, REPLICAS = 8 };
  plan q = plan_new(2, (uint32_t[]){STAGES, REPLICAS}, 0, 2);
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  plan_network(&q, 100);
  ts_ir_builder_meta(q.b)->micro_batches = 2;
  uint32_t pipe = plan_group(&q, 1), dp = plan_group(&q, 2);
  for (uint32_t s = 0; s < STAGES; s++) {
    uint32_t f = plan_begin(&q, "F"), last;
    plan_port(&q, 2, true, pipe, 1 << 20, 10, NULL);
    plan_port(&q, 1, false, pipe, 1 << 20, 10, NULL);
    plan_end(&q);
    last = plan_begin(&q, "S");
    plan_collective(&q, 1, TS_IR_ALL_REDUCE, dp, 1 << 20, 10, NULL);
    plan_end(&q);
    uint32_t next = (s + 1) % STAGES, before = (s + STAGES - 1) % STAGES;
    plan_item items[] = {{f, 0, {{next, s}, {before, before}}},
                         {f, 1, {{next, STAGES + s}, {before, STAGES + before}}},
                         {last, TS_IR_NONE, {{0, 0}}}};
    plan_program(&q, items, 3);
  }
  ts_ir ir;
  ts_prepared prepared;
  plan_view(&q, &ir);
  ts_run_options how = {.no_fold = true};
  cr_assert(ts_run_prepare(arena, &ir, &how, &prepared, &stop), "%s", stop.title);
  const ts_fold *fold = ts_fold_new(arena, prepared.tables, prepared.roles, NULL, false);
  ts_partitions partitions = ts_partitions_new(arena, prepared.tables, prepared.roles, fold, 4);
  cr_assert_eq(partitions.count, 4);
  for (uint32_t r = 0; r < STAGES * REPLICAS; r++)
    cr_assert_eq(partitions.of[r], partitions.of[r / STAGES * STAGES], "rank %u", r);
  for (uint32_t k = 0; k < partitions.count; k++) {
    cr_assert_eq(partitions.first[k + 1] - partitions.first[k], STAGES * REPLICAS / 4);
    for (uint32_t i = partitions.first[k]; i < partitions.first[k + 1]; i++)
      cr_assert_eq(partitions.of[partitions.players[i]], k);
  }
  cr_assert_eq(ts_partitions_new(arena, prepared.tables, prepared.roles, fold, 1000).count,
               STAGES * REPLICAS);
  ts_arena_free(arena);
  plan_free(&q);
}
