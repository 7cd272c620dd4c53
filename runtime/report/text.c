/* The report for the terminal, one screen of it: what is wrong, the answer, where the time went,
 * memory, what the figures rest on. Fits 100 columns. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "ir/spelling.h"
#include "runtime/report/calibrated.h"
#include "runtime/report/confidence.h"
#include "runtime/report/extras.h"
#include "runtime/report/links.h"
#include "runtime/report/members.h"
#include "runtime/report/report.h"

enum {
  WIDTH = TS_REPORT_WIDTH,
  NAME = 24,
  PART_NAME = 26,
  HOLDER_NAME = 22,
  MOST_STAGES = 4,
  MOST_PARTS = 5,
  LEAST_PART = 5,     /* per mille */
  SHORT_FORMATS = 14, /* behind MFU */
  MOST_SOURCES = 4
};

typedef struct printer {
  const ts_summary *s;
  ts_arena *arena;
  FILE *out;
} printer;

static const char *string(const printer *p, ts_ir_str text) { return p->s->ir->strings + text; }
static const char *text_fit(printer *p, const char *text, unsigned columns)
{
  return ts_report_fit(p->arena, text, columns);
}

/* A name, padded to a column; cut if it is longer. */
static void text_name(printer *p, unsigned indent, unsigned columns, const char *text)
{
  const char *shown = text_fit(p, text, columns - indent);
  ts_put_text(p->out, "%*s%s%*s", (int)indent, "", shown,
              (int)(columns - indent - ts_report_columns(shown)), "");
}

static void section(printer *p, const char *format, ...)
{
  const char *title;
  TS_FORMATTED(p->arena, format, title);
  ts_put_text(p->out, "\n%s\n", text_fit(p, title, WIDTH));
}

static const char *program_name(const printer *p, uint32_t program)
{
  const char *text = string(p, p->s->ir->programs[program].name);
  return *text ? text : ts_arena_printf(p->arena, "program %u", program);
}

static const char *stage_name(const printer *p, uint32_t class)
{
  return program_name(p, p->s->result->classes[class].program);
}

/* ---- The answer ---- */

/* "9.423 s": the number right-aligned, so that a column of quantities reads as one. */
static void quantity(printer *p, const char *label, ts_text value, const char *unit)
{
  const char *gap = strchr(value.text, ' ');
  int digits = gap ? (int)(gap - value.text) : (int)strlen(value.text);
  ts_put_text(p->out, "  %-14s %10.*s%s", label, digits, value.text, gap ? gap : "");
  ts_put_raw(p->out, unit);
}

/* " (80 %: 20.9 to 24.0)" */
static const char *interval(printer *p, const ts_interval *i, ts_text figure)
{
  const char *text = ts_interval_text(p->arena, i, figure);
  return *text ? ts_arena_printf(p->arena, " (%s)", text) : "";
}

static void answer_memory(printer *p)
{
  const ts_memory *memory = p->s->memory;
  const ts_memory_class *m = &memory->classes[memory->fullest];
  if (!memory->stated)
    return;
  ts_text peak = ts_format_bytes((double)(m->peak + m->reserved));
  const char *between = interval(p, &p->s->confidence.memory, peak);
  quantity(p, "peak memory", peak, between);
  if (m->limit)
    ts_put_text(p->out, " of %s%s", ts_format_bytes((double)m->limit).text,
                m->over ? ", too much" : "");
  if (p->s->stage_count > 1)
    ts_put_text(p->out, ", %s", text_fit(p, stage_name(p, memory->fullest), *between ? 12 : 24));
  fputc('\n', p->out);
}

/* Figures with a line of their own; those of a step also of as many tokens as models are trained
 * on. */
static void answer_figure(printer *p, ts_figure_id f, double value)
{
  const ts_figure *figure = &ts_figure_table[f];
  double tokens = ts_of_trillion_tokens(p->s, 1);
  if (!ts_figure_table[f].in.per_step) {
    quantity(p, figure->title, ts_figure_text(figure->unit, value), "\n");
    return;
  }
  bool carbon = figure->unit == TS_FIGURE_IN_CO2;
  quantity(p, figure->name, ts_figure_text(figure->unit, value),
           carbon ? " of CO2 a step" : " a step");
  if (f == TS_FIGURE_ENERGY)
    ts_put_text(p->out, ", %s per device", ts_format_scaled(p->s->energy.watts, "W").text);
  if (tokens > 0)
    ts_put_text(p->out, carbon ? ", %s kg for 10^12 tokens" : ", %s for 10^12 tokens",
                carbon ? ts_format_significant(value * tokens / 1000).text :
                         ts_figure_text(figure->unit, value * tokens).text);
  fputc('\n', p->out);
}

