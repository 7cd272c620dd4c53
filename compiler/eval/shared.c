#include "compiler/eval/shared.h"

#include <string.h>

#include "compiler/eval/env.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/reuse.h"

enum { MOST_BYTES = 1 << 25 };

ts_cache *ts_shared_new(void) { return ts_cache_new("shared by plans", MOST_BYTES); }

/* ---- Content ---- */

void ts_content_add(ts_session *s, ts_content *c, uint64_t word)
{
  TS_PUSH(s->arena, &c->words, word);
}

void ts_content_text(ts_session *s, ts_content *c, const char *text)
{
  size_t size = strlen(text);
  ts_content_add(s, c, size);
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, text + i, size - i < sizeof word ? size - i : sizeof word);
    ts_content_add(s, c, word);
  }
}

static bool is_common(const ts_session *s, uint32_t file)
{
  return s->below && file <= ts_sources_count(s->below->sources);
}

void ts_content_node(ts_session *s, ts_content *c, const ts_ast *node)
{
  c->opaque |= !is_common(s, node->span.file);
  ts_content_add(s, c, (uintptr_t)node);
}

void ts_content_span(ts_session *s, ts_content *c, ts_span span)
{
  c->opaque |= !is_common(s, span.file);
  ts_content_add(s, c, span.file);
  ts_content_add(s, c, span.begin);
  ts_content_add(s, c, span.end);
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

static void add_function(ts_session *s, ts_content *c, const ts_function *f)
{
  ts_content_add(s, c, f->kind);
  if (f->decl)
    ts_content_node(s, c, f->decl);
  else
    ts_content_text(s, c, f->name);
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
  case TS_T_WORD: ts_content_text(s, c, v.u.string); break;
  case TS_T_DTYPE: ts_content_add(s, c, (uintptr_t)v.u.dtype); break; /* one of a table */
  case TS_T_FUNCTION: add_function(s, c, v.u.function); break;
  case TS_T_DECL: ts_content_node(s, c, v.u.decl); break;
  case TS_T_AXIS:
    c->axes |= v.u.axes.mask;
    ts_content_add(s, c, v.u.axes.mask);
    ts_content_text(s, c, v.u.axes.text);
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
      ts_content_text(s, c, env->name[i]);
      ts_content_value(s, c, env->value[i]);
    }
  }
}

void ts_content_mesh(ts_session *s, ts_content *c, uint32_t axes)
{
  c->axes |= axes;
  ts_content_add(s, c, s->mesh->count);
  for (uint32_t a = 0; a < s->mesh->count; a++) {
    ts_content_text(s, c, s->mesh->axis[a].name);
    ts_content_add(s, c, c->axes >> a & 1 ? (uint64_t)s->mesh->axis[a].size : 0);
  }
}

/* ---- Results ---- */

/* The last word of a key: axes of the mesh whose sizes are among it. */
static uint32_t axes_of(const ts_cache_item *item)
{
  size_t size;
  const uint64_t *words = ts_cache_key(item, &size);
  return (uint32_t)words[size / sizeof *words - 1];
}

ts_cache_item *ts_shared_ask(ts_session *s, const ts_content *c)
{
  if (!s->reuse->shared || !s->reuse->plan_cache || c->opaque || !c->words.count)
    return NULL;
  ts_content key = *c;
  TS_PUSH(s->arena, &key.words, c->axes);
  ts_cache_item *item =
    ts_cache_ask(s->reuse->shared, key.words.at, key.words.count * sizeof *key.words.at, s);
  TS_PUSH(s->lasting, &s->reuse->using, item);
  return item;
}

const void *ts_shared_result(const ts_cache_item *item)
{
  return item ? ts_cache_result(item) : NULL;
}

uint64_t ts_shared_number(const ts_cache_item *item) { return item ? ts_cache_number(item) : 0; }

void *ts_shared_room(ts_session *s, ts_cache_item *item, size_t size)
{
  return item && ts_cache_makes(item, s) && size <= ts_cache_most(s->reuse->shared) / 4 ?
           ts_arena_alloc_raw(ts_cache_arena(item), size) :
           NULL;
}

void ts_shared_give(ts_session *s, ts_cache_item *item, const ts_noting *before, ts_touched touched,
                    const void *result)
{
  if (!item || !ts_cache_makes(item, s))
    return;
  bool all = !touched.parameters && !((touched.sizes | touched.ones) & ~axes_of(item)) &&
             before->reads == s->files->reads && !ts_noting_said(s, before);
  ts_cache_give(s->reuse->shared, item, result, all);
}

void ts_shared_leave(ts_session *s)
{
  for (size_t i = 0; i < s->reuse->using.count; i++)
    ts_cache_leave(s->reuse->shared, s->reuse->using.at[i], s);
  s->reuse->using.count = 0;
}
