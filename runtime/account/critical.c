/* The critical path: from the end of the step back to its beginning, through what each start waited
 * for, across ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
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
    w->tracks[player] = ts_track_as_requested(w->arena, w->facts, player);
  w->at = w->tracks[player];
}

/* `time` of the path was spent on the node at `place` of the step's op. */
static void critical_add(walker *w, const ts_played_op *s, uint32_t place, uint64_t time)
{
  w->each(w->closure,
          &(ts_critical_node){
            .player = w->at->player,
            .item = s->item,
            .times = 1,
            .time = time,
            .node = w->facts->tables->layouts[ts_item_of(w->at, s)->fragment].order[place]});
}

static ts_place leave_run(walker *w, uint32_t step, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, step);
  uint32_t first = s->op->first;
  bool hosted = ts_run_host_wait(w->at, step, &first, to);
  for (ts_run_walk k = ts_run_walk_of(s); ts_run_next(w->facts, ts_player_of(w->at), s, &k);)
    if (k.place > first && ts_node_of(w->at, s, k.place - 1)->op == TS_IR_COMPUTE)
      critical_add(w, s, k.place - 1, k.end - k.start);
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
  critical_add(w, s, s->op->first, s->time);
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

static ts_critical_node message_node(uint32_t receiver, const ts_message *m, uint64_t time)
{
  return (ts_critical_node){
    .player = receiver, .item = m->item, .node = m->node, .times = 1, .time = time};
}

/* `time` went by for what the step sends: its receiver's. */
static void add_message(walker *w, uint32_t send, uint64_t time)
{
  const ts_played_op *s = ts_step_at(w->at, send);
  const ts_player *player = ts_player_of(w->at);
  const ts_route *route = &player->program->routes[ts_item_of(w->at, s)->port_base + s->op->arg];
  uint32_t to = player->peers[route->peer];
  const ts_message *m = &w->facts->players[to].program->messages[route->slot];
  ts_critical_node at = message_node(to, m, time);
  w->each(w->closure, &at);
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
    uint64_t overhead = ts_transit_at(w->at, before, &posted)->overhead;
    critical_add(w, before, before->op->first, overhead);
    *to -= overhead;
  }
  return place;
}

/* From the arrival of what the step sends: through the queue that held it up, message by message,
 * or through its stream. */
static ts_place leave_message(walker *w, uint32_t send, uint64_t *to)
{
  const ts_played_op *s = ts_step_at(w->at, send);
  uint64_t posted, latency = ts_transit_at(w->at, s, &posted)->latency;
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
  ts_transit_at(w->at, ts_step_at(w->at, send), &posted);
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
  case TS_OP_SEND: critical_add(w, s, s->op->first, s->end - s->ready); break;
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
                                            .times = 1,
                                            .time = *to - begin});
  *to = begin;
  return ts_cause_of_segment(w->at, place->segment);
}

static walker walker_new(ts_arena *arena, const ts_facts *facts, ts_critical_fn *each,
                         void *closure)
{
  return (walker){.facts = facts,
                  .arena = arena,
                  .each = each,
                  .closure = closure,
                  .tracks = TS_NEW_ARRAY(arena, const ts_track *, facts->fold->count),
                  .queues = TS_NEW_ARRAY(arena, const ts_queues *, facts->fold->count)};
}

void ts_critical_walk(const ts_facts *facts, uint32_t player, ts_critical_fn *each, void *closure)
{
  ts_arena *arena = ts_arena_new("critical path");
  walker w = walker_new(arena, facts, each, closure);
  uint64_t to;
  go_to(&w, player);
  for (ts_place place = ts_track_end(w.at, &to); place.kind != TS_AT_BEGIN;)
    place =
      place.kind == TS_AT_HOST ? leave_host(&w, &place, &to) : leave_step(&w, place.step, &to);
  ts_arena_free(arena);
}

/* --- Through rounds that are left out --- */

