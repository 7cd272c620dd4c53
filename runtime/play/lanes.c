#include "runtime/play/lanes.h"

#include <string.h>

static bool through(const ts_process *p) { return p->item == p->item_end && p->op == p->op_end; }

static bool is_ready(const ts_processes *all, uint32_t id)
{
  for (uint32_t i = 0; i < all->ready_count; i++)
    if (all->ready[i] == id)
      return true;
  return false;
}

/* What a process that is not ready was left at. */
static const char *cause(const ts_process *p, bool host)
{
  if (p->paused)
    return "waits for rounds of others";
  if (host)
    return "waits for the device";
  if (p->op == p->op_end)
    return "waits for the host";
  switch ((ts_op_kind)p->op->kind) {
  case TS_OP_COLLECTIVE: return "waits for a collective";
  case TS_OP_SEND: return "sends";
  case TS_OP_RECV:
  case TS_OP_CHOICE: return "waits for a message";
  default: return "waits for another stream";
  }
}

static ts_progress_lane lane_of(const ts_processes *all, const ts_facts *facts, uint32_t id)
{
  const ts_ir *ir = facts->tables->ir;
  const ts_process *p = &all->at[id];
  const ts_player *w = &facts->players[p->player];
  uint32_t stream = id % all->per_player;
  bool host = stream == facts->tables->streams;
  ts_progress_lane lane = {.rank = w->rank,
                           .micro_batch = UINT32_MAX,
                           .stream = host ? "host" : ir->strings + ir->streams[stream].name,
                           .item = "",
                           .state = through(p)        ? "is through" :
                                    is_ready(all, id) ? "may go on" :
                                                        cause(p, host),
                           .time = p->time,
                           .left = (uint64_t)(p->item_end - p->item)};
  if (p->in && !through(p)) {
    const ts_ir_item *item = &ir->items[ir->programs[w->role->program].first_item + p->in->index];
    lane.micro_batch = item->micro_batch == TS_IR_NONE ? UINT32_MAX : item->micro_batch;
    lane.item = ir->strings + ir->fragments[item->fragment].name;
  }
  return lane;
}

/* Some players with all of their streams, far apart. */
void ts_lanes_show(const ts_processes *all, const ts_facts *facts)
{
  const ts_progress *progress = facts->tables->progress;
  if (!progress || !progress->show || !progress->watched(progress->closure))
    return;
  const ts_partitions *of = all->partitions;
  uint32_t first = of->first[all->partition], players = of->first[all->partition + 1] - first,
           shown = TS_PROGRESS_LANES / all->per_player, every = shown ? players / shown + 1 : 1;
  ts_progress_lanes lanes = {.ready = all->ready_count};
  for (uint32_t k = 0; k < players; k++)
    for (uint32_t s = 0; s < all->per_player; s++) {
      uint32_t id = of->players[first + k] * all->per_player + s;
      lanes.streams++;
      lanes.through += through(&all->at[id]);
      if (k % every == 0 && lanes.count < TS_PROGRESS_LANES)
        lanes.at[lanes.count++] = lane_of(all, facts, id);
    }
  progress->show(progress->closure, &lanes);
}
