/* PyTorch execution traces: operators with tensors and nesting, no times. Two forms: with
 * attributes (`attrs`), and the flat one of schema 1.0.1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/tensor_flow.h"

enum { DEEPEST = 32, NUMBERS = 16 };

/* a tensor that a node takes or makes */
typedef struct execution_use {
  uint64_t tensor, node;
  uint32_t event;
  bool made;
} execution_use;

/* where a tensor stands among the values of its side */
typedef struct execution_place {
  uint32_t leaf, argument;
} execution_place;

typedef struct execution_reader {
  ts_events *e;
  ts_json *j;
  ts_named_edges edges;
  TS_VEC(execution_use) uses;
  TS_VEC(execution_place) places; /* by use */
  uint32_t event;
  bool output;
  int64_t numbers[NUMBERS]; /* of the inputs, as communication operators state what they do */
  size_t number_count;
  uint32_t collective;      /* string: the first text of the inputs that names one */
  uint32_t groups;          /* string: the first text of the inputs */
  uint32_t leaf, argument;  /* values so far, in lists too; of the side */
  bool keep;                /* arguments: of convolutions alone, as of profiles */
  TS_VEC(char) arguments;   /* `["","[1,1]",...`: lists of whole numbers; others are empty */
} execution_reader;

typedef struct execution_node {
  uint64_t id;
  uint32_t name, shapes[2], types[2]; /* of what it takes, of what it gives */
  int64_t parent, thread, forward_thread, function, sequence;
  ts_event_comm comm;
  bool is_comm;
} execution_node;

static void add_tensor(execution_reader *r, const int64_t number[5], uint32_t device)
{
  ts_events *e = r->e;
  TS_PUSH(e->arena, &r->uses, (execution_use){(uint64_t)number[0], 0, r->event, r->output});
  TS_PUSH(e->arena, &r->places, (execution_place){r->leaf, r->argument});
  TS_PUSH(
    e->arena, &e->tensors,
    (ts_event_tensor){(uint64_t)number[0], (uint64_t)number[1], number[3], number[4], device});
}

static void keep_text(execution_reader *r, const char *text)
{
  for (; r->keep && !r->output && *text; text++) TS_PUSH(r->e->arena, &r->arguments, *text);
}

static void keep_list(execution_reader *r, const int64_t *number, size_t count)
{
  char digits[24];
  for (size_t i = 0; i < count; i++) {
    snprintf(digits, sizeof digits, "%s%lld", i ? "," : "[", (long long)number[i]);
    keep_text(r, digits);
  }
  keep_text(r, count ? "]" : "");
}

/* A list of values; six of them, five numbers and a device, are a tensor. */
static bool take_values(execution_reader *r, int depth)
{
  ts_json *j = r->j;
  int64_t number[5] = {0};
  uint32_t device = 0;
  size_t count = 0;
  bool tensor = true;
  uint32_t before = r->leaf;
  if (depth > DEEPEST)
    return ts_feed_fail(j->feed, NULL, "lists are nested deeper than %d", DEEPEST);
  while (ts_json_element(j)) {
    keep_text(r, depth ? "" : count ? ",\"" : "[\"");
    ts_json_kind kind = ts_json_value(j);
    r->argument += depth == 0 && count > 0;
    r->leaf += kind != TS_JSON_ARRAY;
    if (kind == TS_JSON_NUMBER) {
      int64_t value = 0;
      bool whole = ts_json_integer(j->text, j->length, &value);
      tensor &= whole && count < 5;
      if (count < 5)
        number[count] = value;
      if (depth == 0 && whole && r->number_count < NUMBERS && !r->output)
        r->numbers[r->number_count++] = value;
    } else if (kind == TS_JSON_STRING) {
      tensor &= count == 5;
      if (count == 5 && depth)
        device = ts_events_string(r->e, j->text, j->length);
      if (depth == 0 && !r->output && !r->collective &&
          ts_comm_kind_of(j->text, j->length < 40 ? j->length : 0))
        r->collective = ts_events_string(r->e, j->text, j->length);
      if (depth == 0 && !r->output && count == 0)
        r->groups = ts_events_string(r->e, j->text, j->length);
    } else {
      tensor = false;
      if (kind == TS_JSON_ARRAY && !take_values(r, depth + 1))
        return false;
      if (kind == TS_JSON_OBJECT)
        while (ts_json_member(j)) ts_json_skip(j);
    }
    keep_text(r, depth ? "" : "\"");
    count++;
  }
  if ((tensor && count == 6) || !count) /* one value */
    r->leaf = before;
  if (tensor && count == 6)
    add_tensor(r, number, device);
  if (((tensor && count == 6) || !count) && depth)
    r->leaf++;
  if (tensor && count == 6)
    return ts_json_ok(j);
  if (depth == 1 && tensor && count <= 5)
    keep_list(r, number, count);
  return ts_json_ok(j);
}

