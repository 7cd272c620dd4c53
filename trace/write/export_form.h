/* What a writer of a format gives to export.c, and what it gets. */
#ifndef TS_TRACE_WRITE_EXPORT_FORM_H
#define TS_TRACE_WRITE_EXPORT_FORM_H

#include "trace/write/export.h"

typedef struct ts_form_writer {
  const ts_events *e;
  ts_in_edges in;
  uint32_t world, programs;
  bool experts;   /* some communication is over the axis of experts, `ep` */
  const ts_call_plan *calls; /* or NULL */
  FILE *out;
  ts_arena *work; /* of one rank */
  void *state;    /* the format's own, of one rank; NULL at its head */
  ts_error *error;
} ts_form_writer;

/* any may be NULL but `node`, whose text depends on the rank only if it communicates */
typedef struct ts_form {
  void (*head)(ts_form_writer *w);
  bool (*node)(ts_form_writer *w, uint32_t event);
  void (*tail)(ts_form_writer *w);
} ts_form;

/* Those of a group of the IR that a rank is in: "0,2,4", ascending, and a number that is this
 * communicator's alone. */
typedef struct ts_ir_group_members {
  uint32_t count;
  const char *ranks;
  uint64_t number;
} ts_ir_group_members;
ts_ir_group_members ts_ir_members(ts_arena *arena, const ts_ir *ir, uint32_t group, uint32_t rank);

bool ts_has_experts(const ts_events *e); /* of workloads */

extern const ts_form ts_form_chakra, ts_form_goal, ts_form_graph, ts_form_aicb, ts_form_simai;

#endif
