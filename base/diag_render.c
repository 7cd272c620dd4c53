/* Diagnostics as text: doc/diagnostics.md shows the format. Every record is laid out from byte
 * spans only here. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag_record.h"
#include "base/terminal.h"
#include "base/text.h"

enum {
  WIDEST_LINE = 110, /* columns of a source line; longer ones are cut around what is marked */
  BEFORE_MARK = 24,  /* columns kept before the first mark of a line that is cut */
  LONGEST_SPAN = 2,  /* lines of a span shown in full; of longer ones only the first */
};

typedef enum style {
  PLAIN,
  HEADLINE,
  ERROR,
  WARNING,
  NOTE,
  HELP,
  GUTTER,
  PRIMARY,
  SECONDARY,
  INSERTED,
  REMOVED
} style;

static const struct { const char *escape, *tag; } styles[] = {
  [PLAIN] = {"", ""},
  [HEADLINE] = {"\033[1m", "headline"},
  [ERROR] = {"\033[1;31m", "error"},
  [WARNING] = {"\033[1;33m", "warning"},
  [NOTE] = {"\033[1;36m", "note"},
  [HELP] = {"\033[1;32m", "help"},
  [GUTTER] = {"\033[34m", "gutter"},
  [PRIMARY] = {"\033[1;31m", "primary"},
  [SECONDARY] = {"\033[1;34m", "secondary"},
  [INSERTED] = {"\033[32m", "inserted"},
  [REMOVED] = {"\033[31m", "removed"},
};

typedef struct diag_render_mark { /* a part of one line */
  uint32_t line, begin, end; /* bytes of the file */
  bool primary;
  const char *label;
  unsigned column, width; /* as shown */
} diag_render_mark;

typedef struct render {
  FILE *out;
  ts_color color;
  const ts_sources *sources;
  ts_arena *scratch;
  unsigned gutter; /* digits of the largest line number */
  unsigned columns; /* of the terminal; 0: it is none */
} render;

typedef struct canvas { /* a line of characters with a style each */
  size_t size, room;
  /* one per column; the second column of a wide character is empty */
  struct cell { char text[9]; style style; } *cell;
} canvas;

/* ---- Styled output ---- */

static void begin_style(render *r, style s)
{
  if (s == PLAIN || r->color == TS_COLOR_NEVER)
    return;
  if (r->color == TS_COLOR_TAGS)
    fprintf(r->out, "<%s>", styles[s].tag);
  else
    fputs(styles[s].escape, r->out);
}

static void end_style(render *r, style s)
{
  if (s == PLAIN || r->color == TS_COLOR_NEVER)
    return;
  if (r->color == TS_COLOR_TAGS)
    fprintf(r->out, "</%s>", styles[s].tag);
  else
    fputs("\033[0m", r->out);
}

static void diag_render_put_text(render *r, const char *text, size_t size)
{
  char shown[9];
  unsigned columns;
  for (size_t at = 0; at < size;) {
    at += ts_text_show(text + at, size - at, shown, &columns);
    fputs(shown, r->out);
  }
}

static void put_styled(render *r, style s, const char *text)
{
  begin_style(r, s);
  diag_render_put_text(r, text, strlen(text));
  end_style(r, s);
}

/* How much of `text` goes on a line that has `room` columns: up to a blank. All of it, where it
 * fits or is one word. */
static size_t fitting(const char *text, size_t size, unsigned room)
{
  char shown[9];
  unsigned columns, total = 0;
  size_t blank = 0;
  for (size_t at = 0; at < size;) {
    if (text[at] == ' ' && at)
      blank = at;
    at += ts_text_show(text + at, size - at, shown, &columns);
    total += columns;
    if (total > room && blank)
      return blank;
  }
  return size;
}

/* A row of columns stays a row. */
static bool is_table(const char *text, size_t size)
{
  for (size_t i = 0; i + 1 < size; i++)
    if (text[i] == ' ' && text[i + 1] == ' ')
      return true;
  return false;
}

