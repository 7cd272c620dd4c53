/* Reads measured steps. */
#include "calibrate/step_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/diag.h"
#include "ir/spelling.h"

enum { MOST_COLUMNS = 64, MOST_STEPS = 1000, MOST_NAMES = 256 };

typedef enum meaning { PARAMETER, STEP, MEMORY, GROUP, NOTE } meaning;

typedef struct column {
  meaning meaning;
  const ts_measured_parameter *parameter;
  double unit;                 /* STEP: seconds, MEMORY: bytes; 0: stands in the cell */
} column;

static const struct { const char *name; column is;
} measures[] = {{"step_s", {.meaning = STEP, .unit = 1}},
                {"step_ms", {.meaning = STEP, .unit = 1e-3}},
                {"step_us", {.meaning = STEP, .unit = 1e-6}},
                {"step", {.meaning = STEP}},
                {"memory", {.meaning = MEMORY}},
                {"memory_gib", {.meaning = MEMORY, .unit = 0x1p30}},
                {"memory_gb", {.meaning = MEMORY, .unit = 1e9}},
                {"group", {.meaning = GROUP}},
                {"note", {.meaning = NOTE}}};
enum { MEASURES = sizeof measures / sizeof *measures };

typedef struct step_rows_reader {
  ts_arena *arena;
  ts_csv csv;
  ts_error *error;
  const ts_measured_parameter *parameters;
  uint32_t parameter_count;
  uint32_t column_count;
  column columns[MOST_COLUMNS];
  TS_VEC(ts_measured_step) steps;
} step_rows_reader;

