/* From a verified IR to a result. */
#include "runtime/play.h"

#include <string.h>

#include "base/heap.h"
#include "runtime/account/alike.h"
#include "runtime/account/compose.h"
#include "runtime/account/network_use.h"
#include "runtime/load/crew.h"
#include "runtime/play/contention.h"
#include "runtime/play/overlap.h"

struct ts_run {
  ts_arena *arena;
  const ts_facts *facts;
  const uint32_t *alike; /* [players] */
  uint32_t threads;
  ts_result result;
};

static bool chooses(const ts_ir *ir)
{
  for (uint32_t i = 0; i < ir->nodes_count; i++)
    if (ir->nodes[i].op == TS_IR_RECORD && ir->nodes[i].arg)
      return true;
  return false;
}

/* The engine knows which of several messages come first when it knows all of them. Of calls that share links it would know that too late: others have begun. */
static bool in_order_of_time(const ts_ir *ir, const ts_run_options *options) { return options->overlap || (options->contention && chooses(ir)); }

static bool find_kinds(ts_arena *arena, const ts_tables *of, ts_ranks *ranks, const ts_run_options *options, ts_prepared *out, ts_stop *stop)
{
  ts_tables *tables = ts_arena_copy(arena, of, sizeof *tables);
  ranks->slower = options->slower;
  tables->arena = arena;
  tables->ranks = ranks;
  tables->transfer = options->transfer;
  tables->progress = options->progress;
  tables->apart = in_order_of_time(of->ir, options);
  out->tables = tables;
  ts_network_watch(out->network, options->packets, options->progress);
  out->kinds = ts_kinds_new(arena, tables, out->network, stop);
  return out->kinds != NULL;
}

bool ts_run_prepare(ts_arena *arena, const ts_ir *ir, const ts_run_options *options, ts_prepared *out, ts_stop *stop)
{
  ts_heap_doing("finding ranks that are alike");
  ts_ranks *ranks = ts_arena_copy(arena, ts_ranks_new(arena, ir), sizeof *ranks);
  const ts_tables *tables = ts_tables_new(arena, ir, ranks, stop);
  *out = (ts_prepared){tables, tables ? ts_network_new(arena, ir, ranks, options->network, stop) : NULL, NULL};
  return out->network && find_kinds(arena, tables, ranks, options, out, stop);
}

bool ts_run_prepare_again(ts_arena *arena, const ts_prepared *usual, const ts_run_options *options, ts_prepared *out, ts_stop *stop)
{
  *out = (ts_prepared){.network = usual->network};
  return find_kinds(arena, usual->tables, ts_arena_copy(arena, usual->tables->ranks, sizeof(ts_ranks)), options, out, stop);
}

const ts_facts *ts_run_play(ts_arena *arena, const ts_prepared *p, const ts_run_options *options, uint32_t order, ts_stop *stop)
{
  ts_heap_doing("playing the step");
  const ts_cast *cast = ts_cast_new(arena, p->tables, p->kinds, !options->no_fold && !options->contention);
  ts_contention *contention = options->contention ? ts_contention_new(arena, p->tables, p->network) : NULL;
  if (!p->tables->apart)
    return ts_engine_play(arena, p->tables, p->kinds, cast, contention, order, stop);
  const ts_facts *alone = ts_engine_play(arena, p->tables, p->kinds, cast, NULL, order, stop);
  return alone ? ts_overlap_play(arena, alone, options->overlap ? options->overlap : &ts_slowdown_nothing, contention, stop) : NULL;
}

typedef struct composing {
  const ts_composer *composer;
  const uint32_t *players;    /* that are like none before */
  ts_class_result *classes;
  ts_arena **kept, **scratch; /* [workers] */
} composing;

static void compose(void *closure, uint32_t piece, uint32_t worker)
{
  composing *c = closure;
  uint32_t player = c->players[piece];
  ts_arena_reset(c->scratch[worker]);
  ts_compose(c->composer, c->kept[worker], c->scratch[worker], player, &c->classes[player]);
}

static bool compose_all(ts_arena *arena, const ts_facts *facts, const uint32_t *alike, uint32_t threads, ts_class_result *classes)
{
  const ts_cast *cast = facts->cast;
  ts_arena *shared = ts_arena_new("composer");
  uint32_t *players = TS_NEW_ARRAY(shared, uint32_t, cast->count), count = 0;
  for (uint32_t p = 0; p < cast->count; p++)
    if (alike[p] == p)
      players[count++] = p;
  uint32_t workers = ts_crew_size(threads, count);
  composing c = {ts_composer_new(shared, facts), players, classes, TS_NEW_ARRAY(arena, ts_arena *, workers), TS_NEW_ARRAY(arena, ts_arena *, workers)};
  for (uint32_t w = 0; w < workers; w++) {
    c.kept[w] = ts_arena_new("results");
    c.scratch[w] = ts_arena_new("composition");
  }
  bool done = ts_crew_run(workers, &(ts_crew_job){count, compose, &c, facts->tables->progress, "summing up"});
  for (uint32_t p = 0; p < cast->count; p++) {
    classes[p] = classes[alike[p]];
    classes[p].rank = cast->rank[p];
    classes[p].count = cast->size[p];
  }
  for (uint32_t w = 0; w < workers; w++) {
    ts_arena_adopt(arena, c.kept[w]);
    ts_arena_free(c.scratch[w]);
  }
  ts_arena_free(shared);
  return done;
}