static void answer_figures(printer *p)
{
  ts_figures figures = ts_figures_of(p->s);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    if (ts_figure_table[f].in.line && ts_is_stated(figures.of[f]))
      answer_figure(p, f, figures.of[f]);
}

static void answer(printer *p)
{
  const ts_summary *s = p->s;
  const ts_ir_meta *meta = s->ir->meta;
  ts_put_text(p->out, "%s\n", text_fit(p, ts_report_title(p->arena, s->ir), WIDTH));
  const char *rest =
    ts_arena_printf(p->arena, "%s micro-batch%s", ts_format_count(meta->micro_batches).text,
                    meta->micro_batches == 1 ? "" : "es");
  if (meta->tokens_per_step || meta->samples_per_step)
    rest = ts_arena_printf(
      p->arena, "%s, %s %s a step", rest,
      ts_format_count(meta->tokens_per_step ? meta->tokens_per_step : meta->samples_per_step).text,
      meta->tokens_per_step ? "tokens" : "samples");
  if (meta->parameters)
    rest =
      meta->parameters < 1000000 ?
        ts_arena_printf(p->arena, "%s, %s parameter%s", rest,
                        ts_format_count(meta->parameters).text, meta->parameters == 1 ? "" : "s") :
        ts_arena_printf(p->arena, "%s, %.4g %s parameters", rest,
                        (double)meta->parameters / (meta->parameters < 1000000000 ? 1e6 : 1e9),
                        meta->parameters < 1000000000 ? "million" : "billion");
  if (meta->world > 1)
    rest = s->result->class_count == 1 ?
             ts_arena_printf(p->arena, "%s; all ranks behave alike", rest) :
             ts_arena_printf(p->arena, "%s; ranks behave in %s ways", rest,
                             ts_format_count(s->result->class_count).text);
  ts_put_text(p->out, "%s\n", text_fit(p, rest, WIDTH));
  ts_report_warnings_text(s, p->arena, p->out);
  fputc('\n', p->out);
  bool over = s->memory->stated && s->memory->classes[s->memory->fullest].over;
  if (over)
    answer_memory(p);

  ts_text step = ts_format_time(s->result->step);
  quantity(p, "step time", step,
           ts_arena_printf(p->arena, "%s\n", interval(p, &s->confidence.step, step)));
  if (meta->steps > 1)
    quantity(p, "optimizer step", ts_format_time(s->result->step / meta->steps),
             ts_arena_printf(p->arena, ", on average over %u\n", meta->steps));
  bool tokens = s->tokens_per_second > 0;
  double rate = tokens ? s->tokens_per_second : s->samples_per_second;
  if (rate > 0) {
    quantity(p, "throughput", ts_format_significant(rate), tokens ? " tokens/s" : " samples/s");
    if (meta->world > 1)
      ts_put_text(p->out, ", %s per device", ts_format_significant(rate / meta->world).text);
    fputc('\n', p->out);
  }
  if (s->flops_per_device > 0) {
    quantity(p, "model FLOP/s", ts_format_scaled(s->flops_per_device, "FLOP/s"),
             meta->world > 1 ? " per device" : "");
    if (s->mfu > 0)
      ts_put_text(p->out, ", MFU %s", ts_format_share(s->mfu).text);
    if (s->hfu > 0)
      ts_put_text(p->out, ", HFU %s", ts_format_share(s->hfu).text);
    const char *formats = ts_report_formats(p->arena, s->ir);
    ts_text peak = ts_format_scaled(meta->peak_flops, "FLOP/s");
    bool fits = ts_report_columns(formats) <= SHORT_FORMATS;
    if (s->mfu > 0 && fits)
      ts_put_text(p->out, " of %s%s", peak.text, formats);
    fputc('\n', p->out);
    if (s->mfu > 0 && !fits)
      quantity(p, "peak FLOP/s", peak, ts_arena_printf(p->arena, "%s\n", text_fit(p, formats, 64)));
  }
  if (!over)
    answer_memory(p);
  answer_figures(p);
}

