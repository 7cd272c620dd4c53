/* No model of a network is faster than its links: random clusters of pods, nodes of unequal sizes,
 * rails, spines and oversubscription, groups of any stride, all collectives. The bound is worked
 * out here anew, from how the cluster was drawn: what each rank, node and pod must send and take,
 * by pairs of ranks. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/spelling.h"
#include "runtime/collective/network_internal.h"

enum { MOST_RANKS = 48 };

typedef struct cluster {
  /* nodes of a pod; shape: of the mesh */
  uint32_t pods, nodes, rails, spines, gpus, world, shape[3];
  uint32_t node[MOST_RANKS], pod[MOST_RANKS], place[MOST_RANKS];
  double nvlink, nic, up; /* GB/s; up: of a leaf to one spine */
  bool rail_leaves;       /* a leaf for each rail of a pod, or one for all */
  char text[32768];
} cluster;

static uint32_t draw(uint64_t *state, uint32_t n)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33) % n;
}

static void say(char **at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  *at += vsprintf(*at, format, args);
  va_end(args);
}

static void draw_cluster(cluster *c, uint64_t seed, const char *models)
{
  uint64_t random = seed;
  char *at = c->text;
  c->pods = 1 + draw(&random, 3), c->nodes = 1 + draw(&random, 3), c->rails = 1 + draw(&random, 5),
  c->spines = 1 + draw(&random, 4);
  c->nvlink = 100 * (1 + draw(&random, 4)), c->nic = 10 * (1 + draw(&random, 6)),
  c->rail_leaves = draw(&random, 2);
  double whole = c->nic * c->nodes * (c->rail_leaves ? 1 : c->rails) / (1 << draw(&random, 4));
  c->up = whole / c->spines;
  uint32_t uneven = draw(&random, 3) ? 0 : draw(&random, 1000), gpus = 0;
  for (uint32_t n = 0; n < c->pods * c->nodes; n++)
    for (uint32_t g = 0; g < c->rails - (uneven && c->rails > 1 && uneven % (n + 2) < 2);
         g++, gpus++)
      c->node[gpus] = n, c->pod[gpus] = n / c->nodes;
  c->gpus = gpus;
  for (c->world = 0; !c->world && gpus > 1;) { /* as many ranks as three axes of the mesh make */
    for (int a = 0; a < 3; a++)
      c->shape[a] = 1 + draw(&random, a ? 3 : gpus);
    uint32_t world = c->shape[0] * c->shape[1] * c->shape[2];
    c->world = world > 1 && world <= gpus ? world : 0;
  }
  say(&at,
      "axis x %u\naxis y %u\naxis z %u\ngroup g0 = x\ngroup g1 = y\ngroup g2 = x, z\nstream "
      "compute\nstream comm\n",
      c->shape[0], c->shape[1], c->shape[2]);
  say(&at,
      "device_class d 1 TB/s\ndevices gpu[%u] of d\nswitches nv[%u]\nswitches leaf[%u]\nswitches "
      "spine[%u]\n",
      gpus, c->pods * c->nodes, c->pods * c->rails, c->spines);
  say(&at,
      "link_class nvl %g GB/s latency 1 us\nlink_class nic %g GB/s latency 2 us tier 1\nlink_class "
      "up %.17g GB/s latency 1 us tier %u\n",
      c->nvlink, c->nic, c->up, 1 + draw(&random, 2));
  for (uint32_t i = 0, g = 0; i < gpus; i++, g++) {
    g = i && c->node[i] == c->node[i - 1] ? g : 0;
    say(&at, "link gpu[%u] -- nv[%u] nvl\nlink gpu[%u] -- leaf[%u] nic\n", i, c->node[i], i,
        c->pod[i] * c->rails + (c->rail_leaves ? g : 0));
  }
  for (uint32_t l = 0; l < c->pods * c->rails; l++)
    for (uint32_t s = 0; s < c->spines && (c->rail_leaves || l % c->rails == 0); s++)
      say(&at, "link leaf[%u] -- spine[%u] up\n", l, s);
  uint32_t rotation = draw(&random, 2) ? draw(&random, gpus) : 0;
  say(&at, "place ");
  for (uint32_t r = 0; r < c->world; r++) {
    c->place[r] = (r + rotation) % gpus;
    say(&at, "%s%u", r ? ", " : "", c->place[r]);
  }
  say(&at, "\n%sfragment F {\n", models);
  for (uint32_t g = 0; g < 3; g++)
    for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++)
      if (ts_ir_is_collective(kind) && kind != TS_IR_BARRIER)
        say(&at, " %s 1 MB over g%u\n", ts_ir_collective_names[kind], g);
  say(&at, "}\nprogram { F }\n");
}

/* What rank i of n must get to rank j, of 1 B of the call, if nobody else had or wanted the same;
 * what others share is counted once by `must_leave`. */
