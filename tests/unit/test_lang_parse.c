/* The tree of every construct, spans, and what ends a statement. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>

#include "tests/unit/lang_tree.h"

/* The tree on one line: kind, name, flags and children; "-" for absent ones. */
static void show(FILE *out, const ts_ast *node)
{
  if (!node) {
    fputs("-", out);
    return;
  }
  if (node->kind == TS_AST_INT || node->kind == TS_AST_REAL || node->kind == TS_AST_QUANTITY ||
      node->kind == TS_AST_STRING)
    fprintf(out, "%s", node->literal);
  else if (node->kind == TS_AST_BOOL)
    fputs(node->u.truth ? "true" : "false", out);
  else if (node->kind == TS_AST_ID)
    fputs(node->name, out);
  else if (node->kind == TS_AST_BINARY || node->kind == TS_AST_UNARY)
    fputs((const char *[]){"neg", "not", "or", "and", "==", "!=", "<", "<=", ">", ">=", "..", "+",
                           "-", "*", "/", "%"}[node->u.op],
          out);
  else
    fprintf(out, "%s%s%s", ts_kind_name(node->kind), node->name ? " " : "",
            node->name ? node->name : "");
  if (node->flags)
    fprintf(out, "!%u", node->flags);
  for (uint32_t i = 0; i < node->count; i++) {
    fputs(i ? ", " : "(", out);
    show(out, node->child[i]);
  }
  if (node->count)
    fputs(")", out);
}

static void expect_tree(const char *text, const char *wanted)
{
  lang_fixture f = lang_start();
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, strlen(text)));
  char *shown = NULL;
  size_t size;
  FILE *out = open_memstream(&shown, &size);
  for (uint32_t i = 0; i < tree->count; i++) {
    if (i)
      fputs("; ", out);
    show(out, tree->child[i]);
  }
  fclose(out);
  cr_expect_eq(ts_diags_errors(f.diags), 0, "%s has errors", text);
  cr_expect_str_eq(shown, wanted, "%s\n  gives  %s\n  wanted %s", text, shown, wanted);
  free(shown);
  ts_arena_free(f.arena);
}

static void expect_expr(const char *text, const char *wanted)
{
  char *whole = malloc(strlen(text) + 16), *tree = malloc(strlen(wanted) + 16);
  sprintf(whole, "let v = %s", text);
  sprintf(tree, "let v(-, %s)", wanted);
  expect_tree(whole, tree);
  free(whole);
  free(tree);
}

Test(lang_parse, precedence)
{
  expect_expr("a or b and not c == d", "or(a, and(b, not(==(c, d))))");
  expect_expr("0..p - 1", "..(0, -(p, 1))");
  expect_expr("-a * b + c % d / e", "+(*(neg(a), b), /(%(c, d), e))");
  expect_expr("a - b - c", "-(-(a, b), c)");
}

Test(lang_parse, postfix)
{
  expect_expr("f(1, b: x.y)[2]", "index(call(f, argument(1), argument b(member y(x))), 2)");
  expect_expr("table \"x.csv\"", "call!1(table, argument(x.csv))");
  expect_expr("c with { link a[0, *] <-> b { bandwidth = 1 GB/s }, gpu[1] { memory = 2 } }",
              "with(c, link(reference a(0, *), reference b, field bandwidth(1 GB/s)), "
              "override(reference gpu(1), field memory(2)))");
}

Test(lang_parse, collections)
{
  expect_expr("[1, 2,]", "list(1, 2)");
  expect_expr("[]", "list");
  expect_expr("[x for x in a for y in b if x]", "comprehension(x, x, x, a, y, b)");
  expect_expr("{ a: 1, tp }", "record(field a(1), field tp!1(tp))");
  expect_expr("{}", "record");
  expect_expr("if a then 1 else if b then 2 else 3", "if(a, 1, if(b, 2, 3))");
}

