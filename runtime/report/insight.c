/* Several steps, what would help, what differs from another plan. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "runtime/account/network_use.h"
#include "runtime/report/extras.h"
#include "runtime/report/members.h"
#include "runtime/report/summary.h"

enum { NAME = 30, MOST_ROWS = 12, MOST_STEPS = 6 };

/* ---- Steps ---- */

static uint64_t insight_length_of(const ts_steps *s, uint32_t k)
{
  return k ? s->ends[k] - s->ends[k - 1] : s->ends[0];
}

static void steps_text(const ts_steps *s, ts_arena *arena, FILE *out)
{
  ts_put_text(out, "\n%s steps in sequence\n", ts_format_count(s->count).text);
  for (uint32_t k = 0; k < s->count && k < MOST_STEPS; k++)
    ts_put_text(out, "  %-*s%14s\n", NAME, ts_arena_printf(arena, "step %u adds", k + 1),
                ts_format_time(insight_length_of(s, k)).text);
  if (s->count > MOST_STEPS)
    fprintf(out, "  ... %u more\n", s->count - MOST_STEPS);
  if (s->steady_from < s->count)
    ts_put_text(out, "  %-*s%14s   from step %u on: no clock moves by more,\n  %*s%s set it\n",
                NAME, "steady state", ts_format_time(s->steady).text, s->steady_from + 1, NAME + 17,
                "", ts_format_count(s->clocks).text);
  else
    ts_put_text(out, "  %-*s%14s   a mean: no two steps in a row are equal\n", NAME, "a step",
                ts_format_time(s->steady).text);
}

static void steps_json(const ts_steps *s, cJSON *root)
{
  cJSON *o = cJSON_AddObjectToObject(root, "steps"), *ends = cJSON_AddArrayToObject(o, "ends_ps");
  for (uint32_t k = 0; k < s->count; k++)
    cJSON_AddItemToArray(ends, cJSON_CreateNumber((double)s->ends[k]));
  ts_add_number(o, "step_ps", (double)s->steady);
  cJSON_AddBoolToObject(o, "steady", s->steady_from < s->count);
  if (s->steady_from < s->count)
    ts_add_number(o, "steady_from_step", s->steady_from + 1);
}

/* ---- What would help ---- */

static const char *signed_time(ts_arena *arena, int64_t gained)
{
  return gained == 0 ?
           "0" :
           ts_arena_printf(arena, "%s%s", gained > 0 ? "-" : "+",
                           ts_format_time((uint64_t)(gained > 0 ? gained : -gained)).text);
}

static const char *signed_share(ts_arena *arena, int64_t gained, uint64_t step)
{
  return ts_arena_printf(arena, "%+.2f %%", step ? -100 * (double)gained / (double)step + 0.0 : 0);
}

static void sensitivities_text(const ts_summary *s, const ts_sensitivities *all, ts_arena *arena,
                               FILE *out)
{
  ts_put_text(out, "\n%-*s%16s%16s%16s\n", NAME + 2, "Gain if faster", "1 %, on path",
              "1 %, simulated", "10 %, simulated");
  if (!all->count)
    fputs("  no resource limits the step\n", out);
  for (uint32_t i = 0; i < all->count && i < MOST_ROWS; i++) {
    const ts_sensitivity *at = &all->at[i];
    ts_put_text(out, "  %-*s%16s%16s%16s\n", NAME, ts_report_fit(arena, at->name, NAME),
                signed_time(arena, at->on_path), signed_time(arena, at->percent),
                signed_share(arena, at->tenth, s->result->step));
  }
  if (all->count > MOST_ROWS)
    fprintf(out, "  ... %u more\n", all->count - MOST_ROWS);
}

static void sensitivities_json(const ts_sensitivities *all, cJSON *root)
{
  cJSON *list = cJSON_AddArrayToObject(root, "sensitivities");
  for (uint32_t i = 0; i < all->count; i++) {
    cJSON *o = ts_add_element(list);
    cJSON_AddStringToObject(o, "name", all->at[i].name);
    ts_add_number(o, "critical_path_1_percent_ps", (double)-all->at[i].on_path);
    ts_add_number(o, "played_1_percent_ps", (double)-all->at[i].percent);
    ts_add_number(o, "played_10_percent_ps", (double)-all->at[i].tenth);
  }
}

