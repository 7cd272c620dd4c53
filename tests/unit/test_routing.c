/* Paths that flows take, on random clusters, against all paths there are; and how evenly hashes
 * spread over equal ones. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/collective/graph.h"

enum { DEVICES = 5, SWITCHES = 6, VERTICES = DEVICES + SWITCHES, CLASSES = 3 };

typedef struct cluster {
  ts_ir_builder *b;
  ts_ir ir;
  ts_arena *arena;
  ts_link_graph *graph;
} cluster;

static void cluster_new(cluster *c, const char *text)
{
  ts_error error = {0};
  char whole[16384];
  snprintf(whole, sizeof whole,
           "axis x 1\nstream compute\n%sfragment F { compute 1 us }\nprogram { F }\n", text);
  c->b = ts_ir_parse(whole, strlen(whole), &error);
  cr_assert(c->b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(c->b, &c->ir);
  c->arena = ts_arena_new("test");
  c->graph = ts_graph_new(c->arena, &c->ir);
}

static void cluster_free(cluster *c)
{
  ts_arena_free(c->arena);
  ts_ir_builder_free(c->b);
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33) % n;
}

static const char *vertex(char *text, uint32_t v)
{
  sprintf(text, v < DEVICES ? "gpu[%u]" : "hub[%u]", v < DEVICES ? v : v - DEVICES);
  return text;
}

/* Few classes, so that many paths are equal. A tier each for what leads to devices and what is
 * between switches. */
static void random_cluster(cluster *c, uint64_t seed)
{
  char text[8192], a[16], b[16], *at = text;
  uint64_t random = seed;
  at += sprintf(at, "device_class d 1 TB/s\ndevices gpu[%d] of d\nswitches hub[%d]\n", DEVICES,
                SWITCHES);
  for (uint32_t k = 0; k < CLASSES; k++) {
    at += sprintf(at, "link_class near%u %u GB/s latency %u us tier 1\n", k,
                  10 * (1 + draw(&random, 2)), 1 + draw(&random, 2));
    at += sprintf(at, "link_class far%u %u GB/s latency %u us tier 2\n", k,
                  10 * (1 + draw(&random, 2)), 1 + draw(&random, 2));
  }
  for (uint32_t from = 0; from < VERTICES; from++)
    for (uint32_t to = from + 1; to < VERTICES; to++)
      if (to >= DEVICES && draw(&random, 5) < 2)
        at += sprintf(at, "link %s %s %s %s%u\n", vertex(a, from), draw(&random, 8) ? "--" : "->",
                      vertex(b, to), from < DEVICES ? "near" : "far", draw(&random, CLASSES));
  cluster_new(c, text);
}

static uint32_t end_of(const cluster *c, uint32_t link, bool last)
{
  return (link % 2 != 0) != last ? c->ir.links[link / 2].to : c->ir.links[link / 2].from;
}
static const ts_ir_link_class *class_of(const cluster *c, uint32_t link)
{
  return &c->ir.link_classes[c->ir.links[link / 2].link_class];
}

static bool better(const ts_path *a, const ts_path *b)
{
  if (!b->hops || a->tier != b->tier)
    return !b->hops || a->tier < b->tier;
  return a->latency != b->latency ? a->latency < b->latency : a->bandwidth > b->bandwidth;
}

static void extend(ts_path *p, const ts_ir_link_class *k, uint32_t link)
{
  p->bandwidth = p->hops && p->bandwidth < k->bandwidth ? p->bandwidth : k->bandwidth;
  p->tier = p->tier > k->tier ? p->tier : k->tier;
  p->latency += k->latency;
  p->link[p->hops++] = link;
}

/* Of all paths through switches, none of which is passed twice. */
static void all_paths(const cluster *c, uint32_t at, uint32_t to, const ts_path *so_far,
                      uint32_t seen, ts_path *best)
{
  if (at == to) {
    if (better(so_far, best))
      *best = *so_far;
    return;
  }
  for (uint32_t l = 0; (at >= DEVICES || !so_far->hops) && l < 2 * c->ir.links_count; l++) {
    uint32_t next = end_of(c, l, true);
    if (end_of(c, l, false) != at || seen >> next & 1 || (l % 2 && !c->ir.links[l / 2].duplex))
      continue;
    ts_path longer = *so_far;
    extend(&longer, class_of(c, l), l);
    all_paths(c, next, to, &longer, seen | 1u << next, best);
  }
}