/* Where the path came to the round before them, `left` rounds from there: op `at` of the item's
 * stream. */
typedef struct rounds_entry {
  uint32_t player, item, stream, at;
  uint64_t left;
  size_t reported; /* before */
} rounds_entry;

typedef struct rounds_path {
  ts_critical_fn *each;
  void *closure;
  ts_arena *arena;
  uint64_t left; /* rounds to be passed */
  TS_VEC(rounds_entry) entries;
  TS_VEC(ts_critical_node) reported;
} rounds_path;

static void rounds_tell(void *closure, const ts_critical_node *at)
{
  rounds_path *p = closure;
  p->each(p->closure, at);
  if (p->left)
    TS_PUSH(p->arena, &p->reported, *at);
}

/* What was told since the path came here before is told as often as it comes here again. */
static void circle(rounds_path *p, rounds_entry now)
{
  for (size_t i = 0; i < p->entries.count; i++) {
    const rounds_entry *e = &p->entries.at[i];
    if (e->player != now.player || e->item != now.item || e->stream != now.stream ||
        e->at != now.at)
      continue;
    uint64_t times = now.left / (e->left - now.left);
    p->left -= times * (e->left - now.left);
    for (size_t k = e->reported; k < now.reported; k++) {
      ts_critical_node again = p->reported.at[k];
      again.times *= times;
      p->each(p->closure, &again);
    }
    return;
  }
  TS_PUSH(p->arena, &p->entries, now);
}

/* An op before the cut is the one as many rounds later that are left out: it is looked at right
 * behind the cut, where there is all that it may have waited for. */
static ts_place pass_rounds(walker *w, rounds_path *p, ts_place place, uint64_t *to)
{
  const ts_player *player = ts_player_of(w->at);
  const ts_tables *t = w->facts->tables;
  const ts_ir_round *round = &t->ir->left_out->of[player->role->program];
  uint32_t cut = round->first + round->count;
  if (place.kind == TS_AT_HOST && place.segment <= player->program->items[cut].segment) {
    *to += p->left * w->facts->rounds.time;
    p->left = 0;
    return place;
  }
  const ts_played_op *s = place.kind == TS_AT_STEP ? ts_step_at(w->at, place.step) : NULL;
  if (!s || s->item >= cut)
    return place;
  uint32_t stream = s->stream, streams = t->streams,
           at = place.step - w->at->item_first[(size_t)s->item * streams + stream];
  uint64_t rounds = (cut - s->item + round->count - 1) / round->count;
  rounds = rounds < p->left ? rounds : p->left;
  uint32_t item = s->item + (uint32_t)rounds * round->count;
  p->left -= rounds;
  circle(p, (rounds_entry){w->at->player, item, stream, at, p->left, p->reported.count});
  place.step = w->at->item_first[(size_t)item * streams + stream] + at;
  *to += rounds * w->facts->rounds.time;
  return place;
}

static void walk_rounds(const ts_facts *facts, uint32_t player, ts_critical_fn *each, void *closure)
{
  ts_arena *arena = ts_arena_new("critical path");
  rounds_path p = {.each = each, .closure = closure, .arena = arena, .left = facts->rounds.count};
  walker w = walker_new(arena, facts, rounds_tell, &p);
  uint64_t to;
  go_to(&w, player);
  for (ts_place place = ts_track_end(w.at, &to); place.kind != TS_AT_BEGIN;) {
    if (p.left)
      place = pass_rounds(&w, &p, place, &to);
    place =
      place.kind == TS_AT_HOST ? leave_host(&w, &place, &to) : leave_step(&w, place.step, &to);
  }
  ts_arena_free(arena);
}

/* --- What is passed again and again, at once --- */

/* Where the path comes to an item: at the end of an op of a stream, or for a message it sent. */
typedef struct critical_entry {
  uint32_t player, item;
  uint32_t stream;         /* TS_IR_NONE: for a message */
  uint32_t at;             /* op of the stream, or the node that sends */
  uint32_t receiver, slot; /* of the message: a player and where it received it */
} critical_entry;

