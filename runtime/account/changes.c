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
  const ts_fragment_layout *layout = &c->facts->tables->layouts[s->item->fragment];
  uint32_t first_node = c->ir->fragments[s->item->fragment].first_node;
  uint64_t time = p->ready;
  for (uint32_t i = p->op->first; i < p->op->first + p->op->count; i++) {
    uint32_t n = layout->order[i];
    uint64_t issued = s->replay.host + layout->nodes[n].issue;
    uint64_t start = issued > time ? issued : time;
    time = start + ts_took(c->w, c->facts->tables, s->item->index, n,
                           ts_kernel_time(c->w->role, &c->ir->nodes[first_node + n]));
    take_node(c, s, first_node + n, start, time);
  }
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

bool ts_memory_changes_next(ts_memory_changes *c, ts_memory_change *out)
{
  if (c->count && c->keys[c->first] >= c->limit)
    find_first(c);
  if (!c->count || c->keys[c->first] == UINT64_MAX)
    return false;
  changes_source *s = &c->sources[c->first];
  const ts_mark *m = &s->marks[s->at++];
  *out = (ts_memory_change){c->keys[c->first] / 2, &c->ir->nodes[m->node], m->bytes,
                            c->first_item + s->item->index, m->frees};
  refill(c, c->first);
  return true;
}
