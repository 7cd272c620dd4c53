/* Reads and evaluates fit files. */
#include "cost/fit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/order.h"

enum { MAX_ROWS = 1 << 16, MAX_NODES = 1 << 20 };

double ts_fit_inputs(const ts_fit_model *m, const double *feature, double table, double *input)
{
  ts_model_time time = m->model->time(m->parameter, feature);
  for (uint32_t i = 0; i < m->input_count; i++)
    input[i] = ts_model_input_value(m->model, &m->input[i], m->parameter, feature, &time, table);
  return time.us;
}

static void take_range(ts_fit_model *m)
{
  uint32_t width = m->model->feature_count;
  for (uint32_t i = 0; i < m->row_count; i++)
    for (uint32_t f = 0; f < width; f++) {
      double x = m->row[(size_t)i * width + f];
      m->low[f] = i ? fmin(m->low[f], x) : x;
      m->high[f] = i ? fmax(m->high[f], x) : x;
    }
}

void ts_fit_prepare(ts_arena *arena, ts_fit_model *m, const double *weight)
{
  m->padded = (m->row_count + TS_FIT_BLOCK - 1) / TS_FIT_BLOCK * TS_FIT_BLOCK;
  float *w = TS_NEW_ARRAY(arena, float, m->padded);
  float *point[TS_FIT_MAX_KERNELS];
  for (uint32_t c = 0; c < m->kernel_count; c++)
    m->point[c] = point[c] = TS_NEW_ARRAY(arena, float, (size_t)m->padded * m->input_count);
  for (uint32_t i = 0; i < m->row_count; i++) {
    double input[TS_MODEL_MAX_INPUTS];
    ts_fit_inputs(m, m->row + (size_t)i * m->model->feature_count, m->row_table[i], input);
    w[i] = (float)weight[i];
    for (uint32_t c = 0; c < m->kernel_count; c++)
      for (uint32_t d = 0; d < m->input_count; d++)
        point[c][(size_t)d * m->padded + i] = (float)(input[d] / m->kernel[c].scale[d]);
  }
  m->weight = w;
  take_range(m);
}

/* Sums over the rows are kept apart in so many lanes, whatever the width of a register. */
enum { SUM_LANES = 8 };

#define LANES 4
#define LANED(name) name##_4
#include "cost/correlate.def"
#undef LANES
#undef LANED

#if defined __x86_64__
#define LANES 8
#define LANED(name) name##_8
#include "cost/correlate.def"
#undef LANES
#undef LANED

static __attribute__((target("avx2"))) double correlate_wide(const ts_fit_model *m, uint32_t c,
                                                             const float *at)
{
  return correlate_8(m, c, at);
}
#endif

/* Sum over the rows of weight times covariance with the point, of one kernel of deviation 1. */
static double correlate(const ts_fit_model *m, uint32_t c, const float *at)
{
#if defined __x86_64__
  if (__builtin_cpu_supports("avx2"))
    return correlate_wide(m, c, at);
#endif
  return correlate_4(m, c, at);
}

static double residual_at(const ts_fit_model *m, const double *input)
{
  double residual = m->shift + ts_trees_sum(&m->trees, input);
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    float at[TS_MODEL_MAX_INPUTS];
    for (uint32_t d = 0; d < m->input_count; d++) at[d] = (float)(input[d] / m->kernel[c].scale[d]);
    residual += m->kernel[c].deviation * m->kernel[c].deviation * correlate(m, c, at);
  }
  return residual;
}

/* Beyond the rows the physical model goes on from what is known at their edge: the correction stays
 * as it is there. It would fade, and what the rows were faster than physics would come on top of
 * the work that is added. */
double ts_fit_evaluate(const ts_fit_model *m, const double *feature)
{
  double input[TS_MODEL_MAX_INPUTS], edge[TS_MODEL_MAX_FEATURES],
    us = ts_fit_inputs(m, feature, 0, input);
  if (ts_fit_outside(m, feature, NULL) > 1) {
    for (uint32_t f = 0; f < m->model->feature_count; f++)
      edge[f] = m->high[f] > 0 ? fmin(fmax(feature[f], m->low[f]), m->high[f]) : feature[f];
    ts_fit_inputs(m, edge, 0, input);
  }
  return us * exp(residual_at(m, input));
}

