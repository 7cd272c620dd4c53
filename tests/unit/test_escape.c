/* What strangers' names become in each place where text goes. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"

static const char hostile[] =
  "=<script>'\"\\&\x1b[31m\a\n\t\xff\xe2\x80\xae\xc2\x9b\xc3\xa9"; /* ..., U+202E, U+009B, e with an acute accent */

typedef int printer(FILE *out, const char *format, ...);

static char *printed(printer *put, const char *format, const char *text)
{
  char *bytes = NULL;
  size_t size;
  FILE *out = open_memstream(&bytes, &size);
  put(out, format, text);
  fclose(out);
  return bytes;
}

static void is(printer *put, const char *format, const char *text, const char *expected)
{
  char *bytes = printed(put, format, text);
  cr_expect_str_eq(bytes, expected, "%s, not %s", bytes, expected);
  free(bytes);
}

Test(escape, each_sink)
{
  is(ts_put_text, "%s", hostile,
     "=<script>'\"\\&\\x1b[31m\\x07\\x0a    \\xff\\u202e\\u009b\xc3\xa9");
  is(ts_put_xml, "<b>%s</b>", hostile,
     "<b>=&lt;script&gt;'&quot;\\&amp;\\x1b[31m\\x07\\x0a    \\xff\\u202e\\u009b\xc3\xa9</b>");
  is(ts_put_code, "| %s |", "=<b>@x|`y`\n", "| `=<b>@x\\|'y'\\x0a` |");
  is(ts_put_code, "| %s |", "\\\\|@x\\", "| `\\\\\\x7c@x\\` |"); /* a bar that a backslash would free */
  is(ts_put_code, "| %s |", "", "| ` ` |");
  is(ts_put_dot, "\"%s\"", hostile,
     "\"=<script>'\\\"\\\\&\\\\x1b[31m\\\\x07\\\\x0a    \\\\xff\\\\u202e\\\\u009b\xc3\xa9\"");
  is(ts_put_script, "\"%s\"", hostile,
     "\"=\\u003cscript\\u003e'\\\"\\\\\\u0026\\\\x1b[31m\\\\x07\\\\x0a    \\\\xff\\\\u202e\\\\u009b\xc3\xa9\"");
  is(ts_put_csv, "%s,", hostile,
     "\"'=<script>'\"\"\\&\\x1b[31m\\x07\\x0a    \\xff\\u202e\\u009b\xc3\xa9\",");
  is(ts_put_json, "\"%s\"", hostile,
     "\"=<script>'\\\"\\\\&\\u001b[31m\\u0007\\n\\u0009\\ufffd\\u202e\\u009b\xc3\xa9\"");
}

Test(escape, spreadsheets_compute_nothing)
{
  static const char *const formulas[] = {
    "=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "--1", "-"};
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
    char *field = printed(ts_put_csv, "%s", formulas[i]);
    cr_expect(strncmp(field, "\"'", 2) == 0, "%s", field);
    free(field);
  }
  is(ts_put_csv, "%s", "-5", "-5");
  is(ts_put_csv, "%s", "+1e-3", "+1e-3");
  is(ts_put_csv, "%s", "a=b", "a=b");
  is(ts_put_csv, "%s", "a, b", "\"a, b\"");
}

Test(escape, numbers_are_printed_as_by_printf)
{
  char *bytes = NULL, expected[400];
  size_t size;
  FILE *out = open_memstream(&bytes, &size);
#define ARGUMENTS                                                                                  \
  "%d|%5d|%-5d|%05d|%+d|%u|%4u|%03u|%lu|%llu|%zu|%lld|%x|%#x|%c|%%|%g|%.3f|%8.2f|%-8.2e|%*d|%.*f|" \
  "%+.0f|%.17g|%" PRIu64 "|%" PRId64,                                                              \
    -7, -7, 7, 7, 7, 0u, 12u, 5u, 123456789ul, ~0ull, (size_t)99, -1ll, 255u, 255u, 'c', 1e-9,     \
    3.14159, 2.5, 1234.5, 6, 42, 2, 1.005, 0.5, 0.1, UINT64_MAX, INT64_MIN
  int columns = ts_put_text(out, ARGUMENTS);
  fclose(out);
  cr_expect_eq(columns, snprintf(expected, sizeof expected, ARGUMENTS));
  cr_expect_str_eq(bytes, expected);
  free(bytes);
}

