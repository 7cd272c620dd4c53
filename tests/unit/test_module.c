/* Imports, -D, data files and the loading of plans. */
#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

#include "compiler/compile.h"
#include "compiler/eval/check.h"
#include "compiler/eval/files.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/eval/options.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/eval/vocabulary.h"
#include "tests/unit/test_eval.h"

static void says(ts_desk *desk, const char *expected)
{
  const char *got = ts_desk_errors(desk);
  cr_expect_str_eq(got, expected, "says     %s\nexpected %s", got, expected);
}

Test(module, names_of_imported_files_are_in_scope)
{
  ts_desk desk = ts_desk_open();
  ts_desk_file(&desk, "inner.ts", "let deep = 40");
  ts_desk_file(&desk, "outer.ts", "export import \"inner.ts\"\nlet near = deep + 1");
  cr_expect_str_eq(ts_desk_print(&desk, "import \"outer.ts\"\nlet x = near + deep"), "81");
  ts_desk_close(&desk);
}

/* Writes the files, of which each has a name and a text, and gives `x` of the last text. */
static void gives(const char *expected, const char *const files[], size_t count)
{
  ts_desk desk = ts_desk_open();
  for (size_t i = 0; i + 1 < count; i += 2)
    ts_desk_file(&desk, files[i], files[i + 1]);
  const char *got = ts_desk_print(&desk, files[count - 1]);
  cr_expect_str_eq(got, expected, "%s\ngives    %s\nexpected %s", files[count - 1], got, expected);
  ts_desk_close(&desk);
}

