/* Chakra traces: protobuf records, each led by its length (a metadata record, then nodes), and the
 * JSON form of the project's feeder. Field numbers are those of et_def.proto (mlcommons/chakra).
 * Unknown fields are passed over. Its older schemas are read too (git history of et_def.proto):
 * July and August 2023 (0.0.3): attributes are field 11, and metadata may lack. The end of June
 * (0.0.2): the same, with other fields of attributes, and without the type of metadata. Before:
 * nodes have the fields that are attributes now. Which one it is, not every node shows: nodes wait
 * until one does. */
#include <stdlib.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/wire.h"

typedef enum node_type {
  METADATA = 1,
  MEM_LOAD,
  MEM_STORE,
  COMP,
  COMM_SEND,
  COMM_RECV,
  COMM_COLL
} node_type;

typedef enum schema { NOT_SHOWN, CURRENT, OF_JULY_2023, OF_END_OF_JUNE_2023, OF_JUNE_2023 } schema;

typedef struct chakra_node {
  uint64_t id, duration_micros, start_micros, duration_ns;
  uint32_t name, stream, group, shapes, types;
  /* whole: of an all-gather, whose `bytes` is a rank's share; -1: not stated */
  int64_t type, comm_type, bytes, whole, source, destination, tag;
  int64_t ops, moved; /* of ASTRA-sim's roofline: FLOP, and bytes of the tensors */
  bool has_id, host, has_host, has_duration, has_exact, has_start, has_comm_type;
  schema of;
} chakra_node;

static const chakra_node no_node = {
  .type = 0, .comm_type = -1, .bytes = -1, .whole = -1, .source = -1, .destination = -1};

/* CollectiveCommType */
static const uint8_t collectives[] = {
  TS_COMM_ALL_REDUCE,     TS_COMM_REDUCE,    TS_COMM_ALL_GATHER, TS_COMM_GATHER,
  TS_COMM_SCATTER,        TS_COMM_BROADCAST, TS_COMM_ALL_TO_ALL, TS_COMM_REDUCE_SCATTER,
  TS_COMM_REDUCE_SCATTER, TS_COMM_BARRIER};
/* the same in 2023 */
static const uint8_t collectives_2023[] = {TS_COMM_ALL_REDUCE, TS_COMM_ALL_TO_ALL,
                                           TS_COMM_ALL_GATHER, TS_COMM_REDUCE_SCATTER,
                                           TS_COMM_BROADCAST};

static ts_comm_kind collective_of(const chakra_node *n, const char *name)
{
  bool old = n->of > CURRENT;
  const uint8_t *kinds = old ? collectives_2023 : collectives;
  size_t known = old ? sizeof collectives_2023 : sizeof collectives;
  int64_t type = n->comm_type - (n->of == OF_JUNE_2023); /* there 0 is none */
  return n->has_comm_type && type >= 0 && (size_t)type < known ?
           kinds[type] :
           ts_comm_kind_of(name, strlen(name));
}

static ts_event_kind device_kind(const chakra_node *n, const char *name)
{
  if (n->type >= COMM_SEND)
    return TS_KERNEL_COMMUNICATION;
  if (n->type == MEM_LOAD || n->type == MEM_STORE || strncmp(name, "Memcpy", 6) == 0)
    return TS_KERNEL_COPY;
  return strncmp(name, "Memset", 6) == 0 ? TS_KERNEL_FILL : ts_kernel_kind(name);
}

static uint32_t chakra_add_comm(ts_events *e, const chakra_node *n, const char *name)
{
  ts_event_comm c = {.name = n->name,
                     .group = n->group,
                     .in = -1,
                     .out = -1,
                     .bytes = n->whole >= 0 ? n->whole : n->bytes,
                     .size = -1,
                     .sequence = -1,
                     .tag = n->tag};
  c.peer = n->type == COMM_SEND ? n->destination : n->type == COMM_RECV ? n->source : -1;
  c.kind = n->type == COMM_SEND ? TS_COMM_SEND :
           n->type == COMM_RECV ? TS_COMM_RECV :
                                  collective_of(n, name);
  TS_PUSH(e->arena, &e->comms, c);
  return (uint32_t)e->comms.count - 1;
}

