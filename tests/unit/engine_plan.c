#include "tests/unit/engine_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/account/memory.h"
#include "runtime/report/report.h"

static void *append(plan *p, ts_ir_section_kind kind, uint32_t count)
{
  void *at;
  ts_ir_append(p->b, kind, count, &at);
  return at;
}

static ts_ir_str name(plan *p, const char *format, uint32_t number)
{
  char text[64];
  snprintf(text, sizeof text, format, number);
  return ts_ir_add_string(p->b, text);
}

static void add_array(plan *p, const char *text, uint32_t kind, uint32_t first, uint32_t count)
{
  ts_ir_array *a = append(p, TS_IR_ARRAYS, 1);
  *a = (ts_ir_array){.name = ts_ir_add_string(p->b, text),
                     .kind = kind,
                     .first = first,
                     .count = count,
                     .dims = 1,
                     .dim = {count},
                     .loc = p->loc};
}

/* Vertices: devices, a switch for each island, a leaf switch for each place in an island, a spine
 * above the leaves. */
static void add_cluster(plan *p, uint32_t island)
{
  uint32_t islands = (p->world + island - 1) / island, near = p->world, leaf = near + islands,
           spine = leaf + island;
  add_array(p, "gpu", TS_IR_DEVICE, 0, p->world);
  add_array(p, "near", TS_IR_SWITCH, near, islands);
  add_array(p, "leaf", TS_IR_SWITCH, leaf, island);
  add_array(p, "spine", TS_IR_SWITCH, spine, 1);
  ts_ir_device_class *class = append(p, TS_IR_DEVICE_CLASSES, 1);
  *class = (ts_ir_device_class){
    .name = ts_ir_add_string(p->b, "gpu"), .loc = p->loc, .memory = 1u << 30, .bandwidth = 1e12};
  ts_ir_device *d = append(p, TS_IR_DEVICES, spine + 1);
  for (uint32_t v = 0; v <= spine; v++)
    d[v] = (ts_ir_device){(v >= near) + (v >= leaf) + (v >= spine), v < near ? 0 : TS_IR_NONE, 1};
  ts_ir_link_class *k = append(p, TS_IR_LINK_CLASSES, 4);
  k[0] = (ts_ir_link_class){.name = ts_ir_add_string(p->b, "near"),
                            .tier = 0,
                            .bandwidth = 300e9,
                            .latency = 600000,
                            .loc = p->loc};
  k[1] = (ts_ir_link_class){.name = ts_ir_add_string(p->b, "far"),
                            .tier = 1,
                            .bandwidth = 25e9,
                            .latency = 1800000,
                            .loc = p->loc};
  k[2] = (ts_ir_link_class){.name = ts_ir_add_string(p->b, "up"),
                            .tier = 1,
                            .bandwidth = 25e9 * islands,
                            .latency = 400000,
                            .loc = p->loc};
  k[3] = (ts_ir_link_class){.name = ts_ir_add_string(p->b, "lame"),
                            .tier = 1,
                            .bandwidth = 3e9,
                            .latency = 9000000,
                            .loc = p->loc};
  ts_ir_link *l = append(p, TS_IR_LINKS, 2 * p->world + island);
  for (uint32_t r = 0; r < p->world; r++) {
    l[2 * r] = (ts_ir_link){r, near + r / island, 0, 1};
    l[2 * r + 1] = (ts_ir_link){r, leaf + r % island, 1, 1};
  }
  for (uint32_t g = 0; g < island; g++)
    l[2 * p->world + g] = (ts_ir_link){leaf + g, spine, 2, 1};
}

plan plan_new(uint32_t axes, const uint32_t *sizes, uint32_t pipeline, uint32_t island)
{
  plan p = {.b = ts_ir_builder_new(), .world = 1};
  ts_ir_source *source = append(&p, TS_IR_SOURCES, 1);
  *source =
    (ts_ir_source){.name = ts_ir_add_string(p.b, "test.ts"), .role = ts_ir_add_string(p.b, "plan")};
  p.loc = 0;
  *(ts_ir_loc *)append(&p, TS_IR_LOCS, 1) = (ts_ir_loc){0, 1, 1, 2};
  ts_ir_axis *a = append(&p, TS_IR_AXES, axes);
  for (uint32_t i = 0; i < axes; i++) {
    a[i] = (ts_ir_axis){.name = name(&p, "axis%u", i), .size = sizes[i], .stride = p.world};
    p.world *= sizes[i];
  }
  add_cluster(&p, island);
  const char *streams[] = {"compute", "collectives", "messages"};
  ts_ir_stream *s = append(&p, TS_IR_STREAMS, 3);
  for (uint32_t i = 0; i < 3; i++)
    s[i] = (ts_ir_stream){ts_ir_add_string(p.b, streams[i]),
                          i ? TS_IR_STREAM_COMM : TS_IR_STREAM_COMPUTE, 0, 0};
  ts_ir_meta *m = ts_ir_builder_meta(p.b);
  *m = (ts_ir_meta){.plan = ts_ir_add_string(p.b, "test"),
                    .tool = ts_ir_add_string(p.b, "test"),
                    .plan_loc = p.loc,
                    .memory_loc = TS_IR_NONE,
                    .mesh_loc = TS_IR_NONE,
                    .pipeline_axis = pipeline,
                    .world = p.world,
                    .micro_batches = 1024,
                    .peak_flops = 1e14};
  return p;
}