Test(escape, widths_are_columns_and_precisions_bytes)
{
  is(ts_put_text, "[%6s]", "\xc3\xa9t\xc3\xa9", "[   \xc3\xa9t\xc3\xa9]");
  /* two columns each */
  is(ts_put_text, "[%-6s]", "\xe6\x97\xa5\xe6\x9c\xac", "[\xe6\x97\xa5\xe6\x9c\xac  ]");
  is(ts_put_text, "[%-6s]", "\a", "[\\x07  ]");
  is(ts_put_text, "[%.2s]", "abc", "[ab]");
  is(ts_put_text, "[%2s]", "abc", "[abc]");
}

/* Random bytes: what is printed is UTF-8 without a character that steers, and JSON reads back. */
Test(escape, random_bytes)
{
  static printer *const sinks[] = {ts_put_text, ts_put_xml,  ts_put_code,
                                   ts_put_dot,  ts_put_csv, ts_put_json};
  srand(7);
  for (int i = 0; i < 20000; i++) {
    char text[24] = {0}, length = (char)(rand() % 20);
    for (char k = 0; k < length; k++)
      text[(int)k] = (char)(rand() % 3 ? rand() % 255 + 1 : "\"<&\\\n\x1b\xc2\xe2\x80"[rand() % 9]);
    for (size_t s = 0; s < 5; s++) {
      char *bytes = printed(sinks[s], "%s", text);
      uint32_t c = 'x';
      for (size_t at = 0, used; bytes[at]; at += used)
        cr_assert((used = ts_utf8_decode(bytes + at, strlen(bytes + at), &c)) && !ts_char_steers(c),
                  "case %d, sink %zu: %s", i, s, bytes);
      free(bytes);
    }
    char *json = printed(ts_put_json, "[\"%s\"]", text);
    cJSON *read = cJSON_Parse(json);
    cr_assert(read, "case %d: %s", i, json);
    cJSON_Delete(read);
    free(json);
  }
}

Test(escape, json_of_a_library_keeps_its_form)
{
  char *bytes = NULL;
  size_t size;
  FILE *out = open_memstream(&bytes, &size);
  ts_put_json_made(out, "{\n\t\"a\\n\x7f\xff\":\t\"\xe2\x80\xae\xc3\xa9\"\n}");
  fclose(out);
  cr_expect_str_eq(bytes, "{\n\t\"a\\n\\u007f\\ufffd\":\t\"\\u202e\xc3\xa9\"\n}");
  free(bytes);
}

Test(escape, utf8_both_ways)
{
  static const char *const none[] = {"\xc0\xaf",     "\xe0\x9f\xbf",     "\xf0\x8f\xbf\xbf",
                                     "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80",
                                     "\x80",         "\xe2\x82",         "\xe2\x82x"};
  char bytes[4];
  for (uint32_t c = 0, found = 0; c <= 0x10ffff; c++) {
    size_t length = ts_utf8_encode(c, bytes), back = ts_utf8_decode(bytes, length, &found);
    if (c >= 0xd800 && c < 0xe000)
      cr_assert_eq(back, 0u);
    else
      cr_assert(back == length && found == c, "U+%04X", (unsigned)c);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    char text[8];
    snprintf(text, sizeof text, "a\xc3\xa9%s", none[i]);
    cr_expect_eq(ts_utf8_valid(text, strlen(text)), 3u, "%zu", i);
  }
  cr_expect_eq(ts_utf8_valid("", 0), 0u);
  cr_expect_eq(ts_utf8_valid("a\xc3\xa9", 3), 3u);
  cr_expect_eq(ts_utf8_valid("a\xc3\xa9", 2), 1u);
}