typedef enum way { INTO_STEP, INTO_STREAM, INTO_MESSAGE } way;

/* A SEGMENT: what the path does between coming to an item and leaving it. It hangs on nothing but
 * the item's play, so it is the same in all items that were played alike, and is walked once. */
typedef struct path_segment {
  uint32_t player, like;   /* whose item; ts_player.alike */
  uint32_t stream, at;     /* as of its entry */
  uint32_t first, count;   /* passes */
  uint64_t message;        /* time that the message took */
  uint64_t more;           /* times that it is passed again */
  way way;                 /* how the path goes on: in ... */
  uint32_t next, next_at;  /* ... this op of the item, stream (what is before it), or port */
} path_segment;

typedef struct critical_path {
  walker w;
  ts_critical_fn *each;    /* is told of all */
  void *closure;
  TS_VEC(ts_critical_node) passes;
  TS_VEC(path_segment) path_segments;
  ts_intern known; /* their keys */
  /* the segment that is walked; `open`: the path has not left its item, `last` is the step that it
   * went through last; `recorded`: its passes are */
  path_segment now;
  uint32_t player, item, last;
  bool open, recorded;
} critical_path;

static void critical_tell(critical_path *p, ts_critical_node at, uint64_t times)
{
  at.times = times;
  p->each(p->closure, &at);
}

static void critical_note(void *closure, const ts_critical_node *at)
{
  critical_path *p = closure;
  critical_tell(p, *at, 1);
  if (p->open && p->recorded)
    TS_PUSH(p->w.arena, &p->passes, *at);
}

typedef struct segment_key {
  uint32_t player, like, stream, at;
} segment_key;

static segment_key segment_key_of(const path_segment *s)
{
  return (segment_key){s->player, s->like, s->stream, s->at};
}

/* Begins a segment at the entry. False: nobody is played like the item. */
static bool critical_begin(critical_path *p, const critical_entry *e)
{
  const ts_player *w = &p->w.facts->players[e->player];
  if (!w->alike)
    return false;
  p->now = (path_segment){.player = e->player,
                          .like = w->alike[e->item],
                          .stream = e->stream,
                          .at = e->at,
                          .first = (uint32_t)p->passes.count};
  return true;
}

/* Whether it is the like of an earlier item of its player: only segments of those are kept. */
static bool repeats(const critical_path *p, const critical_entry *e)
{
  const ts_player *w = &p->w.facts->players[e->player];
  return w->alike && w->alike[e->item] != e->item;
}

/* It ends here: the path goes on in this way. */
static void critical_end(critical_path *p, way way, uint32_t next, uint32_t next_at)
{
  p->now.way = way;
  p->now.next = next;
  p->now.next_at = next_at;
  p->now.count = (uint32_t)p->passes.count - p->now.first;
  segment_key key = segment_key_of(&p->now);
  if (ts_intern_bytes(&p->known, &key, sizeof key) == p->path_segments.count)
    TS_PUSH(p->w.arena, &p->path_segments, p->now);
}

/* What the path does next hangs on others, too. */
static void give_up(critical_path *p)
{
  if (p->open && p->recorded)
    p->passes.count = p->now.first;
  p->open = false;
}

/* The message that the port of the item received. */
static critical_entry message_to(const critical_path *p, uint32_t player, uint32_t item,
                                 uint32_t port)
{
  const ts_player *w = &p->w.facts->players[player];
  const ts_route *route = &w->program->routes[w->program->items[item].port_base + port];
  const ts_message *m = &w->program->messages[route->slot];
  return (critical_entry){w->peers[route->peer], m->send_item, TS_IR_NONE,
                          m->send_node,          player,       route->slot};
}

