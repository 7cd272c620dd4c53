#include "runtime/account/changes.h"

#include "runtime/account/run.h"
#include "runtime/account/timeline.h"
#include "runtime/load/tables.h"

/* Streams work one node after the other, so the changes each of them makes are already in the order
 * of time: taken stream by stream they need no sorting, only merging. A step of a million
 * micro-batches makes billions of them, so only those of items are kept that others repeat. */
typedef struct changes_source { /* of changes: a stream that makes some */
  ts_lane *lane;
  ts_issues *issues;    /* NULL, or all streams in the order of issue */
  uint64_t now;         /* ... and how far the compute stream has come */
  TS_VEC(ts_memory_change) kept;
  ts_range *of;                /* [items] into `kept`; NULL: none is kept */
  ts_range again;              /* those left of the item that is played again, ... */
  ts_lane_repeat repeat;       /* ... and how it is */
  ts_memory_change at[2];      /* of the node at hand: what it allocates, what it frees */
  uint32_t left;        /* of those, the last */
} changes_source;

struct ts_memory_changes {
  ts_arena *arena;
  const ts_ir *ir;
  uint32_t first_item;
  const bool *repeated;            /* [items] by others; NULL: none is */
  const ts_memory_effect *effects; /* [nodes] */
  changes_source *sources;
  uint32_t count;
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

static bool next_node(changes_source *s, ts_span_event *e)
{
  if (!s->issues)
    return ts_lane_next(s->lane, e);
  if (!ts_issues_next(s->issues, e))
    return false;
  if (e->stream == 0)
    s->now = e->end;
  else
    e->start = e->end = s->now;
  return true;
}

static void keep_changes(const ts_memory_changes *c, changes_source *s, uint32_t item)
{
  if (!s->of || !c->repeated[item])
    return;
  if (!s->of[item].count)
    s->of[item].first = (uint32_t)s->kept.count;
  s->of[item].count += s->left;
  for (uint32_t left = s->left; left; left--)
    TS_PUSH(c->arena, &s->kept, s->at[2 - left]);
}

/* The next change of an item that is played again. False: none is left. */
static bool copy_change(changes_source *s)
{
  while (!s->again.count) {
    if (!s->of || !ts_lane_repeats(s->lane, &s->repeat))
      return false;
    s->again = s->of[s->repeat.like];
  }
  ts_memory_change change = s->kept.at[s->again.first++];
  s->again.count--;
  change.time += s->repeat.by;
  change.item += s->repeat.item - s->repeat.like;
  s->at[1 - s->left++] = change;
  return true;
}

/* Goes on to the next node of the stream that changes something. */
static void refill(const ts_memory_changes *c, changes_source *s)
{
  ts_span_event e;
  while (!s->left && !copy_change(s) && next_node(s, &e)) {
    if (!e.node->mem_count)
      continue;
    const ts_memory_effect *effect = &c->effects[e.node - c->ir->nodes];
    if (effect->frees)
      s->at[1 - s->left++] = (ts_memory_change){e.end, e.node, e.item, true};
    if (effect->allocates)
      s->at[1 - s->left++] = (ts_memory_change){e.start, e.node, e.item, false};
    keep_changes(c, s, e.item - c->first_item);
  }
}

/* The changes of streams in which items repeat others are kept. */
static const bool *find_repeated(ts_arena *arena, const ts_player *w, uint32_t items)
{
  bool *repeated = w->alike ? TS_NEW_ARRAY(arena, bool, items) : NULL;
  for (uint32_t i = 0; w->alike && i < items; i++)
    repeated[w->alike[i]] |= w->alike[i] != i;
  return repeated;
}

ts_memory_input ts_memory_input_of(ts_arena *arena, const ts_ir *ir, const ts_run *run)
{
  return (ts_memory_input){run, ts_memory_effects(arena, ir), memory_streams(arena, ir)};
}

ts_memory_changes *ts_memory_changes_new(ts_arena *arena, const ts_memory_input *input,
                                         uint32_t rank)
{
  const ts_run *run = input->run;
  const ts_ir *ir = ts_run_facts(run)->tables->ir;
  ts_memory_changes *c = TS_NEW(arena, ts_memory_changes);
  const ts_player *w = &ts_run_facts(run)->players[ts_run_result(run)->class_of[rank]];
  const ts_ir_program *program = &ir->programs[w->role->program];
  *c = (ts_memory_changes){.arena = arena,
                           .ir = ir,
                           .first_item = program->first_item,
                           .effects = input->effects,
                           .sources = TS_NEW_ARRAY(arena, changes_source, ir->streams_count + 1)};
  if (ts_memory_issued(run, ts_run_result(run)->class_of[rank])) {
    c->sources[c->count].issues = ts_issues_new(arena, run, rank);
    refill(c, &c->sources[c->count++]);
    return c;
  }
  c->repeated = find_repeated(arena, w, program->item_count);
  for (uint32_t s = 0; s <= ir->streams_count; s++) {
    if (!input->streams[s])
      continue;
    if (c->repeated && s < ir->streams_count)
      c->sources[c->count].of = TS_NEW_ARRAY(arena, ts_range, program->item_count);
    c->sources[c->count].lane =
      ts_lane_new(arena, run, rank, s < ir->streams_count ? s : TS_IR_NONE);
    refill(c, &c->sources[c->count++]);
  }
  return c;
}

bool ts_memory_changes_next(ts_memory_changes *c, ts_memory_change *out)
{
  changes_source *from = NULL;
  for (uint32_t s = 0; s < c->count; s++) {
    changes_source *at = &c->sources[s];
    if (!at->left)
      continue;
    const ts_memory_change *head = &at->at[2 - at->left];
    if (!from || head->time < out->time ||
        (head->time == out->time && head->frees && !out->frees)) {
      *out = *head;
      from = at;
    }
  }
  if (!from)
    return false;
  from->left--;
  refill(c, from);
  return true;
}
