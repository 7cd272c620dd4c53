# From syntax tree to IR, one file a pass; costs and importers. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += compiler/*.c
libtrainspec_la_SOURCES += \
	compiler/builtin.c \
	compiler/builtin_column.c \
	compiler/call.c \
	compiler/check.c \
	compiler/cluster.c \
	compiler/compile.c \
	compiler/cost/cost.c \
	compiler/cost/fit.c \
	compiler/cost/fit_ops.c \
	compiler/cost/fit_train.c \
	compiler/cost/gp.c \
	compiler/cost/interpolate.c \
	compiler/cost/kernel_models.c \
	compiler/cost/roofline.c \
	compiler/cost/table.c \
	compiler/cost_sources.c \
	compiler/costing.c \
	compiler/env.c \
	compiler/eval.c \
	compiler/extern.c \
	compiler/fragment.c \
	compiler/fragment_backward.c \
	compiler/fragment_forward.c \
	compiler/fragment_merge.c \
	compiler/fragment_parameters.c \
	compiler/fragment_ring.c \
	compiler/fragment_step.c \
	compiler/graph.c \
	compiler/import/follow.c \
	compiler/import/table.c \
	compiler/import/trace.c \
	compiler/layout.c \
	compiler/lower.c \
	compiler/lower_cluster.c \
	compiler/module.c \
	compiler/network.c \
	compiler/op.c \
	compiler/plan.c \
	compiler/progress.c \
	compiler/rules.c \
	compiler/schedule.c \
	compiler/schedule_csv.c \
	compiler/schedule_policy.c \
	compiler/schedule_rules.c \
	compiler/schedule_work.c \
	compiler/session.c \
	compiler/shard.c \
	compiler/shard_comm.c \
	compiler/shard_graph.c \
	compiler/stage.c \
	compiler/stage_cost.c \
	compiler/value.c

#: nobase_pkginclude_HEADERS += compiler/*.h compiler/*.def
nobase_pkginclude_HEADERS += \
	compiler/builtins.def \
	compiler/check.h \
	compiler/cluster.h \
	compiler/compile.h \
	compiler/cost/correlate.def \
	compiler/cost/cost.h \
	compiler/cost/fit.h \
	compiler/cost/gp.h \
	compiler/cost/kernel_models.h \
	compiler/cost/source.h \
	compiler/cost/table.h \
	compiler/costing.h \
	compiler/dtypes.def \
	compiler/env.h \
	compiler/eval.h \
	compiler/fragment.h \
	compiler/function.h \
	compiler/graph.h \
	compiler/import/table.h \
	compiler/import/trace.h \
	compiler/layout.h \
	compiler/makers.def \
	compiler/module.h \
	compiler/names.h \
	compiler/network.h \
	compiler/op.h \
	compiler/plan.h \
	compiler/plan_fields.def \
	compiler/schedule.h \
	compiler/schedule_internal.h \
	compiler/session.h \
	compiler/shard.h \
	compiler/shard_internal.h \
	compiler/stage.h \
	compiler/stdlib_embed.h \
	compiler/types.def \
	compiler/value.h

