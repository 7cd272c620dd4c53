/* Expressions, built-in functions, calls and what is said when they fail. */
#include "tests/unit/test_eval.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dirent.h>

#include "base/diag_record.h"
#include "base/output.h"
#include "compiler/compile.h"
#include "compiler/eval/label.h"
#include "compiler/eval/module.h"

ts_desk ts_desk_open(void)
{
  ts_desk desk = {.arena = ts_arena_new("test"), .folder = "test-XXXXXX"};
  cr_assert(mkdtemp(desk.folder));
  desk.s = ts_session_new(desk.arena);
  return desk;
}

void ts_desk_close(ts_desk *desk)
{
  DIR *folder = opendir(desk->folder);
  struct dirent *entry;
  while (folder && (entry = readdir(folder)))
    unlink(ts_arena_printf(desk->arena, "%s/%s", desk->folder, entry->d_name));
  if (folder)
    closedir(folder);
  rmdir(desk->folder);
  ts_arena_free(desk->arena);
}

const char *ts_desk_file(ts_desk *desk, const char *name, const char *text)
{
  const char *path = ts_arena_printf(desk->arena, "%s/%s", desk->folder, name);
  cr_assert_eq(ts_write_file(path, text, strlen(text)), 0);
  return path;
}

ts_value ts_desk_value(ts_desk *desk, const char *text)
{
  const char *path =
    ts_desk_file(desk, ts_arena_printf(desk->arena, "file%zu.ts", ts_module_count(desk->s)), text);
  ts_module *m = ts_module_load(desk->s, path);
  ts_value v = ts_error_value();
  cr_assert(m);
  if (!ts_diags_errors(desk->s->diags))
    cr_assert(ts_module_lookup(desk->s, m, ts_lang_intern(desk->s->lang, "x", 1), TS_NO_SPAN, &v),
              "no x in %s", text);
  return v;
}

const char *ts_desk_errors(ts_desk *desk)
{
  size_t count;
  ts_diag **all = ts_diags_sorted(desk->s->diags, desk->arena, &count);
  const char *text = "";
  for (size_t i = 0; i < count; i++)
    text = ts_arena_printf(desk->arena, "%s%s%s %s", text, i ? "\n" : "",
                           ts_code_name(all[i]->code), all[i]->message);
  return text;
}

const char *ts_desk_print(ts_desk *desk, const char *text)
{
  ts_value v = ts_desk_value(desk, text);
  return v.type == TS_T_ERROR ? ts_desk_errors(desk) : ts_value_print(desk->arena, v);
}

typedef struct example { const char *text, *value; } example;

static void all_give(const example *examples, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    ts_desk desk = ts_desk_open();
    const char *got = ts_desk_print(&desk, examples[i].text);
    cr_expect_str_eq(got, examples[i].value, "%s\n  gives    %s\n  expected %s", examples[i].text,
                     got, examples[i].value);
    ts_desk_close(&desk);
  }
}

#define ALL_GIVE(...)                                                                              \
  all_give((const example[]){__VA_ARGS__}, sizeof((const example[]){__VA_ARGS__}) / sizeof(example))

Test(eval, numbers)
{
  ALL_GIVE({"let x = 2 + 3 * 4", "14"}, {"let x = 7 % 3", "1"}, {"let x = -7 % 3", "2"},
           {"let x = 6 / 3", "2"}, {"let x = 7 / 2", "E0223 7 / 2 is not a whole number"},
           {"let x = 7.0 / 2", "3.5"}, {"let x = 1 / 0", "E0224 division by zero"},
           {"let x = 9223372036854775807 + 1", "E0222 this whole number does not fit 64 bits"},
           {"let x = 1 < 2 and not (2.0 == 3)", "true"},
           {"let x = if 1 == 1.0 then \"a\" + \"b\" else 3", "\"ab\""});
}

Test(eval, quantities)
{
  ALL_GIVE({"let x = 80 GiB / (20 GiB/s)", "4 s"}, {"let x = 400 Gb/s == 50 GB/s", "true"},
           {"let x = 2 * 3 us", "6 us"}, {"let x = 3 us / (1 us)", "3.0"},
           {"let x = 1 us + 1 B", "E0221 cannot add a size (bytes) to a time (seconds)"},
           {"let x = 1 us + 1", "E0221 cannot add an Int to a time (seconds)"},
           {"let x = 1 us < 1 B", "E0221 cannot compare a time (seconds) and a size (bytes)"});
}

