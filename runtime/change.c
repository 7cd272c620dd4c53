#include "runtime/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/text.h"
#include "runtime/collective/white_box.h"

typedef enum field { SPEED, BANDWIDTH, LATENCY, LOSS, FIELDS } field;
static const char *const field_names[FIELDS] = {"speed", "bandwidth", "latency", "loss"};

typedef struct changer {
  ts_arena *arena;
  const ts_ir *ir;   /* before */
  ts_ir *out;
  double *transfer;
} changer;

/* A table of the copy that may be written. */
static void *own(changer *c, const void **table, size_t size, uint32_t count)
{
  void *copy = ts_arena_copy(c->arena, *table, size * count);
  *table = copy;
  return copy;
}
#define OWN(c, type, name) ((type *)own((c), (const void **)&(c)->out->name, sizeof(type), (c)->out->name##_count))

static uint64_t scaled(uint64_t time, double factor)
{
  double value = (double)time * factor;
  return value < 0x1p62 ? (uint64_t)llround(value) : UINT64_C(1) << 62;
}

static const char *text_of(const changer *c, ts_ir_str string) { return c->ir->strings + string; }

/* ---- What is changed ---- */

static void change_kernels(changer *c, double factor)
{
  ts_ir_kernel *k = OWN(c, ts_ir_kernel, kernels);
  for (uint32_t i = 0; i < c->out->kernels_count; i++)
    k[i].time = scaled(k[i].time, 1 / factor);
}

/* Of each kernel the share that memory bounds; devices with the most bandwidth count where there are several. */
static void change_memory(changer *c, double factor)
{
  double bandwidth = 0;
  for (uint32_t i = 0; i < c->ir->device_classes_count; i++)
    bandwidth = fmax(bandwidth, c->out->device_classes[i].bandwidth);
  ts_ir_kernel *k = OWN(c, ts_ir_kernel, kernels);
  for (uint32_t i = 0; i < c->out->kernels_count; i++) {
    double share = bandwidth > 0 && k[i].time ? fmin(1, k[i].bytes / ((double)k[i].time * 1e-12 * bandwidth)) : 0;
    k[i].time = scaled(k[i].time, 1 - share + share / factor);
  }
  ts_ir_device_class *d = OWN(c, ts_ir_device_class, device_classes);
  for (uint32_t i = 0; i < c->out->device_classes_count; i++)
    d[i].bandwidth *= factor;
}

static void change_host(changer *c, double factor)
{
  ts_ir_node *n = OWN(c, ts_ir_node, nodes);
  for (uint32_t i = 0; i < c->out->nodes_count; i++)
    n[i].host_ps = scaled(n[i].host_ps, 1 / factor);
}

static void change_latency(changer *c, double factor)
{
  ts_ir_link_class *l = OWN(c, ts_ir_link_class, link_classes);
  ts_ir_net_model *m = OWN(c, ts_ir_net_model, net_models);
  ts_ir_net_method *w = OWN(c, ts_ir_net_method, net_methods);
  for (uint32_t i = 0; i < c->out->link_classes_count; i++)
    l[i].latency = scaled(l[i].latency, factor);
  for (uint32_t i = 0; i < c->out->net_models_count; i++) {
    m[i].base = scaled(m[i].base, factor);
    m[i].hop = scaled(m[i].hop, factor);
  }
  for (uint32_t i = 0; i < c->out->net_methods_count; i++) {
    w[i].connection = scaled(w[i].connection, factor);
    w[i].intra_hop = scaled(w[i].intra_hop, factor);
    w[i].inter_hop = scaled(w[i].inter_hop, factor);
  }
}

static bool same_group(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
  return a->collective == b->collective && a->ranks == b->ranks && a->islands == b->islands;
}

/* What was measured inside islands (inner) or between them. */
static void change_measured(changer *c, bool inner, double factor)
{
  ts_ir_net_method *w = OWN(c, ts_ir_net_method, net_methods);
  for (uint32_t i = 0; i < c->out->net_methods_count; i++)
    *(inner ? &w[i].intra_rate : &w[i].inter_rate) *= factor;
  ts_ir_net_point *p = OWN(c, ts_ir_net_point, net_points);
  for (uint32_t m = 0; m < c->out->net_models_count; m++) {
    const ts_ir_net_model *model = &c->out->net_models[m];
    const ts_ir_net_point *at = p + model->first_point; /* as changes before this one left them */
    uint64_t least = 0;
    for (uint32_t i = 0; i < model->point_count && model->kind == TS_IR_NET_TABLE; i++) {
      if (!i || !same_group(&at[i], &at[i - 1])) {
        least = at[i].time;
        for (uint32_t k = i; k < model->point_count && same_group(&at[k], &at[i]); k++)
          least = at[k].time < least ? at[k].time : least;
      }
      if ((at[i].islands <= 1) == inner)
        p[model->first_point + i].time = least + scaled(at[i].time - least, 1 / factor);
    }
  }
}

