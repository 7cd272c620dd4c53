#include "base/table.h"
#include "runtime/account/run.h"
#include "runtime/play/sharing.h"
#include "runtime/report/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ir/names.h"
#include "ir/spelling.h"

const char *ts_phase_name(uint32_t phase)
{
  static const char *const names[] = {[TS_IR_PHASE_FORWARD] = "forward",
                                                  [TS_IR_PHASE_BACKWARD_INPUT] = "backward (input)",
                                                  [TS_IR_PHASE_BACKWARD_WEIGHT] =
                                                    "backward (weight)",
                                                  [TS_IR_PHASE_RECOMPUTE] = "recompute",
                                                  [TS_IR_PHASE_OPTIMIZER] = "optimizer",
                                                  [TS_IR_PHASE_COMMUNICATION] = "communication",
                                                  [TS_IR_PHASE_OTHER] = "other"};
  TS_TABLE(names, TS_IR_PHASES);
  return names[phase];
}

const char *ts_phase_column(uint32_t phase)
{
  static const char *const names[] = {
    [TS_IR_PHASE_FORWARD] = "forward_ps",
    [TS_IR_PHASE_BACKWARD_INPUT] = "backward_input_ps",
    [TS_IR_PHASE_BACKWARD_WEIGHT] = "backward_weight_ps",
    [TS_IR_PHASE_RECOMPUTE] = "recompute_ps",
    [TS_IR_PHASE_OPTIMIZER] = "optimizer_ps",
    [TS_IR_PHASE_COMMUNICATION] = "communication_compute_ps",
    [TS_IR_PHASE_OTHER] = "other_ps"};
  TS_TABLE(names, TS_IR_PHASES);
  return names[phase];
}

const char *ts_category_name(uint32_t category)
{
  static const char *const names[] = {
    [TS_IR_PARAMETERS] = "parameters",   [TS_IR_GRADIENTS] = "gradients",
    [TS_IR_OPTIMIZER] = "optimizer",     [TS_IR_ACTIVATIONS] = "activations",
    [TS_IR_TEMPORARIES] = "temporaries", [TS_IR_BUFFERS] = "buffers"};
  TS_TABLE(names, TS_IR_CATEGORIES);
  return names[category];
}

const char *ts_basis_name(uint32_t basis)
{
  static const char *const names[] = {
    [TS_IR_STATED] = "stated", [TS_IR_MEASURED] = "measured", [TS_IR_INTERPOLATED] = "interpolated",
    [TS_IR_FITTED] = "fitted", [TS_IR_ROOFLINE] = "roofline", [TS_IR_EXTERN] = "extern",
    [TS_IR_HELD] = "held"};
  TS_TABLE(names, TS_IR_BASES);
  return names[basis];
}

const char *ts_critical_name(ts_critical_kind kind)
{
  static const char *const names[] = {[TS_CRITICAL_COMPUTE] = "compute",
                                                       [TS_CRITICAL_COLLECTIVE] = "collective",
                                                       [TS_CRITICAL_MESSAGE] = "message",
                                                       [TS_CRITICAL_HOST] = "host"};
  TS_TABLE(names, TS_CRITICAL_KINDS);
  return names[kind];
}

static void add_split(ts_time_split *sum, const ts_class_result *c)
{
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    sum->phase[p] += (double)c->phase[p] * c->count;
  sum->compute += (double)ts_class_compute(c) * c->count;
  sum->exposed += (double)ts_class_exposed(c) * c->count;
  sum->bubble += (double)c->bubble * c->count;
  sum->host += (double)c->host * c->count;
  sum->tail += (double)c->tail * c->count;
}

static void divide_split(ts_time_split *sum, double ranks)
{
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    sum->phase[p] /= ranks;
  sum->compute /= ranks;
  sum->exposed /= ranks;
  sum->bubble /= ranks;
  sum->host /= ranks;
  sum->tail /= ranks;
}

static uint64_t summary_work_of(const ts_class_result *c)
{
  return ts_class_compute(c) + ts_class_exposed(c);
}

