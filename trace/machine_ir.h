/* The cluster of an IR that is made of recordings: given as numbers (devices on one switch, and
 * rings over it), or that of a plan with its networks. */
#ifndef TS_TRACE_MACHINE_IR_H
#define TS_TRACE_MACHINE_IR_H

#include "ir/ir.h"

/* What work and communication take: rates in FLOP/s and bytes/s, latency in seconds. */
typedef struct ts_graph_machine { double flops, bandwidth, link, latency; } ts_graph_machine;

/* `machine` may be NULL: devices alone, without links. */
void ts_machine_put(ts_ir_builder *b, const ts_graph_machine *machine, uint32_t world);

/* Devices, links, networks and their calibrations of a plan's IR. The builder has its axes: models
 * of networks that hold for some axes of the plan hold for those of the same names here, and are
 * left out if one is not there. False with the error filled: the cluster has fewer devices than
 * `world`. */
bool ts_machine_copy(ts_ir_builder *b, const ts_ir *plan, uint32_t world, ts_error *error);

#endif