static double must_leave(uint32_t kind, const bool *inside, uint32_t n, bool entering)
{
  double bytes = 0;
  uint32_t members = 0;
  for (uint32_t i = 0; i < n; i++)
    members += inside[i] != entering;
  for (uint32_t i = 0; i < n; i++) {
    bool here = inside[i] != entering; /* a sender */
    switch (kind) {
    case TS_IR_ALL_TO_ALL: bytes += here ? (n - members) / (double)n : 0; break;
    /* its part is wanted outside */
    case TS_IR_ALL_GATHER: bytes += here / (double)n; break;
    /* the others' parts want the senders' sum */
    case TS_IR_REDUCE_SCATTER: bytes += !here / (double)n; break;
    /* partial sums of the others' parts and results of its own */
    case TS_IR_ALL_REDUCE: bytes += 1. / n; break;
    case TS_IR_BROADCAST: bytes += here && i == 0; break;
    case TS_IR_REDUCE: bytes += !here && i == 0; break;
    case TS_IR_SHIFT: bytes += here && (inside[(i + 1) % n] != entering) != here; break;
    }
  }
  return bytes;
}

/* of ranks' places; GB/s of the links out of it, and as much into it */
typedef struct set { const uint32_t *of; uint32_t value; double rate; } set;

static uint32_t sets_of(const cluster *c, const uint32_t *numbers, set *sets)
{
  uint32_t count = 0, gpus[MOST_RANKS] = {0};
  for (uint32_t i = 0; i < c->gpus; i++) {
    gpus[c->node[i]]++;
    sets[count++] = (set){numbers, i, c->nvlink + c->nic};
  }
  for (uint32_t n = 0; n < c->pods * c->nodes; n++)
    sets[count++] = (set){c->node, n, gpus[n] * c->nic};
  for (uint32_t p = 0; p < c->pods; p++) {
    uint32_t leaves = 1; /* that have GPUs on them */
    for (uint32_t n = p * c->nodes; c->rail_leaves && n < (p + 1) * c->nodes; n++)
      leaves = gpus[n] > leaves ? gpus[n] : leaves;
    sets[count++] = (set){c->pod, p, c->up * c->spines * leaves};
  }
  return count;
}

static uint32_t members_of(const cluster *c, const set *at, const uint32_t *ranks, uint32_t n,
                           bool *inside)
{
  uint32_t members = 0;
  for (uint32_t i = 0; i < n; i++)
    members += inside[i] = at->of[c->place[ranks[i]]] == at->value;
  return members;
}

/* ps a byte until the last of all instances is done: they share what leads out of a set. */
static double bound_of_all(const cluster *c, uint32_t kind, const ts_rank_group *g)
{
  uint32_t numbers[MOST_RANKS], ranks[MOST_RANKS];
  set sets[3 * MOST_RANKS];
  double most = 0;
  for (uint32_t i = 0; i < MOST_RANKS; i++)
    numbers[i] = i;
  uint32_t count = sets_of(c, numbers, sets);
  for (uint32_t s = 0; s < count; s++) {
    double out = 0, in = 0;
    for (uint32_t i = 0; i < g->instances; i++) {
      bool inside[MOST_RANKS];
      for (uint32_t j = 0; j < g->size; j++)
        ranks[j] = ts_instance_ranks(g, i)[j];
      uint32_t members = members_of(c, &sets[s], ranks, g->size, inside);
      if (!members || members == g->size)
        continue;
      out += must_leave(kind, inside, g->size, false);
      in += must_leave(kind, inside, g->size, true);
    }
    most = fmax(most, fmax(out, in) / sets[s].rate);
  }
  return most * 1e3;
}

/* ps a byte for an instance alone; with `sums`, and every rank's or node's or pod's links together
 * where only ranks reduce. */
static double bound_of(const cluster *c, uint32_t kind, const uint32_t *ranks, uint32_t n,
                       bool sums)
{
  uint32_t numbers[MOST_RANKS], parts = 0, shown = 0;
  set sets[3 * MOST_RANKS];
  double most = 0, rates = 0;
  for (uint32_t i = 0; i < MOST_RANKS; i++)
    numbers[i] = i;
  uint32_t count = sets_of(c, numbers, sets);
  for (uint32_t s = 0; s <= count; s++) {
    if (s == count || (s && sets[s].of != sets[s - 1].of)) { /* all parts of a kind seen */
      if (sums && kind == TS_IR_ALL_REDUCE && shown > 1)
        most = fmax(most, 2. * (parts - 1) / rates);
      parts = shown = 0, rates = 0;
    }
    if (s == count)
      break;
    bool inside[MOST_RANKS];
    uint32_t members = members_of(c, &sets[s], ranks, n, inside);
    if (!members || members == n)
      continue;
    parts++, shown++, rates += sets[s].rate;
    most = fmax(most, fmax(must_leave(kind, inside, n, false), must_leave(kind, inside, n, true)) /
                        sets[s].rate);
  }
  return most * 1e3; /* GB/s */
}

