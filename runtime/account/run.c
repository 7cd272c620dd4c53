/* A run: what was played, summed up. */
#include "runtime/account/run.h"

#include <string.h>

#include "base/heap.h"
#include "runtime/account/representatives.h"
#include "runtime/account/compose.h"
#include "runtime/account/link_use.h"
#include "runtime/account/network_use.h"
#include "runtime/account/rounds.h"
#include "runtime/load/workers.h"
#include "runtime/play/overlap_pairs.h"
#include "runtime/play/play.h"
#include "runtime/play/slowdown.h"

struct ts_run {
  ts_arena *arena;
  const ts_facts *facts;
  const uint32_t *representative; /* [players] */
  uint32_t threads;
  ts_prepared prepared;
  ts_result result;
  ts_critical_parts *critical; /* NULL: nobody has asked */
};

typedef struct composing {
  const ts_composer *composer;
  const uint32_t *players;    /* that are like none before */
  ts_class_result *classes;
  ts_arena **results, **scratch; /* [workers] */
  ts_compose_memo **memos;    /* [workers] */
} composing;

static void compose(void *closure, uint32_t piece, uint32_t worker)
{
  composing *c = closure;
  uint32_t player = c->players[piece];
  ts_arena_reset(c->scratch[worker]);
  ts_compose(c->composer, c->memos[worker], c->results[worker], c->scratch[worker], player, NULL,
             &c->classes[player]);
}

static bool compose_all(ts_arena *arena, const ts_facts *facts, const uint32_t *representative,
                        uint32_t threads, ts_class_result *classes)
{
  const ts_fold *fold = facts->fold;
  ts_arena *shared = ts_arena_new("composer");
  uint32_t *players = TS_NEW_ARRAY(shared, uint32_t, fold->count), count = 0;
  for (uint32_t p = 0; p < fold->count; p++)
    if (representative[p] == p)
      players[count++] = p;
  uint32_t workers = ts_workers_size(threads, count);
  composing c = {ts_composer_new(shared, facts), players, classes,
                 TS_NEW_ARRAY(shared, ts_arena *, workers),
                 TS_NEW_ARRAY(shared, ts_arena *, workers),
                 TS_NEW_ARRAY(shared, ts_compose_memo *, workers)};
  for (uint32_t w = 0; w < workers; w++) {
    c.results[w] = ts_arena_new("results");
    c.scratch[w] = ts_arena_new("composition");
    c.memos[w] = ts_compose_memo_new(ts_arena_inside(shared, "items of players"));
  }
  bool done = ts_workers_run(
    workers, &(ts_workers_job){count, compose, &c, facts->tables->progress, "summing up"});
  for (uint32_t p = 0; p < fold->count; p++) {
    classes[p] = classes[representative[p]];
    classes[p].rank = fold->rank[p];
    classes[p].count = fold->size[p];
  }
  for (uint32_t w = 0; w < workers; w++) {
    ts_arena_adopt(arena, c.results[w]);
    ts_arena_free(c.scratch[w]);
  }
  ts_arena_free(shared);
  return done;
}

static uint64_t nodes_of(const ts_facts *facts, const ts_player *w)
{
  const ts_ir_left_out *left = facts->tables->ir->left_out;
  if (!left)
    return w->program->node_count;
  const ts_ir_round *round = &left->of[w->role->program];
  uint64_t nodes = 0;
  for (uint32_t i = round->first; i < round->first + round->count; i++)
    nodes += facts->tables->ir->fragments[w->program->items[i].fragment].node_count;
  return w->program->node_count + left->rounds * nodes;
}

/* False: it was to stop. */
static bool run_sum_up(ts_arena *arena, const ts_facts *facts, const uint32_t *representative,
                       uint32_t threads, ts_result *out)
{
  const ts_fold *fold = facts->fold;
  ts_class_result *classes = TS_NEW_ARRAY(arena, ts_class_result, fold->count);
  uint32_t last = 0;
  ts_heap_doing("summing up");
  if (!compose_all(arena, facts, representative, threads, classes))
    return false;
  for (uint32_t c = 0; c < fold->count; c++) {
    if (classes[c].end > classes[last].end)
      last = c;
    const ts_player *w = &facts->players[c];
    out->nodes += fold->size[c] * nodes_of(facts, w);
    out->nodes_played += nodes_of(facts, w);
  }
  out->step = classes[last].end;
  out->extrapolations = facts->roles->extrapolations;
  out->extrapolation_count = facts->roles->extrapolation_count;
  out->path_uses = facts->roles->path_uses;
  for (uint32_t c = 0; c < fold->count; c++)
    classes[c].tail = out->step - classes[c].end;
  out->class_count = fold->count;
  out->classes = classes;
  out->class_of = fold->of;
  out->critical_rank = fold->rank[last];
  return true;
}

