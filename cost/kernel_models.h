/* Physical models of kernels, evaluated by fits and trained by `trainspec fit ops`. A model gives a
 * time from a kernel's features and a few positive parameters, and derives from them the inputs on
 * which the remaining error is learned. */
#ifndef TS_COST_KERNEL_MODELS_H
#define TS_COST_KERNEL_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { TS_MODEL_MAX_FEATURES = 8, TS_MODEL_MAX_PARAMETERS = 24, TS_MODEL_MAX_INPUTS = 24 };

/* all; of arithmetic and of memory alone */
typedef struct ts_model_time { double us, work_us, memory_us; } ts_model_time;

typedef struct ts_kernel_model {
  const char *name;      /* "gemm": also the family it is for, unless one is given */
  uint32_t feature_count, parameter_count;
  const char *feature[TS_MODEL_MAX_FEATURES]; /* "bytes" and "flops" are those of the query */
  const char *parameter[TS_MODEL_MAX_PARAMETERS];
  double start[TS_MODEL_MAX_PARAMETERS]; /* where training begins; 0: from the data */
  ts_model_time (*time)(const double *parameter, const double *feature);
  /* of one launch, each byte moved once */
  void (*work)(const double *feature, double *flops, double *bytes);
  const char *const *input; /* what the residual is learned on; ends in NULL */
  /* the kernel's part of the time, where rows hold more than plans ask for; NULL: all of it */
  double (*share)(const double *parameter, const double *feature);
} ts_kernel_model;

/* Of `powers`: the time where all features are 1, then the exponents. */
enum { TS_POWERS_SCALE = 2, TS_POWERS_EXPONENT };

enum {
  TS_PARAMETER_UNITS,
  TS_PARAMETER_FLOOR,
  TS_PARAMETER_RATE,
  TS_PARAMETER_BANDWIDTH,
  TS_PARAMETER_NORM,
  TS_PARAMETER_OWN
};

/* tile of a x b where that is meant */
typedef struct ts_model_input { uint32_t code; double a, b; } ts_model_input;

/* What trees learn from where the model has no inputs of its own: features, and the time. */
uint32_t ts_model_tree_inputs(const ts_kernel_model *model, ts_model_input *input);
/* "time"; NULL: a feature, or none of those without sizes. */
const char *ts_model_input_word(const ts_model_input *input);

const ts_kernel_model *ts_kernel_model_find(const char *name);
/* The model `powers`, for kernels of which nothing is known but sizes: a floor, and a product of
 * powers of the features, linear in logarithms. NULL: no features, or too many. */
const ts_kernel_model *ts_kernel_model_powers(ts_arena *arena, const char *const *feature,
                                              uint32_t count);
bool ts_kernel_model_is_powers(const ts_kernel_model *model);
bool ts_kernel_model_is_of_bytes(const ts_kernel_model *model); /* alone */
/* "m", "fill 128 256", ...; false when the model has no such input. */
bool ts_model_input_parse(const ts_kernel_model *model, const char *text, ts_model_input *input);
double ts_model_input_value(const ts_kernel_model *model, const ts_model_input *input,
                            const double *parameter, const double *feature,
                            const ts_model_time *time, double table);

#endif
