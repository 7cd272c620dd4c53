#include "runtime/play/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "runtime/load/event_queue.h"
#include "runtime/play/lanes.h"
#include "runtime/play/overlap_pairs.h"
#include "runtime/play/process.h"
#include "runtime/play/sharing.h"
#include "runtime/play/track.h"

typedef enum state { AT_REST, AT_WORK, AT_MEETING, RECEIVING, CHOOSING } state;

typedef struct progress { /* of something under way */
  double left;      /* ps of work, at `since` */
  double rate;      /* work done in a ps; negative: not rated yet */
  uint64_t since;
  uint32_t version; /* of the end that was announced last */
  bool shared;      /* a call on the network of all: that says when it ends, and `left` nothing */
} progress;

typedef struct actor { /* what a process of a stream is at */
  ts_process *process;
  uint64_t start; /* of the op at work */
  uint32_t chain; /* ops at work one after the other from `op` on, undisturbed: see begin_kernel */
  state state;
  bool away;        /* sends: the network has the message, and the stream goes on */
  progress work;    /* runs and sends */
} actor;

typedef struct rendezvous {
  progress work;
  uint64_t latest, start;
  uint32_t count, who, calls;
  bool running;
  double *rates;    /* [members] of the transfer, as each member's device allows */
} rendezvous;

typedef struct overlap_stage {
  ts_arena *scratch;
  ts_facts facts;
  ts_partitions whole;
  ts_processes processes;
  actor *actors; /* of each process */
  rendezvous *rendezvous;
  /* moments: id a process, or processes + rendezvous; detail its version */
  ts_event_queue heap;
  uint32_t *dirty, dirty_count; /* players to rate anew */
  bool *is_dirty;
  uint32_t *choosing; /* [players] streams that wait for some of several events */
  uint64_t *starts;
  uint32_t *latest;
  ts_overlap_pairs pairs;
  bool turns; /* kernels of a device have all of it, one after the other */
  uint64_t now;
  uint64_t rounds, alone; /* alone: end of the play without slowdown */
  bool interrupted;
} overlap_stage;

/* ---- What comes when ---- */

static void announce(overlap_stage *s, uint64_t time, uint32_t id, uint32_t version)
{
  ts_event_queue_announce(s->scratch, &s->heap, (ts_moment){time, id, id, version});
}

static void touch(overlap_stage *s, uint32_t player)
{
  if (!s->is_dirty[player]) {
    s->is_dirty[player] = true;
    s->dirty[s->dirty_count++] = player;
  }
}

/* ---- Rates ---- */

static uint32_t tag_of(const overlap_stage *s, uint32_t id)
{
  return id >= s->processes.count ? id - s->processes.count : s->facts.fold->rendezvous_count + id;
}

static void set_rate(overlap_stage *s, progress *p, double rate, uint32_t id)
{
  if (p->rate == rate)
    return;
  if (p->shared) {
    p->rate = rate;
    ts_contention_pace(s->processes.contention, tag_of(s, id), rate);
    return;
  }
  if (p->rate > 0)
    p->left = fmax(0, p->left - (double)(s->now - p->since) * p->rate);
  p->since = s->now;
  p->rate = rate;
  p->version++;
  if (rate == 0) /* stands still: no end is in sight */
    return;
  double length = p->left / rate;
  if (length >= 0x1p61 || (s->now + (uint64_t)length) >> TS_CLOCK_BITS) {
    s->processes.overflow = true;
    return;
  }
  announce(s, s->now + (uint64_t)llround(length), id, p->version);
}

static const ts_player *player_of(const overlap_stage *s, const actor *a)
{
  return &s->facts.players[a->process->player];
}
static const ts_play_item *overlap_item_of(const actor *a) { return a->process->in; }

static uint32_t node_of(const overlap_stage *s, const actor *a)
{
  return s->facts.tables->layouts[overlap_item_of(a)->fragment].order[a->process->op->first];
}

