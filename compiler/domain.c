/* The session with the domain: what clusters, strategies and schedules mean to the evaluator. */
#include "compiler/compile.h"
#include "compiler/eval/domain.h"
#include "compiler/eval/lifetime.h"
#include "compiler/machine/cluster.h"
#include "compiler/plan/records.h"
#include "compiler/schedule/schedule.h"
#include "compiler/shard/shard.h"

static ts_value changed(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with)
{
  return v.type == TS_T_APPLIED ? ts_rules_change(s, env, v, with) :
                                  ts_cluster_override(s, env, v, with);
}

static const ts_domain domain = {.cluster = ts_cluster_build,
                                 .changed = changed,
                                 .stages = ts_schedule_parts,
                                 .record_types = ts_plan_record_types};

ts_session *ts_session_new(ts_arena *arena) { return ts_session_of(arena, NULL, &domain); }
ts_session *ts_session_beside(ts_arena *arena, ts_sources *sources)
{
  return ts_session_of(arena, sources, &domain);
}
