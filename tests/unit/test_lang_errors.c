/* Syntax errors: which, where, how many, and what is proposed. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/amount.h"
#include "tests/unit/lang_tree.h"

/* Every error as "line:column CODE message", with "~ text" for an edit. */
static void expect_errors(const char *text, const char *wanted)
{
  lang_fixture f = lang_start();
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, strlen(text)));
  cr_assert(tree && tree->kind == TS_AST_FILE);
  size_t count, size;
  ts_diag **all = ts_diags_sorted(f.diags, f.arena, &count);
  char *got = NULL;
  FILE *out = open_memstream(&got, &size);
  for (size_t i = 0; i < count; i++) {
    ts_position at = ts_sources_position(f.sources, 1, all[i]->primary.begin);
    fprintf(out, "%s%u:%u %s %s", i ? "\n" : "", at.line, at.column, ts_code_name(all[i]->code),
            all[i]->message);
    for (size_t c = 0; c < all[i]->children.count; c++) {
      if (all[i]->children.at[c].kind == TS_CHILD_EDIT)
        fprintf(out, " ~ %s", all[i]->children.at[c].replacement);
    }
  }
  fclose(out);
  cr_expect_str_eq(got, wanted, "%s\ngives\n%s\nwanted\n%s", text, got, wanted);
  free(got);
  ts_arena_free(f.arena);
}

Test(lang_errors, expected_and_found)
{
  expect_errors("let a = [1 2]", "1:12 E0110 expected `,`, `]` or `for`, found `2` ~ ,");
  expect_errors("let a = 1 +", "1:12 E0110 expected an expression, found the end of the line");
  expect_errors("plan p {\n  model = x y\n}", "2:13 E0110 expected the end of the line, found `y`");
  expect_errors("let a = if b = 1 then 2 else 3", "1:14 E0110 expected `then`, found `=` ~ ==");
  expect_errors("let a = f(b = 1)", "1:13 E0110 expected `,`, `)` or `:`, found `=` ~ :");
  expect_errors("let a = 1 < b < 2", "1:15 E0110 expected the end of the line, found `<`");
  expect_errors("strategy s() { rule r { match x\n shard w over t } }",
                "2:8 E0110 expected `(`, found `w`");
}

Test(lang_errors, did_you_mean)
{
  expect_errors(
    "modle m() { }",
    "1:1 E0110 expected a declaration such as `plan`, `model` or `let`, found `modle` ~ model");
  expect_errors("op o() { ouput y: x }", "1:10 E0110 expected an item of an op such as `output`, "
                                         "`forward` or `let`, found `ouput` ~ output");
  expect_errors("model m() { repaet 3 as x { } }",
                "1:20 E0110 expected `=` or `as`, found `3` ~ repeat");
  expect_errors("strategy s() { rule r { match x\n split w ovr t } }",
                "2:10 E0110 expected `,`, `dim` or `over`, found `ovr` ~ over");
}

Test(lang_errors, units)
{
  expect_errors("let a = 80 GIB", "1:12 E0105 unknown unit `GIB` ~ GiB");
  expect_errors("let a = 400 Gbps", "1:13 E0105 unknown unit `Gbps` ~ Gb/s");
  expect_errors("let a = 3 GB/s + 1 GiBs/sec", "1:20 E0105 unknown unit `GiBs/sec` ~ GiB/s");
  expect_errors("let a = 989 TFLOPS", "1:13 E0105 unknown unit `TFLOPS` ~ TFLOP/s");
}

Test(lang_errors, names)
{
  expect_errors("let if = 3", "1:5 E0113 `if` is a keyword and cannot be a name ~ if_");
  expect_errors("fn f(in_: Int, for: Int) = 1", "");
}

Test(lang_errors, one_error_a_mistake)
{
  expect_errors("plan p {\n  a = )\n  b = 1 2\n  c = &\n  d = 3\n}\nlet = 1\nlet e = 2",
                "2:7 E0106 this `)` has no opening bracket\n"
                "3:9 E0110 expected the end of the line, found `2`\n"
                "4:7 E0101 unexpected character `&`\n"
                "7:5 E0110 expected a name, found `=`");
}

Test(lang_errors, recovery_keeps_the_rest)
{
  lang_fixture f = lang_start();
  const char *text =
    "op a() { saves }\nplan p {\n x = 1\n y = = 2\n z = 3\n}\nfoo bar { a { b } }\nlet e = 2";
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, strlen(text)));
  cr_expect_eq(ts_diags_errors(f.diags), 3);
  cr_assert_eq(tree->count, 3);
  cr_expect_eq(tree->child[0]->kind, TS_AST_OP);
  cr_expect_eq(tree->child[1]->count, 3, "parameters, x and z");
  cr_expect_eq(tree->child[2]->kind, TS_AST_LET);
  ts_arena_free(f.arena);
}

Test(lang_errors, what_is_left_open_ends_at_the_next_statement)
{
  expect_errors("let a =\nplan p { b = 1 }\nlet c = 1 2",
                "1:8 E0110 expected an expression, found the end of the line\n"
                "3:11 E0110 expected the end of the line, found `2`");
  expect_errors("plan p {\n  a = 1 +\n  b = 2\n}",
                "2:10 E0110 expected an expression, found the end of the line");
}

