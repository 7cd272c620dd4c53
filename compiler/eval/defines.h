/* -D: what was given for parameters, parsed when first asked for. */
#ifndef TS_COMPILER_EVAL_DEFINES_H
#define TS_COMPILER_EVAL_DEFINES_H

#include "compiler/eval/files.h"

typedef struct ts_defines {
  const ts_ast **ast; /* of each; NULL: not asked for, or not understood */
  uint32_t *file;     /* their text in the source map; 0: not asked for */
  TS_VEC(struct ts_read_define {
    ts_dependency dependency;
    const ts_ast *ast;
  }) read; /* by any plan of the session */
} ts_defines;

/* The expression of the define of this name, NULL if there is none or it has a syntax error; *index
 * is its number. Marks it as used. */
const ts_ast *ts_session_define(ts_session *s, const char *name, uint32_t *index);

#endif