/* ---- Where the time went ---- */

/* ps; of: what the busiest rank sends, of communication */
typedef struct split_row {
  const char *text;
  unsigned indent;
  double busiest, all;
  const ts_comm_share *of;
} split_row;
typedef struct split_table { split_row *row; size_t count; } split_table;

static void text_add_row(split_table *t, split_row row)
{
  if (row.busiest > 0 || row.all > 0 || (row.of && row.of->calls))
    t->row[t->count++] = row;
}

static const ts_comm_share *text_share_of(const ts_class_result *class, uint32_t group,
                                          bool messages)
{
  for (uint32_t i = 0; i < class->comm_count; i++)
    if (class->comms[i].group == group && class->comms[i].messages == messages)
      return &class->comms[i];
  return NULL;
}

static const char *group_name(printer *p, uint32_t group, bool messages)
{
  return ts_arena_printf(p->arena, messages ? "%s messages" : "%s",
                         string(p, p->s->ir->groups[group].name));
}

static void collect_split(printer *p, const ts_class_result *busiest, split_table *t)
{
  const ts_summary *s = p->s;
  for (uint32_t i = 0; i < TS_IR_PHASES; i++)
    text_add_row(
      t, (split_row){ts_phase_name(i), 4, (double)busiest->phase[i], s->time.phase[i], NULL});
  size_t phases = t->count;
  if (phases) {
    split_row sum = {"compute", 2, (double)ts_class_compute(busiest), s->time.compute, NULL};
    memmove(t->row + 1, t->row, phases * sizeof t->row[0]);
    t->row[0] = sum;
    t->count++;
  }
  for (uint32_t g = 0; g < s->group_count; g++) {
    const ts_comm_share *share = text_share_of(busiest, s->groups[g].group, s->groups[g].messages);
    const char *text = ts_arena_printf(p->arena, "exposed %s",
                                       group_name(p, s->groups[g].group, s->groups[g].messages));
    text_add_row(
      t, (split_row){text, 2, share ? (double)share->exposed : 0, s->groups[g].exposed, share});
  }
  text_add_row(t, (split_row){"pipeline bubble", 2, (double)busiest->bubble, s->time.bubble, NULL});
  text_add_row(t, (split_row){"waits for the host", 2, (double)busiest->host, s->time.host, NULL});
  text_add_row(t, (split_row){"finished early", 2, (double)busiest->tail, s->time.tail, NULL});
}

/* Rounds one column so that its rows add up to `units`, and the phases to what their sum was given.
 * */
static void round_split(printer *p, const split_table *t, bool all, double total, uint64_t units,
                        uint64_t *out)
{
  double *value = TS_NEW_ARRAY(p->arena, double, t->count + 1),
         *rows = TS_NEW_ARRAY(p->arena, double, t->count + 1);
  size_t phases = 0; /* behind their sum, which is row 0 */
  for (size_t i = 0; i < t->count; i++) {
    value[i] = all ? t->row[i].all : t->row[i].busiest;
    rows[i] = t->row[i].indent == 4 ? 0 : value[i];
    phases += t->row[i].indent == 4;
  }
  ts_apportion(rows, t->count, total, units, out);
  if (phases)
    ts_apportion(value + 1, phases, value[0], out[0], out + 1);
}

static const char *text_tenths(printer *p, uint64_t tenths)
{
  return ts_arena_printf(p->arena, "%u.%u %%", (unsigned)(tenths / 10), (unsigned)(tenths % 10));
}

static void put_traffic(printer *p, const ts_comm_share *c)
{
  double hidden = c->busy > c->exposed ? 1 - (double)c->exposed / (double)c->busy : 0;
  ts_put_text(p->out, "%9s%11s%10s%10s%8s", ts_format_count(c->calls).text,
              ts_format_bytes((double)c->bytes).text, ts_format_time(c->transfer).text,
              ts_format_time(c->busy > c->transfer ? c->busy - c->transfer : 0).text,
              ts_format_share(hidden).text);
}

