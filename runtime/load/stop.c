#include "runtime/load/stop.h"

#include "ir/ir.h"

int ts_stop_set(ts_stop *stop, int exit_code, const char *code, const char *name,
                const char *format, ...)
{
  TS_FORMATTED(stop->arena, format, stop->title);
  stop->exit_code = exit_code;
  stop->code = code;
  stop->name = name;
  stop->loc = TS_IR_NONE;
  stop->label = stop->help = NULL;
  stop->fact_count = 0;
  return -1;
}

int ts_stop_interrupted(ts_stop *stop)
{
  return ts_stop_set(stop, TS_EXIT_ENVIRONMENT, NULL, NULL, "interrupted");
}

void ts_stop_fact(ts_stop *stop, const char *name, const char *format, ...)
{
  if (stop->fact_count == sizeof stop->facts / sizeof stop->facts[0])
    return;
  va_list args;
  va_start(args, format);
  stop->facts[stop->fact_count++] = (ts_fact){name, ts_arena_vprintf(stop->arena, format, args)};
  va_end(args);
}

void ts_stop_help(ts_stop *stop, const char *format, ...)
{
  TS_FORMATTED(stop->arena, format, stop->help);
}
