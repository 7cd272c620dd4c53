#include "runtime/study/steps.h"

#include <string.h>

#include "runtime/account/run.h"
#include "runtime/play/play.h"
#include "runtime/play/track.h"

/* ---- The plan, several times ---- */

/* A fragment in which the host waits for all streams and is busy for `time`. Returns its number. */
static uint32_t add_checkpoint(ts_arena *arena, ts_ir *ir, uint64_t time)
{
  uint32_t streams = ir->streams_count, first = ir->nodes_count;
  ts_ir_node *nodes = TS_NEW_ARRAY(arena, ts_ir_node, first + streams + 2);
  uint32_t *deps = TS_NEW_ARRAY(arena, uint32_t, ir->deps_count + streams);
  ts_ir_fragment *fragments = TS_NEW_ARRAY(arena, ts_ir_fragment, ir->fragments_count + 1);
  memcpy(nodes, ir->nodes, first * sizeof *nodes);
  if (ir->deps_count)
    memcpy(deps, ir->deps, ir->deps_count * sizeof *deps);
  memcpy(fragments, ir->fragments, ir->fragments_count * sizeof *fragments);
  for (uint32_t s = 0; s < streams; s++) {
    nodes[first + s] = (ts_ir_node){.op = TS_IR_RECORD,
                                    .stream = (uint8_t)s,
                                    .phase = TS_IR_PHASE_OTHER,
                                    .loc = TS_IR_NONE,
                                    .rule_loc = TS_IR_NONE};
    deps[ir->deps_count + s] = s;
  }
  nodes[first + streams] = (ts_ir_node){.op = TS_IR_HOST_SYNC,
                                        .phase = TS_IR_PHASE_OTHER,
                                        .first_dep = ir->deps_count,
                                        .dep_count = (uint16_t)streams,
                                        .loc = TS_IR_NONE,
                                        .rule_loc = TS_IR_NONE};
  nodes[first + streams + 1] = (ts_ir_node){.op = TS_IR_HOST_WORK,
                                            .phase = TS_IR_PHASE_OTHER,
                                            .host_ps = time,
                                            .loc = TS_IR_NONE,
                                            .rule_loc = TS_IR_NONE};
  fragments[ir->fragments_count] = (ts_ir_fragment){.first_node = first, .node_count = streams + 2};
  ir->nodes = nodes;
  ir->nodes_count += streams + 2;
  ir->deps = deps;
  ir->deps_count += streams;
  ir->fragments = fragments;
  return ir->fragments_count++;
}

/* Messages of different steps differ by their tags. False: there are too many. */
static bool repeat(ts_arena *arena, ts_ir *ir, uint32_t count, const ts_checkpoint *checkpoint)
{
  uint64_t tags = 0, items = 0, bindings = ir->bindings_count;
  uint32_t saving = checkpoint->every ? add_checkpoint(arena, ir, checkpoint->time) : 0;
  for (uint32_t i = 0; i < ir->bindings_count; i++)
    tags = ir->bindings[i].tag + UINT64_C(1) > tags ? ir->bindings[i].tag + UINT64_C(1) : tags;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    items += (ir->programs[p].item_count + 1) * (uint64_t)count;
  if (tags * count >= TS_IR_NONE || items >= TS_IR_NONE || bindings * count >= TS_IR_NONE)
    return false;
  ts_ir_binding *binding = TS_NEW_ARRAY(arena, ts_ir_binding, bindings * count);
  ts_ir_item *item = TS_NEW_ARRAY(arena, ts_ir_item, items), *next = item;
  ts_ir_program *programs =
    ts_arena_copy(arena, ir->programs, ir->programs_count * sizeof *programs);
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < ir->bindings_count; i++)
      binding[k * bindings + i] =
        (ts_ir_binding){ir->bindings[i].peer, ir->bindings[i].tag + (uint32_t)(k * tags)};
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    uint32_t first = (uint32_t)(next - item);
    for (uint32_t k = 0; k < count; k++) {
      for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
        *next = ir->items[ir->programs[p].first_item + i];
        next++->first_binding += (uint32_t)(k * bindings);
      }
      if (checkpoint->every && (k + 1) % checkpoint->every == 0)
        *next++ = (ts_ir_item){.fragment = saving, .micro_batch = TS_IR_NONE};
    }
    programs[p].first_item = first;
    programs[p].item_count = (uint32_t)(next - item) - first;
  }
  ir->bindings = binding;
  ir->bindings_count = (uint32_t)(bindings * count);
  ir->items = item;
  ir->items_count = (uint32_t)(next - item);
  ir->programs = programs;
  return true;
}

/* ---- When each step ends ---- */

typedef struct clocks { /* of all players: streams, then the host */
  const ts_ir *ir, *one;  /* repeated; a step */
  const ts_checkpoint *checkpoint;
  uint32_t steps, rows, per_player;
  uint64_t *at;           /* [steps * rows] */
} clocks;

/* The step that an item of a program belongs to. */
static uint32_t steps_step_of(const clocks *c, uint32_t program, uint32_t item)
{
  uint64_t each = c->one->programs[program].item_count, every = c->checkpoint->every;
  if (!every)
    return (uint32_t)(item / each);
  uint64_t round = every * each + 1, rest = item % round;
  uint64_t step = rest == round - 1 ? every - 1 : rest / each;
  return (uint32_t)(item / round * every + step);
}