/* Only those of a step are of what is changed. */
static ts_figures what_if_figures(const ts_summary *s)
{
  ts_summary changed = *s;
  changed.energy = s->extras.what_if_energy;
  return ts_figures_of(&changed);
}

static void what_if_figure(ts_figure_id f, double before, double after, ts_arena *arena, FILE *out)
{
  if (ts_is_stated(before) && ts_is_stated(after))
    ts_put_text(out, "  %-*s%14s   %s\n", NAME, ts_figure_table[f].name,
                ts_figure_text(ts_figure_table[f].unit, after).text,
                before > 0 ? ts_arena_printf(arena, "%+.1f %%", 100 * (after / before - 1)) : "");
}

static void what_if_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  int64_t gained = (int64_t)(s->result->step - s->extras.what_if_step);
  ts_put_text(out, "\n%s\n",
              ts_report_fit(arena, ts_arena_printf(arena, "With %s", s->extras.what_if), 80));
  ts_put_text(out, "  %-*s%14s   %s, %s\n", NAME, "step time",
              ts_format_time(s->extras.what_if_step).text, signed_time(arena, gained),
              signed_share(arena, gained, s->result->step));
  ts_figures before = ts_figures_of(s), after = what_if_figures(s);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    if (ts_figure_table[f].in.per_step)
      what_if_figure(f, before.of[f], after.of[f], arena, out);
  if (s->extras.what_if_stays)
    ts_put_text(out, "  not changed: slower than most, %s\n", s->extras.what_if_stays);
  for (uint32_t i = 0; i < s->extras.not_followed_count; i++) {
    const ts_not_followed *n = &s->extras.not_followed[i];
    ts_put_text(out, "  not followed: %s of links, by `%s` %s islands, %s of the step\n",
                n->rate && n->latency ? "rate and latency" :
                n->rate               ? "rate" :
                                        "latency",
                s->ir->strings + s->ir->net_models[n->model].name,
                n->between ? "between" : "inside",
                ts_format_share(ts_summary_share(s, &(ts_network_use){.time = n->time})).text);
  }
}

static void what_if_json(const ts_summary *s, cJSON *root)
{
  const ts_extras *e = &s->extras;
  cJSON *o = cJSON_AddObjectToObject(root, "what_if");
  cJSON_AddStringToObject(o, "change", e->what_if);
  ts_add_number(o, "step_time_ps", (double)e->what_if_step);
  ts_figures after = what_if_figures(s);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    if (ts_figure_table[f].in.per_step && ts_is_stated(after.of[f]))
      ts_add_number(o, ts_figure_member_per_step(f).text,
                    ts_figure_scaled(ts_figure_table[f].unit, after.of[f]));
  if (e->what_if_stays)
    cJSON_AddStringToObject(o, "not_changed", e->what_if_stays);
  cJSON *list = cJSON_AddArrayToObject(o, "not_followed");
  for (uint32_t i = 0; i < e->not_followed_count; i++) {
    const ts_not_followed *n = &e->not_followed[i];
    cJSON *row = ts_add_element(list);
    cJSON_AddStringToObject(row, "model", s->ir->strings + s->ir->net_models[n->model].name);
    cJSON_AddBoolToObject(row, "between_islands", n->between);
    cJSON_AddBoolToObject(row, "rate", n->rate);
    cJSON_AddBoolToObject(row, "latency", n->latency);
    ts_add_number(row, "share_of_step", ts_summary_share(s, &(ts_network_use){.time = n->time}));
  }
}

/* ---- What differs ---- */

