/* Names that a search has besides those of its plan: the figures of a played step, and the plan
 * itself. */
#ifndef TS_COMPILER_EVAL_FIGURES_H
#define TS_COMPILER_EVAL_FIGURES_H

#include "base/figures.h"
#include "compiler/eval/module.h"

const char *ts_search_figure(ts_session *s, size_t figure); /* its interned name */
ts_dimension ts_search_dimension(size_t figure);
ts_value ts_figure_value(size_t figure, double value);
bool ts_figure_is_share(size_t figure);

/* A comparison that holds of every share or of none, such as `mfu < 50`, means percent: an error.
 * False after it. Expressions are evaluated where `scope` puts the figures. */
typedef struct ts_share_check {
  ts_session *s;
  ts_env *(*scope)(void *closure, const ts_figures *figures);
  bool (*hides)(void *closure, const char *name); /* NULL: the names of figures mean these */
  void *closure;
} ts_share_check;
bool ts_check_shares(const ts_share_check *c, const ts_ast *e);

/* The plan that a SEARCH is of; NULL after a diagnostic. */
const ts_ast *ts_search_plan(ts_session *s, const ts_module *module, const ts_ast *search);

#endif
