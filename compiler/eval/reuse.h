/* What a session uses again, for its next plan (compiler/eval/plan_cache.h) or for plans of other
 * threads (compiler/eval/shared.h), and the notes of what work looked at, which decide when. */
#ifndef TS_COMPILER_EVAL_REUSE_H
#define TS_COMPILER_EVAL_REUSE_H

#include "compiler/eval/session.h"

/* What differs between plans and was looked at. Bits of `parameters` are those of the plan by their
 * places in its environment; the last one is all from there on, and all else that differs. */
typedef struct ts_touched {
  uint64_t parameters;
  bool mesh;            /* names of its axes */
  uint32_t sizes, ones; /* sizes of these axes; whether these have one rank */
} ts_touched;
#define TS_TOUCHED_OTHER (UINT64_C(1) << 63)

static inline void ts_touch(ts_touched *all, ts_touched more)
{
  all->parameters |= more.parameters;
  all->mesh |= more.mesh;
  all->sizes |= more.sizes;
  all->ones |= more.ones;
}

static inline bool ts_touched_any(ts_touched t) { return t.parameters || t.mesh; }

typedef struct ts_reuse {
  /* parameters of the plan, and whatever else differs between plans, that were looked at */
  ts_touched touched;
  struct ts_plan_cache *plan_cache; /* for the next plan; NULL: there is none */
  /* for the plans of other threads, or NULL; what of it the plan at hand uses */
  struct ts_cache *shared;
  TS_VEC(struct ts_cache_item *) using;
  size_t checked; /* so many modules, of which there was nothing to say */
} ts_reuse;

/* What stood when a piece of work began. */
typedef struct ts_noting {
  ts_touched touched;
  uint64_t reads;
  size_t said;
} ts_noting;

/* Around a piece of work; `touched`: by what it starts from. What it touched; whether something was
 * said since it began. */
ts_noting ts_noting_begin(ts_session *s, ts_touched touched);
ts_touched ts_noting_end(ts_session *s, const ts_noting *before);
bool ts_noting_said(const ts_session *s, const ts_noting *before);

#endif
