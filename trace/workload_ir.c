/* Workloads as an IR: a stage of the pipeline is a program, groups are products of axes. */
#include "trace/workload_ir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"

enum { MOST_RANKS = 1 << 24, PLACEHOLDER = 1 };
enum { COMPUTE, CALLS, WEIGHTS, SENDS, FROM_PREVIOUS, FROM_NEXT, STREAMS };

static const char *const axis_names[TS_WORKLOAD_AXES] = {"tp", "ep", "dp", "pp"};

typedef struct maker {
  const ts_events *e;
  const ts_workload *w;
  const ts_graph_machine *machine;
  const ts_ir *plan;
  ts_workload_facts *facts;
  ts_arena *work;
  ts_ir_builder *b;
  uint32_t size[TS_WORKLOAD_AXES], stride[TS_WORKLOAD_AXES], world;
  uint32_t group[1 << TS_WORKLOAD_AXES]; /* of the IR, by axes; TS_IR_NONE: not yet there */
  ts_error *error;
} maker;

bool ts_workload_mesh_read(const char *text, ts_workload_choice *choice)
{
  memset(choice->size, 0, sizeof choice->size);
  for (;;) {
    uint32_t axis = 0;
    while (axis < TS_WORKLOAD_AXES && strncmp(text, axis_names[axis], 2) != 0)
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

/* ---- Groups ---- */

enum {
  TP = 1 << TS_WORKLOAD_TP,
  EP = 1 << TS_WORKLOAD_EP,
  DP = 1 << TS_WORKLOAD_DP,
  PP = 1 << TS_WORKLOAD_PP,
  ENDS = 1 << TS_WORKLOAD_AXES
};

/* Axes that the members of a group differ on; ENDS: the first and the last stage; 0: not known. */
static uint32_t axes_of(const char *group)
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
static uint32_t stated(const maker *m, uint32_t axes)
{
  for (size_t i = 0; i < m->e->groups.count; i++) {
    const ts_group_info *g = &m->e->groups.at[i];
    if (axes_of(ts_events_text(m->e, g->name)) == axes && g->size > 0 && g->size <= MOST_RANKS)
      return (uint32_t)g->size;
  }
  return 0;
}

static bool no_mesh(const maker *m, uint32_t tp, uint32_t dp, uint32_t pp)
{
  return ts_fail(m->error, "state what the file does not: --mesh tp=8,dp=16,pp=1; ep divides dp",
                 "its sizes make no mesh: %u ranks, tp %u, dp %u, pp %u (0: not stated)", m->world,
                 tp, dp, pp);
}

/* Sizes of the choice, then of the file; of the data parallel groups what is left. */
static bool find_mesh(maker *m, const ts_workload_choice *choice)
{
  const uint32_t *given = choice->size;
  uint32_t stages = (uint32_t)m->w->sections.count;
  const ts_workload_section *last = &m->w->sections.at[stages - 1];
  bool stated_world = last->last_rank >= 0 && last->last_rank < MOST_RANKS;
  uint32_t tp = given[TS_WORKLOAD_TP] ? given[TS_WORKLOAD_TP] : stated(m, TP),
           pp = given[TS_WORKLOAD_PP] ? given[TS_WORKLOAD_PP] :
                stages > 1            ? stages :
                                        stated(m, PP),
           dp = given[TS_WORKLOAD_DP] ? given[TS_WORKLOAD_DP] : stated(m, EP | DP),
           ep = given[TS_WORKLOAD_EP] ? given[TS_WORKLOAD_EP] : stated(m, EP), part = stated(m, DP),
           all = stated(m, TP | EP | DP | PP);
  m->world = stated_world    ? (uint32_t)last->last_rank + 1 :
             m->e->world > 0 ? (uint32_t)m->e->world :
             all             ? all :
             m->plan         ? m->plan->meta->world :
                               0;
  bool resized = given[TS_WORKLOAD_TP] || given[TS_WORKLOAD_PP] || given[TS_WORKLOAD_DP];
  pp = pp ? pp : 1;
  dp = dp ? dp : part && ep ? part * ep : 0;
  if (!tp)
    tp = m->world && dp && m->world % ((uint64_t)dp * pp) == 0 ? m->world / (dp * pp) : 1;
  if (!dp && m->world && m->world % ((uint64_t)tp * pp) == 0)
    dp = m->world / (tp * pp);
  ep = ep ? ep : part && dp % part == 0 ? dp / part : 1;
  uint64_t product = (uint64_t)tp * dp * pp;
  if (resized || !m->world)
    m->world = product <= MOST_RANKS ? (uint32_t)product : 0;
  if (!dp || product != m->world || dp % ep || (stages > 1 && pp != stages))
    return no_mesh(m, tp, dp, pp);
  const uint32_t size[TS_WORKLOAD_AXES] = {tp, ep, dp / ep, pp};
  for (uint32_t a = 0, stride = 1; a < TS_WORKLOAD_AXES; stride *= size[a++]) {
    m->size[a] = size[a];
    m->stride[a] = stride;
  }
  return true;
}

static uint32_t members(const maker *m, uint32_t axes)
{
  uint32_t count = 1;
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    count *= axes >> a & 1 ? m->size[a] : 1;
  return count;
}

/* Every group of the file is known, and as large as its rows say; resized: whatever they say. */
static bool check_groups(const maker *m, bool resized)
{
  const ts_events *e = m->e;
  for (size_t i = 0; i < e->comms.count; i++) {
    const ts_event_comm *c = &e->comms.at[i];
    const char *name = ts_events_text(e, c->group);
    uint32_t axes = axes_of(name);
    if (!axes)
      return ts_fail(m->error,
                     "groups are tp_group, dp_group, ep_group, ep_dp_group, ep_tp_group, "
                     "pp_group, embedding_group and all_nodes",
                     "which ranks the group `%.40s` has is not known", name);
    if (resized || axes == ENDS || c->kind == TS_COMM_SEND || c->kind == TS_COMM_RECV)
      continue;
    if (c->size > 0 && c->size != members(m, axes))
      return ts_fail(m->error, "state the sizes: --mesh tp=8,ep=1,dp=16,pp=1",
                     "the group `%.40s` has %" PRId64 " ranks in one place and %u by the mesh",
                     name, c->size, members(m, axes));
    if (c->size < 0 && !stated(m, axes) && axes == EP)
      return ts_fail(m->error, "state it: --mesh ep=8",
                     "the size of the group `%.40s` is not stated", name);
  }
  return true;
}

/* Axes of one rank name nothing: networks may hold for one axis alone. */
static uint32_t group_of(maker *m, uint32_t axes)
{
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    if (m->size[a] < 2)
      axes &= ~(1u << a);
  if (m->group[axes] != TS_IR_NONE)
    return m->group[axes];
  char name[32] = "";
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    if (axes >> a & 1) {
      strcat(name, *name ? "*" : "");
      strcat(name, axis_names[a]);
    }
  ts_ir_group group = {.name = ts_ir_add_string(m->b, name), .axes = axes};
  return m->group[axes] = ts_ir_intern(m->b, TS_IR_GROUPS, &group);
}

/* ---- Programs ---- */

typedef struct program {
  uint32_t stage, first, end; /* events of the step */
  uint32_t *node_of;          /* by event, from `first` */
  uint32_t *sent, *received;  /* [pp] messages to and from each stage so far */
  TS_VEC(ts_ir_node) nodes;
  TS_VEC(ts_ir_port) ports;
  TS_VEC(ts_ir_binding) bindings;
} program;

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static uint32_t phase_of(const ts_event *v, const char *name)
{
  const char *what = strrchr(name, '.');
  what = what ? what + 1 : name;
  return v->kind == TS_KERNEL_COMMUNICATION                   ? TS_IR_PHASE_COMMUNICATION :
         begins(name, "forward") || begins(what, "forward")   ? TS_IR_PHASE_FORWARD :
         begins(what, "backward_weight")                      ? TS_IR_PHASE_BACKWARD_WEIGHT :
         begins(name, "backward") || begins(what, "backward") ? TS_IR_PHASE_BACKWARD_INPUT :
         begins(name, "step") || begins(what, "update")       ? TS_IR_PHASE_OPTIMIZER :
                                                                TS_IR_PHASE_OTHER;
}

static uint32_t put_node(program *p, maker *m, ts_ir_node n, const uint32_t *deps, uint32_t count)
{
  n.loc = n.rule_loc = TS_IR_NONE;
  n.dep_count = (uint16_t)count;
  n.first_dep = count ? ts_ir_intern_run(m->b, TS_IR_DEPS, deps, count) : 0;
  TS_PUSH(m->work, &p->nodes, n);
  return (uint32_t)p->nodes.count - 1;
}

static uint32_t put_message(program *p, maker *m, ts_ir_node n, bool send, uint32_t peer,
                            int64_t bytes, const uint32_t *deps, uint32_t count)
{
  n.op = send ? TS_IR_SEND : TS_IR_RECV;
  n.stream = (uint8_t)(send ? SENDS : peer < p->stage ? FROM_PREVIOUS : FROM_NEXT);
  n.arg = (uint32_t)p->ports.count;
  TS_PUSH(m->work, &p->ports,
          ((ts_ir_port){
            .bytes = bytes > 0 ? (uint64_t)bytes : 0, .group = group_of(m, PP), .is_send = send}));
  TS_PUSH(m->work, &p->bindings,
          ((ts_ir_binding){peer, send ? p->sent[peer]++ : p->received[peer]++}));
  return put_node(p, m, n, deps, count);
}

/* The stage that a message goes to or comes from: the neighbour that its row names, or that of the
 * rank. */
static int64_t peer_of(const maker *m, const program *p, const ts_event_comm *c)
{
  const char *label = ts_events_text(m->e, c->group_label);
  return strstr(label, "next") ? (int64_t)p->stage + 1 :
         strstr(label, "prev") ? (int64_t)p->stage - 1 :
         c->peer < 0           ? -1 :
                                 c->peer / m->stride[TS_WORKLOAD_PP];
}

static bool put_comm(program *p, maker *m, ts_ir_node n, const ts_event *v, const uint32_t *deps,
                     uint32_t count, uint32_t *node)
{
  const ts_event_comm *c = &m->e->comms.at[v->detail];
  uint32_t axes = axes_of(ts_events_text(m->e, c->group)), stages = m->size[TS_WORKLOAD_PP];
  bool send = c->kind == TS_COMM_SEND;
  if (send || c->kind == TS_COMM_RECV) {
    int64_t peer = peer_of(m, p, c);
    if (m->w->sections.count < 2 || peer < 0 || peer >= stages || peer == p->stage)
      return ts_fail(m->error,
                     "a section for each stage of the pipeline, rows with `send_next`, "
                     "`recv_prev` and so on as `additional`",
                     "stage %u, `%.60s`: a message to or from no other stage", p->stage,
                     ts_events_text(m->e, v->name));
    *node = put_message(p, m, n, send, (uint32_t)peer, c->bytes, deps, count);
    return true;
  }
  if (axes == ENDS && stages > 1) { /* two buffers are summed by sending each to the other end */
    uint32_t other = p->stage ? 0 : stages - 1;
    if (p->stage && p->stage + 1 < stages)
      return ts_fail(m->error, NULL, "stage %u of %u is in no embedding group", p->stage, stages);
    uint32_t both[] = {put_message(p, m, n, true, other, c->bytes, deps, count),
                       put_message(p, m, n, false, other, c->bytes, deps, count)};
    n.op = TS_IR_RECORD;
    n.stream = CALLS;
    *node = put_node(p, m, n, both, 2);
    return true;
  }
  ts_ir_collective collective = {.kind = ts_comm_in_ir(c->kind),
                                 .bytes = c->bytes > 0 ? (uint64_t)c->bytes : 0};
  if (axes == ENDS || members(m, axes) < 2) {
    n.op = TS_IR_RECORD;
    n.stream = CALLS;
  } else {
    collective.group = group_of(m, axes);
    n.op = TS_IR_COLLECTIVE;
    n.arg = ts_ir_intern(m->b, TS_IR_COLLECTIVES, &collective);
    n.stream = *ts_events_text(m->e, m->e->tracks.at[v->track].thread_name) ? WEIGHTS : CALLS;
  }
  *node = put_node(p, m, n, deps, count);
  return true;
}

static uint32_t kernel_of(maker *m, const ts_event *v, uint32_t event)
{
  double flops = m->w->flops.at[event];
  ts_ir_kernel k = {
    .basis = TS_IR_MEASURED, .flops = flops, .family = ts_ir_add_string(m->b, "computation")};
  m->facts->computations++;
  if (v->duration >= 0) {
    k.time = (uint64_t)v->duration * 1000;
    m->facts->placeholders += v->duration == PLACEHOLDER;
  } else {
    m->facts->untimed++;
    k.basis = TS_IR_ROOFLINE;
    k.time = m->machine ? (uint64_t)(flops / m->machine->flops * 1e12) : 0;
  }
  return ts_ir_intern(m->b, TS_IR_KERNELS, &k);
}

static bool put_event(program *p, maker *m, uint32_t event, const uint32_t *deps, uint32_t count)
{
  const ts_event *v = ts_event_at(m->e, event);
  const char *name = ts_events_text(m->e, v->name);
  uint32_t *node = &p->node_of[event - p->first];
  ts_ir_node n = {.op = TS_IR_COMPUTE,
                  .phase = (uint8_t)phase_of(v, name),
                  .label = ts_ir_add_string(m->b, *name ? name : "work")};
  if (v->detail != TS_EVENT_NONE) {
    if (v->duration >= 0)
      m->facts->measured_comm += v->duration;
    return put_comm(p, m, n, v, deps, count, node);
  }
  if (!ts_event_fits(v->duration))
    return ts_fail(m->error, NULL, "`%.60s` takes %" PRId64 " ns: longer than the clock", name,
                   v->duration);
  n.stream = *ts_events_text(m->e, m->e->tracks.at[v->track].thread_name) ? WEIGHTS : COMPUTE;
  n.arg = kernel_of(m, v, event);
  *node = put_node(p, m, n, deps, count);
  return true;
}

/* Edges lie in the order of what waits; those from other steps have been kept. */
static bool put_events(program *p, maker *m, size_t *edge)
{
  const ts_events *e = m->e;
  TS_VEC(uint32_t) deps = {0};
  while (*edge < e->edges.count && e->edges.at[*edge].to < p->first)
    ++*edge;
  for (uint32_t i = p->first; i < p->end; i++) {
    deps.count = 0;
    for (; *edge < e->edges.count && e->edges.at[*edge].to == i; ++*edge)
      if (e->edges.at[*edge].from >= p->first)
        TS_PUSH(m->work, &deps, p->node_of[e->edges.at[*edge].from - p->first]);
    if (deps.count > UINT16_MAX)
      return ts_fail(m->error, NULL, "`%.60s` waits for more than %d others",
                     ts_events_text(e, ts_event_at(e, i)->name), UINT16_MAX);
    if (!put_event(p, m, i, deps.at, (uint32_t)deps.count))
      return false;
  }
  return true;
}

static bool put_program(maker *m, uint32_t stage, uint32_t part, size_t *edge)
{
  uint32_t end = part + 1 < m->w->parts.count ? m->w->parts.at[part + 1].first : m->e->count;
  program p = {.stage = stage, .first = m->w->parts.at[part].first, .end = end};
  p.node_of = TS_NEW_ARRAY(m->work, uint32_t, p.end - p.first + 1);
  p.sent = TS_NEW_ARRAY(m->work, uint32_t, m->size[TS_WORKLOAD_PP]);
  p.received = TS_NEW_ARRAY(m->work, uint32_t, m->size[TS_WORKLOAD_PP]);
  m->facts->events += p.end - p.first;
  if (!put_events(&p, m, edge))
    return false;
  const char *name = ts_arena_printf(m->work, "stage %u", stage);
  ts_ir_fragment f = {.name = ts_ir_add_string(m->b, name),
                      .work = ts_ir_add_string(m->b, "S"),
                      .node_count = (uint32_t)p.nodes.count,
                      .port_count = (uint32_t)p.ports.count};
  f.first_node = ts_ir_append_copies(m->b, TS_IR_NODES, p.nodes.at, p.nodes.count);
  f.first_port = ts_ir_append_copies(m->b, TS_IR_PORTS, p.ports.at, p.ports.count);
  ts_ir_item item = {.fragment = ts_ir_append_copies(m->b, TS_IR_FRAGMENTS, &f, 1),
                     .micro_batch = TS_IR_NONE};
  item.first_binding = ts_ir_append_copies(m->b, TS_IR_BINDINGS, p.bindings.at, p.bindings.count);
  ts_ir_program out = {.name = f.name, .item_count = 1};
  out.first_item = ts_ir_append_copies(m->b, TS_IR_ITEMS, &item, 1);
  ts_ir_append_copies(m->b, TS_IR_PROGRAMS, &out, 1);
  return true;
}

/* ---- The whole ---- */

static bool put_head(maker *m)
{
  static const struct {
    const char *name;
    uint16_t kind;
  } streams[STREAMS] = {{"compute", TS_IR_STREAM_COMPUTE},    {"collectives", TS_IR_STREAM_COMM},
                        {"weights", TS_IR_STREAM_COMM},       {"sends", TS_IR_STREAM_COMM},
                        {"from previous", TS_IR_STREAM_COMM}, {"from next", TS_IR_STREAM_COMM}};
  *ts_ir_builder_meta(m->b) =
    (ts_ir_meta){.plan = ts_ir_add_string(m->b, "workload"),
                 .tool = ts_ir_add_string(m->b, "trainspec"),
                 .plan_loc = TS_IR_NONE,
                 .memory_loc = TS_IR_NONE,
                 .mesh_loc = TS_IR_NONE,
                 .pipeline_axis = m->w->sections.count > 1 ? TS_WORKLOAD_PP : TS_IR_NONE,
                 .world = m->world,
                 .micro_batches = 1};
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    ts_ir_append_copies(m->b, TS_IR_AXES,
                        &(ts_ir_axis){.name = ts_ir_add_string(m->b, axis_names[a]),
                                      .size = m->size[a],
                                      .stride = m->stride[a]},
                        1);
  for (uint32_t s = 0; s < STREAMS; s++)
    ts_ir_append_copies(
      m->b, TS_IR_STREAMS,
      &(ts_ir_stream){.name = ts_ir_add_string(m->b, streams[s].name), .kind = streams[s].kind}, 1);
  ts_ir_append_copies(m->b, TS_IR_COST_SOURCES,
                      &(ts_ir_cost_source){.name = ts_ir_add_string(m->b, ts_base_name(m->e->file)),
                                           .kind = ts_ir_add_string(m->b, "workload"),
                                           .loc = TS_IR_NONE},
                      1);
  if (m->plan)
    return ts_machine_copy(m->b, m->plan, m->world, m->error);
  ts_machine_put(m->b, m->machine, m->world);
  return true;
}

static uint32_t last_step(const maker *m)
{
  uint32_t last = 0;
  for (size_t i = 0; i < m->w->parts.count; i++) {
    uint32_t end = i + 1 < m->w->parts.count ? m->w->parts.at[i + 1].first : m->e->count;
    if (end > m->w->parts.at[i].first && m->w->parts.at[i].step > last)
      last = m->w->parts.at[i].step;
  }
  return last;
}

/* The part of each section that is the step. */
static bool choose(maker *m, int64_t wanted, uint32_t *part)
{
  ts_workload_facts *f = m->facts;
  f->steps = last_step(m);
  if (wanted > f->steps)
    return ts_fail(
      m->error, f->steps ? "without --step the last one is played" : "rows `epoch_end` end steps",
      "the workload has %u step%s, not %" PRId64, f->steps, f->steps == 1 ? "" : "s", wanted);
  f->step = wanted ? (uint32_t)wanted : f->steps;
  memset(part, 0xff, sizeof *part * m->w->sections.count);
  for (size_t i = 0; i < m->w->parts.count; i++)
    if (m->w->parts.at[i].step == f->step) {
      part[m->w->parts.at[i].section] = (uint32_t)i;
      if (m->w->parts.at[i].measured > f->measured)
        f->measured = m->w->parts.at[i].measured;
    }
  for (uint32_t s = 0; s < m->w->sections.count; s++)
    if (part[s] == TS_EVENT_NONE)
      return ts_fail(m->error, "copy the file again", "stage %u has no step %u", s, f->step);
  return true;
}

static bool make(maker *m, const ts_workload_choice *choice)
{
  uint32_t *part = TS_NEW_ARRAY(m->work, uint32_t, m->w->sections.count);
  size_t edge = 0;
  bool resized = choice->size[TS_WORKLOAD_TP] || choice->size[TS_WORKLOAD_EP] ||
                 choice->size[TS_WORKLOAD_DP] || choice->size[TS_WORKLOAD_PP];
  if (m->e->cut)
    return ts_fail(m->error, "copy the file again", "it ends early");
  if (!find_mesh(m, choice) || !check_groups(m, resized) || !choose(m, choice->step, part))
    return false;
  m->b = ts_ir_builder_new();
  if (!put_head(m))
    return false;
  for (uint32_t s = 0; s < m->w->sections.count; s++)
    if (!put_program(m, s, part[s], &edge))
      return false;
  return true;
}

ts_ir_builder *ts_workload_ir(const ts_events *e, const ts_workload_choice *choice,
                              const ts_graph_machine *machine, const ts_ir *plan,
                              ts_workload_facts *facts, ts_error *error)
{
  *facts = (ts_workload_facts){.measured = -1,
                               .micro_batches = e->workload->micro_batches,
                               .virtual_stages = e->workload->virtual_stages,
                               .stage_bytes = e->workload->stage_bytes};
  maker m = {.e = e,
             .w = e->workload,
             .machine = machine,
             .plan = plan,
             .facts = facts,
             .error = error,
             .work = ts_arena_new("workload")};
  memset(m.group, 0xff, sizeof m.group);
  if (!make(&m, choice) && m.b) {
    ts_ir_builder_free(m.b);
    m.b = NULL;
  }
  memcpy(facts->size, m.size, sizeof m.size);
  facts->world = m.world;
  facts->stages_alike = m.size[TS_WORKLOAD_PP] > 1 && e->workload->sections.count == 1;
  facts->left_out = e->count - facts->events;
  ts_arena_free(m.work);
  return m.b;
}
