/* What programs that read a plan have in common: the options that say which one is meant. */
#ifndef TS_TOOLS_CLI_PLAN_OPTIONS_H
#define TS_TOOLS_CLI_PLAN_OPTIONS_H

#include "base/options.h"
#include "compiler/compile.h"

enum { PLAN_DEFINE = 1000, PLAN_NAME, PLAN_IMPORT, PLAN_STDLIB, PLAN_READ, PLAN_NATIVE };
#define PLAN_FILE_OPTIONS                                                                          \
  {PLAN_DEFINE, 'D', "define", "NAME=EXPR", "set a parameter to an expression of the language",    \
   "Plan"},                                                                                        \
    {PLAN_NAME, 'p', "plan", "NAME", "the plan to use, where the file has several", NULL},         \
    {PLAN_IMPORT, 'I', "import-dir", "DIR", "also look for imports and data in DIR", NULL},        \
    {PLAN_STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},                 \
  {                                                                                                \
    PLAN_READ, 0, "allow-read", "DIR",                                                             \
      "let plans read files in DIR, besides their own folder and those of -I", NULL                \
  }
/* Of programs that a person starts; an editor lets no file load native code. */
#define PLAN_OPTIONS                                                                               \
  PLAN_FILE_OPTIONS,                                                                               \
  {                                                                                                \
    PLAN_NATIVE, 0, "allow-native", "FILE",                                                        \
      "let `extern fn` load and call FILE, a library of native code", NULL                         \
  }

typedef struct ts_plan_options {
  ts_compile_options compile; /* complete after every option */
  TS_VEC(ts_define) defines;
  TS_VEC(const char *) imports, reads, natives;
} ts_plan_options;

/* Takes one of these options. */
void ts_plan_option(ts_plan_options *p, ts_arena *arena, ts_options *o, int id);
/* Plans played at a time where none is stated: the number of processors. */
enum { TS_MOST_JOBS = 256 };
long ts_usual_jobs(void);
/* -W: how a warning is taken. The same. */
int ts_warning_option(ts_options *o, ts_diags *diags);

#endif
