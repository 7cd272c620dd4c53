/* Recursive halving and doubling (Rabenseifner, "Optimization of Collective Reduction Operations",
 * 2004; Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
 * MPICH", 2005, 4.1 to 4.5): partners n/2 apart exchange halves, those n/4 apart quarters, and so
 * on; an all-gather goes back. Of other numbers of ranks than powers of two, some hand all bytes of
 * an all-reduce to a neighbour before, and get the sum after. */
#include "runtime/collective/making.h"

static uint32_t power_below(uint32_t n)
{
  uint32_t power = 1;
  while (power <= n / 2)
    power *= 2;
  return power;
}

/* An all-gather or a reduce-scatter of a group that is no power of two takes a ring. Islands are
 * alike, so that partners are near each other or far from each other in each step. */
static bool algorithm_halving_possible(uint32_t kind, const ts_profile *p)
{
  bool plain = p->islands == 1 || p->islands == p->ranks;
  if (power_below(p->ranks) != p->ranks)
    return ts_is_whole(kind) && plain;
  return (ts_is_whole(kind) || ts_is_half(kind)) && p->ranks == p->islands * p->per_island;
}

/* Ranks that go through the steps, in an island and in all. */
typedef struct halved {
  double island, all, handed;
} halved;

static halved halved_of(const ts_profile *p)
{
  double all = power_below(p->ranks);
  return (halved){p->islands == 1 ? all : p->per_island, all, all < p->ranks};
}

static void algorithm_halving_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                    double *inter)
{
  halved h = halved_of(p);
  double passes = ts_passes(m->collective);
  *intra = passes * ts_levels((uint32_t)h.island);
  *inter = passes * ts_levels((uint32_t)(h.all / h.island));
  *(p->islands == 1 ? intra : inter) += 2 * h.handed;
}

/* What a rank sends and receives one after the other: those that hand over pass twice the whole. */
static void algorithm_halving_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                      double *inter)
{
  halved h = halved_of(p);
  double passes = ts_passes(m->collective);
  *intra = passes * (h.island - 1) / h.all;
  *inter = passes * h.island * (1 - h.island / h.all);
  *(p->islands == 1 ? intra : inter) += 2 * h.handed;
}

/* Ranks that go on are numbered: of the first pairs, one each. */
static uint32_t algorithm_halving_place_of(uint32_t number, uint32_t pairs)
{
  return number < pairs ? 2 * number + 1 : number + pairs;
}

/* A rank sends what its partner goes on with, or gathers for it. */
static bool add_exchange(ts_making *m, uint32_t far, uint32_t step, bool gathers)
{
  uint32_t n = power_below(m->ranks), pairs = m->ranks - n;
  for (uint32_t c = 0; c < m->channels; c++)
    for (uint32_t i = 0; i < n; i++) {
      uint64_t whole = ts_making_share(m, m->channels, c);
      uint32_t first = (gathers ? i : i ^ far) / far * far;
      if (!ts_making_message(
            m, algorithm_halving_place_of(i, pairs), algorithm_halving_place_of(i ^ far, pairs), c,
            step, ts_parts_before(whole, n, first + far) - ts_parts_before(whole, n, first)))
        return false;
    }
  return true;
}

static bool add_handing(ts_making *m, uint32_t step, bool back)
{
  uint32_t pairs = m->ranks - power_below(m->ranks);
  for (uint32_t c = 0; c < m->channels; c++)
    for (uint32_t i = 0; i < pairs; i++)
      if (!ts_making_message(m, 2 * i + back, 2 * i + !back, c, step,
                             ts_making_share(m, m->channels, c)))
        return false;
  return true;
}

static bool algorithm_halving_sends(ts_making *m)
{
  uint32_t kind = m->out->way.kind, n = power_below(m->ranks), step = 0;
  bool handed = n < m->ranks, good = true;
  if (handed && !ts_is_whole(kind))
    return false;
  if (handed)
    good = add_handing(m, step++, false);
  for (uint32_t far = n / 2; good && far && kind != TS_IR_ALL_GATHER; far /= 2)
    good = add_exchange(m, far, step++, false);
  for (uint32_t far = 1; good && far < n && kind != TS_IR_REDUCE_SCATTER; far *= 2)
    good = add_exchange(m, far, step++, true);
  if (good && handed)
    add_handing(m, step, true);
  return true;
}

const ts_algorithm ts_algorithm_halving_doubling = {.possible = algorithm_halving_possible,
                                                    .steps = algorithm_halving_steps,
                                                    .volumes = algorithm_halving_volumes,
                                                    .sends = algorithm_halving_sends};