/* A path is a walk from one device to the other over switches, and is what it says. */
static void check_walk(const cluster *c, uint32_t from, uint32_t to, const ts_path *p)
{
  ts_path sum = {0};
  uint32_t at = from;
  for (uint32_t h = 0; h < p->hops; h++) {
    cr_assert_eq(end_of(c, p->link[h], false), at);
    cr_assert(p->link[h] % 2 == 0 || c->ir.links[p->link[h] / 2].duplex);
    cr_assert(h == 0 || at >= DEVICES, "a device forwards");
    at = end_of(c, p->link[h], true);
    extend(&sum, class_of(c, p->link[h]), p->link[h]);
  }
  cr_assert_eq(at, to);
  cr_assert(sum.latency == p->latency && sum.tier == p->tier && sum.bandwidth == p->bandwidth);
}

static void check_pair(cluster *c, uint32_t from, uint32_t to, uint64_t seed)
{
  static const ts_ir_routing ways[] = {TS_IR_ROUTE_SHORTEST, TS_IR_ROUTE_ECMP, TS_IR_ROUTE_RAIL,
                                       TS_IR_ROUTE_ADAPTIVE};
  uint32_t load[256] = {0};
  ts_path best = {0}, path, again;
  all_paths(c, from, to, &(ts_path){0}, 1u << from, &best);
  cr_assert_eq(ts_graph_path(c->graph, from, to, &path), best.hops > 0, "seed %u: %u to %u",
               (unsigned)seed, from, to);
  for (int again = 0; again < 2; again++) /* known from then on, also of others linked alike */
    cr_assert_eq(ts_graph_hops(c->graph, from, to), best.hops ? path.hops : 0);
  for (uint32_t w = 0; best.hops && w < 4; w++)
    for (uint32_t channel = 0; channel < 4; channel++) {
      ts_fork fork = {ways[w], channel, ways[w] == TS_IR_ROUTE_ADAPTIVE ? load : NULL, NULL, NULL};
      cr_assert(ts_graph_route(c->graph, from, to, &fork, &path));
      check_walk(c, from, to, &path);
      cr_assert(!better(&best, &path) && !better(&path, &best), "seed %u: %u to %u, routing %u",
                (unsigned)seed, from, to, w);
      cr_assert(ts_graph_route(c->graph, from, to, &fork, &again) && again.hops == path.hops &&
                !memcmp(again.link, path.link, path.hops * sizeof *path.link));
      load[path.link[0]]++;
    }
}

Test(routing, paths_are_the_best_of_all_there_are)
{
  for (uint64_t seed = 1; seed <= 60; seed++) {
    cluster c;
    random_cluster(&c, seed);
    for (uint32_t from = 0; from < DEVICES; from++)
      for (uint32_t to = 0; to < DEVICES; to++)
        if (from != to)
          check_pair(&c, from, to, seed);
    cluster_free(&c);
  }
}

/* Sixteen GPUs on each of two leaves with four spines between: of 4,096 connections each spine
 * carries a quarter, within four deviations of as many throws of dice. */
Test(routing, hashes_are_even)
{
  enum { GPUS = 32, SPINES = 4, CHANNELS = 16 };
  char text[8192],
    *at = text + sprintf(text,
                         "device_class d 1 TB/s\ndevices gpu[%d] of d\nswitches leaf[2]\nswitches "
                         "spine[%d]\nlink_class wire 10 GB/s latency 1 us tier 1\n",
                         GPUS, SPINES);
  for (uint32_t g = 0; g < GPUS; g++)
    at += sprintf(at, "link gpu[%u] -- leaf[%u] wire\n", g, g / (GPUS / 2));
  for (uint32_t s = 0; s < 2 * SPINES; s++)
    at += sprintf(at, "link leaf[%u] -- spine[%u] wire\n", s / SPINES, s % SPINES);
  cluster c;
  cluster_new(&c, text);
  uint32_t over[SPINES] = {0}, all = GPUS / 2 * (GPUS / 2) * CHANNELS;
  for (uint32_t i = 0; i < all; i++) {
    ts_path path;
    cr_assert(ts_graph_route(c.graph, i % (GPUS / 2), GPUS / 2 + i / (GPUS / 2) % (GPUS / 2),
                             &(ts_fork){TS_IR_ROUTE_ECMP, i / (GPUS * GPUS / 4), NULL, NULL, NULL},
                             &path));
    cr_assert_eq(path.hops, 4);
    over[(path.link[1] / 2 - GPUS) % SPINES]++;
  }
  for (uint32_t s = 0; s < SPINES; s++)
    /* sqrt(4096 x 1/4 x 3/4) = 27.7 */
    cr_assert_float_eq(over[s], all / 4.0, 4 * 27.7, "spine %u carries %u of %u", s, over[s], all);
  cluster_free(&c);
}
