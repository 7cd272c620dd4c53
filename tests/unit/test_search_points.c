/* The plans of a search: many of them take little memory, and each has the values that it had. */
#include <criterion/criterion.h>
#include <string.h>

#include "compiler/search.h"
#include "tests/unit/plan_text.h"

static const char plan[] =
  "import std.models.gpt, std.clusters.dgx\n"
  "plan family(tp: Int = 1, dp: Int = 1, sizes: List[Int] = [1], bucket: Size = 1 MiB, on: Bool = true) {\n"
  "  model = gpt(layers: 2, hidden: 64, heads: 4, vocab: 64, seq: 16)\n  cluster = dgx_h100(nodes: 1)\n"
  "  mesh = { tp, dp }\n"
  "}\n"
  "fn two(a: Int, b: Int) = [a, b]\n";

static ts_search *load(ts_session *s, const char *items)
{
  plan_path path = plan_write(plan);
  const ts_define given[] = {{"on", "false"}};
  ts_compile_options options = {.defines = given, .define_count = 1};
  ts_search *search = ts_search_load(s, path.text, &options, NULL, items, false);
  remove(path.text);
  if (!search)
    ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
  cr_assert(search);
  return search;
}

Test(search_points, a_million_take_less_than_64_bytes_each)
{
  ts_arena *arena = ts_arena_new("test");
  ts_search *search = load(ts_session_new(arena), "vary tp in 1..101\nvary dp in 1..10001\n"
                                                  "require tp * dp > 0, \"positive\"\n");
  cr_expect_eq(search->point_count, 1000000);
  cr_expect_lt(ts_arena_used(arena), 64 * search->point_count, "%zu", ts_arena_used(arena));
  cr_expect_str_eq(ts_search_text_at(search, 999999, 0), "100");
  cr_expect_str_eq(ts_search_text_at(search, 999999, 1), "10000");
  cr_expect_eq(ts_search_value_at(search, 123456, 1)->u.integer, 123456 % 10000 + 1);
  ts_arena_free(arena);
}

/* Values of lists that others compute: of each plan its own, also when what they were made of is
 * long gone. */
Test(search_points, values_stay)
{
  ts_arena *arena = ts_arena_new("test");
  ts_search *search = load(ts_session_new(arena), "vary tp in 1..40\nvary dp in [tp, 2 * tp]\n"
                                                  "vary sizes in [[1, 2], two(tp, dp)]\n"
                                                  "vary bucket in [1 MiB, 2 MiB]\nvary on in [true, false]\n");
  cr_expect_eq(search->point_count, 39 * 2 * 2 * 2);
  for (size_t p = 0; p < search->point_count; p++) {
    int64_t tp = (int64_t)p / 8 + 1, dp = p % 8 < 4 ? tp : 2 * tp;
    uint32_t count;
    const ts_define *defines = ts_search_defines_at(search, p, arena, &count);
    const ts_value *sizes = ts_search_value_at(search, p, 2);
    cr_expect_eq(ts_search_value_at(search, p, 0)->u.integer, tp);
    cr_expect_eq(ts_search_value_at(search, p, 1)->u.integer, dp);
    cr_expect_eq(ts_sequence_at(*sizes, 0).u.integer, p % 4 < 2 ? 1 : tp);
    cr_expect_eq(ts_sequence_at(*sizes, 1).u.integer, p % 4 < 2 ? 2 : dp);
    cr_expect_str_eq(ts_search_text_at(search, p, 3), p % 2 ? "2 MiB" : "1 MiB");
    cr_expect_str_eq(ts_search_text_at(search, p, 4), "false");
    cr_expect_eq(count, 5); /* what was given already, first, and not again */
    cr_expect_str_eq(defines[0].name, "on");
    cr_expect_str_eq(defines[1].name, "tp");
    cr_expect_str_eq(defines[4].name, "bucket");
  }
  ts_arena_free(arena);
}
