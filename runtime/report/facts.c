#include "runtime/report/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/table.h"
#include "ir/names.h"
#include "ir/spelling.h"
#include "runtime/report/members.h"
#include "runtime/report/report.h"

enum { NAME = 34, VALUE = 14 };

typedef struct list { ts_arena *arena; const ts_summary *s; TS_VEC(ts_plan_fact) facts; } list;

static void facts_put(list *l, ts_fact_part part, const char *name, ts_figure_unit unit,
                      double value)
{
  TS_PUSH(l->arena, &l->facts,
          (ts_plan_fact){part, ts_arena_string(l->arena, name, strlen(name)), unit, value});
}

/* Of what is there, or not. */
static void facts_add(list *l, ts_fact_part part, const char *name, ts_figure_unit unit,
                      double value)
{
  if (fabs(value) > 0)
    facts_put(l, part, name, unit, value);
}

static const char *string(const list *l, ts_ir_str text) { return l->s->ir->strings + text; }

/* ---- What a plan is ---- */

static void add_outcome(list *l)
{
  const ts_summary *s = l->s;
  const ts_memory_class *fullest = &s->memory->classes[s->memory->fullest];
  ts_figures figures = ts_figures_of(s);
  facts_add(l, TS_FACT_OUTCOME, "step time", TS_FIGURE_IN_TIME, (double)s->result->step);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++) {
    ts_figure_unit unit = ts_figure_table[f].unit;
    if (ts_figure_table[f].in.diff && ts_is_stated(figures.of[f]))
      facts_put(l, TS_FACT_OUTCOME, ts_figure_title(f).text, unit,
                figures.of[f] * ts_figure_units[unit].facts);
  }
  if (!s->memory->stated)
    return;
  facts_add(l, TS_FACT_OUTCOME, "peak memory", TS_FIGURE_IN_SIZE,
            (double)(fullest->peak + fullest->reserved));
  facts_add(l, TS_FACT_OUTCOME, "memory over the limit", TS_FIGURE_IN_SIZE, (double)fullest->over);
}

static void add_plan(list *l)
{
  const ts_ir *ir = l->s->ir;
  facts_add(l, TS_FACT_PLAN, "ranks", TS_FIGURE_IN_COUNT, ir->meta->world);
  for (uint32_t a = 0; a < ir->axes_count; a++)
    facts_add(l, TS_FACT_PLAN,
              ts_arena_printf(l->arena, "ranks along %s", string(l, ir->axes[a].name)),
              TS_FIGURE_IN_COUNT, ir->axes[a].size);
  facts_add(l, TS_FACT_PLAN, "micro-batches of a pipeline", TS_FIGURE_IN_COUNT,
            ir->meta->micro_batches);
  facts_add(l, TS_FACT_PLAN, "optimizer steps of a rank", TS_FIGURE_IN_COUNT, ir->meta->steps);
  facts_add(l, TS_FACT_PLAN, "samples a step", TS_FIGURE_IN_COUNT,
            (double)ir->meta->samples_per_step);
  facts_add(l, TS_FACT_PLAN, "tokens a step", TS_FIGURE_IN_COUNT,
            (double)ir->meta->tokens_per_step);
  facts_add(l, TS_FACT_PLAN, "parameters", TS_FIGURE_IN_COUNT, (double)ir->meta->parameters);
}

static void add_cluster(list *l)
{
  const ts_ir *ir = l->s->ir;
  for (uint32_t a = 0; a < ir->arrays_count; a++)
    facts_add(l, TS_FACT_CLUSTER, string(l, ir->arrays[a].name), TS_FIGURE_IN_COUNT,
              ir->arrays[a].count);
  for (uint32_t c = 0; c < ir->device_classes_count; c++) {
    const char *name = string(l, ir->device_classes[c].name);
    facts_add(l, TS_FACT_CLUSTER, ts_arena_printf(l->arena, "%s memory", name), TS_FIGURE_IN_SIZE,
              (double)ir->device_classes[c].memory);
    facts_add(l, TS_FACT_CLUSTER, ts_arena_printf(l->arena, "%s bandwidth", name),
              TS_FIGURE_IN_BANDWIDTH, ir->device_classes[c].bandwidth);
  }
  for (uint32_t c = 0; c < ir->link_classes_count; c++) {
    const char *name = string(l, ir->link_classes[c].name);
    facts_add(l, TS_FACT_CLUSTER, ts_arena_printf(l->arena, "%s bandwidth", name),
              TS_FIGURE_IN_BANDWIDTH, ir->link_classes[c].bandwidth);
    facts_add(l, TS_FACT_CLUSTER, ts_arena_printf(l->arena, "%s latency", name), TS_FIGURE_IN_TIME,
              (double)ir->link_classes[c].latency);
  }
}

