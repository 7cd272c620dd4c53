/* A CSV file with a header line, plain or gzip: cells by row and column name. */
#ifndef TS_ACCURACY_CSV_H
#define TS_ACCURACY_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct csv { size_t rows, columns; const char **cell; const char **name; } csv;

/* NULL if the file cannot be read. */
csv *csv_read(ts_arena *arena, const char *path);
/* "" for a column that is not there. */
const char *csv_cell(const csv *table, size_t row, const char *column);
double csv_number(const csv *table, size_t row, const char *column); /* NaN for an empty cell */
bool csv_is(const csv *table, size_t row, const char *column, const char *text);

#endif
