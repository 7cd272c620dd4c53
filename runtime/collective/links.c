#include "runtime/collective/links.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

enum { WORDS = sizeof(ts_link_find) / sizeof(uint32_t), MOST_KEPT = 32 << 20 };

ts_links *ts_links_new(ts_arena *arena, const ts_ir *ir)
{
  ts_links *l = TS_NEW(arena, ts_links);
  l->arena = l->found.arena = l->questions.arena = l->paths.arena = arena;
  l->ir = (ts_ir){.devices = ir->devices,
                  .devices_count = ir->devices_count,
                  .links = ir->links,
                  .links_count = ir->links_count,
                  .link_classes = ir->link_classes,
                  .link_classes_count = ir->link_classes_count};
  l->graph = ts_graph_new(arena, &l->ir);
  l->cuts = ts_cuts_new(arena, &l->ir);
  l->load = TS_NEW_ARRAY(arena, double, 2 * (size_t)ir->links_count);
  return l;
}

uint32_t ts_links_note(ts_links *l, const ts_link_find *found)
{
  uint32_t words[WORDS];
  memcpy(words, found, sizeof words);
  return ts_intern_run(&l->found, words, WORDS);
}

ts_link_find ts_links_found(const ts_links *l, uint32_t place)
{
  ts_link_find found;
  memcpy(&found, l->found.all.at[place].at, sizeof found);
  return found;
}

uint32_t *ts_links_path(ts_links *l, uint32_t from, uint32_t to)
{
  uint32_t number = ts_intern_run(&l->paths, (uint32_t[]){from, to}, 2);
  if (number == l->path_found.count)
    TS_PUSH(l->arena, &l->path_found, TS_IR_NONE);
  return &l->path_found.at[number];
}

/* ---- Between threads ---- */

typedef struct answered { /* of a cluster */
  ts_ir ir;              /* devices and links alone */
  ts_intern questions;
  TS_VEC(const uint32_t *) answers;
} answered;

struct ts_links_shared {
  pthread_mutex_t lock;
  ts_arena *arena;
  ts_intern found;       /* ts_link_find */
  TS_VEC(answered) clusters;
};

