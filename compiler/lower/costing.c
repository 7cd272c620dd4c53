#include "compiler/lower/costing.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/report.h"
#include "compiler/lower/device.h"
#include "compiler/lower/traced_models.h"
#include "compiler/lower/traced_sources.h"
#include "compiler/model/traced.h"
#include "ir/ir.h"

/* Kernels of a family that a source answers beyond what it learned from: how many, and the one
 * furthest out. */
typedef struct beyond {
  uint32_t source, kernels;
  const char *family;
  ts_cost_answer answer;
  ts_span span;
} beyond;

typedef struct op_known { const char *op; bool backward, known; } op_known;

typedef struct ts_asking {
  ts_session *s;
  const ts_plan *plan;
  TS_VEC(const ts_cost_chain *) sources;
  TS_VEC(ts_cost_query) keys; /* of kernels already priced, in the order of `priced` */
  /* theirs, where some source minds them; else 0, so that what is alike is one */
  TS_VEC(uint32_t) passes;
  TS_VEC(uint32_t) priced;
  bool minds_pass;
  TS_VEC(op_known) ops;      /* that kernels were asked of */
  TS_VEC(beyond) beyond;
} ts_asking;

ts_costing *ts_costing_new(ts_session *s, const ts_plan *plan)
{
  ts_costing *c = TS_NEW(s->arena, ts_costing);
  unsigned errors = ts_diags_errors(s->diags);
  c->asking = TS_NEW(s->arena, ts_asking);
  *c->asking = (ts_asking){.s = s, .plan = plan};
  for (uint32_t i = 0; plan->costs.type == TS_T_LIST && i < plan->costs.u.list->count; i++) {
    ts_source_name name = {0};
    const ts_cost_chain *a = ts_cost_chain_new(s, plan, plan->costs.u.list->at[i], &name);
    if (!a)
      continue;
    TS_PUSH(s->arena, &c->asking->sources, a);
    c->asking->minds_pass |= ts_cost_chain_minds_pass(a);
    TS_PUSH(s->arena, &c->sources, name);
  }
  return ts_diags_errors(s->diags) > errors ? NULL : c;
}

uint64_t ts_costing_time(const ts_costing *c, uint32_t index)
{
  const ts_priced *p = &c->kernels.at[index];
  const ts_calibration *k = c->calibration;
  return k ? ts_calibrated_time(k, ts_calibration_of_kernel(k, p->family, p->dtype), p->time) :
             p->time;
}

/* -- one kernel -- */

/* Whether a source has times of the op's own kernels. Else they are asked for by family alone, so
 * that those of all ops that are alike are one. */
static bool knows_op(ts_asking *a, const char *op, bool backward)
{
  for (size_t i = 0; i < a->ops.count; i++)
    if (a->ops.at[i].op == op && a->ops.at[i].backward == backward)
      return a->ops.at[i].known;
  char family[TS_COST_OP];
  bool known = false;
  ts_cost_op_family(family, op, backward);
  for (size_t i = 0; i < a->sources.count && !known; i++) {
    const ts_cost_source *source = ts_cost_chain_table(a->sources.at[i]);
    known = source && ts_cost_knows(source, family);
  }
  TS_PUSH(a->s->arena, &a->ops, ((op_known){op, backward, known}));
  return known;
}

static ts_cost_query by_family(const ts_kernel *k)
{
  return (ts_cost_query){.family = k->family,
                         .dtype = k->dtype ? k->dtype->name : "",
                         .flops = k->flops,
                         .bytes = k->bytes,
                         .feature = k->features,
                         .feature_count = k->feature_count};
}

static ts_cost_query query_of(ts_asking *a, const ts_kernel *k)
{
  ts_cost_query q = by_family(k);
  if (k->op && knows_op(a, k->op, k->pass > 1))
    ts_kernel_of_op(k, k->pass, &q);
  return q;
}

