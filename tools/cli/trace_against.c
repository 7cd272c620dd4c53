#include "tools/cli/trace_against.h"

#include <inttypes.h>

#include "base/escape.h"
#include "runtime/account/memory.h"
#include "runtime/report/report.h"
#include "runtime/report/summary.h"

struct ts_against {
  const char *path;
  ts_input input;
  ts_run *run;
  const ts_memory *memory;
};

ts_against *ts_against_new(ts_trace_task *t, const char *path, const ts_plan_options *options,
                           int *status)
{
  ts_session *s = ts_session_new(t->arena);
  ts_against *a = TS_NEW(t->arena, ts_against);
  a->path = path;
  bool opened = ts_input_open(s, path, &options->compile, &a->input);
  *status = ts_options_report(&t->options, s->diags);
  if (!opened)
    return NULL;
  ts_stop stop = {.arena = t->arena};
  a->run = ts_run_new(&a->input.ir, &(ts_run_options){0}, &stop);
  if (a->run) {
    a->memory = ts_memory_new(t->arena, &a->input.ir, a->run);
    return a;
  }
  ts_stop_print(&stop, t->options.called, stderr);
  *status = stop.exit_code;
  ts_input_close(&a->input);
  return NULL;
}

void ts_against_free(ts_against *a)
{
  ts_run_free(a->run);
  ts_input_close(&a->input);
}

static const ts_memory_class *class_for(const ts_against *a, const ts_trace_summary *s)
{
  int64_t rank = s->events->rank;
  if (rank >= (int64_t)a->input.ir.meta->world)
    return NULL;
  return &a->memory->classes[rank < 0 ? a->memory->fullest : ts_run_result(a->run)->class_of[rank]];
}

static double gib(double bytes) { return bytes / (double)(1 << 30); }

static void trace_against_put_row(const ts_trace_summary *s, const ts_memory_class *c, FILE *out)
{
  int64_t rank = s->events->rank < 0 ? c->rank : s->events->rank;
  fprintf(out, "  %6" PRId64 " %10.3f GiB %10.3f GiB %+7.1f %%   ", rank,
          gib((double)s->memory_peak), gib((double)c->peak),
          s->memory_peak > 0 ? 100 * ((double)c->peak / (double)s->memory_peak - 1) : 0);
  const char *separator = "";
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    if (c->category[k]) {
      ts_put_text(out, "%s%s %.3f", separator, ts_category_name(k), gib((double)c->category[k]));
      separator = ", ";
    }
  fputc('\n', out);
}

static void put_object(const ts_trace_summary *s, const ts_memory_class *c, ts_json_writer *w)
{
  ts_json_begin(w, NULL, '{');
  ts_json_put_signed(w, "rank", s->events->rank < 0 ? c->rank : s->events->rank);
  ts_json_put_signed(w, "recorded_bytes", s->memory_peak);
  ts_json_put_count(w, "model_bytes", c->peak);
  ts_json_begin(w, "model", '{');
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    ts_json_put_count(w, ts_category_name(k), c->category[k]);
  ts_json_end(w, '}');
  ts_json_end(w, '}');
}

void ts_against_text(const ts_against *a, const ts_trace_summary *const *summaries, size_t count,
                     FILE *out)
{
  ts_put_text(
    out,
    "\nmemory at its peak, against the model of %s\n\n  %6s %14s %14s %9s   of the model, GiB\n",
    ts_base_name(a->path), "rank", "recorded", "model", "differ");
  for (size_t i = 0; i < count; i++) {
    const ts_trace_summary *s = summaries[i];
    const ts_memory_class *c = class_for(a, s);
    if (s->memory_peak < 0)
      ts_put_text(out, "  %s: memory was not recorded\n", ts_base_name(s->events->file));
    else if (!c)
      ts_put_text(out, "  %s: rank %" PRId64 ", and the plan has %u ranks\n",
                  ts_base_name(s->events->file), s->events->rank, a->input.ir.meta->world);
    else
      trace_against_put_row(s, c, out);
  }
}

void ts_against_json(const ts_against *a, const ts_trace_summary *const *summaries, size_t count,
                     ts_json_writer *w, const char *key)
{
  ts_json_begin(w, key, '[');
  for (size_t i = 0; i < count; i++) {
    const ts_memory_class *c = class_for(a, summaries[i]);
    if (summaries[i]->memory_peak >= 0 && c)
      put_object(summaries[i], c, w);
  }
  ts_json_end(w, ']');
}
