#include "compiler/lower/traced_models.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/report.h"
#include "compiler/lower/device.h"
#include "compiler/lower/single_kernels.h"
#include "cost/operators.h"

enum { MOST_GPUS = 16 };

/* Rows of one physical model, one number format and one direction make a class; what only moves
 * data is one class, of all formats and both directions. */
typedef struct class_key {
  const ts_kernel_model *model;
  const char *dtype;
  ts_direction direction;
} class_key;

typedef struct traced_models_row { /* a direction of a measured op */
  class_key key;
  const char *family;
  double feature[TS_MODEL_MAX_FEATURES];
} traced_models_row;

typedef struct trained {
  class_key key;
  const ts_op_class *class;
  const ts_op_device *device; /* by gpu */
} trained;

struct ts_traced_models {
  ts_session *s;
  uint32_t gpu_count, to;
  const ts_value *gpu[MOST_GPUS]; /* distinct: of the samples, and the plan's */
  const ts_value *from;           /* that ran the model's table */
  const ts_kernel_model *moving;  /* of what only moves data */
  ts_single_kernels singles;
  TS_VEC(trained) classes;
};

/* -- rows -- */

static bool feature_of(const ts_kernel *k, const char *name, double *value)
{
  *value = strcmp(name, "count") ? 0 : 1;
  for (uint32_t i = 0; i < k->feature_count; i++)
    if (!strcmp(k->features[i].name, name))
      *value = k->features[i].value;
  return *value > 0;
}

/* The physical model of a kernel that computes, by its sizes; convolutions are products too. */
static const ts_kernel_model *model_of(const ts_kernel *k, double *feature)
{
  static const char *const computes[] = {"gemm", "attention_apart", "attention"};
  for (size_t i = 0; i < sizeof computes / sizeof *computes; i++) {
    const ts_kernel_model *m = ts_kernel_model_find(computes[i]);
    uint32_t f = 0;
    while (f < m->feature_count && feature_of(k, m->feature[f], &feature[f]))
      f++;
    if (f == m->feature_count)
      return m;
  }
  return NULL;
}

/* Of all kernels of a direction. */
static double traced_models_bytes_of(const ts_work *work, ts_direction direction)
{
  double bytes = 0;
  for (int p = 0; p < TS_PHASES; p++)
    for (uint32_t k = 0; ts_direction_of((ts_phase)p) == direction && k < work->phase[p].count; k++)
      bytes += work->phase[p].at[k].host_only ? 0 : work->phase[p].at[k].bytes;
  return bytes;
}

/* Products of many small matrices in one launch run on other kernels where they widen than where
 * they sum up: scores and values of attention. */
static const char *family_of(const ts_traced_models *t, const char *kind,
                             const traced_models_row *r)
{
  bool product = !strncmp(r->key.model->name, "gemm", 4) && r->feature[3] > 1;
  return ts_arena_printf(t->s->arena, "%s%s%s", kind,
                         !product                          ? "" :
                         r->feature[1] > r->feature[2] ? ", wide" :
                                                             ", deep",
                         r->key.direction == TS_TRACED_BACKWARD ? ", backward" : "");
}

/* The largest kernel of the forward that computes says what an op is, in both directions, since
 * tables have one time for the whole backward. An op without one is known by its bytes. False: it
 * moves nothing either. */
static bool describe(const ts_traced_models *t, const ts_measured *m, const ts_work *work,
                     ts_direction direction, traced_models_row *r)
{
  const ts_kernels *forward = &work->phase[TS_PHASE_FORWARD];
  double most = 0, feature[TS_MODEL_MAX_FEATURES] = {0};
  *r = (traced_models_row){.key = {t->moving, "", direction}};
  for (uint32_t i = 0; i < forward->count; i++) {
    const ts_kernel *k = &forward->at[i];
    const ts_kernel_model *model = k->dtype && k->flops > most ? model_of(k, feature) : NULL;
    if (!model)
      continue;
    most = k->flops;
    r->key.model = model, r->key.dtype = k->dtype->name;
    memcpy(r->feature, feature, sizeof r->feature);
  }
  if (direction == TS_TRACED_BACKWARD && !strcmp(r->key.model->name, "gemm"))
    r->key.model = ts_kernel_model_find("gemm_backward");
  if (!(most > 0))
    r->feature[0] = traced_models_bytes_of(work, direction);
  r->family = family_of(t, m->kind, r);
  return r->feature[0] > 0;
}

