/* Plans to begin with: those of stdlib/tools/start.ts, with values in the place of their
 * parameters' defaults. A text is made, nothing is played here. */
#ifndef TS_COMPILER_START_H
#define TS_COMPILER_START_H

#include "compiler/catalog.h"
#include "compiler/eval/options.h"

typedef struct ts_start_search { const char *name, *plan; const ts_ast *decl; } ts_start_search;
typedef struct ts_start {
  ts_session *s;
  const ts_catalog *catalog;
  ts_module *module;
  TS_VEC(ts_start_search) searches; /* in the order in which they are tried */
  const char *declares; /* what values name and no file has, put before the plan; or NULL */
} ts_start;

/* False after an error. */
bool ts_start_open(ts_session *s, const ts_catalog *catalog, ts_start *start);
/* The names of the parameters of all plans, each once. */
void ts_start_parameters(const ts_start *start, ts_name_list *names);

/* The text of a default of the plan of a search; NULL: there is none. */
const char *ts_start_default(const ts_start *start, size_t search, const char *name);

/* The plan of a search and the search itself as a file of its own: the plan is called `name`;
 * `values` are the defaults of its parameters, those that it lacks are passed over, and what they
 * name is imported; the first `fixed` of them are not varied by the search; `about` are lines for a
 * comment above all, without `//`. Laid out as tsfmt does. NULL after an error: a value is no
 * expression. */
const char *ts_start_text(const ts_start *start, size_t search, const char *name,
                          const ts_define *values, uint32_t value_count, uint32_t fixed,
                          const char *about, size_t *size);

#endif
