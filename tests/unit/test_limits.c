/* Every evaluation ends: what runs over elements and text is charged for them, and memory has a ceiling. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/heap.h"
#include "compiler/eval/function.h"
#include "tests/unit/test_eval.h"

static const char too_many[] = "E0226 the evaluation takes too many steps";

/* What `text` gives or is told when only `left` steps are left. */
static const char *with_steps(ts_desk *desk, const char *text, uint64_t left)
{
  desk->s->steps = TS_MAX_STEPS - left;
  return ts_desk_print(desk, text);
}

static void ends(const char *text)
{
  ts_desk desk = ts_desk_open();
  const char *got = with_steps(&desk, text, 100000);
  cr_expect(strstr(got, too_many), "%.100s\n  gives %s", text, got);
  cr_expect_lt(ts_arena_used(desk.arena), 200 << 20, "%.100s takes %zu bytes", text, ts_arena_used(desk.arena));
  ts_desk_close(&desk);
}

/* `a` holds 2^60 elements in 61 lists, and so does `b`. */
static const char *doubled(ts_arena *arena, const char *x)
{
  const char *text = "let a0 = [1]\nlet b0 = [1]\n";
  for (int i = 1; i <= 60; i++)
    text = ts_arena_printf(arena, "%slet a%d = [a%d, a%d]\nlet b%d = [b%d, b%d]\n", text, i, i - 1, i - 1, i, i - 1, i - 1);
  return ts_arena_printf(arena, "%slet x = %s\n", text, x);
}

Test(limits, walks_over_doubled_values_end)
{
  static const char *const walks[] = {"str(a60)", "a60 == b60", "{ f: a60 } == { f: b60 }", "str({ f: a60 })"};
  ts_arena *arena = ts_arena_new("test");
  for (size_t i = 0; i < sizeof walks / sizeof *walks; i++)
    ends(doubled(arena, walks[i]));
  ts_arena_free(arena);
}

Test(limits, a_message_about_a_doubled_value_ends)
{
  ts_desk desk = ts_desk_open();
  const char *got = ts_desk_print(&desk, doubled(desk.arena, "a60 + 1"));
  cr_expect(strstr(got, "E0220"), "%s", got);
  cr_expect_lt(ts_arena_used(desk.arena), 100 << 20);
  ts_desk_close(&desk);
}

Test(limits, elements_and_bytes_are_steps)
{
  static const char *const long_runs[] = {
    "let x = sum(range(0, 200000))", "let x = max(0..200000)", "let l = 0..200000\nlet x = zip(l, l)", "let x = enumerate(0..200000)",
    "let x = range(0, 400000, 2)", "let l = [false for i in 0..90000]\nlet x = any(l)", "let l = [1 for i in 0..40000]\nlet x = l + l + l",
    "fn f(l: List) -> Int = 1\nlet x = f(0..200000)"};
  for (size_t i = 0; i < sizeof long_runs / sizeof *long_runs; i++)
    ends(long_runs[i]);
  ts_arena *arena = ts_arena_new("test");
  const char *text = "let s0 = \"0123456789\"\n";
  for (int i = 1; i <= 14; i++)
    text = ts_arena_printf(arena, "%slet s%d = s%d + s%d\n", text, i, i - 1, i - 1);
  ends(ts_arena_printf(arena, "%slet x = s14\n", text)); /* 163,840 bytes, and as many on the way */
  ends(ts_arena_printf(arena, "%slet x = draw(s13, 1) + draw(s13, 2)\n", text));
  ts_arena_free(arena);
}

/* Just below and just above: the elements and a few steps for the expression itself. */
Test(limits, the_last_step_is_taken)
{
  bool done = false;
  for (uint64_t left = 1000; left <= 1040; left++) {
    ts_desk desk = ts_desk_open();
    const char *got = with_steps(&desk, "let x = sum(range(0, 1000))", left);
    cr_expect(strstr(got, done ? "499500" : left == 1000 ? too_many : ""), "with %d left: %s", (int)left, got);
    done = !strcmp(got, "499500");
    ts_desk_close(&desk);
  }
  cr_expect(done);
}

Test(limits, nested_deeper_than_levels_is_told)
{
  ts_desk desk = ts_desk_open();
  const char *text = "let a0 = [1]\n", *list = "a0";
  for (int i = 1; i <= 700; i++) {
    text = ts_arena_printf(desk.arena, "%slet a%d = [a%d]\n", text, i, i - 1);
    list = i % 100 ? list : ts_arena_printf(desk.arena, "%s, a%d", list, i); /* each in turn, so that none is evaluated through many others */
  }
  const char *got = ts_desk_print(&desk, ts_arena_printf(desk.arena, "%slet all = [%s]\nlet x = str(all)\n", text, list));
  cr_expect(strstr(got, "E0226 this is nested too deeply"), "%s", got);
  ts_desk_close(&desk);
}

Test(limits, memory_has_a_ceiling)
{
  ts_desk desk = ts_desk_open();
  ts_heap_set_ceiling(UINT64_C(400) << 20);
  const char *got = ts_desk_print(&desk, "let x = len([[j for j in 0..1000] for i in 0..1000000])");
  cr_expect(strstr(got, "E0226 the evaluation takes too much memory"), "%s", got);
  cr_expect_lt(ts_arena_used(desk.arena), 400 << 20);
  ts_desk_close(&desk);
}