static bool same_class(const class_key *a, const class_key *b)
{
  return a->model == b->model && !strcmp(a->dtype, b->dtype) &&
         (a->direction == b->direction || !*a->dtype);
}

static const trained *traced_models_class_of(const ts_traced_models *t, const class_key *key)
{
  for (size_t i = 0; i < t->classes.count; i++)
    if (same_class(&t->classes.at[i].key, key))
      return &t->classes.at[i];
  return NULL;
}

/* -- gpus -- */

static const char *traced_models_name_of(const ts_value *gpu)
{
  return gpu->u.record->name ? gpu->u.record->name : "gpu";
}

static double quantity(const ts_value *gpu, const char *field, double otherwise)
{
  const ts_value *v = ts_record_find(gpu->u.record, field);
  return v && v->type == TS_T_QUANTITY && v->u.real > 0 ? v->u.real :
         v && v->type == TS_T_INT && v->u.integer > 0   ? (double)v->u.integer :
                                                          otherwise;
}

static bool lacks(ts_session *s, const ts_value *gpu, const char *what)
{
  ts_diag *d = ts_report(s, TS_E0503, gpu->span, "gpu `%s` states no usable %s",
                         traced_models_name_of(gpu), what);
  ts_diag_here(d, "models of traced operators scale with it");
  ts_diag_help(d, "add it to the declaration of the gpu, or trace without `from`");
  return false;
}

/* What its declaration says, for a number format ("": any). Latencies are the same on all, since
 * declarations state no clock. */
static bool sheet_of(ts_session *s, const ts_value *gpu, const char *dtype, ts_op_device *sheet)
{
  const ts_value *peaks = ts_record_find(gpu->u.record, "peak"),
                 *peak = peaks && peaks->type == TS_T_RECORD ?
                           ts_dtype_peak(peaks->u.record, *dtype ? dtype : "fp32") :
                           NULL;
  *sheet = (ts_op_device){.name = traced_models_name_of(gpu),
                          .tflops = peak && peak->type == TS_T_QUANTITY ? 1e-12 * peak->u.real : 0,
                          .terabytes_per_s = quantity(gpu, "bandwidth", 0) / 8e12,
                          .watts = quantity(gpu, "watts", 0),
                          .units = quantity(gpu, "sms", 0),
                          .gigahertz = 1,
                          .cache_megabytes = quantity(gpu, "l2", 0) / 8e6};
  if (!*dtype)
    sheet->tflops = 1;
  if (!(sheet->tflops > 0))
    return lacks(s, gpu, ts_arena_printf(s->arena, "`peak` of `%s`", dtype));
  return (sheet->terabytes_per_s > 0 || lacks(s, gpu, "`bandwidth`")) &&
         (sheet->units > 0 || lacks(s, gpu, "`sms`, the number of its processors,"));
}

/* gpu_count: not among them. */
static uint32_t index_of(const ts_traced_models *t, const ts_value *gpu)
{
  uint32_t i = 0;
  while (i < t->gpu_count && t->gpu[i]->u.record != gpu->u.record &&
         strcmp(traced_models_name_of(t->gpu[i]), traced_models_name_of(gpu)))
    i++;
  return i;
}

/* False: too many. */
static bool add_gpu(ts_traced_models *t, const ts_value *gpu)
{
  if (index_of(t, gpu) == t->gpu_count && t->gpu_count < MOST_GPUS)
    t->gpu[t->gpu_count++] = gpu;
  return index_of(t, gpu) < t->gpu_count;
}

/* Whether all of them state how large their cache is. */
static bool know_caches(const ts_traced_models *t)
{
  for (uint32_t i = 0; i < t->gpu_count; i++)
    if (!(quantity(t->gpu[i], "l2", 0) > 0))
      return false;
  return true;
}

/* -- training -- */

typedef struct gathered { /* rows of a family */
  const char *family;
  TS_VEC(double) feature;
  TS_VEC(double) us;
  TS_VEC(uint32_t) device;
} gathered;
typedef TS_VEC(gathered) families;

