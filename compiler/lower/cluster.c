/* The cluster graph, the placement of ranks on it, and the network models, as records of the IR. */
#include <math.h>
#include <string.h>

#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/lower/lowering.h"
#include "compiler/lower/network.h"
#include "compiler/machine/network_table.h"
#include "compiler/machine/cluster.h"
#include "compiler/machine/network_file.h"
#include "ir/packets.h"
#include "ir/spelling.h"

/* Below 0 and beyond what is counted: more than any time may be, which is refused. */
static uint64_t picoseconds(double seconds)
{
  return seconds >= 0 && seconds < 9e6 ? (uint64_t)llround(seconds * 1e12) : UINT64_MAX;
}

/* -- devices -- */

static const double seconds_of_hour = 3600;

static double gpu_number(const ts_value *gpu, const char *field, double unit)
{
  const ts_value *v = ts_record_find(gpu->u.record, field);
  return v && v->type == TS_T_QUANTITY ? v->u.real / unit : 0;
}

static bool is_device(const ts_value *gpu)
{
  return gpu->type == TS_T_GPU || gpu->type == TS_T_RECORD;
}

static uint64_t memory_of(const ts_value *gpu) { return (uint64_t)gpu_number(gpu, "memory", 8); }

static uint64_t reserved_of(const ts_lowering *l, const ts_value *gpu)
{
  uint64_t reserved = (uint64_t)gpu_number(gpu, "reserved", 8);
  return l->calibration.is ? ts_calibrated_reserve(l->calibration.is, reserved) : reserved;
}

bool ts_cluster_room(const ts_lowering *l, ts_memory_bound *held)
{
  const ts_cluster *c = l->plan->cluster.u.cluster;
  uint64_t most = 0;
  for (uint32_t i = 0; i < c->array_count; i++) {
    const ts_value *gpu = &c->arrays[i].device_class;
    if (c->arrays[i].is_switch || !is_device(gpu))
      continue;
    uint64_t memory = memory_of(gpu), reserved = reserved_of(l, gpu);
    if (!memory)
      return false;
    if (memory > reserved && memory - reserved > most) {
      most = memory - reserved;
      held->limit = memory;
      held->reserved = reserved;
    }
  }
  return held->limit;
}

/* A gpu that reserves more than it has is refused before: here a calibration adds to it. */
static uint64_t reserved_within(ts_lowering *l, const ts_value *gpu, uint64_t memory)
{
  uint64_t reserved = reserved_of(l, gpu);
  if (!l->calibration.is || reserved <= (memory ? memory : TS_IR_BYTES_MOST))
    return reserved;
  ts_diag *d = ts_report(l->s, TS_E0506, l->calibration.span,
                         "with what the calibration adds, nothing is left of the device's memory");
  ts_diag_here(d, "`%s` reserves %.4g GB", gpu->u.record->name ? gpu->u.record->name : "device",
               (double)reserved / 1e9);
  return 0;
}

static uint32_t device_class(ts_lowering *l, const ts_value *gpu)
{
  if (!is_device(gpu))
    return TS_IR_NONE;
  ts_ir_device_class class = {
    .name = ts_ir_add_string(l->b, gpu->u.record->name ? gpu->u.record->name : "device"),
    .loc = ts_ir_loc_of(l, gpu->span),
    .memory = memory_of(gpu),
    .bandwidth = gpu_number(gpu, "bandwidth", 8),
    .reserved_memory = reserved_within(l, gpu, memory_of(gpu)),
    .watts = gpu_number(gpu, "watts", 1),
    .idle_watts = gpu_number(gpu, "idle_watts", 1),
    .host_watts = gpu_number(gpu, "host_watts", 1),
    .price = ts_record_find(gpu->u.record, "price") ?
               gpu_number(gpu, "price", 1 / seconds_of_hour) :
               TS_NOT_KNOWN};
  return ts_ir_intern(l->b, TS_IR_DEVICE_CLASSES, &class);
}

