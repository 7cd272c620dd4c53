#include "runtime/account/link_use.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "runtime/account/program_calls.h"
#include "runtime/collective/packet_model.h"

typedef struct use_sum {
  const ts_prepared *p;
  const ts_facts *facts;
  const ts_program_calls *programs;
  ts_arena *scratch;
  double *bytes;            /* [2 * links] */
  ts_packet_use *packets;   /* [2 * links] */
  bool any, any_packets;
  double steady;            /* of models of packets, the most */
  ts_arena *patterns;       /* of the group or path looked at */
  ts_flow_pattern **known;  /* [(models + 1) * shapes] of its instances */
  ts_flow_maker *plain;     /* of calls that no model plays as connections; NULL: not counted */
  double counted, assumed;  /* bytes on links, and those of them that are plain calls' */
} use_sum;

/* Rings over the shortest paths, for calls of models that do not say how they go. Its number is the
 * one after the last model. */
static const ts_ir_net_model plain_model = {.kind = TS_IR_NET_FLOW,
                                            .collectives = UINT32_MAX,
                                            .tier = TS_IR_NONE,
                                            .efficiency = 1,
                                            .routing = TS_IR_ROUTE_RAIL,
                                            .algorithm = TS_IR_NET_RING};

/* ---- Patterns ---- */

static const ts_ir_net_model *model_of(const use_sum *u, uint32_t model)
{
  const ts_ir *ir = u->p->tables->ir;
  return model < ir->net_models_count ? &ir->net_models[model] : &plain_model;
}

static ts_flow_maker *maker_of(const use_sum *u, uint32_t model)
{
  bool plain = model >= u->p->tables->ir->net_models_count;
  return plain ? u->plain : ts_network_maker(u->p->network, model);
}

static const ts_flow_pattern *patterns_of(use_sum *u, const ts_rank_group *g,
                                          const ts_flow_call *call)
{
  ts_flow_pattern **known = &u->known[call->model * TS_FLOW_SHAPES + call->shape];
  if (*known)
    return *known;
  *known = TS_NEW_ARRAY(u->patterns, ts_flow_pattern, g->instances);
  uint32_t *vertex = TS_NEW_ARRAY(u->patterns, uint32_t, g->size), pair[2];
  for (uint32_t i = 0; i < g->instances; i++) {
    for (uint32_t j = 0; j < g->size; j++)
      vertex[j] = u->p->tables->ranks->vertex[ts_instance_ranks(g, i)[j]];
    if (!ts_flow_pattern_make(maker_of(u, call->model), u->patterns, call->shape, vertex, g->size,
                              &(*known)[i], pair))
      (*known)[i] = (ts_flow_pattern){0};
  }
  return *known;
}

static void forget_patterns(use_sum *u)
{
  size_t shapes = ((size_t)u->p->tables->ir->net_models_count + 1) * TS_FLOW_SHAPES;
  ts_arena_reset(u->patterns);
  memset(u->known, 0, shapes * sizeof *u->known);
}

/* ---- Sums ---- */

/* `bytes`: of each connection. */
static void add_pattern(use_sum *u, const ts_flow_pattern *pattern, uint32_t model, double bytes)
{
  double before = u->counted;
  u->any = true;
  for (uint32_t i = 0; i < pattern->count; i++) {
    const ts_flow_part *part = &pattern->parts[i];
    for (uint32_t k = 0; k < part->count; k++) {
      u->bytes[part->uses[k].link] += bytes * part->uses[k].connections;
      u->counted += bytes * part->uses[k].connections;
    }
    for (uint32_t k = 0; k < part->circuit_count; k++) {
      u->bytes[part->circuits[k].in] += bytes * part->circuits[k].connections;
      u->bytes[part->circuits[k].out] += bytes * part->circuits[k].connections;
    }
  }
  if (model_of(u, model) == &plain_model)
    u->assumed += u->counted - before;
}

