/* Speed of a play: a step of tensor, data and pipeline parallelism on 1,024 and 8,192 devices, in
 * the proportions of a model of 96 layers in 16 stages with 192 micro-batches. CPU time, best of
 * several, on one core.
 *
 * The floor of an unfolded play is the same arithmetic without waiting: each stream of each rank
 * replayed by itself from the times that cross streams (runtime/play/track.c). What is above it is
 * finding out who may run. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/account/representatives.h"
#include "runtime/account/compose.h"
#include "runtime/play/overlap.h"
#include "runtime/play/play.h"
#include "runtime/play/track.h"
#include "tests/unit/engine_plan.h"

enum { STAGES = 16, LAYERS = 6, BATCHES = 192, ISLAND = 8 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench { plan p; uint32_t tp, dp, pipe; uint32_t stages, batches; } bench;

static void kernels(plan *p, uint32_t count, uint64_t time)
{
  for (uint32_t i = 0; i < count; i++)
    plan_compute(p, 0, time + 1000 * i, 4000000, NULL);
}

/* A collective on its own stream, between kernels. */
static void exchange(bench *b, uint32_t kind)
{
  int before[] = {(int)b->p.nodes - 1, -1};
  int done[] = {(int)plan_collective(&b->p, 1, kind, b->tp, 25 << 20, 6000000, before), -1};
  plan_compute(&b->p, 0, 30000000, 4000000, done);
}

static uint32_t work(bench *b, const char *name, uint32_t scale, bool in, bool out)
{
  int first[] = {0, -1};
  uint32_t f = plan_begin(&b->p, name);
  if (in)
    plan_port(&b->p, 2, false, b->pipe, 25 << 20, 1000000, NULL);
  plan_compute(&b->p, 0, 10000000, 4000000, in ? first : NULL);
  for (uint32_t l = 0; l < LAYERS; l++)
    for (uint32_t half = 0; half < 2; half++) {
      exchange(b, TS_IR_ALL_GATHER);
      kernels(&b->p, 7 * scale, 90000000);
      exchange(b, TS_IR_REDUCE_SCATTER);
    }
  int last[] = {(int)b->p.nodes - 1, -1};
  if (out)
    plan_port(&b->p, 2, true, b->pipe, 25 << 20, 1000000, last);
  plan_end(&b->p);
  return f;
}

typedef struct stage { uint32_t forward, backward, step; } stage;

static plan_item item(const bench *b, const stage *s, uint32_t stage, bool forward, uint32_t batch)
{
  plan_item i = {forward ? s->forward : s->backward, batch, {{0, 0}}};
  ts_ir_binding *at = i.bindings, tag = {0, 2 * batch + !forward};
  uint32_t from = forward ? stage - 1 : stage + 1, to = forward ? stage + 1 : stage - 1;
  if (from < b->stages)
    *at++ = (ts_ir_binding){from, tag.tag};
  if (to < b->stages)
    *at = (ts_ir_binding){to, tag.tag};
  return i;
}

/* As many forward passes ahead as there are stages behind, then one backward for each forward. */
static void program(bench *b, const stage *s, uint32_t number)
{
  plan_item *items = malloc((2 * b->batches + 1) * sizeof *items);
  if (!items)
    exit(1);
  uint32_t count = 0, ahead = b->stages - 1 - number, done = 0;
  for (uint32_t m = 0; m < b->batches; m++) {
    items[count++] = item(b, s, number, true, m);
    if (m >= ahead)
      items[count++] = item(b, s, number, false, done++);
  }
  while (done < b->batches)
    items[count++] = item(b, s, number, false, done++);
  items[count++] = (plan_item){s->step, TS_IR_NONE, {{0, 0}}};
  plan_program(&b->p, items, count);
  free(items);
}

static uint32_t finish(bench *b)
{
  uint32_t f = plan_begin(&b->p, "S");
  plan_collective(&b->p, 1, TS_IR_REDUCE_SCATTER, b->dp, 1u << 30, 6000000, NULL);
  int reduced[] = {0, -1};
  plan_compute(&b->p, 0, 5000000000, 4000000, reduced);
  plan_end(&b->p);
  return f;
}

static bench job(uint32_t replicas, uint32_t batches)
{
  bench b = {.p = plan_new(3, (uint32_t[]){ISLAND, replicas, STAGES}, 2, ISLAND),
             .stages = STAGES,
             .batches = batches};
  ts_ir_builder_meta(b.p.b)->micro_batches = batches;
  b.tp = plan_group(&b.p, 1);
  b.dp = plan_group(&b.p, 2);
  b.pipe = plan_group(&b.p, 4);
  stage roles[3];
  for (uint32_t k = 0; k < 3; k++)
    roles[k] = (stage){work(&b, "F", 1, k > 0, k < 2), work(&b, "B", 2, k < 2, k > 0), finish(&b)};
  for (uint32_t s = 0; s < STAGES; s++)
    program(&b, &roles[s == 0 ? 0 : s + 1 == STAGES ? 2 : 1], s);
  return b;
}

