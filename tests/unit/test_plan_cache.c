/* A session that goes on from plan to plan gives each the IR, and says of it, what a session of its
 * own does: in any order, for plans that are refused too. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag_record.h"
#include "compiler/compile.h"
#include "compiler/eval/reuse.h"
#include "compiler/search.h"
#include "ir/ir.h"
#include "runtime/account/lower_bounds.h"
#include "tests/unit/amount.h"
#include "tests/unit/strategy_uses.h"

/* Notes the bounds of an IR that is not complete, and asks for the rest. */
typedef struct early {
  ts_arena *arena;
  ts_lower_bounds least;
  size_t requested;
} early;

static bool not_enough(void *closure, const ts_ir *ir)
{
  early *e = closure;
  e->least = ts_lower_bounds_of(e->arena, ir);
  e->requested++;
  return false;
}

static bool is_enough(void *closure, const ts_ir *ir) { return !not_enough(closure, ir); }

static bool same_least(const ts_lower_bounds *a, const ts_lower_bounds *b)
{
  return !(a->seconds < b->seconds || a->seconds > b->seconds) && a->bytes == b->bytes &&
         a->reserved == b->reserved && a->limit == b->limit && a->over == b->over &&
         !(a->floor < b->floor || a->floor > b->floor) &&
         !(a->tokens < b->tokens || a->tokens > b->tokens) &&
         !(a->devices < b->devices || a->devices > b->devices) &&
         !(a->work < b->work || a->work > b->work) &&
         !memcmp(&a->rates, &b->rates, sizeof a->rates);
}

/* With what is in flight, too: it ends early no plan that its bounds let pass, and changes no other
 * one. */
static void check_early(const char *path, const ts_compile_options *given, const ts_ir *whole,
                        const ts_lower_bounds *least)
{
  ts_arena *arena = ts_arena_new("early");
  ts_memory_bound held = {.early = true};
  ts_compile_options o = *given;
  ts_input input = {0};
  o.held = &held;
  bool good = ts_input_open(ts_session_new(arena), path, &o, &input);
  cr_assert_eq(good, input.status != TS_PASS_TOO_LARGE);
  cr_assert_leq(held.bytes, least->bytes);
  cr_assert(least->over || input.status != TS_PASS_TOO_LARGE);
  if (good) {
    size_t size[2];
    uint8_t *bytes[2] = {ts_ir_encode(whole, &size[0]), ts_ir_encode(&input.ir, &size[1])};
    cr_assert(size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]));
    free(bytes[0]);
    free(bytes[1]);
  }
  ts_input_close(&input);
  ts_arena_free(arena);
}

/* What a plan holds throughout is never more than its bounds say, and these are below any play.
 * They are the same before messages are bound. */
static void check_held(const char *path, const ts_compile_options *given, const ts_input *whole)
{
  ts_arena *arena = ts_arena_new("held");
  early asks = {.arena = arena};
  ts_memory_bound held = {.enough = not_enough, .closure = &asks};
  ts_compile_options o = *given;
  ts_input input = {0};
  o.held = &held;
  bool good = ts_input_open(ts_session_new(arena), path, &o, &input);
  ts_lower_bounds least = ts_lower_bounds_of(arena, &whole->ir);
  cr_assert_eq(good, input.status != TS_PASS_TOO_LARGE);
  cr_assert_leq(held.bytes, least.bytes);
  cr_assert(least.over || input.status != TS_PASS_TOO_LARGE);
  check_early(path, given, &whole->ir, &least);
  cr_assert_eq(asks.requested, good);
  cr_assert(!good || same_least(&asks.least, &least));
  if (good) {
    ts_memory_bound first = {.enough = is_enough, .closure = &asks};
    ts_input none = {0};
    o.held = &first;
    cr_assert(!ts_input_open(ts_session_new(arena), path, &o, &none) &&
              none.status == TS_PASS_ENOUGH);
    size_t size[2];
    uint8_t *bytes[2] = {ts_ir_encode(&whole->ir, &size[0]), ts_ir_encode(&input.ir, &size[1])};
    cr_assert(size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]));
    free(bytes[0]);
    free(bytes[1]);
  } else {
    cr_assert(held.limit == least.limit && held.reserved == least.reserved);
  }
  ts_input_close(&input);
  ts_arena_free(arena);
}