static bool plain_flows(const use_sum *u, uint32_t kind, uint64_t bytes, uint32_t ranks,
                        ts_flow_call *call)
{
  if (!u->plain)
    return false;
  uint32_t shapes = ts_flow_shapes_of(kind, &plain_model), shape = 0;
  while (!(shapes >> shape & 1))
    shape++;
  *call = (ts_flow_call){.model = u->p->tables->ir->net_models_count,
                         .shape = (ts_flow_shape)shape};
  call->volume = ts_flow_volume(call->shape, kind, ranks) * (double)bytes;
  return true;
}

/* As ts_network_flows has it, but for what measured steps said of its time. */
static bool flows_of(const use_sum *u, uint32_t kind, uint64_t bytes, uint32_t profile,
                     uint32_t ranks, ts_flow_call *call)
{
  if (!ts_network_flows(u->p->network, kind, bytes, profile, call))
    return plain_flows(u, kind, bytes, ranks, call);
  call->volume = ts_flow_volume(call->shape, kind, ranks) * (double)bytes /
                 model_of(u, call->model)->efficiency;
  return true;
}

/* Calls that models of packets answered: they were played together, or each by itself. */
static void add_packets(use_sum *u, const ts_flow_pattern *patterns, uint32_t count,
                        const ts_flow_call *call, const uint64_t *calls)
{
  u->any = u->any_packets = true;
  u->steady = fmax(u->steady, model_of(u, call->model)->packets.steady);
  if (!u->facts->packets || memcmp(&model_of(u, call->model)->packets, u->facts->packets_with,
                                   sizeof *u->facts->packets_with) != 0)
    ts_network_add_packets(u->p->network, call, patterns, count, calls, u->packets);
}

static void add_collective(use_sum *u, const ts_rank_group *g, uint32_t number)
{
  const ts_tables *t = u->p->tables;
  const ts_ir_collective *c = &t->ir->collectives[number];
  uint64_t *calls = TS_NEW_ARRAY(u->patterns, uint64_t, g->instances);
  ts_flow_call call = {0}, one;
  bool packets = false;
  for (uint32_t i = 0; i < g->instances; i++) {
    uint64_t n = u->programs[t->ranks->program[*ts_instance_ranks(g, i)]].collectives[number];
    const ts_role *role = &u->p->roles->at[u->p->roles->of[*ts_instance_ranks(g, i)]];
    if (!n || !flows_of(u, c->kind, c->bytes, role->group_profile[c->group], g->size, &one))
      continue;
    const ts_ir_net_model *model = model_of(u, one.model);
    const ts_flow_pattern *pattern = &patterns_of(u, g, &one)[i];
    if (model->kind == TS_IR_NET_FLOW) {
      add_pattern(u, pattern, one.model,
                  (double)n * one.volume * model->efficiency * pattern->share);
    } else {
      calls[i] = n;
      call = one;
      packets = true;
    }
  }
  if (packets)
    add_packets(u, patterns_of(u, g, &call), g->instances, &call, calls);
}

static void add_message(use_sum *u, uint32_t rank, const ts_program_info *program, uint32_t call,
                        uint64_t times)
{
  const ts_tables *t = u->p->tables;
  const ts_role *role = &u->p->roles->at[u->p->roles->of[rank]];
  const ts_port_call *port = &program->calls[call];
  uint32_t to = ts_peer_rank(t->ranks, rank, program->peers[port->peer].coordinate);
  uint64_t bytes = t->ir->ports[port->port].bytes;
  ts_flow_call flows;
  ts_flow_pattern pattern;
  if (!times || to == rank ||
      !flows_of(u, TS_IR_MESSAGE, bytes, role->peer_profile[port->peer], 2, &flows) ||
      !ts_flow_pattern_message(maker_of(u, flows.model), u->patterns,
                               t->ranks->vertex[rank], t->ranks->vertex[to], &pattern))
    return;
  if (model_of(u, flows.model)->kind == TS_IR_NET_FLOW)
    add_pattern(u, &pattern, flows.model, (double)times * (double)bytes * pattern.share);
  else
    add_packets(u, &pattern, 1, &flows, &times);
}

