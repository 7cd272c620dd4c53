#include "ir/verify_runs.h"

#include <stdlib.h>

#include "base/heap.h"
#include "ir/ir.h"

ts_ir_runs_seen ts_ir_runs_new(uint32_t records)
{
  return (ts_ir_runs_seen){.count_at = ts_heap_new((size_t)records + 1, sizeof(uint32_t)),
                           .limit = records};
}

void ts_ir_runs_free(ts_ir_runs_seen *r) { free(r->count_at); }

ts_runs_verdict ts_ir_runs_add(ts_ir_runs_seen *r, uint32_t first, uint32_t count)
{
  if (!count)
    return TS_RUNS_SEEN;
  if (first >= r->limit || count > r->limit - first)
    return TS_RUNS_BAD;
  if (r->count_at[first] == count + 1)
    return TS_RUNS_SEEN;
  if (first == r->next && first == r->last) { /* mostly they lie in order */
    r->count_at[first] = count + 1;
    r->next = r->last = first + count;
    return TS_RUNS_NEW;
  }
  if (first < r->next)
    return TS_RUNS_BAD;
  for (uint32_t i = 0; i < count; i++) {
    if (r->count_at[first + i])
      return TS_RUNS_BAD;
    r->count_at[first + i] = TS_IR_NONE;
  }
  r->count_at[first] = count + 1;
  r->last = first + count > r->last ? first + count : r->last;
  return TS_RUNS_NEW;
}

uint32_t ts_ir_runs_gap(const ts_ir_runs_seen *r)
{
  uint32_t i = r->next;
  while (i < r->limit && r->count_at[i])
    i++;
  return i < r->limit ? i : TS_IR_NONE;
}
