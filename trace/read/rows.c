/* Splits lines of a feed at commas. */
#include "trace/read/rows.h"

#include <string.h>

size_t ts_feed_row(ts_feed *f, uint64_t *line, ts_row_cell *cells, size_t most)
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
    const char *at = f->buffer + f->at;
    f->at = (size_t)(end - f->buffer) + (end < f->buffer + f->end);
    ++*line;
    if (end > at && end[-1] == '\r')
      end--;
    if (end == at)
      continue;
    for (; count < most; at++) {
      const char *quote = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
      const char *from = quote ? quote : at, *comma = memchr(from, ',', (size_t)(end - from));
      cells[count++] = quote ? (ts_row_cell){at + 1, (size_t)(quote - at - 1)} : (ts_row_cell){at, (size_t)((comma ? comma : end) - at)};
      if (!comma)
        return count;
      at = comma;
    }
    return count;
  }
}
