/* Factors that measured steps put on a plan, in text and JSON. */
#include "runtime/report/calibrated.h"

#include <math.h>

#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "ir/spelling.h"
#include "runtime/account/calibrated.h"
#include "runtime/report/members.h"

enum { NAME = 28 };

/* Of the logarithm of its factor, or bytes. */
static double deviation(const ts_ir *ir, uint32_t i)
{
  return sqrt(fmax(0, ir->calibrations[i].covariance[i]));
}

static const char *file_of(const ts_ir *ir)
{
  uint32_t source = ir->calibrations[0].source;
  return source == TS_IR_NONE ? "" : ir->strings + ir->cost_sources[source].name;
}

/* Factors that the steps say nothing of stay at 1: they are those of the sources. */
static bool says_something(const ts_ir *ir, uint32_t i)
{
  const ts_ir_calibration *k = &ir->calibrations[i];
  return k->kind >= TS_IR_CALIBRATED_MEMORY || fabs(k->value - 1) > 5e-4 ||
         deviation(ir, i) < 0.9 * k->prior;
}

void ts_report_calibrated_text(const ts_ir *ir, ts_arena *arena, FILE *out)
{
  if (!ir->calibrations_count)
    return;
  ts_put_text(out, "\nCalibrated on %u measured steps by %s\n", ir->calibrations[0].rows,
              ts_report_fit(arena, file_of(ir), 40));
  for (uint32_t i = 0; i < ir->calibrations_count; i++) {
    const ts_ir_calibration *k = &ir->calibrations[i];
    if (!says_something(ir, i))
      continue;
    ts_put_text(out, "  %-*s", NAME - 2, ts_report_fit(arena, ir->strings + k->name, NAME - 3));
    if (k->kind == TS_IR_CALIBRATED_MEMORY)
      ts_put_text(out, "%c%s +-%s\n", k->value < 0 ? '-' : '+',
                  ts_format_bytes(fabs(k->value)).text, ts_format_bytes(deviation(ir, i)).text);
    else if (k->kind == TS_IR_CALIBRATED_STEP)
      ts_put_text(out, "%8s  +-%.1f %%\n", "", 100 * expm1(deviation(ir, i)));
    else
      ts_put_text(out, "x %.3f  +-%.1f %%\n", k->value, 100 * expm1(deviation(ir, i)));
  }
}

void ts_report_calibrated_json(const ts_ir *ir, const ts_result *result, ts_arena *arena,
                               cJSON *root)
{
  if (!ir->calibrations_count)
    return;
  cJSON *all = cJSON_AddObjectToObject(root, "calibration"), *list;
  cJSON_AddStringToObject(all, "name", file_of(ir));
  cJSON_AddNumberToObject(all, "rows", ir->calibrations[0].rows);
  const double *shares = ts_calibrated_shares(arena, ir, result);
  list = cJSON_AddArrayToObject(all, "quantities");
  for (uint32_t i = 0; i < ir->calibrations_count; i++) {
    const ts_ir_calibration *k = &ir->calibrations[i];
    bool memory = k->kind == TS_IR_CALIBRATED_MEMORY;
    cJSON *one = ts_add_element(list);
    cJSON_AddStringToObject(one, "name", ir->strings + k->name);
    cJSON_AddStringToObject(one, "kind", ts_ir_calibrated_names[k->kind]);
    if (k->kind < TS_IR_CALIBRATED_MEMORY)
      cJSON_AddNumberToObject(one, "share_of_step", shares[i]);
    cJSON_AddNumberToObject(one, memory ? "bytes" : "factor", k->value);
    cJSON_AddNumberToObject(one, memory ? "deviation_bytes" : "deviation", deviation(ir, i));
    cJSON_AddNumberToObject(one, memory ? "prior_bytes" : "prior", k->prior);
  }
}
