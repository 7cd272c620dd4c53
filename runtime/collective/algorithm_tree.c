/* Two binary trees between islands (Sanders, Speck and Träff, "Two-tree algorithms", 2009) and a
 * chain inside. */
#include "runtime/collective/making.h"

static void algorithm_tree_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                 double *inter)
{
  double passes = ts_passes(m->collective);
  *intra = passes * (p->per_island - 1.0);
  *inter = passes * ts_levels(p->islands);
}

static void algorithm_tree_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                   double *inter)
{
  double passes = ts_passes(m->collective);
  *intra = passes * ts_chain_share(p);
  *inter = passes * ts_tree_share(p);
}

void ts_making_tree(ts_making *m, size_t at, size_t size, uint32_t start, uint64_t whole)
{
  ts_arena *scratch = ts_arena_new("tree");
  uint32_t *height = TS_NEW_ARRAY(scratch, uint32_t, m->ranks),
           *depth = TS_NEW_ARRAY(scratch, uint32_t, m->ranks), top = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = at; i < at + size; i += 2) {
      uint32_t child = m->place[m->connections.at[i].from],
               parent = m->place[m->connections.at[i].to];
      changed |= height[parent] <= height[child] || depth[child] != depth[parent] + 1;
      height[parent] = height[parent] > height[child] ? height[parent] : height[child] + 1;
      depth[child] = depth[parent] + 1;
      top = height[parent] > top ? height[parent] : top;
    }
  }
  for (size_t i = at; i < at + size; i++) {
    ts_pass p = ts_making_pass(m, &m->connections.at[i]);
    p.first = start + ((i - at) % 2 ? top + depth[p.from] : height[p.from]);
    p.whole = whole;
    ts_making_add(m, p);
  }
  ts_arena_free(scratch);
}

static void add_trees(ts_making *m)
{
  uint32_t channels = ts_making_parts(m);
  for (size_t at = 0, size; at < m->connections.count; at += size) {
    size = ts_making_of_part(m, at);
    ts_making_tree(m, at, size, 0, ts_making_share(m, channels, m->connections.at[at].part));
  }
}

static bool algorithm_tree_sends(ts_making *m)
{
  if (!ts_is_whole(m->out->way.kind))
    return false;
  ts_making_shape(m, TS_FLOW_TREE, add_trees);
  return true;
}

const ts_algorithm ts_algorithm_tree = {.steps = algorithm_tree_steps,
                                        .volumes = algorithm_tree_volumes,
                                        .sends = algorithm_tree_sends,
                                        .whole = TS_FLOW_TREE,
                                        .half = TS_FLOW_LOOP,
                                        .chain = true,
                                        .tree = true};