static const ts_ir_node *ir_node_of(const overlap_stage *s, const actor *a)
{
  return &ts_fragment_nodes(s->facts.tables->ir, overlap_item_of(a)->fragment)[node_of(s, a)];
}

static bool computes(const actor *a)
{
  return a->state == AT_WORK && a->process->op->kind == TS_OP_RUN;
}

/* The column of the transfer under way, or TS_IR_NONE. */
static uint32_t transfer_of(const overlap_stage *s, const actor *a)
{
  const ts_ir *ir = s->facts.tables->ir;
  const ts_player *w = player_of(s, a);
  if (a->state == AT_MEETING)
    return s->rendezvous[w->rendezvous[a->process->op->comm]].running ? a->process->op->arg :
                                                                        TS_IR_NONE;
  if (a->state == RECEIVING &&
      !ts_is_known(
        w->sent[w->program->routes[overlap_item_of(a)->port_base + a->process->op->arg].slot]))
    return TS_IR_NONE;
  if (a->state == RECEIVING || (a->state == AT_WORK && a->process->op->kind == TS_OP_SEND))
    return ir->collectives_count + ir->fragments[overlap_item_of(a)->fragment].first_port +
           a->process->op->arg;
  return TS_IR_NONE;
}

static uint32_t member_of(const overlap_stage *s, const ts_rendezvous *m, uint32_t player)
{
  uint32_t at;
  TS_SEARCH(at, 1, m->count, s->facts.fold->members[m->first + at] <= player);
  return at - 1;
}

static void rate_rendezvous(overlap_stage *s, uint32_t index, uint32_t player, double rate)
{
  const ts_rendezvous *m = &s->facts.fold->rendezvous[index];
  rendezvous *at = &s->rendezvous[index];
  at->rates[member_of(s, m, player)] = rate;
  for (uint32_t i = 0; i < m->count; i++)
    rate = at->rates[i] < rate ? at->rates[i] : rate;
  set_rate(s, &at->work, rate, s->processes.count + index);
}

/* Whether a kernel that waits for its turn goes before another: by priority, then as issued. */
static bool goes_before(const overlap_stage *s, const actor *a, const actor *b)
{
  const ts_ir_stream *streams = s->facts.tables->ir->streams;
  uint32_t per = s->processes.per_player, x = streams[(a - s->actors) % per].priority,
           y = streams[(b - s->actors) % per].priority;
  if (x != y)
    return x > y;
  if (overlap_item_of(a) != overlap_item_of(b))
    return overlap_item_of(a) < overlap_item_of(b);
  return node_of(s, a) < node_of(s, b);
}

/* All of the device for the kernel that has it, or for the first of those that wait. */
static double turn_of(const overlap_stage *s, uint32_t first, uint32_t stream)
{
  const ts_ir_stream *streams = s->facts.tables->ir->streams;
  const actor *turn = &s->actors[first + stream];
  for (uint32_t j = 0; j < s->facts.tables->streams && turn->work.rate <= 0; j++) {
    const actor *other = &s->actors[first + j];
    if (ts_stream_shares(&streams[j]) && computes(other) &&
        (other->work.rate > 0 || goes_before(s, other, turn)))
      turn = other;
  }
  return turn == &s->actors[first + stream];
}

/* Of the device's processors what the kernel on a stream gets: those of the highest priority share
 * them equally, others wait. */
static double overlap_share_of(const overlap_stage *s, uint32_t first, uint32_t stream)
{
  const ts_ir_stream *streams = s->facts.tables->ir->streams;
  uint32_t equals = 0;
  if (!ts_stream_shares(&streams[stream]))
    return 1;
  if (s->turns)
    return turn_of(s, first, stream);
  for (uint32_t j = 0; j < s->facts.tables->streams; j++) {
    if (!ts_stream_shares(&streams[j]) || !computes(&s->actors[first + j]))
      continue;
    if (streams[j].priority > streams[stream].priority)
      return 0;
    equals += streams[j].priority == streams[stream].priority;
  }
  return 1.0 / equals;
}