static void difference_text(const ts_extras *e, ts_arena *arena, FILE *out)
{
  const ts_difference *d = e->difference;
  int64_t gained = (int64_t)(d->before - d->after), rest = gained;
  ts_put_text(out, "\n%-*s%14s%14s%16s\n", NAME + 2,
              ts_report_fit(arena, ts_arena_printf(arena, "Against %s", e->difference_from), NAME),
              "then", "now", "difference");
  for (uint32_t i = 0; i < d->count && i < MOST_ROWS; i++) {
    const ts_difference_part *p = &d->at[i];
    const char *name = p->kind == TS_CRITICAL_HOST ?
                         "host" :
                         ts_arena_printf(arena, "%s %s", ts_critical_name(p->kind), p->name);
    ts_put_text(out, "  %-*s%14s%14s%16s\n", NAME, ts_report_fit(arena, name, NAME),
                ts_format_time(p->before).text, ts_format_time(p->after).text,
                signed_time(arena, (int64_t)(p->before - p->after)));
    rest -= (int64_t)(p->before - p->after);
  }
  if (d->count > MOST_ROWS)
    ts_put_text(out, "  %-*s%28s%16s\n", NAME,
                ts_arena_printf(arena, "%u more", d->count - MOST_ROWS), "",
                signed_time(arena, rest));
  ts_put_text(out, "  %-*s%14s%14s%16s\n", NAME, "step time", ts_format_time(d->before).text,
              ts_format_time(d->after).text, signed_time(arena, gained));
}

static void difference_json(const ts_extras *e, cJSON *root)
{
  cJSON *o = cJSON_AddObjectToObject(root, "difference"), *list;
  ts_add_number(o, "before_ps", (double)e->difference->before);
  ts_add_number(o, "after_ps", (double)e->difference->after);
  list = cJSON_AddArrayToObject(o, "parts");
  for (uint32_t i = 0; i < e->difference->count; i++) {
    const ts_difference_part *p = &e->difference->at[i];
    cJSON *at = ts_add_element(list);
    cJSON_AddStringToObject(at, "kind", ts_critical_name(p->kind));
    cJSON_AddStringToObject(at, "name", p->name);
    ts_add_number(at, "before_ps", (double)p->before);
    ts_add_number(at, "after_ps", (double)p->after);
  }
}

static void choices_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_extras *e = &s->extras;
  const char *framework = s->ir->strings + s->ir->meta->framework;
  ts_put_text(out, "\nStep without a choice of the framework%s%s\n", *framework ? ", " : "",
              framework);
  if (!e->choices_tried)
    fputs("  not known: the plan's own file names no profile of `trainspec list frameworks`\n", out);
  else if (!e->choice_count)
    fputs("  none changes the step by 0.1 %\n", out);
  for (uint32_t i = 0; i < e->choice_count; i++) {
    int64_t gained = (int64_t)(s->result->step - e->choices[i].without);
    bool played = e->choices[i].without;
    ts_put_text(out, "  %-62s%14s%10s\n", ts_report_fit(arena, e->choices[i].name, 62),
                played ? signed_time(arena, gained) : "refused",
                played ? signed_share(arena, gained, s->result->step) : "");
  }
}

static void choices_json(const ts_extras *e, cJSON *root)
{
  cJSON *list = cJSON_AddArrayToObject(root, "choices");
  ts_add_number(root, "choices_tried", e->choices_tried);
  for (uint32_t i = 0; i < e->choice_count; i++) {
    cJSON *o = ts_add_element(list);
    cJSON_AddStringToObject(o, "name", e->choices[i].name);
    ts_add_number(o, "step_time_without_ps",
                  e->choices[i].without ? (double)e->choices[i].without : NAN);
  }
}

void ts_report_insight_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_extras *e = &s->extras;
  if (e->steps)
    steps_text(e->steps, arena, out);
  if (e->what_if)
    what_if_text(s, arena, out);
  if (e->choices)
    choices_text(s, arena, out);
  if (e->sensitivities)
    sensitivities_text(s, e->sensitivities, arena, out);
  if (e->difference)
    difference_text(e, arena, out);
}

void ts_report_insight_json(const ts_summary *s, cJSON *root)
{
  const ts_extras *e = &s->extras;
  if (e->steps)
    steps_json(e->steps, root);
  if (e->what_if)
    what_if_json(s, root);
  if (e->choices)
    choices_json(e, root);
  if (e->sensitivities)
    sensitivities_json(e->sensitivities, root);
  if (e->difference)
    difference_json(e, root);
}
