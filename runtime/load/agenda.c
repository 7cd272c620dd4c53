#include "runtime/load/agenda.h"

#include <stdbool.h>

static bool sooner(const ts_moment *a, const ts_moment *b) { return a->time != b->time ? a->time < b->time : a->order < b->order; }

void ts_agenda_announce(ts_arena *arena, ts_agenda *agenda, ts_moment m)
{
  TS_PUSH(arena, agenda, m);
  ts_moment *h = agenda->at;
  size_t i = agenda->count - 1;
  for (; i && sooner(&m, &h[(i - 1) / 2]); i = (i - 1) / 2)
    h[i] = h[(i - 1) / 2];
  h[i] = m;
}

ts_moment ts_agenda_take(ts_agenda *agenda)
{
  ts_moment *h = agenda->at, top = h[0], m = h[--agenda->count];
  size_t i = 0, n = agenda->count;
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
