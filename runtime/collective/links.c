#include "runtime/collective/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

enum { WORDS = sizeof(ts_link_find) / sizeof(uint32_t), MOST_KEPT = 32 << 20 };

ts_links *ts_links_new(ts_arena *arena, const ts_ir *ir)
{
  ts_links *l = TS_NEW(arena, ts_links);
  l->arena = l->found.arena = l->groups.arena = arena;
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
  memcpy(&found, l->found.words.at + l->found.runs.at[place].first, sizeof found);
  return found;
}

const uint32_t **ts_links_group(ts_links *l, const ts_ranks *ranks, const ts_rank_group *g,
                                uint32_t kinds)
{
  uint32_t members = g->size * g->instances,
           *key = ts_heap_new((size_t)members + 2, sizeof *key);
  key[0] = kinds;
  key[1] = g->size;
  for (uint32_t i = 0; i < members; i++)
    key[i + 2] = ranks->vertex[ts_instance_ranks(g, 0)[i]];
  uint32_t number = ts_intern_run(&l->groups, key, members + 2);
  free(key);
  if (number == l->of_group.count)
    TS_PUSH(l->arena, &l->of_group, NULL);
  return &l->of_group.at[number];
}

typedef struct wanted { const ts_links *links; uint32_t from, to; } wanted;

static bool is_path(const void *closure, uint32_t number)
{
  const wanted *w = closure;
  const ts_links_pair *p = &w->links->paths.at[number];
  return p->from == w->from && p->to == w->to;
}

uint32_t *ts_links_path(ts_links *l, uint32_t from, uint32_t to)
{
  uint32_t hash = ts_hash_number((uint64_t)from << 32 | to),
           number = ts_hash_find(&l->path_table, hash, is_path, &(wanted){l, from, to});
  if (number == TS_HASH_NONE) {
    number = (uint32_t)l->paths.count;
    TS_PUSH(l->arena, &l->paths, ((ts_links_pair){from, to, TS_IR_NONE}));
    ts_hash_add(l->arena, &l->path_table, hash, number);
  }
  return &l->paths.at[number].found;
}

/* ---- From plan to plan ---- */

struct ts_links_kept { ts_links *links; }; /* NULL: none yet */

ts_links_kept *ts_links_kept_new(void) { return ts_heap_new(1, sizeof(ts_links_kept)); }

static void forget(ts_links_kept *kept)
{
  if (kept->links)
    ts_arena_free(kept->links->arena);
  kept->links = NULL;
}

void ts_links_kept_free(ts_links_kept *kept)
{
  if (kept)
    forget(kept);
  free(kept);
}

/* A copy, as the plan's IR goes. */
static ts_links *new_links(const ts_ir *ir)
{
  ts_arena *arena = ts_arena_new("links");
  ts_ir copy = *ir;
  copy.devices = ts_arena_copy(arena, ir->devices, ir->devices_count * sizeof *ir->devices);
  copy.links = ts_arena_copy(arena, ir->links, ir->links_count * sizeof *ir->links);
  copy.link_classes =
    ts_arena_copy(arena, ir->link_classes, ir->link_classes_count * sizeof *ir->link_classes);
  return ts_links_new(arena, &copy);
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

ts_links *ts_links_kept_of(ts_links_kept *kept, const ts_ir *ir)
{
  if (kept->links && (ts_arena_used(kept->links->arena) > MOST_KEPT ||
                      !same_cluster(&kept->links->ir, ir)))
    forget(kept);
  if (!kept->links)
    kept->links = new_links(ir);
  return kept->links;
}
