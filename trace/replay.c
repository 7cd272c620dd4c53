/* Makes an IR of a trace; replay.h says how. */
#include "trace/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/source.h"
#include "trace/program_maker.h"

enum {
  MOST_STREAMS = 256,
  TOLERANCE = 1000,   /* ns: clocks of the host and the device, and old traces' microseconds */
  SURPRISE = 5000,    /* ns that a kernel is late before its reason is looked for */
  REACH = 20000,      /* ns from the end of the work waited for to the kernel that waited */
  MOST_WAITS = 64     /* of one kernel */
};

typedef struct op { /* device work, by start */
  const ts_event *v;
  uint32_t event, stream, node, previous; /* previous: on its stream */
  int64_t start, end, launched, at;       /* at: when the host issues it */
  /* between its predecessor's end and its start, at least */
  int64_t gap;
  int64_t crowded;                        /* waits so long for room on the device */
  int64_t delayed; /* for reasons that the trace does not show: so long until it started */
  uint32_t first_wait, wait_count;        /* in the order of ops after the sort */
} op;

typedef struct wait { uint32_t op, on; } wait; /* op waits for on */
/* issue an op, or (op NONE) a call that waits; after: wait for the op itself */
typedef struct item { int64_t at; uint32_t op, call; bool after; } item;

typedef struct record { uint64_t id; int64_t start; } record; /* a call that records an event */

typedef struct replay_maker {
  const ts_events *e;
  ts_replay *r;
  ts_arena *work;
  op *ops;
  uint32_t count;
  uint32_t *op_of;        /* [events] */
  uint32_t stream_of[MOST_STREAMS], tracks; /* stream -> track */
  uint32_t *by_launch;    /* ops by launch */
  int64_t origin, carried[MOST_STREAMS];
  TS_VEC(wait) waits;
  TS_VEC(record) records;
  TS_VEC(item) items;
} replay_maker;

/* ---- Streams ---- */

static bool take_streams(replay_maker *m, ts_error *error)
{
  uint32_t *stream = TS_NEW_ARRAY(m->work, uint32_t, m->e->tracks.count + 1);
  int64_t busy[MOST_STREAMS] = {0};
  memset(stream, 0xff, sizeof *stream * m->e->tracks.count);
  for (uint32_t i = 0; i < m->count; i++) {
    uint32_t track = m->ops[i].v->track;
    if (stream[track] == TS_EVENT_NONE) {
      if (m->tracks == MOST_STREAMS)
        return ts_fail(error, "choose a step with --step", "more than %d streams", MOST_STREAMS);
      stream[track] = m->tracks;
      m->stream_of[m->tracks++] = track;
    }
    m->ops[i].stream = stream[track];
    if (m->ops[i].v->kind != TS_KERNEL_COMMUNICATION)
      busy[stream[track]] += m->ops[i].end - m->ops[i].start;
  }
  /* Stream 0 is the one that computes most. */
  uint32_t best = 0;
  for (uint32_t s = 1; s < m->tracks; s++)
    if (busy[s] > busy[best])
      best = s;
  uint32_t track = m->stream_of[0];
  m->stream_of[0] = m->stream_of[best];
  m->stream_of[best] = track;
  for (uint32_t i = 0; i < m->count; i++)
    m->ops[i].stream = m->ops[i].stream == best ? 0 :
                       m->ops[i].stream == 0    ? best :
                                                  m->ops[i].stream;
  m->r->streams = m->tracks;
  return true;
}

static void join_streams(replay_maker *m)
{
  uint32_t last[MOST_STREAMS];
  memset(last, 0xff, sizeof last);
  for (uint32_t i = 0; i < m->count; i++) {
    op *o = &m->ops[i];
    o->previous = last[o->stream];
    last[o->stream] = i;
    m->r->overlapping +=
      o->previous != TS_EVENT_NONE && m->ops[o->previous].end > o->start + TOLERANCE;
  }
}

/* ---- The two constants ---- */

/* The mean of the middle half. */
static int64_t middle_mean(int64_t *values, size_t count)
{
  int64_t sum = 0;
  size_t from = count / 4, to = count - count / 4;
  qsort(values, count, sizeof *values, ts_by_i64);
  for (size_t i = from; i < to; i++) sum += values[i];
  return count ? sum / (int64_t)(to - from) : 0;
}