static void take_array(execution_reader *r, bool output)
{
  r->output = output;
  r->leaf = r->argument = 0;
  ts_json_kind kind = ts_json_value(r->j);
  if (kind == TS_JSON_ARRAY)
    take_values(r, 0);
  else if (kind == TS_JSON_OBJECT)
    while (ts_json_member(r->j)) ts_json_skip(r->j);
}

/* `inputs` is an object of lists, or, flat, the list of values itself. */
static void take_side(execution_reader *r, execution_node *n, bool output)
{
  r->output = output;
  r->leaf = r->argument = 0;
  ts_json *j = r->j;
  ts_json_kind kind = ts_json_value(j);
  if (kind == TS_JSON_ARRAY)
    take_values(r, 0);
  if (kind != TS_JSON_OBJECT)
    return;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "values"))
      take_array(r, output);
    else if (TS_JSON_IS(j, "shapes"))
      n->shapes[output] = ts_json_take_list(j, r->e);
    else if (TS_JSON_IS(j, "types"))
      n->types[output] = ts_json_take_list(j, r->e);
    else
      ts_json_skip(j);
}

static void take_attribute_value(execution_reader *r, execution_node *n, const char *name)
{
  ts_json *j = r->j;
  bool comm = true;
  if (strcmp(name, "collective_name") == 0)
    n->comm.name = ts_json_take_string(j, r->e);
  else if (strcmp(name, "dtype") == 0)
    n->comm.dtype = ts_json_take_string(j, r->e);
  else if (strcmp(name, "in_msg_nelems") == 0)
    n->comm.in = ts_json_take_integer(j, -1);
  else if (strcmp(name, "out_msg_nelems") == 0)
    n->comm.out = ts_json_take_integer(j, -1);
  else if (strcmp(name, "pg_name") == 0)
    n->comm.group = ts_json_take_string(j, r->e);
  else if (strcmp(name, "pg_desc") == 0)
    n->comm.group_label = ts_json_take_string(j, r->e);
  else if (strcmp(name, "pg_size") == 0)
    n->comm.size = ts_json_take_integer(j, -1);
  else
    comm = false;
  n->is_comm |= comm;
  if (comm)
    return;
  if (strcmp(name, "rf_id") == 0)
    n->function = ts_json_take_integer(j, -1);
  else if (strcmp(name, "seq_id") == 0)
    n->sequence = ts_json_take_integer(j, -1);
  else if (strcmp(name, "tid") == 0)
    n->thread = ts_json_take_integer(j, 0);
  else if (strcmp(name, "fw_tid") == 0)
    n->forward_thread = ts_json_take_integer(j, 0);
  else
    ts_json_skip(j);
}

static void take_attributes(execution_reader *r, execution_node *n)
{
  ts_json *j = r->j;
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  while (ts_json_element(j)) {
    if (ts_json_value(j) != TS_JSON_OBJECT)
      continue;
    const char *name = "";
    while (ts_json_member(j))
      if (TS_JSON_IS(j, "name"))
        name = ts_events_text(r->e, ts_json_take_string(j, r->e));
      else if (TS_JSON_IS(j, "value"))
        take_attribute_value(r, n, name);
      else
        ts_json_skip(j);
  }
}