static bool same_query(const ts_cost_query *a, const ts_cost_query *b)
{
  if (a->family != b->family || a->dtype != b->dtype || a->flops != b->flops ||
      a->bytes != b->bytes || a->feature_count != b->feature_count || a->op != b->op ||
      a->backward != b->backward || a->share != b->share || a->size_count != b->size_count)
    return false;
  for (uint32_t i = 0; i < a->size_count; i++)
    if (strcmp(a->size[i].name, b->size[i].name) != 0 || a->size[i].value != b->size[i].value)
      return false;
  for (uint32_t i = 0; i < a->feature_count; i++)
    if (a->feature[i].name != b->feature[i].name || a->feature[i].value != b->feature[i].value)
      return false;
  return true;
}

static const char *key_text(ts_session *s, const ts_cost_query *q)
{
  const char *text = ts_arena_printf(s->arena, "%s, %s", q->family, q->dtype);
  for (uint32_t i = 0; i < q->feature_count; i++)
    text = ts_arena_printf(s->arena, "%s, %s %.17g", text, q->feature[i].name, q->feature[i].value);
  char flops[64], bytes[64];
  ts_quantity_print(flops, sizeof flops, q->flops, TS_DIM_WORK);
  ts_quantity_print(bytes, sizeof bytes, 8 * q->bytes, TS_DIM_SIZE);
  return ts_arena_printf(s->arena, "%s, %s, %s", text, flops, bytes);
}

static const char *near_text(ts_session *s, const ts_table_near *n)
{
  const char *text = ts_arena_printf(s->arena, "line %u: %s", n->line, n->family);
  for (uint32_t i = 0; i < n->feature_count; i++)
    text = ts_arena_printf(s->arena, "%s, %s %g", text, n->name[i], n->value[i]);
  return text;
}

/* Whether a roofline of the plan does not answer for want of a rate that its gpu does not state. */
static bool is_unrated(const ts_asking *a, const ts_cost_query *q)
{
  for (size_t i = 0; i < a->sources.count && q->flops > 0; i++) {
    const ts_cost_source *source = ts_cost_chain_table(a->sources.at[i]);
    if (source && ts_cost_lacks_rate(source, q->dtype))
      return true;
  }
  return false;
}

static void no_cost(ts_costing *c, const ts_kernel *k, const ts_cost_query *q, const char *label)
{
  ts_session *s = c->asking->s;
  ts_span at = c->asking->plan->span_of[TS_PLAN_costs];
  ts_diag *d = ts_report(s, TS_E0501, at.file ? at : k->span,
                         "no cost source knows the kernel `%s` of `%s`", q->family, label);
  ts_diag_here(d, "%zu source%s asked", c->sources.count, c->sources.count == 1 ? "" : "s");
  ts_diag_note_at(d, k->span, "the kernel");
  ts_diag_fact(d, "key", "%s", key_text(s, q));
  for (size_t i = 0; i < c->asking->sources.count; i++) {
    ts_table_near near[3];
    const ts_cost_source *table = ts_cost_chain_table(c->asking->sources.at[i]);
    uint32_t n = table ? ts_table_nearest(table, q, near, 3) : 0;
    const char *text = "";
    for (uint32_t r = 0; r < n; r++)
      text = ts_arena_printf(s->arena, "%s%s%s", text, r ? "\n" : "", near_text(s, &near[r]));
    if (n)
      ts_diag_fact(d, ts_arena_printf(s->arena, "nearest in %s", c->sources.at[i].name), "%s",
                   text);
  }
  if (is_unrated(c->asking, q))
    ts_diag_help(d,
                 "the gpu of the roofline has no rate in %s: state what it computes this at, "
                 "`gpu with { peak = { ..., %s: 20 TFLOP/s } }`",
                 q->dtype, q->dtype);
  else
    ts_diag_help(d, "end the list with a source for every kernel, such as `roofline(gpu)`");
}

/* Which of the warnings the answer belongs to, from 1. */
static uint32_t note_beyond(ts_asking *a, uint32_t source, const char *family,
                            const ts_cost_answer *answer, ts_span span)
{
  for (size_t i = 0; i < a->beyond.count; i++) {
    beyond *b = &a->beyond.at[i];
    if (b->source != source || b->family != family)
      continue;
    b->kernels++;
    if (answer->far > b->answer.far)
      b->answer = *answer, b->span = span;
    return (uint32_t)i + 1;
  }
  TS_PUSH(a->s->arena, &a->beyond, ((beyond){source, 1, family, *answer, span}));
  return (uint32_t)a->beyond.count;
}

