/* Items that repeat earlier ones change nothing: every figure of a report, every node of every
 * timeline, the critical path and the memory are those of a play of all ops. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/account/compose.h"
#include "runtime/account/run.h"
#include "runtime/play/engine.h"
#include "runtime/report/page.h"
#include "tests/unit/amount.h"
#include "tests/unit/engine_plan.h"
#include "tests/unit/random_ir.h"

enum { JOBS = 400 };

typedef struct played { ts_arena *arena; ts_run *run; char *report; } played;

static played play(const ts_ir *ir, bool no_fold, bool every_op, const double *slower,
                   uint32_t order, uint32_t seed)
{
  played p = {.arena = ts_arena_new("test")};
  ts_stop stop = {.arena = p.arena};
  ts_run_options how = {
    .no_fold = no_fold, .every_op = every_op, .slower = slower, .threads = 1};
  p.run = ts_run_ordered(ir, &how, order, &stop);
  cr_assert(p.run, "seed %u: %s", seed, stop.title);
  p.report = plan_report(ir, p.run);
  return p;
}

static void end(played *p)
{
  free(p->report);
  ts_run_free(p->run);
  ts_arena_free(p->arena);
}

typedef struct events { ts_span_event *at; size_t count, room; } events;

static void keep(void *closure, const ts_span_event *e)
{
  events *list = closure;
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 256;
    list->at = realloc(list->at, list->room * sizeof *list->at);
  }
  list->at[list->count++] = *e;
}

static void check_rank(const ts_run *a, const ts_run *b, uint32_t rank, uint32_t seed)
{
  events x = {0}, y = {0};
  ts_run_timeline(a, rank, keep, &x);
  ts_run_timeline(b, rank, keep, &y);
  cr_assert_eq(x.count, y.count);
  for (size_t i = 0; i < x.count; i++)
    cr_assert(x.at[i].node == y.at[i].node && x.at[i].issued == y.at[i].issued &&
                x.at[i].ready == y.at[i].ready && x.at[i].start == y.at[i].start &&
                x.at[i].end == y.at[i].end && x.at[i].sent == y.at[i].sent,
              "seed %u: rank %u, event %zu", seed, rank, i);
  free(x.at);
  free(y.at);
}

/* What the critical path spends on each node of the IR, and how often it passes it. */
typedef struct spent { uint64_t time[2], count[2]; } spent; /* the node itself, the host */
typedef struct path {
  const ts_facts *facts;
  spent *at;   /* [nodes] */
  size_t reported; /* how often somebody said so */
} path;

static void spend(void *closure, const ts_critical_node *v)
{
  path *p = closure;
  const ts_play_item *item = &p->facts->players[v->player].program->items[v->item];
  spent *at = &p->at[p->facts->tables->ir->fragments[item->fragment].first_node + v->node];
  at->time[v->host] += v->times * v->time;
  at->count[v->host] += v->times;
  p->reported++;
}

/* The path from each player's end, node by node and with what is alike at once. */
static void check_paths(const ts_run *few, const ts_run *all, uint32_t seed, size_t *saved)
{
  ts_arena *arena = ts_arena_new("test");
  size_t bytes = ts_run_facts(few)->tables->ir->nodes_count * sizeof(spent);
  for (uint32_t player = 0; player < ts_run_facts(few)->fold->count; player++) {
    path p[3];
    for (int k = 0; k < 3; k++)
      p[k] = (path){ts_run_facts(k == 2 ? all : few), ts_arena_alloc(arena, bytes), 0};
    ts_critical_passes(p[0].facts, player, spend, &p[0]);
    ts_critical_walk(p[1].facts, player, spend, &p[1]);
    ts_critical_walk(p[2].facts, player, spend, &p[2]);
    for (int k = 1; k < 3; k++)
      cr_assert_arr_eq(p[0].at, p[k].at, bytes, "seed %u: path of player %u", seed, player);
    *saved += p[1].reported - p[0].reported;
  }
  ts_arena_free(arena);
}