/* Whether nothing else is under way on the device that slows kernels of this stream. */
static bool undisturbed(const overlap_stage *s, uint32_t id)
{
  const ts_ir_stream *streams = s->facts.tables->ir->streams;
  uint32_t stream = id % s->processes.per_player, first = id - stream;
  bool shares = ts_stream_shares(&streams[stream]);
  for (uint32_t j = 0; j < s->facts.tables->streams; j++)
    if (j != stream &&
        (transfer_of(s, &s->actors[first + j]) != TS_IR_NONE ||
         (shares && ts_stream_shares(&streams[j]) && computes(&s->actors[first + j]))))
      return false;
  return true;
}

static void keep_time(overlap_stage *s, const actor *a, const ts_play_op *op, uint64_t time)
{
  ts_keep_time(player_of(s, a), s->facts.tables, overlap_item_of(a), op, time);
}

/* Something comes beside a chain: what of it is over is over, its op at work goes on by itself. */
static void break_chain(overlap_stage *s, actor *a)
{
  ts_process *p = a->process;
  while (a->chain > 1 && a->start + p->op->time <= s->now) {
    keep_time(s, a, p->op, p->op->time);
    a->start += p->op->time;
    p->op++;
    a->chain--;
  }
  a->chain = 1;
  a->work = (progress){.left = (double)(a->start + p->op->time - s->now),
                       .rate = 1,
                       .since = s->now,
                       .version = a->work.version + 1};
  announce(s, a->start + p->op->time, (uint32_t)(a - s->actors), a->work.version);
}

static void rate_player(overlap_stage *s, uint32_t player)
{
  uint32_t first = player * s->processes.per_player, streams = s->facts.tables->streams;
  const ts_player *w = &s->facts.players[player];
  uint32_t kind = (uint32_t)(w->role - s->facts.roles->at);
  for (uint32_t i = first; i < first + streams; i++) {
    actor *a = &s->actors[i];
    uint32_t column = transfer_of(s, a);
    double slow = 1;
    if (computes(a) && a->chain > 1 && !undisturbed(s, i))
      break_chain(s, a);
    if (computes(a)) {
      if (a->chain > 1)
        continue;
      for (uint32_t j = first; j < first + streams; j++) {
        uint32_t other = transfer_of(s, &s->actors[j]);
        if (other != TS_IR_NONE)
          slow =
            fmax(slow, ts_overlap_slows(&s->pairs, kind, ir_node_of(s, a)->arg, other)->compute);
      }
      set_rate(s, &a->work, overlap_share_of(s, first, i - first) / slow, i);
    } else if (column != TS_IR_NONE && a->state != RECEIVING) {
      for (uint32_t j = first; j < first + streams; j++)
        if (computes(&s->actors[j]))
          slow = fmax(
            slow,
            ts_overlap_slows(&s->pairs, kind, ir_node_of(s, &s->actors[j])->arg, column)->transfer);
      if (a->state == AT_MEETING)
        rate_rendezvous(s, w->rendezvous[a->process->op->comm], player, 1 / slow);
      else
        set_rate(s, &a->work, 1 / slow, i);
    }
  }
}

/* ---- Playing ---- */

/* Streams of the player that wait for some of several events look again. */
static void wake_choosers(overlap_stage *s, uint32_t player)
{
  uint32_t first = player * s->processes.per_player;
  s->choosing[player] = 0;
  for (uint32_t i = first; i < first + s->facts.tables->streams; i++)
    if (s->actors[i].state == CHOOSING) {
      s->actors[i].state = AT_REST;
      s->processes.ready[s->processes.ready_count++] = i;
    }
}

/* Enough of the events an op waits for have happened; the last of these is no later than now. */
static bool chosen(const uint64_t *events, const uint32_t *wait, const ts_play_op *op)
{
  uint32_t known = 0;
  for (uint32_t i = 0; i < op->waits; i++)
    known += ts_is_known(events[wait[i]]);
  return known >= op->arg;
}