/* ---- What its ranks do ---- */

/* Of each fragment: how often a rank plays it, the mean over all ranks. */
static double *plays_of(const list *l)
{
  const ts_ir *ir = l->s->ir;
  double *plays = TS_NEW_ARRAY(l->arena, double, ir->fragments_count + 1);
  for (uint32_t i = 0; i < l->s->stage_count; i++)
    ts_ir_count_plays(ir, l->s->stages[i].program, (double)l->s->stages[i].ranks / ir->meta->world,
                      plays);
  return plays;
}

static void facts_count(list *l, ts_fact_part part, const char *name, ts_figure_unit unit,
                        double value)
{
  for (size_t i = l->facts.count; i-- > 0 && l->facts.at[i].part >= TS_FACT_KERNELS;)
    if (l->facts.at[i].part == part && l->facts.at[i].unit == unit &&
        strcmp(l->facts.at[i].name, name) == 0) {
      l->facts.at[i].value += value;
      return;
    }
  facts_add(l, part, name, unit, value);
}

static void count_node(list *l, const ts_ir_fragment *fragment, const ts_ir_node *node,
                       double plays)
{
  const ts_ir *ir = l->s->ir;
  const char *name;
  double bytes;
  if (node->op == TS_IR_COMPUTE) {
    name = ts_arena_printf(l->arena, "%s, %s", string(l, ir->kernels[node->arg].family),
                           ts_phase_name(node->phase));
    facts_count(l, TS_FACT_KERNELS, name, TS_FIGURE_IN_COUNT, plays);
    return;
  }
  if (node->op == TS_IR_COLLECTIVE) {
    const ts_ir_collective *c = &ir->collectives[node->arg];
    name = ts_arena_printf(l->arena, "%s over %s", ts_ir_collective_names[c->kind],
                           string(l, ir->groups[c->group].name));
    bytes = (double)c->bytes;
  } else if (node->op == TS_IR_SEND) {
    const ts_ir_port *port = &ir->ports[fragment->first_port + node->arg];
    name = ts_arena_printf(l->arena, "messages along %s", string(l, ir->groups[port->group].name));
    bytes = (double)port->bytes;
  } else {
    return;
  }
  facts_count(l, TS_FACT_CALLS, name, TS_FIGURE_IN_COUNT, plays);
  facts_count(l, TS_FACT_CALLS, name, TS_FIGURE_IN_SIZE, plays * bytes);
}

static int facts_by_name(const void *x, const void *y)
{
  const ts_plan_fact *a = x, *b = y;
  int names = strcmp(a->name, b->name);
  return a->part != b->part ? (a->part < b->part ? -1 : 1) :
         names              ? names :
         a->unit < b->unit  ? -1 :
                              a->unit > b->unit;
}

static void add_work(list *l)
{
  const ts_ir *ir = l->s->ir;
  const double *plays = plays_of(l);
  size_t first = l->facts.count;
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = 0; plays[f] > 0 && n < ir->fragments[f].node_count; n++)
      count_node(l, &ir->fragments[f], &ir->nodes[ir->fragments[f].first_node + n], plays[f]);
  if (l->facts.count > first)
    qsort(l->facts.at + first, l->facts.count - first, sizeof *l->facts.at, facts_by_name);
}

static void add_time(list *l)
{
  const ts_summary *s = l->s;
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    facts_add(l, TS_FACT_TIME, ts_phase_name(p), TS_FIGURE_IN_TIME, s->time.phase[p]);
  for (uint32_t g = 0; g < s->group_count; g++)
    facts_add(l, TS_FACT_TIME,
              ts_arena_printf(l->arena, "exposed %s%s",
                              string(l, s->ir->groups[s->groups[g].group].name),
                              s->groups[g].messages ? " messages" : ""),
              TS_FIGURE_IN_TIME, s->groups[g].exposed);
  facts_add(l, TS_FACT_TIME, "pipeline bubble", TS_FIGURE_IN_TIME, s->time.bubble);
  facts_add(l, TS_FACT_TIME, "waits for the host", TS_FIGURE_IN_TIME, s->time.host);
  facts_add(l, TS_FACT_TIME, "finished early", TS_FIGURE_IN_TIME, s->time.tail);
}