static void lower_arrays(ts_lowering *l, const ts_cluster *c, uint32_t *class_of)
{
  void *records;
  ts_ir_append(l->b, TS_IR_ARRAYS, c->array_count, &records);
  ts_ir_array *arrays = records;
  for (uint32_t i = 0; i < c->array_count; i++) {
    const ts_cluster_array *a = &c->arrays[i];
    arrays[i] = (ts_ir_array){.kind = a->is_switch ? TS_IR_SWITCH : TS_IR_DEVICE,
                              .first = a->first,
                              .count = a->count,
                              .dims = a->dims};
    memcpy(arrays[i].dim, a->dim, sizeof a->dim);
    arrays[i].name = ts_ir_add_string(l->b, a->name);
    arrays[i].loc = ts_ir_loc_of(l, a->span);
    class_of[i] = a->is_switch ? TS_IR_NONE : device_class(l, &a->device_class);
  }
}

/* Links between the same arrays may be of several classes: the text of the IR, changes and reports
 * know each by a name of its own. */
static void name_classes(ts_lowering *l)
{
  ts_ir ir;
  ts_ir_builder_view(l->b, &ir);
  ts_ir_link_class *at = ts_ir_builder_records(l->b, TS_IR_LINK_CLASSES);
  uint32_t *bearers = TS_NEW_ARRAY(l->s->arena, uint32_t, ir.strings_count);
  for (uint32_t i = 0; i < ir.link_classes_count; i++)
    if (++bearers[at[i].name] > 1)
      at[i].name = ts_ir_add_string(
        l->b, ts_arena_printf(l->s->arena, "%s.%u",
                              (char *)ts_ir_builder_records(l->b, TS_IR_STRINGS) + at[i].name,
                              bearers[at[i].name]));
}

bool ts_lower_cluster(ts_lowering *l)
{
  const ts_cluster *c = l->plan->cluster.u.cluster;
  void *records;
  uint32_t *class_of = TS_NEW_ARRAY(l->s->arena, uint32_t, c->array_count + 1),
           *class_index = TS_NEW_ARRAY(l->s->arena, uint32_t, c->class_count + 1);
  lower_arrays(l, c, class_of);
  ts_ir_append(l->b, TS_IR_DEVICES, c->vertex_count, &records);
  for (uint32_t i = 0; i < c->vertex_count; i++)
    ((ts_ir_device *)records)[i] =
      (ts_ir_device){c->vertices[i].array, class_of[c->vertices[i].array],
                     c->arrays[c->vertices[i].array].is_switch ? 1 : c->vertices[i].speed};
  for (uint32_t i = 0; i < c->class_count; i++) {
    const ts_cluster_class *k = &c->classes[i];
    ts_ir_link_class class = {ts_ir_add_string(l->b, k->name ? k->name : ""),
                              k->tier,
                              k->bandwidth / 8,
                              picoseconds(k->latency),
                              ts_ir_loc_of(l, k->span),
                              k->ports,
                              picoseconds(k->setup),
                              k->loss,
                              picoseconds(k->down)};
    class_index[i] = ts_ir_intern(l->b, TS_IR_LINK_CLASSES, &class);
  }
  name_classes(l);
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->link_count; i++)
    count += !c->classes[c->links[i].link_class].failed;
  ts_ir_append(l->b, TS_IR_LINKS, count, &records);
  for (uint32_t i = 0, at = 0; i < c->link_count; i++)
    if (!c->classes[c->links[i].link_class].failed)
      ((ts_ir_link *)records)[at++] = (ts_ir_link){
        c->links[i].from, c->links[i].to, class_index[c->links[i].link_class], c->links[i].duplex};
  return true;
}

/* -- network -- */

static bool truth(const ts_applied *a, const char *name, bool otherwise)
{
  const ts_value *v = ts_record_find(&a->args, name);
  return v && v->type == TS_T_BOOL ? v->u.truth : otherwise;
}

static double real(const ts_applied *a, const char *name, double otherwise)
{
  const ts_value *v = ts_record_find(&a->args, name);
  if (!v || v->type == TS_T_NONE)
    return otherwise;
  return v->type == TS_T_INT ? (double)v->u.integer : v->u.real;
}

