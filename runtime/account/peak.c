#include "runtime/account/peak.h"

#include <string.h>

#include "runtime/account/op_marks.h"
#include "runtime/account/peak_items.h"
#include "runtime/account/run.h"
#include "runtime/account/timeline.h"
#include "runtime/play/track.h"

typedef struct strand { /* a stream that changes something, and how far it is taken */
  uint32_t row;         /* the stream; the number of streams: the host */
  ts_stream_replay replay; /* ... or of the host: */
  ts_lane *lane;
  const ts_mark *marks;    /* of the op at hand */
  uint64_t base;        /* of their keys */
  uint32_t at, count;   /* the next of them */
  const ts_strip *strip;   /* where the marks are those of the kind, else NULL */
  const ts_play_item *item;
  const ts_play_op *op; /* at hand */
  ts_mark *own;            /* [most marks of an op] */
  uint32_t host_nodes;  /* taken of the lane, the one at hand included */
} strand;

typedef struct peak_place { /* of a strand, at the peak */
  const ts_play_item *item; /* NULL: it was at its end */
  const uint32_t *done;     /* the end of those of its stream that it had done with */
  const ts_play_op *op;
  uint32_t at, host_nodes;
} peak_place;

typedef struct peak_walk {
  const ts_memory_input *input;
  const ts_facts *facts;
  const ts_ir *ir;
  const ts_player *w;
  uint32_t first_item;
  ts_op_marks ops;
  strand *strands;
  peak_place *places; /* [strands] at the peak so far */
  uint32_t count;
} peak_walk;

/* ---- Strands ---- */

/* Marks of a node that began and ended at these moments. */
static void peak_take_node(const peak_walk *k, strand *s, uint32_t node, uint64_t start,
                           uint64_t end)
{
  const ts_memory_effect *effect = &k->input->effects[node];
  if (effect->allocates)
    s->own[s->count++] = (ts_mark){2 * start + 1, effect->allocates, node, false};
  if (effect->frees)
    s->own[s->count++] = (ts_mark){2 * end, effect->frees, node, true};
}

/* A run in which kernels wait for the host, or take another time than usual. */
static void take_kernels(const peak_walk *k, strand *s, const ts_played_op *p)
{
  const ts_fragment_layout *layout = &k->facts->tables->layouts[s->item->fragment];
  uint32_t first_node = k->ir->fragments[s->item->fragment].first_node;
  uint64_t time = p->ready;
  for (uint32_t i = p->op->first; i < p->op->first + p->op->count; i++) {
    uint32_t n = layout->order[i];
    uint64_t issued = s->replay.host + layout->nodes[n].issue;
    uint64_t start = issued > time ? issued : time;
    time = start + ts_took(k->w, s->item->index, n,
                           ts_kernel_time(k->w->role, &k->ir->nodes[first_node + n]));
    peak_take_node(k, s, first_node + n, start, time);
  }
}

static void take_op(const peak_walk *k, strand *s, const ts_played_op *p)
{
  const ts_strip *strip = &k->ops.strips[p->op - k->w->role->ops];
  s->op = p->op;
  s->at = s->count = 0;
  if (!strip->count)
    return;
  if (p->op->kind == TS_OP_RUN && p->end == p->ready + p->time && p->time == p->op->time) {
    s->marks = k->ops.marks + strip->first;
    s->count = strip->count;
    s->base = 2 * p->ready;
    s->strip = strip;
    return;
  }
  s->marks = s->own;
  s->base = 0;
  s->strip = NULL;
  if (p->op->kind == TS_OP_RUN)
    take_kernels(k, s, p);
  else
    peak_take_node(k, s, k->ops.marks[strip->first].node,
                   p->op->kind == TS_OP_COLLECTIVE ? p->end - p->time : p->ready, p->end);
}

/* Goes on to the next op that changes something, if there is one. */
static void refill_stream(const peak_walk *k, strand *s)
{
  ts_played_op p;
  for (;;) {
    while (ts_stream_next(&s->replay, &p)) {
      take_op(k, s, &p);
      if (s->count)
        return;
    }
    if (!(s->item = ts_stream_item(&s->replay)))
      return;
  }
}

static void refill_host(const peak_walk *k, strand *s)
{
  ts_span_event e;
  while (s->at == s->count && ts_lane_next(s->lane, &e)) {
    s->at = s->count = 0;
    s->host_nodes++;
    s->item = k->w->program->items + (e.item - k->first_item);
    peak_take_node(k, s, (uint32_t)(e.node - k->ir->nodes), e.start, e.end);
  }
}

static void refill(const peak_walk *k, strand *s)
{
  if (s->lane)
    refill_host(k, s);
  else
    refill_stream(k, s);
}

