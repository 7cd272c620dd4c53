#include "runtime/account/peak_items.h"

#include "base/hash_table.h"
#include "base/order.h"
#include "runtime/account/run.h"
#include "runtime/play/track.h"

/* A change, as ts_mark has it. Keys count from when the item began (ts_player.begun), modulo 2^64.
 * A node that takes no time frees what it allocated after that: its release has the allocation's
 * key. */
typedef struct peak_items_mark {
  uint64_t key;
  int64_t bytes;
  int64_t sum, highest; /* up to this one; the largest sum of it and those behind it */
  uint32_t node;
  uint32_t stream;      /* at equal keys the lower one goes first */
  bool frees;
} peak_items_mark;
typedef TS_VEC(peak_items_mark) marks;

/* of a stream in an item: its first and last key */
typedef struct peak_items_span {
  uint64_t begin, end;
  uint32_t stream;
} peak_items_span;

typedef struct bundle { /* what an item changes, in the order of time */
  const peak_items_mark *marks; /* NULL: they are not kept */
  const peak_items_span *spans; /* [span_count] of its streams that have marks */
  uint32_t count, span_count;
  int64_t sum, highest;   /* of all bytes, of the first few, at least one */
  uint64_t begin, end;    /* first and last key */
} bundle;

/* Items of one number change the same, whoever plays them (ts_player.equal_items). */
typedef struct peak_items_known {
  uint64_t equal_item;
  bundle bundle;
} peak_items_known;
typedef struct kind {
  uint64_t ops;
  ts_op_marks marks;
} kind; /* by the address of its ops */
struct ts_peak_memo {
  ts_arena *arena;
  TS_VEC(kind) kinds;
  ts_hash_table kind_table;
  TS_VEC(peak_items_known) items;
  ts_hash_table table; /* of items */
  size_t marks;
};

typedef struct opened { /* an item, some of whose marks may be taken */
  uint32_t item, at;
  const peak_items_mark *marks; /* NULL: none is taken */
  marks own;              /* of an item that nobody repeats */
} opened;

typedef struct peak_items_place {
  uint32_t item, at;
} peak_items_place;

/* What was open, and held, when `next` was about to be opened. */
enum { OPEN_MOST = 8, STAGES = 64 };
typedef struct peak_items_stage {
  uint32_t next, open_count;
  int64_t held;
  peak_items_place open[OPEN_MOST];
} peak_items_stage;

typedef struct peak_items_walk {
  ts_arena *arena;
  ts_peak_memo *memo;
  const ts_memory_input *input;
  const ts_facts *facts;
  const ts_ir *ir;
  const ts_player *w;
  uint32_t items, streams, first_item;
  ts_stream_replay replay;
  ts_op_marks ops;        /* of the player's kind */
  bool *repeated;         /* [items] by others */
  bundle *bundles;        /* [items] of those that repeat no other */
  uint32_t *mark_count;   /* [fragments] of those that the player plays */
  marks passing, aside;   /* of the item at hand; for use by `merge` */
  peak_items_span *passing_spans; /* [streams] likewise */
  uint64_t *last;         /* [streams] key of the last mark so far */
  uint64_t *earliest;     /* [items + 1] key of a mark of this item or of one after it */
  TS_VEC(opened) open;
  uint32_t open_count, next; /* the first item that was not opened */
  TS_VEC(peak_items_place) peak_places; /* open items, when most was held ... */
  uint32_t peak_next;        /* ... and the first one that was not */
  peak_items_stage *stages;  /* [STAGES] the last ones, by `next` */
  uint32_t *latest;       /* [items] of those that repeat this one the last before `next`, plus 1 */
  uint32_t noted;         /* `latest` knows of the items before */
  uint32_t vain;          /* up to here nothing is to be skipped */
} peak_items_walk;

static const bundle *bundle_of(const peak_items_walk *k, uint32_t item)
{
  return &k->bundles[k->w->alike[item]];
}

static uint64_t base_of(const peak_items_walk *k, uint32_t item) { return 2 * k->w->begun[item]; }

/* ---- The marks of an item ---- */

/* The list has room for all of an item. */
static inline void add_mark(marks *list, size_t first, uint32_t stream, uint64_t key,
                            int64_t bytes, uint32_t node, bool frees)
{
  peak_items_mark *m = &list->at[list->count];
  uint64_t before = list->count++ > first ? m[-1].key : key;
  m->key = (int64_t)(key - before) < 0 ? before : key;
  m->bytes = bytes;
  m->node = node;
  m->stream = stream;
  m->frees = frees;
}

