/* Time and memory by module, for people and for programs. */
#include "runtime/report/modules.h"

#include <math.h>

#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "runtime/report/members.h"
#include "runtime/report/summary.h"

enum { NAME = 26 };

/* of one module, or of all: ps, the mean of all ranks */
typedef struct mean { double compute, exposed, transfer, phase[TS_IR_PHASES]; } mean;

static const char *modules_name_of(const ts_modules *m, uint32_t module)
{
  return *m->names[module] ? m->names[module] : "no module";
}

static mean mean_of(const ts_summary *s, const ts_modules *m, uint32_t module)
{
  mean sum = {0};
  for (uint32_t c = 0; c < s->result->class_count; c++) {
    const ts_module_share *share = &m->of[c][module];
    double part = (double)s->result->classes[c].count / s->ir->meta->world;
    for (uint32_t p = 0; p < TS_IR_PHASES; p++) {
      sum.phase[p] += part * (double)share->phase[p];
      sum.compute += part * (double)share->phase[p];
    }
    sum.exposed += part * (double)share->exposed;
    sum.transfer += part * (double)share->transfer;
  }
  return sum;
}

static uint64_t held_by(const ts_module_share *share)
{
  uint64_t sum = 0;
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    sum += share->memory[k];
  return sum;
}

static void put_name(ts_arena *arena, const char *text, FILE *out)
{
  const char *shown = ts_report_fit(arena, text, NAME - 2);
  ts_put_text(out, "  %s%*s", shown, (int)(NAME - 2 - ts_report_columns(shown)), "");
}

static void put_time(const ts_column *column, double ps, FILE *out)
{
  ts_put_text(out, "%11s", ts_format_in_column(column, ts_column_units(column, ps)).text);
}

static void put_share(double part, double whole, FILE *out)
{
  ts_put_text(out, "%8s", ts_format_share(whole > 0 ? part / whole : 0).text);
}

static void put_means(ts_arena *arena, const char *name, const mean *m, const ts_column *column,
                      double step, FILE *out)
{
  put_name(arena, name, out);
  put_time(column, m->compute, out);
  put_share(m->compute, step, out);
  put_time(column, m->exposed, out);
  put_share(m->exposed, step, out);
  put_time(column, m->transfer, out);
  fputc('\n', out);
}

static void put_times(const ts_summary *s, const ts_modules *m, ts_arena *arena, FILE *out)
{
  mean all = {0};
  mean *of = TS_NEW_ARRAY(arena, mean, m->count);
  for (uint32_t i = 0; i < m->count; i++) {
    of[i] = mean_of(s, m, i);
    all.compute += of[i].compute, all.exposed += of[i].exposed, all.transfer += of[i].transfer;
  }
  ts_column column = ts_column_of_times(fmax(fmax(all.compute, all.exposed), all.transfer));
  const char *title =
    ts_arena_printf(arena, "By %s, %s%s", m->view.repeats ? "layer" : "module", column.unit,
                    s->ir->meta->world > 1 ? ", mean of ranks" : "");
  ts_put_text(out, "\n%-*s%11s%8s%11s%8s%11s\n", NAME, title, "compute", "of step", "exposed",
              "of step", "transfer");
  for (uint32_t i = 0; i < m->count; i++)
    if (of[i].compute > 0 || of[i].transfer > 0)
      put_means(arena, modules_name_of(m, i), &of[i], &column, (double)s->result->step, out);
  put_means(arena, "all", &all, &column, (double)s->result->step, out);
}

/* Of the fullest rank, at its peak. */
static void modules_put_memory(const ts_summary *s, const ts_modules *m, ts_arena *arena, FILE *out)
{
  const ts_memory_class *fullest = &s->memory->classes[s->memory->fullest];
  const ts_module_share *of = m->of[s->memory->fullest];
  ts_column column = ts_column_of_sizes((double)fullest->peak);
  const char *title = ts_arena_printf(arena, "Memory, %s", column.unit);
  if (s->result->class_count > 1)
    title = ts_arena_printf(arena, "%s, rank %u", title, fullest->rank);
  ts_put_text(out, "\n%-*s", NAME, title);
  static const char *const columns[] = {[TS_IR_PARAMETERS] = "weights", [TS_IR_GRADIENTS] = "grads",
                                        [TS_IR_OPTIMIZER] = "optim",    [TS_IR_ACTIVATIONS] = "activ",
                                        [TS_IR_TEMPORARIES] = "temp",   [TS_IR_BUFFERS] = "buffers"};
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    ts_put_text(out, "%8s", columns[k]);
  fputs("     all\n", out);
  ts_module_share all = {.exposed = 0};
  for (uint32_t i = 0; i <= m->count; i++) {
    const ts_module_share *row = i < m->count ? &of[i] : &all;
    if (i < m->count && !held_by(row))
      continue;
    put_name(arena, i < m->count ? modules_name_of(m, i) : "all", out);
    for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++) {
      uint64_t units = ts_column_units(&column, (double)row->memory[k]);
      ts_put_text(out, "%8s", units ? ts_format_in_column(&column, units).text : "");
      if (i < m->count)
        all.memory[k] += row->memory[k];
    }
    uint64_t units = ts_column_units(&column, (double)held_by(row));
    ts_put_text(out, "%8s\n", ts_format_in_column(&column, units).text);
  }
}

