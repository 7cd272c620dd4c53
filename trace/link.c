/* Joins the events of a trace: device work to the call that launched it (by correlation) and to the
 * operator it ran in (by nesting on the thread of the call; external ids of old traces are not
 * those of operators). */
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "trace/read/events.h"

_Static_assert(TS_HASH_NONE == TS_EVENT_NONE, "an event that is not found");

/* ---- Order ---- */

typedef struct key { int64_t start; int64_t rest; uint32_t event; } key;

static int link_by_key(const void *a, const void *b)
{
  const key *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->rest != y->rest)
    return x->rest < y->rest ? -1 : 1;
  return x->event < y->event ? -1 : x->event > y->event;
}

/* Keys come nearly in order from most files: then there is nothing to sort. */
static void sort_keys(key *keys, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (link_by_key(&keys[i - 1], &keys[i]) > 0) {
      qsort(keys, count, sizeof *keys, link_by_key);
      return;
    }
}

static uint32_t *take_sorted(ts_events *e, key *keys, uint32_t count)
{
  sort_keys(keys, count);
  uint32_t *order = TS_NEW_ARRAY(e->arena, uint32_t, count ? count : 1);
  for (uint32_t i = 0; i < count; i++)
    order[i] = keys[i].event;
  return order;
}

static void sort_classes(ts_events *e, key *keys)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    if (v->class == TS_EVENT_DEVICE)
      keys[n++] = (key){v->start, v->track, i};
  }
  e->device = take_sorted(e, keys, n);
  e->device_count = n;
  n = 0;
  for (uint32_t i = 0; i < e->count; i++)
    if (ts_event_at(e, i)->class == TS_EVENT_CALL)
      keys[n++] = (key){ts_event_at(e, i)->start, 0, i};
  e->host = take_sorted(e, keys, n);
  e->host_count = n;
  n = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    if (v->class == TS_EVENT_MARK && v->kind == TS_MARK_STEP && !e->tracks.at[v->track].device)
      keys[n++] = (key){v->start, -v->duration, i};
  }
  e->steps = take_sorted(e, keys, n);
  e->step_count = n;
}

/* ---- Correlation ---- */

typedef struct link_wanted {
  const ts_events *e;
  uint64_t id;
} link_wanted;

static bool same_id(const void *closure, uint32_t event)
{
  const link_wanted *w = closure;
  return ts_event_at(w->e, event)->id == w->id;
}

/* The call of that id, or TS_EVENT_NONE. */
static uint32_t call_of(const ts_hash_table *calls, const ts_events *e, uint64_t id)
{
  if (!id)
    return TS_EVENT_NONE;
  return ts_hash_find(calls, ts_hash_number(id), same_id, &(link_wanted){e, id});
}

static void link_calls(ts_events *e, ts_arena *work)
{
  ts_hash_table calls = {0};
  ts_hash_reserve(work, &calls, e->host_count);
  for (uint32_t i = 0; i < e->host_count; i++) {
    const ts_event *v = ts_event_at(e, e->host[i]);
    uint32_t found = call_of(&calls, e, v->id);
    if (found != TS_EVENT_NONE) {
      /* The runtime's call and the driver's beneath it share an id; the outer one came first. */
      const ts_event *outer = ts_event_at(e, found);
      if (outer->track != v->track || v->start > ts_event_end(outer))
        e->duplicate_ids++;
    } else if (v->id) {
      ts_hash_add(work, &calls, ts_hash_number(v->id), e->host[i]);
    }
  }
  for (uint32_t i = 0; i < e->device_count; i++) {
    ts_event *v = ts_event_at(e, e->device[i]);
    uint32_t found = call_of(&calls, e, v->id);
    if (found == TS_EVENT_NONE)
      continue;
    ts_event *call = ts_event_at(e, found);
    if (call->start > ts_event_end(v)) { /* work that began before it was launched: not this call */
      e->backward_clock++;
      continue;
    }
    int64_t after = v->start - call->start;
    v->call = found;
    e->launch_min = after < e->launch_min ? after : e->launch_min;
    e->launch_max = after > e->launch_max ? after : e->launch_max;
    call->kind = TS_CALL_LAUNCH;
    e->linked_calls++;
  }
}

/* ---- Nesting ---- */

