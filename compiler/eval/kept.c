#include "compiler/eval/kept.h"

#include "compiler/eval/env.h"

enum { MOST_KEPT = 1024 };

typedef struct parameter { uint32_t place; ts_value value; } parameter;

typedef struct kept {
  const void *what, *result;
  int64_t number;
  uint64_t touched;
  uint32_t count;
  const parameter *parameters; /* that were looked at */
} kept;

struct ts_kept {
  const ts_env *plan;
  TS_VEC(kept) all;
};

ts_kept *ts_kept_new(ts_session *s) { return TS_NEW(s->arena, ts_kept); }

void ts_kept_watch(ts_session *s, ts_env *plan)
{
  if (!s->kept)
    return;
  plan->watched = true;
  s->kept->plan = plan;
}

/* Values that say all by themselves. Where they were written is a part: messages quote it. */
static bool is_plain(const ts_value *v)
{
  return v->type == TS_T_NONE || v->type == TS_T_INT || v->type == TS_T_REAL ||
         v->type == TS_T_BOOL || v->type == TS_T_STRING || v->type == TS_T_QUANTITY ||
         v->type == TS_T_DTYPE;
}

static bool same(const ts_value *a, const ts_value *b)
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

static bool holds(const kept *k, const ts_env *plan)
{
  for (uint32_t i = 0; i < k->count; i++) {
    uint32_t place = k->parameters[i].place;
    if (place >= plan->count || !same(&plan->value[place], &k->parameters[i].value))
      return false;
  }
  return true;
}

const void *ts_kept_get(ts_session *s, const void *what, int64_t number)
{
  for (size_t i = 0; s->kept && i < s->kept->all.count; i++) {
    const kept *k = &s->kept->all.at[i];
    if (k->what == what && k->number == number && holds(k, s->kept->plan)) {
      s->touched |= k->touched;
      return k->result;
    }
  }
  return NULL;
}

static void keep(ts_session *s, kept k)
{
  const ts_env *plan = s->kept->plan;
  parameter *parameters = TS_NEW_ARRAY(s->arena, parameter, plan->count + 1);
  for (uint32_t i = 0; i < plan->count; i++)
    if (k.touched >> i & 1) {
      parameters[k.count++] = (parameter){i, plan->value[i]};
      if (!is_plain(&plan->value[i]))
        return;
    }
  k.parameters = parameters;
  TS_PUSH(s->arena, &s->kept->all, k);
}

void ts_kept_put(ts_session *s, const ts_noting *before, uint64_t touched, const void *what,
                 int64_t number, const void *result)
{
  if (s->kept && !(touched & TS_TOUCHED_OTHER) && s->kept->all.count < MOST_KEPT &&
      !ts_noting_said(s, before) && before->reads == s->reads)
    keep(s, (kept){.what = what, .result = result, .number = number, .touched = touched});
}