/* Phases of the compute time, in one line. */
static void put_phases(printer *p, const split_table *t, const uint64_t *share)
{
  const char *text = "";
  for (size_t i = 1; i < t->count && t->row[i].indent == 4; i++)
    if (share[i])
      text = ts_arena_printf(p->arena, "%s%s%s %u.%u", text, *text ? ", " : "", t->row[i].text,
                             (unsigned)(share[i] / 10), (unsigned)(share[i] % 10));
  if (!*text)
    return;
  ts_put_text(p->out, "    ");
  ts_report_wrapped(p->arena, ts_arena_printf(p->arena, "%s %%", text), 4, 4, p->out);
}

static void where_time_went(printer *p)
{
  const ts_summary *s = p->s;
  if (!s->result->step || !s->result->class_count)
    return;
  const ts_class_result *busiest = &s->result->classes[s->busiest];
  bool several = s->result->class_count > 1;
  split_table t = {TS_NEW_ARRAY(p->arena, split_row, TS_IR_PHASES + s->group_count + 5), 0};
  collect_split(p, busiest, &t);

  ts_column column = ts_column_of_times((double)s->result->step);
  uint64_t step = ts_column_units(&column, (double)s->result->step);
  uint64_t *time = TS_NEW_ARRAY(p->arena, uint64_t, t.count + 1),
           *share = TS_NEW_ARRAY(p->arena, uint64_t, t.count + 1);
  uint64_t *all = TS_NEW_ARRAY(p->arena, uint64_t, t.count + 1);
  round_split(p, &t, false, (double)s->result->step, step, time);
  round_split(p, &t, false, (double)s->result->step, 1000, share);
  round_split(p, &t, true, (double)s->result->step, 1000, all);
  t.row[t.count] = (split_row){"step", 2, 0, 0, NULL};
  time[t.count] = step;
  share[t.count] = all[t.count] = 1000;

  const char *who = s->stage_count > 1 ? stage_name(p, s->busiest) :
                    several            ? ts_arena_printf(p->arena, "rank %u", busiest->rank) :
                                         "";
  bool traffic = false;
  for (size_t i = 0; i < t.count; i++)
    traffic |= t.row[i].of && t.row[i].of->calls;
  fputc('\n', p->out);
  if (!several && !traffic)
    fputs("Where the time goes", p->out);
  else
    text_name(p, 0, NAME, "Where the time goes");
  if (several || traffic)
    ts_put_text(p->out, "%19s%8s", text_fit(p, who, 18), several ? "all" : "");
  if (traffic)
    ts_put_text(p->out, "%9s%11s%10s%10s%8s", "calls", "bytes", "transfer", "waiting", "hidden");
  fputc('\n', p->out);
  for (size_t i = 0; i <= t.count; i++) {
    const ts_comm_share *of = t.row[i].of && t.row[i].of->calls ? t.row[i].of : NULL;
    if ((t.row[i].indent == 4 && !s->verbose) ||
        !(share[i] || all[i] || of || (s->verbose && time[i])))
      continue;
    text_name(p, t.row[i].indent, NAME, t.row[i].text);
    ts_put_text(p->out, "%8s %-2s%8s", ts_format_in_column(&column, time[i]).text, column.unit,
                text_tenths(p, share[i]));
    if (several || of)
      ts_put_text(p->out, "%8s", several ? text_tenths(p, all[i]) : "");
    if (of)
      put_traffic(p, of);
    fputc('\n', p->out);
    if (i == 0 && t.row[1].indent == 4 && !s->verbose)
      put_phases(p, &t, share);
  }
}

/* ---- Stages ---- */

static double text_peak(const printer *p, const ts_stage_summary *stage)
{
  const ts_memory_class *m = &p->s->memory->classes[stage->fullest];
  return (double)(m->peak + m->reserved);
}

/* Stages that follow each other as one row: means of their ranks, and the highest peak. */
static void stage_line(printer *p, const ts_stage_summary *stage, uint32_t count,
                       const ts_column *sizes)
{
  double parts[5] = {0}, ranks = 0, peak = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ts_time_split *t = &stage[i].time;
    const double of[] = {t->compute, t->exposed, t->bubble, t->host, t->tail};
    for (int k = 0; k < 5; k++)
      parts[k] += of[k] * stage[i].ranks;
    ranks += stage[i].ranks;
    peak = fmax(peak, text_peak(p, &stage[i]));
  }
  for (int k = 0; k < 5; k++)
    parts[k] /= ranks;
  uint64_t tenths[5];
  ts_apportion(parts, 5, (double)p->s->result->step, 1000, tenths);
  const char *name = program_name(p, stage->program);
  text_name(p, 2, 20,
            count == 1 ? name : ts_arena_printf(p->arena, "%s, %u more", name, count - 1));
  ts_put_text(p->out, "%6s ", ts_format_count((uint64_t)ranks).text);
  for (int i = 0; i < 5; i++)
    fprintf(p->out, "%7u.%u", (unsigned)(tenths[i] / 10), (unsigned)(tenths[i] % 10));
  if (p->s->memory->stated)
    ts_put_text(p->out, "%8s", ts_format_in_column(sizes, ts_column_units(sizes, peak)).text);
  fputc('\n', p->out);
}

