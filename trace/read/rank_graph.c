/* Reads an execution graph. `format` comes first and says what the other members are. */
#include "trace/read/rank_graph.h"

#include <stdio.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/tensor_flow.h"

typedef struct rank_graph_node {
  uint64_t id;
  int64_t stream, duration, root;
  uint32_t name, phase, module, in, out;
  bool has_id, has_stream, sync, is_comm;
  ts_event_comm comm;
  ts_flow_node flow;
} rank_graph_node;

/* One rank's file under way; lives in the table's arena. */
struct ts_graph_reader {
  struct ts_rank_graph graph; /* first: what stays */
  TS_VEC(uint32_t) stream_of; /* track of each stream, or NONE */
  ts_named_edges edges;
  bool has_nodes;
};

static bool take_rank_list(ts_events *e, ts_json *j, uint32_t *out)
{
  if (!ts_json_raw(j))
    return false;
  return ts_take_ranks(e, j->text, j->length, out) ||
         ts_feed_fail(j->feed, NULL, "`ranks` of a group is not a list of ranks");
}

/* A whole number, as text: how it is named in the table. */
static uint32_t rank_graph_take_number(ts_events *e, ts_json *j)
{
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%lld", (long long)ts_json_take_integer(j, -1));
  return ts_events_string(e, digits, (size_t)length);
}

static bool take_groups(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`groups` is not a list");
  while (ts_json_element(j)) {
    ts_group_info group = {.size = -1};
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "a group is not an object");
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "id"))
        group.name = rank_graph_take_number(e, j);
      else if (TS_JSON_IS(j, "ranks")) {
        if (!take_rank_list(e, j, &group.ranks))
          return false;
      } else
        ts_json_skip(j);
    const char *ranks = ts_events_text(e, group.ranks);
    group.size = *ranks ? 1 : 0;
    for (; *ranks; ranks++) group.size += *ranks == ',';
    if (!ts_json_ok(j))
      break;
    if (!group.name || *ts_events_text(e, group.name) == '-')
      return ts_feed_fail(j->feed, NULL, "a group has an `id`, a whole number from 0");
    TS_PUSH(e->arena, &e->groups, group);
  }
  return ts_json_ok(j);
}

static bool take_streams(ts_events *e, struct ts_graph_reader *r, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`streams` is not a list");
  while (ts_json_element(j)) {
    int64_t id = -1;
    uint32_t kind = 0;
    bool unshared = false;
    int64_t priority = 0;
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "a stream is not an object");
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "id"))
        id = ts_json_take_integer(j, -1);
      else if (TS_JSON_IS(j, "kind"))
        kind = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "unshared"))
        unshared = ts_json_value(j) == TS_JSON_TRUE;
      else if (TS_JSON_IS(j, "priority"))
        priority = ts_json_take_integer(j, -1);
      else
        ts_json_skip(j);
    if (!ts_json_ok(j))
      break;
    if (id < 0 || id >= TS_TRACKS_MOST)
      return ts_feed_fail(j->feed, NULL, "a stream has an `id` from 0 to %d, not %lld",
                          TS_TRACKS_MOST - 1, (long long)id);
    if (priority < 0 || priority > UINT16_MAX)
      return ts_feed_fail(j->feed, NULL, "the `priority` of a stream is from 0 to %d", UINT16_MAX);
    while (r->stream_of.count <= (size_t)id) TS_PUSH(e->arena, &r->stream_of, TS_EVENT_NONE);
    char digits[24];
    uint32_t name =
      ts_events_string(e, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)id));
    uint32_t track = ts_events_track(e, 0, name, strcmp(ts_events_text(e, kind), "host") != 0);
    e->tracks.at[track].label = kind;
    e->tracks.at[track].unshared = unshared;
    e->tracks.at[track].priority = (uint16_t)priority;
    r->stream_of.at[id] = track;
  }
  return ts_json_ok(j);
}

