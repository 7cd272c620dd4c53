/* Fragments: the nodes of one piece of work (the forward of a stage, say) in the order in which a host issues them. Private to lowering.
 *
 * A fragment is written by appending nodes. Before a node is added `ts_need` collects what it must wait for; what its stream has waited for
 * already is dropped, so that nodes carry few dependencies. */
#ifndef TS_COMPILER_LOWER_FRAGMENT_H
#define TS_COMPILER_LOWER_FRAGMENT_H

#include "compiler/lower/costing.h"
#include "compiler/schedule/stage.h"
#include "ir/ir.h"

enum { TS_MAX_STREAMS = 64 };

enum { TS_SEEN_LOCS = 256 };
typedef struct ts_seen_loc { ts_span span; uint32_t loc; } ts_seen_loc;

typedef struct ts_lowering {
  ts_session *s;
  const ts_plan *plan;
  const ts_graph *g;
  ts_sharding *sh;
  ts_costing *costing;
  ts_schedule *sc;
  const ts_stages *stages;
  ts_ir_builder *b;
  uint32_t data_axes;                   /* of the mesh: each rank along them has samples of its own */
  uint32_t pipeline_group;              /* of the IR, for messages */
  TS_VEC(uint32_t) ir_kernels;          /* by ts_costing kernel: index + 1 in the IR, or 0 */
  uint64_t shared_parameters;           /* counted twice in the graph */
  uint32_t *shared_rank;                /* [2 * weight shared + holder]: rank of the pipeline; equal: held once */
  uint32_t stream_count;
  const char *streams[TS_MAX_STREAMS];
  ts_seen_loc seen[TS_SEEN_LOCS];       /* by a hash of the span */
  bool failed;
} ts_lowering;

static inline double ts_weight_bytes(const ts_lowering *l) { return l->plan->precision.weights->bits / 8.0; } /* of an element */
static inline double ts_gradient_bytes(const ts_lowering *l) { return l->plan->precision.gradients->bits / 8.0; }

/* CHOICE: a tie that the work may go on without. */
typedef enum ts_port_role { TS_PORT_ACTIVATION_IN, TS_PORT_ACTIVATION_OUT, TS_PORT_GRADIENT_IN, TS_PORT_GRADIENT_OUT, TS_PORT_TIE, TS_PORT_CHOICE, TS_PORT_SHARED, TS_PORT_COPY_OUT, TS_PORT_COPY_IN } ts_port_role;
typedef struct ts_port_ref { ts_port_role role; uint32_t index; uint32_t part; } ts_port_ref; /* part: which of two items played as one; index into the stage's transfers, or the item's links; SHARED: 2 * the weight + which of its two holders this is; COPY: 2 * (chunk * copies + how many copies farther) + round */

typedef struct ts_gradient { /* memory of a gradient inside of a fragment */
  uint32_t ready;   /* node, or TS_NO_INDEX: an earlier item made it */
  int64_t bytes;
  uint32_t owners;  /* tensors and uses that share it */
  const char *label;
  uint32_t note;    /* into mems: where it is allocated, or TS_NO_INDEX */
  bool waits;       /* for W */
} ts_gradient;

typedef struct ts_tensor_state {
  uint32_t ready;     /* node that makes it, or TS_NO_INDEX: nothing to wait for */
  uint32_t root;      /* the tensor whose memory it is */
  uint32_t uses;      /* of its memory, left in this fragment */
  uint32_t gradient;  /* into gradients, or TS_NO_INDEX */
  bool allocated;     /* here, and not kept for later */
  bool kept;          /* for backward */
  bool offloaded;     /* ... on the host, when the forward has used it */
  uint32_t fetch;     /* op before whose backward it comes back */
  bool again;         /* made again by recomputation, and kept from there on */
  uint32_t release;   /* op after whose backward it is freed */
  uint32_t late;      /* ... after whose W, where I and W are apart; TS_NO_INDEX: I frees it */
  uint32_t gradient_root; /* tensor in whose gradient's memory its own lies, or TS_NO_INDEX */
  uint32_t gradient_late; /* op after whose W its gradient is freed, or TS_NO_INDEX: I frees it */
} ts_tensor_state;

typedef struct ts_mem_note { uint32_t node; ts_ir_mem mem; } ts_mem_note;

typedef struct ts_bucket { const ts_comm *comm; double bytes; uint32_t ready; int64_t whole; uint32_t sent[2]; } ts_bucket; /* gradients that wait for company; whole: memory until they are scattered; sent: the
                                                                                                   last two, or TS_NO_INDEX */

