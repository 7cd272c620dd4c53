/* Learned slowdowns: gradient-boosted trees, by the C API of XGBoost, whose library is loaded when
 * a model is asked for. */
#ifndef TS_RUNTIME_PLAY_SLOWDOWN_LEARNED_H
#define TS_RUNTIME_PLAY_SLOWDOWN_LEARNED_H

#include "runtime/play/slowdown.h"

typedef enum ts_learned_way { /* how a model is trained */
  /* trees of depth 12 and squared error of the factor itself, as in the paper */
  TS_LEARNED_FACTOR,
  /* trees of depth 3 and squared error of log(factor / physical): they correct the physical model
   * */
  TS_LEARNED_OVER_PHYSICAL,
  TS_LEARNED_WAYS
} ts_learned_way;

bool ts_learned_available(void);
const char *ts_learned_way_name(ts_learned_way way);

const char *ts_learned_feature(uint32_t feature); /* "time"; the fields of a ts_pair */

/* Looks into the models: sets `categories`, and `unknown` if they split by features that no play
 * knows. NULL (also where the library is not there, as predicting says), or what is wrong. */
const char *ts_learned_look(ts_arena *arena, ts_slowdown *model);

/* What names of the pairs were in no row that a model learned from, where it learned from such
 * names: "family `permute`, transfer `message`". NULL: none. */
const char *ts_learned_unseen(ts_arena *arena, const ts_slowdown *model, const ts_pair *pairs,
                              uint32_t count);

/* By the models that `model` names (without one for transfers: these as the physical model has
 * them), all at once. NULL, or what is wrong. */
const char *ts_learned_predict(ts_arena *arena, const ts_slowdown *model, const ts_pair *pairs,
                               uint32_t count, ts_slowdowns *out);

/* Trains on the pairs for which `hold` is false (NULL: on all) and predicts the others into out[]
 * (may be NULL); keeps the model at `path` (may be NULL); gain: [TS_LEARNED_FEATURES] share of the
 * squared error that splits by each feature took away (may be NULL). NULL, or what is wrong. */
const char *ts_learned_train(ts_arena *arena, ts_learned_way way, const ts_pair *pairs,
                             const double *factor, const bool *hold, uint32_t count, double *out,
                             const char *path, double *gain);

#endif
