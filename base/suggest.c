/* Did you mean: Damerau-Levenshtein distance with transpositions of neighbours (the "optimal string
 * alignment" recurrence, as in git's levenshtein.c with unit costs). */
#include <ctype.h>
#include <string.h>

#include "base/diag.h"

enum { LONGEST = 64 };

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

unsigned ts_edit_distance(const char *a, const char *b)
{
  size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST)
    return strcmp(a, b) ? LONGEST : 0;
  unsigned rows[3][LONGEST + 1];
  unsigned *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= m; j++)
    above[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = smaller(row[j], smaller(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = smaller(row[j], before[j - 2] + 1);
    }
    unsigned *spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return above[m];
}

static bool same_but_for_case(const char *a, const char *b)
{
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
    a++, b++;
  return *a == *b;
}

/* `h100` begins `h100_sxm`, and `a100` begins `A100-80GB`. */
static bool begins(const char *part, const char *whole)
{
  size_t i = 0;
  while (part[i] && tolower((unsigned char)whole[i]) == tolower((unsigned char)part[i]))
    i++;
  return i >= 3 && !part[i] && !isalnum((unsigned char)whole[i]);
}

/* 0 for case only, 1 or 4 for one that begins the other, otherwise the distance; a third of the
 * longer name's length is the most that counts as close. */
static bool rank(const char *found, const char *candidate, unsigned *result)
{
  if (strcmp(found, candidate) == 0)
    return false;
  if (same_but_for_case(found, candidate)) {
    *result = 0;
    return true;
  }
  bool whole = begins(found, candidate);
  if (whole || (begins(candidate, found) && strchr("- ", found[strlen(candidate)]))) {
    *result = whole ? 1 : 4;
    return true;
  }
  size_t length = strlen(found) > strlen(candidate) ? strlen(found) : strlen(candidate);
  *result = ts_edit_distance(found, candidate);
  return *result <= (length + 2) / 3 && *result < length;
}

size_t ts_suggest(const char *found, const char *const *candidates, size_t count,
                  const char *best[3])
{
  unsigned ranks[3];
  size_t shown = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned r;
    if (!candidates[i] || !rank(found, candidates[i], &r))
      continue;
    size_t at = shown;
    while (at > 0 && r < ranks[at - 1])
      at--;
    bool known = false;
    for (size_t k = 0; k < shown; k++)
      known |= strcmp(best[k], candidates[i]) == 0;
    if (at == 3 || known)
      continue;
    if (shown < 3)
      shown++;
    for (size_t k = shown - 1; k > at; k--) {
      ranks[k] = ranks[k - 1];
      best[k] = best[k - 1];
    }
    ranks[at] = r;
    best[at] = candidates[i];
  }
  return shown;
}

const char *ts_listed(ts_arena *arena, const char *const *names, size_t count)
{
  const char *text = "";
  for (size_t i = 0; i < count; i++)
    text = ts_arena_printf(arena, "%s%s`%s`", text, i ? ", " : "", names[i]);
  return text;
}