/* The ends, the busiest and the fullest have rows of their own; those between are one row. */
static bool text_has_row(const printer *p, uint32_t i)
{
  const ts_summary *s = p->s;
  return s->verbose || s->stage_count <= MOST_STAGES || !i || i + 1 == s->stage_count ||
         i == s->busiest_stage ||
         s->stages[i].program == s->result->classes[s->memory->fullest].program;
}

static void stages(printer *p)
{
  const ts_summary *s = p->s;
  if (s->stage_count < 2 || !s->result->step)
    return;
  fputc('\n', p->out);
  const ts_memory_class *most = &s->memory->classes[s->memory->fullest];
  ts_column sizes = ts_column_of_sizes((double)(most->peak + most->reserved));
  text_name(p, 0, 20, "Stages, % of step");
  ts_put_text(p->out, "%6s %9s%9s%9s%9s%9s", "ranks", "compute", "comm", "bubble", "host", "done");
  ts_put_text(p->out, s->memory->stated ? "%8s\n" : "\n", sizes.unit);
  for (uint32_t i = 0, count; i < s->stage_count; i += count) {
    for (count = 1; !text_has_row(p, i) && !text_has_row(p, i + count);)
      count++;
    stage_line(p, &s->stages[i], count, &sizes);
  }
}

/* ---- Critical path ---- */

static void critical_line(printer *p, const char *kind, const char *what, const ts_column *column,
                          uint64_t time, uint64_t tenths, uint64_t count, const char *label)
{
  ts_put_text(p->out, "  %-10s ", kind);
  text_name(p, 0, PART_NAME - 13, what);
  ts_put_text(p->out, "%9s %-2s", ts_format_in_column(column, time).text, column->unit);
  ts_put_text(p->out, "%10s", text_tenths(p, tenths));
  if (count)
    ts_put_text(p->out, "%9s", ts_format_count(count).text);
  if (*label)
    ts_put_text(p->out, "  %s", text_fit(p, label, WIDTH - PART_NAME - 34));
  fputc('\n', p->out);
}

static void critical_path(printer *p)
{
  const ts_result *r = p->s->result;
  ts_critical_parts path = ts_run_critical(p->s->run);
  if (!path.count || !r->step)
    return;
  uint64_t *time = TS_NEW_ARRAY(p->arena, uint64_t, path.count),
           *share = TS_NEW_ARRAY(p->arena, uint64_t, path.count);
  double *parts = TS_NEW_ARRAY(p->arena, double, path.count);
  ts_column column = ts_column_of_times((double)r->step);
  for (uint32_t i = 0; i < path.count; i++)
    parts[i] = (double)path.at[i].time;
  ts_apportion(parts, path.count, (double)r->step, ts_column_units(&column, (double)r->step),
               time);
  ts_apportion(parts, path.count, (double)r->step, 1000, share);

  uint64_t other_share = 0;
  uint32_t shown = 0;
  for (uint32_t i = 0; i < path.count; i++)
    if (p->s->verbose ? time[i] || share[i] : i < MOST_PARTS && share[i] >= LEAST_PART)
      shown = i + 1;
    else
      other_share += share[i];
  const char *title = ts_arena_printf(p->arena, "Critical path, ends on rank %u", r->critical_rank);
  if (other_share)
    title = ts_arena_printf(p->arena, "%s; others %s", title, text_tenths(p, other_share));
  fputc('\n', p->out);
  text_name(p, 0, PART_NAME + 23, title);
  ts_put_text(p->out, "%9s  %s\n", "calls", "most in");
  for (uint32_t i = 0; i < shown; i++) {
    const ts_critical_part *c = &path.at[i];
    critical_line(p, ts_critical_name(c->kind), c->kind == TS_CRITICAL_HOST ? "" : c->name, &column,
                  time[i], share[i], c->count, string(p, c->label));
  }
}