static char *page_of(const ts_ir *ir, const ts_run *run)
{
  ts_arena *arena = ts_arena_new("page");
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_page_data(ts_summary_new(arena, ir, run, ts_memory_new(arena, ir, run), NULL), "page", out);
  fclose(out);
  ts_arena_free(arena);
  return text;
}

static void check_page(const ts_ir *ir, const ts_run *few, const ts_run *all, uint32_t seed)
{
  char *page = page_of(ir, few), *other = page_of(ir, all);
  cr_assert_str_eq(page, other, "seed %u", seed);
  free(page);
  free(other);
}

typedef struct tally {
  size_t saved; /* nodes on critical paths that others stand for */
  size_t repeats, items, none;
  size_t equal_items; /* items that are like those of other players */
} tally;

static size_t count_equal_items(const ts_run *run)
{
  const ts_facts *f = ts_run_facts(run);
  size_t found = 0;
  for (uint32_t p = 0; p < f->fold->count; p++) {
    const ts_player *w = &f->players[p];
    uint32_t count = f->tables->ir->programs[w->role->program].item_count;
    for (uint32_t i = 0; w->equal_items && i < count; i++)
      found += w->alike[i] == i && w->equal_items[i] >> 32 != p;
  }
  return found;
}

/* Items that repeat others; those that a play of every op finds. */
static size_t count_repeats(const ts_run *run, size_t *items)
{
  const ts_facts *f = ts_run_facts(run);
  size_t found = 0;
  for (uint32_t p = 0; p < f->fold->count; p++) {
    const ts_player *w = &f->players[p];
    uint32_t count = f->tables->ir->programs[w->role->program].item_count;
    *items += count;
    for (uint32_t i = 0; w->alike && i < count; i++)
      found += w->alike[i] != i;
  }
  return found;
}

static void check(const ts_ir *ir, bool no_fold, const double *slower, uint32_t order,
                  uint32_t seed, tally *t)
{
  played few = play(ir, no_fold, false, slower, order, seed),
         all = play(ir, no_fold, true, slower, 0, seed);
  cr_assert_str_eq(few.report, all.report, "seed %u", seed);
  for (uint32_t c = 0; c < ts_run_result(few.run)->class_count; c++)
    check_rank(few.run, all.run, ts_run_result(few.run)->classes[c].rank, seed);
  check_page(ir, few.run, all.run, seed);
  if (seed % 4 == 0)
    check_paths(few.run, all.run, seed, &t->saved);
  t->repeats += count_repeats(few.run, &t->items);
  t->none += count_repeats(all.run, &(size_t){0});
  t->equal_items += count_equal_items(few.run);
  end(&few);
  end(&all);
}

Test(repeats, change_nothing_in_plans_of_many_micro_batches)
{
  tally t = {0};
  for (uint32_t seed = 0; seed < amount(100, 1000); seed++) {
    ts_ir_builder *b = random_ir_of(seed, 8 + seed % 100);
    ts_ir ir;
    ts_ir_builder_view(b, &ir);
    check(&ir, seed % 3 == 2, NULL, seed % 2 * (seed + 1), seed, &t);
    ts_ir_builder_free(b);
  }
  cr_assert_gt(t.repeats, t.items / 8, "%zu of %zu items repeat others", t.repeats, t.items);
  cr_assert_gt(t.saved, 1000, "%zu nodes on paths are told of with others", t.saved);
  cr_assert_gt(t.equal_items, 1000, "%zu items are like those of others", t.equal_items);
  cr_assert_eq(t.none, 0);
}

Test(repeats, change_nothing_in_other_jobs)
{
  tally t = {0};
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_arena *arena = ts_arena_new("test");
    double *slower = TS_NEW_ARRAY(arena, double, p.world);
    for (uint32_t r = 0; r < p.world; r++)
      slower[r] = 1 + (r * 7 + seed) % 3 / 8.0;
    check(&ir, seed % 2, seed % 4 < 2 ? slower : NULL, seed % 3 * (seed + 1), seed, &t);
    ts_arena_free(arena);
    plan_free(&p);
  }
  cr_assert_gt(t.items, JOBS);
  cr_assert_eq(t.none, 0);
}

/* Two stages whose items wait for each other half-way: the first sends, and goes on when the second
 * has answered. In front of an item not all that it waits for can be known. */
