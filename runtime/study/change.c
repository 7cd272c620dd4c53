#include "runtime/study/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/table.h"
#include "ir/spelling.h"
#include "runtime/collective/white_box.h"

typedef enum field { SPEED, BANDWIDTH, LATENCY, LOSS, FIELDS } field;
static const char *const field_names[] = {"speed", "bandwidth", "latency", "loss"};
TS_TABLE(field_names, FIELDS);

typedef struct changer {
  ts_arena *arena;
  const ts_ir *ir;   /* before */
  ts_ir *out;
  double *transfer;
  bool latencies; /* of models were changed */
  const char *stays;
} changer;

/* A table of the copy that may be written. */
static void *own(changer *c, const void **table, size_t size, uint32_t count)
{
  void *copy = ts_arena_copy(c->arena, *table, size * count);
  *table = copy;
  return copy;
}
#define OWN(c, type, name)                                                                         \
  ((type *)own((c), (const void **)&(c)->out->name, sizeof(type), (c)->out->name##_count))

static uint64_t change_scaled(uint64_t time, double factor)
{
  double value = (double)time * factor;
  return value < 0x1p62 ? (uint64_t)llround(value) : UINT64_C(1) << 62;
}

static const char *change_text_of(const changer *c, ts_ir_str string)
{
  return c->ir->strings + string;
}

/* ---- What is changed ---- */

static void change_kernels(changer *c, double factor)
{
  ts_ir_kernel *k = OWN(c, ts_ir_kernel, kernels);
  for (uint32_t i = 0; i < c->out->kernels_count; i++)
    if (k[i].basis != TS_IR_HELD)
      k[i].time = change_scaled(k[i].time, 1 / factor);
}

/* Of each kernel the share that memory bounds; devices with the most bandwidth count where there
 * are several. */
static void change_memory(changer *c, double factor)
{
  double bandwidth = 0;
  for (uint32_t i = 0; i < c->ir->device_classes_count; i++)
    bandwidth = fmax(bandwidth, c->out->device_classes[i].bandwidth);
  ts_ir_kernel *k = OWN(c, ts_ir_kernel, kernels);
  for (uint32_t i = 0; i < c->out->kernels_count; i++) {
    double share = bandwidth > 0 && k[i].time ?
                     fmin(1, k[i].bytes / ((double)k[i].time * 1e-12 * bandwidth)) :
                     0;
    k[i].time = change_scaled(k[i].time, 1 - share + share / factor);
  }
  ts_ir_device_class *d = OWN(c, ts_ir_device_class, device_classes);
  for (uint32_t i = 0; i < c->out->device_classes_count; i++)
    d[i].bandwidth *= factor;
}

static void change_host(changer *c, double factor)
{
  ts_ir_node *n = OWN(c, ts_ir_node, nodes);
  for (uint32_t i = 0; i < c->out->nodes_count; i++)
    n[i].host_ps = change_scaled(n[i].host_ps, 1 / factor);
}

static void change_latency(changer *c, double factor)
{
  ts_ir_link_class *l = OWN(c, ts_ir_link_class, link_classes);
  ts_ir_net_model *m = OWN(c, ts_ir_net_model, net_models);
  ts_ir_net_method *w = OWN(c, ts_ir_net_method, net_methods);
  c->latencies = true;
  for (uint32_t i = 0; i < c->out->link_classes_count; i++)
    l[i].latency = change_scaled(l[i].latency, factor);
  for (uint32_t i = 0; i < c->out->net_models_count; i++) {
    m[i].base = change_scaled(m[i].base, factor);
    m[i].hop = change_scaled(m[i].hop, factor);
    m[i].inter_hop = change_scaled(m[i].inter_hop, factor);
    m[i].links.intra_latency = change_scaled(m[i].links.intra_latency, factor);
    m[i].links.inter_latency = change_scaled(m[i].links.inter_latency, factor);
  }
  ts_ir_net_curve *curves = OWN(c, ts_ir_net_curve, net_curves);
  for (uint32_t i = 0; i < c->out->net_curves_count; i++) {
    curves[i].intra_latency = change_scaled(curves[i].intra_latency, factor);
    curves[i].inter_latency = change_scaled(curves[i].inter_latency, factor);
  }
  for (uint32_t i = 0; i < c->out->net_methods_count; i++) {
    w[i].connection = change_scaled(w[i].connection, factor);
    w[i].intra_hop = change_scaled(w[i].intra_hop, factor);
    w[i].inter_hop = change_scaled(w[i].inter_hop, factor);
  }
}

/* value: in its place, what it shall be, bytes/s or ps; 0: none is given */
typedef struct amount { double factor, value; } amount;

/* The classes of links that `chosen` says, and nothing else: models of the network make of them
 * what they make of a plan with such links. */
static void change_links(changer *c, const bool *chosen, field field, const amount *a)
{
  ts_ir_link_class *l = OWN(c, ts_ir_link_class, link_classes);
  for (uint32_t i = 0; i < c->ir->link_classes_count; i++) {
    if (chosen[i] && field == LATENCY)
      l[i].latency =
        a->value > 0 ? (uint64_t)(a->value + 0.5) : change_scaled(l[i].latency, a->factor);
    else if (chosen[i])
      l[i].bandwidth = a->value > 0 ? a->value : l[i].bandwidth * a->factor;
  }
}

static bool is_port(const ts_ir *ir, const ts_ir_link *l, uint32_t end)
{
  return ir->devices[end].device_class != TS_IR_NONE && ir->link_classes[l->link_class].tier > 0;
}

/* Of each device bytes/s by all links that leave its island: its network interface. */
static double *interface_rates(const changer *c)
{
  const ts_ir *ir = c->ir;
  double *rate = TS_NEW_ARRAY(c->arena, double, ir->devices_count + 1);
  for (uint32_t i = 0; i < ir->links_count; i++) {
    const ts_ir_link *l = &ir->links[i];
    if (is_port(ir, l, l->from))
      rate[l->from] += ts_ir_link_rate(&ir->link_classes[l->link_class]);
    if (is_port(ir, l, l->to) && l->duplex)
      rate[l->to] += ts_ir_link_rate(&ir->link_classes[l->link_class]);
  }
  return rate;
}

static int rising(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

/* The rate that most have; the higher one of those that equally many have. */
static double usual_rate(const changer *c, const double *rates)
{
  uint32_t n = c->ir->devices_count, most = 0;
  double *sorted = ts_arena_copy(c->arena, rates, n * sizeof *rates), usual = 0;
  qsort(sorted, n, sizeof *sorted, rising);
  for (uint32_t i = 0, next; i < n; i = next) {
    for (next = i; next < n && sorted[next] == sorted[i]; next++)
      ;
    if (sorted[i] > 0 && next - i >= most) {
      most = next - i;
      usual = sorted[i];
    }
  }
  return usual;
}

/* Interfaces of devices get the rate, each of their ports its part of it; those that are slower
 * than usual are no faster than before. */
static void change_interfaces(changer *c, double rate)
{
  const ts_ir *ir = c->ir;
  ts_ir_link_class *class = OWN(c, ts_ir_link_class, link_classes);
  const double *of = interface_rates(c), usual = usual_rate(c, of);
  double *best = TS_NEW_ARRAY(c->arena, double, ir->link_classes_count + 1);
  for (uint32_t i = 0; i < ir->links_count; i++) {
    const ts_ir_link *l = &ir->links[i];
    uint32_t ends[] = {l->from, l->to};
    for (int k = 0; k < 2; k++)
      if (is_port(ir, l, ends[k]))
        best[l->link_class] = fmax(best[l->link_class], of[ends[k]]);
  }
  for (uint32_t i = 0; i < ir->link_classes_count; i++) {
    if (best[i] <= 0)
      continue;
    if (best[i] < usual)
      c->stays = ts_arena_printf(c->arena, "%s%s%s", c->stays ? c->stays : "", c->stays ? ", " : "",
                                 change_text_of(c, class[i].name));
    class[i].bandwidth *= best[i] < usual ? fmin(1, rate / best[i]) : rate / best[i];
  }
}

/* Calls over a group (TS_IR_NONE: any) of a kind (TS_IR_NONE: any). False: there are none. */
static bool change_traffic(changer *c, uint32_t group, uint32_t kind, double factor)
{
  const ts_ir *ir = c->ir;
  uint32_t calls = ir->collectives_count;
  bool some = false;
  if (!c->transfer) {
    c->transfer = TS_NEW_ARRAY(c->arena, double, calls + ir->ports_count);
    for (uint32_t i = 0; i < calls + ir->ports_count; i++)
      c->transfer[i] = 1;
  }
  for (uint32_t i = 0; i < calls + ir->ports_count; i++) {
    uint32_t of = i < calls ? ir->collectives[i].group : ir->ports[i - calls].group,
             is = i < calls ? ir->collectives[i].kind : TS_IR_MESSAGE;
    if ((group == TS_IR_NONE || of == group) && (kind == TS_IR_NONE || is == kind)) {
      c->transfer[i] /= factor;
      some = true;
    }
  }
  return some;
}

/* "gpu[1,2]" or "gpu[5]". The vertex, or TS_IR_NONE. */
static uint32_t device_named(const ts_ir *ir, const char *name)
{
  const char *bracket = strchr(name, '[');
  for (uint32_t a = 0; bracket && a < ir->arrays_count; a++) {
    const ts_ir_array *array = &ir->arrays[a];
    const char *text = ir->strings + array->name, *at = bracket;
    uint64_t place = 0;
    uint32_t given = 0;
    char *end = NULL;
    if (array->kind != TS_IR_DEVICE || strlen(text) != (size_t)(bracket - name) ||
        memcmp(text, name, strlen(text)) != 0)
      continue;
    do {
      unsigned long long index = strtoull(at + 1, &end, 10);
      uint64_t room = given < 4 && array->dims ? array->dim[given] : array->count;
      if (end == at + 1 || index >= (given ? room : array->count))
        return TS_IR_NONE;
      place = given ? place * room + index : index;
      given++;
      at = end;
    } while (*at == ',' && given < 4);
    return *at == ']' && !at[1] && (given == 1 || given == array->dims) && place < array->count ?
             array->first + (uint32_t)place :
             TS_IR_NONE;
  }
  return TS_IR_NONE;
}

/* Kernels of a family. False: there are none. */
static bool change_family(changer *c, const char *name, double factor)
{
  const ts_ir_kernel *before = c->ir->kernels;
  ts_ir_kernel *k = NULL;
  for (uint32_t i = 0; i < c->ir->kernels_count; i++) {
    if (before[i].basis == TS_IR_HELD || strcmp(name, change_text_of(c, before[i].family)) != 0)
      continue;
    k = k ? k : OWN(c, ts_ir_kernel, kernels);
    k[i].time = change_scaled(k[i].time, 1 / factor);
  }
  return k != NULL;
}

/* ---- What was calibrated ---- */

/* The slowest class of links of a tier: bytes/s; 0: there is none. */
static double slowest_rate(const ts_ir *ir, bool inner)
{
  double rate = 0;
  for (uint32_t i = 0; i < ir->link_classes_count; i++)
    if ((ir->link_classes[i].tier == 0) == inner &&
        (rate == 0 || ir->link_classes[i].bandwidth < rate))
      rate = ir->link_classes[i].bandwidth;
  return rate;
}

/* What a white box says about the call of an anchor by itself, on the links of `on`; 0: nothing. */
static double plain_time(ts_arena *arena, const ts_ir *ir, const ts_ir *on,
                         const ts_ir_net_model *model, const ts_ir_net_point *p)
{
  ts_ir_net_model plain = *model;
  uint32_t islands = p->islands ? p->islands : 1;
  ts_profile profile = {.ranks = p->ranks,
                        .islands = islands,
                        .per_island = p->ranks / islands,
                        .tier = islands > 1,
                        .intra = slowest_rate(on, true),
                        .inter = islands > 1 ? slowest_rate(on, false) * (p->ranks / islands) : 0};
  plain.point_count = 0;
  const ts_white_box_plan *plan = ts_white_box_prepare(arena, ir, &plain, p->collective, &profile);
  if (!plan)
    return 0;
  ts_white_box box = ts_white_box_estimate(plan, p->bytes);
  return box.connection + box.intra + box.inter + box.reduction;
}

/* Anchors say by how much a white box errs; that stays, so they go with what it says. */
static void keep_corrections(changer *c)
{
  ts_arena *scratch = ts_arena_new("anchors");
  ts_ir_net_point *p = NULL;
  for (uint32_t m = 0; m < c->ir->net_models_count; m++) {
    const ts_ir_net_model *model = &c->ir->net_models[m];
    for (uint32_t i = model->first_point;
         i < model->first_point + model->point_count && model->kind == TS_IR_NET_WHITE_BOX; i++) {
      double before = plain_time(scratch, c->ir, c->ir, model, &c->ir->net_points[i]),
             after =
               plain_time(scratch, c->out, c->ir, &c->out->net_models[m], &c->ir->net_points[i]);
      if (before == after || !(before > 0 && after > 0))
        continue;
      p = p ? p : OWN(c, ts_ir_net_point, net_points);
      p[i].time = change_scaled(c->ir->net_points[i].time, after / before);
    }
  }
  ts_arena_free(scratch);
}

/* ---- Reading ---- */

static bool is(const char *name, const char *word) { return strcmp(name, word) == 0; }

/* Network interfaces: links by which devices leave their island. */
static bool choose_interfaces(const changer *c, bool *chosen)
{
  const ts_ir *ir = c->ir;
  bool some = false;
  for (uint32_t i = 0; i < ir->links_count; i++) {
    const ts_ir_link *l = &ir->links[i];
    if (is_port(ir, l, l->from) || is_port(ir, l, l->to))
      some = chosen[l->link_class] = true;
  }
  return some;
}

static bool choose_links(changer *c, const char *name, bool *chosen)
{
  if (is(name, "nic") && choose_interfaces(c, chosen))
    return true;
  bool some = false;
  unsigned tier;
  int length = 0;
  bool by_tier = sscanf(name, "tier%8u%n", &tier, &length) == 1 && !name[length];
  for (uint32_t i = 0; i < c->ir->link_classes_count; i++) {
    chosen[i] = by_tier ? c->ir->link_classes[i].tier == tier :
                          is(name, change_text_of(c, c->ir->link_classes[i].name));
    some |= chosen[i];
  }
  return some;
}

/* Of `compute.sped`: the name of something and what is no field. Names may have dots themselves. */
static const char *no_field(changer *c, const char *name)
{
  const char *dot = strrchr(name, '.'), *best[3];
  if (!dot || strchr(dot, ']'))
    return NULL;
  const char *what = ts_arena_string(c->arena, name, (size_t)(dot - name));
  size_t near = ts_suggest(dot + 1, field_names, FIELDS, best);
  return near ?
           ts_arena_printf(c->arena, "`%s` has no field `%s`: did you mean `%s.%s`?", what, dot + 1,
                           what, best[0]) :
           ts_arena_printf(c->arena,
                           "`%s` has no field `%s`; fields are speed, bandwidth, latency and loss",
                           what, dot + 1);
}

static const char *no_such(changer *c, const char *name, field field)
{
  const char *misspelt = no_field(c, name), *best[3];
  if (misspelt)
    return misspelt;
  TS_VEC(const char *) names = {0};
  const ts_ir *ir = c->ir;
  static const char *const always[] = {"compute", "memory", "host", "network"};
  for (int i = 0; i < 4; i++)
    TS_PUSH(c->arena, &names, always[i]);
  if (choose_interfaces(c, TS_NEW_ARRAY(c->arena, bool, ir->link_classes_count + 1)))
    TS_PUSH(c->arena, &names, "nic");
  for (uint32_t i = 0; i < ir->link_classes_count; i++)
    TS_PUSH(c->arena, &names, change_text_of(c, ir->link_classes[i].name));
  for (uint32_t i = 0; i < ir->groups_count; i++)
    TS_PUSH(c->arena, &names, change_text_of(c, ir->groups[i].name));
  char *list = ts_arena_printf(c->arena,
                               field == FIELDS ? "nothing is named `%s` here; there are" :
                                                 "nothing named `%s` has a %s here; there are",
                               name, field == FIELDS ? "" : field_names[field]);
  for (size_t i = 0; i < names.count; i++)
    list = ts_arena_printf(c->arena, "%s%s %s", list, i ? "," : "", names.at[i]);
  if (ts_suggest(name, names.at, names.count, best))
    list = ts_arena_printf(c->arena, "%s; did you mean `%s`?", list, best[0]);
  return list;
}

static const char *change_apply(changer *c, const char *name, field field, amount amount)
{
  bool *chosen = TS_NEW_ARRAY(c->arena, bool, c->ir->link_classes_count + 1);
  double factor = amount.factor;
  if (is(name, "compute") && field == SPEED) {
    change_kernels(c, factor);
  } else if (is(name, "memory") && field == BANDWIDTH) {
    change_memory(c, factor);
  } else if (is(name, "host") && field == SPEED) {
    change_host(c, factor);
  } else if (is(name, "network") && field == LATENCY) {
    change_latency(c, factor);
  } else if (field != SPEED) {
    if (!choose_links(c, name, chosen))
      return no_such(c, name, field);
    if (is(name, "nic") && field == BANDWIDTH && amount.value > 0 && choose_interfaces(c, chosen))
      change_interfaces(c, amount.value);
    else
      change_links(c, chosen, field == LOSS ? BANDWIDTH : field, &amount);
  } else {
    uint32_t vertex = device_named(c->ir, name);
    if (vertex != TS_IR_NONE) {
      ts_ir_device *d = &OWN(c, ts_ir_device, devices)[vertex];
      d->speed = amount.value > 0 ? amount.value : d->speed * factor;
      return NULL;
    }
    for (uint32_t g = 0; g < c->ir->groups_count; g++)
      if (is(name, change_text_of(c, c->ir->groups[g].name)) &&
          change_traffic(c, g, TS_IR_NONE, factor))
        return NULL;
    for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
      if (is(name, ts_ir_collective_names[k]) && change_traffic(c, TS_IR_NONE, k, factor))
        return NULL;
    return change_family(c, name, factor) ? NULL : no_such(c, name, field);
  }
  return NULL;
}

/* A quantity as in the text of an IR; rates also in bits. Bytes/s, ps; 0: it is none. */
static double quantity(double number, const char *unit, ts_ir_dimension dimension)
{
  char bytes[8];
  unit += strspn(unit, " ");
  snprintf(bytes, sizeof bytes, "%.7s", unit);
  char *bit = dimension == TS_IR_RATE ? strchr(bytes, 'b') : NULL;
  if (bit)
    *bit = 'B';
  for (const ts_ir_unit *u = ts_ir_units; u->name; u++)
    if (u->dimension == dimension && is(bytes, u->name))
      return number * (double)u->scale / (bit ? 8 : 1);
  return 0;
}

/* What a value of the field looks like, for messages. */
static const char *example(field field) { return field == LATENCY ? "2us" : "800Gb/s"; }

/* `NAME.FIELD=`: what it shall be. Links have rates and times; a device's speed is a number, 1
 * unless the plan says otherwise. */
static const char *read_value(changer *c, const char *name, field field, const char *text)
{
  char *end;
  double number = strtod(text, &end);
  bool links = field == BANDWIDTH || field == LATENCY, none = end == text;
  if (!links || is(name, "memory") || is(name, "network"))
    return !none && !*end && device_named(c->ir, name) != TS_IR_NONE && number >= 1e-6 &&
               number <= 1e6 ?
             change_apply(c, name, field, (amount){0, number}) :
             ts_arena_printf(c->arena, "`%s.%s` takes a factor after `*` or `/`, such as `%s.%s*2`; "
                             "-D sets parameters of the plan",
                             name, field_names[field], name, field_names[field]);
  if (!none && !*end)
    return ts_arena_printf(c->arena,
                           "`%s.%s=%s` has no unit: `=%s` sets the value, `*%s` is a factor", name,
                           field_names[field], text, example(field), text);
  amount a = {1, none ? 0 : quantity(number, end, field == LATENCY ? TS_IR_TIME : TS_IR_RATE)};
  return a.value > 0 && a.value < 1e18 ?
           change_apply(c, name, field, a) :
           ts_arena_printf(c->arena, "`%s` is not a %s: give a quantity above 0 such as %s", text,
                           field_names[field], example(field));
}

/* Each byte is sent 1 / (1 - loss) times. */
static const char *read_loss(changer *c, const char *name, char sign, const char *text)
{
  char *end;
  double number = strtod(text, &end);
  bool percent = *end == '%';
  number = percent ? number / 100 : number;
  if (sign != '=' || end == text || end[percent] || !(number >= 0 && number <= 0.99))
    return ts_arena_printf(c->arena,
                           "`%s` is not a share from 0 to 0.99, or 0%% to 99%%, after `=`", text);
  return change_apply(c, name, LOSS, (amount){.factor = 1 - number});
}

/* Something that can be changed; else what was meant. */
static const char *no_name(changer *c, const char *name, field field, bool stated)
{
  bool *links = TS_NEW_ARRAY(c->arena, bool, c->ir->link_classes_count + 1);
  static const struct {
    const char *name;
    enum field field;
  } always[] = {{"compute", SPEED}, {"memory", BANDWIDTH}, {"host", SPEED}, {"network", LATENCY}};
  for (int i = 0; i < 4; i++)
    if (is(name, always[i].name) && field == always[i].field)
      return NULL;
  bool speed = device_named(c->ir, name) != TS_IR_NONE;
  for (uint32_t g = 0; g < c->ir->groups_count; g++)
    speed |= is(name, change_text_of(c, c->ir->groups[g].name));
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    speed |= is(name, ts_ir_collective_names[k]);
  for (uint32_t k = 0; k < c->ir->kernels_count && !speed; k++)
    speed = is(name, change_text_of(c, c->ir->kernels[k].family));
  return (field == SPEED ? speed : choose_links(c, name, links)) ?
           NULL :
           no_such(c, name, stated ? field : FIELDS);
}

/* One change: NAME[.FIELD] and `*` or `/` with a factor, or `=` with what it shall be. */
static const char *read_change(changer *c, const char *text)
{
  size_t length = strcspn(text, "*/=");
  char *name = ts_arena_string(c->arena, text, length), *end, sign = text[length];
  if (!length || !sign)
    return ts_arena_printf(
      c->arena, "`%s` is not a change: write NAME.FIELD*FACTOR or NAME.FIELD=QUANTITY", text);
  for (size_t last = length; last-- > 0 && name[last] == ' ';)
    name[last] = 0;
  text += length + 1 + strspn(text + length + 1, " ");
  char *dot = strrchr(name, '.');
  bool *links = TS_NEW_ARRAY(c->arena, bool, c->ir->link_classes_count + 1), stated = false;
  for (int f = 0; f < FIELDS && dot && !stated; f++)
    stated = is(dot + 1, field_names[f]);
  bool of_links = !stated && choose_links(c, name, links); /* their names may have dots */
  const char *wrong = stated || of_links ? NULL : no_field(c, name);
  if (wrong)
    return wrong;
  field field = is(name, "memory") || of_links ? BANDWIDTH : is(name, "network") ? LATENCY : SPEED;
  for (int f = 0; f < FIELDS && stated; f++)
    field = is(dot + 1, field_names[f]) ? (enum field)f : field;
  if (stated)
    *dot = 0;
  if ((wrong = no_name(c, name, field, stated)))
    return wrong;
  if (field == LOSS)
    return read_loss(c, name, sign, text);
  if (sign == '=')
    return read_value(c, name, field, text);
  double number = strtod(text, &end), factor = sign == '/' ? 1 / number : number;
  if (end == text || *end || !(factor >= 1e-6 && factor <= 1e6))
    return ts_arena_printf(c->arena, "`%s` is not a factor from 0.000001 to 1000000%s", text,
                           end != text && *end ? "; a quantity comes after `=`" : "");
  return change_apply(c, name, field, (amount){.factor = factor});
}

/* The comma that ends a change; those between brackets belong to it. */
static size_t change_length(const char *text)
{
  size_t length = 0;
  for (bool inside = false; text[length] && (inside || text[length] != ','); length++)
    inside = text[length] == '[' || (inside && text[length] != ']');
  return length;
}

const char *ts_change(ts_arena *arena, const ts_ir *ir, const char *text, ts_changed *out)
{
  *out = (ts_changed){.ir = *ir};
  changer c = {.arena = arena, .ir = ir, .out = &out->ir};
  const char *wrong = NULL;
  for (bool more = true; more && !wrong;) {
    size_t length = change_length(text);
    wrong = read_change(&c, ts_arena_string(arena, text, length));
    more = text[length] == ',';
    text += length + more;
  }
  if (!wrong && c.latencies)
    keep_corrections(&c);
  out->transfer = c.transfer;
  out->stays = c.stays;
  return wrong;
}
