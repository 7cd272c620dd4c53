/* What a few measured steps said about a machine: factors on the times of kernels, host and calls,
 * and a constant of memory, with how well they are known. A file that `trainspec calibrate` writes
 * and `calibration = calibrated("x.json")` of a plan names (doc/calibration.md). */
#ifndef TS_COST_CALIBRATION_H
#define TS_COST_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

enum { TS_MOST_QUANTITIES = 10 };

typedef enum ts_quantity_kind {
  TS_QUANTITY_KERNELS, /* of some families and formats */
  TS_QUANTITY_HOST,    /* what it spends on nodes */
  TS_QUANTITY_INSIDE,  /* calls that stay inside islands */
  TS_QUANTITY_BETWEEN, /* calls that leave them */
  TS_QUANTITY_KINDS
} ts_quantity_kind;

extern const char *const ts_quantity_kinds[]; /* as files have them; NULL ends */

typedef struct ts_quantity {
  const char *name;              /* "matrix products" */
  ts_quantity_kind kind;
  const char *families, *formats; /* KERNELS: see ts_text_among */
  double prior;                  /* deviation of the logarithm of its factor */
  double log;                    /* of the factor on its times */
} ts_quantity;

typedef struct ts_memory_constant { /* all bytes; rows 0: no row had memory */
  uint32_t rows;
  double prior;
  double bytes, deviation;       /* held besides what the plan says */
  double residual;               /* of a measured figure */
} ts_memory_constant;

typedef struct ts_calibration {
  /* that the steps were of, on which device, with which framework; "": not named */
  const char *plan, *device, *framework;
  uint32_t rows;
  uint32_t count;
  ts_quantity *quantity;
  /* of logarithms; a row and a column for each quantity */
  double covariance[TS_MOST_QUANTITIES][TS_MOST_QUANTITIES];
  double noise;                  /* deviation of the logarithm of a measured step, its prior */
  double residual;               /* the same, as these steps have it */
  ts_memory_constant memory;
} ts_calibration;

/* The first quantity of kernels of the family in the format; `count`: there is none. */
uint32_t ts_calibration_of_kernel(const ts_calibration *c, const char *family, const char *format);
/* The first of the kind (HOST, INSIDE, BETWEEN) likewise. */
uint32_t ts_calibration_of_kind(const ts_calibration *c, ts_quantity_kind kind);
/* Time of a kernel or of the host, with a quantity's factor; `quantity` may be `count`. */
uint64_t ts_calibrated_time(const ts_calibration *c, uint32_t quantity, uint64_t time);
/* Memory that is reserved on a device, with the constant. */
uint64_t ts_calibrated_reserve(const ts_calibration *c, uint64_t reserved);

/* NULL after filling the error. */
ts_calibration *ts_calibration_read(ts_arena *arena, const char *text, size_t size,
                                    ts_error *error);
void ts_calibration_write(const ts_calibration *c, FILE *out);
/* The same as a record of the language, what plans of other jobs of its framework take. */
void ts_calibration_write_learnt(const ts_calibration *c, FILE *out);
/* Numbers in range, and a covariance. False after filling the error. */
bool ts_calibration_sound(const ts_calibration *c, ts_error *error);

#endif