static void chakra_add_node(ts_events *e, const chakra_node *n)
{
  const char *name = ts_events_text(e, n->name);
  bool host = n->has_host ? n->host : false;
  e->seen++;
  ts_event *v =
    n->type == METADATA ? ts_events_add(e, TS_EVENT_MARK, TS_MARK_OTHER) :
    host                ? ts_events_add(e, TS_EVENT_OPERATOR,
                         n->type >= COMM_SEND ? TS_OPERATOR_COMMUNICATION : TS_OPERATOR_PLAIN) :
                          ts_events_add(e, TS_EVENT_DEVICE, device_kind(n, name));
  v->id = n->id;
  v->name = n->name;
  v->start = n->has_start && n->start_micros < INT64_MAX / 1000 ? (int64_t)n->start_micros * 1000 :
                                                                  (int64_t)e->count;
  e->timed |= n->has_start;
  if (n->has_exact && n->duration_ns < INT64_MAX)
    v->duration = (int64_t)n->duration_ns;
  else if (n->duration_micros < INT64_MAX / 1000)
    v->duration = (int64_t)n->duration_micros * 1000;
  v->track = e->tracks.count < TS_TRACKS_MOST ?
               ts_events_track(e, 0, n->stream, v->class == TS_EVENT_DEVICE) :
               0;
  if (n->type == COMP)
    ts_events_put_work(e, e->count - 1,
                       (ts_event_work){.flops = n->ops > 0 ? (double)n->ops : 0,
                                       .bytes = n->moved > 0 ? (double)n->moved : 0});
  if (n->type >= COMM_SEND) {
    v->detail = chakra_add_comm(e, n, name);
  } else if (n->shapes && v->class == TS_EVENT_OPERATOR) {
    v->detail = (uint32_t)e->shapes.count;
    e->has_shapes = true;
    TS_PUSH(e->arena, &e->shapes, (ts_shapes){n->shapes, n->types, 0});
  }
}

/* ---- Protobuf ---- */

static uint32_t chakra_text_of(ts_events *e, const ts_wire *w)
{
  return ts_events_string(e, (const char *)w->at, (size_t)(w->end - w->at));
}

static int64_t signed_of(uint32_t number, uint64_t value)
{
  if (number == 15 || number == 17) /* zigzag */
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
  return number == 7 ? (int32_t)value : (int64_t)value;
}

static void use_attribute(ts_events *e, chakra_node *n, const char *name, size_t length,
                          int64_t number, const ts_wire *text)
{
  if (ts_is(name, length, "is_cpu_op"))
    n->host = number != 0, n->has_host = true;
  else if (ts_is(name, length, "comm_type"))
    n->comm_type = number, n->has_comm_type = true;
  else if (ts_is(name, length, "comm_size"))
    n->bytes = number;
  else if (ts_is(name, length, "comm_whole"))
    n->whole = number;
  else if (ts_is(name, length, "comm_src"))
    n->source = number;
  else if (ts_is(name, length, "comm_dst"))
    n->destination = number;
  else if (ts_is(name, length, "comm_tag"))
    n->tag = number;
  else if (ts_is(name, length, "num_ops"))
    n->ops = number;
  else if (ts_is(name, length, "tensor_size"))
    n->moved = number;
  else if (ts_is(name, length, "duration_ns"))
    n->duration_ns = (uint64_t)number, n->has_exact = number >= 0;
  else if (ts_is(name, length, "stream") || ts_is(name, length, "pg_name")) {
    ts_arena *work = ts_arena_new("attribute");
    const char *digits = ts_arena_printf(work, "%lld", (long long)number);
    uint32_t string = text ? chakra_text_of(e, text) : ts_events_string(e, digits, strlen(digits));
    *(length == 6 ? &n->stream : &n->group) = string;
    ts_arena_free(work);
  }
}

