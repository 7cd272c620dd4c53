/* Which kind of row of a traced table is which op, and what its arguments are: a record of the plan
 * (stdlib/import/), read. */
#ifndef TS_COMPILER_MODEL_TRACED_MAPPING_H
#define TS_COMPILER_MODEL_TRACED_MAPPING_H

#include "compiler/eval/session.h"
#include "compiler/eval/value.h"

typedef struct ts_patterns { uint32_t count; const char **at; } ts_patterns; /* "a|b*" */
typedef struct ts_mapped_kind {
  ts_patterns kind, backward;
  ts_value op;
  const ts_record *args;
  /* of operators of graphs: whether the entry is meant, and which phases of the op it is; NONE:
   * always, and the forward */
  ts_value when, work;
  bool guessed; /* nothing is known of such an operator */
  ts_span span;
} ts_mapped_kind;
typedef struct ts_mapped_label { ts_patterns path; const char *label; } ts_mapped_label;

typedef struct ts_mapping {
  /* Inputs of the model; no part of it; the update; rows whose time is that of a launch; that give
   * a list of tensors; a number, a size; that make a tensor of none. */
  ts_patterns given, ignored, optimizer, floor, lists, values, constants;
  ts_patterns joined; /* parts of a tensor: autograd joins their gradients and adds none */
  TS_VEC(ts_mapped_kind) entries;
  TS_VEC(ts_mapped_label) labels;
  bool modules; /* stages are cut between numbered modules alone */
  bool sums; /* times of the backward hold the sums of the gradients of a tensor used twice */
} ts_mapping;

/* The model with the mapping of this name of a file of the library, where it gives none; NULL after
 * errors. No model is one without arguments. */
const ts_applied *ts_with_mapping(ts_session *s, const ts_applied *model, const char *file,
                                  const char *name);
/* `ops` of a trace(...). False after errors. */
bool ts_mapping_read(ts_session *s, const ts_applied *model, ts_mapping *map);
bool ts_patterns_match(const ts_patterns *list, const char *text);

#endif
