#include "ir/spread.h"

#include <string.h>

ts_spread_query ts_spread_query_kernel(const ts_ir *ir, const ts_ir_kernel *kernel)
{
  const char *kind = kernel->source == TS_IR_NONE ?
                       "" :
                       ir->strings + ir->cost_sources[kernel->source].kind;
  return (ts_spread_query){.origin = TS_IR_ORIGIN_KERNELS,
                           .basis = kernel->basis,
                           .assumed = !strcmp(kind, TS_IR_EXTRAPOLATED),
                           .name = ir->strings + kernel->family,
                           .dtype = ir->strings + kernel->dtype};
}

ts_spread_query ts_spread_query_network(const ts_ir *ir, uint32_t model, bool between)
{
  if (model >= ir->net_models_count)
    return (ts_spread_query){
      .origin = TS_IR_ORIGIN_LINKS, .name = "", .dtype = "", .between = between};
  const ts_ir_net_model *m = &ir->net_models[model];
  return (ts_spread_query){
    .origin = TS_IR_ORIGIN_NETWORK,
    .basis = m->kind,
    .name = m->source == TS_IR_NONE ? "" : ir->strings + ir->cost_sources[m->source].name,
    .dtype = "",
    .between = between,
    .assumed = m->assumed};
}

/* 0: does not hold; else more the more it names. */
static unsigned spread_holds(const ts_ir_spread *s, const char *strings, const ts_spread_query *q)
{
  const char *name = strings + s->name, *dtype = strings + s->dtype;
  if (s->origin != q->origin || s->basis != q->basis || s->between != q->between ||
      s->assumed != q->assumed || (s->least_kib && 1024.0 * s->least_kib > q->bytes) ||
      (*name && strcmp(name, q->name) != 0) ||
      (*dtype && strcmp(dtype, q->dtype) != 0))
    return 0;
  return 1 + 2 * (*name != 0) + (*dtype != 0);
}

uint32_t ts_spread_find(const ts_ir_spread *spreads, uint32_t count, const char *strings,
                        const ts_spread_query *query)
{
  uint32_t best = TS_IR_NONE;
  unsigned most = 0;
  for (uint32_t i = 0; i < count; i++) {
    unsigned names = spread_holds(&spreads[i], strings, query);
    bool larger =
      best != TS_IR_NONE && names == most && spreads[i].least_kib > spreads[best].least_kib;
    if (names > most || (names && larger)) {
      most = names;
      best = i;
    }
  }
  return best;
}
