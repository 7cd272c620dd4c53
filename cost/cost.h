/* Where the time of a kernel comes from. A cost source is made from a table of measurements, a fit
 * file or the peak numbers of a device, and asked with a query. Sources live in the arena they were
 * made in and are never changed afterwards: several threads may ask one. Formats: doc/costs.md. */
#ifndef TS_COST_COST_H
#define TS_COST_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct ts_feature { const char *name; double value; } ts_feature;

typedef struct ts_cost_query {
  const char *family, *dtype;
  double flops, bytes; /* of one launch; bytes read and written */
  const ts_feature *feature;
  uint32_t feature_count;
  /* The op whose kernel it is, or NULL. Tables and fits may have families of ops, `softmax` and
   * `softmax_backward`, which answer before the family does: by bytes, for this kernel, or by sizes
   * of the op, for all kernels of the direction, of which this one has its share. */
  const char *op;
  bool backward;
  const ts_feature *size;
  uint32_t size_count;
  double share;
} ts_cost_query;

enum { TS_COST_OP = 128 };
/* The name of an op's family, in at most TS_COST_OP bytes. */
const char *ts_cost_op_family(char *text, const char *op, bool backward);

typedef enum ts_cost_basis { /* in the order of ts_ir_basis */
                             TS_COST_STATED,
                             TS_COST_MEASURED,
                             TS_COST_INTERPOLATED,
                             TS_COST_FITTED,
                             TS_COST_ROOFLINE,
                             TS_COST_EXTERN
} ts_cost_basis;

typedef struct ts_cost_answer {
  double seconds;
  ts_cost_basis basis;
  uint32_t row; /* line of the table when MEASURED, else 0 */
  bool assumed; /* nobody measured what it rests on */
  /* Of a fit asked beyond what it learned from: the feature that lies furthest out, its value, the
   * range learned from, and by what factor it is outside. NULL: within, or not known. */
  const char *beyond;
  double value, low, high, far;
} ts_cost_answer;

typedef struct ts_cost_source ts_cost_source;

/* The text of a file: inflated when it is gzip, else as it is. NUL-terminated, in the arena; NULL
 * after an error. */
const char *ts_cost_text(ts_arena *arena, const void *bytes, size_t size, size_t *text_size,
                         ts_error *error);
/* a file of measurements is a few MB; more is an attack or a mistake */
enum { TS_COST_MOST_UNPACKED = 1 << 28 };
const char *ts_cost_unpack(ts_arena *arena, const void *bytes, size_t size, size_t most,
                           size_t *text_size, ts_error *error);

/* For tables without the columns `family` or `dtype`. Without a family it is known by the columns
 * (m, n, k: a matrix product). */
typedef struct ts_table_pair { const char *name, *text; } ts_table_pair;
typedef struct ts_table_options {
  const char *family, *dtype;
  const ts_table_pair *where; /* only rows with this text in these columns, which are no features */
  uint32_t where_count;
  /* features and the columns they stand in; other columns are then none. None: each as it is
   * called. */
  const ts_table_pair *columns;
  uint32_t column_count;
  bool exact; /* no answers between rows */
} ts_table_options;

/* CSV, plain or gzip. `options` may be NULL. NULL after an error. */
ts_cost_source *ts_cost_table(ts_arena *arena, const void *bytes, size_t size,
                              const ts_table_options *options, ts_error *error);

/* Fit file. NULL after an error. */
ts_cost_source *ts_cost_fit(ts_arena *arena, const void *bytes, size_t size, ts_error *error);

/* The fit with this floor in seconds in place of its own, which holds the launch where calls were
 * timed one by one. */
const ts_cost_source *ts_cost_with_floor(ts_arena *arena, const ts_cost_source *fit, double floor);

/* A fit of a table, trained now: every family that has a model and at least 8 rows. `units`:
 * processors of the device. Takes seconds, and gives the same answers each time. NULL after an
 * error (which has no place in the file). */
ts_cost_source *ts_cost_fit_table(ts_arena *arena, const ts_cost_source *table, double units,
                                  ts_error *error);

typedef struct ts_peak { const char *dtype; double flops; } ts_peak; /* FLOP/s */
typedef struct ts_roofline {
  const ts_peak *peak;
  uint32_t peak_count;
  double bandwidth;                         /* byte/s */
  double flops_efficiency, bytes_efficiency; /* shares of the peaks that large kernels reach */
  /* work at which half of that is reached; 0: constant efficiency */
  double flops_half, bytes_half;
  double floor;                             /* seconds every kernel takes at least, added */
} ts_roofline;
ts_cost_source *ts_cost_roofline(ts_arena *arena, const ts_roofline *numbers);
/* Whether it is a roofline that has no rate of arithmetic in this format, for messages. */
bool ts_cost_lacks_rate(const ts_cost_source *source, const char *dtype);

/* False when the source has no answer: another family, dtype or features, or outside of what was
 * measured. */
bool ts_cost_ask(const ts_cost_source *source, const ts_cost_query *query, ts_cost_answer *answer);

/* What the source says of itself: lines of `# source:` of a table, device and data of a fit. May be
 * "". */
const char *ts_cost_provenance(const ts_cost_source *source);

/* The device that a table or a fit says its times are of; "" when it says none. */
const char *ts_cost_device(const ts_cost_source *source);

/* "conv by forest": the families of a fit that something else than a Gaussian process learned; "":
 * there are none. */
const char *ts_cost_learners(const ts_cost_source *source, ts_arena *arena);

/* Rows of a table that are nearest to a query it cannot answer, for messages. */
typedef struct ts_table_near {
  const char *family, *dtype; /* dtype "" when the table has none */
  uint32_t line, feature_count;
  const char *const *name;
  const double *value;
  double seconds;
} ts_table_near;
/* Writes at most `room` rows, nearest first; returns how many. Rows of the query's family, or of
 * any when it has none. */
uint32_t ts_table_nearest(const ts_cost_source *source, const ts_cost_query *query,
                          ts_table_near *near, uint32_t room);
/* Families a source can answer, in order; returns how many there are. */
uint32_t ts_cost_families(const ts_cost_source *source, const char **family, uint32_t room);
/* The rows of a table (cost/table.h); NULL: it is no table. */
const struct ts_table *ts_cost_rows(const ts_cost_source *source);
/* Whether a table or a fit has this family. */
bool ts_cost_knows(const ts_cost_source *source, const char *family);

#endif