typedef struct rank_graph_text {
  ts_arena *arena;
  TS_VEC(char) bytes;
} rank_graph_text;

static void rank_graph_put(rank_graph_text *t, const char *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++) TS_PUSH(t->arena, &t->bytes, bytes[i]);
}

/* "float32": names of types hold nothing that would have to be escaped, so that they are written as
 * they are read. */
static bool take_type(ts_json *j, rank_graph_text *types)
{
  bool good = ts_json_value(j) == TS_JSON_STRING;
  for (size_t i = 0; good && i < j->length; i++)
    good = j->text[i] > ' ' && j->text[i] < 0x7f && j->text[i] != '"' && j->text[i] != '\\';
  if (!good)
    return false;
  rank_graph_put(types, types->bytes.count > 1 ? ",\"" : "\"", types->bytes.count > 1 ? 2 : 1);
  rank_graph_put(types, j->text, j->length);
  rank_graph_put(types, "\"", 1);
  return true;
}

/* [4, 8] */
static bool take_shape(ts_json *j, rank_graph_text *dims)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return false;
  rank_graph_put(dims, dims->bytes.count > 1 ? ",[" : "[", dims->bytes.count > 1 ? 2 : 1);
  for (bool first = true; ts_json_element(j); first = false) {
    int64_t size;
    char digits[24];
    if (ts_json_value(j) != TS_JSON_NUMBER || !ts_json_integer(j->text, j->length, &size) ||
        size < 0)
      return false;
    rank_graph_put(
      dims, digits,
      (size_t)snprintf(digits, sizeof digits, first ? "%lld" : ",%lld", (long long)size));
  }
  rank_graph_put(dims, "]", 1);
  return ts_json_ok(j);
}

static bool take_tensor(ts_json *j, rank_graph_text *dims, rank_graph_text *types)
{
  if (ts_json_value(j) != TS_JSON_ARRAY || !ts_json_element(j) || !take_type(j, types) ||
      !ts_json_element(j) || !take_shape(j, dims))
    return false;
  while (ts_json_element(j)) ts_json_skip(j);
  return ts_json_ok(j);
}

/* [["float32", [4, 8]], ...] as two lists, of shapes and of types; `one`: ["float32", [4, 8]]. */
static bool take_shapes(ts_events *e, ts_json *j, bool one, uint32_t *out)
{
  ts_arena *work = ts_arena_new("tensors");
  rank_graph_text dims = {.arena = work}, types = {.arena = work};
  rank_graph_put(&dims, "[", 1);
  rank_graph_put(&types, "[", 1);
  bool good = one ? take_tensor(j, &dims, &types) : ts_json_value(j) == TS_JSON_ARRAY;
  while (good && !one && ts_json_element(j)) good = take_tensor(j, &dims, &types);
  rank_graph_put(&dims, "]", 1);
  rank_graph_put(&types, "]", 1);
  if (good && ts_json_ok(j)) {
    ts_shapes shapes = {ts_events_string(e, dims.bytes.at, dims.bytes.count),
                        ts_events_string(e, types.bytes.at, types.bytes.count), 0};
    *out = (uint32_t)e->shapes.count;
    e->has_shapes = true;
    TS_PUSH(e->arena, &e->shapes, shapes);
  }
  ts_arena_free(work);
  return good || (ts_json_ok(j) &&
                  ts_feed_fail(j->feed, NULL, "tensors are written [[\"float32\", [4, 8]], ...]"));
}

static bool take_tensors(ts_events *e, ts_json *j, uint32_t *out)
{
  return take_shapes(e, j, false, out);
}

static bool take_one_tensor(ts_events *e, ts_json *j, uint32_t *out)
{
  return take_shapes(e, j, true, out);
}

static void take_dependencies(ts_events *e, struct ts_graph_reader *r, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  while (ts_json_element(j)) {
    int64_t from = ts_json_take_integer(j, -1);
    if (ts_json_ok(j))
      TS_PUSH(e->arena, &r->edges, (ts_named_edge){(uint64_t)from, e->count, false});
  }
}

