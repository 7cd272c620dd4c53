#include "runtime/play/slowdown_learned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/source.h"
#include "base/table.h"
#include "base/xgboost.h"

bool ts_learned_available(void)
{
  ts_xgboost x;
  bool found = ts_xgboost_open(&x);
  if (found)
    ts_xgboost_close(&x);
  return found;
}

/* ---- Features ---- */

static const char *const feature_names[] = {
#define FIELD(name) #name,
  TS_PAIR_FIELDS(FIELD, FIELD)
#undef FIELD
};
_Static_assert(sizeof feature_names / sizeof *feature_names == TS_LEARNED_FEATURES,
               "a feature for each field");

const char *ts_learned_feature(uint32_t feature) { return feature_names[feature]; }

/* Names become numbers by what they are, not by their order: FNV-1a, folded to what a float holds.
 * Libraries write `Simple`, plays `simple`: both are the same. */
static float name_number(const char *name)
{
  uint32_t h = 2166136261u;
  for (const char *c = name; *c; c++)
    h = (h ^ (unsigned char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c)) * 16777619u;
  return *name ? (float)(h >> 8) : NAN;
}

static void features(const ts_pair *p, float *f)
{
  uint32_t i = 0;
#define NAME(field) f[i++] = name_number(p->field);
#define NUMBER(field) f[i++] = (float)p->field;
  TS_PAIR_FIELDS(NAME, NUMBER)
#undef NAME
#undef NUMBER
}

/* ---- Models ---- */

typedef struct job {
  ts_xgboost x;
  ts_arena *arena;
  void *booster, *data, *held;
} job;

static const char *const way_names[] = {"trees of depth 12 (as in the paper)",
                                                       "trees of depth 3 over physical"};
TS_TABLE(way_names, TS_LEARNED_WAYS);
static const char *const way_words[] = {"factor", "over_physical"};
TS_TABLE(way_words, TS_LEARNED_WAYS);

const char *ts_learned_way_name(ts_learned_way way) { return way_names[way]; }

static double physical(const ts_pair *p)
{
  return ts_slowdown_of(&ts_slowdown_physical, p).compute;
}

static double target(ts_learned_way way, const ts_pair *p, double factor)
{
  return way == TS_LEARNED_FACTOR ? factor : log(factor / physical(p));
}

static double answer(ts_learned_way way, const ts_pair *p, double found)
{
  return way == TS_LEARNED_FACTOR ? found : physical(p) * exp(found);
}

/* Rows for which `hold` is `which`; hold NULL: all. */
static int matrix(job *j, ts_learned_way way, const ts_pair *pairs, uint32_t count,
                  const bool *hold, bool which, const double *factor, void **out)
{
  float *rows = TS_NEW_ARRAY(j->arena, float, (size_t)count *TS_LEARNED_FEATURES + 1),
        *labels = TS_NEW_ARRAY(j->arena, float, count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (hold && hold[i] != which)
      continue;
    features(&pairs[i], rows + (size_t)n * TS_LEARNED_FEATURES);
    labels[n++] = factor ? (float)target(way, &pairs[i], factor[i]) : 0;
  }
  if (j->x.XGDMatrixCreateFromMat(rows, n, TS_LEARNED_FEATURES, NAN, out))
    return -1;
  return factor ? j->x.XGDMatrixSetFloatInfo(*out, "label", labels, n) : 0;
}