static void peak_items_add_node(const peak_items_walk *k, marks *list, size_t first,
                                uint32_t stream, uint32_t node, uint64_t start, uint64_t end)
{
  const ts_memory_effect *effect = &k->input->effects[node];
  if (effect->allocates)
    add_mark(list, first, stream, 2 * start + 1, effect->allocates, node, false);
  if (effect->frees)
    add_mark(list, first, stream, 2 * end, effect->frees, node, true);
}

static void add_op(const peak_items_walk *k, marks *list, size_t first, const ts_play_item *v,
                   const ts_played_op *p)
{
  const ts_fragment_layout *layout = &k->facts->tables->layouts[v->fragment];
  uint32_t first_node = k->ir->fragments[v->fragment].first_node;
  uint64_t begin = k->w->begun[v->index];
  if (p->op->kind != TS_OP_RUN) {
    if (p->op->count)
      peak_items_add_node(k, list, first, p->stream, first_node + layout->order[p->op->first],
                          (p->op->kind == TS_OP_COLLECTIVE ? p->end - p->time : p->ready) - begin,
                          p->end - begin);
    return;
  }
  if (p->end == p->ready + p->time) {
    const ts_strip *strip = &k->ops.strips[p->op - k->w->role->ops];
    const ts_mark *m = k->ops.marks + strip->first;
    for (uint32_t i = 0; i < strip->count; i++, m++)
      add_mark(list, first, p->stream, m->key + 2 * (p->ready - begin), m->bytes, m->node,
               m->frees);
    return;
  }
  for (ts_run_walk run = ts_run_walk_of(p); ts_run_next(k->facts, k->w, p, &run);)
    peak_items_add_node(k, list, first, p->stream, first_node + run.node, run.start - begin,
                        run.end - begin);
}

static bool comes_after(const peak_items_mark *a, const peak_items_mark *b)
{
  return a->key != b->key ? (int64_t)(a->key - b->key) > 0 : a->stream > b->stream;
}

/* Marks from `first` on, those of a stream, go in among those from `begin` on, of others before it.
 */
static void merge(peak_items_walk *k, marks *list, size_t begin, size_t first)
{
  size_t count = list->count - first, others = first, at = list->count;
  if (!count || others == begin || !comes_after(&list->at[first - 1], &list->at[first]))
    return;
  k->aside.count = 0;
  for (size_t i = 0; i < count; i++)
    TS_PUSH(k->arena, &k->aside, list->at[first + i]);
  while (count) {
    const peak_items_mark *last = &k->aside.at[count - 1];
    if (others > begin && comes_after(&list->at[others - 1], last))
      list->at[--at] = list->at[--others];
    else
      list->at[--at] = *last, count--;
  }
}

static void peak_items_sum_up(peak_items_mark *at, size_t count)
{
  for (size_t i = 0; i < count; i++)
    at[i].sum = at[i].bytes + (i ? at[i - 1].sum : 0);
  for (size_t i = count; i-- > 0;)
    at[i].highest =
      i + 1 < count && at[i + 1].highest > at[i].sum ? at[i + 1].highest : at[i].sum;
}

/* Adds the item's marks to the list, in the order of time, and to `spans` those of its streams,
 * unless that is NULL. Returns how many spans there are. */
static uint32_t list_marks(peak_items_walk *k, uint32_t item, marks *list, peak_items_span *spans)
{
  uint32_t count = 0;
  size_t before = list->count;
  for (uint32_t s = 0; s < k->streams; s++) {
    const uint32_t *on = k->input->streams[s] ? ts_item_on(k->w->program, item, s) : NULL;
    size_t first = list->count;
    if (on) {
      k->replay.stream = s;
      ts_stream_enter(&k->replay, on);
      for (ts_played_op p; ts_stream_next(&k->replay, &p);)
        add_op(k, list, first, k->replay.in, &p);
    }
    if (spans && list->count > first)
      spans[count++] = (peak_items_span){list->at[first].key, list->at[list->count - 1].key, s};
    merge(k, list, before, first);
  }
  peak_items_sum_up(list->at + before, list->count - before);
  return count;
}

