# The intermediate representation: ir.h is its specification. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += ir/*.c
libtrainspec_la_SOURCES +=

#: nobase_pkginclude_HEADERS += ir/*.h ir/*.def
nobase_pkginclude_HEADERS += \
	ir/ir.h

