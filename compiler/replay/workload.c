#include "compiler/replay/workload.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/eval/options.h"
#include "compiler/machine/cluster.h"

/* ---- The mesh ---- */

/* Of a plan of its own: its axes say what the file does not. There `ep` and `dp` are apart. */
static bool choose_sizes(ts_session *s, const ts_plan *plan, ts_workload_choice *choice)
{
  for (uint32_t i = 0; i < s->mesh->count; i++) {
    uint32_t a = 0;
    while (a < TS_WORKLOAD_AXES && strcmp(ts_workload_axis_names[a], s->mesh->axis[i].name) != 0)
      a++;
    if (a < TS_WORKLOAD_AXES && s->mesh->axis[i].size <= UINT32_MAX) {
      choice->size[a] = (uint32_t)s->mesh->axis[i].size;
      continue;
    }
    ts_diag *d = ts_diag_add(s->diags, TS_E0526, s->mesh->axis[i].span,
                             "a workload has no axis `%s`", s->mesh->axis[i].name);
    ts_diag_here(d, "the groups of workloads are of tp, ep, dp and pp");
    ts_diag_label(d, plan->span_of[TS_PLAN_model], "the workload");
    return false;
  }
  if (choice->size[TS_WORKLOAD_DP] && choice->size[TS_WORKLOAD_EP])
    choice->size[TS_WORKLOAD_DP] *= choice->size[TS_WORKLOAD_EP];
  return true;
}

/* The session's mesh becomes the workload's; models of networks keep to axes of the same name. */
static void set_mesh(ts_session *s, const ts_plan *plan, ts_replayed_workload *w)
{
  const ts_mesh given = *s->mesh;
  for (uint32_t i = 0; i < given.count; i++)
    for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
      if (strcmp(given.axis[i].name, ts_workload_axis_names[a]) == 0)
        w->axes_as[i] = 1u << a;
  s->mesh->open = false;
  s->mesh->count = TS_WORKLOAD_AXES;
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++) {
    s->mesh->axis[a].name = ts_lang_intern(s->lang, ts_workload_axis_names[a], 2);
    s->mesh->axis[a].size = w->mesh.size[a];
    s->mesh->axis[a].stride = w->mesh.stride[a];
    s->mesh->axis[a].span = plan->span_of[TS_PLAN_model];
  }
}

/* ---- The pipeline ---- */

/* std.import.simai says which schedule, where the plan does not. */
static bool library_schedule(ts_session *s, const ts_replayed_workload *w, ts_span span,
                             ts_value *schedule)
{
  static const char name[] = "pipeline";
  ts_module *m = ts_module_of_library(s, "std/import/simai.ts");
  ts_value function;
  if (!m || ts_diags_errors(s->diags))
    return false;
  ts_module_lookup(s, m, ts_lang_intern(s->lang, name, sizeof name - 1), span, &function);
  if (ts_diags_errors(s->diags))
    return false;
  ts_value args[3] = {{.type = TS_T_AXIS, .span = span},
                      ts_int_value(w->pipeline.micro_batches, span),
                      ts_int_value(w->pipeline.chunks, span)};
  args[0].u.axes = (ts_axes){.mask = 1u << TS_WORKLOAD_PP,
                             .text = ts_workload_axis_names[TS_WORKLOAD_PP]};
  *schedule = ts_settle(s, ts_call(s, function, args, NULL, 3, span));
  return schedule->type == TS_T_APPLIED && !ts_diags_errors(s->diags);
}

static bool misfit(ts_session *s, const ts_plan *plan, const char *why)
{
  ts_diag *d = ts_diag_add(s->diags, TS_E0526, plan->span_of[TS_PLAN_schedule],
                           "the schedule does not fit the workload: %s", why);
  ts_diag_here(d, "stated here");
  ts_diag_help(d, "leave `schedule` out: std.import.simai has one");
  return false;
}

