/* GOAL schedules as one table of events, and that taken apart into ranks. */
#include "trace/read/goal.h"

#include <stdio.h>
#include <string.h>

#include "trace/read/goal_ranks.h"
#include "trace/read/format.h"
#include "trace/read/readers.h"

enum { CPUS = 256 };

/* ---- One table ---- */

static uint32_t goal_track_of(ts_events *e, uint32_t rank, uint8_t cpu, uint32_t track_of_cpu[CPUS])
{
  if (track_of_cpu[cpu] == TS_EVENT_NONE) {
    char digits[24];
    ts_event_track t = {.process = rank, .thread = cpu, .device = true};
    t.process_name = ts_events_string(e, digits, (size_t)snprintf(digits, sizeof digits, "%u", rank));
    t.thread_name = ts_events_string(e, digits, (size_t)snprintf(digits, sizeof digits, "%u", cpu));
    track_of_cpu[cpu] = (uint32_t)e->tracks.count;
    TS_PUSH(e->arena, &e->tracks, t);
  }
  return track_of_cpu[cpu];
}

static bool goal_put_head(void *closure, uint32_t world)
{
  ts_events *e = closure;
  e->world = world;
  return true;
}

static bool goal_put_rank(void *closure, const ts_goal_rank *rank, ts_error *error)
{
  static const char *const names[] = {"calc", "send", "recv"};
  ts_events *e = closure;
  uint32_t first = e->count, tracks[CPUS];
  memset(tracks, 0xff, sizeof tracks);
  if (rank->ops.count > TS_EVENTS_MOST - e->count)
    return ts_fail(error, NULL, "more than %u operations", TS_EVENTS_MOST);
  for (size_t i = 0; i < rank->ops.count; i++) {
    const ts_goal_op *op = &rank->ops.at[i];
    bool message = op->kind != TS_GOAL_CALC;
    ts_event *v =
      ts_events_add(e, TS_EVENT_DEVICE, message ? TS_KERNEL_COMMUNICATION : TS_KERNEL_OTHER);
    v->id = e->count;
    v->start = e->count - 1;
    v->duration = message ? -1 : op->size;
    v->track = goal_track_of(e, rank->rank, op->cpu, tracks);
    v->name = op->label_length ?
                ts_events_string(e, rank->text.at + op->label, op->label_length) :
                ts_events_string(e, names[op->kind], 4);
    if (!message)
      continue;
    v->detail = (uint32_t)e->comms.count;
    TS_PUSH(e->arena, &e->comms,
            ((ts_event_comm){.kind = op->kind == TS_GOAL_SEND ? TS_COMM_SEND : TS_COMM_RECV,
                             .name = ts_events_string(e, names[op->kind], 4), .in = -1, .out = -1,
                             .size = -1, .sequence = -1, .bytes = op->size, .peer = op->peer,
                             .tag = op->tag, .interface = op->nic}));
  }
  for (size_t i = 0; i < rank->requirements.count; i++) {
    ts_goal_requirement q = rank->requirements.at[i];
    TS_PUSH(e->arena, &e->edges, ((ts_event_edge){first + q.before, first + q.op, q.started}));
  }
  e->seen = e->count;
  return true;
}

static bool read_goal(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)options;
  ts_named_edges none = {0};
  e->format = TS_TRACE_GOAL;
  if (!ts_goal_read(feed, &(ts_goal_sink){goal_put_head, goal_put_rank, e}, &e->cut))
    return false;
  if (!e->count)
    return ts_fail(feed->error,
                   "lines are as `a: calc 1200 cpu 0`, `s: send 4096b to 1 tag 5`, `r: recv 4096b "
                   "from 0 tag 5`, `s requires a`",
                   "the schedule has no operations");
  if (!ts_trace_graph_finish(e, &none, feed->error))
    return false;
  return !e->nested || ts_fail(feed->error, NULL, "what requires what forms a cycle");
}

/* ---- Rank by rank ---- */

