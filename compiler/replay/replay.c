#include "compiler/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/source.h"
#include "base/version.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/lower/calibrated.h"
#include "compiler/lower/lowering.h"
#include "compiler/machine/cluster.h"
#include "compiler/model/traced_graph.h"
#include "compiler/replay/operators.h"
#include "compiler/replay/protocols.h"
#include "compiler/replay/rank_files.h"
#include "compiler/replay/workload.h"
#include "trace/play_rank_graph.h"
#include "trace/read/rank_graph.h"

/* A share of the device's time that is worth a warning where it rests on a guess. */
static const double guesses_matter = 0.001;

/* Operators of one name that no entry knows. */
typedef struct guess { const char *name; double runs, seconds; } guess;
typedef struct format_flops { const char *dtype; double flops; } format_flops;

typedef struct replayer {
  ts_lowering l;
  ts_rank_operators *operators;
  ts_rank_files files;
  ts_replayed_workload *workload; /* that is played; NULL: graphs are */
  const char *device;          /* that times of the graphs were taken on */
  bool timed;                  /* they are taken */
  bool counted;                /* work is what events state, not what operators are */
  uint32_t source;             /* of the IR: the graphs' times */
  double alike;                /* ranks that do what is priced */
  TS_VEC(double) runs;         /* by kernel of the costing, of all ranks */
  TS_VEC(guess) guesses;
  TS_VEC(format_flops) flops;  /* of the model, of all ranks */
  double seconds;              /* of all kernels */
  bool stages;                 /* of the workload: a program each */
} replayer;

bool ts_plan_replays(ts_session *s, const ts_plan *plan)
{
  return s->options->ranks ||
         (plan->model.type == TS_T_APPLIED && !plan->model.u.applied->decl &&
          !strcmp(plan->model.u.applied->name, "graph") && !ts_plan_divides(s, plan));
}

/* ---- Kernels ---- */

static void count_runs(replayer *r, uint32_t cost)
{
  while (r->runs.count <= cost) TS_PUSH(r->l.s->arena, &r->runs, 0);
  r->runs.at[cost] += r->alike;
}

/* What the model needs: not what is computed again, nor the update. */
static void count_flops(replayer *r, const ts_events *e, uint32_t event, const ts_kernel *k)
{
  const ts_graph_facts *f = ts_graph_facts_of(e, event);
  const char *phase = f ? ts_events_text(e, f->phase) : "";
  if (!(k->model_flops > 0) || (strcmp(phase, "forward") != 0 && strcmp(phase, "backward") != 0))
    return;
  for (size_t i = 0; i < r->flops.count; i++)
    if (!strcmp(r->flops.at[i].dtype, k->dtype->name)) {
      r->flops.at[i].flops += r->alike * k->model_flops;
      return;
    }
  TS_PUSH(r->l.s->arena, &r->flops, ((format_flops){k->dtype->name, r->alike * k->model_flops}));
}

static void count_guess(replayer *r, const ts_rank_operator *op, double seconds)
{
  for (size_t i = 0; i < r->guesses.count; i++)
    if (r->guesses.at[i].name == op->name) {
      r->guesses.at[i].runs += r->alike;
      r->guesses.at[i].seconds += r->alike * seconds;
      return;
    }
  TS_PUSH(r->l.s->arena, &r->guesses, ((guess){op->name, r->alike, r->alike * seconds}));
}

/* By a clause of the plan's protocols. */
static double slowness(const ts_events *e, uint32_t event)
{
  const ts_graph_facts *f = ts_graph_facts_of(e, event);
  return f && f->slowed > 0 ? f->slowed : 1;
}

