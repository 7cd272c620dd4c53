/* Diagnostics as text and as JSON. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

static const char plan[] = "plan p {\n"
                           "  model = gpt(layers: 96, heads: 40)\n"
                           "\n"
                           "  // nothing\n"
                           "  mesh  = { tp: 16, dp: 4 }\n"
                           "\tcosts = [\"\xc3\xa9\xe4\xb8\xad\", \x01, x]\n"
                           "}\n";

typedef struct fixture {
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  uint32_t file;
} fixture;

static fixture start(const char *text)
{
  fixture f = {.arena = ts_arena_new("test")};
  f.sources = ts_sources_new(f.arena);
  f.file = ts_sources_add(f.sources, "plan.ts", "plan", text, strlen(text));
  f.diags = ts_diags_new(f.arena, f.sources);
  return f;
}

static ts_span find(const fixture *f, const char *word)
{
  const char *text = ts_sources_get(f->sources, f->file)->text, *at = strstr(text, word);
  cr_assert(at, "%s is not in the text", word);
  uint32_t begin = (uint32_t)(at - text);
  return (ts_span){f->file, begin, begin + (uint32_t)strlen(word)};
}

__attribute__((noinline)) /* inlined, GCC 12 takes the result for the address of `text` */
static char *printed(const fixture *f, ts_color color)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ts_diags_print(f->diags, out, color);
  fclose(out);
  return text;
}

static void expect(fixture f, const char *expected)
{
  char *text = printed(&f, TS_COLOR_NEVER);
  cr_expect(strcmp(text, expected) == 0, "expected\n%s\ngot\n%s", expected, text);
  free(text);
  ts_arena_free(f.arena);
}

Test(diag, spans_notes_and_help)
{
  fixture f = start(plan);
  ts_diag *d = ts_diag_add(f.diags, TS_E0304, find(&f, "tp: 16"),
                           "cannot split %d heads over %d ranks", 40, 16);
  ts_diag_here(d, "%d does not divide %d", 16, 40);
  ts_diag_label(d, find(&f, "heads: 40"), "%d heads", 40);
  ts_diag_note_at(d, find(&f, "layers: 96"), "a rule asks for this split");
  ts_diag_fact(d, "where", "rank 0");
  ts_diag_fact(d, "allowed", "1, 2, 4\nand 8");
  ts_diag_fact(d, "the cycle:", "\nF(0)\nB(0)");
  ts_diag_help(d, "try 8");
  ts_diag_more(d, 39);
  expect(f, "error[E0304]: cannot split 40 heads over 16 ranks\n"
            "  --> plan.ts:5:13\n"
            "   |\n"
            " 2 |   model = gpt(layers: 96, heads: 40)\n"
            "   |                           --------- 40 heads\n"
            "...\n"
            " 5 |   mesh  = { tp: 16, dp: 4 }\n"
            "   |             ^^^^^^ 16 does not divide 40\n"
            "   |\n"
            "note: a rule asks for this split\n"
            "  --> plan.ts:2:15\n"
            "   |\n"
            " 2 |   model = gpt(layers: 96, heads: 40)\n"
            "   |               ^^^^^^^^^^\n"
            "   |\n"
            "   = where    rank 0\n"
            "   = allowed  1, 2, 4\n"
            "              and 8\n"
            "   = the cycle:\n"
            "       F(0)\n"
            "       B(0)\n"
            "   = help: try 8\n"
            "   = and 39 more like it\n");
}

Test(diag, several_labels_on_one_line)
{
  fixture f = start(plan);
  ts_diag *d = ts_diag_add(f.diags, TS_E0304, find(&f, "layers"), "three");
  ts_diag_here(d, "primary");
  ts_diag_label(d, find(&f, "model"), "left");
  ts_diag_label(d, find(&f, "heads"), "right");
  expect(f, "error[E0304]: three\n"
            "  --> plan.ts:2:15\n"
            "   |\n"
            " 2 |   model = gpt(layers: 96, heads: 40)\n"
            "   |   -----       ^^^^^^      ----- right\n"
            "   |   |           |\n"
            "   |   |           primary\n"
            "   |   left\n");
}

