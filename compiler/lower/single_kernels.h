/* Rows of tables of single kernels that are named beside a traced table: `beside: [table("x.csv",
 * from: gpu)]`. */
#ifndef TS_COMPILER_LOWER_SINGLE_KERNELS_H
#define TS_COMPILER_LOWER_SINGLE_KERNELS_H

#include "compiler/model/graph.h"
#include "cost/kernel_models.h"

typedef struct ts_single_kernel {
  const ts_kernel_model *model; /* NULL: it only moves data, so many bytes, feature[0] */
  const char *family, *dtype;
  double feature[TS_MODEL_MAX_FEATURES], us;
  const ts_value *gpu;
} ts_single_kernel;
typedef TS_VEC(ts_single_kernel) ts_single_kernels;

/* False after an error. */
bool ts_single_kernels_read(ts_session *s, const ts_plan *plan, const ts_graph *g,
                            ts_single_kernels *all);

#endif
