/* The mesh, once the plan has been evaluated: what Axis parameters and `ts_axes` refer to. */
#ifndef TS_COMPILER_EVAL_MESH_H
#define TS_COMPILER_EVAL_MESH_H

#include "compiler/eval/session.h"

/* Open: the plan states none, so a number of ranks given for an Axis makes one. */
typedef struct ts_mesh {
  bool open;
  uint32_t count;
  struct {
    const char *name;
    int64_t size;
    int64_t stride;
    ts_span span;
  } axis[32];
} ts_mesh;

/* Ranks along axes of the mesh (bits). Both note that it was looked at: compiler/eval/reuse.h. */
int64_t ts_axes_size(ts_session *s, uint32_t axes);
uint32_t ts_axes_effective(ts_session *s, uint32_t axes); /* without those that have one */

#endif