static void add_memory(list *l)
{
  const ts_memory *m = l->s->memory;
  const ts_memory_class *fullest = &m->classes[m->fullest];
  for (uint32_t c = 0; m->stated && c < TS_IR_CATEGORIES; c++)
    facts_add(l, TS_FACT_MEMORY, ts_category_name(c), TS_FIGURE_IN_SIZE,
              (double)fullest->category[c]);
}

static void add_basis(list *l)
{
  const ts_summary *s = l->s;
  for (uint32_t b = 0; s->time.compute > 0 && b < TS_IR_BASES; b++)
    facts_add(l, TS_FACT_BASIS, ts_basis_name(b), TS_FIGURE_IN_SHARE,
              s->basis[b] / (s->time.compute * s->ir->meta->world));
}

ts_plan_facts ts_facts_of(ts_arena *arena, const ts_summary *summary)
{
  list l = {.arena = arena, .s = summary};
  add_outcome(&l);
  add_plan(&l);
  add_cluster(&l);
  add_work(&l);
  add_time(&l);
  add_memory(&l);
  add_basis(&l);
  return (ts_plan_facts){l.facts.count, l.facts.at};
}

/* ---- Which differ ---- */

static const ts_plan_fact *facts_find(ts_plan_facts facts, const ts_plan_fact *like)
{
  for (size_t i = 0; i < facts.count; i++)
    if (facts.at[i].part == like->part && facts.at[i].unit == like->unit &&
        strcmp(facts.at[i].name, like->name) == 0)
      return &facts.at[i];
  return NULL;
}

ts_fact_changes ts_facts_compare(ts_arena *arena, ts_plan_facts before, ts_plan_facts after)
{
  TS_VEC(ts_fact_change) changes = {0};
  for (ts_fact_part part = 0; part < TS_FACT_PARTS; part++) {
    for (size_t i = 0; i < before.count; i++) {
      const ts_plan_fact *b = &before.at[i], *a = facts_find(after, b);
      if (b->part == part && (!a || a->value != b->value))
        TS_PUSH(arena, &changes, (ts_fact_change){*b, true, a != NULL, b->value, a ? a->value : 0});
    }
    for (size_t i = 0; i < after.count; i++)
      if (after.at[i].part == part && !facts_find(before, &after.at[i]))
        TS_PUSH(arena, &changes, (ts_fact_change){after.at[i], false, true, 0, after.at[i].value});
  }
  return (ts_fact_changes){changes.count, changes.at};
}

/* ---- Printed ---- */

static ts_text shown(const ts_fact_change *c, bool is_there, double value)
{
  double figure = is_there ? value / ts_figure_units[c->fact.unit].facts : TS_NOT_KNOWN;
  return ts_figure_text(c->fact.unit, figure);
}
static ts_text before_text(const ts_fact_change *c) { return shown(c, c->had, c->before); }
static ts_text after_text(const ts_fact_change *c) { return shown(c, c->has, c->after); }

static const char *facts_change(ts_arena *arena, const ts_fact_change *c)
{
  if (!c->had || !c->has)
    return c->had ? "gone" : "new";
  double points = 100 * (c->after - c->before);
  if (c->fact.unit == TS_FIGURE_IN_SHARE)
    return fabs(points) < 0.05 ? "< 0.1 points" : ts_arena_printf(arena, "%+.1f points", points);
  if (c->before == 0)
    return "from 0";
  double percent = 100 * (c->after / c->before - 1);
  if (fabs(percent) < 0.05)
    return "< 0.1 %";
  return fabs(percent) >= 999.5 ? ts_arena_printf(arena, "x %.3g", c->after / c->before) :
                                  ts_arena_printf(arena, "%+.1f %%", percent);
}

static const char *const titles[] = {"Results",
                                                  "The plan",
                                                  "The cluster",
                                                  "Kernels of a rank, mean",
                                                  "Communication of a rank, mean",
                                                  "Where the time goes, mean of all ranks",
                                                  "Memory at its peak",
                                                  "Sources of the compute time"};
TS_TABLE(titles, TS_FACT_PARTS);

void ts_report_changes_text(ts_fact_changes changes, const char *before, const char *after,
                            ts_arena *arena, FILE *out)
{
  if (!changes.count) {
    fputs("no difference in the step\n", out);
    return;
  }
  ts_put_text(out, "%-*s%*s%*s%*s\n", NAME + 2, "", VALUE, ts_report_fit(arena, before, VALUE - 2),
              VALUE, ts_report_fit(arena, after, VALUE - 2), VALUE, "difference");
  for (size_t i = 0; i < changes.count; i++) {
    const ts_fact_change *c = &changes.at[i];
    if (!i || c[-1].fact.part != c->fact.part)
      ts_put_text(out, i ? "\n%s\n" : "%s\n", titles[c->fact.part]);
    ts_put_text(out, "  %-*s%*s%*s%*s\n", NAME, ts_report_fit(arena, c->fact.name, NAME), VALUE,
                before_text(c).text, VALUE, after_text(c).text, VALUE, facts_change(arena, c));
  }
}