/* One kernel with the graph's time, that does what all of the operator's do. */
static uint32_t measured_kernel(replayer *r, const ts_events *e, uint32_t event,
                                const ts_kernels *kernels)
{
  const ts_event *v = ts_event_at(e, event);
  const ts_kernel *most = NULL;
  ts_ir_kernel k = {.time = (uint64_t)round((double)v->duration * 1000 * slowness(e, event)),
                    .basis = TS_IR_MEASURED,
                    .source = r->source};
  for (uint32_t i = 0; i < kernels->count; i++) {
    k.flops += kernels->at[i].flops;
    k.bytes += kernels->at[i].bytes;
    most = !most || kernels->at[i].flops > most->flops ? &kernels->at[i] : most;
  }
  k.family = ts_ir_add_string(r->l.b, most ? most->family :
                                             ts_event_kind_name((ts_event_kind)v->kind));
  k.dtype = ts_ir_add_string(r->l.b, most && most->dtype ? most->dtype->name : "");
  r->seconds += r->alike * (double)v->duration * 1e-9;
  return ts_ir_intern(r->l.b, TS_IR_KERNELS, &k);
}

/* Times that nobody measured give way to work that is stated. */
static bool has_time(const replayer *r, const ts_events *e, uint32_t event)
{
  const ts_event *v = ts_event_at(e, event);
  bool states = ts_states_work(ts_event_work_of(e, event));
  if (v->duration < 0 || (r->workload && states && v->duration <= TS_WORKLOAD_PLACEHOLDER))
    return false;
  return r->timed || e->format == TS_TRACE_GOAL || (r->counted && !states);
}

static void replay_alike(void *closure, uint32_t ranks) { ((replayer *)closure)->alike = ranks; }

static bool price(void *closure, const ts_events *e, uint32_t event, ts_arena *arena,
                  ts_kernel_list *out, ts_error *error)
{
  replayer *r = closure;
  const ts_kernels none = {0};
  bool schedule = e->format == TS_TRACE_GOAL;
  const ts_rank_operator *op = schedule ? NULL : ts_rank_operator_of(r->operators, e, event);
  if (!op && !schedule)
    return ts_fail(error, NULL, "rank %" PRId64 ", node %u: `%.60s`", e->rank, event,
                   ts_events_text(e, ts_event_at(e, event)->name));
  for (uint32_t i = 0; op && i < op->kernels.count; i++)
    count_flops(r, e, event, &op->kernels.at[i]);
  if (has_time(r, e, event)) {
    TS_PUSH(arena, out, measured_kernel(r, e, event, op ? &op->kernels : &none));
    return true;
  }
  double seconds = 0;
  for (uint32_t i = 0; op && i < op->kernels.count; i++) {
    uint32_t cost = ts_costing_kernel(r->l.costing, &op->kernels.at[i], op->name);
    if (cost == TS_NO_INDEX)
      return ts_fail(error, NULL, "rank %" PRId64 ", node %u: `%.60s`", e->rank, event, op->name);
    count_runs(r, cost);
    seconds += (double)ts_costing_time(r->l.costing, cost) * 1e-12;
    TS_PUSH(arena, out, ts_ir_kernel_of(&r->l, cost, slowness(e, event)));
  }
  r->seconds += r->alike * seconds;
  if (op && op->guessed)
    count_guess(r, op, seconds);
  return true;
}

/* ---- What is told ---- */

/* Most time first; of equal ones in the order of the graphs. */
static void sort_guesses(replayer *r)
{
  for (size_t i = 1; i < r->guesses.count; i++)
    for (size_t k = i; k && r->guesses.at[k].seconds > r->guesses.at[k - 1].seconds; k--) {
      guess g = r->guesses.at[k];
      r->guesses.at[k] = r->guesses.at[k - 1];
      r->guesses.at[k - 1] = g;
    }
}

