# Floor below every module: arena, source map, diagnostics, digests. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += base/*.c
libtrainspec_la_SOURCES += \
	base/arena.c \
	base/clock.c \
	base/diag.c \
	base/diag_json.c \
	base/diag_render.c \
	base/diag_sarif.c \
	base/digest.c \
	base/escape.c \
	base/format.c \
	base/heap.c \
	base/options.c \
	base/output.c \
	base/source.c \
	base/suggest.c \
	base/text.c \
	base/text_diff.c \
	base/version.c \
	base/xgboost.c

#: nobase_pkginclude_HEADERS += base/*.h base/*.def
nobase_pkginclude_HEADERS += \
	base/arena.h \
	base/clock.h \
	base/diag.h \
	base/diag_codes.def \
	base/diag_record.h \
	base/digest.h \
	base/escape.h \
	base/exit.h \
	base/format.h \
	base/heap.h \
	base/options.h \
	base/output.h \
	base/round.h \
	base/source.h \
	base/text.h \
	base/text_diff.h \
	base/version.h \
	base/xgboost.h

