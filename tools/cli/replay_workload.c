#include "tools/cli/replay_workload.h"

#include <inttypes.h>

#include "base/escape.h"
#include "compiler/compile.h"
#include "tools/cli/replay_graph.h"

/* The diagnostics of the plan are those of the task. */
static ts_ir_builder *made_on_plan(ts_trace_task *t, const ts_events *e,
                                   const ts_workload_run *run, ts_workload_facts *facts,
                                   ts_error *error)
{
  ts_session *s = ts_session_new(t->arena);
  ts_input input = {0};
  ts_compile_options usual = {0};
  ts_ir_builder *b = NULL;
  if (ts_input_open(s, run->plan, &usual, &input)) {
    b = ts_workload_ir(e, &run->choice, run->machine, &input.ir, facts, error);
    ts_input_close(&input);
  }
  ts_options_report(&t->options, s->diags);
  return b;
}

ts_ir_builder *ts_workload_made(ts_trace_task *t, const ts_events *e, const ts_workload_run *run,
                                ts_workload_facts *facts)
{
  ts_error error = {0};
  if (!run->machine && !run->plan)
    ts_fail(&error, "--plan PLAN, or --machine FLOPS:BANDWIDTH:LINK:LATENCY as 400T:3T:450G:5us",
            "a workload says nothing of the machine");
  ts_ir_builder *b = error.message[0] ? NULL :
                     run->plan ? made_on_plan(t, e, run, facts, &error) :
                                 ts_workload_ir(e, &run->choice, run->machine, NULL, facts, &error);
  if (error.message[0])
    ts_trace_task_refuse(t, "play", e->file, &error);
  return b;
}

static void put_text(void *closure, uint64_t step, FILE *out)
{
  const ts_workload_facts *f = closure;
  uint32_t data = f->size[TS_WORKLOAD_EP] * f->size[TS_WORKLOAD_DP];
  fprintf(out, "\n  mesh: tp %u, dp %u", f->size[TS_WORKLOAD_TP], data);
  if (f->size[TS_WORKLOAD_EP] > 1)
    fprintf(out, " (ep %u)", f->size[TS_WORKLOAD_EP]);
  fprintf(out, ", pp %u\n", f->size[TS_WORKLOAD_PP]);
  if (f->steps)
    fprintf(out, "  step %u of %u: %u rows; %u of other steps and before the first are left out\n",
            f->step, f->steps, f->events, f->left_out);
  if (f->measured >= 0)
    fprintf(out, "  measured: %.3f ms; the step played is %+.1f %% off\n", (double)f->measured / 1e6,
            f->measured ? 100.0 * ((double)step / 1e3 / (double)f->measured - 1) : 0);
  if (f->measured_comm > 0)
    fprintf(out, "  measured calls of a rank of each stage add up to %.3f ms\n",
            (double)f->measured_comm / 1e6);
  if (!f->computations)
    fputs("  not modelled: computation, of which the file has none: communication alone is "
          "played\n",
          out);
  else if (f->untimed || f->placeholders)
    fprintf(out,
            "  computations without a time: %u of %u, and %u of 1 ns, which is no measurement\n",
            f->untimed, f->computations, f->placeholders);
  if (f->stages_alike)
    fprintf(out,
            "  not modelled: the %u stages of the pipeline, which all do what the file lists; no "
            "messages\n  between them (%" PRId64 " bytes each, %" PRId64
            " micro-batches), and no idle time of filling it\n",
            f->size[TS_WORKLOAD_PP], f->stage_bytes < 0 ? 0 : f->stage_bytes,
            f->micro_batches < 0 ? 0 : f->micro_batches);
}

static void put_json(void *closure, ts_json_writer *w)
{
  const ts_workload_facts *f = closure;
  static const char *const names[TS_WORKLOAD_AXES] = {"tp", "ep", "dp", "pp"};
  ts_json_line(w, 1);
  ts_json_begin(w, "mesh", '{');
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++) ts_json_put_count(w, names[a], f->size[a]);
  ts_json_end(w, '}');
  ts_json_line(w, 1);
  ts_json_put_count(w, "workload_step", f->step);
  ts_json_put_count(w, "workload_steps", f->steps);
  ts_json_put_count(w, "rows", f->events);
  ts_json_put_count(w, "rows_left_out", f->left_out);
  ts_json_line(w, 1);
  ts_json_put_count(w, "computations", f->computations);
  ts_json_put_count(w, "untimed", f->untimed);
  ts_json_put_count(w, "placeholders", f->placeholders);
  ts_json_put_bool(w, "stages_alike", f->stages_alike);
  if (f->measured >= 0)
    ts_json_put_signed(w, "measured_ns", f->measured);
  ts_json_last_line(w, 0);
}

int ts_replay_workload(ts_trace_task *t, const ts_events *e, const ts_workload_run *run, bool json)
{
  ts_workload_facts facts;
  ts_ir_builder *b = ts_workload_made(t, e, run, &facts);
  if (!b)
    return TS_EXIT_REJECTED;
  ts_ir ir;
  ts_ir_builder_view(b, &ir);
  int status = ts_replay_made(t, &ir, e->file, json,
                              &(ts_replay_notes){put_text, put_json, &facts});
  ts_ir_builder_free(b);
  return status;
}