static int64_t clamped(int64_t gap)
{
  return gap < 0 ? 0 : gap > 10 * TOLERANCE ? 10 * TOLERANCE : gap;
}

static uint8_t gap_class(const uint32_t *launches, const op *o)
{
  unsigned what = o->v->kind == TS_KERNEL_COPY ? 1 : o->v->kind == TS_KERNEL_FILL ? 2 : 0;
  unsigned how = o->v->call == TS_EVENT_NONE ? 2 : launches[o->v->call] > 1 ? 1 : 0;
  return (uint8_t)(3 * what + how);
}

static void measure_gaps(replay_maker *m, const uint8_t *class)
{
  enum { ENOUGH = 8 };
  int64_t *gap = TS_NEW_ARRAY(m->work, int64_t, m->count + 1);
  for (int c = -1; c < TS_GAP_CLASSES; c++) { /* -1: all */
    size_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
      const op *o = &m->ops[i];
      int64_t before = o->previous != TS_EVENT_NONE ? m->ops[o->previous].end : INT64_MIN;
      bool queued =
        o->v->call != TS_EVENT_NONE ? before > o->launched + REACH : before > o->start - REACH;
      if (queued && (c < 0 || class[i] == c))
        gap[count++] = o->start - before;
    }
    int64_t mean = clamped(middle_mean(gap, count));
    if (c < 0)
      m->r->gap = mean;
    else
      m->r->gaps[c] = count >= ENOUGH ? mean : m->r->gap;
  }
}

/* From the launch to the kernel where its stream was idle; of the whole trace, since a step may
 * find no stream idle. */
static int64_t measure_latency(const replay_maker *m)
{
  const ts_events *e = m->e;
  int64_t *latency = TS_NEW_ARRAY(m->work, int64_t, e->device_count + 1),
          *until = TS_NEW_ARRAY(m->work, int64_t, e->tracks.count + 1);
  size_t count = 0;
  for (size_t t = 0; t < e->tracks.count; t++) until[t] = INT64_MIN;
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    if (v->call != TS_EVENT_NONE && until[v->track] < ts_event_at(e, v->call)->start)
      latency[count++] = v->start - ts_event_at(e, v->call)->start;
    until[v->track] = ts_event_end(v) > until[v->track] ? ts_event_end(v) : until[v->track];
  }
  qsort(latency, count, sizeof *latency, ts_by_i64);
  return count ? latency[(count - 1) / 2] : 0;
}

static void measure_constants(replay_maker *m)
{
  uint32_t *launches = TS_NEW_ARRAY(m->work, uint32_t, m->e->count + 1);
  uint8_t *class = TS_NEW_ARRAY(m->e->arena, uint8_t, m->count + 1);
  for (uint32_t i = 0; i < m->count; i++)
    if (m->ops[i].v->call != TS_EVENT_NONE)
      launches[m->ops[i].v->call]++;
  for (uint32_t i = 0; i < m->count; i++) class[i] = gap_class(launches, &m->ops[i]);
  measure_gaps(m, class);
  m->r->latency = measure_latency(m);
  m->r->gap_class = class;
  for (uint32_t i = 0; i < m->count; i++) m->ops[i].gap = m->r->gaps[class[i]];
}

/* The order of a stream is that in which its work began. */
static void set_issue_times(replay_maker *m)
{
  int64_t until[MOST_STREAMS];
  for (uint32_t s = 0; s < MOST_STREAMS; s++) until[s] = INT64_MIN;
  for (uint32_t i = 0; i < m->count; i++) {
    op *o = &m->ops[i];
    bool known = o->v->call != TS_EVENT_NONE;
    int64_t latency = m->r->latency > o->gap ? m->r->latency - o->gap : 0;
    /* Work that followed at once on what was before it was queued, so launched with it; else when
     * it began. */
    bool queued =
      !known && o->previous != TS_EVENT_NONE && o->start - m->ops[o->previous].end <= REACH;
    if (queued)
      o->launched = m->ops[o->previous].launched;
    o->at = known ? o->launched + latency : queued ? m->ops[o->previous].at : o->start - o->gap;
    m->r->unlaunched += !known;
    /* A call that lasts longer than that loads code first, or waits for room in the queue: the
     * kernel comes with its end. */
    const ts_event *call = known ? ts_event_at(m->e, o->v->call) : NULL;
    if (call && call->duration > m->r->latency && ts_event_end(call) <= o->start + TOLERANCE) {
      int64_t handed =
        ts_event_end(call) < o->start - o->gap ? ts_event_end(call) : o->start - o->gap;
      o->at = handed > o->at ? handed : o->at;
    }
    if (o->at < until[o->stream])
      o->at = until[o->stream];
    until[o->stream] = o->at;
  }
}

