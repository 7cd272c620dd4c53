/* `whitebox(...)`: methods from a network file, or one method as the plan states it; what users set
 * in the library's environment changes them. */
#include <math.h>
#include <string.h>

#include "compiler/eval/file_store.h"
#include "compiler/eval/files.h"
#include "compiler/eval/report.h"
#include "compiler/lower/device.h"
#include "compiler/lower/network.h"
#include "compiler/machine/network_fabric.h"
#include "compiler/machine/network_file.h"
#include "compiler/machine/network_table.h"
#include "cost/cost.h"
#include "ir/spelling.h"

static const ts_value *arg(const ts_applied *a, const char *name)
{
  const ts_value *v = ts_record_find(&a->args, name);
  return v && v->type != TS_T_NONE ? v : NULL;
}

static double network_white_box_number(const ts_applied *a, const char *name, double otherwise)
{
  const ts_value *v = arg(a, name);
  return !v ? otherwise : v->type == TS_T_INT ? (double)v->u.integer : v->u.real;
}

static uint64_t picoseconds(const ts_applied *a, const char *name)
{
  double seconds = network_white_box_number(a, name, 0);
  return seconds >= 0 ? (uint64_t)llround(fmin(seconds, 1e6) * 1e12) : UINT64_MAX; /* refused */
}

static uint32_t network_white_box_count(const ts_applied *a, const char *name, uint32_t otherwise)
{
  return (uint32_t)fmin(fmax(network_white_box_number(a, name, otherwise), 0), 1e6);
}

static bool network_white_box_wrong(ts_lowering *l, ts_span span, const char *title,
                                    const char *here)
{
  ts_diag *d = ts_report(l->s, TS_E0505, span, "%s", title);
  ts_diag_here(d, "%s", here);
  return false;
}

/* Curves and methods hold for the device that they were measured on: its copy engines, its links to
 * the switch. */
void ts_lower_network_device(ts_lowering *l, ts_span span, const char *file, const char *device)
{
  const ts_value *gpu = ts_other_gpu(l->s, l->plan, device);
  if (!gpu)
    return;
  ts_span network = l->plan->span_of[TS_PLAN_network];
  ts_diag *d = ts_report(l->s, TS_W0808, network.file ? network : span,
                         "the network of `%s` in a plan for `%s`", device, gpu->u.record->name);
  ts_diag_here(d, "`%s` was measured on `%s`", file, device);
  ts_diag_note_at(d, l->plan->span_of[TS_PLAN_cluster], "no device of this cluster has that name");
  ts_diag_help(d,
               "take the network of this device, or measure one with `trainspec fit network`; if "
               "it is the same device, declare so: `called = [\"%s\"]`",
               device);
}

static const void *stored_network(ts_arena *arena, const char *bytes, size_t size)
{
  ts_error error;
  size_t text_size;
  const char *text = ts_cost_text(arena, bytes, size, &text_size, &error);
  return text ? ts_network_file_read(arena, text, text_size, &error) : NULL;
}

/* Variables change its methods. */
static ts_network_file own(ts_lowering *l, const ts_network_file *read)
{
  ts_network_file file = *read;
  file.methods =
    ts_arena_copy(l->s->arena, read->methods, read->method_count * sizeof *read->methods);
  return file;
}

static bool from_file(ts_lowering *l, const ts_value *file, ts_network_file *out)
{
  size_t size = 0, text_size = 0;
  ts_found found;
  ts_error error;
  char *bytes =
    ts_session_read(l->s, file->span.file, file->u.string, "network", file->span, &size, &found);
  if (!bytes)
    return false;
  const ts_network_file *read = ts_file_store_get(
    l->s->files->store, ts_session_file_text(&found, bytes, size), stored_network);
  const char *text = read ? NULL : ts_cost_text(l->s->arena, bytes, size, &text_size, &error);
  if (text)
    read = ts_network_file_read(l->s->arena, text, text_size, &error);
  if (read) {
    *out = own(l, read);
    ts_lower_network_device(l, file->span, file->u.string, read->device);
    return true;
  }
  ts_diag *d =
    ts_report(l->s, TS_E0502, file->span, "network file `%s` cannot be used", file->u.string);
  ts_diag_here(d, "%s", ts_error_words(l->s->arena, &error));
  return false;
}

