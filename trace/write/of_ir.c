/* Ranks of an IR as tables of events. Ranks of a program have all in common but their groups and
 * peers: one table a program, aimed at a rank. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "trace/write/export_form.h"

/* of a collective: place in `groups`; of a message: the peer's coordinate on an axis */
typedef struct comm_source { uint32_t group, axis, coordinate; } comm_source;

typedef struct of_ir_program {
  ts_events *e;
  TS_VEC(uint32_t) groups;      /* of the IR, that its collectives use; as e->groups */
  TS_VEC(comm_source) sources;  /* as e->comms */
} of_ir_program;

struct ts_ir_ranks {
  ts_arena *arena;
  const ts_ir *ir;
  of_ir_program *programs;
};

/* An allocation that nothing has freed yet. */
typedef struct allocation {
  uint32_t tensor, category;
  ts_ir_str label;
  int64_t bytes;
} allocation;

typedef struct of_ir_maker {
  ts_events *e;
  const ts_ir *ir;
  of_ir_program *p;
  uint32_t *last; /* event of each stream, then of the host */
  TS_VEC(allocation) allocation;
  uint32_t tensors; /* so far */
  ts_arena *work;
} of_ir_maker;

static uint32_t coordinate(const ts_ir *ir, uint32_t rank, uint32_t axis)
{
  return rank / ir->axes[axis].stride % ir->axes[axis].size;
}

static const char *text(const of_ir_maker *m, ts_ir_str string) { return m->ir->strings + string; }

static uint32_t of_ir_intern(ts_events *e, const char *string)
{
  return ts_events_string(e, string, strlen(string));
}

/* ---- Aimed at a rank ---- */

typedef TS_VEC(uint32_t) rank_list;

/* The instance of a listed group that has the rank. */
static void list_instance(ts_arena *arena, const ts_ir *ir, const ts_ir_group *g, uint32_t rank,
                          rank_list *out)
{
  const uint32_t *at = ir->group_ranks + g->first_rank;
  for (uint32_t i = 0; i < g->rank_count && !out->count; i++)
    for (uint32_t j = 0; at[i] == rank && j < g->size; j++)
      TS_PUSH(arena, out, at[i / g->size * g->size + j]);
}

ts_ir_group_members ts_ir_members(ts_arena *arena, const ts_ir *ir, uint32_t group, uint32_t rank)
{
  ts_arena *work = ts_arena_new("members");
  rank_list all = {0};
  list_instance(work, ir, &ir->groups[group], rank, &all);
  if (!all.count)
    TS_PUSH(work, &all, rank);
  for (uint32_t a = 0; a < ir->axes_count; a++) {
    if (!(ir->groups[group].axes >> a & 1))
      continue;
    size_t before = all.count;
    for (size_t i = 0; i < before; i++) {
      uint32_t base = all.at[i] - coordinate(ir, rank, a) * ir->axes[a].stride;
      all.at[i] = base;
      for (uint32_t c = 1; c < ir->axes[a].size; c++)
        TS_PUSH(work, &all, base + c * ir->axes[a].stride);
    }
  }
  qsort(all.at, all.count, sizeof *all.at, ts_by_u32);
  char *list = ts_arena_alloc(arena, 11 * all.count + 1);
  size_t length = 0;
  for (size_t i = 0; i < all.count; i++)
    length += (size_t)sprintf(list + length, i ? ",%u" : "%u", all.at[i]);
  ts_ir_group_members m = {(uint32_t)all.count, list,
                           (uint64_t)group * ir->meta->world + all.at[0] + 1};
  ts_arena_free(work);
  return m;
}

static ts_group_info group_at(ts_events *e, const ts_ir *ir, uint32_t group, uint32_t rank)
{
  ts_arena *work = ts_arena_new("group");
  ts_ir_group_members m = ts_ir_members(work, ir, group, rank);
  ts_group_info info = {
    .size = m.count,
    .label = of_ir_intern(e, ir->strings + ir->groups[group].name),
    .ranks = of_ir_intern(e, m.ranks),
    .name = of_ir_intern(e, ts_arena_printf(work, "%llu", (unsigned long long)m.number))};
  ts_arena_free(work);
  return info;
}

static void aim(const of_ir_program *p, const ts_ir *ir, uint32_t rank)
{
  ts_events *e = p->e;
  e->rank = rank;
  for (size_t g = 0; g < p->groups.count; g++)
    e->groups.at[g] = group_at(e, ir, p->groups.at[g], rank);
  for (size_t i = 0; i < p->sources.count; i++) {
    const comm_source *s = &p->sources.at[i];
    ts_event_comm *c = &e->comms.at[i];
    if (s->group != TS_EVENT_NONE) {
      const ts_group_info *g = &e->groups.at[s->group];
      c->group = g->name, c->ranks = g->ranks, c->size = g->size, c->group_label = g->label;
    } else {
      c->peer = (int64_t)rank + ((int64_t)s->coordinate - (int64_t)coordinate(ir, rank, s->axis)) *
                                  (int64_t)ir->axes[s->axis].stride;
    }
  }
}

