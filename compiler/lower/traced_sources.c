#include "compiler/lower/traced_sources.h"

#include <string.h>

#include "compiler/eval/report.h"
#include "compiler/lower/device.h"

struct ts_traced_sources {
  ts_session *s;
  TS_VEC(const ts_cost_chain *) chains;
  const char *names;          /* of them, for reports */
  const ts_value *from, *to;  /* that ran the table, and the plan's */
};

static const char *traced_sources_name_of(const ts_value *gpu)
{
  return gpu->u.record->name ? gpu->u.record->name : "gpu";
}

static bool traced_sources_refuse(ts_session *s, ts_span at, const char *title, const char *help)
{
  ts_diag *d = ts_report(s, TS_E0523, at, "%s", title);
  ts_diag_here(d, "sources of the gpu that ran the table");
  ts_diag_help(d, "%s", help);
  return false;
}

static bool traced_sources_add(ts_traced_sources *t, const ts_plan *plan, const ts_value *value)
{
  ts_source_name name = {0};
  const ts_cost_chain *chain = ts_cost_chain_new(t->s, plan, *value, &name);
  if (!chain)
    return false;
  if (name.device && *name.device && !ts_gpu_called(t->s, t->from, name.device))
    return traced_sources_refuse(
      t->s, value->span,
      ts_arena_printf(t->s->arena, "`%s` is of `%s`, not of `%s`", name.name, name.device,
                      traced_sources_name_of(t->from)),
      "`by` lists sources of `from`; those of the plan's gpu are its `costs`");
  t->names = *t->names ? ts_arena_printf(t->s->arena, "%s, %s", t->names, name.name) : name.name;
  TS_PUSH(t->s->arena, &t->chains, chain);
  return true;
}

bool ts_traced_sources_read(ts_session *s, const ts_plan *plan, const ts_graph *g,
                            ts_traced_sources **sources)
{
  *sources = NULL;
  if (!g->traced || plan->model.type != TS_T_APPLIED)
    return true;
  const ts_record *args = &plan->model.u.applied->args;
  const ts_value *by = ts_record_find(args, "by"), *from = ts_record_find(args, "from");
  if (!by || by->type != TS_T_LIST || !by->u.list->count)
    return true;
  if (!from || from->type != TS_T_GPU)
    return traced_sources_refuse(
      s, by->span, "`by` without `from`",
      "name the gpu that the table was recorded on: `from: a100_pcie_80g`");
  const ts_value *to = ts_plan_gpu(s, plan, from);
  ts_traced_sources *t = TS_NEW(s->arena, ts_traced_sources);
  *t = (ts_traced_sources){.s = s, .names = "", .from = from, .to = to ? to : from};
  for (uint32_t i = 0; i < by->u.list->count; i++)
    if (!traced_sources_add(t, plan, &by->u.list->at[i]))
      return false;
  *sources = t;
  return true;
}

/* The first that knows it; families of an op's own where a source has them. */
static double traced_sources_ask(const ts_traced_sources *t, const ts_kernel *k, uint32_t pass,
                                 bool *roofline)
{
  for (size_t i = 0; i < t->chains.count; i++) {
    ts_cost_query q = {.family = k->family,
                       .dtype = k->dtype ? k->dtype->name : "",
                       .flops = k->flops,
                       .bytes = k->bytes,
                       .feature = k->features,
                       .feature_count = k->feature_count};
    const ts_cost_source *table = ts_cost_chain_table(t->chains.at[i]);
    char family[TS_COST_OP];
    if (table && k->op) {
      ts_cost_op_family(family, k->op, pass > 1);
      if (ts_cost_knows(table, family))
        ts_kernel_of_op(k, pass, &q);
    }
    ts_cost_answer answer;
    bool failed = false;
    if (!ts_cost_chain_ask(t->s, t->chains.at[i], &q, pass, k->span, &answer, &failed))
      continue;
    *roofline = *roofline || answer.basis == TS_COST_ROOFLINE;
    return 1e12 * answer.seconds;
  }
  return 0;
}

double ts_traced_sources_sum(const ts_traced_sources *t, const ts_work *work,
                             ts_direction direction, bool *roofline)
{
  double sum = 0;
  *roofline = false;
  for (int p = 0; p < TS_PHASES; p++)
    for (uint32_t i = 0; ts_direction_of((ts_phase)p) == direction && i < work->phase[p].count;
         i++) {
      if (work->phase[p].at[i].host_only)
        continue;
      double ps = traced_sources_ask(t, &work->phase[p].at[i], 1 + (uint32_t)p, roofline);
      if (!(ps > 0))
        return 0;
      sum += ps;
    }
  return sum;
}

const char *ts_traced_sources_name(const ts_traced_sources *t, const char *table)
{
  if (strcmp(traced_sources_name_of(t->from), traced_sources_name_of(t->to)) == 0)
    return ts_arena_printf(t->s->arena, "%s by %s", table, t->names);
  return ts_arena_printf(t->s->arena, "%s to %s by %s of %s", traced_sources_name_of(t->from),
                         traced_sources_name_of(t->to), t->names, table);
}

const char *ts_traced_sources_device(const ts_traced_sources *t)
{
  return traced_sources_name_of(t->to);
}
