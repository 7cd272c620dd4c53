/* Operators of one device from measurements of others, or of other sizes: a physical model a class
 * of operators, whose rates are shares of what a device has by its data sheet, so that it can be
 * asked of any device (the regressions on FLOPs and bytes of Li, Sun and Jog, "Path Forward Beyond
 * Simulators: Fast and Accurate GPU Execution Time Prediction for DNN Workloads", MICRO 2023, which
 * TrioSim uses; compute- and memory-bound scaling as in SimAI, NSDI 2025), a slope a family, and a
 * Gaussian process over the sizes on what is left, which carries what is special about a shape from
 * the devices that ran it to the one asked for. doc/costs.md. */
#ifndef TS_COST_OPERATORS_H
#define TS_COST_OPERATORS_H

#include "cost/fit.h"

/* What a data sheet says: TFLOP/s of the type, TB/s, watts of the board (0: not known), processors,
 * GHz they run at, MB of the cache that all of them share (0: not known). */
typedef struct ts_op_device {
  const char *name;
  double tflops, terabytes_per_s, watts, units, gigahertz, cache_megabytes;
} ts_op_device;

/* Measured rows of a family of operators, in any order. */
typedef struct ts_op_rows {
  const char *family;
  uint32_t count;
  const double *feature;   /* count x features of the model of the class */
  const double *us;
  const uint32_t *device;  /* number of the device that ran the row */
} ts_op_rows;

enum { TS_OP_POWER, TS_OP_FLOOR, TS_OP_EXPONENTS };

typedef struct ts_op_family {
  ts_op_rows rows;
  double slope, floor;     /* factors of the rates and the floor of the class */
  uint32_t points, sizes;  /* rows of the Gaussian process, and its inputs */
  const double *row, *size, *weight;
  const uint32_t *row_device;
  const double *row_us;
  ts_fit_kernel kernel;
  ts_trees trees;          /* instead of the Gaussian process, where they were asked for */
  /* range of the features in the rows */
  double low[TS_MODEL_MAX_FEATURES], high[TS_MODEL_MAX_FEATURES];
} ts_op_family;

typedef struct ts_op_class { /* families of one physical model */
  const ts_kernel_model *model;
  const ts_op_device *device;
  uint32_t device_count, family_count;
  double share[TS_MODEL_MAX_PARAMETERS]; /* parameters; rates as shares of the device's */
  /* of watts a TFLOP/s in the share of the peak; of bandwidth in the floor */
  double exponent[TS_OP_EXPONENTS];
  double reference[TS_OP_EXPONENTS];     /* mean logarithms of the devices that were measured */
  /* by device: how much faster it runs than its sheet lets expect; 1: it was not measured */
  double *faster;
  ts_op_family *family;
} ts_op_class;

/* Trains on all rows. `exponent`: those of another class of the same type of numbers, where they
 * are not 0, or NULL. */
ts_op_class *ts_op_train(ts_arena *arena, const ts_kernel_model *model, const ts_op_device *device,
                         uint32_t device_count, const ts_op_rows *families, uint32_t family_count,
                         const double *exponent);

/* What learns what physics and factors leave: nothing, a Gaussian process over the sizes, or trees
 * over the inputs of the physical model. */
typedef enum ts_op_learner {
  TS_OP_GAUSSIAN,
  TS_OP_ANALYTIC,
  TS_OP_TREES,
  TS_OP_FOREST,
  TS_OP_LEARNERS
} ts_op_learner;
extern const char *const ts_op_learner_name[TS_OP_LEARNERS];

/* A trained class with another learner. NULL with *wrong filled. */
ts_op_class *ts_op_learned_by(ts_arena *arena, const ts_op_class *c, ts_op_learner learner,
                              ts_error *wrong);
/* The one with the least error. */
ts_op_learner ts_op_best(const double *error);

/* Each device that has rows predicted from the others: error[learner] is the mean over devices of
 * the mean absolute logarithm of predicted over measured, of families that the others ran. *best:
 * the least. False with one device only, or where trees cannot be grown (*wrong). */
bool ts_op_compare(ts_arena *arena, const ts_kernel_model *model, const ts_op_device *device,
                   uint32_t device_count, const ts_op_rows *families, uint32_t family_count,
                   const double *exponent, double *error, ts_op_learner *best, ts_error *wrong);

/* Mean absolute logarithm of predicted over measured of rows of families that the class has; NAN:
 * there are none. */
double ts_op_mean_log(const ts_op_class *c, const ts_op_device *device, const ts_op_rows *rows,
                      uint32_t count);

/* NULL: none of that name */
const ts_op_family *ts_op_family_of(const ts_op_class *c, const char *family);
/* Microseconds on a device; a family that was not measured (NULL) is as the class. */
double ts_op_time(const ts_op_class *c, const ts_op_family *family, const ts_op_device *device,
                  const double *feature);
/* How far the features lie outside of those measured, as a factor; 1: within. */
double ts_op_outside(const ts_op_class *c, const ts_op_family *family, const double *feature);
/* The family as an ordinary model of one device, to be written as a fit file. weight: one number a
 * row. */
void ts_op_instantiate(ts_arena *arena, const ts_op_class *c, const ts_op_family *family,
                       const char *dtype, const ts_op_device *device, ts_fit_model *m,
                       double **weight);

#endif