static bool execution_take_node(execution_reader *r, execution_node *n, bool *has_id)
{
  ts_json *j = r->j;
  *n = (execution_node){.parent = -1, .function = -1, .sequence = -1};
  n->comm.in = n->comm.out = n->comm.bytes = n->comm.size = n->comm.sequence = n->comm.peer = -1;
  r->number_count = 0;
  r->collective = r->groups = 0;
  r->keep = false;
  r->arguments.count = 0;
  *has_id = false;
  while (ts_json_member(j))
    if (TS_JSON_IS(j, "id")) {
      n->id = (uint64_t)ts_json_take_integer(j, 0);
      *has_id = true;
    } else if (TS_JSON_IS(j, "name")) {
      n->name = ts_json_take_string(j, r->e);
      r->keep = strstr(ts_events_text(r->e, n->name), "convolution") != NULL;
    } else if (TS_JSON_IS(j, "ctrl_deps") || TS_JSON_IS(j, "parent"))
      n->parent = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "inputs"))
      take_side(r, n, false);
    else if (TS_JSON_IS(j, "outputs"))
      take_side(r, n, true);
    else if (TS_JSON_IS(j, "input_shapes"))
      n->shapes[0] = ts_json_take_list(j, r->e);
    else if (TS_JSON_IS(j, "input_types"))
      n->types[0] = ts_json_take_list(j, r->e);
    else if (TS_JSON_IS(j, "output_shapes"))
      n->shapes[1] = ts_json_take_list(j, r->e);
    else if (TS_JSON_IS(j, "output_types"))
      n->types[1] = ts_json_take_list(j, r->e);
    else if (TS_JSON_IS(j, "seq_id"))
      n->sequence = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "rf_id"))
      n->function = ts_json_take_integer(j, -1);
    else if (TS_JSON_IS(j, "tid"))
      n->thread = ts_json_take_integer(j, 0);
    else if (TS_JSON_IS(j, "fw_tid"))
      n->forward_thread = ts_json_take_integer(j, 0);
    else if (TS_JSON_IS(j, "attrs"))
      take_attributes(r, n);
    else
      ts_json_skip(j);
  return ts_json_ok(j);
}

/* Older schemas pass what a collective does as inputs: tensors, sequence, group, rank, name, splits
 * ..., size. */
static void execution_add_comm(execution_reader *r, ts_event *v, execution_node *n)
{
  ts_events *e = r->e;
  if (!n->is_comm) {
    n->comm.name = r->collective;
    if (r->number_count >= 4) {
      n->comm.sequence = r->numbers[0];
      char group[24];
      n->comm.group = ts_events_string(
        e, group, (size_t)snprintf(group, sizeof group, "%lld", (long long)r->numbers[1]));
      n->comm.size = r->numbers[r->number_count - 1];
    }
    int64_t in = 0, out = 0;
    for (size_t i = r->uses.count; i-- > 0 && r->uses.at[i].event == r->event;) {
      const ts_event_tensor *t = &e->tensors.at[i];
      if (t->elements >= 0 && t->elements < 1LL << 48 && t->bytes_each >= 0 && t->bytes_each < 64)
        *(r->uses.at[i].made ? &out : &in) += t->elements * t->bytes_each;
    }
    n->comm.bytes = in > out ? in : out;
  }
  const char *name = ts_events_text(e, n->comm.name);
  n->comm.kind = ts_comm_kind_of(name, strlen(name));
  ts_comm_finish(e, &n->comm);
  v->kind = TS_OPERATOR_COMMUNICATION;
  v->detail = (uint32_t)e->comms.count;
  TS_PUSH(e->arena, &e->comms, n->comm);
}