static bundle bundle_from(const marks *list, const peak_items_span *spans, uint32_t span_count)
{
  bundle b = {.spans = spans, .count = (uint32_t)list->count, .span_count = span_count};
  if (b.count) {
    const peak_items_mark *m = list->at, *last = m + b.count - 1;
    b.sum = last->sum;
    b.highest = m->highest;
    b.begin = m->key;
    b.end = last->key;
  }
  return b;
}

/* False: a stream's mark has a lower key than one of an item before. */
static bool peak_items_follow(const peak_items_walk *k, const bundle *b, uint64_t base)
{
  for (const peak_items_span *s = b->spans, *end = s + b->span_count; s < end; s++) {
    uint64_t *last = &k->last[s->stream];
    if (base + s->begin < *last)
      return false;
    *last = base + s->end;
  }
  return true;
}

static marks room_for(ts_arena *arena, size_t count)
{
  return (marks){ts_arena_alloc_raw(arena, count * sizeof(peak_items_mark)), 0, count};
}

/* Counts the marks of fragments, and makes room for those of any. */
static void peak_items_make_room(peak_items_walk *k)
{
  uint32_t *count = TS_NEW_ARRAY(k->arena, uint32_t, k->ir->fragments_count);
  size_t most = 0;
  k->mark_count = count;
  for (uint32_t i = 0; i < k->items; i++) {
    uint32_t f = k->w->program->items[i].fragment;
    if (k->w->alike[i] != i)
      continue;
    const ts_memory_effect *at = k->input->effects + k->ir->fragments[f].first_node;
    uint32_t nodes = k->ir->fragments[f].node_count;
    for (uint32_t n = count[f] ? nodes : 0; n < nodes; n++)
      count[f] += (at[n].allocates != 0) + (at[n].frees != 0);
    most = count[f] > most ? count[f] : most;
  }
  k->passing = room_for(k->arena, most);
  k->aside = room_for(k->arena, most);
}

/* ---- What is known of an item from others ---- */

ts_peak_memo *ts_peak_memo_new(ts_arena *arena)
{
  ts_peak_memo *memo = TS_NEW(arena, ts_peak_memo);
  memo->arena = arena;
  return memo;
}

ts_op_marks ts_peak_ops(ts_peak_memo *memo, const ts_memory_input *input, const ts_role *role)
{
  uint64_t ops = (uintptr_t)role->ops;
  uint32_t found = ts_hash_find_key(&memo->kind_table, ops, memo->kinds.at, sizeof *memo->kinds.at);
  if (found == TS_HASH_NONE) {
    found = (uint32_t)memo->kinds.count;
    ts_hash_add(memo->arena, &memo->kind_table, ts_hash_number(ops), found);
    TS_PUSH(memo->arena, &memo->kinds,
            ((kind){ops, ts_op_marks_of(memo->arena, ts_run_facts(input->run)->tables, role,
                                        input->effects, input->streams)}));
  }
  return memo->kinds.at[found].marks;
}

/* Lists what an item changes and keeps it: for all players while that is not much, else for this
 * one. */
static bundle peak_items_keep(peak_items_walk *k, uint32_t item)
{
  enum { MOST = 1 << 18 };
  uint32_t count = k->mark_count[k->w->program->items[item].fragment];
  bool shared = k->memo->marks + count <= MOST;
  ts_arena *arena = shared ? k->memo->arena : k->arena;
  marks list = room_for(arena, count);
  peak_items_span *spans = ts_arena_alloc_raw(arena, k->streams * sizeof *spans);
  bundle b = bundle_from(&list, spans, list_marks(k, item, &list, spans));
  b.marks = list.at;
  if (shared) {
    uint64_t equal_item = k->w->equal_items[item];
    k->memo->marks += count;
    ts_hash_add(arena, &k->memo->table, ts_hash_number(equal_item), (uint32_t)k->memo->items.count);
    TS_PUSH(arena, &k->memo->items, ((peak_items_known){equal_item, b}));
  }
  return b;
}

/* Of an item that repeats none. */
static bundle find_bundle(peak_items_walk *k, uint32_t item)
{
  enum { MOST = 1 << 16 };
  uint64_t equal_item = k->w->equal_items[item];
  uint32_t found =
    ts_hash_find_key(&k->memo->table, equal_item, k->memo->items.at, sizeof *k->memo->items.at);
  if (found != TS_HASH_NONE)
    return k->memo->items.at[found].bundle;
  if (k->repeated[item] || k->memo->marks <= MOST)
    return peak_items_keep(k, item);
  k->passing.count = 0;
  uint32_t spans = list_marks(k, item, &k->passing, k->passing_spans);
  return bundle_from(&k->passing, k->passing_spans, spans);
}

