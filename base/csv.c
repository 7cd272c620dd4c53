/* Reads CSV. */
#include "base/csv.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The cell [begin, end) in quotes whose doubled quotes become one each. */
static char *undouble(ts_arena *arena, const char *text, size_t length, size_t *written)
{
  char *out = ts_arena_alloc(arena, length + 1);
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    out[n++] = text[i];
    i += text[i] == '"';
  }
  *written = n;
  return out;
}

static size_t csv_find(const ts_csv *c, size_t at, size_t end, char byte)
{
  const char *found = at < end ? memchr(c->text + at, byte, end - at) : NULL;
  return found ? (size_t)(found - c->text) : end;
}

/* A cell in quotes, whose first stands at `at`. Returns where it ends: at a comma, or where the
 * line does, which *end becomes. */
static size_t quoted(ts_csv *c, size_t at, size_t *end, ts_csv_cell *cell)
{
  const char *t = c->text;
  size_t begin = at + 1, doubled = 0;
  for (at = begin; at < c->size; at++) {
    c->breaks += t[at] == '\n';
    if (t[at] != '"')
      continue;
    if (at + 1 == c->size || t[at + 1] != '"')
      break;
    doubled++;
    at++;
  }
  *cell = (ts_csv_cell){t + begin, at - begin, begin, at};
  if (doubled)
    cell->at = undouble(c->arena, t + begin, at - begin, &cell->length);
  if (at >= c->size) {
    c->wrong = "a quote is not closed";
    c->wrong_at = begin - 1;
    return *end = c->size;
  }
  size_t behind = ++at;
  if (at > *end)
    *end = csv_find(c, at, c->size, '\n');
  at = csv_find(c, at, *end, ',');
  size_t stop = at > behind && t[at - 1] == '\r' ? at - 1 : at;
  while (c->trim && stop > behind && is_blank(t[stop - 1])) stop--;
  if (stop > behind && !c->wrong) {
    c->wrong = "text follows a closing quote";
    c->wrong_at = behind;
  }
  return at;
}

static size_t plain(const ts_csv *c, size_t at, size_t end, ts_csv_cell *cell)
{
  const char *t = c->text;
  size_t begin = at;
  at = csv_find(c, at, end, ',');
  size_t stop = at == end && at > begin && t[at - 1] == '\r' ? at - 1 : at;
  while (c->trim && stop > begin && is_blank(t[stop - 1])) stop--;
  *cell = (ts_csv_cell){t + begin, stop - begin, begin, stop};
  return at;
}

static size_t past_blanks(const ts_csv *c, size_t at)
{
  while (c->trim && at < c->size && is_blank(c->text[at])) at++;
  return at;
}

/* Passes over lines without anything. False: there is no other. */
static bool find_line(ts_csv *c)
{
  static const char mark[] = "\xef\xbb\xbf";
  if (!c->at && c->size >= sizeof mark - 1 && memcmp(c->text, mark, sizeof mark - 1) == 0)
    c->at = sizeof mark - 1;
  for (; c->at < c->size; c->at++) {
    c->line++;
    c->begin = past_blanks(c, c->at);
    size_t end = c->begin + (c->begin < c->size && c->text[c->begin] == '\r');
    if (end < c->size && c->text[end] != '\n')
      return true;
    c->at = end;
  }
  return false;
}

ts_csv_kind ts_csv_next(ts_csv *c, ts_csv_cell *cell, size_t room, size_t *count)
{
  ts_csv_cell beyond;
  c->line += c->breaks;
  c->breaks = 0;
  c->wrong = NULL;
  *count = 0;
  if (!find_line(c))
    return TS_CSV_END;
  const char *t = c->text;
  size_t at = c->begin, end = csv_find(c, at, c->size, '\n');
  size_t last = at; /* where the last cell ends, blank or not */
  bool comment = c->comment && t[at] == c->comment;
  for (bool more = !comment; more; at++) {
    ts_csv_cell *into = *count < room ? &cell[*count] : &beyond;
    at = past_blanks(c, at);
    at = at < c->size && t[at] == '"' ? quoted(c, at, &end, into) : plain(c, at, end, into);
    last = into->end;
    ++*count;
    more = at < end;
  }
  c->at = end + (end < c->size);
  c->end = end > c->begin && t[end - 1] == '\r' ? end - 1 : end;
  while (c->trim && c->end > last && is_blank(t[c->end - 1])) c->end--;
  const char *zero = memchr(t + c->begin, 0, c->end - c->begin);
  if (zero && !c->wrong) { /* else it would end the string of its cell */
    c->wrong = "a byte of 0: this is no text";
    c->wrong_at = (size_t)(zero - t);
  }
  return comment ? TS_CSV_COMMENT : TS_CSV_ROW;
}

bool ts_csv_is(ts_csv_cell cell, const char *text)
{
  return strlen(text) == cell.length && memcmp(text, cell.at, cell.length) == 0;
}

char *ts_csv_string(ts_arena *arena, ts_csv_cell cell)
{
  return ts_arena_string(arena, cell.at, cell.length);
}

bool ts_csv_is_table(const char *text, size_t size)
{
  const char *end = text + size;
  while (text < end && *text == '#')
    for (const char *line = text; text < end && (text == line || text[-1] != '\n');)
      text++;
  const char *word = text;
  while (text < end && (*text == '_' || (*text >= 'a' && *text <= 'z')))
    text++;
  return text > word && text < end && *text == ',';
}
