/* Shares of the step by quantity, and their covariance. */
#include "runtime/account/calibrated.h"

#include <math.h>

#include "base/text.h"

/* Four fifths of a normal variable, and of Student's t of 4 degrees of freedom, lie within so many
 * deviations or scales. */
static const double of_normal = 1.28155, of_student = 1.53321;

uint32_t ts_calibration_of(const ts_ir *ir, const ts_ir_kernel *kernel)
{
  uint32_t i = 0;
  for (; i < ir->calibrations_count; i++) {
    const ts_ir_calibration *c = &ir->calibrations[i];
    if (c->kind == TS_IR_CALIBRATED_KERNELS &&
        ts_text_among(ir->strings + c->families, ir->strings + kernel->family) &&
        ts_text_among(ir->strings + c->formats, ir->strings + kernel->dtype))
      break;
  }
  return i;
}

static uint32_t of_kind(const ts_ir *ir, uint32_t kind)
{
  uint32_t i = 0;
  while (i < ir->calibrations_count && ir->calibrations[i].kind != kind)
    i++;
  return i;
}

/* How often ranks play each fragment, all together. */
static double *plays_of(ts_arena *arena, const ts_ir *ir, const ts_result *result)
{
  double *ranks = TS_NEW_ARRAY(arena, double, ir->programs_count + 1),
         *plays = TS_NEW_ARRAY(arena, double, ir->fragments_count + 1);
  for (uint32_t c = 0; c < result->class_count; c++)
    ranks[result->classes[c].program] += result->classes[c].count;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    ts_ir_count_plays(ir, p, ranks[p], plays);
  return plays;
}

/* `compute` shared out by the times of kernels. */
static void add_kernels(ts_arena *arena, const ts_ir *ir, const ts_result *result, double compute,
                        double *shares)
{
  const double *plays = plays_of(arena, ir, result);
  double *times = TS_NEW_ARRAY(arena, double, ir->calibrations_count + 1), total = 0;
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = 0; plays[f] > 0 && n < ir->fragments[f].node_count; n++) {
      const ts_ir_node *node = &ir->nodes[ir->fragments[f].first_node + n];
      if (node->op != TS_IR_COMPUTE)
        continue;
      double time = plays[f] * (double)ir->kernels[node->arg].time;
      times[ts_calibration_of(ir, &ir->kernels[node->arg])] += time;
      total += time;
    }
  for (uint32_t i = 0; i < ir->calibrations_count && total > 0; i++)
    shares[i] += compute * times[i] / total;
}

static void add_calls(const ts_ir *ir, const ts_result *result, double exposed, double *shares)
{
  double times[2] = {0, 0}; /* inside islands, between them */
  for (uint32_t i = 0; result->network_uses && i < 2 * ir->net_models_count + 2; i++)
    times[i % 2] += result->network_uses[i].time;
  uint32_t of[2] = {of_kind(ir, TS_IR_CALIBRATED_INSIDE), of_kind(ir, TS_IR_CALIBRATED_BETWEEN)};
  for (int k = 0; k < 2; k++)
    if (of[k] < ir->calibrations_count && times[0] + times[1] > 0)
      shares[of[k]] += exposed * times[k] / (times[0] + times[1]);
}

ts_work_shares ts_work_shares_of(const ts_result *result)
{
  double compute = 0, exposed = 0, host = 0;
  for (uint32_t c = 0; c < result->class_count; c++) {
    const ts_class_result *class = &result->classes[c];
    for (uint32_t p = 0; p < TS_IR_PHASES; p++)
      compute += (double)class->phase[p] * class->count;
    for (uint32_t i = 0; i < class->comm_count; i++)
      exposed += (double)class->comms[i].exposed * class->count;
    host += (double)class->host * class->count;
  }
  double all = compute + exposed + host;
  if (!(all > 0))
    return (ts_work_shares){0, 0, 0};
  return (ts_work_shares){compute / all, exposed / all, host / all};
}

double *ts_calibrated_shares(ts_arena *arena, const ts_ir *ir, const ts_result *result)
{
  double *shares = TS_NEW_ARRAY(arena, double, ir->calibrations_count + 1);
  ts_work_shares work = ts_work_shares_of(result);
  uint32_t of_host = of_kind(ir, TS_IR_CALIBRATED_HOST);
  add_kernels(arena, ir, result, work.compute, shares);
  add_calls(ir, result, work.exposed, shares);
  if (of_host < ir->calibrations_count)
    shares[of_host] += work.host;
  return shares;
}

ts_calibrated_step ts_calibrated_spread(const ts_ir *ir, const double *shares)
{
  double explained = 0, left = 0;
  for (uint32_t i = 0; i < ir->calibrations_count; i++) {
    const ts_ir_calibration *c = &ir->calibrations[i];
    if (c->kind == TS_IR_CALIBRATED_STEP)
      left += c->covariance[i];
    for (uint32_t j = 0; j < ir->calibrations_count && c->kind < TS_IR_CALIBRATED_MEMORY; j++)
      explained += shares[i] * shares[j] * c->covariance[j];
  }
  explained = fmax(0, explained);
  return (ts_calibrated_step){sqrt(explained + left), sqrt(of_normal * of_normal * explained +
                                                           of_student * of_student * left)};
}

double ts_calibrated_memory(const ts_ir *ir)
{
  uint32_t i = of_kind(ir, TS_IR_CALIBRATED_MEMORY);
  return i < ir->calibrations_count ? of_normal * sqrt(ir->calibrations[i].covariance[i]) : 0;
}
