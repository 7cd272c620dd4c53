/* Private to the verifier: what its files look at, and what each of them checks. */
#ifndef TS_IR_VERIFY_CHECK_H
#define TS_IR_VERIFY_CHECK_H

#include <math.h>

#include "ir/layout.h"
#include "ir/verify_runs.h"

/* Bounds that no machine comes near (more: ir/records.def). */
enum { TS_IR_WORLD_MOST = 1 << 24, TS_IR_VERTICES_MOST = 1 << 25 };
#define TS_IR_SPEED_LEAST 1e-6
#define TS_IR_SPEED_MOST 1e6

typedef struct ts_ir_check {
  const ts_ir *ir;
  ts_error *error;
  ts_ir_runs_seen seen[TS_IR_SECTION_KINDS]; /* of tables that others own runs of */
  uint32_t *latest;                          /* of a run of dependencies, by its first */
} ts_ir_check;

static inline const char *ts_ir_check_text(const ts_ir_check *c, ts_ir_str s)
{
  return c->ir->strings + s;
}

static inline bool ts_ir_is_amount(double x) { return isfinite(x) && !signbit(x); }

static inline ts_runs_verdict ts_ir_check_run(ts_ir_check *c, uint32_t kind, uint32_t first,
                                              uint32_t count)
{
  return ts_ir_runs_add(&c->seen[kind], first, count);
}

int ts_ir_verify_devices(ts_ir_check *c);
int ts_ir_verify_placement(ts_ir_check *c);
int ts_ir_verify_network(ts_ir_check *c);
int ts_ir_verify_calibrations(ts_ir_check *c);

#endif
