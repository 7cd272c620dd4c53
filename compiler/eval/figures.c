#include "compiler/eval/figures.h"

#include <string.h>

static const struct { const char *name; ts_dimension dimension; } figures[TS_SEARCH_FIGURES] = {
#define FIGURE(id, name, ...) {name, __VA_ARGS__},
#include "compiler/eval/figures.def"
#undef FIGURE
};

const char *ts_search_figure(ts_session *s, size_t figure)
{
  return ts_lang_intern(s->lang, figures[figure].name, strlen(figures[figure].name));
}

ts_dimension ts_search_dimension(size_t figure) { return figures[figure].dimension; }

const ts_ast *ts_search_plan(ts_session *s, const ts_module *module, const ts_ast *search)
{
  ts_name_list names = {0};
  const ts_ast *name = ts_ast_plan(search),
               *plan = ts_module_choose(s, module, TS_AST_PLAN, name->name, &names);
  if (plan)
    return plan;
  ts_diag *d =
    ts_report(s, TS_E0217, name->span, "`%s` has no plan `%s`", module->name, name->name);
  ts_diag_here(d, "searched here");
  if (!ts_suggest_names(d, name->name, &names) && names.names.count)
    ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
  return NULL;
}
