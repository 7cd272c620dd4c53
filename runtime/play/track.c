#include "runtime/play/track.h"

#include "base/order.h"

static uint64_t latest_event(const ts_stream_replay *r, const ts_play_item *v, const ts_play_op *op,
                             uint64_t time)
{
  if (!op->waits)
    return time;
  ts_item_events events = ts_events_of(r->w, v);
  return ts_deps_end(time, events.at, events.by, ts_waits_of(r->facts->tables, op), op->waits,
                     op->kind == TS_OP_CHOICE ? op->arg : 0);
}

static uint64_t collective_start(ts_stream_replay *r, const ts_play_op *op, uint64_t ready)
{
  const ts_rendezvous *m = &r->facts->fold->rendezvous[r->w->rendezvous[op->comm]];
  uint32_t call = r->call[op->comm]++;
  return m->count > 1 ? r->facts->starts[m->call_base + call] : ready;
}

static uint64_t took(const ts_stream_replay *r, const ts_play_item *v, const ts_play_op *op,
                     uint64_t usual)
{
  const ts_tables *t = r->facts->tables;
  return ts_took(r->w, t, v->index, t->layouts[v->fragment].order[op->first], usual);
}

static void replay_op(ts_stream_replay *r, const ts_play_item *v, const ts_play_op *op,
                      ts_played_op *s)
{
  uint64_t from = latest_event(r, v, op, r->time),
           ready = (uint64_t)ts_node_ready((int64_t)from, (int64_t)(r->host + op->issued));
  *s = (ts_played_op){.op = op, .item = v->index, .stream = r->stream, .ready = ready};
  const ts_route *route;
  s->time = r->w->took ? took(r, v, op, op->time) : op->time;
  switch (op->kind) {
  case TS_OP_RUN:
    s->ready = from;
    s->end = ready + s->time;
    break;
  case TS_OP_COLLECTIVE:
    s->end = (uint64_t)ts_node_end((int64_t)s->ready, (int64_t)collective_start(r, op, s->ready),
                                   (int64_t)s->time);
    break;
  case TS_OP_SEND:
    route = &r->w->program->routes[v->port_base + op->arg];
    s->time = took(r, v, op, ts_send_time(r->w->role, route));
    s->end = s->ready + s->time;
    break;
  case TS_OP_RECV:
    route = &r->w->program->routes[v->port_base + op->arg];
    s->end = (uint64_t)ts_node_end((int64_t)s->ready, (int64_t)r->w->arrived[route->slot], 0);
    break;
  case TS_OP_CHOICE: s->end = ready; break;
  default: s->end = s->ready = from;
  }
  r->time = s->end;
}

ts_stream_replay ts_stream_new(ts_arena *arena, const ts_facts *facts, uint32_t player,
                               uint32_t stream)
{
  const ts_player *w = &facts->players[player];
  ts_range range = w->program->stream[stream];
  const uint32_t *items = w->program->stream_items + range.first;
  return (ts_stream_replay){.facts = facts,
                     .w = w,
                     .stream = stream,
                     .call = TS_NEW_ARRAY(arena, uint32_t, facts->tables->comm_count),
                     .item = items,
                     .item_end = items + range.count};
}

static void begin_item(ts_stream_replay *r, const uint32_t *item)
{
  const ts_play_item *v = &r->w->program->items[*item];
  ts_range code = r->w->role->code[v->fragment].stream[r->stream];
  r->item = item + 1;
  r->in = v;
  r->op = r->w->role->ops + code.first;
  r->op_end = r->op + code.count;
  r->host = ts_host_base(r->w, v, 0);
}

const ts_play_item *ts_stream_item(ts_stream_replay *r)
{
  if (r->item == r->item_end)
    return NULL;
  begin_item(r, r->item);
  return r->in;
}

void ts_stream_enter(ts_stream_replay *r, const uint32_t *item)
{
  uint32_t comms = r->facts->tables->comm_count;
  begin_item(r, item);
  r->time = r->w->entries[item - r->w->program->stream_items];
  for (uint32_t c = 0; c < comms; c++)
    r->call[c] = r->w->program->call_base[(size_t)*item * comms + c];
}

