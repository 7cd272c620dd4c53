/* Ranks of the mesh and the instances of its groups. */
#ifndef TS_RUNTIME_LOAD_RANKS_H
#define TS_RUNTIME_LOAD_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

typedef struct ts_rank_group {
  uint32_t size, instances;
  bool used;                   /* some collective runs over it; the arrays below exist only then */
  const uint32_t *ranks;       /* [instances * size] instance by instance */
  const uint32_t *instance_of; /* [world]; TS_IR_NONE: no member of any */
} ts_rank_group;

/* The ranks of an instance, as many as the group's size: by rank, or as they are listed. */
static inline const uint32_t *ts_instance_ranks(const ts_rank_group *group, uint32_t instance)
{
  return group->ranks + (size_t)instance * group->size;
}

typedef struct ts_ranks {
  uint32_t world;
  uint32_t pipeline_size, pipeline_stride; /* 1, 1 without a pipeline axis */
  const uint32_t *program;                 /* [world] */
  /* [world] device vertex of the cluster graph, or NULL when there is none */
  const uint32_t *vertex;
  const ts_rank_group *groups;
  uint32_t group_count;
  /* [world] factor on the time of a rank's kernels, or NULL: 1 */
  const double *slower;
} ts_ranks;

/* The rank at another coordinate of the pipeline axis. */
static inline uint32_t ts_peer_rank(const ts_ranks *ranks, uint32_t rank, uint32_t coordinate)
{
  return rank - ranks->program[rank] * ranks->pipeline_stride + coordinate * ranks->pipeline_stride;
}

const ts_ranks *ts_ranks_new(ts_arena *arena, const ts_ir *ir);

#endif