static void sum_stages(ts_summary *s)
{
  uint32_t *stage_of = TS_NEW_ARRAY(s->arena, uint32_t, s->ir->programs_count + 1); /* index + 1 */
  ts_stage_summary *stages = TS_NEW_ARRAY(s->arena, ts_stage_summary, s->ir->programs_count + 1);
  const ts_class_result *classes = s->result->classes;
  for (uint32_t c = 0; c < s->result->class_count; c++)
    stage_of[classes[c].program] = 1;
  for (uint32_t p = 0; p < s->ir->programs_count; p++) {
    if (stage_of[p]) {
      stages[s->stage_count].program = p;
      stages[s->stage_count].busiest = stages[s->stage_count].fullest = TS_IR_NONE;
      stage_of[p] = ++s->stage_count;
    }
  }
  for (uint32_t c = 0; c < s->result->class_count; c++) {
    ts_stage_summary *stage = &stages[stage_of[classes[c].program] - 1];
    add_split(&stage->time, &classes[c]);
    stage->ranks += classes[c].count;
    if (stage->busiest == TS_IR_NONE ||
        summary_work_of(&classes[c]) > summary_work_of(&classes[stage->busiest]))
      stage->busiest = c;
    if (stage->fullest == TS_IR_NONE ||
        s->memory->classes[c].peak > s->memory->classes[stage->fullest].peak)
      stage->fullest = c;
    add_split(&s->time, &classes[c]);
    if (summary_work_of(&classes[c]) > summary_work_of(&classes[s->busiest]))
      s->busiest = c;
  }
  for (uint32_t i = 0; i < s->stage_count; i++)
    divide_split(&stages[i].time, stages[i].ranks);
  divide_split(&s->time, s->ir->meta->world);
  s->stages = stages;
  if (s->result->class_count)
    s->busiest_stage = stage_of[classes[s->busiest].program] - 1;
}

static void sum_groups(ts_summary *s)
{
  uint32_t count = 2 * s->ir->groups_count;
  ts_group_total *all = TS_NEW_ARRAY(s->arena, ts_group_total, count + 1);
  for (uint32_t c = 0; c < s->result->class_count; c++) {
    const ts_class_result *class = &s->result->classes[c];
    double weight = (double)class->count / s->ir->meta->world;
    for (uint32_t i = 0; i < class->comm_count; i++) {
      const ts_comm_share *comm = &class->comms[i];
      ts_group_total *g = &all[2 * comm->group + comm->messages];
      g->calls += weight * (double)comm->calls;
      g->bytes += weight * (double)comm->bytes;
      g->busy += weight * (double)comm->busy;
      g->exposed += weight * (double)comm->exposed;
      g->transfer += weight * (double)comm->transfer;
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    if (all[i].calls > 0 || all[i].exposed > 0) {
      all[i].group = i / 2;
      all[i].messages = i % 2;
      all[s->group_count++] = all[i];
    }
  }
  s->groups = all;
}

static int longer(const void *x, const void *y)
{
  const ts_source_share *a = x, *b = y;
  return a->time != b->time    ? (a->time < b->time ? 1 : -1) :
         a->source < b->source ? -1 :
                                 a->source > b->source;
}

/* Which source priced the kernels. A device's speed stretches all its kernels alike, so shares come
 * from times at speed 1. */
static void sum_sources(ts_summary *s)
{
  const ts_ir *ir = s->ir;
  uint32_t rows = ir->cost_sources_count + 1; /* the last: stated in the plan */
  double *by_fragment = TS_NEW_ARRAY(s->arena, double, (size_t)rows * ir->fragments_count + 1);
  for (uint32_t f = 0; f < ir->fragments_count; f++) {
    for (uint32_t n = 0; n < ir->fragments[f].node_count; n++) {
      const ts_ir_node *node = &ir->nodes[ir->fragments[f].first_node + n];
      if (node->op != TS_IR_COMPUTE)
        continue;
      const ts_ir_kernel *kernel = &ir->kernels[node->arg];
      uint32_t row = kernel->source == TS_IR_NONE ? rows - 1 : kernel->source;
      by_fragment[(size_t)f * rows + row] += (double)kernel->time;
    }
  }
  ts_source_share *shares = TS_NEW_ARRAY(s->arena, ts_source_share, rows);
  double total = 0;
  double *plays = TS_NEW_ARRAY(s->arena, double, ir->fragments_count + 1);
  for (uint32_t i = 0; i < s->stage_count; i++)
    ts_ir_count_plays(ir, s->stages[i].program, s->stages[i].ranks, plays);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t r = 0; r < rows; r++)
      shares[r].time += by_fragment[(size_t)f * rows + r] * plays[f];
  for (uint32_t r = 0; r < rows; r++) {
    shares[r].source = r == rows - 1 ? TS_IR_NONE : r;
    total += shares[r].time;
  }
  for (uint32_t r = 0; r < rows; r++) {
    if (shares[r].time > 0)
      shares[s->source_count++] = (ts_source_share){shares[r].source, shares[r].time / total};
  }
  qsort(shares, s->source_count, sizeof *shares, longer);
  s->sources = shares;
  for (uint32_t c = 0; c < s->result->class_count; c++)
    for (uint32_t b = 0; b < TS_IR_BASES; b++)
      s->basis[b] += (double)s->result->classes[c].basis[b] * s->result->classes[c].count;
}

