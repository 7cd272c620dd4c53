#include "runtime/collective/graph.h"

#include <string.h>

#include "ir/parts.h"
#include "base/intern.h"

typedef struct edge { uint32_t to, link; } edge; /* link: 2 * index + direction */

typedef struct reach { /* how a switch is reached from a source switch */
  uint64_t latency;
  double bandwidth;
  uint32_t tier, hops;
  uint32_t from, link; /* last hop */
} reach;

typedef TS_VEC(uint32_t) attachment_words;

struct ts_link_graph {
  ts_arena *arena;
  const ts_ir *ir;
  uint32_t vertices;
  /* [vertices + 1] into edges: first the switches, then the devices it links to */
  uint32_t *first;
  uint32_t *switch_end;  /* [vertices] end of the edges to switches */
  edge *edges;
  /* [vertices + 1] into entries: by which links from which switches a vertex is entered */
  uint32_t *first_in;
  edge *entries;         /* `to`: that switch */
  uint32_t *island;      /* [vertices] */
  bool *inner;           /* [vertices] a switch that is linked to devices of its island alone */
  /* [vertices] number of a switch that has links to switches, or TS_IR_NONE */
  uint32_t *core;
  uint32_t core_count;
  /* [core_count] lazily: how that switch reaches the others; [core_count] each */
  reach **from_core;
  /* [core_count] of a flow that is being spread, what comes to a switch; else 0 */
  double *carried;
  uint32_t *ways;        /* [core_count] likewise: links it comes by */
  uint32_t *front[2];    /* [core_count] switches of one level and of the next */
  /* [vertices] lazily: a number for all that are linked to the same switches in the same way, inner
   * ones left out; TS_IR_NONE: it has links to devices, too */
  uint32_t *attachment;
  uint32_t attachments;
  /* [attachments * attachments] between islands, + 1; 0: not known; NULL: there are too many */
  uint8_t *hops;
};

static bool is_switch(const ts_ir *ir, uint32_t v)
{
  return ir->devices[v].device_class == TS_IR_NONE;
}
static const ts_ir_link_class *graph_class_of(const ts_link_graph *g, uint32_t link)
{
  return &g->ir->link_classes[g->ir->links[link / 2].link_class];
}

/* Links to what is a switch, or is none, at the vertex that they leave; `into`: those from it, at
 * the one that they enter. `out`: NULL to count them. */
static void each_edge(const ts_link_graph *g, edge *out, bool into, bool switches, uint32_t *at)
{
  const ts_ir *ir = g->ir;
  for (uint32_t l = 0; l < ir->links_count; l++)
    for (uint32_t d = 0; d < (ir->links[l].duplex ? 2u : 1u); d++) {
      bool turned = (d == 1) != into;
      uint32_t here = turned ? ir->links[l].to : ir->links[l].from,
               there = turned ? ir->links[l].from : ir->links[l].to;
      if (is_switch(ir, there) != switches)
        continue;
      if (out)
        out[at[here]] = (edge){there, 2 * l + d};
      at[here]++;
    }
}

/* Counts become where each begins. */
static uint32_t *begins_of(ts_link_graph *g, uint32_t *count)
{
  uint32_t *first = TS_NEW_ARRAY(g->arena, uint32_t, g->vertices + 1);
  for (uint32_t v = 0; v < g->vertices; v++) {
    first[v + 1] = first[v] + count[v];
    count[v] = first[v];
  }
  return first;
}

static void build_edges(ts_link_graph *g)
{
  uint32_t n = g->vertices, *count = TS_NEW_ARRAY(g->arena, uint32_t, n);
  each_edge(g, NULL, false, true, count);
  each_edge(g, NULL, false, false, count);
  g->first = begins_of(g, count);
  g->edges = TS_NEW_ARRAY(g->arena, edge, g->first[n]);
  each_edge(g, g->edges, false, true, count);
  g->switch_end = ts_arena_copy(g->arena, count, n * sizeof *count);
  each_edge(g, g->edges, false, false, count);
}

static void build_entries(ts_link_graph *g)
{
  uint32_t *count = TS_NEW_ARRAY(g->arena, uint32_t, g->vertices);
  each_edge(g, NULL, true, true, count);
  g->first_in = begins_of(g, count);
  g->entries = TS_NEW_ARRAY(g->arena, edge, g->first_in[g->vertices]);
  each_edge(g, g->entries, true, true, count);
}