/* Items of ranks as the workload's; steps are its own. */
static void take_order(ts_session *s, const ts_schedule *sc, ts_workload_order *order)
{
  uint32_t *first = TS_NEW_ARRAY(s->arena, uint32_t, sc->ranks + 1);
  TS_VEC(ts_workload_item) items = {0};
  for (uint32_t r = 0; r < sc->ranks; r++) {
    for (uint32_t i = 0; i < sc->order[r].count; i++) {
      const ts_placed *p = &sc->items.at[sc->order[r].first + i];
      bool whole = p->kind == TS_BACKWARD;
      if (p->kind != TS_STEP)
        TS_PUSH(s->arena, &items,
                ((ts_workload_item){.forward = p->kind == TS_FORWARD,
                                    .input = whole || p->kind == TS_INPUT_GRADIENT,
                                    .weight = whole || p->kind == TS_WEIGHT_GRADIENT,
                                    .stage = p->stage,
                                    .chunk = p->chunk,
                                    .micro_batch = p->micro_batch}));
    }
    first[r + 1] = (uint32_t)items.count;
  }
  *order = (ts_workload_order){
    .stages = sc->stages, .rank_of = sc->rank_of, .first = first, .items = items.at};
}

/* own: the plan's schedule, whose axes are those of the plan's mesh; else the library's. */
static bool find_order(ts_session *s, const ts_plan *plan, ts_replayed_workload *w, bool own)
{
  ts_plan of = *plan;
  of.protocols = ts_none_value();
  if (!own && !library_schedule(s, w, plan->span_of[TS_PLAN_model], &of.schedule))
    return false;
  ts_schedule *sc = ts_schedule_open(s, &of, w->pipeline.micro_batches);
  if (!sc || !ts_schedule_place(s, sc))
    return false;
  w->placed = sc;
  w->placed_on = *s->mesh;
  ts_arena *arena = s->arena;
  uint32_t ranks = w->mesh.size[TS_WORKLOAD_PP], many = w->pipeline.micro_batches,
           lines = w->pipeline.lines;
  const char *why =
    sc->ranks != ranks ? ts_arena_printf(arena, "%u ranks, not %u", sc->ranks, ranks) :
    sc->micro_batches != many ?
                         ts_arena_printf(arena, "%u micro-batches, not %u", sc->micro_batches, many) :
    sc->chunks > lines ?
                         ts_arena_printf(arena, "%u parts of %u lines", sc->chunks, lines) :
    sc->copies > 1     ? "copies of the model, of which a workload has one" :
                         NULL;
  if (why)
    return misfit(s, plan, why);
  w->pipeline.chunks = sc->chunks;
  if (!sc->policy)
    take_order(s, sc, &w->order);
  return true;
}

/* Stages are alike, and a workload knows no memory: limits of it are never reached. */
bool ts_replayed_workload_settle(ts_lowering *l, ts_replayed_workload *w,
                                 const ts_rank_prices *prices, ts_error *error)
{
  ts_schedule *sc = w->placed;
  if (!w->pipelined || !sc->policy)
    return true;
  ts_arena *arena = l->s->arena;
  ts_workload_times *parts = TS_NEW_ARRAY(arena, ts_workload_times, w->pipeline.chunks);
  if (!ts_workload_part_times(l->b, w->e, &w->pipeline, prices, parts, error))
    return false;
  ts_stage_cost *of_stage = TS_NEW_ARRAY(arena, ts_stage_cost, sc->stages);
  for (uint32_t s = 0; s < sc->stages; s++) {
    const uint64_t *pass = parts[sc->chunk_of[s]].pass;
    uint64_t *time = of_stage[s].time;
    time[TS_FORWARD] = pass[TS_LINE_FORWARD];
    time[TS_INPUT_GRADIENT] = pass[TS_LINE_INPUT];
    time[TS_WEIGHT_GRADIENT] = pass[TS_LINE_WEIGHT];
    time[TS_BACKWARD] = pass[TS_LINE_INPUT] + pass[TS_LINE_WEIGHT];
  }
  ts_stage_costs costs = {.at = of_stage,
                          .message = ts_stage_message_time(l, w->e->workload->stage_bytes)};
  ts_mesh here = *l->s->mesh;
  *l->s->mesh = w->placed_on;
  bool settled = ts_schedule_settle(l->s, sc, &costs);
  *l->s->mesh = here;
  if (!settled)
    return false;
  take_order(l->s, sc, &w->order);
  return true;
}

