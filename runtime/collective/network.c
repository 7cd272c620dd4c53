#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/alpha_beta.h"
#include "base/order.h"
#include "runtime/collective/requested.h"
#include "runtime/collective/network_internal.h"
#include "runtime/collective/profile.h"
#include "runtime/collective/table.h"

enum { BOUND_WORDS = sizeof(ts_bound) / sizeof(uint32_t) };

uint32_t ts_network_intern(ts_network *n, const ts_profile *p)
{
  if (n->last < n->profiles.count && !memcmp(&n->profiles.at[n->last], p, sizeof *p))
    return n->last; /* most are like the one before */
  n->last = ts_intern_bytes(&n->known, p, sizeof *p);
  if (n->last == n->profiles.count)
    TS_PUSH(n->arena, &n->profiles, *p);
  return n->last;
}

uint32_t ts_network_bound(ts_network *n, const ts_bound *bound)
{
  uint32_t words[BOUND_WORDS];
  memcpy(words, bound, sizeof words);
  uint32_t number = ts_intern_run(&n->bound_words, words, BOUND_WORDS);
  if (number == n->bounds.count)
    TS_PUSH(n->arena, &n->bounds, *bound);
  return number;
}

ts_network *ts_network_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                           const char *only, ts_stop *stop)
{
  return ts_network_over(arena, ir, ranks, ts_links_new(arena, ir), only, stop);
}

ts_cuts *ts_network_cuts(const ts_network *n) { return n->links->cuts; }

ts_network *ts_network_over(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                            ts_links *links, const char *only, ts_stop *stop)
{
  ts_network *n = TS_NEW(arena, ts_network);
  *n = (ts_network){
    .arena = arena, .ir = ir, .ranks = ranks, .only = only, .links = links, .graph = links->graph};
  n->calibrated[0] = n->calibrated[1] = 1;
  for (uint32_t i = ir->calibrations_count; i-- > 0;)
    if (ir->calibrations[i].kind == TS_IR_CALIBRATED_INSIDE ||
        ir->calibrations[i].kind == TS_IR_CALIBRATED_BETWEEN)
      n->calibrated[ir->calibrations[i].kind == TS_IR_CALIBRATED_BETWEEN] =
        ir->calibrations[i].value;
  n->bound_words.arena = n->known.arena = arena;
  n->flows = ts_flow_figures_new(arena, ir, ranks, n->graph, only);
  n->packets = ts_packet_figures_new(arena, ir, ranks, n->graph, only);
  uint32_t found = 0;
  for (uint32_t m = 0; only && m < ir->net_models_count; m++)
    found += !strcmp(ir->strings + ir->net_models[m].name, only);
  if (only && !found && strcmp(only, TS_NETWORK_LINKS) != 0) {
    ts_stop_set(stop, TS_EXIT_USAGE, NULL, NULL, "no network model `%s` in this plan", only);
    for (uint32_t m = 0; m < ir->net_models_count && m < 10; m++) {
      bool reported = false;
      for (uint32_t k = 0; k < m; k++)
        reported |= ir->net_models[k].name == ir->net_models[m].name;
      if (!reported)
        ts_stop_fact(stop, m ? "" : "there are", "%s", ir->strings + ir->net_models[m].name);
    }
    ts_stop_help(stop, ir->net_models_count ?
                         "name one of these, or `links` for the links alone" :
                         "the plan has no `network = [...]`, so only `links` can be named");
    return NULL;
  }
  return n;
}

/* Ranks that no links are known between: one island in which bytes take no time of their own. */
static uint32_t unlinked(ts_network *n, uint32_t ranks, uint32_t axes)
{
  return ts_network_intern(
    n, &(ts_profile){.ranks = ranks, .islands = 1, .per_island = ranks, .axes = axes});
}

void ts_network_watch(ts_network *n, struct ts_packet_memo *memo, const ts_progress *progress)
{
  ts_packet_figures_watch(n->packets, memo, progress);
}
bool ts_network_failed(const ts_network *n, ts_stop *stop)
{
  return ts_packet_failed(n->packets, stop);
}