/* Each item that repeats none. False: see `follow`. */
static bool make_bundles(peak_items_walk *k)
{
  k->last = TS_NEW_ARRAY(k->arena, uint64_t, k->streams);
  k->passing_spans = TS_NEW_ARRAY(k->arena, peak_items_span, k->streams);
  for (uint32_t i = 0; i < k->items; i++)
    k->repeated[k->w->alike[i]] |= k->w->alike[i] != i;
  peak_items_make_room(k);
  for (uint32_t i = 0; i < k->items; i++) {
    if (k->w->alike[i] == i)
      k->bundles[i] = find_bundle(k, i);
    if (!peak_items_follow(k, bundle_of(k, i), base_of(k, i)))
      return false;
  }
  return true;
}

/* ---- The walk ---- */

static void find_earliest(peak_items_walk *k)
{
  k->earliest = ts_arena_alloc_raw(k->arena, ((size_t)k->items + 1) * sizeof *k->earliest);
  k->earliest[k->items] = UINT64_MAX;
  for (uint32_t i = k->items; i-- > 0;) {
    const bundle *b = bundle_of(k, i);
    uint64_t own = b->count ? base_of(k, i) + b->begin : UINT64_MAX, rest = k->earliest[i + 1];
    k->earliest[i] = own < rest ? own : rest;
  }
}

static const peak_items_mark *marks_of(peak_items_walk *k, opened *o)
{
  if (o->marks)
    return o->marks;
  if (bundle_of(k, o->item)->marks)
    return o->marks = bundle_of(k, o->item)->marks;
  uint32_t count = bundle_of(k, o->item)->count;
  if (o->own.room < count)
    o->own = room_for(k->arena, 2 * (size_t)count);
  o->own.count = 0;
  list_marks(k, o->item, &o->own, NULL);
  return o->marks = o->own.at;
}

static uint64_t peak_items_key_of(peak_items_walk *k, opened *o)
{
  return base_of(k, o->item) + (o->at ? o->marks[o->at].key : bundle_of(k, o->item)->begin);
}

static void open_next(peak_items_walk *k)
{
  uint32_t item = k->next++;
  if (!bundle_of(k, item)->count)
    return;
  if (k->open_count == k->open.count)
    TS_PUSH(k->arena, &k->open, (opened){0});
  opened *o = &k->open.at[k->open_count++];
  o->item = item;
  o->at = 0;
  o->marks = NULL;
}

static void close_item(peak_items_walk *k, opened *o)
{
  opened last = k->open.at[--k->open_count];
  k->open.at[k->open_count] = *o; /* its list serves the next one */
  *o = last;
}

static bool goes_before(peak_items_walk *k, opened *a, uint64_t key_a, opened *b, uint64_t key_b)
{
  if (key_a != key_b)
    return key_a < key_b;
  const peak_items_mark *x = &marks_of(k, a)[a->at], *y = &marks_of(k, b)[b->at];
  return x->stream != y->stream ? x->stream < y->stream : a->item < b->item;
}

/* The open item with the earliest mark, and the key before which its marks come before all others'.
 * NULL: none is left. */
static opened *earliest(peak_items_walk *k, uint64_t *limit)
{
  opened *first;
  uint64_t key;
  do {
    first = NULL;
    key = *limit = UINT64_MAX;
    for (uint32_t i = 0; i < k->open_count; i++) {
      opened *o = &k->open.at[i];
      uint64_t own = peak_items_key_of(k, o);
      if (!first || goes_before(k, o, own, first, key)) {
        *limit = key;
        first = o;
        key = own;
      } else if (own < *limit) {
        *limit = own;
      }
    }
    if (k->next == k->items || (first && key < k->earliest[k->next]))
      break;
    open_next(k);
  } while (true);
  *limit = k->earliest[k->next] < *limit ? k->earliest[k->next] : *limit;
  return first;
}

static ts_memory_moment moment_of(const peak_items_walk *k, const opened *o,
                                  const peak_items_mark *m, int64_t before)
{
  return (ts_memory_moment){(base_of(k, o->item) + m->key) / 2, &k->ir->nodes[m->node],
                            k->first_item + o->item, (uint64_t)m->bytes,
                            before > 0 ? (uint64_t)before : 0};
}