/* Text of several lines, the first of which begins at `column`: the later ones are indented. On a
 * terminal lines are broken between words. */
static void put_broken(render *r, const char *text, unsigned column, unsigned indent)
{
  for (;;) {
    size_t length = strcspn(text, "\n"), part = length;
    if (r->columns && !is_table(text, length))
      part = fitting(text, length, r->columns > column ? r->columns - column : 1);
    diag_render_put_text(r, text, part);
    text += part;
    if (!*text || !text[1])
      return;
    text += part == length ? 1 : strspn(text, " ");
    fprintf(r->out, "\n%*s", (int)indent, "");
    column = indent;
  }
}

static void diag_render_put_lines(render *r, const char *text, unsigned column, unsigned indent)
{
  put_broken(r, text, column, indent);
  putc('\n', r->out);
}

static void put_gutter(render *r, uint32_t line) /* 0: without a number */
{
  begin_style(r, GUTTER);
  if (line)
    fprintf(r->out, "%*u |", (int)r->gutter, line);
  else
    fprintf(r->out, "%*s |", (int)r->gutter, "");
  end_style(r, GUTTER);
}

static void put_bar(render *r)
{
  put_gutter(r, 0);
  putc('\n', r->out);
}

/* ---- Canvas ---- */

static struct cell *cell_at(render *r, canvas *c, size_t column)
{
  if (column >= c->room) {
    size_t room = 2 * column + 64;
    c->cell = ts_arena_grow(r->scratch, c->cell, c->room * sizeof *c->cell, room * sizeof *c->cell);
    c->room = room;
  }
  for (; c->size <= column; c->size++)
    c->cell[c->size] = (struct cell){" ", PLAIN};
  return &c->cell[column];
}

static void diag_render_draw(render *r, canvas *c, size_t column, const char *text, size_t size,
                             style s)
{
  char shown[9];
  unsigned columns;
  for (size_t at = 0; at < size;) {
    at += ts_text_show(text + at, size - at, shown, &columns);
    if (columns == 0) { /* combines with what stands before it */
      struct cell *cell = column ? cell_at(r, c, column - 1) : NULL;
      if (cell && strlen(cell->text) + strlen(shown) < sizeof cell->text)
        strcat(cell->text, shown);
    } else if (columns > 2) { /* escaped: one character a column */
      for (unsigned i = 0; i < columns; i++)
        *cell_at(r, c, column++) = (struct cell){{shown[i]}, s};
    } else {
      struct cell cell = {.style = s};
      strcpy(cell.text, shown);
      *cell_at(r, c, column++) = cell;
      if (columns == 2)
        *cell_at(r, c, column++) = (struct cell){"", s};
    }
  }
}

static void put_canvas(render *r, const canvas *c)
{
  size_t size = c->size;
  while (size && strcmp(c->cell[size - 1].text, " ") == 0)
    size--;
  if (size)
    putc(' ', r->out);
  style now = PLAIN;
  for (size_t i = 0; i < size; i++) {
    if (c->cell[i].style != now) {
      end_style(r, now);
      begin_style(r, now = c->cell[i].style);
    }
    fputs(c->cell[i].text, r->out);
  }
  end_style(r, now);
  putc('\n', r->out);
}

/* ---- Lines of a source ---- */

static const ts_source *diag_render_source_of(const render *r, uint32_t file)
{
  return ts_sources_get(r->sources, file);
}

static uint32_t line_begin(const ts_source *source, uint32_t offset)
{
  uint32_t at = offset < source->size ? offset : (uint32_t)source->size;
  while (at > 0 && source->text[at - 1] != '\n')
    at--;
  return at;
}