static void tell_guesses(replayer *r)
{
  double runs = 0, seconds = 0;
  TS_VEC(const char *) names = {0};
  sort_guesses(r);
  for (size_t i = 0; i < r->guesses.count; i++) {
    runs += r->guesses.at[i].runs;
    seconds += r->guesses.at[i].seconds;
    if (i < 6)
      TS_PUSH(r->l.s->arena, &names,
              ts_arena_printf(r->l.s->arena, "%s (%.0f)", r->guesses.at[i].name,
                              r->guesses.at[i].runs));
  }
  if (!(seconds > guesses_matter * r->seconds))
    return;
  ts_diag *d = ts_report(r->l.s, TS_W0536, r->l.plan->span_of[TS_PLAN_model],
                         "%.0f operator%s of %zu name%s: no entry of the mapping knows them", runs,
                         runs == 1 ? "" : "s", r->guesses.count, r->guesses.count == 1 ? "" : "s");
  ts_diag_here(d, "%.1f %% of the time of all kernels is guessed: their tensors moved once",
               100 * seconds / r->seconds);
  ts_diag_fact(d, "operators", "%s%s", ts_listed(r->l.s->arena, names.at, (uint32_t)names.count),
               r->guesses.count > 6 ? " ..." : "");
  ts_diag_help(d, "give the model a mapping that knows them: `graph(..., ops: MAPPING)`, as "
                  "std.import.aten is one");
}

/* Nodes of Chakra traces that take the time of the work they state; workload.c tells of others. */
static void tell_counted(replayer *r)
{
  uint32_t nodes = 0;
  for (uint32_t i = 0; i < r->files.count && !r->workload; i++)
    for (uint32_t v = 0; v < r->files.ranks[i]->work.count; v++)
      nodes += ts_states_work(r->files.ranks[i]->work.at[v]) && !has_time(r, r->files.ranks[i], v);
  if (nodes)
    ts_lower_assume(&r->l, "%u nodes are priced by FLOP and bytes that they state (usually bf16)",
                    nodes);
}

/* A workload is one file of all ranks. */
static uint32_t files_of(const replayer *r) { return r->workload ? 1 : r->files.count; }

static const char *producer_of(const ts_events *e)
{
  return ts_events_text(e, e->graph->producer);
}

/* Of what graphs rest on, each from the first rank that says it: one without experts chooses
 * none. */
static void tell_graphs(replayer *r)
{
  ts_lowering *l = &r->l;
  const ts_events *first = r->files.ranks[0], *packages = NULL, *routing = NULL, *decided = NULL,
                  *other = NULL;
  for (uint32_t i = 0; i < files_of(r); i++) {
    const ts_events *e = r->files.ranks[i];
    if (!e->graph)
      continue;
    packages = packages || !e->graph->packages ? packages : e;
    routing = routing || !e->graph->routing ? routing : e;
    decided = decided || !e->graph->decisions ? decided : e;
    if (!other && first->graph && strcmp(producer_of(e), producer_of(first)) != 0)
      other = e;
  }
  if (packages)
    ts_lower_assume(l, "stand-ins were there for packages: %s",
                    ts_events_text(packages, packages->graph->packages));
  if (routing)
    ts_lower_assume(l, "experts are chosen by `%s` where no scores were computed",
                    ts_events_text(routing, routing->graph->routing));
  if (decided)
    ts_lower_assume(l, "the script went by values that nobody computed: %s%s",
                    ts_events_text(decided, decided->graph->decided_at),
                    decided->graph->decisions > 1 ? " and others" : "");
  if (!other)
    return;
  ts_diag *d = ts_report(l->s, TS_W0537, l->plan->span_of[TS_PLAN_model],
                         "the graphs are of different versions");
  ts_diag_here(d, "rank %" PRId64 ": %s", first->rank, producer_of(first));
  ts_diag_fact(d, "another", "rank %" PRId64 ": %s", other->rank, producer_of(other));
  ts_diag_help(d, "trace all ranks with one version: operators and their order may differ");
}

/* A step that does not end is none. */
static bool check_whole(replayer *r, ts_error *error)
{
  for (uint32_t i = 0; i < r->files.count; i++) {
    const ts_events *e = r->files.ranks[i];
    if (e->graph && e->graph->short_in)
      return ts_fail(error, "trace it where it has room: trainspec-trace --memory",
                     "rank %" PRId64 " ran out of memory in `%.60s`, and its graph ends there",
                     e->rank, ts_events_text(e, e->graph->short_in));
  }
  return true;
}