/* Profiles of instances that differ in how their connections share links. */
static const uint32_t *with_connections(ts_network *n, uint32_t group, const uint32_t *links,
                                        ts_stop *stop)
{
  bool flows = ts_flow_figures_any(n->flows), packets = ts_packet_figures_any(n->packets);
  if (!flows && !packets)
    return links;
  uint32_t instances = n->ranks->groups[group].instances,
           *profile = TS_NEW_ARRAY(n->arena, uint32_t, instances);
  const uint32_t *by_flows = flows ? ts_flow_figures_group(n->flows, n->arena, group, stop) : NULL;
  if (flows && !by_flows)
    return NULL;
  const uint32_t *by_packets =
    packets ? ts_packet_figures_group(n->packets, n->arena, group, stop) : NULL;
  if (packets && !by_packets)
    return NULL;
  for (uint32_t i = 0; i < instances; i++) {
    ts_profile p = n->profiles.at[links[i]];
    p.flows = flows ? by_flows[i] + 1 : 0;
    p.packets = packets ? by_packets[i] + 1 : 0;
    profile[i] = ts_network_intern(n, &p);
  }
  return profile;
}

/* A group of one has nothing to send, whatever the cluster; and there may be none. */
const uint32_t *ts_network_group(ts_network *n, uint32_t group, ts_stop *stop)
{
  const ts_rank_group *g = &n->ranks->groups[group];
  if (g->size > 1 && n->ranks->vertex) {
    const uint32_t *links = ts_profile_group(n, group, stop);
    return links ? with_connections(n, group, links, stop) : NULL;
  }
  uint32_t *profile = TS_NEW_ARRAY(n->arena, uint32_t, g->instances),
           all = unlinked(n, g->size, n->ir->groups[group].axes);
  for (uint32_t i = 0; i < g->instances; i++)
    profile[i] = all;
  return profile;
}

/* Messages run along the pipeline. */
static uint32_t message_axes(const ts_network *n)
{
  uint32_t axis = n->ir->meta->pipeline_axis;
  return axis == TS_IR_NONE ? 0 : 1u << axis;
}

uint32_t ts_network_path(ts_network *n, uint32_t from, uint32_t to, ts_stop *stop)
{
  uint32_t profile = TS_IR_NONE;
  const ts_network_message one = {from, to, 0};
  return ts_network_messages(n, &one, 1, &profile, stop) ? TS_IR_NONE : profile;
}

/* With what models of connections need to know. `count` messages of one set. */
static int with_ways(ts_network *n, const ts_network_message *m, uint32_t count, uint32_t *profile,
                     ts_stop *stop)
{
  bool packets = ts_packet_figures_any(n->packets);
  uint32_t *flows = TS_NEW_ARRAY(n->arena, uint32_t, count);
  if (ts_flow_figures_any(n->flows) && ts_flow_figures_paths(n->flows, m, count, flows, stop))
    return -1;
  for (uint32_t i = 0; i < count; i++) {
    ts_profile p = n->profiles.at[profile[i]];
    p.flows = ts_flow_figures_any(n->flows) ? flows[i] + 1 : 0;
    if (packets && !(p.packets = ts_packet_figures_path(n->packets, m[i].from, m[i].to, stop) + 1))
      return -1;
    profile[i] = ts_network_intern(n, &p);
  }
  return 0;
}

/* Of messages between vertices, set by set. */
static int linked(ts_network *n, const ts_network_message *m, uint32_t count, uint32_t *profile,
                  ts_stop *stop)
{
  const uint32_t *found = ts_profile_paths(n, m, count, message_axes(n), stop);
  bool ways = ts_flow_figures_any(n->flows) || ts_packet_figures_any(n->packets);
  if (!found)
    return -1;
  if (count)
    memcpy(profile, found, count * sizeof *profile);
  for (uint32_t i = 0, end; ways && i < count; i = end) {
    for (end = i + 1; end < count && m[end].set == m[i].set;)
      end++;
    if (with_ways(n, m + i, end - i, profile + i, stop))
      return -1;
  }
  return 0;
}

int ts_network_messages(ts_network *n, const ts_network_message *m, uint32_t count,
                        uint32_t *profile, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("messages");
  ts_network_message *sent = TS_NEW_ARRAY(scratch, ts_network_message, count);
  uint32_t *of = TS_NEW_ARRAY(scratch, uint32_t, count), some = 0;
  for (uint32_t i = 0; i < count; i++)
    if (m[i].from != m[i].to && n->ranks->vertex)
      sent[some++] =
        (ts_network_message){n->ranks->vertex[m[i].from], n->ranks->vertex[m[i].to], m[i].set};
  int status = linked(n, sent, some, of, stop);
  some = 0;
  for (uint32_t i = 0; i < count && !status; i++)
    profile[i] = m[i].from == m[i].to ? unlinked(n, 1, message_axes(n)) :
                 !n->ranks->vertex    ? unlinked(n, 2, message_axes(n)) :
                                        of[some++];
  ts_arena_free(scratch);
  return status;
}

