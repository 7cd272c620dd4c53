# Recordings of real runs: formats, linked, matched, replayed, exported. Lists: ./dev sources.

#: libts_la_SOURCES += trace/*.c trace/*.h trace/*.def
libts_la_SOURCES += \
	trace/join.c \
	trace/join.h \
	trace/layers.c \
	trace/layers.h \
	trace/link.c \
	trace/machine_ir.c \
	trace/machine_ir.h \
	trace/match.c \
	trace/match.h \
	trace/optable.c \
	trace/optable.h \
	trace/pairs.c \
	trace/pairs.h \
	trace/play_rank_graph.c \
	trace/read/aicb.c \
	trace/read/chakra.c \
	trace/read/events.c \
	trace/read/events.h \
	trace/read/execution.c \
	trace/read/feed.c \
	trace/read/feed.h \
	trace/read/goal.c \
	trace/read/goal.h \
	trace/read/graph.c \
	trace/read/json.c \
	trace/read/json.h \
	trace/read/kernel_kinds.def \
	trace/read/kineto.c \
	trace/read/nsys.c \
	trace/read/rank_graph.c \
	trace/read/rank_graph.h \
	trace/read/read.c \
	trace/read/readers.h \
	trace/read/rows.c \
	trace/read/rows.h \
	trace/read/snapshot.c \
	trace/read/triosim.c \
	trace/read/workload.c \
	trace/read/workload.h \
	trace/replay.c \
	trace/replay.h \
	trace/summary.c \
	trace/summary.h \
	trace/summary_report.c \
	trace/workload_ir.c \
	trace/workload_ir.h \
	trace/write/chakra.c \
	trace/write/export.c \
	trace/write/export.h \
	trace/write/export_form.h \
	trace/write/goal.c \
	trace/write/of_ir.c \
	trace/write/rank_graph.c \
	trace/write/workload.c
