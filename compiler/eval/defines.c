#include "compiler/eval/defines.h"

#include <string.h>

#include "base/digest.h"
#include "compiler/eval/files.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"

/* By an earlier plan of the session. */
static const struct ts_read_define *defined_before(const ts_session *s, const ts_define *define)
{
  for (size_t i = 0; i < s->defined->read.count; i++) {
    const struct ts_read_define *known = &s->defined->read.at[i];
    if (!strcmp(known->dependency.name + strlen("-D "), define->name) &&
        !strcmp(ts_sources_get(s->sources, known->dependency.file)->text, define->expression))
      return known;
  }
  return NULL;
}

static struct ts_read_define parse_define(ts_session *s, const ts_define *define)
{
  size_t size = strlen(define->expression);
  struct ts_read_define read = {.dependency = {.role = "command line"}};
  read.dependency.name = ts_arena_printf(s->lasting, "-D %s", define->name);
  ts_digest_bytes(define->expression, size, read.dependency.sha256);
  read.dependency.file = ts_sources_add(s->sources, read.dependency.name, read.dependency.role,
                                        define->expression, size);
  ts_aside before = ts_session_set_aside(s); /* its parameter says whether it must be one */
  read.ast = ts_parse_expr(s->lang, read.dependency.file);
  ts_session_take_up(s, before);
  if (s->reuse->plan_cache)
    TS_PUSH(s->lasting, &s->defined->read, read);
  return read;
}

static void read_define(ts_session *s, uint32_t i)
{
  const struct ts_read_define *known = defined_before(s, &s->options->defines[i]);
  struct ts_read_define read = known ? *known : parse_define(s, &s->options->defines[i]);
  s->defined->file[i] = read.dependency.file;
  s->defined->ast[i] = read.ast;
  TS_PUSH(s->lasting, &s->files->dependencies, read.dependency);
  ts_session_mapped_as(s, read.dependency.file, s->files->dependencies.count);
}

const ts_ast *ts_session_define(ts_session *s, const char *name, uint32_t *index)
{
  if (s->options->define_count && !s->defined->ast) {
    s->defined->ast = TS_NEW_ARRAY(s->lasting, const ts_ast *, s->options->define_count);
    s->defined->file = TS_NEW_ARRAY(s->lasting, uint32_t, s->options->define_count);
  }
  for (uint32_t i = s->options->define_count; i-- > 0;) { /* the last one wins */
    if (strcmp(s->options->defines[i].name, name))
      continue;
    if (!s->defined->file[i])
      read_define(s, i);
    *index = i;
    return s->defined->ast[i];
  }
  *index = UINT32_MAX;
  return NULL;
}
