/* Trees for what a physical model leaves over, boosted ones (each learns what those before it
 * leave) or a forest (each learns from a sample of rows and inputs; Breiman, "Random Forests",
 * 2001). Both are grown by XGBoost (Chen and Guestrin, KDD 2016), whose library is needed only
 * then, and kept as flat nodes, so that a fit file holds them and asking it needs no library. For
 * fits alone. */
#ifndef TS_COST_TREES_H
#define TS_COST_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { TS_TREE_LEAF = -1 };

typedef enum ts_tree_kind { TS_TREES_BOOSTED, TS_TREES_FOREST } ts_tree_kind;

typedef struct ts_tree_node {
  int32_t input;   /* compared with `value`; TS_TREE_LEAF: `value` is the answer */
  float value;
  uint32_t less, otherwise; /* nodes to go to, later than this one */
} ts_tree_node;

typedef struct ts_trees {
  uint32_t root_count, node_count;
  const uint32_t *root;     /* first node of each tree, rising from 0 */
  const ts_tree_node *node;
} ts_trees;

/* Learns target[] from count rows of `inputs` numbers: least squares, one thread, exact splits and
 * one seed, so that equal rows give equal trees everywhere. False with the error filled, as where
 * the library is not. */
bool ts_trees_grow(ts_arena *arena, ts_tree_kind kind, const double *input, uint32_t count,
                   uint32_t inputs, const double *target, ts_trees *trees, ts_error *error);
double ts_trees_sum(const ts_trees *trees, const double *input); /* 0 without trees */

#endif
