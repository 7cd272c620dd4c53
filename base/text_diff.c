/* The greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), with
 * every frontier kept to walk back. */
#include "base/text_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"

enum { CONTEXT = 3, MOST_EDITS = 2000 };

typedef struct text_diff_line {
  const char *text;
  size_t length;
} text_diff_line;
typedef struct text_diff_lines {
  text_diff_line *at;
  size_t count, room;
} text_diff_lines;
/* numbers of the next line on both sides, from 0 */
typedef struct edit {
  char sign;
  text_diff_line line;
  size_t old_line, new_line;
} edit;
typedef struct script { edit *at; size_t count, room; } script;

static text_diff_lines text_diff_split(ts_arena *arena, const char *text)
{
  text_diff_lines all = {0};
  while (*text) {
    size_t length = strcspn(text, "\n");
    TS_PUSH(arena, &all, (text_diff_line){text, length});
    text += length + (text[length] == '\n');
  }
  return all;
}

static bool text_diff_same(text_diff_line a, text_diff_line b)
{
  return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Frontiers by number of edits: frontier[d][k + d] is the furthest x on diagonal k. The number of
 * edits is returned, -1 for too many. */
static int64_t text_diff_search(ts_arena *arena, const text_diff_lines *a, const text_diff_lines *b,
                                int64_t **frontier)
{
  int64_t n = (int64_t)a->count, m = (int64_t)b->count;
  for (int64_t d = 0; d <= MOST_EDITS; d++) {
    frontier[d] = TS_NEW_ARRAY(arena, int64_t, 2 * d + 1);
    for (int64_t k = -d; k <= d; k += 2) {
      const int64_t *last = d ? frontier[d - 1] + d - 1 : NULL;
      bool down = d && (k == -d || (k != d && last[k - 1] < last[k + 1]));
      int64_t x = !d ? 0 : down ? last[k + 1] : last[k - 1] + 1;
      while (x < n && x - k < m && text_diff_same(a->at[x], b->at[x - k]))
        x++;
      frontier[d][k + d] = x;
      if (x >= n && x - k >= m)
        return d;
    }
  }
  return -1;
}

static void text_diff_push(ts_arena *arena, script *s, char sign, const text_diff_lines *a,
                           const text_diff_lines *b, int64_t x, int64_t y)
{
  TS_PUSH(arena, s, (edit){sign, sign == '+' ? b->at[y] : a->at[x], (size_t)x, (size_t)y});
}

/* The script, last edit first. */
static script walk_back(ts_arena *arena, const text_diff_lines *a, const text_diff_lines *b,
                        int64_t **frontier, int64_t edits)
{
  script s = {0};
  int64_t x = (int64_t)a->count, y = (int64_t)b->count;
  for (int64_t d = edits; d > 0; d--) {
    int64_t k = x - y;
    const int64_t *last = frontier[d - 1] + d - 1;
    bool down = k == -d || (k != d && last[k - 1] < last[k + 1]);
    int64_t from_x = down ? last[k + 1] : last[k - 1], from_y = from_x - (down ? k + 1 : k - 1);
    while (x > from_x + !down && y > from_y + down)
      x--, y--, text_diff_push(arena, &s, ' ', a, b, x, y);
    x = from_x;
    y = from_y;
    text_diff_push(arena, &s, down ? '+' : '-', a, b, x, y);
  }
  while (x > 0)
    x--, y--, text_diff_push(arena, &s, ' ', a, b, x, y);
  return s;
}

static script replace_all(ts_arena *arena, const text_diff_lines *a, const text_diff_lines *b)
{
  script s = {0};
  for (int64_t y = (int64_t)b->count; y-- > 0;)
    text_diff_push(arena, &s, '+', a, b, (int64_t)a->count, y);
  for (int64_t x = (int64_t)a->count; x-- > 0;)
    text_diff_push(arena, &s, '-', a, b, x, 0);
  return s;
}

/* For people, but tabs, and the carriage return of a line's end, stay as they are. */
static void put_line(FILE *out, char sign, text_diff_line l)
{
  fputc(sign, out);
  for (size_t at = 0, end; at < l.length; at = end) {
    bool plain = l.text[at] == '\t' || (l.text[at] == '\r' && at + 1 == l.length);
    for (end = at + 1; !plain && end < l.length && l.text[end] != '\t' &&
                       !(l.text[end] == '\r' && end + 1 == l.length);)
      end++;
    if (plain)
      fputc(l.text[at], out);
    else
      ts_put_text(out, "%.*s", (int)(end - at), l.text + at);
  }
  fputc('\n', out);
}

static void print_hunk(FILE *out, const edit *edits, size_t from, size_t to)
{
  size_t old_count = 0, new_count = 0;
  for (size_t i = from; i < to; i++) {
    old_count += edits[i].sign != '+';
    new_count += edits[i].sign != '-';
  }
  fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", edits[from].old_line + (old_count > 0), old_count,
          edits[from].new_line + (new_count > 0), new_count);
  for (size_t i = from; i < to; i++)
    put_line(out, edits[i].sign, edits[i].line);
}

static void print_hunks(FILE *out, const edit *edits, size_t count)
{
  for (size_t i = 0; i < count;) {
    while (i < count && edits[i].sign == ' ')
      i++;
    if (i == count)
      return;
    size_t from = i > CONTEXT ? i - CONTEXT : 0, last = i; /* `last`: the last change so far */
    for (; i < count && i - last <= 2 * CONTEXT; i++)
      last = edits[i].sign == ' ' ? last : i;
    size_t to = last + 1 + CONTEXT < count ? last + 1 + CONTEXT : count;
    print_hunk(out, edits, from, to);
    i = to;
  }
}

void ts_text_diff(FILE *out, ts_arena *arena, const char *name, const char *old_text,
                  const char *new_text)
{
  if (strcmp(old_text, new_text) == 0)
    return;
  text_diff_lines a = text_diff_split(arena, old_text), b = text_diff_split(arena, new_text);
  int64_t **frontier = TS_NEW_ARRAY(arena, int64_t *, MOST_EDITS + 1);
  int64_t edits = text_diff_search(arena, &a, &b, frontier);
  script s = edits < 0 ? replace_all(arena, &a, &b) : walk_back(arena, &a, &b, frontier, edits);
  for (size_t i = 0; i < s.count / 2; i++) {
    edit swap = s.at[i];
    s.at[i] = s.at[s.count - 1 - i];
    s.at[s.count - 1 - i] = swap;
  }
  ts_put_text(out, "--- %s\n+++ %s\n", name, name);
  print_hunks(out, s.at, s.count);
}