/* ---- Memory ---- */

typedef struct memory_row {
  const char *text;
  uint64_t bytes;
  const ts_memory_holder *largest;
} memory_row;

/* Whether the device is the whole of which the parts are shown: it holds them, and they are not
 * lost in it. */
static bool beside_device(const ts_memory_class *m)
{
  return m->limit && !m->over && m->peak + m->reserved >= m->limit / 1000;
}

static size_t memory_rows(const ts_memory_class *m, memory_row *row)
{
  size_t count = 0;
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++) {
    if (!m->category[c])
      continue;
    size_t at = count++;
    for (; at && row[at - 1].bytes < m->category[c]; at--) /* largest first */
      row[at] = row[at - 1];
    row[at] = (memory_row){ts_category_name(c), m->category[c], NULL};
    for (uint32_t h = 0; h < m->holder_count && !row[at].largest; h++)
      if (m->holders[h].category == c)
        row[at].largest = &m->holders[h];
  }
  if (m->reserved)
    row[count++] = (memory_row){"driver and libraries", m->reserved, NULL};
  if (beside_device(m))
    row[count++] = (memory_row){"free", m->limit - m->peak - m->reserved, NULL};
  return count;
}

static void memory_line(printer *p, const memory_row *row, const ts_column *column, uint64_t units,
                        uint64_t tenths)
{
  text_name(p, 2, HOLDER_NAME, row->text);
  ts_put_text(p->out, "%9s %s", ts_format_in_column(column, units).text, column->unit);
  ts_put_text(p->out, "%10s", text_tenths(p, tenths));
  if (row->largest && *row->largest->label) {
    ts_text bytes = ts_format_bytes((double)row->largest->bytes);
    bool all = row->largest->bytes == row->bytes;
    ts_put_text(p->out, "  %s",
                text_fit(p, row->largest->label,
                         WIDTH - HOLDER_NAME - 26 - (all ? 0 : (unsigned)strlen(bytes.text) + 2)));
    if (!all)
      ts_put_text(p->out, ", %s", bytes.text);
  }
  fputc('\n', p->out);
}

static void memory(printer *p)
{
  const ts_summary *s = p->s;
  if (!s->memory->stated)
    return;
  const ts_memory_class *m = &s->memory->classes[s->memory->fullest];
  const char *title = ts_arena_printf(p->arena, "Memory at its peak");
  if (s->result->class_count > 1)
    title = ts_arena_printf(p->arena, "%s on rank %u", title, m->rank);
  if (m->at_peak.node)
    title =
      ts_arena_printf(p->arena, "%s, after %s, in %s", title, ts_format_time(m->at_peak.time).text,
                      ts_report_item(p->arena, s->ir, m->at_peak.item));
  section(p, "%s", title);
  memory_row row[TS_IR_CATEGORIES + 2];
  size_t count = memory_rows(m, row);
  if (beside_device(m))
    row[count - 1].text =
      ts_arena_printf(p->arena, "free of %s", ts_format_bytes((double)m->limit).text);
  double parts[TS_IR_CATEGORIES + 2], total = 0;
  uint64_t tenths[TS_IR_CATEGORIES + 2], units[TS_IR_CATEGORIES + 2];
  for (size_t i = 0; i < count; i++) {
    parts[i] = (double)row[i].bytes;
    total += parts[i];
  }
  ts_column column = ts_column_of_sizes(total);
  ts_apportion(parts, count, total, 1000, tenths);
  ts_apportion(parts, count, total, ts_column_units(&column, total), units);
  for (size_t i = 0; i < count; i++)
    memory_line(p, &row[i], &column, units[i], tenths[i]);
  memory_row sum = {"total", (uint64_t)total, NULL};
  if (!beside_device(m))
    memory_line(p, &sum, &column, ts_column_units(&column, total), total > 0 ? 1000 : 0);
  if (m->over)
    ts_put_text(p->out, "  The device has %s: %s too little.\n",
                ts_format_bytes((double)m->limit).text, ts_format_bytes((double)m->over).text);
}

/* ---- What the figures rest on ---- */

/* A paragraph whose lines after the first are indented. */
static void paragraph(printer *p, const char *text)
{
  ts_report_wrapped(p->arena, text, 2, 0, p->out);
}

