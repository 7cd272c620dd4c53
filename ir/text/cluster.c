/* Reader of the text form: devices, links and network models. */
#include <stdlib.h>
#include <string.h>

#include "ir/layout.h"
#include "ir/packets.h"
#include "ir/text/text.h"

static const uint32_t vertex_limit = 1u << 25; /* as the verifier's */

static void *append(ts_ir_reader *r, ts_ir_section_kind kind, uint32_t count)
{
  void *records;
  ts_ir_append(r->out, kind, count, &records);
  return records;
}

static ts_ir view_of(ts_ir_reader *r)
{
  ts_ir view;
  ts_ir_builder_view(r->out, &view);
  return view;
}

static const char *take_new_name(ts_ir_reader *r, ts_ir_section_kind kind)
{
  ts_ir view = view_of(r);
  const char *name = ts_ir_take_name(&r->lexer, "a name");
  ts_ir_declare(r, kind, name, ts_ir_count(&view, kind));
  return name;
}

static bool take_clause(ts_ir_lexer *l, const ts_ir_clause *all, void *record);

void ts_ir_read_device_class(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_device_class d = {.name = ts_ir_add_string(r->out, take_new_name(r, TS_IR_DEVICE_CLASSES)),
                          .loc = TS_IR_NONE,
                          .price = TS_NOT_KNOWN};
  d.bandwidth = ts_ir_take_real(l, TS_IR_RATE);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "named"))
      d.name = ts_ir_take_string(r, "a name");
    else if (ts_ir_take(l, "at"))
      d.loc = ts_ir_take_loc(r);
    else
      more = take_clause(l, ts_ir_device_fields, &d);
  }
  *(ts_ir_device_class *)append(r, TS_IR_DEVICE_CLASSES, 1) = d;
}

/* Splits `name[2,8]`: cuts the brackets off and returns how many numbers they hold; -1 when they
 * hold anything else. */
static int split_indices(char *name, uint32_t index[4])
{
  size_t length = strlen(name);
  char *bracket = length && name[length - 1] == ']' ? strrchr(name, '[') : NULL;
  if (!bracket)
    return 0;
  int count = 0;
  *bracket = ',';
  for (char *end = bracket; *end == ',';) {
    if (count == 4 || end[1] < '0' || end[1] > '9')
      return -1;
    unsigned long value = strtoul(end + 1, &end, 10);
    if (value >= TS_IR_NONE)
      return -1;
    index[count++] = (uint32_t)value;
    if (*end == ']' && !end[1]) {
      *bracket = 0;
      return count;
    }
  }
  return -1;
}

static uint32_t product(const uint32_t *dim, uint32_t dims)
{
  uint64_t count = 1;
  for (uint32_t d = 0; d < dims; d++)
    count = count > vertex_limit ? count : count * dim[d];
  return count > vertex_limit ? vertex_limit + 1 : (uint32_t)count;
}

static void read_array(ts_ir_reader *r, ts_ir_vertex_kind kind)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir view = view_of(r);
  ts_ir_array a = {.kind = kind, .first = view.devices_count, .loc = TS_IR_NONE};
  char *name = ts_ir_take_name(l, "an array such as `gpu[2,8]`");
  int dims = split_indices(name, a.dim);
  a.dims = dims < 0 ? 0 : (uint32_t)dims;
  a.count = product(a.dim, a.dims);
  if (dims < 0 || !a.count || a.count > vertex_limit - a.first)
    ts_ir_syntax(l, "array `%.60s`: %s", name,
                 dims < 0 ? "expected one to four sizes, as in `gpu[2,8]`" :
                 a.count  ? "too many vertices" :
                            "a size of 0");
  ts_ir_declare(r, TS_IR_ARRAYS, name, view.arrays_count);
  a.name = ts_ir_add_string(r->out, name);
  uint32_t class = TS_IR_NONE;
  if (kind == TS_IR_DEVICE) {
    ts_ir_need(l, "of");
    class = ts_ir_use(r, TS_IR_DEVICE_CLASSES, "a device class");
  }
  if (ts_ir_take(l, "named"))
    a.name = ts_ir_take_string(r, "a name");
  if (ts_ir_take(l, "at"))
    a.loc = ts_ir_take_loc(r);
  if (l->failed)
    return;
  ts_ir_device *device = append(r, TS_IR_DEVICES, a.count);
  for (uint32_t i = 0; i < a.count; i++)
    device[i] = (ts_ir_device){view.arrays_count, class, 1};
  *(ts_ir_array *)append(r, TS_IR_ARRAYS, 1) = a;
}

void ts_ir_read_devices(ts_ir_reader *r) { read_array(r, TS_IR_DEVICE); }
void ts_ir_read_switches(ts_ir_reader *r) { read_array(r, TS_IR_SWITCH); }