Test(lang_errors, brackets)
{
  expect_errors("plan p {\n  a = f(1, g(2)\n  b = 3\n}",
                "3:3 E0104 expected `)` to close the `(` of `f`, found `b` ~ )");
  expect_errors("plan p {\n  mesh = { tp, dp\n  apply = [a]\n}",
                "3:3 E0104 expected `}` to close the `{` of `mesh`, found `apply` ~  }");
  expect_errors("plan p {\n  a = 1\n", "1:8 E0104 the `{` of `p` is never closed ~ \n}");
  expect_errors("schedule s() {\n  at 0 {\n    F(1)\n}\nlet a = 1",
                "4:1 E0104 expected `}` to close the `{`, found `}`");
  expect_errors("plan p {\n  a = 1\nlet b = 2\nlet c = 3",
                "3:1 E0104 expected `}` to close the `{` of `p`, found `let`");
  expect_errors("plan p {\n  mesh = { tp: 2 ]\n  a = 1\n}",
                "2:18 E0106 expected `}` to close the `{`, found `]` ~ }");
  expect_errors("schedule s() { at 0 { F(i)) } }", "1:27 E0106 this `)` has no opening bracket");
  expect_errors("let a = 1)", "1:10 E0106 this `)` has no opening bracket");
}

Test(lang_errors, text)
{
  expect_errors("let a = \"abc", "1:9 E0102 string is not closed on its line");
  expect_errors("let a = \"a\\qb\"", "1:11 E0109 unknown escape in a string");
  expect_errors("let a = 99999999999999999999",
                "1:9 E0107 integer `99999999999999999999` does not fit into 64 bits");
  expect_errors("let a = 1e999", "1:9 E0107 number `1e999` is too large");
  expect_errors("let a = b && c", "1:11 E0101 unexpected character `&&` ~ and");
  expect_errors("# note\nlet a = 1", "1:1 E0112 comments begin with `//`, not `#` ~ //");
  expect_errors("/* note */ let a = 1", "1:1 E0112 comments begin with `//`, not `/*`");
  expect_errors("let a = \xff", "1:9 E0103 the file is not UTF-8 text: byte 0xFF at offset 8");
  expect_errors("\xef\xbb\xbflet a = 1\r\nlet b = 2\r\n", "");
}

Test(lang_errors, nul)
{
  lang_fixture f = lang_start();
  ts_parse_file(f.lang, lang_source(&f, "let a\0 = 1", 10));
  cr_expect_eq(ts_diags_errors(f.diags), 1);
  ts_arena_free(f.arena);
}

Test(lang_errors, other_language)
{
  expect_errors("import { a } from 'b';\nconst x: number = 1;\n",
                "1:8 E0111 this looks like TypeScript; this `tsc` is TrainSpec's compiler\n"
                "1:19 E0101 strings are written with `\"`, not `'` ~ \"b\"");
  expect_errors("const x: number = 1;\nfunction f() { return 1; }",
                "1:1 E0111 this looks like TypeScript; this `tsc` is TrainSpec's compiler");
}

static void expect_too_deep(const char *open, const char *middle, const char *close, int times)
{
  lang_fixture f = lang_start();
  size_t size;
  char *text = NULL;
  FILE *out = open_memstream(&text, &size);
  fputs("let a = ", out);
  for (int i = 0; i < times; i++)
    fputs(open, out);
  fputs(middle, out);
  for (int i = 0; i < times; i++)
    fputs(close, out);
  fclose(out);
  ts_parse_file(f.lang, lang_source(&f, text, size));
  size_t count;
  ts_diag **all = ts_diags_sorted(f.diags, f.arena, &count);
  cr_assert_eq(count, 1, "%s: %zu errors", open, count);
  cr_expect_eq(all[0]->code, TS_E0108);
  free(text);
  ts_arena_free(f.arena);
}

Test(lang_errors, too_deep)
{
  expect_too_deep("(", "1", ")", 100000);
  expect_too_deep("[{ a: f(", "1", ") }]", 1000);
  expect_too_deep("-", "1", "", 100000);
  expect_too_deep("1 + ", "1", "", 100000);
  expect_too_deep("not ", "a", "", 5000);
  expect_too_deep("if a then b else ", "c", "", 5000);
}

/* Garbage is given up on in time. */
Test(lang_errors, garbage, .timeout = 10)
{
  static const char *const pieces[] = {"@\n", "(", "}\n", "x y z\n", "a = (\n", "\"\n", "{ [ )\n"};
  for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
    lang_fixture f = lang_start();
    size_t length = strlen(pieces[p]), times = amount(100000, 400000);
    char *text = malloc(length * times + 1);
    for (size_t i = 0; i < times; i++)
      memcpy(text + i * length, pieces[p], length + 1);
    ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, length * times));
    cr_expect(tree && ts_diags_errors(f.diags) > 0, "%s", pieces[p]);
    free(text);
    ts_arena_free(f.arena);
  }
}

/* Only where the grammar expects the new word; elsewhere old words are names. */
Test(lang_errors, words_of_earlier_versions)
{
  expect_errors("op o() { param w: [1]; output y: [part, match, by] }",
                "1:10 E0114 `param` is now written `weight` ~ weight");
  expect_errors("schedule rules() { stages p by cost; at 0 { overlap F(1) with B(0) B(1) } }",
                "1:29 E0114 `by cost` is now written `balanced` ~ balanced\n"
                "1:45 E0114 `overlap` is now written `pair` ~ pair");
  expect_errors("schedule s() { stages p by time }", "1:25 E0110 expected the end of the line, "
                                                     "`balanced` or `of`, found `by`");
  expect_errors("schedule s() { stages p by\n cost }",
                "1:25 E0110 expected the end of the line, `balanced` or `of`, found `by`\n"
                "2:2 E0110 expected an item of a schedule such as `stages`, `at` or `let`, "
                "found `cost`");
  expect_errors("plan part { place = patch(rules: by, overlap: param.rules) }",
                "1:13 E0114 `place` is now written `placement` ~ placement");
}
