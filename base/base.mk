# Floor below every module: arena, source map, diagnostics, digests. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += base/*.c
libtrainspec_la_SOURCES += \
	base/arena.c \
	base/diag.c \
	base/source.c \
	base/suggest.c

#: nobase_pkginclude_HEADERS += base/*.h base/*.def
nobase_pkginclude_HEADERS += \
	base/arena.h \
	base/diag.h \
	base/diag_codes.def \
	base/diag_record.h \
	base/source.h

