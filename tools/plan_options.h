/* What programs that read a plan have in common: the options that say which one is meant. */
#ifndef TS_TOOLS_PLAN_OPTIONS_H
#define TS_TOOLS_PLAN_OPTIONS_H

#include "base/options.h"
#include "compiler/compile.h"

enum { PLAN_DEFINE = 1000, PLAN_NAME, PLAN_IMPORT, PLAN_STDLIB };
#define PLAN_OPTIONS                                                                    \
  {PLAN_DEFINE, 'D', "define", "NAME=EXPR", "set a parameter to an expression of the language", "Plan"}, \
  {PLAN_NAME, 'p', "plan", "NAME", "the plan, where the file has several", NULL},                       \
  {PLAN_IMPORT, 'I', "import-dir", "DIR", "look for imports and data in DIR as well", NULL},             \
  {PLAN_STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL}

typedef struct ts_plan_options {
  ts_compile_options compile; /* complete after every option */
  TS_VEC(ts_define) defines;
  TS_VEC(const char *) imports;
} ts_plan_options;

/* Takes one of these options. TS_EXIT_DONE, or TS_EXIT_USAGE after telling a mistake. */
int ts_plan_option(ts_plan_options *p, ts_arena *arena, const ts_options *o, int id);

#endif
