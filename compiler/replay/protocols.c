#include "compiler/replay/protocols.h"

#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "trace/rank_runs.h"

typedef struct protocols_maker {
  ts_lowering *l;
  ts_rank_files *files;
  ts_schedule *sc;
  ts_rank_runs *runs;       /* by rank, */
  ts_rank_changes *changes; /* and so */
} protocols_maker;

static bool protocols_refuse(const protocols_maker *p, ts_span at, const char *what,
                             const char *help)
{
  ts_diag *d = ts_report(p->l->s, TS_E0526, at, "%s", what);
  ts_diag_here(d, "the ranks play graphs");
  ts_diag_help(d, "%s", help);
  return false;
}

/* Only graphs of the tracer say what is forward and what is backward. */
static bool find_runs(protocols_maker *p)
{
  ts_arena *arena = p->l->s->arena;
  p->runs = TS_NEW_ARRAY(arena, ts_rank_runs, p->files->count);
  p->changes = TS_NEW_ARRAY(arena, ts_rank_changes, p->files->count);
  for (uint32_t r = 0; r < p->files->count; r++) {
    const ts_events *e = p->files->ranks[r];
    if (e->graph)
      ts_rank_runs_find(arena, e, &p->runs[r]);
    if (!p->runs[r].at.count)
      return protocols_refuse(
        p, p->l->plan->span_of[TS_PLAN_protocols],
        ts_arena_printf(arena, "`protocols` are about forwards and backwards, and rank %u has none",
                        r),
        "leave it out; graphs of trainspec-trace name the phase and module of each node");
    p->changes[r].dropped = TS_NEW_ARRAY(arena, bool, e->count + 1);
    p->changes[r].slowed = TS_NEW_ARRAY(arena, double, p->runs[r].at.count);
  }
  return true;
}

/* Its items are the runs, a stage for each rank. */
static void place_runs(protocols_maker *p)
{
  static const ts_work_kind kinds[] = {TS_FORWARD, TS_BACKWARD, TS_STEP};
  ts_session *s = p->l->s;
  ts_schedule *sc = p->sc;
  uint32_t ranks = p->files->count;
  ts_order *order = TS_NEW_ARRAY(s->arena, ts_order, ranks);
  uint32_t *same = TS_NEW_ARRAY(s->arena, uint32_t, ranks),
           *zero = TS_NEW_ARRAY(s->arena, uint32_t, ranks);
  for (uint32_t r = 0; r < ranks; r++) {
    uint32_t count[TS_RUN_NONE] = {0};
    same[r] = r;
    order[r] = (ts_order){(uint32_t)sc->items.count, (uint32_t)p->runs[r].at.count};
    for (size_t i = 0; i < p->runs[r].at.count; i++) {
      ts_run_kind kind = p->runs[r].at.at[i].kind;
      ts_placed item = {
        .kind = kinds[kind], .micro_batch = count[kind]++, .stage = r, .span = sc->span};
      TS_PUSH(s->arena, &sc->items, item);
      if (count[kind] > sc->micro_batches)
        sc->micro_batches = count[kind];
    }
  }
  sc->ranks = sc->stages = sc->parts = ranks;
  sc->chunks = sc->copies = 1;
  sc->order = order;
  sc->stage_of = sc->rank_of = same;
  sc->chunk_of = zero;
}

static uint32_t run_of(const protocols_maker *p, uint32_t item, uint32_t *rank)
{
  *rank = ts_schedule_rank(p->sc, item);
  return item - p->sc->order[*rank].first;
}

static bool put_ties(protocols_maker *p)
{
  for (size_t t = 0; t < p->sc->ties.count; t++) {
    const ts_tie *tie = &p->sc->ties.at[t];
    uint32_t from, to, sender = run_of(p, tie->from, &from), receiver = run_of(p, tie->to, &to);
    const char *label = tie->clause->name ? tie->clause->name : "depend";
    if (tie->some)
      return protocols_refuse(p, tie->clause->span, "a run of a graph waits for all, not for some",
                              "leave `any` out");
    TS_PUSH(p->l->s->arena, &p->changes[from].messages,
            ((ts_run_message){sender, true, to, tie->bytes, (int64_t)t, label}));
    TS_PUSH(p->l->s->arena, &p->changes[to].messages,
            ((ts_run_message){receiver, false, from, tie->bytes, (int64_t)t, label}));
  }
  return true;
}

static void put_slowed(protocols_maker *p)
{
  for (uint32_t i = 0; i < p->sc->items.count; i++)
    if (p->sc->items.at[i].slowed) {
      uint32_t rank, run = run_of(p, i, &rank);
      p->changes[rank].slowed[run] = p->sc->slowed.at[p->sc->items.at[i].slowed - 1].by;
    }
}

/* A clause that takes the place of the pipeline's own messages, or removes them, takes them out. */
static void drop_messages(protocols_maker *p)
{
  uint32_t kinds = (p->sc->without & TS_CLAUSE_ACTIVATIONS ? 1u << TS_RUN_FORWARD : 0) |
                   (p->sc->without & TS_CLAUSE_GRADIENTS ? 1u << TS_RUN_BACKWARD : 0),
           gone =
             ts_rank_messages_drop(p->files->ranks, p->files->count, p->runs, kinds, p->changes);
  if (kinds)
    ts_lower_assume(p->l, "%u messages of the graphs give way to `protocols`", gone);
}

static void tell_runs(const protocols_maker *p)
{
  const ts_schedule *sc = p->sc;
  uint32_t least = UINT32_MAX, most = 0;
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint32_t count = 0;
    for (size_t i = 0; i < p->runs[r].at.count; i++)
      count += p->runs[r].at.at[i].kind == TS_RUN_FORWARD;
    least = count < least ? count : least;
    most = count > most ? count : most;
  }
  ts_lower_assume(p->l,
                  "`protocols` count forwards as phases and messages of the graphs part them: "
                  "%s a rank",
                  least == most ? ts_arena_printf(p->l->s->arena, "%u", most) :
                                  ts_arena_printf(p->l->s->arena, "%u to %u", least, most));
}

bool ts_replay_protocols(ts_lowering *l, ts_rank_files *files)
{
  protocols_maker p = {.l = l, .files = files, .sc = TS_NEW(l->s->arena, ts_schedule)};
  ts_value of = l->plan->protocols;
  if (of.type == TS_T_NONE || (of.type == TS_T_LIST && !of.u.list->count) || l->s->options->ranks)
    return true;
  *p.sc = (ts_schedule){.arena = l->s->arena,
                        .name = "graph",
                        .span = l->plan->span_of[TS_PLAN_model],
                        .protocols = l->plan->protocols,
                        .protocols_span = l->plan->span_of[TS_PLAN_protocols],
                        .axis = TS_NO_INDEX};
  if (!find_runs(&p))
    return false;
  place_runs(&p);
  if (!ts_schedule_recorded(l->s, p.sc) || !put_ties(&p))
    return false;
  put_slowed(&p);
  drop_messages(&p);
  const ts_events **ranks = TS_NEW_ARRAY(l->s->arena, const ts_events *, files->count);
  for (uint32_t r = 0; r < files->count; r++)
    ranks[r] = ts_rank_graph_changed(files->ranks[r], &p.runs[r], &p.changes[r]);
  files->ranks = ranks;
  l->sc = p.sc; /* for what is said of its clauses */
  tell_runs(&p);
  return true;
}