/* From the end of the segment to the next one. False: nothing is before it. */
static bool go_on(critical_path *p, const path_segment *known, critical_entry *e)
{
  const ts_player *w = &p->w.facts->players[e->player];
  if (e->stream == TS_IR_NONE && known->way != INTO_STREAM) {
    *e = (critical_entry){e->player, e->item, known->next, known->next_at, 0, 0};
  } else if (known->way == INTO_MESSAGE) {
    *e = message_to(p, e->player, e->item, known->next);
  } else {
    const uint32_t *on = ts_item_on(w->program, e->item, known->next);
    if (on == w->program->stream_items + w->program->stream[known->next].first)
      return false;
    const ts_play_item *v = &w->program->items[on[-1]];
    *e = (critical_entry){e->player,   v->index,
                          known->next, w->role->code[v->fragment].stream[known->next].count - 1,
                          0,           0};
  }
  return true;
}

/* Goes on by segments that are known, and leaves the first one that is not in *e. */
static void critical_follow(critical_path *p, critical_entry *e)
{
  while (critical_begin(p, e)) {
    segment_key key = segment_key_of(&p->now);
    uint32_t number = ts_intern_find(&p->known, &key, sizeof key);
    if (number == TS_HASH_NONE)
      return;
    path_segment *known = &p->path_segments.at[number];
    critical_entry before = *e;
    if (!go_on(p, known, e))
      return;
    known->more++;
    if (before.stream == TS_IR_NONE) {
      const ts_message *m =
        &p->w.facts->players[before.receiver].program->messages[before.slot];
      critical_tell(p, message_node(before.receiver, m, known->message), 1);
    }
  }
}

/* ---- Walking what is not known ---- */

static uint32_t op_of(const ts_track *track, uint32_t step)
{
  const ts_played_op *s = ts_step_at(track, step);
  return step - track->item_first[(size_t)s->item * track->facts->tables->streams + s->stream];
}

/* The path comes to a message at its arrival, and goes on in front of its send. */
static ts_place walk_message(critical_path *p, const critical_entry *e, uint64_t *to)
{
  go_to(&p->w, e->player);
  const ts_track *track = p->w.at;
  uint32_t send = ts_track_node(track, e->item, e->at), stream = ts_step_at(track, send)->stream;
  uint64_t arrived = *to = p->w.facts->players[e->receiver].arrived[e->slot];
  ts_place place = leave_message(&p->w, send, to);
  if (place.kind != TS_AT_STEP || ts_player_of(track)->role->queue_count || !repeats(p, e))
    return place;
  critical_begin(p, e);
  const ts_played_op *next = ts_step_at(track, place.step);
  p->now.message = arrived - *to;
  if (next->item == e->item)
    critical_end(p, INTO_STEP, next->stream, op_of(track, place.step));
  else if (place.step + 1 == send)
    critical_end(p, INTO_STREAM, stream, 0);
  return place;
}

static ts_place resume(critical_path *p, const critical_entry *e, uint64_t *to)
{
  if (e->stream == TS_IR_NONE)
    return walk_message(p, e, to);
  go_to(&p->w, e->player);
  uint32_t streams = p->w.facts->tables->streams,
           step = p->w.at->item_first[(size_t)e->item * streams + e->stream] + e->at;
  *to = ts_step_at(p->w.at, step)->end;
  return (ts_place){.kind = TS_AT_STEP, .step = step};
}

/* The path has left the item of the segment for the step. */
static void leave_item(critical_path *p, uint32_t step)
{
  if (p->open && p->recorded && p->w.at->player == p->player && step + 1 == p->last)
    critical_end(p, INTO_STREAM, ts_step_at(p->w.at, p->last)->stream, 0);
  else
    give_up(p);
  p->open = false;
}