void ts_report_changes_html(ts_fact_changes changes, const char *before, const char *after,
                            ts_arena *arena, FILE *out)
{
  fputs("<div class=\"wide\"><table class=\"changes\">\n<thead><tr><th scope=\"col\"></th>", out);
  ts_put_xml(out, "<th scope=\"col\">%s</th><th scope=\"col\">%s</th>", before, after);
  fputs("<th scope=\"col\">difference</th></tr></thead>\n", out);
  for (size_t i = 0; i < changes.count; i++) {
    const ts_fact_change *c = &changes.at[i];
    if (!i || c[-1].fact.part != c->fact.part)
      ts_put_xml(out, "<tbody><tr><th colspan=\"4\" scope=\"rowgroup\">%s</th></tr>\n",
                 titles[c->fact.part]);
    ts_put_xml(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n",
               c->fact.name, before_text(c).text, after_text(c).text, facts_change(arena, c));
    if (i + 1 == changes.count || c[1].fact.part != c->fact.part)
      fputs("</tbody>\n", out);
  }
  fputs("</table></div>\n", out);
}

/* Names that are words of ours are as they are, those of plans code. */
static bool is_words(const char *name)
{
  return !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,()-")];
}

static void put_markdown_row(ts_arena *arena, const ts_fact_change *c, FILE *out)
{
  (is_words(c->fact.name) ? ts_put_xml : ts_put_code)(out, "| %s ", c->fact.name);
  ts_put_xml(out, "| %s | %s | %s |\n", before_text(c).text, after_text(c).text,
             facts_change(arena, c));
}

void ts_report_changes_markdown(ts_fact_changes changes, const char *before, const char *after,
                                ts_arena *arena, FILE *out)
{
  for (size_t i = 0; i < changes.count; i++) {
    ts_fact_part part = changes.at[i].fact.part;
    bool folds = part != TS_FACT_OUTCOME;
    size_t end = i;
    while (end < changes.count && changes.at[end].fact.part == part)
      end++;
    if (folds)
      ts_put_xml(out, "<details><summary>%s: %s differ%s</summary>\n\n", titles[part],
                 ts_format_count(end - i).text, end - i == 1 ? "s" : "");
    ts_put_code(out, "| | %s | %s | difference |\n|:--|--:|--:|--:|\n", before, after);
    for (; i < end; i++)
      put_markdown_row(arena, &changes.at[i], out);
    fputs(folds ? "\n</details>\n" : "\n", out);
    i--;
  }
}

void ts_report_changes_json(ts_fact_changes changes, const ts_interval *ratio, FILE *out)
{
  static const char *const parts[] = {"outcome", "plan", "cluster", "kernels",
                                                   "calls",   "time", "memory",  "basis"};
  TS_TABLE(parts, TS_FACT_PARTS);
  cJSON *root = cJSON_CreateObject(), *all;
  cJSON_AddStringToObject(root, "type", "trainspec-diff");
  cJSON_AddNumberToObject(root, "format", 1);
  cJSON_AddBoolToObject(root, "same", !changes.count);
  all = cJSON_AddArrayToObject(root, "differences");
  for (size_t i = 0; i < changes.count; i++) {
    const ts_fact_change *c = &changes.at[i];
    cJSON *o = ts_add_element(all);
    cJSON_AddStringToObject(o, "part", parts[c->fact.part]);
    cJSON_AddStringToObject(o, "name", c->fact.name);
    cJSON_AddStringToObject(o, "unit", ts_figure_units[c->fact.unit].fact);
    if (c->had)
      cJSON_AddNumberToObject(o, "before", c->before);
    if (c->has)
      cJSON_AddNumberToObject(o, "after", c->after);
  }
  if (ratio->on && changes.count) {
    cJSON *o = cJSON_AddObjectToObject(root, "step_time_ratio");
    cJSON_AddNumberToObject(o, "ratio", ratio->figure);
    cJSON_AddNumberToObject(o, "percent", TS_CONFIDENCE_PERCENT);
    cJSON_AddNumberToObject(o, "low", ratio->low);
    cJSON_AddNumberToObject(o, "high", ratio->high);
  }
  ts_report_print_json(root, out);
}
