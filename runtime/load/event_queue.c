#include "runtime/load/event_queue.h"

#include <stdbool.h>

static bool sooner(const ts_moment *a, const ts_moment *b)
{
  return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void ts_event_queue_announce(ts_arena *arena, ts_event_queue *event_queue, ts_moment m)
{
  TS_PUSH(arena, event_queue, m);
  ts_moment *h = event_queue->at;
  size_t i = event_queue->count - 1;
  for (; i && sooner(&m, &h[(i - 1) / 2]); i = (i - 1) / 2)
    h[i] = h[(i - 1) / 2];
  h[i] = m;
}

ts_moment ts_event_queue_take(ts_event_queue *event_queue)
{
  ts_moment *h = event_queue->at, top = h[0], m = h[--event_queue->count];
  size_t i = 0, n = event_queue->count;
  for (size_t c; (c = 2 * i + 1) < n; i = c) {
    c += c + 1 < n && sooner(&h[c + 1], &h[c]);
    if (!sooner(&h[c], &m))
      break;
    h[i] = h[c];
  }
  if (n)
    h[i] = m;
  return top;
}