typedef struct result {
  uint8_t *bytes; /* of the IR; NULL: it was refused */
  size_t size;
  const char *said;
} result;

static const char *all_said(ts_arena *arena, const ts_diags *diags)
{
  const char *text = "";
  for (size_t i = 0; i < diags->all.count; i++)
    text = ts_arena_printf(arena, "%s%u %s +%u\n", text, (unsigned)diags->all.at[i]->code,
                           diags->all.at[i]->message, diags->all.at[i]->more);
  return text;
}

static result compile(ts_arena *arena, ts_session *s, const char *path, const ts_compile_options *o)
{
  result r = {0};
  ts_input input = {0};
  if (ts_input_open(s, path, o, &input)) {
    uint8_t *bytes = ts_ir_encode(&input.ir, &r.size);
    if (!s->reuse->plan_cache)
      check_held(path, o, &input);
    r.bytes = ts_arena_copy(arena, bytes, r.size);
    free(bytes);
    ts_input_close(&input);
  }
  r.said = all_said(arena, s->diags);
  return r;
}

typedef struct series {
  const char *path;
  const ts_common *common;
  ts_arena *arena; /* of the session that goes on */
  ts_session *session;
  size_t went_on, compiled;
} series;

static void check(series *r, const ts_compile_options *o)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_session *before = r->session;
  r->session = ts_session_next(r->session, r->arena, r->common);
  r->went_on += before == r->session;
  r->compiled++;
  result kept = compile(arena, r->session, r->path, o),
         alone = compile(arena, ts_session_new(arena), r->path, o);
  const char *which = "";
  for (uint32_t i = 0; i < o->define_count; i++)
    which = ts_arena_printf(arena, "%s %s=%s", which, o->defines[i].name, o->defines[i].expression);
  cr_assert_str_eq(kept.said, alone.said, "%s:%s\n%s---\n%s", r->path, which, kept.said,
                   alone.said);
  cr_assert_eq(!kept.bytes, !alone.bytes, "%s:%s", r->path, which);
  cr_assert_eq(kept.size, alone.size, "%s:%s %zu %zu", r->path, which, kept.size, alone.size);
  cr_assert(!alone.bytes || !memcmp(kept.bytes, alone.bytes, alone.size), "%s:%s", r->path, which);
  ts_arena_free(arena);
}

