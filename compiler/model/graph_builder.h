/* Building an op graph: shared by compiler/model/graph.c and compiler/model/repeat.c alone. */
#ifndef TS_COMPILER_MODEL_GRAPH_BUILDER_H
#define TS_COMPILER_MODEL_GRAPH_BUILDER_H

#include "compiler/eval/require.h"

struct ts_plan;
struct ts_graph;

/* A label that a node has. clash: place + 1 of the first one that it would have been, and that was
 * taken; 0: it is what was wanted. times: how often it was wanted. */
typedef struct ts_graph_label { const char *text; uint32_t clash, times; } ts_graph_label;

typedef struct ts_graph_builder {
  ts_session *s;
  const struct ts_plan *plan;
  struct ts_graph *g;
  const char *prefix;      /* "" or "layer[3]." */
  const ts_ast *call;      /* the call that takes `label` */
  const char *label;
  const ts_required_by *by; /* the block or model whose body this is */
  uint32_t depth;          /* of blocks */
  uint32_t units;          /* repeats begun at the top */
  bool inside;             /* of one of them */
  bool failed;
  ts_value yielded;
  ts_names views;          /* inputs and reshapes met so far, by address: their edge + 1 */
  ts_names labels;         /* places in `labelled`, + 1 */
  TS_VEC(ts_graph_label) labelled;
} ts_graph_builder;

/* Lists that grow, and what nobody asks for once the graph is built, are not kept with it. */
static inline ts_arena *ts_graph_growing(const ts_session *s)
{
  return s->scratch ? s->scratch : s->arena;
}

/* One more, that is not taken. */
void ts_graph_take_label(ts_graph_builder *b, ts_graph_label label);
/* Of values without tensors: are they the same? */
bool ts_same_values(const ts_value *a, const ts_value *b);

/* ---- compiler/model/repeat.c ---- */

/* What stood when an iteration began. */
typedef struct ts_repeat_mark {
  uint32_t ops, tensors;
  size_t labels;
  uint64_t steps;
  uint32_t unit;
  const char *prefix;     /* of the iteration */
  ts_value yielded;
  uint32_t count;         /* of names in the environment */
  const ts_value *value;
  const uint32_t *edge;   /* of tensors there: as in `views` */
} ts_repeat_mark;

/* A `repeat` that is run. Once two iterations in a row have added the same ops, each taking its own
 * tensors where the other took its, so would the next one, and is copied. */
typedef struct ts_repeat {
  ts_graph_builder *b;
  ts_env *env;
  const char *name;       /* its number's, for which nobody asks in what may be copied */
  bool plain, alike;
  bool copied;            /* the iteration before */
  uint32_t marks;
  ts_repeat_mark at[3];   /* the last one is that of the iteration at hand */
} ts_repeat;
ts_repeat ts_repeat_begin(ts_graph_builder *b, ts_env *env, const ts_ast *item);
/* At the beginning of each iteration, once the prefix is its own: true if it is done. */
bool ts_repeat_copied(ts_repeat *r);

#endif