uint32_t ts_network_links(ts_network *n, uint32_t from, uint32_t to, uint32_t *link, double *rate)
{
  ts_path path;
  ts_stop stop = {.arena = n->arena};
  if (from == to || !n->ranks->vertex ||
      !ts_graph_path(n->graph, n->ranks->vertex[from], n->ranks->vertex[to], &path))
    return 0;
  uint32_t profile =
    ts_profile_path(n, n->ranks->vertex[from], n->ranks->vertex[to], message_axes(n), &stop);
  const ts_profile *p = &n->profiles.at[profile];
  *rate = p->intra > 0 ? p->intra : p->inter;
  memcpy(link, path.link, path.hops * sizeof *link);
  return path.hops;
}

const ts_profile *ts_network_profile(const ts_network *n, uint32_t profile)
{
  return &n->profiles.at[profile];
}

static bool can(ts_network *n, const ts_ir_net_model *model, uint32_t kind, const ts_profile *p,
                ts_answer *a)
{
  switch (model->kind) {
  case TS_IR_NET_ALPHA_BETA: return true;
  case TS_IR_NET_TABLE: return ts_table_has(n->ir, model, kind, p);
  case TS_IR_NET_WHITE_BOX:
    return (a->plan = ts_white_box_prepare(n->arena, n->ir, model, kind, p)) != NULL;
  case TS_IR_NET_FLOW: return p->flows;
  case TS_IR_NET_PACKET: return p->packets;
  default:
    a->curve = ts_curve_of(n->ir->net_curves + model->first_curve, model->curve_count, kind, p);
  }
  if (a->curve) {
    ts_ir_net_curve here = ts_curve_on(a->curve, &model->links, p);
    a->curve = ts_arena_copy(n->arena, &here, sizeof here);
  }
  return a->curve != NULL;
}

/* Models are asked in their order; whether one has an answer does not depend on the bytes. Where
 * those that name the nearest tier have none, those of the tiers below are asked. */
static ts_answer find_answer(ts_network *n, uint32_t kind, const ts_profile *p)
{
  ts_answer a = {.known = true};
  uint32_t tier = p->tier;
  do {
    uint32_t below = 0;
    for (a.model = 0; a.model < n->ir->net_models_count; a.model++) {
      const ts_ir_net_model *model = &n->ir->net_models[a.model];
      bool named = model->tier != TS_IR_NONE && model->tier < tier;
      if (named && model->tier > below && ts_model_takes(model, kind, p->axes) &&
          ts_model_requested(n->ir, model, n->only))
        below = model->tier;
      if (!ts_model_holds(n->ir, model, kind, p->axes, tier, n->only))
        continue;
      if (can(n, model, kind, p, &a))
        return a;
      a.passed = !n->only;
    }
    tier = below;
  } while (tier);
  a.model = TS_IR_NONE;
  return a;
}

static ts_answer *answer_of(ts_network *n, uint32_t kind, uint32_t profile)
{
  while (n->answers.count < n->profiles.count)
    TS_PUSH(n->arena, &n->answers, NULL);
  ts_answer **answers = &n->answers.at[profile];
  if (!*answers)
    *answers = TS_NEW_ARRAY(n->arena, ts_answer, TS_IR_COLLECTIVE_KINDS);
  if (!(*answers)[kind].known)
    (*answers)[kind] = find_answer(n, kind, &n->profiles.at[profile]);
  return &(*answers)[kind];
}

static void network_note(ts_answer *a, ts_doubt doubt, uint64_t bytes)
{
  uint64_t *min = &a->doubt[doubt].min, *max = &a->doubt[doubt].max;
  *min = !*max || bytes < *min ? bytes : *min;
  *max = bytes > *max ? bytes : *max;
}

/* No model has a call faster than the links can carry it. What was measured stays: it is not this
 * program's to correct, but may be another network's. Where the time does not come from who shares
 * which link with whom, all instances of the group communicate at once. */