static int compare_features(const double *a, const double *b, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int64_t stored_row(const ts_fit_model *m, const double *feature)
{
  uint32_t at, width = m->model->feature_count;
  TS_SEARCH(at, 0, m->own_rows, compare_features(m->row + (size_t)at * width, feature, width) < 0);
  return at < m->own_rows && !compare_features(m->row + (size_t)at * width, feature, width) ?
           (int64_t)at :
           -1;
}

static bool is_type_of(const ts_fit_model *m, const char *dtype)
{
  if (ts_kernel_model_is_of_bytes(m->model)) /* of whatever type */
    return true;
  if (!m->dtype) /* of a table that does not say */
    return true;
  return dtype && (strcmp(m->dtype, dtype) == 0 || (m->also && strcmp(m->also, dtype) == 0));
}

double ts_fit_outside(const ts_fit_model *m, const double *feature, uint32_t *furthest)
{
  double max = 1;
  for (uint32_t f = 0; f < m->model->feature_count; f++) {
    double far = m->high[f] > 0 ? fmax(feature[f] / m->high[f], m->low[f] / feature[f]) : 1;
    if (far <= max)
      continue;
    max = far;
    if (furthest)
      *furthest = f;
  }
  return max;
}

static void note_range(const ts_fit_model *m, const double *feature, ts_cost_answer *answer)
{
  uint32_t f = 0;
  answer->far = ts_fit_outside(m, feature, &f);
  if (answer->far > 1)
    answer->beyond = m->model->feature[f], answer->value = feature[f], answer->low = m->low[f],
    answer->high = m->high[f];
}

/* What is left of a time with another floor: both times are the physical model's. */
static double share_above(const ts_fit_model *m, double floor, const double *feature)
{
  double p[TS_MODEL_MAX_PARAMETERS];
  memcpy(p, m->parameter, sizeof p);
  p[TS_PARAMETER_FLOOR] = floor * 1e6;
  return m->model->time(p, feature).us / m->model->time(m->parameter, feature).us;
}

bool ts_fit_ask(const ts_fit *fit, double floor, const ts_cost_query *query,
                ts_cost_answer *answer)
{
  for (uint32_t i = 0; i < fit->model_count; i++) {
    const ts_fit_model *m = &fit->model[i];
    double feature[TS_MODEL_MAX_FEATURES];
    if (strcmp(m->family, query->family) != 0 || !is_type_of(m, query->dtype))
      continue;
    ts_cost_query same = *query;
    if (ts_kernel_model_is_of_bytes(m->model)) /* nor do features matter */
      same.feature_count = 0;
    if (!ts_query_values(&same, m->model->feature_count, m->model->feature, feature))
      continue;
    bool positive = true;
    for (uint32_t f = 0; f < m->model->feature_count; f++)
      positive = positive && feature[f] > 0 && isfinite(feature[f]);
    if (!positive)
      continue;
    int64_t row = stored_row(m, feature);
    double us = row >= 0 ? m->row_us[row] : ts_fit_evaluate(m, feature);
    bool whole = !m->model->share && !(floor > 0);
    if (m->model->share)
      us *= m->model->share(m->parameter, feature);
    if (floor > 0)
      us *= share_above(m, floor, feature);
    *answer = (ts_cost_answer){.seconds = us * 1e-6,
                               .basis = row >= 0 && whole ? TS_COST_MEASURED : TS_COST_FITTED};
    note_range(m, feature, answer);
    return isfinite(us) && us > 0;
  }
  return false;
}

const char *ts_fit_provenance(const ts_fit *fit) { return fit->provenance; }

const char *ts_fit_device(const ts_fit *fit) { return fit->device; }

const char *ts_fit_learners(const ts_fit *fit, ts_arena *arena)
{
  const char *text = "";
  for (uint32_t i = 0; i < fit->model_count; i++)
    if (fit->model[i].learner)
      text = ts_arena_printf(arena, "%s%s%s by %s", text, *text ? ", " : "", fit->model[i].family,
                             fit->model[i].learner);
  return text;
}

uint32_t ts_fit_families(const ts_fit *fit, const char **family, uint32_t room)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < fit->model_count; i++)
    if ((!i || strcmp(fit->model[i].family, fit->model[i - 1].family) != 0) && n++ < room)
      family[n - 1] = fit->model[i].family;
  return n;
}

