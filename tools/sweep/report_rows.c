/* The report of a sweep as CSV and as JSON: all plans. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/escape.h"
#include "runtime/report/report.h"
#include "tools/sweep/rank.h"
#include "tools/sweep/report.h"

static const char *column_of(const ts_sweep *s, const ts_outcome *o, uint32_t c)
{
  return s->search->points[o->point].texts[c];
}

/* "W0804 W0807", each once. */
static const char *codes_of(const ts_sweep *s, const ts_outcome *o)
{
  const char *all = "";
  for (uint32_t i = 0; i < o->warning_count; i++) {
    const char *code = ts_code_name(o->warnings[i].code);
    if (!strstr(all, code))
      all = ts_arena_printf(s->arena, "%s%s%s", all, *all ? " " : "", code);
  }
  return all;
}

static cJSON *warnings_json(const ts_outcome *o)
{
  cJSON *all = cJSON_CreateArray();
  for (uint32_t i = 0; i < o->warning_count; i++) {
    const ts_outcome_warning *w = &o->warnings[i];
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(all, one);
    cJSON_AddStringToObject(one, "code", ts_code_name(w->code));
    cJSON_AddStringToObject(one, "name", ts_code_short_name(w->code));
    cJSON_AddStringToObject(one, "message", w->message);
  }
  return all;
}

static bool has_interval(const ts_outcome *o) { return o->sure && o->sure->step.on; }

void ts_sweep_put_csv(const ts_sweep *s, FILE *out)
{
  for (uint32_t c = 0; c < s->search->column_count; c++)
    ts_put_csv(out, "%s,", s->search->columns[c]);
  fputs("state,step_time_ps,peak_memory_bytes,tokens_per_second,mfu,hfu,devices,why,warnings,"
        "step_low_ps,step_high_ps,equal_to_best",
        out);
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    ts_put_csv(out, ",%s", s->search->goals[g].text);
  fputs(s->search->goal_count > 1 ? ",front\n" : "\n", out);
  for (size_t i = 0; i < s->count; i++) {
    const ts_outcome *o = &s->outcomes[i];
    for (uint32_t c = 0; c < s->search->column_count; c++) {
      ts_put_csv(out, "%s", column_of(s, o, c));
      fputc(',', out);
    }
    const double *f = o->figures.of;
    if (o->why)
      ts_put_csv(out, "%s,,,,,,,", ts_outcome_states[o->state]);
    else
      ts_put_csv(out, "%s,%.0f,%.0f,%.17g,%.17g,%.17g,%.0f,", ts_outcome_states[o->state],
                 f[TS_SEARCH_STEP] * 1e12, f[TS_SEARCH_MEMORY] / 8, f[TS_SEARCH_TOKENS],
                 f[TS_SEARCH_MFU], f[TS_SEARCH_HFU], f[TS_SEARCH_DEVICES]);
    ts_put_csv(out, "%s,%s", o->why ? o->why : "", codes_of(s, o));
    if (has_interval(o))
      ts_put_csv(out, ",%.0f,%.0f,%d", o->sure->step.low * 1e12, o->sure->step.high * 1e12,
                 ts_sweep_equals_best(s, o));
    else
      fputs(",,,", out);
    for (uint32_t g = 0; g < s->search->goal_count; g++)
      ts_put_csv(out, o->state == TS_RANKED ? ",%.17g" : ",", o->worths[g]);
    if (s->search->goal_count > 1)
      fprintf(out, ",%d", o->front);
    fputc('\n', out);
  }
}

/* Numbers and truth values as such, whatever expression gave them; other values as written. */
static void add_parameter(cJSON *parameters, const char *name, const ts_value *value,
                          const char *text)
{
  char number[40];
  if (value->type == TS_T_BOOL) {
    cJSON_AddBoolToObject(parameters, name, value->u.truth);
  } else if (value->type == TS_T_INT) {
    snprintf(number, sizeof number, "%" PRId64, value->u.integer); /* of any size */
    cJSON_AddRawToObject(parameters, name, number);
  } else if (value->type == TS_T_REAL) {
    cJSON_AddNumberToObject(parameters, name, value->u.real);
  } else {
    cJSON_AddStringToObject(parameters, name, text);
  }
}

void ts_sweep_put_json(const ts_sweep *s, FILE *out)
{
  cJSON *root = cJSON_CreateObject(), *plans = cJSON_CreateArray();
  cJSON_AddStringToObject(root, "type", "trainspec-sweep");
  cJSON_AddNumberToObject(root, "format", 1);
  cJSON_AddStringToObject(root, "plan", s->search->plan);
  cJSON_AddStringToObject(root, "search", s->search->name);
  cJSON_AddStringToObject(root, "goal", s->search->goal);
  cJSON_AddItemToObject(root, "plans", plans);
  for (size_t i = 0; i < s->count; i++) {
    const ts_outcome *o = &s->outcomes[i];
    cJSON *plan = cJSON_CreateObject(), *parameters = cJSON_AddObjectToObject(plan, "parameters");
    for (uint32_t c = 0; c < s->search->column_count; c++)
      add_parameter(parameters, s->search->columns[c], &s->search->points[o->point].values[c],
                    column_of(s, o, c));
    cJSON_AddStringToObject(plan, "state", ts_outcome_states[o->state]);
    if (o->why) {
      cJSON_AddStringToObject(plan, "why", o->why);
    } else {
      cJSON_AddNumberToObject(plan, "step_time_ps", o->figures.of[TS_SEARCH_STEP] * 1e12);
      cJSON_AddNumberToObject(plan, "peak_memory_bytes", o->figures.of[TS_SEARCH_MEMORY] / 8);
      cJSON_AddNumberToObject(plan, "tokens_per_second", o->figures.of[TS_SEARCH_TOKENS]);
      cJSON_AddNumberToObject(plan, "mfu", o->figures.of[TS_SEARCH_MFU]);
      cJSON_AddNumberToObject(plan, "hfu", o->figures.of[TS_SEARCH_HFU]);
      cJSON_AddNumberToObject(plan, "devices", o->figures.of[TS_SEARCH_DEVICES]);
      if (has_interval(o)) {
        cJSON_AddNumberToObject(plan, "step_low_ps", round(o->sure->step.low * 1e12));
        cJSON_AddNumberToObject(plan, "step_high_ps", round(o->sure->step.high * 1e12));
        cJSON_AddBoolToObject(plan, "equal_to_best", ts_sweep_equals_best(s, o));
      }
    }
    if (o->state == TS_RANKED) {
      cJSON *goals = cJSON_AddObjectToObject(plan, "goals");
      for (uint32_t g = 0; g < s->search->goal_count; g++)
        cJSON_AddNumberToObject(goals, s->search->goals[g].text, o->worths[g]);
    }
    if (o->state == TS_RANKED && s->search->goal_count > 1)
      cJSON_AddBoolToObject(plan, "front", o->front);
    cJSON_AddItemToObject(plan, "warnings", warnings_json(o));
    cJSON_AddItemToArray(plans, plan);
  }
  ts_report_print_json(root, out);
}