Test(lang_parse, declarations)
{
  expect_tree("import std.a.b, \"c.ts\"", "import(path std.a.b, path c.ts!1)");
  expect_tree("param p: Int = 2", "param p(type Int(-), 2)");
  expect_tree("let p: List[Int] = 2", "let p(type List(type Int(-)), 2)");
  expect_tree("fn f(a: Int, b: Time = 1 s) -> Real = a",
              "fn f(parameters(parameter a(type Int(-), -), parameter b(type Time(-), 1 s)), type "
              "Real(-), a)");
  expect_tree("fn f() = 1", "fn f(parameters, -, 1)");
  expect_tree("extern fn f() -> Time from \"x.so\"",
              "extern fn f(parameters, type Time(-), x.so, -)");
  expect_tree("extern fn f() -> Time from \"x.so\" sha256 \"a1\"",
              "extern fn f(parameters, type Time(-), x.so, a1)");
  expect_tree("model m = trace(\"x\")", "model m(call(trace, argument(x)))");
  expect_tree("gpu g { a = 1, b = 2\n c = 3 }", "gpu g(-, field a(1), field b(2), field c(3))");
  expect_tree("gpu g source \"x\" { a = 1\n source \"y\"\n source = 2 }",
              "gpu g(x, field a(1, y), field source(2))");
  expect_tree("let a: Int = source\n source \"x\"", "let a(type Int(-), source, x)");
  expect_tree("record r { a: Int, b: List[r] = []\n c: Time }",
              "record r(parameter a(type Int(-), -), parameter b(type List(type r(-)), list), "
              "parameter c(type Time(-), -))");
  expect_tree("let record = { step: record.x }", "let record(-, record(field step(member x(record))))");
  expect_tree("plan p { a = 1 }", "plan p(parameters, field a(1))");
  expect_tree("protocol r { partner F at a with B at b }", "protocol r(partner(item F, a, item B, b, -))");
}

Test(lang_parse, ops)
{
  expect_tree("op o(x: Tensor) { weight w: [1] dtype fp8 if b trained if c; output y: s; whole x dim -1; "
              "contracts x dim 0; saves [x] if b; require c, \"m\" }",
              "op o(parameters(parameter x(type Tensor(-), -)), weight w(list(1), fp8, b, c), output "
              "y(s, -), whole x(neg(1)), contracts x(0), "
              "saves(list(x), b), require(c, m))");
  expect_tree("op o(x: Tensor) { cast x dtype fp8 moving 5 if b; cast dx dtype fp8 }",
              "op o(parameters(parameter x(type Tensor(-), -)), cast x(fp8, 5, b), "
              "cast dx(fp8, -, -))");
  expect_tree("op o() { forward { flops = 1\n kernel gemm if b { m = 2, n = 3 } kernel e {} } "
              "backward(weight) { reads = [x] } }",
              "op o(parameters, phase forward(field flops(1), kernel gemm(b, field m(2), field "
              "n(3)), kernel e(-)), phase weight(field reads(list(x))))");
}

Test(lang_parse, graphs)
{
  expect_tree("model m() { x = f() as a.b; repeat 2 as l { g(x) as c }\n if a { x = h() } else if "
              "b { x = i() } else { }\n yield x as y }",
              "model m(parameters, node x(call(f), label a.b), repeat(2, label l, node(call(g, "
              "argument(x)), label c)), "
              "if(a, then(node x(call(h), -)), else(if(b, then(node x(call(i), -)), else))), "
              "yield(x, label y))");
}

Test(lang_parse, strategies)
{
  expect_tree("strategy s(t: Axis) { let a = 1\n rule r optional { match linear | add as \"*.q\" | "
              "l where a\n split w dim 0, heads over t\n replicate x, y } }",
              "strategy s(parameters(parameter t(type Axis(-), -)), let a(-, 1), rule r!1(match(a, "
              "name linear, name add, *.q, l), "
              "split(t, split item w(0), split item heads(-)), replicate(name x, name y)))");
  expect_tree("strategy s() { rule r { match *\n after backward(input): all_reduce(dx, over: t, "
              "bucket: b, overlap: overlap, on: \"net\")\n"
              "recompute\n recompute(group: \"g\")\n shard(optimizer, over: d)\n "
              "offload(optimizer, at: r)\n set x = 1 } }",
              "strategy s(parameters, rule r(match(-), collective all_reduce!1(name input, "
              "arguments(argument(dx), argument over(t), argument bucket(b), "
              "argument overlap(overlap), argument on(net))), recompute(-), "
              "recompute(arguments(argument group(g))), "
              "shard(arguments(argument(optimizer), argument over(d))), "
              "offload(arguments(argument(optimizer), argument at(r))), set x(1)))");
}