/* Time of all kernels, and in share[] that of each warning. */
static double add_beyond(const ts_costing *c, const double *runs, double *share)
{
  double total = 0;
  for (size_t k = 0; k < c->kernels.count; k++) {
    double time = runs[k] * (double)c->kernels.at[k].time;
    total += time;
    if (c->kernels.at[k].beyond)
      share[c->kernels.at[k].beyond - 1] += time;
  }
  return total;
}

/* -- costs of another device -- */

typedef TS_VEC(const char *) name_list;

/* In share[] that of each source on each gpu. */
static double time_of_source(const ts_costing *c, const double *runs, double *share)
{
  double total = 0;
  size_t gpus = c->gpus.count ? c->gpus.count : 1;
  for (size_t k = 0; k < c->kernels.count; k++) {
    const ts_priced *p = &c->kernels.at[k];
    double time = runs[k] * (double)p->time;
    total += time;
    if (p->source != TS_NO_INDEX)
      share[p->source * gpus + p->gpu] += time;
  }
  return total;
}

/* The gpu of the plan's ranks, or of its cluster, that the source's device is not. */
static const ts_value *other_gpu(const ts_costing *c, const ts_source_name *source, size_t gpu)
{
  ts_asking *a = c->asking;
  if (!c->gpus.count)
    return ts_other_gpu(a->s, a->plan, source->device);
  return !source->device || ts_gpu_called(a->s, c->gpus.at[gpu], source->device) ?
           NULL :
           c->gpus.at[gpu];
}

static void add_once(ts_arena *arena, name_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->at[i], name))
      return;
  TS_PUSH(arena, list, name);
}

/* Warns of costs of devices that the cluster has not (W0531). */
static void warn_of_devices(const ts_costing *c, const double *runs)
{
  ts_asking *a = c->asking;
  ts_session *s = a->s;
  name_list names = {0}, devices = {0};
  const ts_source_name *first = NULL;
  const ts_value *gpu = NULL;
  size_t gpus = c->gpus.count ? c->gpus.count : 1;
  double *share = TS_NEW_ARRAY(s->arena, double, c->sources.count * gpus + 1),
         total = time_of_source(c, runs, share), wrong = 0;
  for (size_t i = 0; i < c->sources.count * gpus; i++) {
    const ts_source_name *n = &c->sources.at[i / gpus];
    const ts_value *other = share[i] > 0 ? other_gpu(c, n, i % gpus) : NULL;
    if (!other)
      continue;
    wrong += share[i];
    gpu = other;
    first = first ? first : n;
    add_once(s->arena, &names, n->name);
    add_once(s->arena, &devices, n->device);
  }
  if (!first)
    return;
  ts_span costs = a->plan->span_of[TS_PLAN_costs];
  bool trace = !strcmp(first->kind, "trace");
  ts_diag *d = ts_report(s, TS_W0531, trace || !costs.file ? first->span : costs,
                         "costs of %s in a plan for `%s`",
                         ts_listed(s->arena, devices.at, devices.count), gpu->u.record->name);
  ts_diag_here(d, "%.0f %% of the time of all ops rests on them", 100 * wrong / total);
  ts_diag_note_at(d, a->plan->span_of[TS_PLAN_cluster],
                  c->gpus.count > 1 ? "ranks on `%s` have no costs of their own" :
                                      "no device of this cluster has that name",
                  gpu->u.record->name);
  ts_diag_fact(d, "costs", "%s", ts_listed(s->arena, names.at, names.count));
  if (trace)
    ts_diag_help(
      d, "scale them by models of the operators, `trace(..., from: GPU)` with the gpu of the table; "
         "if it is the same device, declare so: `called = [\"%s\"]`",
      first->device);
  else
    ts_diag_help(d,
                 "scale them by the two rooflines, `scale(SOURCE, from: ..., to: %s)`; if it is "
                 "the same device, declare so: `called = [\"%s\"]`",
                 gpu->u.record->name, first->device);
}