/* what the nodes of the IR contain */
typedef struct facts { bool host, optimizer, communication; } facts;

static facts facts_of(const ts_ir *ir)
{
  facts f = {false, false, false};
  for (uint32_t n = 0; n < ir->nodes_count; n++) {
    const ts_ir_node *node = &ir->nodes[n];
    f.host |= node->host_ps > 0;
    f.optimizer |= node->phase == TS_IR_PHASE_OPTIMIZER;
    f.communication |= node->op == TS_IR_COLLECTIVE || node->op == TS_IR_SEND;
  }
  return f;
}

typedef TS_VEC(const char *) sentences;

__attribute__((format(printf, 3, 4))) static void say(const ts_summary *s, sentences *list,
                                                      const char *format, ...)
{
  va_list args;
  va_start(args, format);
  TS_PUSH(s->arena, list, ts_arena_vprintf(s->arena, format, args));
  va_end(args);
}

enum { MOST_EXTRAPOLATIONS = 4 };

/* "extrapolated: all_reduce over 16 ranks, 1.5 GiB to 2 GiB", times that the links cannot do, and
 * calls that no model could do. */
static void list_extrapolations(const ts_summary *s, sentences *list)
{
  uint32_t n = 0, all = s->result->extrapolation_count, count = 0;
  /* they come last */
  while (count < all && s->result->extrapolations[count].doubt < TS_DOUBT_SHAPE)
    count++;
  for (; n < count && n < MOST_EXTRAPOLATIONS; n++) {
    const ts_extrapolation *e = &s->result->extrapolations[n];
    const char *more = e->max > e->min ?
                         ts_arena_printf(s->arena, " to %s", ts_format_bytes((double)e->max).text) :
                         "";
    if (e->model == TS_IR_NONE && e->doubt == TS_DOUBT_BEYOND) {
      say(s, list,
          "no model in `network` for %s over %u ranks in %u island%s: the links' own rates",
          ts_ir_collective_names[e->kind], e->ranks, e->islands, e->islands == 1 ? "" : "s");
      continue;
    }
    static const char *const doubts[] = {
      [TS_DOUBT_RAISED] = "shorter than the links allow, raised",
      [TS_DOUBT_FASTER] = "measured, shorter than these links allow",
      [TS_DOUBT_BEYOND] = "extrapolated"};
    TS_TABLE(doubts, TS_DOUBT_SHAPE);
    say(s, list, "%s: %s over %u ranks, %s%s", doubts[e->doubt], ts_ir_collective_names[e->kind],
        e->ranks, ts_format_bytes((double)e->min).text, more);
  }
  ts_network_use beyond = {0};
  for (uint32_t m = 0; m < s->ir->net_models_count; m++)
    beyond.time += ts_network_use_of(s->result, m).beyond;
  if (beyond.time > 0)
    say(s, list, "calls beyond what their models were measured on: %s of the step",
        ts_format_share(ts_summary_share(s, &beyond)).text);
  if (n < count)
    say(s, list,
        "times of %u more kinds of calls are extrapolated, or shorter than the links allow",
        count - MOST_EXTRAPOLATIONS);
}

/* How many sources of measured times name no device. */
static uint32_t unknown_devices(const ts_summary *s)
{
  const ts_ir *ir = s->ir;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->source_count; i++) {
    uint32_t source = s->sources[i].source;
    bool measured = false;
    if (source == TS_IR_NONE || *(ir->strings + ir->cost_sources[source].device))
      continue;
    for (uint32_t k = 0; k < ir->kernels_count && !measured; k++)
      measured = ir->kernels[k].source == source && ir->kernels[k].basis >= TS_IR_MEASURED &&
                 ir->kernels[k].basis <= TS_IR_FITTED;
    count += measured;
  }
  return count;
}

