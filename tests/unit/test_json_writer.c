/* The writer of JSON: commas, keys, escapes and line breaks. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/json_writer.h"

static char *written(bool spaced)
{
  char *text;
  size_t size;
  FILE *out = ts_heap_print(&text, &size);
  ts_json_writer writer = {.out = out, .spaced = spaced}, *w = &writer;
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "a\"b", "tab\there \xff");
  ts_json_begin(w, "none", '[');
  ts_json_end(w, ']');
  ts_json_begin(w, "list", '[');
  ts_json_put_count(w, NULL, UINT64_MAX);
  ts_json_put_signed(w, NULL, -1);
  ts_json_line(w, 2);
  ts_json_begin(w, NULL, '{');
  ts_json_put_null(w, "x");
  ts_json_end(w, '}');
  ts_json_last_line(w, 1);
  ts_json_end(w, ']');
  ts_json_line(w, 1);
  ts_json_put_bool(w, "b", false);
  ts_json_put_number(w, "n", "%.3g", 0.125);
  ts_json_put_thousandths(w, "a key of so many letters that it is long", 1234005);
  ts_json_put_thousandths(w, "t", 0);
  ts_json_put_count(w, "", 0);
  ts_json_end(w, '}');
  ts_heap_printed(out);
  return text;
}

Test(json_writer, spaced)
{
  char *text = written(true);
  cr_assert_str_eq(text, "{\"a\\\"b\": \"tab\\u0009here \\ufffd\", \"none\": [], "
                         "\"list\": [18446744073709551615, -1,\n  {\"x\": null}\n ],\n "
                         "\"b\": false, \"n\": 0.125, "
                         "\"a key of so many letters that it is long\": 1234.005, "
                         "\"t\": 0.000, \"\": 0}");
  free(text);
}

Test(json_writer, compact)
{
  char *text = written(false);
  cr_assert_str_eq(text, "{\"a\\\"b\":\"tab\\u0009here \\ufffd\",\"none\":[],"
                         "\"list\":[18446744073709551615,-1,\n  {\"x\":null}\n ],\n "
                         "\"b\":false,\"n\":0.125,"
                         "\"a key of so many letters that it is long\":1234.005,"
                         "\"t\":0.000,\"\":0}");
  free(text);
}