static ts_run *run(const ts_ir *ir, bool fold, double *seconds)
{
  ts_stop stop = {.arena = ts_arena_new("stop")};
  double start = now();
  ts_run *run = ts_run_new(ir, &(ts_run_options){.no_fold = !fold, .threads = 1}, &stop);
  *seconds = now() - start;
  if (!run)
    fprintf(stderr, "%s\n", stop.title);
  ts_arena_free(stop.arena);
  return run;
}

static double folded(uint32_t replicas)
{
  bench b = job(replicas, BATCHES);
  ts_ir ir;
  double best = 1e9, seconds;
  uint32_t world = b.p.world, classes = 0;
  uint64_t played = 0;
  plan_view(&b.p, &ir);
  for (int i = 0; i < 7; i++) {
    ts_run *r = run(&ir, true, &seconds);
    if (!r)
      return 0;
    classes = ts_run_result(r)->class_count;
    played = ts_run_result(r)->nodes_played;
    best = seconds < best ? seconds : best;
    ts_run_free(r);
  }
  printf("folded    %5u devices in %u classes, %.2f M nodes: play and result %7.1f ms\n", world,
         classes, 1e-6 * (double)played, 1e3 * best);
  plan_free(&b.p);
  return best;
}

static double replay(const ts_facts *facts)
{
  double start = now();
  for (uint32_t p = 0; p < facts->fold->count; p++) {
    ts_arena *arena = ts_arena_new("track");
    ts_track_new(arena, facts, p);
    ts_arena_free(arena);
  }
  return now() - start;
}

/* What a play takes beyond the engine: where the time of every rank went, were all of them
 * different, and finding which are alike. */
static void compose(const ts_facts *facts, uint64_t nodes, double engine)
{
  ts_arena *arena = ts_arena_new("results"), *scratch = ts_arena_new("composition");
  double start = now();
  const ts_composer *composer = ts_composer_new(arena, facts);
  ts_compose_memo *memo = ts_compose_memo_new(arena);
  ts_class_result result;
  for (uint32_t p = 0; p < facts->fold->count; p++) {
    ts_arena_reset(scratch);
    ts_compose(composer, memo, arena, scratch, p, NULL, &result);
  }
  double each = now() - start;
  start = now();
  const uint32_t *of = ts_representatives(arena, facts, 1);
  double compare = now() - start;
  uint32_t distinct = 0;
  for (uint32_t p = 0; p < facts->fold->count; p++)
    distinct += of[p] == p;
  printf("          composition of each by itself %.0f ms, with the engine %.0f M nodes/s; finding "
         "the %u that differ %.0f ms, %.0f M nodes/s\n",
         1e3 * each, 1e-6 * (double)nodes / (engine + each), distinct, 1e3 * compare,
         1e-6 * (double)nodes / (engine + compare));
  ts_arena_free(arena);
  ts_arena_free(scratch);
}

static void unfolded(uint32_t replicas)
{
  bench b = job(replicas, BATCHES);
  ts_ir ir;
  plan_view(&b.p, &ir);
  ts_stop stop = {.arena = ts_arena_new("stop")};
  ts_arena *arena = ts_arena_new("bench");
  const ts_ranks *ranks = ts_ranks_new(arena, &ir);
  const ts_tables *tables = ts_tables_new(arena, &ir, ranks, &stop);
  const ts_roles *roles =
    ts_roles_new(arena, tables, ts_network_new(arena, &ir, ranks, NULL, &stop), &stop);
  const ts_fold *fold = ts_fold_new(arena, tables, roles, NULL, false);
  uint64_t nodes = 0;
  for (uint32_t r = 0; r < ranks->world; r++)
    nodes += tables->programs[ranks->program[r]].node_count;
  double start = now();
  const ts_facts *facts = ts_engine_play(arena, tables, roles, fold, NULL, 1, 0, &stop);
  double seconds = now() - start, floor = facts ? replay(facts) : 0;
  printf("unfolded  %5u devices, %.1f M nodes: engine %.0f ms, %.0f M nodes/s; floor %.0f ms "
         "(arithmetic without waiting), ratio %.2f\n",
         b.p.world, 1e-6 * (double)nodes, 1e3 * seconds, 1e-6 * (double)nodes / seconds,
         1e3 * floor, seconds / floor);
  if (facts)
    compose(facts, nodes, seconds);
  ts_arena_free(arena);
  ts_arena_free(stop.arena);
  plan_free(&b.p);
}

