/* JSON of others: what would come out as another string is refused, at its place. */
#include "base/json_tree.h"

#include <string.h>

#include <criterion/criterion.h>

/* -1: it is read; else where it is refused. */
static long refused_at(const char *text, size_t size)
{
  const char *end = NULL;
  cJSON *root = ts_json_tree(text, size, &end);
  long at = root ? -1 : (long)(end - text);
  cJSON_Delete(root);
  return at;
}

#define REFUSED_AT(text) refused_at(text, sizeof text - 1)

Test(json_tree, a_string_that_would_be_cut)
{
  cr_assert_eq(REFUSED_AT("{\"a\": \"b\"}"), -1);
  cr_assert_eq(REFUSED_AT("{\"a\": \"b\0c\"}"), 8);
  cr_assert_eq(REFUSED_AT("{\"a\": \"b\\u0000c\"}"), 8);
  cr_assert_eq(REFUSED_AT("{\"a\\u0000x\": 1}"), 3);
  cr_assert_eq(REFUSED_AT("[\"\\\\\\u0000\"]"), 4);
  cr_assert_eq(REFUSED_AT("[\"\\\\u0000\"]"), -1); /* a backslash, and digits */
  cr_assert_eq(REFUSED_AT("[\"\\u0001\"]"), -1);
  cr_assert_eq(REFUSED_AT("[\"\xff\"]"), 2);
  cr_assert_geq(REFUSED_AT("[\"\\"), 0);
  cr_assert_geq(REFUSED_AT(""), 0);
  cr_assert_eq(REFUSED_AT(" {} \r\n\t"), -1);
  cr_assert_eq(REFUSED_AT("{}\na,b"), 3); /* two files in one */
}
