/* Rows of CSV files as they stream by. A quoted cell is given without its quotes; it may hold commas, but no end of line. */
#ifndef TS_TRACE_READ_ROWS_H
#define TS_TRACE_READ_ROWS_H

#include "trace/read/feed.h"

typedef struct ts_row_cell { const char *at; size_t length; } ts_row_cell;

/* Cells of the next line that is not empty, at most `most`: further ones are dropped. They last until the next call. 0 at the end, or with the error filled.
 * *line counts lines. */
size_t ts_feed_row(ts_feed *feed, uint64_t *line, ts_row_cell *cells, size_t most);

#endif