static void take_attribute(ts_events *e, chakra_node *n, ts_wire w, ts_wire *outer)
{
  ts_wire_field f;
  ts_wire name = {0}, text = {0};
  bool has_text = false;
  int64_t number = 0;
  while (ts_wire_next(&w, &f))
    if (f.number == 1 && f.type == 2)
      name = f.bytes;
    else if (f.number >= 29 && f.number <= 31 && f.type == 2 && f.number != 30)
      text = f.bytes, has_text = true;
    else if (f.number >= 7 && f.number <= 27 && f.number % 2 && f.type != 2)
      number = signed_of(f.number, f.value);
  outer->wrong |= w.wrong;
  if (name.at && !w.wrong)
    use_attribute(e, n, (const char *)name.at, (size_t)(name.end - name.at), number,
                  has_text ? &text : NULL);
}

static void take_dependencies(ts_events *e, const ts_wire_field *f, ts_named_edges *edges,
                              bool control)
{
  ts_wire w = f->bytes;
  if (f->type == 0) {
    TS_PUSH(e->arena, edges, (ts_named_edge){f->value, e->count, control});
    return;
  }
  while (f->type == 2 && w.at < w.end && !w.wrong)
    TS_PUSH(e->arena, edges, (ts_named_edge){ts_wire_varint(&w), e->count, control});
}

static void take_io(ts_events *e, chakra_node *n, ts_wire w)
{
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    if (f.type == 2 && f.number == 2)
      n->shapes = chakra_text_of(e, &f.bytes);
    else if (f.type == 2 && f.number == 3)
      n->types = chakra_text_of(e, &f.bytes);
}

/* ---- Nodes of 2023 ---- */

/* An attribute of the end of June: a whole number is field 5, which later is a float, a text is
 * field 6, which later is a whole number. */
static bool is_of_june(ts_wire w)
{
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    if ((f.number == 5 && f.type == TS_WIRE_VARINT) || (f.number == 6 && f.type == TS_WIRE_BYTES))
      return true;
  return false;
}

/* By the fields that only one has. */
static schema schema_of(ts_wire w)
{
  schema of = NOT_SHOWN;
  ts_wire_field f;
  while (ts_wire_next(&w, &f)) {
    bool bytes = f.type == TS_WIRE_BYTES;
    if (f.number >= 12)
      return OF_JUNE_2023;
    if (f.number == 11 && bytes)
      of = of == OF_END_OF_JUNE_2023 || is_of_june(f.bytes) ? OF_END_OF_JUNE_2023 : OF_JULY_2023;
    else if (bytes && (f.number == 6 || f.number == 7) && of < OF_JULY_2023)
      of = OF_JULY_2023; /* texts, where there are times now */
    else if (bytes && f.number == 10 && of == NOT_SHOWN)
      of = CURRENT;
  }
  return of;
}

/* Numbers are fields 4 (a truth value), 6 and 7, a text is field 7 or 8: there is one of them. At
 * the end of June they are 5 and 6. */
static void take_attribute_2023(ts_events *e, chakra_node *n, ts_wire w, ts_wire *outer)
{
  ts_wire_field f;
  ts_wire name = {0}, text = {0};
  int64_t number = 0;
  while (ts_wire_next(&w, &f))
    if (f.number == 1 && f.type == TS_WIRE_BYTES)
      name = f.bytes;
    else if (f.number >= 6 && f.number <= 8 && f.type == TS_WIRE_BYTES)
      text = f.bytes;
    else if (f.number >= 4 && f.number <= 7 && f.type == TS_WIRE_VARINT)
      number = (int64_t)f.value;
  outer->wrong |= w.wrong;
  if (!name.at || w.wrong)
    return;
  if (ts_is((const char *)name.at, (size_t)(name.end - name.at), "runtime"))
    n->duration_micros = number > 0 ? (uint64_t)number : 0, n->has_duration = true;
  else
    use_attribute(e, n, (const char *)name.at, (size_t)(name.end - name.at), number,
                  text.at ? &text : NULL);
}

/* Before: fields of nodes are what attributes are now. Its time is in microseconds, as PyTorch's
 * converter writes it and as later schemas have it. */
static void take_field_of_june(ts_events *e, chakra_node *n, const ts_wire_field *f,
                               ts_named_edges *edges)
{
  static const struct {
    uint32_t field;
    const char *name;
  } names[] = {{6, "tensor_size"}, {12, "num_ops"},   {13, "comm_type"}, {15, "pg_name"},
               {16, "comm_src"},   {17, "comm_dst"}, {18, "comm_size"}, {19, "comm_tag"}};
  if (f->number == 4)
    take_dependencies(e, f, edges, false);
  else if (f->number == 7)
    n->duration_micros = f->value, n->has_duration = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].field == f->number && f->type == TS_WIRE_VARINT)
      use_attribute(e, n, names[i].name, strlen(names[i].name), (int64_t)f->value, NULL);
}