/* ---- The table of a program ---- */

static uint32_t of_ir_add_comm(of_ir_maker *m, ts_event_comm comm, comm_source source)
{
  comm.name = of_ir_intern(m->e, ts_comm_kind_name((ts_comm_kind)comm.kind));
  TS_PUSH(m->e->arena, &m->e->comms, comm);
  TS_PUSH(m->e->arena, &m->p->sources, source);
  return (uint32_t)m->e->comms.count - 1;
}

static uint32_t add_collective(of_ir_maker *m, const ts_ir_collective *c)
{
  static const uint8_t kinds[] = {TS_COMM_ALL_REDUCE, TS_COMM_ALL_GATHER, TS_COMM_REDUCE_SCATTER,
                                  TS_COMM_BROADCAST,  TS_COMM_REDUCE,     TS_COMM_ALL_TO_ALL,
                                  TS_COMM_BARRIER,    TS_COMM_SEND_RECV,  TS_COMM_SEND_RECV};
  uint32_t g = 0;
  while (g < m->p->groups.count && m->p->groups.at[g] != c->group) g++;
  if (g == m->p->groups.count) {
    TS_PUSH(m->e->arena, &m->p->groups, c->group);
    TS_PUSH(m->e->arena, &m->e->groups, ((ts_group_info){.size = -1}));
  }
  ts_event_comm comm = {.kind = kinds[c->kind],
                        .in = -1,
                        .out = -1,
                        .bytes = (int64_t)c->bytes,
                        .sequence = -1,
                        .peer = -1};
  return of_ir_add_comm(m, comm, (comm_source){.group = g});
}

static uint32_t add_message(of_ir_maker *m, const ts_ir_port *port, const ts_ir_binding *binding)
{
  uint32_t axis = 0;
  while (axis + 1 < m->ir->axes_count && !(m->ir->groups[port->group].axes >> axis & 1)) axis++;
  ts_event_comm comm = {.kind = port->is_send ? TS_COMM_SEND : TS_COMM_RECV,
                        .in = -1,
                        .out = -1,
                        .bytes = (int64_t)port->bytes,
                        .size = -1,
                        .sequence = -1,
                        .tag = binding->tag};
  return of_ir_add_comm(m, comm, (comm_source){TS_EVENT_NONE, axis, binding->peer});
}

static void add_edge(of_ir_maker *m, uint32_t from, uint32_t to)
{
  ts_events *e = m->e;
  for (size_t i = e->edges.count; i-- > 0 && e->edges.at[i].to == to;)
    if (e->edges.at[i].from == from)
      return;
  TS_PUSH(e->arena, &e->edges, (ts_event_edge){from, to, false});
}

/* The oldest allocation of the same name, kind and size; TS_EVENT_NONE: there is none. */
static uint32_t take_allocation(of_ir_maker *m, const ts_ir_mem *mem)
{
  for (size_t i = 0; i < m->allocation.count; i++) {
    const allocation *h = &m->allocation.at[i];
    if (h->label != mem->label || h->category != mem->category || h->bytes != -mem->bytes)
      continue;
    uint32_t tensor = h->tensor;
    memmove(&m->allocation.at[i], &m->allocation.at[i + 1],
            (m->allocation.count - i - 1) * sizeof *h);
    m->allocation.count--;
    return tensor;
  }
  return TS_EVENT_NONE;
}

static void add_memory(of_ir_maker *m, const ts_ir_node *n, uint32_t event)
{
  for (uint32_t k = 0; k < n->mem_count; k++) {
    const ts_ir_mem *mem = &m->ir->mems[n->first_mem + k];
    uint32_t tensor = mem->bytes > 0 ? m->tensors++ : take_allocation(m, mem);
    if (tensor == TS_EVENT_NONE || !mem->bytes)
      continue;
    if (mem->bytes > 0)
      TS_PUSH(m->work, &m->allocation,
              ((allocation){tensor, mem->category, mem->label, mem->bytes}));
    TS_PUSH(m->e->arena, &m->e->uses,
            ((ts_event_use){event, tensor, llabs(mem->bytes), mem->bytes > 0}));
  }
}