typedef struct ts_gather { /* parameters of a group of ops, gathered for a phase; or what it kept on the host, brought back */
  const ts_comm *comm;
  uint32_t first, last; /* ops, in the order of the phase */
  uint32_t after;       /* the gather of the same rule before this one, or TS_NO_INDEX */
  double bytes;         /* of the collective */
  int64_t memory;
  uint32_t node;        /* or TS_NO_INDEX: not yet there; TS_HELD: gathered by an earlier item */
  double rate;          /* of the link to the host; 0: a collective */
  bool keep;            /* stays for the backward, or until what kept it has used it */
} ts_gather;

enum { TS_HELD = 0xfffffffe };

typedef struct ts_fragment {
  ts_lowering *l;
  ts_arena *scratch;
  const ts_stage *stage;
  uint32_t stage_index;
  ts_tensor_state *tensors;           /* by graph tensor */
  uint32_t *waited;                   /* [stream * TS_MAX_STREAMS + other]: last node of `other` it has waited for, plus 1 */
  uint32_t last[TS_MAX_STREAMS];      /* last node of each stream, or TS_NO_INDEX */
  uint32_t last_host;
  TS_VEC(ts_ir_node) nodes;
  TS_VEC(uint32_t) kernels;           /* of ts_costing, as they are launched */
  TS_VEC(uint32_t) deps;
  TS_VEC(ts_mem_note) mems;
  TS_VEC(ts_ir_port) ports;
  TS_VEC(ts_port_ref) roles;
  TS_VEC(uint32_t) needs;
  TS_VEC(uint32_t) barrier;           /* the next compute node waits for these */
  TS_VEC(ts_gradient) gradients;
  TS_VEC(ts_bucket) buckets;
  TS_VEC(ts_gather) gathers;
  bool forward;                       /* what is kept on the host leaves */
  bool copies_sent;                   /* to the host */
  const ts_placed *fetches;           /* before its first copy from the host; then NULL */
  double slowed;                      /* its kernels take so many times as long */
} ts_fragment;

/* What a node is for, in messages and reports. */
typedef struct ts_origin { const char *label; ts_span span, rule; } ts_origin;

ts_fragment *ts_fragment_new(ts_lowering *l, uint32_t stage);
void ts_fragment_free(ts_fragment *f);
/* Both as one list of nodes; the two are left as they are. compiler/lower/fragment_merge.c */
ts_fragment *ts_fragment_merge(ts_fragment *first, ts_fragment *second);
/* Adds it to the IR; returns its index. */
uint32_t ts_fragment_finish(ts_fragment *f, const char *name, const char *work);

void ts_need(ts_fragment *f, uint32_t node); /* TS_NO_INDEX is fine */
uint32_t ts_emit_kernel(ts_fragment *f, const ts_kernel *kernel, ts_ir_phase phase, ts_origin origin);
uint32_t ts_emit_collective(ts_fragment *f, const ts_comm *comm, uint64_t bytes, ts_origin origin);
/* Bytes to the host or from it, on a stream of their own. */
uint32_t ts_emit_copy(ts_fragment *f, double bytes, double rate, bool back, ts_origin origin);
uint32_t ts_copy_stream(ts_lowering *l, bool back);
/* What the item has sent to the host has arrived there; what comes back for it comes after that. Each place
 * has a stream of its own for this, on which nothing is done. */
void ts_copies_sent(ts_fragment *f, const ts_placed *item);
void ts_copies_await(ts_fragment *f, const ts_placed *item);
/* The host works on its own memory at this rate, on a stream of its own. */
uint32_t ts_emit_host_update(ts_fragment *f, double bytes, double rate, ts_origin origin);
uint32_t ts_emit_record(ts_fragment *f, uint32_t stream);
/* The compute stream goes on when `enough` of these nodes, each on a stream of its own, have ended. */
uint32_t ts_emit_choice(ts_fragment *f, const uint32_t *nodes, uint32_t count, uint32_t enough, ts_origin origin);
uint32_t ts_emit_host(ts_fragment *f, uint64_t time, const char *label);
/* A send or receive; with `sync` the host waits before a send for what it sends, after a receive for what came. */
uint32_t ts_emit_message(ts_fragment *f, bool send, int64_t bytes, ts_port_ref role, const char *stream, ts_origin origin);
void ts_note_memory(ts_fragment *f, uint32_t node, int64_t bytes, ts_ir_category category, const char *label);

uint32_t ts_stream(ts_lowering *l, const char *name, ts_ir_stream_kind kind);
uint32_t ts_comm_stream(ts_lowering *l, const ts_comm *comm);
uint32_t ts_ir_group_of(ts_lowering *l, uint32_t axes);
uint32_t ts_ir_loc_of(ts_lowering *l, ts_span span);
uint32_t ts_ir_source_of(ts_lowering *l, uint32_t file);
uint32_t ts_ir_cost_source_of(ts_lowering *l, uint32_t source);
ts_origin ts_origin_of(const ts_fragment *f, uint32_t op);
const ts_class *ts_class_of(const ts_lowering *l, uint32_t op);
/* A kernel that moves bytes, of no op in particular: gradient sums, accumulation, the optimizer. */
ts_kernel ts_moving_kernel(ts_lowering *l, const char *family, const ts_dtype *dtype, double bytes, double flops, ts_span span);

