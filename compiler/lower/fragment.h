/* Fragments: the nodes of one piece of work (the forward of a stage, say) in the order in which a
 * host issues them. Private to lowering.
 *
 * A fragment is written by appending nodes. Before a node is added `ts_need` collects what it must
 * wait for; what its stream has waited for already is dropped, so that nodes carry few
 * dependencies. */
#ifndef TS_COMPILER_LOWER_FRAGMENT_H
#define TS_COMPILER_LOWER_FRAGMENT_H

#include "compiler/lower/lowering.h"

/* CHOICE: a tie that the work may go on without. */
typedef enum ts_port_role {
  TS_PORT_ACTIVATION_IN,
  TS_PORT_ACTIVATION_OUT,
  TS_PORT_GRADIENT_IN,
  TS_PORT_GRADIENT_OUT,
  TS_PORT_TIE,
  TS_PORT_CHOICE,
  TS_PORT_SHARED,
  TS_PORT_COPY_OUT,
  TS_PORT_COPY_IN
} ts_port_role;
/* part: which of two items played as one; index into the stage's transfers, or the item's links;
 * SHARED: 2 * the weight + which of its two holders this is; COPY: 2 * (chunk * copies + how many
 * copies farther) + round */
typedef struct ts_port_ref { ts_port_role role; uint32_t index; uint32_t part; } ts_port_ref;

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
  bool saved;         /* for backward */
  bool offloaded;     /* ... on the host, when the forward has used it */
  uint32_t fetch;     /* op before whose backward it comes back */
  bool again;         /* made again by recomputation, and kept from there on */
  bool discarded;     /* made again before the first backward that takes it, instead of kept */
  uint32_t release;   /* op after whose backward it is freed */
  uint32_t late;      /* ... after whose W, where I and W are apart; TS_NO_INDEX: I frees it */
  uint32_t gradient_root; /* tensor in whose gradient's memory its own lies, or TS_NO_INDEX */
  uint32_t gradient_late; /* op after whose W its gradient is freed, or TS_NO_INDEX: I frees it */
} ts_tensor_state;

typedef struct ts_mem_note { uint32_t node; ts_ir_mem mem; } ts_mem_note;
enum { TS_NOTED_LABELS = 64 };
typedef struct ts_noted_label { const char *label; ts_ir_str pattern; } ts_noted_label;

/* gradients that wait for company; room: bytes that fill it; whole: memory until they are
 * scattered; sent: the last two, or TS_NO_INDEX */
typedef struct ts_bucket {
  const ts_comm *comm;
  double bytes, room;
  uint32_t ready;
  int64_t whole;
  uint32_t sent[2];
} ts_bucket;

/* parameters of a group of ops, gathered for a phase; or what it kept on the host, brought back */
typedef struct ts_gather {
  const ts_comm *comm;
  uint32_t first, last; /* ops, in the order of the phase */
  uint32_t after;       /* the gather of the same rule before this one, or TS_NO_INDEX */
  uint32_t leaves;      /* op after which it is dropped; TS_NO_INDEX: at the end of the backward */
  bool needed;          /* by the backward */
  double bytes;         /* of the collective */
  int64_t memory;
  uint32_t node;        /* or TS_NO_INDEX: not yet there; TS_HELD: gathered by an earlier item */
  double rate;          /* of the link to the host; 0: a collective */
  bool landed;          /* in a buffer, which is yet to be copied out */
  bool keep;            /* stays for the backward, or until what kept it has used it */
  bool found;           /* the backward finds it as the forward has left it */
  /* gathered early, in one call with all of this number, where the phase comes to op `at`, or, with
   * TS_NO_INDEX, where it begins; 0: where it is needed */
  uint32_t call, at;
  uint32_t chain, place; /* those of the same rule, one after the other; its number among them */
  uint32_t next;         /* of its chain that is not yet there */
} ts_gather;

typedef TS_VEC(ts_gather) ts_gather_list;

/* gathers by a number: those of `key` are listed[first[key]] up to listed[first[key + 1]] */
typedef struct ts_gathers_by { uint32_t keys; uint32_t *first, *listed; } ts_gathers_by;
typedef struct ts_gather_index {
  ts_gathers_by covers, leaves, early; /* by op of the stage */
  ts_gathers_by call;
  uint32_t *waiting; /* of each chain, the first that is not yet there */
  int64_t ahead;     /* the most of all */
} ts_gather_index;

