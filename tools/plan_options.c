#include "tools/plan_options.h"

#include <stdlib.h>
#include <string.h>

static int add_define(plan_options *p, ts_arena *arena, const ts_options *o)
{
  const char *equals = strchr(o->argument, '=');
  if (!equals || equals == o->argument)
    return ts_options_wrong(o, "`-D` takes NAME=EXPR, not `%s`", o->argument);
  const char *name = ts_arena_string(arena, o->argument, (size_t)(equals - o->argument));
  TS_PUSH(arena, &p->defines, (ts_define){name, equals + 1});
  return TS_EXIT_DONE;
}

int plan_option(plan_options *p, ts_arena *arena, const ts_options *o, int id)
{
  int status = TS_EXIT_DONE;
  switch (id) {
  case PLAN_DEFINE: status = add_define(p, arena, o); break;
  case PLAN_NAME: p->compile.plan_name = o->argument; break;
  case PLAN_IMPORT: TS_PUSH(arena, &p->imports, o->argument); break;
  case PLAN_STDLIB: p->compile.stdlib_dir = o->argument; break;
  }
  p->compile.defines = p->defines.at;
  p->compile.define_count = (uint32_t)p->defines.count;
  p->compile.import_dirs = p->imports.at;
  p->compile.import_dir_count = (uint32_t)p->imports.count;
  return status;
}

int write_output(const ts_options *o, const char *path, void (*put)(const void *closure, FILE *out), const void *closure)
{
  if (!path || strcmp(path, "-") == 0) {
    put(closure, stdout);
    return ts_options_finish(o, stdout, TS_EXIT_DONE);
  }
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (!memory)
    abort(); /* out of memory, as in the arena */
  put(closure, memory);
  fclose(memory);
  int error = ts_write_file(path, text, size);
  free(text);
  if (!error)
    return TS_EXIT_DONE;
  fprintf(stderr, "%s: cannot write %s: %s\n", o->called, path, strerror(error));
  return TS_EXIT_ENVIRONMENT;
}