/* Those without a unit of their own show their powers of s, b, FLOP, $ and W. */
Test(eval, quantities_are_shown_in_their_units)
{
  ALL_GIVE(
    {"let x = $2.5", "$2.50"}, {"let x = $3/h + $6 / (1 h)", "$9.00/h"},
    {"let x = 1500 W", "1.5 kW"}, {"let x = 2 s * (3 s)", "6 s^2"},
    {"let x = 2 W * (3 s)", "6 J"}, {"let x = 1 B * (1 B) / (4 FLOP)", "16 b^2 FLOP^-1"},
    {"let x = $4 * (2 B)", "64 b $"}, {"let x = [0 s, 0 B, 0 W]", "[0 s, 0 B, 0 W]"},
    {"let x = 2 s * (3 s) + 1", "E0221 cannot add an Int to a quantity of a derived dimension"});
}

Test(eval, lists_and_records)
{
  ALL_GIVE({"let x = [i * j for i in 0..3 for j in 0..2 if i != j]", "[0, 0, 0, 2]"},
           {"let x = [1, 2] + [3]", "[1, 2, 3]"}, {"let x = { a: 1, b: { c: 2 } }.b.c", "2"},
           {"let x = [4, 5][2]", "E0225 index 2 is outside a list of 2"},
           {"let x = { a: 1 }.b", "E0213 a record has no field `b`"},
           {"let x = [i for i in 3]", "E0220 `i` runs over an Int, not over a list"});
}

#define SPAN "record Span { first: Int\n count: Int = 2 * first, unit: Size = 1 B, name: String = none }\n"

/* A record of a type has all of its fields; what is left out, or `none`, has its default. */
Test(eval, records_of_a_type)
{
  ALL_GIVE(
    {SPAN "let x: Span = { count: 3, first: 1 }",
     "{ first: 1, count: 3, unit: 1 B, name: none }"},
    {SPAN "fn f(s: Span) = s.count\nlet x = f({ first: 4 }) + f({ first: 1, count: none })", "10"},
    {SPAN "let a: Span = { first: 1 }\nlet x = (a == { first: 1, count: 2, unit: 1 B, name: none })",
     "true"},
    {SPAN "record Spans { all: List[Span] = [] }\nlet s: Spans = { all: [{ first: 5 }] }\n"
          "let x = s.all[0].count", "10"},
    {SPAN "let x: Span = {}", "E0216 a Span needs `first`"},
    {SPAN "let x: Span = { first: none }", "E0216 a Span needs `first`"},
    {SPAN "let x: Span = { first: 1, cuont: 2 }", "E0214 `Span` has no field `cuont`"},
    {SPAN "let x: List[Span] = [{ first: 1 s }]",
     "E0220 `first` of an element of `x` is a time (seconds), not an Int"},
    {SPAN "let x: Span = 3", "E0220 `x` is an Int, not a Span"},
    {SPAN "record Other { first: Int }\nlet o: Other = { first: 1 }\nlet x: Span = o",
     "E0220 `x` is an Other, not a Span"},
    {SPAN "let a: Span = { first: 1 }\nlet x = a.last", "E0213 `Span` has no field `last`"},
    {"record Host { cores: Int }\nlet x: Host = { cores: 4 }", "{ cores: 4 }"},
    {"let h: Host = { step: 1 us }\nlet x = [h.step, h.launch]", "[1 us, 0 s]"},
    {"record Chain { next: Chain = none }\nlet x: Chain = { next: {} }",
     "{ next: { next: none } }"},
    {"record Chain { next: Chain = {} }\nlet x: Chain = {}", "E0226 this is nested too deeply"});
}