bool ts_replayed_workload_new(ts_session *s, const ts_plan *plan, const ts_events *e,
                              ts_replayed_workload *w, ts_error *error)
{
  const ts_applied *model = s->options->ranks ? NULL : plan->model.u.applied;
  const ts_value *step = model ? ts_record_find(&model->args, "step") : NULL;
  *w = (ts_replayed_workload){.e = e};
  if (s->options->workload)
    w->choice = *s->options->workload;
  if (step && step->type == TS_T_INT)
    w->choice.step = step->u.integer;
  if (model && !choose_sizes(s, plan, &w->choice))
    return false;
  if (w->choice.step < 0)
    return ts_fail(error, "steps are counted from 1", "step %" PRId64, w->choice.step);
  uint32_t devices = plan->cluster.type == TS_T_CLUSTER ? plan->cluster.u.cluster->device_count : 0;
  if (!ts_workload_mesh_of(e, &w->choice, devices, &w->mesh, error))
    return false;
  if (w->mesh.world > s->limits.ranks)
    return ts_fail(error, "play a smaller job", "it is of %u ranks; at most %u are played",
                   w->mesh.world, (uint32_t)s->limits.ranks);
  w->pipelined = ts_workload_pipeline_of(e, &w->mesh, &w->pipeline);
  bool own = w->pipelined && model && plan->schedule.type == TS_T_APPLIED;
  if (own && !find_order(s, plan, w, true))
    return false;
  set_mesh(s, plan, w);
  return own || !w->pipelined || find_order(s, plan, w, false);
}

/* ---- What is told ---- */

/* Computations without a time, or of SimAI's 1 ns; stated: whose work is known. */
static uint32_t without_time(const ts_events *e, bool stated)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    count += v->detail == TS_EVENT_NONE && v->duration <= TS_WORKLOAD_PLACEHOLDER &&
             ts_states_work(ts_event_work_of(e, i)) == stated;
  }
  return count;
}

void ts_replayed_workload_tell(ts_lowering *l, const ts_replayed_workload *w,
                               const ts_workload_facts *f)
{
  uint32_t priced = without_time(w->e, true), blind = without_time(w->e, false),
           stages = w->mesh.size[TS_WORKLOAD_PP];
  if (!f->computations)
    ts_lower_assume(l, "the workload has no computation: communication alone is played");
  if (priced)
    ts_lower_assume(l, "%u computations without a time: products of matrices in bf16", priced);
  if (f->computations && blind)
    ts_lower_assume(l, "%u computations take no time, or 1 ns: not measured, no work stated", blind);
  if (f->alone)
    ts_lower_assume(l, "%u call%s over groups of one rank: no time, whatever their bytes", f->alone,
                    f->alone == 1 ? " is" : "s are");
  if (f->stages_alike)
    ts_lower_assume(l, f->pipelined ? "the %u stages do alike, embedding and head too" :
                                      "the %u stages do alike: no messages between them, no bubble",
                    stages);
  if (f->pipelined) {
    ts_lower_assume(l, "%u micro-batch%s by %s, %u part%s a stage", w->pipeline.micro_batches,
                    w->pipeline.micro_batches == 1 ? "" : "es", w->placed->name,
                    w->pipeline.chunks, w->pipeline.chunks == 1 ? "" : "s");
    if (w->placed->policy)
      ts_lower_assume(l, "`%s` is made of computing times; memory, of which the workload says "
                         "nothing, limits it nowhere",
                      w->placed->name);
    ts_lower_assume(l, "`pp_comm`: %" PRId64 " bytes from part to part", f->stage_bytes);
  }
}