/* A word among the arguments: -1 after a diagnostic. */
static int word(ts_lowering *l, const ts_applied *a, const char *name, int (*named)(const char *),
                const char *const *names, size_t count, int otherwise)
{
  const ts_value *v = arg(a, name);
  int found = !v ? otherwise : named(v->u.string);
  if (v && found < 0)
    network_white_box_wrong(
      l, v->span, ts_arena_printf(l->s->arena, "`%s` of a white box", name),
      ts_arena_printf(l->s->arena, "known: %s", ts_listed(l->s->arena, names, count)));
  return found;
}

static bool from_arguments(ts_lowering *l, const ts_applied *a, ts_network_file *out)
{
  int algorithm = word(l, a, "algorithm", ts_network_algorithm_named, ts_ir_algorithm_names,
                       TS_IR_NET_ALGORITHMS, TS_IR_NET_RING),
      protocol = word(l, a, "protocol", ts_network_protocol_named, ts_ir_protocol_names,
                      TS_IR_NET_PROTOCOLS, TS_IR_NET_SIMPLE),
      of = word(l, a, "of", ts_collective_named, ts_ir_collective_names, TS_IR_COLLECTIVE_KINDS,
                -2);
  if (algorithm < 0 || protocol < 0 || of == -1)
    return false;
  ts_ir_net_method m = {.algorithm = (uint32_t)algorithm,
                        .protocol = (uint32_t)protocol,
                        .channels = network_white_box_count(a, "channels", 1),
                        .threads = network_white_box_count(a, "threads", 512),
                        .connection = picoseconds(a, "connection"),
                        .intra_hop = picoseconds(a, "intra_hop"),
                        .inter_hop = picoseconds(a, "inter_hop"),
                        .intra_rate = network_white_box_number(a, "intra_rate", 0) / 8,
                        .inter_rate = network_white_box_number(a, "inter_rate", 0) / 8,
                        .local = network_white_box_number(a, "local", 0),
                        .chunk = network_white_box_number(a, "chunk", 0) / 8,
                        .spread = network_white_box_number(a, "spread", 0)};
  m.intra_share = network_white_box_number(a, "intra_share", m.intra_rate > 0 ? 0 : 1);
  m.inter_share = network_white_box_number(a, "inter_share", m.inter_rate > 0 ? 0 : 1);
  m.believed = m.connection;
  const char *bad = ts_network_method_wrong(&m);
  if (bad)
    return network_white_box_wrong(l, a->span, "an impossible white box", bad);
  out->methods = TS_NEW_ARRAY(l->s->arena, ts_ir_net_method, TS_IR_COLLECTIVE_KINDS);
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (of == -2 || (uint32_t)of == k) {
      m.collective = k;
      out->methods[out->method_count++] = m;
    }
  return true;
}

static bool variable(ts_lowering *l, const ts_field *field, ts_network_file *file, bool *changed)
{
  const ts_value *v = field->value;
  const char *text =
    v->type == TS_T_STRING ? v->u.string :
    v->type == TS_T_INT    ? ts_arena_printf(l->s->arena, "%lld", (long long)v->u.integer) :
                             NULL;
  const char *error = text ? ts_network_variable(l->s->arena, field->name, text, file, changed) :
                             "must be text or a whole number";
  if (text && ts_network_variable_left(field->name, text) == TS_NETWORK_NOT_MODELLED) {
    ts_diag *d = ts_report(l->s, TS_W0535, field->span, "variable `%s` is not followed", field->name);
    ts_diag_here(d, "it changes paths, transports or chunks that no method has");
    ts_diag_help(d, "state what it changes as links of the cluster, or calibrate to logs of runs that "
                    "have it: `trainspec fit network`");
  }
  return !error ||
         network_white_box_wrong(
           l, field->span,
           ts_arena_printf(l->s->arena, "variable `%s` cannot have this value", field->name),
           error);
}

/* What was measured was so with the library's own choice: it goes when that is changed. */
static bool variables(ts_lowering *l, const ts_value *record, ts_network_file *file)
{
  bool changed = false;
  uint32_t count = record ? record->u.record->count : 0, done = 0;
  for (uint32_t rank = 0; done < count; rank++)
    for (uint32_t i = 0; i < count; i++) {
      if (ts_network_variable_rank(record->u.record->at[i].name) != rank)
        continue;
      if (!variable(l, &record->u.record->at[i], file, &changed))
        return false;
      done++;
    }
  if (changed)
    ts_network_forget_measured(file);
  return true;
}

static void rest_on(ts_lowering *l, const ts_applied *a, const ts_value *file, ts_ir_net_model *m)
{
  ts_ir_cost_source source = {ts_ir_add_string(l->b, ts_session_written(file->u.string)),
                              ts_ir_add_string(l->b, "network"), ts_ir_loc_of(l, a->span), 0};
  m->source = ts_ir_intern(l->b, TS_IR_COST_SOURCES, &source);
}

