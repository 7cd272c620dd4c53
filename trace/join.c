/* Shapes of a profile's operators from the execution trace of the same steps. */
#include "trace/join.h"

#include <stdlib.h>
#include <string.h>

/* number: in the record of functions, or NONE */
typedef struct operator { const char *name; int64_t start; uint32_t number, event; } operator;
typedef struct operators { operator *at; uint32_t count; } operators;

static int join_by_name(const void *a, const void *b)
{
  const operator *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  if (!order)
    order = (x->start > y->start) - (x->start < y->start);
  return order ? order : (x->event > y->event) - (x->event < y->event);
}

static int join_by_number(const void *a, const void *b)
{
  const operator *x = a, *y = b;
  return x->number != y->number ? (x->number < y->number ? -1 : 1) :
                                  (x->event > y->event) - (x->event < y->event);
}

static operators operators_of(ts_arena *work, const ts_events *e)
{
  operators all = {TS_NEW_ARRAY(work, operator, e->count + 1), 0};
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    if (v->class == TS_EVENT_OPERATOR && v->kind == TS_OPERATOR_PLAIN)
      all.at[all.count++] = (operator){ts_events_text(e, v->name), v->start, v->call, i};
  }
  return all;
}

static uint32_t copy_string(ts_events *to, const ts_events *from, uint32_t string)
{
  const char *text = ts_events_text(from, string);
  return ts_events_string(to, text, strlen(text));
}

/* ["Tensor(float)","Int"] as a profile has it: ["float",""]. */
static uint32_t plain_types(ts_events *to, const ts_events *from, uint32_t string)
{
  static const char lead[] = "\"Tensor(";
  const char *text = ts_events_text(from, string);
  ts_arena *work = ts_arena_new("types");
  char *out = ts_arena_alloc(work, strlen(text) + 1);
  size_t n = 0;
  while (*text) {
    const char *close = *text == '"' ? strchr(text + 1, '"') : NULL;
    if (!close) {
      out[n++] = *text++;
      continue;
    }
    bool tensor = strncmp(text, lead, sizeof lead - 1) == 0 && close[-1] == ')';
    out[n++] = '"';
    for (const char *c = text + sizeof lead - 1; tensor && c < close - 1; c++) out[n++] = *c;
    out[n++] = '"';
    text = close + 1;
  }
  uint32_t plain = ts_events_string(to, out, n);
  ts_arena_free(work);
  return plain;
}

static void join_take(ts_events *e, uint32_t event, const ts_events *graph, uint32_t node,
                      uint32_t *node_of)
{
  ts_event *v = ts_event_at(e, event);
  if (node_of)
    node_of[event] = node;
  uint32_t shapes = ts_event_at(graph, node)->detail;
  if (shapes == TS_EVENT_NONE || v->detail != TS_EVENT_NONE)
    return;
  const ts_shapes *s = &graph->shapes.at[shapes];
  v->detail = (uint32_t)e->shapes.count;
  TS_PUSH(e->arena, &e->shapes,
          ((ts_shapes){copy_string(e, graph, s->dims), plain_types(e, graph, s->types),
                       copy_string(e, graph, s->arguments)}));
  e->has_shapes = true;
  e->shapes_taken++;
}

/* Both recorded the same calls of functions, under the same numbers. */
static uint32_t join_numbers(ts_events *e, operators own, const ts_events *graph,
                             operators theirs, uint32_t *node_of)
{
  qsort(own.at, own.count, sizeof *own.at, join_by_number);
  qsort(theirs.at, theirs.count, sizeof *theirs.at, join_by_number);
  uint32_t joined = 0;
  for (uint32_t i = 0, k = 0; i < own.count; i++) {
    while (k < theirs.count && theirs.at[k].number < own.at[i].number) k++;
    if (own.at[i].number != TS_EVENT_NONE && k < theirs.count &&
        theirs.at[k].number == own.at[i].number &&
        strcmp(theirs.at[k].name, own.at[i].name) == 0) {
      join_take(e, own.at[i].event, graph, theirs.at[k].event, node_of);
      joined++;
    }
  }
  return joined;
}

static uint32_t join_named(operators all, uint32_t from)
{
  uint32_t to = from;
  while (to < all.count && strcmp(all.at[to].name, all.at[from].name) == 0) to++;
  return to - from;
}

/* The k-th of a name is the k-th of that name, over and over where the profile has more steps;
 * names that do not come out even are left. */
static void join_names(ts_events *e, operators own, const ts_events *graph, operators theirs,
                       uint32_t *node_of)
{
  qsort(own.at, own.count, sizeof *own.at, join_by_name);
  qsort(theirs.at, theirs.count, sizeof *theirs.at, join_by_name);
  for (uint32_t i = 0, k = 0, n, count; i < own.count; i += n) {
    n = join_named(own, i);
    while (k < theirs.count && strcmp(theirs.at[k].name, own.at[i].name) < 0) k++;
    count = k < theirs.count && strcmp(theirs.at[k].name, own.at[i].name) == 0 ?
              join_named(theirs, k) :
              0;
    for (uint32_t j = 0; j < n && count && n % count == 0; j++)
      join_take(e, own.at[i + j].event, graph, theirs.at[k + j % count].event, node_of);
  }
}

uint32_t ts_events_join_shapes(ts_events *e, const ts_events *graph)
{
  return ts_events_join(e, graph, NULL);
}

uint32_t ts_events_join(ts_events *e, const ts_events *graph, uint32_t *node_of)
{
  ts_arena *work = ts_arena_new("join");
  operators own = operators_of(work, e), theirs = operators_of(work, graph);
  e->shapes_from = graph->file;
  uint32_t joined = join_numbers(e, own, graph, theirs, node_of);
  e->shapes_by_number = node_of ? joined > 0 : e->shapes_taken > 0;
  if (!e->shapes_by_number)
    join_names(e, own, graph, theirs, node_of);
  ts_arena_free(work);
  return e->shapes_taken;
}
