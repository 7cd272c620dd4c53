/* What the passes from a plan to its IR share, and the smaller of these passes. Private to
 * lowering. */
#ifndef TS_COMPILER_LOWER_LOWERING_H
#define TS_COMPILER_LOWER_LOWERING_H

#include "compiler/eval/options.h"
#include "compiler/lower/costing.h"
#include "compiler/schedule/stage.h"
#include "cost/calibration.h"
#include "ir/ir.h"

enum { TS_MAX_STREAMS = 64 };

enum { TS_SEEN_LOCS = 1024 };
typedef struct ts_seen_loc { ts_span span; uint32_t loc; } ts_seen_loc;

/* of an op in fragments of a stage, as it was asked for last */
typedef struct ts_shared_label { const ts_stage *stage; const char *text; } ts_shared_label;

/* is: NULL: there is none */
typedef struct ts_named_calibration {
  const ts_calibration *is;
  const char *name; /* as the plan writes it */
  ts_span span;
} ts_named_calibration;

typedef struct ts_lowering {
  ts_session *s;
  const ts_plan *plan;
  ts_named_calibration calibration;
  uint32_t calibrated_host; /* its quantity of the host */
  TS_VEC(ts_ir_net_point) measured_calls; /* of the tables among the network's models so far */
  const ts_graph *g;
  ts_sharding *sh;
  ts_costing *costing;
  ts_schedule *sc;
  ts_arena *order; /* of the items of sc, if nobody needs them later; else NULL */
  const ts_stages *stages;
  ts_ir_builder *b;
  /* of the mesh: each rank along them has samples of its own */
  uint32_t data_axes;
  uint32_t pipeline_group;              /* of the IR, for messages */
  TS_VEC(uint32_t) ir_kernels;          /* by ts_costing kernel: index + 1 in the IR, or 0 */
  bool too_long;                        /* one of them was refused */
  uint64_t shared_parameters;           /* counted twice in the graph */
  /* [2 * weight shared + holder]: rank of the pipeline; equal: held once */
  uint32_t *shared_rank;
  /* by axis of the plan's mesh: the IR's, as bits, where they are others; 0: none. A model of the
   * network `over` an axis without one is left out. NULL: the plan's own */
  const uint32_t *axes_as;
  ts_shared_label *shared_labels;       /* by op */
  TS_VEC(ts_axes) axes_texts;           /* names of groups of axes, as they were asked for */
  uint32_t stream_count;
  const char *streams[TS_MAX_STREAMS];
  ts_seen_loc seen[TS_SEEN_LOCS];       /* by a hash of the span */
  bool holds_gradients;                 /* some step frees none, whatever the plan says */
  int64_t samples;                      /* of a step; once the batch is checked */
  bool failed;
} ts_lowering;

/* of an element */
static inline double ts_weight_bytes(const ts_lowering *l)
{
  return l->plan->precision.weights->bits / 8.0;
}
static inline double ts_gradient_bytes(const ts_lowering *l)
{
  return l->plan->precision.gradients->bits / 8.0;
}

const ts_class *ts_class_of(const ts_lowering *l, uint32_t op);
/* Of the costing's gpus those that the stage's ranks lie on, as bits; 0: all devices are alike. */
static inline uint32_t ts_devices_of_stage(const ts_lowering *l, uint32_t stage)
{
  return l->sc->devices ? l->sc->devices[l->sc->rank_of[stage]] : 0;
}

/* ---- Records of the IR, each kept once: their indices ---- */

uint32_t ts_stream(ts_lowering *l, const char *name, ts_ir_stream_kind kind);
const char *ts_axes_text(ts_lowering *l, uint32_t axes); /* "tp", "dp * cp" */
uint32_t ts_comm_stream(ts_lowering *l, const ts_comm *comm);
uint32_t ts_ir_group_of(ts_lowering *l, uint32_t axes);
uint32_t ts_ir_loc_of(ts_lowering *l, ts_span span);
uint32_t ts_ir_source_of(ts_lowering *l, uint32_t file);
uint32_t ts_ir_cost_source_of(ts_lowering *l, uint32_t source);
/* of a kernel of the costing, so many times slower */
uint32_t ts_ir_kernel_of(ts_lowering *l, uint32_t cost, double slowed);