void ts_modules_text(const ts_summary *s, const ts_modules *m, ts_arena *arena, FILE *out)
{
  put_times(s, m, arena, out);
  if (s->memory->stated)
    modules_put_memory(s, m, arena, out);
}

static void add_shares(cJSON *list, const ts_modules *m, const ts_module_share *of)
{
  for (uint32_t i = 0; i < m->count; i++) {
    const ts_module_share *share = &of[i];
    uint64_t compute = 0;
    for (uint32_t p = 0; p < TS_IR_PHASES; p++)
      compute += share->phase[p];
    if (!compute && !share->transfer && !held_by(share))
      continue;
    cJSON *row = ts_add_element(list);
    cJSON_AddStringToObject(row, "module", m->names[i]);
    ts_add_number(row, "compute_ps", (double)compute);
    for (uint32_t p = 0; p < TS_IR_PHASES; p++)
      ts_add_number(row, ts_phase_column(p), (double)share->phase[p]);
    ts_add_number(row, "exposed_ps", (double)share->exposed);
    ts_add_number(row, "transfer_ps", (double)share->transfer);
    cJSON *memory = cJSON_AddObjectToObject(row, "memory_bytes");
    for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
      ts_add_number(memory, ts_category_name(k), (double)share->memory[k]);
  }
}

void ts_modules_json(const ts_summary *s, const ts_modules *m, cJSON *root)
{
  cJSON *modules = cJSON_AddObjectToObject(root, "modules");
  cJSON_AddStringToObject(modules, "by", m->view.repeats ? "layer" : "module");
  ts_add_number(modules, "depth", m->view.depth);
  cJSON *classes = cJSON_AddArrayToObject(modules, "classes");
  for (uint32_t c = 0; c < s->result->class_count; c++) {
    cJSON *class = ts_add_element(classes);
    ts_add_number(class, "rank", s->result->classes[c].rank);
    ts_add_number(class, "ranks", s->result->classes[c].count);
    add_shares(cJSON_AddArrayToObject(class, "modules"), m, m->of[c]);
  }
}

static void modules_put_number(FILE *out, uint64_t value)
{
  fprintf(out, ",%llu", (unsigned long long)value);
}

void ts_modules_csv(const ts_summary *s, const ts_modules *m, FILE *out)
{
  fputs("plan,program,rank,ranks,module", out);
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    ts_put_csv(out, ",%s", ts_phase_column(p));
  fputs(",exposed_ps,transfer_ps", out);
  for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
    ts_put_csv(out, ",%s_bytes", ts_category_name(k));
  fputc('\n', out);
  for (uint32_t c = 0; c < s->result->class_count; c++) {
    const ts_class_result *class = &s->result->classes[c];
    for (uint32_t i = 0; i < m->count; i++) {
      const ts_module_share *share = &m->of[c][i];
      ts_put_csv(out, "%s", ts_summary_string(s, s->ir->meta->plan));
      fputc(',', out);
      ts_put_csv(out, "%s", ts_summary_string(s, s->ir->programs[class->program].name));
      modules_put_number(out, class->rank);
      modules_put_number(out, class->count);
      fputc(',', out);
      ts_put_csv(out, "%s", m->names[i]);
      for (uint32_t p = 0; p < TS_IR_PHASES; p++)
        modules_put_number(out, share->phase[p]);
      modules_put_number(out, share->exposed);
      modules_put_number(out, share->transfer);
      for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
        modules_put_number(out, share->memory[k]);
      fputc('\n', out);
    }
  }
}