void plan_free(plan *p) { ts_ir_builder_free(p->b); }

void plan_slow_link(plan *p, uint32_t device)
{
  ts_ir view;
  plan_view(p, &view);
  ((ts_ir_link *)view.links)[2 * device + 1].link_class = 3;
}

void plan_slow_device(plan *p, uint32_t device, double speed)
{
  ts_ir view;
  ts_ir_builder_view(p->b, &view);
  ((ts_ir_device *)view.devices)[device].speed = speed;
}

void plan_network(plan *p, uint64_t base)
{
  ts_ir_net_model *m = append(p, TS_IR_NET_MODELS, 1);
  *m = (ts_ir_net_model){.name = ts_ir_add_string(p->b, "fixed"),
                         .collectives = (1u << TS_IR_COLLECTIVE_KINDS) - 1,
                         .tier = TS_IR_NONE,
                         .efficiency = 1,
                         .base = base,
                         .source = TS_IR_NONE,
                         .loc = p->loc};
}

void plan_flows(plan *p, uint64_t base, uint64_t hop)
{
  ts_ir_net_model *m = append(p, TS_IR_NET_MODELS, 1);
  *m = (ts_ir_net_model){.name = ts_ir_add_string(p->b, "flows"),
                         .kind = TS_IR_NET_FLOW,
                         .collectives = (1u << TS_IR_COLLECTIVE_KINDS) - 1,
                         .tier = TS_IR_NONE,
                         .efficiency = 1,
                         .base = base,
                         .hop = hop,
                         .inter_hop = hop,
                         .algorithm = TS_IR_NONE,
                         .source = TS_IR_NONE,
                         .loc = p->loc};
}

uint32_t plan_group(plan *p, uint32_t axes)
{
  return ts_ir_intern(p->b, TS_IR_GROUPS, &(ts_ir_group){.name = name(p, "group%u", axes), .axes = axes});
}

uint32_t plan_begin(plan *p, const char *text)
{
  ts_ir view;
  ts_ir_builder_view(p->b, &view);
  p->first_node = view.nodes_count;
  p->first_port = view.ports_count;
  p->nodes = p->ports = 0;
  ts_ir_fragment *f;
  p->fragment = ts_ir_append(p->b, TS_IR_FRAGMENTS, 1, (void **)&f);
  f->name = f->work = ts_ir_add_string(p->b, text);
  return p->fragment;
}

static uint32_t add_node(plan *p, uint32_t op, uint32_t stream, uint32_t arg, uint64_t host,
                         const int *deps, uint32_t phase)
{
  uint32_t list[64], count = 0;
  for (; deps && deps[count] >= 0; count++)
    list[count] = (uint32_t)deps[count];
  uint32_t first = count ? ts_ir_intern_run(p->b, TS_IR_DEPS, list, count) : 0;
  ts_ir_node *n = append(p, TS_IR_NODES, 1);
  *n = (ts_ir_node){.op = (uint8_t)op,
                    .stream = (uint8_t)stream,
                    .phase = (uint8_t)phase,
                    .arg = arg,
                    .host_ps = host,
                    .first_dep = first,
                    .dep_count = (uint16_t)count,
                    .label = name(p, "node%u", p->nodes),
                    .loc = p->loc,
                    .rule_loc = TS_IR_NONE};
  return p->nodes++;
}

uint32_t plan_compute(plan *p, uint32_t stream, uint64_t time, uint64_t host, const int *deps)
{
  ts_ir_kernel k = {.time = time,
                    .family = name(p, "family%u", (uint32_t)time % 3),
                    .dtype = ts_ir_add_string(p->b, "bf16"),
                    .basis = (uint32_t)time % TS_IR_BASES,
                    .source = TS_IR_NONE};
  return add_node(p, TS_IR_COMPUTE, stream, ts_ir_intern(p->b, TS_IR_KERNELS, &k), host, deps,
                  (uint32_t)time % 5);
}

