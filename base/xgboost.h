/* XGBoost's C API, loaded when it is asked for: loading the library takes longer than most plays,
 * and only learned models need it. */
#ifndef TS_BASE_XGBOOST_H
#define TS_BASE_XGBOOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* What is used of it (xgboost/c_api.h, 1.6 and later; the declarations are part of its stable
 * interface). */
#define TS_XGBOOST_CALLS(X)                                                                        \
  X(const char *, XGBGetLastError, (void))                                                         \
  X(int, XGDMatrixCreateFromMat, (const float *, uint64_t, uint64_t, float, void **))              \
  X(int, XGDMatrixSetFloatInfo, (void *, const char *, const float *, uint64_t))                   \
  X(int, XGDMatrixFree, (void *))                                                                  \
  X(int, XGBoosterCreate, (void *const *, uint64_t, void **))                                      \
  X(int, XGBoosterFree, (void *))                                                                  \
  X(int, XGBoosterSetParam, (void *, const char *, const char *))                                  \
  X(int, XGBoosterUpdateOneIter, (void *, int, void *))                                            \
  X(int, XGBoosterPredict, (void *, void *, int, unsigned, int, uint64_t *, const float **))       \
  X(int, XGBoosterSaveModelToBuffer, (void *, const char *, uint64_t *, const char **))            \
  X(int, XGBoosterLoadModel, (void *, const char *))                                               \
  X(int, XGBoosterSetAttr, (void *, const char *, const char *))                                   \
  X(int, XGBoosterGetAttr, (void *, const char *, const char **, int *))                           \
  X(int, XGBoosterFeatureScore,                                                                    \
    (void *, const char *, uint64_t *, const char ***, uint64_t *, const uint64_t **,              \
     const float **))

typedef struct ts_xgboost {
  void *handle;
#define TS_DECLARE(type, name, arguments) type(*name) arguments;
  TS_XGBOOST_CALLS(TS_DECLARE)
#undef TS_DECLARE
} ts_xgboost;

/* False where the library is not installed, or lacks a call. */
bool ts_xgboost_open(ts_xgboost *x);
void ts_xgboost_close(ts_xgboost *x);
/* What the last call that failed in this thread says, without its place in the source. */
const char *ts_xgboost_error(const ts_xgboost *x, ts_arena *arena);

extern const char *const ts_xgboost_missing; /* says so, and which package has it */

#endif