static void take_field_2023(ts_events *e, chakra_node *n, const ts_wire_field *f,
                            ts_named_edges *edges, ts_wire *outer)
{
  bool bytes = f->type == TS_WIRE_BYTES;
  if (f->number == 4)
    take_dependencies(e, f, edges, false);
  else if (f->number == 6 && bytes)
    n->shapes = chakra_text_of(e, &f->bytes);
  else if (f->number == 7 && bytes)
    n->types = chakra_text_of(e, &f->bytes);
  else if (f->number == 11 && bytes)
    take_attribute_2023(e, n, f->bytes, outer);
}

/* ---- Nodes ---- */

static void take_field(ts_events *e, chakra_node *n, const ts_wire_field *f, ts_named_edges *edges,
                       ts_wire *outer)
{
  switch (f->number) {
  case 4: take_dependencies(e, f, edges, true); break;
  case 5: take_dependencies(e, f, edges, false); break;
  case 6: n->start_micros = f->value; n->has_start = f->value != 0; break;
  case 7: n->duration_micros = f->value; n->has_duration = true; break;
  case 8:
    if (f->type == TS_WIRE_BYTES)
      take_io(e, n, f->bytes);
    break;
  case 10:
    if (f->type == TS_WIRE_BYTES)
      take_attribute(e, n, f->bytes, outer);
    break;
  default: break;
  }
}

typedef struct chakra_reader {
  ts_events *e;
  schema of;              /* of the nodes so far */
  TS_VEC(ts_wire) waiting; /* copies of nodes that do not show theirs */
  ts_named_edges edges;
} chakra_reader;

static bool chakra_take_node(chakra_reader *r, ts_wire w, schema of)
{
  ts_events *e = r->e;
  chakra_node n = no_node;
  ts_wire_field f;
  size_t before = r->edges.count;
  n.of = of;
  while (ts_wire_next(&w, &f))
    if (f.number == 1)
      n.id = f.value;
    else if (f.number == 2 && f.type == TS_WIRE_BYTES)
      n.name = chakra_text_of(e, &f.bytes);
    else if (f.number == 3)
      n.type = (int64_t)f.value;
    else if (of == OF_JUNE_2023)
      take_field_of_june(e, &n, &f, &r->edges);
    else
      (of > CURRENT ? take_field_2023 : take_field)(e, &n, &f, &r->edges, &w);
  if (w.wrong) {
    r->edges.count = before;
    return false;
  }
  n.type += of >= OF_END_OF_JUNE_2023 && n.type > 0; /* they had no type of metadata */
  chakra_add_node(e, &n);
  return true;
}

/* Nodes that waited for one that shows the schema. They are well formed. */
static void take_waiting(chakra_reader *r, schema of)
{
  r->of = of;
  for (size_t i = 0; i < r->waiting.count; i++)
    chakra_take_node(r, r->waiting.at[i], of);
  r->waiting.count = 0;
}

static bool is_well_formed(ts_wire w)
{
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    ;
  return !w.wrong;
}

static bool take_record_of(chakra_reader *r, const ts_wire *record)
{
  schema of = schema_of(*record);
  size_t size = (size_t)(record->end - record->at);
  if (!is_well_formed(*record))
    return false;
  if (of == NOT_SHOWN && r->of == NOT_SHOWN) {
    uint8_t *copy = ts_arena_copy(r->e->arena, record->at, size + 1);
    TS_PUSH(r->e->arena, &r->waiting, ((ts_wire){copy, copy + size, false}));
    return true;
  }
  if (r->of == NOT_SHOWN)
    take_waiting(r, of);
  return chakra_take_node(r, *record, of == NOT_SHOWN ? r->of : of);
}

/* Metadata have a version and attributes alone: texts and messages, fields 1 and 2. */
static bool is_node(ts_wire w)
{
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    if (f.number > 2 || f.type != TS_WIRE_BYTES)
      return true;
  return false;
}