static void add_all(use_sum *u)
{
  const ts_tables *t = u->p->tables;
  for (uint32_t g = 0; g < t->ranks->group_count; g++) {
    const ts_rank_group *group = &t->ranks->groups[g];
    for (uint32_t c = 0; group->used && group->size > 1 && c < t->ir->collectives_count; c++)
      if (t->ir->collectives[c].group == g)
        add_collective(u, group, c);
    forget_patterns(u);
  }
  for (uint32_t r = 0; r < t->ranks->world; r++) {
    const ts_program_info *program = &t->programs[t->ranks->program[r]];
    for (uint32_t i = 0; i < program->call_count; i++)
      add_message(u, r, program, i, u->programs[t->ranks->program[r]].messages[i]);
    forget_patterns(u);
  }
}

/* ---- What reports show ---- */

static uint64_t link_use_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void add_tier(ts_tier_use *tier, const ts_link_use *link)
{
  tier->links++;
  tier->used += link->bytes > 0;
  tier->bytes += link->bytes;
  tier->most = link->share > tier->most ? link->share : tier->most;
  tier->packets += link->packets.packets;
  tier->skipped += link->packets.skipped;
  tier->marked += link->packets.marked;
  tier->lost += link->packets.lost;
  tier->most_waiting = link_use_larger(tier->most_waiting, link->packets.most_waiting);
  tier->paused = link_use_larger(tier->paused, link->packets.paused);
}

static int by_share(const void *left, const void *right)
{
  const ts_link_use *a = left, *b = right;
  return a->share != b->share ? (a->share < b->share ? 1 : -1) : ts_by_number(a->link, b->link);
}

static void keep_busiest(ts_link_use *busiest, uint32_t *count, ts_link_use link)
{
  uint32_t place = *count;
  while (place && by_share(&busiest[place - 1], &link) > 0)
    place--;
  if (place == TS_BUSIEST_LINKS)
    return;
  *count += *count < TS_BUSIEST_LINKS;
  memmove(&busiest[place + 1], &busiest[place], (*count - 1 - place) * sizeof *busiest);
  busiest[place] = link;
}

static ts_link_uses link_use_sum_up(const use_sum *u, ts_arena *arena)
{
  const ts_ir *ir = u->p->tables->ir;
  double seconds = (double)u->facts->end * 1e-12;
  uint32_t tiers = 0;
  for (uint32_t c = 0; c < ir->link_classes_count; c++)
    tiers = ir->link_classes[c].tier >= tiers ? ir->link_classes[c].tier + 1 : tiers;
  ts_tier_use *tier = TS_NEW_ARRAY(arena, ts_tier_use, tiers);
  double *rate = TS_NEW_ARRAY(u->scratch, double, tiers);
  ts_link_use *busiest = TS_NEW_ARRAY(arena, ts_link_use, TS_BUSIEST_LINKS + 1);
  uint32_t count = 0, remaining = 0;
  for (uint32_t l = 0; l < 2 * ir->links_count; l++) {
    const ts_ir_link_class *class = &ir->link_classes[ir->links[l / 2].link_class];
    ts_link_use use = {l, u->bytes[l] + (double)u->packets[l].bytes, 0, u->packets[l]};
    use.share = seconds > 0 ? use.bytes / (ts_ir_link_rate(class) * seconds) : 0;
    add_tier(&tier[class->tier], &use);
    rate[class->tier] += ts_ir_link_rate(class);
    if (use.bytes > 0)
      keep_busiest(busiest, &count, use);
  }
  for (uint32_t k = 0; k < tiers; k++) {
    tier[k].tier = k;
    tier[k].mean = seconds > 0 && rate[k] > 0 ? tier[k].bytes / (rate[k] * seconds) : 0;
    if (tier[k].links)
      tier[remaining++] = tier[k];
  }
  bool skipped = false;
  for (uint32_t k = 0; k < remaining; k++)
    skipped |= tier[k].skipped > 0;
  return (ts_link_uses){remaining, tier, count, busiest, u->any_packets, skipped ? u->steady : 0};
}

