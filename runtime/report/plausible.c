#include "runtime/report/plausible.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "ir/names.h"
#include "ir/parts.h"
#include "ir/spelling.h"
#include "runtime/account/run.h"
#include "runtime/load/ranks.h"
#include "runtime/play/play.h"

/* The roofline is an upper bound of speed: kernels reach 50 to 90 % of it. Where it prices more
 * than a third of the compute time, the step is uncertain by more than a tenth. */
static const double roofline_matters = 1.0 / 3;
/* Below this share of compute time a family is not named. */
static const double family_matters = 0.02;
/* Exposed traffic that leaves islands is looked into from here on: less cannot make the step much
 * longer. */
static const double exposed_matters = 0.1;
/* What another order of the mesh must gain to be worth a word: models of networks err by as much.
 * */
static const double gain_matters = 0.05;
/* Calls that take this share of the step on figures that nobody measured make it uncertain by some
 * percent. */
static const double assumed_matters = 0.1;
/* So much above the rate of a link is how exact rates are stated, and a small message beside a
 * large call. */
static const double rates_err = 0.01;
/* Nodes of a play that is done again without being asked for: a second or less. */
static const uint64_t cheap_nodes = 20000000;

/* island: [vertices] its root */
typedef struct doubts {
  ts_summary *s;
  const ts_ir *ir;
  ts_arena *arena;
  const ts_run_options *options;
  uint32_t *island;
  bool unsteady; /* rounds that were left out need to be listed */
} doubts;

static const char *string(const doubts *d, ts_ir_str text) { return d->ir->strings + text; }

static ts_warning *warn(doubts *d, const char *code, uint32_t loc, const char *sentence)
{
  return ts_warning_add(d->arena, &d->s->warnings, code, loc, "%s", sentence);
}

/* ---- Faster than the devices ---- */

static void doubt_mfu(doubts *d)
{
  if (!(d->s->mfu > 1))
    return;
  ts_warning *w =
    warn(d, "W0803", d->ir->meta->plan_loc,
         ts_arena_printf(
           d->arena,
           "MFU is %s: the step takes less time than the model's work at the devices' peak rate",
           ts_format_share(d->s->mfu).text));
  ts_warning_fact(d->arena, w, "work", "%s of each device",
                  ts_format_scaled(d->s->flops_per_device, "FLOP/s").text);
  ts_warning_fact(d->arena, w, "peak", "%s",
                  ts_format_scaled(d->ir->meta->peak_flops, "FLOP/s").text);
  ts_warning_help(d->arena, w,
                  "no device can do this: check that `costs` are for the cluster's devices, and "
                  "were measured in the plan's precision");
}

/* "`gpu[0,3]`", "the 8 devices around `gpu[0,0]`". */
static const char *part_name(const doubts *d, const ts_link_load *links)
{
  const char *device = ts_report_vertex(d->arena, d->ir, links->vertex);
  return links->devices == 1 ?
           ts_arena_printf(d->arena, "`%s`", device) :
           ts_arena_printf(d->arena, "the %u devices from `%s` on", links->devices, device);
}

/* Calls and messages of different groups overlap as if each had its links to itself. */
static void doubt_links(doubts *d)
{
  const ts_link_load *links = &d->s->result->fullest;
  double used = links->time / (double)d->s->result->step;
  if (!(used > 1 + rates_err))
    return;
  ts_warning *w =
    warn(d, "W0809", d->ir->meta->plan_loc,
         ts_arena_printf(
           d->arena, "links %s %s carry more than they can: %s of their rate for the whole step",
           links->into ? "into" : "out of", part_name(d, links), ts_format_share(used).text));
  ts_warning_fact(d->arena, w, "step", "%s, and their traffic takes at least %s",
                  ts_format_time(d->s->result->step).text,
                  ts_format_time((uint64_t)links->time).text);
  ts_warning_help(
    d->arena, w,
    "calls of several groups overlap on them: simulate with a model that shares links, "
    "`network = [flow()]` and `--contention`");
}

