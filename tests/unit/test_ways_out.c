/* Changes of a plan's text: joined, applied, shown. What they are worth when played:
 * tests/cli/ways-out. */
#include <criterion/criterion.h>
#include <string.h>

#include "compiler/ways_out.h"

static const char plan[] =
  "import std.precision\n"
  "\n"
  "plan p(tp: Int = 2, dp: Int = 4, micro: Int = 6) {\n"
  "  mesh = { tp, dp }\n"
  "  apply = [data_parallel(dp, bucket: 1 MiB)]\n"
  "  batch = { micro: micro, global: 48 }\n"
  "}\n";

static ts_way_edit edit_of(const char *found, const char *text)
{
  uint32_t begin = (uint32_t)(strstr(plan, found) - plan);
  return (ts_way_edit){begin, begin + (uint32_t)strlen(found), text};
}

Test(ways_out, edits_of_one_line_are_shown_once)
{
  ts_arena *arena = ts_arena_new("test");
  ts_way_edit call = edit_of("data_parallel", "zero2"),
              add = edit_of("1 MiB)", "1 MiB), offload()"),
              import = {0, 0, "import std.strategies.offload\n"};
  ts_define tp = {"tp", "4"}, dp = {"dp", "2"};
  ts_way a = {1, 1, &call, &tp, NULL, ""}, b = {2, 1, (ts_way_edit[]){import, add}, &dp, NULL, ""}, both;
  cr_assert(ts_way_join(arena, &a, &b, &both));
  size_t size;
  const char *text = ts_way_apply(arena, &both, plan, strlen(plan), &size);
  cr_expect_eq(size, strlen(text));
  cr_expect(strstr(text, "import std.strategies.offload\nimport std.precision\n") == text);
  cr_expect(strstr(text, "  apply = [zero2(dp, bucket: 1 MiB), offload()]\n"));
  cr_expect_str_eq(ts_way_lines(arena, &both, plan, strlen(plan)),
                   "-D dp=2 -D tp=4\nimport std.strategies.offload\napply = [zero2(dp, bucket: 1 "
                   "MiB), offload()]");
  ts_arena_free(arena);
}

Test(ways_out, changes_of_the_same_place_do_not_join)
{
  ts_arena *arena = ts_arena_new("test");
  ts_way_edit call = edit_of("data_parallel", "zero1"), again = edit_of("data_parallel", "zero2"),
              around = edit_of("data_parallel(dp, bucket: 1 MiB)", "fsdp(dp)");
  ts_define tp = {"tp", "4"}, less = {"tp", "1"};
  ts_way a = {1, 0, &call, NULL, NULL, ""}, b = {1, 0, &again, NULL, NULL, ""},
         c = {1, 0, &around, NULL, NULL, ""}, d = {0, 1, NULL, &tp, NULL, ""}, e = {0, 1, NULL, &less, NULL, ""},
         out;
  cr_expect_not(ts_way_join(arena, &a, &b, &out));
  cr_expect_not(ts_way_join(arena, &a, &c, &out));
  cr_expect_not(ts_way_join(arena, &d, &e, &out));
  cr_expect(ts_way_join(arena, &a, &d, &out));
  ts_arena_free(arena);
}

Test(ways_out, an_import_that_both_need_is_put_in_once)
{
  ts_arena *arena = ts_arena_new("test");
  ts_way_edit first[] = {{0, 0, "import std.strategies.data\n"}, edit_of("data_parallel", "zero1")},
              second[] = {{0, 0, "import std.strategies.data\n"},
                          edit_of("global: 48", "global: 96")};
  ts_way a = {.edit_count = 2, .edits = first, .replaced = ""}, b = {.edit_count = 2, .edits = second, .replaced = ""}, both;
  cr_assert(ts_way_join(arena, &a, &b, &both));
  cr_expect_eq(both.edit_count, 3);
  ts_arena_free(arena);
}
