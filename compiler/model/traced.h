/* Models that come from a traced table of operators: one row an operator, with the shapes it was
 * run on and the times it took. compiler/model/traced_table.h reads the file,
 * compiler/model/traced.c makes the graph. */
#ifndef TS_COMPILER_MODEL_TRACED_H
#define TS_COMPILER_MODEL_TRACED_H

#include "compiler/model/graph.h"
#include "compiler/model/op.h"

typedef enum ts_direction {
  TS_TRACED_FORWARD,
  TS_TRACED_BACKWARD,
  TS_TRACED_DIRECTIONS
} ts_direction;

/* What was measured of a traced op. Tables give one time for the whole backward, of which
 * backward(input) and backward(weight) are shares.
 *
 * The time of kernel i of phase p as one rank runs it is
 *     seconds[direction of p] * cost(kernel i, local shapes) / sum over the kernels j of that
 *     direction of cost(kernel j, shapes of the table)
 * where `cost` is what the plan's other sources say. Where local shapes are those of the table, the
 * kernels of a direction so add up to the measured time exactly: basis measured. Where a rule or
 * another batch changed them, the ratio scales it: basis interpolated. Where the plan names the gpu
 * that ran the table, models of its operators scale the time of a direction to the plan's batch and
 * gpu (compiler/lower/traced_models.h), and the ratio is that of local shapes and whole ones: basis
 * fitted. */
struct ts_measured {
  double seconds[TS_TRACED_DIRECTIONS];
  /* Of an untimed table: `seconds` say which directions have kernels, the cost sources what they
   * take. `joined`: its gradient and those of the other parts of its input are joined, not added.
   */
  bool untimed, joined;
  const ts_slot *slots; /* of the op, at the shapes of the table */
  /* at the shapes of the table: same kernels in the same order as ts_class.work. A phase that the
   * op does not run (no gradient is needed) has no kernels here either */
  ts_work work;
  const char *source; /* "model.csv.gz:27", for reports */
  const char *kind;   /* of the op */
  const char *device; /* that the table was recorded on; NULL: not stated */
  const ts_value *gpu; /* the same as the plan names it, `from`; NULL: it does not */
  ts_span span;       /* the trace(...) in the plan */
};

static inline ts_direction ts_direction_of(ts_phase phase)
{
  return phase == TS_PHASE_FORWARD ? TS_TRACED_FORWARD : TS_TRACED_BACKWARD;
}

/* `trace(...)`: fills the graph from the file. False after errors. */
bool ts_trace_build(ts_session *s, const ts_plan *plan, const ts_applied *model, ts_graph *g);

/* Once ts_graph_finish has said which gradients are needed: evaluates ts_measured.work. False after
 * errors. */
bool ts_trace_finish(ts_session *s, const ts_plan *plan, ts_graph *g);

#endif
