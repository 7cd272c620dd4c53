/* Rows of CSV in memory, one after the other (RFC 4180: cells in quotes may hold commas, ends of
 * lines and doubled quotes; a line ends in LF or CR LF). A byte order mark is passed over, and so
 * are empty lines; lines of comments are given to the caller. Cells are slices of the text: nothing
 * is allocated but for those with doubled quotes, in the arena. */
#ifndef TS_BASE_CSV_H
#define TS_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_csv_cell {
  const char *at;    /* without its quotes; not NUL-terminated */
  size_t length;
  size_t begin, end; /* where it stands in the text, without its quotes */
} ts_csv_cell;

typedef struct ts_csv { /* the first five are the caller's */
  ts_arena *arena;
  const char *text;
  size_t size;
  char comment;      /* lines that begin with it are comments; 0: there are none */
  bool trim;         /* blanks and tabs around a cell are not of it, nor those before a comment */
  size_t at;         /* behind the row or comment at hand */
  size_t begin, end; /* the row or comment, without the end of its line */
  uint32_t line;     /* where it begins, from 1; at the end: the last one */
  uint32_t breaks;   /* of lines inside of it */
  /* what the row has that CSV has not, or NULL; its cell is given as far as it goes */
  const char *wrong;
  size_t wrong_at;
} ts_csv;

typedef enum ts_csv_kind { TS_CSV_END, TS_CSV_COMMENT, TS_CSV_ROW } ts_csv_kind;
/* The next row or comment. Of a row, its first `room` cells are written; *count counts all of them.
 * */
ts_csv_kind ts_csv_next(ts_csv *csv, ts_csv_cell *cell, size_t room, size_t *count);

bool ts_csv_is(ts_csv_cell cell, const char *text);
/* Whether a text looks like a table: behind lines with `#`, a first word that ends at a comma. */
bool ts_csv_is_table(const char *text, size_t size);
char *ts_csv_string(ts_arena *arena, ts_csv_cell cell); /* with a NUL */

#endif
