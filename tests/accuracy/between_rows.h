/* Measured calls between nodes, by cluster, collective, ranks and bytes: the best time of each over
 * the settings that were tried. */
#ifndef TS_ACCURACY_BETWEEN_ROWS_H
#define TS_ACCURACY_BETWEEN_ROWS_H

#include "calibrate/fabric_fit.h"
#include "tests/accuracy/accuracy.h"

/* Fabrics with a file in stdlib/networks. */
enum {
  BTW_INFINIBAND,
  BTW_ROCE,
  BTW_EFA_P4,
  BTW_EFA,
  BTW_TCPX,
  BTW_SLINGSHOT,
  BTW_SLINGSHOT_SHARED,
  BTW_NVL72,
  BTW_FABRICS
};
extern const char *const btw_fabric_names[BTW_FABRICS]; /* of their files */

typedef struct btw_cluster {
  const char *name;
  uint32_t fabric;
} btw_cluster;

typedef struct btw_row {
  uint32_t cluster;
  ts_fabric_row call;
  bool odd;            /* every second size of a call: not for fits */
} btw_row;

typedef struct btw_table {
  TS_VEC(btw_cluster) clusters;
  TS_VEC(btw_row) rows;
} btw_table;

/* False after a message, or where there is none. */
bool btw_read(const acc_context *c, btw_table *out);

#endif