ts_links_shared *ts_links_shared_new(void)
{
  ts_links_shared *s = ts_heap_new(1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  s->arena = s->found.arena = ts_arena_new("links of all threads");
  return s;
}

void ts_links_shared_free(ts_links_shared *s)
{
  if (!s)
    return;
  ts_arena_free(s->arena);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

/* As places in `to` of what is at places in `from`. Many are like the one before. */
static void carry(const ts_intern *from, const uint32_t *places, ts_intern *to, uint32_t count,
                  uint32_t *out)
{
  for (uint32_t i = 0; i < count; i++)
    out[i] = i && places[i] == places[i - 1] ? out[i - 1] :
                                               ts_intern_run(to, from->all.at[places[i]].at, WORDS);
}

/* Under the lock. False: nobody has answered it. */
static bool recall(ts_links *l, const ts_links_question *q, uint32_t *found)
{
  answered *known = &l->shared->clusters.at[l->cluster];
  uint32_t number = ts_intern_run(&known->questions, q->words, q->word_count);
  if (number == known->answers.count)
    TS_PUSH(l->shared->arena, &known->answers, NULL);
  if (!known->answers.at[number])
    return false;
  carry(&l->shared->found, known->answers.at[number], &l->found, q->answers, found);
  return true;
}

/* Likewise, after recall. */
static void publish(ts_links *l, const ts_links_question *q, const uint32_t *found)
{
  answered *known = &l->shared->clusters.at[l->cluster];
  uint32_t number = ts_intern_run(&known->questions, q->words, q->word_count),
           *answer = ts_arena_alloc_raw(l->shared->arena, q->answers * sizeof *answer);
  carry(&l->found, found, &l->shared->found, q->answers, answer);
  known->answers.at[number] = answer;
}

static bool answer(ts_links *l, const ts_links_question *q, uint32_t *found,
                   ts_links_find_fn *find, void *closure)
{
  ts_links_shared *s = l->shared;
  if (!s)
    return find(closure, found);
  pthread_mutex_lock(&s->lock);
  bool full = ts_arena_used(s->arena) > MOST_KEPT, known = !full && recall(l, q, found),
       good = known || full || find(closure, found);
  if (good && !known && !full)
    publish(l, q, found);
  pthread_mutex_unlock(&s->lock);
  return full ? find(closure, found) : good;
}

const uint32_t *ts_links_ask(ts_links *l, const ts_links_question *q, ts_links_find_fn *find,
                             void *closure)
{
  uint32_t number = ts_intern_run(&l->questions, q->words, q->word_count);
  if (number == l->answers.count)
    TS_PUSH(l->arena, &l->answers, NULL);
  if (l->answers.at[number])
    return l->answers.at[number];
  uint32_t *found = TS_NEW_ARRAY(l->arena, uint32_t, q->answers);
  return answer(l, q, found, find, closure) ? (l->answers.at[number] = found) : NULL;
}

/* ---- From plan to plan ---- */

struct ts_links_cache {
  ts_links *links;       /* NULL: none yet */
  ts_links_shared *shared;
};

ts_links_cache *ts_links_cache_new(ts_links_shared *shared)
{
  ts_links_cache *cache = ts_heap_new(1, sizeof *cache);
  cache->shared = shared;
  return cache;
}

static void forget(ts_links_cache *cache)
{
  if (cache->links)
    ts_arena_free(cache->links->arena);
  cache->links = NULL;
}

void ts_links_cache_free(ts_links_cache *cache)
{
  if (cache)
    forget(cache);
  free(cache);
}

/* In all that paths and cuts look at. */
static bool same_cluster(const ts_ir *a, const ts_ir *b)
{
  bool same = a->devices_count == b->devices_count && a->links_count == b->links_count &&
              a->link_classes_count == b->link_classes_count;
  for (uint32_t i = 0; same && i < a->devices_count; i++)
    same = (a->devices[i].device_class == TS_IR_NONE) == (b->devices[i].device_class == TS_IR_NONE);
  for (uint32_t i = 0; same && i < a->link_classes_count; i++) {
    const ts_ir_link_class *x = &a->link_classes[i], *y = &b->link_classes[i];
    same = x->tier == y->tier && x->bandwidth == y->bandwidth && x->latency == y->latency;
  }
  return same && (!a->links_count ||
                  memcmp(a->links, b->links, a->links_count * sizeof *a->links) == 0);
}

/* A copy, as the plan's IR goes. */
static ts_ir copy_of(ts_arena *arena, const ts_ir *ir)
{
  return (ts_ir){
    .devices = ts_arena_copy(arena, ir->devices, ir->devices_count * sizeof *ir->devices),
    .devices_count = ir->devices_count,
    .links = ts_arena_copy(arena, ir->links, ir->links_count * sizeof *ir->links),
    .links_count = ir->links_count,
    .link_classes =
      ts_arena_copy(arena, ir->link_classes, ir->link_classes_count * sizeof *ir->link_classes),
    .link_classes_count = ir->link_classes_count};
}

/* Finds what threads share of the cluster. */
static void links_join(ts_links *l, ts_links_shared *s)
{
  pthread_mutex_lock(&s->lock);
  l->shared = s;
  while (l->cluster < s->clusters.count && !same_cluster(&s->clusters.at[l->cluster].ir, &l->ir))
    l->cluster++;
  if (l->cluster == s->clusters.count) {
    answered none = {.ir = copy_of(s->arena, &l->ir), .questions = {.arena = s->arena}};
    TS_PUSH(s->arena, &s->clusters, none);
  }
  pthread_mutex_unlock(&s->lock);
}

ts_links *ts_links_cache_of(ts_links_cache *cache, const ts_ir *ir)
{
  if (cache->links &&
      (ts_arena_used(cache->links->arena) > MOST_KEPT || !same_cluster(&cache->links->ir, ir)))
    forget(cache);
  if (!cache->links) {
    ts_arena *arena = ts_arena_new("links");
    ts_ir copy = copy_of(arena, ir);
    cache->links = ts_links_new(arena, &copy);
    if (cache->shared)
      links_join(cache->links, cache->shared);
  }
  return cache->links;
}
