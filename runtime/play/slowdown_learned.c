#include "runtime/play/slowdown_learned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json_tree.h"
#include "base/order.h"
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

static const bool is_name[] = {
#define NAME(field) true,
#define NUMBER(field) false,
  TS_PAIR_FIELDS(NAME, NUMBER)
#undef NAME
#undef NUMBER
};

enum { FAMILY }; /* the first field */

/* The texts of a pair's names, NULL at numbers. */
static void names_of(const ts_pair *p, const char *name[TS_LEARNED_FEATURES])
{
  uint32_t i = 0;
#define NAME(field) name[i++] = p->field;
#define NUMBER(field) name[i++] = NULL;
  TS_PAIR_FIELDS(NAME, NUMBER)
#undef NAME
#undef NUMBER
}

/* Its numbers, NaN at names. */
static void numbers_of(const ts_pair *p, double value[TS_LEARNED_FEATURES])
{
  uint32_t i = 0;
#define NAME(field) value[i++] = NAN;
#define NUMBER(field) value[i++] = p->field;
  TS_PAIR_FIELDS(NAME, NUMBER)
#undef NAME
#undef NUMBER
}

/* Libraries write `Simple`, plays `simple`: both are the same. */
static int compare_names(const void *a, const void *b)
{
  return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* Place of a name among a field's categories, or as many as there are. */
static uint32_t category(const ts_categories *c, uint32_t field, const char *name)
{
  const char **found = c->count[field] ? bsearch(&name, c->name[field], c->count[field],
                                                 sizeof name, compare_names) :
                                         NULL;
  return found ? (uint32_t)(found - c->name[field]) : c->count[field];
}

/* The median of a field in the pairs of a family; NaN: one of them does not say. */
static double usual(ts_arena *arena, const ts_categories *c, const ts_pair *pairs, uint32_t count,
                    uint32_t field, uint32_t family)
{
  double *all = TS_NEW_ARRAY(arena, double, count), value[TS_LEARNED_FEATURES];
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (category(c, FAMILY, pairs[i].family) != family)
      continue;
    numbers_of(&pairs[i], value);
    if (isnan(all[n++] = value[field]))
      return NAN;
  }
  qsort(all, n, sizeof *all, ts_by_double);
  return all[n / 2];
}

static void take_usual(ts_arena *arena, const ts_pair *pairs, uint32_t count, ts_categories *c)
{
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++) {
    c->usual[f] = is_name[f] ? NULL : TS_NEW_ARRAY(arena, double, c->count[FAMILY] + 1);
    for (uint32_t k = 0; !is_name[f] && k < c->count[FAMILY]; k++)
      c->usual[f][k] = usual(arena, c, pairs, count, f, k);
  }
}

/* The names that a field has in the pairs, in order, each once. */
static void take_categories(ts_arena *arena, const ts_pair *pairs, uint32_t count,
                            ts_categories *out)
{
  const char *name[TS_LEARNED_FEATURES];
  *out = (ts_categories){0};
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++) {
    const char **all = is_name[f] ? TS_NEW_ARRAY(arena, const char *, count) : NULL;
    uint32_t n = 0, distinct = 0;
    for (uint32_t i = 0; all && i < count; i++) {
      names_of(&pairs[i], name);
      if (*name[f])
        all[n++] = name[f];
    }
    if (n)
      qsort(all, n, sizeof *all, compare_names);
    for (uint32_t i = 0; i < n; i++)
      if (!distinct || compare_names(&all[i], &all[distinct - 1]))
        all[distinct++] = all[i];
    out->count[f] = distinct, out->name[f] = all;
  }
}

/* Columns of the matrix: one for a number, one for each category of a name. */
static uint32_t column_count(const ts_categories *c)
{
  uint32_t n = 0;
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++) n += is_name[f] ? c->count[f] : 1;
  return n;
}

static uint32_t field_of(const ts_categories *c, uint64_t column)
{
  uint32_t f = 0;
  for (uint64_t n; f < TS_LEARNED_FEATURES && column >= (n = is_name[f] ? c->count[f] : 1); f++)
    column -= n;
  return f;
}