static uint32_t line_end(const ts_source *source, uint32_t offset)
{
  uint32_t at = offset < source->size ? offset : (uint32_t)source->size;
  while (at < source->size && source->text[at] != '\n')
    at++;
  if (at > offset && source->text[at - 1] == '\r')
    at--;
  return at;
}

/* A span as it is shown: inside the text, on a character's boundary; the end of the file belongs to
 * the last line. */
ts_span ts_span_shown(const ts_sources *sources, ts_span span)
{
  const ts_source *source = ts_sources_get(sources, span.file);
  if (!source)
    return TS_NO_SPAN;
  uint32_t size = (uint32_t)source->size;
  span.begin = span.begin < size ? span.begin : size;
  span.end = span.end < size ? span.end : size;
  if (span.begin == size) {
    while (span.begin > 0 && strchr(" \t\r\n", source->text[span.begin - 1]))
      span.begin--;
  }
  while (span.begin > 0 && span.begin < size &&
         ((unsigned char)source->text[span.begin] & 0xc0) == 0x80)
    span.begin--;
  while (span.end > span.begin && strchr(" \t\r\n", source->text[span.end - 1]))
    span.end--;
  if (span.end < span.begin)
    span.end = span.begin;
  return span;
}

static uint32_t line_number(const render *r, uint32_t file, uint32_t offset)
{
  return ts_sources_position(r->sources, file, offset).line;
}

static unsigned columns_of(const char *text, size_t size)
{
  unsigned total = 0, columns;
  char shown[9];
  for (size_t at = 0; at < size; total += columns)
    at += ts_text_show(text + at, size - at, shown, &columns);
  return total;
}

/* ---- A snippet: marked lines of one file ---- */

typedef struct diag_render_marks {
  diag_render_mark *at;
  size_t count, room;
} diag_render_marks;

static void add_mark(render *r, diag_render_marks *all, diag_render_mark m)
{
  size_t at = all->count;
  TS_PUSH(r->scratch, all, m);
  for (; at > 0 && (all->at[at - 1].line > m.line ||
                    (all->at[at - 1].line == m.line && all->at[at - 1].begin > m.begin));
       at--)
    all->at[at] = all->at[at - 1];
  all->at[at] = m;
}

/* One mark a line; the label stands at the last. Of a whole declaration the head is enough. */
static void add_span(render *r, diag_render_marks *all, ts_span span, bool primary,
                     const char *label)
{
  span = ts_span_shown(r->sources, span);
  const ts_source *source = diag_render_source_of(r, span.file);
  if (!source)
    return;
  uint32_t first = line_number(r, span.file, span.begin),
           last = line_number(r, span.file, span.end);
  uint32_t begin = span.begin;
  if (last - first >= LONGEST_SPAN) {
    last = first;
    span.end = line_end(source, span.begin);
  }
  for (uint32_t line = first; line <= last; line++) {
    uint32_t stop = line_end(source, begin), next = stop;
    while (next < source->size && source->text[next] != '\n')
      next++;
    diag_render_mark m = {.line = line,
                          .begin = begin,
                          .end = line == last ? span.end : stop,
                          .primary = primary,
                          .label = line == last ? label : NULL};
    if (m.end > m.begin || first == last)
      add_mark(r, all, m);
    begin = next + 1;
    while (begin < span.end && strchr(" \t", source->text[begin]))
      begin++;
  }
}

/* Columns that a source line may take, with room for what stands for the rest. */
static unsigned widest(const render *r)
{
  enum { BAR = 3, REST = 3 };
  unsigned beside = r->gutter + BAR + REST;
  return r->columns > beside + BEFORE_MARK ? r->columns - beside : WIDEST_LINE;
}

/* Cuts a line that is too wide to a window of columns [*from, *to). */
static void choose_window(const render *r, const diag_render_mark *at, size_t count, unsigned width,
                          unsigned *from, unsigned *to)
{
  unsigned most = widest(r);
  unsigned first = UINT_MAX;
  for (size_t i = 0; i < count; i++)
    first = at[i].column < first ? at[i].column : first;
  *from = first > BEFORE_MARK ? first - BEFORE_MARK : 0;
  if (width <= most)
    *from = 0;
  else if (*from + most > width)
    *from = width - most;
  *to = width < *from + most ? width : *from + most;
}