static uint32_t of_ir_add_node(of_ir_maker *m, const ts_ir_node *n, const ts_ir_fragment *f,
                               const ts_ir_item *item, const uint32_t *event_of)
{
  const ts_ir *ir = m->ir;
  bool host = n->op == TS_IR_HOST_WORK || n->op == TS_IR_HOST_SYNC,
       comm = n->op == TS_IR_COLLECTIVE || n->op == TS_IR_SEND || n->op == TS_IR_RECV;
  uint32_t track = host ? ir->streams_count : n->stream, event = m->e->count;
  ts_event *v =
    host ? ts_events_add(m->e, TS_EVENT_OPERATOR, TS_OPERATOR_PLAIN) :
           ts_events_add(m->e, TS_EVENT_DEVICE, comm ? TS_KERNEL_COMMUNICATION : TS_KERNEL_OTHER);
  v->id = event + 1;
  v->start = event;
  v->track = track;
  v->flags = n->phase == TS_IR_PHASE_BACKWARD_INPUT || n->phase == TS_IR_PHASE_BACKWARD_WEIGHT ||
                 n->phase == TS_IR_PHASE_RECOMPUTE ?
               TS_EVENT_BACKWARD :
               0;
  v->duration = n->op == TS_IR_COMPUTE   ? (int64_t)((ir->kernels[n->arg].time + 999) / 1000) :
                n->op == TS_IR_HOST_WORK ? (int64_t)((n->host_ps + 999) / 1000) :
                comm                     ? -1 :
                                           0;
  if (n->op == TS_IR_COMPUTE && v->duration)
    ts_events_put_work(m->e, event, (ts_event_work){.flops = ir->kernels[n->arg].flops,
                                                    .bytes = ir->kernels[n->arg].bytes});
  const char *label = text(m, n->label);
  if (!*label)
    label = n->op == TS_IR_COMPUTE ? text(m, ir->kernels[n->arg].family) : comm ? "" : "record";
  if (n->op == TS_IR_COLLECTIVE)
    v->detail = add_collective(m, &ir->collectives[n->arg]);
  else if (comm)
    v->detail = add_message(m, &ir->ports[f->first_port + n->arg],
                            &ir->bindings[item->first_binding + n->arg]);
  if (!*label)
    label = ts_events_text(m->e, m->e->comms.at[v->detail].name);
  v->name = of_ir_intern(m->e, label);
  if (m->last[track] != TS_EVENT_NONE)
    add_edge(m, m->last[track], event);
  for (uint32_t d = 0; d < n->dep_count; d++)
    add_edge(m, event_of[ir->deps[n->first_dep + d]], event);
  m->last[track] = event;
  add_memory(m, n, event);
  return event;
}

static ts_events *table_of(ts_arena *arena, const ts_ir *ir, uint32_t number, of_ir_program *out)
{
  of_ir_maker m = {
    .e = ts_events_new(arena, "ir"), .ir = ir, .p = out, .work = ts_arena_new("program")};
  m.e->world = ir->meta->world;
  m.last = TS_NEW_ARRAY(m.work, uint32_t, ir->streams_count + 1);
  memset(m.last, 0xff, sizeof *m.last * (ir->streams_count + 1));
  for (uint32_t s = 0; s <= ir->streams_count; s++)
    ts_events_track(m.e, 0, of_ir_intern(m.e, ts_arena_printf(m.work, "%u", s)),
                    s < ir->streams_count);
  for (uint32_t s = 0; s < ir->streams_count; s++) {
    m.e->tracks.at[s].unshared = ir->streams[s].unshared;
    m.e->tracks.at[s].priority = ir->streams[s].priority;
  }
  const ts_ir_program *p = &ir->programs[number];
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ts_ir_item *item = &ir->items[p->first_item + i];
    const ts_ir_fragment *f = &ir->fragments[item->fragment];
    uint32_t *event_of = TS_NEW_ARRAY(m.work, uint32_t, f->node_count + 1);
    for (uint32_t n = 0; n < f->node_count; n++)
      event_of[n] = of_ir_add_node(&m, &ir->nodes[f->first_node + n], f, item, event_of);
  }
  ts_arena_free(m.work);
  m.e->seen = m.e->count;
  ts_events_sort(m.e);
  return m.e;
}

/* ---- All ranks ---- */

ts_ir_ranks *ts_ir_ranks_new(ts_arena *arena, const ts_ir *ir)
{
  ts_ir_ranks *r = TS_NEW(arena, ts_ir_ranks);
  *r = (ts_ir_ranks){arena, ir, TS_NEW_ARRAY(arena, of_ir_program, ir->programs_count + 1)};
  return r;
}

uint32_t ts_ir_ranks_program(const ts_ir_ranks *r, uint32_t rank)
{
  return r->ir->meta->pipeline_axis == TS_IR_NONE ?
           0 :
           coordinate(r->ir, rank, r->ir->meta->pipeline_axis);
}

const ts_events *ts_ir_ranks_at(ts_ir_ranks *r, uint32_t rank)
{
  of_ir_program *p = &r->programs[ts_ir_ranks_program(r, rank)];
  if (!p->e)
    p->e = table_of(r->arena, r->ir, (uint32_t)(p - r->programs), p);
  aim(p, r->ir, rank);
  return p->e;
}

const ts_events *ts_events_of_ir(ts_arena *arena, const ts_ir *ir, uint32_t rank)
{
  return ts_ir_ranks_at(ts_ir_ranks_new(arena, ir), rank);
}