static const char *const models[] = {
  "",
  "net_model m alpha_beta efficiency 0.7\n",
  "net_model m alpha_beta by tree\n",
  "net_model m flow\n",
  "net_model m flow routing adaptive channels 3\n",
  "net_model m flow routing ecmp by ring channels 1\n",
  "net_model m white_box {\n  method all_reduce ring simple channels 8 threads 512 intra_rate 90 "
  "TB/s inter_rate 90 TB/s\n  method all_gather ring simple channels 8 threads 512 intra_share 1 "
  "inter_share 1\n"
  "  method all_to_all pairs simple channels 8 threads 512 intra_share 1 inter_share 1\n  method "
  "shift pairs simple channels 8 threads 512\n"
  "  method reduce_scatter ring simple channels 8 threads 512 intra_share 1 inter_share 1\n}\n",
};

static void each_estimate(uint64_t seed, const char *model, uint32_t *raised)
{
  static cluster c;
  memset(&c, 0, sizeof c);
  draw_cluster(&c, seed, model);
  if (c.gpus < 2)
    return;
  ts_error error = {0};
  ts_ir ir;
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  ts_ir_builder *b = ts_ir_parse(c.text, strlen(c.text), &error);
  cr_assert(b, "line %u: %s\n%s", error.line, error.message, c.text);
  ts_ir_builder_view(b, &ir);
  const ts_ranks *ranks = ts_ranks_new(arena, &ir);
  ts_network *network = ts_network_new(arena, &ir, ranks, NULL, &stop);
  for (uint32_t g = 0; g < 3; g++) {
    const ts_rank_group *group = &ranks->groups[g];
    if (!group->used || group->size < 2)
      continue;
    const uint32_t *profile = ts_network_group(network, g, &stop);
    cr_assert(profile, "%s", stop.title);
    ts_bound *bounds = TS_NEW_ARRAY(arena, ts_bound, group->instances);
    ts_cuts_group(ts_cuts_new(arena, &ir), ranks, group, ~0u, bounds);
    for (uint32_t i = 0; i < group->instances; i++)
      for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++) {
        uint32_t members[MOST_RANKS];
        for (uint32_t j = 0; j < group->size; j++)
          members[j] = ts_instance_ranks(group, i)[j];
        double own = bound_of(&c, kind, members, group->size, false),
               sums = bound_of(&c, kind, members, group->size, true);
        cr_assert(kind == TS_IR_BARRIER || kind == TS_IR_MESSAGE || (own > 0 && sums >= own));
        cr_assert_float_eq(ts_bound_time(&bounds[i], kind, 1, false, false), own, 1e-8 * own,
                           "seed %lu: %s, bound %g, by hand %g\n%s", (unsigned long)seed,
                           ts_ir_collective_names[kind],
                           ts_bound_time(&bounds[i], kind, 1, false, false), own, c.text);
        cr_assert_float_eq(ts_bound_time(&bounds[i], kind, 1, false, true), sums, 1e-8 * sums);
        for (uint64_t bytes = 1; bytes < UINT64_C(1) << 36; bytes *= 997) {
          ts_estimate e = ts_network_estimate(network, kind, bytes, profile[i]);
          cr_assert((double)e.time >= floor(sums * (double)bytes * (1 - 1e-8)),
                    "seed %lu: %s of %lu bytes over %u ranks: %lu ps, the links need %.0f\n%s",
                    (unsigned long)seed, ts_ir_collective_names[kind], (unsigned long)bytes,
                    group->size, (unsigned long)e.time, sums * (double)bytes, c.text);
          *raised += e.raised;
        }
      }
    for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++) {
      uint64_t last = 0, bytes = 1000000000;
      for (uint32_t i = 0; i < group->instances; i++) {
        uint64_t time = ts_network_estimate(network, kind, bytes, profile[i]).time;
        last = time > last ? time : last;
      }
      double all = bound_of_all(&c, kind, group) * (double)bytes;
      cr_assert((double)last >= all * (1 - 1e-8),
                "seed %lu: %s of all instances over %u ranks: %lu ps, the links need %.0f\n%s",
                (unsigned long)seed, ts_ir_collective_names[kind], group->size, (unsigned long)last,
                all, c.text);
    }
  }
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

Test(network_bound, no_model_is_faster_than_the_links)
{
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    uint32_t raised = 0;
    for (uint64_t seed = 1; seed <= 150; seed++)
      each_estimate(seed, models[m], &raised);
    cr_log_info("%s raised %u times", models[m], raised);
    bool invents = strstr(models[m], "white_box");
    cr_assert(invents == (raised > 0), "%s raised %u times", models[m], raised);
  }
}
