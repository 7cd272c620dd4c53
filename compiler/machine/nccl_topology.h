/* A node as a collective library sees it: the XML that it reads from NCCL_TOPO_FILE and writes to
 * NCCL_TOPO_DUMP_FILE. Elements and rates: NCCL, src/graph/topo.cc and xml.cc. */
#ifndef TS_COMPILER_MACHINE_NCCL_TOPOLOGY_H
#define TS_COMPILER_MACHINE_NCCL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum { TS_TOPOLOGY_NO_PART = -1 };

/* part and rate: of its PCIe link, bytes/s */
typedef struct ts_topology_gpu {
  int dev, sm;
  const char *busid;
  uint32_t part;
  double rate;
} ts_topology_gpu;
/* parts; rate: bytes/s */
typedef struct ts_topology_link { uint32_t from, to; double rate; } ts_topology_link;
/* other: a GPU, or -1: a switch of such links */
typedef struct ts_topology_nvlink { uint32_t gpu; int other; uint32_t count; } ts_topology_nvlink;
typedef struct ts_topology_net { const char *name; uint32_t part; double rate; } ts_topology_net;

typedef struct ts_topology {
  uint32_t part_count;              /* processors, PCIe switches and PCIe devices that hold NICs */
  TS_VEC(uint32_t) processors;      /* parts */
  TS_VEC(ts_topology_gpu) gpus;     /* by dev */
  TS_VEC(ts_topology_link) links;   /* between parts */
  TS_VEC(ts_topology_nvlink) nvlinks; /* between GPUs once, from the lower one */
  /* from a GPU to the part that is its processor, besides PCIe (C2C) */
  TS_VEC(ts_topology_link) direct;
  TS_VEC(ts_topology_net) nets;
} ts_topology;

/* NULL after an error. */
const ts_topology *ts_topology_read(ts_arena *arena, const char *text, size_t size,
                                    ts_error *error);

#endif