/* ---- What waits for what ---- */

typedef struct launch { int64_t at; uint32_t op; } launch;

static int by_launch(const void *a, const void *b)
{
  const launch *x = a, *y = b;
  return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->op < y->op ? -1 : x->op > y->op;
}

static void sort_launches(replay_maker *m)
{
  launch *keys = TS_NEW_ARRAY(m->work, launch, m->count + 1);
  for (uint32_t i = 0; i < m->count; i++) keys[i] = (launch){m->ops[i].launched, i};
  qsort(keys, m->count, sizeof *keys, by_launch);
  m->by_launch = TS_NEW_ARRAY(m->work, uint32_t, m->count + 1);
  for (uint32_t i = 0; i < m->count; i++) m->by_launch[i] = keys[i].op;
}

/* First position in by_launch that was launched at `time` or later. */
static uint32_t launched_from(const replay_maker *m, int64_t time)
{
  uint32_t low;
  TS_SEARCH(low, 0, m->count, m->ops[m->by_launch[low]].launched < time);
  return low;
}

/* While the host waits in `call`, does another thread launch? Then not all of it waits. */
static bool others_launch(const replay_maker *m, const ts_event *call)
{
  for (uint32_t i = launched_from(m, call->start);
       i < m->count && m->ops[m->by_launch[i]].launched < ts_event_end(call); i++) {
    const ts_event *v = m->ops[m->by_launch[i]].v;
    if (v->call != TS_EVENT_NONE && ts_event_at(m->e, v->call)->track != call->track)
      return true;
  }
  return false;
}

static bool is_sync(const ts_event *v)
{
  return v->kind == TS_CALL_SYNC_DEVICE || v->kind == TS_CALL_SYNC_STREAM ||
         v->kind == TS_CALL_SYNC_EVENT;
}

static bool copy_blocks(const replay_maker *m, const op *o)
{
  const ts_event *call = o->v->call != TS_EVENT_NONE ? ts_event_at(m->e, o->v->call) : NULL;
  return call && o->v->kind == TS_KERNEL_COPY && ts_event_end(call) >= o->end - TOLERANCE &&
         o->end > o->at && !others_launch(m, call);
}

typedef struct pause { int64_t from, to; } pause;

static int by_from(const void *a, const void *b)
{
  const pause *x = a, *y = b;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* Work without a launch that began while the host waited was launched before. */
static void launch_before_pauses(replay_maker *m)
{
  TS_VEC(pause) pauses = {0};
  for (uint32_t i = 0; m->r->unlaunched && i < m->count; i++)
    if (copy_blocks(m, &m->ops[i]))
      TS_PUSH(m->work, &pauses,
              (pause){m->ops[i].at, ts_event_end(ts_event_at(m->e, m->ops[i].v->call))});
  for (uint32_t i = 0; m->r->unlaunched && i < m->e->host_count; i++) {
    const ts_event *v = ts_event_at(m->e, m->e->host[i]);
    if (is_sync(v) && !others_launch(m, v))
      TS_PUSH(m->work, &pauses, (pause){v->start + m->r->latency, ts_event_end(v)});
  }
  TS_SORT(&pauses, by_from);
  for (uint32_t i = 0; pauses.count && i < m->count; i++) {
    op *o = &m->ops[i];
    size_t next;
    TS_SEARCH(next, 0, pauses.count, pauses.at[next].from <= o->at);
    if (o->v->call != TS_EVENT_NONE || !next || o->at >= pauses.at[next - 1].to)
      continue;
    o->at = pauses.at[next - 1].from;
    if (o->previous != TS_EVENT_NONE && m->ops[o->previous].at > o->at)
      o->at = m->ops[o->previous].at;
  }
}

static void add_wait(replay_maker *m, uint32_t o, uint32_t on)
{
  TS_PUSH(m->work, &m->waits, (wait){o, on});
}

static uint32_t last_before(const replay_maker *m, uint32_t position, uint32_t stream)
{
  enum { LOOK_BACK = 1 << 14 };
  for (uint32_t steps = 0; position-- > 0 && steps < LOOK_BACK; steps++)
    if (m->ops[m->by_launch[position]].stream == stream)
      return m->by_launch[position];
  return TS_EVENT_NONE;
}

static uint32_t stream_by_number(const replay_maker *m, int64_t number)
{
  for (uint32_t s = 0; s < m->tracks; s++)
    if (m->e->tracks.at[m->stream_of[s]].thread == number)
      return s;
  return TS_EVENT_NONE;
}

static int replay_by_id(const void *a, const void *b)
{
  const record *x = a, *y = b;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) : 0;
}

