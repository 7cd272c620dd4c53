# Lexer, grammar, syntax tree, formatter, units. Lists: ./dev sources.

#: libts_a_SOURCES += lang/*.c lang/parser.h lang/stored.h lang/ast.h lang/ast.def lang/units.h
libts_a_SOURCES += \
	lang/ast.c \
	lang/ast.def \
	lang/ast.h \
	lang/brackets.c \
	lang/format.c \
	lang/parse.c \
	lang/parser.h \
	lang/renamed.c \
	lang/stored.c \
	lang/stored.h \
	lang/syntax_error.c \
	lang/tokens.c \
	lang/units.c \
	lang/units.h

#: EXTRA_DIST += lang/*.l lang/*.y lang/units.def lang/keywords.def
EXTRA_DIST += \
	lang/grammar.y \
	lang/keywords.def \
	lang/lexer.l \
	lang/units.def

# Scanner and parser are generated here in a checkout and come ready-made in a release.
lang_generated = lang/grammar.c lang/grammar.h lang/lexer.c
libts_a_SOURCES += $(lang_generated)
BUILT_SOURCES += $(lang_generated)
MAINTAINERCLEANFILES += $(lang_generated)

lang/grammar.c: lang/grammar.y
	$(AM_V_GEN)$(MKDIR_P) lang && $(BISON) --no-lines -o lang/grammar.c -Hlang/grammar.h $(srcdir)/lang/grammar.y

lang/grammar.h: lang/grammar.c
	@test -f $@ || { rm -f lang/grammar.c; $(MAKE) $(AM_MAKEFLAGS) lang/grammar.c; }

lang/lexer.c: lang/lexer.l
	$(AM_V_GEN)$(MKDIR_P) lang && $(FLEX) --noline -o lang/lexer.c $(srcdir)/lang/lexer.l

# One target alone, `make tsc` in a fresh folder, passes by BUILT_SOURCES: the objects themselves ask for the header.
$(libts_a_OBJECTS): | lang/grammar.h base/toml_grammar.h