static void cut_canvas(render *r, canvas *c, unsigned from, unsigned to)
{
  if (to < c->size) {
    c->size = to;
    diag_render_draw(r, c, to, "...", 3, GUTTER);
  }
  if (from > 0) {
    memmove(c->cell, c->cell + from, (c->size - from) * sizeof *c->cell);
    c->size -= from;
    diag_render_draw(r, c, 0, "...", 3, GUTTER);
  }
}

static style mark_style(const diag_render_mark *m) { return m->primary ? PRIMARY : SECONDARY; }

/* The wide ones first, so that what lies within them stays visible; of equal ones the primary is
 * seen. */
static void draw_underlines(render *r, canvas *c, const diag_render_mark *at, size_t count)
{
  for (unsigned below = UINT_MAX, width; below > 0; below = width) {
    width = 0;
    for (size_t i = 0; i < count; i++)
      width = at[i].width < below && at[i].width > width ? at[i].width : width;
    for (int primary = 0; primary < 2; primary++) {
      for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; at[i].width == width && at[i].primary == primary && k < width; k++)
          diag_render_draw(r, c, at[i].column + k, primary ? "^" : "-", 1, mark_style(&at[i]));
      }
    }
  }
}

/* The label of the rightmost mark may follow it on its row. */
static size_t inline_label(const render *r, const diag_render_mark *at, size_t count)
{
  size_t last = count - 1;
  const char *label = at[last].label;
  if (r->columns && label &&
      at[last].column + at[last].width + 1 + columns_of(label, strlen(label)) > widest(r) + 3)
    return SIZE_MAX; /* it would not fit */
  for (size_t i = 0; i < count; i++) {
    if (i != last && at[i].column + at[i].width > at[last].column + at[last].width)
      return SIZE_MAX;
    if (i != last && at[i].column == at[last].column && at[i].label && at[last].label)
      return SIZE_MAX;
  }
  return last;
}

/* A label below its mark, behind the bars on the canvas. On a terminal it stands farther left where
 * it would not fit, and takes several rows. */
static void put_label(render *r, canvas *c, const diag_render_mark *m)
{
  size_t size = strlen(m->label);
  unsigned column = m->column, room = widest(r) + 3, bars = (unsigned)c->size;
  unsigned width = columns_of(m->label, size);
  if (r->columns && column + width > room)
    column = width < room ? room - width : 0;
  column = column < bars + 1 && bars && column != m->column ? bars + 1 : column;
  for (size_t at = 0, part; at < size; at += part) {
    canvas line = {0};
    part = r->columns ? fitting(m->label + at, size - at, room > column ? room - column : 1) :
                        size - at;
    diag_render_draw(r, at ? &line : c, column, m->label + at, part, mark_style(m));
    put_gutter(r, 0);
    put_canvas(r, at ? &line : c);
    part += at + part < size; /* the blank */
  }
}

/* Labels that stand below: first a row of bars, then from right to left a row each. */
static void put_hanging_labels(render *r, const diag_render_mark *at, size_t count, size_t done)
{
  bool bars = false;
  for (size_t upto = count; upto-- > 0;) {
    if (upto == done || !at[upto].label)
      continue;
    for (int row = bars; row < 2; row++) {
      canvas c = {0};
      for (size_t i = 0; i < upto; i++) {
        if (i != done && at[i].label)
          diag_render_draw(r, &c, at[i].column, "|", 1, mark_style(&at[i]));
      }
      if (row) {
        put_label(r, &c, &at[upto]);
        continue;
      }
      diag_render_draw(r, &c, at[upto].column, "|", 1, mark_style(&at[upto]));
      put_gutter(r, 0);
      put_canvas(r, &c);
    }
    bars = true;
  }
}

