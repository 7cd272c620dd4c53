/* A profile and, behind the first byte 0xff, an execution trace: any bytes are read as both,
 * joined, and made a table of costs and one of a model, without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"
#include "trace/join.h"
#include "trace/model_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  const uint8_t *border = size ? memchr(bytes, 0xff, size) : NULL;
  ts_events *e =
    border ? ts_events_parse(arena, "profile", bytes, (size_t)(border - bytes), NULL, &error) :
             NULL;
  ts_events *graph = e ? ts_events_parse(arena, "execution", border + 1,
                                         (size_t)(bytes + size - border - 1), NULL, &error) :
                         NULL;
  FILE *out = graph && ts_events_join_shapes(e, graph) ? fopen("/dev/null", "w") : NULL;
  if (out) {
    const ts_events *const traces[] = {e};
    ts_op_table_write(ts_op_table_new(arena, traces, 1), traces, 1, out);
    ts_step *step = graph->format == TS_TRACE_EXECUTION && e->format == TS_TRACE_KINETO ?
                      ts_step_of_profile(arena, e, graph, &error) :
                      NULL;
    if (step)
      ts_model_table_write(ts_model_table_new(arena, step), step->source, out);
    fclose(out);
  }
  ts_arena_free(arena);
  return 0;
}