static gathered *family_in(ts_arena *arena, families *all, const char *name)
{
  for (size_t i = 0; i < all->count; i++)
    if (!strcmp(all->at[i].family, name))
      return &all->at[i];
  TS_PUSH(arena, all, (gathered){.family = name});
  return &all->at[all->count - 1];
}

static void traced_models_add_row(ts_arena *arena, families *all, const traced_models_row *r,
                                  double us, uint32_t device)
{
  gathered *f = family_in(arena, all, r->family);
  for (uint32_t k = 0; k < r->key.model->feature_count; k++)
    TS_PUSH(arena, &f->feature, r->feature[k]);
  TS_PUSH(arena, &f->us, us);
  TS_PUSH(arena, &f->device, device);
}

/* A family of a table is a kind of op: its rows are as those of the op's forward. */
static traced_models_row of_single(const ts_traced_models *t, const ts_single_kernel *k)
{
  traced_models_row r = {.key = {k->model ? k->model : t->moving, k->dtype, TS_TRACED_FORWARD}};
  memcpy(r.feature, k->feature, sizeof r.feature);
  r.family = family_of(t, k->family, &r);
  return r;
}

static families traced_models_gather(ts_traced_models *t, const ts_graph *g, const class_key *key)
{
  ts_arena *arena = t->s->arena;
  families all = {0};
  for (size_t i = 0; i < g->samples.count; i++) {
    const ts_measured *m = g->samples.at[i];
    for (int way = 0; way < TS_TRACED_DIRECTIONS; way++) {
      traced_models_row r;
      if (!(m->seconds[way] > 0) || !describe(t, m, &m->work, (ts_direction)way, &r) ||
          !same_class(&r.key, key))
        continue;
      traced_models_add_row(arena, &all, &r, 1e6 * m->seconds[way], index_of(t, m->gpu));
    }
  }
  for (size_t i = 0; i < t->singles.count; i++) {
    const ts_single_kernel *k = &t->singles.at[i];
    traced_models_row r = of_single(t, k);
    if (same_class(&r.key, key))
      traced_models_add_row(arena, &all, &r, k->us, index_of(t, k->gpu));
  }
  return all;
}

static bool train(ts_traced_models *t, const ts_graph *g, const class_key *key, double *exponent)
{
  ts_arena *arena = t->s->arena;
  ts_op_device *device = TS_NEW_ARRAY(arena, ts_op_device, t->gpu_count);
  for (uint32_t i = 0; i < t->gpu_count; i++)
    if (!sheet_of(t->s, t->gpu[i], key->dtype, &device[i]))
      return false;
  families all = traced_models_gather(t, g, key);
  ts_op_rows *rows = TS_NEW_ARRAY(arena, ts_op_rows, all.count);
  for (size_t f = 0; f < all.count; f++)
    rows[f] = (ts_op_rows){all.at[f].family, (uint32_t)all.at[f].us.count, all.at[f].feature.at,
                           all.at[f].us.at, all.at[f].device.at};
  const ts_op_class *c = ts_op_train(arena, key->model, device, t->gpu_count, rows,
                                     (uint32_t)all.count, exponent);
  memcpy(exponent, c->exponent, sizeof c->exponent);
  TS_PUSH(arena, &t->classes, ((trained){*key, c, device}));
  return true;
}

/* Classes in the order in which each goes by the exponents of those before: what moves data tells
 * that of floors, products that of power. */
static bool train_all(ts_traced_models *t, const ts_graph *g)
{
  TS_VEC(class_key) keys = {0};
  double exponent[TS_OP_EXPONENTS] = {0};
  for (int computes = 0; computes < 2; computes++)
    for (int way = 0; way < TS_TRACED_DIRECTIONS; way++)
      for (size_t i = 0; i < g->samples.count; i++) {
        const ts_measured *m = g->samples.at[i];
        traced_models_row r;
        bool known = !(m->seconds[way] > 0) ||
                     !describe(t, m, &m->work, (ts_direction)way, &r) ||
                     !!*r.key.dtype != computes;
        for (size_t k = 0; k < keys.count && !known; k++)
          known = same_class(&keys.at[k], &r.key);
        if (known)
          continue;
        TS_PUSH(t->s->arena, &keys, r.key);
        if (!train(t, g, &r.key, exponent))
          return false;
      }
  return true;
}