/* A model's figures are raised to what the links can do; measured ones stay. */
static void doubt_tables(doubts *d)
{
  const ts_extrapolation *worst = NULL;
  for (uint32_t i = 0; i < d->s->result->extrapolation_count; i++) {
    const ts_extrapolation *e = &d->s->result->extrapolations[i];
    if (e->doubt == TS_DOUBT_FASTER && e->used > 1 + rates_err && (!worst || e->used > worst->used))
      worst = e;
  }
  if (!worst)
    return;
  ts_warning *w = warn(d, "W0809", d->ir->net_models[worst->model].loc,
                       ts_arena_printf(d->arena,
                                       "with the measured times of %s over %u ranks, links carry "
                                       "more than they can: %s of their rate",
                                       ts_ir_collective_names[worst->kind], worst->ranks,
                                       ts_format_share(worst->used).text));
  ts_warning_here(d->arena, w, "`%s`", string(d, d->ir->net_models[worst->model].name));
  ts_warning_help(d->arena, w,
                  "the table was measured on another network, or the `bandwidth` of the cluster's "
                  "links is too low");
}

/* ---- Costs that nobody measured ---- */

typedef struct family { ts_ir_str family, dtype; double time; } family;

static int longer(const void *x, const void *y)
{
  const family *a = x, *b = y;
  return a->time != b->time     ? (a->time < b->time ? 1 : -1) :
         a->family != b->family ? (a->family > b->family ? 1 : -1) :
                                  (a->dtype > b->dtype) - (a->dtype < b->dtype);
}

/* How often each fragment is played, by all ranks. */
static double *plays_of(const doubts *d)
{
  double *plays = TS_NEW_ARRAY(d->arena, double, d->ir->fragments_count + 1);
  for (uint32_t i = 0; i < d->s->stage_count; i++)
    ts_ir_count_plays(d->ir, d->s->stages[i].program, d->s->stages[i].ranks, plays);
  return plays;
}

/* Time on rooflines by family and format, longest first; *total: of all kernels. Times at speed 1,
 * as the shares of the sources. */
static uint32_t roofline_families(const doubts *d, family **out, double *total)
{
  const double *plays = plays_of(d);
  TS_VEC(family) all = {0};
  for (uint32_t f = 0; f < d->ir->fragments_count; f++)
    for (uint32_t n = 0; n < d->ir->fragments[f].node_count; n++) {
      const ts_ir_node *node = &d->ir->nodes[d->ir->fragments[f].first_node + n];
      if (node->op != TS_IR_COMPUTE)
        continue;
      const ts_ir_kernel *kernel = &d->ir->kernels[node->arg];
      double time = (double)kernel->time * plays[f];
      *total += time;
      if (kernel->basis != TS_IR_ROOFLINE)
        continue;
      size_t i = 0;
      while (i < all.count &&
             (all.at[i].family != kernel->family || all.at[i].dtype != kernel->dtype))
        i++;
      if (i == all.count)
        TS_PUSH(d->arena, &all, (family){kernel->family, kernel->dtype, 0});
      all.at[i].time += time;
    }
  if (all.count)
    qsort(all.at, all.count, sizeof *all.at, longer);
  *out = all.at;
  return (uint32_t)all.count;
}

static void doubt_roofline(doubts *d)
{
  family *all;
  double total = 0, time = 0;
  uint32_t count = roofline_families(d, &all, &total);
  const char *names = "";
  for (uint32_t i = 0; i < count; i++) {
    time += all[i].time;
    if (all[i].time >= family_matters * total)
      names = ts_arena_printf(d->arena, "%s%s%s%s%s %s", names, *names ? ", " : "",
                              string(d, all[i].family), *string(d, all[i].dtype) ? " in " : "",
                              string(d, all[i].dtype), ts_format_share(all[i].time / total).text);
  }
  if (!(time > roofline_matters * total))
    return;
  ts_warning *w =
    warn(d, "W0804", d->ir->meta->plan_loc,
         ts_arena_printf(d->arena,
                         "%s of the compute time comes from a roofline, not from measurements: %s",
                         ts_format_share(time / total).text, names));
  ts_warning_help(d->arena, w,
                  "put a table of these kernels or a fit (`trainspec table`, `trainspec fit ops`) "
                  "before the roofline in `costs`");
}