static double wall(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Every rank for itself, by one thread and by two in turn: the best of each, as others use the
 * machine, too. */
static void together(uint32_t replicas, uint32_t batches)
{
  enum { TURNS = 7 };
  bench b = job(replicas, batches);
  ts_ir ir;
  plan_view(&b.p, &ir);
  ts_stop stop = {.arena = ts_arena_new("stop")};
  double best[2] = {1e9, 1e9}, spent[2] = {1e9, 1e9}, whole[2] = {1e9, 1e9};
  for (int i = 0; i < 2 * TURNS; i++) {
    ts_arena *arena = ts_arena_new("bench");
    ts_prepared prepared;
    ts_run_options how = {.no_fold = true, .threads = 1 + (uint32_t)i % 2};
    if (!ts_run_prepare(arena, &ir, &how, &prepared, &stop))
      exit(1);
    double start = wall(), cpu = now();
    ts_run_play(arena, &prepared, &how, 0, &stop);
    double seconds = wall() - start, used = now() - cpu;
    best[i % 2] = seconds < best[i % 2] ? seconds : best[i % 2];
    spent[i % 2] = used < spent[i % 2] ? used : spent[i % 2];
    ts_arena_free(arena);
    start = wall();
    ts_run_free(ts_run_new(&ir, &how, &stop));
    seconds = wall() - start;
    whole[i % 2] = seconds < whole[i % 2] ? seconds : whole[i % 2];
  }
  printf("threads   %5u devices, %u micro-batches, unfolded: play %.0f ms on one, %.0f on two, "
         "%.2f times as fast (1.8 asked), %.2f times the processor time; with all before and "
         "after it %.0f and %.0f ms, %.2f\n",
         b.p.world, batches, 1e3 * best[0], 1e3 * best[1], best[0] / best[1], spent[1] / spent[0],
         1e3 * whole[0], 1e3 * whole[1], whole[0] / whole[1]);
  ts_arena_free(stop.arena);
  plan_free(&b.p);
}

/* Played with kernels and transfers that slow each other down. */
static void slowed(uint32_t replicas, bool merge)
{
  bench b = job(replicas, BATCHES);
  ts_ir ir;
  plan_view(&b.p, &ir);
  ts_stop stop = {.arena = ts_arena_new("stop")};
  ts_arena *arena = ts_arena_new("bench");
  const ts_ranks *ranks = ts_ranks_new(arena, &ir);
  ts_tables *tables = (ts_tables *)ts_tables_new(arena, &ir, ranks, &stop);
  tables->apart = true;
  const ts_roles *roles =
    ts_roles_new(arena, tables, ts_network_new(arena, &ir, ranks, NULL, &stop), &stop);
  const ts_fold *fold = ts_fold_new(arena, tables, roles, NULL, merge);
  uint64_t nodes = 0;
  for (uint32_t p = 0; p < fold->count; p++)
    nodes += tables->programs[ranks->program[fold->rank[p]]].node_count;
  double alone = now();
  const ts_facts *facts = ts_engine_play(arena, tables, roles, fold, NULL, 1, 0, &stop);
  double floor = now() - alone, best = 1e9;
  for (int i = 0; i < (merge ? 5 : 1); i++) {
    ts_arena *scratch = ts_arena_new("slowed");
    double start = now();
    ts_overlap_play(scratch, facts, &ts_slowdown_physical, NULL, &stop);
    double seconds = now() - start;
    best = seconds < best ? seconds : best;
    ts_arena_free(scratch);
  }
  printf("slowed    %5u devices, %s, %.1f M nodes: %.0f ms, %.1f M nodes/s; floor %.0f ms (the "
         "play without slowdown), ratio %.1f\n",
         b.p.world, merge ? "folded" : "unfolded", 1e-6 * (double)nodes, 1e3 * best,
         1e-6 * (double)nodes / best, 1e3 * floor, best / floor);
  ts_arena_free(arena);
  ts_arena_free(stop.arena);
  plan_free(&b.p);
}

/* The play alone of more and more micro-batches, with every op and with repeats (repeats.h). */
static void long_play(uint32_t micro_batches)
{
  bench b = job(1, micro_batches);
  ts_ir ir;
  double play[2] = {1e9, 1e9};
  plan_view(&b.p, &ir);
  for (int i = 0; i < 6; i++) {
    ts_arena *arena = ts_arena_new("bench");
    ts_stop stop = {.arena = arena};
    ts_prepared prepared;
    ts_run_options how = {.threads = 1, .every_op = i % 2};
    if (!ts_run_prepare(arena, &ir, &how, &prepared, &stop))
      exit(1);
    double start = now();
    ts_run_play(arena, &prepared, &how, 0, &stop);
    double seconds = now() - start;
    play[i % 2] = seconds < play[i % 2] ? seconds : play[i % 2];
    ts_arena_free(arena);
  }
  double items = (double)STAGES * (2 * micro_batches + 1);
  printf("repeats   %6u micro-batches, %7.0f items: play %6.1f ms, %.0f ns an item; every op %6.1f "
         "ms, %.0f ns\n",
         micro_batches, items, 1e3 * play[0], 1e9 * play[0] / items, 1e3 * play[1],
         1e9 * play[1] / items);
  plan_free(&b.p);
}

int main(void)
{
  double small = folded(8), large = folded(64);
  printf("          8 times the devices take %.2f times as long\n", large / small);
  unfolded(8);
  together(64, 24);
  slowed(8, true);
  slowed(1, false);
  for (uint32_t m = 100; m <= 10000; m *= 10)
    long_play(m);
  return 0;
}