static bool take_metadata(ts_events *e, ts_wire w)
{
  ts_wire_field f;
  while (ts_wire_next(&w, &f)) {
    if (f.number == 1 && f.type == 2)
      e->version = ts_events_text(e, chakra_text_of(e, &f.bytes));
    if (f.number != 2 || f.type != 2)
      continue;
    ts_wire a = f.bytes;
    ts_wire_field g, name = {0}, value = {0};
    while (ts_wire_next(&a, &g)) {
      if (g.number == 1)
        name = g;
      if (g.number == 29)
        value = g;
    }
    w.wrong |= a.wrong;
    if (name.type == 2 && value.type == 2 && !*e->version &&
        ts_is((const char *)name.bytes.at, name.value, "schema"))
      e->version = ts_events_text(e, chakra_text_of(e, &value.bytes));
  }
  return !w.wrong;
}

/* The record's bytes; false at the end of the file, which may be in the midst of a record. */
static bool next_record(ts_events *e, ts_feed *feed, ts_wire *record)
{
  if (!ts_feed_need(feed, 1))
    return false;
  ts_feed_need(feed, 10);
  ts_wire head = {(const uint8_t *)feed->buffer + feed->at,
                  (const uint8_t *)feed->buffer + feed->end, false};
  if (head.end - head.at > 10)
    head.end = head.at + 10;
  const uint8_t *begin = head.at;
  uint64_t length = ts_wire_varint(&head);
  size_t lead = (size_t)(head.at - begin);
  if (head.wrong && feed->end - feed->at >= 10)
    return ts_feed_fail(feed, "is this a Chakra trace?", "the length of record %llu is malformed",
                        (unsigned long long)e->seen + 1);
  if (length > TS_FEED_LARGEST)
    return ts_feed_fail(feed, "is this a Chakra trace?", "record %llu should have %llu bytes",
                        (unsigned long long)e->seen + 1, (unsigned long long)length);
  if (head.wrong || !ts_feed_need(feed, lead + length)) {
    e->cut = true;
    return false;
  }
  const uint8_t *at = (const uint8_t *)feed->buffer + feed->at + lead;
  *record = (ts_wire){at, at + length, false};
  feed->at += lead + length;
  return true;
}

static bool take_record(chakra_reader *r, ts_feed *feed, const ts_wire *record, bool first)
{
  bool metadata = first && !is_node(*record);
  if (metadata)
    r->of = CURRENT;
  if (metadata ? take_metadata(r->e, *record) : take_record_of(r, record))
    return true;
  feed->at = (size_t)(record->at - (const uint8_t *)feed->buffer);
  return metadata ?
           ts_feed_fail(feed, "is this a Chakra trace?", "the first record is no metadata") :
           ts_feed_fail(feed, "is this a Chakra trace?", "node %llu is malformed",
                        (unsigned long long)(r->e->seen + r->waiting.count + 1));
}

/* A record of a few hundred bytes that begins with its length and the key of a field: the metadata
 * that leads a file. */
static bool is_chakra(ts_feed *feed)
{
  const uint8_t *at = (const uint8_t *)feed->buffer + feed->at;
  size_t have = feed->end - feed->at, n = 0;
  if (ts_is_text(feed))
    return false;
  while (n < 5 && n < have && at[n] & 0x80)
    n++;
  return n + 1 < have && n < 5 &&
         (at[0] == 0 || at[n + 1] == 0x0a || at[n + 1] == 0x12 || at[n + 1] == 0x08);
}

static bool read_chakra(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)options;
  chakra_reader r = {.e = e};
  ts_wire record;
  e->format = TS_TRACE_CHAKRA;
  for (bool first = true; next_record(e, feed, &record); first = false)
    if (!take_record(&r, feed, &record, first))
      return false;
  take_waiting(&r, r.of == NOT_SHOWN ? CURRENT : r.of);
  feed->error->line = 0;
  if (feed->error->message[0])
    return false;
  if (!e->count)
    return ts_fail(feed->error, NULL, "the trace has no nodes");
  return ts_trace_graph_finish(e, &r.edges, feed->error);
}

/* ---- JSON ---- */