static void read_player(clocks *c, const ts_facts *facts, uint32_t player)
{
  ts_arena *scratch = ts_arena_new("clocks");
  const ts_track *track = ts_track_new(scratch, facts, player);
  const ts_player *w = ts_player_of(track);
  uint32_t program = w->role->program, streams = facts->tables->streams,
           items = c->ir->programs[program].item_count;
  uint64_t *first = c->at + (size_t)player * c->per_player;
  for (uint32_t i = 0; i < track->stream[streams]; i++) {
    const ts_played_op *s = &track->steps[i];
    if (!w->program->late[s->stream]) /* nobody waits for what it brings last */
      first[(size_t)steps_step_of(c, program, s->item) * c->rows + s->stream] = s->end;
  }
  for (uint32_t i = 0; i < items; i++) {
    bool last = i + 1 == items;
    uint64_t host = last ? w->segments[w->program->tail_segment] + w->program->tail :
                           ts_host_base(w, &w->program->items[i + 1], 0);
    first[(size_t)steps_step_of(c, program, i) * c->rows + streams] = host;
  }
  ts_arena_free(scratch);
}

/* Most that a clock moved from step k - 1 to k. */
static uint64_t most_moved(const clocks *c, uint32_t k)
{
  const uint64_t *before = c->at + (size_t)(k - 1) * c->rows, *now = before + c->rows;
  uint64_t most = 0;
  for (uint32_t r = 0; r < c->rows; r++)
    most = now[r] > before[r] && now[r] - before[r] > most ? now[r] - before[r] : most;
  return most;
}

/* Whether the clocks that moved by `by` to step k, which was most, did so again to step k + 1, and
 * the last of all is among them. Counts them. */
static bool lead_on(const clocks *c, uint32_t k, uint64_t by, uint32_t *count)
{
  const uint64_t *before = c->at + (size_t)(k - 1) * c->rows, *now = before + c->rows,
                 *after = now + c->rows;
  uint32_t last = 0;
  *count = 0;
  for (uint32_t r = 0; r < c->rows; r++) {
    last = after[r] > after[last] ? r : last;
    if (now[r] - before[r] != by)
      continue;
    if (after[r] - now[r] != by)
      return false;
    ++*count;
  }
  return by > 0 && now[last] - before[last] == by;
}

static void find_steady(const clocks *c, ts_steps *out)
{
  out->steady_from = out->count;
  for (uint32_t k = 1; k + 1 < c->steps && !c->checkpoint->every && out->steady_from == out->count;
       k++) {
    uint64_t by = most_moved(c, k);
    if (by == most_moved(c, k + 1) && lead_on(c, k, by, &out->clocks)) {
      out->steady_from = k;
      out->steady = by;
    }
  }
  if (out->steady_from < out->count)
    return;
  uint64_t every = c->checkpoint->every, rounds = every ? out->count / every : 0;
  if (rounds > 1) { /* whole rounds, the first left out */
    out->steady = (out->ends[rounds * every - 1] - out->ends[every - 1]) / ((rounds - 1) * every);
    return;
  }
  uint32_t half = out->count / 2;
  out->steady = half ? (out->ends[out->count - 1] - out->ends[half - 1] + (out->count - half) / 2) /
                         (out->count - half) :
                       out->ends[0];
}

const ts_steps *ts_steps_new(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                             uint32_t count, const ts_checkpoint *checkpoint, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("steps");
  ts_ir *many = ts_arena_copy(scratch, ir, sizeof *many);
  const ts_facts *facts = NULL;
  ts_prepared prepared;
  if (!repeat(scratch, many, count, checkpoint)) {
    ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "%u steps of this plan are too many", count);
    ts_stop_help(
      stop,
      "all steps together have at most 4 billion items, messages and tags: simulate fewer steps");
  } else if (ts_run_prepare(scratch, many, options, &prepared, stop)) {
    facts = ts_run_play(scratch, &prepared, options, 0, stop);
  }
  ts_steps *out = NULL;
  if (facts) {
    clocks c = {.ir = many,
                .one = ir,
                .checkpoint = checkpoint,
                .steps = count,
                .per_player = facts->tables->streams + 1};
    c.rows = facts->fold->count * c.per_player;
    c.at = TS_NEW_ARRAY(scratch, uint64_t, (size_t)count * c.rows);
    uint64_t *ends = TS_NEW_ARRAY(arena, uint64_t, count);
    for (uint32_t p = 0; p < facts->fold->count; p++)
      read_player(&c, facts, p);
    for (uint32_t k = 0; k < count; k++)
      for (uint32_t r = 0; r < c.rows; r++)
        ends[k] = c.at[(size_t)k * c.rows + r] > ends[k] ? c.at[(size_t)k * c.rows + r] : ends[k];
    out = TS_NEW(arena, ts_steps);
    *out = (ts_steps){.count = count, .ends = ends};
    find_steady(&c, out);
  }
  ts_arena_free(scratch);
  return out;
}
