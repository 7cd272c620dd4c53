/* Network files: the methods of a collective library and measured anchors, or the curves of a
 * statistical model, as JSON (doc/networks.md). */
#ifndef TS_COMPILER_MACHINE_NETWORK_FILE_H
#define TS_COMPILER_MACHINE_NETWORK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "ir/ir.h"

typedef struct ts_network_option {
  const char *variable;
  const ts_ir_net_method *methods;
  uint32_t count;
} ts_network_option;

typedef struct ts_network_file {
  const char *device, *library; /* what was measured; "" when not said */
  ts_ir_net_method *methods;
  uint32_t method_count;
  ts_ir_net_point *points;      /* sorted as the IR wants them */
  uint32_t point_count;
  const ts_network_option *options; /* methods that are used only when a variable asks for them */
  uint32_t option_count;
  ts_ir_net_curve *curves;      /* of a statistical model */
  uint32_t curve_count;
  ts_ir_net_links links;        /* that all this was measured on; 0: not said */
  const struct ts_fabric *between; /* of a file of a fabric, else NULL (network_fabric.h) */
} ts_network_file;

/* NULL after an error. */
ts_network_file *ts_network_file_read(ts_arena *arena, const char *text, size_t size,
                                      ts_error *error);
/* What is wrong with the figures of a method or a curve, or NULL. */
const char *ts_network_method_wrong(const ts_ir_net_method *method);
const char *ts_network_curve_wrong(const ts_ir_net_curve *curve);
const char *ts_network_links_wrong(const ts_ir_net_links *links);

int ts_network_algorithm_named(const char *name); /* ts_ir_net_algorithm, or -1 */
int ts_network_protocol_named(const char *name);
const char *ts_collective_name(uint32_t kind);

/* Fields of records in files: words with their unit, where they lie and what 1 is there. */
typedef struct ts_network_field {
  const char *name;
  char kind; /* 'u' uint32_t, 'l' uint64_t, 'd' double, 's' that or below 0 */
  uint32_t offset;
  double unit;
} ts_network_field;
/* of methods, of curves; up to a NULL name */
extern const ts_network_field ts_network_fields[], ts_network_curve_fields[];
extern const ts_network_field ts_network_links_fields[];
double ts_network_field_get(const ts_network_field *field, const void *record);
bool ts_network_field_set(const ts_network_field *field, void *record, double value);

/* What users set in the environment of the library: `value` of variable `name` changes the methods.
 * `changed` is set when it did. An error, or NULL. */
/* Variables that are known and have no effect on the methods. */
typedef enum ts_network_left {
  TS_NETWORK_FOLLOWED, /* or unknown */
  TS_NETWORK_HARMLESS,
  TS_NETWORK_NOT_MODELLED /* it changes what no model here has */
} ts_network_left;
ts_network_left ts_network_variable_left(const char *name, const char *value);
uint32_t ts_network_variable_rank(const char *name); /* several are applied in ascending order */
const char *ts_network_variable(ts_arena *arena, const char *name, const char *value,
                                ts_network_file *file, bool *changed);
/* Where a variable has changed methods: what was measured was so with the library's own choice. */
void ts_network_forget_measured(ts_network_file *file);

#endif
