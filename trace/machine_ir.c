/* The machine of an IR: made of numbers, or taken from the IR of a plan. */
#include "trace/machine_ir.h"

#include <string.h>

static void put(ts_ir_builder *b, ts_ir_section_kind kind, const void *record)
{
  ts_ir_append_copies(b, kind, record, 1);
}

void ts_machine_put(ts_ir_builder *b, const ts_graph_machine *machine, uint32_t world)
{
  put(b, TS_IR_ARRAYS,
      &(ts_ir_array){.name = ts_ir_add_string(b, "device"),
                     .kind = TS_IR_DEVICE,
                     .count = world,
                     .dims = 1,
                     .dim = {world},
                     .loc = TS_IR_NONE});
  put(b, TS_IR_DEVICE_CLASSES,
      &(ts_ir_device_class){.name = ts_ir_add_string(b, "traced"),
                            .loc = TS_IR_NONE,
                            .bandwidth = machine ? machine->bandwidth : 1});
  for (uint32_t r = 0; r < world; r++)
    put(b, TS_IR_DEVICES, &(ts_ir_device){.speed = 1});
  if (!machine || world < 2)
    return;
  put(b, TS_IR_ARRAYS,
      &(ts_ir_array){.name = ts_ir_add_string(b, "switch"),
                     .kind = TS_IR_SWITCH,
                     .first = world,
                     .count = 1,
                     .loc = TS_IR_NONE});
  put(b, TS_IR_DEVICES, &(ts_ir_device){.array = 1, .device_class = TS_IR_NONE, .speed = 1});
  uint64_t latency = (uint64_t)(machine->latency * 1e12);
  put(b, TS_IR_LINK_CLASSES,
      &(ts_ir_link_class){.name = ts_ir_add_string(b, "link"),
                          .bandwidth = machine->link,
                          .latency = latency / 2,
                          .loc = TS_IR_NONE});
  for (uint32_t r = 0; r < world; r++)
    put(b, TS_IR_LINKS, &(ts_ir_link){.from = r, .to = world, .duplex = 1});
  put(b, TS_IR_NET_MODELS,
      &(ts_ir_net_model){.name = ts_ir_add_string(b, "ring"),
                         .kind = TS_IR_NET_ALPHA_BETA,
                         .collectives = (1u << TS_IR_COLLECTIVE_KINDS) - 1,
                         .tier = TS_IR_NONE,
                         .efficiency = 1,
                         .hop = latency,
                         .source = TS_IR_NONE,
                         .loc = TS_IR_NONE});
}

/* ---- Of a plan ---- */

typedef struct copier {
  ts_ir_builder *b;
  const ts_ir *from;
  uint32_t sources; /* of costs, before those of the plan */
} copier;

static ts_ir_str text_of(const copier *c, ts_ir_str string)
{
  return ts_ir_add_string(c->b, c->from->strings + string);
}

/* A copy of a whole table, behind what is there. */
static void *copy(const copier *c, ts_ir_section_kind kind, const void *records, size_t size,
                  uint32_t count)
{
  void *at = NULL;
  ts_ir_append(c->b, kind, count, &at);
  if (count)
    memcpy(at, records, size * count);
  return at;
}
#define COPY(c, KIND, records)                                                                     \
  copy(c, TS_IR_##KIND, (c)->from->records, sizeof *(c)->from->records, (c)->from->records##_count)

static void copy_devices(const copier *c, uint32_t world)
{
  const ts_ir *p = c->from;
  ts_ir_array *arrays = COPY(c, ARRAYS, arrays);
  for (uint32_t i = 0; i < p->arrays_count; i++) {
    arrays[i].name = text_of(c, arrays[i].name);
    arrays[i].loc = TS_IR_NONE;
  }
  ts_ir_device_class *classes = COPY(c, DEVICE_CLASSES, device_classes);
  for (uint32_t i = 0; i < p->device_classes_count; i++) {
    classes[i].name = text_of(c, classes[i].name);
    classes[i].loc = TS_IR_NONE;
  }
  COPY(c, DEVICES, devices);
  ts_ir_link_class *links = COPY(c, LINK_CLASSES, link_classes);
  for (uint32_t i = 0; i < p->link_classes_count; i++) {
    links[i].name = text_of(c, links[i].name);
    links[i].loc = TS_IR_NONE;
  }
  COPY(c, LINKS, links);
  if (p->placement_count == world)
    COPY(c, PLACEMENT, placement);
}

static void copy_sources(const copier *c)
{
  ts_ir_cost_source *sources = COPY(c, COST_SOURCES, cost_sources);
  for (uint32_t i = 0; i < c->from->cost_sources_count; i++) {
    sources[i].name = text_of(c, sources[i].name);
    sources[i].kind = text_of(c, sources[i].kind);
    sources[i].device = text_of(c, sources[i].device);
    sources[i].loc = TS_IR_NONE;
  }
  ts_ir_calibration *found = COPY(c, CALIBRATIONS, calibrations);
  for (uint32_t i = 0; i < c->from->calibrations_count; i++) {
    found[i].name = text_of(c, found[i].name);
    found[i].families = text_of(c, found[i].families);
    found[i].formats = text_of(c, found[i].formats);
    found[i].source += c->sources;
  }
}

/* The axes of the same names; false: one has none. */
static bool same_axes(const ts_ir *from, const ts_ir *to, uint32_t axes, uint32_t *found)
{
  *found = 0;
  for (uint32_t a = 0; a < from->axes_count; a++) {
    uint32_t same = 0;
    if (!(axes >> a & 1))
      continue;
    while (same < to->axes_count &&
           strcmp(from->strings + from->axes[a].name, to->strings + to->axes[same].name) != 0)
      same++;
    if (same == to->axes_count)
      return false;
    *found |= 1u << same;
  }
  return true;
}

static void copy_networks(const copier *c)
{
  ts_ir made;
  ts_ir_builder_view(c->b, &made);
  for (uint32_t i = 0; i < c->from->net_models_count; i++) {
    ts_ir_net_model m = c->from->net_models[i];
    if (!same_axes(c->from, &made, m.axes, &m.axes))
      continue;
    m.name = text_of(c, m.name);
    m.loc = TS_IR_NONE;
    m.source = m.source == TS_IR_NONE ? TS_IR_NONE : m.source + c->sources;
    put(c->b, TS_IR_NET_MODELS, &m);
    ts_ir_builder_view(c->b, &made);
  }
  COPY(c, NET_POINTS, net_points);
  COPY(c, NET_METHODS, net_methods);
  COPY(c, NET_CURVES, net_curves);
}

bool ts_machine_copy(ts_ir_builder *b, const ts_ir *plan, uint32_t world, ts_error *error)
{
  ts_ir made;
  uint32_t devices = 0;
  ts_ir_builder_view(b, &made);
  for (uint32_t v = 0; v < plan->devices_count; v++)
    devices += plan->devices[v].device_class != TS_IR_NONE;
  if (devices < world)
    return ts_fail(error, "give the plan a larger cluster",
                   "the cluster of plan `%s` has %u devices for %u ranks",
                   plan->strings + plan->meta->plan, devices, world);
  copier c = {b, plan, made.cost_sources_count};
  copy_devices(&c, world);
  copy_sources(&c);
  copy_networks(&c);
  ts_ir_builder_meta(b)->cluster = text_of(&c, plan->meta->cluster);
  return true;
}