static void make_strands(ts_arena *arena, peak_walk *k, uint32_t class)
{
  uint32_t streams = k->facts->tables->streams;
  k->strands = TS_NEW_ARRAY(arena, strand, streams + 1);
  for (uint32_t row = 0; row <= streams; row++) {
    strand *s = &k->strands[k->count];
    if (!k->input->streams[row])
      continue;
    *s = (strand){.row = row, .own = TS_NEW_ARRAY(arena, ts_mark, k->ops.most)};
    s->marks = s->own;
    if (row == streams)
      s->lane = ts_lane_new(arena, k->input->run, k->w->rank, TS_IR_NONE);
    else
      s->replay = ts_stream_new(arena, k->facts, class, row);
    k->count++;
    refill(k, s);
  }
}

/* ---- How often each node had changed something at the peak ---- */

static void note_places(peak_walk *k, const strand *peak, uint32_t mark)
{
  for (uint32_t i = 0; i < k->count; i++) {
    const strand *s = &k->strands[i];
    const uint32_t *done = s->replay.item;
    if (s->item && !s->lane)
      done--;
    k->places[i] = (peak_place){s->item, done, s->op, s == peak ? mark + 1 : s->at, s->host_nodes};
  }
}

static void count_marks(const ts_mark *at, uint32_t count, uint32_t plays, uint32_t *times)
{
  for (uint32_t i = 0; i < count; i++)
    times[2 * at[i].node + at[i].frees] += plays;
}

/* Ops before the place, in items that the stream had done with and in the one at hand. */
static void count_stream(ts_arena *arena, const peak_walk *k, const strand *s, const peak_place *to,
                         uint32_t *times)
{
  ts_range range = k->w->program->stream[s->row];
  const uint32_t *items = k->w->program->stream_items + range.first;
  uint32_t *plays = TS_NEW_ARRAY(arena, uint32_t, k->ir->fragments_count);
  for (const uint32_t *item = items; item < to->done; item++)
    plays[k->w->program->items[*item].fragment]++;
  for (uint32_t f = 0; f < k->ir->fragments_count; f++) {
    ts_range code = plays[f] ? k->w->role->code[f].stream[s->row] : (ts_range){0};
    for (uint32_t i = code.first; i < code.first + code.count; i++)
      count_marks(k->ops.marks + k->ops.strips[i].first, k->ops.strips[i].count, plays[f], times);
  }
  if (!to->item)
    return;
  ts_range code = k->w->role->code[to->item->fragment].stream[s->row];
  const ts_play_op *op = k->w->role->ops + code.first;
  for (; op < to->op; op++)
    count_marks(k->ops.marks + k->ops.strips[op - k->w->role->ops].first,
                k->ops.strips[op - k->w->role->ops].count, 1, times);
  count_marks(k->ops.marks + k->ops.strips[op - k->w->role->ops].first, to->at, 1, times);
}

/* The host goes the way again: its nodes are few. */
static void count_host(ts_arena *arena, const peak_walk *k, strand *s, const peak_place *to,
                       uint32_t *times)
{
  s->lane = ts_lane_new(arena, k->input->run, k->w->rank, TS_IR_NONE);
  s->at = s->count = s->host_nodes = 0;
  for (refill_host(k, s); s->count && s->host_nodes < to->host_nodes; refill_host(k, s)) {
    count_marks(s->own, s->count, 1, times);
    s->at = s->count;
  }
  count_marks(s->own, to->at, 1, times);
}

static const uint32_t *times_at_peak(ts_arena *arena, peak_walk *k)
{
  uint32_t *times = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)k->ir->nodes_count);
  for (uint32_t i = 0; i < k->count; i++) {
    strand *s = &k->strands[i];
    if (s->lane)
      count_host(arena, k, s, &k->places[i], times);
    else
      count_stream(arena, k, s, &k->places[i], times);
  }
  return times;
}

/* ---- The walk ---- */

/* The strand with the earliest change, of equal ones the first, and the key before which its
 * changes come before all others'. NULL: none has any left. */
static strand *earliest(const peak_walk *k, uint64_t *limit)
{
  strand *first = NULL;
  uint64_t key = UINT64_MAX;
  *limit = UINT64_MAX;
  for (uint32_t i = 0; i < k->count; i++) {
    strand *s = &k->strands[i];
    if (s->at == s->count)
      continue;
    uint64_t own = s->base + s->marks[s->at].key;
    if (!first || own < key) {
      *limit = key; /* of an earlier strand, which goes first at the same key */
      first = s;
      key = own;
    } else if (own + 1 < *limit) {
      *limit = own + 1;
    }
  }
  return first;
}

static ts_memory_moment moment_of(const peak_walk *k, const strand *s, const ts_mark *m,
                                  int64_t before)
{
  return (ts_memory_moment){(s->base + m->key) / 2, &k->ir->nodes[m->node],
                            k->first_item + s->item->index, (uint64_t)m->bytes,
                            before > 0 ? (uint64_t)before : 0};
}