static uint32_t collectives_of(ts_lowering *l, const ts_applied *a)
{
  const ts_value *v = ts_record_find(&a->args, "of");
  uint32_t all = (1u << TS_IR_COLLECTIVE_KINDS) - 1;
  if (!v || v->type != TS_T_STRING)
    return all;
  int kind = ts_collective_named(v->u.string);
  if (kind >= 0)
    return 1u << kind;
  ts_diag *d = ts_report(l->s, TS_E0505, v->span, "no collective is named `%s`", v->u.string);
  ts_diag_here(d, "known: %s",
               ts_listed(l->s->arena, ts_ir_collective_names, TS_IR_COLLECTIVE_KINDS));
  return 0;
}

static uint32_t named_tier(const ts_applied *a)
{
  return real(a, "tier", -1) < 0 ? TS_IR_NONE : (uint32_t)fmin(real(a, "tier", 0), 1e6);
}

/* What all models but measured ones have. */
static bool model_fields(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  m->efficiency = real(a, "efficiency", 1);
  m->base = picoseconds(real(a, "base", 0));
  m->hop = picoseconds(real(a, "hop", 0));
  m->tier = named_tier(a);
  m->collectives = collectives_of(l, a);
  m->source = TS_IR_NONE;
  if (m->efficiency > 0 && m->efficiency <= 1)
    return m->collectives != 0;
  ts_diag *d = ts_report(l->s, TS_E0505, a->span,
                         "`efficiency` is the share of the link's bandwidth that calls reach");
  ts_diag_here(d, "must be above 0 and at most 1");
  return false;
}

static bool in_range(ts_lowering *l, const ts_applied *a, const ts_ir_net_model *m)
{
  const char *wrong = ts_ir_net_model_wrong(m);
  if (wrong)
    ts_diag_here(ts_report(l->s, TS_E0505, a->span, "an impossible network model"), "%s", wrong);
  return !wrong;
}

/* The place of a word among others, up to NULL; `otherwise` when it is not given. */
static bool word_of(ts_lowering *l, const ts_applied *a, const char *name, const char *const *words,
                    uint32_t otherwise, uint32_t *place)
{
  const ts_value *v = ts_record_find(&a->args, name);
  *place = otherwise;
  if (!v || v->type != TS_T_STRING)
    return true;
  uint32_t count = 0;
  for (; words[count]; count++)
    if (!strcmp(words[count], v->u.string)) {
      *place = count;
      return true;
    }
  ts_diag *d =
    ts_report(l->s, TS_E0505, v->span, "`%s` is not an accepted `%s`", v->u.string, name);
  ts_diag_here(d, "known: %s", ts_listed(l->s->arena, words, count));
  return false;
}

/* What is left to a model of latency and bandwidth, or of connections. */
static bool algorithm_of(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  const char *names[TS_IR_NET_ALGORITHMS + 1] = {NULL};
  uint32_t algorithms[TS_IR_NET_ALGORITHMS], count = 0, place;
  for (uint32_t i = 0; i < TS_IR_NET_ALGORITHMS; i++)
    if (ts_ir_algorithm_of_links(i, m->kind)) {
      names[count] = ts_ir_algorithm_names[i];
      algorithms[count++] = i;
    }
  if (!word_of(l, a, "algorithm", names, TS_IR_NONE, &place))
    return false;
  m->algorithm = place == TS_IR_NONE ? TS_IR_NONE : algorithms[place];
  return true;
}

static bool alpha_beta(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  m->kind = TS_IR_NET_ALPHA_BETA;
  m->half_bytes = real(a, "ramp", 0) / 8;
  m->inter_hop = picoseconds(real(a, "inter_hop", real(a, "hop", 0)));
  return model_fields(l, a, m) && algorithm_of(l, a, m);
}

/* What models of connections have, be they flows or packets. */
static bool connections(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  const ts_value *channels = ts_record_find(&a->args, "channels");
  m->channels = (uint32_t)real(a, "channels", 0);
  m->unrelayed = !truth(a, "relay", true);
  m->inter_hop = picoseconds(real(a, "inter_hop", real(a, "hop", 0)));
  if (!model_fields(l, a, m) || !algorithm_of(l, a, m) ||
      !word_of(l, a, "routing", ts_ir_routing_names, TS_IR_ROUTE_RAIL, &m->routing))
    return false;
  if (real(a, "channels", 1) >= 1 && real(a, "channels", 1) <= 1024)
    return true;
  ts_diag *d = ts_report(l->s, TS_E0505, channels->span,
                         "`channels` is the number of rings or trees in parallel");
  ts_diag_here(d, "must be 1 to 1024");
  return false;
}