ts_text ts_summary_calls(const ts_summary *s, const ts_network_use *use)
{
  double mean = (double)use->calls / s->ir->meta->world;
  return mean < 1 ? (ts_text){"below 1"} : ts_format_count((uint64_t)llround(mean));
}

double ts_summary_share(const ts_summary *s, const ts_network_use *use)
{
  return s->result->step ? use->time / ((double)s->result->step * s->ir->meta->world) : 0;
}

/* Models that answered without knowing which links their figures hold for. */
static void list_blind(const ts_summary *s, sentences *list)
{
  for (uint32_t m = 0; s->result->network_uses && m < s->ir->net_models_count; m++) {
    const ts_network_use *inside = &s->result->network_uses[2 * m], *between = inside + 1;
    bool blind = (inside->are.intra_pace > 0 && !(inside->seen.intra_pace > 0)) ||
                 (between->are.inter_pace > 0 && !(between->seen.inter_pace > 0));
    if (blind)
      say(s, list, "`%s` names no links that it was measured on: it ignores link rates",
          ts_report_fit(s->arena, s->ir->strings + s->ir->net_models[m].name, 20));
  }
}

/* " in fp8": formats of the model's FLOPs whose rate is not known, if that of others is. */
static const char *without_rate(ts_arena *arena, const ts_ir *ir)
{
  const char *names = "";
  bool known = false;
  for (uint32_t i = 0; i < ir->formats_count; i++) {
    known |= ir->formats[i].peak > 0;
    if (!(ir->formats[i].peak > 0))
      names = ts_arena_printf(arena, "%s%s%s", names, *names ? ", " : " in ",
                              ir->strings + ir->formats[i].dtype);
  }
  return known ? names : "";
}

/* What becomes of kernels of several streams that compute beside each other. */
static void list_sharing(const ts_summary *s, sentences *list)
{
  uint32_t shared = ts_streams_that_compute(s->ir, false),
           unshared = ts_streams_that_compute(s->ir, true);
  if (shared > 1)
    say(s, list,
        s->result->turns ?
          "%u streams that compute take turns on the device, the highest priority first" :
          "%u streams that compute share the device, a part for each kernel under way",
        shared);
  if (unshared > 1)
    say(s, list, "%u streams that compute keep their times beside each other, as given", unshared);
}

/* How much of the packets was not played, and on what that rests. */
static void list_skipped(const ts_summary *s, sentences *list)
{
  bool may_skip = false;
  for (uint32_t m = 0; m < s->ir->net_models_count; m++)
    may_skip |= s->ir->net_models[m].packets.steady > 0;
  ts_link_uses uses = may_skip ? ts_run_link_uses(s->run, s->arena) : (ts_link_uses){0};
  uint64_t packets = 0, skipped = 0;
  for (uint32_t i = 0; i < uses.tier_count; i++) {
    packets += uses.tiers[i].packets;
    skipped += uses.tiers[i].skipped;
  }
  if (skipped)
    say(s, list, "%s of the packets skipped, at rates steady within %.3g %%",
        ts_format_share((double)skipped / (double)packets).text, 100 * uses.steady);
}

static bool links_fail(const ts_ir *ir)
{
  for (uint32_t c = 0; c < ir->link_classes_count; c++)
    if (ir->link_classes[c].loss > 0 || ir->link_classes[c].down)
      return true;
  return false;
}

