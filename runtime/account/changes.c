#include "runtime/account/changes.h"

#include "runtime/account/run.h"
#include "runtime/account/timeline.h"
#include "runtime/load/tables.h"

/* Streams work one node after the other, so the changes each of them makes are already in the order
 * of time: taken stream by stream they need no sorting, only merging. None is kept: a step of a
 * million micro-batches makes billions. */
typedef struct changes_source { /* of changes: a stream that makes some */
  ts_lane *lane;
  ts_issues *issues;    /* NULL, or all streams in the order of issue */
  uint64_t now;         /* ... and how far the compute stream has come */
  ts_memory_change at[2];      /* of the node at hand: what it allocates, what it frees */
  uint32_t left;        /* of those, the last */
} changes_source;

struct ts_memory_changes {
  const ts_ir *ir;
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

/* Goes on to the next node of the stream that changes something. */
static void refill(const ts_memory_changes *c, changes_source *s)
{
  ts_span_event e;
  while (!s->left && next_node(s, &e)) {
    if (!e.node->mem_count)
      continue;
    const ts_memory_effect *effect = &c->effects[e.node - c->ir->nodes];
    if (effect->frees)
      s->at[1 - s->left++] = (ts_memory_change){e.end, e.node, e.item, true};
    if (effect->allocates)
      s->at[1 - s->left++] = (ts_memory_change){e.start, e.node, e.item, false};
  }
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
  *c = (ts_memory_changes){ir, input->effects,
                           TS_NEW_ARRAY(arena, changes_source, ir->streams_count + 1), 0};
  if (ts_memory_issued(run, ts_run_result(run)->class_of[rank])) {
    c->sources[c->count].issues = ts_issues_new(arena, run, rank);
    refill(c, &c->sources[c->count++]);
    return c;
  }
  for (uint32_t s = 0; s <= ir->streams_count; s++) {
    if (!input->streams[s])
      continue;
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
