# Unit tests (Criterion) and golden files, all in TAP. Lists: ./dev sources.

LOG_DRIVER = env AM_TAP_AWK="$(AWK)" $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_TESTS_ENVIRONMENT = top_srcdir="$(abs_top_srcdir)" top_builddir="$(abs_top_builddir)"; export top_srcdir top_builddir;

#: tests_unit_sources = tests/unit/*.c tests/unit/*.h
tests_unit_sources = \
	tests/unit/test_stdlib_embed.c

if HAVE_CRITERION
check_PROGRAMS += tests/unit/unit
tests_unit_unit_SOURCES = $(tests_unit_sources)
tests_unit_unit_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_unit_LDFLAGS = -Wl,--unresolved-symbols=ignore-in-shared-libs
tests_unit_unit_LDADD = libtrainspec.la $(CRITERION_LIBS) -lm
TESTS += tests/run-unit.sh
else
EXTRA_DIST += $(tests_unit_sources)
endif

TESTS += tests/run-golden.sh tests/run-tree.sh

#: EXTRA_DIST += tests/*.sh tests/README.md tests/errors/* tests/fmt/* tests/lang/* tests/engine/* tests/examples/* tests/fuzz/* tests/data/*
EXTRA_DIST += \
	tests/README.md \
	tests/run-golden.sh \
	tests/run-tree.sh \
	tests/run-unit.sh

