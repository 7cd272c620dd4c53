/* How many micro-batches and replicas a step has, and whether the batch divides among them. */
#include "base/format.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/lower/lowering.h"

/* Axes that split tensors of the model. What is left besides the pipeline holds replicas. */
static uint32_t model_axes(const ts_lowering *l)
{
  uint32_t axes = 0;
  for (size_t c = 0; c < l->sh->classes.count; c++) {
    const ts_class *class = &l->sh->classes.at[c];
    const ts_op *op = &l->g->ops.at[class->op];
    for (uint32_t i = 0; i < op->slot_count; i++) {
      axes |= class->view[i].partial | class->edge[i].partial;
      for (int d = 0; d < TS_MAX_DIMS; d++)
        axes |= class->view[i].split[d] | class->edge[i].split[d];
    }
  }
  return axes;
}

static int64_t replicas(const ts_lowering *l, uint32_t pipeline_axis, uint32_t *axes)
{
  uint32_t taken = model_axes(l);
  int64_t n = 1;
  if (pipeline_axis != TS_NO_INDEX)
    taken |= UINT32_C(1) << pipeline_axis;
  *axes = 0;
  for (uint32_t a = 0; a < l->s->mesh->count; a++)
    if (!(taken >> a & 1)) {
      n *= l->s->mesh->axis[a].size;
      *axes |= UINT32_C(1) << a;
    }
  return n;
}

static bool uneven_batch(ts_lowering *l, int64_t micro, int64_t count, int64_t copies)
{
  const ts_plan *plan = l->plan;
  ts_span at =
    plan->span_of[TS_PLAN_batch].file ? plan->span_of[TS_PLAN_batch] : plan->decl->name_span;
  ts_diag *d = ts_diag_add(l->s->diags, TS_E0316, at, "the batch does not divide evenly");
  ts_diag_here(d, "the global batch is %lld", (long long)plan->global_batch);
  if (count) {
    ts_diag_note_at(
      d, l->sc->span,
      "the schedule runs %lld micro-batches of %lld on each of %lld replicas: %lld in all",
      (long long)count, (long long)micro, (long long)copies, (long long)(count * micro * copies));
    ts_diag_help(d, "let `global` be %lld, or the number of micro-batches `global / micro / %lld`",
                 (long long)(count * micro * copies), (long long)copies);
  } else {
    ts_diag_note(d, "%lld replicas with micro-batches of %lld need a multiple of %lld",
                 (long long)copies, (long long)micro, (long long)(copies * micro));
  }
  return false;
}

/* Micro-batches of a plan without a schedule. */
uint32_t ts_lower_neutral_batches(ts_lowering *l)
{
  uint32_t axes;
  int64_t copies = replicas(l, TS_NO_INDEX, &axes),
          micro = l->plan->micro_batch > 0 ? l->plan->micro_batch : 1;
  if (l->plan->global_batch <= 0)
    return 1;
  if (l->plan->global_batch % (copies * micro)) {
    uneven_batch(l, micro, 0, copies);
    l->failed = true;
    return 1;
  }
  int64_t count = l->plan->global_batch / copies / micro;
  uint32_t most = ts_most_micro_batches(&l->s->limits);
  if (count <= most)
    return (uint32_t)count;
  ts_diag *d =
    ts_diag_add(l->s->diags, TS_E0316, l->plan->span_of[TS_PLAN_batch],
                "a step of %s micro-batches is too long", ts_count_print(l->s->arena, count));
  ts_diag_here(d, "at most %s are possible", ts_count_print(l->s->arena, most));
  ts_diag_help(d, "take larger ones, `micro: ...`, or more replicas");
  l->failed = true;
  return 1;
}

static bool reduces_over(const ts_lowering *l, uint32_t axis)
{
  for (size_t c = 0; c < l->sh->classes.count; c++) {
    const ts_class *class = &l->sh->classes.at[c];
    for (uint32_t i = 0; i < class->comm_count; i++)
      if ((class->comms[i].when >= TS_WHEN_GRADIENTS ||
           class->comms[i].slot == TS_ALL_PARAMETERS) &&
          (class->comms[i].axes >> axis & 1))
        return true;
  }
  return false;
}

/* Ranks along the schedule's axis do different work: nothing can be split, gathered or summed along
 * it. */
bool ts_lower_check_axis(const ts_lowering *l)
{
  const ts_schedule *sc = l->sc;
  if (sc->axis == TS_NO_INDEX || sc->stages < 2)
    return true;
  for (size_t c = 0; c < l->sh->classes.count; c++) {
    const ts_class *class = &l->sh->classes.at[c];
    for (uint32_t i = 0; i < class->comm_count; i++) {
      const ts_comm *comm = &class->comms[i];
      if (!(comm->axes >> sc->axis & 1))
        continue;
      const ts_rule *rule = &l->sh->rules.at[comm->rule];
      const char *axis = l->s->mesh->axis[sc->axis].name;
      ts_diag *d = ts_diag_add(
        l->s->diags, TS_E0320, comm->span,
        "rule `%s` of `%s` has a collective over %s, whose ranks are stages of the pipeline",
        rule->ast->name, rule->strategy, axis);
      ts_diag_here(d, "of `%s`", l->g->ops.at[class->op].label);
      ts_diag_note_at(d, rule->applied, "applied here");
      ts_diag_note_at(d, sc->span, "`%s` places its stages along %s", sc->name, axis);
      ts_diag_help(d, "give the strategy another axis of the mesh: `mesh = { ..., %s }`", axis);
      return false;
    }
  }
  return true;
}

bool ts_lower_batch(ts_lowering *l)
{
  uint32_t axes;
  int64_t copies = replicas(l, l->sc->axis, &axes),
          micro = l->plan->micro_batch > 0 ? l->plan->micro_batch : 1;
  l->data_axes = axes;
  l->samples = micro * ts_schedule_batches(l->sc) * l->sc->copies * copies;
  for (uint32_t a = 0; a < l->s->mesh->count; a++)
    if ((axes >> a & 1) && l->s->mesh->axis[a].size > 1 && !reduces_over(l, a) && l->g->trained) {
      ts_diag *d = ts_diag_add(l->s->diags, TS_W0321, l->s->mesh->axis[a].span,
                               "no rule uses axis `%s`", l->s->mesh->axis[a].name);
      ts_diag_here(d, "%lld replicas that never exchange gradients",
                   (long long)l->s->mesh->axis[a].size);
      ts_diag_help(d, "apply a strategy over it, such as `data_parallel(%s)`",
                   l->s->mesh->axis[a].name);
    }
  return l->plan->global_batch <= 0 || l->plan->global_batch == l->samples ||
         uneven_batch(l, micro, (int64_t)ts_schedule_batches(l->sc) * l->sc->copies, copies);
}
