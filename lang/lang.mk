# Lexer, grammar, syntax tree, formatter, units. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += lang/*.c
libtrainspec_la_SOURCES +=

#: nobase_pkginclude_HEADERS += lang/*.h lang/*.def
nobase_pkginclude_HEADERS += \
	lang/ast.def \
	lang/ast.h \
	lang/units.h

