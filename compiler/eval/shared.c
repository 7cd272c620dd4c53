#include "compiler/eval/shared.h"

#include <pthread.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/heap.h"
#include "compiler/eval/env.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/reuse.h"

enum { MOST_BYTES = 1 << 25, MOST_OF_ONE = MOST_BYTES / 4 };

/* EACH_ITS_OWN: nobody waits for it, and nobody gives it. */
typedef enum state { MAKING, THERE, EACH_ITS_OWN } state;

struct ts_shared_item {
  ts_arena *arena;          /* of all that it holds, itself too */
  uint64_t number, asked;   /* asked: when, last */
  uint32_t hash, axes, users;
  state state;
  const ts_session *maker;
  size_t count;
  const uint64_t *words;
  const void *result;
};

struct ts_shared {
  pthread_mutex_t lock; /* of all that follows, and of items but for words and what is made */
  pthread_cond_t made;
  ts_arena *arena;
  uint64_t numbers, asks;
  TS_VEC(ts_shared_item *) all;
};

ts_shared *ts_shared_new(void)
{
  ts_arena *arena = ts_arena_new("shared by plans");
  ts_shared *shared = TS_NEW(arena, ts_shared);
  shared->arena = arena;
  pthread_mutex_init(&shared->lock, NULL);
  pthread_cond_init(&shared->made, NULL);
  return shared;
}

void ts_shared_free(ts_shared *shared)
{
  if (!shared)
    return;
  for (size_t i = 0; i < shared->all.count; i++)
    ts_arena_free(shared->all.at[i]->arena);
  pthread_cond_destroy(&shared->made);
  pthread_mutex_destroy(&shared->lock);
  ts_arena_free(shared->arena);
}

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

/* ---- Items ---- */

static size_t most_bytes(void)
{
  uint64_t ceiling = ts_heap_ceiling() / 8;
  return ceiling && ceiling < MOST_BYTES ? (size_t)ceiling : MOST_BYTES;
}

/* Those that nobody uses, the one not asked for longest first, until all fit. */
static void make_room(ts_shared *shared)
{
  size_t used = 0, most = most_bytes();
  for (size_t i = 0; i < shared->all.count; i++)
    used += shared->all.at[i]->state == MAKING ? 0 : ts_arena_used(shared->all.at[i]->arena);
  while (used > most) {
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; i < shared->all.count; i++)
      if (!shared->all.at[i]->users &&
          (oldest == SIZE_MAX || shared->all.at[i]->asked < shared->all.at[oldest]->asked))
        oldest = i;
    if (oldest == SIZE_MAX)
      return;
    used -= ts_arena_used(shared->all.at[oldest]->arena);
    ts_arena_free(shared->all.at[oldest]->arena);
    shared->all.at[oldest] = shared->all.at[--shared->all.count];
  }
}

static ts_shared_item *add(ts_shared *shared, const ts_session *maker, const ts_content *c,
                           uint32_t hash)
{
  ts_arena *arena = ts_arena_new("shared by plans");
  ts_shared_item *item = TS_NEW(arena, ts_shared_item);
  *item = (ts_shared_item){.arena = arena,
                           .number = ++shared->numbers,
                           .hash = hash,
                           .axes = c->axes,
                           .maker = maker,
                           .count = c->words.count};
  item->words = ts_arena_copy(arena, c->words.at, c->words.count * sizeof *c->words.at);
  TS_PUSH(shared->arena, &shared->all, item);
  return item;
}

static ts_shared_item *find(const ts_shared *shared, const ts_content *c, uint32_t hash)
{
  size_t size = c->words.count * sizeof *c->words.at;
  for (size_t i = 0; i < shared->all.count; i++) {
    ts_shared_item *item = shared->all.at[i];
    if (item->hash == hash && item->count == c->words.count &&
        !memcmp(item->words, c->words.at, size))
      return item;
  }
  return NULL;
}

ts_shared_item *ts_shared_ask(ts_session *s, const ts_content *c)
{
  ts_shared *shared = s->reuse->shared;
  if (!shared || !s->reuse->kept || c->opaque || !c->words.count)
    return NULL;
  uint32_t hash = ts_hash_bytes(c->words.at, c->words.count * sizeof *c->words.at);
  pthread_mutex_lock(&shared->lock);
  ts_shared_item *item = find(shared, c, hash);
  if (!item)
    item = add(shared, s, c, hash);
  item->users++;
  item->asked = ++shared->asks;
  while (item->state == MAKING && item->maker != s)
    pthread_cond_wait(&shared->made, &shared->lock);
  pthread_mutex_unlock(&shared->lock);
  TS_PUSH(s->lasting, &s->reuse->using, item);
  return item;
}

const void *ts_shared_result(const ts_shared_item *item) { return item ? item->result : NULL; }
uint64_t ts_shared_number(const ts_shared_item *item) { return item ? item->number : 0; }

static bool makes(const ts_session *s, const ts_shared_item *item)
{
  return item->maker == s; /* once it is given nobody does */
}

void *ts_shared_room(ts_session *s, ts_shared_item *item, size_t size)
{
  return item && makes(s, item) && size <= MOST_OF_ONE && size <= most_bytes() / 4 ?
           ts_arena_alloc_raw(item->arena, size) :
           NULL;
}

/* all: the content says all that it comes from. */
static void give(ts_shared *shared, ts_shared_item *item, bool all, const void *result)
{
  pthread_mutex_lock(&shared->lock);
  item->number = all ? item->number : 0;
  item->result = result;
  item->state = result ? THERE : EACH_ITS_OWN;
  item->maker = NULL;
  make_room(shared);
  pthread_cond_broadcast(&shared->made);
  pthread_mutex_unlock(&shared->lock);
}

void ts_shared_give(ts_session *s, ts_shared_item *item, const ts_noting *before,
                    ts_touched touched, const void *result)
{
  if (!item || !makes(s, item))
    return;
  bool all = !touched.parameters && !((touched.sizes | touched.ones) & ~item->axes) &&
             before->reads == s->files->reads && !ts_noting_said(s, before);
  give(s->reuse->shared, item, all, all ? result : NULL);
}

void ts_shared_leave(ts_session *s)
{
  for (size_t i = 0; i < s->reuse->using.count; i++)
    if (makes(s, s->reuse->using.at[i]))
      give(s->reuse->shared, s->reuse->using.at[i], false, NULL);
  if (s->reuse->using.count)
    pthread_mutex_lock(&s->reuse->shared->lock);
  for (size_t i = 0; i < s->reuse->using.count; i++)
    s->reuse->using.at[i]->users--;
  if (s->reuse->using.count)
    pthread_mutex_unlock(&s->reuse->shared->lock);
  s->reuse->using.count = 0;
}