/* ---- Islands without work ---- */

/* A part of a node may be left by intention; whole nodes were most likely forgotten when the mesh
 * shrank. */
static void doubt_idle(doubts *d, const ts_ranks *ranks)
{
  uint32_t *island = d->island, devices = 0, idle = 0, islands = 0;
  uint8_t *works = TS_NEW_ARRAY(d->arena, uint8_t, d->ir->devices_count + 1);
  for (uint32_t r = 0; r < ranks->world; r++)
    works[island[ranks->vertex[r]]] = 1;
  for (uint32_t v = 0; v < d->ir->devices_count; v++) {
    if (d->ir->devices[v].device_class == TS_IR_NONE)
      continue;
    devices++;
    uint32_t root = island[v];
    idle += works[root] != 1;
    if (!works[root])
      islands++;
    if (works[root] != 1)
      works[root] = 2; /* counted */
  }
  if (!idle)
    return;
  const char *where = islands == idle ?
                        "" :
                        ts_arena_printf(d->arena, ", %s whole island%s,",
                                        ts_format_count(islands).text, islands == 1 ? "" : "s");
  ts_warning *w =
    warn(d, "W0805", d->ir->meta->mesh_loc,
         ts_arena_printf(d->arena, "%s of the cluster's %s devices%s have no work",
                         ts_format_count(idle).text, ts_format_count(devices).text, where));
  ts_warning_here(d->arena, w, "%s ranks", ts_format_count(ranks->world).text);
  ts_warning_help(d->arena, w,
                  "make the mesh as large as the cluster, or the cluster as small as the mesh: "
                  "figures per device count only those with work");
}

/* ---- Order of the mesh ---- */

/* Bytes that a rank sends over groups with this axis. */
static double traffic_of(const doubts *d, uint32_t axis)
{
  double bytes = 0;
  for (uint32_t g = 0; g < d->s->group_count; g++)
    if (d->ir->groups[d->s->groups[g].group].axes >> axis & 1)
      bytes += d->s->groups[g].bytes;
  return bytes;
}

/* Members of every instance in one island? */
static bool within_islands(const doubts *d, const ts_ranks *ranks, uint32_t group)
{
  for (uint32_t r = 0; r < ranks->world; r++) {
    uint32_t first = r;
    for (uint32_t a = 0; a < d->ir->axes_count; a++)
      if (d->ir->groups[group].axes >> a & 1)
        first -= first / d->ir->axes[a].stride % d->ir->axes[a].size * d->ir->axes[a].stride;
    if (d->island[ranks->vertex[r]] != d->island[ranks->vertex[first]])
      return false;
  }
  return true;
}

/* The group that leaves its island and is waited for most, if that matters and an island could hold
 * it; else TS_IR_NONE. */
static uint32_t spread_group(const doubts *d, const ts_ranks *ranks)
{
  uint32_t *held = TS_NEW_ARRAY(d->arena, uint32_t, d->ir->devices_count + 1), most = 0,
           found = TS_IR_NONE;
  double longest = exposed_matters * (double)d->s->result->step;
  for (uint32_t r = 0; r < ranks->world; r++) {
    uint32_t *count = &held[d->island[ranks->vertex[r]]];
    most = ++*count > most ? *count : most;
  }
  for (uint32_t g = 0; g < d->s->group_count; g++) {
    const ts_group_total *t = &d->s->groups[g];
    uint64_t size = 1;
    for (uint32_t a = 0; a < d->ir->axes_count; a++)
      size *= d->ir->groups[t->group].axes >> a & 1 ? d->ir->axes[a].size : 1;
    if (t->messages || t->exposed <= longest || size < 2 || size > most ||
        within_islands(d, ranks, t->group))
      continue;
    longest = t->exposed;
    found = t->group;
  }
  return found;
}