static void sort_records(replay_maker *m)
{
  for (uint32_t i = 0; i < m->e->host_count; i++) {
    const ts_event *v = ts_event_at(m->e, m->e->host[i]);
    if (v->kind == TS_CALL_RECORD && v->id)
      TS_PUSH(m->work, &m->records, (record){v->id, v->start});
  }
  TS_SORT(&m->records, replay_by_id);
}

/* When the event was recorded that is waited for at `before`; `before` itself if the trace does not
 * have it. */
static int64_t recorded_at(const replay_maker *m, uint64_t id, int64_t before)
{
  const record *r = m->records.at;
  size_t behind;
  TS_SEARCH(behind, 0, m->records.count,
            r[behind].id < id || (r[behind].id == id && r[behind].start <= before));
  return behind && r[behind - 1].id == id ? r[behind - 1].start : before;
}

/* The profiler recorded which event of which stream is waited for. */
static void wait_exactly(replay_maker *m, const ts_event *call)
{
  const ts_event_wait *w = &m->e->waits.at[call->detail];
  uint32_t stream = stream_by_number(m, w->stream), on = stream_by_number(m, w->on_stream);
  if (stream == TS_EVENT_NONE || on == TS_EVENT_NONE || stream == on)
    return;
  uint32_t target = last_before(m, launched_from(m, recorded_at(m, w->record, call->start)), on);
  for (uint32_t i = launched_from(m, call->start); i < m->count && target != TS_EVENT_NONE; i++)
    if (m->ops[m->by_launch[i]].stream == stream) {
      if (m->ops[target].end <= m->ops[m->by_launch[i]].start + TOLERANCE) {
        add_wait(m, m->by_launch[i], target);
        m->r->waits_exact++;
      }
      return;
    }
}

/* The call says neither who waits nor for what: the next launch of its thread waits for what was
 * launched on the other streams, as far as their times allow it. */
static void wait_by_call(replay_maker *m, const ts_event *call)
{
  uint32_t position = launched_from(m, call->start), next = position;
  while (next < m->count) {
    const ts_event *v = m->ops[m->by_launch[next]].v;
    if (v->call != TS_EVENT_NONE && ts_event_at(m->e, v->call)->track == call->track)
      break;
    next++;
    if (next - position > 64)
      return;
  }
  if (next == m->count)
    return;
  const op *waiting = &m->ops[m->by_launch[next]];
  for (uint32_t s = 0; s < m->tracks; s++) {
    uint32_t on = s == waiting->stream ? TS_EVENT_NONE : last_before(m, position, s);
    if (on != TS_EVENT_NONE && m->ops[on].end <= waiting->start + TOLERANCE) {
      add_wait(m, m->by_launch[next], on);
      m->r->waits_guessed++;
    }
  }
}

static void take_waits(replay_maker *m)
{
  sort_records(m);
  for (uint32_t i = 0; i < m->e->host_count; i++) {
    const ts_event *v = ts_event_at(m->e, m->e->host[i]);
    if (v->kind != TS_CALL_WAIT)
      continue;
    if (v->detail != TS_EVENT_NONE)
      wait_exactly(m, v);
    else if (!m->e->has_syncs)
      wait_by_call(m, v);
  }
}

static int by_op(const void *a, const void *b)
{
  const wait *x = a, *y = b;
  return x->op != y->op ? (x->op < y->op ? -1 : 1) : x->on < y->on ? -1 : x->on > y->on;
}

static void sort_waits(replay_maker *m)
{
  TS_SORT(&m->waits, by_op);
  for (uint32_t i = 0; i < m->count; i++) m->ops[i].wait_count = 0;
  for (size_t i = m->waits.count; i-- > 0;) {
    op *o = &m->ops[m->waits.at[i].op];
    o->first_wait = (uint32_t)i;
    o->wait_count++;
  }
}