typedef struct splitter {
  const ts_events *e;
  ts_arena *work;
  ts_in_edges in;             /* control: for the beginning, not the end */
  uint32_t *rank_of, *place;  /* by event; place: in its rank's table + 1 */
  uint32_t *stream_of[2];     /* by cpu: of computations, of sends */
  uint32_t streams;           /* of those */
} splitter;

static bool is_message(const ts_event *v) { return v->kind == TS_KERNEL_COMMUNICATION; }

/* Computations and sends of a cpu have a stream each, the same on all ranks. */
static void number_streams(splitter *s)
{
  bool used[2][CPUS] = {{false}};
  for (uint32_t i = 0; i < s->e->count; i++) {
    const ts_event *v = ts_event_at(s->e, i);
    if (!is_message(v) || s->e->comms.at[v->detail].kind == TS_COMM_SEND)
      used[is_message(v)][s->e->tracks.at[v->track].thread] = true;
  }
  used[0][0] = true; /* stream 0 computes */
  for (int message = 0; message < 2; message++) {
    s->stream_of[message] = TS_NEW_ARRAY(s->work, uint32_t, CPUS);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
      if (used[message][cpu])
        s->stream_of[message][cpu] = s->streams++;
  }
}

static uint32_t stream_named(ts_events *out, uint32_t number, const char *kind)
{
  while (out->tracks.count <= number) {
    char digits[24];
    uint32_t name = ts_events_string(
      out, digits, (size_t)snprintf(digits, sizeof digits, "%zu", out->tracks.count));
    TS_PUSH(out->arena, &out->tracks,
            ((ts_event_track){.thread_name = name,
                              .thread = (int64_t)out->tracks.count,
                              .device = true,
                              .label = ts_events_string(out, "compute", 7)}));
  }
  out->tracks.at[number].label = ts_events_string(out, kind, strlen(kind));
  return number;
}

/* Receives wait without keeping their cpu busy: each sender has a stream, as long as there are some
 * left. */
static uint32_t receiving_stream(const splitter *s, ts_events *out, int64_t sender)
{
  enum { MOST_STREAMS = 255 };
  for (uint32_t t = s->streams; t < out->tracks.count; t++)
    if (out->tracks.at[t].process == sender)
      return t;
  if (out->tracks.count >= MOST_STREAMS)
    return MOST_STREAMS - 1;
  uint32_t number = stream_named(
    out, out->tracks.count > s->streams ? (uint32_t)out->tracks.count : s->streams, "comm");
  out->tracks.at[number].process = sender;
  return number;
}

static void copy_operation(splitter *s, ts_events *out, uint32_t i)
{
  const ts_event *v = ts_event_at(s->e, i);
  const ts_event_comm *c = is_message(v) ? &s->e->comms.at[v->detail] : NULL;
  const char *name = ts_events_text(s->e, v->name);
  int64_t cpu = s->e->tracks.at[v->track].thread;
  ts_event *copy = ts_events_add(out, TS_EVENT_DEVICE, (ts_event_kind)v->kind);
  s->place[i] = out->count;
  copy->id = out->count;
  copy->start = out->count;
  copy->duration = v->duration;
  copy->name = ts_events_string(out, name, strlen(name));
  copy->track = c && c->kind == TS_COMM_RECV ?
                  receiving_stream(s, out, c->peer) :
                  stream_named(out, s->stream_of[c != NULL][cpu], c ? "comm" : "compute");
  if (c) {
    copy->detail = (uint32_t)out->comms.count;
    TS_PUSH(out->arena, &out->comms, *c);
    out->comms.at[copy->detail].name =
      ts_events_string(out, ts_comm_kind_name((ts_comm_kind)c->kind), 4);
  }
}

/* `to` begins when what `on` waits for has ended: that is when `on` begins. */
static void wait_for_start(const splitter *s, ts_events *out, uint32_t to, uint32_t on)
{
  TS_VEC(uint32_t) open = {0};
  TS_PUSH(s->work, &open, on);
  while (open.count) {
    uint32_t i = open.at[--open.count];
    for (uint32_t k = s->in.first[i]; k < s->in.first[i + 1]; k++)
      if (s->in.edge[k].control)
        TS_PUSH(s->work, &open, s->in.edge[k].from);
      else
        TS_PUSH(out->arena, &out->edges,
                ((ts_event_edge){s->place[s->in.edge[k].from] - 1, s->place[to] - 1, false}));
  }
}

