#include "trace/workload_mesh.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

enum { MOST_RANKS = 1 << 24 };
enum {
  TP = TS_WORKLOAD_TP_BIT,
  EP = TS_WORKLOAD_EP_BIT,
  DP = TS_WORKLOAD_DP_BIT,
  PP = TS_WORKLOAD_PP_BIT,
  ENDS = TS_WORKLOAD_ENDS
};

const char *const ts_workload_axis_names[] = {"tp", "ep", "dp", "pp", NULL};
TS_TABLE(ts_workload_axis_names, TS_WORKLOAD_AXES + 1);

bool ts_workload_mesh_read(const char *text, ts_workload_choice *choice)
{
  memset(choice->size, 0, sizeof choice->size);
  for (;;) {
    uint32_t axis = 0;
    while (axis < TS_WORKLOAD_AXES && strncmp(text, ts_workload_axis_names[axis], 2) != 0)
      axis++;
    if (axis == TS_WORKLOAD_AXES || text[2] != '=' || choice->size[axis])
      return false;
    char *end;
    unsigned long size = strtoul(text + 3, &end, 10);
    if (text[3] < '0' || text[3] > '9' || !size || size > MOST_RANKS)
      return false;
    choice->size[axis] = (uint32_t)size;
    if (!*end)
      return true;
    if (*end != ',')
      return false;
    text = end + 1;
  }
}

uint32_t ts_workload_axes_of(const char *group)
{
  static const struct {
    const char *name;
    uint32_t axes;
  } groups[] = {{"tp_group", TP},
                {"TP", TP},
                {"ep_group", EP},
                {"EP", EP},
                {"dp_group", EP | DP},
                {"DP", EP | DP},
                {"ep_dp_group", DP},
                {"DP_EP", DP},
                {"ep_tp_group", TP | EP},
                {"pp_group", PP},
                {"PP", PP},
                {"embedding_group", ENDS},
                {"all_nodes", TP | EP | DP | PP},
                {"all", TP | EP | DP | PP},
                {"", TP | EP | DP | PP}};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (strcmp(groups[i].name, group) == 0)
      return groups[i].axes;
  return 0;
}

/* What the file says of a group of just these axes; 0: nothing. */
static uint32_t workload_mesh_stated(const ts_events *e, uint32_t axes)
{
  for (size_t i = 0; i < e->groups.count; i++) {
    const ts_group_info *g = &e->groups.at[i];
    if (ts_workload_axes_of(ts_events_text(e, g->name)) == axes && g->size > 0 &&
        g->size <= MOST_RANKS)
      return (uint32_t)g->size;
  }
  return 0;
}

static uint32_t or_else(uint32_t value, uint32_t otherwise) { return value ? value : otherwise; }

static bool find_sizes(const ts_events *e, const ts_workload_choice *choice, uint32_t devices,
                       ts_workload_mesh *mesh, ts_error *error)
{
  const uint32_t *given = choice->size;
  uint32_t stages = (uint32_t)e->workload->sections.count;
  const ts_workload_section *last = &e->workload->sections.at[stages - 1];
  bool stated_world = last->last_rank >= 0 && last->last_rank < MOST_RANKS;
  uint32_t tp = or_else(given[TS_WORKLOAD_TP], workload_mesh_stated(e, TP)),
           pp = given[TS_WORKLOAD_PP] ? given[TS_WORKLOAD_PP] :
                stages > 1            ? stages :
                                        or_else(workload_mesh_stated(e, PP), 1),
           dp = or_else(given[TS_WORKLOAD_DP], workload_mesh_stated(e, EP | DP)),
           ep = or_else(given[TS_WORKLOAD_EP], workload_mesh_stated(e, EP)),
           part = workload_mesh_stated(e, DP), all = workload_mesh_stated(e, TP | EP | DP | PP);
  uint32_t world = stated_world                                  ? (uint32_t)last->last_rank + 1 :
                   e->world > 0 && e->world <= MOST_RANKS ? (uint32_t)e->world :
                                                            or_else(all, devices);
  bool resized = given[TS_WORKLOAD_TP] || given[TS_WORKLOAD_PP] || given[TS_WORKLOAD_DP];
  dp = dp ? dp : part && ep ? part * ep : 0;
  if (!tp)
    tp = world && dp && world % ((uint64_t)dp * pp) == 0 ? world / (dp * pp) : 1;
  if (!dp && world && world % ((uint64_t)tp * pp) == 0)
    dp = world / (tp * pp);
  ep = ep ? ep : part && dp % part == 0 ? dp / part : 1;
  uint64_t product = (uint64_t)tp * dp * pp;
  if (resized || !world)
    world = product <= MOST_RANKS ? (uint32_t)product : 0;
  if (!dp || product != world || dp % ep || (stages > 1 && pp != stages))
    return ts_fail(error,
                   "state what the file does not: --mesh tp=8,dp=16,pp=1 (ep divides dp), or the "
                   "plan's `mesh`",
                   "its sizes make no mesh: %u ranks, tp %u, dp %u, pp %u (0: not stated)", world,
                   tp, dp, pp);
  const uint32_t size[TS_WORKLOAD_AXES] = {tp, ep, dp / ep, pp};
  mesh->world = world;
  for (uint32_t a = 0, stride = 1; a < TS_WORKLOAD_AXES; stride *= size[a++]) {
    mesh->size[a] = size[a];
    mesh->stride[a] = stride;
  }
  return true;
}

uint32_t ts_workload_members(const ts_workload_mesh *mesh, uint32_t axes)
{
  uint32_t count = 1;
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    count *= axes >> a & 1 ? mesh->size[a] : 1;
  return count;
}

/* Every group of the file is known, and as large as its rows say; resized: whatever they say. */
static bool check_groups(const ts_events *e, const ts_workload_mesh *mesh, bool resized,
                         ts_error *error)
{
  for (size_t i = 0; i < e->comms.count; i++) {
    const ts_event_comm *c = &e->comms.at[i];
    const char *name = ts_events_text(e, c->group);
    uint32_t axes = ts_workload_axes_of(name);
    if (!axes)
      return ts_fail(error,
                     "groups are tp_group, dp_group, ep_group, ep_dp_group, ep_tp_group, "
                     "pp_group, embedding_group and all_nodes",
                     "which ranks the group `%.40s` has is not known", name);
    if (resized || axes == ENDS || c->kind == TS_COMM_SEND || c->kind == TS_COMM_RECV)
      continue;
    if (c->size > 0 && c->size != ts_workload_members(mesh, axes))
      return ts_fail(error, "state the sizes: --mesh tp=8,ep=1,dp=16,pp=1, or the plan's `mesh`",
                     "the group `%.40s` has %" PRId64 " ranks in one place and %u by the mesh",
                     name, c->size, ts_workload_members(mesh, axes));
    if (c->size < 0 && !workload_mesh_stated(e, axes) && axes == EP)
      return ts_fail(error, "state it: --mesh ep=8, or the plan's `mesh`",
                     "the size of the group `%.40s` is not stated", name);
  }
  return true;
}

bool ts_workload_mesh_of(const ts_events *e, const ts_workload_choice *choice, uint32_t devices,
                         ts_workload_mesh *mesh, ts_error *error)
{
  bool resized = false;
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++) resized |= choice->size[a] != 0;
  *mesh = (ts_workload_mesh){.world = 0};
  if (e->cut)
    return ts_fail(error, "copy the file again", "it ends early");
  return find_sizes(e, choice, devices, mesh, error) && check_groups(e, mesh, resized, error);
}
