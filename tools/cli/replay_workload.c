#include "tools/cli/replay_workload.h"

#include <inttypes.h>

#include "base/json_writer.h"

bool ts_workload_compile(ts_trace_task *t, const ts_events *e, const ts_workload_choice *choice,
                         const ts_replay_place *place, ts_workload_facts *facts, ts_input *input,
                         int *status)
{
  ts_error error = {0};
  ts_workload_mesh mesh = {.world = 1};
  ts_replay_place on = *place;
  if (!on.plan && !on.machine)
    ts_fail(&error, "--plan PLAN, or --machine FLOPS:BANDWIDTH:LINK:LATENCY as 400T:3T:450G:5us",
            "a workload says nothing of the machine");
  else if (on.machine) /* as many devices as ranks */
    ts_workload_mesh_of(e, choice, 0, &mesh, &error);
  if (error.message[0]) {
    *status = ts_trace_task_refuse(t, "play", e->file, &error);
    return false;
  }
  on.options.workload = choice;
  on.options.workload_facts = facts;
  on.devices = mesh.world;
  return ts_graphs_compile(t, &e, 1, &on, input, status);
}

static void replay_workload_put_text(void *closure, uint64_t step, FILE *out)
{
  const ts_workload_facts *f = closure;
  const uint32_t *size = f->mesh.size;
  uint32_t data = size[TS_WORKLOAD_EP] * size[TS_WORKLOAD_DP];
  fprintf(out, "\n  mesh: tp %u, dp %u", size[TS_WORKLOAD_TP], data);
  if (size[TS_WORKLOAD_EP] > 1)
    fprintf(out, " (ep %u)", size[TS_WORKLOAD_EP]);
  fprintf(out, ", pp %u\n", size[TS_WORKLOAD_PP]);
  if (f->steps)
    fprintf(out, "  step %u of %u: %u rows; %u of other steps and before the first are left out\n",
            f->step, f->steps, f->events, f->left_out);
  if (f->measured >= 0)
    fprintf(out, "  measured: %.3f ms; the step simulated is %+.1f %% off\n",
            (double)f->measured / 1e6,
            f->measured ? 100.0 * ((double)step / 1e3 / (double)f->measured - 1) : 0);
  if (f->measured_comm > 0)
    fprintf(out, "  measured calls of a rank of each stage add up to %.3f ms\n",
            (double)f->measured_comm / 1e6);
}

static void replay_workload_put_json(void *closure, ts_json_writer *w)
{
  const ts_workload_facts *f = closure;
  ts_json_line(w, 1);
  ts_json_begin(w, "mesh", '{');
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    ts_json_put_count(w, ts_workload_axis_names[a], f->mesh.size[a]);
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
  ts_json_put_bool(w, "pipelined", f->pipelined);
  if (f->measured >= 0)
    ts_json_put_signed(w, "measured_ns", f->measured);
}

int ts_replay_workload(ts_trace_task *t, const ts_events *e, const ts_workload_choice *choice,
                       const ts_replay_place *place, bool json)
{
  ts_workload_facts facts;
  ts_input input = {0};
  int status;
  if (!ts_workload_compile(t, e, choice, place, &facts, &input, &status))
    return status;
  status =
    ts_replay_made(t, &input.ir, e->file, json,
                   &(ts_replay_notes){replay_workload_put_text, replay_workload_put_json, &facts});
  ts_input_close(&input);
  return status;
}