/* Less than this share of the time is not worth a warning: if it is wrong by a tenth, the step is
 * by a hundredth. */
static const double beyond_matters = 0.1;

static void run_on_all(const ts_costing *c, uint32_t index, double *runs)
{
  const uint32_t *on = c->kernels.at[index].on;
  double ranks = 0;
  for (uint32_t n = 0; on && n < c->gpus.count; n++)
    ranks += c->ranks_on.at[n];
  for (uint32_t n = 0; ranks > 0 && n < c->gpus.count; n++)
    runs[on[n]] += c->ranks_on.at[n] / ranks;
  runs[index] += ranks > 0 ? 0 : 1;
}

double *ts_costing_runs(const ts_costing *c, const ts_graph *g, const ts_sharding *sh)
{
  double *runs = TS_NEW_ARRAY(c->asking->s->arena, double, c->kernels.count + 1);
  for (size_t i = 0; i < g->ops.count; i++) {
    const ts_work *work = &sh->classes.at[sh->class_of[i]].work;
    for (int p = 0; p < TS_PHASES; p++)
      for (uint32_t k = 0; k < work->phase[p].count; k++)
        if (!work->phase[p].at[k].host_only)
          run_on_all(c, work->phase[p].at[k].cost, runs);
  }
  return runs;
}

void ts_costing_tell(const ts_costing *c, const double *runs)
{
  ts_asking *a = c->asking;
  double *share = TS_NEW_ARRAY(a->s->arena, double, a->beyond.count + 1),
         total = add_beyond(c, runs, share);
  for (size_t i = 0; i < a->beyond.count; i++) {
    const beyond *b = &a->beyond.at[i];
    const ts_source_name *from = &c->sources.at[b->source];
    if (!(share[i] >= beyond_matters * total))
      continue;
    ts_diag *d =
      ts_report(a->s, TS_W0505, from->span.file ? from->span : b->span,
                "%u kernel%s of family `%s` lie%s beyond the data of `%s`", b->kernels,
                b->kernels == 1 ? "" : "s", b->family, b->kernels == 1 ? "s" : "", from->name);
    ts_diag_here(d, "`%s` is %.10g, the data go from %.10g to %.10g", b->answer.beyond,
                 b->answer.value, b->answer.low, b->answer.high);
    ts_diag_note_at(d, b->span, "the kernel that is furthest beyond");
    ts_diag_fact(d, "share", "%.0f %% of the time of all ops", 100 * share[i] / total);
    ts_diag_help(d, "the physical model extrapolates their times: measure these sizes, or put a "
                    "source that has them first in `costs`");
  }
  a->beyond.count = 0;
  warn_of_devices(c, runs);
}

/* More than a kernel may take stays more: ts_ir_kernel_of refuses it. */
static uint64_t whole_ps(double time)
{
  return time < 2. * TS_KERNEL_MOST ? (uint64_t)llround(time) : 2 * TS_KERNEL_MOST;
}
static uint64_t in_ps(double seconds) { return whole_ps(seconds * 1e12); }

static bool same_gpu(const ts_value *a, const ts_value *b)
{
  const ts_record *x = a->u.record, *y = b->u.record;
  return x == y || (x->name && y->name && !strcmp(x->name, y->name));
}

/* Whether the source speaks of this gpu; NULL: of the only one there is. */
static bool is_for(const ts_costing *c, uint32_t source, const ts_value *gpu)
{
  const ts_value *own = ts_cost_chain_gpu(c->asking->sources.at[source]);
  const char *device = c->sources.at[source].device;
  if (own && gpu)
    return same_gpu(own, gpu);
  const char *name = own ? own->u.record->name : NULL;
  if (own)
    return !name || !ts_other_gpu(c->asking->s, c->asking->plan, name);
  return !gpu || !device || ts_gpu_called(c->asking->s, gpu, device);
}