static ts_place walk_step(critical_path *p, uint32_t step, uint64_t *to)
{
  const ts_track *track = p->w.at;
  const ts_played_op *at = ts_step_at(track, step);
  if (!p->open || p->player != track->player || p->item != at->item) {
    leave_item(p, step);
    critical_entry e = {track->player, at->item, at->stream, op_of(track, step), 0, 0}, first = e;
    critical_follow(p, &e);
    if (e.player != first.player || e.item != first.item || e.stream != first.stream)
      return resume(p, &e, to);
    p->open = true;
    p->recorded = critical_begin(p, &e) && repeats(p, &e);
    p->player = e.player;
    p->item = e.item;
  }
  if (at->op->kind == TS_OP_RECV && at->end > at->ready) {
    if (p->recorded)
      critical_end(p, INTO_MESSAGE, at->op->arg, 0);
    p->open = false;
    critical_entry e = message_to(p, track->player, at->item, at->op->arg);
    critical_follow(p, &e);
    return resume(p, &e, to);
  }
  p->last = step;
  return leave_step(&p->w, step, to);
}

void ts_critical_passes(const ts_facts *facts, uint32_t player, ts_critical_fn *each,
                        void *closure)
{
  if (facts->rounds.count) {
    walk_rounds(facts, player, each, closure);
    return;
  }
  ts_arena *arena = ts_arena_new("critical path");
  critical_path p = {.each = each, .closure = closure, .known.arena = arena};
  uint64_t to;
  p.w = walker_new(arena, facts, critical_note, &p);
  go_to(&p.w, player);
  for (ts_place place = ts_track_end(p.w.at, &to); place.kind != TS_AT_BEGIN;) {
    if (place.kind == TS_AT_STEP) {
      place = walk_step(&p, place.step, &to);
    } else {
      give_up(&p);
      place = leave_host(&p.w, &place, &to);
    }
  }
  for (size_t i = 0; i < p.path_segments.count; i++) {
    const path_segment *at = &p.path_segments.at[i];
    for (uint32_t k = 0; at->more && k < at->count; k++)
      critical_tell(&p, p.passes.at[at->first + k], at->more);
  }
  ts_arena_free(arena);
}

/* --- Summing --- */

typedef struct passes {
  uint64_t time, count;
} passes; /* of a node, on the path */

typedef struct critical_sums {
  const ts_facts *facts;
  passes *work, *host; /* [nodes of the IR] */
} critical_sums;

static void count_node(void *closure, const ts_critical_node *v)
{
  critical_sums *s = closure;
  const ts_player *w = &s->facts->players[v->player];
  passes *at = (v->host ? s->host : s->work) +
               s->facts->tables->ir->fragments[w->program->items[v->item].fragment].first_node +
               v->node;
  at->time += v->times * v->time;
  at->count += v->times;
}

static ts_critical_part critical_part_of(const ts_ir *ir, const ts_ir_node *node, uint32_t fragment)
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

static void critical_sum_up(ts_arena *arena, summary *sum, ts_critical_part part, const passes *at,
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

static int critical_larger(const void *left, const void *right)
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
  critical_sums w = {facts, TS_NEW_ARRAY(scratch, passes, ir->nodes_count),
                     TS_NEW_ARRAY(scratch, passes, ir->nodes_count)};
  summary sum = {0};
  ts_critical_passes(facts, player, count_node, &w);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = ir->fragments[f].first_node;
         n < ir->fragments[f].first_node + ir->fragments[f].node_count; n++) {
      if (w.work[n].count)
        critical_sum_up(arena, &sum, critical_part_of(ir, &ir->nodes[n], f), &w.work[n],
                        ir->nodes[n].label);
      if (w.host[n].count)
        critical_sum_up(arena, &sum, (ts_critical_part){.kind = TS_CRITICAL_HOST, .name = "host"},
                        &w.host[n], ir->nodes[n].label);
    }
  if (sum.parts.count)
    TS_SORT(&sum.parts, critical_larger);
  *parts = sum.parts.at;
  ts_arena_free(scratch);
  return (uint32_t)sum.parts.count;
}
