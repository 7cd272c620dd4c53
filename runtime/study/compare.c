#include "runtime/study/compare.h"

#include <stdlib.h>
#include <string.h>

typedef TS_VEC(ts_difference_part) part_list;

static ts_difference_part *compare_part_of(ts_arena *arena, part_list *list,
                                           const ts_critical_part *p)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i].kind == p->kind && strcmp(list->at[i].name, p->name) == 0)
      return &list->at[i];
  TS_PUSH(arena, list, (ts_difference_part){.kind = p->kind, .name = p->name});
  return &list->at[list->count - 1];
}

static uint64_t distance(const ts_difference_part *p)
{
  return p->after > p->before ? p->after - p->before : p->before - p->after;
}

static int compare_larger(const void *x, const void *y)
{
  const ts_difference_part *a = x, *b = y;
  if (distance(a) != distance(b))
    return distance(a) < distance(b) ? 1 : -1;
  return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
}

const ts_difference *ts_difference_new(ts_arena *arena, const ts_run *before, const ts_run *after)
{
  part_list list = {0};
  ts_critical_parts old = ts_run_critical(before), new = ts_run_critical(after);
  for (uint32_t i = 0; i < old.count; i++)
    compare_part_of(arena, &list, &old.at[i])->before += old.at[i].time;
  for (uint32_t i = 0; i < new.count; i++)
    compare_part_of(arena, &list, &new.at[i])->after += new.at[i].time;
  size_t remaining = 0;
  for (size_t i = 0; i < list.count; i++)
    if (distance(&list.at[i]))
      list.at[remaining++] = list.at[i];
  list.count = remaining;
  TS_SORT(&list, compare_larger);
  ts_difference *d = TS_NEW(arena, ts_difference);
  *d = (ts_difference){ts_run_result(before)->step, ts_run_result(after)->step, (uint32_t)remaining,
                       list.at};
  return d;
}
