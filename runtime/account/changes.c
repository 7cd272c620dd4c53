#include "runtime/account/changes.h"

#include "runtime/account/op_marks.h"
#include "runtime/account/run.h"
#include "runtime/account/timeline.h"
#include "runtime/load/tables.h"
#include "runtime/play/track.h"

/* Streams work one node after the other, so the changes each of them makes are already in the order
 * of time: taken stream by stream they need no sorting, only merging. A stream goes on by
 * operations (runtime/play/roles.h). Kernels of a run that none waits in between change something
 * at moments known from the run's start. Operations that change nothing are passed over. */
typedef struct changes_source { /* of changes: a stream that makes some */
  ts_stream_replay replay;      /* of a stream, or ... */
  ts_issues *issues;            /* ... all nodes in their order: those of the host, or ... */
  bool all;                     /* ... all, when they are issued ... */
  uint64_t now;                 /* ... and how far the compute stream has come by then */
  const ts_play_item *item;     /* at hand; NULL: it is at its end */
  const ts_mark *marks;         /* of what is at hand */
  uint64_t base;                /* of their keys */
  uint32_t at, count;           /* the next of them */
  ts_mark *own;                 /* [most marks of an op] */
} changes_source;

/* Items [from, to) are played like those `count` before them, `time` later. */
typedef struct changes_rounds {
  uint32_t from, to, count;
  uint64_t time;
} changes_rounds;

struct ts_memory_changes {
  const ts_ir *ir;
  const ts_facts *facts;
  const ts_player *w;
  const ts_memory_effect *effects; /* [nodes] */
  ts_op_marks ops;
  uint32_t first_item;
  changes_source *sources;
  uint64_t *keys; /* [count] of the next change of each; UINT64_MAX: none is left */
  uint32_t count;
  uint32_t first; /* whose changes come before all others' ... */
  uint64_t limit; /* ... while their keys are lower than this */
  changes_rounds rounds; /* count 0: there are none */
};

const ts_memory_effect *ts_memory_effects(ts_arena *arena, const ts_ir *ir)
{
  ts_memory_effect *effects = TS_NEW_ARRAY(arena, ts_memory_effect, ir->nodes_count);
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    for (uint32_t m = 0; m < ir->nodes[n].mem_count; m++) {
      int64_t bytes = ir->mems[ir->nodes[n].first_mem + m].bytes;
      *(bytes > 0 ? &effects[n].allocates : &effects[n].frees) += bytes;
    }
  return effects;
}

static const bool *memory_streams(ts_arena *arena, const ts_ir *ir)
{
  bool *found = TS_NEW_ARRAY(arena, bool, ir->streams_count + 1);
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    if (ir->nodes[n].mem_count)
      found[ts_is_host(&ir->nodes[n]) ? ir->streams_count : ir->nodes[n].stream] = true;
  return found;
}

bool ts_memory_issued(const ts_run *run, uint32_t class)
{
  const ts_ir *ir = ts_run_facts(run)->tables->ir;
  return ir->programs[ts_run_result(run)->classes[class].program].memory_order ==
         TS_IR_MEMORY_ISSUED;
}

/* Marks of a node that began and ended at these moments. */
static void take_node(const ts_memory_changes *c, changes_source *s, uint32_t node, uint64_t start,
                      uint64_t end)
{
  const ts_memory_effect *effect = &c->effects[node];
  if (effect->allocates)
    s->own[s->count++] = (ts_mark){2 * start + 1, effect->allocates, node, false};
  if (effect->frees)
    s->own[s->count++] = (ts_mark){2 * end, effect->frees, node, true};
}

/* A run in which kernels wait for the host, or take another time than usual. */
static void take_kernels(const ts_memory_changes *c, changes_source *s, const ts_played_op *p)
{
  uint32_t first_node = c->ir->fragments[s->item->fragment].first_node;
  for (ts_run_walk k = ts_run_walk_of(p); ts_run_next(c->facts, c->w, p, &k);)
    take_node(c, s, first_node + k.node, k.start, k.end);
}