/* ---- The machine ---- */

/* Fields that say what ranks do: the graphs do. */
static bool check_fields(const replayer *r)
{
  static const struct { ts_plan_field field; const char *name;
  } others[] = {{TS_PLAN_mesh, "mesh"},
                {TS_PLAN_apply, "apply"},
                {TS_PLAN_schedule, "schedule"},
                {TS_PLAN_recompute, "recompute"},
                {TS_PLAN_optimizer, "optimizer"}};
  for (size_t i = 0; i < sizeof others / sizeof *others && !r->l.s->options->ranks; i++) {
    ts_span at = r->l.plan->span_of[others[i].field];
    bool allowed = r->files.ranks[0]->workload && (others[i].field == TS_PLAN_mesh ||
                                                   others[i].field == TS_PLAN_schedule);
    if (!at.file || allowed)
      continue;
    ts_diag *d = ts_diag_add(r->l.s->diags, TS_E0526, at, "a plan of graphs has no `%s`",
                             others[i].name);
    ts_diag_here(d, "the graphs say what each rank does");
    ts_diag_label(d, r->l.plan->span_of[TS_PLAN_model], "the graphs");
    ts_diag_help(d, "leave it out; or trace the script as one rank, `trainspec-trace --world 1`: "
                    "plans divide such a graph");
    return false;
  }
  return true;
}

/* What only models of one rank have. */
static bool check_arguments(const replayer *r, const ts_applied *model)
{
  const ts_value *again = model ? ts_record_find(&model->args, "recompute") : NULL;
  if (!again || again->type == TS_T_NONE)
    return true;
  ts_diag *d =
    ts_diag_add(r->l.s->diags, TS_E0526, again->span, "`recompute` of graphs that ranks play");
  ts_diag_here(d, "the graphs say what is run again");
  ts_diag_help(d, "leave it out; it is for the graph of one rank that a plan divides");
  return false;
}

static bool check_cluster(const replayer *r)
{
  const ts_plan *plan = r->l.plan;
  uint32_t devices = plan->cluster.u.cluster->device_count;
  if (r->files.count <= devices)
    return true;
  ts_diag *d = ts_report(r->l.s, TS_E0608, plan->span_of[TS_PLAN_cluster],
                         "the graphs are of %s ranks, the cluster has %s devices",
                         ts_count_print(r->l.s->arena, r->files.count),
                         ts_count_print(r->l.s->arena, devices));
  ts_diag_here(d, "%s devices", ts_count_print(r->l.s->arena, devices));
  ts_diag_help(d, "take a larger cluster");
  return false;
}

/* Of graphs it is the ranks themselves. */
static bool set_mesh(replayer *r, ts_error *error)
{
  ts_mesh *mesh = r->l.s->mesh;
  if (r->files.ranks[0]->workload) {
    r->workload = TS_NEW(r->l.s->arena, ts_replayed_workload);
    if (!ts_replayed_workload_new(r->l.s, r->l.plan, r->files.ranks[0], r->workload, error))
      return false;
    r->files.count = r->workload->mesh.world;
    r->l.axes_as = r->workload->axes_as;
    return true;
  }
  mesh->count = 1;
  mesh->axis[0].name = ts_lang_intern(r->l.s->lang, "rank", 4);
  mesh->axis[0].size = r->files.count;
  mesh->axis[0].stride = 1;
  mesh->axis[0].span = r->l.plan->span_of[TS_PLAN_model];
  return true;
}

