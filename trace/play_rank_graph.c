/* Execution graphs of all ranks as one IR. The IR names groups as products of the axes of a mesh,
 * and has a program for each coordinate of one axis: both are found from what the graphs say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "trace/machine_ir.h"
#include "trace/read/rank_graph.h"

enum { AXES_MOST = 30, STREAMS_MOST = 255, DEPENDENCIES_MOST = UINT16_MAX, TENSORS_MOST = 64 };

typedef struct members { uint32_t count, *rank; } members;

/* Pair, tag, group, and how many went before: the same on both sides, as sender and receiver are
 * the lowest ranks of their programs. */
typedef struct message_key { uint64_t sender, receiver, tag, group, nth; } message_key;

typedef struct maker {
  ts_arena *work;
  const ts_events *const *ranks;
  uint32_t world, axis_count, size[AXES_MOST], stride[AXES_MOST];
  uint32_t program_axis;        /* TS_IR_NONE: one program */
  const ts_graph_machine *machine;
  ts_ir_builder *b;
  uint32_t label_memory;
  const message_key **message_keys; /* of each program, by event */
  TS_VEC(message_key) messages; /* all that is sent, sorted: tags are places in it */
  ts_error *error;
} maker;

static uint32_t coordinate(const maker *m, uint32_t rank, uint32_t axis)
{
  return rank / m->stride[axis] % m->size[axis];
}

static members members_of(const maker *m, const ts_events *e, uint32_t ranks)
{
  const char *at = ts_events_text(e, ranks);
  TS_VEC(uint32_t) out = {0};
  for (char *end; *at; at = *end == ',' ? end + 1 : end) {
    unsigned long rank = strtoul(at, &end, 10);
    if (end == at || rank >= m->world)
      return (members){0, NULL};
    TS_PUSH(m->work, &out, (uint32_t)rank);
  }
  return (members){(uint32_t)out.count, out.at};
}

/* ---- The mesh ---- */

typedef TS_VEC(uint32_t) borders;

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* A group that is a product of axes is its first rank and distances that begin again: 0 1 4 5 is
 * stride 1 twice, then stride 4 twice. */
static bool take_borders(maker *m, members g, borders *out)
{
  for (uint32_t done = 1; done < g.count;) { /* the first `done` members are the product so far */
    uint32_t stride = g.rank[done] - g.rank[0], times = 1;
    if (g.rank[done] <= g.rank[done - 1])
      return false;
    for (; (times + 1) * done <= g.count; times++)
      for (uint32_t i = 0; i < done; i++)
        if (g.rank[times * done + i] != g.rank[i] + times * stride)
          goto ended;
  ended:
    if (times < 2)
      return false;
    TS_PUSH(m->work, out, stride);
    TS_PUSH(m->work, out, stride * times);
    done *= times;
    if (done < g.count && g.count % done)
      return false;
  }
  return true;
}