typedef struct amount { double factor, value; } amount; /* value: in its place, what it shall be, bytes/s or ps; 0: none is given */

static double factor_of(const amount *a, double now) { return a->value > 0 && now > 0 ? a->value / now : a->factor; }

/* The classes of links that `chosen` says; what was measured goes with the slowest class of its tier. */
static void change_links(changer *c, const bool *chosen, field field, const amount *a)
{
  ts_ir_link_class *l = OWN(c, ts_ir_link_class, link_classes);
  uint32_t slowest[2] = {TS_IR_NONE, TS_IR_NONE}; /* inside islands, between them */
  for (uint32_t i = 0; i < c->ir->link_classes_count; i++) {
    uint32_t *s = &slowest[c->ir->link_classes[i].tier > 0];
    if (*s == TS_IR_NONE || c->ir->link_classes[i].bandwidth < c->ir->link_classes[*s].bandwidth)
      *s = i;
    if (chosen[i] && field == LATENCY)
      l[i].latency = a->value > 0 ? (uint64_t)(a->value + 0.5) : scaled(l[i].latency, a->factor);
    else if (chosen[i])
      l[i].bandwidth *= factor_of(a, l[i].bandwidth);
  }
  for (int outer = 0; outer < 2 && field == BANDWIDTH; outer++)
    if (slowest[outer] != TS_IR_NONE && chosen[slowest[outer]])
      change_measured(c, !outer, factor_of(a, c->ir->link_classes[slowest[outer]].bandwidth));
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
    uint32_t of = i < calls ? ir->collectives[i].group : ir->ports[i - calls].group, is = i < calls ? ir->collectives[i].kind : TS_IR_MESSAGE;
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
    if (array->kind != TS_IR_DEVICE || strlen(text) != (size_t)(bracket - name) || memcmp(text, name, strlen(text)) != 0)
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
    return *at == ']' && !at[1] && (given == 1 || given == array->dims) && place < array->count ? array->first + (uint32_t)place : TS_IR_NONE;
  }
  return TS_IR_NONE;
}

/* ---- What was calibrated ---- */

/* The slowest class of links of a tier: bytes/s; 0: there is none. */
static double slowest_rate(const ts_ir *ir, bool inner)
{
  double rate = 0;
  for (uint32_t i = 0; i < ir->link_classes_count; i++)
    if ((ir->link_classes[i].tier == 0) == inner && (rate == 0 || ir->link_classes[i].bandwidth < rate))
      rate = ir->link_classes[i].bandwidth;
  return rate;
}