static void keep_bound(const ts_network *n, const ts_profile *p, uint32_t kind, uint64_t bytes,
                       uint32_t model, ts_estimate *e)
{
  if (!p->bounds)
    return;
  bool black = model == TS_IR_NET_TABLE || model == TS_IR_NET_STATISTICAL,
       together = model == TS_IR_NET_WHITE_BOX || model == TS_IR_NET_STATISTICAL;
  double min = floor(ts_bound_time(&n->bounds.at[p->bounds - 1], kind, bytes, together,
                                   !black && !e->switches_reduce));
  if ((double)e->time >= min)
    return;
  e->raised = model != TS_IR_NET_TABLE;
  e->used = e->time ? min / (double)e->time : INFINITY;
  e->faster = !e->raised;
  if (e->faster)
    return;
  uint64_t more = (uint64_t)min - e->time;
  e->time += more;
  e->transfer += more;
  if (model == TS_IR_NET_WHITE_BOX)
    *(p->islands > 1 ? &e->inter : &e->intra) += more;
}

static void scale(uint64_t *time, double factor)
{
  *time = (uint64_t)llround(fmin((double)*time * factor, 0x1p62));
}

/* What measured steps said of such calls. */
static void calibrate(const ts_network *n, const ts_profile *p, ts_estimate *e)
{
  double factor = n->calibrated[p->islands > 1];
  uint64_t *parts[] = {&e->time,    &e->base,  &e->steps, &e->transfer,
                       &e->latency, &e->intra, &e->inter, &e->reduction};
  for (size_t i = 0; factor != 1 && i < sizeof parts / sizeof *parts; i++)
    scale(parts[i], factor);
}

bool ts_network_way(ts_network *n, uint32_t kind, uint64_t bytes, uint32_t profile,
                    ts_white_box *way)
{
  if (n->profiles.at[profile].ranks < 2)
    return false;
  const ts_answer *a = answer_of(n, kind, profile);
  if (a->model == TS_IR_NONE || n->ir->net_models[a->model].kind != TS_IR_NET_WHITE_BOX)
    return false;
  *way = ts_white_box_estimate(a->plan, bytes);
  return way->method != NULL;
}

bool ts_network_plays_packets(const ts_network *n) { return ts_packet_figures_any(n->packets); }

void ts_network_ask(ts_network *n, uint32_t kind, uint64_t bytes, uint32_t profile)
{
  const ts_profile *p = &n->profiles.at[profile];
  uint32_t model = p->ranks < 2 ? TS_IR_NONE : answer_of(n, kind, profile)->model;
  if (model != TS_IR_NONE && n->ir->net_models[model].kind == TS_IR_NET_PACKET)
    ts_packet_ask(n->packets, p->packets - 1, model, kind, bytes, p->ranks);
}

void ts_network_play_requested(ts_network *n) { ts_packet_play_requested(n->packets); }

ts_estimate ts_network_estimate(ts_network *n, uint32_t kind, uint64_t bytes, uint32_t profile)
{
  const ts_profile *p = &n->profiles.at[profile];
  if (p->ranks < 2)
    return (ts_estimate){.model = TS_IR_NONE};
  ts_answer *a = answer_of(n, kind, profile);
  /* No model: the links' own latency at each step and their own bandwidth. */
  static const ts_ir_net_model links = {
    .kind = TS_IR_NET_ALPHA_BETA, .efficiency = 1, .algorithm = TS_IR_NONE};
  const ts_ir_net_model *model = a->model == TS_IR_NONE ? &links : &n->ir->net_models[a->model];
  ts_estimate e =
    model->kind == TS_IR_NET_TABLE ?
      ts_table_estimate(n->ir, model, kind, bytes, p) :
    model->kind == TS_IR_NET_WHITE_BOX ?
      ts_white_box_time(a->plan, bytes) :
    model->kind == TS_IR_NET_FLOW ?
      ts_flow_estimate(n->flows, p->flows - 1, a->model, kind, bytes, p->ranks) :
    model->kind == TS_IR_NET_PACKET ?
      ts_packet_estimate(n->packets, p->packets - 1, a->model, kind, bytes, p->ranks) :
    model->kind == TS_IR_NET_STATISTICAL ? ts_curve_estimate(a->curve, bytes, p) :
                                           ts_alpha_beta(model, kind, bytes, p);
  if (kind == TS_IR_MESSAGE)
    e.latency = e.latency ? e.latency : e.steps; /* one step */
  e.model = a->model;
  calibrate(n, p, &e);
  keep_bound(n, p, kind, bytes, model->kind, &e);
  if (e.beyond || (a->passed && a->model == TS_IR_NONE))
    network_note(a, TS_DOUBT_BEYOND, bytes);
  if (e.raised || e.faster) {
    ts_doubt doubt = e.raised ? TS_DOUBT_RAISED : TS_DOUBT_FASTER;
    network_note(a, doubt, bytes);
    a->doubt[doubt].used = fmax(a->doubt[doubt].used, e.used);
  }
  if (model->kind == TS_IR_NET_ALPHA_BETA && a->model != TS_IR_NONE && p->ranks > 2 &&
      kind < TS_IR_ALL_TO_ALL)
    network_note(a, TS_DOUBT_SHAPE, bytes);
  return e;
}

