/* The text of a plan that a command line or a file of settings becomes. */
#ifndef TS_COMPILER_COMMAND_LINE_PLAN_H
#define TS_COMPILER_COMMAND_LINE_PLAN_H

#include "compiler/eval/value.h"
#include "lang/ast.h"

/* an argument of the function: `name: value` of the plan; where a file says so (NULL: no file) */
typedef struct ts_plan_argument {
  const char *name, *value, *from;
} ts_plan_argument;

/* what changes neither time nor memory, and why */
typedef struct ts_plan_passed {
  const char *shown, *why;
} ts_plan_passed;

typedef struct ts_argument_plan {
  const ts_record *table; /* the framework's, of its arguments */
  const char *framework, *gpus, *gpu;
  const ts_ast_list *formals; /* by whose order arguments are written */
  const ts_plan_argument *found;
  const ts_plan_passed *passed;
  size_t found_count, passed_count;
  bool by_reason; /* what is passed over, a comment a reason */
} ts_argument_plan;

const char *ts_argument_plan_text(ts_arena *arena, const ts_argument_plan *plan);

#endif