void ts_stream_pass(ts_stream_replay *r, uint32_t items, uint64_t time)
{
  uint32_t comms = r->facts->tables->comm_count, from = r->in->index;
  const ts_play_op *op = r->op;
  const uint32_t *calls = r->w->program->call_base;
  begin_item(r, ts_item_on(r->w->program, from + items, r->stream));
  r->op = op;
  r->time += time;
  for (uint32_t c = 0; c < comms; c++)
    r->call[c] += calls[(size_t)(from + items) * comms + c] - calls[(size_t)from * comms + c];
}

bool ts_stream_next(ts_stream_replay *r, ts_played_op *out)
{
  if (r->op == r->op_end)
    return false;
  const ts_play_item *v = r->in;
  const ts_play_op *op = r->op++;
  if (op->kind == TS_OP_SEGMENT)
    r->host = ts_host_base(r->w, v, op->arg);
  replay_op(r, v, op, out);
  return true;
}

/* Numbers the steps of a stream, from `next` on. Returns how many there are then. */
static uint32_t number_steps(ts_track *track, uint32_t stream, uint32_t *ops, uint32_t next)
{
  const ts_tables *t = track->facts->tables;
  const ts_player *w = ts_player_of(track);
  ts_range range = w->program->stream[stream];
  const uint32_t *item = w->program->stream_items + range.first, *end = item + range.count;
  const ts_play_item *items = w->program->items;
  uint32_t *first = track->item_first + stream, streams = t->streams;
  for (uint32_t f = 0; f < t->ir->fragments_count; f++)
    ops[f] = w->role->code[f].stream ? w->role->code[f].stream[stream].count : 0;
  for (; item < end; item++) {
    first[(size_t)*item * streams] = next;
    next += ops[items[*item].fragment];
  }
  return next;
}

/* None is replayed. */
static ts_track *make_track(ts_arena *arena, const ts_facts *facts, uint32_t player)
{
  const ts_tables *t = facts->tables;
  const ts_player *w = &facts->players[player];
  uint32_t items = t->ir->programs[w->role->program].item_count, next = 0,
           *ops = ts_arena_alloc_raw(arena, t->ir->fragments_count * sizeof *ops);
  ts_track *track = TS_NEW(arena, ts_track);
  *track = (ts_track){
    .facts = facts,
    .player = player,
    .stream = TS_NEW_ARRAY(arena, uint32_t, t->streams + 1),
    .item_first = ts_arena_alloc_raw(arena, (size_t)items * t->streams * sizeof(uint32_t)),
    .replay = ts_stream_new(arena, facts, player, 0)};
  for (uint32_t s = 0; s < t->streams; s++) {
    track->stream[s] = next;
    next = number_steps(track, s, ops, next);
  }
  track->stream[t->streams] = next;
  return track;
}

const ts_track *ts_track_new(ts_arena *arena, const ts_facts *facts, uint32_t player)
{
  const ts_tables *t = facts->tables;
  ts_track *track = make_track(arena, facts, player);
  ts_played_op *next = track->steps =
    ts_arena_alloc_raw(arena, track->stream[t->streams] * sizeof *track->steps);
  for (uint32_t s = 0; s < t->streams; s++) {
    ts_stream_replay r = ts_stream_new(arena, facts, player, s);
    while (ts_stream_item(&r))
      while (ts_stream_next(&r, next))
        next++;
  }
  return track;
}

const ts_track *ts_track_as_requested(ts_arena *arena, const ts_facts *facts, uint32_t player)
{
  if (!facts->players[player].entries)
    return ts_track_new(arena, facts, player);
  ts_track *track = make_track(arena, facts, player);
  uint32_t pieces = track->stream[facts->tables->streams] / 64 + 1;
  track->arena = arena;
  track->known = TS_NEW_ARRAY(arena, uint64_t, pieces);
  track->pieces = TS_NEW_ARRAY(arena, ts_played_op *, pieces);
  return track;
}