static void number_core(ts_link_graph *g)
{
  g->core = TS_NEW_ARRAY(g->arena, uint32_t, g->vertices);
  for (uint32_t v = 0; v < g->vertices; v++)
    g->core[v] = is_switch(g->ir, v) &&
                     (g->switch_end[v] > g->first[v] || g->first_in[v + 1] > g->first_in[v]) ?
                   g->core_count++ :
                   TS_IR_NONE;
  g->from_core = TS_NEW_ARRAY(g->arena, reach *, g->core_count);
  g->carried = TS_NEW_ARRAY(g->arena, double, g->core_count);
  g->ways = TS_NEW_ARRAY(g->arena, uint32_t, g->core_count);
  g->front[0] = TS_NEW_ARRAY(g->arena, uint32_t, g->core_count);
  g->front[1] = TS_NEW_ARRAY(g->arena, uint32_t, g->core_count);
}

static void find_inner(ts_link_graph *g)
{
  g->inner = TS_NEW_ARRAY(g->arena, bool, g->vertices);
  for (uint32_t v = 0; v < g->vertices; v++)
    g->inner[v] = is_switch(g->ir, v) && g->core[v] == TS_IR_NONE;
  for (uint32_t l = 0; l < g->ir->links_count; l++)
    if (g->ir->link_classes[g->ir->links[l].link_class].tier)
      g->inner[g->ir->links[l].from] = g->inner[g->ir->links[l].to] = false;
}

ts_link_graph *ts_graph_new(ts_arena *arena, const ts_ir *ir)
{
  ts_link_graph *g = TS_NEW(arena, ts_link_graph);
  *g = (ts_link_graph){.arena = arena, .ir = ir, .vertices = ir->devices_count};
  build_edges(g);
  build_entries(g);
  g->island = ts_ir_parts(g->arena, g->ir, 0);
  number_core(g);
  find_inner(g);
  return g;
}

uint32_t ts_graph_island(const ts_link_graph *g, uint32_t vertex) { return g->island[vertex]; }

static bool closer(const reach *a, const reach *b)
{
  if (!b->hops)
    return true; /* not reached yet */
  if (a->tier != b->tier)
    return a->tier < b->tier;
  if (a->latency != b->latency)
    return a->latency < b->latency;
  return a->bandwidth > b->bandwidth;
}

static reach step(const ts_link_graph *g, const reach *before, uint32_t from, uint32_t link)
{
  const ts_ir_link_class *c = graph_class_of(g, link);
  reach r = {before->latency + c->latency, c->bandwidth, c->tier, before->hops + 1, from, link};
  if (before->hops && before->bandwidth < r.bandwidth)
    r.bandwidth = before->bandwidth;
  if (before->hops && before->tier > r.tier)
    r.tier = before->tier;
  return r;
}

/* Label-correcting search over switches (Bellman and Ford with a queue): switch graphs are small
 * and shallow. hops of the source is 0. A switch without links to switches reaches nothing: NULL.
 * */
static const reach *graph_search(ts_link_graph *g, uint32_t source)
{
  if (g->core[source] == TS_IR_NONE)
    return NULL;
  if (g->from_core[g->core[source]])
    return g->from_core[g->core[source]];
  reach *at = TS_NEW_ARRAY(g->arena, reach, g->core_count);
  TS_VEC(uint32_t) queue = {0};
  TS_PUSH(g->arena, &queue, source);
  for (size_t head = 0; head < queue.count; head++) {
    uint32_t v = queue.at[head];
    for (uint32_t e = g->first[v]; e < g->switch_end[v]; e++) {
      uint32_t to = g->edges[e].to;
      if (to == source || g->core[to] == TS_IR_NONE)
        continue;
      reach r = step(g, &at[g->core[v]], v, g->edges[e].link);
      if (r.hops <= TS_PATH_MAX - 2 && closer(&r, &at[g->core[to]])) {
        at[g->core[to]] = r;
        TS_PUSH(g->arena, &queue, to);
      }
    }
  }
  return g->from_core[g->core[source]] = at;
}

/* `core`: what search() found from the first switch; walks back from the last one. */
static void keep_path(const ts_link_graph *g, ts_path *path, const reach *end, const reach *core,
                      uint32_t last_switch, uint32_t first_link)
{
  *path = (ts_path){
    .latency = end->latency, .bandwidth = end->bandwidth, .tier = end->tier, .hops = end->hops};
  uint32_t i = end->hops;
  path->link[--i] = end->link;
  for (uint32_t v = last_switch; i > 1; v = core[g->core[v]].from)
    path->link[--i] = core[g->core[v]].link;
  path->link[0] = first_link;
}