uint32_t plan_collective(plan *p, uint32_t stream, uint32_t kind, uint32_t group, uint64_t bytes,
                         uint64_t host, const int *deps)
{
  uint32_t c = ts_ir_intern(p->b, TS_IR_COLLECTIVES, &(ts_ir_collective){kind, group, bytes});
  return add_node(p, TS_IR_COLLECTIVE, stream, c, host, deps, TS_IR_PHASE_COMMUNICATION);
}

uint32_t plan_port(plan *p, uint32_t stream, bool send, uint32_t group, uint64_t bytes,
                   uint64_t host, const int *deps)
{
  *(ts_ir_port *)append(p, TS_IR_PORTS, 1) = (ts_ir_port){bytes, group, send};
  return add_node(p, send ? TS_IR_SEND : TS_IR_RECV, stream, p->ports++, host, deps,
                  TS_IR_PHASE_COMMUNICATION);
}

uint32_t plan_host(plan *p, uint32_t op, uint64_t host, const int *deps)
{
  return add_node(p, op, 0, 0, host, deps, TS_IR_PHASE_OTHER);
}

void plan_end(plan *p)
{
  ts_ir view;
  ts_ir_builder_view(p->b, &view);
  ts_ir_fragment *f = (ts_ir_fragment *)&view.fragments[p->fragment];
  f->first_node = p->first_node;
  f->node_count = p->nodes;
  f->first_port = p->first_port;
  f->port_count = p->ports;
}

void plan_program(plan *p, const plan_item *items, uint32_t count)
{
  ts_ir view;
  ts_ir_item *list = calloc(count + 1, sizeof *list);
  ts_ir_builder_view(p->b, &view);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t ports = view.fragments[items[i].fragment].port_count;
    list[i] =
      (ts_ir_item){.fragment = items[i].fragment,
                   .micro_batch = items[i].micro_batch,
                   .first_binding =
                     ports ? ts_ir_intern_run(p->b, TS_IR_BINDINGS, items[i].bindings, ports) : 0};
  }
  void *at;
  uint32_t first = ts_ir_append(p->b, TS_IR_ITEMS, count, &at);
  if (count)
    memcpy(at, list, count * sizeof *list);
  free(list);
  ts_ir_builder_view(p->b, &view);
  uint32_t number = view.programs_count;
  ts_ir_program *program = append(p, TS_IR_PROGRAMS, 1);
  *program =
    (ts_ir_program){.name = name(p, "stage %u", number), .first_item = first, .item_count = count};
}

void plan_view(plan *p, ts_ir *ir)
{
  ts_error error = {0};
  ts_ir_builder_view(p->b, ir);
  if (ts_ir_verify(ir, &error)) {
    fprintf(stderr, "%s\n", error.message);
    abort();
  }
}

/* --- random jobs --- */

typedef struct dice { uint64_t state; } dice;

static uint32_t roll(dice *d, uint32_t sides)
{
  d->state = d->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(d->state >> 33) % sides;
}

typedef struct job {
  plan *p;
  dice *d;
  uint32_t axes, pipeline, stages;
  uint32_t groups[8], group_count; /* not over the pipeline */
  uint32_t pipe, everyone;
} job;

static const int *some_deps(job *j, int *deps)
{
  uint32_t count = j->p->nodes ? roll(j->d, 4) : 0, n = 0;
  for (uint32_t i = 0; i < count; i++)
    deps[n++] =
      (int)(roll(j->d, 3) ? j->p->nodes - 1 - roll(j->d, j->p->nodes > 4 ? 4 : j->p->nodes) :
                            roll(j->d, j->p->nodes));
  deps[n] = -1;
  return deps;
}

static void random_node(job *j)
{
  int deps[8];
  uint64_t host = roll(j->d, 3) ? roll(j->d, 20) : roll(j->d, 400);
  some_deps(j, deps);
  switch (roll(j->d, 12)) {
  case 0: plan_host(j->p, TS_IR_HOST_SYNC, host, deps); break;
  case 1: plan_host(j->p, TS_IR_HOST_WORK, host, roll(j->d, 2) ? deps : NULL); break;
  case 2: case 3: case 4:
    plan_collective(j->p, roll(j->d, 4) ? 1 : 0, roll(j->d, TS_IR_MESSAGE),
                    j->groups[roll(j->d, j->group_count)], roll(j->d, 4) * 1000, host, deps);
    break;
  case 5: plan_compute(j->p, 1 + roll(j->d, 2), roll(j->d, 300), host, deps); break;
  default: plan_compute(j->p, 0, roll(j->d, 300), host, deps); break;
  }
}

