/* Reader of the text form: vertices, and what stands in the block of a network model. */
#include <stdlib.h>
#include <string.h>

#include "ir/layout.h"
#include "ir/text/text.h"

static const uint32_t vertex_limit = 1u << 25; /* as the verifier's */

static ts_ir view_of(ts_ir_reader *r)
{
  ts_ir view;
  ts_ir_builder_view(r->out, &view);
  return view;
}

static void *append(ts_ir_reader *r, ts_ir_section_kind kind, uint32_t count)
{
  void *records;
  ts_ir_append(r->out, kind, count, &records);
  return records;
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
  ts_ir_read_fields(r, TS_IR_ARRAYS, ts_ir_forms[TS_IR_FORM_devices].fields, &a);
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
uint32_t ts_ir_take_vertex(ts_ir_reader *r)
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
  uint32_t vertex = ts_ir_take_vertex(r);
  ts_ir_device *devices = ts_ir_builder_records(r->out, TS_IR_DEVICES);
  if (!r->lexer.failed)
    ts_ir_read_fields(r, TS_IR_DEVICES, ts_ir_forms[TS_IR_FORM_vertex].fields, &devices[vertex]);
}

static uint32_t take_place(ts_ir_reader *r)
{
  if (r->lexer.token == TS_IR_NUMBER)
    return (uint32_t)ts_ir_take_count(&r->lexer, "a vertex", UINT32_MAX);
  return ts_ir_take_vertex(r);
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

static void read_line(ts_ir_reader *r, uint32_t form, void *record, const char *expected)
{
  ts_ir_read_form(r, form, record);
  if (!r->lexer.failed && !ts_ir_at_line_end(&r->lexer))
    ts_ir_expected(&r->lexer, expected);
}

void ts_ir_read_block(ts_ir_reader *r, ts_ir_net_model *m)
{
  ts_ir_lexer *l = &r->lexer;
  TS_VEC(ts_ir_net_method) methods = {0};
  TS_VEC(ts_ir_net_point) points = {0};
  TS_VEC(ts_ir_net_curve) curves = {0};
  if (!ts_ir_net_has_block(m->kind))
    return;
  ts_ir_begin_block(r);
  while (ts_ir_in_block(r)) {
    ts_ir_net_method method = {0};
    ts_ir_net_curve curve = {0};
    ts_ir_net_point point = {0};
    if (ts_ir_take(l, "method")) {
      read_line(r, TS_IR_FORM_method, &method, "a clause of a method");
      TS_PUSH(r->arena, &methods, method);
    } else if (ts_ir_take(l, "curve")) {
      read_line(r, TS_IR_FORM_curve, &curve, "a clause of a curve");
      TS_PUSH(r->arena, &curves, curve);
    } else {
      read_line(r, TS_IR_FORM_point, &point, "the end of the line");
      TS_PUSH(r->arena, &points, point);
    }
  }
  if (l->failed)
    return;
  m->method_count = (uint32_t)methods.count;
  m->first_method = ts_ir_intern_run(r->out, TS_IR_NET_METHODS, methods.at, m->method_count);
  m->curve_count = (uint32_t)curves.count;
  m->first_curve = ts_ir_intern_run(r->out, TS_IR_NET_CURVES, curves.at, m->curve_count);
  m->point_count = (uint32_t)points.count;
  m->first_point = ts_ir_intern_run(r->out, TS_IR_NET_POINTS, points.at, m->point_count);
}