static void take_groups_text(execution_reader *r)
{
  const char *text = ts_events_text(r->e, r->groups);
  size_t length = strlen(text);
  ts_arena *work = ts_arena_new("groups");
  char *plain = ts_arena_alloc(work, length + 1);
  length = ts_json_unescape(text, length, plain);
  ts_error error = {0};
  ts_feed feed;
  ts_feed_memory(&feed, plain, length, &error);
  ts_json j = {.feed = &feed};
  ts_read_groups(r->e, &j);
  ts_feed_close(&feed);
  ts_arena_free(work);
}

/* The k-th innermost list of `[[4,8],[[],[]],[]]`, as "[4,8]". */
static uint32_t shape_at(ts_events *e, uint32_t shapes, uint32_t k)
{
  const char *text = ts_events_text(e, shapes), *open = NULL;
  for (const char *c = *text ? text + 1 : text; *c; c++) {
    if (*c == '[')
      open = c;
    if (*c == ']' && open) {
      if (!k--)
        return ts_events_string(e, open, (size_t)(c + 1 - open));
      open = NULL;
    }
  }
  return 0;
}

/* The type of tensors in the k-th text of `["Tensor(float)","Int"]`: "float". */
static uint32_t type_at(ts_events *e, uint32_t types, uint32_t k)
{
  static const char lead[] = "Tensor(";
  const char *text = ts_events_text(e, types);
  for (; (text = strchr(text, '"')) != NULL; text++, k--) {
    const char *end = strchr(text + 1, '"'), *type = strstr(text, lead);
    if (!end)
      break;
    const char *close = type ? strchr(type, ')') : NULL;
    if (!k)
      return close && close < end ? ts_events_string(e, type + sizeof lead - 1,
                                                     (size_t)(close - type) - sizeof lead + 1) :
                                    0;
    text = end;
  }
  return 0;
}

/* What the node takes and gives: its tensors, each as it stands there. */
static void add_flow(execution_reader *r, const execution_node *n)
{
  ts_events *e = r->e;
  size_t from = r->uses.count;
  while (from > 0 && r->uses.at[from - 1].event == r->event) from--;
  if (from == r->uses.count)
    return;
  ts_flow_node flow = {.event = r->event,
                       .first = (uint32_t)e->flow->numbers.count,
                       .gradient_of = TS_TENSOR_NONE};
  for (uint32_t made = 0; made < 2; made++)
    for (size_t i = from; i < r->uses.count; i++) {
      uint32_t dims = shape_at(e, n->shapes[made], r->places.at[i].leaf);
      if (r->uses.at[i].made != made)
        continue;
      ts_flow_tensor t = {.id = r->uses.at[i].tensor,
                          .storage = e->tensors.at[i].storage,
                          .of = TS_TENSOR_NONE,
                          .shapes = (uint32_t)e->shapes.count};
      TS_PUSH(e->arena, &e->shapes,
              ((ts_shapes){dims, type_at(e, n->types[made], r->places.at[i].argument), 0}));
      TS_PUSH(e->arena, &e->flow->numbers, (uint64_t)e->flow->tensors.count);
      TS_PUSH(e->arena, &e->flow->tensors, t);
      *(made ? &flow.gives : &flow.takes) += 1;
    }
  TS_PUSH(e->arena, &e->flow->nodes, flow);
}

