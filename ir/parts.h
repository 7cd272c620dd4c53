/* Which devices and switches hang together. */
#ifndef TS_IR_PARTS_H
#define TS_IR_PARTS_H

#include "base/sets.h"
#include "ir/ir.h"

/* [devices] by links of this tier and below: the lowest vertex of each one's part. Tier 0: islands.
 */
static inline uint32_t *ts_ir_parts(ts_arena *arena, const ts_ir *ir, uint32_t tier)
{
  uint32_t *part = ts_sets_new(arena, ir->devices_count);
  for (uint32_t l = 0; l < ir->links_count; l++)
    if (ir->link_classes[ir->links[l].link_class].tier <= tier)
      ts_sets_join(part, ir->links[l].from, ir->links[l].to);
  ts_sets_settle(part, ir->devices_count);
  return part;
}

#endif
