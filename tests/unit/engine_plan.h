/* Small IRs for tests of the engine, built record by record. */
#ifndef TS_TESTS_UNIT_ENGINE_PLAN_H
#define TS_TESTS_UNIT_ENGINE_PLAN_H

#include "ir/ir.h"
#include "runtime/account/run.h"

enum { PLAN_AXES = 4 };

typedef struct plan {
  ts_ir_builder *b;
  uint32_t world, loc;
  uint32_t fragment, first_node, first_port; /* the open fragment */
  uint32_t nodes, ports;
} plan;

/* A mesh with these axes, innermost first; `pipeline`: one of them or TS_IR_NONE. `island` devices
 * share a tier-0 switch, and have a rail each to a fat tree of tier 1. Streams: 0 compute, 1
 * collectives, 2 messages. */
plan plan_new(uint32_t axes, const uint32_t *sizes, uint32_t pipeline, uint32_t island);
void plan_free(plan *p);
void plan_slow_link(plan *p, uint32_t device); /* the one that leaves its island */
void plan_slow_device(plan *p, uint32_t device, double speed);
/* Fixed costs for all communication: `base` ps a call. */
void plan_network(plan *p, uint64_t base);
/* Flows over the links, for what no network before answers for: `base` ps a call, `hop` a step. */
void plan_flows(plan *p, uint64_t base, uint64_t hop);

uint32_t plan_group(plan *p, uint32_t axes); /* bits */
uint32_t plan_begin(plan *p, const char *name);
/* Nodes of the open fragment; deps are of the fragment, ended by -1. They return the node's index
 * in the fragment. */
uint32_t plan_compute(plan *p, uint32_t stream, uint64_t time, uint64_t host, const int *deps);
uint32_t plan_collective(plan *p, uint32_t stream, uint32_t kind, uint32_t group, uint64_t bytes,
                         uint64_t host, const int *deps);
uint32_t plan_port(plan *p, uint32_t stream, bool send, uint32_t group, uint64_t bytes,
                   uint64_t host, const int *deps);
uint32_t plan_host(plan *p, uint32_t op, uint64_t host, const int *deps);
void plan_end(plan *p);

typedef struct plan_item { uint32_t fragment, micro_batch; ts_ir_binding bindings[4]; } plan_item;
void plan_program(plan *p, const plan_item *items, uint32_t count);

/* A random job: some axes, a pipeline with forward and backward messages, collectives, host waits
 * and slow devices. */
plan plan_random(uint32_t seed);

void plan_view(plan *p, ts_ir *ir); /* verified */

char *plan_report(const ts_ir *ir, const ts_run *run); /* JSON, to be freed */

#endif
