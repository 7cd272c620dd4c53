#include "runtime/load/ranks.h"

#include <string.h>

static bool in_group(const ts_ir_group *group, uint32_t axis)
{
  return axis < 32 && (group->axes >> axis & 1);
}

/* All sums of coordinate * stride over the chosen axes, ascending because strides grow with the
 * axis. */
static uint32_t *corner_ranks(ts_arena *arena, const ts_ir *ir, const ts_ir_group *group,
                              bool members, uint32_t *count)
{
  uint32_t total = 1;
  for (uint32_t a = 0; a < ir->axes_count; a++)
    if (in_group(group, a) == members)
      total *= ir->axes[a].size;
  uint32_t *at = TS_NEW_ARRAY(arena, uint32_t, total);
  uint32_t filled = 1;
  for (uint32_t a = 0; a < ir->axes_count; a++) {
    if (in_group(group, a) != members)
      continue;
    for (uint32_t c = 1; c < ir->axes[a].size; c++)
      for (uint32_t i = 0; i < filled; i++)
        at[c * filled + i] = at[i] + c * ir->axes[a].stride;
    filled *= ir->axes[a].size;
  }
  *count = total;
  return at;
}

/* Instance by instance; of products of axes their members are the corner's ranks moved. */
static const uint32_t *list_members(ts_arena *arena, const ts_ir *ir, const ts_ir_group *group,
                                    ts_rank_group *out)
{
  if (group->size) {
    out->size = group->size;
    out->instances = group->rank_count / group->size;
    return ir->group_ranks + group->first_rank;
  }
  uint32_t *offset = corner_ranks(arena, ir, group, true, &out->size);
  uint32_t *base = corner_ranks(arena, ir, group, false, &out->instances);
  uint32_t *ranks = TS_NEW_ARRAY(arena, uint32_t, (size_t)out->size * out->instances);
  for (uint32_t i = 0; i < out->instances; i++)
    for (uint32_t j = 0; j < out->size; j++)
      ranks[(size_t)i * out->size + j] = base[i] + offset[j];
  return ranks;
}

static void fill_group(ts_arena *arena, const ts_ir *ir, uint32_t world, uint32_t g,
                       ts_rank_group *out)
{
  uint32_t *instance_of = TS_NEW_ARRAY(arena, uint32_t, world);
  out->ranks = list_members(arena, ir, &ir->groups[g], out);
  memset(instance_of, 0xff, world * sizeof *instance_of);
  for (uint32_t i = 0; i < out->instances * out->size; i++)
    instance_of[out->ranks[i]] = i / out->size;
  out->instance_of = instance_of;
}

static void mark_used(const ts_ir *ir, ts_rank_group *groups)
{
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    if (ir->nodes[n].op == TS_IR_COLLECTIVE)
      groups[ir->collectives[ir->nodes[n].arg].group].used = true;
}

static const uint32_t *ranks_place(ts_arena *arena, const ts_ir *ir, uint32_t world)
{
  if (ir->placement_count)
    return ir->placement;
  if (!ir->devices_count)
    return NULL;
  uint32_t *vertex = TS_NEW_ARRAY(arena, uint32_t, world);
  for (uint32_t v = 0, r = 0; v < ir->devices_count && r < world; v++)
    if (ir->devices[v].device_class != TS_IR_NONE)
      vertex[r++] = v;
  return vertex;
}

const ts_ranks *ts_ranks_new(ts_arena *arena, const ts_ir *ir)
{
  ts_ranks *ranks = TS_NEW(arena, ts_ranks);
  uint32_t axis = ir->meta->pipeline_axis;
  ranks->world = ir->meta->world;
  ranks->pipeline_size = axis == TS_IR_NONE ? 1 : ir->axes[axis].size;
  ranks->pipeline_stride = axis == TS_IR_NONE ? 1 : ir->axes[axis].stride;
  uint32_t *program = TS_NEW_ARRAY(arena, uint32_t, ranks->world);
  for (uint32_t r = 0; axis != TS_IR_NONE && r < ranks->world; r++)
    program[r] = r / ranks->pipeline_stride % ranks->pipeline_size;
  ranks->program = program;
  ranks->vertex = ranks_place(arena, ir, ranks->world);
  ts_rank_group *groups = TS_NEW_ARRAY(arena, ts_rank_group, ir->groups_count);
  mark_used(ir, groups);
  for (uint32_t g = 0; g < ir->groups_count; g++)
    if (groups[g].used)
      fill_group(arena, ir, ranks->world, g, &groups[g]);
  ranks->groups = groups;
  ranks->group_count = ir->groups_count;
  return ranks;
}
