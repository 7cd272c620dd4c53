/* Lines of a feed as rows. */
#include "trace/read/rows.h"

#include <string.h>

size_t ts_feed_row(ts_arena *arena, ts_feed *f, uint64_t *line, ts_csv_cell *cells, size_t most)
{
  for (;;) {
    const char *end;
    size_t seen = 0, count = 0;
    if (!ts_feed_need(f, 1))
      return 0;
    while (!(end = memchr(f->buffer + f->at + seen, '\n', f->end - f->at - seen))) {
      seen = f->end - f->at;
      if (!ts_feed_more(f)) {
        end = f->buffer + f->end;
        break;
      }
    }
    if (f->error->message[0])
      return 0;
    ts_csv csv = {
      .arena = arena, .text = f->buffer + f->at, .size = (size_t)(end - f->buffer) - f->at};
    f->at = (size_t)(end - f->buffer) + (end < f->buffer + f->end);
    ++*line;
    if (ts_csv_next(&csv, cells, most, &count) == TS_CSV_ROW)
      return count < most ? count : most;
  }
}