/* In order, those that are for the gpu; where none of them knows the kernel, the others (W0531). */
static bool costing_ask(ts_costing *c, const ts_kernel *k, const ts_cost_query *q,
                        const ts_value *gpu, ts_priced *priced)
{
  bool failed = false;
  uint32_t count = (uint32_t)c->asking->sources.count;
  for (uint32_t n = 0; n < 2 * count && !failed; n++) {
    uint32_t i = n % count;
    ts_cost_answer answer = {0};
    if (is_for(c, i, gpu) == (n < count) &&
        ts_cost_chain_ask(c->asking->s, c->asking->sources.at[i], q, k->pass, k->span, &answer,
                          &failed) &&
        isfinite(answer.seconds) && answer.seconds >= 0) {
      *priced = (ts_priced){.family = q->family,
                            .dtype = q->dtype,
                            .flops = q->flops,
                            .bytes = q->bytes,
                            .time = in_ps(answer.seconds),
                            .basis = (uint32_t)answer.basis,
                            .source = i,
                            .span = k->span};
      priced->extrapolated = answer.beyond || answer.assumed;
      if (answer.beyond)
        priced->beyond = note_beyond(c->asking, i, q->family, &answer, k->span);
      return true;
    }
  }
  priced->source = failed ? TS_NO_INDEX : 0;
  return false;
}

/* The kernel on every gpu that the plan's ranks are. */
static bool ask_of_all(ts_costing *c, const ts_kernel *k, const ts_cost_query *q, uint32_t *index,
                       ts_priced *priced)
{
  uint32_t count = (uint32_t)c->gpus.count,
           *on = count > 1 ? TS_NEW_ARRAY(c->asking->s->arena, uint32_t, count) : NULL;
  for (uint32_t n = 0; n == 0 || n < count; n++) {
    if (!costing_ask(c, k, q, count ? c->gpus.at[n] : NULL, priced))
      return false;
    priced->gpu = n;
    priced->on = on;
    if (on)
      on[n] = (uint32_t)c->kernels.count;
    *index = n ? *index : (uint32_t)c->kernels.count;
    TS_PUSH(c->asking->s->arena, &c->kernels, *priced);
  }
  return true;
}

uint32_t ts_costing_on(const ts_costing *c, uint32_t index, uint32_t gpus)
{
  const uint32_t *on = index == TS_NO_INDEX ? NULL : c->kernels.at[index].on;
  uint32_t slowest = TS_NO_INDEX;
  for (uint32_t n = 0; on && n < c->gpus.count; n++)
    if ((gpus >> n & 1) &&
        (slowest == TS_NO_INDEX || c->kernels.at[on[n]].time > c->kernels.at[slowest].time))
      slowest = on[n];
  return slowest == TS_NO_INDEX ? index : slowest;
}

uint32_t ts_costing_kernel(ts_costing *c, const ts_kernel *k, const char *label)
{
  ts_asking *a = c->asking;
  ts_cost_query q = query_of(a, k);
  uint32_t pass = a->minds_pass ? k->pass : 0;
  for (size_t i = 0; i < a->keys.count; i++)
    if (same_query(&a->keys.at[i], &q) && a->passes.at[i] == pass)
      return a->priced.at[i];
  ts_priced priced = {0};
  uint32_t index = TS_NO_INDEX;
  if (!ask_of_all(c, k, &q, &index, &priced)) {
    index = TS_NO_INDEX;
    if (priced.source != TS_NO_INDEX)
      no_cost(c, k, &q, label);
  }
  TS_PUSH(a->s->arena, &a->keys, q);
  TS_PUSH(a->s->arena, &a->passes, pass);
  TS_PUSH(a->s->arena, &a->priced, index);
  return index;
}

/* -- measured ops -- */

/* What scales a measured time to the plan's batch and gpu. */
typedef enum scaled_by { BY_NOTHING, BY_MODELS, BY_SOURCES } scaled_by;

