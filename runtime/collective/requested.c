#include "runtime/collective/requested.h"

#include <string.h>

bool ts_model_takes(const ts_ir_net_model *m, uint32_t kind, uint32_t axes)
{
  return (m->collectives >> kind & 1) && (!m->axes || m->axes == axes);
}

bool ts_model_requested(const ts_ir *ir, const ts_ir_net_model *m, const char *only)
{
  return !only || !strcmp(ir->strings + m->name, only);
}

/* Whether a model for such calls names a tier above that of `than`, up to the one in question. */
static bool named_nearer(const ts_ir *ir, const ts_ir_net_model *than, uint32_t kind, uint32_t axes,
                         uint32_t tier, const char *only)
{
  for (uint32_t m = 0; m < ir->net_models_count; m++) {
    const ts_ir_net_model *at = &ir->net_models[m];
    if (at->tier != TS_IR_NONE && at->tier > than->tier && at->tier <= tier &&
        ts_model_takes(at, kind, axes) && ts_model_requested(ir, at, only))
      return true;
  }
  return false;
}

bool ts_model_holds(const ts_ir *ir, const ts_ir_net_model *m, uint32_t kind, uint32_t axes,
                    uint32_t tier, const char *only)
{
  if (!ts_model_takes(m, kind, axes) || !ts_model_requested(ir, m, only))
    return false;
  return m->tier == TS_IR_NONE || m->tier == tier ||
         (m->tier && m->tier < tier && !named_nearer(ir, m, kind, axes, tier, only));
}

/* Whether an earlier model always has the answer: one of latency and bandwidth does, and one that
 * plays connections. */
static bool has_answer(const ts_ir *ir, uint32_t model, uint32_t kind, uint32_t tier)
{
  for (uint32_t m = 0; m < model; m++) {
    const ts_ir_net_model *at = &ir->net_models[m];
    bool always = at->kind == TS_IR_NET_ALPHA_BETA || at->kind == TS_IR_NET_FLOW ||
                  at->kind == TS_IR_NET_PACKET;
    if (always && !at->axes && ts_model_holds(ir, at, kind, 0, tier, NULL))
      return true;
  }
  return false;
}

bool ts_network_asks(const ts_ir *ir, uint32_t model, const char *only)
{
  const ts_ir_net_model *at = &ir->net_models[model];
  if (only)
    return strcmp(ir->strings + at->name, only) == 0;
  for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++)
    for (uint32_t l = 0; l < ir->link_classes_count; l++)
      if (at->collectives >> kind & 1 && !has_answer(ir, model, kind, ir->link_classes[l].tier))
        return true;
  return false;
}
