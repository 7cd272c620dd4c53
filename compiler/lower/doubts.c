/* What compiles, and is likely a slip all the same. What only playing shows:
 * runtime/report/plausible.h. */
#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/lower/lowering.h"

/* A share of the model's FLOP that several ranks compute alike. Norms and routers, which tensor
 * parallelism repeats by design, have hardly any. */
static const double redundant_matters = 0.1;

/* -- tokens -- */

/* Ids that the model takes: those of one input, or of all together. */
static bool takes_tokens(const ts_lowering *l, double tokens)
{
  double all = 0, samples = (double)(l->plan->micro_batch > 0 ? l->plan->micro_batch : 1);
  bool one = false;
  for (size_t i = 0; i < l->g->tensors.count; i++) {
    const ts_edge *e = &l->g->tensors.at[i];
    if (e->producer != TS_NO_INDEX || e->source != i || !ts_dtype_is_integer(e->dtype))
      continue;
    double elements = ts_shape_elements(e->shape) / samples;
    one |= elements == tokens;
    all += elements;
  }
  return one || all == tokens;
}

static void doubt_tokens(ts_lowering *l)
{
  double stated = l->plan->tokens_per_sample, taken = l->g->tokens_per_sample;
  if (!(stated > 0) || !(taken > 0) || takes_tokens(l, stated))
    return;
  ts_diag *d = ts_diag_add(l->s->diags, TS_W0801, l->plan->span_of[TS_PLAN_tokens],
                           "the plan counts %s tokens a sample, the model takes %s",
                           ts_count_print(l->s->arena, (int64_t)stated),
                           ts_count_print(l->s->arena, (int64_t)taken));
  ts_diag_here(d, "tokens/s are %.4g times what the model does", stated / taken);
  ts_diag_help(
    d,
    "leave `tokens` out, so that the model's count is used; or change the model's sequence length");
}

/* -- work that is done several times -- */

static bool divides(const ts_lowering *l, const ts_op *op, const ts_class *class, uint32_t axis)
{
  uint32_t axes = class->parameter_axes | class->gradient_axes | class->optimizer_axes;
  for (uint32_t k = 0; k < op->slot_count; k++) {
    axes |= class->view[k].partial | class->edge[k].partial;
    for (uint32_t d = 0; d < TS_MAX_DIMS; d++)
      axes |= class->view[k].split[d] | class->edge[k].split[d];
  }
  for (uint32_t i = 0; i < class->comm_count; i++)
    axes |= class->comms[i].axes;
  return ((axes | l->data_axes) >> axis & 1) != 0;
}

static double model_flops(const ts_class *class)
{
  double flops = 0;
  for (uint32_t i = 0; i < class->format_count; i++)
    flops += class->formats[i].flops;
  return flops;
}

/* Products of parameters with what all ranks of the axis hold alike. */
static void doubt_axis(ts_lowering *l, uint32_t axis)
{
  double all = 0, redundant = 0, most = 0;
  const char *label = NULL;
  for (size_t i = 0; i < l->g->ops.count; i++) {
    const ts_op *op = &l->g->ops.at[i];
    const ts_class *class = ts_class_of(l, (uint32_t)i);
    double flops = model_flops(class);
    all += flops;
    if (!op->param_count || divides(l, op, class, axis))
      continue;
    redundant += flops;
    if (flops > most) {
      most = flops;
      label = op->label;
    }
  }
  if (!label || redundant < redundant_matters * all)
    return;
  const char *name = l->s->mesh->axis[axis].name;
  int64_t size = l->s->mesh->axis[axis].size;
  ts_diag *d = ts_diag_add(
    l->s->diags, TS_W0802, l->s->mesh->axis[axis].span,
    "%.0f %% of the model's FLOP are computed %lld times, once by each rank of axis `%s`",
    100 * redundant / all, (long long)size, name);
  ts_diag_here(d, "no part of it is split over this axis");
  ts_diag_fact(d, "most of it", "`%s`", ts_label_pattern(l->s->arena, label));
  ts_diag_help(
    d, "apply a strategy that splits these ops over `%s`, or move the ranks to another axis", name);
}

void ts_lower_doubts(ts_lowering *l)
{
  doubt_tokens(l);
  for (uint32_t a = 0; a < l->s->mesh->count; a++)
    if (l->s->mesh->axis[a].size > 1 && a != l->sc->axis)
      doubt_axis(l, a);
}
