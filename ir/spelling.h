/* Names of enumerations and units of the IR, for its text form, messages and reports. */
#ifndef TS_IR_SPELLING_H
#define TS_IR_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/ir.h"

/* ---- names of the enumerations, by value; NULL ends each ---- */
#define WORDS(type, names) extern const char *const ts_ir_##names##_names[];
#include "ir/records.def"
/* Whether a model of such a kind (ts_ir_net_kind) takes it: of latency and bandwidth, or of
 * connections. TS_IR_NONE: it chooses. */
bool ts_ir_algorithm_of_links(uint32_t algorithm, uint32_t model);

/* of points, methods or curves */
static inline bool ts_ir_net_has_block(uint32_t kind)
{
  return kind == TS_IR_NET_TABLE || kind == TS_IR_NET_WHITE_BOX || kind == TS_IR_NET_STATISTICAL;
}

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
