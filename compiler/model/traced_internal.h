/* Private to traced.c and traced_rows.c: a table on its way to a graph. */
#ifndef TS_COMPILER_MODEL_TRACED_INTERNAL_H
#define TS_COMPILER_MODEL_TRACED_INTERNAL_H

#include <string.h>

#include "compiler/eval/names.h"
#include "compiler/model/traced.h"
#include "compiler/model/traced_mapping.h"
#include "compiler/model/traced_table.h"

/* value: a number, a size: no tensor */
typedef enum ts_row_role {
  TS_ROW_OP,
  TS_ROW_GIVEN,
  TS_ROW_PARAMETER,
  TS_ROW_CONSTANT,
  TS_ROW_VALUE,
  TS_ROW_SKIPPED
} ts_row_role;

/* what becomes of a row; op: at the shapes of the table */
typedef struct ts_traced_row {
  ts_row_role role;
  const char *path, *label;
  uint32_t entry;
  bool in_layer;
  ts_measured *measured;
  ts_op op;
} ts_traced_row;

typedef struct ts_tracer {
  ts_session *s;
  const ts_plan *plan;
  ts_graph *g;
  const ts_applied *model;
  const char *device;      /* of the table; NULL: neither it nor the plan says */
  const ts_value *gpu;     /* of the table, as the plan names it: `from`; NULL: it does not */
  ts_mapping map;
  ts_rows rows;
  ts_traced_row *places;
  const ts_tensor **made;  /* by row: the tensor, as built */
  double floor, pending;   /* seconds; pending: of rows that are no ops, added to the next */
  uint32_t first, end;     /* rows of the layer */
  uint32_t in, out;        /* rows: the layer's input and output */
  int64_t repeat, batch;   /* batch: of the table */
  uint32_t batch_dim;      /* of the model's inputs */
  bool layered;            /* `repeat` is given */
  bool again;              /* what the traced step ran again is */
  bool lists_parameters;   /* rows list their weights */
  uint32_t unit;
  const uint32_t *unit_of; /* by row, where stages are cut between modules; else NULL */
  uint32_t first_module;   /* the first row of one */
  ts_measured *last;       /* of the op added last */
} ts_tracer;

static inline const char *ts_traced_intern(ts_tracer *t, const char *text)
{
  return ts_lang_intern(t->s->lang, text, strlen(text));
}

/* ---- compiler/model/traced_rows.c: what each row is, and where the model's layer and batch are;
 * false after a message ---- */

void ts_traced_floor(ts_tracer *t);
double ts_traced_device_time(const ts_tracer *t, double seconds);
uint32_t ts_traced_tensor_row(const ts_tracer *t, uint32_t row);
uint32_t ts_traced_entry(const ts_tracer *t, const char *kind, uint32_t from);
void ts_traced_formats(ts_tracer *t);
bool ts_traced_place(ts_tracer *t);
bool ts_traced_batch(ts_tracer *t);
bool ts_traced_layer(ts_tracer *t);
bool ts_traced_pairs(ts_tracer *t);
void ts_traced_modules(ts_tracer *t); /* that stages are cut between */

#endif