static uint32_t measured_source(ts_costing *c, const ts_measured *m, scaled_by by)
{
  ts_session *s = c->asking->s;
  const char *colon = strrchr(m->source, ':'), *device = m->device;
  const char *name =
    colon ? ts_arena_string(s->arena, m->source, (size_t)(colon - m->source)) : m->source;
  if (by == BY_MODELS) {
    name = ts_traced_models_name(c->traced, name);
    device = ts_traced_models_device(c->traced);
  } else if (by == BY_SOURCES) {
    name = ts_traced_sources_name(c->by, name);
    device = ts_traced_sources_device(c->by);
  }
  if (c->to_step > 0)
    name = ts_arena_printf(s->arena, "scaled %.4g to its step: %s", c->to_step, name);
  for (uint32_t i = 0; i < c->sources.count; i++)
    if (!strcmp(c->sources.at[i].name, name) && !strcmp(c->sources.at[i].kind, "trace"))
      return i;
  TS_PUSH(s->arena, &c->sources, (ts_source_name){name, "trace", m->span, device});
  return (uint32_t)c->sources.count - 1;
}

static bool same_kernels(const ts_kernels *a, const ts_kernels *b)
{
  if (a->count != b->count)
    return false;
  for (uint32_t i = 0; i < a->count; i++) {
    ts_cost_query x = by_family(&a->at[i]), y = by_family(&b->at[i]);
    if (!same_query(&x, &y))
      return false;
  }
  return true;
}

/* What the plan's sources say of all kernels of a direction, in ps; *count: how many there are;
 * *roofline: whether one of them is of a roofline. Negative: one of them is not known. */
static double sum_of_sources(ts_costing *c, const ts_op *op, const ts_work *work,
                             ts_direction direction, uint32_t *count, bool *roofline)
{
  double total = 0;
  *count = 0;
  *roofline = false;
  for (int p = 0; p < TS_PHASES; p++) {
    const ts_kernels *k = &work->phase[p];
    for (uint32_t i = 0; ts_direction_of((ts_phase)p) == direction && i < k->count; i++) {
      ts_kernel one = k->at[i];
      one.pass = 1 + (uint32_t)p;
      uint32_t index = ts_costing_kernel(c, &one, op->label);
      if (index == TS_NO_INDEX)
        return -1;
      total += (double)c->kernels.at[index].time;
      *roofline = *roofline || c->kernels.at[index].basis == TS_IR_ROOFLINE;
      ++*count;
    }
  }
  return total;
}

static bool at_own_sizes(const ts_measured *m, const ts_work *work, ts_direction direction)
{
  for (int p = 0; p < TS_PHASES; p++)
    if (ts_direction_of((ts_phase)p) == direction && m->work.phase[p].count &&
        !same_kernels(&m->work.phase[p], &work->phase[p]))
      return false;
  return true;
}

/* What the op does as a whole at the plan's batch: models scale to it, on the plan's gpu. */
static bool whole_work(const ts_costing *c, const ts_op *op, ts_work *work)
{
  const ts_ast *failed = NULL;
  ts_op_scope scope = {.s = c->asking->s,
                       .plan = c->asking->plan,
                       .op = op,
                       .slots = op->slots,
                       .args = op->args,
                       .quiet = true};
  if (!ts_op_work(&scope, work, &failed))
    return false;
  for (int p = 0; p < TS_PHASES; p++)
    if (!op->measured->work.phase[p].count) /* not played */
      work->phase[p] = (ts_kernels){0};
  return true;
}

/* The factor for a direction of the whole op, of sources of the gpu that ran it where they know its
 * kernels, else of models of the table's rows; 0: neither is asked. A roofline over measured times
 * is no factor. */
static double modelled(ts_costing *c, const ts_op *op, const ts_work *whole,
                       ts_direction direction, scaled_by *by)
{
  const ts_measured *m = op->measured;
  uint32_t kernels;
  bool then_roofline = false, now_roofline = false;
  *by = BY_NOTHING;
  if (at_own_sizes(m, whole, direction) && !ts_traced_models_other(c->traced))
    return 0;
  double was =
    c->by ? ts_traced_sources_sum(c->by, &m->work, direction, &then_roofline) : 0;
  double now =
    was > 0 ? sum_of_sources(c, op, whole, direction, &kernels, &now_roofline) : 0;
  *by = now > 0 && then_roofline == now_roofline ? BY_SOURCES : BY_MODELS;
  return *by == BY_SOURCES ? now / was : ts_traced_models_ratio(c->traced, m, whole, direction);
}