/* Adds up what every call moves. `plain`: also those that no model plays as connections. */
static use_sum *sum_of_links(const ts_prepared *p, const ts_facts *facts, bool plain)
{
  const ts_ir *ir = p->tables->ir;
  ts_arena *scratch = ts_arena_new("use of links");
  use_sum *u = TS_NEW(scratch, use_sum);
  *u = (use_sum){
    .p = p, .facts = facts, .scratch = scratch, .patterns = ts_arena_new("patterns")};
  u->programs = ts_program_calls_of(p->tables, scratch);
  u->bytes = TS_NEW_ARRAY(scratch, double, 2 * (size_t)ir->links_count);
  u->packets = TS_NEW_ARRAY(scratch, ts_packet_use, 2 * (size_t)ir->links_count);
  u->known = TS_NEW_ARRAY(scratch, ts_flow_pattern *,
                          ((size_t)ir->net_models_count + 1) * TS_FLOW_SHAPES);
  if (plain)
    u->plain = ts_flow_maker_new(scratch, ir, ts_graph_new(scratch, ir), &plain_model);
  if (facts->packets)
    memcpy(u->packets, facts->packets, 2 * (size_t)ir->links_count * sizeof *u->packets);
  add_all(u);
  return u;
}

static void end_sum(use_sum *u)
{
  ts_arena_free(u->patterns);
  ts_arena_free(u->scratch);
}

ts_link_uses ts_link_uses_of(ts_arena *arena, const ts_prepared *p, const ts_facts *facts,
                             double *bytes)
{
  const ts_ir *ir = p->tables->ir;
  bool connections = false;
  for (uint32_t m = 0; m < ir->net_models_count; m++)
    connections |=
      ir->net_models[m].kind == TS_IR_NET_FLOW || ir->net_models[m].kind == TS_IR_NET_PACKET;
  if (!connections || !p->tables->ranks->vertex)
    return (ts_link_uses){0};
  use_sum *u = sum_of_links(p, facts, false);
  ts_link_uses uses = u->any ? link_use_sum_up(u, arena) : (ts_link_uses){0};
  for (uint32_t l = 0; bytes && l < 2 * ir->links_count; l++)
    bytes[l] = u->bytes[l] + (double)u->packets[l].bytes;
  end_sum(u);
  return uses;
}

/* Connections that the groups' calls open, at most: each to each of some calls, rings of others. */
static double connections_of(const ts_tables *t)
{
  double count = t->ranks->world;
  for (uint32_t c = 0; c < t->ir->collectives_count; c++) {
    const ts_rank_group *g = &t->ranks->groups[t->ir->collectives[c].group];
    double pairs = (double)g->size * g->size, rings = 16. * g->size;
    if (g->used)
      count += g->instances * (t->ir->collectives[c].kind == TS_IR_ALL_TO_ALL ? pairs : rings);
  }
  return count;
}

ts_link_loads ts_link_loads_of(ts_arena *arena, const ts_prepared *p, const ts_facts *facts)
{
  enum { MOST_CONNECTIONS = 4000000 }; /* about a second */
  const ts_ir *ir = p->tables->ir;
  double seconds = (double)facts->end * 1e-12;
  if (!ir->links_count || !p->tables->ranks->vertex || !(seconds > 0) ||
      connections_of(p->tables) > MOST_CONNECTIONS)
    return (ts_link_loads){0};
  use_sum *u = sum_of_links(p, facts, true);
  double *share = TS_NEW_ARRAY(arena, double, 2 * (size_t)ir->links_count);
  for (uint32_t l = 0; l < 2 * ir->links_count; l++)
    share[l] = (u->bytes[l] + (double)u->packets[l].bytes) /
               (ts_ir_link_rate(&ir->link_classes[ir->links[l / 2].link_class]) * seconds);
  ts_link_loads loads = {share, u->counted > 0 ? u->assumed / u->counted : 0};
  end_sum(u);
  return loads;
}
