/* The tables of a calibration. */
#include "tools/cli/calibrate_report.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "runtime/report/members.h"
#include "runtime/report/report.h"

enum { NAME = 26, STEP = 24, WIDTH = 80 };

/* Shares of the prior's deviation that is left: below, the steps tell the quantity; above, not. */
static const double determined = 0.5, partly = 0.9;
static const double together = 0.7;  /* correlation from which two are told of as one */
static const double outlying = 3;    /* deviations */

/* ---- Figures ---- */

static double calibrate_report_percent(double log_ratio) { return 100 * expm1(log_ratio); }

/* Of what is predicted over what is measured. */
static double error_of(const ts_calibrated *c, const double *predicted, uint32_t row)
{
  return predicted[row] - log(c->steps->at[row].seconds);
}

static double mean_error(const ts_calibrated *c, const double *predicted)
{
  double sum = 0;
  for (uint32_t r = 0; r < c->steps->count; r++)
    sum += fabs(calibrate_report_percent(error_of(c, predicted, r)));
  return sum / c->steps->count;
}

typedef enum knowledge { TOLD, PARTLY, NOT_TOLD, ABSENT } knowledge;
static const char *const knowledge_words[] = {"told by the steps", "partly", "not told apart", ""};
static const char *const knowledge_names[] = {"told", "partly", "not_told", "absent"};

/* ABSENT: no step moves with it, be it that none has such kernels or calls. */
static knowledge knowledge_of(const ts_calibrated *c, uint32_t i)
{
  double left = c->fit->deviation[i] / c->calibration->quantity[i].prior, most = 0;
  for (uint32_t r = 0; r < c->steps->count; r++)
    most = fmax(most, fabs(c->fit->response[r * c->calibration->count + i]));
  return most < 1e-6 ? ABSENT : left < determined ? TOLD : left < partly ? PARTLY : NOT_TOLD;
}

static double correlation(const ts_calibrated *c, uint32_t i, uint32_t j)
{
  return c->fit->covariance[i * c->calibration->count + j] /
         (c->fit->deviation[i] * c->fit->deviation[j]);
}

static bool is_outlier(const ts_calibrated *c, uint32_t r)
{
  double off = fabs(error_of(c, c->fit->left_out, r));
  return off > outlying * c->fit->left_out_deviation[r] && c->fit->weight[r] < 0.7;
}

static uint32_t memory_rows(const ts_calibrated *c, uint32_t *rows)
{
  uint32_t count = 0;
  for (uint32_t r = 0; r < c->steps->count; r++)
    if (c->steps->at[r].memory > 0)
      rows[count++] = r;
  return count;
}

/* ---- Text ---- */

static const char *signed_percent(const ts_calibrated *c, double log_ratio)
{
  double value = calibrate_report_percent(log_ratio);
  return ts_arena_printf(c->arena, "%+.1f %%", fabs(value) < 0.05 ? 0 : value);
}

/* Those that nothing is known of, in lines that end within the report. */
static void put_absent(const ts_calibrated *c, FILE *out)
{
  unsigned column = 0;
  for (uint32_t i = 0; i < c->calibration->count; i++) {
    const char *name = c->calibration->quantity[i].name;
    if (knowledge_of(c, i) != ABSENT)
      continue;
    bool wraps = column && column + 2 + ts_report_columns(name) > WIDTH;
    column = (wraps || !column ? 0 : column) +
             (unsigned)ts_put_text(out, !column ? "  without effect on these steps: %s" :
                                        wraps   ? ";\n    %s" :
                                                  "; %s",
                                   name);
  }
  if (column)
    fputc('\n', out);
}

static void put_quantities(const ts_calibrated *c, FILE *out)
{
  ts_put_text(out, "\n%-*s%9s%10s\n", NAME, "time of", "prior", "fitted");
  for (uint32_t i = 0; i < c->calibration->count; i++) {
    const ts_quantity *q = &c->calibration->quantity[i];
    knowledge k = knowledge_of(c, i);
    if (k != ABSENT)
      ts_put_text(
        out, "  %-*s%9s%10s%10s  %s\n", NAME - 2, ts_report_fit(c->arena, q->name, NAME - 3),
        ts_arena_printf(c->arena, "+-%.0f %%", calibrate_report_percent(q->prior)),
        signed_percent(c, q->log),
        ts_arena_printf(c->arena, "+-%.1f %%", calibrate_report_percent(c->fit->deviation[i])),
        knowledge_words[k]);
  }
  ts_put_text(
    out, "  %-*s%9s%10s%10s\n", NAME - 2, "a measured step, besides",
    ts_arena_printf(c->arena, "+-%.1f %%", calibrate_report_percent(c->calibration->noise)), "",
    ts_arena_printf(c->arena, "+-%.1f %%", calibrate_report_percent(c->calibration->residual)));
  put_absent(c, out);
}

