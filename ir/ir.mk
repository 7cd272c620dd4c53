# The intermediate representation: ir.h is its specification. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += ir/*.c
libtrainspec_la_SOURCES += \
	ir/build.c \
	ir/canon.c \
	ir/layout.c \
	ir/load.c \
	ir/packets.c \
	ir/pool.c \
	ir/text.c \
	ir/text_cluster.c \
	ir/text_lex.c \
	ir/text_play.c \
	ir/text_read.c \
	ir/text_write.c \
	ir/verify.c \
	ir/verify_programs.c \
	ir/write.c

#: nobase_pkginclude_HEADERS += ir/*.h ir/*.def
nobase_pkginclude_HEADERS += \
	ir/ir.h \
	ir/layout.h \
	ir/packets.h \
	ir/pool.h \
	ir/refs.def \
	ir/text.h

