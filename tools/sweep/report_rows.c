/* The report of a sweep as CSV and as JSON: all plans. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/heap.h"
#include "runtime/report/members.h"
#include "runtime/report/report.h"
#include "tools/sweep/rank.h"
#include "tools/sweep/report.h"

/* "W0804 W0807", each once. */
static void put_codes(const ts_outcome *o, FILE *out)
{
  for (uint32_t i = 0; i < o->warning_count; i++) {
    uint32_t before = 0;
    while (before < i && o->warnings[before].code != o->warnings[i].code)
      before++;
    if (before == i)
      ts_put_csv(out, i ? " %s" : "%s", ts_code_name(o->warnings[i].code));
  }
}

static cJSON *warnings_json(const ts_outcome *o)
{
  cJSON *all = cJSON_CreateArray();
  for (uint32_t i = 0; i < o->warning_count; i++) {
    const ts_outcome_warning *w = &o->warnings[i];
    cJSON *one = ts_add_element(all);
    cJSON_AddStringToObject(one, "code", ts_code_name(w->code));
    cJSON_AddStringToObject(one, "name", ts_code_short_name(w->code));
    cJSON_AddStringToObject(one, "message", w->message);
  }
  return all;
}

static double figure_of(const ts_outcome *o, ts_figure_id f)
{
  return ts_outcome_knows(o, f) ? o->figures.of[f] : TS_NOT_KNOWN;
}

/* Bytes that a plan's fullest device lacks. */
static double lack_of(const ts_outcome *o)
{
  return o->state == TS_TOO_LARGE && !o->why ? o->figures.of[TS_FIGURE_MEMORY] / 8 - o->limit : 0;
}

static void put_figures(const ts_outcome *o, FILE *out)
{
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    ts_figure_put_csv(ts_figure_table[f].unit, figure_of(o, f), out);
  ts_put_csv(out, lack_of(o) > 0 ? ",%.0f," : ",,", lack_of(o));
}

static bool has_interval(const ts_outcome *o) { return o->sure && o->sure->step.on; }

