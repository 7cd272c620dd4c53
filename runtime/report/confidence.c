#include "runtime/report/confidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "ir/names.h"
#include "ir/run_kind.h"
#include "ir/spelling.h"
#include "runtime/report/members.h"

enum { NAME = 42, MOST_PARTS = 4 };

/* Less moves no digit that is printed. */
static const double min_effect = 0.0005;

/* Digits and commas of a quantity: "1,043.5 s". */
static double number_in(const char *text, int *decimals)
{
  char digits[64];
  size_t n = 0;
  for (; *text && *text != ' ' && n + 1 < sizeof digits; text++)
    if (*text != ',')
      digits[n++] = *text;
  digits[n] = 0;
  const char *point = strchr(digits, '.');
  *decimals = point ? (int)strlen(point + 1) : 0;
  return strtod(digits, NULL);
}

const char *ts_interval_text(ts_arena *arena, const ts_interval *i, ts_text figure)
{
  int decimals;
  double shown = number_in(figure.text, &decimals);
  if (!i->on || !(shown > 0) || !(i->figure > 0))
    return "";
  double unit = i->figure / shown;
  return ts_arena_printf(arena, "%d %%: %.*f to %.*f", TS_CONFIDENCE_PERCENT, decimals,
                         i->low / unit, decimals, i->high / unit);
}

/* "gemm, fitted"; "gemm, 8 % extrapolated" */
static const char *kernels_name(ts_arena *arena, const ts_uncertain_part *p)
{
  double share = p->extrapolated / p->share;
  if (!*p->name)
    return "kernels on rooflines";
  if (share > 0.995)
    return ts_arena_printf(arena, "%s, extrapolated", p->name);
  return share < 0.005 ?
           ts_arena_printf(arena, "%s, %s", p->name, ts_basis_name(p->basis)) :
           ts_arena_printf(arena, "%s, %.0f %% extrapolated", p->name, 100 * share);
}

/* "gemm, fitted"; "whitebox between islands"; "waits for the host" */
static const char *part_name(ts_arena *arena, const ts_uncertain_part *p)
{
  if (p->calibrated)
    return p->name;
  const char *where = p->between ? "between islands" : "inside islands";
  switch (p->origin) {
  case TS_IR_ORIGIN_KERNELS:
    return kernels_name(arena, p);
  case TS_IR_ORIGIN_NETWORK:
    return ts_arena_printf(arena, "%s %s%s", p->name, where, p->assumed ? ", assumed" : "");
  case TS_IR_ORIGIN_LINKS: return ts_arena_printf(arena, "links without a model %s", where);
  case TS_IR_ORIGIN_HOST: return "waits for the host";
  default: return "effects outside the plan";
  }
}

/* "34 runs in 12 configurations: NeMo, 8 bits, dense" */
static const char *runs_text(ts_arena *arena, const ts_ir *ir, const ts_ir_validation *on)
{
  return ts_arena_printf(arena, "%s measured runs in %s configurations (%s)",
                         ts_format_count(on->rows).text, ts_format_count(on->groups).text,
                         ir->strings + on->runs);
}

static const char *basis_text(const ts_summary *s, ts_arena *arena)
{
  const ts_ir_validation *on = s->confidence.step.on;
  if (s->confidence.calibrated)
    return ts_arena_printf(
      arena,
      "The %d %% interval is %.2f times this error on either side, taken from %s "
      "measured steps (%s).",
      TS_CONFIDENCE_PERCENT, on->below, ts_format_count(on->rows).text, s->ir->strings + on->runs);
  const char *runs = runs_text(arena, s->ir, on);
  const char *interval =
    ts_arena_printf(arena, "%d %% interval is -%.2f to +%.2f times this error, taken from %s.",
                    TS_CONFIDENCE_PERCENT, on->below, on->above, runs);
  if (on->same_kind)
    return ts_arena_printf(arena, "The %s", interval);
  if (!s->ir->meta->framework)
    return ts_arena_printf(arena, "The plan states no `framework`: the %s", interval);
  return ts_arena_printf(arena, "No run of this kind (%s) was validated: the %s",
                         ts_ir_run_kind(arena, s->ir), interval);
}

static const char own_times_text[] =
  "The plan states every kernel's time, or computes it with a function of its own. How far off "
  "those are is not known here: the step has no interval.";