/* Reading. The JSON library keeps no places, so errors name the path in the document. */
typedef struct fit_reader {
  ts_arena *arena;
  ts_error *error;
  const char *text;
  const char *path;
} fit_reader;

/* Of what stands at the path. */
static bool fit_wrong(const fit_reader *r, const char *format, ...)
  __attribute__((format(printf, 2, 3)));
static bool fit_wrong(const fit_reader *r, const char *format, ...)
{
  const char *what;
  TS_FORMATTED(r->arena, format, what);
  return ts_fail_at(r->error, r->text, 0, 0, NULL, "%s: %s", r->path, what);
}

static bool get_number(fit_reader *r, const cJSON *in, const char *name, double min, double max,
                       double *value)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  if (!cJSON_IsNumber(item))
    return fit_wrong(r, "`%s` is missing or not a number", name);
  *value = item->valuedouble;
  return (*value >= min && *value <= max) ||
         fit_wrong(r, "`%s` is %g, not within %g and %g", name, *value, min, max);
}

static bool get_string(fit_reader *r, const cJSON *in, const char *name, const char **value)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  if (!cJSON_IsString(item))
    return fit_wrong(r, "`%s` is missing or not a string", name);
  *value = ts_arena_string(r->arena, item->valuestring, strlen(item->valuestring));
  return true;
}

static bool get_numbers(fit_reader *r, const cJSON *array, const char *name, uint32_t count,
                        double *value)
{
  if (!cJSON_IsArray(array) || (uint32_t)cJSON_GetArraySize(array) != count)
    return fit_wrong(r, "`%s` is not a list of %u numbers", name, count);
  const cJSON *item;
  uint32_t i = 0;
  cJSON_ArrayForEach(item, array) {
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
      return fit_wrong(r, "`%s` is not a list of %u numbers", name, count);
    value[i++] = item->valuedouble;
  }
  return true;
}

static bool read_kernels(fit_reader *r, const cJSON *in, ts_fit_model *m)
{
  const cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(in, "inputs");
  if (!get_number(r, in, "shift", -1, 1, &m->shift))
    return false;
  cJSON_ArrayForEach(item, list) {
    if (m->input_count == TS_MODEL_MAX_INPUTS)
      return fit_wrong(r, "more than %d inputs", TS_MODEL_MAX_INPUTS);
    if (!cJSON_IsString(item) ||
        !ts_model_input_parse(m->model, item->valuestring, &m->input[m->input_count++]))
      return fit_wrong(r, "model `%s` has no input \"%s\"", m->model->name,
                       cJSON_IsString(item) ? item->valuestring : "");
  }
  const cJSON *noise = cJSON_GetObjectItemCaseSensitive(in, "noise");
  m->noise = cJSON_IsNumber(noise) && noise->valuedouble > 0 ? noise->valuedouble : 0;
  list = cJSON_GetObjectItemCaseSensitive(in, "kernels");
  cJSON_ArrayForEach(item, list) {
    if (m->kernel_count == TS_FIT_MAX_KERNELS)
      return fit_wrong(r, "more than %d kernels", TS_FIT_MAX_KERNELS);
    ts_fit_kernel *kernel = &m->kernel[m->kernel_count++];
    if (!get_number(r, item, "smoothness", 0.5, 1.5, &kernel->smoothness) ||
        !get_number(r, item, "deviation", 0, 10, &kernel->deviation) ||
        !get_numbers(r, cJSON_GetObjectItemCaseSensitive(item, "scale"), "scale", m->input_count,
                     kernel->scale))
      return false;
    for (uint32_t d = 0; d < m->input_count; d++)
      if (!(kernel->scale[d] > 1e-6))
        return fit_wrong(r, "a scale is not positive");
  }
  return true;
}

