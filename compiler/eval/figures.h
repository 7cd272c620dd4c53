/* Names that a search has besides those of its plan: the figures of a played step, and the plan
 * itself. */
#ifndef TS_COMPILER_EVAL_FIGURES_H
#define TS_COMPILER_EVAL_FIGURES_H

#include "compiler/eval/module.h"

typedef enum ts_search_figure_id {
#define FIGURE(id, name, ...) TS_SEARCH_##id,
#include "compiler/eval/figures.def"
#undef FIGURE
  TS_SEARCH_FIGURES
} ts_search_figure_id;

const char *ts_search_figure(ts_session *s, size_t figure); /* its interned name */
ts_dimension ts_search_dimension(size_t figure);

/* The plan that a SEARCH is of; NULL after a diagnostic. */
const ts_ast *ts_search_plan(ts_session *s, const ts_module *module, const ts_ast *search);

#endif