ts_run *ts_run_ordered(const ts_ir *ir, const ts_run_options *options, uint32_t order,
                       ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("run");
  ts_prepared p;
  const ts_facts *facts = ts_run_prepare(arena, ir, options, &p, stop) ?
                            ts_run_play(arena, &p, options, order, stop) :
                            NULL;
  ts_rounds rounds;
  stop->unsteady = facts && !ts_rounds_find(facts, &rounds);
  if (!facts || stop->unsteady) {
    ts_arena_free(arena);
    return NULL;
  }
  ts_facts *whole = ts_arena_copy(arena, facts, sizeof *facts);
  whole->rounds = rounds;
  facts = whole;
  ts_run *run = TS_NEW(arena, ts_run);
  run->arena = arena;
  run->facts = facts;
  run->prepared = p;
  run->representative = ts_representatives(arena, facts, options->threads);
  run->threads = options->threads;
  if (!run_sum_up(arena, facts, run->representative, run->threads, &run->result)) {
    ts_stop_interrupted(stop);
    ts_arena_free(arena);
    return NULL;
  }
  run->result.contention = options->contention;
  run->result.overlap = options->overlap != NULL;
  if (options->overlap) {
    run->result.turns = options->overlap->turns;
    run->result.unfelt = options->overlap->unknown,
    run->result.supposed = options->overlap->supposed;
    run->result.idle_rows = ts_overlap_idle_rows(arena, ir, options->overlap);
    run->result.unseen = ts_overlap_unseen(arena, facts->tables, facts->roles, options->overlap);
  }
  ts_arena *scratch = ts_arena_new("calls of programs");
  const ts_program_calls *calls = ts_program_calls_of(p.tables, scratch);
  run->result.network_uses = ts_network_uses_of(arena, &p, calls);
  run->result.fullest = ts_fullest_links_of(&p, calls);
  ts_arena_free(scratch);
  return run;
}

ts_run *ts_run_new(const ts_ir *ir, const ts_run_options *options, ts_stop *stop)
{
  return ts_run_ordered(ir, options, 0, stop);
}

void ts_run_free(ts_run *run)
{
  if (run)
    ts_arena_free(run->arena);
}

void ts_run_attribute(const ts_run *run, uint32_t class, const ts_attribution *each)
{
  ts_arena *scratch = ts_arena_new("attribution");
  ts_class_result unused;
  ts_compose(ts_composer_new(scratch, run->facts), NULL, scratch, scratch, class, each, &unused);
  ts_arena_free(scratch);
}

uint32_t ts_run_splits(const ts_run *run, ts_arena *arena, const ts_class_split **out)
{
  static const char *const names[] = {[TS_SPLIT_PROGRAM] = "program",
                                      [TS_SPLIT_SPEED] = "device speed",
                                      [TS_SPLIT_LINKS] = "links of %s",
                                      [TS_SPLIT_PATHS] = "paths of messages",
                                      [TS_SPLIT_MEMBERS] = "whom they meet in %s",
                                      [TS_SPLIT_PEERS] = "whom they exchange messages with"};
  const ts_ir *ir = run->facts->tables->ir;
  const ts_splits *all[2] = {&run->facts->roles->splits, &run->facts->fold->splits};
  TS_VEC(ts_class_split) list = {0};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < all[k]->count; i++) {
      const ts_split *s = &all[k]->at[i];
      const char *name = names[s->by], *place = strstr(name, "%s");
      const char *text = place ? ts_arena_printf(arena, "%.*s%s", (int)(place - name), name,
                                                 ir->strings + ir->groups[s->group].name) :
                                 name;
      TS_PUSH(arena, &list, (ts_class_split){text, s->more});
    }
  *out = list.at;
  return (uint32_t)list.count;
}

/* What nobody can see of a run may change: the path takes as long to find as the play. */
ts_critical_parts ts_run_critical(const ts_run *run)
{
  ts_run *r = (ts_run *)(uintptr_t)run;
  if (!r->critical) {
    r->critical = TS_NEW(r->arena, ts_critical_parts);
    r->critical->count = ts_critical_path(
      r->arena, r->facts, r->result.class_of[r->result.critical_rank], &r->critical->at);
  }
  return *r->critical;
}

const ts_result *ts_run_result(const ts_run *run) { return &run->result; }
uint32_t ts_run_threads(const ts_run *run) { return run->threads; }
const uint32_t *ts_run_representatives(const ts_run *run) { return run->representative; }
ts_link_uses ts_run_link_uses(const ts_run *run, ts_arena *arena)
{
  return ts_link_uses_of(arena, &run->prepared, run->facts, NULL);
}
ts_link_loads ts_run_link_loads(const ts_run *run, ts_arena *arena)
{
  return ts_link_loads_of(arena, &run->prepared, run->facts);
}
const ts_facts *ts_run_facts(const ts_run *run) { return run->facts; }
