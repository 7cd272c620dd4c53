/* One rank of an IR as a table of events. */
#include <stdlib.h>
#include <string.h>

#include "compiler/import/export.h"

typedef struct maker {
  ts_events *e;
  const ts_ir *ir;
  uint32_t rank, *last; /* last: event of each stream, then of the host */
  ts_arena *work;
} maker;

static uint32_t coordinate(const ts_ir *ir, uint32_t rank, uint32_t axis) { return rank / ir->axes[axis].stride % ir->axes[axis].size; }

static const char *text(const maker *m, ts_ir_str string) { return m->ir->strings + string; }

static uint32_t intern(const maker *m, const char *string) { return ts_events_string(m->e, string, strlen(string)); }

/* "0,2,4": those that differ from the rank on the group's axes alone, ascending. */
static uint32_t members_of(const maker *m, uint32_t group, uint32_t *count, uint32_t *lowest)
{
  const ts_ir *ir = m->ir;
  TS_VEC(uint32_t) members = {0};
  TS_PUSH(m->work, &members, m->rank);
  for (uint32_t a = 0; a < ir->axes_count; a++) {
    if (!(ir->groups[group].axes >> a & 1))
      continue;
    size_t before = members.count;
    for (size_t i = 0; i < before; i++) {
      uint32_t base = members.at[i] - coordinate(ir, m->rank, a) * ir->axes[a].stride;
      members.at[i] = base;
      for (uint32_t c = 1; c < ir->axes[a].size; c++)
        TS_PUSH(m->work, &members, base + c * ir->axes[a].stride);
    }
  }
  for (size_t i = 1; i < members.count; i++) { /* small, and runs of it are sorted already */
    uint32_t value = members.at[i];
    size_t k = i;
    for (; k && members.at[k - 1] > value; k--) members.at[k] = members.at[k - 1];
    members.at[k] = value;
  }
  TS_VEC(char) list = {0};
  for (size_t i = 0; i < members.count; i++)
    for (const char *c = ts_arena_printf(m->work, i ? ",%u" : "%u", members.at[i]); *c; c++)
      TS_PUSH(m->work, &list, *c);
  *count = (uint32_t)members.count;
  *lowest = members.at[0];
  return ts_events_string(m->e, list.at, list.count);
}

static uint32_t add_collective(maker *m, const ts_ir_collective *c)
{
  static const uint8_t kinds[] = {TS_COMM_ALL_REDUCE, TS_COMM_ALL_GATHER, TS_COMM_REDUCE_SCATTER, TS_COMM_BROADCAST, TS_COMM_REDUCE, TS_COMM_ALL_TO_ALL,
    TS_COMM_BARRIER};
  uint32_t size, lowest;
  ts_event_comm comm = {.kind = kinds[c->kind], .in = -1, .out = -1, .bytes = (int64_t)c->bytes, .sequence = -1, .peer = -1};
  comm.name = intern(m, ts_comm_kind_name((ts_comm_kind)comm.kind));
  comm.ranks = members_of(m, c->group, &size, &lowest);
  comm.size = size;
  comm.group = intern(m, ts_arena_printf(m->work, "%llu", (unsigned long long)c->group * m->ir->meta->world + lowest));
  TS_PUSH(m->e->arena, &m->e->comms, comm);
  return (uint32_t)m->e->comms.count - 1;
}

static uint32_t add_message(maker *m, const ts_ir_port *port, const ts_ir_binding *binding)
{
  uint32_t axis = 0;
  while (axis + 1 < m->ir->axes_count && !(m->ir->groups[port->group].axes >> axis & 1)) axis++;
  int64_t peer = (int64_t)m->rank + ((int64_t)binding->peer - (int64_t)coordinate(m->ir, m->rank, axis)) * (int64_t)m->ir->axes[axis].stride;
  ts_event_comm comm = {.kind = port->is_send ? TS_COMM_SEND : TS_COMM_RECV, .in = -1, .out = -1, .bytes = (int64_t)port->bytes, .size = -1, .sequence = -1, .peer = peer,
                  .tag = binding->tag};
  comm.name = intern(m, ts_comm_kind_name((ts_comm_kind)comm.kind));
  TS_PUSH(m->e->arena, &m->e->comms, comm);
  return (uint32_t)m->e->comms.count - 1;
}