static uint32_t next_random(uint32_t *seed)
{
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

/* Every n-th plan of the file's search, shuffled; and plans of any parameters among them. */
static void check_search(const char *path, size_t every, uint32_t seed)
{
  static const char *const names[] = {"tp", "pp", "v", "micro", "global"};
  static const char *const values[] = {"1", "2", "3", "4", "6", "8", "1536", "0", "7 - 5"};
  const char *root = getenv("top_srcdir");
  ts_arena *arena = ts_arena_new("search");
  series r = {.path = ts_arena_printf(arena, "%s/%s", root ? root : ".", path),
              .arena = ts_arena_new("series")};
  const ts_search *search =
    ts_search_load(ts_session_new(arena), r.path, &(ts_compile_options){0}, NULL, NULL, false);
  cr_assert(search);
  r.common = ts_common_new(r.path, &(ts_compile_options){0});
  cr_assert(r.common);
  uint32_t *order = TS_NEW_ARRAY(arena, uint32_t, search->point_count);
  for (uint32_t i = 0; i < search->point_count; i++) {
    uint32_t k = next_random(&seed) % (i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  for (uint32_t i = 0; i < search->point_count; i += every) {
    ts_compile_options options = {.plan_name = search->plan};
    options.defines = ts_search_defines_at(search, order[i], arena, &options.define_count);
    check(&r, &options);
    if (i / every % 4)
      continue;
    ts_define some[3];
    for (int d = 0; d < 3; d++)
      some[d] = (ts_define){names[next_random(&seed) % 5], values[next_random(&seed) % 9]};
    check(&r, &(ts_compile_options){.plan_name = search->plan, .defines = some, .define_count = 3});
  }
  cr_assert_gt(r.went_on, r.compiled / 3, "%zu of %zu", r.went_on, r.compiled);
  ts_common_free((ts_common *)(uintptr_t)r.common);
  ts_arena_free(r.arena);
  ts_arena_free(arena);
}

Test(plan_cache, plans_of_gpt3) { check_search("examples/degrees.ts", amount(24, 2), 1); }

Test(plan_cache, plans_of_turing)
{
  check_search("tests/bench/plans/turing_530b.ts", amount(108, 9), 2);
}

typedef struct choice {
  const char *name, *values[3];
} choice;

/* Plans of this text and table, with some of these choices each. */
static void check_random(const char *text, const choice *choices, uint32_t choice_count,
                         unsigned plans, uint32_t seed)
{
  char folder[] = "test-XXXXXX", path[64], rows[64];
  cr_assert(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/plan.ts", folder);
  snprintf(rows, sizeof rows, "%s/rows.csv", folder);
  FILE *f = fopen(path, "w"), *g = fopen(rows, "w");
  cr_assert(f && g && fputs(text, f) >= 0 && fputs("n\n1\n2\n", g) >= 0);
  cr_assert(!fclose(f) && !fclose(g));
  series r = {.path = path,
              .common = ts_common_new(path, &(ts_compile_options){0}),
              .arena = ts_arena_new("series")};
  cr_assert(r.common);
  for (unsigned i = 0; i < plans; i++) {
    ts_define defines[6];
    uint32_t count = next_random(&seed) % (choice_count + 1);
    for (uint32_t d = 0; d < count; d++)
      defines[d] = (ts_define){choices[d].name, choices[d].values[next_random(&seed) % 3]};
    check(&r, &(ts_compile_options){.defines = defines, .define_count = count});
  }
  cr_assert_gt(r.went_on, r.compiled / 3, "%zu of %zu", r.went_on, r.compiled);
  ts_common_free((ts_common *)(uintptr_t)r.common);
  ts_arena_free(r.arena);
  unlink(path);
  unlink(rows);
  rmdir(folder);
}

/* Parameters of files, tables that values read, axes of the mesh, models with a mesh of their own. */
Test(plan_cache, what_plans_change_is_not_kept)
{
  static const char text[] =
    "import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data\n"
    "import std.schedules.one_f_one_b, std.precision, std.costs\n"
    "param width: Int = 1024\n"
    "let wide = 2 * width\n"
    "let rows = column(\"rows.csv\", \"n\")\n"
    "fn layers(m: Int) -> Int = m + 2\n"
    "fn nodes() -> Int = len(rows)\n"
    "plan small(tp: Int = 2, m: Int = 4, deep: Bool = true) {\n"
    "  model = gpt(layers: if deep then layers(m) else 4, hidden: wide, heads: 16, vocab: 51200,\n"
    "              seq: 1024)\n"
    "  cluster = dgx_a100(nodes: nodes())\n"
    "  mesh = { tp, dp: 4 / tp, pp: 2 }\n"
    "  apply = [tensor_parallel(tp), data_parallel(dp)]\n"
    "  schedule = one_f_one_b(p: pp, m: m)\n"
    "  tokens = 1024\n"
    "  precision = mixed(bf16)\n"
    "  costs = training_a100\n"
    "}\n";
  static const choice choices[] = {{"tp", {"1", "2", "4"}},
                                   {"m", {"2", "4", "6"}},
                                   {"deep", {"true", "false", "3 > 2"}},
                                   {"width", {"1024", "2048", "1008"}}};
  check_random(text, choices, 4, amount(8, 60), 3);
}

/* Layouts and orders are kept by what they look at: sizes of axes in conditions, in arguments of
 * rules and of orders, whether an axis has one rank, rules that a plan changes, clauses between
 * items, a policy, calls of functions in an order. */
Test(plan_cache, layouts_and_orders)
{
  static const char text[] =
    "import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data\n"
    "import std.strategies.recompute, std.precision, std.costs\n"
    "strategy ours(t: Axis, d: Axis, split: Int) {\n"
    "  rule wide optional {\n"
    "    match linear as \"*.mlp.up\" where t.size > 2 and split * d.size > 2\n"
    "    recompute\n"
    "  }\n"
    "}\n"
    "fn turn(n: Int, p: Int) -> Int = n % p\n"
    "schedule mine(p: Axis, m: Int, tied: Int, early: Bool) {\n"
    "  let first = if early then p else 1\n"
    "  stages p\n"
    "  at r in 0..p {\n"
    "    let warm = min(m, max(first, p - r) + turn(0, p))\n"
    "    for i in 0..warm { F(i) }\n"
    "    for i in warm..m { B(next) F(i) }\n"
    "    for i in m - warm..m { B(next) }\n"
    "  }\n"
    "  depend B(i) at p - 1 on F(i) at 0 for i in 0..tied sending 1 MiB\n"
    "}\n"
    "plan small(tp: Int = 2, m: Int = 4, again: Int = 0, tied: Int = 0, early: Bool = true, split: "
    "Int = 1) {\n"
    "  model = gpt(layers: 8, hidden: 1024, heads: 16, vocab: 51200, seq: 1024)\n"
    "  cluster = dgx_a100(nodes: 2)\n"
    "  mesh = { tp, dp: 8 / tp, pp: 2 }\n"
    "  apply = [tensor_sequence_parallel(tp), data_parallel(dp), ours(tp, dp, split)]\n"
    "  schedule = mine(p: pp, m: m, tied: tied, early: early)\n"
    "  recompute = if again == 0 then none else if again == 1 then selective(\"attn.core\") else "
    "full()\n"
    "  tokens = 1024\n"
    "  precision = mixed(bf16)\n"
    "  costs = training_a100\n"
    "}\n";
  static const choice choices[] = {
    {"tp", {"8", "2", "4"}},    {"m", {"2", "4", "8"}},
    {"again", {"0", "1", "2"}}, {"early", {"true", "false", "1 > 2"}},
    {"tied", {"0", "1", "0"}},  {"split", {"1", "2", "3"}}};
  check_random(text, choices, 6, amount(12, 120), 7);
}

static bool check_early_plan(const char *path, const ts_compile_options *o)
{
  ts_arena *arena = ts_arena_new("plan");
  ts_input input = {0};
  bool good = ts_input_open(ts_session_new(arena), path, o, &input);
  if (good) {
    ts_lower_bounds least = ts_lower_bounds_of(arena, &input.ir);
    check_early(path, o, &input.ir, &least);
    ts_input_close(&input);
  }
  ts_arena_free(arena);
  return good;
}

static size_t check_early_of(const char *folder)
{
  const char *root = getenv("top_srcdir");
  glob_t found;
  size_t compared = 0;
  char pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/%s/*.ts", root ? root : ".", folder);
  cr_assert(!glob(pattern, 0, NULL, &found));
  for (size_t i = 0; i < found.gl_pathc; i++)
    compared += check_early_plan(found.gl_pathv[i], &(ts_compile_options){0});
  globfree(&found);
  return compared;
}

/* All kinds of schedules, strategies, recomputation, offloading, rings. */
Test(plan_cache, what_is_in_flight)
{
  ts_define defines[] = {{"use", NULL}, {"zb", "false"}, {"m", "8"},  {"pp", "4"},     {"dp", "2"},
                         {"cp", "2"},   {"tp", "2"},     {"ep", "2"}, {"experts", "8"}};
  const char *root = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/strategies/_plan.ts", root ? root : ".");
  for (size_t u = 0; u < 2 * STRATEGY_USES; u += amount(7, 1)) {
    defines[0].expression = strategy_uses[u / 2];
    defines[1].expression = u % 2 ? "true" : "false";
    cr_assert(check_early_plan(path, &(ts_compile_options){.defines = defines, .define_count = 9}),
              "%s", strategy_uses[u / 2]);
  }
  cr_assert_gt(check_early_of("examples"), 10);
  cr_assert_gt(check_early_of("tests/cli") + check_early_of("tests/accuracy/plans"), 20);
}