static void put_wrapped(FILE *out, ts_arena *arena, const char *text)
{
  ts_put_text(out, "  ");
  ts_report_wrapped(arena, text, 2, 2, out);
}

static const char *percent_more(ts_arena *arena, double ratio)
{
  return ts_arena_printf(arena, "%+.1f %%", 100 * (ratio - 1));
}

void ts_report_ratio_text(const ts_interval *ratio, ts_arena *arena, FILE *out)
{
  if (!ratio->on)
    return;
  ts_put_text(out, "\nStep time %s (%d %%: %s to %s); errors common to both plans cancel out",
              percent_more(arena, ratio->figure), TS_CONFIDENCE_PERCENT,
              percent_more(arena, ratio->low), percent_more(arena, ratio->high));
  ts_put_text(out, ratio->low <= 1 && ratio->high >= 1 ?
                     ".\nWhich of the two is faster cannot be told.\n" :
                     ".\n");
}

void ts_report_confidence_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_confidence *c = &s->confidence;
  if (c->own_times && s->ir->spreads_count) {
    ts_put_text(out, "\nHow sure\n");
    put_wrapped(out, arena, own_times_text);
  }
  if (!c->step.on)
    return;
  ts_put_text(out, "\n%-*s%13s%12s%12s\n", NAME - 1, "How sure", "share of step", "error", "effect");
  uint32_t shown = 0;
  for (uint32_t i = 0; i < c->part_count; i++) {
    const ts_uncertain_part *p = &c->parts[i];
    if ((shown == MOST_PARTS && !s->verbose) || p->share * p->spread < min_effect)
      continue;
    const char *name = ts_report_fit(arena, part_name(arena, p), NAME - 4);
    ts_put_text(out, "  %s%*s%12s%12s%12s\n", name, (int)(NAME - 2 - ts_report_columns(name)), "",
                ts_format_share(p->share).text, ts_format_share(p->spread).text,
                ts_format_share(p->share * p->spread).text);
    shown++;
  }
  put_wrapped(out, arena,
              ts_arena_printf(arena, "%s: %s. %s",
                              c->calibrated ? "Together, as they vary together" :
                                              "Combined (root sum of squares)",
                              ts_format_share(c->spread).text, basis_text(s, arena)));
}

/* -- JSON -- */

static void add_interval(const ts_summary *s, cJSON *root, const char *name,
                         const ts_interval *interval, const char *low, const char *high,
                         double unit)
{
  if (!interval->on) {
    cJSON_AddNullToObject(root, name);
    return;
  }
  cJSON *object = cJSON_AddObjectToObject(root, name);
  cJSON_AddNumberToObject(object, "percent", TS_CONFIDENCE_PERCENT);
  cJSON_AddNumberToObject(object, low, round(interval->low * unit));
  cJSON_AddNumberToObject(object, high, round(interval->high * unit));
  cJSON_AddStringToObject(object, "runs", s->ir->strings + interval->on->runs);
  cJSON_AddNumberToObject(object, "rows", interval->on->rows);
  cJSON_AddNumberToObject(object, "configurations", interval->on->groups);
  cJSON_AddBoolToObject(object, "same_kind", interval->on->same_kind);
}

void ts_report_confidence_json(const ts_summary *s, cJSON *root)
{
  const ts_confidence *c = &s->confidence;
  cJSON *sure = cJSON_AddObjectToObject(root, "how_sure");
  add_interval(s, sure, "step_time", &c->step, "low_ps", "high_ps", 1e12);
  add_interval(s, sure, "peak_memory", &c->memory, "low_bytes", "high_bytes", 1);
  cJSON_AddStringToObject(sure, "kind", ts_ir_run_kind(s->arena, s->ir));
  cJSON_AddBoolToObject(sure, "own_times", c->own_times);
  cJSON_AddNumberToObject(sure, "spread", c->spread);
  cJSON *parts = cJSON_AddArrayToObject(sure, "parts");
  for (uint32_t i = 0; i < c->part_count; i++) {
    const ts_uncertain_part *p = &c->parts[i];
    cJSON *part = ts_add_element(parts);
    cJSON_AddStringToObject(part, "origin", ts_ir_origin_names[p->origin]);
    cJSON_AddStringToObject(part, "name", part_name(s->arena, p));
    cJSON_AddNumberToObject(part, "share_of_step", p->share);
    cJSON_AddNumberToObject(part, "spread", p->spread);
    cJSON_AddBoolToObject(part, "assumed", p->assumed);
  }
}
