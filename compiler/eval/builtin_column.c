/* `column("counts.csv", "tokens")`: the numbers of a column of a file, as a list. */
#include <stdlib.h>
#include <string.h>

#include "compiler/eval/function.h"

typedef struct text { const char *at, *end; } text;

static text take(text *from, char until)
{
  const char *at = memchr(from->at, until, (size_t)(from->end - from->at));
  text field = {from->at, at ? at : from->end};
  from->at = at ? at + 1 : from->end;
  if (field.end > field.at && field.end[-1] == '\r')
    field.end--;
  return field;
}

static bool number(text field, double *value)
{
  char digits[64], *end;
  size_t length = (size_t)(field.end - field.at);
  if (!length || length >= sizeof digits)
    return false;
  memcpy(digits, field.at, length);
  digits[length] = 0;
  *value = strtod(digits, &end);
  return !*end && *value > -1e300 && *value < 1e300;
}

static ts_value refuse(const ts_builtin_call *c, const char *file, const char *why)
{
  ts_diag *d = ts_report(c->s, TS_E0502, c->span, "`%s` cannot be used as a table of numbers", file);
  ts_diag_here(d, "%s", why);
  return ts_error_value();
}

ts_value ts_builtin_column(const ts_builtin_call *c)
{
  const char *file = c->arg[0].u.string, *name = c->arg[1].u.string;
  ts_found at;
  size_t size;
  char *content = ts_session_read(c->s, c->arg[0].span.file, file, "table", c->arg[0].span, &size, &at);
  if (!content)
    return ts_error_value();
  if (!ts_charge(c->s, size, c->span))
    return ts_error_value();
  text rest = {content, content + size}, head = take(&rest, '\n');
  uint32_t column = 0;
  bool found = false;
  while (!found && head.at < head.end) {
    text field = take(&head, ',');
    found = (size_t)(field.end - field.at) == strlen(name) && !memcmp(field.at, name, strlen(name));
    column += !found;
  }
  if (!found)
    return refuse(c, file, ts_arena_printf(c->s->arena, "its first line has no column `%s`", name));
  TS_VEC(ts_value) values = {0};
  for (uint32_t line = 2; rest.at < rest.end; line++) {
    text row = take(&rest, '\n'), field = {row.at, row.at};
    double value;
    if (row.at == row.end)
      continue;
    for (uint32_t k = 0; k <= column; k++)
      field = take(&row, ',');
    if (!number(field, &value))
      return refuse(c, file, ts_arena_printf(c->s->arena, "line %u has no number in column `%s`", line, name));
    bool whole = value < 9e15 && value > -9e15 && value == (double)(int64_t)value;
    TS_PUSH(c->s->arena, &values, whole ? ts_int_value((int64_t)value, c->span) : ts_quantity_value(value, TS_DIM_NONE, c->span));
  }
  return ts_list_value(c->s->arena, values.at, (uint32_t)values.count, c->span);
}