/* [3, 4]: numbers of tensors. Returns how many. */
static uint32_t take_numbers(ts_events *e, ts_json *j)
{
  size_t before = e->flow->numbers.count;
  if (ts_json_value(j) != TS_JSON_ARRAY) {
    ts_feed_fail(j->feed, NULL, "`takes` and `gives` are lists of tensors' numbers");
    return 0;
  }
  while (ts_json_element(j)) {
    int64_t number = ts_json_take_integer(j, -1);
    if (ts_json_ok(j))
      TS_PUSH(e->arena, &e->flow->numbers, (uint64_t)number);
  }
  return (uint32_t)(e->flow->numbers.count - before);
}

static bool take_comm_member(ts_events *e, ts_json *j, rank_graph_node *n)
{
  if (TS_JSON_IS(j, "comm")) {
    n->comm.name = ts_json_take_string(j, e);
    n->is_comm = true;
  } else if (TS_JSON_IS(j, "group"))
    n->comm.group = rank_graph_take_number(e, j);
  else if (TS_JSON_IS(j, "dtype"))
    n->comm.dtype = ts_json_take_string(j, e);
  else if (TS_JSON_IS(j, "in_elements"))
    n->comm.in = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "out_elements"))
    n->comm.out = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "bytes"))
    n->comm.bytes = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "seq"))
    n->comm.sequence = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "peer"))
    n->comm.peer = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "tag"))
    n->comm.tag = ts_json_take_integer(j, 0);
  else if (TS_JSON_IS(j, "root"))
    n->root = ts_json_take_integer(j, -1);
  else
    return false;
  return true;
}

static bool rank_graph_take_node(ts_events *e, struct ts_graph_reader *r, ts_json *j,
                                 rank_graph_node *n)
{
  bool good = true;
  *n = (rank_graph_node){
    .stream = -1, .duration = -1, .root = -1, .in = TS_EVENT_NONE, .out = TS_EVENT_NONE};
  n->flow.first = (uint32_t)e->flow->numbers.count;
  n->flow.gradient_of = TS_TENSOR_NONE;
  n->comm.in = n->comm.out = n->comm.bytes = n->comm.size = n->comm.sequence = n->comm.peer = -1;
  while (good && ts_json_member(j))
    if (TS_JSON_IS(j, "id")) {
      int64_t id = ts_json_take_integer(j, -1);
      n->id = (uint64_t)id;
      n->has_id = id >= 0;
    } else if (TS_JSON_IS(j, "op"))
      n->name = ts_json_take_string(j, e);
    else if (TS_JSON_IS(j, "stream"))
      n->stream = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "ns"))
      n->duration = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "phase"))
      n->phase = ts_json_take_string(j, e);
    else if (TS_JSON_IS(j, "module"))
      n->module = ts_json_take_string(j, e);
    else if (TS_JSON_IS(j, "in"))
      good = take_tensors(e, j, &n->in);
    else if (TS_JSON_IS(j, "out"))
      good = take_tensors(e, j, &n->out);
    else if (TS_JSON_IS(j, "takes") && !n->flow.takes && !n->flow.gives)
      n->flow.takes = take_numbers(e, j);
    else if (TS_JSON_IS(j, "gives") && !n->flow.gives)
      n->flow.gives = take_numbers(e, j);
    else if (TS_JSON_IS(j, "gradient_of"))
      n->flow.gradient_of = (uint64_t)ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "deps"))
      take_dependencies(e, r, j);
    else if (TS_JSON_IS(j, "sync"))
      n->sync = ts_json_value(j) == TS_JSON_TRUE;
    else if (!take_comm_member(e, j, n))
      ts_json_skip(j);
  return good && ts_json_ok(j);
}

