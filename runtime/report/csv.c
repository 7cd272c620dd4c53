/* The report for spreadsheets: a row for each class of ranks, or for each of its modules. RFC 4180
 * but for the line ends, which are those of the system. Columns: doc/reports.md. */
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "runtime/account/run.h"
#include "runtime/report/links.h"
#include "runtime/report/modules.h"
#include "runtime/report/report.h"

typedef struct table { const ts_summary *s; FILE *out; bool head; } table;

static void name_column(const table *t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fputc(',', t->out);
  ts_put_csv(t->out, "%s", ts_arena_vprintf(t->s->arena, format, args));
  va_end(args);
}

/* A column: its name, which may be a format, in the head. */
#define COLUMN(t, value, ...)                                                                      \
  ((t)->head ? name_column(t, __VA_ARGS__) : integer((t)->out, value))

static void integer(FILE *out, uint64_t value) { fprintf(out, ",%llu", (unsigned long long)value); }

/* In base units; empty: not known. */
static void figure(const table *t, const char *name, ts_figure_unit unit, double value)
{
  if (t->head)
    name_column(t, "%s", name);
  else
    ts_figure_put_csv(unit, value, t->out);
}

/* Those of a step, or the others. */
static void figures(const table *t, const ts_figures *all, bool per_step)
{
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    if (ts_figure_table[f].in.csv && ts_figure_table[f].in.per_step == per_step)
      figure(t, ts_figure_member(f).text, ts_figure_table[f].unit, all->of[f]);
}

/* Codes, so that rows of many reports can be distinguished. */
static const char *codes(const ts_summary *s)
{
  const char *all = "";
  for (size_t i = 0; i < s->warnings.at.count; i++)
    if (!strstr(all, s->warnings.at.at[i].code))
      all = ts_arena_printf(s->arena, "%s%s%s", all, *all ? " " : "", s->warnings.at.at[i].code);
  return all;
}

static void groups(const table *t, const ts_class_result *c)
{
  for (uint32_t g = 0; g < t->s->group_count; g++) {
    const ts_group_total *group = &t->s->groups[g];
    const char *name = ts_summary_string(t->s, t->s->ir->groups[group->group].name),
               *kind = group->messages ? "messages" : "collectives";
    ts_comm_share share = {0};
    for (uint32_t i = 0; i < c->comm_count; i++)
      if (c->comms[i].group == group->group && c->comms[i].messages == group->messages)
        share = c->comms[i];
    COLUMN(t, share.calls, "%s_%s_calls", name, kind);
    COLUMN(t, share.bytes, "%s_%s_bytes", name, kind);
    COLUMN(t, share.busy, "%s_%s_busy_ps", name, kind);
    COLUMN(t, share.transfer, "%s_%s_transfer_ps", name, kind);
    COLUMN(t, share.exposed, "%s_%s_exposed_ps", name, kind);
  }
}

/* Of a class, or their names. */
static void columns(const table *t, const ts_class_result *c, const ts_memory_class *m)
{
  const ts_summary *s = t->s;
  ts_figures all = ts_figures_of(s);
  const ts_interval *step = &s->confidence.step;
  COLUMN(t, c->rank, "rank");
  COLUMN(t, c->count, "ranks");
  for (uint32_t a = 0; a < s->ir->axes_count; a++)
    COLUMN(t, c->rank / s->ir->axes[a].stride % s->ir->axes[a].size, "%s",
           ts_summary_string(s, s->ir->axes[a].name));
  COLUMN(t, s->result->step, "step_ps");
  COLUMN(t, c->end, "end_ps");
  COLUMN(t, ts_class_compute(c), "compute_ps");
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    COLUMN(t, c->phase[p], "%s", ts_phase_column(p));
  COLUMN(t, ts_class_exposed(c), "exposed_ps");
  COLUMN(t, c->bubble, "bubble_ps");
  COLUMN(t, c->host, "host_wait_ps");
  COLUMN(t, c->tail, "tail_ps");
  COLUMN(t, c->host_busy, "host_busy_ps");
  for (uint32_t b = 0; b < TS_IR_BASES; b++)
    COLUMN(t, c->basis[b], "%s_cost_ps", ts_basis_name(b));
  COLUMN(t, m->peak, "peak_bytes");
  COLUMN(t, m->at_peak.time, "peak_time_ps");
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    COLUMN(t, m->category[k], "%s_bytes", ts_category_name(k));
  COLUMN(t, m->reserved, "reserved_bytes");
  COLUMN(t, m->limit, "limit_bytes");
  COLUMN(t, m->over, "over_bytes");
  figures(t, &all, false);
  figure(t, "step_low_ps", TS_FIGURE_IN_TIME, step->on ? step->low : TS_NOT_KNOWN);
  figure(t, "step_high_ps", TS_FIGURE_IN_TIME, step->on ? step->high : TS_NOT_KNOWN);
  figures(t, &all, true);
  groups(t, c);
}

static void csv_row(const ts_summary *s, const ts_link_uses *links, uint32_t index, FILE *out)
{
  const ts_class_result *c = &s->result->classes[index];
  ts_put_csv(out, "%s", ts_summary_string(s, s->ir->meta->plan));
  fputc(',', out);
  ts_put_csv(out, "%s", ts_summary_string(s, s->ir->programs[c->program].name));
  columns(&(table){s, out, false}, c, &s->memory->classes[index]);
  ts_report_links_row(links, out);
  fputc(',', out);
  ts_put_csv(out, "%s", codes(s));
  fputc('\n', out);
}

void ts_report_csv(const ts_summary *s, FILE *out)
{
  if (s->extras.modules) {
    ts_modules_csv(s, s->extras.modules, out);
    return;
  }
  ts_link_uses links = ts_run_link_uses(s->run, s->arena);
  fputs("plan,program", out);
  columns(&(table){s, out, true}, &(ts_class_result){0}, &(ts_memory_class){0});
  ts_report_links_columns(&links, out);
  fputs(",warnings\n", out);
  for (uint32_t c = 0; c < s->result->class_count; c++)
    csv_row(s, &links, c, out);
}