static void put_marked_line(render *r, const ts_source *source, diag_render_mark *at, size_t count)
{
  uint32_t begin = line_begin(source, at[0].begin), end = line_end(source, at[0].begin);
  canvas line = {0};
  diag_render_draw(r, &line, 0, source->text + begin, end - begin, PLAIN);
  for (size_t i = 0; i < count; i++) {
    at[i].column = columns_of(source->text + begin, at[i].begin - begin);
    at[i].width = columns_of(source->text + at[i].begin, at[i].end - at[i].begin);
    if (at[i].width == 0)
      at[i].width = 1;
  }
  unsigned from, to;
  choose_window(r, at, count, (unsigned)line.size, &from, &to);
  cut_canvas(r, &line, from, to);
  put_gutter(r, at[0].line);
  put_canvas(r, &line);

  for (size_t i = 0; i < count; i++) {
    unsigned stop = at[i].column + at[i].width;
    at[i].column = at[i].column >= to && to > from && at[i].column > from ?
                     (at[i].column < to ? at[i].column : to) - from :
                     at[i].column - from;
    stop = stop > to + 1 ? to - from : stop - from;
    at[i].width = stop > at[i].column ? stop - at[i].column : 1;
  }
  canvas underlines = {0};
  draw_underlines(r, &underlines, at, count);
  size_t done = inline_label(r, at, count);
  if (done != SIZE_MAX && at[done].label)
    diag_render_draw(r, &underlines, at[done].column + at[done].width + 1, at[done].label,
                     strlen(at[done].label), mark_style(&at[done]));
  put_gutter(r, 0);
  put_canvas(r, &underlines);
  put_hanging_labels(r, at, count, done);
}

static void put_place(render *r, const char *arrow, ts_span span)
{
  ts_position position = ts_sources_position(r->sources, span.file, span.begin);
  fprintf(r->out, "%*s", (int)r->gutter, "");
  put_styled(r, GUTTER, arrow);
  putc(' ', r->out);
  put_styled(r, PLAIN, diag_render_source_of(r, span.file)->name);
  fprintf(r->out, ":%u:%u\n", position.line, position.column);
}

static void put_marks(render *r, const ts_source *source, diag_render_marks *all)
{
  put_bar(r);
  for (size_t i = 0, next; i < all->count; i = next) {
    for (next = i + 1; next < all->count && all->at[next].line == all->at[i].line;)
      next++;
    if (i > 0 && all->at[i].line > all->at[i - 1].line + 1) {
      put_styled(r, GUTTER, "...");
      putc('\n', r->out);
    }
    put_marked_line(r, source, all->at + i, next - i);
  }
}

/* The place of the primary span with all labels in its file, then the other files' labels. */
static void put_snippets(render *r, ts_span primary, const char *here, const ts_diag_text *labels,
                         size_t label_count)
{
  const char *arrow = "-->";
  primary = ts_span_shown(r->sources, primary);
  for (size_t i = 0; i <= label_count; i++) {
    ts_span place = i == 0 ? primary : ts_span_shown(r->sources, labels[i - 1].span);
    bool shown = !place.file;
    for (size_t k = 0; k < i; k++)
      shown |= (k == 0 ? primary : labels[k - 1].span).file == place.file;
    if (shown)
      continue;
    diag_render_marks all = {0};
    if (i == 0)
      add_span(r, &all, primary, true, here);
    for (size_t k = 0; k < label_count; k++) {
      if (labels[k].span.file == place.file)
        add_span(r, &all, labels[k].span, false, labels[k].text);
    }
    put_place(r, arrow, place);
    put_marks(r, diag_render_source_of(r, place.file), &all);
    arrow = ":::";
  }
}

/* ---- Children ---- */

