/* Writers of other tools' formats, and the way there: ranks of an IR as tables of events with
 * edges.
 *
 * Streams become dependencies: a node waits for the one before it on its stream. The time the host
 * takes to issue is left out; host nodes stay as nodes of the host. Communicators are numbered:
 * group of the IR * world + lowest rank + 1: to ASTRA-sim 0 is the group of all ranks. */
#ifndef TS_TRACE_WRITE_EXPORT_H
#define TS_TRACE_WRITE_EXPORT_H

#include <stdio.h>

#include "ir/ir.h"
#include "trace/read/events.h"
#include "trace/read/goal_job.h"

/* Ranks come one by one: memory is that of one rank of each program. */
typedef struct ts_ir_ranks ts_ir_ranks;
ts_ir_ranks *ts_ir_ranks_new(ts_arena *arena, const ts_ir *ir);
uint32_t ts_ir_ranks_program(const ts_ir_ranks *r, uint32_t rank);
/* Until the next rank of its program: they share the table, in which only the rank, groups and
 * peers change. */
const ts_events *ts_ir_ranks_at(ts_ir_ranks *r, uint32_t rank);
const ts_events *ts_events_of_ir(ts_arena *arena, const ts_ir *ir, uint32_t rank);

typedef enum ts_export_form {
  /* protobuf, of which ASTRA-sim plays one file a rank. Times are rounded up to microseconds; the
   * attribute `duration_ns` has them exactly */
  TS_EXPORT_CHAKRA,
  /* a rank's block of the text for LogGOPSim. Collectives are written out as messages, streams are
   * cpus, each with an interface of its own */
  TS_EXPORT_GOAL,
  /* doc/graph_json.md, a node a line. Of tables from other sources nodes have what the table knows
   * */
  TS_EXPORT_GRAPH,
  /* a section of the CSV: of the first rank of a program, for all of them. Fails for groups that
   * are no products of the axes tp, ep, dp and pp */
  TS_EXPORT_AICB,
  /* the text of the first rank, without messages: forward lines downwards, then what came from the
   * first backward on, upwards */
  TS_EXPORT_SIMAI,
  TS_EXPORT_FORMS
} ts_export_form;

/* What a rank sends and receives in one collective, in the order of steps; in a step sends first. A
 * message waits for all that was received on its channel in earlier steps. */
typedef struct ts_call_message {
  uint32_t peer, step, channel; /* peer: a rank */
  uint64_t bytes;
  bool receives;
  /* of calls whose messages are `apart`: place in the list, plus 1, of what it hands on; or 0 */
  uint32_t after;
} ts_call_message;
/* apart: no message waits for another one, but as `after` says */
typedef struct ts_call_messages {
  const ts_call_message *at;
  uint32_t count;
  bool apart;
} ts_call_messages;

/* How calls are done, for forms that write them out. `messages`: of the rank that the table is
 * aimed at; false: it does not know. */
typedef struct ts_call_plan {
  bool (*messages)(void *closure, ts_arena *arena, const ts_events *e, const ts_event_comm *call,
                   ts_call_messages *out);
  void *closure;
} ts_call_plan;

/* Writes a table, of any source, in one form, for each rank that it is aimed at: what nodes without
 * communication say is made once. */
typedef struct ts_export ts_export;
/* programs: different ones that ranks play, if they are known, else 0 */
ts_export *ts_export_new(ts_arena *arena, ts_export_form form, const ts_events *e, uint32_t world,
                         uint32_t programs);
/* From now on calls are written out so; without it GOAL writes textbook rings. */
void ts_export_calls(ts_export *x, const ts_call_plan *calls);
/* GOAL fails when a collective's ranks or a message's peer are not known or beyond the world, and
 * for nodes that depend on later ones. */
bool ts_export_write(ts_export *x, FILE *out, ts_error *error);

void ts_goal_write_head(uint32_t world, FILE *out); /* before the first rank */
/* A schedule in the binary form that LogGOPSim reads. One that was played has lost what it needs.
 * */
void ts_goal_binary_write(const ts_goal_job *s, FILE *out);
/* {"12": [0, 1], ...}: ASTRA-sim's groups of ranks, by the numbers that the nodes name. */
void ts_chakra_write_groups(const ts_ir *ir, FILE *out);

#endif