/* Whether the steps tell only the sum of two: the first's share of the combination that is known,
 * and to what it is known. */
static bool determined_together(const ts_calibrated *c, uint32_t i, uint32_t j, double *share,
                                double *known)
{
  if (knowledge_of(c, i) == ABSENT || knowledge_of(c, j) == ABSENT ||
      !(correlation(c, i, j) < -together))
    return false;
  *known = ts_step_pair(c->fit, c->calibration->count, i, j, share);
  return true;
}

static void put_pairs(const ts_calibrated *c, FILE *out)
{
  bool any = false;
  uint32_t count = c->calibration->count;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = i + 1; j < count; j++) {
      double share, known;
      if (!determined_together(c, i, j, &share, &known))
        continue;
      if (!any)
        fputs("\nTold only together\n", out);
      any = true;
      ts_put_text(out, "  %s and %s: what one gains, the other loses. Known to +-%.1f %% is\n",
                  c->calibration->quantity[i].name, c->calibration->quantity[j].name,
                  calibrate_report_percent(known));
      ts_put_text(out, "  %.2f of the one and %.2f of the other; a step that is bound by one of\n"
                       "  them alone would tell them apart\n",
                  share, 1 - share);
    }
}

/* Whether a parameter is the same in all rows. */
static bool is_constant(const ts_calibrated *c, const ts_measured_value *v)
{
  for (uint32_t r = 0; r < c->steps->count; r++) {
    const ts_measured_step *s = &c->steps->at[r];
    bool same = false;
    for (uint32_t i = 0; i < s->value_count && !same; i++)
      same = !strcmp(s->values[i].name, v->name) && !strcmp(s->values[i].expression, v->expression);
    if (!same)
      return false;
  }
  return true;
}

/* What distinguishes the row: "tp=8 micro=2". */
static const char *words_of(const ts_calibrated *c, const ts_measured_step *s)
{
  const char *words = "";
  for (uint32_t i = 0; i < s->value_count; i++)
    if (!is_constant(c, &s->values[i]))
      words = ts_arena_printf(c->arena, "%s%s%s=%s", words, *words ? " " : "", s->values[i].name,
                              s->values[i].expression);
  return ts_report_fit(c->arena, *words ? words : "as the others", STEP - 1);
}

static void put_steps(const ts_calibrated *c, FILE *out)
{
  ts_put_text(out, "\n%-5s %-*s%10s%9s%9s%10s%s\n", "line", STEP, "step", "measured", "before",
              "fitted", "left out", c->group_out ? " by group" : "");
  for (uint32_t r = 0; r < c->steps->count; r++) {
    const ts_measured_step *s = &c->steps->at[r];
    ts_put_text(out, "%4u  %-*s%10s%9s%9s%10s", s->line, STEP,
                words_of(c, s), ts_format_time((uint64_t)llround(s->seconds * 1e12)).text,
                signed_percent(c, error_of(c, c->fit->before, r)),
                signed_percent(c, error_of(c, c->fit->after, r)),
                signed_percent(c, error_of(c, c->fit->left_out, r)));
    if (c->group_out)
      ts_put_text(out, "%9s", signed_percent(c, error_of(c, c->group_out, r)));
    fputc('\n', out);
  }
  ts_put_text(out, "%-*s%9s%9s%10s", STEP + 16, "mean error",
              ts_arena_printf(c->arena, "%.1f %%", mean_error(c, c->fit->before)),
              ts_arena_printf(c->arena, "%.1f %%", mean_error(c, c->fit->after)),
              ts_arena_printf(c->arena, "%.1f %%", mean_error(c, c->fit->left_out)));
  if (c->group_out)
    ts_put_text(out, "%9s", ts_arena_printf(c->arena, "%.1f %%", mean_error(c, c->group_out)));
  fputc('\n', out);
}

static void put_outliers(const ts_calibrated *c, FILE *out)
{
  bool any = false;
  for (uint32_t r = 0; r < c->steps->count; r++) {
    if (!is_outlier(c, r))
      continue;
    if (!any)
      fputs("\nOutliers\n", out);
    any = true;
    ts_put_text(out, "  line %u took %.2f times what the other steps say (+-%.1f %%); ",
                c->steps->at[r].line, exp(-error_of(c, c->fit->left_out, r)),
                calibrate_report_percent(c->fit->left_out_deviation[r]));
    ts_put_text(out, "it counts %.2f of a step\n", c->fit->weight[r]);
  }
}

/* A percentage without a minus before 0.0. */
static double tidy(double share) { return fabs(share) < 5e-4 ? 0 : 100 * share; }

