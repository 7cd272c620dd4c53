/* What a sentence about a cluster's fabric says: "InfiniBand NDR, 8x400 Gb/s a node", "2 NVL72 racks;
 * RoCE, 8x400 Gb/s a node". */
#ifndef TS_ACCURACY_FABRIC_TEXT_H
#define TS_ACCURACY_FABRIC_TEXT_H

#include <stdint.h>

/* Fabrics with a file in stdlib/networks. */
typedef enum ts_fabric_kind {
  TS_FABRIC_INFINIBAND,
  TS_FABRIC_ROCE,
  TS_FABRIC_EFA_P4,
  TS_FABRIC_EFA,
  TS_FABRIC_TCPX,
  TS_FABRIC_SLINGSHOT,
  TS_FABRIC_SLINGSHOT_SHARED,
  TS_FABRIC_NVL72,
  TS_FABRIC_KINDS
} ts_fabric_kind;
extern const char *const ts_fabric_names[TS_FABRIC_KINDS]; /* of their files */

typedef struct ts_fabric_text {
  ts_fabric_kind fabric; /* TS_FABRIC_KINDS: no known technology */
  double node;           /* bytes/s of a node's NICs together; 0: not said */
  uint32_t nics;
  uint32_t racks;        /* "2 NVL72 racks"; 0: not said */
  uint32_t rack_nodes;   /* "(16 nodes used of each)"; 0: not said */
} ts_fabric_text;
ts_fabric_text ts_fabric_text_read(const char *text, uint32_t gpus_per_node);

#endif
