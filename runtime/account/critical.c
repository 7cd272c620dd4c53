/* The critical path: from the end of the step back to its beginning, through what each start waited
 * for, across ranks. */
#include <stdlib.h>
#include <string.h>

#include "runtime/account/compose.h"
#include "runtime/account/queued.h"

typedef struct walker {
  const ts_facts *facts;
  ts_arena *arena;
  const ts_track **tracks;  /* [players], replayed when first entered */
  const ts_queues **queues; /* [players] of those tracks, found when first asked for */
  const ts_track *at;
  ts_critical_fn *each;
  void *closure;
} walker;

static void go_to(walker *w, uint32_t player)
{
  if (!w->tracks[player])
    w->tracks[player] = ts_track_as_asked(w->arena, w->facts, player);
  w->at = w->tracks[player];
}

/* `time` of the path was spent on the node at `place` of the step's op. */
static void add(walker *w, const ts_played_op *s, uint32_t place, uint64_t time)
{
  w->each(w->closure,
          &(ts_critical_node){
            .player = w->at->player,
            .item = s->item,
            .time = time,
            .node = w->facts->tables->layouts[ts_item_of(w->at, s)->fragment].order[place]});
}

static ts_place leave_run(walker *w, uint32_t step, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, step);
  const ts_player *player = ts_player_of(w->at);
  const ts_fragment_layout *layout = &w->facts->tables->layouts[ts_item_of(w->at, s)->fragment];
  uint32_t first = s->op->first;
  bool hosted = ts_run_host_wait(w->at, step, &first, to);
  for (uint32_t i = first; i < s->op->first + s->op->count; i++)
    if (ts_node_of(w->at, s, i)->op == TS_IR_COMPUTE)
      add(w, s, i,
          ts_took(player, s->item, layout->order[i],
                  ts_kernel_time(player->role, ts_node_of(w->at, s, i))));
  if (hosted)
    return ts_host_at(w->at, step, first);
  *to = s->ready;
  return ts_cause_of_ready(w->at, step);
}

/* Through the member that was ready last. */
static ts_place leave_collective(walker *w, uint32_t step, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, step);
  *to = s->end - s->time;
  add(w, s, s->op->first, s->time);
  if (s->ready == *to)
    return ts_cause_of_ready(w->at, step);
  uint32_t call = ts_call_of(w->at, step), comm = s->op->comm;
  const ts_rendezvous *m = &w->facts->fold->rendezvous[ts_player_of(w->at)->rendezvous[comm]];
  go_to(w, w->facts->latest[m->call_base + call]);
  return ts_cause_of_ready(w->at, ts_track_call(w->at, comm, call));
}

static const ts_queues *queues_of(walker *w)
{
  const ts_queues **queues = &w->queues[w->at->player];
  return *queues ? *queues : (*queues = ts_queues_new(w->arena, w->at));
}

/* `time` went by for what the step sends: its receiver's. */
static void add_message(walker *w, uint32_t send, uint64_t time)
{
  const ts_played_op *s = ts_step_at(w->at, send);
  const ts_player *player = ts_player_of(w->at);
  const ts_route *route = &player->program->routes[ts_item_of(w->at, s)->port_base + s->op->arg];
  uint32_t to = player->peers[route->peer];
  const ts_message *m = &w->facts->players[to].program->messages[route->slot];
  w->each(w->closure,
          &(ts_critical_node){.player = to, .item = m->item, .node = m->node, .time = time});
}

/* From when it was posted, through what the sends before it cost their sender. */
static ts_place leave_posting(walker *w, uint32_t send, uint64_t *to)
{
  ts_place place;
  while (!ts_cause_of_posting(w->at, send, *to, &place)) {
    const ts_played_op *before = ts_step_at(w->at, --send);
    uint64_t posted;
    if (before->op->kind != TS_OP_SEND)
      continue;
    uint64_t overhead = ts_passage_at(w->at, before, &posted)->overhead;
    add(w, before, before->op->first, overhead);
    *to -= overhead;
  }
  return place;
}

/* From the arrival of what the step sends: through the queue that held it up, message by message,
 * or through its stream. */
static ts_place leave_message(walker *w, uint32_t send, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, send);
  uint64_t posted, latency = ts_passage_at(w->at, s, &posted)->latency;
  const ts_queues *queues = queues_of(w);
  const ts_queued *queued = ts_queued_in(queues, send, TS_IR_NONE, *to - latency);
  if (!queued) {
    add_message(w, send, *to - s->ready);
    *to = s->ready;
    return ts_cause_of_ready(w->at, send);
  }
  while (queued->behind != TS_IR_NONE) {
    uint32_t before = queued->behind;
    queued = ts_queued_in(queues, before, queued->queue, 0);
    add_message(w, send, *to - queued->exit);
    *to = queued->exit;
    send = before;
  }
  ts_passage_at(w->at, ts_step_at(w->at, send), &posted);
  add_message(w, send, *to - posted);
  *to = posted;
  return leave_posting(w, send, to);
}

/* Through the sender, when the message was late. */
static ts_place leave_receive(walker *w, uint32_t step, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, step);
  const ts_player *player = ts_player_of(w->at);
  const ts_route *route = &player->program->routes[ts_item_of(w->at, s)->port_base + s->op->arg];
  *to = s->ready;
  if (s->end == s->ready)
    return ts_cause_of_ready(w->at, step);
  *to = s->end;
  const ts_message *m = &player->program->messages[route->slot];
  go_to(w, player->peers[route->peer]);
  return leave_message(w, ts_track_node(w->at, m->send_item, m->send_node), to);
}