/* Bytes that both texts begin with, on a character's boundary. */
static size_t common_prefix(const char *a, size_t a_size, const char *b, size_t b_size)
{
  size_t n = 0;
  while (n < a_size && n < b_size && a[n] == b[n])
    n++;
  while (n > 0 && n < a_size && ((unsigned char)a[n] & 0xc0) == 0x80)
    n--;
  return n;
}

static size_t common_suffix(const char *a, size_t a_size, const char *b, size_t b_size)
{
  size_t n = 0;
  while (n < a_size && n < b_size && a[a_size - n - 1] == b[b_size - n - 1])
    n++;
  while (n > 0 && ((unsigned char)a[a_size - n] & 0xc0) == 0x80)
    n--;
  return n;
}

/* One line of the patched text with its marks below: bytes [begin, end) of it. */
static void put_patched_line(render *r, uint32_t number, const char *text, size_t size,
                             size_t begin, size_t end, char sign)
{
  canvas line = {0}, signs = {0};
  diag_render_mark m = {.column = columns_of(text, begin),
                        .width = columns_of(text + begin, end - begin)};
  diag_render_draw(r, &line, 0, text, size, PLAIN);
  unsigned from, to;
  choose_window(r, &m, 1, (unsigned)line.size, &from, &to);
  cut_canvas(r, &line, from, to);
  put_gutter(r, number);
  put_canvas(r, &line);
  for (unsigned i = 0; i < m.width && m.column + i < to; i++)
    diag_render_draw(r, &signs, m.column + i - from, &sign, 1, sign == '-' ? REMOVED : INSERTED);
  if (signs.size) {
    put_gutter(r, 0);
    put_canvas(r, &signs);
  }
}

static void put_patched_text(render *r, uint32_t number, const char *text, size_t size,
                             size_t begin, size_t end, char sign)
{
  for (size_t at = 0; at <= size; number++) {
    const char *newline = memchr(text + at, '\n', size - at);
    size_t stop = newline ? (size_t)(newline - text) : size;
    size_t from = begin > at ? begin : at, to = end < stop ? end : stop;
    put_patched_line(r, number, text + at, stop - at, from < stop ? from - at : stop - at,
                     from < to   ? to - at :
                     from < stop ? from - at :
                                   stop - at,
                     sign);
    at = stop + 1;
  }
}

/* An insertion is marked with +, a change with ~; a removal shows the line as it is, with - below
 * what goes. */
static void put_edit(render *r, const ts_diag_child *edit, uint32_t main_file)
{
  const ts_source *source = diag_render_source_of(r, edit->span.file);
  ts_span span = edit->span;
  span.end = span.end < source->size ? span.end : (uint32_t)source->size;
  span.begin = span.begin < span.end ? span.begin : span.end;
  uint32_t first = line_begin(source, span.begin), last = line_end(source, span.end);
  const char *old = source->text + span.begin;
  size_t old_size = span.end - span.begin, new_size = strlen(edit->replacement);
  size_t prefix = common_prefix(old, old_size, edit->replacement, new_size);
  size_t suffix =
    common_suffix(old + prefix, old_size - prefix, edit->replacement + prefix, new_size - prefix);
  bool inserts = prefix + suffix == old_size, removes = !new_size && old_size;
  uint32_t number = line_number(r, span.file, first);

  if (span.file != main_file)
    put_place(r, "-->", span);
  put_bar(r);
  size_t lead = span.begin - first;
  if (removes) {
    put_patched_text(r, number, source->text + first, last - first, lead, lead + old_size, '-');
    return;
  }
  char *text = ts_arena_printf(r->scratch, "%.*s%s%.*s", (int)lead, source->text + first,
                               edit->replacement, (int)(last - span.end), source->text + span.end);
  size_t from = inserts ? lead + prefix : lead,
         to = inserts ? lead + new_size - suffix : lead + new_size;
  put_patched_text(r, number, text, strlen(text), from, to, inserts ? '+' : '~');
}