static bool finish_comm(ts_events *e, ts_json *j, rank_graph_node *n)
{
  const char *name = ts_events_text(e, n->comm.name);
  n->comm.kind = ts_comm_kind_of(name, strlen(name));
  bool message = n->comm.kind == TS_COMM_SEND || n->comm.kind == TS_COMM_RECV;
  const ts_group_info *group = NULL;
  for (size_t i = 0; i < e->groups.count && !group; i++)
    group = e->groups.at[i].name == n->comm.group ? &e->groups.at[i] : NULL;
  if (!n->comm.kind)
    return ts_feed_fail(j->feed, NULL, "node %llu: no collective is named `%.40s`",
                        (unsigned long long)n->id, name);
  if (!group && (n->comm.group || !message))
    return ts_feed_fail(j->feed, "`groups` comes before `nodes`",
                        "node %llu: there is no group `%.40s`", (unsigned long long)n->id,
                        ts_events_text(e, n->comm.group));
  if (message && n->comm.peer < 0)
    return ts_feed_fail(j->feed, NULL, "node %llu: a message without `peer`",
                        (unsigned long long)n->id);
  if (group) {
    n->comm.ranks = group->ranks;
    n->comm.size = group->size;
  }
  if (message)
    /* of its pair, direction and tag: counted again when ranks are put together */
    n->comm.sequence = -1;
  ts_comm_finish(e, &n->comm);
  return true;
}

/* PyTorch's operators, where their names say less than those of kernels. */
static ts_event_kind operator_kind(const char *name)
{
  static const struct { ts_event_kind kind; const char *names;
  } kinds[] = {
    {TS_KERNEL_MATMUL, " mm addmm bmm baddbmm matmul linear mv dot "},
    {TS_KERNEL_REDUCTION, " sum mean norm linalg_vector_norm amax amin max min var std any all "},
    {TS_KERNEL_COPY, " copy_ clone _to_copy cat stack contiguous "},
    {TS_KERNEL_FILL, " fill_ zero_ zeros ones full zeros_like ones_like arange "},
    {TS_KERNEL_INDEXING, " index index_put_ gather scatter index_select masked_select "},
  };
  static const char prefix[] = "aten::";
  char word[48];
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return ts_kernel_kind(name);
  int length = snprintf(word, sizeof word, " %s ", name + sizeof prefix - 1);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && length < (int)sizeof word; i++)
    if (strstr(kinds[i].names, word))
      return kinds[i].kind;
  ts_event_kind kind = ts_kernel_kind(name);
  return kind == TS_KERNEL_OTHER ? TS_KERNEL_ELEMENTWISE : kind;
}

static bool rank_graph_add_node(ts_events *e, struct ts_graph_reader *r, ts_json *j,
                                rank_graph_node *n)
{
  uint32_t track = n->stream >= 0 && (size_t)n->stream < r->stream_of.count ?
                     r->stream_of.at[n->stream] :
                     TS_EVENT_NONE;
  if (!n->has_id)
    return ts_feed_fail(j->feed, NULL, "node %llu has no `id`", (unsigned long long)e->seen);
  if (track == TS_EVENT_NONE)
    return ts_feed_fail(j->feed, "`streams` comes before `nodes`",
                        "node %llu: there is no stream %lld", (unsigned long long)n->id,
                        (long long)n->stream);
  if (n->is_comm && !finish_comm(e, j, n))
    return false;
  const char *name = ts_events_text(e, n->name);
  bool device = e->tracks.at[track].device;
  ts_event *v = !device ? ts_events_add(e, TS_EVENT_OPERATOR, TS_OPERATOR_PLAIN) :
    ts_events_add(e, TS_EVENT_DEVICE, n->is_comm ? TS_KERNEL_COMMUNICATION : operator_kind(name));
  v->id = n->id;
  v->name = n->name;
  v->track = track;
  v->start = (int64_t)e->count;
  v->duration = n->duration;
  if (n->duration < 0 && n->duration != -1)
    v->duration = 0, e->negative++;
  if (strcmp(ts_events_text(e, n->phase), "backward") == 0)
    v->flags |= TS_EVENT_BACKWARD;
  if (n->is_comm) {
    v->detail = (uint32_t)e->comms.count;
    TS_PUSH(e->arena, &e->comms, n->comm);
  }
  ts_graph_facts facts = {.in = n->in,
                          .out = n->out,
                          .phase = n->phase,
                          .module = n->module,
                          .root = n->root,
                          .sync = n->sync};
  TS_PUSH(e->arena, &r->graph.facts, facts);
  if (n->flow.takes || n->flow.gives || n->flow.gradient_of != TS_TENSOR_NONE) {
    n->flow.event = e->count - 1;
    TS_PUSH(e->arena, &e->flow->nodes, n->flow);
  }
  return true;
}

