/* What a plan of a search can be worth at the best: goals and conditions of random figures are never
 * better than bounds of these figures say. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "base/diag_record.h"
#include "compiler/search.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/random_ir.h"

static const char plan[] =
  "import std.models.gpt, std.clusters.dgx, std.gpus.nvidia\n"
  "plan p(m: Int = 4, mb: Int = 2) {\n"
  "  model = gpt(layers: 1, hidden: 64, heads: 2, vocab: 64, seq: 64)\n"
  "  cluster = dgx_h100(nodes: 1)\n"
  "  mesh = { dp: 8 }\n"
  "  tokens = 64 * mb * m\n"
  "}\n"
  "search s of p {\n"
  "  vary m in [1, 4, 7]\n"
  "  vary mb in [1, 2]\n"
  "  let twice = 2 * cost / m\n"
  "  let late = twice + cost\n"
  "  require step_time < 3 s and not (energy > 5 J) or devices * mb > 20, \"a\"\n"
  "  require late < $7 or peak_memory / m < 1 MB, \"b\"\n"
  "  require if mfu > 0.5 then tokens_per_second > 2 else hfu < 0.9, \"c\"\n"
  "  minimize max(step_time * m, 2 s) / tokens_per_step\n"
  "  maximize tokens_per_second / devices - mfu * mb\n"
  "  minimize late - $1 / m\n"
  "  minimize -carbon / (mfu + 1)\n"
  "  minimize (energy - 3 J) * (energy - 2 J)\n"
  "  maximize min(mfu, hfu * 2)\n"
  "  minimize if cost < $3 then peak_memory else peak_memory * m\n"
  "  minimize real(devices) * (step_time / 1 s) * (step_time / 1 s)\n"
  "}\n";

static ts_search *load(ts_session *s)
{
  plan_path path = plan_write(plan);
  ts_compile_options options = {0};
  ts_search *search = ts_search_load(s, path.text, &options, NULL, NULL, false);
  remove(path.text);
  if (!search)
    ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
  cr_assert(search);
  return search;
}

static double figure(random_ir *g, size_t which)
{
  double value = random_between(g, 1, 1000) / 100.0;
  return which == TS_FIGURE_DEVICES ? floor(value) + 1 : value;
}

Test(search_bound, is_never_worse_than_what_figures_are_worth)
{
  ts_arena *arena = ts_arena_new("test");
  ts_session *s = ts_session_new(arena);
  ts_search *search = load(s);
  random_ir g = {.state = 7};
  size_t excluded = 0, reported = 0;
  for (int round = 0; round < 4000; round++) {
    size_t point = (size_t)round % search->point_count;
    ts_figures low, high, real;
    for (size_t f = 0; f < TS_FIGURES; f++) {
      double a = figure(&g, f), b = figure(&g, f), at = random_between(&g, 0, 10) / 10.0;
      low.of[f] = fmin(a, b), high.of[f] = fmax(a, b);
      bool open = f != TS_FIGURE_DEVICES && random_chance(&g, 30);
      real.of[f] = f == TS_FIGURE_DEVICES ? low.of[f] : fmin(high.of[f], low.of[f] + at * (high.of[f] - low.of[f]));
      if (f == TS_FIGURE_DEVICES)
        high.of[f] = low.of[f];
      if (open)
        high.of[f] = INFINITY;
    }
    double best[TS_SEARCH_GOALS], objectives[TS_SEARCH_GOALS];
    bool holds[TS_SEARCH_GOALS];
    uint32_t reason;
    bool may = ts_search_bound(search, point, &low, &high, best, &reason);
    cr_assert(ts_search_holds(search, point, &real, holds));
    bool good = holds[0] && holds[1] && holds[2];
    cr_assert(may || !good, "round %d", round);
    excluded += !may;
    if (!may)
      continue;
    cr_assert(ts_search_objectives(search, point, &real, objectives));
    for (uint32_t k = 0; k < search->goal_count; k++) {
      bool below = search->goals[k].maximize ? objectives[k] <= best[k] : objectives[k] >= best[k];
      cr_assert(below, "round %d, %s: %g is better than %g", round, search->goals[k].text,
                objectives[k], best[k]);
      reported += isfinite(best[k]);
    }
  }
  cr_assert_geq(excluded, 100u, "%zu", excluded);
  cr_assert_geq(reported, 9000u, "%zu", reported);
  cr_assert_eq(ts_diags_errors(s->diags), 0u);
  ts_arena_free(arena);
}