#define GIVES(expected, ...)                                                                       \
  gives(expected, (const char *const[]){__VA_ARGS__},                                              \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

Test(module, own_names_count_before_imported_ones)
{
  GIVES("[2, 1]", "a.ts", "let size = 1\nlet y = size",
        "import \"a.ts\"\nlet size = 2\nlet x = [size, y]");
  GIVES("[2, 1]", "a.ts", "let size = 1",
        "import \"a.ts\", \"a.ts\" (size as theirs)\nlet size = 2\nlet x = [size, theirs]");
}

Test(module, nothing_is_handed_on_that_is_not_exported)
{
  GIVES("E0201 `deep` is not in scope", "inner.ts", "let deep = 40", "outer.ts",
        "import \"inner.ts\"", "import \"outer.ts\"\nlet x = deep");
  GIVES("40", "inner.ts", "let deep = 40", "outer.ts", "export import \"inner.ts\"",
        "import \"outer.ts\"\nlet x = deep");
  GIVES("40", "inner.ts", "let deep = 40", "outer.ts",
        "import \"inner.ts\"\nexport import \"inner.ts\"", "import \"outer.ts\"\nlet x = deep");
  GIVES("[40, 1]", "inner.ts", "let deep = 40\nlet other = 1", "outer.ts",
        "export import \"inner.ts\" (deep as low)\nlet other = 1", "top.ts",
        "export import \"outer.ts\"", "import \"top.ts\"\nlet x = [low, other]");
  GIVES("E0201 `other` is not in scope", "inner.ts", "let deep = 40\nlet other = 1", "outer.ts",
        "export import \"inner.ts\" (deep)", "import \"outer.ts\"\nlet x = [deep, other]");
  GIVES("1", "a.ts", "let same = 1", "b.ts", "export import \"a.ts\"", "c.ts",
        "export import \"a.ts\"", "import \"a.ts\", \"b.ts\", \"c.ts\"\nlet x = same");
  GIVES("2", "a.ts", "let same = 1", "b.ts", "export import \"a.ts\"\nlet same = 2",
        "import \"b.ts\"\nlet x = same");
}

Test(module, private_names_stay_in_their_file)
{
  GIVES("4", "a.ts", "let _half = 2\nlet whole = 2 * _half", "import \"a.ts\"\nlet x = whole");
  GIVES("[3, 2]", "a.ts", "let _half = 2\nfn half() -> Int = _half",
        "import \"a.ts\"\nlet _half = 3\nlet x = [_half, half()]");
  GIVES("E0201 `_half` is not in scope", "a.ts", "let _half = 2", "import \"a.ts\"\nlet x = _half");
  GIVES("E0201 `_half` is not in scope", "a.ts", "let _half = 2", "b.ts", "export import \"a.ts\"",
        "import \"b.ts\"\nlet x = _half");
}

Test(module, two_imports_clash_where_the_name_is_used)
{
  static const char a[] = "let same = 1\nlet one = 1", b[] = "let same = 2\nlet two = 2";
  GIVES("[1, 2]", "a.ts", a, "b.ts", b, "import \"a.ts\", \"b.ts\"\nlet x = [one, two]");
  GIVES("E0206 `same` may be the one of `a.ts` or of `b.ts`", "a.ts", a, "b.ts", b,
        "import \"a.ts\", \"b.ts\"\nlet x = same");
  GIVES("2", "a.ts", a, "b.ts", b, "import \"a.ts\", \"b.ts\", \"b.ts\" (same)\nlet x = same");
  GIVES("[1, 2]", "a.ts", a, "b.ts", b,
        "import \"a.ts\", \"b.ts\", \"b.ts\" (same as their_same)\nlet x = [same, their_same]");
  GIVES("[1, 2, 2]", "a.ts", a, "b.ts", b,
        "import \"a.ts\", \"b.ts\" (same as their_same, two)\nlet x = [same, their_same, two]");
  GIVES("E0206 `same` may be the one of `a.ts` or of `b.ts`", "a.ts", a, "b.ts", b, "both.ts",
        "export import \"a.ts\", \"b.ts\"", "import \"both.ts\"\nlet x = same");
  GIVES("1", "a.ts", a, "b.ts", b, "both.ts", "export import \"a.ts\", \"b.ts\", \"a.ts\" (same)",
        "import \"both.ts\"\nlet x = same");
}

/* Whatever the library adds: a plan's own files count before it. */
Test(module, files_of_ones_own_count_before_the_library)
{
  GIVES("7", "mine.ts", "fn gpt2_small(n: Int) -> Int = n",
        "import std.models.gpt, \"mine.ts\"\nlet x = gpt2_small(7)");
  GIVES("7", "mine.ts", "fn zipf(n: Int) -> Int = n",
        "import \"mine.ts\", std.models.mixtral\nlet x = zipf(7)");
  GIVES("[1.0]", "mine.ts", "fn zipf(n: Int) -> Int = n",
        "import \"mine.ts\", std.models.mixtral (zipf)\nlet x = zipf(1, 1)");
}

typedef struct library_name { const char *name, *file; } library_name;

/* So nothing in the library clashes, and nothing in it hides what is built in. */
Test(module, the_library_has_no_name_twice)
{
  ts_desk desk = ts_desk_open();
  TS_VEC(library_name) seen = {0};
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const char *path = ts_stdlib_files[i].path, *suffix = strrchr(path, '.');
    if (!suffix || strcmp(suffix, ".ts"))
      continue;
    uint32_t file = ts_sources_add(desk.s->sources, path, "stdlib",
                                   (const char *)ts_stdlib_files[i].bytes, ts_stdlib_files[i].size);
    const ts_ast *tree = ts_parse_file(desk.s->lang, file);
    for (uint32_t k = 0; k < tree->count; k++) {
      const char *name = tree->child[k]->name;
      /* what `trainspec import` looks up in the file of each framework */
      if (!name || *name == '_' || !strcmp(name, "command_line"))
        continue;
      cr_expect(!ts_names_get(&desk.s->vocabulary->builtins, name), "`%s` of %s is built in", name,
                path);
      for (size_t n = 0; n < seen.count; n++)
        cr_expect(seen.at[n].name != name, "`%s` of %s is declared in %s too", name, path,
                  seen.at[n].file);
      TS_PUSH(desk.arena, &seen, (library_name){name, path});
    }
  }
  cr_expect(seen.count > 100);
  ts_desk_close(&desk);
}