/* When the work of before ends on each stream; INT64_MIN: there is none. */
static void find_carried(replay_maker *m)
{
  int64_t first[MOST_STREAMS];
  for (uint32_t s = 0; s < MOST_STREAMS; s++) {
    first[s] = INT64_MAX;
    m->carried[s] = INT64_MIN;
  }
  for (uint32_t i = m->count; i-- > 0;) first[m->ops[i].stream] = m->ops[i].start;
  for (uint32_t i = 0; i < m->e->device_count; i++) {
    const ts_event *v = ts_event_at(m->e, m->e->device[i]);
    for (uint32_t s = 0; m->op_of[m->e->device[i]] == TS_EVENT_NONE && s < m->tracks; s++)
      if (m->stream_of[s] == v->track && v->start < first[s] && ts_event_end(v) > m->carried[s])
        m->carried[s] = ts_event_end(v);
  }
}

static int64_t expected_start(const replay_maker *m, const op *o)
{
  int64_t at = o->at > m->carried[o->stream] ? o->at : m->carried[o->stream];
  if (o->previous != TS_EVENT_NONE && m->ops[o->previous].end > at)
    at = m->ops[o->previous].end;
  for (uint32_t w = 0; w < o->wait_count; w++) {
    int64_t end = m->ops[m->waits.at[o->first_wait + w].on].end;
    at = end > at ? end : at;
  }
  return at + o->gap;
}

/* A kernel that began later than it had to, right after work of another stream ended, waited for
 * that. */
static void wait_by_time(replay_maker *m)
{
  size_t known = m->waits.count;
  for (uint32_t i = 0; i < m->count; i++) {
    const op *o = &m->ops[i];
    int64_t expected = expected_start(m, o);
    if (o->start - expected <= SURPRISE)
      continue;
    uint32_t best = TS_EVENT_NONE;
    for (uint32_t k = i, steps = 0; k-- > 0 && steps < 256; steps++) {
      const op *p = &m->ops[k];
      if (p->stream != o->stream && p->end <= o->start + TOLERANCE && p->end >= o->start - REACH &&
          p->end > expected && p->at <= o->at &&
          (best == TS_EVENT_NONE || p->end > m->ops[best].end))
        best = k;
    }
    if (best != TS_EVENT_NONE) {
      add_wait(m, i, best);
      m->r->waits_by_time++;
    }
  }
  if (m->waits.count > known)
    sort_waits(m);
}

/* How much of the time before op `i` from `from` on other streams kept the device busy. */
static int64_t busy_beside(const replay_maker *m, uint32_t i, int64_t from)
{
  enum { LOOK_BACK = 4096 };
  const op *o = &m->ops[i];
  int64_t until = from, sum = 0;
  for (uint32_t k = i > LOOK_BACK ? i - LOOK_BACK : 0; k < i; k++) {
    const op *p = &m->ops[k];
    int64_t begin = p->start > until ? p->start : until,
            end = p->end < o->start ? p->end : o->start;
    if (p->stream == o->stream || end <= begin)
      continue;
    sum += end - begin;
    until = end;
  }
  return sum;
}

/* What is still late found no room while others filled the device, which an IR has no word for; or
 * its reasons are not in the trace: its launch, or what it waited for. Then it is held until it was
 * measured to start. */
static void split_lateness(replay_maker *m)
{
  for (uint32_t i = 0; i < m->count; i++) {
    op *o = &m->ops[i];
    int64_t expected = expected_start(m, o), late = o->start - expected;
    if (late <= SURPRISE)
      continue;
    o->crowded = busy_beside(m, i, expected);
    m->r->crowded += o->crowded;
    o->delayed = late - o->crowded;
    m->r->unexplained += o->delayed;
    m->r->delayed_kernels += o->delayed > 0;
    m->r->delayed_unlaunched += o->delayed > 0 && o->v->call == TS_EVENT_NONE;
  }
}

/* ---- The order of the host ---- */

static int by_issue(const void *a, const void *b)
{
  const item *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  /* What is waited for comes first. */
  bool xs = x->op == TS_EVENT_NONE, ys = y->op == TS_EVENT_NONE;
  if (xs != ys)
    return xs - ys;
  if (x->op != y->op)
    return x->op < y->op ? -1 : 1;
  return x->after - y->after;
}

