#include "tests/accuracy/factors.h"

#include <math.h>
#include <string.h>

static bool counts(const acc_row *r, const char *key) { return r->done && r->validation && key; }

acc_points acc_leave_one_out(ts_arena *arena, const acc_rows *rows, size_t *alone)
{
  acc_points points = {0};
  double *ratio = TS_NEW_ARRAY(arena, double, rows->count + 1);
  *alone = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    size_t n = 0;
    if (!counts(r, r->kind))
      continue;
    for (size_t k = 0; k < rows->count; k++) {
      const acc_row *other = &rows->at[k];
      if (k != i && counts(other, other->kind) && !strcmp(other->kind, r->kind))
        ratio[n++] = log(other->measured / other->predicted);
    }
    *alone += !n;
    if (n)
      TS_PUSH(arena, &points,
              (acc_point){.name = r->name,
                          .predicted = r->predicted * exp(acc_median(arena, ratio, n)),
                          .measured = r->measured,
                          .work = r->flops});
  }
  return points;
}

static bool same_series(const acc_row *a, const acc_row *b, bool one_kind)
{
  return counts(a, a->series) && counts(b, b->series) && !strcmp(a->series, b->series) &&
         (!one_kind || !strcmp(a->kind, b->kind));
}

/* A row's system and the smallest of its series; NULL: it is not the first of the largest. */
static const acc_row *smallest_for(const acc_rows *rows, size_t i, bool one_kind)
{
  const acc_row *r = &rows->at[i], *least = r;
  for (size_t k = 0; k < rows->count; k++) {
    const acc_row *other = &rows->at[k];
    if (!same_series(r, other, one_kind))
      continue;
    if (other->size > r->size || (other->size == r->size && k < i))
      return NULL;
    bool closer = other->size == least->size && strcmp(least->kind, r->kind) != 0 &&
                  !strcmp(other->kind, r->kind);
    if (other->size < least->size || closer)
      least = other;
  }
  return least->size < r->size ? least : NULL;
}

acc_points acc_largest_from_smallest(ts_arena *arena, const acc_rows *rows, bool one_kind)
{
  acc_points points = {0};
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *large = &rows->at[i];
    const acc_row *small = counts(large, large->series) ? smallest_for(rows, i, one_kind) : NULL;
    if (small)
      TS_PUSH(arena, &points,
              (acc_point){.name = ts_arena_printf(arena, "%s, from %s", large->name, small->name),
                          .predicted = small->measured * large->predicted / small->predicted,
                          .measured = large->measured,
                          .work = large->flops});
  }
  return points;
}