/* Rows are the features, the time in microseconds, the weight and the table. */
static bool read_rows(fit_reader *r, const cJSON *list, ts_fit_model *m)
{
  uint32_t width = m->model->feature_count,
           count = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 0;
  if (count > MAX_ROWS)
    return fit_wrong(r, "more than %d rows", MAX_ROWS);
  double *row = TS_NEW_ARRAY(r->arena, double, (size_t)count *width),
         *us = TS_NEW_ARRAY(r->arena, double, count);
  double *weight = TS_NEW_ARRAY(r->arena, double, count),
         *table = TS_NEW_ARRAY(r->arena, double, count);
  const cJSON *item;
  cJSON_ArrayForEach(item, list) {
    double cells[TS_MODEL_MAX_FEATURES + 3], *to = row + (size_t)m->row_count * width;
    if (!get_numbers(r, item, "rows", width + 3, cells))
      return false;
    memcpy(to, cells, width * sizeof *to);
    for (uint32_t f = 0; f < width; f++)
      if (!(to[f] > 0))
        return fit_wrong(r, "row %u has a feature that is not positive", m->row_count + 1);
    if (!(cells[width] > 0))
      return fit_wrong(r, "row %u has a time that is not positive", m->row_count + 1);
    double before = m->row_count ? table[m->row_count - 1] : 0;
    if (cells[width + 2] < before || (cells[width + 2] == before && m->row_count &&
                                      compare_features(to - width, to, width) >= 0))
      return fit_wrong(r, "row %u is not in order", m->row_count + 1);
    m->own_rows += cells[width + 2] == 0;
    us[m->row_count] = cells[width], table[m->row_count] = cells[width + 2];
    weight[m->row_count++] = cells[width + 1];
  }
  m->row = row, m->row_us = us, m->row_table = table;
  ts_fit_prepare(r->arena, m, weight);
  return true;
}

/* Nodes are input, value, less, otherwise; a list of them a tree, counted from its first. An input
 * of -1 is a leaf. Ways lead to later nodes, so that they end. */
static bool read_trees(fit_reader *r, const cJSON *list, ts_fit_model *m)
{
  const cJSON *tree, *item;
  TS_VEC(uint32_t) root = {0};
  TS_VEC(ts_tree_node) node = {0};
  cJSON_ArrayForEach(tree, list) {
    uint32_t first = (uint32_t)node.count,
             size = cJSON_IsArray(tree) ? (uint32_t)cJSON_GetArraySize(tree) : 0, at = 0;
    if (!size || first + size > MAX_NODES)
      return fit_wrong(r, "tree %zu has no nodes, or there are more than %d in all", root.count + 1,
                       MAX_NODES);
    TS_PUSH(r->arena, &root, first);
    cJSON_ArrayForEach(item, tree) {
      double cell[4];
      if (!get_numbers(r, item, "trees", 4, cell))
        return false;
      bool leaf = cell[0] == TS_TREE_LEAF;
      if (!leaf && !(cell[0] >= 0 && cell[0] < m->input_count && cell[2] >= at + 1.0 &&
                     cell[2] < size && cell[3] >= at + 1.0 && cell[3] < size))
        return fit_wrong(r, "node %u of tree %zu leads nowhere", at, root.count);
      TS_PUSH(
        r->arena, &node,
        ((ts_tree_node){(int32_t)cell[0], (float)cell[1], leaf ? 0 : first + (uint32_t)cell[2],
                        leaf ? 0 : first + (uint32_t)cell[3]}));
      at++;
    }
  }
  m->trees = (ts_trees){(uint32_t)root.count, (uint32_t)node.count, root.at, node.at};
  return true;
}

/* Of each feature, where the file says; that of the rows it keeps otherwise. */
static bool read_range(fit_reader *r, const cJSON *list, ts_fit_model *m)
{
  uint32_t width = m->model->feature_count, at = 0;
  const cJSON *item;
  if (list && (uint32_t)cJSON_GetArraySize(list) != width)
    return fit_wrong(r, "`range` is not a list of %u ranges", width);
  cJSON_ArrayForEach(item, list) {
    double ends[2];
    if (!get_numbers(r, item, "range", 2, ends))
      return false;
    if (!(ends[0] > 0 && ends[0] <= ends[1]))
      return fit_wrong(r, "a range does not rise from a positive number");
    m->low[at] = ends[0], m->high[at++] = ends[1];
  }
  return true;
}

/* The features that a model `powers` has; NULL: none, or too many. */
static const ts_kernel_model *read_powers(fit_reader *r, const cJSON *list)
{
  const char *feature[TS_MODEL_MAX_FEATURES];
  uint32_t count = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, list) {
    if (!cJSON_IsString(item) || count == TS_MODEL_MAX_FEATURES)
      return NULL;
    feature[count++] = ts_arena_string(r->arena, item->valuestring, strlen(item->valuestring));
  }
  return ts_kernel_model_powers(r->arena, feature, count);
}