Test(diag, edits)
{
  fixture f = start(plan);
  ts_diag *d = ts_diag_add(f.diags, TS_E0201, find(&f, "gpt"), "edits");
  ts_diag_edit(d, find(&f, "gpt"), "gpt2", "insert");
  ts_diag_edit(d, find(&f, ", heads: 40"), "", "remove");
  ts_diag_edit(d, find(&f, "gpt"), "gt", "shorten");
  ts_diag_edit(d, find(&f, "gpt"), "llama", "replace");
  ts_diag_edit(d, find(&f, "mesh  "), "place = f\n  mesh  ", "a line before");
  expect(f, "error[E0201]: edits\n"
            "  --> plan.ts:2:11\n"
            "   |\n"
            " 2 |   model = gpt(layers: 96, heads: 40)\n"
            "   |           ^^^\n"
            "   |\n"
            "help: insert\n"
            "   |\n"
            " 2 |   model = gpt2(layers: 96, heads: 40)\n"
            "   |              +\n"
            "help: remove\n"
            "   |\n"
            " 2 |   model = gpt(layers: 96, heads: 40)\n"
            "   |                         -----------\n"
            "help: shorten\n"
            "   |\n"
            " 2 |   model = gt(layers: 96, heads: 40)\n"
            "   |           ~~\n"
            "help: replace\n"
            "   |\n"
            " 2 |   model = llama(layers: 96, heads: 40)\n"
            "   |           ~~~~~\n"
            "help: a line before\n"
            "   |\n"
            " 5 |   place = f\n"
            "   |   +++++++++\n"
            " 6 |   mesh  = { tp: 16, dp: 4 }\n"
            "   | ++\n");
}

Test(diag, tabs_wide_and_control_characters)
{
  fixture f = start(plan);
  ts_diag_here(ts_diag_add(f.diags, TS_E0201, find(&f, "x]"), "after all that"), "here");
  expect(f, "error[E0201]: after all that\n"
            "  --> plan.ts:6:20\n"
            "   |\n"
            " 6 |     costs = [\"\xc3\xa9\xe4\xb8\xad\", \\x01, x]\n"
            "   |                           ^^ here\n");
}

Test(diag, span_over_lines_and_at_the_end)
{
  fixture f = start(plan);
  ts_span whole = {f.file, 0, (uint32_t)strlen(plan)};
  ts_diag_here(ts_diag_add(f.diags, TS_E0303, whole, "all of it"), "this plan");
  ts_span two = {f.file, find(&f, "{ tp").begin, find(&f, "x]").end};
  ts_diag_here(ts_diag_add(f.diags, TS_E0301, two, "two lines"), "these");
  ts_diag_add(f.diags, TS_E0104, (ts_span){f.file, whole.end, whole.end}, "unclosed");
  expect(f, "error[E0303]: all of it\n"
            "  --> plan.ts:1:1\n"
            "   |\n"
            " 1 | plan p {\n"
            "   | ^^^^^^^^ this plan\n"
            "\n"
            "error[E0301]: two lines\n"
            "  --> plan.ts:5:11\n"
            "   |\n"
            " 5 |   mesh  = { tp: 16, dp: 4 }\n"
            "   |           ^^^^^^^^^^^^^^^^^\n"
            " 6 |     costs = [\"\xc3\xa9\xe4\xb8\xad\", \\x01, x]\n"
            "   |     ^^^^^^^^^^^^^^^^^^^^^^^^ these\n"
            "\n"
            "error[E0104]: unclosed\n"
            "  --> plan.ts:7:2\n"
            "   |\n"
            " 7 | }\n"
            "   |  ^\n"
            "\n"
            "3 errors\n");
}