/* The pieces of work. compiler/lower/fragment_forward.c, fragment_backward.c, fragment_step.c */
void ts_plan_memory(ts_fragment *f);
void ts_forward(ts_fragment *f, const ts_placed *item);
void ts_forward_op(ts_fragment *f, uint32_t op, bool again);
void ts_backward(ts_fragment *f, const ts_placed *item, bool inputs, bool weights, bool last);
/* `apart`: [chunk * copies + n]: the n-th copy farther of that chunk's stage is on another rank. */
void ts_update_step(ts_fragment *f, const ts_placed *item, const uint32_t *stages, uint32_t count, const bool *apart);
/* A collective around the step runs with this one. */
static inline bool ts_takes_part(int64_t every, const ts_placed *step) { return every < 2 || (step->micro_batch + 1) % every == 0; }
/* Receives and sends of `depend` rules that tie this item to others. */
void ts_tie_receives(ts_fragment *f, const ts_placed *item);
void ts_tie_sends(ts_fragment *f, const ts_placed *item);

/* compiler/lower/stage_cost.c: what a policy goes by. */
ts_stage_costs ts_stage_costs_of(ts_lowering *l);

/* compiler/lower/fragment_parameters.c: parameters that are gathered before a phase and dropped after it. */
void ts_gathers_plan(ts_fragment *f, ts_when when, const ts_placed *item);
/* Items of the stage share what the first of them has gathered. */
bool ts_gathers_shared(const ts_lowering *l, const ts_stage *stage);
void ts_gathers_enter(ts_fragment *f, uint32_t op); /* its group is needed: what has not left leaves, and what is to come ahead */
void ts_gathers_need(ts_fragment *f, uint32_t op);
/* What comes from the host for any of these ops is there before what the compute stream does next. */
void ts_offloads_need(ts_fragment *f, uint32_t first, uint32_t last);
void ts_gathers_leave(ts_fragment *f, uint32_t op, uint32_t node);
/* Do both ops send their parameters or gradients together, by the `group` of the collective? */
bool ts_same_group(const ts_comm *comm, const ts_op *a, const ts_op *b);
/* What the collective on parameters or gradients of this op carries, as a share of all of them. */
double ts_comm_part(const ts_lowering *l, const ts_class *class, const ts_comm *comm);
double ts_local_elements(const ts_op *op, const ts_class *class, uint32_t slot);
bool ts_same_comm(const ts_comm *a, const ts_comm *b);

/* compiler/lower/fragment_split.c: what I leaves in memory for W. */
void ts_split_plan(ts_fragment *f);
/* W reads its gradient as I has gathered it. */
bool ts_waits_gathered(const ts_class *class, uint32_t slot);
bool ts_saved_for_weights(const ts_lowering *l, const ts_class *class, uint32_t slot);
/* Of what an op keeps of its own; and made by its I, beside gradients of tensors. */
int64_t ts_kept_for_weights(const ts_lowering *l, const ts_class *class);
int64_t ts_made_for_weights(const ts_class *class, const ts_op *op);
/* In I: a gradient that W reads is not dropped. In W: gradients that this op is the last to need. */
void ts_gradient_waits(ts_fragment *f, uint32_t tensor);
void ts_gradients_leave(ts_fragment *f, uint32_t op, uint32_t node);

/* compiler/lower/fragment_ring.c: a phase whose kernels run between the shifts of a ring. Returns the last kernel; *sum is what ends the gradient's ring. */
uint32_t ts_ring(ts_fragment *f, uint32_t op, ts_phase phase, ts_ir_phase as, uint32_t ready, uint32_t *first, uint32_t *sum);

/* compiler/lower/cluster.c: cluster graph, placement, network models. */
bool ts_lower_cluster(ts_lowering *l);
bool ts_lower_network(ts_lowering *l);

/* compiler/lower/formats.c: the IR's formats with their peaks, and the two figures of MFU in the meta data. After programs and placement. */
void ts_lower_formats(ts_lowering *l, uint32_t world, double micro_batches, ts_ir_meta *meta);
/* compiler/lower/doubts.c: warns of what is likely a slip. */
void ts_lower_doubts(ts_lowering *l);
/* compiler/lower/remarks.c: the warnings of this compilation. */
void ts_lower_remarks(ts_lowering *l);

#endif