static void note_places(peak_items_walk *k)
{
  k->peak_places.count = 0;
  k->peak_next = k->next;
  for (uint32_t i = 0; i < k->open_count; i++)
    TS_PUSH(k->arena, &k->peak_places, (peak_items_place){k->open.at[i].item, k->open.at[i].at});
}

/* The first of the item's marks behind `at` that does not come before the key. */
static uint32_t marks_before(const peak_items_mark *m, uint32_t at, uint32_t count, uint64_t base,
                             uint64_t key)
{
  uint32_t low;
  TS_SEARCH(low, at + 1, count, base + m[low].key < key);
  return low;
}

/* Takes the item's next mark, and others that come before `limit`. */
static int64_t peak_items_take(peak_items_walk *k, opened *o, uint64_t limit, int64_t held,
                               int64_t room, ts_memory_peak *peak)
{
  const peak_items_mark *m = marks_of(k, o), *highest = NULL;
  uint32_t i = o->at, count = bundle_of(k, o->item)->count;
  uint64_t base = base_of(k, o->item);
  int64_t before = i ? m[i - 1].sum : 0;
  if (held + m[i].highest - before <= peak->bytes) {
    o->at = marks_before(m, i, count, base, limit);
    return held + m[o->at - 1].sum - before;
  }
  do {
    held += m[i].bytes;
    if (held > peak->bytes) {
      peak->bytes = held;
      highest = &m[i];
      if (!peak->over && held > room) {
        peak->over = true;
        peak->first_over = moment_of(k, o, highest, held - highest->bytes);
      }
    }
    i++;
  } while (i < count && base + m[i].key < limit);
  if (highest) {
    peak->at = moment_of(k, o, highest, peak->bytes - highest->bytes);
    o->at = (uint32_t)(highest - m) + 1;
    note_places(k);
  }
  o->at = i;
  return held;
}

/* ---- Periods ---- */

/* In the steady state items follow each other as those a few before did: when the same parts of the
 * same items are open as were P items ago, all that happens until the next P items are opened is
 * what happened before, moved in time, and with another amount held. */

/* The item and the one `period` later are alike, and lie as far from those after them; `by`: keys
 * between them. */
static bool returns(const peak_items_walk *k, uint32_t item, uint32_t period, uint64_t by)
{
  uint32_t later = item + period;
  return k->w->alike[item] == k->w->alike[later] && base_of(k, later) - base_of(k, item) == by &&
         k->earliest[later] - k->earliest[item] == by;
}

static bool stands_as(const peak_items_walk *k, const peak_items_stage *before, uint32_t period,
                      uint64_t by)
{
  if (before->next + period != k->next || before->open_count != k->open_count)
    return false;
  for (uint32_t i = 0; i < k->open_count; i++) {
    const peak_items_place *was = &before->open[i];
    const opened *is = &k->open.at[i];
    if (was->item + period != is->item || was->at != is->at ||
        k->w->alike[was->item] != k->w->alike[is->item] ||
        base_of(k, is->item) - base_of(k, was->item) != by)
      return false;
  }
  return true;
}

static void note_items(peak_items_walk *k)
{
  for (; k->noted < k->next; k->noted++)
    k->latest[k->w->alike[k->noted]] = k->noted + 1;
}

/* Goes on by `count` periods. */
static void go_on(peak_items_walk *k, uint32_t count, uint32_t period)
{
  for (uint32_t i = 0; i < k->open_count; i++)
    k->open.at[i].item += count * period;
  k->next += count * period;
  k->noted = k->next - period; /* all classes that were passed are in the last period */
}

/* Before the next item is opened. What is held after the periods that are skipped; none of them
 * reaches more than the peak. */
static int64_t skip(peak_items_walk *k, int64_t held, int64_t room, const ts_memory_peak *peak)
{
  note_items(k);
  uint32_t next = k->next, last = next < k->items ? k->latest[k->w->alike[next]] : 0,
           period = last ? next - (last - 1) : 0;
  peak_items_stage *here = &k->stages[next % STAGES];
  const peak_items_stage *before =
    period && period < STAGES ? &k->stages[(next - period) % STAGES] : NULL;
  uint64_t by = before ? base_of(k, next) - base_of(k, next - period) : 0;
  if (before && next >= k->vain && stands_as(k, before, period, by)) {
    uint32_t i = next - period;
    while (i + period < k->items && returns(k, i, period, by))
      i++;
    int64_t more = held - before->held;
    uint32_t count = (i - (next - period)) ? (i - (next - period) - 1) / period : 0;
    if (more > 0 && count)
      count--; /* the last one has more than all others before it */
    if (more > 0 && !peak->over && (room - peak->bytes) / more < count)
      count = 0;
    k->vain = i;
    if (count) {
      go_on(k, count, period);
      return held + (int64_t)count * more;
    }
  }
  if (k->open_count <= OPEN_MOST) {
    *here = (peak_items_stage){.next = next, .open_count = k->open_count, .held = held};
    for (uint32_t i = 0; i < k->open_count; i++)
      here->open[i] = (peak_items_place){k->open.at[i].item, k->open.at[i].at};
  }
  return held;
}

