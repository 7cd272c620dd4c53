#include "tests/accuracy/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/csv.h"

static char *read_all(ts_arena *arena, const char *path)
{
  gzFile file = gzopen(path, "rb"); /* reads what is not packed, too */
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

/* The same file packed or unpacked. */
static const char *otherwise(ts_arena *arena, const char *path)
{
  size_t length = strlen(path);
  return length > 3 && !strcmp(path + length - 3, ".gz") ?
           ts_arena_string(arena, path, length - 3) :
           ts_arena_printf(arena, "%s.gz", path);
}

csv *csv_read(ts_arena *arena, const char *path)
{
  const char *text = read_all(arena, path);
  if (!text)
    text = read_all(arena, otherwise(arena, path));
  if (!text)
    return NULL;
  ts_csv rows = {.arena = arena, .text = text, .size = strlen(text), .comment = '#'}, first = rows;
  TS_VEC(const char *) cells = {0};
  csv *table = TS_NEW(arena, csv);
  ts_csv_cell *cell = NULL;
  size_t count;
  while (ts_csv_next(&first, NULL, 0, &table->columns) == TS_CSV_COMMENT) continue;
  cell = TS_NEW_ARRAY(arena, ts_csv_cell, table->columns);
  for (ts_csv_kind kind; (kind = ts_csv_next(&rows, cell, table->columns, &count)) != TS_CSV_END;)
    for (size_t c = 0; c < table->columns && kind == TS_CSV_ROW; c++)
      TS_PUSH(arena, &cells, c < count ? ts_csv_string(arena, cell[c]) : "");
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

bool csv_is(const csv *table, size_t row, const char *column, const char *text)
{
  return !strcmp(csv_cell(table, row, column), text);
}