/* In the order of the file, what an operation waits for before it. */
static void copy_in_order(splitter *s, ts_events *const *ranks)
{
  typedef struct open_event {
    uint32_t event, next;
  } open_event;
  TS_VEC(open_event) open = {0};
  for (uint32_t i = 0; i < s->e->count; i++) {
    if (!s->place[i])
      TS_PUSH(s->work, &open, ((open_event){i, s->in.first[i]}));
    while (open.count) {
      open_event *v = &open.at[open.count - 1];
      if (v->next < s->in.first[v->event + 1]) {
        uint32_t before = s->in.edge[v->next++].from;
        if (!s->place[before])
          TS_PUSH(s->work, &open, ((open_event){before, s->in.first[before]}));
        continue;
      }
      uint32_t event = v->event;
      open.count--;
      ts_events *out = ranks[s->rank_of[event]];
      copy_operation(s, out, event);
      for (uint32_t k = s->in.first[event]; k < s->in.first[event + 1]; k++)
        if (s->in.edge[k].control)
          wait_for_start(s, out, event, s->in.edge[k].from);
        else
          TS_PUSH(out->arena, &out->edges,
                  ((ts_event_edge){s->place[s->in.edge[k].from] - 1, s->place[event] - 1, false}));
    }
  }
}

static bool can_split(const ts_events *e, ts_error *error)
{
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_event_comm *c = is_message(v) ? &e->comms.at[v->detail] : NULL;
    long long rank = (long long)e->tracks.at[v->track].process;
    const char *name = ts_events_text(e, v->name);
    if (c && (c->peer < 0 || c->tag < 0))
      return ts_fail(error, "state the sender and the tag",
                     "rank %lld, `%.40s`: receives from any rank or with any tag; which "
                     "message that is, is known only while it runs",
                     rank, name);
    if (c && c->peer == rank)
      return ts_fail(error, "leave out what a rank sends itself",
                     "rank %lld, `%.40s`: a message to or from itself", rank, name);
  }
  return !e->cut || ts_fail(error, "copy the file again", "the file ends early");
}

const ts_events **ts_goal_ranks(ts_arena *arena, const ts_events *e, ts_error *error)
{
  if (!can_split(e, error))
    return NULL;
  uint32_t world = (uint32_t)e->world;
  splitter s = {.e = e, .work = ts_arena_new("ranks")};
  ts_events **ranks = TS_NEW_ARRAY(arena, ts_events *, world);
  s.rank_of = TS_NEW_ARRAY(s.work, uint32_t, e->count + 1);
  s.place = TS_NEW_ARRAY(s.work, uint32_t, e->count + 1);
  for (uint32_t i = 0; i < e->count; i++)
    s.rank_of[i] = (uint32_t)e->tracks.at[ts_event_at(e, i)->track].process;
  s.in = ts_events_in_edges(s.work, s.e);
  number_streams(&s);
  for (uint32_t r = 0; r < world; r++) {
    ranks[r] = ts_events_new(arena, e->file);
    ranks[r]->format = TS_TRACE_GOAL;
    ranks[r]->rank = r;
    ranks[r]->world = world;
  }
  copy_in_order(&s, ranks);
  for (uint32_t r = 0; r < world; r++) {
    if (!ranks[r]->count) { /* a rank that has nothing to do */
      stream_named(ranks[r], 0, "compute");
      ts_events_add(ranks[r], TS_EVENT_DEVICE, TS_KERNEL_OTHER)->duration = 0;
      ts_event_at(ranks[r], 0)->id = 1;
    }
    ts_events_sort(ranks[r]);
  }
  ts_arena_free(s.work);
  return (const ts_events **)ranks;
}

const ts_trace_reader ts_trace_reader_goal = {.begins = ts_is_goal, .read = read_goal};