Test(module, cycles_and_missing_files)
{
  ts_desk desk = ts_desk_open();
  ts_desk_file(&desk, "one.ts", "let same = 1");
  ts_desk_file(&desk, "two.ts", "let same = 2\nlet y = missing_but_unused");
  ts_desk_file(&desk, "a.ts", "import \"b.ts\"");
  ts_desk_file(&desk, "b.ts", "import \"a.ts\"");
  ts_desk_value(&desk,
                "import \"one.ts\", \"two.ts\", std.modles.gpt, \"a.ts\"\nlet x = 1\nlet x = 2");
  const char *got = ts_desk_errors(&desk);
  cr_expect(strstr(got, "E0204 cannot find `std.modles.gpt`"), "%s", got);
  cr_expect(strstr(got, "E0202 `x` is declared twice"), "%s", got);
  cr_expect(strstr(got, "E0205 "), "%s", got);
  cr_expect(!strstr(got, "E0206 "), "%s", got); /* nobody uses it */
  ts_desk_close(&desk);
}

#define PLAN                                                                                       \
  "gpu g { memory = 1 GiB, bandwidth = 1 TB/s }\ncluster c(n: Int) {\n  device d[n]: g\n  switch " \
  "s[1]\n  link d[*] <-> s[0] { bandwidth = 1 GB/s }\n}\n"                                         \
  "op id(x: Tensor) { output y: x.shape }\nmodel m(w: Int) {\n  a = input([batch, w])\n  b = "     \
  "id(a) as b\n}\n"                                                                                \
  "schedule s(p: Axis) {\n  stages p\n  at r in 0..p { F(0) B(0) }\n}\n"

static ts_plan *loaded(ts_desk *desk, const char *text)
{
  return ts_plan_load(
    desk->s, ts_desk_file(desk, "plan.ts", ts_arena_printf(desk->arena, PLAN "%s", text)), NULL);
}

Test(plan, mesh_fields_and_defines)
{
  ts_desk desk = ts_desk_open();
  const ts_define defines[] = {{"pp", "4"}, {"width", "2 * 8"}};
  desk.s->options->defines = defines;
  desk.s->options->define_count = 2;
  ts_plan *p = loaded(
    &desk,
    "param width: Int = 3\nplan p(pp: Int = 2) {\n  model = m(w: width)\n  cluster = c(n: 2 * "
    "pp)\n  mesh = { dp: 2, pp }\n"
    "  schedule = s(pp)\n  costs = roofline(g)\n  batch = { micro: 3 }\n  recompute = none\n}");
  cr_assert(p, "%s", ts_desk_errors(&desk));
  cr_expect_eq(desk.s->mesh->count, 2);
  cr_expect_str_eq(desk.s->mesh->axis[1].name, "pp");
  cr_expect_eq(desk.s->mesh->axis[1].size, 4);
  cr_expect_eq(desk.s->mesh->axis[1].stride, 2);
  cr_expect_str_eq(ts_value_print(desk.arena, p->model), "m(w: 16)");
  cr_expect_str_eq(ts_value_print(desk.arena, p->schedule), "s(p: pp)");
  cr_expect_eq(p->costs.u.list->count, 1);
  cr_expect_eq(p->micro_batch, 3);
  cr_expect_eq(p->global_batch, 0);
  cr_expect_eq(p->recompute.type, TS_T_NONE);
  ts_desk_close(&desk);
}

