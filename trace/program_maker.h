/* A maker of programs: what a rank does becomes the nodes of a fragment, each with what it waits
 * for, allocates and frees. An item plays a fragment and binds its messages; items are a program.
 * Recordings, workloads and graphs of ranks are made so. */
#ifndef TS_TRACE_PROGRAM_MAKER_H
#define TS_TRACE_PROGRAM_MAKER_H

#include "ir/ir.h"
#include "trace/read/events.h"

typedef TS_VEC(uint32_t) ts_kernel_list; /* of the IR */

/* What graphs and workloads do not say. */
typedef struct ts_rank_prices {
  void *closure;
  /* What is asked for next, so many ranks do alike. */
  void (*alike)(void *closure, uint32_t ranks);
  /* Adds the kernels that an operation of the device is, one after the other, to a list in the
   * arena; none: it launches nothing. False with the error filled. */
  bool (*kernels)(void *closure, const ts_events *rank, uint32_t event, ts_arena *arena,
                  ts_kernel_list *out, ts_error *error);
  bool unshared; /* streams that compute do not share a device: times hold what ran beside */
  uint64_t launch, collective, message, step; /* ps of the host; step: once, before all else */
} ts_rank_prices;

typedef TS_VEC(ts_ir_mem) ts_program_mems;

typedef struct ts_program_maker {
  ts_ir_builder *b;
  ts_arena *arena;              /* of the fragment */
  const ts_rank_prices *prices; /* NULL: nodes have all that they take */
  TS_VEC(ts_ir_node) nodes;     /* of the fragment */
  TS_VEC(ts_ir_port) ports;
  TS_VEC(uint32_t) waits; /* nodes that the next one waits for, in any order */
  ts_program_mems mems;   /* and what it allocates and frees */
  ts_kernel_list kernels; /* of the operation under way */
} ts_program_maker;

void ts_program_axis(ts_ir_builder *b, const char *name, uint32_t size, uint32_t stride);
void ts_program_stream(ts_ir_builder *b, const char *name, ts_ir_stream_kind kind, bool unshared,
                       uint16_t priority);

/* The next node waits for another; NONE: for nothing. */
void ts_program_wait(ts_program_maker *m, uint32_t node);
/* Gives what the next node waits for to `node` at once, for several that wait for the same. */
void ts_program_waits(ts_program_maker *m, ts_ir_node *node);
/* The next node allocates when it starts; or frees, when it ends. */
void ts_program_memory(ts_program_maker *m, int64_t bytes, uint32_t category, const char *label);

/* A node, and its kinds. Each returns its number in the fragment. */
uint32_t ts_program_node(ts_program_maker *m, ts_ir_node node);
uint32_t ts_program_message(ts_program_maker *m, ts_ir_node node, bool send, uint32_t group,
                            int64_t bytes);
/* group NONE: of one rank, which takes no time */
uint32_t ts_program_call(ts_program_maker *m, ts_ir_node node, uint32_t group, uint32_t kind,
                         int64_t bytes);
/* The kernels of an operation follow one another on its stream; one that launches nothing takes no
 * time. *last is the last of them. False with the error filled. */
bool ts_program_kernels(ts_program_maker *m, ts_ir_node node, const ts_events *e, uint32_t event,
                        uint32_t *last, ts_error *error);
/* What the host does once a step, if it takes time. */
void ts_program_step(ts_program_maker *m);

/* The nodes so far are a fragment; the next ones are another. */
uint32_t ts_program_fragment(ts_program_maker *m, const char *name, const char *work);
/* bindings: of the fragment's ports, in their order */
ts_ir_item ts_program_item(ts_ir_builder *b, uint32_t fragment, uint32_t micro_batch,
                           const ts_ir_binding *bindings, size_t count);
void ts_program_end(ts_ir_builder *b, const char *name, ts_ir_program program,
                    const ts_ir_item *items, size_t count);

#endif