/* Axes by traffic, most first: those lie innermost. False: they lie so already. */
static bool order_axes(const doubts *d, uint32_t order[32])
{
  bool other = false;
  for (uint32_t a = 0; a < d->ir->axes_count; a++) {
    uint32_t at = a;
    for (; at && traffic_of(d, order[at - 1]) < traffic_of(d, a); at--)
      order[at] = order[at - 1];
    order[at] = a;
    other |= at != a;
  }
  return other;
}

/* The device of each rank, were the axes in this order: only where a rank lies changes with it. */
static const uint32_t *placed(const doubts *d, const ts_ranks *ranks, const uint32_t *order)
{
  uint32_t *vertex = TS_NEW_ARRAY(d->arena, uint32_t, ranks->world + 1);
  for (uint32_t r = 0; r < ranks->world; r++) {
    uint32_t position = 0, stride = 1;
    for (uint32_t i = 0; i < d->ir->axes_count; i++) {
      const ts_ir_axis *axis = &d->ir->axes[order[i]];
      position += r / axis->stride % axis->size * stride;
      stride *= axis->size;
    }
    vertex[r] = ranks->vertex[position];
  }
  return vertex;
}

/* The step of another IR, which leaves out the same rounds. False: it does not play. */
static bool step_of(doubts *d, const ts_ir *ir, uint64_t *step)
{
  ts_stop stop = {.arena = d->arena};
  if (!ir->left_out)
    return ts_run_step(ir, d->options, step, &stop);
  ts_run *run = ts_run_new(ir, d->options, &stop);
  if (run)
    *step = ts_run_result(run)->step;
  ts_run_free(run);
  d->unsteady |= stop.unsteady;
  return run != NULL;
}

static void doubt_order(doubts *d, const ts_ranks *ranks)
{
  uint32_t order[32], group;
  if (d->ir->placement_count || d->s->result->nodes_played > cheap_nodes ||
      (group = spread_group(d, ranks)) == TS_IR_NONE || !order_axes(d, order))
    return;
  ts_ir other = *d->ir;
  uint64_t step = 0;
  other.placement = placed(d, ranks, order);
  other.placement_count = ranks->world;
  if (!step_of(d, &other, &step) ||
      (double)step > (1 - gain_matters) * (double)d->s->result->step)
    return;
  const char *mesh = "";
  for (uint32_t i = 0; i < d->ir->axes_count; i++)
    mesh = ts_arena_printf(d->arena, "%s%s%s", mesh, i ? ", " : "",
                           string(d, d->ir->axes[order[i]].name));
  const char *name = string(d, d->ir->groups[group].name);
  ts_warning *w =
    warn(d, "W0806", d->ir->meta->mesh_loc,
         ts_arena_printf(
           d->arena, "axis `%s` of the mesh crosses islands: with `{ %s }` a step takes %s, not %s",
           name, mesh, ts_format_time(step).text, ts_format_time(d->s->result->step).text));
  ts_warning_here(d->arena, w, "the first axis is innermost, inside an island");
  ts_warning_help(d->arena, w,
                  "put the axes that communicate most first: `mesh = { %s }`, with unchanged sizes",
                  mesh);
}

/* ---- Equal paths ---- */

/* With every connection where least goes so far, on paths that are equal to the one it has. */
static bool step_spread_evenly(doubts *d, uint64_t *step)
{
  ts_ir other = *d->ir;
  ts_ir_net_model *models =
    ts_arena_copy(d->arena, d->ir->net_models, d->ir->net_models_count * sizeof *models);
  for (uint32_t m = 0; m < d->ir->net_models_count; m++)
    if (models[m].kind == TS_IR_NET_FLOW)
      models[m].routing = TS_IR_ROUTE_ADAPTIVE;
  other.net_models = models;
  return step_of(d, &other, step);
}