/* `gpu[1,3]`, or `gpu[11]` counted through all dimensions. */
static uint32_t take_vertex(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir view = view_of(r);
  uint32_t index[4] = {0}, at = 0;
  char *name = ts_ir_take_name(l, "a vertex such as `gpu[0]`");
  int count = split_indices(name, index);
  const ts_ir_symbol *symbol = ts_ir_find_symbol(&r->symbols, TS_IR_ARRAYS, name);
  if (l->failed || !symbol) {
    ts_ir_syntax(l, "there is no array `%.60s` above", name);
    return 0;
  }
  const ts_ir_array *a = &view.arrays[symbol->value];
  bool flat = count == 1 || (!count && !a->dims),
       fits = flat ? index[0] < a->count : count == (int)a->dims;
  for (uint32_t d = 0; d < a->dims && fits && !flat; d++) {
    fits = index[d] < a->dim[d];
    at = at * a->dim[d] + index[d];
  }
  if (!fits)
    ts_ir_syntax(l, "array `%.60s` has no such vertex", name);
  return fits ? a->first + (flat ? index[0] : at) : 0;
}

void ts_ir_read_vertex(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  uint32_t vertex = take_vertex(r), class = TS_IR_NONE;
  double speed = 0;
  if (ts_ir_take(l, "of"))
    class = ts_ir_use(r, TS_IR_DEVICE_CLASSES, "a device class");
  if (ts_ir_take(l, "speed"))
    speed = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  if (l->failed)
    return;
  ts_ir view = view_of(r);
  ts_ir_device *device = (ts_ir_device *)(uintptr_t)&view.devices[vertex]; /* the builder's own */
  device->device_class = class == TS_IR_NONE ? device->device_class : class;
  device->speed = speed == 0 ? device->speed : speed;
}

void ts_ir_read_link_class(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_link_class k = {.name = ts_ir_add_string(r->out, take_new_name(r, TS_IR_LINK_CLASSES)),
                        .loc = TS_IR_NONE};
  k.bandwidth = ts_ir_take_real(l, TS_IR_RATE);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "named"))
      k.name = ts_ir_take_string(r, "a name");
    else if (ts_ir_take(l, "latency"))
      k.latency = ts_ir_take_whole(l, TS_IR_TIME);
    else if (ts_ir_take(l, "tier"))
      k.tier = (uint32_t)ts_ir_take_count(l, "a tier", TS_IR_NONE - 1);
    else if (ts_ir_take(l, "ports"))
      k.ports = (uint32_t)ts_ir_take_count(l, "a number of ports", 4096);
    else if (ts_ir_take(l, "setup"))
      k.setup = ts_ir_take_whole(l, TS_IR_TIME);
    else if (ts_ir_take(l, "at"))
      k.loc = ts_ir_take_loc(r);
    else
      more = false;
  }
  *(ts_ir_link_class *)append(r, TS_IR_LINK_CLASSES, 1) = k;
}

void ts_ir_read_link(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_link link = {.from = take_vertex(r)};
  link.duplex = l->token == TS_IR_DUPLEX;
  if (l->token == TS_IR_DUPLEX || l->token == TS_IR_ARROW)
    ts_ir_next(l);
  else
    ts_ir_expected(l, "`--` (both directions) or `->`");
  link.to = take_vertex(r);
  link.link_class = ts_ir_use(r, TS_IR_LINK_CLASSES, "a link class");
  *(ts_ir_link *)append(r, TS_IR_LINKS, 1) = link;
}

static uint32_t take_place(ts_ir_reader *r)
{
  if (r->lexer.token == TS_IR_NUMBER)
    return (uint32_t)ts_ir_take_count(&r->lexer, "a vertex", UINT32_MAX);
  return take_vertex(r);
}

/* `place 0..7, gpu[1,0]`: the vertices of the ranks, by number or name. */
void ts_ir_read_place(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  do {
    uint32_t first = take_place(r), last = first;
    if (l->token == TS_IR_RANGE) {
      ts_ir_next(l);
      last = take_place(r);
    }
    ts_ir view = view_of(r);
    if (last < first || last - first >= vertex_limit - view.placement_count)
      ts_ir_syntax(l, "vertices %u to %u are not in order, or too many", first, last);
    if (l->failed)
      return;
    uint32_t *at = append(r, TS_IR_PLACEMENT, last - first + 1);
    for (uint32_t v = first; v - first <= last - first; v++)
      at[v - first] = v;
  } while (ts_ir_take(l, ","));
}

/* ---- network models ---- */