/* Joins a first hop to a switch, the way between the switches (NULL: it is the same one), and the
 * last hop. */
static reach joined(const ts_link_graph *g, const reach *head, const reach *between,
                    uint32_t last_switch, uint32_t last_link)
{
  reach r = *head;
  if (between) {
    r.latency += between->latency;
    r.hops += between->hops;
    if (between->bandwidth < r.bandwidth)
      r.bandwidth = between->bandwidth;
    if (between->tier > r.tier)
      r.tier = between->tier;
  }
  return step(g, &r, last_switch, last_link);
}

static void direct(const ts_link_graph *g, uint32_t from, uint32_t to, reach *best, ts_path *path)
{
  for (uint32_t e = g->switch_end[from]; e < g->first[from + 1]; e++) {
    if (g->edges[e].to != to)
      continue;
    reach r = step(g, &(reach){0}, from, g->edges[e].link);
    if (!closer(&r, best))
      continue;
    *best = r;
    if (path)
      keep_path(g, path, &r, NULL, from, g->edges[e].link);
  }
}

static bool leads(const ts_link_graph *g, uint32_t by, uint32_t to)
{
  return !g->inner[by] || g->island[by] == g->island[to];
}

/* All ways that leave by edge `e` to a switch and enter `to` from one of its own. */
static void switched(ts_link_graph *g, uint32_t from, uint32_t e, uint32_t to, reach *best,
                     ts_path *path)
{
  uint32_t s = g->edges[e].to;
  reach head = step(g, &(reach){0}, from, g->edges[e].link);
  const reach *core = graph_search(g, s);
  for (uint32_t k = g->first_in[to]; k < g->first_in[to + 1]; k++) {
    uint32_t t = g->entries[k].to;
    const reach *between = t == s                           ? NULL :
                           core && g->core[t] != TS_IR_NONE ? &core[g->core[t]] :
                                                              NULL;
    if (t != s && (!between || !between->hops))
      continue;
    reach r = joined(g, &head, between, t, g->entries[k].link);
    if (!closer(&r, best))
      continue;
    *best = r;
    if (path)
      keep_path(g, path, &r, core, t, g->edges[e].link);
  }
}

static reach nearest(ts_link_graph *g, uint32_t from, uint32_t to, ts_path *path)
{
  reach best = {0};
  direct(g, from, to, &best, path);
  for (uint32_t e = g->first[from]; e < g->switch_end[from]; e++)
    if (leads(g, g->edges[e].to, to))
      switched(g, from, e, to, &best, path);
  return best;
}

bool ts_graph_path(ts_link_graph *g, uint32_t from, uint32_t to, ts_path *path)
{
  return nearest(g, from, to, path).hops > 0;
}

static void add_ends(const ts_link_graph *g, const edge *ends, uint32_t count, ts_arena *arena,
                     attachment_words *words)
{
  for (uint32_t i = 0; i < count; i++)
    if (!g->inner[ends[i].to]) {
      TS_PUSH(arena, words, ends[i].to);
      TS_PUSH(arena, words, g->ir->links[ends[i].link / 2].link_class);
    }
  TS_PUSH(arena, words, TS_IR_NONE);
}

static void number_attachments(ts_link_graph *g)
{
  enum { MOST = 4096 };
  ts_arena *scratch = ts_arena_new("attachments");
  ts_intern all = {.arena = scratch};
  attachment_words words = {0};
  g->attachment = ts_arena_alloc_raw(g->arena, g->vertices * sizeof *g->attachment);
  for (uint32_t v = 0; v < g->vertices; v++) {
    uint32_t begin = g->first[v], last = g->switch_end[v], in = g->first_in[v];
    words.count = 0;
    add_ends(g, g->edges + begin, last - begin, scratch, &words);
    add_ends(g, g->entries + in, g->first_in[v + 1] - in, scratch, &words);
    g->attachment[v] = last < g->first[v + 1] || is_switch(g->ir, v) ?
                         TS_IR_NONE :
                         ts_intern_run(&all, words.at, (uint32_t)words.count);
  }
  g->attachments = (uint32_t)all.all.count;
  if (g->attachments <= MOST)
    g->hops = TS_NEW_ARRAY(g->arena, uint8_t, (size_t)g->attachments * g->attachments);
  ts_arena_free(scratch);
}

