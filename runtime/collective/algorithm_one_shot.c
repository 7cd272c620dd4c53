/* One shot: each rank sends all bytes to each other rank of its island and sums up what comes, as
 * the all-reduces of inference libraries do with small messages (TensorRT-LLM and vLLM, "custom
 * all-reduce", one-shot). One step, for N-1 times the bytes. */
#include "runtime/collective/making.h"

static bool algorithm_one_shot_possible(uint32_t kind, const ts_profile *p)
{
  return ts_is_whole(kind) && p->islands == 1;
}

static void algorithm_one_shot_steps(const ts_ir_net_method *m, const ts_profile *p, double *intra,
                                     double *inter)
{
  (void)m, (void)p;
  *intra = 1;
  *inter = 0;
}

static void algorithm_one_shot_volumes(const ts_ir_net_method *m, const ts_profile *p,
                                       double *intra, double *inter)
{
  (void)m;
  *intra = p->ranks - 1.0;
  *inter = 0;
}

static bool algorithm_one_shot_sends(ts_making *m)
{
  if (!ts_is_whole(m->out->way.kind))
    return false;
  for (uint32_t c = 0; c < m->channels; c++)
    for (uint32_t from = 0; from < m->ranks; from++)
      for (uint32_t to = 0; to < m->ranks; to++)
        if (to != from && !ts_making_message(m, from, to, c, 0, ts_making_share(m, m->channels, c)))
          return true;
  return true;
}

const ts_algorithm ts_algorithm_one_shot = {.possible = algorithm_one_shot_possible,
                                            .steps = algorithm_one_shot_steps,
                                            .volumes = algorithm_one_shot_volumes,
                                            .sends = algorithm_one_shot_sends};
