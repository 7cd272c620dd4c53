#include "runtime/play/process.h"

#include <string.h>

/* ---- players ---- */

static uint64_t *process_unknown(ts_arena *arena, uint32_t count)
{
  uint64_t *at = TS_NEW_ARRAY(arena, uint64_t, count);
  if (count)
    memset(at, 0xff, count * sizeof *at);
  return at;
}

static const uint32_t *peers_of(ts_arena *arena, const ts_facts *f, const ts_player *w)
{
  uint32_t *peers = TS_NEW_ARRAY(arena, uint32_t, w->program->peer_count);
  for (uint32_t k = 0; k < w->program->peer_count; k++)
    peers[k] =
      f->fold->of[ts_peer_rank(f->tables->ranks, w->rank, w->program->peers[k].coordinate)];
  return peers;
}

void ts_make_player(ts_arena *arena, const ts_facts *f, uint32_t player)
{
  ts_player *w = (ts_player *)&f->players[player];
  w->rank = f->fold->rank[player];
  w->role = &f->roles->at[f->roles->of[w->rank]];
  w->program = &f->tables->programs[w->role->program];
  w->peers = peers_of(arena, f, w);
  w->rendezvous = f->fold->rendezvous_of + (size_t)player * f->tables->comm_count;
  w->events = ts_arena_alloc_raw(arena, w->program->event_count * sizeof *w->events);
  w->segments = process_unknown(arena, w->program->segment_count);
  w->segments[0] = 0;
  w->arrived = process_unknown(arena, w->program->slot_count);
  w->sent = TS_NEW_ARRAY(arena, uint64_t, w->program->slot_count);
  w->queues = TS_NEW_ARRAY(arena, uint64_t, w->role->queue_count);
  w->lanes = TS_NEW_ARRAY(arena, uint32_t, w->role->lane_count);
  if (w->role->lane_count)
    memset(w->lanes, 0xff, w->role->lane_count * sizeof *w->lanes);
}

void ts_player_expect(const ts_player *w, uint32_t item, uint32_t count)
{
  uint32_t from = w->program->items[item].event_base,
           to = w->program->items[item + count].event_base;
  if (to > from)
    memset(w->events + from, 0xff, (to - from) * sizeof *w->events);
}

void ts_player_keep_times(ts_arena *arena, const ts_tables *t, ts_player *w, bool kernels_vary)
{
  uint32_t items = t->ir->programs[w->role->program].item_count;
  uint64_t *base = ts_arena_alloc_raw(arena, items * sizeof *base);
  for (uint32_t i = 0; i < items; i++) {
    uint32_t f = w->program->items[i].fragment;
    base[i] = w->took_count;
    w->took_count +=
      kernels_vary ? t->ir->fragments[f].node_count : t->layouts[f].transfer_count;
  }
  w->took_base = base;
  w->kernels_vary = kernels_vary;
  w->took = ts_arena_alloc_raw(arena, w->took_count * sizeof *w->took);
  if (w->took_count)
    memset(w->took, kernels_vary ? 0 : 0xff, w->took_count * sizeof *w->took);
}

/* ---- processes ---- */

void ts_processes_new(ts_processes *all, ts_arena *scratch, const ts_facts *facts,
                      ts_contention *contention)
{
  uint32_t per_player = facts->tables->streams + 1, count = facts->fold->count * per_player;
  *all = (ts_processes){.scratch = scratch,
                        .at = ts_arena_alloc_raw(scratch, count * sizeof *all->at),
                        .count = count,
                        .per_player = per_player,
                        .contention = contention};
}

static ts_process at_begin(const ts_facts *facts, uint32_t player, uint32_t stream)
{
  const ts_program_info *program = facts->players[player].program;
  ts_range range = program->stream[stream];
  return (ts_process){.player = player,
                      .item = program->stream_items + range.first,
                      .next = TS_IR_NONE,
                      .item_end = program->stream_items + range.first + range.count};
}