static ts_place leave_step(walker *w, uint32_t step, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, step);
  switch (s->op->kind) {
  case TS_OP_RUN: return leave_run(w, step, to);
  case TS_OP_COLLECTIVE: return leave_collective(w, step, to);
  case TS_OP_RECV: return leave_receive(w, step, to);
  case TS_OP_SEND: add(w, s, s->op->first, s->end - s->ready); break;
  default: break;
  }
  *to = s->ready;
  return ts_cause_of_ready(w->at, step);
}

static ts_place leave_host(walker *w, const ts_place *place, uint64_t *to)
{
  uint64_t begin = ts_player_of(w->at)->segments[place->segment];
  if (place->node != TS_IR_NONE)
    w->each(w->closure, &(ts_critical_node){.player = w->at->player,
                                            .item = place->item->index,
                                            .node = place->node,
                                            .host = true,
                                            .time = *to - begin});
  *to = begin;
  return ts_cause_of_segment(w->at, place->segment);
}

void ts_critical_walk(const ts_facts *facts, uint32_t player, ts_critical_fn *each, void *closure)
{
  walker w = {
    .facts = facts, .arena = ts_arena_new("critical path"), .each = each, .closure = closure};
  uint64_t to;
  w.tracks = TS_NEW_ARRAY(w.arena, const ts_track *, facts->fold->count);
  w.queues = TS_NEW_ARRAY(w.arena, const ts_queues *, facts->fold->count);
  go_to(&w, player);
  for (ts_place place = ts_track_end(w.at, &to); place.kind != TS_AT_BEGIN;)
    place =
      place.kind == TS_AT_HOST ? leave_host(&w, &place, &to) : leave_step(&w, place.step, &to);
  ts_arena_free(w.arena);
}

/* --- summing --- */

typedef struct passes {
  uint64_t time, count;
} passes; /* of a node, on the path */

typedef struct sums {
  const ts_facts *facts;
  passes *work, *host;
} sums; /* [nodes of the IR] */

static void count_node(void *closure, const ts_critical_node *v)
{
  sums *s = closure;
  const ts_player *w = &s->facts->players[v->player];
  passes *at = (v->host ? s->host : s->work) +
               s->facts->tables->ir->fragments[w->program->items[v->item].fragment].first_node +
               v->node;
  at->time += v->time;
  at->count++;
}

static ts_critical_part part_of(const ts_ir *ir, const ts_ir_node *node, uint32_t fragment)
{
  uint32_t group;
  switch (node->op) {
  case TS_IR_COMPUTE:
    return (ts_critical_part){.kind = TS_CRITICAL_COMPUTE,
                              .name = ir->strings + ir->kernels[node->arg].family};
  case TS_IR_COLLECTIVE:
    group = ir->collectives[node->arg].group;
    return (ts_critical_part){.kind = TS_CRITICAL_COLLECTIVE,
                              .name = ir->strings + ir->groups[group].name};
  default:
    group = ir->ports[ir->fragments[fragment].first_port + node->arg].group;
    return (ts_critical_part){.kind = TS_CRITICAL_MESSAGE,
                              .name = ir->strings + ir->groups[group].name};
  }
}

typedef struct summary { TS_VEC(ts_critical_part) parts; TS_VEC(uint64_t) most; } summary;

static void sum_up(ts_arena *arena, summary *sum, ts_critical_part part, const passes *at,
                   ts_ir_str label)
{
  uint32_t i = 0;
  if (!at->time)
    return;
  while (i < sum->parts.count &&
         (sum->parts.at[i].kind != part.kind || strcmp(sum->parts.at[i].name, part.name)))
    i++;
  if (i == sum->parts.count) {
    TS_PUSH(arena, &sum->parts, part);
    TS_PUSH(arena, &sum->most, 0);
  }
  sum->parts.at[i].time += at->time;
  sum->parts.at[i].count += at->count;
  if (at->time > sum->most.at[i]) {
    sum->most.at[i] = at->time;
    sum->parts.at[i].label = label;
  }
}

static int larger(const void *left, const void *right)
{
  const ts_critical_part *a = left, *b = right;
  if (a->time != b->time)
    return a->time > b->time ? -1 : 1;
  return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
}

uint32_t ts_critical_path(ts_arena *arena, const ts_facts *facts, uint32_t player,
                          const ts_critical_part **parts)
{
  const ts_ir *ir = facts->tables->ir;
  ts_arena *scratch = ts_arena_new("sums");
  sums w = {facts, TS_NEW_ARRAY(scratch, passes, ir->nodes_count),
            TS_NEW_ARRAY(scratch, passes, ir->nodes_count)};
  summary sum = {0};
  ts_critical_walk(facts, player, count_node, &w);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = ir->fragments[f].first_node;
         n < ir->fragments[f].first_node + ir->fragments[f].node_count; n++) {
      if (w.work[n].count)
        sum_up(arena, &sum, part_of(ir, &ir->nodes[n], f), &w.work[n], ir->nodes[n].label);
      if (w.host[n].count)
        sum_up(arena, &sum, (ts_critical_part){.kind = TS_CRITICAL_HOST, .name = "host"},
               &w.host[n], ir->nodes[n].label);
    }
  if (sum.parts.count)
    TS_SORT(&sum.parts, larger);
  *parts = sum.parts.at;
  ts_arena_free(scratch);
  return (uint32_t)sum.parts.count;
}