static plan make_dialogue(uint32_t items)
{
  plan p = plan_new(2, (uint32_t[]){2, 2}, 1, 2);
  plan_network(&p, 100);
  uint32_t pipe = plan_group(&p, 2), tp = plan_group(&p, 1), ask, answer;
  ts_ir_builder_meta(p.b)->micro_batches = items;
  ask = plan_begin(&p, "ask");
  plan_compute(&p, 0, 3000, 10, NULL);
  plan_port(&p, 2, true, pipe, 1 << 20, 10, (int[]){0, -1});
  plan_port(&p, 1, false, pipe, 1 << 20, 10, NULL);
  plan_compute(&p, 0, 5000, 10, (int[]){2, -1});
  plan_collective(&p, 0, TS_IR_ALL_REDUCE, tp, 1 << 10, 10, NULL);
  plan_end(&p);
  answer = plan_begin(&p, "answer");
  plan_port(&p, 1, false, pipe, 1 << 20, 10, NULL);
  plan_compute(&p, 0, 4000, 10, (int[]){0, -1});
  plan_port(&p, 2, true, pipe, 1 << 20, 10, (int[]){1, -1});
  plan_end(&p);
  plan_item *list = calloc(items, sizeof *list);
  for (uint32_t stage = 0; stage < 2; stage++) {
    for (uint32_t i = 0; i < items; i++)
      list[i] = stage ? (plan_item){answer, i, {{0, 2 * i}, {0, 2 * i + 1}}} :
                        (plan_item){ask, i, {{1, 2 * i}, {1, 2 * i + 1}}};
    plan_program(&p, list, items);
  }
  free(list);
  return p;
}

Test(repeats, items_that_wait_for_each_other)
{
  tally t = {0};
  for (uint32_t seed = 0; seed < 20; seed++) {
    plan p = make_dialogue(1 + seed);
    ts_ir ir;
    plan_view(&p, &ir);
    check(&ir, seed % 2, NULL, seed, seed, &t);
    plan_free(&p);
  }
  cr_assert_gt(t.items, 0);
}

/* A stage that never waits, and those behind it that are slower and slower, or as fast. */
static plan make_stream(uint32_t items, uint64_t more, uint32_t island)
{
  enum { STAGES = 4 };
  plan p = plan_new(1, (uint32_t[]){STAGES}, 0, island);
  plan_network(&p, 100);
  uint32_t pipe = plan_group(&p, 1);
  ts_ir_builder_meta(p.b)->micro_batches = items;
  plan_item *list = calloc(items, sizeof *list);
  for (uint32_t stage = 0; stage < STAGES; stage++) {
    uint32_t f = plan_begin(&p, "F");
    if (stage)
      plan_port(&p, 1, false, pipe, 1 << 20, 10, NULL);
    plan_compute(&p, 0, 9000000 + stage * more, 10, stage ? (int[]){0, -1} : NULL);
    if (stage + 1 < STAGES)
      plan_port(&p, 2, true, pipe, 1 << 20, 10, (int[]){(int)p.nodes - 1, -1});
    plan_end(&p);
    for (uint32_t i = 0; i < items; i++) {
      ts_ir_binding in = {stage - 1, i}, out = {stage + 1, i};
      list[i] = (plan_item){f, i, {stage ? in : out, out}};
    }
    plan_program(&p, list, items);
  }
  free(list);
  return p;
}

Test(repeats, all_items_but_the_first_few_of_a_steady_pipeline)
{
  tally t = {0};
  plan p = make_stream(500, 0, 4);
  ts_ir ir;
  plan_view(&p, &ir);
  check(&ir, false, NULL, 0, 0, &t);
  plan_free(&p);
  cr_assert_gt(t.repeats, t.items - 40, "%zu of %zu items repeat others", t.repeats, t.items);
  for (uint32_t seed = 1; seed < 5; seed++) { /* messages queue up before a stage, or a link */
    p = make_stream(50, seed % 2 * 1000000, 1 + seed);
    plan_view(&p, &ir);
    check(&ir, false, NULL, 0, seed, &t);
    plan_free(&p);
  }
}