/* The first one lies on top of the stack. */
void ts_processes_begin(ts_processes *all, ts_arena *scratch, const ts_facts *facts)
{
  const uint32_t *first = all->partitions->first + all->partition;
  all->ready = ts_arena_alloc_raw(
    scratch, (size_t)(first[1] - first[0]) * all->per_player * sizeof *all->ready);
  for (uint32_t k = first[1]; k-- > first[0];) {
    uint32_t player = all->partitions->players[k];
    for (uint32_t s = all->per_player; s-- > 0;) {
      uint32_t id = player * all->per_player + s;
      all->at[id] = at_begin(facts, player, s);
      all->ready[all->ready_count++] = id;
    }
  }
}

/* When the last host has done its work. */
static uint64_t end_of_hosts(const ts_facts *facts)
{
  uint64_t end = 0;
  for (uint32_t p = 0; p < facts->fold->count; p++) {
    const ts_player *w = &facts->players[p];
    uint64_t host = w->segments[w->program->tail_segment] + w->program->tail;
    end = host > end ? host : end;
  }
  return end;
}

/* Whether a process, a stream of the player or its host, counts for the end of the step. */
static bool counts(const ts_player *w, const ts_tables *t, uint32_t process)
{
  return process >= t->streams || !w->program->late[process];
}

uint64_t ts_processes_end(const ts_processes *all, const ts_facts *facts)
{
  uint64_t end = end_of_hosts(facts);
  for (uint32_t i = 0; i < all->count; i++) {
    const ts_process *p = &all->at[i];
    if (p->time > end && counts(&facts->players[p->player], facts->tables, i % all->per_player))
      end = p->time;
  }
  return end;
}

void ts_host_run(ts_processes *all, const ts_facts *facts, uint32_t id)
{
  ts_process *p = &all->at[id];
  const ts_player *w = &facts->players[p->player];
  for (; p->item < p->item_end; p->item++, p->wait = 0) {
    const ts_play_item *v = &w->program->items[*p->item];
    const ts_fragment_layout *layout = &facts->tables->layouts[v->fragment];
    for (; p->wait < layout->wait_count; p->wait++) {
      const ts_host_wait *wait = &layout->waits[p->wait];
      const ts_node_info *info = &layout->nodes[wait->node];
      uint64_t time = ts_host_base(w, v, p->wait) + wait->offset;
      if (!ts_process_await(all, id, w->events + v->event_base,
                            facts->tables->waits + info->first_wait, info->wait_count, &time))
        return;
      all->overflow |= time >> TS_CLOCK_BITS != 0;
      ts_process_settle(all, &w->segments[v->segment + p->wait + 1], time);
    }
  }
}

/* ---- messages under contention ---- */

bool ts_message_share(ts_processes *all, const ts_facts *facts, uint32_t id,
                      const ts_play_item *item, const ts_play_op *op, const ts_route *route,
                      uint64_t start)
{
  const ts_player *w = &facts->players[all->at[id].player],
                  *to = &facts->players[w->peers[route->peer]];
  const ts_transit *m = ts_transit_of(w->role, route);
  uint32_t port = facts->tables->ir->fragments[item->fragment].first_port + op->arg,
           tag = facts->fold->rendezvous_count + id;
  uint32_t *lane = m->lane == TS_IR_NONE ? NULL : &w->lanes[m->lane];
  if (lane)
    tag = facts->fold->rendezvous_count + all->count + (uint32_t)all->flights.count;
  if (!all->contention ||
      !ts_contention_message(all->contention, w->role, route->peer, port, w->rank, to->rank, start,
                             tag, lane ? *lane : TS_IR_NONE))
    return false;
  if (lane) {
    *lane = tag;
    TS_PUSH(all->scratch, &all->flights, (ts_flight){&to->arrived[route->slot], lane, m->latency});
  }
  return true;
}

void ts_message_land(ts_processes *all, const ts_facts *facts, uint32_t tag, uint64_t now)
{
  const ts_flight *flight = &all->flights.at[tag - facts->fold->rendezvous_count - all->count];
  *flight->lane = *flight->lane == tag ? TS_IR_NONE : *flight->lane;
  ts_process_settle(all, flight->arrived, now + flight->latency);
}
