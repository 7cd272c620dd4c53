/* A table of operators that were run one by one does not add up to the step that they are of:
 * caches are warm, clocks are others, launches count or do not. Where the step itself was recorded,
 * all recorded times are multiplied so that it comes out at the table's own batch. */
#include <string.h>

#include "compiler/lower/costing.h"
#include "compiler/model/traced.h"

static double bytes_at_table(const ts_graph *g, uint32_t tensor)
{
  const ts_edge *e = &g->tensors.at[tensor];
  return ts_shape_elements(e->shape) * e->dtype->bits / 8 * g->batch_ratio;
}

/* Of what an op passes to an input: where it has no kernel, the gradient of its output. */
static double gradient_bytes(const ts_graph *g, const ts_op *op, uint32_t input)
{
  bool kernel = op->measured && op->measured->work.phase[TS_PHASE_INPUT].count;
  return bytes_at_table(g, kernel ? input : op->slots[op->slot_count - op->output_count].tensor);
}

/* Gradients of a tensor used several times are summed up by kernels that no row has: what these
 * take at the batch of the table. False after an error. */
static bool sums_of_gradients(ts_costing *c, ts_session *s, const ts_graph *g, double *seconds)
{
  bool *seen = TS_NEW_ARRAY(s->arena, bool, g->tensors.count + 1);
  const char *family = ts_lang_intern(s->lang, "elementwise", strlen("elementwise"));
  *seconds = 0;
  for (size_t i = g->ops.count; i-- > 0;) {
    const ts_op *op = &g->ops.at[i];
    for (uint32_t k = 0; op->needs_input_gradient && k < op->input_count; k++) {
      uint32_t input = g->tensors.at[op->slots[k].tensor].source;
      bool again = g->tensors.at[input].needs_gradient && seen[input];
      seen[input] = true;
      if (!again)
        continue;
      ts_kernel sum = {.family = family,
                       .dtype = g->tensors.at[input].dtype,
                       .bytes = 3 * gradient_bytes(g, op, input),
                       .host = -1};
      uint32_t index = ts_costing_kernel(c, &sum, op->label);
      if (index == TS_NO_INDEX)
        return false;
      *seconds += 1e-12 * (double)c->kernels.at[index].time;
    }
  }
  return true;
}

static bool shorter_than_sums(ts_session *s, const ts_graph *g, double sums)
{
  ts_diag *d =
    ts_diag_add(s->diags, TS_E0523, g->ops.at[0].span,
                "the recorded step of %.4g ms is shorter than what its table does not list",
                1e3 * g->step_seconds);
  ts_diag_here(d, "sums of gradients take %.4g ms", 1e3 * sums);
  ts_diag_help(d, "`step` is the whole step, forward and backward, at the batch of the table");
  return false;
}

bool ts_costing_step(ts_costing *c, ts_session *s, const ts_graph *g)
{
  double sums = 0, all = g->optimizer_seconds;
  if (!(g->step_seconds > 0))
    return true;
  if (!g->sums_measured && !sums_of_gradients(c, s, g, &sums))
    return false;
  for (size_t i = 0; i < g->ops.count; i++)
    for (int way = 0; g->ops.at[i].measured && way < TS_TRACED_DIRECTIONS; way++)
      if (way == TS_TRACED_FORWARD || g->ops.at[i].needs_gradient)
        all += g->ops.at[i].measured->seconds[way];
  if (sums >= g->step_seconds)
    return shorter_than_sums(s, g, sums);
  if (all > 0)
    c->to_step = (g->step_seconds - sums) / all;
  return true;
}