static void take_op(const ts_memory_changes *c, changes_source *s, const ts_played_op *p)
{
  const ts_strip *strip = &c->ops.strips[p->op - c->w->role->ops];
  s->at = s->count = 0;
  if (!strip->count)
    return;
  if (p->op->kind == TS_OP_RUN && p->end == p->ready + p->time && p->time == p->op->time) {
    s->marks = c->ops.marks + strip->first;
    s->count = strip->count;
    s->base = 2 * p->ready;
    return;
  }
  s->marks = s->own;
  s->base = 0;
  if (p->op->kind == TS_OP_RUN)
    take_kernels(c, s, p);
  else
    take_node(c, s, c->ops.marks[strip->first].node,
              p->op->kind == TS_OP_COLLECTIVE ? p->end - p->time : p->ready, p->end);
}

/* Goes on to the next op that changes something, if there is one. */
static void refill_stream(const ts_memory_changes *c, changes_source *s)
{
  ts_played_op p;
  do {
    while (ts_stream_next(&s->replay, &p)) {
      take_op(c, s, &p);
      if (s->count)
        return;
    }
  } while ((s->item = ts_stream_item(&s->replay)));
}

/* Goes on to the next node that changes something, in the order of issue. */
static void refill_issues(const ts_memory_changes *c, changes_source *s)
{
  ts_span_event e;
  s->at = s->count = 0;
  while (!s->count && ts_issues_next(s->issues, &e)) {
    if (s->all && e.stream == 0)
      s->now = e.end;
    else if (s->all)
      e.start = e.end = s->now;
    s->item = c->w->program->items + (e.item - c->first_item);
    if (s->all || e.stream == TS_IR_NONE)
      take_node(c, s, (uint32_t)(e.node - c->ir->nodes), e.start, e.end);
  }
}

static void refill(ts_memory_changes *c, uint32_t source)
{
  changes_source *s = &c->sources[source];
  if (s->at == s->count && s->issues)
    refill_issues(c, s);
  else if (s->at == s->count)
    refill_stream(c, s);
  c->keys[source] = s->at < s->count ? s->base + s->marks[s->at].key : UINT64_MAX;
}

ts_memory_input ts_memory_input_of(ts_arena *arena, const ts_ir *ir, const ts_run *run)
{
  return (ts_memory_input){run, ts_memory_effects(arena, ir), memory_streams(arena, ir)};
}

static void add_source(ts_arena *arena, ts_memory_changes *c, changes_source source)
{
  source.marks = source.own = TS_NEW_ARRAY(arena, ts_mark, c->ops.most);
  c->sources[c->count] = source;
  refill(c, c->count++);
}

static bool changes_follow(const ts_player *w, uint32_t item, const changes_rounds *r)
{
  return w->alike[item] == w->alike[item - r->count] &&
         w->begun[item] - w->begun[item - r->count] == r->time;
}