/* A file that names its device names that of `from`. */
static bool check_device(ts_session *s, const ts_measured *m)
{
  if (!m->device || ts_gpu_called(s, m->gpu, m->device))
    return true;
  ts_diag *d = ts_report(s, TS_E0523, m->span, "`%s` was not recorded on `%s`", m->source,
                         traced_models_name_of(m->gpu));
  ts_diag_here(d, "it names its device, `%s`", m->device);
  ts_diag_help(d,
               "name the gpu that ran it; if it is this one, declare so: `called = [\"%s\"]`",
               m->device);
  return false;
}

static bool traced_models_too_many(ts_session *s, ts_span at)
{
  ts_diag *d = ts_report(s, TS_E0523, at, "more than %d gpus", MOST_GPUS);
  ts_diag_here(d, "tables of so many are learned from");
  ts_diag_help(d, "learn from fewer tables");
  return false;
}

static const ts_measured *of_model(const ts_graph *g)
{
  for (size_t i = 0; i < g->ops.count; i++)
    if (g->ops.at[i].measured)
      return g->ops.at[i].measured;
  return NULL;
}

bool ts_traced_models_train(ts_session *s, const ts_plan *plan, const ts_graph *g,
                            ts_traced_models **models)
{
  const ts_measured *own = of_model(g);
  *models = NULL;
  if (!own || !own->gpu)
    return true;
  ts_traced_models *t = TS_NEW(s->arena, ts_traced_models);
  *t = (ts_traced_models){.s = s, .from = own->gpu};
  for (size_t i = 0; i < g->samples.count; i++) {
    const ts_measured *m = g->samples.at[i];
    if (!check_device(s, m))
      return false;
    if (!add_gpu(t, m->gpu))
      return traced_models_too_many(s, m->span);
  }
  if (!ts_single_kernels_read(s, plan, g, &t->singles))
    return false;
  for (size_t i = 0; i < t->singles.count; i++)
    if (!add_gpu(t, t->singles.at[i].gpu))
      return traced_models_too_many(s, t->singles.at[i].gpu->span);
  const ts_value *plans = ts_plan_gpu(s, plan, own->gpu);
  plans = plans ? plans : own->gpu;
  if (!add_gpu(t, plans))
    return traced_models_too_many(s, plans->span);
  t->to = index_of(t, plans);
  t->moving = ts_kernel_model_find(know_caches(t) ? "cached" : "segments");
  if (!train_all(t, g))
    return false;
  *models = t;
  return true;
}

/* -- asking -- */

double ts_traced_models_ratio(const ts_traced_models *t, const ts_measured *m, const ts_work *work,
                              ts_direction direction)
{
  traced_models_row now, then;
  uint32_t from = index_of(t, m->gpu);
  if (!describe(t, m, &m->work, direction, &then) || !describe(t, m, work, direction, &now))
    return 0;
  const trained *c = traced_models_class_of(t, &then.key);
  if (!c || !same_class(&now.key, &then.key))
    return 0;
  const ts_op_family *f = ts_op_family_of(c->class, then.family);
  double was = ts_op_time(c->class, f, &c->device[from], then.feature);
  return was > 0 ? ts_op_time(c->class, f, &c->device[t->to], now.feature) / was : 0;
}

double ts_traced_models_moved(const ts_traced_models *t, double bytes)
{
  const class_key key = {t->moving, "", TS_TRACED_FORWARD};
  const trained *c = traced_models_class_of(t, &key);
  if (!c || !(bytes > 0) || !isfinite(bytes))
    return 0;
  uint32_t from = index_of(t, t->from);
  return ts_op_time(c->class, NULL, &c->device[t->to], &bytes) /
         ts_op_time(c->class, NULL, &c->device[from], &bytes);
}

bool ts_traced_models_other(const ts_traced_models *t)
{
  return t->to != index_of(t, t->from);
}

const char *ts_traced_models_device(const ts_traced_models *t)
{
  return traced_models_name_of(t->gpu[t->to]);
}

const char *ts_traced_models_name(const ts_traced_models *t, const char *table)
{
  if (ts_traced_models_other(t))
    return ts_arena_printf(t->s->arena, "%s to %s by models of %s", traced_models_name_of(t->from),
                           ts_traced_models_device(t), table);
  return ts_arena_printf(t->s->arena, "models of %s", table);
}