static bool take_nodes(ts_events *e, struct ts_graph_reader *r, ts_json *j)
{
  rank_graph_node n;
  if (r->has_nodes)
    return ts_feed_fail(j->feed, NULL, "`nodes` is there twice");
  r->has_nodes = true;
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`nodes` is not a list");
  while (ts_json_element(j)) {
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "node %llu is not an object",
                                           (unsigned long long)e->seen + 1);
    size_t before = r->edges.count;
    e->seen++;
    if (!rank_graph_take_node(e, r, j, &n)) {
      r->edges.count = before;
      return false;
    }
    if (!rank_graph_add_node(e, r, j, &n))
      return false;
  }
  return ts_json_ok(j);
}

/* What nodes take and give: parameters, inputs, and views of others. */
static bool take_tensor_list(ts_events *e, ts_json *j)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`tensors` is not a list");
  while (ts_json_element(j)) {
    ts_flow_tensor t = {.id = TS_TENSOR_NONE, .of = TS_TENSOR_NONE, .shapes = TS_EVENT_NONE};
    bool good = ts_json_value(j) == TS_JSON_OBJECT;
    while (good && ts_json_member(j))
      if (TS_JSON_IS(j, "id"))
        t.id = (uint64_t)ts_json_take_integer(j, -1);
      else if (TS_JSON_IS(j, "of"))
        t.of = (uint64_t)ts_json_take_integer(j, -1);
      else if (TS_JSON_IS(j, "op"))
        t.op = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "is"))
        t.kind = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "name"))
        t.name = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "tensor"))
        good = take_one_tensor(e, j, &t.shapes);
      else
        ts_json_skip(j);
    if (!ts_json_ok(j))
      break;
    if (!good || t.id == TS_TENSOR_NONE || t.shapes == TS_EVENT_NONE)
      return ts_feed_fail(j->feed, NULL,
                          "a tensor is {\"id\": 3, \"tensor\": [\"float32\", [4, 8]]}");
    TS_PUSH(e->arena, &e->flow->tensors, t);
  }
  return ts_json_ok(j);
}

/* Nodes are named by place; the tracer numbers them so. */
static bool take_memory(ts_events *e, struct ts_graph_reader *r, ts_json *j, bool held)
{
  int64_t allocated = 0; /* as far as it can be counted */
  for (size_t i = 0; i < r->graph.memory.count; i++) allocated += r->graph.memory.at[i].bytes;
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) &&
           ts_feed_fail(j->feed, NULL, "`%s` is not a list", held ? "held" : "memory");
  while (ts_json_element(j)) {
    ts_graph_memory m = {.event = TS_EVENT_NONE};
    int64_t node = -1;
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) &&
             ts_feed_fail(j->feed, NULL, "an entry of what is held is not an object");
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "node"))
        node = ts_json_take_integer(j, -1);
      else if (TS_JSON_IS(j, "bytes"))
        m.bytes = ts_json_take_integer(j, 0);
      else if (TS_JSON_IS(j, "category"))
        m.category = ts_json_take_string(j, e);
      else if (TS_JSON_IS(j, "module"))
        m.module = ts_json_take_string(j, e);
      else
        ts_json_skip(j);
    if (!ts_json_ok(j))
      break;
    if (!held && (node < 0 || node >= e->count))
      return ts_feed_fail(j->feed, NULL, "memory of node %lld, of %u", (long long)node, e->count);
    if (held && m.bytes < 0)
      return ts_feed_fail(j->feed, NULL, "`held` has %lld bytes", (long long)m.bytes);
    if (m.bytes > INT64_MAX / 4 - allocated || m.bytes < -(INT64_MAX / 4))
      return ts_feed_fail(j->feed, NULL, "more memory than can be counted");
    m.event = held ? TS_EVENT_NONE : (uint32_t)node;
    allocated += m.bytes;
    TS_PUSH(e->arena, &r->graph.memory, m);
  }
  return ts_json_ok(j);
}