static ts_memory_peak peak_before(int64_t held, int64_t room)
{
  const ts_memory_moment begin = {.item = TS_IR_NONE, .asked = (uint64_t)held};
  return (ts_memory_peak){.bytes = held, .over = held > room, .at = begin, .first_over = begin};
}

/* Takes the strand's changes before `limit`. */
static int64_t peak_take(peak_walk *k, strand *s, uint64_t limit, int64_t held, int64_t room,
                         ts_memory_peak *peak)
{
  uint32_t highest = UINT32_MAX, i = s->at;
  const ts_mark *m = s->marks;
  for (; i < s->count && s->base + m[i].key < limit; i++) {
    held += m[i].bytes;
    if (held <= peak->bytes)
      continue;
    peak->bytes = held;
    highest = i;
    if (!peak->over && held > room) {
      peak->over = true;
      peak->first_over = moment_of(k, s, &m[i], held - m[i].bytes);
    }
  }
  if (highest != UINT32_MAX) {
    peak->at = moment_of(k, s, &m[highest], peak->bytes - m[highest].bytes);
    note_places(k, s, highest);
  }
  s->at = i;
  return held;
}

/* ---- In the order of issue ---- */

/* Goes through `until` changes, or all of them, and counts those of each node if `times`. */
static ts_memory_peak walk_issues(ts_arena *arena, const ts_memory_input *input, uint32_t class,
                                  int64_t held, int64_t room, uint64_t *until, uint32_t *times)
{
  const ts_ir *ir = ts_run_facts(input->run)->tables->ir;
  ts_memory_changes *changes =
    ts_memory_changes_new(arena, input, ts_run_result(input->run)->classes[class].rank);
  ts_memory_peak peak = peak_before(held, room);
  uint64_t highest = 0, end = *until, taken = 0;
  for (ts_memory_change c; taken < end && ts_memory_changes_next(changes, &c); taken++) {
    size_t n = (size_t)(c.node - ir->nodes);
    int64_t bytes = c.frees ? input->effects[n].frees : input->effects[n].allocates;
    if (times)
      times[2 * n + c.frees]++;
    if ((held += bytes) <= peak.bytes)
      continue;
    peak.bytes = held;
    peak.at = (ts_memory_moment){c.time, c.node, c.item, (uint64_t)bytes,
                                 held > bytes ? (uint64_t)(held - bytes) : 0};
    highest = taken + 1;
    if (!peak.over && held > room) {
      peak.over = true;
      peak.first_over = peak.at;
    }
  }
  *until = highest;
  return peak;
}

static ts_memory_peak find_issued(ts_arena *arena, const ts_memory_input *input, uint32_t class,
                                  int64_t held, int64_t room)
{
  uint64_t until = UINT64_MAX;
  ts_memory_peak peak = walk_issues(arena, input, class, held, room, &until, NULL);
  if (peak.at.node) {
    const ts_ir *ir = ts_run_facts(input->run)->tables->ir;
    uint32_t *times = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)ir->nodes_count);
    walk_issues(arena, input, class, held, room, &until, times);
    peak.times = times;
  }
  return peak;
}

ts_memory_peak ts_memory_peak_find(ts_arena *arena, ts_peak_memo *memo,
                                   const ts_memory_input *input, uint32_t class, int64_t held,
                                   int64_t room)
{
  const ts_facts *facts = ts_run_facts(input->run);
  const ts_player *w = &facts->players[class];
  const ts_ir *ir = facts->tables->ir;
  peak_walk k = {.input = input,
                 .facts = facts,
                 .ir = ir,
                 .w = w,
                 .first_item = ir->programs[w->role->program].first_item};
  ts_memory_peak peak = peak_before(held, room);
  if (ts_memory_issued(input->run, class))
    return find_issued(arena, input, class, held, room);
  if (ts_memory_peak_by_items(arena, memo, input, class, held, room, &peak))
    return peak;
  k.ops = ts_op_marks_of(arena, facts->tables, w->role, input->effects, input->streams);
  make_strands(arena, &k, class);
  k.places = TS_NEW_ARRAY(arena, peak_place, k.count);
  uint64_t limit;
  for (strand *s; (s = earliest(&k, &limit));) {
    const ts_strip *whole = s->at ? NULL : s->strip;
    if (whole && s->base + s->marks[s->count - 1].key < limit &&
        held + whole->highest <= peak.bytes) {
      held += whole->sum;
      s->at = s->count;
    } else {
      held = peak_take(&k, s, limit, held, room, &peak);
    }
    if (s->at == s->count)
      refill(&k, s);
  }
  if (peak.at.node)
    peak.times = times_at_peak(arena, &k);
  return peak;
}
