#include "runtime/account/queued.h"

#include <string.h>

const ts_passage *ts_passage_at(const ts_track *track, const ts_played_op *send, uint64_t *posted)
{
  const ts_player *w = ts_player_of(track);
  const ts_route *route = &w->program->routes[ts_item_of(track, send)->port_base + send->op->arg];
  *posted = track->facts->players[w->peers[route->peer]].sent[route->slot];
  return ts_passage_of(w->role, route);
}

const ts_queues *ts_queues_new(ts_arena *arena, const ts_track *track)
{
  const ts_role *role = ts_player_of(track)->role;
  if (!role->queue_count)
    return TS_NEW(arena, ts_queues);
  uint32_t steps = track->stream[track->facts->tables->streams],
           *first = TS_NEW_ARRAY(arena, uint32_t, steps + 1);
  uint32_t *last = TS_NEW_ARRAY(arena, uint32_t, role->queue_count);
  uint64_t *clock = TS_NEW_ARRAY(arena, uint64_t, role->queue_count), posted;
  TS_VEC(ts_queued) messages = {0};
  for (uint32_t i = 0; i < steps; i++) {
    const ts_played_op *s = ts_step_at(track, i);
    first[i] = (uint32_t)messages.count;
    if (s->op->kind != TS_OP_SEND)
      continue;
    const ts_passage *m = ts_passage_at(track, s, &posted);
    for (const ts_toll *toll = role->tolls + m->first_toll, *end = toll + m->toll_count; toll < end;
         toll++) {
      uint64_t begin = posted + m->overhead;
      bool waits = clock[toll->queue] > begin;
      TS_PUSH(arena, &messages,
              (ts_queued){(waits ? clock[toll->queue] : begin) + toll->time, toll->queue,
                          waits ? last[toll->queue] : TS_IR_NONE});
      clock[toll->queue] = messages.at[messages.count - 1].exit;
      last[toll->queue] = i;
    }
  }
  first[steps] = (uint32_t)messages.count;
  ts_queues *out = TS_NEW(arena, ts_queues);
  *out = (ts_queues){first, messages.at};
  return out;
}

const ts_queued *ts_queued_in(const ts_queues *queues, uint32_t step, uint32_t queue, uint64_t last)
{
  for (uint32_t i = queues->first ? queues->first[step] : 0;
       queues->first && i < queues->first[step + 1]; i++)
    if (queue == TS_IR_NONE ? queues->at[i].exit == last : queues->at[i].queue == queue)
      return &queues->at[i];
  return NULL;
}