uint32_t ts_graph_hops(ts_link_graph *g, uint32_t from, uint32_t to)
{
  if (!g->attachment)
    number_attachments(g);
  uint32_t a = g->attachment[from], b = g->attachment[to];
  if (!g->hops || a == TS_IR_NONE || b == TS_IR_NONE || g->island[from] == g->island[to])
    return nearest(g, from, to, NULL).hops;
  uint8_t *hops = &g->hops[(size_t)a * g->attachments + b];
  if (!*hops)
    *hops = (uint8_t)(nearest(g, from, to, NULL).hops + 1);
  return *hops - 1u;
}

/* ---- Several equal paths ---- */

static bool equal(const reach *a, const reach *b)
{
  return a->tier == b->tier && a->latency == b->latency && a->bandwidth == b->bandwidth &&
         a->hops == b->hops;
}

/* What of a flow has reached the switches of one level, a step nearer to the first switch each
 * time. */
typedef struct front { uint32_t source, count; uint32_t *at; } front;

static void carry(ts_link_graph *g, front *next, uint32_t v, double share)
{
  uint32_t core = g->core[v];
  if (g->carried[core] == 0)
    next->at[next->count++] = v;
  g->carried[core] += share;
}

/* Does `link` from switch u end a path as short as the one found, `at`? */
static bool ends_path(const ts_link_graph *g, const reach *core, uint32_t source, uint32_t u,
                      uint32_t link, const reach *at)
{
  if (g->core[u] == TS_IR_NONE || (u != source && !core[g->core[u]].hops))
    return false;
  reach r = step(g, &core[g->core[u]], u, link);
  return equal(&r, at);
}

/* The links into switch v that end a path as short as the one found: with `share` for each they are
 * listed, without they are counted. */
static uint32_t graph_split(ts_link_graph *g, const reach *core, uint32_t source, uint32_t v,
                            double share, front *next, ts_arena *arena, ts_path_shares *out)
{
  const reach *at = &core[g->core[v]];
  uint32_t count = 0;
  for (uint32_t e = g->first_in[v]; e < g->first_in[v + 1]; e++) {
    uint32_t u = g->entries[e].to, link = g->entries[e].link;
    if (!ends_path(g, core, source, u, link, at))
      continue;
    count++;
    if (share > 0) {
      TS_PUSH(arena, out, (ts_share){link, share});
      if (u != source)
        carry(g, next, u, share);
    }
  }
  return count;
}

/* The last level: switches that the first one links to. It may have few links and they very many,
 * so its links are looked at, not theirs. */
static void split_from(ts_link_graph *g, const reach *core, const front *last, ts_arena *arena,
                       ts_path_shares *out)
{
  uint32_t source = last->source;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t e = g->first[source]; e < g->switch_end[source]; e++) {
      uint32_t v = g->edges[e].to;
      if (g->core[v] == TS_IR_NONE || g->carried[g->core[v]] == 0)
        continue;
      reach r = step(g, &core[g->core[source]], source, g->edges[e].link);
      if (!equal(&r, &core[g->core[v]]))
        continue;
      if (!pass)
        g->ways[g->core[v]]++;
      else
        TS_PUSH(arena, out,
                (ts_share){g->edges[e].link, g->carried[g->core[v]] / g->ways[g->core[v]]});
    }
  for (uint32_t i = 0; i < last->count; i++)
    g->carried[g->core[last->at[i]]] = g->ways[g->core[last->at[i]]] = 0;
}

/* From the last switches (in `now`, all `hops` links away) back to the first one. */
static void spread_back(ts_link_graph *g, const reach *core, front *now, front *next, uint32_t hops,
                        ts_arena *arena, ts_path_shares *out)
{
  for (; hops > 1; hops--) {
    next->count = 0;
    for (uint32_t i = 0; i < now->count; i++) {
      uint32_t v = now->at[i], ways = graph_split(g, core, now->source, v, 0, next, arena, out);
      double share = g->carried[g->core[v]];
      g->carried[g->core[v]] = 0;
      graph_split(g, core, now->source, v, share / ways, next, arena, out);
    }
    next->source = now->source;
    front swap = *now;
    *now = *next;
    *next = swap;
  }
  if (now->count)
    split_from(g, core, now, arena, out);
}

