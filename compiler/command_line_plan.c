#include "compiler/command_line_plan.h"

#include <string.h>

#include "base/text.h"
#include "compiler/argument_value.h"

enum { COLUMNS = 90 };

typedef struct plan_writer {
  ts_arena *arena;
  const ts_argument_plan *plan;
  TS_VEC(char) text;
} plan_writer;

static void plan_put(plan_writer *w, const char *bytes)
{
  for (; *bytes; bytes++)
    TS_PUSH(w->arena, &w->text, *bytes);
}

static void put_argument(plan_writer *w, const ts_plan_argument *a)
{
  plan_put(w, ts_arena_printf(w->arena, "  %s: %s,", a->name, a->value));
  plan_put(w, a->from ? ts_arena_printf(w->arena, " // %s\n", a->from) : "\n");
}

static void put_found(plan_writer *w)
{
  for (uint32_t k = 0; k < w->plan->formals->count; k++)
    for (size_t i = 0; i < w->plan->found_count; i++)
      if (!strcmp(w->plan->found[i].name, w->plan->formals->at[k]->name))
        put_argument(w, &w->plan->found[i]);
}

/* Those of one reason (NULL: whatever it is), under a title. */
static void put_passed(plan_writer *w, const char *title, const char *why)
{
  size_t column = 0;
  plan_put(w, ts_arena_printf(w->arena, "// %s:\n//", title));
  for (size_t i = 0; i < w->plan->passed_count; i++) {
    const char *word = w->plan->passed[i].shown;
    if (why && strcmp(w->plan->passed[i].why, why) != 0)
      continue;
    if (column + strlen(word) > COLUMNS) {
      plan_put(w, "\n//");
      column = 0;
    }
    plan_put(w, " ");
    plan_put(w, word);
    column += strlen(word) + 1;
  }
  plan_put(w, "\n");
}

static void put_all_passed(plan_writer *w)
{
  const ts_argument_plan *p = w->plan;
  if (!p->by_reason && p->passed_count)
    put_passed(w, "Passed over, as they change neither time nor memory", NULL);
  for (size_t i = 0; p->by_reason && i < p->passed_count; i++) {
    const char *why = p->passed[i].why;
    size_t first = 0;
    while (strcmp(p->passed[first].why, why) != 0)
      first++;
    if (first == i)
      put_passed(w, ts_arena_printf(w->arena, "Without effect on a step, %s", why), why);
  }
}

const char *ts_argument_plan_text(ts_arena *arena, const ts_argument_plan *plan)
{
  plan_writer w = {.arena = arena, .plan = plan};
  const ts_value *lines = ts_record_find(plan->table, "plan");
  plan_put(&w, ts_arena_printf(arena, "// %s\nimport std.frameworks.%s\n\n",
                               ts_record_text(plan->table, "about"), plan->framework));
  plan_put(&w, ts_arena_printf(arena, "param gpus: Int = %s\nparam gpu: String = %s\n\n",
                               plan->gpus, ts_argument_quoted(arena, plan->gpu)));
  put_all_passed(&w);
  plan_put(&w, ts_arena_printf(arena, "let arguments: %s = {\n  gpus,\n  gpu,\n",
                               ts_record_text(plan->table, "arguments")));
  put_found(&w);
  plan_put(&w, "}\n");
  for (uint32_t i = 0; lines && lines->type == TS_T_LIST && i < lines->u.list->count; i++) {
    plan_put(&w, lines->u.list->at[i].u.string);
    plan_put(&w, "\n");
  }
  TS_PUSH(arena, &w.text, 0);
  return w.text.at;
}
