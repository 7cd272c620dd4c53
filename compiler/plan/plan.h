/* The evaluated plan: what the passes after evaluation start from. Made by ts_plan_evaluate
 * (front), read by the graph, shard, stage, schedule, cost and lower passes. Fields not in the plan
 * have type NONE. */
#ifndef TS_COMPILER_PLAN_PLAN_H
#define TS_COMPILER_PLAN_PLAN_H

#include "compiler/eval/eval.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/session.h"
#include "compiler/eval/value.h"
#include "compiler/plan/records.h"
#include "ir/ir.h"

typedef struct ts_plan {
  const char *name;
  const ts_ast *decl;
  const ts_env *env;      /* plan parameters and the module */
  ts_touched touched;     /* by model and records: compiler/eval/plan_cache.h */
  ts_touched laid_out_by; /* by `apply` and `recompute` */
  ts_value model;         /* APPLIED model */
  ts_value cluster;       /* CLUSTER */
  ts_value placement;     /* FUNCTION coordinate record -> device index, or NONE: in order */
  ts_value apply;         /* LIST of APPLIED strategies, in order */
  ts_value schedule;      /* APPLIED schedule */
  /* protocols that change the schedule's own: DECL, a LIST of such, or NONE */
  ts_value protocols;
  ts_value recompute;     /* APPLIED strategy, or NONE */
  ts_value tuning; /* LIST of RECORDs { ops, set }: arguments of ops that are others, or NONE */
  ts_precision precision;
  ts_optimizer optimizer;
  ts_host host;
  ts_value memory;        /* RECORD of extra holdings: label: Size */
  ts_value costs;         /* LIST of APPLIED cost sources */
  ts_value network;       /* LIST of APPLIED network models */
  ts_value calibration;   /* APPLIED `calibrated`, or NONE */
  /* samples; batch{}: 1 and 0 (whatever comes out) when not given */
  int64_t micro_batch, global_batch;
  double tokens_per_sample; /* 0: not given */
  /* what runs the plan: names the kind of run that its errors are known of; "": not given */
  const char *framework, *release;
  double carbon;          /* g of CO2 a kWh; NaN: not given */
  ts_value errors;        /* RECORD: how far figures are off, of std.accuracy.errors; or NONE */
  ts_span span_of[32];    /* of each field, for messages: index by ts_plan_field */
} ts_plan;

typedef enum ts_plan_field {
#define FIELD(name, type) TS_PLAN_##name,
#include "compiler/plan/plan_fields.def"
#undef FIELD
  TS_PLAN_FIELDS
} ts_plan_field;

/* The declaration of the plan of this name, or of the only one (`wanted` NULL); NULL after a
 * diagnostic. */
struct ts_module;
const ts_ast *ts_plan_choose(ts_session *s, const struct ts_module *m, const char *wanted);

/* To the message about a name that is no parameter of the plan: an argument of what a parameter or
 * a field calls, or a field. `value`: what it was to be, or, VARIED, the first of its values. False
 * if it is none of these. */
bool ts_plan_help_name(ts_session *s, ts_diag *d, const ts_ast *plan, const char *name,
                       const char *value, bool varied);

/* Loads a file and its imports, checks every declaration, evaluates the plan (the only one, or the
 * one named). NULL after errors. */
ts_plan *ts_plan_load(ts_session *s, const char *path, const char *plan_name);

#endif
