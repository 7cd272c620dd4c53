/* The report for spreadsheets: a row for each class of ranks, or for each of its modules. RFC 4180
 * but for the line ends, which are those of the system. Columns: doc/reports.md. */
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "runtime/account/run.h"
#include "runtime/report/figures.h"
#include "runtime/report/links.h"
#include "runtime/report/modules.h"
#include "runtime/report/report.h"

static void integer(FILE *out, uint64_t value) { fprintf(out, ",%llu", (unsigned long long)value); }

/* Those of a step, or the others; NULL: their columns. Empty: not known. */
static void figures(const ts_figures *all, bool per_step, FILE *out)
{
  for (ts_figure_id f = 0; f < TS_FIGURES; f++) {
    if (!ts_figure_is_in(f, TS_FIGURE_CSV) || ts_figure_is_in(f, TS_FIGURE_PER_STEP) != per_step)
      continue;
    if (!all)
      ts_put_csv(out, ",%s", ts_figure_member(f).text);
    else if (ts_is_stated(all->of[f]))
      fprintf(out, ",%.17g", ts_figure_scaled(ts_figure_table[f].unit, all->of[f]));
    else
      fputc(',', out);
  }
}

/* In ps; empty: nothing is known. */
static void bound(const ts_interval *interval, double seconds, FILE *out)
{
  if (interval->on)
    integer(out, (uint64_t)(seconds * 1e12 + 0.5));
  else
    fputc(',', out);
}

static void header(const ts_summary *s, const ts_link_uses *links, FILE *out)
{
  fputs("plan,program,rank,ranks", out);
  for (uint32_t a = 0; a < s->ir->axes_count; a++) {
    fputc(',', out);
    ts_put_csv(out, "%s", s->ir->strings + s->ir->axes[a].name);
  }
  fputs(",step_ps,end_ps,compute_ps", out);
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    ts_put_csv(out, ",%s", ts_phase_column(p));
  fputs(",exposed_ps,bubble_ps,host_wait_ps,tail_ps,host_busy_ps", out);
  for (uint32_t b = 0; b < TS_IR_BASES; b++)
    ts_put_csv(out, ",%s_cost_ps", ts_basis_name(b));
  fputs(",peak_bytes,peak_time_ps", out);
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    ts_put_csv(out, ",%s_bytes", ts_category_name(c));
  fputs(",reserved_bytes,limit_bytes,over_bytes", out);
  figures(NULL, false, out);
  fputs(",step_low_ps,step_high_ps", out);
  figures(NULL, true, out);
  static const char *const measures[] = {"calls", "bytes", "busy_ps", "transfer_ps", "exposed_ps"};
  for (uint32_t g = 0; g < s->group_count; g++) {
    for (int m = 0; m < 5; m++) {
      fputc(',', out);
      ts_put_csv(out, "%s",
                 ts_arena_printf(s->arena, "%s_%s_%s",
                                 s->ir->strings + s->ir->groups[s->groups[g].group].name,
                                 s->groups[g].messages ? "messages" : "collectives", measures[m]));
    }
  }
  ts_report_links_columns(links, out);
  fputs(",warnings\n", out);
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

static void groups(const ts_summary *s, const ts_class_result *c, FILE *out)
{
  for (uint32_t g = 0; g < s->group_count; g++) {
    ts_comm_share share = {0};
    for (uint32_t i = 0; i < c->comm_count; i++)
      if (c->comms[i].group == s->groups[g].group && c->comms[i].messages == s->groups[g].messages)
        share = c->comms[i];
    integer(out, share.calls);
    integer(out, share.bytes);
    integer(out, share.busy);
    integer(out, share.transfer);
    integer(out, share.exposed);
  }
}

static void row(const ts_summary *s, const ts_link_uses *links, uint32_t index, FILE *out)
{
  const ts_class_result *c = &s->result->classes[index];
  const ts_memory_class *m = &s->memory->classes[index];
  ts_put_csv(out, "%s", s->ir->strings + s->ir->meta->plan);
  fputc(',', out);
  ts_put_csv(out, "%s", s->ir->strings + s->ir->programs[c->program].name);
  integer(out, c->rank);
  integer(out, c->count);
  for (uint32_t a = 0; a < s->ir->axes_count; a++)
    integer(out, c->rank / s->ir->axes[a].stride % s->ir->axes[a].size);
  integer(out, s->result->step);
  integer(out, c->end);
  integer(out, ts_class_compute(c));
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    integer(out, c->phase[p]);
  integer(out, ts_class_exposed(c));
  integer(out, c->bubble);
  integer(out, c->host);
  integer(out, c->tail);
  integer(out, c->host_busy);
  for (uint32_t b = 0; b < TS_IR_BASES; b++)
    integer(out, c->basis[b]);
  integer(out, m->peak);
  integer(out, m->at_peak.time);
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    integer(out, m->category[k]);
  integer(out, m->reserved);
  integer(out, m->limit);
  integer(out, m->over);
  ts_figures all = ts_figures_of(s);
  figures(&all, false, out);
  bound(&s->confidence.step, s->confidence.step.low, out);
  bound(&s->confidence.step, s->confidence.step.high, out);
  figures(&all, true, out);
  groups(s, c, out);
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
  header(s, &links, out);
  for (uint32_t c = 0; c < s->result->class_count; c++)
    row(s, &links, c, out);
}
