#include "compiler/model/traced_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "compiler/eval/files.h"
#include "trace/model_table.h"
#include "trace/read/rank_graph.h"

const char ts_graph_rank_place[] = "{rank}";

const char *ts_graph_file_of_rank(ts_arena *arena, const char *pattern, uint32_t rank)
{
  const char *at = pattern ? strstr(pattern, ts_graph_rank_place) : NULL;
  return at ? ts_arena_printf(arena, "%.*s%" PRIu32 "%s", (int)(at - pattern), pattern, rank,
                              at + sizeof "{rank}" - 1) :
              pattern;
}

static bool begins_object(const char *text) { return text[strspn(text, " \t\r\n")] == '{'; }

static ts_events *parse(ts_arena *arena, const ts_table_text *file, ts_error *error)
{
  static const ts_events_options options = {.no_memory = true};
  return ts_events_parse(arena, file->name, file->text, file->size, &options, error);
}

bool ts_plan_divides(ts_session *s, const ts_plan *plan)
{
  static const ts_plan_field fields[] = {TS_PLAN_mesh,      TS_PLAN_apply,     TS_PLAN_schedule,
                                         TS_PLAN_recompute, TS_PLAN_optimizer, TS_PLAN_protocols};
  const ts_applied *model = plan->model.type == TS_T_APPLIED ? plan->model.u.applied : NULL;
  bool says = false;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    says |= plan->span_of[fields[i]].file != 0;
  if (!says || !model || model->decl || strcmp(model->name, "graph") != 0)
    return false;
  const char *pattern = ts_record_find(&model->args, "file")->u.string,
             *name = ts_graph_file_of_rank(s->arena, pattern, 0);
  ts_found found;
  ts_table_text file = {.name = name};
  if (!ts_session_resolve(s, model->span.file, name, &found) ||
      !(file.text =
          ts_session_read(s, model->span.file, name, "trace", model->span, &file.size, &found)) ||
      !begins_object(file.text))
    return false;
  ts_error error = {0};
  ts_arena *scratch = ts_arena_new("graph of a rank");
  const ts_events *e = parse(scratch, &file, &error);
  bool alone = e && e->format == TS_TRACE_GRAPH && e->world == 1;
  ts_arena_free(scratch);
  return alone;
}

static bool traced_graph_refuse(ts_session *s, const ts_table_source *source, const char *name,
                                const ts_error *error)
{
  ts_diag *d = ts_diag_add(s->diags, TS_E0525, source->span, "cannot make a model of `%s`: %s",
                           name, error->message);
  if (error->line)
    ts_diag_fact(d, "where", "line %u, byte %" PRIu64 " of the text", error->line, error->begin);
  if (error->help[0])
    ts_diag_help(d, "%s", error->help);
  return false;
}

static const ts_step *step_of(ts_session *s, const ts_table_text *file, ts_error *error)
{
  const ts_events *e = parse(s->arena, file, error);
  if (!e)
    return NULL;
  if (e->format != TS_TRACE_GRAPH) {
    ts_fail(error,
            "graphs of `trainspec-trace` are models; `trainspec table --model` makes a "
            "table of a profile and its execution trace",
            "its format is %s", ts_trace_format_name(e->format));
    return NULL;
  }
  if (e->graph->short_in) {
    ts_fail(error, "trace it where it has room: trainspec-trace --memory",
            "its rank ran out of memory in `%.60s`, and it ends there",
            ts_events_text(e, e->graph->short_in));
    return NULL;
  }
  return ts_step_of_graph(s->arena, e, error);
}

static void write_table(ts_session *s, const ts_model_table *table, ts_table_text *to)
{
  char *text;
  size_t size;
  FILE *out = ts_heap_print(&text, &size);
  ts_model_table_write(table, to->name, out);
  ts_heap_printed(out);
  to->text = ts_arena_string(s->arena, text, size);
  to->size = size;
  free(text);
}

bool ts_rows_of_graph(ts_session *s, const ts_table_source *source, ts_table_text *table)
{
  ts_error error = {0};
  if (!begins_object(table->text))
    return true;
  const ts_step *step = step_of(s, table, &error);
  if (!step)
    return traced_graph_refuse(s, source, table->name, &error);
  const ts_model_table *rows = ts_model_table_new(s->arena, step);
  if (!rows->parameters)
    ts_fail(&error, "trace a whole step: forward, backward and optimizer",
            "no operator takes a parameter");
  else
    write_table(s, rows, table);
  return !error.message[0] || traced_graph_refuse(s, source, table->name, &error);
}
