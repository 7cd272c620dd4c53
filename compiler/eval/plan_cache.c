#include "compiler/eval/plan_cache.h"

#include "base/hash_table.h"
#include "compiler/eval/env.h"
#include "compiler/eval/files.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/reuse.h"

enum { MOST_KEPT = 4096 };

typedef struct parameter {
  uint32_t place;
  ts_value value;
} parameter;

typedef struct axis {
  const char *name;
  int64_t size;
} axis;

typedef struct plan_cache_entry {
  const void *what, *result;
  int64_t number;
  uint32_t before; /* the one before of the same `what` and number, + 1 */
  ts_touched touched;
  uint32_t count, axis_count;
  const parameter *parameters; /* that were looked at */
  const axis *axes;            /* of the mesh, if it was */
} plan_cache_entry;

struct ts_plan_cache {
  const ts_env *plan;
  TS_VEC(plan_cache_entry) all;
  ts_hash_table newest; /* of each `what` and number */
};

ts_plan_cache *ts_plan_cache_new(ts_session *s) { return TS_NEW(s->lasting, ts_plan_cache); }

void ts_plan_cache_watch(ts_session *s, ts_env *plan)
{
  if (!s->reuse->plan_cache)
    return;
  plan->watched = true;
  s->reuse->plan_cache->plan = plan;
}

/* Values that say all by themselves. Where they were written is a part: messages quote it. */
static bool is_plain(const ts_value *v)
{
  return v->type == TS_T_NONE || v->type == TS_T_INT || v->type == TS_T_REAL ||
         v->type == TS_T_BOOL || v->type == TS_T_STRING || v->type == TS_T_QUANTITY ||
         v->type == TS_T_DTYPE;
}

static bool plan_cache_same(const ts_value *a, const ts_value *b)
{
  if (a->type != b->type || a->span.file != b->span.file || a->span.begin != b->span.begin ||
      a->span.end != b->span.end)
    return false;
  switch (a->type) {
  case TS_T_NONE: return true;
  case TS_T_INT: return a->u.integer == b->u.integer;
  case TS_T_REAL:
  case TS_T_QUANTITY:
    return !(a->u.real < b->u.real || a->u.real > b->u.real) &&
           ts_dimension_equal(a->dimension, b->dimension);
  case TS_T_BOOL: return a->u.truth == b->u.truth;
  case TS_T_STRING: return a->u.string == b->u.string;
  case TS_T_DTYPE: return a->u.dtype == b->u.dtype;
  default: return false;
  }
}

/* The mesh has the same axes, and those whose size mattered the same size. */
static bool same_mesh(const plan_cache_entry *k, const ts_mesh *mesh)
{
  if (k->axis_count != mesh->count)
    return false;
  for (uint32_t a = 0; a < mesh->count; a++) {
    int64_t was = k->axes[a].size, is = mesh->axis[a].size;
    if (k->axes[a].name != mesh->axis[a].name || ((k->touched.sizes >> a & 1) && was != is) ||
        ((k->touched.ones >> a & 1) && (was == 1) != (is == 1)))
      return false;
  }
  return true;
}

static bool plan_cache_holds(const plan_cache_entry *k, const ts_session *s)
{
  const ts_env *plan = s->reuse->plan_cache->plan;
  if (k->touched.mesh && !same_mesh(k, s->mesh))
    return false;
  for (uint32_t i = 0; i < k->count; i++) {
    uint32_t place = k->parameters[i].place;
    if (place >= plan->count || !plan_cache_same(&plan->value[place], &k->parameters[i].value))
      return false;
  }
  return true;
}

typedef struct plan_cache_wanted {
  const ts_plan_cache *in;
  const void *what;
  int64_t number;
} plan_cache_wanted;

static bool is_wanted(const void *closure, uint32_t place)
{
  const plan_cache_wanted *w = closure;
  const plan_cache_entry *k = &w->in->all.at[place];
  return k->what == w->what && k->number == w->number;
}

static uint32_t plan_cache_hash_of(const void *what, int64_t number)
{
  return ts_hash_number((uintptr_t)what ^ (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15));
}

/* The newest of that, or TS_HASH_NONE. */
static uint32_t newest(const ts_plan_cache *in, const void *what, int64_t number)
{
  return ts_hash_find(&in->newest, plan_cache_hash_of(what, number), is_wanted,
                      &(plan_cache_wanted){in, what, number});
}

const void *ts_plan_cache_get(ts_session *s, const void *what, int64_t number)
{
  uint32_t found = s->reuse->plan_cache ? newest(s->reuse->plan_cache, what, number) : TS_HASH_NONE;
  for (uint32_t i = found == TS_HASH_NONE ? 0 : found + 1; i;
       i = s->reuse->plan_cache->all.at[i - 1].before) {
    const plan_cache_entry *k = &s->reuse->plan_cache->all.at[i - 1];
    if (plan_cache_holds(k, s)) {
      ts_touch(&s->reuse->touched, k->touched);
      return k->result;
    }
  }
  return NULL;
}

static bool plan_cache_add(ts_session *s, plan_cache_entry k)
{
  const ts_env *plan = s->reuse->plan_cache->plan;
  parameter *parameters = TS_NEW_ARRAY(s->lasting, parameter, plan->count + 1);
  for (uint32_t i = 0; i < plan->count; i++)
    if (k.touched.parameters >> i & 1) {
      parameters[k.count++] = (parameter){i, plan->value[i]};
      if (!is_plain(&plan->value[i]))
        return false;
    }
  k.parameters = parameters;
  axis *axes = TS_NEW_ARRAY(s->lasting, axis, s->mesh->count + 1);
  for (uint32_t a = 0; a < s->mesh->count; a++)
    axes[k.axis_count++] = (axis){s->mesh->axis[a].name, s->mesh->axis[a].size};
  k.axes = axes;
  ts_plan_cache *in = s->reuse->plan_cache;
  uint32_t last = newest(in, k.what, k.number);
  if (last == TS_HASH_NONE) {
    ts_hash_add(s->lasting, &in->newest, plan_cache_hash_of(k.what, k.number),
                (uint32_t)in->all.count);
    TS_PUSH(s->lasting, &in->all, k);
    return true;
  }
  /* the newest one keeps its place, which the table has */
  k.before = (uint32_t)in->all.count + 1;
  plan_cache_entry older = in->all.at[last];
  in->all.at[last] = k;
  TS_PUSH(s->lasting, &in->all, older);
  return true;
}

static bool is_cacheable(const ts_session *s, const ts_noting *before, ts_touched touched)
{
  return s->reuse->plan_cache && !(touched.parameters & TS_TOUCHED_OTHER) &&
         s->reuse->plan_cache->all.count < MOST_KEPT && !ts_noting_said(s, before) &&
         before->reads == s->files->reads;
}

bool ts_plan_cache_put(ts_session *s, const ts_noting *before, ts_touched touched, const void *what,
                       int64_t number, const void *result)
{
  return is_cacheable(s, before, touched) &&
         plan_cache_add(s, (plan_cache_entry){
                             .what = what, .result = result, .number = number, .touched = touched});
}
