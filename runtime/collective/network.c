#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/collective/network_internal.h"
#include "runtime/collective/profile.h"

static uint64_t hash(const ts_profile *p)
{
  uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, by words */
  const char *bytes = (const char *)p;
  for (size_t i = 0; i < sizeof *p; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    h = (h ^ word) * 0x100000001b3u;
    h ^= h >> 29;
  }
  return h;
}

static uint32_t *bucket_of(ts_network *n, const ts_profile *p)
{
  uint32_t i = (uint32_t)hash(p) & (n->bucket_count - 1);
  while (n->buckets[i] && memcmp(&n->profiles.at[n->buckets[i] - 1], p, sizeof *p))
    i = (i + 1) & (n->bucket_count - 1);
  return &n->buckets[i];
}

static void grow(ts_network *n)
{
  n->bucket_count = n->bucket_count ? 2 * n->bucket_count : 64;
  n->buckets = TS_NEW_ARRAY(n->arena, uint32_t, n->bucket_count);
  for (uint32_t p = 0; p < n->profiles.count; p++)
    *bucket_of(n, &n->profiles.at[p]) = p + 1;
}

uint32_t ts_network_intern(ts_network *n, const ts_profile *p)
{
  if (n->last < n->profiles.count && !memcmp(&n->profiles.at[n->last], p, sizeof *p))
    return n->last; /* most are like the one before */
  if (2 * n->profiles.count >= n->bucket_count)
    grow(n);
  uint32_t *bucket = bucket_of(n, p);
  if (!*bucket) {
    TS_PUSH(n->arena, &n->profiles, *p);
    *bucket = (uint32_t)n->profiles.count;
  }
  return n->last = *bucket - 1;
}

const char *ts_network_vertex_name(const ts_network *n, uint32_t vertex)
{
  const ts_ir_array *array = &n->ir->arrays[n->ir->devices[vertex].array];
  uint32_t index = vertex - array->first, at[4] = {0};
  for (uint32_t d = array->dims; d-- > 0;) {
    at[d] = index % array->dim[d];
    index /= array->dim[d];
  }
  char *text = ts_arena_printf(n->arena, "%s", n->ir->strings + array->name);
  for (uint32_t d = 0; d < array->dims; d++)
    text = ts_arena_printf(n->arena, "%s%s%u%s", text, d ? ", " : "[", at[d], d + 1 == array->dims ? "]" : "");
  return text;
}

ts_network *ts_network_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks, const char *only, ts_stop *stop)
{
  ts_network *n = TS_NEW(arena, ts_network);
  *n = (ts_network){.arena = arena, .ir = ir, .ranks = ranks, .only = only, .graph = ts_graph_new(arena, ir)};
  uint32_t found = 0;
  for (uint32_t m = 0; only && m < ir->net_models_count; m++)
    found += !strcmp(ir->strings + ir->net_models[m].name, only);
  if (only && !found) {
    ts_stop_set(stop, TS_EXIT_USAGE, NULL, NULL, "no network model `%s` in this plan", only);
    for (uint32_t m = 0; m < ir->net_models_count && m < 10; m++)
      ts_stop_fact(stop, m ? "" : "there are", "%s", ir->strings + ir->net_models[m].name);
    return NULL;
  }
  return n;
}

/* Ranks that no links are known between: one island in which bytes take no time of their own. */
static uint32_t unlinked(ts_network *n, uint32_t ranks)
{
  return ts_network_intern(n, &(ts_profile){.ranks = ranks, .islands = 1, .per_island = ranks});
}

/* A group of one has nothing to send, whatever the cluster; and there may be none. */
const uint32_t *ts_network_group(ts_network *n, uint32_t group, ts_stop *stop)
{
  const ts_rank_group *g = &n->ranks->groups[group];
  if (g->size > 1 && n->ranks->vertex)
    return ts_profile_group(n, g, stop);
  uint32_t *profile = TS_NEW_ARRAY(n->arena, uint32_t, g->instances), all = unlinked(n, g->size);
  for (uint32_t i = 0; i < g->instances; i++)
    profile[i] = all;
  return profile;
}

uint32_t ts_network_path(ts_network *n, uint32_t from, uint32_t to, ts_stop *stop)
{
  if (from == to || !n->ranks->vertex)
    return unlinked(n, from == to ? 1 : 2);
  return ts_profile_path(n, n->ranks->vertex[from], n->ranks->vertex[to], stop);
}

const ts_profile *ts_network_profile(const ts_network *n, uint32_t profile) { return &n->profiles.at[profile]; }

double ts_ring_volume(uint32_t kind, uint32_t ranks)
{
  double others = (double)(ranks - 1) / ranks;
  switch (kind) {
  case TS_IR_ALL_REDUCE: return 2 * others;
  case TS_IR_ALL_GATHER: case TS_IR_REDUCE_SCATTER: case TS_IR_ALL_TO_ALL: return others;
  case TS_IR_BARRIER: return 0;
  default: return 1;
  }
}

uint32_t ts_ring_steps(uint32_t kind, uint32_t ranks)
{
  if (kind == TS_IR_SHIFT)
    return 1;
  return kind == TS_IR_ALL_REDUCE || kind == TS_IR_BARRIER ? 2 * (ranks - 1) : ranks - 1;
}

static bool answers(const ts_network *n, const ts_ir_net_model *model, uint32_t kind, const ts_profile *p)
{
  return (model->collectives >> kind & 1) && (model->tier == TS_IR_NONE || model->tier == p->tier) &&
         (!n->only || !strcmp(n->ir->strings + model->name, n->only));
}

ts_estimate ts_network_estimate(const ts_network *n, uint32_t kind, uint64_t bytes, uint32_t profile)
{
  const ts_profile *p = &n->profiles.at[profile];
  ts_estimate e = {.model = TS_IR_NONE};
  if (p->ranks < 2)
    return e;
  for (uint32_t m = 0; m < n->ir->net_models_count; m++) {
    const ts_ir_net_model *model = &n->ir->net_models[m];
    if (!answers(n, model, kind, p))
      continue;
    bool found = true;
    if (model->kind == TS_IR_NET_TABLE)
      found = ts_table_estimate(n->ir, model, kind, bytes, p, &e);
    else if (model->kind == TS_IR_NET_WHITE_BOX)
      found = ts_white_box_time(n->ir, model, kind, bytes, p, &e);
    else
      e = ts_alpha_beta(model, kind, bytes, p);
    if (found) {
      e.model = m;
      return e;
    }
  }
  /* No model: the links' own latency at each step and their own bandwidth. */
  ts_ir_net_model links = {.efficiency = 1, .hop = p->islands > 1 ? p->inter_latency : p->intra_latency};
  e = ts_alpha_beta(&links, kind, bytes, p);
  e.model = TS_IR_NONE;
  return e;
}
