/* CSV: quotes, ends of lines, comments, and what is none. */
#include "base/csv.h"

#include <string.h>

#include <criterion/criterion.h>

enum { ROOM = 4 };

/* Rows as `[cell|cell]`, comments as `{...}`, each behind its line; `!` behind a row that is wrong.
 * */
static const char *shown(ts_arena *arena, const char *text, bool trim)
{
  ts_csv c = {.arena = arena, .text = text, .size = strlen(text), .comment = '#', .trim = trim};
  ts_csv_cell cell[ROOM];
  size_t count;
  const char *all = "";
  for (ts_csv_kind kind; (kind = ts_csv_next(&c, cell, ROOM, &count)) != TS_CSV_END;) {
    all = ts_arena_printf(arena, "%s%u%s", all, c.line, kind == TS_CSV_ROW ? "[" : "{");
    if (kind == TS_CSV_COMMENT)
      all = ts_arena_printf(arena, "%s%.*s", all, (int)(c.end - c.begin), text + c.begin);
    for (size_t i = 0; i < count && i < ROOM; i++)
      all = ts_arena_printf(arena, "%s%s%s", all, i ? "|" : "", ts_csv_string(arena, cell[i]));
    all = ts_arena_printf(arena, "%s%s%s", all, kind == TS_CSV_ROW ? "]" : "}", c.wrong ? "!" : "");
  }
  return ts_arena_printf(arena, "%s%u", all, c.line);
}

Test(csv, rows_and_what_is_between_them)
{
  ts_arena *arena = ts_arena_new("test");
  cr_expect_str_eq(shown(arena, "", false), "0");
  cr_expect_str_eq(shown(arena, "a", false), "1[a]1");
  cr_expect_str_eq(shown(arena, "a,b\n1,\n,\n", false), "1[a|b]2[1|]3[|]3");
  cr_expect_str_eq(shown(arena, "\xef\xbb\xbf" "a,b\r\n\r\n\n1,2\r\n", false), "1[a|b]4[1|2]4");
  cr_expect_str_eq(shown(arena, "# x, y\r\na\n#\n", false), "1{# x, y}2[a]3{#}3");
  cr_expect_str_eq(shown(arena, " a , b\t\n  \n # c\n", true), "1[a|b]3{# c}3");
  cr_expect_str_eq(shown(arena, " a , b\t\n  \n # c\n", false), "1[ a | b\t]2[  ]3[ # c]3");
  cr_expect_str_eq(shown(arena, "a\rb,c\r", false), "1[a\rb|c]1");
  ts_arena_free(arena);
}

Test(csv, quotes)
{
  ts_arena *arena = ts_arena_new("test");
  cr_expect_str_eq(shown(arena, "\"a,b\",\"\"\n\"say \"\"so\"\"\",c\r\n", false),
                   "1[a,b|]2[say \"so\"|c]2");
  cr_expect_str_eq(shown(arena, "\"two\nlines\",1\nx\n", false), "1[two\nlines|1]3[x]3");
  cr_expect_str_eq(shown(arena, " \"a\" ,\"b\"\r\n", true), "1[a|b]1");
  cr_expect_str_eq(shown(arena, "5\"x,\"#\"\n", false), "1[5\"x|#]1");
  cr_expect_str_eq(shown(arena, "\"a\"b,c\nd\n", false), "1[a|c]!2[d]2");
  cr_expect_str_eq(shown(arena, "a,\"b\nc\n", false), "1[a|b\nc\n]!3");
  cr_expect_str_eq(shown(arena, "\"", false), "1[]!1");
  ts_arena_free(arena);
}

Test(csv, bytes_of_0_are_wrong)
{
  ts_csv c = {.text = "a,b\nc,\0d\n", .size = 9};
  ts_csv_cell cell[ROOM];
  size_t count;
  cr_expect_eq(ts_csv_next(&c, cell, ROOM, &count), TS_CSV_ROW);
  cr_expect_null(c.wrong);
  cr_expect_eq(ts_csv_next(&c, cell, ROOM, &count), TS_CSV_ROW);
  cr_expect(c.wrong && c.wrong_at == 6);
}

Test(csv, cells_beyond_the_room_are_counted)
{
  ts_csv c = {.text = "a,b,c\nd", .size = 7};
  ts_csv_cell cell[2] = {{0}};
  size_t count;
  cr_expect_eq(ts_csv_next(&c, cell, 2, &count), TS_CSV_ROW);
  cr_expect_eq(count, 3u);
  cr_expect(ts_csv_is(cell[1], "b") && cell[1].begin == 2 && cell[1].end == 3);
  ts_csv again = c;
  cr_expect_eq(ts_csv_next(&c, NULL, 0, &count), TS_CSV_ROW);
  cr_expect_eq(ts_csv_next(&again, cell, 2, &count), TS_CSV_ROW);
  cr_expect(ts_csv_is(cell[0], "d"));
  cr_expect_eq(ts_csv_next(&c, NULL, 0, &count), TS_CSV_END);
}
