/* Pairs: every rank sends each other one its part. */
#include "runtime/collective/making.h"

/* A rank on the same rail takes what all ranks of the island have for an island. */
static void algorithm_pairs_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                  double *inter)
{
  double islands = p->islands;
  *intra = p->per_island - 1.0 + m->relay * (p->islands > 1);
  *inter = m->relay ? islands - 1 : p->ranks - (double)p->per_island;
}

static void algorithm_pairs_volumes(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                    double *inter)
{
  double ranks = p->ranks, island = p->per_island, leaving = (ranks - island) / ranks;
  *intra =
    (island - 1) / ranks + (p->islands > 1 ? m->relay * leaving * (island - 1) / island : 0);
  *inter = leaving * island;
}

static bool algorithm_pairs_sends(ts_making *m)
{
  (void)m;
  return false;
}

const ts_algorithm ts_algorithm_pairs = {.steps = algorithm_pairs_steps,
                                         .volumes = algorithm_pairs_volumes,
                                         .sends = algorithm_pairs_sends};