Test(eval, built_in_functions)
{
  ALL_GIVE(
    {"let x = min(3, 1, 2)", "1"}, {"let x = max([1, 2.5])", "2.5"},
    {"let x = max(1 us, 2 ns)", "1 us"}, {"let x = abs(-3)", "3"}, {"let x = sum(0..101)", "5050"},
    {"let x = sum([1 us, 2 us])", "3 us"}, {"let x = div(-7, 2)", "-4"},
    {"let x = ceil_div(7, 2)", "4"}, {"let x = ceil_div(-7, 2)", "-3"},
    {"let x = gcd(12, -18)", "6"}, {"let x = [round(2.5), floor(2.7), ceil(2.1)]", "[3, 2, 3]"},
    {"let x = pow(2, 62)", "4611686018427387904"},
    {"let x = pow(2, 64)", "E0222 the result of `pow` does not fit a 64-bit whole number"},
    {"let x = log2(8)", "3.0"},
    {"let x = [real(3) / 2, real(2.5)]", "[1.5, 2.5]"},
    {"let x = real(2 us)", "E0220 `real` takes a number, not a time (seconds)"},
    {"let x = sqrt(-1)", "E0232 the result of `sqrt` is not a finite number"},
    {"let x = range(10, 0, -4)", "[10, 6, 2]"}, {"let x = len(range(7))", "7"},
    {"let x = zip([1, 2], [3, 4])", "[[1, 3], [2, 4]]"},
    {"let x = enumerate(5..7)", "[[0, 5], [1, 6]]"}, {"let x = str(3 us) + \"!\"", "\"3 us!\""},
    {"let x = [any([false, true]), all([]), all([true, false])]", "[true, true, false]"},
    {"let x = [numel([2, 3, 4]), rows([2, 3, 4]), last([2, 3])]", "[24, 6, 3]"},
    {"let x = with_last([2, 3], 7)", "[2, 7]"}, {"let x = bytes(bf16)", "2 B"},
    {"let x = 32 * bytes(nvfp4)", "18 B"}, {"let x = 128 * bytes(fp8_block)", "132 B"},
    {"let x = exp(\"a\")", "E0220 `exp` takes a number, not a String"});
}

Test(eval, calls)
{
  ALL_GIVE(
    {"fn f(a: Int, b: Int = a + 1) = a * b\nlet x = f(3) + f(b: 2, a: 5)", "22"},
    {"fn f(t: Time) = 2 * t\nlet x = f(3)", "E0221 `t` of `f` is an Int, not a time (seconds)"},
    {"fn f(a: Int) = a\nlet x = f()", "E0210 `f` needs `a`"},
    {"fn f(a: Int) = a\nlet x = f(1, 2)", "E0211 `f` takes 1 argument, not 2"},
    {"fn f(a: Int) = a\nlet x = f(1, a: 2)", "E0211 `a` of `f` is given twice"},
    {"fn f(width: Int) = width\nlet x = f(widht: 1)", "E0209 `f` has no parameter `widht`"},
    {"fn f(l: List[Real]) = sum(l)\nlet x = f([1, 2])", "3.0"},
    {"fn f(a: Int) -> Time = a\nlet x = f(1)",
     "E0221 the result of `f` is an Int, not a time (seconds)"},
    {"let x = y\nlet y = 3", "3"}, {"let x = 3(4)", "E0212 this is an Int and cannot be called"},
    {"let x = nmae\nlet name = 1", "E0201 `nmae` is not in scope"},
    {"let x = y + 1\nlet y = x", "E0207 `x` is defined through itself"});
}

/* No pattern is longer than its label, which is what there is room for. */
Test(eval, patterns_of_labels)
{
  ts_arena *arena = ts_arena_new("test");
  cr_expect_str_eq(ts_label_pattern(arena, "layer[13].mlp[0].up"), "layer[*].mlp[*].up");
  cr_expect_str_eq(ts_label_pattern(arena, "a[1]"), "a[*]");
  cr_expect_str_eq(ts_label_pattern(arena, "layer[*].mlp[*].up"), "layer[*].mlp[*].up");
  ts_arena_free(arena);
}

Test(eval, an_error_reported_once_counts_its_repetitions)
{
  ts_desk desk = ts_desk_open();
  ts_desk_value(&desk, "fn f(a: Int) = a / 2\nlet x = [f(1), f(3), f(5)]");
  cr_expect_str_eq(ts_desk_errors(&desk), "E0223 1 / 2 is not a whole number");
  cr_expect_eq(desk.s->diags->all.at[0]->more, 2);
  ts_desk_close(&desk);
}

Test(eval, endless_work_is_refused)
{
  ts_desk desk = ts_desk_open();
  ts_desk_value(&desk, "let x = [1 for i in 0..2000000]");
  cr_expect_str_eq(ts_desk_errors(&desk), "E0226 a list of more than 1,048,576 elements");
  ts_desk_close(&desk);
}