/* Backward receives from the next stage and sends to the one before. */
static uint32_t pass(job *j, const char *text, bool in, bool out)
{
  int deps[8], last[2] = {0, -1};
  uint32_t f = plan_begin(j->p, text), count = 1 + roll(j->d, 12);
  if (in)
    plan_port(j->p, roll(j->d, 3) ? 2 : 0, false, j->pipe, 500, roll(j->d, 30), NULL);
  plan_compute(j->p, 0, 1 + roll(j->d, 200), roll(j->d, 30), in ? last : NULL);
  while (count--)
    random_node(j);
  some_deps(j, deps);
  if (out)
    plan_port(j->p, roll(j->d, 3) ? 2 : 0, true, j->pipe, 500, roll(j->d, 30), deps);
  plan_end(j->p);
  return f;
}

static void random_programs(job *j)
{
  uint32_t batches = 1 + roll(j->d, 4), F[3], B[3], step;
  for (uint32_t k = 0; k < 3; k++) { /* first, middle, last stage */
    F[k] = pass(j, "F", k > 0 && j->stages > 1, k < 2 && j->stages > 1);
    B[k] = pass(j, "B", k < 2 && j->stages > 1, k > 0 && j->stages > 1);
  }
  step = plan_begin(j->p, "S");
  plan_collective(j->p, 1, TS_IR_ALL_REDUCE, j->everyone, 800, 3, NULL);
  random_node(j);
  plan_end(j->p);
  for (uint32_t s = 0; s < j->stages; s++) {
    plan_item items[16];
    uint32_t count = 0, k = s == 0 ? 0 : s + 1 == j->stages ? 2 : 1;
    for (uint32_t m = 0; m < batches; m++, count++) {
      items[count] = (plan_item){F[k], m, {{0, 0}}};
      ts_ir_binding *b = items[count].bindings;
      if (k > 0)
        *b++ = (ts_ir_binding){s - 1, 2 * m};
      if (k < 2)
        *b = (ts_ir_binding){s + 1, 2 * m};
    }
    for (uint32_t m = 0; m < batches; m++, count++) {
      items[count] = (plan_item){B[k], m, {{0, 0}}};
      ts_ir_binding *b = items[count].bindings;
      if (k < 2)
        *b++ = (ts_ir_binding){s + 1, 2 * m + 1};
      if (k > 0)
        *b = (ts_ir_binding){s - 1, 2 * m + 1};
    }
    items[count++] = (plan_item){step, TS_IR_NONE, {{0, 0}}};
    plan_program(j->p, items, count);
  }
}

plan plan_random(uint32_t seed)
{
  dice d = {seed * 2654435761u + 1};
  uint32_t axes = 1 + roll(&d, 3), sizes[PLAN_AXES], world = 1;
  for (uint32_t i = 0; i < axes; i++)
    world *= sizes[i] = 1 + roll(&d, 4);
  uint32_t pipeline = roll(&d, 4) ? roll(&d, axes) : TS_IR_NONE;
  plan p = plan_new(axes, sizes, pipeline, 1 + roll(&d, 4));
  job j = {.p = &p,
           .d = &d,
           .axes = axes,
           .pipeline = pipeline,
           .stages = pipeline == TS_IR_NONE ? 1 : sizes[pipeline]};
  uint32_t others = ((1u << axes) - 1) & ~(pipeline == TS_IR_NONE ? 0 : 1u << pipeline);
  for (uint32_t mask = 0; mask < 1u << axes && j.group_count < 8; mask++)
    if (!(mask & ~others))
      j.groups[j.group_count++] = plan_group(&p, mask);
  j.pipe = pipeline == TS_IR_NONE ? TS_IR_NONE : plan_group(&p, 1u << pipeline);
  j.everyone = plan_group(&p, (1u << axes) - 1);
  if (roll(&d, 2))
    plan_network(&p, 100);
  for (uint32_t slow = roll(&d, 3); slow > 0; slow--)
    plan_slow_device(&p, roll(&d, world), 0.5 + 0.25 * roll(&d, 3));
  random_programs(&j);
  return p;
}

char *plan_report(const ts_ir *ir, const ts_run *run)
{
  ts_arena *arena = ts_arena_new("report");
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_report_json(ts_summary_new(arena, ir, run, ts_memory_new(arena, ir, run), NULL), out);
  fclose(out);
  ts_arena_free(arena);
  return text;
}
