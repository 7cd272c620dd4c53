/* Learned slowdowns: gradient-boosted trees, by the C API of XGBoost where the library was built with it. */
#ifndef TS_RUNTIME_SLOWDOWN_LEARNED_H
#define TS_RUNTIME_SLOWDOWN_LEARNED_H

#include "runtime/slowdown.h"

bool ts_learned_available(void);
/* `paths`: of the models for compute and for transfers (NULL: these are not slowed). NULL, or what is wrong. */
const char *ts_learned_predict(ts_arena *arena, const char *const *paths, const ts_pair *pairs, uint32_t count, ts_slowdowns *out);

/* Trains a model of `factor` on the pairs and keeps it. NULL, or what is wrong. */
const char *ts_learned_train(ts_arena *arena, const ts_pair *pairs, const double *factor, uint32_t count, const char *path);
/* Trains on the pairs that `hold` is false for, and predicts the others into out[]. */
const char *ts_learned_try(ts_arena *arena, const ts_pair *pairs, const double *factor, const bool *hold, uint32_t count, double *out);

#endif