const uint32_t *ts_item_on(const ts_program_info *program, uint32_t item, uint32_t stream)
{
  ts_range range = program->stream[stream];
  const uint32_t *items = program->stream_items + range.first;
  if (!range.count)
    return NULL;
  /* as many as are left out before it, at most all of them: mostly that leaves no choice */
  uint32_t at, out = items[range.count - 1] + 1 - range.count;
  TS_SEARCH(at, item > out ? item - out : 0, item < range.count ? item : range.count,
            items[at] < item);
  return at < range.count && items[at] == item ? &items[at] : NULL;
}

/* The item of a step: the last one of the stream that begins with it or before it. */
static uint32_t track_item_of(const ts_track *track, uint32_t step)
{
  const ts_program_info *program = ts_player_of(track)->program;
  uint32_t streams = track->facts->tables->streams, s = 0;
  while (track->stream[s + 1] <= step)
    s++;
  const uint32_t *items = program->stream_items + program->stream[s].first;
  uint32_t at;
  TS_SEARCH(at, 1, program->stream[s].count,
            track->item_first[(size_t)items[at] * streams + s] <= step);
  return items[at - 1];
}

static void keep_step(const ts_track *track, uint32_t step, ts_played_op op)
{
  ts_played_op **piece = &track->pieces[step / 64];
  if (!*piece)
    *piece = ts_arena_alloc_raw(track->arena, 64 * sizeof **piece);
  (*piece)[step % 64] = op;
  track->known[step / 64] |= UINT64_C(1) << step % 64;
}

void ts_track_replay(const ts_track *track, uint32_t step)
{
  const ts_tables *t = track->facts->tables;
  const ts_player *w = ts_player_of(track);
  ts_stream_replay r = track->replay;
  uint32_t item = track_item_of(track, step);
  for (uint32_t s = 0; s < t->streams; s++) {
    const uint32_t *on = ts_item_on(w->program, item, s);
    if (!on)
      continue;
    uint32_t at = track->item_first[(size_t)item * t->streams + s];
    r.stream = s;
    ts_stream_enter(&r, on);
    for (ts_played_op op; ts_stream_next(&r, &op); at++)
      keep_step(track, at, op);
  }
}

static const ts_fragment_layout *layout_of(const ts_track *track, const ts_play_item *v)
{
  return &track->facts->tables->layouts[v->fragment];
}

uint32_t ts_track_node(const ts_track *track, uint32_t item, uint32_t node)
{
  const ts_tables *t = track->facts->tables;
  const ts_player *w = ts_player_of(track);
  uint32_t fragment = w->program->items[item].fragment,
           stream = ts_fragment_nodes(t->ir, fragment)[node].stream;
  ts_range code = w->role->code[fragment].stream[stream];
  const ts_play_op *ops = w->role->ops + code.first;
  const uint32_t *order = t->layouts[fragment].order;
  /* a stream's nodes are in order: the last op that begins with the node or before it */
  uint32_t at;
  TS_SEARCH(at, 1, code.count, order[ops[at].first] <= node);
  return track->item_first[(size_t)item * t->streams + stream] + at - 1;
}

uint32_t ts_call_of(const ts_track *track, uint32_t step)
{
  const ts_played_op *s = ts_step_at(track, step);
  const ts_tables *t = track->facts->tables;
  const ts_fragment_layout *layout = layout_of(track, ts_item_of(track, s));
  return ts_player_of(track)->program->call_base[(size_t)s->item * t->comm_count + s->op->comm] +
         layout->nodes[layout->order[s->op->first]].call;
}

uint32_t ts_track_call(const ts_track *track, uint32_t comm, uint32_t call)
{
  const ts_tables *t = track->facts->tables;
  const ts_program_info *program = ts_player_of(track)->program;
  uint32_t at;
  TS_SEARCH(at, 1, t->ir->programs[ts_player_of(track)->role->program].item_count,
            program->call_base[(size_t)at * t->comm_count + comm] <= call);
  const ts_fragment_layout *layout = &t->layouts[program->items[at - 1].fragment];
  uint32_t left = call - program->call_base[(size_t)(at - 1) * t->comm_count + comm];
  return ts_track_node(track, at - 1, layout->callers[layout->caller_first[comm] + left]);
}

