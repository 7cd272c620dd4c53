/* The solver of flows against closed forms, and against a slow max-min of its own on random graphs.
 * */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/collective/flow.h"
#include "tests/unit/amount.h"

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)); }

Test(flow, alone_and_shared)
{
  ts_arena *arena = ts_arena_new("test");
  double capacity[] = {100e9, 50e9};
  ts_flow_use both[] = {{0, 1}, {1, 1}}, first[] = {{0, 1}};
  ts_flows *f = ts_flows_new(arena, 2, capacity);
  uint32_t a = ts_flows_start(f, both, 2, 50e9);
  cr_assert_eq(ts_flows_next(f), UINT64_C(1000000000000));
  uint32_t b = ts_flows_start(f, both, 2, 25e9), c = ts_flows_start(f, first, 1, 150e9);
  cr_assert(near(ts_flows_rate(f, a), 25e9) && near(ts_flows_rate(f, b), 25e9) &&
            near(ts_flows_rate(f, c), 50e9));
  cr_assert_eq(ts_flows_next(f), UINT64_C(1000000000000)); /* b after 1 s; a has 25 GB left */
  ts_flows_advance(f, ts_flows_next(f));
  cr_assert_eq(ts_flows_ended(f), b);
  cr_assert_eq(ts_flows_ended(f), TS_FLOW_NONE);
  cr_assert(near(ts_flows_rate(f, a), 50e9) && near(ts_flows_rate(f, c), 50e9));
  cr_assert_eq(ts_flows_next(f), UINT64_C(1500000000000));
  ts_flows_advance(f, ts_flows_next(f));
  cr_assert_eq(ts_flows_ended(f), a);
  cr_assert(near(ts_flows_rate(f, c), 100e9)); /* 150 - 75 = 75 GB left at 1.5 s */
  cr_assert_eq(ts_flows_next(f), UINT64_C(2250000000000));
  ts_arena_free(arena);
}

Test(flow, connections_weigh_and_nothing_to_share)
{
  ts_arena *arena = ts_arena_new("test");
  double capacity[] = {90, 0};
  ts_flow_use on[] = {{0, 1}}, twice[] = {{0, 2}}, dead[] = {{1, 1}};
  ts_flows *f = ts_flows_new(arena, 2, capacity);
  uint32_t a = ts_flows_start(f, on, 1, 60), b = ts_flows_start(f, twice, 1, 30),
           stuck = ts_flows_start(f, dead, 1, 1);
  cr_assert(near(ts_flows_rate(f, a), 30) && near(ts_flows_rate(f, b), 30) &&
            ts_flows_rate(f, stuck) == 0);
  ts_flows_advance(f, ts_flows_next(f));
  cr_assert_eq(ts_flows_ended(f), b);
  cr_assert(near(ts_flows_rate(f, a), 90));
  uint32_t empty = ts_flows_start(f, on, 1, 0), free = ts_flows_start(f, NULL, 0, 1e9);
  cr_assert_eq(ts_flows_next(f), UINT64_C(1000000000000));
  cr_assert_eq(ts_flows_ended(f), empty < free ? empty : free);
  cr_assert_eq(ts_flows_ended(f), empty < free ? free : empty);
  cr_assert_eq(ts_flows_ended(f), TS_FLOW_NONE);
  ts_arena_free(arena);
}

/* ---- against a slow reference: progressive filling of everything, by its definition ---- */

enum { LINKS = 24, FLOWS = 60, USES = 5 };

typedef struct slow_flow {
  bool alive;
  uint32_t id, count;
  ts_flow_use uses[USES];
  double rate, left;
} slow_flow;

static double room_of(const double *capacity, const slow_flow *flows, uint32_t link, double *open)
{
  double room = capacity[link];
  *open = 0;
  for (uint32_t i = 0; i < FLOWS; i++)
    for (uint32_t u = 0; flows[i].alive && u < flows[i].count; u++)
      if (flows[i].uses[u].link == link) {
        if (flows[i].rate < 0)
          *open += flows[i].uses[u].connections;
        else
          room -= flows[i].uses[u].connections * flows[i].rate;
      }
  return room > 0 ? room : 0;
}

