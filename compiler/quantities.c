/* Quantities of a calibration from the standard library, and the parameters of plans. */
#include "compiler/quantities.h"

#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/module.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/lower/calibrated.h"
#include "compiler/plan/plan.h"

/* ---- stdlib/accuracy/calibration.ts ---- */

static bool lookup(ts_session *s, ts_module *m, const char *name, ts_value *v)
{
  return ts_module_lookup(s, m, ts_lang_intern(s->lang, name, strlen(name)), TS_NO_SPAN, v);
}

static ts_calibration *quantities_wrong(ts_session *s, const char *what)
{
  if (!ts_diags_errors(s->diags))
    ts_diag_add(s->diags, TS_E0506, TS_NO_SPAN, "`std.accuracy.calibration` %s", what);
  return NULL;
}

ts_calibration *ts_quantities_load(ts_session *s, const ts_compile_options *o, const char *name)
{
  static const char ask[] = "import std.accuracy.calibration\n", ask_name[] = "<calibration>";
  ts_compile_options plain = {.stdlib_dir = o->stdlib_dir};
  const ts_embedded_file given = {ask_name, (const unsigned char *)ask, sizeof ask - 1};
  ts_value list, memory, step;
  ts_compile_settings(s, &plain);
  s->files->given = &given;
  s->files->given_count = 1;
  ts_module *m = ts_module_load(s, ask_name);
  s->files->given = NULL;
  s->files->given_count = 0;
  if (!m || !lookup(s, m, name, &list) || !lookup(s, m, "memory", &memory) ||
      !lookup(s, m, "step", &step) || list.type != TS_T_LIST)
    return quantities_wrong(s, "lacks `quantities`, `memory` or `step`");
  if (list.u.list->count > TS_MOST_QUANTITIES)
    return quantities_wrong(s, "has too many quantities");
  ts_calibration *c = TS_NEW(s->arena, ts_calibration);
  *c = (ts_calibration){.plan = "",
                        .device = "",
                        .framework = "",
                        .quantity = TS_NEW_ARRAY(s->arena, ts_quantity, list.u.list->count + 1),
                        .noise = ts_calibrated_number(&step),
                        .memory = {.prior = ts_calibrated_number(&memory) / 8}};
  for (uint32_t i = 0; i < list.u.list->count; i++) {
    ts_quantity q = list.u.list->at[i].type == TS_T_RECORD ?
                      ts_quantity_of_record(list.u.list->at[i].u.record) :
                      (ts_quantity){0};
    if (!(q.prior > 0 && q.prior <= 2))
      return quantities_wrong(s, "has a quantity whose prior is not from 0 to 2");
    c->quantity[c->count++] = q;
  }
  return c->noise > 0 && c->memory.prior > 0 ?
           c :
           quantities_wrong(s, "lacks `memory` or `step` above 0");
}

/* ---- Parameters ---- */

bool ts_parameters_load(ts_session *s, const char *path, const ts_compile_options *o,
                        const char **name, ts_parameters *out)
{
  ts_compile_settings(s, o);
  ts_module *m = ts_module_load(s, path);
  const ts_ast *plan = m && !ts_diags_errors(s->diags) ? ts_plan_choose(s, m, o->plan_name) : NULL;
  if (!plan)
    return false;
  *name = plan->name;
  *out = ts_parameters_of(s, plan->name);
  return true;
}