static void order_items(replay_maker *m, int64_t last)
{
  m->origin = INT64_MAX;
  for (uint32_t i = 0; i < m->count; i++) {
    const op *o = &m->ops[i];
    int64_t begins = o->launched < o->at ? o->launched : o->at;
    m->origin = begins < m->origin ? begins : m->origin;
    TS_PUSH(m->work, &m->items, (item){o->at, i, TS_EVENT_NONE, false});
    if (copy_blocks(m, o))
      TS_PUSH(m->work, &m->items, (item){o->at, i, o->v->call, true});
  }
  for (uint32_t i = 0; i < m->e->host_count; i++) {
    const ts_event *v = ts_event_at(m->e, m->e->host[i]);
    if (is_sync(v) && v->start >= m->origin && v->start < last && !others_launch(m, v))
      TS_PUSH(m->work, &m->items,
              (item){v->start + m->r->latency, TS_EVENT_NONE, m->e->host[i], false});
  }
  TS_SORT(&m->items, by_issue);
}

/* ---- The IR ---- */

static void put_cluster(replay_maker *m, ts_ir_builder *b)
{
  ts_ir_meta *meta = ts_ir_builder_meta(b);
  meta->plan = ts_ir_add_string(b, "replay");
  meta->tool = ts_ir_add_string(b, "trainspec");
  meta->micro_batches = 1;
  ts_ir_array device = {.name = ts_ir_add_string(b, "device"), .count = 1, .loc = TS_IR_NONE};
  ts_ir_append_copies(b, TS_IR_ARRAYS, &device, 1);
  ts_ir_device_class traced = {.name = ts_ir_add_string(b, "traced"),
                               .loc = TS_IR_NONE,
                               .bandwidth = 1,
                               .price = TS_NOT_KNOWN};
  ts_ir_append_copies(b, TS_IR_DEVICE_CLASSES, &traced, 1);
  ts_ir_append_copies(b, TS_IR_DEVICES, &(ts_ir_device){.speed = 1}, 1);
  ts_ir_cost_source trace = {.name = ts_ir_add_string(b, ts_base_name(m->e->file)),
                             .kind = ts_ir_add_string(b, "trace"),
                             .loc = TS_IR_NONE};
  ts_ir_append_copies(b, TS_IR_COST_SOURCES, &trace, 1);
}

/* Their kernels were slowed by one another when they were recorded. */
static void put_streams(replay_maker *m, ts_ir_builder *b)
{
  int64_t time[MOST_STREAMS][3] = {{0}};
  for (uint32_t i = 0; i < m->count; i++) {
    uint8_t kind = m->ops[i].v->kind;
    time[m->ops[i].stream][kind == TS_KERNEL_COMMUNICATION ? 1 :
                           kind == TS_KERNEL_COPY          ? 2 :
                                                             0] += m->ops[i].end - m->ops[i].start;
  }
  for (uint32_t s = 0; s < m->tracks; s++) {
    const char *name = ts_events_text(m->e, m->e->tracks.at[m->stream_of[s]].thread_name);
    const int64_t *t = time[s];
    ts_program_stream(b, ts_arena_printf(m->work, "stream %s", name),
                      s == 0                     ? TS_IR_STREAM_COMPUTE :
                      t[1] > t[0] && t[1] > t[2] ? TS_IR_STREAM_COMM :
                      t[2] > t[0]                ? TS_IR_STREAM_COPY :
                                                   TS_IR_STREAM_COMPUTE,
                      true, 0);
  }
}

typedef struct replay_writer {
  replay_maker *m;
  ts_program_maker p;
  TS_VEC(uint32_t) events; /* by node */
  int64_t host;
} replay_writer;

/* The time of the host since it issued the node before, until `at`. */
static uint64_t host_until(replay_writer *w, int64_t at)
{
  int64_t time = at - w->host;
  w->host = at > w->host ? at : w->host;
  return time > 0 ? (uint64_t)time * 1000 : 0;
}

static uint32_t kernel_of(ts_ir_builder *b, int64_t ns, const char *family, ts_ir_basis basis)
{
  ts_ir_kernel k = {.time = ns > 0 ? (uint64_t)ns * 1000 : 0,
                    .family = ts_ir_add_string(b, family),
                    .basis = basis};
  return ts_ir_intern(b, TS_IR_KERNELS, &k);
}