static uint32_t common(uint32_t a, uint32_t b)
{
  while (b) {
    uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static bool find_mesh(maker *m)
{
  borders all = {0};
  /* what divides the distances of all messages that name no group: the stride of their axis */
  uint32_t distance = 0;
  TS_PUSH(m->work, &all, 1);
  TS_PUSH(m->work, &all, m->world);
  for (uint32_t r = 0; r < m->world; r++) {
    const ts_events *e = m->ranks[r];
    bool *seen = TS_NEW_ARRAY(m->work, bool, ts_events_strings(e));
    for (size_t i = 0; i < e->comms.count; i++) {
      const ts_event_comm *c = &e->comms.at[i];
      if (!c->ranks && c->peer >= 0)
        distance = common(distance, (uint32_t)llabs(c->peer - (int64_t)r));
      if (seen[c->ranks] || (!c->ranks && c->peer >= 0))
        continue;
      seen[c->ranks] = true;
      members g = members_of(m, e, c->ranks);
      if (!g.count)
        return ts_fail(m->error, "list the ranks of each group, from 0 to the world's last",
                       "rank %u: a group has no ranks, or some beyond the world of %u: `%.60s`", r,
                       m->world, ts_events_text(e, c->ranks));
      if (!take_borders(m, g, &all))
        return ts_fail(
          m->error, "groups are made of axes of one mesh, as those of tensors, data and stages are",
          "rank %u: the group of ranks %.60s is not a product of axes", r,
          ts_events_text(e, c->ranks));
    }
  }
  if (distance && distance < m->world)
    TS_PUSH(m->work, &all, distance);
  TS_SORT(&all, by_number);
  for (size_t i = 0; i + 1 < all.count; i++) {
    if (all.at[i] == all.at[i + 1])
      continue;
    if (all.at[i + 1] % all.at[i] || m->axis_count == AXES_MOST)
      return ts_fail(
        m->error, "groups are made of axes of one mesh, as those of tensors, data and stages are",
        "the groups of the ranks fit no mesh: strides of %u and %u", all.at[i], all.at[i + 1]);
    m->stride[m->axis_count] = all.at[i];
    m->size[m->axis_count++] = all.at[i + 1] / all.at[i];
  }
  return true;
}

static uint32_t axes_of(const maker *m, members g)
{
  uint32_t mask = 0;
  for (uint32_t a = 0; a < m->axis_count; a++)
    for (uint32_t i = 1; i < g.count; i++)
      if (coordinate(m, g.rank[i], a) != coordinate(m, g.rank[0], a))
        mask |= 1u << a;
  return mask;
}

/* ---- Programs ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
  for (; *text; text++) hash = mix(hash, (unsigned char)*text);
  return mix(hash, 0);
}

static uint32_t peer_axis(const maker *m, uint32_t rank, int64_t peer)
{
  uint32_t axis = TS_IR_NONE, differ = 0;
  for (uint32_t a = 0; a < m->axis_count && peer < m->world; a++)
    if (coordinate(m, rank, a) != coordinate(m, (uint32_t)peer, a))
      axis = a, differ++;
  return differ == 1 ? axis : TS_IR_NONE;
}

/* What a rank does, but for times: equal for ranks that can share a program. */
static uint64_t digest(const maker *m, uint32_t rank)
{
  const ts_events *e = m->ranks[rank];
  uint64_t hash = mix(e->count, e->edges.count);
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    hash = mix(mix_text(hash, ts_events_text(e, v->name)), v->track);
    const ts_graph_facts *f = e->graph && i < e->graph->facts.count ? &e->graph->facts.at[i] : NULL;
    if (f && f->in != TS_EVENT_NONE)
      hash = mix_text(hash, ts_events_text(e, e->shapes.at[f->in].dims));
    if (v->detail == TS_EVENT_NONE || v->kind != TS_KERNEL_COMMUNICATION)
      continue;
    const ts_event_comm *c = &e->comms.at[v->detail];
    hash = mix(mix(mix(hash, c->kind), (uint64_t)c->bytes), axes_of(m, members_of(m, e, c->ranks)));
    uint32_t axis = c->peer >= 0 ? peer_axis(m, rank, c->peer) : TS_IR_NONE;
    if (c->peer >= 0)
      hash = mix(mix(hash, axis),
                 axis == TS_IR_NONE ? (uint64_t)c->peer : coordinate(m, (uint32_t)c->peer, axis));
  }
  for (size_t i = 0; i < e->edges.count; i++)
    hash = mix(mix(hash, e->edges.at[i].from), e->edges.at[i].to);
  return hash;
}

/* The axis whose coordinate decides what a rank does. */
static bool find_programs(maker *m)
{
  uint64_t *hash = TS_NEW_ARRAY(m->work, uint64_t, m->world);
  for (uint32_t r = 0; r < m->world; r++) hash[r] = digest(m, r);
  uint32_t differ = 0, other = 0;
  for (uint32_t r = 1; r < m->world && !differ; r++) differ = hash[r] != hash[0] ? r : 0;
  m->program_axis = TS_IR_NONE;
  if (!differ)
    return true;
  for (uint32_t a = 0; a < m->axis_count; a++) {
    bool good = true;
    for (uint32_t r = 0; r < m->world && good; r++) {
      good = hash[r] == hash[coordinate(m, r, a) * m->stride[a]];
      other = good ? other : r;
    }
    if (!good)
      continue;
    m->program_axis = a;
    return true;
  }
  return ts_fail(
    m->error, "one axis of the mesh has to determine the work of a rank, as pipeline stages do",
    "the ranks do not fall into the stages of one axis: rank %u does another thing than rank 0, "
    "and rank %u fits neither",
    differ, other);
}

static uint32_t program_count(const maker *m)
{
  return m->program_axis == TS_IR_NONE ? 1 : m->size[m->program_axis];
}
static uint32_t lowest_rank(const maker *m, uint32_t program)
{
  return m->program_axis == TS_IR_NONE ? 0 : program * m->stride[m->program_axis];
}

/* The next rank of the same program, or the world. */
static uint32_t next_rank(const maker *m, uint32_t rank)
{
  if (m->program_axis == TS_IR_NONE)
    return rank + 1;
  uint32_t stride = m->stride[m->program_axis],
           others = (rank + 1) % stride ? 0 : stride * (m->size[m->program_axis] - 1);
  return rank + 1 + others;
}

/* ---- Messages ---- */

typedef struct message { message_key key; uint32_t event; } message;

static int compare_keys(const message_key *x, const message_key *y)
{
  const uint64_t a[] = {x->sender, x->receiver, x->tag, x->group, x->nth},
                 b[] = {y->sender, y->receiver, y->tag, y->group, y->nth};
  for (size_t i = 0; i < sizeof a / sizeof *a; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int by_key(const void *a, const void *b) { return compare_keys(a, b); }

static int by_key_and_event(const void *a, const void *b)
{
  const message *x = a, *y = b;
  int order = compare_keys(&x->key, &y->key);
  return order ? order : (x->event > y->event) - (x->event < y->event);
}

static bool is_message(const ts_events *e, const ts_event *v)
{
  if (v->kind != TS_KERNEL_COMMUNICATION || v->detail == TS_EVENT_NONE)
    return false;
  uint32_t kind = e->comms.at[v->detail].kind;
  return kind == TS_COMM_SEND || kind == TS_COMM_RECV;
}

static message_key key_of(const ts_events *e, const ts_event_comm *c)
{
  uint64_t own = (uint64_t)e->rank, peer = (uint64_t)c->peer;
  bool send = c->kind == TS_COMM_SEND;
  return (message_key){send ? own : peer, send ? peer : own, (uint64_t)c->tag,
                       c->group ? mix_text(1, ts_events_text(e, c->group)) : 0, 0};
}

/* Keys of a rank's messages, by event. */
static message_key *number_messages(const maker *m, const ts_events *e)
{
  message_key *keys = TS_NEW_ARRAY(m->work, message_key, e->count + 1);
  TS_VEC(message) all = {0};
  for (uint32_t i = 0; i < e->count; i++)
    if (is_message(e, ts_event_at(e, i)))
      TS_PUSH(m->work, &all, ((message){key_of(e, &e->comms.at[ts_event_at(e, i)->detail]), i}));
  TS_SORT(&all, by_key_and_event);
  uint64_t nth = 0;
  for (size_t i = 0; i < all.count; i++) {
    nth = i && compare_keys(&all.at[i].key, &all.at[i - 1].key) == 0 ? nth + 1 : 0;
    keys[all.at[i].event] = all.at[i].key;
    keys[all.at[i].event].nth = nth;
  }
  return keys;
}

static void collect_messages(maker *m)
{
  m->message_keys = TS_NEW_ARRAY(m->work, const message_key *, program_count(m));
  for (uint32_t p = 0; p < program_count(m); p++) {
    const ts_events *e = m->ranks[lowest_rank(m, p)];
    m->message_keys[p] = number_messages(m, e);
    for (uint32_t i = 0; i < e->count; i++)
      if (ts_event_at(e, i)->kind == TS_KERNEL_COMMUNICATION &&
          ts_event_at(e, i)->detail != TS_EVENT_NONE &&
          e->comms.at[ts_event_at(e, i)->detail].kind == TS_COMM_SEND)
        TS_PUSH(m->work, &m->messages, m->message_keys[p][i]);
  }
  TS_SORT(&m->messages, by_key);
}

/* The place among all messages sent; one that nobody sends has a tag beyond. */
static uint32_t tag_of(const maker *m, const message_key *key)
{
  size_t low = 0, high = m->messages.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_keys(&m->messages.at[middle], key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)(low < m->messages.count && compare_keys(&m->messages.at[low], key) == 0 ?
                      low :
                      m->messages.count + low);
}

/* ---- Times ---- */

typedef struct tensor { double elements, bytes, last, first; uint32_t dimensions; } tensor;

static uint32_t take_shapes(const ts_events *e, uint32_t shapes, tensor out[TENSORS_MOST])
{
  if (shapes == TS_EVENT_NONE)
    return 0;
  const char *dims = ts_events_text(e, e->shapes.at[shapes].dims) + 1,
             *types = ts_events_text(e, e->shapes.at[shapes].types) + 1;
  uint32_t count = 0;
  while (count < TENSORS_MOST && (dims = strchr(dims, '[')) && (types = strchr(types, '"'))) {
    tensor *t = &out[count++];
    *t = (tensor){.elements = 1, .last = 1, .first = 1};
    char *end = (char *)(uintptr_t)dims;
    for (dims++; *dims && *dims != ']'; dims = *end == ',' ? end + 1 : end) {
      double n = strtod(dims, &end);
      if (end == dims || !(n >= 0))
        break;
      t->elements *= n;
      t->last = n;
      t->first = t->dimensions++ ? t->first : n;
    }
    const char *name = types + 1;
    types = strchr(name, '"');
    char plain[24] = {0};
    if (types && (size_t)(types - name) < sizeof plain)
      memcpy(plain, name, (size_t)(types - name));
    int64_t each = ts_scalar_bytes(plain);
    t->bytes = t->elements * (double)(each > 0 ? each : 4);
    if (!types)
      break;
    types++;
  }
  return count;
}

/* FLOP of what multiplies matrices, from shapes: of the last two inputs with two dimensions or more
 * the first is m x k, and the output holds the rest. */
static double flops_of(ts_event_kind kind, const tensor *in, uint32_t in_count, const tensor *out,
                       uint32_t out_count)
{
  const tensor *pair[2] = {NULL, NULL};
  for (uint32_t i = 0; i < in_count; i++)
    if (in[i].dimensions >= 2)
      pair[0] = pair[1], pair[1] = &in[i];
  if (!pair[0] || !out_count)
    return 0;
  if (kind == TS_KERNEL_MATMUL)
    return 2 * out[0].elements * pair[0]->last;
  if (kind == TS_KERNEL_CONVOLUTION && pair[1]->first > 0)
    return 2 * out[0].elements * pair[1]->elements / pair[1]->first;
  return 0;
}

static bool time_of(maker *m, const ts_events *e, uint32_t i, ts_ir_kernel *k)
{
  const ts_graph_facts *f = e->graph && i < e->graph->facts.count ? &e->graph->facts.at[i] : NULL;
  const ts_event *v = ts_event_at(e, i);
  tensor in[TENSORS_MOST], out[TENSORS_MOST];
  uint32_t in_count = f ? take_shapes(e, f->in, in) : 0,
           out_count = f ? take_shapes(e, f->out, out) : 0;
  for (uint32_t t = 0; t < in_count; t++) k->bytes += in[t].bytes;
  for (uint32_t t = 0; t < out_count; t++) k->bytes += out[t].bytes;
  k->flops = flops_of((ts_event_kind)v->kind, in, in_count, out, out_count);
  if (!(k->bytes < 1e18) || !(k->flops < 1e24))
    return ts_fail(m->error, "check the shapes of its tensors",
                   "rank %" PRId64 ", node %u: larger than can be counted", e->rank, i);
  if (!m->machine)
    return ts_fail(m->error, "describe the device: --machine FLOPS:BANDWIDTH:LINK:LATENCY",
                   "rank %" PRId64 ", node %u, `%.40s`, has no time", e->rank, i,
                   ts_events_text(e, v->name));
  double compute = k->flops / m->machine->flops, memory = k->bytes / m->machine->bandwidth;
  k->time = (uint64_t)((compute > memory ? compute : memory) * 1e12);
  k->basis = TS_IR_ROOFLINE;
  return true;
}

/* The mean of the ranks that share the program; of the one that has it, if not all have. */
static bool kernel_of(maker *m, uint32_t program, uint32_t i, uint32_t *kernel)
{
  ts_ir_kernel k = {.basis = TS_IR_MEASURED, .source = 0};
  uint64_t sum = 0, count = 0;
  for (uint32_t r = lowest_rank(m, program); r < m->world; r = next_rank(m, r)) {
    int64_t ns = ts_event_at(m->ranks[r], i)->duration;
    if (ns >= 0 && ns < INT64_MAX / (1 << 24) / 1000) {
      sum += (uint64_t)ns;
      count++;
    }
  }
  const ts_events *e = m->ranks[lowest_rank(m, program)];
  k.family = ts_ir_add_string(m->b, ts_event_kind_name((ts_event_kind)ts_event_at(e, i)->kind));
  if (count)
    k.time = sum * 1000 / count;
  else if (!time_of(m, e, i, &k))
    return false;
  *kernel = ts_ir_intern(m->b, TS_IR_KERNELS, &k);
  return true;
}

/* ---- The IR ---- */

static uint32_t group_of(maker *m, uint32_t mask)
{
  char name[16 * AXES_MOST] = "";
  size_t length = 0;
  for (uint32_t a = 0; a < m->axis_count; a++)
    if (mask >> a & 1)
      length +=
        (size_t)snprintf(name + length, sizeof name - length, "%sd%u", length ? "*" : "", a);
  ts_ir_group group = {.name = ts_ir_add_string(m->b, name), .axes = mask};
  return ts_ir_intern(m->b, TS_IR_GROUPS, &group);
}

static uint32_t phase_of(const ts_events *e, uint32_t i)
{
  static const struct {
    const char *name;
    uint32_t phase;
  } phases[] = {{"forward", TS_IR_PHASE_FORWARD},
                {"backward", TS_IR_PHASE_BACKWARD_INPUT},
                {"recompute", TS_IR_PHASE_RECOMPUTE},
                {"optimizer", TS_IR_PHASE_OPTIMIZER}};
  if (ts_event_at(e, i)->kind == TS_KERNEL_COMMUNICATION)
    return TS_IR_PHASE_COMMUNICATION;
  const char *name =
    e->graph && i < e->graph->facts.count ? ts_events_text(e, e->graph->facts.at[i].phase) : "";
  for (size_t p = 0; p < sizeof phases / sizeof *phases; p++)
    if (strcmp(name, phases[p].name) == 0)
      return phases[p].phase;
  return TS_IR_PHASE_OTHER;
}

typedef struct program {
  const ts_events *e;
  uint32_t number, *node_of; /* by event */
  uint32_t *first_dep, *deps;
  uint32_t *first_mem;
  TS_VEC(ts_ir_node) nodes;
  TS_VEC(ts_ir_port) ports;
  TS_VEC(ts_ir_binding) bindings;
} program;

static bool put_message(maker *m, program *p, ts_ir_node *n, uint32_t i)
{
  const ts_event_comm *c = &p->e->comms.at[ts_event_at(p->e, i)->detail];
  uint32_t rank = (uint32_t)p->e->rank, axis = peer_axis(m, rank, c->peer);
  if (axis == TS_IR_NONE || axis != m->program_axis)
    return ts_fail(m->error, "messages run along one axis of the mesh, that of the stages",
                   "rank %u, node %u: a message to or from rank %" PRId64
                   ", which is not along the axis of the pipeline",
                   rank, i, c->peer);
  n->op = c->kind == TS_COMM_SEND ? TS_IR_SEND : TS_IR_RECV;
  n->arg = (uint32_t)p->ports.count;
  TS_PUSH(m->work, &p->ports,
          ((ts_ir_port){.bytes = c->bytes > 0 ? (uint64_t)c->bytes : 0,
                        .group = group_of(m, 1u << axis),
                        .is_send = c->kind == TS_COMM_SEND}));
  TS_PUSH(m->work, &p->bindings,
          ((ts_ir_binding){coordinate(m, (uint32_t)c->peer, axis),
                           tag_of(m, &m->message_keys[p->number][i])}));
  return true;
}

static bool put_comm(maker *m, program *p, ts_ir_node *n, uint32_t i)
{
  static const uint8_t kinds[TS_COMM_KINDS] = {[TS_COMM_ALL_REDUCE] = TS_IR_ALL_REDUCE,
                                               [TS_COMM_ALL_GATHER] = TS_IR_ALL_GATHER,
                                               [TS_COMM_REDUCE_SCATTER] = TS_IR_REDUCE_SCATTER,
                                               [TS_COMM_BROADCAST] = TS_IR_BROADCAST,
                                               [TS_COMM_REDUCE] = TS_IR_REDUCE,
                                               [TS_COMM_ALL_TO_ALL] = TS_IR_ALL_TO_ALL,
                                               [TS_COMM_GATHER] = TS_IR_REDUCE,
                                               [TS_COMM_SCATTER] = TS_IR_BROADCAST,
                                               [TS_COMM_BARRIER] = TS_IR_BARRIER,
                                               [TS_COMM_SEND_RECV] = TS_IR_ALL_TO_ALL};
  if (!m->machine)
    return ts_fail(m->error, "describe the links: --machine FLOPS:BANDWIDTH:LINK:LATENCY",
                   "rank %" PRId64 ", node %u, communicates", p->e->rank, i);
  if (is_message(p->e, ts_event_at(p->e, i)))
    return put_message(m, p, n, i);
  const ts_event_comm *c = &p->e->comms.at[ts_event_at(p->e, i)->detail];
  uint32_t mask = axes_of(m, members_of(m, p->e, c->ranks));
  if (!mask) { /* a group of one */
    n->op = TS_IR_RECORD;
    return true;
  }
  ts_ir_collective collective = {.kind = kinds[c->kind],
                                 .group = group_of(m, mask),
                                 .bytes = c->bytes > 0 ? (uint64_t)c->bytes : 0};
  n->op = TS_IR_COLLECTIVE;
  n->arg = ts_ir_intern(m->b, TS_IR_COLLECTIVES, &collective);
  return true;
}

static uint32_t category_of(const char *name)
{
  /* as ts_ir_category counts */
  static const char *const names[] = {"parameters",  "gradients",   "optimizer",
                                      "activations", "temporaries", "buffers"};
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    if (strcmp(names[c], name) == 0)
      return c;
  return TS_IR_TEMPORARIES;
}

static void put_memory(maker *m, program *p, ts_ir_node *n, uint32_t i)
{
  TS_VEC(ts_ir_mem) mems = {0};
  for (uint32_t k = p->first_mem[i]; k < p->first_mem[i + 1] && mems.count < UINT16_MAX; k++) {
    const ts_graph_memory *g = &p->e->graph->memory.at[k];
    TS_PUSH(
      m->work, &mems,
      ((ts_ir_mem){.bytes = g->bytes, .category = category_of(ts_events_text(p->e, g->category))}));
  }
  n->mem_count = (uint16_t)mems.count;
  n->first_mem = mems.count ? ts_ir_intern_run(m->b, TS_IR_MEMS, mems.at, (uint32_t)mems.count) : 0;
}

static void put_dependencies(maker *m, program *p, ts_ir_node *n, uint32_t i)
{
  uint32_t count = p->first_dep[i + 1] - p->first_dep[i],
           *deps = TS_NEW_ARRAY(m->work, uint32_t, count + 1), kept = 0;
  for (uint32_t k = 0; k < count; k++) deps[k] = p->node_of[p->deps[p->first_dep[i] + k]];
  qsort(deps, count, sizeof *deps, by_number);
  for (uint32_t k = 0; k < count; k++)
    if (!kept || deps[kept - 1] != deps[k])
      deps[kept++] = deps[k];
  n->dep_count = (uint16_t)kept;
  n->first_dep = ts_ir_intern_run(m->b, TS_IR_DEPS, deps, kept);
}

static bool put_node(maker *m, program *p, uint32_t i)
{
  const ts_event *v = ts_event_at(p->e, i);
  const ts_graph_facts *f =
    p->e->graph && i < p->e->graph->facts.count ? &p->e->graph->facts.at[i] : NULL;
  ts_ir_node n = {.op = TS_IR_COMPUTE,
                  .stream = (uint8_t)v->track,
                  .phase = (uint8_t)phase_of(p->e, i),
                  .loc = TS_IR_NONE,
                  .rule_loc = TS_IR_NONE};
  const char *module = f ? ts_events_text(p->e, f->module) : "",
             *name = ts_events_text(p->e, v->name);
  n.label =
    ts_ir_add_string(m->b, *module ? ts_arena_printf(m->work, "%s %s", module, name) : name);
  put_dependencies(m, p, &n, i);
  if (p->first_mem)
    put_memory(m, p, &n, i);
  if (v->class != TS_EVENT_DEVICE) {
    n.op = v->duration > 0 ? TS_IR_HOST_WORK : TS_IR_HOST_SYNC;
    n.host_ps =
      v->duration > 0 && v->duration < INT64_MAX / 1000 ? (uint64_t)v->duration * 1000 : 0;
    n.stream = 0;
  } else if (v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE) {
    if (!put_comm(m, p, &n, i))
      return false;
  } else if (!kernel_of(m, p->number, i, &n.arg))
    return false;
  p->node_of[i] = (uint32_t)p->nodes.count;
  TS_PUSH(m->work, &p->nodes, n);
  if (f && f->sync) {
    ts_ir_node wait = {.op = TS_IR_HOST_SYNC,
                       .phase = TS_IR_PHASE_OTHER,
                       .label = n.label,
                       .loc = TS_IR_NONE,
                       .rule_loc = TS_IR_NONE,
                       .dep_count = 1};
    wait.first_dep = ts_ir_intern_run(m->b, TS_IR_DEPS, &p->node_of[i], 1);
    TS_PUSH(m->work, &p->nodes, wait);
  }
  return true;
}

static bool sort_dependencies(maker *m, program *p)
{
  const ts_events *e = p->e;
  p->first_dep = TS_NEW_ARRAY(m->work, uint32_t, e->count + 2);
  p->deps = TS_NEW_ARRAY(m->work, uint32_t, e->edges.count + 1);
  for (size_t k = 0; k < e->edges.count; k++) {
    if (e->edges.at[k].from >= e->edges.at[k].to)
      return ts_fail(m->error, "list nodes after those that they wait for",
                     "rank %" PRId64 ": node %u waits for node %u, which comes after it", e->rank,
                     e->edges.at[k].to, e->edges.at[k].from);
    p->first_dep[e->edges.at[k].to + 1]++;
  }
  for (uint32_t i = 0; i < e->count; i++) {
    if (p->first_dep[i + 1] > DEPENDENCIES_MOST)
      return ts_fail(m->error, "let it wait for the last node of each stream",
                     "rank %" PRId64 ": node %u waits for more than %d others", e->rank, i,
                     DEPENDENCIES_MOST);
    p->first_dep[i + 1] += p->first_dep[i];
  }
  uint32_t *at = ts_arena_copy(m->work, p->first_dep, sizeof *at * (e->count + 1));
  for (size_t k = 0; k < e->edges.count; k++)
    p->deps[at[e->edges.at[k].to]++] = e->edges.at[k].from;
  return true;
}

/* Memory events lie in the order of nodes, what is held before at either end. */
static bool sort_memory(maker *m, program *p)
{
  const ts_events *e = p->e;
  if (!e->graph)
    return true;
  p->first_mem = TS_NEW_ARRAY(m->work, uint32_t, e->count + 2);
  uint32_t k = 0;
  for (uint32_t i = 0; i <= e->count; i++) {
    while (k < e->graph->memory.count &&
           (e->graph->memory.at[k].event == TS_EVENT_NONE || e->graph->memory.at[k].event < i))
      k++;
    p->first_mem[i] = k;
  }
  for (size_t i = 1; i < e->graph->memory.count; i++)
    if (e->graph->memory.at[i].event != TS_EVENT_NONE &&
        e->graph->memory.at[i - 1].event != TS_EVENT_NONE &&
        e->graph->memory.at[i].event < e->graph->memory.at[i - 1].event)
      return ts_fail(m->error, "sort `memory` by `node`",
                     "rank %" PRId64 ": `memory` is not in the order of nodes", e->rank);
  return true;
}

static uint32_t put_holdings(maker *m, const ts_events *e, uint32_t *count)
{
  TS_VEC(ts_ir_holding) held = {0};
  for (size_t i = 0; e->graph && i < e->graph->memory.count; i++) {
    const ts_graph_memory *g = &e->graph->memory.at[i];
    if (g->event == TS_EVENT_NONE && g->bytes > 0)
      TS_PUSH(m->work, &held,
              ((ts_ir_holding){.bytes = (uint64_t)g->bytes,
                               .category = category_of(ts_events_text(e, g->category))}));
  }
  *count = (uint32_t)held.count;
  void *at;
  uint32_t first = ts_ir_append(m->b, TS_IR_HOLDINGS, (uint32_t)held.count, &at);
  if (held.count)
    memcpy(at, held.at, held.count * sizeof *held.at);
  return first;
}

static uint32_t append(maker *m, ts_ir_section_kind kind, const void *records, size_t size,
                       size_t count)
{
  void *at;
  uint32_t first = ts_ir_append(m->b, kind, (uint32_t)count, &at);
  if (count)
    memcpy(at, records, size * count);
  return first;
}

static bool put_program(maker *m, uint32_t number)
{
  program p = {.e = m->ranks[lowest_rank(m, number)], .number = number};
  p.node_of = TS_NEW_ARRAY(m->work, uint32_t, p.e->count + 1);
  if (!sort_dependencies(m, &p) || !sort_memory(m, &p))
    return false;
  for (uint32_t i = 0; i < p.e->count; i++)
    if (!put_node(m, &p, i))
      return false;
  const char *name = ts_arena_printf(m->work, "stage %u", number);
  ts_ir_fragment fragment = {.name = ts_ir_add_string(m->b, name),
                             .work = ts_ir_add_string(m->b, "S"),
                             .node_count = (uint32_t)p.nodes.count,
                             .port_count = (uint32_t)p.ports.count};
  fragment.first_node = append(m, TS_IR_NODES, p.nodes.at, sizeof *p.nodes.at, p.nodes.count);
  fragment.first_port = append(m, TS_IR_PORTS, p.ports.at, sizeof *p.ports.at, p.ports.count);
  ts_ir_item item = {.fragment = append(m, TS_IR_FRAGMENTS, &fragment, sizeof fragment, 1),
                     .micro_batch = TS_IR_NONE};
  item.first_binding =
    append(m, TS_IR_BINDINGS, p.bindings.at, sizeof *p.bindings.at, p.bindings.count);
  ts_ir_program out = {.name = fragment.name, .item_count = 1};
  out.first_item = append(m, TS_IR_ITEMS, &item, sizeof item, 1);
  out.first_holding = put_holdings(m, p.e, &out.holding_count);
  append(m, TS_IR_PROGRAMS, &out, sizeof out, 1);
  return true;
}

/* Devices on one switch. */
static void put_cluster(maker *m)
{
  ts_ir_meta *meta = ts_ir_builder_meta(m->b);
  *meta = (ts_ir_meta){.plan = ts_ir_add_string(m->b, "graph"),
                       .tool = ts_ir_add_string(m->b, "trainspec"),
                       .plan_loc = TS_IR_NONE,
                       .pipeline_axis = m->program_axis,
                       .memory_loc = TS_IR_NONE,
                       .mesh_loc = TS_IR_NONE,
                       .world = m->world,
                       .micro_batches = 1};
  for (uint32_t a = 0; a < m->axis_count; a++)
    append(m, TS_IR_AXES,
           &(ts_ir_axis){.name = ts_ir_add_string(m->b, ts_arena_printf(m->work, "d%u", a)),
                         .size = m->size[a],
                         .stride = m->stride[a]},
           sizeof(ts_ir_axis), 1);
  append(m, TS_IR_COST_SOURCES,
         &(ts_ir_cost_source){.name = ts_ir_add_string(m->b, ts_base_name(m->ranks[0]->file)),
                              .kind = ts_ir_add_string(m->b, "graph"),
                              .loc = TS_IR_NONE},
         sizeof(ts_ir_cost_source), 1);
  ts_machine_put(m->b, m->machine, m->world);
}

/* Stream i of every rank; what it is called is what rank 0 uses it for. */
static bool put_streams(maker *m)
{
  uint32_t most = 1;
  for (uint32_t r = 0; r < m->world; r++)
    for (uint32_t t = most; t < m->ranks[r]->tracks.count; t++)
      most = m->ranks[r]->tracks.at[t].device ? t + 1 : most;
  if (most > STREAMS_MOST)
    return ts_fail(m->error, "put work that never overlaps on one stream",
                   "a rank has %u streams; at most %d", most, STREAMS_MOST);
  for (uint32_t s = 0; s < most; s++) {
    const char *kind = "compute";
    for (uint32_t r = 0; r < m->world; r++)
      if (s < m->ranks[r]->tracks.count) {
        kind = ts_events_text(m->ranks[r], m->ranks[r]->tracks.at[s].label);
        break;
      }
    ts_ir_stream stream = {
      .name = ts_ir_add_string(m->b, ts_arena_printf(m->work, "%s %u", *kind ? kind : "stream", s)),
      .kind = strcmp(kind, "comm") == 0 ? TS_IR_STREAM_COMM :
              strcmp(kind, "copy") == 0 ? TS_IR_STREAM_COPY :
                                          TS_IR_STREAM_COMPUTE};
    append(m, TS_IR_STREAMS, &stream, sizeof stream, 1);
  }
  return true;
}

static bool check_ranks(maker *m)
{
  for (uint32_t r = 0; r < m->world; r++) {
    const ts_events *e = m->ranks[r];
    if (e->format != TS_TRACE_GRAPH && e->format != TS_TRACE_GOAL)
      return ts_fail(m->error, "trainspec-trace writes them", "`%s` is not an execution graph",
                     e->file);
    if (e->world != m->world || e->rank != r)
      return ts_fail(m->error, "give the graphs of all ranks",
                     "`%s` is rank %" PRId64 " of %" PRId64 "; wanted is rank %u of %u", e->file,
                     e->rank, e->world, r, m->world);
    if (e->cut)
      return ts_fail(m->error, "copy the file again", "`%s` ends early", e->file);
    if (!e->count)
      return ts_fail(m->error, "trace the rank again", "`%s` holds no nodes", e->file);
  }
  return true;
}

/* Do all messages run along the axis whose coordinate decides what a rank does? */
static bool messages_fit(const maker *m)
{
  for (uint32_t p = 0; p < program_count(m); p++) {
    uint32_t rank = lowest_rank(m, p);
    const ts_events *e = m->ranks[rank];
    for (uint32_t i = 0; i < e->count; i++)
      if (is_message(e, ts_event_at(e, i))) {
        uint32_t axis = peer_axis(m, rank, e->comms.at[ts_event_at(e, i)->detail].peer);
        if (axis == TS_IR_NONE || axis != m->program_axis)
          return false;
      }
  }
  return true;
}

static bool has_collectives(const maker *m)
{
  for (uint32_t r = 0; r < m->world; r++)
    for (size_t i = 0; i < m->ranks[r]->comms.count; i++)
      if (m->ranks[r]->comms.at[i].kind != TS_COMM_SEND &&
          m->ranks[r]->comms.at[i].kind != TS_COMM_RECV)
        return true;
  return false;
}

/* A mesh and its stages; where ranks have no collectives but messages that fit none, each rank is a
 * stage of its own. */
static bool find_shape(maker *m)
{
  bool found = find_mesh(m) && find_programs(m);
  if ((found && messages_fit(m)) || has_collectives(m) || m->world < 2)
    return found;
  *m->error = (ts_error){0};
  m->axis_count = 1;
  m->stride[0] = 1;
  m->size[0] = m->world;
  m->program_axis = 0;
  return true;
}

static bool make(maker *m)
{
  if (!check_ranks(m) || !find_shape(m))
    return false;
  m->b = ts_ir_builder_new();
  put_cluster(m);
  collect_messages(m);
  if (!put_streams(m))
    return false;
  for (uint32_t p = 0; p < program_count(m); p++)
    if (!put_program(m, p))
      return false;
  return true;
}

ts_ir_builder *ts_graph_ir(const ts_events *const *ranks, uint32_t count,
                           const ts_graph_machine *machine, ts_error *error)
{
  maker m = {.ranks = ranks,
             .world = count,
             .machine = machine,
             .error = error,
             .work = ts_arena_new("rank graphs")};
  if (!make(&m) && m.b) {
    ts_ir_builder_free(m.b);
    m.b = NULL;
  }
  ts_arena_free(m.work);
  return m.b;
}