/* Sources that are not what their basis says already; a file that was asked in two ways is one. */
static const char *cost_sources(printer *p)
{
  const ts_summary *s = p->s;
  const ts_ir_cost_source *of = s->ir->cost_sources;
  const char *text = "";
  uint32_t shown = 0, more = 0, names = 0;
  double *share = TS_NEW_ARRAY(p->arena, double, s->source_count + 1);
  for (uint32_t i = 0, k; i < s->source_count; i++) {
    uint32_t source = s->sources[i].source;
    if (source == TS_IR_NONE ||
        (!s->verbose && strcmp(string(p, of[source].kind), ts_basis_name(TS_IR_ROOFLINE)) == 0))
      continue;
    for (k = 0; k < i && (s->sources[k].source == TS_IR_NONE ||
                          of[s->sources[k].source].name != of[source].name);)
      k++;
    names += !(share[k] > 0);
    share[k] += s->sources[i].time;
  }
  for (uint32_t i = 0; i < s->source_count; i++) {
    if (!(share[i] > 0) || (shown == MOST_SOURCES && !s->verbose)) {
      more += share[i] > 0;
      continue;
    }
    text = ts_arena_printf(p->arena, "%s%s%s", text, shown++ ? ", " : "; from ",
                           string(p, of[s->sources[i].source].name));
    if (names > 1)
      text = ts_arena_printf(p->arena, "%s %s", text, ts_format_share(share[i]).text);
  }
  return more ? ts_arena_printf(p->arena, "%s and %u more", text, more) : text;
}

static void cost_basis(printer *p)
{
  const ts_summary *s = p->s;
  double total = 0, beyond = 0;
  uint64_t tenths[TS_IR_BASES];
  const char *text = "";
  for (uint32_t b = 0; b < TS_IR_BASES; b++)
    total += s->basis[b];
  if (!(total > 0))
    return;
  ts_apportion(s->basis, TS_IR_BASES, total, 1000, tenths);
  for (uint32_t b = 0; b < TS_IR_BASES; b++)
    if (s->basis[b] > 0)
      text = ts_arena_printf(p->arena, "%s%s%s %s", text, *text ? ", " : "", ts_basis_name(b),
                             text_tenths(p, tenths[b]));
  for (uint32_t i = 0; i < s->source_count; i++)
    if (s->sources[i].source != TS_IR_NONE &&
        strcmp(string(p, s->ir->cost_sources[s->sources[i].source].kind), TS_IR_EXTRAPOLATED) == 0)
      beyond += s->sources[i].time;
  if (beyond > 0)
    text = ts_arena_printf(p->arena, "%s (%s extrapolated)", text, ts_format_share(beyond).text);
  if (!s->confidence.step.on)
    fputc('\n', p->out);
  paragraph(p, ts_arena_printf(p->arena, "Compute time: %s%s", text, cost_sources(p)));
}

/* What a model answers for: "all_reduce inside islands". */
static const char *network_scope(printer *p, const ts_ir_net_model *model)
{
  uint32_t count = 0, last = 0;
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++) {
    count += model->collectives >> k & 1;
    last = model->collectives >> k & 1 ? k : last;
  }
  const char *what =
    count == TS_IR_COLLECTIVE_KINDS ? "" :
    count != 1                      ? ts_arena_printf(p->arena, " %u kinds", count) :
                                      ts_arena_printf(p->arena, " %s",
                                 last == TS_IR_MESSAGE ? "messages" : ts_ir_collective_names[last]);
  const char *where = model->tier == TS_IR_NONE ? "" :
                      model->tier > 1 ? ts_arena_printf(p->arena, " from tier %u on", model->tier) :
                      model->tier     ? " between islands" :
                                        " inside islands";
  return ts_arena_printf(p->arena, "%s%s%s", what, where, model->assumed ? ", assumed" : "");
}

/* What it has: points, curves, methods, or a latency a call and a share of the bandwidth. */
static const char *network_figures(printer *p, const ts_ir_net_model *model)
{
  const char *what = model->point_count ? "point" : model->curve_count ? "curve" : "method";
  uint32_t count = model->point_count ? model->point_count :
                   model->curve_count ? model->curve_count :
                                        model->method_count;
  return count ? ts_arena_printf(p->arena, "%s %s%s", ts_format_count(count).text, what,
                                 count == 1 ? "" : "s") :
                 ts_arena_printf(p->arena, "%s a call, %s of the bandwidth",
                                 ts_format_time(model->base).text,
                                 ts_format_share(model->efficiency).text);
}

