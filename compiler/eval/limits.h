/* The most of each thing: doc/limits.md has them for users. A session carries its own, so that
 * tests can come near one without making millions of anything; the programs change none. */
#ifndef TS_COMPILER_EVAL_LIMITS_H
#define TS_COMPILER_EVAL_LIMITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct ts_limits {
  uint32_t ranks;     /* of a mesh */
  uint32_t vertices;  /* devices and switches of a cluster */
  uint32_t links;     /* of a cluster */
  uint32_t ops;       /* of a model, and how often a `repeat` runs */
  uint32_t blocks;    /* one inside the other */
  uint32_t stages;    /* chunks of a pipeline, on all ranks */
  uint32_t items;     /* that a schedule places */
  uint32_t importing; /* files, each imported by the one before */
  uint32_t plans;     /* of a search */
  size_t unpacked;    /* bytes that a packed file opens to */
} ts_limits;

extern const ts_limits ts_limits_usual;

/* Micro-batches of a step, each of which makes up to four items. */
static inline uint32_t ts_most_micro_batches(const ts_limits *l) { return l->items / 4; }

#endif