static uint32_t take_collectives(ts_ir_lexer *l)
{
  uint32_t mask = 0;
  if (ts_ir_take(l, "any"))
    return (1u << TS_IR_COLLECTIVE_KINDS) - 1;
  if (ts_ir_take(l, "none"))
    return 0;
  do
    mask |= 1u << ts_ir_take_choice(l, "`any`, `none` or a collective", ts_ir_collective_names);
  while (ts_ir_take(l, ","));
  return mask;
}

static void take_tenths(ts_ir_lexer *l, uint8_t *at)
{
  const char *digits = ts_ir_take_name(l, "tenths, a digit each, A for 10");
  size_t count = strlen(digits);
  for (size_t i = 0; i < count && !l->failed; i++) {
    int tenths = digits[i] == 'A' ? 10 : digits[i] - '0';
    if (i == TS_IR_NET_SIZES || tenths < 1 || tenths > 10)
      ts_ir_syntax(l, "`%.60s` is not 1 to %d digits from 1 to 9 or A", digits, TS_IR_NET_SIZES);
    else
      at[i] = (uint8_t)tenths;
  }
}

static void take_field(ts_ir_lexer *l, const ts_ir_clause *f, void *at)
{
  uint32_t count;
  uint64_t whole;
  double real;
  switch (f->kind) {
  case TS_IR_FIELD_COUNT:
    count = (uint32_t)ts_ir_take_count(l, "a count", UINT32_MAX);
    memcpy(at, &count, sizeof count);
    break;
  case TS_IR_FIELD_TENTHS: take_tenths(l, at); break;
  case TS_IR_FIELD_TIME: case TS_IR_FIELD_BYTES:
    whole = ts_ir_take_whole(l, f->kind == TS_IR_FIELD_TIME ? TS_IR_TIME : TS_IR_BYTES);
    memcpy(at, &whole, sizeof whole);
    break;
  default:
    real = ts_ir_take_real(l, f->kind == TS_IR_FIELD_RATE ? TS_IR_RATE :
                              f->kind == TS_IR_FIELD_SIZE ? TS_IR_BYTES :
                                                            TS_IR_DIMENSIONS);
    memcpy(at, &real, sizeof real);
  }
}

/* False: none of them comes. */
static bool take_clause(ts_ir_lexer *l, const ts_ir_clause *all, void *record)
{
  const ts_ir_clause *f = all;
  while (f->name && !ts_ir_take(l, f->name))
    f++;
  if (f->name)
    take_field(l, f, (char *)record + f->offset);
  return f->name;
}

static void take_clauses(ts_ir_lexer *l, const ts_ir_clause *all, void *record,
                         const char *expected)
{
  while (!l->failed && !ts_ir_at_line_end(l))
    if (!take_clause(l, all, record))
      ts_ir_expected(l, expected);
}

static ts_ir_net_method take_method(ts_ir_lexer *l)
{
  ts_ir_net_method m = {.collective = ts_ir_take_choice(l, "a collective", ts_ir_collective_names)};
  m.algorithm = ts_ir_take_choice(l, "an algorithm", ts_ir_algorithm_names);
  m.protocol = ts_ir_take_choice(l, "a protocol", ts_ir_protocol_names);
  take_clauses(l, ts_ir_method_fields, &m, "a clause of a method");
  return m;
}

static ts_ir_net_curve take_curve(ts_ir_lexer *l)
{
  ts_ir_net_curve c = {.collective = ts_ir_take_choice(l, "a collective", ts_ir_collective_names)};
  take_clauses(l, ts_ir_curve_fields, &c, "a clause of a curve");
  return c;
}

static void take_points(ts_ir_reader *r, ts_ir_net_model *m)
{
  ts_ir_lexer *l = &r->lexer;
  TS_VEC(ts_ir_net_method) methods = {0};
  TS_VEC(ts_ir_net_point) points = {0};
  TS_VEC(ts_ir_net_curve) curves = {0};
  ts_ir_begin_block(r);
  while (ts_ir_in_block(r)) {
    if (ts_ir_take(l, "method")) {
      ts_ir_net_method method = take_method(l);
      TS_PUSH(r->arena, &methods, method);
      continue;
    }
    if (ts_ir_take(l, "curve")) {
      ts_ir_net_curve curve = take_curve(l);
      TS_PUSH(r->arena, &curves, curve);
      continue;
    }
    ts_ir_net_point p = {.collective =
                           ts_ir_take_choice(l, "a collective", ts_ir_collective_names)};
    p.ranks = (uint32_t)ts_ir_take_count(l, "a number of ranks", UINT32_MAX);
    p.islands = (uint32_t)ts_ir_take_count(l, "a number of islands", UINT32_MAX);
    p.bytes = ts_ir_take_whole(l, TS_IR_BYTES);
    p.time = ts_ir_take_whole(l, TS_IR_TIME);
    if (!ts_ir_at_line_end(l))
      ts_ir_expected(l, "the end of the line");
    TS_PUSH(r->arena, &points, p);
  }
  m->method_count = (uint32_t)methods.count;
  m->first_method = l->failed || !m->method_count ?
                      0 :
                      ts_ir_intern_run(r->out, TS_IR_NET_METHODS, methods.at, m->method_count);
  m->curve_count = (uint32_t)curves.count;
  m->first_curve = l->failed || !m->curve_count ?
                     0 :
                     ts_ir_intern_run(r->out, TS_IR_NET_CURVES, curves.at, m->curve_count);
  m->point_count = (uint32_t)points.count;
  m->first_point = l->failed || !m->point_count ?
                     0 :
                     ts_ir_intern_run(r->out, TS_IR_NET_POINTS, points.at, m->point_count);
}

