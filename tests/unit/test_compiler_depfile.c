/* The rule for make that -MD writes. */
#include <criterion/criterion.h>

#include "compiler/compile.h"
#include "compiler/eval/files.h"

Test(depfile, names_are_escaped_and_embedded_files_left_out)
{
  ts_arena *arena = ts_arena_new("test");
  ts_session *s = ts_session_new(arena);
  TS_PUSH(arena, &s->files->dependencies,
          (ts_dependency){.path = "my plans/a#1$.ts", .name = "a.ts", .role = "plan"});
  TS_PUSH(arena, &s->files->dependencies,
          (ts_dependency){.name = "std/ops/x.ts", .role = "stdlib"});
  TS_PUSH(arena, &s->files->dependencies,
          (ts_dependency){.path = "t.csv", .name = "t.csv", .role = "table"});
  /* a rule of a stranger's */
  TS_PUSH(arena, &s->files->dependencies,
          (ts_dependency){.path = "a\nall: ; rm x", .name = "a", .role = "table"});
  cr_expect_str_eq(ts_depfile(s, "out dir/plan.ir"),
                   "out\\ dir/plan.ir: \\\n  my\\ plans/a\\#1$$.ts \\\n  t.csv\n");
  ts_arena_free(arena);
}