static double recorded(const ts_costing *c, double seconds)
{
  return c->to_step > 0 ? seconds * c->to_step : seconds;
}

/* Shares a measured time out over the kernels of a direction: see ts_measured. */
static bool price_measured(ts_costing *c, const ts_op *op, ts_class *class, ts_direction direction)
{
  const ts_measured *m = op->measured;
  ts_work whole = {0};
  scaled_by by = BY_NOTHING;
  double ratio =
    c->traced && whole_work(c, op, &whole) ? modelled(c, op, &whole, direction, &by) : 0;
  bool same = at_own_sizes(m, &class->work, direction);
  /* shares: of the kernels before, so that what is rounded adds up */
  double seconds = recorded(c, m->seconds[direction]) * (ratio > 0 ? ratio : 1), shares = 0;
  uint32_t kernels;
  bool roofline;
  double total =
    sum_of_sources(c, op, ratio > 0 ? &whole : &m->work, direction, &kernels, &roofline);
  if (total < 0)
    return false;
  for (int p = 0; p < TS_PHASES; p++) {
    if (ts_direction_of((ts_phase)p) != direction)
      continue;
    for (uint32_t i = 0; i < class->work.phase[p].count; i++) {
      ts_kernel *k = &class->work.phase[p].at[i];
      k->pass = 1 + (uint32_t)p;
      uint32_t index = ts_costing_kernel(c, k, op->label);
      if (index == TS_NO_INDEX)
        return false;
      ts_priced priced = c->kernels.at[index];
      priced.on = NULL;
      priced.extrapolated = false;
      double share = total > 0 ? (double)priced.time / total : 1.0 / (kernels ? kernels : 1);
      priced.time = in_ps(seconds * (shares + share)) - in_ps(seconds * shares);
      shares += m->work.phase[p].count ? share : 0; /* none: a phase that is not played */
      priced.basis = ratio > 0 ? TS_IR_FITTED : same ? TS_IR_MEASURED : TS_IR_INTERPOLATED;
      priced.source = measured_source(c, m, ratio > 0 ? by : BY_NOTHING);
      k->cost = (uint32_t)c->kernels.count;
      TS_PUSH(c->asking->s->arena, &c->kernels, priced);
    }
  }
  return true;
}

uint32_t ts_costing_measured(ts_costing *c, const ts_graph *g, uint32_t like, double seconds,
                             double share)
{
  ts_priced priced = c->kernels.at[like];
  priced.on = NULL;
  priced.extrapolated = false;
  double ratio = c->traced && ts_traced_models_other(c->traced) ?
                   ts_traced_models_moved(c->traced, priced.bytes / share) :
                   0;
  priced.time = in_ps(recorded(c, seconds) * share * (ratio > 0 ? ratio : 1));
  priced.basis = ratio > 0 ? TS_IR_FITTED : share == 1 ? TS_IR_MEASURED : TS_IR_INTERPOLATED;
  for (size_t i = 0; i < g->ops.count && priced.source == c->kernels.at[like].source; i++)
    if (g->ops.at[i].measured)
      priced.source = measured_source(c, g->ops.at[i].measured, ratio > 0 ? BY_MODELS : BY_NOTHING);
  for (size_t i = 0; i < c->kernels.count; i++) {
    const ts_priced *k = &c->kernels.at[i];
    if (k->time == priced.time && k->bytes == priced.bytes && k->flops == priced.flops &&
        k->source == priced.source && k->family == priced.family)
      return (uint32_t)i;
  }
  TS_PUSH(c->asking->s->arena, &c->kernels, priced);
  return (uint32_t)c->kernels.count - 1;
}

/* -- all ops -- */