uint32_t ts_world_of(const ts_lowering *l);
uint64_t ts_tokens_of(const ts_lowering *l, int64_t samples); /* of a step, which has so many */

/* ---- Passes ---- */

/* compiler/lower/stage_cost.c: what a policy goes by. */
ts_stage_costs ts_stage_costs_of(ts_lowering *l);
uint64_t ts_stage_message_time(ts_lowering *l, int64_t bytes); /* from stage to stage, ps */
/* compiler/lower/cluster.c: cluster graph, placement, network models. */
bool ts_lower_cluster(ts_lowering *l);
bool ts_lower_network(ts_lowering *l);
/* compiler/lower/holdings.c: what a rank holds throughout, as records: the first, and their number;
 * what each rank holds so, at least, [ranks]; whether some rank holds more, so, than any device has
 * room for. */
typedef struct ts_holder ts_holder; /* of all ranks */
ts_holder *ts_holder_new(ts_lowering *l);
uint32_t ts_lower_holdings(ts_holder *h, uint32_t rank, uint32_t *count);
uint64_t *ts_lower_holding_sums(const ts_lowering *l);
/* Bytes of gradients that a step has of one parameter of the op, or of all: what is left on a rank
 * of their sums; and whether they are freed when it has used them. */
int64_t ts_lower_gradients(const ts_lowering *l, uint32_t op, uint32_t slot);
bool ts_lower_frees(const ts_lowering *l, uint32_t op);
bool ts_lower_holds_too_much(const ts_lowering *l, ts_memory_bound *held);
/* compiler/lower/in_flight.c: the same with micro-batches between forward and backward, for who
 * asks, once there is an order. */
ts_pass_status ts_lower_in_flight(ts_lowering *l);
/* compiler/lower/cluster.c: memory of the device with the most room. False: of one it is not
 * known. */
bool ts_cluster_room(const ts_lowering *l, ts_memory_bound *held);
/* compiler/lower/batch.c: micro-batches of a plan without a schedule, or `failed`; whether nothing
 * is split, gathered or summed along the schedule's axis; whether the batch divides. False after
 * errors. */
uint32_t ts_lower_neutral_batches(ts_lowering *l);
bool ts_lower_check_axis(const ts_lowering *l);
bool ts_lower_batch(ts_lowering *l);
/* compiler/lower/cut.c: the model in stages. False after errors. */
bool ts_lower_stages(ts_lowering *l);
/* compiler/lower/programs.c: fragments and programs, or `failed`; then the ends of messages of all
 * programs at once. */
typedef struct ts_programs ts_programs;
ts_programs *ts_lower_programs(ts_lowering *l);
void ts_lower_bindings(const ts_programs *p);
/* compiler/lower/meta.c: the mesh, the files that were read, where ranks lie, the cluster as the
 * plan has it; what the step is about, after programs and placement. */
void ts_lower_mesh(ts_lowering *l);
void ts_lower_meta(ts_lowering *l);
void ts_lower_sources(ts_lowering *l);
bool ts_lower_placement(ts_lowering *l, uint32_t world);
const char *ts_cluster_text(const ts_lowering *l);

/* compiler/lower/formats.c: the IR's formats with their peaks, and the two figures of MFU in the
 * meta data. After programs and placement. */
void ts_lower_formats(ts_lowering *l, uint32_t world, double micro_batches, ts_ir_meta *meta);
/* compiler/lower/confidence.c: how far the figures are off that the IR has by now. */
void ts_lower_confidence(ts_lowering *l);
/* compiler/lower/doubts.c: warns of what is likely a slip. */
void ts_lower_doubts(ts_lowering *l);
/* compiler/lower/remarks.c: the warnings of this compilation. */
void ts_lower_remarks(ts_lowering *l);
/* What the IR rests on and nobody stated: a line for the report's section *Assumed*. */
__attribute__((format(printf, 2, 3))) void ts_lower_assume(ts_lowering *l, const char *format, ...);

#endif