Test(lang_parse, schedules)
{
  expect_tree("schedule s() { stages p of [1]\n stages p balanced\n chunks 2 place f\n protocol none\n "
              "at 0 { F(i) B }\n at s in 0..p { pair F(1) with B(2) "
              "for i in a where c { W } } depend d: F at a on F at b sending c where e }",
              "schedule s(parameters, stages(p, list(1), -), stages!1(p, -, -), chunks(2, f, "
              "-), protocol none, at(0, item F(argument(i)), item B), "
              "at s(..(0, p), pair(item F(argument(1)), item B(argument(2))), for i(a, c, item "
              "W)), depend d(item F, a, item F, b, c, e, -, -))");
  expect_tree("protocol r { depend S(k) at w on any n - 1 of S(k - 1) at v for v in g sending c\n slow x: "
              "F(i) at w by 6 where c }",
              "protocol r(depend(item S(argument(k)), w, item S(argument(-(k, 1))), v, c, -, -(n, 1), "
              "for v(g)), slow x(item F(argument(i)), w, 6, c))");
}

Test(lang_parse, clusters)
{
  expect_tree("cluster c() { device a[2, n], b[1]: kind\n switch s[1]\n for x in p, y in q { link "
              "a[x] -> s { bandwidth = 1 } } }",
              "cluster c(parameters, array a(kind, 2, n), array b(kind, 1), array s!1(-, 1), "
              "for x(p, -, for y(q, -, link!1(reference a(x), reference s, field bandwidth(1)))))");
}

/* Words of the language are names wherever the grammar does not expect them. */
Test(lang_parse, words_as_names)
{
  expect_tree("plan p { model = step(input: 1, in: 2).over\n optimizer = forward\n with = 1 }",
              "plan p(parameters, field model(member over(call(step, argument input(1), argument "
              "in(2)))), field optimizer(forward), field with(1))");
  expect_tree("let depend = [match, 1 * place]", "let depend(-, list(match, *(1, place)))");
}

Test(lang_parse, line_breaks)
{
  expect_tree("let a = 1 +\n 2\nlet b = x\n  .y\n  and z\nlet c = f(\n 1\n , 2\n)\nlet d = if a\n "
              "then 1\n else 2",
              "let a(-, +(1, 2)); let b(-, and(member y(x), z)); let c(-, call(f, argument(1), "
              "argument(2))); let d(-, if(a, 1, 2))");
  expect_tree("model m() { a = b\n (c) as d }",
              "model m(parameters, node a(b, -), node(c, label d))");
  expect_tree("model m() { a = b\n [c] as d\n -e as f }",
              "model m(parameters, node a(b, -), node(list(c), label d), node(neg(e), label f))");
  expect_tree("plan p { a = x.in\n b = { f: 1,\n g: 2 }\n }",
              "plan p(parameters, field a(member in(x)), field b(record(field f(1), field g(2))))");
}

Test(lang_parse, quantities)
{
  lang_fixture f = lang_start();
  const char *text = "[80GiB, 400 Gb/s, $2.50/h, 1_000, 1e3, 0.5 us]";
  ts_ast *list = ts_parse_expr(f.lang, lang_source(&f, text, strlen(text)));
  cr_assert(list);
  cr_expect_eq(list->child[0]->u.real, 80.0 * 1024 * 1024 * 1024 * 8);
  cr_expect_eq(list->child[1]->u.real, 400e9);
  cr_expect(ts_dimension_equal(list->child[1]->dimension, TS_DIM_RATE));
  cr_expect_float_eq(list->child[2]->u.real, 2.5 / 3600, 1e-12);
  cr_expect_eq(list->child[3]->u.integer, 1000);
  cr_expect_eq(list->child[4]->kind, TS_AST_REAL);
  cr_expect_float_eq(list->child[5]->u.real, 0.5e-6, 1e-18);
  ts_arena_free(f.arena);
}