static void doubt_paths(doubts *d)
{
  uint32_t model = TS_IR_NONE;
  ts_path_use use = {0, 0};
  for (uint32_t m = 0; m < d->ir->net_models_count; m++)
    if (d->s->result->path_uses[m].idle > use.idle && ts_network_use_of(d->s->result, m).calls) {
      use = d->s->result->path_uses[m];
      model = m;
    }
  uint64_t step = 0;
  if (!use.idle || d->s->result->nodes_played > cheap_nodes || !step_spread_evenly(d, &step) ||
      (double)step > (1 - gain_matters) * (double)d->s->result->step)
    return;
  ts_warning *w =
    warn(d, "W0810", d->ir->net_models[model].loc,
         ts_arena_printf(
           d->arena,
           "%s of %s links of equal paths are unused: with all of them a step takes %s, not %s",
           ts_format_count(use.idle).text, ts_format_count(use.offered).text,
           ts_format_time(step).text, ts_format_time(d->s->result->step).text));
  ts_warning_here(d->arena, w, "`routing: \"%s\"`",
                  ts_ir_routing_names[d->ir->net_models[model].routing]);
  ts_warning_help(d->arena, w,
                  "if the fabric spreads its load, state `routing: \"adaptive\"`; or give the "
                  "model more `channels`");
}

/* ---- Communication that nobody measured ---- */

/* Links that answer because they were asked for (`--network`) are no slip. */
static void doubt_network(doubts *d)
{
  ts_network_use links = ts_network_use_of(d->s->result, d->ir->net_models_count);
  double assumed = 0, bare = d->options->network ? 0 : ts_summary_share(d->s, &links);
  uint32_t loc = TS_IR_NONE;
  for (uint32_t m = 0; m < d->ir->net_models_count; m++) {
    ts_network_use use = ts_network_use_of(d->s->result, m);
    if (!d->ir->net_models[m].assumed || !use.calls)
      continue;
    assumed += ts_summary_share(d->s, &use);
    loc = d->ir->net_models[m].loc;
  }
  if (assumed + bare < assumed_matters)
    return;
  const char *by = bare == 0    ? "assumed figures" :
                   assumed == 0 ? d->ir->net_models_count ?
                                  "the links' own rates, as no model covers it" :
                                  "the links' own rates, as the plan has no `network`" :
                                  "assumed figures and the links' own rates";
  ts_warning *w = warn(d, "W0807", loc != TS_IR_NONE ? loc : d->ir->meta->plan_loc,
                       ts_arena_printf(d->arena, "communication for %s of the step is priced by %s",
                                       ts_format_share(assumed + bare).text, by));
  if (assumed > 0 && bare > 0)
    ts_warning_fact(d->arena, w, "by links", "%s", ts_format_share(bare).text);
  ts_warning_help(d->arena, w,
                  "put a measured table or a calibrated model of these tiers and calls first in "
                  "`network`: `measured(table \"nccl.csv\")`, `trainspec fit network`");
}

bool ts_plausible(ts_summary *s, const ts_run_options *options)
{
  doubts d = {s, s->ir, s->arena, options, NULL, false};
  doubt_mfu(&d);
  doubt_links(&d);
  doubt_tables(&d);
  doubt_roofline(&d);
  if (!s->ir->devices_count)
    return true;
  const ts_ranks *ranks = ts_run_facts(s->run)->tables->ranks;
  d.island = ts_ir_parts(d.arena, d.ir, 0);
  doubt_idle(&d, ranks);
  doubt_order(&d, ranks);
  doubt_paths(&d);
  doubt_network(&d);
  return !d.unsteady;
}
