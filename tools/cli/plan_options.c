#include "tools/cli/plan_options.h"

#include <string.h>
#include <unistd.h>

static void add_define(ts_plan_options *p, ts_arena *arena, ts_options *o)
{
  const char *equals = strchr(o->argument, '=');
  size_t name =
    strspn(o->argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
  if (!equals || !name || o->argument + name != equals || !equals[1])
    ts_options_wrong(o, "`%s` takes NAME=EXPR without blanks, such as tp=4, not `%s`", o->spelled,
                     o->argument);
  else
    TS_PUSH(arena, &p->defines, (ts_define){ts_arena_string(arena, o->argument, name), equals + 1});
}

long ts_usual_jobs(void)
{
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors > TS_MOST_JOBS ? TS_MOST_JOBS : processors;
}

void ts_plan_option(ts_plan_options *p, ts_arena *arena, ts_options *o, int id)
{
  switch (id) {
  case PLAN_DEFINE: add_define(p, arena, o); break;
  case PLAN_NAME: p->compile.plan_name = o->argument; break;
  case PLAN_IMPORT: TS_PUSH(arena, &p->imports, o->argument); break;
  case PLAN_READ: TS_PUSH(arena, &p->reads, o->argument); break;
  case PLAN_NATIVE: TS_PUSH(arena, &p->natives, o->argument); break;
  case PLAN_STDLIB: p->compile.stdlib_dir = o->argument; break;
  }
  p->compile.defines = p->defines.at;
  p->compile.define_count = (uint32_t)p->defines.count;
  p->compile.import_dirs = p->imports.at;
  p->compile.read_dirs = p->reads.at;
  p->compile.read_dir_count = (uint32_t)p->reads.count;
  p->compile.natives = p->natives.at;
  p->compile.native_count = (uint32_t)p->natives.count;
  p->compile.import_dir_count = (uint32_t)p->imports.count;
}

int ts_warning_option(ts_options *o, ts_diags *diags)
{
  const char *words[64], *name = o->argument;
  size_t count = 0;
  if (ts_diags_warning_option(diags, name))
    return TS_EXIT_DONE;
  for (; count < 63 && ts_warning_name(count); count++)
    words[count] = ts_warning_name(count);
  words[count] = NULL;
  name += strncmp(name, "no-", 3) == 0 ? 3 : 0;
  name += strncmp(name, "error=", 6) == 0 ? 6 : 0;
  return ts_options_not_among(o, "warning", name, words);
}
