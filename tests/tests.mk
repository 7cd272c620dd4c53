# Unit tests (Criterion) and golden files, all in TAP. Lists: ./dev sources.

LOG_DRIVER = env AM_TAP_AWK="$(AWK)" $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_TESTS_ENVIRONMENT = top_srcdir="$(abs_top_srcdir)" top_builddir="$(abs_top_builddir)"; export top_srcdir top_builddir;

#: tests_unit_sources = tests/unit/*.c tests/unit/*.h
tests_unit_sources = \
	tests/unit/amount.h \
	tests/unit/engine_plan.c \
	tests/unit/engine_plan.h \
	tests/unit/ir_text.h \
	tests/unit/lang_tree.h \
	tests/unit/no_git2.c \
	tests/unit/plan_text.h \
	tests/unit/random_ir.h \
	tests/unit/strategy_uses.h \
	tests/unit/test_arena.c \
	tests/unit/test_at_once.c \
	tests/unit/test_base_diag.c \
	tests/unit/test_base_options.c \
	tests/unit/test_blocks.c \
	tests/unit/test_cache.c \
	tests/unit/test_calibrate.c \
	tests/unit/test_chakra_schemas.c \
	tests/unit/test_closed_forms.c \
	tests/unit/test_cluster.c \
	tests/unit/test_collective.c \
	tests/unit/test_collective_statistical.c \
	tests/unit/test_collective_white_box.c \
	tests/unit/test_common.c \
	tests/unit/test_compiler_depfile.c \
	tests/unit/test_confidence.c \
	tests/unit/test_container.c \
	tests/unit/test_cost_fit.c \
	tests/unit/test_cost_table.c \
	tests/unit/test_cost_trees.c \
	tests/unit/test_csv.c \
	tests/unit/test_database.c \
	tests/unit/test_device.c \
	tests/unit/test_digest.c \
	tests/unit/test_energy.c \
	tests/unit/test_engine.c \
	tests/unit/test_engine_insight.c \
	tests/unit/test_engine_overlap.c \
	tests/unit/test_engine_random.c \
	tests/unit/test_engine_slowdown.c \
	tests/unit/test_error.c \
	tests/unit/test_escape.c \
	tests/unit/test_eval.c \
	tests/unit/test_eval.h \
	tests/unit/test_experts.c \
	tests/unit/test_fabric.c \
	tests/unit/test_fabrics.c \
	tests/unit/test_flow.c \
	tests/unit/test_flow_model.c \
	tests/unit/test_forecast.c \
	tests/unit/test_goodput.c \
	tests/unit/test_gzip.c \
	tests/unit/test_hash_table.c \
	tests/unit/test_held.c \
	tests/unit/test_hop.c \
	tests/unit/test_import.c \
	tests/unit/test_ir_file.c \
	tests/unit/test_ir_forms.c \
	tests/unit/test_ir_loops.c \
	tests/unit/test_ir_runs.c \
	tests/unit/test_ir_text.c \
	tests/unit/test_ir_verify.c \
	tests/unit/test_journal.c \
	tests/unit/test_json_tree.c \
	tests/unit/test_json_writer.c \
	tests/unit/test_kernel_models.c \
	tests/unit/test_lang_errors.c \
	tests/unit/test_lang_format.c \
	tests/unit/test_lang_parse.c \
	tests/unit/test_left_out.c \
	tests/unit/test_library.c \
	tests/unit/test_limits.c \
	tests/unit/test_link_use.c \
	tests/unit/test_links.c \
	tests/unit/test_load.c \
	tests/unit/test_loggops.c \
	tests/unit/test_lower.c \
	tests/unit/test_lower_bounds.c \
	tests/unit/test_lsp_guard.c \
	tests/unit/test_memory.c \
	tests/unit/test_memory_allocator.c \
	tests/unit/test_messages.c \
	tests/unit/test_module.c \
	tests/unit/test_module_extern.c \
	tests/unit/test_modules.c \
	tests/unit/test_network_bound.c \
	tests/unit/test_network_fit.c \
	tests/unit/test_network_use.c \
	tests/unit/test_never_below.c \
	tests/unit/test_offload.c \
	tests/unit/test_order.c \
	tests/unit/test_output.c \
	tests/unit/test_packed.c \
	tests/unit/test_packet.c \
	tests/unit/test_pipeline.c \
	tests/unit/test_plan_cache.c \
	tests/unit/test_plausible.c \
	tests/unit/test_program_maker.c \
	tests/unit/test_readers_of_makers.c \
	tests/unit/test_repeat.c \
	tests/unit/test_repeats.c \
	tests/unit/test_report.c \
	tests/unit/test_routing.c \
	tests/unit/test_runs.c \
	tests/unit/test_schedule_forms.c \
	tests/unit/test_schedule_random.c \
	tests/unit/test_search_bound.c \
	tests/unit/test_search_points.c \
	tests/unit/test_sends.c \
	tests/unit/test_settings.c \
	tests/unit/test_shared.c \
	tests/unit/test_shared_parameters.c \
	tests/unit/test_split_memory.c \
	tests/unit/test_sqlite.c \
	tests/unit/test_stdlib_embed.c \
	tests/unit/test_steady.c \
	tests/unit/test_thread_pool.c \
	tests/unit/test_topology.c \
	tests/unit/test_trace.c \
	tests/unit/test_ways_out.c \
	tests/unit/test_workers.c \
	tests/unit/test_xplane.c \
	tests/unit/wire_put.h

