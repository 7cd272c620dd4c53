#include "compiler/eval/kept.h"

#include <string.h>

#include "base/hash_table.h"
#include "compiler/eval/env.h"

enum { MOST_KEPT = 1024, MOST_LARGE_BYTES = 1 << 24 };

typedef struct parameter { uint32_t place; ts_value value; } parameter;

typedef struct axis { const char *name; int64_t size; } axis;

typedef struct kept {
  const void *what, *result;
  int64_t number;
  bool large;
  ts_touched touched;
  uint32_t count, axis_count;
  const parameter *parameters; /* that were looked at */
  const axis *axes;            /* of the mesh, if it was */
} kept;

typedef struct content { size_t count; uint64_t words[]; } content;

struct ts_kept {
  const ts_env *plan;
  TS_VEC(kept) all;
  ts_arena *large;
  TS_VEC(const content *) contents;
  ts_hash_table content_table;
};

ts_kept *ts_kept_new(ts_session *s)
{
  ts_kept *k = TS_NEW(s->lasting, ts_kept);
  k->large = ts_arena_inside(s->lasting, "kept of plans");
  return k;
}

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

/* The mesh has the same axes, and those whose size mattered the same size. */
static bool same_mesh(const kept *k, const ts_mesh *mesh)
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

static bool holds(const kept *k, const ts_session *s)
{
  const ts_env *plan = s->kept->plan;
  if (k->touched.mesh && !same_mesh(k, &s->mesh))
    return false;
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
    if (k->what == what && k->number == number && holds(k, s)) {
      ts_touch(&s->touched, k->touched);
      return k->result;
    }
  }
  return NULL;
}

static bool keep(ts_session *s, kept k)
{
  const ts_env *plan = s->kept->plan;
  parameter *parameters = TS_NEW_ARRAY(s->lasting, parameter, plan->count + 1);
  for (uint32_t i = 0; i < plan->count; i++)
    if (k.touched.parameters >> i & 1) {
      parameters[k.count++] = (parameter){i, plan->value[i]};
      if (!is_plain(&plan->value[i]))
        return false;
    }
  k.parameters = parameters;
  axis *axes = TS_NEW_ARRAY(s->lasting, axis, s->mesh.count + 1);
  for (uint32_t a = 0; a < s->mesh.count; a++)
    axes[k.axis_count++] = (axis){s->mesh.axis[a].name, s->mesh.axis[a].size};
  k.axes = axes;
  TS_PUSH(s->lasting, &s->kept->all, k);
  return true;
}

static bool can_be_kept(const ts_session *s, const ts_noting *before, ts_touched touched)
{
  return s->kept && !(touched.parameters & TS_TOUCHED_OTHER) && s->kept->all.count < MOST_KEPT &&
         !ts_noting_said(s, before) && before->reads == s->reads;
}

bool ts_kept_put(ts_session *s, const ts_noting *before, ts_touched touched, const void *what,
                 int64_t number, const void *result)
{
  return can_be_kept(s, before, touched) &&
         keep(s, (kept){.what = what, .result = result, .number = number, .touched = touched});
}

/* ---- What is large ---- */

static void drop_large(ts_kept *k)
{
  size_t left = 0;
  for (size_t i = 0; i < k->all.count; i++)
    if (!k->all.at[i].large)
      k->all.at[left++] = k->all.at[i];
  k->all.count = left;
  ts_arena_reset(k->large);
}

ts_arena *ts_kept_room(ts_session *s, const ts_noting *before, ts_touched touched, size_t size)
{
  if (!can_be_kept(s, before, touched) || size > MOST_LARGE_BYTES / 4)
    return NULL;
  if (ts_arena_used(s->kept->large) + size > MOST_LARGE_BYTES)
    drop_large(s->kept);
  return s->kept->large;
}

bool ts_kept_put_large(ts_session *s, const ts_noting *before, ts_touched touched, const void *what,
                       int64_t number, const void *result)
{
  return can_be_kept(s, before, touched) && keep(s, (kept){.what = what,
                                                           .result = result,
                                                           .number = number,
                                                           .large = true,
                                                           .touched = touched});
}