static void execution_add_node(execution_reader *r, execution_node *n)
{
  ts_events *e = r->e;
  bool root = strstr(ts_events_text(e, n->name), "execution_trace|") != NULL;
  ts_event *v = ts_events_add(e, root ? TS_EVENT_MARK : TS_EVENT_OPERATOR,
                              root ? TS_MARK_OTHER : TS_OPERATOR_PLAIN);
  char thread[24];
  uint32_t thread_name = ts_events_string(
    e, thread, (size_t)snprintf(thread, sizeof thread, "%lld", (long long)n->thread));
  v->id = n->id;
  v->name = n->name;
  v->start = (int64_t)(n->id & INT64_MAX);
  v->track = e->tracks.count < TS_TRACKS_MOST ? ts_events_track(e, 0, thread_name, false) : 0;
  v->external = n->sequence >= 0 ? (uint64_t)n->sequence + 1 : 0;
  v->flags = n->forward_thread ? TS_EVENT_BACKWARD : 0;
  if (!root && n->function > 0 && n->function < TS_EVENT_NONE)
    v->call = (uint32_t)n->function;
  if (n->parent >= 0)
    TS_PUSH(e->arena, &r->edges, (ts_named_edge){(uint64_t)n->parent, e->count - 1, true});
  if (strcmp(ts_events_text(e, n->name), "record_param_comms") == 0 || n->is_comm) {
    execution_add_comm(r, v, n);
  } else if (n->shapes[0]) {
    v->detail = (uint32_t)e->shapes.count;
    e->has_shapes = true;
    TS_PUSH(e->arena, &e->shapes,
            (ts_shapes){
              n->shapes[0], n->types[0],
              r->arguments.count ? ts_events_string(e, r->arguments.at, r->arguments.count) : 0});
  }
  if (strstr(ts_events_text(e, n->name), "process_group:init") && r->groups)
    take_groups_text(r);
  for (size_t i = r->uses.count; i-- > 0 && r->uses.at[i].event == r->event;)
    r->uses.at[i].node = n->id;
  add_flow(r, n);
}

/* By tensor, then node; what a node takes comes before what it makes. */
static int by_tensor(const void *a, const void *b)
{
  const execution_use *x = a, *y = b;
  if (x->tensor != y->tensor)
    return x->tensor < y->tensor ? -1 : 1;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  return x->made - y->made;
}

/* A node takes a tensor from the last node before it, by number, that made it; not from operators
 * that it is part of. */
static void join_tensors(execution_reader *r, const uint32_t *parent)
{
  ts_events *e = r->e;
  TS_SORT(&r->uses, by_tensor);
  uint32_t maker = TS_EVENT_NONE;
  for (size_t i = 0; i < r->uses.count; i++) {
    const execution_use *u = &r->uses.at[i];
    if (i && u->tensor != r->uses.at[i - 1].tensor)
      maker = TS_EVENT_NONE;
    if (u->made) {
      maker = u->event;
      continue;
    }
    bool part = maker == u->event || maker == TS_EVENT_NONE;
    uint32_t up = parent[u->event];
    for (int steps = 0; !part && up != TS_EVENT_NONE && steps < 256; steps++, up = parent[up])
      part = up == maker;
    if (!part)
      TS_PUSH(e->arena, &e->edges, (ts_event_edge){maker, u->event, false});
  }
}

static bool read_execution(ts_events *e, ts_json *j, const ts_events_options *options)
{
  (void)options;
  execution_reader r = {.e = e, .j = j};
  execution_node n;
  bool has_id;
  e->format = TS_TRACE_EXECUTION;
  e->flow = TS_NEW(e->arena, struct ts_tensor_flow);
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`nodes` is not a list");
  while (ts_json_element(j)) {
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "node %llu is not an object",
                                           (unsigned long long)e->seen + 1);
    r.event = e->count;
    if (!execution_take_node(&r, &n, &has_id))
      break;
    e->seen++;
    if (!has_id)
      return ts_feed_fail(j->feed, NULL, "node %llu has no `id`", (unsigned long long)e->seen);
    execution_add_node(&r, &n);
  }
  if (j->feed->error->message[0] || !ts_trace_graph_finish(e, &r.edges, j->feed->error))
    return false;
  /* What was begun by a node that the file cuts off is not part of the graph. */
  while (r.uses.count && r.uses.at[r.uses.count - 1].event >= e->count) r.uses.count--;
  uint32_t *parent = TS_NEW_ARRAY(e->arena, uint32_t, e->count + 1);
  memset(parent, 0xff, sizeof *parent * e->count);
  for (size_t i = 0; i < e->edges.count; i++)
    if (e->edges.at[i].control) {
      parent[e->edges.at[i].to] = e->edges.at[i].from;
      ts_event_at(e, e->edges.at[i].to)->op = e->edges.at[i].from;
    }
  join_tensors(&r, parent);
  return true;
}

const ts_trace_reader ts_trace_reader_execution = {.key = "nodes", .value = read_execution};
