/* Any bytes behind the members that lead an execution graph are read, written, made a model,
 * and played as the graph of the one rank, without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"
#include "tests/play_ranks.h"
#include "trace/model_table.h"
#include "trace/read/rank_graph.h"
#include "trace/write/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void write_graph(const ts_events *e)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return;
  ts_arena *arena = ts_arena_new("again");
  ts_error error = {0};
  if (!ts_export_write(ts_export_new(arena, TS_EXPORT_GRAPH, e, 1, 0), out, &error))
    abort();
  fclose(out);
  ts_events *again = ts_events_parse(arena, "again", text, size, NULL, &error);
  if (!again || again->count != e->count) /* what we write we read */
    abort();
  ts_arena_free(arena);
  free(text);
}

static void write_model(const ts_events *e)
{
  ts_arena *arena = ts_arena_new("model");
  ts_error error = {0};
  ts_step *step = ts_step_of_graph(arena, e, &error);
  FILE *out = step ? fopen("/dev/null", "w") : NULL;
  if (out) {
    ts_model_table_write(ts_model_table_new(arena, step), step->source, out);
    fclose(out);
  }
  ts_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char head[] =
    "{\"format\":\"trainspec-graph\",\"version\":1,\"rank\":0,\"world\":1,\"groups\":[{\"id\":0,"
    "\"ranks\":[0]}],"
    "\"streams\":[{\"id\":0,\"kind\":\"compute\"},{\"id\":1,\"kind\":\"comm\"}],\"nodes\":[";
  char *whole = malloc(sizeof head + size);
  if (!whole)
    return 0;
  memcpy(whole, head, sizeof head - 1);
  if (size)
    memcpy(whole + sizeof head - 1, bytes, size);
  size += sizeof head - 1;
  use_trace(whole, size);
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  ts_events *e = ts_events_parse(arena, "fuzz", whole, size, NULL, &error);
  if (e && !e->cut && e->format == TS_TRACE_GRAPH) {
    write_graph(e);
    write_model(e);
    play_or_refuse_ranks((const ts_events *const[]){e}, 1);
  }
  ts_arena_free(arena);
  free(whole);
  return 0;
}