static void put_heading(render *r, style s, const char *word, const char *text)
{
  put_styled(r, s, word);
  fputs(": ", r->out);
  diag_render_put_lines(r, text, (unsigned)strlen(word) + 2, (unsigned)strlen(word) + 2);
}

static void put_equals(render *r)
{
  fprintf(r->out, "%*s ", (int)r->gutter, "");
  put_styled(r, GUTTER, "=");
  putc(' ', r->out);
}

static void put_short_child(render *r, style s, const char *word, const char *text)
{
  put_equals(r);
  put_styled(r, s, word);
  fputs(": ", r->out);
  unsigned indent = r->gutter + 3 + (unsigned)strlen(word) + 2;
  diag_render_put_lines(r, text, indent, indent);
}

/* Facts stand in columns; one whose text begins on a new line has its name for a heading. */
static void put_fact(render *r, const ts_diag_child *fact, unsigned width)
{
  put_equals(r);
  put_styled(r, HEADLINE, fact->name);
  if (fact->text[0] == '\n') {
    fprintf(r->out, "\n%*s", (int)r->gutter + 5, "");
    diag_render_put_lines(r, fact->text + 1, r->gutter + 5, r->gutter + 5);
    return;
  }
  fprintf(r->out, "%*s", (int)(width - columns_of(fact->name, strlen(fact->name))) + 2, "");
  diag_render_put_lines(r, fact->text, r->gutter + 3 + width + 2, r->gutter + 3 + width + 2);
}

static unsigned fact_width(const ts_diag *d)
{
  unsigned widest = 0;
  for (size_t i = 0; i < d->children.count; i++) {
    const ts_diag_child *child = &d->children.at[i];
    if (child->kind == TS_CHILD_FACT && child->text[0] != '\n') {
      unsigned width = columns_of(child->name, strlen(child->name));
      widest = width > widest ? width : widest;
    }
  }
  return widest;
}

static bool has_place(const render *r, const ts_diag_child *child)
{
  return (child->kind == TS_CHILD_NOTE || child->kind == TS_CHILD_EDIT) &&
         diag_render_source_of(r, child->span.file);
}

/* `after_source`: the last thing printed was a snippet, which a bar separates from what follows. */
static void put_child(render *r, const ts_diag *d, const ts_diag_child *child, bool *after_source)
{
  if (*after_source)
    put_bar(r);
  *after_source = false;
  if (child->kind == TS_CHILD_EDIT && has_place(r, child)) {
    put_heading(r, HELP, "help", child->text);
    put_edit(r, child, d->primary.file);
  } else if (has_place(r, child)) {
    put_heading(r, NOTE, "note", child->text);
    put_snippets(r, child->span, NULL, NULL, 0);
    *after_source = true;
  } else if (child->kind == TS_CHILD_FACT) {
    put_fact(r, child, fact_width(d));
  } else {
    bool note = child->kind == TS_CHILD_NOTE;
    put_short_child(r, note ? NOTE : HELP, note ? "note" : "help", child->text);
  }
}

static void put_values(render *r, const ts_diag *d)
{
  char *text = "";
  for (size_t i = 0; i < d->values.count; i++)
    text = ts_arena_printf(r->scratch, "%s%s`%s` is %s", text, i ? ", " : "", d->values.at[i].name,
                           d->values.at[i].value);
  put_short_child(r, NOTE, "note", text);
}

/* ---- A record ---- */

static unsigned digits(uint32_t number)
{
  unsigned count = 1;
  for (; number >= 10; number /= 10)
    count++;
  return count;
}

