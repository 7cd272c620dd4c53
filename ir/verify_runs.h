/* Private to the verifier: runs of one table must be equal or disjoint, so that checking each once
 * bounds the work by the size of the table. */
#ifndef TS_IR_VERIFY_RUNS_H
#define TS_IR_VERIFY_RUNS_H

#include <stdint.h>

typedef struct ts_ir_runs_seen { /* of a table */
  uint32_t *count_at, limit; /* by first record: 1 + count, or inside: TS_IR_NONE */
  /* all records before `next` are in runs, of which only the begins are written down; no run lies
   * behind `last` */
  uint32_t next, last;
} ts_ir_runs_seen;

typedef enum ts_runs_verdict { TS_RUNS_BAD = -1, TS_RUNS_NEW, TS_RUNS_SEEN } ts_runs_verdict;

ts_ir_runs_seen ts_ir_runs_new(uint32_t records);
void ts_ir_runs_free(ts_ir_runs_seen *runs);
/* Bad: it goes beyond the table, or has some records of another run. */
ts_runs_verdict ts_ir_runs_add(ts_ir_runs_seen *runs, uint32_t first, uint32_t count);
/* The first record that is in no run, or TS_IR_NONE. */
uint32_t ts_ir_runs_gap(const ts_ir_runs_seen *runs);

#endif