Test(plan, a_session_may_be_used_again_with_other_values)
{
  ts_desk desk = ts_desk_open();
  const ts_define few[] = {{"width", "5"}}, more[] = {{"width", "7"}, {"pp", "4"}, {"dp", "1"}};
  const struct { ts_compile_options options; const char *model; int64_t stages;
  } cases[] = {{{0}, "m(w: 3)", 2},
               {{.defines = few, .define_count = 1}, "m(w: 5)", 2},
               {{.defines = more, .define_count = 3}, "m(w: 7)", 4},
               {{0}, "m(w: 3)", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ts_compile_settings(desk.s, &cases[i].options);
    ts_plan *p =
      loaded(&desk, "param width: Int = 3\nplan p(pp: Int = 2, dp: Int = 2) {\n  model = m(w: "
                    "width)\n  cluster = c(n: 4)\n  mesh = { dp, pp }\n"
                    "  schedule = s(pp)\n  costs = roofline(g)\n  batch = { micro: 3 }\n}");
    cr_assert(p, "%s", ts_desk_errors(&desk));
    cr_expect_str_eq(ts_value_print(desk.arena, p->model), cases[i].model);
    cr_expect_eq(desk.s->mesh->axis[1].size, cases[i].stages);
  }
  ts_desk_close(&desk);
}

Test(plan, independent_mistakes_are_reported_in_one_run)
{
  ts_desk desk = ts_desk_open();
  const ts_define defines[] = {{"ppp", "4"}};
  desk.s->options->defines = defines;
  desk.s->options->define_count = 1;
  cr_expect_null(loaded(&desk, "fn unused(a: Int) = b\nplan p(pp: Int = 2) {\n  model = m(w: 3 "
                               "us)\n  mesh = { pp: 0 }\n  schedul = s(pp)\n"
                               "  batch = { micro: 0 }\n  costs = [3]\n}"));
  says(&desk, "E0201 `b` is not in scope\nE0216 plan `p` has no `cluster`\nE0220 `w` of `m` is a "
              "time (seconds), not an Int\n"
              "E0228 the size of axis `pp` must be at least 1\nE0214 a plan has no field "
              "`schedul`\nE0225 `micro` of `batch` must be at least 1\n"
              "E0220 an element of `costs` is an Int, not a source of costs\nE0215 no parameter is "
              "named `ppp`");
  ts_desk_close(&desk);
}

Test(plan, a_mesh_larger_than_the_cluster)
{
  ts_desk desk = ts_desk_open();
  cr_expect_null(loaded(
    &desk,
    "plan p {\n  model = m(w: 3)\n  cluster = c(4)\n  mesh = { dp: 8 }\n  costs = roofline(g)\n}"));
  says(&desk, "E0608 the mesh needs 8 devices, the cluster has 4");
  ts_desk_close(&desk);
}

Test(plan, which_of_several)
{
  ts_desk desk = ts_desk_open();
  cr_expect_null(loaded(&desk, "plan p { model = m(w: 3) }\nplan q { model = m(w: 3) }"));
  const char *got = ts_desk_errors(&desk);
  cr_expect(strstr(got, "has 2 plans: choose one"), "%s", got);
  ts_desk_close(&desk);
}

Test(check, bodies_that_nothing_uses)
{
  ts_desk desk = ts_desk_open();
  cr_expect_null(loaded(&desk,
                        "fn f(a: Int) = id2(a)\nfn e(a: Int) = f()\nfn h(n: Int) -> Int = h(n - "
                        "1)\nblock k(x: Tensor) {\n  y = id(x) as y\n  yield id(z)\n}\n"
                        "schedule t(p: Axis) {\n  stages p\n  at r in 0..p { for i in 0..m { F(i) "
                        "} }\n}\nop o(x: Tensor, h: Int) {\n  output y: [hh]\n"
                        "  backward(input) { kernel gemm { reads = [dy], writes = [dx, dz] } "
                        "}\n}\nplan p { model = m(w: 3) }"));
  const char *got = ts_desk_errors(&desk);
  static const char *const wanted[] = {"E0201 `id2` is not in scope", "E0210 `f` needs `a`",
                                       "E0208 `h` calls itself",      "E0201 `z` is not in scope",
                                       "E0201 `hh` is not in scope",  "E0201 `dz` is not in scope"};
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    cr_expect(strstr(got, wanted[i]), "%s is not in\n%s", wanted[i], got);
  cr_expect(!strstr(got, "`dy`") && !strstr(got, "`dx`"), "%s", got);
  ts_desk_close(&desk);
}

Test(check, plans_that_were_not_chosen)
{
  ts_desk desk = ts_desk_open();
  const char *path = ts_desk_file(&desk, "plan.ts",
                                  PLAN "plan p(k: Int = 1, idle: Int = 2) {\n  model = m(w: k)\n  "
                                       "cluster = c(1)\n  costs = roofline(g)\n}\n"
                                       "plan q(pp: Int = 2) {\n  model = n(w: 3)\n  mesh = { dp: 2 "
                                       "}\n  schedule = s(dp)\n  apply = [t(attn.core)]\n}");
  cr_expect_null(ts_plan_load(desk.s, path, "p"));
  says(&desk, "W0201 no field of plan `p` uses its parameter `idle`\nW0201 no field of plan `q` "
              "uses its parameter `pp`\n"
              "E0201 `n` is not in scope\nE0201 `t` is not in scope");
  ts_desk_close(&desk);
}

Test(session, data_files_are_unpacked_and_recorded)
{
  ts_desk desk = ts_desk_open();
  const char *path = ts_desk_file(&desk, "plan.ts", "let x = 1");
  ts_module *m = ts_module_load(desk.s, path);
  gzFile packed = gzopen(ts_arena_printf(desk.arena, "%s/ops.csv.gz", desk.folder), "wb");
  gzputs(packed, "m,n,k\n1,2,3\n");
  gzclose(packed);
  size_t size;
  ts_found found;
  const char *text =
    ts_session_read(desk.s, m->file, "ops.csv", "table", TS_NO_SPAN, &size, &found);
  cr_assert(text, "%s", ts_desk_errors(&desk));
  cr_expect_str_eq(text, "m,n,k\n1,2,3\n");
  cr_expect_eq(size, 12);
  cr_expect_eq(desk.s->files->dependencies.count,
               2 + (ts_module_count(desk.s) > 1 ? ts_module_count(desk.s) - 1 : 0));
  /* from the plan's folder */
  cr_expect_str_eq(desk.s->files->dependencies.at[desk.s->files->dependencies.count - 1].name,
                   "ops.csv.gz");
  cr_expect_null(ts_session_read(desk.s, m->file, "opps.csv", "table", TS_NO_SPAN, &size, &found));
  says(&desk, "E0701 cannot find `opps.csv`");
  ts_desk_close(&desk);
}

Test(session, the_standard_library_is_embedded)
{
  ts_desk desk = ts_desk_open();
  size_t size;
  ts_found found;
  cr_expect(
    ts_session_read(desk.s, 0, "std/models/../precision.ts", "table", TS_NO_SPAN, &size, &found));
  cr_expect_str_eq(found.name, "std/precision.ts");
  ts_desk_close(&desk);
}

/* As if the files were the user's own, so that what nothing uses is checked too. */
Test(stdlib, every_file_is_sound)
{
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const char *path = ts_stdlib_files[i].path, *end = strrchr(path, '.');
    if (!end || strcmp(end, ".ts"))
      continue;
    ts_desk desk = ts_desk_open();
    ts_module *m = ts_module_load(
      desk.s, ts_desk_file(&desk, "copy.ts", (const char *)ts_stdlib_files[i].bytes));
    cr_assert(m);
    cr_expect(ts_diags_errors(desk.s->diags) || ts_check(desk.s));
    for (size_t k = 0; k < m->own.count && !ts_diags_errors(desk.s->diags); k++)
      ts_entry_value(desk.s, m->own.at[k]);
    cr_expect_str_eq(ts_desk_errors(&desk), "", "std/%s: %s", path, ts_desk_errors(&desk));
    ts_desk_close(&desk);
  }
}