static bool holds_as_before(const ts_memory_changes *c, const changes_rounds *r)
{
  int64_t sum = 0;
  for (uint32_t i = r->from; i < r->from + r->count; i++) {
    const ts_ir_fragment *f = &c->ir->fragments[c->w->program->items[i].fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
      sum += c->effects[n].allocates + c->effects[n].frees;
  }
  return !sum;
}

/* The shortest rounds around the item in the middle that are many, else those that last longest. */
static changes_rounds find_rounds(const ts_memory_changes *c)
{
  enum { MOST = 256 };
  const ts_player *w = c->w;
  uint32_t items = c->ir->programs[w->role->program].item_count, middle = items / 2;
  changes_rounds best = {0};
  for (uint32_t count = 1;
       w->alike && count <= middle && count <= MOST && best.to - best.from < items / 4; count++) {
    changes_rounds r = {middle, middle, count, w->begun[middle] - w->begun[middle - count]};
    for (; r.to < items && changes_follow(w, r.to, &r); r.to++)
      ;
    for (; r.from > count && changes_follow(w, r.from - 1, &r); r.from--)
      ;
    if (r.to - r.from > best.to - best.from && r.to >= r.from + count && r.time &&
        holds_as_before(c, &r))
      best = r;
  }
  return best;
}

ts_memory_changes *ts_memory_changes_new(ts_arena *arena, const ts_memory_input *input,
                                         uint32_t class, const ts_op_marks *ops)
{
  const ts_run *run = input->run;
  const ts_facts *facts = ts_run_facts(run);
  const ts_ir *ir = facts->tables->ir;
  const ts_player *w = &facts->players[class];
  uint32_t streams = facts->tables->streams;
  ts_memory_changes *c = TS_NEW(arena, ts_memory_changes);
  *c = (ts_memory_changes){.ir = ir,
                           .facts = facts,
                           .w = w,
                           .effects = input->effects,
                           .ops.most = 2,
                           .first_item = ir->programs[w->role->program].first_item,
                           .sources = TS_NEW_ARRAY(arena, changes_source, streams + 1),
                           .keys = TS_NEW_ARRAY(arena, uint64_t, streams + 1)};
  if (ts_memory_issued(run, class)) {
    add_source(arena, c,
               (changes_source){.issues = ts_issues_new(arena, run, w->rank), .all = true});
    return c;
  }
  c->ops =
    ops ? *ops : ts_op_marks_of(arena, facts->tables, w->role, input->effects, input->streams);
  for (uint32_t s = 0; s < streams; s++)
    if (input->streams[s])
      add_source(arena, c, (changes_source){.replay = ts_stream_new(arena, facts, class, s)});
  if (input->streams[streams])
    add_source(arena, c, (changes_source){.issues = ts_issues_new(arena, run, w->rank)});
  else
    c->rounds = find_rounds(c);
  return c;
}

/* Finds the source with the earliest change, of equal ones the first. */
static void find_first(ts_memory_changes *c)
{
  c->first = 0;
  c->limit = UINT64_MAX;
  for (uint32_t i = 1; i < c->count; i++) {
    uint64_t key = c->keys[i];
    if (key < c->keys[c->first]) {
      c->limit = c->keys[c->first]; /* of an earlier source, which goes first at the same key */
      c->first = i;
    } else if (key < c->limit) {
      c->limit = key + 1;
    }
  }
}

static inline bool any_left(ts_memory_changes *c)
{
  if (c->count && c->keys[c->first] >= c->limit)
    find_first(c);
  return c->count && c->keys[c->first] != UINT64_MAX;
}

bool ts_memory_changes_next(ts_memory_changes *c, ts_memory_change *out)
{
  if (!any_left(c))
    return false;
  changes_source *s = &c->sources[c->first];
  const ts_mark *m = &s->marks[s->at++];
  *out = (ts_memory_change){c->keys[c->first] / 2, &c->ir->nodes[m->node], m->bytes,
                            c->first_item + s->item->index, m->frees};
  refill(c, c->first);
  return true;
}

static bool in_rounds(const ts_memory_changes *c, uint32_t source)
{
  uint32_t item = c->keys[source] == UINT64_MAX ? 0 : c->sources[source].item->index;
  return c->rounds.from <= item && item < c->rounds.to;
}

uint64_t ts_memory_changes_steady(ts_memory_changes *c, uint64_t *time)
{
  uint64_t rounds = c->rounds.count && any_left(c) && in_rounds(c, c->first) ? UINT64_MAX : 0;
  *time = c->rounds.time;
  for (uint32_t s = 0; s < c->count && rounds; s++) {
    const changes_source *at = &c->sources[s];
    uint64_t most = in_rounds(c, s) ? (c->rounds.to - 1 - at->item->index) / c->rounds.count :
                    c->keys[s] == UINT64_MAX ? UINT64_MAX :
                    at->item->index < c->rounds.from ?
                                               0 :
                                               (c->keys[s] - c->keys[c->first]) / (2 * *time);
    rounds = most < rounds ? most : rounds;
  }
  return rounds;
}

void ts_memory_changes_pass(ts_memory_changes *c, uint64_t rounds)
{
  for (uint32_t s = 0; s < c->count; s++) {
    changes_source *at = &c->sources[s];
    if (!in_rounds(c, s))
      continue;
    ts_stream_pass(&at->replay, (uint32_t)rounds * c->rounds.count, rounds * c->rounds.time);
    at->item = at->replay.in;
    at->base += 2 * rounds * c->rounds.time;
    c->keys[s] += 2 * rounds * c->rounds.time;
  }
  find_first(c);
}
