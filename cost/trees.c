#include "cost/trees.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "base/xgboost.h"

typedef struct parameter { const char *name, *value; } parameter;

static const parameter common[] = {{"objective", "reg:squarederror"},
                                   {"nthread", "1"},
                                   {"verbosity", "0"},
                                   {"tree_method", "exact"},
                                   {"seed", "0"},
                                   {"base_score", "0"},
                                   {NULL, NULL}};
/* Shallow trees, small steps and leaves of several rows: tables have some hundred rows, and what
 * trees learn must hold on other devices. */
static const parameter boosted[] = {
  {"max_depth", "4"}, {"eta", "0.1"}, {"min_child_weight", "4"}, {NULL, NULL}};
/* Deep trees of samples, whose mean is smooth. */
static const parameter forest[] = {{"num_parallel_tree", "100"},
                                   {"max_depth", "8"},
                                   {"eta", "1"},
                                   {"subsample", "0.63"},
                                   {"colsample_bynode", "0.7"},
                                   {"min_child_weight", "2"},
                                   {"lambda", "0.1"},
                                   {NULL, NULL}};
static const struct { const parameter *own; int rounds;
} kinds[] = {[TS_TREES_BOOSTED] = {boosted, 100}, [TS_TREES_FOREST] = {forest, 1}};

static int set_all(const ts_xgboost *x, void *booster, const parameter *p)
{
  int failed = 0;
  for (; p->name && !failed; p++)
    failed = x->XGBoosterSetParam(booster, p->name, p->value);
  return failed;
}

static int number_at(const cJSON *array, int i)
{
  const cJSON *item = cJSON_GetArrayItem(array, i);
  return item ? item->valueint : TS_TREE_LEAF;
}

/* One tree of XGBoost's JSON format: parallel arrays, children -1 at leaves, whose answer stands
 * where others have the split. */
static bool take_tree(ts_arena *arena, const cJSON *tree, uint32_t first, ts_tree_node **node,
                      uint32_t *count)
{
  const cJSON *left = cJSON_GetObjectItemCaseSensitive(tree, "left_children"),
              *right = cJSON_GetObjectItemCaseSensitive(tree, "right_children");
  const cJSON *index = cJSON_GetObjectItemCaseSensitive(tree, "split_indices"),
              *value = cJSON_GetObjectItemCaseSensitive(tree, "split_conditions");
  int n = cJSON_GetArraySize(left);
  if (n < 1 || cJSON_GetArraySize(right) != n || cJSON_GetArraySize(index) != n ||
      cJSON_GetArraySize(value) != n)
    return false;
  *node =
    ts_arena_grow(arena, *node, *count * sizeof **node, (*count + (uint32_t)n) * sizeof **node);
  for (int i = 0; i < n; i++) {
    int less = number_at(left, i), otherwise = number_at(right, i);
    bool leaf = less < 0;
    if (!leaf && (less <= i || less >= n || otherwise <= i || otherwise >= n))
      return false;
    (*node)[(*count)++] = (ts_tree_node){
      leaf ? TS_TREE_LEAF : number_at(index, i), (float)cJSON_GetArrayItem(value, i)->valuedouble,
      leaf ? 0 : first + (uint32_t)less, leaf ? 0 : first + (uint32_t)otherwise};
  }
  return true;
}

static bool take_trees(ts_arena *arena, const char *text, uint64_t size, ts_trees *trees)
{
  cJSON *all = cJSON_ParseWithLength(text, size);
  const cJSON *list = all, *tree;
  static const char *const path[] = {"learner", "gradient_booster", "model", "trees"};
  for (int i = 0; i < 4; i++)
    list = cJSON_GetObjectItemCaseSensitive(list, path[i]);
  uint32_t *root = TS_NEW_ARRAY(arena, uint32_t, (size_t)cJSON_GetArraySize(list) + 1), roots = 0,
           count = 0;
  ts_tree_node *node = NULL;
  bool good = cJSON_GetArraySize(list) > 0;
  cJSON_ArrayForEach(tree, list) {
    root[roots++] = count;
    good = good && take_tree(arena, tree, count, &node, &count);
  }
  *trees = (ts_trees){roots, count, root, node};
  cJSON_Delete(all);
  return good;
}

bool ts_trees_grow(ts_arena *arena, ts_tree_kind kind, const double *input, uint32_t count,
                   uint32_t inputs, const double *target, ts_trees *trees, ts_error *error)
{
  ts_xgboost x;
  *trees = (ts_trees){0};
  if (!ts_xgboost_open(&x))
    return ts_fail(error, NULL, "%s", ts_xgboost_missing);
  float *row = TS_NEW_ARRAY(arena, float, (size_t)count *inputs + 1),
        *label = TS_NEW_ARRAY(arena, float, count + 1);
  for (size_t i = 0; i < (size_t)count * inputs; i++) row[i] = (float)input[i];
  for (uint32_t i = 0; i < count; i++) label[i] = (float)target[i];
  void *data = NULL, *booster = NULL;
  const char *text = NULL;
  bool good = true;
  uint64_t size = 0;
  int failed = x.XGDMatrixCreateFromMat(row, count, inputs, NAN, &data) ||
               x.XGDMatrixSetFloatInfo(data, "label", label, count) ||
               x.XGBoosterCreate(&data, 1, &booster);
  failed = failed || set_all(&x, booster, common) || set_all(&x, booster, kinds[kind].own);
  for (int i = 0; !failed && i < kinds[kind].rounds; i++)
    failed = x.XGBoosterUpdateOneIter(booster, i, data);
  if (failed || x.XGBoosterSaveModelToBuffer(booster, "{\"format\": \"json\"}", &size, &text))
    good = ts_fail(error, NULL, "%s", ts_xgboost_error(&x, arena));
  else if (!take_trees(arena, text, size, trees))
    good = ts_fail(error, NULL, "XGBoost's model is not as its format says");
  if (booster)
    x.XGBoosterFree(booster);
  if (data)
    x.XGDMatrixFree(data);
  ts_xgboost_close(&x);
  return good;
}

double ts_trees_sum(const ts_trees *trees, const double *input)
{
  double sum = 0;
  for (uint32_t t = 0; t < trees->root_count; t++) {
    const ts_tree_node *n = &trees->node[trees->root[t]];
    while (n->input != TS_TREE_LEAF)
      n = &trees->node[(float)input[n->input] < n->value ? n->less : n->otherwise];
    sum += n->value;
  }
  return sum;
}
