/* Which network models of an IR a call may come to, before any of them is prepared. `only`: ask no
 * model but those of this name; NULL: all. */
#ifndef TS_RUNTIME_COLLECTIVE_REQUESTED_H
#define TS_RUNTIME_COLLECTIVE_REQUESTED_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

/* The model is for calls of this kind over these axes of the mesh. */
bool ts_model_takes(const ts_ir_net_model *m, uint32_t kind, uint32_t axes);
bool ts_model_requested(const ts_ir *ir, const ts_ir_net_model *m, const char *only);
/* It is for them over links of this tier. Tier 0 is inside islands; a model of links between
 * islands holds for the tiers above, too, as fabrics have them, unless another names a nearer one.
 * */
bool ts_model_holds(const ts_ir *ir, const ts_ir_net_model *m, uint32_t kind, uint32_t axes,
                    uint32_t tier, const char *only);
/* Whether any call may come to this model: `only` names it, or no model before it answers for all.
 * */
bool ts_network_asks(const ts_ir *ir, uint32_t model, const char *only);

#endif
