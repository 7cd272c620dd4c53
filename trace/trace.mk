# Recordings of real runs: formats, linked, matched, replayed, exported. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += trace/*.c
libtrainspec_la_SOURCES += \
	trace/join.c \
	trace/layers.c \
	trace/link.c \
	trace/match.c \
	trace/optable.c \
	trace/pairs.c \
	trace/play_rank_graph.c \
	trace/read/aicb.c \
	trace/read/chakra.c \
	trace/read/events.c \
	trace/read/execution.c \
	trace/read/feed.c \
	trace/read/goal.c \
	trace/read/graph.c \
	trace/read/json.c \
	trace/read/kineto.c \
	trace/read/nsys.c \
	trace/read/rank_graph.c \
	trace/read/read.c \
	trace/read/rows.c \
	trace/read/snapshot.c \
	trace/read/triosim.c \
	trace/read/workload.c \
	trace/replay.c \
	trace/summary.c \
	trace/summary_report.c \
	trace/write/chakra.c \
	trace/write/export.c \
	trace/write/goal.c \
	trace/write/of_ir.c \
	trace/write/rank_graph.c

#: nobase_pkginclude_HEADERS += trace/*.h trace/*.def
nobase_pkginclude_HEADERS += \
	trace/join.h \
	trace/layers.h \
	trace/match.h \
	trace/optable.h \
	trace/pairs.h \
	trace/read/events.h \
	trace/read/feed.h \
	trace/read/goal.h \
	trace/read/json.h \
	trace/read/kernel_kinds.def \
	trace/read/rank_graph.h \
	trace/read/readers.h \
	trace/read/rows.h \
	trace/replay.h \
	trace/summary.h \
	trace/write/export.h \
	trace/write/export_form.h
