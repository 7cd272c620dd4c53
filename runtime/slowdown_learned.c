#include "runtime/slowdown_learned.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_XGBOOST

#include <math.h>
#include <string.h>
#include <xgboost/c_api.h>

enum { FEATURES = 8, ROUNDS = 100 };

/* Names become numbers by what they are, not by their order: FNV-1a, folded to what a float holds. */
static float name_number(const char *name)
{
  uint32_t h = 2166136261u;
  for (const char *c = name; *c; c++)
    h = (h ^ (unsigned char)*c) * 16777619u;
  return *name ? (float)(h >> 8) : NAN;
}

static float logarithm(double value) { return value > 0 ? (float)log(value) : NAN; }

static void features(const ts_pair *p, float *f)
{
  double memory = p->bytes / (p->time * p->bandwidth);
  float all[FEATURES] = {name_number(p->family), logarithm(p->time), logarithm(p->flops), logarithm(p->bytes), (float)memory,
                         name_number(p->transfer), logarithm(p->transfer_bytes), logarithm(p->transfer_time)};
  memcpy(f, all, sizeof all);
}

/* Rows for which `keep` is `which`; keep NULL: all. */
static int matrix(ts_arena *arena, const ts_pair *pairs, uint32_t count, const bool *keep, bool which, const double *factor, DMatrixHandle *out)
{
  float *rows = TS_NEW_ARRAY(arena, float, (size_t)count * FEATURES + 1), *labels = TS_NEW_ARRAY(arena, float, count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (keep && keep[i] != which)
      continue;
    features(&pairs[i], rows + (size_t)n * FEATURES);
    labels[n++] = factor ? (float)factor[i] : 0;
  }
  if (XGDMatrixCreateFromMat(rows, n, FEATURES, NAN, out))
    return -1;
  return factor ? XGDMatrixSetFloatInfo(*out, "label", labels, n) : 0;
}

static int train(DMatrixHandle data, BoosterHandle *booster)
{
  /* Squared error and depth 12, as in the paper; one thread, so that results do not depend on the machine. */
  static const char *const parameters[][2] = {{"objective", "reg:squarederror"}, {"max_depth", "12"}, {"eta", "0.1"}, {"nthread", "1"}, {"verbosity", "0"}};
  if (XGBoosterCreate(&data, 1, booster))
    return -1;
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    if (XGBoosterSetParam(*booster, parameters[i][0], parameters[i][1]))
      return -1;
  for (int i = 0; i < ROUNDS; i++)
    if (XGBoosterUpdateOneIter(*booster, i, data))
      return -1;
  return 0;
}

static int predict(BoosterHandle booster, DMatrixHandle data, const float **out, bst_ulong *n) { return XGBoosterPredict(booster, data, 0, 0, 0, n, out); }

static const char *told(ts_arena *arena, int failed) { return failed ? ts_arena_printf(arena, "%.*s", (int)strcspn(XGBGetLastError(), "\n"), XGBGetLastError()) : NULL; }

bool ts_learned_available(void) { return true; }

const char *ts_learned_predict(ts_arena *arena, const char *const *paths, const ts_pair *pairs, uint32_t count, ts_slowdowns *out)
{
  const char *wrong = NULL;
  for (uint32_t i = 0; i < count; i++)
    out[i] = (ts_slowdowns){1, 1};
  for (int k = 0; k < 2 && paths[k] && count && !wrong; k++) {
    BoosterHandle booster = NULL;
    DMatrixHandle data = NULL;
    const float *found = NULL;
    bst_ulong n = 0;
    wrong = told(arena, XGBoosterCreate(NULL, 0, &booster) || XGBoosterLoadModel(booster, paths[k]) ||
                            matrix(arena, pairs, count, NULL, true, NULL, &data) || predict(booster, data, &found, &n));
    for (uint32_t i = 0; !wrong && i < count && i < n; i++)
      *(k ? &out[i].transfer : &out[i].compute) = found[i];
    XGDMatrixFree(data);
    XGBoosterFree(booster);
  }
  return wrong;
}

const char *ts_learned_train(ts_arena *arena, const ts_pair *pairs, const double *factor, uint32_t count, const char *path)
{
  BoosterHandle booster = NULL;
  DMatrixHandle data = NULL;
  const char *wrong = told(arena, matrix(arena, pairs, count, NULL, true, factor, &data) || train(data, &booster) || XGBoosterSaveModel(booster, path));
  XGDMatrixFree(data);
  XGBoosterFree(booster);
  return wrong;
}

const char *ts_learned_try(ts_arena *arena, const ts_pair *pairs, const double *factor, const bool *hold, uint32_t count, double *out)
{
  BoosterHandle booster = NULL;
  DMatrixHandle data = NULL, held = NULL;
  const float *found = NULL;
  bst_ulong n = 0;
  const char *wrong = told(arena, matrix(arena, pairs, count, hold, false, factor, &data) || matrix(arena, pairs, count, hold, true, NULL, &held) ||
                                      train(data, &booster) || predict(booster, held, &found, &n));
  for (uint32_t i = 0, at = 0; !wrong && i < count && at < n; i++)
    if (hold[i])
      out[i] = found[at++];
  XGDMatrixFree(data);
  XGDMatrixFree(held);
  XGBoosterFree(booster);
  return wrong;
}

#else

static const char *const without = "this trainspec was built without XGBoost (configure --with-xgboost)";

bool ts_learned_available(void) { return false; }

const char *ts_learned_predict(ts_arena *arena, const char *const *paths, const ts_pair *pairs, uint32_t count, ts_slowdowns *out)
{
  (void)arena, (void)paths, (void)pairs, (void)count, (void)out;
  return without;
}

const char *ts_learned_train(ts_arena *arena, const ts_pair *pairs, const double *factor, uint32_t count, const char *path)
{
  (void)arena, (void)pairs, (void)factor, (void)count, (void)path;
  return without;
}

const char *ts_learned_try(ts_arena *arena, const ts_pair *pairs, const double *factor, const bool *hold, uint32_t count, double *out)
{
  (void)arena, (void)pairs, (void)factor, (void)hold, (void)count, (void)out;
  return without;
}

#endif