/* The ways to leave by edge `e` and to enter by one of the links into `to` that are equal to the
 * path; with `share` for each they are listed. */
static uint32_t spread_ends(ts_link_graph *g, uint32_t e, uint32_t to, const reach *best,
                            double share, ts_arena *arena, ts_path_shares *out)
{
  uint32_t s = g->edges[e].to, count = 0;
  reach head = step(g, &(reach){0}, g->ir->links[g->edges[e].link / 2].from, g->edges[e].link);
  const reach *core = graph_search(g, s);
  front now = {s, 0, g->front[0]}, next = {s, 0, g->front[1]};
  for (uint32_t k = g->first_in[to]; k < g->first_in[to + 1]; k++) {
    uint32_t t = g->entries[k].to;
    const reach *between = t == s                           ? NULL :
                           core && g->core[t] != TS_IR_NONE ? &core[g->core[t]] :
                                                              NULL;
    if (t != s && (!between || !between->hops))
      continue;
    reach r = joined(g, &head, between, t, g->entries[k].link);
    if (!equal(&r, best))
      continue;
    count++;
    if (share > 0) {
      TS_PUSH(arena, out, (ts_share){g->entries[k].link, share});
      if (t != s)
        carry(g, &now, t, share);
    }
  }
  if (share > 0 && count) {
    TS_PUSH(arena, out, (ts_share){g->edges[e].link, share * count});
    spread_back(g, core, &now, &next, best->hops - 2, arena, out);
  }
  return count;
}

static uint32_t direct_links(const ts_link_graph *g, uint32_t from, uint32_t to, const reach *best,
                             double share, ts_arena *arena, ts_path_shares *out)
{
  uint32_t count = 0;
  for (uint32_t e = g->switch_end[from]; e < g->first[from + 1]; e++) {
    reach r = step(g, &(reach){0}, from, g->edges[e].link);
    if (g->edges[e].to != to || !equal(&r, best))
      continue;
    count++;
    if (share > 0)
      TS_PUSH(arena, out, (ts_share){g->edges[e].link, share});
  }
  return count;
}

void ts_graph_spread(ts_link_graph *g, uint32_t from, uint32_t to, const ts_path *path,
                     ts_arena *arena, ts_path_shares *out)
{
  const reach best = {
    .latency = path->latency, .bandwidth = path->bandwidth, .tier = path->tier, .hops = path->hops};
  uint32_t ways = direct_links(g, from, to, &best, 0, arena, out);
  for (uint32_t e = g->first[from]; e < g->switch_end[from]; e++)
    if (leads(g, g->edges[e].to, to))
      ways += spread_ends(g, e, to, &best, 0, arena, out);
  if (ways == 1 && path->hops <= 2) { /* nothing parts between switches */
    for (uint32_t i = path->hops; i-- > 0;)
      TS_PUSH(arena, out, (ts_share){path->link[i], 1});
    return;
  }
  direct_links(g, from, to, &best, 1. / ways, arena, out);
  for (uint32_t e = g->first[from]; e < g->switch_end[from]; e++)
    if (leads(g, g->edges[e].to, to))
      spread_ends(g, e, to, &best, 1. / ways, arena, out);
}

typedef struct ends {
  uint32_t first_link, last_switch, last_link;
  const reach *core;
  reach whole;
} ends;

typedef struct chooser {
  ts_link_graph *graph;
  const ts_fork *fork;
  uint64_t hash;
  const reach *best; /* known: candidates equal to it are noted, none is chosen */
} chooser;

