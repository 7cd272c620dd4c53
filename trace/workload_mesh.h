/* The ranks of a workload (trace/read/workload.h): the mesh that its groups are of. */
#ifndef TS_TRACE_WORKLOAD_MESH_H
#define TS_TRACE_WORKLOAD_MESH_H

#include "trace/read/workload.h"

/* Axes from the one whose ranks are neighbours to the one whose ranks are farthest apart, as
 * Megatron-LM orders them. Ranks of data parallel groups differ on `ep` and `dp`. */
enum { TS_WORKLOAD_TP, TS_WORKLOAD_EP, TS_WORKLOAD_DP, TS_WORKLOAD_PP, TS_WORKLOAD_AXES };
extern const char *const ts_workload_axis_names[TS_WORKLOAD_AXES + 1];

/* Bits of axes that the members of a group differ on. ENDS: the first and the last stage. */
enum {
  TS_WORKLOAD_TP_BIT = 1 << TS_WORKLOAD_TP,
  TS_WORKLOAD_EP_BIT = 1 << TS_WORKLOAD_EP,
  TS_WORKLOAD_DP_BIT = 1 << TS_WORKLOAD_DP,
  TS_WORKLOAD_PP_BIT = 1 << TS_WORKLOAD_PP,
  TS_WORKLOAD_ENDS = 1 << TS_WORKLOAD_AXES
};
/* 0: the group is not known. */
uint32_t ts_workload_axes_of(const char *group);

typedef struct ts_workload_choice {
  uint32_t size[TS_WORKLOAD_AXES]; /* 0: as the file says; `ep` divides `dp` */
  int64_t step;                    /* from 1; 0: the last one */
} ts_workload_choice;

/* "tp=8,dp=16": sizes of axes, each at most once. False: it is none. */
bool ts_workload_mesh_read(const char *text, ts_workload_choice *choice);

/* of the axes, whose product `world` is: `dp` without `ep` */
typedef struct ts_workload_mesh {
  uint32_t size[TS_WORKLOAD_AXES], stride[TS_WORKLOAD_AXES], world;
} ts_workload_mesh;

/* Sizes of the choice, then of the file; of the data parallel groups what is left of its ranks, or
 * of `devices` if it says nothing of them. False with the error filled: they make no mesh, or
 * groups of the file are not as large. */
bool ts_workload_mesh_of(const ts_events *e, const ts_workload_choice *choice, uint32_t devices,
                         ts_workload_mesh *mesh, ts_error *error);

/* Ranks of a group of these axes. */
uint32_t ts_workload_members(const ts_workload_mesh *mesh, uint32_t axes);

#endif
