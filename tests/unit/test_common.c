/* What compilations of a plan share changes nothing of any of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/eval/module.h"
#include "ir/ir.h"

static const char plan[] =
  "import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data\n"
  "import std.schedules.one_f_one_b, std.optimizers.adam, std.precision, std.hosts\n"
  "import std.networks, std.costs\n"
  "plan small(tp: Int = 2, m: Int = 4) {\n"
  "  model = gpt(layers: 4, hidden: 1024, heads: 16, vocab: 51200, seq: 1024)\n"
  "  cluster = dgx_a100(nodes: 1)\n"
  "  mesh = { tp, dp: 4 / tp, pp: 2 }\n"
  "  apply = [tensor_parallel(tp), data_parallel(dp)]\n"
  "  schedule = one_f_one_b(p: pp, m: m)\n"
  "  batch = { micro: 1, global: m * 4 / tp }\n"
  "  tokens = 1024\n"
  "  precision = mixed(bf16)\n"
  "  optimizer = adam()\n"
  "  costs = training_a100\n"
  "  network = a100_infiniband\n"
  "  host = megatron_host\n"
  "}\n";

static void put(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* The bytes of the IR, in the arena. */
static uint8_t *compiled(ts_arena *arena, const char *path, const char *m, const ts_common *common,
                         size_t *size)
{
  ts_session *s = ts_session_with(arena, common);
  ts_compile_options o = {.defines = &(ts_define){"m", m}, .define_count = 1};
  ts_input input = {0};
  cr_assert(ts_input_open(s, path, &o, &input), "%s", ts_diags_first_error(s->diags));
  uint8_t *bytes = ts_ir_encode(&input.ir, size), *kept = ts_arena_copy(arena, bytes, *size);
  free(bytes);
  ts_input_close(&input);
  return kept;
}

static void check_same(const char *path, const ts_common *common)
{
  static const char *const values[] = {"4", "8", "4"};
  for (int i = 0; i < 3; i++) {
    ts_arena *arena = ts_arena_new("test");
    size_t alone_size, shared_size;
    uint8_t *alone = compiled(arena, path, values[i], NULL, &alone_size),
            *shared = compiled(arena, path, values[i], common, &shared_size);
    cr_assert_eq(alone_size, shared_size);
    cr_assert(!memcmp(alone, shared, alone_size), "m = %s", values[i]);
    ts_arena_free(arena);
  }
}

Test(common, plans_are_the_same_and_changed_files_are_read_again)
{
  char folder[] = "test-XXXXXX";
  cr_assert(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/plan.ts", folder);
  put(path, plan);
  ts_common *common = ts_common_new(path, &(ts_compile_options){0});
  cr_assert(common);
  check_same(path, common);

  ts_arena *arena = ts_arena_new("test");
  ts_module *trees[2];
  for (int i = 0; i < 2; i++) {
    ts_session *s = ts_session_with(arena, common);
    ts_compile_settings(s, &(ts_compile_options){0});
    trees[i] = ts_module_load(s, path);
  }
  cr_assert_neq(trees[0], trees[1]);
  cr_assert_eq(trees[0]->ast, trees[1]->ast, "parsed once");
  ts_arena_free(arena);

  char *changed = strdup(plan), *hidden = strstr(changed, "1024, heads");
  memcpy(hidden, "2048", 4);
  put(path, changed);
  check_same(path, common);
  free(changed);
  ts_common_free(common);
  unlink(path);
  rmdir(folder);
}

Test(common, files_with_something_to_say_are_read_by_each)
{
  char folder[] = "test-XXXXXX";
  cr_assert(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/plan.ts", folder);
  put(path, "plan p() { model = }\n");
  cr_assert_null(ts_common_new(path, &(ts_compile_options){0}));
  unlink(path);
  cr_assert_null(ts_common_new(path, &(ts_compile_options){0}));
  rmdir(folder);
}
