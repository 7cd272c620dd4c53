/* Names the layers of operators: modules by nesting on the thread, positions by counting, backwards
 * by sequence number. */
#include "trace/layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { DEEPEST = 64 };

typedef struct layers_entry { /* an operator to name, or a module around some */
  int64_t start, end;
  uint64_t sequence;   /* + 1, 0: none */
  uint32_t track, event, outer, step;
  uint32_t index;      /* of `ops`; TS_EVENT_NONE: a module */
  const char *outer_name, *layer;
  bool backward;
} layers_entry;
typedef TS_VEC(layers_entry) entries;

static int by_start(const layers_entry *x, const layers_entry *y)
{
  int order = (x->start > y->start) - (x->start < y->start);
  return order ? order : ts_by_number(x->event, y->event);
}

static int by_nesting(const void *a, const void *b)
{
  const layers_entry *x = a, *y = b;
  int order = ts_by_number(x->track, y->track);
  order = order ? order : (x->start > y->start) - (x->start < y->start);
  order = order ? order : (x->end < y->end) - (x->end > y->end); /* the one around first */
  order = order ? order : (x->index != TS_EVENT_NONE) - (y->index != TS_EVENT_NONE);
  return order ? order : ts_by_number(x->event, y->event);
}

static int by_position(const void *a, const void *b)
{
  const layers_entry *x = a, *y = b;
  int order = ts_by_number(x->step, y->step);
  order = order ? order : strcmp(x->outer_name, y->outer_name);
  return order ? order : by_start(x, y);
}

static int by_sequence(const void *a, const void *b)
{
  const layers_entry *x = a, *y = b;
  int order = ts_by_number(x->sequence, y->sequence);
  return order ? order : by_start(x, y);
}

static const char *bare(const char *name)
{
  for (const char *colons; (colons = strstr(name, "::"));) name = colons + 2;
  return name;
}

static uint32_t layers_step_of(const ts_events *e, int64_t start)
{
  /* steps that began by then */
  uint32_t at;
  TS_SEARCH(at, 0, e->step_count, ts_event_at(e, e->steps[at])->start <= start);
  return at;
}

static layers_entry entry_of(const ts_events *e, uint32_t op, uint32_t index)
{
  const ts_event *v = ts_event_at(e, op);
  layers_entry n = {.start = v->start,
                    .end = ts_event_end(v),
                    .track = v->track,
                    .event = op,
                    .outer = op,
                    .index = index,
                    .backward = v->flags & TS_EVENT_BACKWARD};
  for (int up = 0; up < DEEPEST && op != TS_EVENT_NONE; up++, op = ts_event_at(e, op)->op) {
    n.sequence = n.sequence ? n.sequence : ts_event_at(e, op)->id;
    n.outer = op;
  }
  n.step = layers_step_of(e, n.start);
  n.outer_name = bare(ts_events_text(e, ts_event_at(e, n.backward ? n.event : n.outer)->name));
  return n;
}

/* The innermost module that is open when an operator begins. */
static void take_modules(ts_arena *arena, entries *all, bool paths)
{
  const layers_entry *open[DEEPEST];
  uint32_t depth = 0;
  TS_SORT(all, by_nesting);
  for (size_t i = 0; i < all->count; i++) {
    layers_entry *n = &all->at[i];
    while (depth && (open[depth - 1]->track != n->track || open[depth - 1]->end <= n->start))
      depth--;
    if (n->index != TS_EVENT_NONE)
      n->layer = depth ? open[depth - 1]->layer : NULL;
    else if (depth < DEEPEST) {
      if (paths && depth)
        n->layer = ts_arena_printf(arena, "%s.%s", open[depth - 1]->layer, n->layer);
      open[depth++] = n;
    }
  }
}

static void take_positions(ts_arena *arena, entries *all)
{
  uint32_t number = 0;
  TS_SORT(all, by_position);
  for (size_t i = 0; i < all->count; i++) {
    layers_entry *n = &all->at[i];
    const layers_entry *before = i ? n - 1 : NULL;
    bool same = before && before->step == n->step && strcmp(before->outer_name, n->outer_name) == 0;
    number = !same ? 0 : number + (before->outer != n->outer);
    if (!n->layer)
      n->layer = ts_arena_printf(arena, "%s#%u", n->outer_name, number);
  }
}

/* The layer of the last forward of that sequence number; NULL: there is none, or several threads
 * count alike. */
static const char *forward_of(const entries *forward, uint64_t sequence)
{
  size_t at;
  TS_SEARCH(at, 0, forward->count, forward->at[at].sequence <= sequence);
  const layers_entry *last = at ? &forward->at[at - 1] : NULL;
  if (!sequence || !last || last->sequence != sequence)
    return NULL;
  for (const layers_entry *n = last; n >= forward->at && n->sequence == sequence; n--)
    if (n->track != last->track)
      return NULL;
  return last->layer;
}

void ts_layers_name(ts_arena *arena, const ts_events *e, const uint32_t *ops, uint32_t count,
                    bool paths, const char **layers)
{
  static const char prefix[] = "nn.Module: ";
  ts_arena *work = ts_arena_new("layers");
  entries all = {0}, named = {0}, forward = {0};
  for (uint32_t i = 0; i < count; i++) TS_PUSH(work, &all, entry_of(e, ops[i], i));
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    if (v->class == TS_EVENT_MARK && v->kind == TS_MARK_MODULE)
      TS_PUSH(work, &all,
              ((layers_entry){.start = v->start,
                              .end = ts_event_end(v),
                              .track = v->track,
                              .event = i,
                              .index = TS_EVENT_NONE,
                              .layer = ts_events_text(e, v->name) + sizeof prefix - 1}));
  }
  take_modules(arena, &all, paths);
  for (size_t i = 0; i < all.count; i++)
    if (all.at[i].index != TS_EVENT_NONE)
      TS_PUSH(work, &named, all.at[i]);
  take_positions(arena, &named);
  for (size_t i = 0; i < named.count; i++)
    if (!named.at[i].backward)
      TS_PUSH(work, &forward, named.at[i]);
  TS_SORT(&forward, by_sequence);
  for (size_t i = 0; i < named.count; i++) {
    const layers_entry *n = &named.at[i];
    const char *of_forward = n->backward ? forward_of(&forward, n->sequence) : NULL;
    layers[n->index] = of_forward ? of_forward : n->layer;
  }
  ts_arena_free(work);
}
