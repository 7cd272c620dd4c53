# The intermediate representation: ir.h is its specification. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += ir/*.c
libtrainspec_la_SOURCES += \
	ir/build.c \
	ir/canon.c \
	ir/layout.c \
	ir/load.c \
	ir/names.c \
	ir/packets.c \
	ir/pool.c \
	ir/text/cluster.c \
	ir/text/lex.c \
	ir/text/play.c \
	ir/text/read.c \
	ir/text/text.c \
	ir/text/write.c \
	ir/verify.c \
	ir/verify_programs.c \
	ir/words.c \
	ir/write.c

#: nobase_pkginclude_HEADERS += ir/*.h ir/*.def
nobase_pkginclude_HEADERS += \
	ir/ir.h \
	ir/layout.h \
	ir/names.h \
	ir/packets.h \
	ir/pool.h \
	ir/refs.def \
	ir/text/text.h \
	ir/words.h