Test(lang_parse, spans)
{
  lang_fixture f = lang_start();
  const char *text = "let a = (1 + b) * f(x) // c\nop o() {\n  saves [x]\n}\n";
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, strlen(text)));
  const ts_ast *product = tree->child[0]->child[1];
  cr_expect_eq(tree->child[0]->span.end, strlen("let a = (1 + b) * f(x)"));
  cr_expect_eq(tree->child[0]->name_span.begin, 4);
  cr_expect_eq(product->span.begin, 8);
  cr_expect_eq(product->child[0]->span.begin, 9);
  cr_expect_eq(product->child[1]->span.begin, 18);
  cr_expect_eq(tree->child[1]->span.end, strlen(text) - 1);
  ts_arena_free(f.arena);
}

Test(lang_parse, expression)
{
  lang_fixture f = lang_start();
  ts_ast *e = ts_parse_expr(f.lang, lang_source(&f, "tp * 2\n", 7));
  cr_assert(e);
  cr_expect_eq(e->kind, TS_AST_BINARY);
  cr_expect_null(ts_parse_expr(f.lang, lang_source(&f, "tp *", 4)));
  cr_expect_null(ts_parse_expr(f.lang, lang_source(&f, "", 0)));
  cr_expect_null(ts_parse_expr(f.lang, lang_source(&f, "1; 2", 4)));
  cr_expect_eq(ts_diags_errors(f.diags), 3);
  ts_arena_free(f.arena);
}

Test(lang_parse, interned)
{
  lang_fixture f = lang_start();
  const char *first = ts_lang_intern(f.lang, "name0", 5);
  for (int i = 0; i < 2000; i++) {
    char name[16];
    int length = snprintf(name, sizeof name, "name%d", i);
    ts_lang_intern(f.lang, name, (size_t)length);
  }
  cr_expect_eq(first, ts_lang_intern(f.lang, "name0suffix", 5));
  ts_arena_free(f.arena);
}

Test(lang_parse, children_by_their_roles)
{
  lang_fixture f = lang_start();
  const char *text = "fn twice(n: Int) = 2 * n\nlet a: Int = twice(3)\n";
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, strlen(text)));
  const ts_ast *fn = ts_ast_declarations(tree).at[0], *let = ts_ast_declarations(tree).at[1];
  cr_assert_eq(ts_ast_declarations(tree).count, 2);
  cr_expect_str_eq(ts_ast_formals(ts_ast_params(fn)).at[0]->name, "n");
  cr_expect_null(ts_ast_type(fn));
  cr_expect_eq(ts_ast_left(ts_ast_body(fn))->u.integer, 2);
  cr_expect_str_eq(ts_ast_type(let)->name, "Int");
  cr_expect_str_eq(ts_ast_function(ts_ast_value(let))->name, "twice");
  cr_expect_eq(ts_ast_args(ts_ast_value(let)).count, 1);
  ts_arena_free(f.arena);
}

/* A rule whose `match` has a syntax error keeps its actions, after the place of `match`. */
Test(lang_parse, what_an_error_left_has_its_place)
{
  lang_fixture f = lang_start();
  const char *text = "strategy s(t: Axis) {\n  rule r {\n    match )\n    split x over t\n  }\n}\n";
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, strlen(text)));
  const ts_ast *rule = ts_ast_items(ts_ast_declarations(tree).at[0]).at[0];
  cr_assert_eq(rule->kind, TS_AST_RULE);
  cr_expect_null(ts_ast_match(rule));
  cr_assert_eq(ts_ast_actions(rule).count, 1);
  cr_expect_eq(ts_ast_actions(rule).at[0]->kind, TS_AST_SPLIT);
  ts_arena_free(f.arena);
}

#ifndef NDEBUG
Test(lang_parse, no_child_of_another_kind, .signal = SIGABRT)
{
  lang_fixture f = lang_start();
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, "let a = 1\n", 10));
  ts_ast_body(ts_ast_declarations(tree).at[0]);
}
#endif