static const char *signed_bytes(const ts_calibrated *c, double bytes)
{
  return ts_arena_printf(c->arena, "%c%s", bytes < 0 ? '-' : '+',
                         ts_format_bytes(fabs(bytes)).text);
}

static void calibrate_report_put_memory(const ts_calibrated *c, FILE *out)
{
  uint32_t *rows = TS_NEW_ARRAY(c->arena, uint32_t, c->steps->count + 1),
           count = memory_rows(c, rows);
  double before = 0, after = 0, left = 0;
  if (!count)
    return;
  const ts_memory_constant *m = &c->calibration->memory;
  ts_put_text(out, "\n%-5s %-*s%10s%10s%9s%10s\n", "line", STEP, "peak memory", "measured",
              "before", "fitted", "left out");
  for (uint32_t i = 0; i < count; i++) {
    const ts_measured_step *s = &c->steps->at[rows[i]];
    double plain = ts_played_memory(c->played, rows[i]), to = s->memory,
           errors[] = {plain / to - 1, (plain + m->bytes) / to - 1,
                       (plain + c->memory_out[rows[i]]) / to - 1};
    before += fabs(errors[0]), after += fabs(errors[1]), left += fabs(errors[2]);
    ts_put_text(out, "%4u  %-*s%10s%+8.1f %%%+7.1f %%%+8.1f %%\n", s->line, STEP,
                words_of(c, s), ts_format_bytes(to).text, tidy(errors[0]), tidy(errors[1]),
                tidy(errors[2]));
  }
  ts_put_text(out, "%-*s%8.1f %%%7.1f %%%8.1f %%\n", STEP + 16, "mean error", 100 * before / count,
              100 * after / count, 100 * left / count);
  ts_put_text(out, "  %s beside what the plan holds, +-%s; prior +-%s; a figure is +-%s off\n",
              signed_bytes(c, m->bytes), ts_format_bytes(m->deviation).text,
              ts_format_bytes(m->prior).text, ts_format_bytes(m->residual).text);
}

static const char *title_of(const char *name)
{
  ts_code code;
  return ts_code_named(name, &code) ? ts_code_title(code) : "";
}

static void calibrate_report_put_warnings(const ts_calibrated *c, FILE *out)
{
  const char *code;
  uint32_t rows;
  for (uint32_t i = 0; (code = ts_played_warning(c->played, i, &rows)); i++) {
    if (!i)
      fputs("\nWarnings\n", out);
    ts_put_text(out, "  %s in %u of %u steps: %s\n", code, rows, c->steps->count, title_of(code));
  }
  if (c->steps->copies)
    ts_put_text(out, "\n%u row%s repeat%s another in every figure: taken once\n", c->steps->copies,
                c->steps->copies == 1 ? "" : "s", c->steps->copies == 1 ? "s" : "");
  if (!c->fit->settled)
    ts_put_text(out, "\nThe factors had not settled after %u rounds: the last ones are given\n",
                c->fit->rounds);
}

void ts_calibrated_text(const ts_calibrated *c, FILE *out)
{
  const ts_calibration *k = c->calibration;
  ts_put_text(out, "Plan `%s` calibrated on %u measured steps%s%s%s%s (%u simulations)\n", k->plan,
              k->rows, *k->framework ? " of " : "", k->framework, *k->device ? " on " : "",
              k->device, c->fit->plays);
  put_quantities(c, out);
  put_pairs(c, out);
  put_steps(c, out);
  put_outliers(c, out);
  calibrate_report_put_memory(c, out);
  calibrate_report_put_warnings(c, out);
}

/* ---- JSON ---- */

static cJSON *quantities_json(const ts_calibrated *c)
{
  cJSON *list = cJSON_CreateArray();
  for (uint32_t i = 0; i < c->calibration->count; i++) {
    const ts_quantity *q = &c->calibration->quantity[i];
    cJSON *one = ts_add_element(list);
    cJSON_AddStringToObject(one, "name", q->name);
    cJSON_AddStringToObject(one, "kind", ts_quantity_kinds[q->kind]);
    cJSON_AddNumberToObject(one, "prior", q->prior);
    cJSON_AddNumberToObject(one, "log_factor", q->log);
    cJSON_AddNumberToObject(one, "factor", exp(q->log));
    cJSON_AddNumberToObject(one, "deviation", c->fit->deviation[i]);
    cJSON_AddStringToObject(one, "known", knowledge_names[knowledge_of(c, i)]);
    cJSON_AddNumberToObject(one, "steps", ts_played_with(c->played, i));
  }
  return list;
}