/* The step that left one of the events at `time`, or TS_IR_NONE. */
static uint32_t find_event(const ts_track *track, const ts_play_item *v, const uint32_t *wait,
                           uint32_t count, uint64_t time)
{
  const ts_player *w = ts_player_of(track);
  ts_item_events events = ts_events_of(w, v);
  for (uint32_t i = 0; i < count; i++) {
    if (events.at[wait[i]] + events.by != time)
      continue;
    ts_producer p = w->role->code[v->fragment].producers[wait[i]];
    return track->item_first[(size_t)v->index * track->facts->tables->streams + p.stream] + p.op;
  }
  return TS_IR_NONE;
}

static ts_place host_on(const ts_track *track, const ts_play_item *v, uint32_t node)
{
  return (ts_place){.kind = TS_AT_HOST,
                    .item = v,
                    .node = node,
                    .segment = v->segment + layout_of(track, v)->nodes[node].segment};
}

ts_place ts_host_at(const ts_track *track, uint32_t step, uint32_t place)
{
  const ts_play_item *v = ts_item_of(track, ts_step_at(track, step));
  return host_on(track, v, layout_of(track, v)->order[place]);
}

ts_place ts_cause_of_ready(const ts_track *track, uint32_t step)
{
  const ts_played_op *s = ts_step_at(track, step);
  bool first = step == track->stream[s->stream];
  if (!first && ts_step_at(track, step - 1)->end == s->ready)
    return (ts_place){.kind = TS_AT_STEP, .step = step - 1};
  if (s->ready == 0)
    return (ts_place){.kind = TS_AT_BEGIN};
  uint32_t left = s->op->waits ?
                    find_event(track, ts_item_of(track, s),
                               ts_waits_of(track->facts->tables, s->op), s->op->waits, s->ready) :
                    TS_IR_NONE;
  if (left != TS_IR_NONE)
    return (ts_place){.kind = TS_AT_STEP, .step = left};
  return ts_host_at(track, step, s->op->first);
}

bool ts_cause_of_posting(const ts_track *track, uint32_t step, uint64_t time, ts_place *place)
{
  const ts_played_op *s = ts_step_at(track, step);
  const ts_play_item *v = ts_item_of(track, s);
  const ts_node_info *info = &layout_of(track, v)->nodes[layout_of(track, v)->order[s->op->first]];
  if (s->ready == time) {
    *place = ts_cause_of_ready(track, step);
    return true;
  }
  uint32_t left = s->op->waits ? find_event(track, v, ts_waits_of(track->facts->tables, s->op),
                                            s->op->waits, time) :
                                 TS_IR_NONE;
  uint64_t issued = ts_host_base(ts_player_of(track), v, info->segment) + info->issue;
  bool hosted = (uint64_t)ts_node_ready(0, (int64_t)issued) == time;
  *place = time == 0          ? (ts_place){.kind = TS_AT_BEGIN} :
           left != TS_IR_NONE ? (ts_place){.kind = TS_AT_STEP, .step = left} :
                                ts_host_at(track, step, s->op->first);
  return time == 0 || left != TS_IR_NONE || hosted;
}

/* The item in which the host's wait before `segment` is: the last one that begins in an earlier
 * segment and waits. */
static const ts_play_item *item_before(const ts_track *track, uint32_t segment)
{
  const ts_player *w = ts_player_of(track);
  ts_range waits = w->program->stream[track->facts->tables->streams];
  const uint32_t *items = w->program->stream_items + waits.first;
  uint32_t at;
  TS_SEARCH(at, 1, waits.count, w->program->items[items[at]].segment < segment);
  return &w->program->items[items[at - 1]];
}