/* One of the clauses of a record, if it comes next. */
static bool read_clause(ts_ir_lexer *l, const ts_ir_clause *f, void *record)
{
  while (f->name && !ts_ir_take(l, f->name))
    f++;
  if (f->name)
    take_field(l, f, (char *)record + f->offset);
  return f->name != NULL;
}

static bool read_packet_clause(ts_ir_lexer *l, ts_ir_net_model *m)
{
  const ts_ir_packet_field *f = ts_ir_packet_fields;
  if (m->kind == TS_IR_NET_PACKET && ts_ir_take(l, "control")) {
    m->packets.control = ts_ir_take_choice(l, "a control of senders", ts_ir_control_names);
    return true;
  }
  while (m->kind == TS_IR_NET_PACKET && f->clause.name && !ts_ir_take(l, f->clause.name))
    f++;
  if (m->kind != TS_IR_NET_PACKET || !f->clause.name)
    return false;
  take_field(l, &f->clause, (char *)&m->packets + f->clause.offset);
  return true;
}

static bool read_net_clause(ts_ir_reader *r, ts_ir_net_model *m)
{
  ts_ir_lexer *l = &r->lexer;
  if (ts_ir_take(l, "for"))
    m->collectives = take_collectives(l);
  else if (ts_ir_take(l, "over"))
    do
      m->axes |= 1u << (ts_ir_use(r, TS_IR_AXES, "an axis") & 31);
    while (ts_ir_take(l, ","));
  else if (ts_ir_take(l, "tier"))
    m->tier = (uint32_t)ts_ir_take_count(l, "a tier", TS_IR_NONE - 1);
  else if (ts_ir_take(l, "efficiency"))
    m->efficiency = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  else if (ts_ir_take(l, "routing"))
    m->routing = ts_ir_take_choice(l, "a routing", ts_ir_routing_names);
  else if (ts_ir_take(l, "unrelayed"))
    m->unrelayed = 1;
  else if (ts_ir_take(l, "channels"))
    m->channels = (uint32_t)ts_ir_take_count(l, "a number of channels", 4096);
  else if (ts_ir_take(l, "by"))
    m->algorithm = ts_ir_take_choice(l, "an algorithm", ts_ir_algorithm_names);
  else if (ts_ir_take(l, "inter_hop"))
    m->inter_hop = ts_ir_take_whole(l, TS_IR_TIME);
  else if (ts_ir_take(l, "assumed"))
    m->assumed = 1;
  else if (ts_ir_take(l, "source"))
    m->source = ts_ir_use(r, TS_IR_COST_SOURCES, "a cost source");
  else if (ts_ir_take(l, "at"))
    m->loc = ts_ir_take_loc(r);
  else
    return read_clause(l, ts_ir_line_fields, m) || read_clause(l, ts_ir_links_fields, &m->links) ||
           read_packet_clause(l, m);
  return true;
}

void ts_ir_read_net_model(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_net_model m = {.name = ts_ir_take_string(r, "a name"),
                       .collectives = (1u << TS_IR_COLLECTIVE_KINDS) - 1,
                       .tier = TS_IR_NONE,
                       .efficiency = 1,
                       .source = TS_IR_NONE,
                       .loc = TS_IR_NONE};
  m.kind = ts_ir_take_choice(l, "a kind of network model", ts_ir_net_names);
  m.algorithm =
    m.kind == TS_IR_NET_FLOW || m.kind == TS_IR_NET_PACKET || m.kind == TS_IR_NET_ALPHA_BETA ?
      TS_IR_NONE :
      0;
  if (m.kind == TS_IR_NET_PACKET)
    m.packets = ts_ir_usual_packets;
  while (!l->failed && read_net_clause(r, &m))
    ;
  if (ts_ir_net_has_block(m.kind))
    take_points(r, &m);
  *(ts_ir_net_model *)append(r, TS_IR_NET_MODELS, 1) = m;
}