Test(diag, wide_lines_are_cut)
{
  static char text[400];
  memset(text, 'a', sizeof text);
  text[300] = '*';
  text[sizeof text - 1] = '\0';
  fixture f = start(text);
  ts_diag_here(ts_diag_add(f.diags, TS_E0101, find(&f, "*"), "far right"), "here");
  char *shown = printed(&f, TS_COLOR_NEVER);
  cr_expect(strstr(shown, "\n 1 | ...aaa"));
  cr_expect(strstr(shown, "aaa...\n"));
  const char *line = strstr(shown, " 1 |"), *below = strchr(line, '\n') + 1;
  cr_expect_eq(strchr(line, '*') - line, strchr(below, '^') - below);
  free(shown);
  ts_arena_free(f.arena);
}

Test(diag, without_a_place)
{
  fixture f = start(plan);
  ts_diag_help(ts_diag_add(f.diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`", "a\033[31mb"),
               "look");
  expect(f, "error[E0701]: cannot read `a\\x1b[31mb`\n"
            "   = help: look\n");
}

Test(diag, tags_for_colour)
{
  fixture f = start("a b\n");
  ts_diag *d = ts_diag_add(f.diags, TS_E0201, find(&f, "b"), "no b");
  ts_diag_label(d, find(&f, "a"), "but a");
  char *text = printed(&f, TS_COLOR_TAGS);
  cr_expect_str_eq(text, "<error>error[E0201]</error><headline>: no b</headline>\n"
                         "  <gutter>--></gutter> plan.ts:1:3\n"
                         "<gutter>   |</gutter>\n"
                         "<gutter> 1 |</gutter> a b\n"
                         "<gutter>   |</gutter> <secondary>-</secondary> <primary>^</primary>\n"
                         "<gutter>   |</gutter> <secondary>|</secondary>\n"
                         "<gutter>   |</gutter> <secondary>but a</secondary>\n");
  free(text);
  ts_arena_free(f.arena);
}

Test(diag, at_most_twenty_in_source_order)
{
  fixture f = start(plan);
  for (unsigned i = 0; i < 23; i++)
    ts_diag_add(f.diags, TS_E0201, (ts_span){f.file, 30 - i, 31 - i}, "error %u", i);
  char *text = printed(&f, TS_COLOR_NEVER);
  cr_expect(strncmp(text, "error[E0201]: error 22\n", 23) == 0);
  cr_expect(!strstr(text, "error 2\n"));
  cr_expect(strstr(text, "\n23 errors, 3 of them not shown\n"));
  free(text);
  ts_arena_free(f.arena);
}

Test(diag, warnings_can_be_switched_and_promoted)
{
  fixture f = start(plan);
  cr_expect(ts_diags_warning_option(f.diags, "no-unused-name"));
  cr_expect(!ts_diags_warning_option(f.diags, "no-such-thing"));
  ts_diag_add(f.diags, TS_W0201, find(&f, "gpt"), "unused");
  cr_expect_eq(ts_diags_warnings(f.diags), 0);
  cr_expect(ts_diags_warning_option(f.diags, "unused-name"));
  cr_expect(ts_diags_warning_option(f.diags, "error"));
  ts_diag_add(f.diags, TS_W0201, find(&f, "gpt"), "unused");
  cr_expect_eq(ts_diags_errors(f.diags), 1);
  ts_arena_free(f.arena);
}

Test(diag, json)
{
  fixture f = start("a b\n");
  ts_diag *d = ts_diag_add(f.diags, TS_E0201, find(&f, "b"), "no \"b\"");
  ts_diag_here(d, "this");
  ts_diag_edit(d, find(&f, "b"), "c", "try");
  ts_diag_value(d, "n", "3");
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ts_diags_print_json(f.diags, out);
  fclose(out);
  cr_expect_str_eq(
    text, "{\"type\":\"diagnostic\",\"format\":1,\"severity\":\"error\",\"code\":\"E0201\","
          "\"name\":\"unknown-name\",\"message\":\"no \\\"b\\\"\","
          "\"spans\":[{\"file\":\"plan.ts\",\"byte_start\":2,\"byte_end\":3,\"line\":1,\"column\":"
          "3,\"end_line\":1,\"end_column\":4,"
          "\"primary\":true,\"label\":\"this\"}],\"values\":[{\"name\":\"n\",\"value\":\"3\"}],"
          "\"children\":[{\"severity\":\"help\",\"message\":\"try\",\"spans\":[],\"edits\":[{"
          "\"file\":\"plan.ts\",\"byte_start\":2,"
          "\"byte_end\":3,\"line\":1,\"column\":3,\"end_line\":1,\"end_column\":4,\"replacement\":"
          "\"c\",\"applicability\":\"guess\"}]}],"
          "\"more\":0,\"rendered\":\"error[E0201]: no \\\"b\\\"\\n  --> plan.ts:1:3\\n   |\\n 1 | "
          "a b\\n   |   ^ this\\n   |\\n"
          "   = note: `n` is 3\\nhelp: try\\n   |\\n 1 | a c\\n   |   ~\\n\"}\n"
          "{\"type\":\"summary\",\"errors\":1,\"warnings\":0}\n");
  free(text);
  ts_arena_free(f.arena);
}

static void expect_suggestions(const char *found, const char *first, size_t count)
{
  static const char *const names[] = {"attn.core", "attn.qkv", "Layers",
                                      "layers",    "heads",    "hidden"};
  const char *best[3];
  size_t got = ts_suggest(found, names, sizeof names / sizeof *names, best);
  cr_expect_eq(got, count, "%s: %zu", found, got);
  if (got)
    cr_expect_str_eq(best[0], first);
}

Test(suggest, nearest_first)
{
  expect_suggestions("attn.cor", "attn.core", 2);
  expect_suggestions("layesr", "layers", 2); /* neighbours exchanged: one edit */
  expect_suggestions("LAYERS", "Layers", 2);
  expect_suggestions("zzzz", NULL, 0);
}

unsigned ts_edit_distance(const char *a, const char *b);

Test(suggest, known_distances)
{
  cr_expect_eq(ts_edit_distance("", "abc"), 3);
  cr_expect_eq(ts_edit_distance("kitten", "sitting"), 3);
  cr_expect_eq(ts_edit_distance("ab", "ba"), 1);
  /* optimal string alignment: no edit inside an exchange */
  cr_expect_eq(ts_edit_distance("ca", "abc"), 3);
}

/* The other queue is gone when the copy is printed; texts of one file are there once. */
Test(diag, a_copy_stands_by_itself)
{
  fixture to = start("let a = 1\n");
  for (int times = 0; times < 2; times++) {
    fixture from = start(plan);
    ts_sources_add(from.sources, "other.ts", "import", "axis\n", 5);
    ts_diag *d = ts_diag_add(from.diags, TS_E0304, find(&from, "tp: 16"), "the %dth", times);
    ts_diag_here(d, "here");
    ts_diag_label(d, find(&from, "heads: 40"), "heads");
    ts_diag_note_at(d, (ts_span){2, 0, 4}, "elsewhere");
    ts_diag_fact(d, "where", "rank 0");
    ts_diag_edit(d, find(&from, "16"), "8", "try 8");
    ts_diag_more(d, 2);
    char *expected = printed(&from, TS_COLOR_NEVER);
    ts_diags_copy(to.diags, to.sources, from.diags);
    memset((char *)(uintptr_t)ts_sources_get(from.sources, 1)->text, 'x', 20);
    ts_arena_free(from.arena);
    char *got = printed(&to, TS_COLOR_NEVER);
    cr_expect(times || strcmp(got, expected) == 0, "expected\n%s\ngot\n%s", expected, got);
    free(expected);
    free(got);
  }
  cr_expect_eq(ts_diags_errors(to.diags), 2);
  cr_expect_eq(ts_sources_count(to.sources), 3);
  ts_arena_free(to.arena);
}