enum { TS_HELD = 0xfffffffe };

typedef struct ts_fragment {
  ts_lowering *l;
  ts_arena *scratch;
  const ts_stage *stage;
  uint32_t stage_index;
  ts_tensor_state *tensors;           /* by graph tensor */
  /* [stream * TS_MAX_STREAMS + other]: last node of `other` it has waited for, plus 1 */
  uint32_t *waited;
  uint32_t last[TS_MAX_STREAMS];      /* last node of each stream, or TS_NO_INDEX */
  uint32_t last_host;
  TS_VEC(ts_ir_node) nodes;
  TS_VEC(uint32_t) kernels;           /* of ts_costing, as they are launched */
  TS_VEC(uint32_t) deps;
  TS_VEC(ts_mem_note) mems;
  ts_noted_label noted[TS_NOTED_LABELS]; /* by a hash of the label's address */
  TS_VEC(ts_ir_port) ports;
  TS_VEC(ts_port_ref) roles;
  TS_VEC(uint32_t) needs;
  TS_VEC(uint32_t) barrier;           /* the next compute node waits for these */
  TS_VEC(ts_gradient) gradients;
  TS_VEC(ts_bucket) buckets;
  int64_t copied; /* bytes of the buffer that gradients were copied into last */
  ts_gather_list gathers;
  TS_VEC(uint32_t) chains;            /* while they are planned: the last of each rule */
  int64_t *fetched;                   /* likewise: bytes from the host by op, or NULL */
  ts_gather_index index;              /* when they are */
  bool inputs, weights;               /* of a backward: the gradients that it makes */
  bool forward;                       /* what is kept on the host leaves */
  bool copies_sent;                   /* to the host */
  const ts_placed *fetches;           /* before its first copy from the host; then NULL */
  uint32_t devices;                   /* of the costing's gpus: those that it runs on, as bits */
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
uint32_t ts_emit_kernel(ts_fragment *f, const ts_kernel *kernel, ts_ir_phase phase,
                        ts_origin origin);
uint32_t ts_emit_collective(ts_fragment *f, const ts_comm *comm, uint64_t bytes, ts_origin origin);
/* Bytes to the host or from it, on a stream of their own. */
uint32_t ts_emit_copy(ts_fragment *f, double bytes, double rate, bool back, ts_origin origin);
uint32_t ts_copy_stream(ts_lowering *l, bool back);
/* What the item has sent to the host has arrived there; what comes back for it comes after that.
 * Each place has a stream of its own for this, on which nothing is done. */
void ts_copies_sent(ts_fragment *f, const ts_placed *item);
void ts_copies_await(ts_fragment *f, const ts_placed *item);
/* The host works on its own memory at this rate, on a stream of its own. */
uint32_t ts_emit_host_update(ts_fragment *f, double bytes, double rate, ts_origin origin);
uint32_t ts_emit_record(ts_fragment *f, uint32_t stream);
/* The compute stream goes on when `enough` of these nodes, each on a stream of its own, have ended.
 * */
uint32_t ts_emit_choice(ts_fragment *f, const uint32_t *nodes, uint32_t count, uint32_t enough,
                        ts_origin origin);
uint32_t ts_emit_host(ts_fragment *f, uint64_t time, const char *label);
/* The host waits for the end of `node`. */
void ts_emit_sync(ts_fragment *f, uint32_t node, const char *label);
/* A send or receive; with `sync` the host waits before a send for what it sends, after a receive
 * for what came. */
uint32_t ts_emit_message(ts_fragment *f, bool send, int64_t bytes, ts_port_ref role,
                         const char *stream, ts_origin origin);
void ts_note_memory(ts_fragment *f, uint32_t node, int64_t bytes, ts_ir_category category,
                    const char *label);

ts_origin ts_origin_of(const ts_fragment *f, uint32_t op);
/* A kernel that moves bytes, of no op in particular: gradient sums, accumulation, the optimizer. */
ts_kernel ts_moving_kernel(ts_lowering *l, const char *family, const ts_dtype *dtype, double bytes,
                           double flops, ts_span span);

#endif
