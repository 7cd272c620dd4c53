/* What was found of a cluster's links, kept from plan to plan: every report is that of a plan that
 * finds it by itself. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/account/run.h"
#include "runtime/collective/links.h"
#include "tests/unit/amount.h"
#include "tests/unit/engine_plan.h"
#include "tests/unit/random_ir.h"

#define PLANS amount(70, 200)

static char *report(const ts_ir *ir, ts_links_cache *links, uint32_t seed)
{
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  ts_run *run =
    ts_run_new(ir, &(ts_run_options){.threads = 1, .no_fold = seed % 2, .links = links}, &stop);
  cr_assert(run, "seed %u: %s", seed, stop.title);
  char *text = plan_report(ir, run);
  ts_run_free(run);
  ts_arena_free(arena);
  return text;
}

static void check(const ts_ir *ir, ts_links_cache *links, uint32_t seed)
{
  char *alone = report(ir, NULL, seed), *first = report(ir, links, seed),
       *again = report(ir, links, seed);
  cr_assert_str_eq(first, alone, "seed %u", seed);
  cr_assert_str_eq(again, alone, "seed %u, known before", seed);
  free(alone);
  free(first);
  free(again);
}

Test(links, what_is_kept_changes_nothing)
{
  ts_links_cache *links = ts_links_cache_new(NULL);
  for (uint32_t seed = 0; seed < PLANS; seed++) {
    ts_ir_builder *b = random_ir_new(seed);
    ts_ir ir;
    ts_ir_builder_view(b, &ir);
    check(&ir, links, seed);
    ts_ir_builder_free(b);
  }
  ts_links_cache_free(links);
}

/* Jobs on one cluster, one after the other, with other groups and orders. */
static plan make_job(uint32_t tp, uint32_t stages)
{
  enum { DEVICES = 16 };
  plan p = plan_new(3, (uint32_t[]){tp, DEVICES / (tp * stages), stages}, 2, 8);
  uint32_t group = plan_group(&p, 1), replicas = plan_group(&p, 2), pipe = plan_group(&p, 4);
  for (uint32_t s = 0; s < stages; s++) {
    uint32_t f = plan_begin(&p, "F");
    plan_compute(&p, 0, 1000 + s, 10, NULL);
    plan_collective(&p, 1, s % 2 ? TS_IR_ALL_GATHER : TS_IR_ALL_TO_ALL, group, 1 << 20, 10, NULL);
    if (s + 1 < stages)
      plan_port(&p, 2, true, pipe, 1 << 20, 10, NULL);
    if (s)
      plan_port(&p, 2, false, pipe, 1 << 20, 10, NULL);
    plan_collective(&p, 1, TS_IR_ALL_REDUCE, replicas, 1 << 20, 10, NULL);
    plan_end(&p);
    ts_ir_binding out = {s + 1, s}, in = {s - 1, s - 1};
    plan_program(&p, &(plan_item){f, TS_IR_NONE, {s + 1 < stages ? out : in, in}}, 1);
  }
  return p;
}

Test(links, jobs_on_one_cluster_find_what_others_found)
{
  ts_links_cache *links = ts_links_cache_new(NULL);
  uint32_t seed = 0;
  const ts_links *before = NULL;
  size_t groups = 0;
  for (uint32_t turn = 0; turn < 2; turn++)
    for (uint32_t tp = 1; tp <= 8; tp *= 2)
      for (uint32_t stages = 1; tp * stages <= 16; stages *= 2) {
        plan p = make_job(tp, stages);
        ts_ir ir;
        plan_view(&p, &ir);
        check(&ir, links, seed++);
        const ts_links *now = ts_links_cache_of(links, &ir);
        cr_assert(!before || now == before, "the cluster is the same");
        cr_assert(!turn || now->answers.count == groups, "all was known");
        before = now;
        groups = turn ? groups : now->answers.count;
        plan_free(&p);
      }
  cr_assert_gt(groups, 4);
  plan other = make_job(2, 2);
  plan_slow_link(&other, 3);
  ts_ir ir;
  plan_view(&other, &ir);
  check(&ir, links, seed);
  cr_assert_neq(ts_links_cache_of(links, &ir)->answers.count, groups, "another cluster");
  plan_free(&other);
  ts_links_cache_free(links);
}

/* ---- Threads ---- */

enum { THREADS = 4, TURNS = 3 };

typedef struct job { /* of a thread */
  ts_links_shared *shared;
  uint32_t first;      /* which plan it begins with */
  char *reports[16];
} job;

static plan make_numbered(uint32_t number)
{
  plan p = make_job(1u << number % 4, 1u << number / 4 % 2);
  if (number / 8)
    plan_slow_link(&p, 3); /* another cluster */
  return p;
}

static void *play_all(void *closure)
{
  job *j = closure;
  ts_links_cache *links = ts_links_cache_new(j->shared);
  for (uint32_t i = 0; i < TURNS * 16; i++) {
    uint32_t number = (j->first + i) % 16;
    plan p = make_numbered(number);
    ts_ir ir;
    plan_view(&p, &ir);
    free(j->reports[number]);
    j->reports[number] = report(&ir, links, number);
    plan_free(&p);
  }
  ts_links_cache_free(links);
  return NULL;
}

Test(links, threads_find_what_others_found)
{
  job jobs[THREADS], alone = {0};
  pthread_t threads[THREADS];
  ts_links_shared *shared = ts_links_shared_new();
  play_all(&alone);
  for (uint32_t t = 0; t < THREADS; t++) {
    jobs[t] = (job){.shared = shared, .first = 5 * t};
    cr_assert_eq(pthread_create(&threads[t], NULL, play_all, &jobs[t]), 0);
  }
  for (uint32_t t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  for (uint32_t t = 0; t < THREADS; t++)
    for (uint32_t i = 0; i < 16; i++) {
      cr_assert_str_eq(jobs[t].reports[i], alone.reports[i], "thread %u, plan %u", t, i);
      free(jobs[t].reports[i]);
    }
  for (uint32_t i = 0; i < 16; i++)
    free(alone.reports[i]);
  ts_links_shared_free(shared);
}