static bool step_rows_fail(step_rows_reader *r, const ts_csv_cell *at, const char *help,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
static bool step_rows_fail(step_rows_reader *r, const ts_csv_cell *at, const char *help,
                           const char *format, ...)
{
  const char *what;
  TS_FORMATTED(r->arena, format, what);
  return ts_fail_at(r->error, r->csv.text, at->begin, at->end, help, "%s", what);
}

/* ---- Columns ---- */

static bool unknown_column(step_rows_reader *r, const ts_csv_cell *cell, const char *name)
{
  const char *words[MOST_NAMES], *best[3];
  size_t count = 0;
  for (uint32_t i = 0; i < r->parameter_count && count < MOST_NAMES - MEASURES; i++)
    words[count++] = r->parameters[i].name;
  for (size_t i = 0; i < MEASURES; i++)
    words[count++] = measures[i].name;
  bool close = ts_suggest(name, words, count, best) > 0;
  const char *list = "";
  for (uint32_t i = 0; i < r->parameter_count && i < 12; i++)
    list = ts_arena_printf(r->arena, "%s%s`%s`", list, i ? ", " : "", r->parameters[i].name);
  return step_rows_fail(
    r, cell,
    close ? ts_arena_printf(r->arena, "did you mean `%s`?", best[0]) :
            ts_arena_printf(r->arena, "parameters are %s; a column of words is a `note`",
                            *list ? list : "none"),
    "the plan has no parameter `%s`, and it is no column of measured steps", name);
}

static bool read_column(step_rows_reader *r, const ts_csv_cell *cell, column *out)
{
  const char *name = ts_csv_string(r->arena, *cell);
  for (uint32_t i = 0; i < r->parameter_count; i++)
    if (!strcmp(name, r->parameters[i].name)) {
      *out = (column){.meaning = PARAMETER, .parameter = &r->parameters[i]};
      return true;
    }
  for (size_t i = 0; i < MEASURES; i++)
    if (!strcmp(name, measures[i].name)) {
      *out = measures[i].is;
      return true;
    }
  *out = (column){.meaning = NOTE};
  return !strncmp(name, "note_", 5) || unknown_column(r, cell, name);
}

static bool read_columns(step_rows_reader *r, const ts_csv_cell *cells, size_t count)
{
  bool measured = false;
  if (count > MOST_COLUMNS)
    return ts_fail(r->error, NULL, "more than %d columns", MOST_COLUMNS);
  for (size_t i = 0; i < count; i++) {
    column *c = &r->columns[i];
    if (!read_column(r, &cells[i], c))
      return false;
    for (size_t k = 0; k < i; k++)
      if (c->meaning != NOTE && r->columns[k].meaning == c->meaning &&
          r->columns[k].parameter == c->parameter)
        return step_rows_fail(r, &cells[i], NULL, "column `%s` says what another one says",
                              ts_csv_string(r->arena, cells[i]));
    measured |= c->meaning == STEP;
  }
  r->column_count = (uint32_t)count;
  return measured ||
         step_rows_fail(r, &cells[0], "name it `step_s`, or `step` with units in its cells",
                        "no column has the measured time of a step");
}

/* ---- Cells ---- */

static bool read_amount(step_rows_reader *r, const ts_csv_cell *cell, double unit,
                        ts_ir_dimension dimension, double *value)
{
  const char *text = ts_csv_string(r->arena, *cell);
  char *end;
  double scale = unit, number = strtod(text, &end);
  bool none = end == text;
  end += strspn(end, " ");
  if (*end && !none) {
    scale = 0;
    for (const ts_ir_unit *u = ts_ir_units; u->name; u++)
      if (u->dimension == dimension && !strcmp(u->name, end))
        scale = (double)u->scale * (dimension == TS_IR_TIME ? 1e-12 : 1);
  } else if (scale == 0 && dimension == TS_IR_BYTES) {
    scale = 1;
  }
  bool time = dimension == TS_IR_TIME;
  if (none || !(number > 0) || !isfinite(number))
    return step_rows_fail(r, cell, NULL, "`%s` is not a %s: a number above 0", text,
                          time ? "step's time" : "size of memory");
  if (scale == 0)
    return step_rows_fail(r, cell,
                          time ? "write `1.35 s`, or name the column `step_s`" :
                                 "write bytes, or `61.2 GiB`, or name the column `memory_gib`",
                          "`%s` has %s", text, *end ? "a unit that is not known" : "no unit");
  *value = number * scale;
  return (time ? *value >= 1e-9 && *value <= 1e5 : *value >= 1 && *value <= 0x1p56) ||
         step_rows_fail(r, cell, NULL, "`%s` is beyond what a step can take", text);
}

/* Words of a String need no quotes. */
static const char *expression_of(step_rows_reader *r, const ts_csv_cell *cell, const column *c)
{
  const char *text = ts_csv_string(r->arena, *cell);
  return c->parameter->text && *text != '"' ? ts_arena_printf(r->arena, "\"%s\"", text) : text;
}

static bool read_cell(step_rows_reader *r, const ts_csv_cell *cell, const column *c,
                      ts_measured_step *s, ts_measured_value *values)
{
  bool empty = !cell->length;
  switch (c->meaning) {
  case PARAMETER:
    if (empty)
      return true;
    values[s->value_count] = (ts_measured_value){c->parameter->name, expression_of(r, cell, c)};
    s->words = ts_arena_printf(r->arena, "%s%s%s=%s", s->words, *s->words ? " " : "",
                               c->parameter->name, ts_csv_string(r->arena, *cell));
    s->value_count++;
    return true;
  case STEP: return read_amount(r, cell, c->unit, TS_IR_TIME, &s->seconds);
  case MEMORY: return empty || read_amount(r, cell, c->unit, TS_IR_BYTES, &s->memory);
  case GROUP: s->group = ts_csv_string(r->arena, *cell); return true;
  case NOTE: return true;
  }
  return true;
}

static bool same_step(const ts_measured_step *a, const ts_measured_step *b)
{
  return !strcmp(a->words, b->words) && a->seconds == b->seconds && a->memory == b->memory &&
         !strcmp(a->group, b->group);
}

static bool read_row(step_rows_reader *r, const ts_csv_cell *cells, size_t count,
                     ts_measured_steps *out)
{
  ts_measured_step s = {.line = r->csv.line,
                        .begin = r->csv.begin,
                        .end = r->csv.end,
                        .words = "",
                        .group = ""};
  ts_measured_value *values = TS_NEW_ARRAY(r->arena, ts_measured_value, r->column_count + 1);
  if (count != r->column_count) {
    ts_csv_cell row = {.begin = r->csv.begin, .end = r->csv.end};
    return step_rows_fail(r, &row, "every column has a cell in each row, which may be empty",
                          "this row has %s cells than there are columns",
                          count < r->column_count ? "fewer" : "more");
  }
  for (uint32_t i = 0; i < r->column_count; i++)
    if (!read_cell(r, &cells[i], &r->columns[i], &s, values))
      return false;
  s.values = values;
  for (size_t i = 0; i < r->steps.count; i++)
    if (same_step(&r->steps.at[i], &s)) {
      out->copies++;
      return true;
    }
  out->memory |= s.memory > 0;
  out->groups |= *s.group != 0;
  if (r->steps.count == MOST_STEPS)
    return ts_fail(r->error, NULL, "more than %d measured steps", MOST_STEPS);
  TS_PUSH(r->arena, &r->steps, s);
  return true;
}

bool ts_measured_steps_read(ts_arena *arena, const char *text, size_t size,
                            const ts_measured_parameter *parameters, uint32_t parameter_count,
                            ts_measured_steps *out, ts_error *error)
{
  step_rows_reader r = {
    .arena = arena,
    .csv = {.arena = arena, .text = text, .size = size, .comment = '#', .trim = true},
    .error = error,
    .parameters = parameters,
    .parameter_count = parameter_count};
  ts_csv_cell cells[MOST_COLUMNS];
  size_t count;
  bool first = true;
  *out = (ts_measured_steps){0};
  *error = (ts_error){0};
  for (ts_csv_kind kind; (kind = ts_csv_next(&r.csv, cells, MOST_COLUMNS, &count)) != TS_CSV_END;) {
    if (kind == TS_CSV_COMMENT)
      continue;
    if (r.csv.wrong)
      return ts_fail_at(error, text, r.csv.wrong_at, r.csv.wrong_at, NULL, "%s", r.csv.wrong);
    bool good = first ? read_columns(&r, cells, count) : read_row(&r, cells, count, out);
    if (!good)
      return false;
    first = false;
  }
  if (r.steps.count < 2)
    return ts_fail(error, "measure steps that differ in what bounds them, such as their batch",
                   r.steps.count ? "one measured step cannot be checked by another: two are needed" :
                                   "there are no measured steps");
  out->count = (uint32_t)r.steps.count;
  out->at = r.steps.at;
  return true;
}
