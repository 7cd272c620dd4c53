/* From a plan to its IR: the passes, in their order. */
#include "compiler/eval/lifetime.h"
#include "compiler/eval/options.h"
#include "compiler/lower/calibrated.h"
#include "compiler/lower/early.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/places.h"

typedef ts_pass_status pass_function(ts_lowering *l);
typedef struct lower_pass {
  const char *name;
  pass_function *run;
} lower_pass;

static ts_pass_status done(bool good) { return good ? TS_PASS_DONE : TS_PASS_REFUSED; }

/* ---- The plan ---- */

static ts_pass_status build(ts_lowering *l)
{
  l->g = ts_graph_of_plan(l->s, l->plan);
  return done(l->g);
}

/* What lasts is there then, but for the schedule's names. */
static ts_pass_status shard(ts_lowering *l)
{
  const ts_sharding *sh = ts_shard(l->s, l->plan, l->g);
  if (!sh)
    return TS_PASS_REFUSED;
  ts_session_scratch(l->s);
  l->sh = ts_sharding_copy(l->s->arena, l->g, sh);
  return TS_PASS_DONE;
}

static ts_pass_status open_costs(ts_lowering *l) { return done(ts_lower_open_costs(l)); }

static ts_pass_status explain(ts_lowering *l)
{
  if (l->s->options->explain)
    l->s->explained = ts_shard_explain(l->s, l->g, l->sh, l->s->options->explain);
  return TS_PASS_DONE;
}

static ts_pass_status open_schedule(ts_lowering *l)
{
  ts_session *s = l->s;
  ts_arena *arena = s->arena;
  uint32_t neutral = l->plan->schedule.type == TS_T_NONE ? ts_lower_neutral_batches(l) : 1;
  if (l->failed)
    return TS_PASS_REFUSED;
  s->arena = s->lasting;
  l->sc = ts_schedule_open(s, l->plan, neutral);
  s->arena = arena;
  return done(l->sc);
}

static ts_pass_status find_places(ts_lowering *l) { return done(ts_lower_places(l)); }

static ts_pass_status cut(ts_lowering *l) { return done(l->stages || ts_lower_stages(l)); }

/* For who asks: before any order, cost or fragment is worked out. */
static ts_pass_status lower_hold(ts_lowering *l)
{
  if (!l->s->options->held || !ts_stages_are_plain(l->g, l->sc))
    return TS_PASS_DONE;
  if (cut(l) != TS_PASS_DONE)
    return TS_PASS_REFUSED;
  return ts_lower_holds_too_much(l, l->s->options->held) ? TS_PASS_TOO_LARGE : TS_PASS_DONE;
}

static ts_pass_status lower_place(ts_lowering *l)
{
  if (l->s->options->orderless)
    l->sc->arena = l->order = ts_arena_new("order");
  return done(ts_schedule_place(l->s, l->sc));
}

static ts_pass_status check_batch(ts_lowering *l)
{
  return done(ts_lower_check_axis(l) && ts_lower_batch(l));
}

static ts_pass_status price(ts_lowering *l)
{
  return done(ts_costing_classes(l->costing, l->g, l->sh));
}

/* ---- The IR ---- */

/* Collectives join the compute stream's numbers: stream 0 computes. */
static ts_pass_status open_ir(ts_lowering *l)
{
  l->shared_labels = TS_NEW_ARRAY(l->s->arena, ts_shared_label, l->g->ops.count + 1);
  ts_stream(l, "compute", TS_IR_STREAM_COMPUTE);
  ts_lower_calibration(l);
  ts_lower_sources(l);
  ts_lower_mesh(l);
  if (l->sc->axis != TS_NO_INDEX)
    l->pipeline_group = ts_ir_group_of(l, UINT32_C(1) << l->sc->axis);
  return TS_PASS_DONE;
}

static ts_pass_status write_machine(ts_lowering *l)
{
  return done(ts_lower_cluster(l) && ts_lower_placement(l, ts_world_of(l)) && ts_lower_network(l));
}