static void overlap_finish(overlap_stage *s, actor *a, uint64_t start)
{
  ts_process *p = a->process;
  const ts_player *w = player_of(s, a);
  const ts_play_item *v = overlap_item_of(a);
  for (; a->chain > 1; a->chain--) {
    keep_time(s, a, p->op, p->op->time);
    start += p->op++->time;
  }
  const ts_play_op *op = p->op++;
  keep_time(s, a, op, s->now - start);
  p->time = s->now;
  if (op->kind != TS_OP_SEND ||
      ts_send_is_alone(ts_transit_of(w->role, &w->program->routes[v->port_base + op->arg])))
    p->posted = p->time;
  a->state = AT_REST;
  if (op->event == TS_IR_NONE)
    return;
  ts_process_settle(&s->processes, &w->events[v->event_base + op->event], s->now);
  if (s->choosing[p->player])
    wake_choosers(s, p->player);
}

static void overlap_begin(overlap_stage *s, actor *a, uint64_t work)
{
  a->state = AT_WORK;
  a->start = s->now;
  a->chain = 1;
  a->work =
    (progress){.left = (double)work, .rate = -1, .since = s->now, .version = a->work.version + 1};
  touch(s, a->process->player);
}

/* Begins a kernel. While nothing else is under way on the device, kernels that follow and wait for
 * nothing but each other go with it as one chain. */
static void begin_kernel(overlap_stage *s, uint32_t id)
{
  actor *a = &s->actors[id];
  ts_process *p = a->process;
  if (s->turns || !undisturbed(s, id)) {
    overlap_begin(s, a, p->op->time);
    return;
  }
  uint64_t end = s->now + p->op->time;
  const ts_play_op *op = p->op;
  while (op->event == TS_IR_NONE && op + 1 < p->op_end && op[1].kind == TS_OP_RUN && !op[1].waits &&
         (uint64_t)ts_node_ready((int64_t)end, (int64_t)(p->host + op[1].issued)) == end)
    end += (++op)->time;
  a->state = AT_WORK;
  a->start = s->now;
  a->chain = (uint32_t)(op - p->op) + 1;
  a->work = (progress){
    .left = (double)(end - s->now), .rate = 1, .since = s->now, .version = a->work.version + 1};
  if (end >> TS_CLOCK_BITS)
    s->processes.overflow = true;
  else
    announce(s, end, id, a->work.version);
}

static void begin_send(overlap_stage *s, actor *a, uint64_t posted)
{
  ts_process *p = a->process;
  const ts_player *w = player_of(s, a);
  const ts_route *route = &w->program->routes[overlap_item_of(a)->port_base + p->op->arg];
  const ts_transit *m = ts_transit_of(w->role, route);
  bool shared = ts_message_share(&s->processes, &s->facts, (uint32_t)(a - s->actors),
                                 overlap_item_of(a), p->op, route, s->now);
  ts_sending is = ts_send(m, (int64_t)s->now, (int64_t)posted, shared);
  ts_process_settle(&s->processes, &s->facts.players[w->peers[route->peer]].sent[route->slot],
                    (uint64_t)is.sent);
  touch(s, w->peers[route->peer]);
  a->away = shared && !ts_send_is_alone(m);
  p->posted = (uint64_t)is.posted;
  overlap_begin(s, a, (uint64_t)is.free - s->now);
  a->work.shared = shared && !a->away;
}

static void end_send(overlap_stage *s, actor *a)
{
  const ts_player *w = player_of(s, a);
  const ts_route *route = &w->program->routes[overlap_item_of(a)->port_base + a->process->op->arg];
  const ts_transit *m = ts_transit_of(w->role, route);
  if (a->away)
    return;
  touch(s, w->peers[route->peer]);
  uint64_t arrived = a->work.shared ?
                       s->now + m->latency :
                       ts_message_arrival(w->role, m, w->queues, a->process->posted, s->now);
  s->processes.overflow |= arrived >> TS_CLOCK_BITS != 0;
  ts_process_settle(&s->processes,
                    &s->facts.players[w->peers[route->peer]].arrived[route->slot], arrived);
}

