/* The formatter keeps tree and comments, and formats for good: on every file of the language that
 * we ship, and on layouts of all kinds. */
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>

#include "tests/unit/lang_tree.h"

static void expect_format(const char *text, const char *wanted)
{
  lang_fixture f = lang_start();
  size_t size;
  const char *got = ts_format(f.lang, lang_source(&f, text, strlen(text)), &size);
  cr_assert(got, "%s has errors", text);
  cr_expect_str_eq(got, wanted, "%s\nis formatted\n%s\nwanted\n%s", text, got, wanted);
  const char *fault = lang_format_fault(text, strlen(text));
  cr_expect_null(fault, "%s: %s", text, fault);
  ts_arena_free(f.arena);
}

static int check_file(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
  (void)status, (void)walk;
  size_t length = strlen(path), size;
  int error;
  if (kind != FTW_F || length < 3 || strcmp(path + length - 3, ".ts") != 0)
    return 0;
  ts_arena *arena = ts_arena_new("test");
  char *text = ts_read_file(arena, path, &size, &error);
  cr_assert(text, "%s", path);
  const char *fault = lang_format_fault(text, size);
  cr_expect_null(fault, "%s: %s", path, fault);
  ts_arena_free(arena);
  return 0;
}

Test(lang_format, every_file_we_ship)
{
  const char *root = getenv("top_srcdir");
  static const char *const folders[] = {"stdlib", "examples", "tests"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", folders[i]);
    cr_assert_eq(nftw(path, check_file, 16, FTW_PHYS), 0, "%s", path);
  }
}

Test(lang_format, spaces)
{
  expect_format("let a=-  1+b*( c-2 )", "let a = -1 + b * (c - 2)\n");
  expect_format("let a = x [ 1 ] . y ( b :2,c )", "let a = x[1].y(b: 2, c)\n");
  expect_format("let a = 80GiB+3   GB/s+$2/h", "let a = 80 GiB + 3 GB/s + $2/h\n");
  expect_format("let a = [ x for x in 0 .. 3 if not x ]", "let a = [x for x in 0..3 if not x]\n");
  expect_format("let a = { b:1,c , }", "let a = { b: 1, c }\n");
  expect_format("", "");
}

Test(lang_format, separators)
{
  expect_format("let a = 1;let b = 2\n\n\n\nlet c = 3", "let a = 1\nlet b = 2\n\nlet c = 3\n");
  expect_format("gpu g { a = 1; b = 2 }", "gpu g { a = 1, b = 2 }\n");
  expect_format("gpu g {\n a = 1, b = 2,\n}", "gpu g {\n  a = 1\n  b = 2\n}\n");
  expect_format("schedule s() { at 0 { let x = 1; F(x) ; B(x) } }",
                "schedule s() { at 0 { let x = 1; F(x) B(x) } }\n");
  expect_format("strategy s() { rule r { match *; recompute } }",
                "strategy s() { rule r { match *; recompute } }\n");
  expect_format("gpu g {\n  ;\n\n}", "gpu g {}\n");
  expect_format("gpu g { ;\n\n  // none\n}", "gpu g {\n  // none\n}\n");
}

Test(lang_format, broken_by_the_author)
{
  expect_format("let a = [\n1,2]", "let a = [\n  1,\n  2,\n]\n");
  expect_format("let a = [1,\n2]", "let a = [1, 2]\n");
  expect_format("let a = [{\n b: 1 }]", "let a = [{\n  b: 1,\n}]\n");
}

Test(lang_format, too_long)
{
  expect_format("let a = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, "
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, "
                "cccccccccccccccccccccccccccccc)",
                "let a = f(\n  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,\n"
                "  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,\n  "
                "cccccccccccccccccccccccccccccc,\n)\n");
  expect_format("let a = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + "
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + "
                "cccccccccccccccccccccccccccccc",
                "let a =\n  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + "
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb +\n"
                "  cccccccccccccccccccccccccccccc\n");
}

Test(lang_format, comments)
{
  expect_format("// a\n\n\n// b\nlet c = 1   // d\n// e", "// a\n\n// b\nlet c = 1 // d\n// e\n");
  expect_format("let a = [1, // one\n // two\n 2]", "let a = [\n  1, // one\n  // two\n  2,\n]\n");
  expect_format("gpu g { // why\n\n // first\n a = 1 // x\n\n // last\n }",
                "gpu g { // why\n  // first\n  a = 1 // x\n\n  // last\n}\n");
  expect_format("let a = 1 + // one\n 2", "let a = 1 + 2 // one\n");
}

Test(lang_format, errors_are_left_alone)
{
  lang_fixture f = lang_start();
  size_t size;
  cr_expect_null(ts_format(f.lang, lang_source(&f, "let a =", 7), &size));
  ts_arena_free(f.arena);
}