uint32_t ts_network_answers(ts_network *n, uint32_t kind, uint32_t profile)
{
  return n->profiles.at[profile].ranks < 2 ? TS_IR_NONE : answer_of(n, kind, profile)->model;
}

bool ts_network_flows(ts_network *n, uint32_t kind, uint64_t bytes, uint32_t profile,
                      ts_flow_call *call)
{
  const ts_profile *p = &n->profiles.at[profile];
  uint32_t model = ts_network_answers(n, kind, profile);
  uint32_t by = model == TS_IR_NONE ? TS_IR_NET_KINDS : n->ir->net_models[model].kind;
  bool known =
    by == TS_IR_NET_FLOW ?
      ts_flow_call_of(n->flows, p->flows - 1, model, kind, bytes, p->ranks, call) :
    by == TS_IR_NET_PACKET ?
      ts_packet_call_of(n->packets, p->packets - 1, model, kind, bytes, p->ranks, call) :
      false;
  if (!known)
    return false;
  double factor = n->calibrated[p->islands > 1];
  call->volume *= factor;
  if (factor != 1)
    scale(&call->base, factor);
  return true;
}

ts_path_use ts_network_paths(const ts_network *n, uint32_t model)
{
  bool plays =
    n->ir->net_models[model].kind == TS_IR_NET_FLOW && ts_network_asks(n->ir, model, n->only);
  return plays ? ts_flow_maker_paths(ts_flow_figures_maker(n->flows, model)) : (ts_path_use){0, 0};
}

void ts_network_add_packets(ts_network *n, const ts_flow_call *call,
                            const ts_flow_pattern *patterns, uint32_t instances,
                            const uint64_t *calls, ts_packet_use *use)
{
  ts_packet_figures_add(n->packets, call, patterns, instances, calls, use);
}

ts_flow_maker *ts_network_maker(const ts_network *n, uint32_t model)
{
  return n->ir->net_models[model].kind == TS_IR_NET_PACKET ?
           ts_packet_figures_maker(n->packets, model) :
           ts_flow_figures_maker(n->flows, model);
}

static int by_call(const void *left, const void *right)
{
  const ts_extrapolation *a = left, *b = right;
  int by = ts_by_number(a->doubt, b->doubt);
  by = by ? by : ts_by_number(a->kind, b->kind);
  by = by ? by : ts_by_number(a->ranks, b->ranks);
  by = by ? by : ts_by_number(a->islands, b->islands);
  by = by ? by : ts_by_number(a->model, b->model);
  by = by ? by : ts_by_number(a->min, b->min);
  by = by ? by : ts_by_number(a->max, b->max);
  return by;
}

const ts_extrapolation *ts_network_extrapolations(const ts_network *n, ts_arena *arena,
                                                  uint32_t *count)
{
  TS_VEC(ts_extrapolation) all = {0};
  for (uint32_t p = 0; p < n->answers.count; p++)
    for (uint32_t kind = 0; n->answers.at[p] && kind < TS_IR_COLLECTIVE_KINDS; kind++) {
      const ts_answer *a = &n->answers.at[p][kind];
      for (uint32_t d = 0; d < TS_DOUBTS; d++)
        if (a->doubt[d].max)
          TS_PUSH(arena, &all,
                  (ts_extrapolation){kind, a->model, n->profiles.at[p].ranks,
                                     n->profiles.at[p].islands, d, a->doubt[d].min, a->doubt[d].max,
                                     a->doubt[d].used});
    }
  TS_SORT(&all, by_call);
  uint32_t merged = 0;
  for (size_t i = 0; i < all.count; i++) {
    ts_extrapolation *last = merged ? &all.at[merged - 1] : NULL, *e = &all.at[i];
    if (last && last->doubt == e->doubt && last->kind == e->kind && last->ranks == e->ranks &&
        last->islands == e->islands && last->model == e->model) {
      last->min = e->min < last->min ? e->min : last->min; /* other links, same group */
      last->max = e->max > last->max ? e->max : last->max;
      last->used = fmax(last->used, e->used);
    } else {
      all.at[merged++] = *e;
    }
  }
  *count = merged;
  return all.at;
}