static void arrive(overlap_stage *s, uint32_t id)
{
  actor *a = &s->actors[id];
  uint32_t index = player_of(s, a)->rendezvous[a->process->op->comm];
  const ts_rendezvous *m = &s->facts.fold->rendezvous[index];
  rendezvous *at = &s->rendezvous[index];
  a->state = AT_MEETING;
  if (!at->count || s->now > at->latest || a->process->player < at->who)
    at->who = a->process->player;
  at->latest = s->now;
  if (++at->count < m->count)
    return;
  at->start = s->now;
  at->running = true;
  at->work = (progress){.left = (double)a->process->op->time,
                        .rate = -1,
                        .since = s->now,
                        .version = at->work.version + 1};
  at->work.shared =
    s->processes.contention &&
    ts_contention_collective(s->processes.contention, player_of(s, a)->role, a->process->op->arg,
                             player_of(s, a)->rank, s->now, index);
  if (m->count > 1) {
    s->starts[m->call_base + at->calls] = s->now;
    s->latest[m->call_base + at->calls++] = at->who;
  }
  for (uint32_t i = 0; i < m->count; i++) {
    at->rates[i] = 1;
    touch(s, s->facts.fold->members[m->first + i]);
  }
}

static void end_rendezvous(overlap_stage *s, uint32_t index)
{
  const ts_rendezvous *m = &s->facts.fold->rendezvous[index];
  rendezvous *at = &s->rendezvous[index];
  at->running = false;
  at->count = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    uint32_t player = s->facts.fold->members[m->first + i],
             id = player * s->processes.per_player + s->facts.tables->comms[m->comm].stream;
    overlap_finish(s, &s->actors[id], at->start);
    touch(s, player);
    s->processes.ready[s->processes.ready_count++] = id;
  }
}

/* Begins the op at the cursor, which may; sends might have since `posted`. True: it is over
 * already. */
static bool overlap_start(overlap_stage *s, uint32_t id, uint64_t posted)
{
  actor *a = &s->actors[id];
  ts_process *p = a->process;
  const ts_player *w = player_of(s, a);
  uint64_t *place;
  switch (p->op->kind) {
  case TS_OP_RUN:
    if (p->op->time) {
      begin_kernel(s, id);
      return false;
    }
    break;
  case TS_OP_COLLECTIVE:
    arrive(s, id);
    return false;
  case TS_OP_SEND:
    begin_send(s, a, posted);
    return false;
  case TS_OP_CHOICE:
    break;
  default: /* receive */
    place = &w->arrived[w->program->routes[overlap_item_of(a)->port_base + p->op->arg].slot];
    if (!ts_is_known(*place)) {
      a->state = RECEIVING;
      touch(s, p->player);
      ts_process_park(&s->processes, id, place);
      return false;
    }
    if (*place > s->now) { /* its last byte has left */
      a->state = RECEIVING;
      touch(s, p->player);
      announce(s, *place, id, ++a->work.version);
      return false;
    }
  }
  overlap_finish(s, a, s->now);
  return true;
}

static void run_stream(overlap_stage *s, uint32_t id)
{
  actor *a = &s->actors[id];
  ts_process *p = a->process;
  const ts_player *w = player_of(s, a);
  if (a->state == RECEIVING) {
    touch(s, p->player);
    a->state = AT_REST;
  }
  while (a->state == AT_REST) {
    if (p->op == p->op_end) {
      if (p->item == p->item_end ||
          !ts_process_enter(&s->processes, id, p, w, id % s->processes.per_player))
        return;
      continue;
    }
    const ts_play_item *v = overlap_item_of(a);
    const ts_play_op *op = p->op;
    if (op->kind == TS_OP_SEGMENT) {
      uint64_t *place = &w->segments[v->segment + op->arg];
      if (!ts_is_known(*place)) {
        ts_process_park(&s->processes, id, place);
        return;
      }
      p->host = *place;
      p->op++;
      continue;
    }
    uint64_t time =
      (uint64_t)ts_node_from(op->kind == TS_OP_SEND, (int64_t)p->time, (int64_t)p->posted);
    const uint64_t *events = w->events + v->event_base;
    if (op->kind == TS_OP_CHOICE) {
      if (!chosen(events, ts_waits_of(s->facts.tables, op), op)) {
        a->state = CHOOSING;
        s->choosing[p->player]++;
        return;
      }
    } else if (op->waits && !ts_process_await(&s->processes, id, w->events + v->event_base,
                                      ts_waits_of(s->facts.tables, op), op->waits, &time))
      return;
    uint64_t posted = (uint64_t)ts_node_ready((int64_t)time, (int64_t)(p->host + op->issued));
    time = posted;
    time = p->time > time ? p->time : time;
    if (time > s->now) {
      announce(s, time, id, ++a->work.version);
      return;
    }
    if (!overlap_start(s, id, posted))
      return;
  }
}