/* A node has what it allocates before it lets go of what it frees, however the file lists them. */
static void order_memory(struct ts_rank_graph *g, ts_arena *scratch)
{
  const ts_graph_memory *from =
    ts_arena_copy(scratch, g->memory.at, g->memory.count * sizeof *from);
  ts_graph_memory *to = g->memory.at;
  size_t end;
  for (size_t i = 0; i < g->memory.count; i = end) {
    for (end = i; end < g->memory.count && from[end].event == from[i].event;) end++;
    for (int frees = 0; frees < 2; frees++)
      for (size_t k = i; k < end; k++)
        if ((from[k].bytes < 0) == frees)
          *to++ = from[k];
  }
}

static void take_memory_events(ts_events *e, struct ts_rank_graph *g)
{
  int64_t allocated = 0;
  ts_arena *scratch = ts_arena_new("memory");
  order_memory(g, scratch);
  ts_arena_free(scratch);
  for (size_t i = 0; i < g->memory.count; i++) {
    const ts_graph_memory *m = &g->memory.at[i];
    allocated += m->bytes;
    if (m->event != TS_EVENT_NONE)
      TS_PUSH(e->arena, &e->memory,
              ((ts_memory_event){.time = (int64_t)m->event + 1,
                                 .bytes = m->bytes,
                                 .allocated = allocated,
                                 .reserved = allocated,
                                 .on_device = true}));
  }
}

/* ---- What the tracer says of itself ---- */

static bool takes(ts_json *j, ts_json_kind kind, const char *member)
{
  if (ts_json_value(j) == kind)
    return true;
  if (ts_json_ok(j))
    ts_feed_fail(j->feed, NULL, "`%s` is no %s", member,
                 kind == TS_JSON_ARRAY ? "list" : "object");
  return false;
}

/* The text of one member of an object. */
static uint32_t take_text_of(ts_events *e, ts_json *j, const char *of, const char *member)
{
  uint32_t text = 0;
  if (!takes(j, TS_JSON_OBJECT, of))
    return 0;
  while (ts_json_member(j))
    if (ts_is((const char *)j->text, j->length, member))
      text = ts_json_take_string(j, e);
    else
      ts_json_skip(j);
  return text;
}

static void take_packages(ts_events *e, struct ts_graph_reader *r, ts_json *j)
{
  static const size_t longest = 200;
  const char *names = "";
  if (!takes(j, TS_JSON_ARRAY, "packages"))
    return;
  while (ts_json_element(j)) {
    const char *name = ts_events_text(e, ts_json_take_string(j, e));
    if (strlen(names) < longest)
      names = ts_arena_printf(e->arena, "%s%s%.60s", names, *names ? ", " : "", name);
  }
  r->graph.packages = ts_events_string(e, names, strlen(names));
}