static uint32_t put_node(replay_writer *w, ts_ir_node node, const char *label, uint32_t event)
{
  node.label = ts_ir_add_string(w->p.b, label);
  TS_PUSH(w->m->r->events->arena, &w->events, event);
  return ts_program_node(&w->p, node);
}

/* Work of before, in front of the first kernel of a stream when its launch came. */
static void put_carried(replay_writer *w)
{
  replay_maker *m = w->m;
  for (uint32_t s = 0; s < m->tracks; s++)
    if (m->carried[s] > m->origin) {
      put_node(w,
               (ts_ir_node){
                 .op = TS_IR_COMPUTE,
                 .stream = (uint8_t)s,
                 .phase = TS_IR_PHASE_OTHER,
                 .arg = kernel_of(w->p.b, m->carried[s] - m->origin, "earlier", TS_IR_MEASURED)},
               "work of before", TS_EVENT_NONE);
      m->r->carried++;
    }
}

static void put_op(replay_writer *w, const item *item)
{
  replay_maker *m = w->m;
  op *o = &m->ops[item->op];
  uint32_t before = TS_EVENT_NONE; /* one issued later cannot have been waited for */
  for (uint32_t i = 0; i < o->wait_count && w->p.waits.count < MOST_WAITS; i++) {
    uint32_t on = m->waits.at[o->first_wait + i].on;
    if (on != before)
      ts_program_wait(&w->p, m->ops[on].node);
    before = on;
  }
  ts_ir_node node = {.op = TS_IR_COMPUTE,
                     .stream = (uint8_t)o->stream,
                     .phase = TS_IR_PHASE_OTHER,
                     .host_ps = host_until(w, item->at)};
  ts_program_waits(&w->p, &node);
  /* nodes of their own, that end where the kernel begins */
  const struct {
    int64_t time;
    const char *name;
    ts_ir_basis basis;
  } late[] = {{o->crowded, "waiting for room", TS_IR_MEASURED},
              {o->delayed, "released as measured", TS_IR_HELD}};
  for (int k = 0; k < 2; k++) {
    if (!late[k].time)
      continue;
    node.arg = kernel_of(w->p.b, late[k].time, late[k].name, late[k].basis);
    put_node(w, node, late[k].name, TS_EVENT_NONE);
    node.host_ps = 0;
  }
  node.phase = o->v->kind == TS_KERNEL_COMMUNICATION ? TS_IR_PHASE_COMMUNICATION :
               o->v->flags & TS_EVENT_BACKWARD       ? TS_IR_PHASE_BACKWARD_INPUT :
                                                       TS_IR_PHASE_OTHER;
  node.arg = kernel_of(
    w->p.b, o->end - o->start + o->gap,
    ts_kernel_family((ts_event_kind)o->v->kind, ts_events_text(m->e, o->v->name)), TS_IR_MEASURED);
  const ts_event *named = o->v->op != TS_EVENT_NONE ? ts_event_at(m->e, o->v->op) : o->v;
  o->node = put_node(w, node, ts_events_text(m->e, named->name), o->event);
}

/* The host waits for the last work of each stream that was issued before and ended while it waited;
 * a wait for one stream or event for the latest of them. */
static void put_sync(replay_writer *w, const item *item, const uint32_t last[MOST_STREAMS])
{
  replay_maker *m = w->m;
  const ts_event *call = ts_event_at(m->e, item->call);
  int64_t until = INT64_MIN;
  for (uint32_t s = 0; s < m->tracks; s++) {
    uint32_t o = item->after ? (m->ops[item->op].stream == s ? item->op : TS_EVENT_NONE) : last[s];
    while (o != TS_EVENT_NONE && m->ops[o].end > ts_event_end(call) + TOLERANCE)
      o = m->ops[o].previous;
    if (o == TS_EVENT_NONE || m->ops[o].node == TS_EVENT_NONE ||
        (!item->after && m->ops[o].end <= call->start))
      continue;
    if (call->kind != TS_CALL_SYNC_DEVICE && w->p.waits.count) {
      if (m->ops[o].end <= until)
        continue;
      w->p.waits.count = 0;
    }
    ts_program_wait(&w->p, m->ops[o].node);
    until = m->ops[o].end > until ? m->ops[o].end : until;
  }
  if (!w->p.waits.count)
    return;
  put_node(w,
           (ts_ir_node){
             .op = TS_IR_HOST_SYNC, .phase = TS_IR_PHASE_OTHER, .host_ps = host_until(w, item->at)},
           ts_events_text(m->e, call->name), TS_EVENT_NONE);
  w->host = until > w->host ? until : w->host;
  m->r->syncs++;
}

