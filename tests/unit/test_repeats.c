/* Items that repeat earlier ones change nothing: every figure of a report, every node of every
 * timeline, the critical path and the memory are those of a play of all ops. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/account/run.h"
#include "runtime/play/engine.h"
#include "runtime/report/report.h"
#include "tests/unit/engine_plan.h"
#include "tests/unit/random_ir.h"

enum { PLANS = 1000, JOBS = 400 };

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
  size_t size = 0;
  FILE *out = open_memstream(&p.report, &size);
  ts_report_json(ts_summary_new(p.arena, ir, p.run, ts_memory_new(p.arena, ir, p.run), NULL), out);
  fclose(out);
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

typedef struct tally { size_t repeats, items, none; } tally;

static void check(const ts_ir *ir, bool no_fold, const double *slower, uint32_t order,
                  uint32_t seed, tally *t)
{
  played few = play(ir, no_fold, false, slower, order, seed),
         all = play(ir, no_fold, true, slower, 0, seed);
  cr_assert_str_eq(few.report, all.report, "seed %u", seed);
  for (uint32_t c = 0; c < ts_run_result(few.run)->class_count; c++)
    check_rank(few.run, all.run, ts_run_result(few.run)->classes[c].rank, seed);
  t->repeats += count_repeats(few.run, &t->items);
  t->none += count_repeats(all.run, &(size_t){0});
  end(&few);
  end(&all);
}

Test(repeats, change_nothing_in_plans_of_many_micro_batches)
{
  tally t = {0};
  for (uint32_t seed = 0; seed < PLANS; seed++) {
    ts_ir_builder *b = random_ir_of(seed, 8 + seed % 100);
    ts_ir ir;
    ts_ir_builder_view(b, &ir);
    check(&ir, seed % 3 == 2, NULL, seed % 2 * (seed + 1), seed, &t);
    ts_ir_builder_free(b);
  }
  cr_assert_gt(t.repeats, t.items / 8, "%zu of %zu items repeat others", t.repeats, t.items);
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
