/* Rows of CSV files as they stream by. A quoted cell is given without its quotes; it may hold
 * commas, but no end of line. */
#ifndef TS_TRACE_READ_ROWS_H
#define TS_TRACE_READ_ROWS_H

#include "base/csv.h"
#include "trace/read/feed.h"

/* Cells of the next line that is not empty, at most `most`: further ones are dropped. They last
 * until the next call; those with doubled quotes are in the arena. 0 at the end, or with the error
 * filled. *line counts lines. */
size_t ts_feed_row(ts_arena *arena, ts_feed *feed, uint64_t *line, ts_csv_cell *cells, size_t most);

#endif