static void slow_solve(const double *capacity, slow_flow *flows)
{
  for (uint32_t i = 0; i < FLOWS; i++)
    flows[i].rate = -1;
  for (;;) {
    double least = INFINITY, open;
    uint32_t at = TS_FLOW_NONE;
    for (uint32_t l = 0; l < LINKS; l++) {
      double room = room_of(capacity, flows, l, &open);
      if (open > 0 && room / open < least)
        least = room / open, at = l;
    }
    if (at == TS_FLOW_NONE)
      return;
    for (uint32_t i = 0; i < FLOWS; i++)
      for (uint32_t u = 0; flows[i].alive && flows[i].rate < 0 && u < flows[i].count; u++)
        if (flows[i].uses[u].link == at)
          flows[i].rate = least;
  }
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33) % n;
}

static void new_flow(uint64_t *random, slow_flow *w)
{
  *w = (slow_flow){.alive = true, .left = 1 + draw(random, 1000)};
  for (uint32_t wanted = 1 + draw(random, USES), tries = 0; w->count < wanted && tries < 20;
       tries++) {
    uint32_t link = draw(random, LINKS), u = 0;
    while (u < w->count && w->uses[u].link != link)
      u++;
    if (u == w->count)
      w->uses[w->count++] = (ts_flow_use){link, 1 + draw(random, 3) / 2};
  }
}

static void compare(ts_flows *f, const double *capacity, slow_flow *flows, uint64_t seed,
                    uint32_t event)
{
  slow_solve(capacity, flows);
  for (uint32_t i = 0; i < FLOWS; i++)
    if (flows[i].alive)
      cr_assert(fabs(ts_flows_rate(f, flows[i].id) - flows[i].rate) <= 1e-7 * flows[i].rate + 1e-12,
                "seed %u, event %u, flow %u: %.12g, slowly %.12g", (unsigned)seed, event, i,
                ts_flows_rate(f, flows[i].id), flows[i].rate);
}

static void churn(uint64_t seed)
{
  ts_arena *arena = ts_arena_new("test");
  uint64_t random = seed, now = 0;
  double capacity[LINKS];
  slow_flow flows[FLOWS] = {0};
  for (uint32_t l = 0; l < LINKS; l++)
    capacity[l] = 1 + draw(&random, 100);
  ts_flows *f = ts_flows_new(arena, LINKS, capacity);
  for (uint32_t event = 0; event < 200; event++) {
    uint32_t i = draw(&random, FLOWS);
    if (!flows[i].alive) {
      new_flow(&random, &flows[i]);
      flows[i].id = ts_flows_start(f, flows[i].uses, flows[i].count, flows[i].left);
    } else if (draw(&random, 3)) {
      uint64_t next = ts_flows_next(f);
      if (next != TS_FLOW_NEVER)
        ts_flows_advance(f, now = next);
      for (uint32_t id; (id = ts_flows_ended(f)) != TS_FLOW_NONE;)
        for (uint32_t k = 0; k < FLOWS; k++)
          if (flows[k].alive && flows[k].id == id)
            flows[k].alive = false;
    } else { /* on its way to the next end */
      uint64_t next = ts_flows_next(f);
      if (next != TS_FLOW_NEVER && next > now)
        ts_flows_advance(f, now += (next - now) / 2);
    }
    if (draw(&random, 2)) /* several may come and go before it is solved */
      compare(f, capacity, flows, seed, event);
  }
  ts_arena_free(arena);
}

Test(flow, as_a_slow_max_min_on_random_graphs)
{
  for (uint64_t seed = 1; seed <= amount(50, 200); seed++)
    churn(seed);
}