static int64_t take_type(ts_events *e, ts_json *j)
{
  static const char *const names[] = {"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                      "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                      "COMM_RECV_NODE", "COMM_COLL_NODE"};
  const char *text = ts_events_text(e, ts_json_take_string(j, e));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0)
      return (int64_t)i;
  return strtoll(text, NULL, 10);
}

static void take_list(ts_events *e, ts_json *j, ts_named_edges *edges, bool control)
{
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return;
  while (ts_json_element(j)) {
    int64_t from = ts_json_take_integer(j, -1);
    if (ts_json_ok(j))
      TS_PUSH(e->arena, edges, (ts_named_edge){(uint64_t)from, e->count, control});
  }
}

static void take_json_member(ts_events *e, ts_json *j, chakra_node *n, ts_named_edges *edges)
{
  if (TS_JSON_IS(j, "Id") || TS_JSON_IS(j, "id"))
    n->id = (uint64_t)ts_json_take_integer(j, 0), n->has_id = true;
  else if (TS_JSON_IS(j, "Name") || TS_JSON_IS(j, "name"))
    n->name = ts_json_take_string(j, e);
  else if (TS_JSON_IS(j, "NodeType") || TS_JSON_IS(j, "type"))
    n->type = take_type(e, j);
  else if (TS_JSON_IS(j, "ctrlDeps") || TS_JSON_IS(j, "ctrl_deps"))
    take_list(e, j, edges, true);
  else if (TS_JSON_IS(j, "data_deps") || TS_JSON_IS(j, "dataDeps"))
    take_list(e, j, edges, false);
  else if (TS_JSON_IS(j, "runtime") || TS_JSON_IS(j, "durationMicros")) {
    int64_t micros = ts_json_take_integer(j, 0);
    n->duration_micros = micros > 0 ? (uint64_t)micros : 0;
  } else if (TS_JSON_IS(j, "is_cpu_op")) {
    ts_json_kind kind = ts_json_value(j);
    n->has_host = kind == TS_JSON_TRUE || kind == TS_JSON_FALSE;
    n->host = kind == TS_JSON_TRUE;
  } else if (TS_JSON_IS(j, "comm_type"))
    n->comm_type = ts_json_take_integer(j, -1), n->has_comm_type = true;
  else if (TS_JSON_IS(j, "comm_size"))
    n->bytes = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "comm_src"))
    n->source = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "comm_dst"))
    n->destination = ts_json_take_integer(j, -1);
  else if (TS_JSON_IS(j, "comm_tag"))
    n->tag = ts_json_take_integer(j, 0);
  else if (TS_JSON_IS(j, "num_ops"))
    n->ops = ts_json_take_integer(j, 0);
  else if (TS_JSON_IS(j, "tensor_size"))
    n->moved = ts_json_take_integer(j, 0);
  else
    ts_json_skip(j);
}

static bool read_chakra_json(ts_events *e, ts_json *j, const ts_events_options *options)
{
  (void)options;
  ts_named_edges edges = {0};
  e->format = TS_TRACE_CHAKRA_JSON;
  if (ts_json_value(j) != TS_JSON_ARRAY)
    return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "`workload_graph` is not a list");
  while (ts_json_element(j)) {
    if (ts_json_value(j) != TS_JSON_OBJECT)
      return ts_json_ok(j) && ts_feed_fail(j->feed, NULL, "node %llu is not an object",
                                           (unsigned long long)e->seen + 1);
    chakra_node n = no_node;
    size_t before = edges.count;
    while (ts_json_member(j)) take_json_member(e, j, &n, &edges);
    if (!ts_json_ok(j)) {
      edges.count = before;
      break;
    }
    if (!n.has_id)
      return ts_feed_fail(j->feed, NULL, "node %llu has no `Id`", (unsigned long long)e->seen + 1);
    chakra_add_node(e, &n);
  }
  return !j->feed->error->message[0] && ts_trace_graph_finish(e, &edges, j->feed->error);
}

const ts_trace_reader ts_trace_reader_chakra = {.begins = is_chakra, .read = read_chakra};
const ts_trace_reader ts_trace_reader_chakra_json = {.key = "workload_graph",
                                                     .value = read_chakra_json};