static ts_priced slower_by(ts_priced priced, double factor, const uint32_t *on)
{
  priced.time = whole_ps((double)priced.time * factor);
  priced.basis = priced.basis == TS_IR_MEASURED ? TS_IR_INTERPOLATED : priced.basis;
  priced.on = on;
  return priced;
}

static uint32_t slower_kernel(ts_costing *c, uint32_t index, double factor)
{
  ts_arena *arena = c->asking->s->arena;
  const uint32_t *of = c->kernels.at[index].on, first = (uint32_t)c->kernels.count;
  uint32_t count = of ? (uint32_t)c->gpus.count : 0, *on = TS_NEW_ARRAY(arena, uint32_t, count + 1);
  for (uint32_t n = 0; n == 0 || n < count; n++) {
    on[n] = (uint32_t)c->kernels.count;
    TS_PUSH(arena, &c->kernels,
            slower_by(c->kernels.at[of ? of[n] : index], factor, of ? on : NULL));
  }
  return first;
}

static bool price_kernels(ts_costing *c, ts_kernels *kernels, uint32_t phase, const char *label)
{
  bool good = true;
  for (uint32_t i = 0; i < kernels->count; i++) {
    ts_kernel *k = &kernels->at[i];
    if (k->host_only)
      continue;
    k->pass = 1 + phase;
    k->cost = ts_costing_kernel(c, k, label);
    good &= k->cost != TS_NO_INDEX;
    if (k->cost != TS_NO_INDEX && k->slower > 1)
      k->cost = slower_kernel(c, k->cost, k->slower);
  }
  return good;
}

static bool price_class(ts_costing *c, const ts_graph *g, ts_class *class)
{
  const ts_op *op = &g->ops.at[class->op];
  bool good = true;
  /* A gradient that nobody needs is not computed: no source must know what it takes. */
  if (!op->needs_input_gradient)
    class->work.phase[TS_PHASE_INPUT] = class->own[TS_PHASE_INPUT] = class->rest[TS_PHASE_INPUT] =
      (ts_kernels){0};
  if (op->measured) { /* a measured time is of the whole op: it does not run in parts */
    memset(class->parted, 0, sizeof class->parted);
    memset(class->rounds, 0, sizeof class->rounds);
  }
  for (int p = 0; p < TS_PHASES && op->measured && op->measured->untimed; p++)
    if (!(op->measured->seconds[ts_direction_of((ts_phase)p)] > 0))
      class->work.phase[p] = (ts_kernels){0};
  if (op->measured && !op->measured->untimed)
    return price_measured(c, op, class, TS_TRACED_FORWARD) &&
           price_measured(c, op, class, TS_TRACED_BACKWARD);
  for (int p = 0; p < TS_PHASES; p++) {
    good &= price_kernels(c, &class->work.phase[p], p, op->label);
    if (class->parted[p] || class->rounds[p])
      good &=
        price_kernels(c, &class->own[p], p, op->label) &&
        price_kernels(c, &class->rest[p], p, op->label);
  }
  return good;
}

bool ts_costing_classes(ts_costing *c, const ts_graph *g, ts_sharding *sh)
{
  bool good = true;
  if (!ts_traced_models_train(c->asking->s, c->asking->plan, g, &c->traced) ||
      !ts_traced_sources_read(c->asking->s, c->asking->plan, g, &c->by) ||
      !ts_costing_step(c, c->asking->s, g))
    return false;
  for (size_t i = 0; i < sh->classes.count; i++)
    good &= price_class(c, g, &sh->classes.at[i]);
  return good;
}

void ts_costing_seconds(const ts_costing *c, const ts_graph *g, const ts_sharding *sh,
                        uint32_t gpus, double *seconds)
{
  for (size_t i = 0; i < g->ops.count; i++) {
    const ts_work *work = &sh->classes.at[sh->class_of[i]].work;
    for (int p = 0; p < TS_PHASES; p++)
      for (uint32_t k = 0; k < work->phase[p].count; k++)
        if (!work->phase[p].at[k].host_only)
          seconds[i] +=
            (double)ts_costing_time(c, ts_costing_on(c, work->phase[p].at[k].cost, gpus)) * 1e-12;
  }
}
