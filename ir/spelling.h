/* Names of enumerations, clauses and units of the IR, for its text form, messages and reports. */
#ifndef TS_IR_SPELLING_H
#define TS_IR_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/ir.h"

/* ---- names of the enumerations, by value; NULL ends each ---- */
extern const char *const ts_ir_collective_names[];
extern const char *const ts_ir_phase_names[];
extern const char *const ts_ir_category_names[];
extern const char *const ts_ir_basis_names[];
extern const char *const ts_ir_stream_names[];
extern const char *const ts_ir_net_names[];
extern const char *const ts_ir_routing_names[];
extern const char *const ts_ir_control_names[];
extern const char *const ts_ir_algorithm_names[];
extern const char *const ts_ir_protocol_names[];
extern const char *const ts_ir_remark_names[];
extern const char *const ts_ir_origin_names[];
extern const char *const ts_ir_quantity_names[];
extern const char *const ts_ir_calibrated_names[];

/* Clauses of a method, in the order in which they are written; those that are 0 are left out. */
typedef enum ts_ir_field_kind {
  TS_IR_FIELD_COUNT,
  TS_IR_FIELD_TIME,
  TS_IR_FIELD_RATE,
  TS_IR_FIELD_NUMBER,
  TS_IR_FIELD_STATED, /* a number that may be 0; NaN: left out */
  TS_IR_FIELD_SIZE,
  TS_IR_FIELD_BYTES,
  TS_IR_FIELD_TENTHS /* a digit each, A: 10 */
} ts_ir_field_kind;
typedef struct ts_ir_clause {
  const char *name;
  ts_ir_field_kind kind;
  uint32_t offset;
} ts_ir_clause;
static inline size_t ts_ir_field_size(const ts_ir_clause *f)
{
  return f->kind == TS_IR_FIELD_COUNT ? 4 : f->kind == TS_IR_FIELD_TENTHS ? TS_IR_NET_SIZES : 8;
}
/* Is it left out? */
bool ts_ir_field_absent(const ts_ir_clause *f, const void *field);
extern const ts_ir_clause ts_ir_method_fields[], ts_ir_curve_fields[], ts_ir_line_fields[],
  ts_ir_links_fields[], ts_ir_device_fields[];
/* of points, methods or curves */
static inline bool ts_ir_net_has_block(uint32_t kind)
{
  return kind == TS_IR_NET_TABLE || kind == TS_IR_NET_WHITE_BOX || kind == TS_IR_NET_STATISTICAL;
}

/* Defaults of a node, so that it need not say the usual. */
uint32_t ts_ir_usual_phase(uint32_t op, const char *work);

/* ---- quantities ---- */
typedef enum ts_ir_dimension {
  TS_IR_TIME,
  TS_IR_BYTES,
  TS_IR_RATE,
  TS_IR_FLOP,
  TS_IR_FLOP_RATE,
  TS_IR_DIMENSIONS
} ts_ir_dimension;

typedef struct ts_ir_unit {
  uint32_t dimension;
  const char *name;
  uint64_t scale;
} ts_ir_unit;

extern const ts_ir_unit ts_ir_units[]; /* of a dimension: largest first; name NULL ends */
extern const char *const ts_ir_dimension_names[]; /* "a time such as `10 us`" */

#endif