static void overlap_run(overlap_stage *s, uint32_t id)
{
  if (id % s->processes.per_player < s->facts.tables->streams)
    run_stream(s, id);
  else
    ts_host_run(&s->processes, &s->facts, id);
}

/* What is announced next: by the stage, or by the network. */
static uint64_t next_moment(const overlap_stage *s)
{
  uint64_t own = s->heap.count ? s->heap.at[0].time : UINT64_MAX,
           calls =
             s->processes.contention ? ts_contention_next(s->processes.contention) : UINT64_MAX;
  return own < calls ? own : calls;
}

static void end_work(overlap_stage *s, actor *a)
{
  bool alone = a->chain > 1;
  if (a->process->op->kind == TS_OP_SEND)
    end_send(s, a);
  overlap_finish(s, a, a->start);
  if (!alone)
    touch(s, a->process->player);
}

/* Plays the network up to now, and ends the calls that end there. */
static void end_calls(overlap_stage *s)
{
  uint64_t now;
  while (s->processes.contention && ts_contention_play(s->processes.contention, s->now, &now))
    for (uint32_t tag; (tag = ts_contention_ended(s->processes.contention)) != TS_IR_NONE;) {
      uint32_t id = tag - s->facts.fold->rendezvous_count;
      if (tag < s->facts.fold->rendezvous_count) {
        end_rendezvous(s, tag);
      } else if (id < s->processes.count) {
        end_work(s, &s->actors[id]);
        s->processes.ready[s->processes.ready_count++] = id;
      } else {
        ts_message_land(&s->processes, &s->facts, tag, s->now);
      }
    }
}

/* What was announced for now: a timer, the end of a run or a send, the end of a collective; or
 * nothing, as it has moved. */
static void happen(overlap_stage *s, const ts_moment *m)
{
  if (m->id >= s->processes.count) {
    if (m->detail == s->rendezvous[m->id - s->processes.count].work.version)
      end_rendezvous(s, m->id - s->processes.count);
    return;
  }
  actor *a = &s->actors[m->id];
  if (m->detail != a->work.version)
    return;
  if (a->state == AT_WORK)
    end_work(s, a);
  overlap_run(s, m->id);
}

static void overlap_play(overlap_stage *s)
{
  for (;;) {
    while (s->processes.ready_count)
      overlap_run(s, s->processes.ready[--s->processes.ready_count]);
    bool more = s->heap.count && s->heap.at[0].time == s->now;
    if (!more) {
      end_calls(s);
      if (s->processes.ready_count)
        continue;
    }
    if (!more && s->dirty_count) {
      while (s->dirty_count) {
        uint32_t player = s->dirty[--s->dirty_count];
        s->is_dirty[player] = false;
        rate_player(s, player);
      }
      continue;
    }
    uint64_t next = next_moment(s);
    if (next == UINT64_MAX || s->processes.overflow)
      return;
    if (++s->rounds % (1 << 16) == 0 && !ts_tick(s->facts.tables->progress, "playing with overlap",
                                                 fmin(1, (double)s->now / (double)s->alone))) {
      s->interrupted = true;
      return;
    }
    if (s->rounds % (1 << 16) == 0)
      ts_lanes_show(&s->processes, &s->facts);
    s->processes.overflow = next >> TS_CLOCK_BITS != 0;
    s->now = next;
    if (!s->heap.count || s->heap.at[0].time > next)
      continue;
    ts_moment m = ts_event_queue_take(&s->heap);
    happen(s, &m);
  }
}