static bool read_model(fit_reader *r, const cJSON *in, ts_fit_model *m)
{
  const char *name = NULL;
  if (!get_string(r, in, "family", &m->family) || !get_string(r, in, "dtype", &m->dtype) ||
      !get_string(r, in, "model", &name))
    return false;
  if (cJSON_HasObjectItem(in, "also") && !get_string(r, in, "also", &m->also))
    return false;
  r->path = ts_arena_printf(r->arena, "model of %s %s", m->family, m->dtype);
  if (cJSON_HasObjectItem(in, "learner") && !get_string(r, in, "learner", &m->learner))
    return false;
  m->model = strcmp(name, "powers") ?
               ts_kernel_model_find(name) :
               read_powers(r, cJSON_GetObjectItemCaseSensitive(in, "features"));
  if (!m->model)
    return fit_wrong(r, "there is no model `%s`", name);
  const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(in, "parameters");
  for (uint32_t i = 0; i < m->model->parameter_count; i++)
    if (!get_number(r, parameters, m->model->parameter[i], 1e-9, 1e9, &m->parameter[i]))
      return false;
  const cJSON *residual = cJSON_GetObjectItemCaseSensitive(in, "residual");
  if (residual && !(read_kernels(r, residual, m) &&
                    read_rows(r, cJSON_GetObjectItemCaseSensitive(residual, "rows"), m) &&
                    read_trees(r, cJSON_GetObjectItemCaseSensitive(residual, "trees"), m)))
    return false;
  return read_range(r, cJSON_GetObjectItemCaseSensitive(in, "range"), m);
}

/* "device: name (sha256 ...)" for each file of data. */
static bool read_data(fit_reader *r, const cJSON *list, ts_fit *fit)
{
  const cJSON *item;
  fit->provenance = fit->device;
  r->path = "data";
  cJSON_ArrayForEach(item, list) {
    const char *file = NULL, *sha256 = NULL;
    if (!get_string(r, item, "file", &file) || !get_string(r, item, "sha256", &sha256))
      return false;
    ts_fit_data data = {file, sha256, "", 0};
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(item, "rows"), *line;
    data.rows = cJSON_IsNumber(rows) && rows->valuedouble > 0 ? (uint32_t)rows->valueint : 0;
    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(item, "source")) {
      if (cJSON_IsString(line))
        data.source = ts_arena_printf(r->arena, "%s%s%s", data.source, *data.source ? "\n" : "",
                                      line->valuestring);
    }
    TS_PUSH(r->arena, &fit->data, data);
    fit->provenance =
      ts_arena_printf(r->arena, "%s; %s sha256 %.12s", fit->provenance, file, sha256);
  }
  return true;
}

static bool read_fit(fit_reader *r, const cJSON *root, ts_fit *fit)
{
  double version;
  r->path = "fit file";
  if (!get_number(r, root, "trainspec-fit", TS_FIT_VERSION, TS_FIT_VERSION, &version) ||
      !get_string(r, root, "device", &fit->device) ||
      !read_data(r, cJSON_GetObjectItemCaseSensitive(root, "data"), fit))
    return false;
  const cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(root, "models");
  uint32_t room = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 0;
  ts_fit_model *models = TS_NEW_ARRAY(r->arena, ts_fit_model, room);
  fit->model = models;
  cJSON_ArrayForEach(item, list) {
    r->path = ts_arena_printf(r->arena, "model %u", fit->model_count + 1);
    if (!read_model(r, item, &models[fit->model_count++]))
      return false;
  }
  return fit->model_count > 0 || ts_fail_at(r->error, r->text, 0, 0, NULL, "the fit has no models");
}

ts_fit *ts_fit_read(ts_arena *arena, const char *text, size_t size, ts_error *error)
{
  const char *end = NULL;
  fit_reader r = {.arena = arena, .error = error, .text = text};
  cJSON *root = ts_json_tree(text, size, &end);
  if (!root) {
    size_t at = end ? (size_t)(end - text) : 0;
    return ts_fail_at(error, text, at, at, NULL, "not JSON from here on"), NULL;
  }
  ts_fit *fit = TS_NEW(arena, ts_fit);
  bool good = read_fit(&r, root, fit);
  cJSON_Delete(root);
  return good ? fit : NULL;
}