static void list_assumptions(ts_summary *s)
{
  const ts_ir *ir = s->ir;
  facts f = facts_of(ir);
  sentences all = {0}, *list = &all;
  for (uint32_t i = 0; i < ir->remarks_count; i++)
    if (ir->remarks[i].kind == TS_IR_REMARK_ASSUMED)
      TS_PUSH(s->arena, list, ir->strings + ir->remarks[i].text);
  if (!f.host)
    say(s, list, "no `host`: issuing work costs no time");
  if (f.communication && !ir->devices_count)
    say(s, list, "no `cluster`: communication costs no time");
  else if (f.communication && !ir->net_models_count)
    say(s, list, "no `network`: links carry their full bandwidth at their own latency");
  if (!f.optimizer)
    say(s, list, "no `optimizer`: the step ends with the gradients");
  if (!ir->meta->tokens_per_step && !ir->meta->samples_per_step)
    say(s, list, "no `batch`: throughput is unknown");
  if (!(ir->meta->model_flops_per_step > 0))
    say(s, list, "the model states no FLOP: its rate is unknown");
  else if (!(ir->meta->peak_flops > 0))
    say(s, list, "the devices state no peak rate%s: MFU is unknown",
        without_rate(s->arena, ir));
  if (!s->memory->stated)
    say(s, list, "the plan states no memory: it is not counted");
  else if (!s->memory->classes[s->memory->fullest].limit)
    say(s, list, "the devices state no memory: it is unlimited");
  list_sharing(s, list);
  if (s->result->supposed)
    say(s, list, "the slowdown model takes %s of a kernel as its rows of the same family had it",
        s->result->supposed);
  if (s->result->unfelt)
    say(s, list, "the slowdown model learned from %s, which simulations do not know",
        s->result->unfelt);
  if (s->result->unseen)
    say(s, list, "the slowdown model has never seen: %s", s->result->unseen);
  if (s->result->idle_rows)
    say(s, list, "without effect in the slowdown model: %s", s->result->idle_rows);
  uint32_t unknown = unknown_devices(s);
  if (unknown)
    say(s, list, "%u source%s of measured times name%s no device: assumed to be for this one",
        unknown, unknown == 1 ? "" : "s", unknown == 1 ? "s" : "");
  if (f.communication && ir->devices_count)
    TS_PUSH(s->arena, list,
            !s->result->contention ? "no link contention (--contention adds it)" :
            ts_run_facts(s->run)->packets ?
                                     "link contention is on for models of flows and packets alone" :
                                     "link contention is on for models of flows alone");
  list_skipped(s, list);
  if (f.communication && links_fail(ir))
    TS_PUSH(s->arena, list, "links that lose packets or go down do so for models of packets alone");
  if (s->basis[TS_IR_HELD] > 0)
    say(s, list, "%s of the compute time is held as recorded: no what-if moves it",
        ts_format_share(s->basis[TS_IR_HELD] / (s->time.compute * ir->meta->world)).text);
  uint32_t doubts = s->result->extrapolation_count;
  if (doubts && s->result->extrapolations[doubts - 1].doubt == TS_DOUBT_SHAPE)
    say(s, list, "alpha_beta: rings, or trees where these are faster for an all-reduce");
  const ts_energy *e = &s->energy;
  if (ts_is_stated(e->joules))
    say(s, list, "energy at the power limit %s%s", e->idle ? "except while idle" : "all the time",
        e->host ? "" : "; what serves them is left out");
  if (ts_is_stated(e->dollars))
    say(s, list, "cost: a device costs %s an hour, at work or not",
        ts_format_dollars(e->dollars / s->seconds * 3600 / ir->meta->world).text);
  list_blind(s, list);
  list_extrapolations(s, list);
  s->assumption_count = (uint32_t)all.count;
  s->assumptions = all.at;
}

const ts_summary *ts_summary_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                 const ts_memory *memory, const char *network)
{
  ts_summary *s = TS_NEW(arena, ts_summary);
  *s = (ts_summary){.arena = arena,
                    .ir = ir,
                    .run = run,
                    .result = ts_run_result(run),
                    .memory = memory,
                    .network = network};
  s->seconds = (double)s->result->step * 1e-12;
  s->tokens_per_second = ts_ratio_of((double)ir->meta->tokens_per_step, s->seconds);
  s->samples_per_second = ts_ratio_of((double)ir->meta->samples_per_step, s->seconds);
  s->energy = ts_energy_of(ir, s->result);
  sum_stages(s);
  ts_summary_utilization(s);
  sum_groups(s);
  sum_sources(s);
  list_assumptions(s);
  const ts_memory_class *fullest =
    memory->stated ? &memory->classes[memory->fullest] : NULL;
  s->confidence = ts_confidence_new(arena, ir, s->result, fullest ? (double)fullest->peak : 0,
                                    fullest ? (double)fullest->reserved : 0);
  ts_warnings_of_ir(arena, ir, &s->warnings);
  return s;
}