static void begin_model(const ts_applied *a, uint32_t kind, ts_ir_net_model *m)
{
  m->kind = kind;
  m->tier = network_white_box_number(a, "tier", -1) < 0 ?
              TS_IR_NONE :
              (uint32_t)fmin(network_white_box_number(a, "tier", 0), 1e6);
  m->efficiency = 1;
  m->source = TS_IR_NONE;
}

bool ts_lower_statistical(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  const ts_value *file = arg(a, "file");
  ts_network_file f = {.device = "", .library = ""};
  void *records;
  if (!from_file(l, file, &f))
    return false;
  if (!f.curve_count)
    return network_white_box_wrong(
      l, file->span, "a network file without curves",
      "fitted by `trainspec fit network --model statistical`; methods are for `whitebox`");
  begin_model(a, TS_IR_NET_STATISTICAL, m);
  m->links = f.links;
  m->curve_count = f.curve_count;
  m->first_curve = ts_ir_append(l->b, TS_IR_NET_CURVES, f.curve_count, &records);
  memcpy(records, f.curves, f.curve_count * sizeof *f.curves);
  for (uint32_t i = 0; i < f.curve_count; i++)
    m->collectives |= 1u << f.curves[i].collective;
  rest_on(l, a, file, m);
  return true;
}

/* The library's methods for islands that the fabric of another file joins. */
static bool between(ts_lowering *l, const ts_value *file, ts_network_file *out)
{
  ts_network_file fabric = {.device = "", .library = ""};
  if (!file)
    return true;
  if (!from_file(l, file, &fabric))
    return false;
  if (!fabric.between)
    return network_white_box_wrong(l, file->span, "a network file without a fabric",
                                   "needs `between`; methods are the first argument");
  ts_fabric_apply(l->s->arena, fabric.between, out);
  return true;
}

static bool same_call(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
  return a->collective == b->collective && a->ranks == b->ranks && a->islands == b->islands;
}

/* Tables asked before it answer for just the ranks that they have. Their times lead the white box
 * for others as anchors of its own do, instead of these where both have the same ranks. */
static void led_by_tables(ts_lowering *l, uint32_t tier, ts_network_file *f)
{
  size_t tables = l->measured_calls.count;
  ts_ir_net_point *all =
    TS_NEW_ARRAY(l->s->arena, ts_ir_net_point, f->point_count + tables + 1);
  uint32_t count = 0;
  for (size_t i = 0; i < tables; i++) {
    const ts_ir_net_point *p = &l->measured_calls.at[i];
    if (tier == TS_IR_NONE || (p->islands > 1) == (tier > 0))
      all[count++] = *p;
  }
  for (uint32_t i = 0, measured = count; i < f->point_count; i++) {
    uint32_t k = 0;
    while (k < measured && !same_call(&all[k], &f->points[i]))
      k++;
    if (k == measured)
      all[count++] = f->points[i];
  }
  const ts_network_table *merged = ts_network_table_of_points(l->s->arena, all, count);
  f->points = all;
  f->point_count = merged->count;
}

bool ts_lower_white_box(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  const ts_value *file = arg(a, "file");
  ts_network_file f = {.device = "", .library = ""};
  void *records;
  if (!(file ? from_file(l, file, &f) : from_arguments(l, a, &f)))
    return false;
  if (!f.method_count)
    return network_white_box_wrong(l, file ? file->span : a->span, "a network file without methods",
                                   "curves are for `statistical`");
  if (!variables(l, arg(a, "variables"), &f) || !between(l, arg(a, "between"), &f))
    return false;
  begin_model(a, TS_IR_NET_WHITE_BOX, m);
  if (l->measured_calls.count)
    led_by_tables(l, m->tier, &f);
  m->links = f.links;
  m->method_count = f.method_count;
  m->first_method = ts_ir_append(l->b, TS_IR_NET_METHODS, f.method_count, &records);
  memcpy(records, f.methods, f.method_count * sizeof *f.methods);
  for (uint32_t i = 0; i < f.method_count; i++)
    m->collectives |= 1u << f.methods[i].collective;
  m->point_count = f.point_count;
  if (f.point_count) {
    m->first_point = ts_ir_append(l->b, TS_IR_NET_POINTS, f.point_count, &records);
    memcpy(records, f.points, f.point_count * sizeof *f.points);
  }
  if (file)
    rest_on(l, a, file, m);
  return true;
}