static bool flow(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  m->kind = TS_IR_NET_FLOW;
  return connections(l, a, m);
}

/* Sizes are bits in the language. */
static double packet_argument(const ts_applied *a, const ts_ir_packet_field *f, double otherwise)
{
  double unit = f->clause.type == TS_IR_TYPE_BYTES ? 1. / 8 :
                f->clause.type == TS_IR_TYPE_TIME  ? 1e12 :
                                                      1;
  return real(a, f->clause.name, otherwise / unit) * unit;
}

static bool packet(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  m->kind = TS_IR_NET_PACKET;
  uint32_t control;
  if (!word_of(l, a, "control", ts_ir_control_names, TS_IR_CONTROL_DCQCN, &control))
    return false;
  const ts_ir_net_packets usual = ts_ir_usual_packets_of(control);
  m->packets = usual;
  for (const ts_ir_packet_field *f = ts_ir_packet_fields; f->clause.name; f++) {
    double value = packet_argument(a, f, ts_ir_packet_value(f, &usual));
    if (ts_ir_packet_in_range(f, value))
      ts_ir_packet_set(f, &m->packets, value);
    if (ts_ir_packet_in_range(f, value) &&
        (f->clause.offset != offsetof(ts_ir_net_packets, mark_to) ||
         m->packets.mark_from <= m->packets.mark_to))
      continue;
    const ts_value *given = ts_record_find(&a->args, f->clause.name);
    ts_diag *d =
      ts_report(l->s, TS_E0505, given && given->type != TS_T_NONE ? given->span : a->span,
                "`%s` is %s", f->clause.name, f->what);
    ts_diag_here(d, "%s", f->range);
    return false;
  }
  return connections(l, a, m);
}

/* `measured(table "x.csv", of: "all_reduce", where: { gpu: "x" })` */
static bool conditions(ts_lowering *l, const ts_applied *a, ts_network_options *o)
{
  const ts_value *where = ts_record_find(&a->args, "where"), *of = ts_record_find(&a->args, "of");
  *o = (ts_network_options){
    .collective = of && of->type == TS_T_STRING ? ts_collective_named(of->u.string) : -1};
  if (of && of->type == TS_T_STRING && !collectives_of(l, a))
    return false;
  if (!where || where->type != TS_T_RECORD)
    return true;
  const ts_record *record = where->u.record;
  ts_condition *all = TS_NEW_ARRAY(l->s->arena, ts_condition, record->count + 1);
  for (uint32_t i = 0; i < record->count; i++) {
    const ts_value *v = record->at[i].value;
    if (v->type != TS_T_STRING || i == 32) {
      ts_diag *d =
        ts_report(l->s, TS_E0505, record->at[i].span, "`where` compares columns with text");
      ts_diag_here(d, "found %s", ts_value_describe(l->s->arena, *v));
      return false;
    }
    all[o->where_count++] = (ts_condition){record->at[i].name, v->u.string};
  }
  o->where = all;
  return true;
}

/* The table's times by `scale`. */
static bool cluster_scaled(ts_lowering *l, const ts_applied *a, ts_ir_net_point *p)
{
  double time = round((double)p->time * real(a, "scale", 1));
  if (time >= 1 && time <= (double)TS_IR_TIME_MOST) {
    p->time = (uint64_t)time;
    return true;
  }
  const ts_value *scale = ts_record_find(&a->args, "scale");
  ts_diag *d = ts_report(l->s, TS_E0505, scale ? scale->span : a->span,
                         "`scale` takes the table's times out of range");
  ts_diag_here(d, "%.6g s become %.6g s", (double)p->time * 1e-12, time * 1e-12);
  return false;
}