/* ---- Setting the stage ---- */

static void make_actors(overlap_stage *s)
{
  const ts_fold *fold = s->facts.fold;
  s->actors = TS_NEW_ARRAY(s->scratch, actor, s->processes.count);
  for (uint32_t i = 0; i < s->processes.count; i++)
    s->actors[i].process = &s->processes.at[i];
  s->rendezvous = TS_NEW_ARRAY(s->scratch, rendezvous, fold->rendezvous_count);
  for (uint32_t m = 0; m < fold->rendezvous_count; m++)
    s->rendezvous[m].rates = TS_NEW_ARRAY(s->scratch, double, fold->rendezvous[m].count);
}

/* Some call never ends: slower than the clock counts. */
static bool some_left(const overlap_stage *s)
{
  for (uint32_t i = 0; i < s->processes.count; i++)
    if (!ts_is_done(&s->processes.at[i]))
      return true;
  return false;
}

static void set_stage(ts_arena *arena, overlap_stage *s, ts_contention *network)
{
  const ts_fold *fold = s->facts.fold;
  s->facts.players = TS_NEW_ARRAY(arena, ts_player, fold->count);
  for (uint32_t p = 0; p < fold->count; p++) {
    ts_player *w = (ts_player *)&s->facts.players[p];
    ts_make_player(arena, &s->facts, p);
    ts_player_expect(w, 0, s->facts.tables->ir->programs[w->role->program].item_count);
    ts_player_keep_times(arena, s->facts.tables, w, true);
    if (w->program->slot_count)
      memset(w->sent, 0xff, w->program->slot_count * sizeof *w->sent);
  }
  s->facts.starts = s->starts = TS_NEW_ARRAY(arena, uint64_t, fold->call_count);
  s->facts.latest = s->latest = TS_NEW_ARRAY(arena, uint32_t, fold->call_count);
  s->dirty = TS_NEW_ARRAY(s->scratch, uint32_t, fold->count);
  s->is_dirty = TS_NEW_ARRAY(s->scratch, bool, fold->count);
  s->choosing = TS_NEW_ARRAY(s->scratch, uint32_t, fold->count);
  s->whole = ts_partitions_whole(s->scratch, fold->count);
  ts_processes_new(&s->processes, s->scratch, &s->facts, network);
  s->processes.partitions = &s->whole;
  ts_processes_begin(&s->processes, s->scratch, &s->facts);
  make_actors(s);
}

const ts_facts *ts_overlap_play(ts_arena *arena, const ts_facts *facts, const ts_slowdown *model,
                                ts_contention *network, ts_stop *stop)
{
  overlap_stage s = {.scratch = ts_arena_new("overlap"),
                     .facts = *facts,
                     .turns = model->turns,
                     .alone = facts->end};
  ts_facts *out = NULL;
  const char *wrong = ts_overlap_pairs_of(s.scratch, facts->tables, facts->roles, model, &s.pairs);
  if (wrong) {
    ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "the slowdown model fails: %s", wrong);
    ts_stop_help(stop, "give `--overlap` a model that `trainspec fit slowdown` wrote, or one by "
                       "name: `constant:1.1`, `physical`");
  } else {
    set_stage(arena, &s, network);
    overlap_play(&s);
    if (s.interrupted) {
      ts_stop_interrupted(stop);
    } else if (s.processes.overflow || some_left(&s)) {
      ts_stop_overflow(stop);
    } else {
      s.facts.end = ts_processes_end(&s.processes, &s.facts);
      out = ts_arena_copy(arena, &s.facts, sizeof s.facts);
    }
  }
  ts_arena_free(s.scratch);
  return out;
}