static unsigned gutter_width(const render *r, const ts_diag *d)
{
  unsigned widest = 2;
  for (size_t i = 0; i <= d->labels.count + d->children.count; i++) {
    ts_span span = i == 0               ? d->primary :
                   i <= d->labels.count ? d->labels.at[i - 1].span :
                                          d->children.at[i - 1 - d->labels.count].span;
    if (!diag_render_source_of(r, span.file))
      continue;
    unsigned width = digits(line_number(r, span.file, span.end));
    widest = width > widest ? width : widest;
  }
  return widest;
}

void ts_diag_render(const ts_diag *d, const ts_sources *sources, ts_color color, FILE *out)
{
  render r = {
    .out = out, .color = color, .sources = sources, .scratch = ts_arena_new("diagnostic")};
  r.columns = ts_terminal_columns(out, 0);
  r.gutter = gutter_width(&r, d);
  style severity = d->severity == TS_ERROR ? ERROR : d->severity == TS_WARNING ? WARNING : NOTE;
  begin_style(&r, severity);
  fprintf(out, "%s[%s]", ts_severity_word(d->severity), ts_code_name(d->code));
  end_style(&r, severity);
  begin_style(&r, HEADLINE);
  fputs(": ", out);
  put_broken(&r, d->message,
             (unsigned)(strlen(ts_severity_word(d->severity)) + strlen(ts_code_name(d->code)) + 4),
             2);
  end_style(&r, HEADLINE);
  putc('\n', out);
  put_snippets(&r, d->primary, d->here, d->labels.at, d->labels.count);
  bool after_source = diag_render_source_of(&r, d->primary.file) != NULL;
  if (d->values.count) {
    if (after_source)
      put_bar(&r);
    after_source = false;
    put_values(&r, d);
  }
  /* What has a place of its own comes in the order given; a short child after it belongs to the
   * record all the same. */
  for (size_t i = 0; i < d->children.count; i++)
    put_child(&r, d, &d->children.at[i], &after_source);
  if (d->more) {
    if (after_source)
      put_bar(&r);
    put_equals(&r);
    fprintf(out, "and %u more like it\n", d->more);
  }
  ts_arena_free(r.scratch);
}

/* ---- The queue ---- */

static void put_count(FILE *out, unsigned count, const char *word, const char *before)
{
  if (count)
    fprintf(out, "%s%u %s%s", before, count, word, count == 1 ? "" : "s");
}

void ts_diags_print(const ts_diags *diags, FILE *out, ts_color color)
{
  ts_arena *scratch = ts_arena_new("diagnostics");
  size_t count;
  ts_diag **sorted = ts_diags_sorted(diags, scratch, &count);
  unsigned shown[TS_ERROR + 1] = {0}, found[TS_ERROR + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    ts_severity severity = sorted[i]->severity;
    if (found[severity]++ >= TS_MAX_ERRORS)
      continue;
    if (shown[TS_ERROR] + shown[TS_WARNING] + shown[TS_NOTE] > 0)
      putc('\n', out);
    shown[severity]++;
    ts_diag_render(sorted[i], diags->sources, color, out);
  }
  if (count > 1) {
    putc('\n', out);
    put_count(out, found[TS_ERROR], "error", "");
    put_count(out, found[TS_WARNING], "warning", found[TS_ERROR] ? ", " : "");
    unsigned hidden = (unsigned)count - shown[TS_ERROR] - shown[TS_WARNING] - shown[TS_NOTE];
    if (hidden)
      fprintf(out, ", %u of them not shown", hidden);
    putc('\n', out);
  }
  ts_arena_free(scratch);
}

static bool is_set(const char *variable)
{
  const char *value = getenv(variable);
  return value && *value;
}

/* https://no-color.org, https://bixense.com/clicolors */
ts_color ts_color_auto(FILE *out)
{
  if (is_set("NO_COLOR"))
    return TS_COLOR_NEVER;
  if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
    return TS_COLOR_ALWAYS;
  const char *terminal = getenv("TERM");
  return terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(out)) ?
           TS_COLOR_ALWAYS :
           TS_COLOR_NEVER;
}
