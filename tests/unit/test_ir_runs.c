/* Runs of records, in any order, against a list of all of them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "ir/verify_runs.h"

enum { ROUNDS = 2000, RECORDS = 24, RUNS = 16 };

typedef struct run { uint32_t first, count; } run;

static ts_runs_verdict expected(const run *known, uint32_t count, run r)
{
  if (!r.count)
    return TS_RUNS_SEEN;
  if (r.first >= RECORDS || r.count > RECORDS - r.first)
    return TS_RUNS_BAD;
  for (uint32_t i = 0; i < count; i++)
    if (known[i].first == r.first && known[i].count == r.count)
      return TS_RUNS_SEEN;
  for (uint32_t i = 0; i < count; i++)
    if (r.first < known[i].first + known[i].count && known[i].first < r.first + r.count)
      return TS_RUNS_BAD;
  return TS_RUNS_NEW;
}

static uint32_t gap(const run *known, uint32_t count)
{
  for (uint32_t record = 0; record < RECORDS; record++) {
    bool in = false;
    for (uint32_t i = 0; i < count; i++)
      in |= known[i].first <= record && record < known[i].first + known[i].count;
    if (!in)
      return record;
  }
  return TS_IR_NONE;
}

Test(ir_runs, are_equal_or_disjoint)
{
  uint32_t verdicts[3] = {0};
  srand(1);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    run known[RUNS];
    uint32_t count = 0, next = 0;
    ts_ir_runs_seen runs = ts_ir_runs_new(RECORDS);
    for (uint32_t k = 0; k < RUNS; k++) {
      /* most follow the one before; a bad one ends it, as the verifier does */
      run r = {rand() % 4 ? next : (uint32_t)rand() % RECORDS, (uint32_t)rand() % 4};
      ts_runs_verdict is = ts_ir_runs_add(&runs, r.first, r.count);
      cr_assert_eq(is, expected(known, count, r), "round %u: run %u", round, k);
      verdicts[is + 1]++;
      if (is == TS_RUNS_BAD)
        break;
      if (is == TS_RUNS_NEW)
        known[count++] = r;
      next = r.first + r.count;
      cr_assert_eq(ts_ir_runs_gap(&runs), gap(known, count), "round %u: run %u", round, k);
    }
    ts_ir_runs_free(&runs);
  }
  for (uint32_t v = 0; v < 3; v++)
    cr_assert_gt(verdicts[v], ROUNDS / 10);
}
