# From syntax tree to IR, one file a pass; costs and importers. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += compiler/*.c
libtrainspec_la_SOURCES += \
	compiler/value.c

#: nobase_pkginclude_HEADERS += compiler/*.h compiler/*.def
nobase_pkginclude_HEADERS += \
	compiler/cluster.h \
	compiler/dtypes.def \
	compiler/eval.h \
	compiler/plan.h \
	compiler/plan_fields.def \
	compiler/session.h \
	compiler/stdlib_embed.h \
	compiler/value.h