void ts_sweep_put_csv(const ts_sweep *s, FILE *out)
{
  for (uint32_t c = 0; c < s->search->column_count; c++)
    ts_put_csv(out, "%s,", s->search->columns[c]);
  fputs("state", out);
  for (int f = 0; f < TS_FIGURES; f++)
    ts_put_csv(out, ",%s", ts_figure_member((ts_figure_id)f).text);
  fputs(",lacks_bytes,why,warnings,step_low_ps,step_high_ps,equal_to_best", out);
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    ts_put_csv(out, ",%s", s->search->goals[g].text);
  for (uint32_t k = 0; k < s->search->condition_count; k++)
    ts_put_csv(out, ",%s", s->search->conditions[k]);
  fputs(s->search->goal_count > 1 ? ",front\n" : "\n", out);
  for (size_t i = 0; i < s->count; i++) {
    const ts_outcome *o = &s->outcomes[i];
    for (uint32_t c = 0; c < s->search->column_count; c++) {
      ts_put_csv(out, "%s", ts_search_text_at(s->search, o->point, c));
      fputc(',', out);
    }
    ts_put_csv(out, "%s", ts_outcome_states[o->state]);
    put_figures(o, out);
    ts_put_csv(out, "%s,", o->why ? o->why : "");
    put_codes(o, out);
    if (has_interval(o))
      ts_put_csv(out, ",%.0f,%.0f,%d", o->sure->step.low * 1e12, o->sure->step.high * 1e12,
                 ts_sweep_equals_best(s, o));
    else
      fputs(",,,", out);
    for (uint32_t g = 0; g < s->search->goal_count; g++)
      ts_put_csv(out, o->state == TS_RANKED ? ",%.17g" : ",", o->objectives ? o->objectives[g] : 0);
    for (uint32_t k = 0; k < s->search->condition_count; k++)
      fputs(!o->holds ? "," : o->holds[k] ? ",1" : ",0", out);
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

static void add_figures(cJSON *plan, const ts_outcome *o)
{
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    ts_add_number(plan, ts_figure_member(f).text,
                  ts_figure_scaled(ts_figure_table[f].unit, figure_of(o, f)));
  if (lack_of(o) > 0)
    cJSON_AddNumberToObject(plan, "lacks_bytes", lack_of(o));
}

/* Of a space that was not listed. */
static void add_budget(cJSON *root, const ts_sweep *s)
{
  cJSON *budget = cJSON_AddObjectToObject(root, "budget");
  double bound = ts_sweep_bound(s);
  cJSON_AddNumberToObject(budget, "looked_at", (double)s->looked);
  cJSON_AddNumberToObject(budget, "played", (double)s->played);
  cJSON_AddNumberToObject(budget, "undecided", (double)s->undecided);
  cJSON_AddNumberToObject(budget, "drawn", (double)s->drawn);
  cJSON_AddNumberToObject(budget, "combinations", s->search->combinations);
  cJSON_AddNumberToObject(budget, "seed", (double)s->seed);
  cJSON_AddBoolToObject(budget, "exhausted", s->exhausted);
  if (bound > 0)
    cJSON_AddNumberToObject(budget, "bound", bound);
  else
    cJSON_AddNullToObject(budget, "bound");
}

static cJSON *plan_json(const ts_sweep *s, const ts_outcome *o)
{
  cJSON *plan = cJSON_CreateObject(), *parameters = cJSON_AddObjectToObject(plan, "parameters");
  for (uint32_t c = 0; c < s->search->column_count; c++)
    add_parameter(parameters, s->search->columns[c], ts_search_value_at(s->search, o->point, c),
                  ts_search_text_at(s->search, o->point, c));
  cJSON_AddStringToObject(plan, "state", ts_outcome_states[o->state]);
  if (o->why) {
    cJSON_AddStringToObject(plan, "why", o->why);
  } else {
    add_figures(plan, o);
    if (has_interval(o)) {
      cJSON_AddNumberToObject(plan, "step_low_ps", round(o->sure->step.low * 1e12));
      cJSON_AddNumberToObject(plan, "step_high_ps", round(o->sure->step.high * 1e12));
      cJSON_AddBoolToObject(plan, "equal_to_best", ts_sweep_equals_best(s, o));
    }
  }
  if (o->state == TS_RANKED) {
    cJSON *goals = cJSON_AddObjectToObject(plan, "goals");
    for (uint32_t g = 0; g < s->search->goal_count; g++)
      cJSON_AddNumberToObject(goals, s->search->goals[g].text, o->objectives[g]);
  }
  if (o->holds) {
    cJSON *conditions = cJSON_AddObjectToObject(plan, "conditions");
    for (uint32_t k = 0; k < s->search->condition_count; k++)
      cJSON_AddBoolToObject(conditions, s->search->conditions[k], o->holds[k]);
  }
  if (o->state == TS_RANKED && s->search->goal_count > 1)
    cJSON_AddBoolToObject(plan, "front", o->front);
  cJSON_AddItemToObject(plan, "warnings", warnings_json(o));
  return plan;
}

/* A part of a document that ends with an element: without its last line breaks and brackets. */
static void put_begin(cJSON *root, size_t end, FILE *out)
{
  char *text = cJSON_Print(root);
  if (!text)
    ts_heap_none(0);
  text[strlen(text) - end] = 0;
  ts_put_json_made(out, text);
  cJSON_free(text);
  cJSON_Delete(root);
}

/* An element of a member of the document, as deep as it stands there. */
static void put_element(cJSON *element, bool first, FILE *out)
{
  char *text = cJSON_Print(element);
  if (!text)
    ts_heap_none(0);
  fputs(first ? "" : ", ", out);
  for (char *line = text, *end; line; line = end) {
    end = strchr(line, '\n');
    if (end)
      *end++ = 0;
    ts_put_json_made(out, line);
    fputs(end ? "\n\t\t" : "", out);
  }
  cJSON_free(text);
  cJSON_Delete(element);
}

/* Plans are written one by one: a million of them as one tree would be gigabytes. */
void ts_sweep_put_json(const ts_sweep *s, FILE *out)
{
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "type", "trainspec-sweep");
  cJSON_AddNumberToObject(root, "format", 1);
  cJSON_AddStringToObject(root, "plan", s->search->plan);
  cJSON_AddStringToObject(root, "search", s->search->name);
  cJSON_AddStringToObject(root, "goal", s->search->goal);
  if (s->search->open)
    add_budget(root, s);
  cJSON_AddArrayToObject(root, "plans");
  put_begin(root, strlen("]\n}"), out);
  for (size_t i = 0; i < s->count; i++)
    put_element(plan_json(s, &s->outcomes[i]), !i, out);
  fputs("]\n}\n", out);
}