typedef TS_VEC(uint32_t) stack_of;

static void nest(ts_events *e, key *keys, ts_arena *work)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    if (v->class == TS_EVENT_OPERATOR || v->class == TS_EVENT_CALL)
      keys[n++] = (key){v->start, -v->duration, i};
  }
  sort_keys(keys, n);
  stack_of *open = TS_NEW_ARRAY(work, stack_of, e->tracks.count + 1);
  for (uint32_t i = 0; i < n; i++) {
    ts_event *v = ts_event_at(e, keys[i].event);
    stack_of *stack = &open[v->track];
    while (stack->count && ts_event_end(ts_event_at(e, stack->at[stack->count - 1])) <= v->start)
      stack->count--;
    if (stack->count) {
      v->op = stack->at[stack->count - 1];
      v->flags |= ts_event_at(e, v->op)->flags & TS_EVENT_BACKWARD;
    }
    if (v->class == TS_EVENT_OPERATOR)
      TS_PUSH(work, stack, keys[i].event);
  }
}

static bool same_external(const void *closure, uint32_t event)
{
  const link_wanted *w = closure;
  return ts_event_at(w->e, event)->external == w->id;
}

/* The operator of that external id, or TS_EVENT_NONE. */
static uint32_t operator_of(const ts_hash_table *operators, const ts_events *e, uint64_t id)
{
  if (!id)
    return TS_EVENT_NONE;
  return ts_hash_find(operators, ts_hash_number(id), same_external, &(link_wanted){e, id});
}

/* Traces without calls: by external id. */
static void link_external(ts_events *e, ts_arena *work)
{
  ts_hash_table operators = {0};
  for (uint32_t i = e->count; i-- > 0;) { /* of those with one id, the last */
    const ts_event *v = ts_event_at(e, i);
    if (v->class == TS_EVENT_OPERATOR && v->external &&
        operator_of(&operators, e, v->external) == TS_EVENT_NONE)
      ts_hash_add(work, &operators, ts_hash_number(v->external), i);
  }
  for (uint32_t i = 0; i < e->device_count; i++) {
    uint32_t op;
    ts_event *v = ts_event_at(e, e->device[i]);
    if (v->call != TS_EVENT_NONE) {
      v->op = ts_event_at(e, v->call)->op;
      v->flags |= ts_event_at(e, v->call)->flags & TS_EVENT_BACKWARD;
    } else if ((op = operator_of(&operators, e, v->external)) != TS_EVENT_NONE) {
      v->op = op;
      v->flags |= ts_event_at(e, v->op)->flags & TS_EVENT_BACKWARD;
    }
    e->linked_ops += v->op != TS_EVENT_NONE;
  }
}

/* A collective's kernel without arguments takes those of the operator that recorded them around its
 * launch. */
static void link_comms(ts_events *e)
{
  for (uint32_t i = 0; i < e->device_count; i++) {
    ts_event *v = ts_event_at(e, e->device[i]);
    if (v->kind != TS_KERNEL_COMMUNICATION || v->detail != TS_EVENT_NONE)
      continue;
    for (uint32_t op = v->op; op != TS_EVENT_NONE; op = ts_event_at(e, op)->op)
      if (ts_event_at(e, op)->kind == TS_OPERATOR_COMMUNICATION &&
          ts_event_at(e, op)->detail != TS_EVENT_NONE) {
        v->detail = ts_event_at(e, op)->detail;
        break;
      }
  }
}

static void count_tracks(ts_events *e)
{
  for (uint32_t i = 0; i < e->count; i++)
    e->tracks.at[ts_event_at(e, i)->track].count++;
}

void ts_events_sort(ts_events *e)
{
  ts_arena *work = ts_arena_new("sort");
  sort_classes(e, TS_NEW_ARRAY(work, key, e->count ? e->count : 1));
  count_tracks(e);
  ts_arena_free(work);
}

void ts_events_link(ts_events *e)
{
  ts_arena *work = ts_arena_new("link");
  key *keys = TS_NEW_ARRAY(work, key, e->count ? e->count : 1);
  sort_classes(e, keys);
  link_calls(e, work);
  nest(e, keys, work);
  link_external(e, work);
  link_comms(e);
  count_tracks(e);
  ts_arena_free(work);
}
