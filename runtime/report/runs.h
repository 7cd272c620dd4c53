/* What pages keep small: tuples of numbers told once, and sequences in which repeats are told once,
 * as steps of pipelines repeat. */
#ifndef TS_RUNTIME_REPORT_RUNS_H
#define TS_RUNTIME_REPORT_RUNS_H

#include <stdint.h>
#include <stdio.h>

#include "base/intern.h"

/* Distinct tuples, numbered in the order in which they came. */
typedef ts_intern ts_tuples;

uint32_t ts_tuples_number(ts_arena *arena, ts_tuples *tuples, const int64_t *numbers, size_t count);

/* [1,2,3]: the numbers of all tuples one after the other; all are of one length. */
void ts_put_tuples(FILE *out, const ts_tuples *tuples);

/* [[1,2],[3]]: each tuple by itself; from its number `head` on, repeats told once as below. */
void ts_put_tuple_runs(FILE *out, const ts_tuples *tuples, size_t head);

typedef TS_VEC(uint32_t) ts_sequence; /* of numbers below 2^31 */
typedef TS_VEC(int64_t) ts_run_list;

/* The sequence with its repeats: a number -k, n says that the last k numbers come n times more.
 * {3,4,3,4,3,4,5} is {3,4,-2,2,5}. */
void ts_find_runs(ts_arena *arena, const uint32_t *sequence, size_t count, ts_run_list *list);
void ts_put_runs(FILE *out, const ts_run_list *list);

#endif
