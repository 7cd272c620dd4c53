# Unit tests (Criterion) and golden files, all in TAP. Lists: ./dev sources.

LOG_DRIVER = env AM_TAP_AWK="$(AWK)" $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_TESTS_ENVIRONMENT = top_srcdir="$(abs_top_srcdir)" top_builddir="$(abs_top_builddir)"; export top_srcdir top_builddir;

#: tests_unit_sources = tests/unit/*.c tests/unit/*.h
tests_unit_sources = \
	tests/unit/engine_plan.c \
	tests/unit/engine_plan.h \
	tests/unit/random_ir.h \
	tests/unit/test_base_diag.c \
	tests/unit/test_base_options.c \
	tests/unit/test_cluster.c \
	tests/unit/test_compiler_depfile.c \
	tests/unit/test_engine_random.c \
	tests/unit/test_eval.c \
	tests/unit/test_eval.h \
	tests/unit/test_module.c \
	tests/unit/test_stdlib_embed.c

if HAVE_CRITERION
check_PROGRAMS += tests/unit/unit
tests_unit_unit_SOURCES = $(tests_unit_sources)
tests_unit_unit_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_unit_LDADD = libtrainspec.la $(CRITERION_LIBS) -lm
TESTS += tests/run-unit.sh
else
EXTRA_DIST += $(tests_unit_sources)
endif

TESTS += tests/run-golden.sh tests/run-fuzz.sh tests/run-tree.sh

#: fuzz_targets = tests/fuzz/fuzz_*.c
fuzz_targets =

# With --enable-fuzzing libFuzzer brings the main program; otherwise replay.c does.
fuzz_programs = $(fuzz_targets:.c=$(EXEEXT))
CLEANFILES += $(fuzz_programs)
EXTRA_DIST += $(fuzz_targets) tests/fuzz/replay.c
if FUZZING
noinst_DATA = $(fuzz_programs)
fuzz_main = -fsanitize=fuzzer
else
check_DATA = $(fuzz_programs)
fuzz_main = $(srcdir)/tests/fuzz/replay.c
endif
$(fuzz_programs): libtrainspec.la tests/fuzz/replay.c
$(fuzz_programs): %$(EXEEXT): %.c
	$(AM_V_CCLD)$(MKDIR_P) tests/fuzz && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) \
	  $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) -o $@ $< $(fuzz_main) libtrainspec.la $(LIBS)

#: EXTRA_DIST += tests/*.sh tests/README.md tests/cli/* tests/errors/* tests/fmt/* tests/lang/* tests/engine/* tests/examples/* tests/fuzz/corpus/* tests/data/*
EXTRA_DIST += \
	tests/README.md \
	tests/engine/_memory.ts \
	tests/engine/report_bare.out \
	tests/engine/report_bare.tsir \
	tests/engine/report_csv.cmd \
	tests/engine/report_csv.out \
	tests/engine/report_ignore_memory.cmd \
	tests/engine/report_ignore_memory.out \
	tests/engine/report_json.cmd \
	tests/engine/report_json.out \
	tests/engine/report_out_of_memory.out \
	tests/engine/report_out_of_memory.tsir \
	tests/engine/report_out_of_memory_json.cmd \
	tests/engine/report_out_of_memory_json.out \
	tests/engine/report_pipeline.out \
	tests/engine/report_pipeline.tsir \
	tests/engine/report_too_large.out \
	tests/engine/report_too_large.tsir \
	tests/engine/report_trace.cmd \
	tests/engine/report_trace.out \
	tests/engine/report_trace.tsir \
	tests/engine/two_stages.tsir \
	tests/run-fuzz.sh \
	tests/run-golden.sh \
	tests/run-tree.sh \
	tests/run-unit.sh