/* Models of the network for some axes: of which mesh? */
static bool check_network(const replayer *r)
{
  ts_ir view;
  ts_ir_builder_view(r->l.b, &view);
  for (uint32_t i = 0; i < view.net_models_count && !r->workload; i++)
    if (view.net_models[i].axes) {
      ts_diag *d = ts_report(r->l.s, TS_E0526, r->l.plan->span_of[TS_PLAN_network],
                             "a network model for an axis, and the groups of graphs have none");
      ts_diag_here(d, "`over` is given");
      ts_diag_help(d, "leave `over` out, or tell models apart by `tier`");
      return false;
    }
  return true;
}

static void write_meta(replayer *r)
{
  ts_lowering *l = &r->l;
  const ts_plan *plan = l->plan;
  uint64_t samples = plan->global_batch > 0 ? (uint64_t)plan->global_batch : 0;
  ts_sharding *sh = TS_NEW(l->s->arena, ts_sharding);
  for (size_t i = 0; i < r->flops.count; i++)
    TS_PUSH(l->s->arena, &sh->formats,
            ((ts_format_work){ts_dtype_find(r->flops.at[i].dtype), r->flops.at[i].flops}));
  l->sh = sh;
  ts_ir_meta meta = {
    .plan = ts_ir_add_string(l->b, plan->name),
    .tool = ts_ir_add_string(l->b, ts_arena_printf(l->s->arena, "trainspec %s", ts_version())),
    .plan_loc = ts_ir_loc_of(l, plan->decl->name_span),
    .pipeline_axis = !r->workload ? 0 : r->stages ? TS_WORKLOAD_PP : TS_IR_NONE,
    .world = r->files.count,
    .micro_batches =
      r->workload && r->workload->pipelined ? r->workload->pipeline.micro_batches : 1,
    .samples_per_step = samples,
    .tokens_per_step = (uint64_t)(plan->tokens_per_sample * (double)samples)};
  ts_lower_formats(l, r->files.count, 1, &meta);
  meta.cluster = ts_ir_add_string(l->b, ts_cluster_text(l));
  meta.carbon = plan->carbon;
  meta.framework = ts_ir_add_string(l->b, plan->framework);
  meta.release = ts_ir_add_string(l->b, plan->release);
  meta.memory_loc = ts_ir_loc_of(l, plan->span_of[TS_PLAN_model]);
  meta.mesh_loc = meta.memory_loc;
  *ts_ir_builder_meta(l->b) = meta;
}

static uint64_t host_time(const replayer *r, uint64_t ps)
{
  const ts_lowering *l = &r->l;
  return l->calibration.is && ps ?
           ts_calibrated_time(l->calibration.is, l->calibrated_host, ps) :
           ps;
}

static bool replay_refuse(const replayer *r, const ts_error *error)
{
  ts_diag *d = ts_diag_add(r->l.s->diags, TS_E0525, r->l.plan->span_of[TS_PLAN_model],
                           "cannot play `%s`: %s", r->files.name, error->message);
  if (error->help[0])
    ts_diag_help(d, "%s", error->help);
  return false;
}

static bool play_workload(replayer *r, const ts_rank_prices *prices, ts_error *error)
{
  ts_replayed_workload *w = r->workload;
  ts_workload_facts here,
    *facts = r->l.s->options->workload_facts ? r->l.s->options->workload_facts : &here;
  r->stages = w->pipelined || w->e->workload->sections.count > 1;
  if (!ts_replayed_workload_settle(&r->l, w, prices, error) ||
      !ts_workload_play(r->l.b, w->e, &w->mesh, w->choice.step,
                        w->pipelined ? &w->pipeline : NULL, &w->order, prices, facts, error))
    return false;
  ts_replayed_workload_tell(&r->l, w, facts);
  return true;
}

