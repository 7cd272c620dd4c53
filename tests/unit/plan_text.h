/* A plan given as text, compiled. */
#ifndef TS_TESTS_UNIT_PLAN_TEXT_H
#define TS_TESTS_UNIT_PLAN_TEXT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compiler/compile.h"

typedef struct plan_text { ts_arena *arena; ts_session *session; ts_input input; } plan_text;

typedef struct plan_path { char text[512]; } plan_path;

/* The text in a file of this process, for the caller to remove. */
static inline plan_path plan_write(const char *text)
{
  plan_path path;
  const char *scratch = getenv("TMPDIR");
  snprintf(path.text, sizeof path.text, "%s/plan_text.%ld.ts", scratch ? scratch : "/tmp",
           (long)getpid());
  FILE *file = fopen(path.text, "w");
  cr_assert(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static inline plan_text plan_open(const char *text)
{
  plan_text p = {.arena = ts_arena_new("test")};
  plan_path path = plan_write(text);
  p.session = ts_session_new(p.arena);
  ts_compile_options options = {0};
  bool compiled = ts_input_open(p.session, path.text, &options, &p.input);
  remove(path.text);
  if (!compiled)
    ts_diags_print(p.session->diags, stderr, TS_COLOR_NEVER);
  cr_assert(compiled, "%s", text);
  return p;
}

static inline void plan_close(plan_text *p)
{
  ts_input_close(&p->input);
  ts_arena_free(p->arena);
}

#endif