static cJSON *pairs_json(const ts_calibrated *c)
{
  cJSON *list = cJSON_CreateArray();
  uint32_t count = c->calibration->count;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = i + 1; j < count; j++) {
      double share, known;
      if (!determined_together(c, i, j, &share, &known))
        continue;
      cJSON *one = cJSON_CreateObject(), *shares;
      cJSON_AddItemToArray(list, one);
      const char *names[] = {c->calibration->quantity[i].name, c->calibration->quantity[j].name};
      cJSON_AddItemToObject(one, "quantities", cJSON_CreateStringArray(names, 2));
      shares = cJSON_CreateDoubleArray((double[]){share, 1 - share}, 2);
      cJSON_AddItemToObject(one, "shares", shares);
      cJSON_AddNumberToObject(one, "correlation", correlation(c, i, j));
      cJSON_AddNumberToObject(one, "deviation", known);
    }
  return list;
}

static cJSON *steps_json(const ts_calibrated *c)
{
  cJSON *list = cJSON_CreateArray();
  for (uint32_t r = 0; r < c->steps->count; r++) {
    const ts_measured_step *s = &c->steps->at[r];
    cJSON *one = cJSON_CreateObject(), *values = cJSON_AddObjectToObject(one, "parameters");
    cJSON_AddItemToArray(list, one);
    cJSON_AddNumberToObject(one, "line", s->line);
    for (uint32_t v = 0; v < s->value_count; v++)
      cJSON_AddStringToObject(values, s->values[v].name, s->values[v].expression);
    cJSON_AddNumberToObject(one, "measured_s", s->seconds);
    cJSON_AddNumberToObject(one, "before_s", exp(c->fit->before[r]));
    cJSON_AddNumberToObject(one, "fitted_s", exp(c->fit->after[r]));
    cJSON_AddNumberToObject(one, "left_out_s", exp(c->fit->left_out[r]));
    cJSON_AddNumberToObject(one, "left_out_deviation", c->fit->left_out_deviation[r]);
    if (c->group_out) {
      cJSON_AddStringToObject(one, "group", s->group);
      cJSON_AddNumberToObject(one, "group_left_out_s", exp(c->group_out[r]));
    }
    cJSON_AddNumberToObject(one, "weight", c->fit->weight[r]);
    cJSON_AddBoolToObject(one, "outlier", is_outlier(c, r));
    if (s->memory > 0) {
      double plain = ts_played_memory(c->played, r);
      cJSON_AddNumberToObject(one, "measured_memory_bytes", s->memory);
      cJSON_AddNumberToObject(one, "before_memory_bytes", plain);
      cJSON_AddNumberToObject(one, "fitted_memory_bytes", plain + c->calibration->memory.bytes);
      cJSON_AddNumberToObject(one, "left_out_memory_bytes", plain + c->memory_out[r]);
    }
  }
  return list;
}

void ts_calibrated_json(const ts_calibrated *c, FILE *out)
{
  const ts_calibration *k = c->calibration;
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "type", "trainspec-calibrate");
  cJSON_AddNumberToObject(root, "format", 1);
  cJSON_AddStringToObject(root, "plan", k->plan);
  cJSON_AddStringToObject(root, "device", k->device);
  cJSON_AddStringToObject(root, "framework", k->framework);
  cJSON_AddNumberToObject(root, "rows", k->rows);
  cJSON_AddNumberToObject(root, "copies", c->steps->copies);
  cJSON_AddNumberToObject(root, "plays", c->fit->plays);
  cJSON_AddBoolToObject(root, "settled", c->fit->settled);
  cJSON_AddNumberToObject(root, "noise_prior", k->noise);
  cJSON_AddNumberToObject(root, "noise", k->residual);
  cJSON_AddItemToObject(root, "quantities", quantities_json(c));
  cJSON_AddItemToObject(root, "together", pairs_json(c));
  cJSON_AddItemToObject(root, "steps", steps_json(c));
  cJSON *error = cJSON_AddObjectToObject(root, "mean_error");
  cJSON_AddNumberToObject(error, "before", mean_error(c, c->fit->before) / 100);
  cJSON_AddNumberToObject(error, "fitted", mean_error(c, c->fit->after) / 100);
  cJSON_AddNumberToObject(error, "left_out", mean_error(c, c->fit->left_out) / 100);
  if (c->group_out)
    cJSON_AddNumberToObject(error, "group_left_out", mean_error(c, c->group_out) / 100);
  if (k->memory.rows) {
    cJSON *memory = cJSON_AddObjectToObject(root, "memory");
    cJSON_AddNumberToObject(memory, "rows", k->memory.rows);
    cJSON_AddNumberToObject(memory, "bytes", k->memory.bytes);
    cJSON_AddNumberToObject(memory, "deviation", k->memory.deviation);
    cJSON_AddNumberToObject(memory, "residual", k->memory.residual);
  }
  ts_report_print_json(root, out);
}
