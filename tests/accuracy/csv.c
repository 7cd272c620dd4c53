#include "tests/accuracy/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static char *read_all(ts_arena *arena, const char *path)
{
  gzFile file = gzopen(path, "rb");
  size_t size = 0, room = 1 << 16;
  char *text = ts_arena_alloc(arena, room);
  int got = 0;
  if (!file)
    return NULL;
  while ((got = gzread(file, text + size, (unsigned)(room - size - 1))) > 0) {
    size += (size_t)got;
    if (room - size < 2) {
      text = ts_arena_grow(arena, text, room, 2 * room);
      room *= 2;
    }
  }
  gzclose(file);
  return got < 0 ? NULL : text;
}

/* A cell, unquoted in place. *at ends after its separator; *more: another one follows on the line. */
static char *cell(char **at, bool *more)
{
  char *from = *at, *to = *at, *begin = *at;
  bool quoted = *from == '"';
  from += quoted;
  while (*from && (quoted || (*from != ',' && *from != '\n' && *from != '\r'))) {
    if (quoted && *from == '"') {
      if (from[1] != '"') {
        quoted = false;
        from++;
        continue;
      }
      from++;
    }
    *to++ = *from++;
  }
  *more = *from == ',';
  while (*from == '\r')
    from++;
  *at = *from ? from + 1 : from;
  *to = 0;
  return begin;
}

csv *csv_read(ts_arena *arena, const char *path)
{
  char *at = read_all(arena, path);
  TS_VEC(const char *) cells = {0};
  csv *table = TS_NEW(arena, csv);
  if (!at)
    return NULL;
  while (*at) {
    bool more = true;
    size_t columns = 0;
    if (*at == '\n' || *at == '#') { /* empty and comment lines */
      at = strchr(at, '\n');
      if (!at)
        break;
      at++;
      continue;
    }
    for (; more; columns++) {
      char *text = cell(&at, &more);
      if (table->columns == 0 || columns < table->columns)
        TS_PUSH(arena, &cells, text);
    }
    if (!table->columns)
      table->columns = columns;
    for (; columns < table->columns; columns++)
      TS_PUSH(arena, &cells, "");
  }
  if (!table->columns)
    return NULL;
  table->name = cells.at;
  table->cell = cells.at + table->columns;
  table->rows = cells.count / table->columns - 1;
  return table;
}

const char *csv_cell(const csv *table, size_t row, const char *column)
{
  for (size_t c = 0; c < table->columns; c++)
    if (!strcmp(table->name[c], column))
      return table->cell[row * table->columns + c];
  return "";
}

double csv_number(const csv *table, size_t row, const char *column)
{
  const char *text = csv_cell(table, row, column);
  char *end;
  double x = strtod(text, &end);
  return end == text ? NAN : x;
}

bool csv_is(const csv *table, size_t row, const char *column, const char *text) { return !strcmp(csv_cell(table, row, column), text); }