TESTS += tests/run-tracer.sh # first, as it takes longest and is one process
if HAVE_CRITERION
check_PROGRAMS += tests/unit/unit
tests_unit_unit_SOURCES = $(tests_unit_sources) tools/lsp/guard.c tools/lsp/guard.h tools/lsp/rpc.c tools/lsp/rpc.h \
	tools/sweep/inputs.c tools/sweep/inputs.h tools/sweep/journal.c tools/sweep/journal.h tools/sweep/outcome.c tools/sweep/outcome.h tools/sweep/packed.c tools/sweep/packed.h
tests_unit_unit_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_unit_LDFLAGS = $(AM_LDFLAGS) -no-pie -Wl,--no-as-needed -Wl,-rpath,$(abs_builddir)/tests/unit
tests_unit_unit_LDADD = libts.a tests/unit/no_git2.so $(CRITERION_LIBS) $(SQLITE_LIBS) $(ts_libs)
CLEANFILES += tests/unit/no_git2.so tests/unit/libgit2.so*

# Criterion executes the program anew for each case, and looks for cases in each library that is loaded. So the program has few libraries and
# fixed addresses: a case costs 12 ms instead of 28. The stand-in bears the name of the library whose place it takes, and is found first.
tests/unit/no_git2.so: tests/unit/no_git2.c
	$(AM_V_CCLD)$(MKDIR_P) tests/unit && name=`objdump -p "\`$(CC) -print-file-name=libcriterion.so\`" | sed -n 's/^ *NEEDED *\(libgit2\)/\1/p'` && \
	  $(CC) -shared -fPIC -Wl,-soname,$${name:-no_git2.so} -o $@ $(srcdir)/tests/unit/no_git2.c && ln -sf no_git2.so "tests/unit/$${name:-no_git2.so}"
TESTS += tests/run-unit.sh
endif

TESTS += tests/run-golden.sh tests/run-fuzz.sh tests/run-tree.sh tests/run-build.sh tests/run-scaling.sh tests/run-python.sh tests/run-schemas.sh tests/run-accuracy.sh tests/run-site.sh tests/run-grammar.sh tests/run-profile.sh tests/run-mutants.sh

#: fuzz_targets = tests/fuzz/fuzz_*.c
fuzz_targets = \
	tests/fuzz/fuzz_calibration.c \
	tests/fuzz/fuzz_chakra.c \
	tests/fuzz/fuzz_database.c \
	tests/fuzz/fuzz_files.c \
	tests/fuzz/fuzz_fit.c \
	tests/fuzz/fuzz_format.c \
	tests/fuzz/fuzz_goal.c \
	tests/fuzz/fuzz_graph.c \
	tests/fuzz/fuzz_ir.c \
	tests/fuzz/fuzz_ir_text.c \
	tests/fuzz/fuzz_join.c \
	tests/fuzz/fuzz_journal.c \
	tests/fuzz/fuzz_kineto.c \
	tests/fuzz/fuzz_lock.c \
	tests/fuzz/fuzz_log.c \
	tests/fuzz/fuzz_lsp.c \
	tests/fuzz/fuzz_network.c \
	tests/fuzz/fuzz_network_file.c \
	tests/fuzz/fuzz_network_log.c \
	tests/fuzz/fuzz_nsys.c \
	tests/fuzz/fuzz_order.c \
	tests/fuzz/fuzz_parse.c \
	tests/fuzz/fuzz_plan.c \
	tests/fuzz/fuzz_play.c \
	tests/fuzz/fuzz_script.c \
	tests/fuzz/fuzz_settings.c \
	tests/fuzz/fuzz_step_parts.c \
	tests/fuzz/fuzz_table.c \
	tests/fuzz/fuzz_trace.c \
	tests/fuzz/fuzz_workload.c \
	tests/fuzz/fuzz_xplane.c

