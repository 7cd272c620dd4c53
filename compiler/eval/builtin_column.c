/* `column("counts.csv", "tokens")`: the numbers of a column of a file, as a list. */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/report.h"

static bool builtin_column_number(ts_csv_cell cell, double *value)
{
  char digits[64], *end;
  if (!cell.length || cell.length >= sizeof digits)
    return false;
  memcpy(digits, cell.at, cell.length);
  digits[cell.length] = 0;
  *value = strtod(digits, &end);
  return !*end && *value > -1e300 && *value < 1e300;
}

static ts_value builtin_column_refuse(const ts_builtin_call *c, const char *file, const char *why)
{
  ts_diag *d =
    ts_report(c->s, TS_E0502, c->span, "`%s` cannot be used as a table of numbers", file);
  ts_diag_here(d, "%s", why);
  return ts_error_value();
}

ts_value ts_builtin_column(const ts_builtin_call *c)
{
  const char *file = c->arg[0].u.string, *name = c->arg[1].u.string;
  ts_found at;
  size_t size;
  char *content =
    ts_session_read(c->s, c->arg[0].span.file, file, "table", c->arg[0].span, &size, &at);
  if (!content)
    return ts_error_value();
  if (!ts_charge(c->s, size, c->span))
    return ts_error_value();
  ts_csv csv = {.arena = c->s->arena, .text = content, .size = size, .trim = true}, first = csv;
  size_t columns = 0, column = 0, count;
  ts_csv_next(&first, NULL, 0, &columns);
  ts_csv_cell *cell = TS_NEW_ARRAY(c->s->arena, ts_csv_cell, columns);
  ts_csv_next(&csv, cell, columns, &columns);
  while (column < columns && !ts_csv_is(cell[column], name)) column++;
  if (csv.wrong || column == columns)
    return builtin_column_refuse(
      c, file,
      csv.wrong ? csv.wrong :
                  ts_arena_printf(c->s->arena, "its first line has no column `%s`", name));
  TS_VEC(ts_value) values = {0};
  while (ts_csv_next(&csv, cell, columns, &count) == TS_CSV_ROW) {
    double value;
    if (csv.wrong)
      return builtin_column_refuse(
        c, file, ts_arena_printf(c->s->arena, "line %u: %s", csv.line, csv.wrong));
    if (column >= count || !builtin_column_number(cell[column], &value))
      return builtin_column_refuse(
        c, file,
        ts_arena_printf(c->s->arena, "line %u has no number in column `%s`", csv.line, name));
    bool whole = value < 9e15 && value > -9e15 && value == (double)(int64_t)value;
    TS_PUSH(c->s->arena, &values,
            whole ? ts_int_value((int64_t)value, c->span) :
                    ts_quantity_value(value, TS_DIM_NONE, c->span));
  }
  return ts_list_value(c->s->arena, values.at, (uint32_t)values.count, c->span);
}
