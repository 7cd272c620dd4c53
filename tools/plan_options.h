/* What programs that read a plan have in common: the options that say which one is meant, and where output goes. */
#ifndef TS_TOOLS_PLAN_OPTIONS_H
#define TS_TOOLS_PLAN_OPTIONS_H

#include <stdio.h>

#include "base/options.h"
#include "compiler/compile.h"

enum { PLAN_DEFINE = 1000, PLAN_NAME, PLAN_IMPORT, PLAN_STDLIB };
#define PLAN_OPTIONS                                                                    \
  {PLAN_DEFINE, 'D', NULL, "NAME=EXPR", "set a parameter of the plan", "Plan"},         \
  {PLAN_NAME, 'p', "plan", "NAME", "the plan, where the file has several", NULL},       \
  {PLAN_IMPORT, 'I', NULL, "DIR", "look for imports in DIR too", NULL},                 \
  {PLAN_STDLIB, 0, "stdlib", "DIR", "take `import std...` from DIR", NULL}

typedef struct plan_options {
  ts_compile_options compile; /* complete after every option */
  TS_VEC(ts_define) defines;
  TS_VEC(const char *) imports;
} plan_options;

/* Takes one of these options. TS_EXIT_DONE, or TS_EXIT_USAGE after telling a mistake. */
int plan_option(plan_options *p, ts_arena *arena, const ts_options *o, int id);

/* Writes what `put` prints to the file, whole or not at all, or to standard output (NULL, "-"). The exit code, after telling why it cannot. */
int write_output(const ts_options *o, const char *path, void (*put)(const void *closure, FILE *out), const void *closure);

#endif