/* What a white box says about the call of an anchor by itself; 0: nothing. */
static double plain_time(ts_arena *arena, const ts_ir *ir, const ts_ir_net_model *model, const ts_ir_net_point *p)
{
  ts_ir_net_model plain = *model;
  uint32_t islands = p->islands ? p->islands : 1;
  ts_profile profile = {.ranks = p->ranks, .islands = islands, .per_island = p->ranks / islands, .tier = islands > 1, .intra = slowest_rate(ir, true),
                        .inter = islands > 1 ? slowest_rate(ir, false) * (p->ranks / islands) : 0};
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
    for (uint32_t i = model->first_point; i < model->first_point + model->point_count && model->kind == TS_IR_NET_WHITE_BOX; i++) {
      double before = plain_time(scratch, c->ir, model, &c->ir->net_points[i]), after = plain_time(scratch, c->out, &c->out->net_models[m], &c->ir->net_points[i]);
      if (before == after || !(before > 0 && after > 0))
        continue;
      p = p ? p : OWN(c, ts_ir_net_point, net_points);
      p[i].time = scaled(c->ir->net_points[i].time, after / before);
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
    bool device = ir->devices[l->from].device_class != TS_IR_NONE || ir->devices[l->to].device_class != TS_IR_NONE;
    if (device && ir->link_classes[l->link_class].tier > 0)
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
    chosen[i] = by_tier ? c->ir->link_classes[i].tier == tier : is(name, text_of(c, c->ir->link_classes[i].name));
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
  return near ? ts_arena_printf(c->arena, "`%s` has no field `%s`: did you mean `%s.%s`?", what, dot + 1, what, best[0])
              : ts_arena_printf(c->arena, "`%s` has no field `%s`; fields are speed, bandwidth, latency and loss", what, dot + 1);
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
    TS_PUSH(c->arena, &names, text_of(c, ir->link_classes[i].name));
  for (uint32_t i = 0; i < ir->groups_count; i++)
    TS_PUSH(c->arena, &names, text_of(c, ir->groups[i].name));
  char *list = ts_arena_printf(c->arena, "nothing called `%s` has a %s here; there are", name, field_names[field]);
  for (size_t i = 0; i < names.count; i++)
    list = ts_arena_printf(c->arena, "%s%s %s", list, i ? "," : "", names.at[i]);
  if (ts_suggest(name, names.at, names.count, best))
    list = ts_arena_printf(c->arena, "%s; did you mean `%s`?", list, best[0]);
  return list;
}

static const char *apply(changer *c, const char *name, field field, amount amount)
{
  bool *chosen = TS_NEW_ARRAY(c->arena, bool, c->ir->link_classes_count + 1);
  double factor = amount.factor;
  if (amount.value > 0 && (field == SPEED || is(name, "memory") || is(name, "network")))
    return ts_arena_printf(c->arena, "`%s.%s` takes a factor; bandwidths and latencies of links take quantities", name, field_names[field]);
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
    change_links(c, chosen, field == LOSS ? BANDWIDTH : field, &amount);
  } else {
    uint32_t vertex = device_named(c->ir, name);
    if (vertex != TS_IR_NONE) {
      OWN(c, ts_ir_device, devices)[vertex].speed *= factor;
      return NULL;
    }
    for (uint32_t g = 0; g < c->ir->groups_count; g++)
      if (is(name, text_of(c, c->ir->groups[g].name)) && change_traffic(c, g, TS_IR_NONE, factor))
        return NULL;
    for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
      if (is(name, ts_ir_collective_words[k]) && change_traffic(c, TS_IR_NONE, k, factor))
        return NULL;
    return no_such(c, name, field);
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

/* One change: NAME[.FIELD] OPERATOR NUMBER, or NAME.FIELD = QUANTITY. */
static const char *read_change(changer *c, const char *text)
{
  size_t length = strcspn(text, "*/=");
  char *name = ts_arena_string(c->arena, text, length), *end;
  if (!length || !text[length])
    return ts_arena_printf(c->arena, "`%s` is no change: NAME.FIELD*FACTOR, or NAME.FIELD=QUANTITY", text);
  for (size_t last = length; last-- > 0 && name[last] == ' ';)
    name[last] = 0;
  double number = strtod(text + length + 1, &end), factor = text[length] == '/' ? 1 / number : number;
  size_t named = strlen(name);
  if (named > 5 && is(name + named - 5, ".loss")) { /* each byte is sent 1 / (1 - loss) times */
    number = *end == '%' ? number / 100 : number;
    if (text[length] != '=' || end == text + length + 1 || end[*end == '%'] || !(number >= 0 && number <= 0.99))
      return ts_arena_printf(c->arena, "`%s` is no share from 0 to 0.99, or 0%% to 99%%, behind `=`", text + length + 1);
    name[named - 5] = 0;
    return apply(c, name, LOSS, (amount){.factor = 1 - number});
  }
  char *dot = strrchr(name, '.');
  bool *links = TS_NEW_ARRAY(c->arena, bool, c->ir->link_classes_count + 1);
  field field = is(name, "memory") || (!dot && choose_links(c, name, links)) ? BANDWIDTH : is(name, "network") ? LATENCY : SPEED;
  bool stated = false;
  for (int f = 0; f < FIELDS && dot && !stated; f++)
    if ((stated = is(dot + 1, field_names[f]))) {
      field = (enum field)f;
      *dot = 0;
    }
  if (text[length] == '=' && field != SPEED && end != text + length + 1 && *end) {
    amount a = {1, quantity(number, end, field == LATENCY ? TS_IR_TIME : TS_IR_RATE)};
    return a.value > 0 && a.value < 1e18 ? apply(c, name, field, a)
                       : ts_arena_printf(c->arena, "`%s` is no %s: give a factor, or a quantity above 0 such as %s", text + length + 1, field_names[field], field == LATENCY ? "2us" : "800Gb/s");
  }
  const char *misspelt = stated ? NULL : no_field(c, name);
  if (misspelt)
    return misspelt;
  if (end == text + length + 1 || *end || !(factor >= 1e-6 && factor <= 1e6))
    return ts_arena_printf(c->arena, "`%s` is no factor from 0.000001 to 1000000", text + length + 1);
  return apply(c, name, field, (amount){.factor = factor});
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
  changer c = {arena, ir, &out->ir, NULL};
  const char *wrong = NULL;
  for (bool more = true; more && !wrong;) {
    size_t length = change_length(text);
    wrong = read_change(&c, ts_arena_string(arena, text, length));
    more = text[length] == ',';
    text += length + more;
  }
  if (!wrong)
    keep_corrections(&c);
  out->transfer = c.transfer;
  return wrong;
}