/* A name is 1 in the column of its category and 0 in the others, in all of them where it is none of
 * these; not known is that in all. A number that is not known is what the kernel's family usually
 * has, if all of its rows said it. */
static void put_features(const ts_categories *c, const ts_pair *p, float *out)
{
  const char *name[TS_LEARNED_FEATURES];
  double value[TS_LEARNED_FEATURES];
  uint32_t family = category(c, FAMILY, p->family);
  names_of(p, name);
  numbers_of(p, value);
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++) {
    uint32_t at = name[f] ? category(c, f, name[f]) : 0;
    if (!name[f] && isnan(value[f]) && c->usual[f] && family < c->count[FAMILY])
      value[f] = c->usual[f][family];
    if (!name[f])
      *out++ = (float)value[f];
    for (uint32_t k = 0; name[f] && k < c->count[f]; k++)
      *out++ = *name[f] ? (float)(k == at) : NAN;
  }
}

/* The categories as text, and back. */
static const char categories_word[] = "trainspec_categories", usual_word[] = "usual";

static char *write_categories(ts_arena *arena, const ts_categories *c)
{
  cJSON *root = cJSON_CreateObject();
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (is_name[f])
      cJSON_AddItemToObject(root, feature_names[f],
                            cJSON_CreateStringArray(c->name[f], (int)c->count[f]));
  cJSON *numbers = cJSON_AddObjectToObject(root, usual_word);
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (c->usual[f])
      cJSON_AddItemToObject(numbers, feature_names[f],
                            cJSON_CreateDoubleArray(c->usual[f], (int)c->count[FAMILY]));
  char *text = cJSON_PrintUnformatted(root);
  char *copy = text ? ts_arena_string(arena, text, strlen(text)) : NULL;
  cJSON_free(text);
  cJSON_Delete(root);
  return copy;
}

/* False: not a list of texts. */
static bool read_names(ts_arena *arena, const cJSON *list, uint32_t *count, const char ***names)
{
  const cJSON *item;
  bool good = cJSON_IsArray(list);
  *names = TS_NEW_ARRAY(arena, const char *, good ? cJSON_GetArraySize(list) + 1 : 1);
  cJSON_ArrayForEach(item, list) {
    good = good && cJSON_IsString(item);
    if (good)
      (*names)[(*count)++] =
        ts_arena_string(arena, item->valuestring, strlen(item->valuestring));
  }
  if (good && *count)
    qsort(*names, *count, sizeof **names, compare_names);
  return good;
}

/* A number for each family, or null; NULL: none are said. */
static double *read_usual(ts_arena *arena, const cJSON *list, uint32_t families)
{
  if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != (int)families)
    return NULL;
  double *out = TS_NEW_ARRAY(arena, double, families + 1);
  const cJSON *item;
  uint32_t n = 0;
  cJSON_ArrayForEach(item, list) out[n++] = cJSON_IsNumber(item) ? item->valuedouble : NAN;
  return out;
}

static bool read_categories(ts_arena *arena, const char *text, ts_categories *out)
{
  const char *end;
  cJSON *root = ts_json_tree(text, strlen(text), &end);
  bool good = cJSON_IsObject(root);
  *out = (ts_categories){0};
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (good && is_name[f])
      good = read_names(arena, cJSON_GetObjectItemCaseSensitive(root, feature_names[f]),
                        &out->count[f], &out->name[f]);
  const cJSON *numbers = good ? cJSON_GetObjectItemCaseSensitive(root, usual_word) : NULL;
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (numbers && !is_name[f])
      out->usual[f] = read_usual(arena, cJSON_GetObjectItemCaseSensitive(numbers, feature_names[f]),
                                 out->count[FAMILY]);
  cJSON_Delete(root);
  return good;
}

/* ---- Models ---- */

