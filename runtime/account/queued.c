#include "runtime/account/queued.h"

const ts_transit *ts_transit_at(const ts_track *track, const ts_played_op *send, uint64_t *posted)
{
  const ts_player *w = ts_player_of(track);
  const ts_route *route = &w->program->routes[ts_item_of(track, send)->port_base + send->op->arg];
  *posted = track->facts->players[w->peers[route->peer]].sent[route->slot];
  return ts_transit_of(w->role, route);
}

typedef struct queuing {
  ts_arena *arena;
  TS_VEC(ts_queued) messages;
  uint32_t *last;  /* [queues] step whose message it took last ... */
  int64_t *clock;  /* ... until then */
} queuing;

static void queue(queuing *q, const ts_role *role, const ts_transit *m, uint64_t posted,
                  uint32_t step)
{
  for (uint32_t k = 0; k < m->queue_time_count; k++) {
    const ts_queue_time *queue_time = &role->queue_times[m->first_queue_time + k];
    int64_t begin = (int64_t)(posted + m->overhead), *clock = &q->clock[queue_time->queue];
    bool waits = *clock > begin;
    uint64_t exit = (uint64_t)ts_queue_pass(clock, begin, queue_time->time);
    TS_PUSH(q->arena, &q->messages,
            (ts_queued){exit, (uint32_t)queue_time->queue,
                        waits ? q->last[queue_time->queue] : TS_IR_NONE});
    q->last[queue_time->queue] = step;
  }
}

/* Goes through the ops without replaying them. */
const ts_queues *ts_queues_new(ts_arena *arena, const ts_track *track)
{
  const ts_player *w = ts_player_of(track);
  const ts_role *role = w->role;
  ts_queues *out = TS_NEW(arena, ts_queues);
  if (!role->queue_count)
    return out;
  uint32_t streams = track->facts->tables->streams, step = 0;
  uint32_t *first = ts_arena_alloc_raw(arena, (track->stream[streams] + 1) * sizeof *first);
  queuing q = {.arena = arena,
               .last = TS_NEW_ARRAY(arena, uint32_t, role->queue_count),
               .clock = TS_NEW_ARRAY(arena, int64_t, role->queue_count)};
  for (uint32_t s = 0; s < streams; s++) {
    ts_range range = w->program->stream[s];
    for (uint32_t k = range.first; k < range.first + range.count; k++) {
      const ts_play_item *v = &w->program->items[w->program->stream_items[k]];
      ts_range code = role->code[v->fragment].stream[s];
      const ts_play_op *ops = role->ops + code.first;
      for (const ts_play_op *op = ops; op < ops + code.count; op++) {
        first[step] = (uint32_t)q.messages.count;
        if (op->kind == TS_OP_SEND) {
          const ts_route *route = &w->program->routes[v->port_base + op->arg];
          queue(&q, role, ts_transit_of(role, route),
                track->facts->players[w->peers[route->peer]].sent[route->slot], step);
        }
        step++;
      }
    }
  }
  first[step] = (uint32_t)q.messages.count;
  *out = (ts_queues){first, q.messages.at};
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