static uint64_t mixed(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static double load_of(const chooser *c, uint32_t link)
{
  return link == TS_IR_NONE ? 0 :
                              c->fork->load[link] / ts_ir_link_rate(graph_class_of(c->graph, link));
}

/* Whether the candidate (the `count`-th, from 1) takes the place of the one chosen so far: each
 * with the same chance by hash. */
static bool prefer(chooser *c, ts_ir_routing routing, uint32_t count, double load, double *min_load)
{
  bool better;
  switch (routing) {
  case TS_IR_ROUTE_SHORTEST: better = count == 1; break;
  case TS_IR_ROUTE_ADAPTIVE: better = count == 1 || load < *min_load; break;
  default: better = count == 1 || (c->hash = mixed(c->hash)) % count == 0;
  }
  if (better)
    *min_load = load;
  return better;
}

static void offer(const chooser *c, uint32_t link)
{
  if (c->fork->offered && link != TS_IR_NONE)
    c->fork->offered[link] = true;
}

static void consider(chooser *c, const ends *e, ends *best, uint32_t *count, double *min_load)
{
  if (c->best) {
    if (equal(&e->whole, c->best)) {
      offer(c, e->first_link);
      offer(c, e->last_link);
    }
    return;
  }
  if (*count && !equal(&e->whole, &best->whole)) {
    if (!closer(&e->whole, &best->whole))
      return;
    *count = 0;
  }
  double load = 0;
  if (c->fork->ports) {
    load = (double)c->fork->ports[e->first_link];
    load += e->last_link == TS_IR_NONE ? 0 : (double)c->fork->ports[e->last_link];
  } else if (c->fork->load) {
    double first = load_of(c, e->first_link), last = load_of(c, e->last_link);
    load = first > last ? first : last;
  }
  if (prefer(c, c->fork->ports ? TS_IR_ROUTE_ADAPTIVE : c->fork->routing, ++*count, load, min_load))
    *best = *e;
}

static uint32_t all_ends(chooser *c, uint32_t from, uint32_t to, ends *best)
{
  ts_link_graph *g = c->graph;
  uint32_t count = 0;
  double min_load = 0;
  for (uint32_t e = g->switch_end[from]; e < g->first[from + 1]; e++)
    if (g->edges[e].to == to) {
      reach r = step(g, &(reach){0}, from, g->edges[e].link);
      consider(c, &(ends){g->edges[e].link, from, TS_IR_NONE, NULL, r}, best, &count, &min_load);
    }
  for (uint32_t e = g->first[from]; e < g->switch_end[from]; e++) {
    uint32_t s = g->edges[e].to;
    if (!leads(g, s, to))
      continue;
    reach head = step(g, &(reach){0}, from, g->edges[e].link);
    const reach *core = graph_search(g, s);
    for (uint32_t k = g->first_in[to]; k < g->first_in[to + 1]; k++) {
      uint32_t t = g->entries[k].to, last = g->entries[k].link;
      const reach *between = t == s                           ? NULL :
                             core && g->core[t] != TS_IR_NONE ? &core[g->core[t]] :
                                                                NULL;
      if (t == s || (between && between->hops))
        consider(c, &(ends){g->edges[e].link, t, last, core, joined(g, &head, between, t, last)},
                 best, &count, &min_load);
    }
  }
  return count;
}

/* The link into switch v that a path as short as the one found comes by, and where it comes from.
 * */
static uint32_t step_back(chooser *c, const reach *core, uint32_t v, uint32_t source,
                          uint32_t *from)
{
  ts_link_graph *g = c->graph;
  const reach *at = &core[g->core[v]];
  uint32_t link = at->link, first = TS_IR_NONE, count = 0;
  double min_load = 0;
  *from = at->from;
  for (uint32_t e = g->first_in[v]; e < g->first_in[v + 1]; e++) {
    uint32_t u = g->entries[e].to, back = g->entries[e].link;
    if (!ends_path(g, core, source, u, back, at))
      continue;
    if (count) {
      offer(c, first);
      offer(c, back);
    }
    first = back;
    if (prefer(c, c->fork->routing, ++count, c->fork->load ? load_of(c, back) : 0, &min_load)) {
      link = back;
      *from = u;
    }
  }
  return link;
}

uint32_t ts_graph_route(ts_link_graph *g, uint32_t from, uint32_t to, const ts_fork *fork,
                        ts_path *path)
{
  chooser c = {g, fork, mixed((uint64_t)from << 40 ^ (uint64_t)to << 16 ^ fork->channel), NULL};
  ends best = {0};
  uint32_t ways = all_ends(&c, from, to, &best);
  if (!ways)
    return 0;
  if (fork->offered && ways > 1)
    all_ends(&(chooser){g, fork, 0, &best.whole}, from, to, &best);
  const reach *r = &best.whole;
  *path =
    (ts_path){.latency = r->latency, .bandwidth = r->bandwidth, .tier = r->tier, .hops = r->hops};
  path->link[0] = best.first_link;
  uint32_t i = r->hops, source = g->ir->links[best.first_link / 2].to;
  if (best.first_link % 2)
    source = g->ir->links[best.first_link / 2].from;
  if (i > 1)
    path->link[--i] = best.last_link;
  for (uint32_t v = best.last_switch; i > 1;)
    path->link[--i] = step_back(&c, best.core, v, source, &v);
  return ways;
}
