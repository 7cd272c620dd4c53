/* Time and memory by module: what a composition puts down to nodes, added up by their labels. */
#include "runtime/account/modules.h"

#include <string.h>

#include "runtime/account/run.h"

typedef struct modules_row {
  TS_VEC(ts_module_share) of;
} modules_row; /* by number of the module */

typedef struct modules_adding {
  ts_arena *arena;
  ts_labels *labels;
  modules_row *row;
} modules_adding;

static ts_module_share *modules_share_of(modules_adding *a, uint32_t number)
{
  while (a->row->of.count <= number)
    TS_PUSH(a->arena, &a->row->of, (ts_module_share){.exposed = 0});
  return &a->row->of.at[number];
}

static void modules_take(void *closure, const ts_ir_node *node, ts_share_kind kind, uint64_t time)
{
  modules_adding *a = closure;
  ts_module_share *share = modules_share_of(a, ts_labels_number(a->labels, node->label));
  switch (kind) {
  case TS_SHARE_COMPUTE: share->phase[node->phase] += time; break;
  case TS_SHARE_EXPOSED: share->exposed += time; break;
  case TS_SHARE_TRANSFER: share->transfer += time; break;
  }
}

static void add_memory(modules_adding *a, const ts_memory_class *m)
{
  for (uint32_t h = 0; h < m->holder_count; h++) {
    const ts_memory_holder *held = &m->holders[h];
    modules_share_of(a, ts_labels_named(a->labels, held->label))->memory[held->category] +=
      held->bytes;
  }
}

const ts_modules *ts_modules_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                 ts_label_view view)
{
  uint32_t classes = ts_run_result(run)->class_count;
  const uint32_t *representative = ts_run_representatives(run);
  const ts_memory *memory = ts_memory_by(arena, ir, run, view);
  ts_arena *scratch = ts_arena_new("modules");
  ts_labels *labels = ts_labels_new(scratch, arena, ir, view);
  modules_row *rows = TS_NEW_ARRAY(scratch, modules_row, classes);
  for (uint32_t c = 0; c < classes; c++) {
    modules_adding a = {scratch, labels, &rows[c]};
    if (representative[c] != c)
      continue;
    ts_run_attribute(run, c, &(ts_attribution){.take = modules_take, .closure = &a});
    add_memory(&a, &memory->classes[c]);
  }

  ts_modules *modules = TS_NEW(arena, ts_modules);
  const char **names = TS_NEW_ARRAY(arena, const char *, ts_labels_count(labels));
  ts_module_share **of = TS_NEW_ARRAY(arena, ts_module_share *, classes);
  *modules = (ts_modules){view, ts_labels_count(labels), names, (const ts_module_share *const *)of};
  for (uint32_t m = 0; m < modules->count; m++)
    names[m] = ts_labels_name(labels, m);
  for (uint32_t c = 0; c < classes; c++)
    if (representative[c] == c) {
      of[c] = TS_NEW_ARRAY(arena, ts_module_share, modules->count);
      if (rows[c].of.count)
        memcpy(of[c], rows[c].of.at, rows[c].of.count * sizeof *of[c]);
    }
  for (uint32_t c = 0; c < classes; c++)
    of[c] = of[representative[c]];
  ts_arena_free(scratch);
  return modules;
}