typedef struct slowdown_learned_job {
  ts_xgboost x;
  ts_arena *arena;
  ts_categories categories;
  void *booster, *data, *data_matrix;
} slowdown_learned_job;

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
static int matrix(slowdown_learned_job *j, ts_learned_way way, const ts_pair *pairs, uint32_t count,
                  const bool *hold, bool which, const double *factor, void **out)
{
  uint32_t columns = column_count(&j->categories), n = 0;
  float *rows = TS_NEW_ARRAY(j->arena, float, (size_t)count *columns + 1),
        *labels = TS_NEW_ARRAY(j->arena, float, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    if (hold && hold[i] != which)
      continue;
    put_features(&j->categories, &pairs[i], rows + (size_t)n * columns);
    labels[n++] = factor ? (float)target(way, &pairs[i], factor[i]) : 0;
  }
  if (j->x.XGDMatrixCreateFromMat(rows, n, columns, NAN, out))
    return -1;
  return factor ? j->x.XGDMatrixSetFloatInfo(*out, "label", labels, n) : 0;
}

static int grow(slowdown_learned_job *j, ts_learned_way way)
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
  const char *categories = write_categories(j->arena, &j->categories);
  return failed || !categories ||
         j->x.XGBoosterSetAttr(j->booster, categories_word, categories) ||
         j->x.XGBoosterSetAttr(j->booster, "trainspec", way_words[way]);
}

static void close_job(slowdown_learned_job *j)
{
  if (j->booster)
    j->x.XGBoosterFree(j->booster);
  if (j->data)
    j->x.XGDMatrixFree(j->data);
  if (j->data_matrix)
    j->x.XGDMatrixFree(j->data_matrix);
  j->booster = j->data = j->data_matrix = NULL;
}

/* Opens a model, and reads in which way it was trained, of which categories. NULL, or what is
 * wrong. */
static const char *load(slowdown_learned_job *j, const char *path, ts_learned_way *way)
{
  const char *word = NULL, *categories = NULL;
  int there = 0, named = 0;
  if (j->x.XGBoosterCreate(NULL, 0, &j->booster) || j->x.XGBoosterLoadModel(j->booster, path) ||
      j->x.XGBoosterGetAttr(j->booster, "trainspec", &word, &there))
    return ts_xgboost_error(&j->x, j->arena);
  uint32_t w = 0;
  while (there && w < TS_LEARNED_WAYS && strcmp(word, way_words[w]) != 0)
    w++;
  *way = (ts_learned_way)w;
  if (!there || w == TS_LEARNED_WAYS)
    return ts_arena_printf(j->arena, "`%s` was not trained by `trainspec fit slowdown`", path);
  if (j->x.XGBoosterGetAttr(j->booster, categories_word, &categories, &named))
    return ts_xgboost_error(&j->x, j->arena);
  if (!named || !read_categories(j->arena, categories, &j->categories))
    return ts_arena_printf(j->arena,
                           "`%s` does not say which kernels and transfers it learned from: train "
                           "it again with `trainspec fit slowdown DATA -o %s`",
                           path, path);
  return NULL;
}

/* What neither a plan nor its network says of a pair: how far a kernel fills the processors, what
 * caches serve, the version of CUDA. */
static bool never_known(uint32_t feature)
{
  static const char *const names[] = {"sms", "l2", "l1", "occupancy", "compute", "cuda"};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    found = found || !strcmp(feature_names[feature], names[i]);
  return found;
}

/* Whether some family's rows said what the feature usually is. */
static bool is_supposed(const ts_categories *c, uint32_t feature)
{
  bool some = false;
  for (uint32_t k = 0; c->usual[feature] && k < c->count[FAMILY]; k++)
    some = some || !isnan(c->usual[feature][k]);
  return some;
}

static void list_feature(ts_arena *arena, const char **list, uint32_t feature)
{
  *list = ts_arena_printf(arena, "%s%s`%s`", *list ? *list : "", *list ? ", " : "",
                          feature_names[feature]);
}

static int measure_gain(slowdown_learned_job *j, double *gain);