ts_place ts_cause_of_segment(const ts_track *track, uint32_t segment)
{
  const ts_player *w = ts_player_of(track);
  uint64_t time = w->segments[segment];
  if (segment == 0 || time == 0)
    return (ts_place){.kind = TS_AT_BEGIN};
  const ts_play_item *v = item_before(track, segment);
  uint32_t index = segment - 1 - v->segment;
  const ts_host_wait *wait = &layout_of(track, v)->waits[index];
  const ts_node_info *info = &layout_of(track, v)->nodes[wait->node];
  uint32_t left =
    ts_host_base(w, v, index) + wait->offset == time ?
      TS_IR_NONE :
      find_event(track, v, track->facts->tables->waits + info->first_wait, info->wait_count, time);
  if (left != TS_IR_NONE)
    return (ts_place){.kind = TS_AT_STEP, .step = left};
  return (ts_place){.kind = TS_AT_HOST, .item = v, .node = wait->node, .segment = segment - 1};
}

ts_place ts_track_end(const ts_track *track, uint64_t *end)
{
  const ts_tables *t = track->facts->tables;
  const ts_player *w = ts_player_of(track);
  ts_place place = {.kind = TS_AT_BEGIN};
  *end = 0;
  for (uint32_t s = 0; s < t->streams; s++) {
    if (track->stream[s] == track->stream[s + 1] || w->program->late[s])
      continue;
    uint32_t last = track->stream[s + 1] - 1;
    uint64_t last_end = ts_step_at(track, last)->end;
    if (last_end > *end) {
      *end = last_end;
      place = (ts_place){.kind = TS_AT_STEP, .step = last};
    }
  }
  uint64_t host = w->segments[w->program->tail_segment] + w->program->tail;
  uint32_t items = t->ir->programs[w->role->program].item_count;
  if (host > *end && items) {
    const ts_play_item *v = &w->program->items[items - 1];
    *end = host;
    place = (ts_place){.kind = TS_AT_HOST,
                       .item = v,
                       .segment = w->program->tail_segment,
                       .node = t->ir->fragments[v->fragment].node_count ?
                                 t->ir->fragments[v->fragment].node_count - 1 :
                                 TS_IR_NONE};
  }
  return place;
}

bool ts_first_host_wait(const ts_track *track, uint32_t step, uint64_t *start)
{
  const ts_played_op *s = ts_step_at(track, step);
  const ts_play_item *v = ts_item_of(track, s);
  const ts_fragment_layout *layout = layout_of(track, v);
  const ts_node_info *info = &layout->nodes[layout->order[s->op->first]];
  uint64_t issued = ts_host_base(ts_player_of(track), v, info->segment) + info->issue;
  *start = (uint64_t)ts_node_ready((int64_t)s->ready, (int64_t)issued);
  return *start > s->ready;
}

bool ts_run_host_wait(const ts_track *track, uint32_t step, uint32_t *place, uint64_t *start)
{
  const ts_played_op *s = ts_step_at(track, step);
  if (s->op->kind != TS_OP_RUN || s->end == s->ready + s->time)
    return false;
  for (ts_run_walk k = ts_run_walk_of(s); ts_run_next(track->facts, ts_player_of(track), s, &k);)
    if (k.hosted) {
      *place = k.place - 1;
      *start = k.start;
    }
  return true;
}

bool ts_run_next(const ts_facts *facts, const ts_player *w, const ts_played_op *run, ts_run_walk *k)
{
  const ts_tables *t = facts->tables;
  const ts_play_item *v = &w->program->items[run->item];
  const ts_fragment_layout *layout = &t->layouts[v->fragment];
  if (k->place == run->op->first + run->op->count)
    return false;
  uint32_t n = k->node = layout->order[k->place++];
  const ts_node_info *info = &layout->nodes[n];
  uint64_t before = k->end, issued = ts_host_base(w, v, info->segment) + info->issue;
  k->start = (uint64_t)ts_node_ready((int64_t)before, (int64_t)issued);
  k->hosted = k->start > before;
  k->end = k->start + ts_took(w, t, run->item, n,
                              ts_kernel_time(w->role, &ts_fragment_nodes(t->ir, v->fragment)[n]));
  return true;
}