/* "whitebox inside islands 14.7 %" */
static const char *network_part(printer *p, const char *text, const char *title,
                                const char *figures, const ts_network_use *use)
{
  text = ts_arena_printf(p->arena, "%s%s%s %s", text, *text ? ", " : "", title,
                         use->calls ? ts_format_share(ts_summary_share(p->s, use)).text : "unused");
  return !p->s->verbose ? text :
         !use->calls    ? ts_arena_printf(p->arena, "%s (%s)", text, figures) :
                          ts_arena_printf(p->arena, "%s (%s, %s calls)", text, figures,
                                          ts_summary_calls(p->s, use).text);
}

/* Those that answered calls, by precedence. */
static void network(printer *p)
{
  const ts_ir *ir = p->s->ir;
  if (!ir->net_models_count || !p->s->group_count)
    return;
  const char *text = "";
  for (uint32_t m = 0; m < ir->net_models_count; m++) {
    const ts_ir_net_model *model = &ir->net_models[m];
    ts_network_use use = ts_network_use_of(p->s->result, m);
    if (p->s->network && strcmp(p->s->network, string(p, model->name)) != 0)
      continue;
    if (use.calls || p->s->verbose)
      text = network_part(
        p, text, ts_arena_printf(p->arena, "%s%s", string(p, model->name), network_scope(p, model)),
        network_figures(p, model), &use);
  }
  ts_network_use use = ts_network_use_of(p->s->result, ir->net_models_count);
  if (use.calls)
    text = network_part(p, text, TS_NETWORK_LINKS, "no model", &use);
  if (*text)
    paragraph(p, ts_arena_printf(p->arena, "Networks, by share of step: %s", text));
}

/* What made the classes, unless it is programs alone or every rank was played. */
static void what_split(printer *p)
{
  const ts_class_split *splits;
  uint32_t count = ts_run_splits(p->s->run, p->arena, &splits), classes = 1;
  for (uint32_t i = 0; i < count; i++)
    classes += splits[i].more;
  if (!count || classes != p->s->result->class_count ||
      (count == 1 && strcmp(splits[0].by, "program") == 0))
    return;
  size_t column = (size_t)fprintf(p->out, "Ranks differ by");
  for (uint32_t i = 0; i < count; i++) {
    const char *part =
      ts_arena_printf(p->arena, "%s (%s%s)%s", splits[i].by, i ? "+" : "",
                      ts_format_count(splits[i].more + !i).text, i + 1 < count ? "," : ".");
    bool fits = column + 1 + ts_report_columns(part) <= WIDTH;
    ts_put_text(p->out, fits ? " %s" : "\n  %s", part);
    column = (fits ? column + 1 : 2) + ts_report_columns(part);
  }
  fputc('\n', p->out);
}

static void assumptions(printer *p)
{
  const ts_summary *s = p->s;
  const char *text = "";
  for (uint32_t i = 0; i < s->assumption_count; i++)
    text = ts_arena_printf(p->arena, "%s%s%s", text, *text ? "; " : "", s->assumptions[i]);
  if (*text)
    paragraph(p, ts_arena_printf(p->arena, "Assumed: %s", text));
  if (s->ir->meta->world > 1)
    what_split(p);
  if (s->ir->meta->world > 1 && s->verbose)
    ts_put_text(p->out, "Simulated %s nodes of %s\n", ts_format_count(s->result->nodes_played).text,
                ts_format_count(s->result->nodes).text);
}

void ts_report_text(const ts_summary *summary, FILE *out)
{
  printer p = {summary, ts_arena_new("text report"), out};
  answer(&p);
  where_time_went(&p);
  stages(&p);
  critical_path(&p);
  memory(&p);
  ts_report_links_text(summary, p.arena, out);
  ts_report_extras_text(summary, p.arena, out);
  ts_report_confidence_text(summary, p.arena, out);
  ts_report_calibrated_text(summary->ir, p.arena, out);
  cost_basis(&p);
  network(&p);
  assumptions(&p);
  if (summary->verbose)
    ts_report_provenance_text(summary, p.arena, out);
  ts_arena_free(p.arena);
}
