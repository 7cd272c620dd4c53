# Folding, engine, collectives, memory, reports. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += runtime/*.c
libtrainspec_la_SOURCES +=

#: nobase_pkginclude_HEADERS += runtime/*.h runtime/*.def
nobase_pkginclude_HEADERS +=