/* ---- Content ---- */

void ts_content_add(ts_session *s, ts_content *c, uint64_t word)
{
  TS_PUSH(s->arena, &c->words, word);
}

static void add_real(ts_session *s, ts_content *c, double real)
{
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  ts_content_add(s, c, bits);
}

static void add_dimension(ts_session *s, ts_content *c, ts_dimension d)
{
  uint64_t words[(sizeof d + 7) / 8] = {0};
  memcpy(words, &d, sizeof d);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    ts_content_add(s, c, words[i]);
}

static void add_list(ts_session *s, ts_content *c, const ts_list *list)
{
  ts_content_add(s, c, list->count);
  for (uint32_t i = 0; i < list->count; i++)
    ts_content_value(s, c, list->at[i]);
}

void ts_content_value(ts_session *s, ts_content *c, ts_value v)
{
  ts_content_add(s, c, v.type);
  switch (v.type) {
  case TS_T_NONE: break;
  case TS_T_INT: ts_content_add(s, c, (uint64_t)v.u.integer); break;
  case TS_T_BOOL: ts_content_add(s, c, v.u.truth); break;
  case TS_T_QUANTITY:
    add_dimension(s, c, v.dimension);
    add_real(s, c, v.u.real);
    break;
  case TS_T_REAL: add_real(s, c, v.u.real); break;
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: ts_content_add(s, c, (uintptr_t)v.u.string); break;
  case TS_T_DTYPE: ts_content_add(s, c, (uintptr_t)v.u.dtype); break;
  case TS_T_FUNCTION: ts_content_add(s, c, (uintptr_t)v.u.function); break;
  case TS_T_DECL: ts_content_add(s, c, (uintptr_t)v.u.decl); break;
  case TS_T_AXIS:
    ts_content_add(s, c, v.u.axes.mask);
    ts_content_add(s, c, (uintptr_t)v.u.axes.text);
    break;
  case TS_T_RANGE:
    ts_content_add(s, c, (uint64_t)v.u.range.begin);
    ts_content_add(s, c, (uint64_t)v.u.range.end);
    break;
  case TS_T_LIST: add_list(s, c, v.u.list); break;
  default: c->opaque = true;
  }
}

void ts_content_env(ts_session *s, ts_content *c, const ts_env *env, const ts_env *outside)
{
  for (; env && env != outside; env = env->parent) {
    c->opaque |= env->watched || env->module;
    ts_content_add(s, c, env->count);
    for (uint32_t i = 0; i < env->count && !c->opaque; i++) {
      ts_content_add(s, c, (uintptr_t)env->name[i]);
      ts_content_value(s, c, env->value[i]);
    }
  }
}

typedef struct looked_for { const ts_kept *kept; const ts_content *content; } looked_for;

static bool same_content(const void *closure, uint32_t number)
{
  const looked_for *l = closure;
  const content *known = l->kept->contents.at[number];
  return known->count == l->content->words.count &&
         !memcmp(known->words, l->content->words.at, known->count * sizeof *known->words);
}

const void *ts_content_what(ts_session *s, const ts_content *c)
{
  ts_kept *k = s->kept;
  if (!k || c->opaque || !c->words.count)
    return NULL;
  size_t size = c->words.count * sizeof *c->words.at;
  uint32_t hash = ts_hash_bytes(c->words.at, size),
           found = ts_hash_find(&k->content_table, hash, same_content, &(looked_for){k, c});
  if (found != TS_HASH_NONE)
    return k->contents.at[found];
  content *added = ts_arena_alloc(s->lasting, sizeof *added + size);
  added->count = c->words.count;
  memcpy(added->words, c->words.at, size);
  ts_hash_add(s->lasting, &k->content_table, hash, (uint32_t)k->contents.count);
  TS_PUSH(s->lasting, &k->contents, added);
  return added;
}