/* ---- How often each node had changed something at the peak ---- */

static const uint32_t *times_at_peak(peak_items_walk *k)
{
  uint32_t *times = TS_NEW_ARRAY(k->arena, uint32_t, 2 * (size_t)k->ir->nodes_count),
           *plays = TS_NEW_ARRAY(k->arena, uint32_t, k->ir->fragments_count);
  for (uint32_t i = 0; i < k->peak_next; i++)
    plays[k->w->program->items[i].fragment]++;
  for (size_t i = 0; i < k->peak_places.count; i++)
    plays[k->w->program->items[k->peak_places.at[i].item].fragment]--;
  for (uint32_t f = 0; f < k->ir->fragments_count; f++) {
    const ts_ir_fragment *fragment = &k->ir->fragments[f];
    for (uint32_t n = fragment->first_node;
         plays[f] && n < fragment->first_node + fragment->node_count; n++) {
      times[2 * n] += k->input->effects[n].allocates ? plays[f] : 0;
      times[2 * n + 1] += k->input->effects[n].frees ? plays[f] : 0;
    }
  }
  for (size_t i = 0; i < k->peak_places.count; i++) {
    opened o = {.item = k->peak_places.at[i].item};
    const peak_items_mark *m = marks_of(k, &o);
    for (uint32_t j = 0; j < k->peak_places.at[i].at; j++)
      times[2 * m[j].node + m[j].frees]++;
  }
  return times;
}

bool ts_memory_peak_by_items(ts_arena *arena, ts_peak_memo *memo, const ts_memory_input *input,
                             uint32_t class, int64_t held, int64_t room, ts_memory_peak *out)
{
  const ts_facts *facts = ts_run_facts(input->run);
  const ts_ir *ir = facts->tables->ir;
  peak_items_walk k = {.arena = arena,
                       .memo = memo,
                       .input = input,
                       .facts = facts,
                       .ir = ir,
                       .w = &facts->players[class],
                       .streams = facts->tables->streams};
  const ts_ir_program *program = &ir->programs[k.w->role->program];
  if (!k.w->alike || !k.streams || input->streams[k.streams])
    return false;
  k.items = program->item_count;
  k.first_item = program->first_item;
  k.replay = ts_stream_new(arena, facts, class, 0);
  k.ops = ts_peak_ops(memo, input, k.w->role);
  k.repeated = TS_NEW_ARRAY(arena, bool, k.items);
  k.bundles = ts_arena_alloc_raw(arena, k.items * sizeof *k.bundles);
  if (!make_bundles(&k))
    return false;
  find_earliest(&k);
  k.latest = TS_NEW_ARRAY(arena, uint32_t, k.items);
  k.stages = ts_arena_alloc_raw(arena, STAGES * sizeof *k.stages);
  for (uint32_t i = 0; i < STAGES; i++)
    k.stages[i].next = TS_IR_NONE;
  ts_memory_peak peak = {.bytes = held, .over = held > room};
  peak.at = peak.first_over = (ts_memory_moment){.item = TS_IR_NONE, .requested = (uint64_t)held};
  uint64_t limit;
  for (uint32_t next = TS_IR_NONE;;) {
    if (k.next != next) {
      held = skip(&k, held, room, &peak);
      next = k.next;
    }
    opened *o = earliest(&k, &limit);
    if (!o)
      break;
    const bundle *b = bundle_of(&k, o->item);
    if (!o->at && base_of(&k, o->item) + b->end < limit && held + b->highest <= peak.bytes) {
      held += b->sum;
      o->at = b->count;
    } else {
      held = peak_items_take(&k, o, limit, held, room, &peak);
    }
    if (o->at == b->count)
      close_item(&k, o);
  }
  if (peak.at.node)
    peak.times = times_at_peak(&k);
  *out = peak;
  return true;
}
