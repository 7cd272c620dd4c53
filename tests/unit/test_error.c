/* The carrier of what is wrong with an input. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"

Test(error, the_first_one_stands)
{
  ts_error error = {0};
  cr_expect_not(ts_fail(&error, "help", "row %d", 3));
  cr_expect_not(ts_fail_at(&error, "a\nb", 2, 3, NULL, "row 4"));
  cr_expect_str_eq(error.message, "row 3");
  cr_expect_str_eq(error.help, "help");
  cr_expect_eq(error.line, 0u);
  cr_expect_not(ts_fail(NULL, NULL, "nobody asks"));
}

Test(error, places_count_lines_and_bytes)
{
  ts_error error = {0};
  ts_fail_at(&error, "a,b\nc,dd\n", 6, 8, NULL, "wrong");
  cr_expect_eq(error.line, 2u);
  cr_expect_eq(error.column, 3u);
  cr_expect_eq(error.begin, 6u);
  cr_expect_eq(error.end, 8u);
}

Test(error, only_whole_characters_are_kept)
{
  ts_error error = {0};
  ts_fail(&error, NULL, "`%.3s` \x1b\xff", "a\xe2\x82\xac");
  cr_expect_str_eq(error.message, "`a` ");
  char longer[1000];
  memset(longer, 'x', sizeof longer);
  error = (ts_error){0};
  ts_fail(&error, NULL, "%.999s", longer);
  cr_expect_eq(strlen(error.message), sizeof error.message - 1);
}

Test(error, words_name_the_line)
{
  ts_arena *arena = ts_arena_new("test");
  ts_error error = {.message = "no rows", .line = 7};
  cr_expect_str_eq(ts_error_words(arena, &error), "line 7: no rows");
  error.line = 0;
  cr_expect_str_eq(ts_error_words(arena, &error), "no rows");
  ts_arena_free(arena);
}
