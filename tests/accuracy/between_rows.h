/* Measured calls between nodes (runs/nccl_inter*.csv*): clusters, their links as the table says
 * them, and the best time of each call over the settings that were tried. */
#ifndef TS_ACCURACY_BETWEEN_ROWS_H
#define TS_ACCURACY_BETWEEN_ROWS_H

#include "calibrate/fabric_fit.h"
#include "tests/accuracy/fabric_text.h"
#include "tests/accuracy/accuracy.h"

typedef struct btw_cluster {
  const char *name, *gpu, *fabric_text;
  ts_fabric_kind fabric;
  uint32_t settings;  /* most that a call was measured with */
  /* sums over calls with several settings: first listed over best, worst over best, less 1 */
  double first_over, worst_over;
  uint32_t repeated;
} btw_cluster;

typedef struct btw_row {
  uint32_t cluster;
  ts_fabric_row call;
  bool odd;            /* every second size of a call: not for fits */
} btw_row;

typedef struct btw_table {
  TS_VEC(btw_cluster) clusters;
  TS_VEC(btw_row) rows;     /* by cluster, collective, ranks, bytes */
  uint32_t inside, unknown_gpu, unknown_links, other, slow; /* rows left out, and why */
} btw_table;

/* False after a message: no such table. */
bool btw_read(const acc_context *c, btw_table *out);

#endif