/* False: it was to stop. */
static bool sum_up(ts_arena *arena, const ts_facts *facts, const uint32_t *alike, uint32_t threads, ts_result *out)
{
  const ts_cast *cast = facts->cast;
  ts_class_result *classes = TS_NEW_ARRAY(arena, ts_class_result, cast->count);
  uint32_t last = 0;
  ts_heap_doing("summing up");
  if (!compose_all(arena, facts, alike, threads, classes))
    return false;
  for (uint32_t c = 0; c < cast->count; c++) {
    if (classes[c].end > classes[last].end)
      last = c;
    out->nodes += cast->size[c] * facts->players[c].program->node_count;
    out->nodes_played += facts->players[c].program->node_count;
  }
  out->step = classes[last].end;
  out->extrapolations = facts->kinds->extrapolations;
  out->extrapolation_count = facts->kinds->extrapolation_count;
  out->path_uses = facts->kinds->path_uses;
  for (uint32_t c = 0; c < cast->count; c++)
    classes[c].tail = out->step - classes[c].end;
  out->class_count = cast->count;
  out->classes = classes;
  out->class_of = cast->of;
  out->critical_rank = cast->rank[last];
  out->critical_count = ts_critical_path(arena, facts, last, &out->critical);
  return true;
}

ts_run *ts_run_ordered(const ts_ir *ir, const ts_run_options *options, uint32_t order, ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("run");
  ts_prepared p;
  const ts_facts *facts = ts_run_prepare(arena, ir, options, &p, stop) ? ts_run_play(arena, &p, options, order, stop) : NULL;
  if (!facts) {
    ts_arena_free(arena);
    return NULL;
  }
  ts_run *run = TS_NEW(arena, ts_run);
  run->arena = arena;
  run->facts = facts;
  run->alike = ts_alike(arena, facts);
  run->threads = options->threads;
  if (!sum_up(arena, facts, run->alike, run->threads, &run->result)) {
    ts_stop_interrupted(stop);
    ts_arena_free(arena);
    return NULL;
  }
  run->result.contention = options->contention;
  run->result.network_uses = ts_network_uses_of(arena, &p);
  run->result.fullest = ts_fullest_links_of(&p);
  return run;
}

ts_run *ts_run_new(const ts_ir *ir, const ts_run_options *options, ts_stop *stop) { return ts_run_ordered(ir, options, 0, stop); }

bool ts_run_step(const ts_ir *ir, const ts_run_options *options, uint64_t *step, ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("step");
  ts_prepared p;
  const ts_facts *facts = ts_run_prepare(arena, ir, options, &p, stop) ? ts_run_play(arena, &p, options, 0, stop) : NULL;
  if (facts)
    *step = facts->end;
  ts_arena_free(arena);
  return facts != NULL;
}

void ts_run_free(ts_run *run)
{
  if (run)
    ts_arena_free(run->arena);
}

uint32_t ts_run_splits(const ts_run *run, ts_arena *arena, const ts_class_split **out)
{
  static const char *const names[] = {[TS_SPLIT_PROGRAM] = "program", [TS_SPLIT_SPEED] = "device speed", [TS_SPLIT_LINKS] = "links of %s", [TS_SPLIT_PATHS] = "paths of messages",
                                      [TS_SPLIT_MEMBERS] = "whom they meet in %s", [TS_SPLIT_PEERS] = "whom they exchange messages with"};
  const ts_ir *ir = run->facts->tables->ir;
  const ts_splits *all[2] = {&run->facts->kinds->splits, &run->facts->cast->splits};
  TS_VEC(ts_class_split) list = {0};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < all[k]->count; i++) {
      const ts_split *s = &all[k]->at[i];
      const char *name = names[s->by], *place = strstr(name, "%s");
      const char *text = place ? ts_arena_printf(arena, "%.*s%s", (int)(place - name), name, ir->strings + ir->groups[s->group].name) : name;
      TS_PUSH(arena, &list, (ts_class_split){text, s->more});
    }
  *out = list.at;
  return (uint32_t)list.count;
}

const ts_result *ts_run_result(const ts_run *run) { return &run->result; }
uint32_t ts_run_threads(const ts_run *run) { return run->threads; }
const uint32_t *ts_run_alike(const ts_run *run) { return run->alike; }
const ts_facts *ts_run_facts(const ts_run *run) { return run->facts; }
