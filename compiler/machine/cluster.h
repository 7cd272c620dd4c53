/* The elaborated cluster graph: arrays of devices and switches, links between them. Overrides
 * (`with`) make a changed copy. */
#ifndef TS_COMPILER_MACHINE_CLUSTER_H
#define TS_COMPILER_MACHINE_CLUSTER_H

#include "compiler/eval/eval.h"

typedef struct ts_cluster_array {
  const char *name;
  bool is_switch;
  uint32_t first, count, dims;
  uint32_t dim[4];
  ts_value device_class;
  ts_span span;
} ts_cluster_array;
typedef struct ts_cluster_class {
  const char *name;
  uint32_t tier;
  double bandwidth;      /* bits/s */
  double latency, setup; /* s */
  uint32_t ports;
  bool failed;
  double loss; /* share of packets */
  double down; /* seconds after which it carries nothing; 0: never */
  ts_span span;
} ts_cluster_class;
typedef struct ts_cluster_link { uint32_t from, to, link_class; bool duplex; } ts_cluster_link;
typedef struct ts_cluster_vertex { uint32_t array; double speed; } ts_cluster_vertex;

struct ts_cluster {
  ts_named named;
  ts_span span;
  uint32_t array_count, class_count, link_count, vertex_count, device_count;
  const ts_cluster_array *arrays;
  const ts_cluster_class *classes;
  const ts_cluster_link *links;
  const ts_cluster_vertex *vertices;
};

/* A cluster's declaration called: its graph. The error value after a diagnostic. */
ts_value ts_cluster_build(ts_session *s, const ts_env *env, const ts_ast *decl, ts_span span);
/* `cluster with { ... }`: a changed copy. */
ts_value ts_cluster_override(ts_session *s, const ts_env *env, ts_value cluster,
                             const ts_ast *with);

#endif
