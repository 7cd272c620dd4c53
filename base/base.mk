# Floor below every module: arena, source map, diagnostics, digests. Lists: ./dev sources.

#: libts_la_SOURCES += base/*.c base/*.h base/*.def
libts_la_SOURCES += \
	base/arena.c \
	base/arena.h \
	base/clock.c \
	base/clock.h \
	base/complete.c \
	base/complete.h \
	base/container.c \
	base/container.h \
	base/csv.c \
	base/csv.h \
	base/diag.c \
	base/diag.h \
	base/diag_codes.def \
	base/diag_json.c \
	base/diag_record.h \
	base/diag_render.c \
	base/diag_sarif.c \
	base/digest.c \
	base/digest.h \
	base/error.c \
	base/error.h \
	base/escape.c \
	base/escape.h \
	base/exit.h \
	base/format.c \
	base/format.h \
	base/hash_table.c \
	base/hash_table.h \
	base/heap.c \
	base/heap.h \
	base/json_writer.c \
	base/json_writer.h \
	base/options.c \
	base/options.h \
	base/order.h \
	base/output.c \
	base/output.h \
	base/progress.h \
	base/round.h \
	base/source.c \
	base/source.h \
	base/sqlite.c \
	base/sqlite.h \
	base/suggest.c \
	base/terminal.c \
	base/terminal.h \
	base/text.c \
	base/text.h \
	base/text_diff.c \
	base/text_diff.h \
	base/version.c \
	base/version.h \
	base/xgboost.c \
	base/xgboost.h