static bool write_ranks(replayer *r)
{
  const ts_host *host = &r->l.plan->host;
  ts_rank_prices prices = {.closure = r,
                           .alike = replay_alike,
                           .kernels = price,
                           .unshared = r->files.count && ts_events_unshared(r->files.ranks[0]) &&
                                       (r->timed || r->files.ranks[0]->format == TS_TRACE_GOAL),
                           .launch = host_time(r, host->launch),
                           .collective = host_time(r, host->collective),
                           .message = host_time(r, host->message),
                           .step = host_time(r, host->step)};
  ts_error error = {0};
  ts_ir_cost_source graphs = {.name = ts_ir_add_string(r->l.b, r->files.name),
                              .kind = ts_ir_add_string(r->l.b, r->workload ? "workload" : "graph"),
                              .loc = ts_ir_loc_of(&r->l, r->l.plan->span_of[TS_PLAN_model]),
                              .device = ts_ir_add_string(r->l.b, r->device)};
  r->source = ts_ir_intern(r->l.b, TS_IR_COST_SOURCES, &graphs);
  unsigned errors = ts_diags_errors(r->l.s->diags);
  if (r->workload ?
        play_workload(r, &prices, &error) :
        ts_rank_graphs_play(r->l.b, r->files.ranks, r->files.count, &prices, &error))
    return true;
  /* messages say what is wrong; this is where */
  return ts_diags_errors(r->l.s->diags) == errors && replay_refuse(r, &error);
}

static bool write_ir(replayer *r)
{
  ts_lowering *l = &r->l;
  ts_lower_sources(l);
  if (!ts_lower_cluster(l) || !ts_lower_placement(l, r->files.count) || !ts_lower_network(l) ||
      !check_network(r) || !ts_replay_protocols(l, &r->files) || !write_ranks(r))
    return false;
  write_meta(r);
  ts_lower_confidence(l);
  return !l->failed;
}

static bool states_work(const replayer *r)
{
  for (uint32_t i = 0; i < r->files.count; i++)
    if (r->files.ranks[i]->work.count)
      return true;
  return false;
}

static bool replay_prepare(replayer *r)
{
  ts_lowering *l = &r->l;
  const ts_applied *model = l->s->options->ranks ? NULL : l->plan->model.u.applied;
  const ts_value *times = model ? ts_record_find(&model->args, "times") : NULL,
                 *device = model ? ts_record_find(&model->args, "device") : NULL;
  r->timed = !l->s->options->priced && (!times || times->type != TS_T_BOOL || times->u.truth);
  r->device = device && device->type == TS_T_STRING ? device->u.string : "";
  r->files =
    (ts_rank_files){l->s->options->ranks, l->s->options->rank_count,
                    l->s->options->ranks ? ts_base_name(l->s->options->ranks[0]->file) : ""};
  ts_error error = {0};
  if ((model && !ts_rank_files_read(l->s, model, &r->files)) || !check_fields(r) ||
      !check_arguments(r, model))
    return false;
  if (!check_whole(r, &error) || !set_mesh(r, &error))
    return error.message[0] && replay_refuse(r, &error);
  r->counted = r->workload || states_work(r);
  return check_cluster(r) &&
         (r->operators = ts_rank_operators_new(l->s, l->plan, model, r->counted)) &&
         ts_lower_open_costs(l);
}

ts_pass_status ts_plan_replay(ts_session *s, const ts_plan *plan, ts_lowered *to)
{
  replayer r = {.l = {.s = s, .plan = plan}};
  *to = (ts_lowered){0};
  if (!replay_prepare(&r))
    return TS_PASS_REFUSED;
  r.l.b = ts_ir_builder_new();
  ts_lower_calibration(&r.l);
  bool written = write_ir(&r);
  if (written) {
    while (r.runs.count <= r.l.costing->kernels.count) TS_PUSH(s->arena, &r.runs, 0);
    ts_costing_tell(r.l.costing, r.runs.at);
    tell_guesses(&r);
    tell_counted(&r);
    tell_graphs(&r);
  }
  if (!written || ts_diags_errors(s->diags)) {
    ts_ir_builder_free(r.l.b);
    return TS_PASS_REFUSED;
  }
  ts_lower_remarks(&r.l);
  to->builder = r.l.b;
  return TS_PASS_DONE;
}