const char *ts_learned_look(ts_arena *arena, ts_slowdown *model)
{
  slowdown_learned_job j = {.arena = arena};
  const char *wrong = NULL;
  if (!ts_xgboost_open(&j.x))
    return NULL;
  double most[TS_LEARNED_FEATURES] = {0}, gain[TS_LEARNED_FEATURES];
  ts_categories *categories = TS_NEW_ARRAY(arena, ts_categories, 2);
  for (int k = 0; k < 2 && model->learned[k] && !wrong; k++) {
    ts_learned_way way;
    wrong = load(&j, model->learned[k], &way);
    if (!wrong && measure_gain(&j, gain))
      wrong = ts_xgboost_error(&j.x, arena);
    for (uint32_t f = 0; f < TS_LEARNED_FEATURES && !wrong; f++)
      most[f] = fmax(most[f], gain[f]);
    categories[k] = j.categories;
    close_job(&j);
  }
  ts_xgboost_close(&j.x);
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (most[f] > 0 && never_known(f))
      list_feature(arena, is_supposed(&categories[0], f) ? &model->supposed : &model->unknown, f);
  model->categories = categories;
  return wrong;
}

const char *ts_learned_unseen(ts_arena *arena, const ts_slowdown *model, const ts_pair *pairs,
                              uint32_t count)
{
  ts_categories all;
  const char *unseen = NULL;
  take_categories(arena, pairs, count, &all);
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    for (uint32_t i = 0; i < all.count[f]; i++) {
      bool new = false;
      for (int k = 0; k < 2 && model->learned[k]; k++)
        new = new || (model->categories[k].count[f] &&
                      category(&model->categories[k], f, all.name[f][i]) ==
                        model->categories[k].count[f]);
      if (new)
        unseen = ts_arena_printf(arena, "%s%s%s `%s`", unseen ? unseen : "", unseen ? ", " : "",
                                 feature_names[f], all.name[f][i]);
    }
  return unseen;
}

static const char *predict_by(slowdown_learned_job *j, const char *path, const ts_pair *pairs,
                              uint32_t count, double *out)
{
  const float *found = NULL;
  uint64_t n = 0;
  ts_learned_way way = TS_LEARNED_FACTOR;
  const char *wrong = load(j, path, &way);
  if (wrong)
    return wrong;
  if (matrix(j, way, pairs, count, NULL, true, NULL, &j->data) ||
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
  slowdown_learned_job j = {.arena = arena};
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

static int measure_gain(slowdown_learned_job *j, double *gain)
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
    uint32_t f = field_of(&j->categories, strtoul(names[i] + 1, NULL, 10));
    if (f < TS_LEARNED_FEATURES && sum > 0)
      gain[f] += scores[i] / sum;
  }
  return 0;
}

static int predict_matrix(slowdown_learned_job *j, ts_learned_way way, const ts_pair *pairs,
                          const bool *hold, uint32_t count, double *out)
{
  const float *found = NULL;
  uint64_t n = 0;
  if (matrix(j, way, pairs, count, hold, true, NULL, &j->data_matrix) ||
      j->x.XGBoosterPredict(j->booster, j->data_matrix, 0, 0, 0, &n, &found))
    return -1;
  for (uint32_t i = 0, at = 0; i < count && at < n; i++)
    if (!hold || hold[i])
      out[i] = answer(way, &pairs[i], found[at++]);
  return 0;
}

/* Written beside its place and renamed, so that no half of it is ever there. The form is what the
 * path ends in. NULL, or what is wrong. */
static const char *save(slowdown_learned_job *j, const char *path)
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
  slowdown_learned_job j = {.arena = arena};
  if (!ts_xgboost_open(&j.x))
    return ts_xgboost_missing;
  take_categories(arena, pairs, count, &j.categories);
  take_usual(arena, pairs, count, &j.categories);
  int failed = matrix(&j, way, pairs, count, hold, false, factor, &j.data) || grow(&j, way) ||
               (out && predict_matrix(&j, way, pairs, hold, count, out)) ||
               (gain && measure_gain(&j, gain));
  const char *wrong = failed ? ts_xgboost_error(&j.x, j.arena) : path ? save(&j, path) : NULL;
  close_job(&j);
  ts_xgboost_close(&j.x);
  return wrong;
}