static bool measured(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  ts_network_options options;
  void *records;
  const ts_network_table *t =
    conditions(l, a, &options) ?
      ts_network_table_of(l->s, ts_record_find(&a->args, "source"), &options) :
      NULL;
  if (!t)
    return false;
  ts_lower_network_device(l, a->span, t->name, t->device);
  m->kind = TS_IR_NET_TABLE;
  m->tier = named_tier(a);
  m->efficiency = 1;
  m->point_count = t->count;
  m->first_point = ts_ir_append(l->b, TS_IR_NET_POINTS, t->count, &records);
  for (uint32_t i = 0; i < t->count; i++) {
    ts_ir_net_point point = t->points[i];
    if (!cluster_scaled(l, a, &point))
      return false;
    ((ts_ir_net_point *)records)[i] = point;
    m->collectives |= 1u << point.collective;
    TS_PUSH(l->s->arena, &l->measured_calls, point);
  }
  ts_ir_cost_source source = {ts_ir_add_string(l->b, t->name), ts_ir_add_string(l->b, "measured"),
                              ts_ir_loc_of(l, a->span), 0};
  m->source = ts_ir_intern(l->b, TS_IR_COST_SOURCES, &source);
  return true;
}

/* The links that its figures hold for, as the plan says or else as its file did; and whether they
 * rest on anything. */
static bool rests_on(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m)
{
  ts_ir_net_links *k = &m->links;
  m->assumed = truth(a, "assumed", false);
  /* rates are bits in the language */
  k->intra_links = real(a, "intra_links", k->intra_links * 8) / 8;
  k->inter_links = real(a, "inter_links", k->inter_links * 8) / 8;
  k->intra_latency = picoseconds(real(a, "intra_latency", (double)k->intra_latency * 1e-12));
  k->inter_latency = picoseconds(real(a, "inter_latency", (double)k->inter_latency * 1e-12));
  const char *wrong = ts_network_links_wrong(k);
  if (!wrong)
    return true;
  ts_diag *d = ts_report(l->s, TS_E0505, a->span, "links that a network model cannot apply to");
  ts_diag_here(d, "%s", wrong);
  return false;
}

/* Axes of the plan's mesh as those of the IR; false: one has none. */
static bool translate(const ts_lowering *l, uint32_t *axes)
{
  uint32_t given = *axes;
  *axes = 0;
  for (uint32_t a = 0; a < 32; a++) {
    if (given >> a & 1 && !l->axes_as[a])
      return false;
    *axes |= given >> a & 1 ? l->axes_as[a] : 0;
  }
  return true;
}

bool ts_lower_network(ts_lowering *l)
{
  ts_value network = l->plan->network;
  bool good = true;
  for (uint32_t i = 0; network.type == TS_T_LIST && i < network.u.list->count; i++) {
    ts_value v = network.u.list->at[i];
    ts_ir_net_model model = {0};
    void *record;
    const ts_applied *a = v.type == TS_T_APPLIED && !v.u.applied->decl ? v.u.applied : NULL;
    static const struct {
      const char *name;
      bool (*lower)(ts_lowering *, const ts_applied *, ts_ir_net_model *);
    } models[] = {{"measured", measured},
                  {"alpha_beta", alpha_beta},
                  {"flow", flow},
                  {"packet", packet},
                  {"whitebox", ts_lower_white_box},
                  {"statistical", ts_lower_statistical}};
    size_t k = 0, kinds = sizeof models / sizeof *models;
    while (k < kinds && (!a || strcmp(a->name, models[k].name) != 0))
      k++;
    if (k == kinds) {
      ts_diag *d = ts_report(l->s, TS_E0505, v.span,
                             "not a network model: must be `measured`, `whitebox`, `statistical`, "
                             "`flow`, `packet` or `alpha_beta`");
      ts_diag_here(d, "found %s", ts_value_describe(l->s->arena, v));
      good = false;
      continue;
    }
    model.name = ts_ir_add_string(l->b, a->name);
    model.loc = ts_ir_loc_of(l, a->span);
    const ts_value *over = ts_record_find(&a->args, "over");
    model.axes = over && over->type == TS_T_AXIS ? over->u.axes.mask : 0;
    if (l->axes_as && !translate(l, &model.axes))
      continue;
    if (!models[k].lower(l, a, &model) || !rests_on(l, a, &model) || !in_range(l, a, &model)) {
      good = false;
      continue;
    }
    ts_ir_append(l->b, TS_IR_NET_MODELS, 1, &record);
    *(ts_ir_net_model *)record = model;
  }
  return good;
}