static int grow(job *j, ts_learned_way way)
{
  enum { COMMON = 5, MORE = 3 };
  /* One thread and the exact method, so that results do not depend on the machine. */
  static const char *const common[COMMON][2] = {{"objective", "reg:squarederror"},
                                                {"nthread", "1"},
                                                {"verbosity", "0"},
                                                {"tree_method", "exact"},
                                                {"seed", "0"}};
  static const char *const more[TS_LEARNED_WAYS][MORE][2] = {
    {{"max_depth", "12"}, {"eta", "0.1"}, {"base_score", "1"}},
    {{"max_depth", "3"}, {"eta", "0.1"}, {"base_score", "0"}}};
  static const int rounds[TS_LEARNED_WAYS] = {100, 50};
  int failed = j->x.XGBoosterCreate(&j->data, 1, &j->booster);
  for (int i = 0; !failed && i < COMMON; i++)
    failed = j->x.XGBoosterSetParam(j->booster, common[i][0], common[i][1]);
  for (int i = 0; !failed && i < MORE; i++)
    failed = j->x.XGBoosterSetParam(j->booster, more[way][i][0], more[way][i][1]);
  for (int i = 0; !failed && i < rounds[way]; i++)
    failed = j->x.XGBoosterUpdateOneIter(j->booster, i, j->data);
  return failed ? failed : j->x.XGBoosterSetAttr(j->booster, "trainspec", way_words[way]);
}

static void close_job(job *j)
{
  if (j->booster)
    j->x.XGBoosterFree(j->booster);
  if (j->data)
    j->x.XGDMatrixFree(j->data);
  if (j->held)
    j->x.XGDMatrixFree(j->held);
  j->booster = j->data = j->held = NULL;
}

/* The way in which a loaded model was trained. */
static int way_of(job *j, ts_learned_way *way)
{
  const char *word = NULL;
  int there = 0;
  if (j->x.XGBoosterGetAttr(j->booster, "trainspec", &word, &there))
    return -1;
  *way = TS_LEARNED_FACTOR; /* models from elsewhere */
  for (int w = 0; there && w < TS_LEARNED_WAYS; w++)
    if (strcmp(word, way_words[w]) == 0)
      *way = (ts_learned_way)w;
  return 0;
}

/* What neither a plan nor its network says of a pair: how many processors a kernel fills, and what
 * caches serve. */
static bool never_known(uint32_t feature)
{
  return !strcmp(feature_names[feature], "sms") || !strcmp(feature_names[feature], "l2");
}

static int measure_gain(job *j, double *gain);

const char *ts_learned_unknown(ts_arena *arena, const ts_slowdown *model)
{
  job j = {.arena = arena};
  const char *names = NULL;
  if (!ts_xgboost_open(&j.x))
    return NULL;
  double most[TS_LEARNED_FEATURES] = {0}, gain[TS_LEARNED_FEATURES];
  for (int k = 0; k < 2 && model->learned[k]; k++) {
    bool read = !j.x.XGBoosterCreate(NULL, 0, &j.booster) &&
                !j.x.XGBoosterLoadModel(j.booster, model->learned[k]) && !measure_gain(&j, gain);
    for (uint32_t f = 0; f < TS_LEARNED_FEATURES && read; f++)
      most[f] = fmax(most[f], gain[f]);
    close_job(&j);
  }
  ts_xgboost_close(&j.x);
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (most[f] > 0 && never_known(f))
      names = ts_arena_printf(arena, "%s%s`%s`", names ? names : "", names ? ", " : "",
                              feature_names[f]);
  return names;
}

static const char *predict_by(job *j, const char *path, const ts_pair *pairs, uint32_t count,
                              double *out)
{
  const float *found = NULL;
  uint64_t n = 0;
  ts_learned_way way = TS_LEARNED_FACTOR;
  if (j->x.XGBoosterCreate(NULL, 0, &j->booster) || j->x.XGBoosterLoadModel(j->booster, path) ||
      way_of(j, &way) || matrix(j, way, pairs, count, NULL, true, NULL, &j->data) ||
      j->x.XGBoosterPredict(j->booster, j->data, 0, 0, 0, &n, &found))
    return ts_xgboost_error(&j->x, j->arena);
  if (n != count)
    return "it does not predict one number a pair";
  for (uint32_t i = 0; i < count; i++)
    out[i] = answer(way, &pairs[i], found[i]);
  return NULL;
}