# With --enable-fuzzing the engine brings the main program; otherwise replay.c does.
fuzz_programs = $(fuzz_targets:.c=$(EXEEXT))
CLEANFILES += $(fuzz_programs)
if FUZZING
noinst_DATA = $(fuzz_programs)
fuzz_main = $(LIB_FUZZING_ENGINE)
else
check_DATA = $(fuzz_programs)
fuzz_main = $(srcdir)/tests/fuzz/replay.c
endif
# The language server's worker, whose guard is the target's own.
fuzz_lsp_sources = tools/lsp/documents.c tools/lsp_main.c tools/lsp/messages.c tools/lsp/rpc.c tools/lsp/text.c tools/cli/plan_options.c
tests/fuzz/fuzz_lsp$(EXEEXT): fuzz_more = $(addprefix $(srcdir)/,$(fuzz_lsp_sources))
tests/fuzz/fuzz_lsp$(EXEEXT): $(fuzz_lsp_sources)
fuzz_journal_sources = tools/sweep/inputs.c tools/sweep/journal.c tools/sweep/outcome.c
tests/fuzz/fuzz_journal$(EXEEXT): fuzz_more = $(addprefix $(srcdir)/,$(fuzz_journal_sources))
tests/fuzz/fuzz_journal$(EXEEXT): $(fuzz_journal_sources)
$(fuzz_programs): libts.a tests/fuzz/replay.c tests/fuzz/events_use.h tests/fuzz/no_bug.h tests/fuzz/play_use.h tests/fuzz/sqlite_endless.h tests/fuzz/sqlite_use.h tests/fuzz/tree_mutator.h
$(fuzz_programs): %$(EXEEXT): %.c
	$(AM_V_CCLD)$(MKDIR_P) tests/fuzz && $(CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) \
	  $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) -o $@ $< $(fuzz_more) $(fuzz_main) libts.a $(SQLITE_LIBS) $(ts_libs) $(LIBS)

# A case is its files, and nowhere else: run-golden.sh finds it in its folder, and a release takes all
# that git knows of tests/. Its list goes along, for a release that is made of a release.
dist-hook:
	cd $(srcdir) && if test -e .git; then git ls-files tests; else cat tests/files; fi >$(abs_builddir)/tests.files
	dist=`cd $(distdir) && pwd` && cd $(srcdir) && while read -r file; do \
	  test ! -f "$$file" || { $(MKDIR_P) "$$dist/$${file%/*}" && cp -fp "$$file" "$$dist/$$file"; } || exit; \
	done <$(abs_builddir)/tests.files
	mv -f tests.files $(distdir)/tests/files

# Predicted against measured steps: ./dev accuracy.
#: tests_accuracy_accuracy_SOURCES = tests/accuracy/*.c tests/accuracy/*.h
tests_accuracy_accuracy_SOURCES = \
	tests/accuracy/accuracy.h \
	tests/accuracy/between_nodes.c \
	tests/accuracy/between_rows.c \
	tests/accuracy/between_rows.h \
	tests/accuracy/calibrated.c \
	tests/accuracy/collectives.c \
	tests/accuracy/csv.c \
	tests/accuracy/csv.h \
	tests/accuracy/kernels.c \
	tests/accuracy/main.c \
	tests/accuracy/operators.c \
	tests/accuracy/result.c \
	tests/accuracy/result.h

check_PROGRAMS += tests/accuracy/accuracy
tests_accuracy_accuracy_LDADD = libts.a $(ts_libs)

# Schedules against those of reference schedulers: ./dev goldens. Built on demand.
tests_schedules_goldens_SOURCES = tests/schedules/goldens.c tests/accuracy/csv.c tests/accuracy/csv.h
EXTRA_PROGRAMS += tests/schedules/goldens
tests_schedules_goldens_LDADD = libts.a $(ts_libs)

# For `./dev tsan`, which builds it by name.
EXTRA_PROGRAMS += tests/tsan/workers
tests_tsan_workers_SOURCES = tests/tsan/main.c tests/tsan/criterion/criterion.h tests/unit/test_gzip.c tests/unit/test_workers.c \
	tests/unit/test_thread_pool.c tests/unit/engine_plan.c
tests_tsan_workers_CPPFLAGS = -I$(srcdir)/tests/tsan $(AM_CPPFLAGS)
tests_tsan_workers_LDADD = libts.a $(ts_libs)

# The library as other programs link it: its header, and what leaves the shared object.
if SHARED
check_PROGRAMS += tests/library/embed
endif
tests_library_embed_SOURCES = examples/embed.c
tests_library_embed_CPPFLAGS = -I$(srcdir)/library
tests_library_embed_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)
tests_library_embed_LDADD = libtrainspec.so