/* A policy finds its order now that costs are known. */
static ts_pass_status settle(ts_lowering *l)
{
  if (!l->sc->policy)
    return TS_PASS_DONE;
  ts_stage_costs costs = ts_stage_costs_of(l);
  return done(!l->failed && ts_schedule_settle(l->s, l->sc, &costs));
}

static ts_pass_status check_progress(ts_lowering *l)
{
  return done(ts_progress_check(l->s, l->sc, l->stages));
}

/* What would be refused in the end is so whatever is known of it before. */
static bool is_enough(const ts_lowering *l)
{
  ts_memory_bound *held = l->s->options->held;
  ts_ir view;
  if (!held || !held->enough || ts_diags_errors(l->s->diags))
    return false;
  ts_ir_builder_view(l->b, &view);
  return ts_ir_totals_hold(&view) && held->enough(held->closure, &view);
}

static ts_pass_status write_programs(ts_lowering *l)
{
  const ts_programs *programs = ts_lower_programs(l);
  ts_lower_meta(l);
  if (l->failed)
    return TS_PASS_REFUSED;
  if (is_enough(l))
    return TS_PASS_ENOUGH;
  ts_lower_bindings(programs);
  ts_lower_confidence(l);
  return done(!l->failed);
}

/* ---- All ---- */

static const lower_pass planning[] = {{"building the graph", build},
                                      {"sharding", shard},
                                      {"reading cost sources", open_costs},
                                      {"explaining", explain},
                                      {"opening the schedule", open_schedule},
                                      {"finding places", find_places},
                                      {"adding up what is held", lower_hold},
                                      {"placing the work", lower_place},
                                      {"checking the batch", check_batch},
                                      {"adding up what is in flight", ts_lower_in_flight},
                                      {"pricing kernels", price},
                                      {"cutting stages", cut},
                                      {"bounding the step", ts_lower_early}};
static const lower_pass writing[] = {{"opening the IR", open_ir},
                                     {"writing the machine", write_machine},
                                     {"settling the order", settle},
                                     {"checking progress", check_progress},
                                     {"writing programs", write_programs}};

/* A pass that gives nothing and says nothing has a bug. */
static ts_pass_status lower_run(ts_lowering *l, const lower_pass *passes, size_t count)
{
  ts_pass_status status = TS_PASS_DONE;
  for (size_t i = 0; i < count && status == TS_PASS_DONE; i++) {
    status = passes[i].run(l);
    if (status == TS_PASS_REFUSED && !ts_diags_errors(l->s->diags))
      ts_diag_add(l->s->diags, TS_E0799, TS_NO_SPAN, "the compiler stopped in %s without a reason",
                  passes[i].name);
  }
  return status;
}

static ts_pass_status write_ir(ts_lowering *l)
{
  ts_pass_status status = lower_run(l, writing, sizeof writing / sizeof *writing);
  if (status == TS_PASS_ENOUGH)
    return status;
  ts_costing_tell(l->costing, ts_costing_runs(l->costing, l->g, l->sh));
  ts_lower_doubts(l);
  if (ts_diags_errors(l->s->diags))
    return TS_PASS_REFUSED;
  ts_lower_remarks(l);
  return status;
}

ts_pass_status ts_plan_lower(ts_session *s, const ts_plan *plan, ts_lowered *to)
{
  ts_lowering l = {.s = s, .plan = plan};
  *to = (ts_lowered){0};
  ts_pass_status status = lower_run(&l, planning, sizeof planning / sizeof *planning);
  if (status == TS_PASS_DONE) {
    l.b = ts_ir_builder_new();
    to->schedule = l.sc;
    status = write_ir(&l);
    if (status == TS_PASS_DONE)
      to->builder = l.b;
    else
      ts_ir_builder_free(l.b);
  }
  ts_arena_free(l.order); /* who plays the IR needs its room */
  return status;
}