const char *ts_learned_predict(ts_arena *arena, const ts_slowdown *model, const ts_pair *pairs,
                               uint32_t count, ts_slowdowns *out)
{
  ts_slowdown rest = *model;
  job j = {.arena = arena};
  const char *wrong = NULL;
  rest.kind = TS_SLOWDOWN_PHYSICAL;
  for (uint32_t i = 0; i < count; i++)
    out[i] = ts_slowdown_of(&rest, &pairs[i]);
  if (!count)
    return NULL;
  if (!ts_xgboost_open(&j.x))
    return ts_xgboost_missing;
  double *found = TS_NEW_ARRAY(arena, double, count);
  for (int k = 0; k < 2 && model->learned[k] && !wrong; k++) {
    wrong = predict_by(&j, model->learned[k], pairs, count, found);
    for (uint32_t i = 0; !wrong && i < count; i++)
      *(k ? &out[i].transfer : &out[i].compute) = found[i];
    close_job(&j);
  }
  ts_xgboost_close(&j.x);
  return wrong;
}

static int measure_gain(job *j, double *gain)
{
  const char **names = NULL;
  const uint64_t *shape = NULL;
  const float *scores = NULL;
  uint64_t count = 0, dimensions = 0;
  double sum = 0;
  memset(gain, 0, TS_LEARNED_FEATURES * sizeof *gain);
  if (j->x.XGBoosterFeatureScore(j->booster, "{\"importance_type\": \"total_gain\"}", &count,
                                 &names, &dimensions, &shape, &scores))
    return -1;
  for (uint64_t i = 0; i < count; i++)
    sum += scores[i];
  for (uint64_t i = 0; i < count; i++) { /* "f3" */
    unsigned long f = strtoul(names[i] + 1, NULL, 10);
    if (f < TS_LEARNED_FEATURES && sum > 0)
      gain[f] += scores[i] / sum;
  }
  return 0;
}

static int predict_held(job *j, ts_learned_way way, const ts_pair *pairs, const bool *hold,
                        uint32_t count, double *out)
{
  const float *found = NULL;
  uint64_t n = 0;
  if (matrix(j, way, pairs, count, hold, true, NULL, &j->held) ||
      j->x.XGBoosterPredict(j->booster, j->held, 0, 0, 0, &n, &found))
    return -1;
  for (uint32_t i = 0, at = 0; i < count && at < n; i++)
    if (!hold || hold[i])
      out[i] = answer(way, &pairs[i], found[at++]);
  return 0;
}

/* Written beside its place and renamed, so that no half of it is ever there. The form is what the
 * path ends in. NULL, or what is wrong. */
static const char *save(job *j, const char *path)
{
  const char *end = strrchr(path, '.'), *bytes = NULL;
  uint64_t size = 0;
  if (j->x.XGBoosterSaveModelToBuffer(j->booster,
                                      end && !strcmp(end, ".json") ? "{\"format\": \"json\"}" :
                                                                     "{\"format\": \"ubj\"}",
                                      &size, &bytes))
    return ts_xgboost_error(&j->x, j->arena);
  int error = ts_write_file(path, bytes, size);
  return error ? ts_arena_printf(j->arena, "cannot write `%s`: %s", path, strerror(error)) : NULL;
}

const char *ts_learned_train(ts_arena *arena, ts_learned_way way, const ts_pair *pairs,
                             const double *factor, const bool *hold, uint32_t count, double *out,
                             const char *path, double *gain)
{
  job j = {.arena = arena};
  if (!ts_xgboost_open(&j.x))
    return ts_xgboost_missing;
  int failed = matrix(&j, way, pairs, count, hold, false, factor, &j.data) || grow(&j, way) ||
               (out && predict_held(&j, way, pairs, hold, count, out)) ||
               (gain && measure_gain(&j, gain));
  const char *wrong = failed ? ts_xgboost_error(&j.x, j.arena) : path ? save(&j, path) : NULL;
  close_job(&j);
  ts_xgboost_close(&j.x);
  return wrong;
}
