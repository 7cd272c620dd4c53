/* Writers of other tools' formats, and the way there: one rank of an IR as a table of events with edges.
 *
 * Streams become dependencies: a node waits for the one before it on its stream. The time the host takes to issue is left out; host nodes stay as nodes of the
 * host. Communicators are numbered: group of the IR * world + lowest rank. */
#ifndef TS_COMPILER_IMPORT_EXPORT_H
#define TS_COMPILER_IMPORT_EXPORT_H

#include <stdio.h>

#include "compiler/import/events.h"
#include "ir/ir.h"

ts_events *ts_events_of_ir(ts_arena *arena, const ts_ir *ir, uint32_t rank);

/* Chakra protobuf, of which ASTRA-sim plays one file a rank. Times are rounded up to microseconds; the attribute `duration_ns` has them exactly. */
void ts_chakra_write(const ts_events *e, FILE *out);
/* {"12": [0, 1], ...}: ASTRA-sim's groups of ranks, by the numbers that the nodes name. */
void ts_chakra_write_groups(const ts_events *const *ranks, uint32_t count, FILE *out);

/* GOAL text for LogGOPSim: ranks[i] is rank i. Collectives are written out as rings (all-to-all: each to each), streams are cpus. False with the error filled
 * when a collective's ranks are not known or not all there. */
bool ts_goal_write(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error);

#endif