static void put_ir(replay_maker *m)
{
  replay_writer w = {.m = m, .p = {.b = ts_ir_builder_new(), .arena = m->work}, .host = m->origin};
  uint32_t last[MOST_STREAMS];
  memset(last, 0xff, sizeof last);
  put_cluster(m, w.p.b);
  put_streams(m, w.p.b);
  put_carried(&w);
  for (size_t i = 0; i < m->items.count; i++) {
    const item *item = &m->items.at[i];
    if (item->call != TS_EVENT_NONE) {
      put_sync(&w, item, last);
    } else {
      put_op(&w, item);
      last[m->ops[item->op].stream] = item->op;
    }
  }
  ts_ir_item step =
    ts_program_item(w.p.b, ts_program_fragment(&w.p, "step", "S"), TS_IR_NONE, NULL, 0);
  ts_program_end(w.p.b, "rank", (ts_ir_program){0}, &step, 1);
  m->r->ir = w.p.b;
  m->r->node_count = (uint32_t)w.events.count;
  m->r->event_of = w.events.at;
}

static void take_ops(replay_maker *m)
{
  m->ops = TS_NEW_ARRAY(m->work, op, m->r->chosen_count + 1);
  m->op_of = TS_NEW_ARRAY(m->work, uint32_t, m->e->count + 1);
  memset(m->op_of, 0xff, sizeof *m->op_of * m->e->count);
  for (uint32_t i = 0; i < m->r->chosen_count; i++) {
    const ts_event *v = ts_event_at(m->e, m->r->chosen[i]);
    m->op_of[m->r->chosen[i]] = i;
    m->ops[i] = (op){.v = v,
                     .event = m->r->chosen[i],
                     .node = TS_EVENT_NONE,
                     .previous = TS_EVENT_NONE,
                     .start = v->start,
                     .end = ts_event_end(v)};
    m->ops[i].launched = v->call != TS_EVENT_NONE ? ts_event_at(m->e, v->call)->start : v->start;
  }
  m->count = m->r->chosen_count;
}

ts_replay *ts_replay_new(ts_arena *arena, const ts_events *e, const ts_event *step, ts_error *error)
{
  static const char help[] = "replay needs a trace of the profiler that recorded the device";
  if (!e->timed || !e->device_count) {
    if (e->timed && e->unknown_category)
      ts_fail(error, help,
              "no device work of a known category: %llu events of other categories, such as "
              "`%.40s`, are ignored",
              (unsigned long long)e->unknown_category, ts_events_text(e, e->unknown_name));
    else
      ts_fail(error, help, "%s",
              e->timed ? "the trace holds no device work" : "the trace has no times");
    return NULL;
  }
  replay_maker m = {.e = e, .r = TS_NEW(arena, ts_replay), .work = ts_arena_new("replay")};
  m.r->events = e;
  m.r->chosen = e->device;
  m.r->chosen_count = e->device_count;
  if (step)
    m.r->chosen = ts_step_work(arena, e, step, &m.r->chosen_count);
  m.r->measured = ts_time_shares_of_events(e, m.r->chosen, m.r->chosen_count);
  take_ops(&m);
  bool good =
    m.count || ts_fail(error, "trainspec trace lists the steps and the work launched in each",
                       "no device work was launched in this step");
  if (good && m.r->measured.span > INT64_MAX / 4000)
    good = ts_fail(error, "some times are damaged: choose a step with --step",
                   "the trace spans more than 26 days");
  if (!good || !take_streams(&m, error)) {
    ts_arena_free(m.work);
    return NULL;
  }
  join_streams(&m);
  measure_constants(&m);
  set_issue_times(&m);
  sort_launches(&m);
  launch_before_pauses(&m);
  take_waits(&m);
  sort_waits(&m);
  find_carried(&m);
  wait_by_time(&m);
  split_lateness(&m);
  int64_t last = m.r->measured.begin + m.r->measured.span;
  order_items(&m, last);
  put_ir(&m);
  ts_arena_free(m.work);
  return m.r;
}
