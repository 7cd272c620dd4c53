/* Measured calls between nodes (runs/nccl_inter*.csv*): clusters, their links as the table says
 * them, and the best time of each call over the settings that were tried. */
#ifndef TS_ACCURACY_BETWEEN_ROWS_H
#define TS_ACCURACY_BETWEEN_ROWS_H

#include "calibrate/fabric_fit.h"
#include "tests/accuracy/accuracy.h"

/* Fabrics with a file in stdlib/networks. */
typedef enum btw_fabric {
  BTW_INFINIBAND,
  BTW_ROCE,
  BTW_EFA_P4,
  BTW_EFA,
  BTW_TCPX,
  BTW_SLINGSHOT,
  BTW_SLINGSHOT_SHARED,
  BTW_NVL72,
  BTW_FABRICS
} btw_fabric;
extern const char *const btw_fabric_names[BTW_FABRICS]; /* of their files */

/* What a fabric text says: "InfiniBand NDR, 8x400 Gb/s a node". */
typedef struct btw_links {
  btw_fabric fabric;  /* BTW_FABRICS: no known technology */
  double node;        /* bytes/s of a node's NICs together; 0: not said */
  uint32_t nics;
  uint32_t racks;     /* "2 NVL72 racks"; 0: not said */
  uint32_t rack_nodes; /* "(16 nodes used of each)"; 0: not said */
} btw_links;
btw_links btw_links_of(const char *text, uint32_t gpus_per_node);

typedef struct btw_cluster {
  const char *name, *gpu, *fabric_text;
  btw_fabric fabric;
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
