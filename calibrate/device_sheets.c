/* Reads data sheets of devices. */
#include "calibrate/device_sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

static const char *const columns[] = {"device", "tflops", "terabytes_per_s",
                                      "watts",  "units",  "gigahertz",
                                      "l2_megabytes"};
enum { COLUMNS = sizeof columns / sizeof *columns, WATTS = 3, CACHE = 6, CELLS = 32 };

static bool read_header(char *const *cell, uint32_t n, int *where, ts_error *error)
{
  for (int c = 0; c < COLUMNS; c++) {
    for (uint32_t i = 0; i < n; i++)
      if (strcmp(cell[i], columns[c]) == 0)
        where[c] = (int)i;
    if (where[c] < 0 && c != CACHE)
      return ts_fail(error, NULL, "there is no column `%s`", columns[c]);
  }
  return true;
}

static bool positive(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  return *text && *end == 0 && *value > 0 && isfinite(*value);
}

static bool read_sheet(ts_device_sheets *s, char *const *cell, uint32_t n, const int *where,
                       ts_error *error)
{
  double value[COLUMNS] = {0};
  for (int c = 1; c < COLUMNS; c++) {
    const char *at = where[c] >= 0 && (uint32_t)where[c] < n ? cell[where[c]] : "";
    if (!((c == WATTS || c == CACHE) && !*at) && !positive(at, &value[c]))
      return ts_fail(error, NULL, "`%s` is not a positive number, for `%s`", at, columns[c]);
  }
  if (s->count == TS_DEVICE_SHEETS || (uint32_t)where[0] >= n)
    return ts_fail(error, NULL,
                   s->count == TS_DEVICE_SHEETS ? "too many devices" :
                                                  "the name of a device is missing");
  s->at[s->count++] =
    (ts_op_device){cell[where[0]], value[1], value[2], value[3], value[4], value[5], value[CACHE]};
  return true;
}

bool ts_device_sheets_read(ts_arena *arena, const char *text, size_t size, ts_device_sheets *s,
                           ts_error *error)
{
  ts_csv csv = {.arena = arena, .text = text, .size = size, .comment = '#', .trim = true};
  ts_csv_cell cell[CELLS];
  char *string[CELLS];
  int where[COLUMNS] = {-1, -1, -1, -1, -1, -1, -1};
  bool header = true, good = true;
  size_t count;
  *error = (ts_error){0};
  for (ts_csv_kind kind; good && (kind = ts_csv_next(&csv, cell, CELLS, &count)) != TS_CSV_END;) {
    if (kind == TS_CSV_COMMENT)
      continue;
    uint32_t n = count < CELLS ? (uint32_t)count : CELLS;
    for (uint32_t i = 0; i < n; i++) string[i] = ts_csv_string(arena, cell[i]);
    good = csv.wrong ? ts_fail(error, NULL, "%s", csv.wrong) :
           header    ? read_header(string, n, where, error) :
                       read_sheet(s, string, n, where, error);
    header = false;
  }
  error->line = csv.line;
  return good;
}

uint32_t ts_device_sheet_of(const ts_device_sheets *s, const char *name, size_t length)
{
  for (uint32_t d = 0; d < s->count; d++)
    if (strlen(s->at[d].name) == length && strncmp(s->at[d].name, name, length) == 0)
      return d;
  return UINT32_MAX;
}