static void take_value(ts_events *e, struct ts_graph_reader *r, ts_json *j)
{
  uint32_t file = 0;
  int64_t line = 0;
  bool decides = false;
  if (!takes(j, TS_JSON_OBJECT, "values[]"))
    return;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "file"))
      file = ts_json_take_string(j, e);
    else if (TS_JSON_IS(j, "line"))
      line = ts_json_take_integer(j, 0);
    else if (TS_JSON_IS(j, "decides"))
      decides = ts_json_value(j) == TS_JSON_TRUE;
    else
      ts_json_skip(j);
  if (!decides || r->graph.decisions++)
    return;
  const char *at =
    ts_arena_printf(e->arena, "%.200s:%lld", ts_events_text(e, file), (long long)line);
  r->graph.decided_at = ts_events_string(e, at, strlen(at));
}

static void take_values(ts_events *e, struct ts_graph_reader *r, ts_json *j)
{
  if (takes(j, TS_JSON_ARRAY, "values"))
    while (ts_json_element(j)) take_value(e, r, j);
}

static bool take_member(ts_events *e, ts_json *j)
{
  if (TS_JSON_IS(j, "format") && !e->format) {
    if (strcmp(ts_events_text(e, ts_json_take_string(j, e)), "trainspec-graph") == 0) {
      e->format = TS_TRACE_GRAPH;
      struct ts_graph_reader *r = TS_NEW(e->arena, struct ts_graph_reader);
      r->graph.like = -1;
      e->graph = &r->graph;
      e->flow = TS_NEW(e->arena, struct ts_tensor_flow);
    }
    return true;
  }
  if (e->format != TS_TRACE_GRAPH)
    return false;
  struct ts_graph_reader *r = (struct ts_graph_reader *)e->graph;
  if (TS_JSON_IS(j, "version")) {
    int64_t version = ts_json_take_integer(j, -1);
    if (ts_json_ok(j) && version != 1)
      ts_feed_fail(j->feed, NULL, "an execution graph of version %lld; 1 is known",
                   (long long)version);
    e->version = "1";
  } else if (TS_JSON_IS(j, "producer"))
    r->graph.producer = ts_json_take_string(j, e);
  else if (TS_JSON_IS(j, "rank"))
    e->rank = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "like"))
    r->graph.like = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "world"))
    e->world = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "groups"))
    take_groups(e, j);
  else if (TS_JSON_IS(j, "streams"))
    take_streams(e, r, j);
  else if (TS_JSON_IS(j, "nodes"))
    take_nodes(e, r, j);
  else if (TS_JSON_IS(j, "device")) {
    ts_device_info device = {.name = ts_json_take_string(j, e), .memory = -1, .processors = -1};
    TS_PUSH(e->arena, &e->devices, device);
  } else if (TS_JSON_IS(j, "tensors"))
    take_tensor_list(e, j);
  else if (TS_JSON_IS(j, "out_of_memory"))
    r->graph.short_in = take_text_of(e, j, "out_of_memory", "op");
  else if (TS_JSON_IS(j, "routing"))
    r->graph.routing = take_text_of(e, j, "routing", "distribution");
  else if (TS_JSON_IS(j, "packages"))
    take_packages(e, r, j);
  else if (TS_JSON_IS(j, "values"))
    take_values(e, r, j);
  else if (TS_JSON_IS(j, "held") || TS_JSON_IS(j, "memory"))
    take_memory(e, r, j, j->length == 4);
  else
    ts_json_skip(j);
  return true;
}

static bool finish_graph(ts_events *e, ts_json *j)
{
  struct ts_graph_reader *r = (struct ts_graph_reader *)e->graph;
  if (!j->cut && (e->rank < 0 || e->world <= e->rank))
    return ts_fail(j->feed->error, NULL, "rank %lld of %lld", (long long)e->rank,
                   (long long)e->world);
  take_memory_events(e, &r->graph);
  return ts_trace_graph_finish(e, &r->edges, j->feed->error);
}

const ts_trace_reader ts_trace_reader_graph = {
  .key = "format", .member = take_member, .finish = finish_graph};