static void add_edge(maker *m, uint32_t from, uint32_t to)
{
  ts_events *e = m->e;
  for (size_t i = e->edges.count; i-- > 0 && e->edges.at[i].to == to;)
    if (e->edges.at[i].from == from)
      return;
  TS_PUSH(e->arena, &e->edges, (ts_edge){from, to, false});
}

static uint32_t add_node(maker *m, const ts_ir_node *n, const ts_ir_fragment *f, const ts_ir_item *item, const uint32_t *event_of)
{
  const ts_ir *ir = m->ir;
  bool host = n->op == TS_IR_HOST_WORK || n->op == TS_IR_HOST_SYNC, comm = n->op == TS_IR_COLLECTIVE || n->op == TS_IR_SEND || n->op == TS_IR_RECV;
  uint32_t track = host ? ir->streams_count : n->stream, event = m->e->count;
  ts_event *v = host ? ts_events_add(m->e, TS_EVENT_OPERATOR, TS_OPERATOR_PLAIN) : ts_events_add(m->e, TS_EVENT_DEVICE, comm ? TS_KERNEL_COMMUNICATION : TS_KERNEL_OTHER);
  v->id = event + 1;
  v->start = event;
  v->track = track;
  v->duration = n->op == TS_IR_COMPUTE ? (int64_t)((ir->kernels[n->arg].time + 999) / 1000) : n->op == TS_IR_HOST_WORK ? (int64_t)((n->host_ps + 999) / 1000) : comm ? -1 : 0;
  const char *label = text(m, n->label);
  if (!*label)
    label = n->op == TS_IR_COMPUTE ? text(m, ir->kernels[n->arg].family) : comm ? "" : "record";
  if (n->op == TS_IR_COLLECTIVE)
    v->detail = add_collective(m, &ir->collectives[n->arg]);
  else if (comm)
    v->detail = add_message(m, &ir->ports[f->first_port + n->arg], &ir->bindings[item->first_binding + n->arg]);
  if (!*label)
    label = ts_events_text(m->e, m->e->comms.at[v->detail].name);
  v->name = intern(m, label);
  if (m->last[track] != TS_EVENT_NONE)
    add_edge(m, m->last[track], event);
  for (uint32_t d = 0; d < n->dep_count; d++)
    add_edge(m, event_of[ir->deps[n->first_dep + d]], event);
  m->last[track] = event;
  return event;
}

ts_events *ts_events_of_ir(ts_arena *arena, const ts_ir *ir, uint32_t rank)
{
  maker m = {.e = ts_events_new(arena, "ir"), .ir = ir, .rank = rank, .work = ts_arena_new("rank")};
  m.e->rank = rank;
  m.e->world = ir->meta->world;
  m.last = TS_NEW_ARRAY(m.work, uint32_t, ir->streams_count + 1);
  memset(m.last, 0xff, sizeof *m.last * (ir->streams_count + 1));
  for (uint32_t s = 0; s <= ir->streams_count; s++)
    ts_events_track(m.e, 0, intern(&m, ts_arena_printf(m.work, "%u", s)), s < ir->streams_count);
  uint32_t program = ir->meta->pipeline_axis == TS_IR_NONE ? 0 : coordinate(ir, rank, ir->meta->pipeline_axis);
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ts_ir_item *item = &ir->items[p->first_item + i];
    const ts_ir_fragment *f = &ir->fragments[item->fragment];
    uint32_t *event_of = TS_NEW_ARRAY(m.work, uint32_t, f->node_count + 1);
    for (uint32_t n = 0; n < f->node_count; n++) event_of[n] = add_node(&m, &ir->nodes[f->first_node + n], f, item, event_of);
  }
  ts_arena_free(m.work);
  m.e->seen = m.e->count;
  ts_events_sort(m.e);
  return m.e;
}
