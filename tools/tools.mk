# The programs: a few lines each over libtrainspec. Each is a function in NAME_main.c, so that the umbrella holds them all. Lists: ./dev sources.

bin_PROGRAMS += tsc tsrun tsfmt trainspec
tsc_SOURCES = tools/tsc.c tools/tsc_main.c tools/cli/git.c tools/cli/git.h tools/cli/locked.c tools/cli/locked.h tools/cli/interrupt.c tools/cli/interrupt.h tools/cli/plan_options.c tools/cli/plan_options.h tools/cli/programs.h
tsc_LDADD = libts.a $(ts_libs)
#: tsrun_SOURCES = tools/tsrun*.c tools/cli/assertions.* tools/cli/choices.* tools/cli/git.* tools/cli/http.* tools/cli/locked.* tools/cli/interrupt.* tools/cli/live_page.* tools/cli/networks.* tools/cli/plan_options.* tools/cli/play_live.* tools/cli/programs.h tools/cli/progress.* tools/cli/study.* tools/cli/play_warnings.* tools/cli/trials.* tools/cli/ways_out.* tools/cli/windows.*
tsrun_SOURCES = \
	tools/cli/assertions.c \
	tools/cli/assertions.h \
	tools/cli/choices.c \
	tools/cli/choices.h \
	tools/cli/git.c \
	tools/cli/git.h \
	tools/cli/http.c \
	tools/cli/http.h \
	tools/cli/interrupt.c \
	tools/cli/interrupt.h \
	tools/cli/live_page.c \
	tools/cli/live_page.h \
	tools/cli/locked.c \
	tools/cli/locked.h \
	tools/cli/networks.c \
	tools/cli/networks.h \
	tools/cli/plan_options.c \
	tools/cli/plan_options.h \
	tools/cli/play_live.c \
	tools/cli/play_live.h \
	tools/cli/play_warnings.c \
	tools/cli/play_warnings.h \
	tools/cli/programs.h \
	tools/cli/progress.c \
	tools/cli/progress.h \
	tools/cli/study.c \
	tools/cli/study.h \
	tools/cli/trials.c \
	tools/cli/trials.h \
	tools/cli/ways_out.c \
	tools/cli/ways_out.h \
	tools/cli/windows.c \
	tools/cli/windows.h \
	tools/tsrun.c \
	tools/tsrun_main.c

tsrun_LDADD = libts.a $(ts_libs)
tsfmt_SOURCES = tools/tsfmt.c tools/tsfmt_main.c tools/cli/interrupt.c tools/cli/interrupt.h tools/cli/programs.h
tsfmt_LDADD = libts.a $(ts_libs)
trainspec_LDADD = libts.a $(ts_libs) $(MPI_LIBS)
#: trainspec_SOURCES = tools/*.c tools/*.h :!tools/tsc.c :!tools/tsrun.c :!tools/tsfmt.c :!tools/store_*.c
trainspec_SOURCES = \
	tools/calibrate_main.c \
	tools/cli/assertions.c \
	tools/cli/assertions.h \
	tools/cli/calibrate_report.c \
	tools/cli/calibrate_report.h \
	tools/cli/calibrate_steps.c \
	tools/cli/calibrate_steps.h \
	tools/cli/calls.c \
	tools/cli/calls.h \
	tools/cli/causes.c \
	tools/cli/causes.h \
	tools/cli/choices.c \
	tools/cli/choices.h \
	tools/cli/compare_page.c \
	tools/cli/compare_page.h \
	tools/cli/diff_comment.c \
	tools/cli/diff_comment.h \
	tools/cli/flows.c \
	tools/cli/flows.h \
	tools/cli/git.c \
	tools/cli/git.h \
	tools/cli/http.c \
	tools/cli/http.h \
	tools/cli/interrupt.c \
	tools/cli/interrupt.h \
	tools/cli/live_page.c \
	tools/cli/live_page.h \
	tools/cli/locked.c \
	tools/cli/locked.h \
	tools/cli/log_formats.c \
	tools/cli/log_formats.h \
	tools/cli/log_picture.c \
	tools/cli/log_picture.h \
	tools/cli/networks.c \
	tools/cli/networks.h \
	tools/cli/pages.h \
	tools/cli/plan_options.c \
	tools/cli/plan_options.h \
	tools/cli/play_live.c \
	tools/cli/play_live.h \
	tools/cli/play_warnings.c \
	tools/cli/play_warnings.h \
	tools/cli/played_calls.c \
	tools/cli/played_calls.h \
	tools/cli/programs.h \
	tools/cli/progress.c \
	tools/cli/progress.h \
	tools/cli/recorded.c \
	tools/cli/recorded.h \
	tools/cli/replay_graph.c \
	tools/cli/replay_graph.h \
	tools/cli/replay_schedule.c \
	tools/cli/replay_schedule.h \
	tools/cli/replay_workload.c \
	tools/cli/replay_workload.h \
	tools/cli/schedule_orders.c \
	tools/cli/schedule_orders.h \
	tools/cli/schedule_report.c \
	tools/cli/schedule_report.h \
	tools/cli/schedule_search.c \
	tools/cli/schedule_search.h \
	tools/cli/show.h \
	tools/cli/study.c \
	tools/cli/study.h \
	tools/cli/trace_against.c \
	tools/cli/trace_against.h \
	tools/cli/trace_open.c \
	tools/cli/trace_open.h \
	tools/cli/trials.c \
	tools/cli/trials.h \
	tools/cli/ways_out.c \
	tools/cli/ways_out.h \
	tools/cli/windows.c \
	tools/cli/windows.h \
	tools/collective_main.c \
	tools/compare_main.c \
	tools/completion_main.c \
	tools/db_main.c \
	tools/diff_main.c \
	tools/export_main.c \
	tools/fit_network_main.c \
	tools/fit_ops_main.c \
	tools/fit_slowdown_main.c \
	tools/help_main.c \
	tools/import_main.c \
	tools/init_main.c \
	tools/list_main.c \
	tools/lock_main.c \
	tools/log_main.c \
	tools/lsp/documents.c \
	tools/lsp/documents.h \
	tools/lsp/guard.c \
	tools/lsp/guard.h \
	tools/lsp/messages.c \
	tools/lsp/messages.h \
	tools/lsp/rpc.c \
	tools/lsp/rpc.h \
	tools/lsp/text.c \
	tools/lsp/text.h \
	tools/lsp_main.c \
	tools/profile_main.c \
	tools/replay_main.c \
	tools/schedule_main.c \
	tools/show_main.c \
	tools/sweep/apart.c \
	tools/sweep/apart.h \
	tools/sweep/budget.c \
	tools/sweep/budget.h \
	tools/sweep/inputs.c \
	tools/sweep/inputs.h \
	tools/sweep/journal.c \
	tools/sweep/journal.h \
	tools/sweep/journaled.c \
	tools/sweep/journaled.h \
	tools/sweep/listed.c \
	tools/sweep/listed.h \
	tools/sweep/live.c \
	tools/sweep/live.h \
	tools/sweep/merge.c \
	tools/sweep/merge.h \
	tools/sweep/outcome.c \
	tools/sweep/outcome.h \
	tools/sweep/packed.c \
	tools/sweep/packed.h \
	tools/sweep/pages.c \
	tools/sweep/play.c \
	tools/sweep/play.h \
	tools/sweep/progress.c \
	tools/sweep/progress.h \
	tools/sweep/rank.c \
	tools/sweep/rank.h \
	tools/sweep/report.h \
	tools/sweep/report_html.c \
	tools/sweep/report_rows.c \
	tools/sweep/report_text.c \
	tools/sweep/shard.c \
	tools/sweep/shard.h \
	tools/sweep/status.c \
	tools/sweep/status.h \
	tools/sweep/sweep.h \
	tools/sweep/team.c \
	tools/sweep/team.h \
	tools/sweep/wire.c \
	tools/sweep/wire.h \
	tools/sweep_main.c \
	tools/table_main.c \
	tools/topo_main.c \
	tools/trace_main.c \
	tools/trainspec.c \
	tools/tsc_main.c \
	tools/tsfmt_main.c \
	tools/tsrun_main.c \
	tools/watch_main.c

# Pages of the manual, for `trainspec help`, and scripts, for `trainspec completion`: tools/cli/pages.h.
#: help_pages = doc/*.md share/bash-completion/trainspec share/fish/trainspec.fish share/zsh/_trainspec :!doc/README.md :!doc/accuracy.md :!doc/architecture.md :!doc/decisions :!doc/roadmap.md
help_pages = \
	doc/accuracy_inputs.md \
	doc/calibration.md \
	doc/checks.md \
	doc/compare.md \
	doc/costs.md \
	doc/diagnostics.md \
	doc/discovery.md \
	doc/editors.md \
	doc/getting_started.md \
	doc/graph_json.md \
	doc/import.md \
	doc/ir.md \
	doc/json.md \
	doc/language.md \
	doc/limits.md \
	doc/logs.md \
	doc/messages.md \
	doc/models.md \
	doc/networks.md \
	doc/operator_tables.md \
	doc/overlap.md \
	doc/own_gpu.md \
	doc/papers.md \
	doc/playground.md \
	doc/profile.md \
	doc/python.md \
	doc/recipes/README.md \
	doc/recipes/allocator.md \
	doc/recipes/calibrate.md \
	doc/recipes/choose_degrees.md \
	doc/recipes/data_parallelism.md \
	doc/recipes/does_it_fit.md \
	doc/recipes/experts.md \
	doc/recipes/failures.md \
	doc/recipes/faster_nics.md \
	doc/recipes/find_names.md \
	doc/recipes/fp8.md \
	doc/recipes/gradient_accumulation.md \
	doc/recipes/hidden_communication.md \
	doc/recipes/how_sure.md \
	doc/recipes/large_search.md \
	doc/recipes/long_sequences.md \
	doc/recipes/lora.md \
	doc/recipes/megatron_arguments.md \
	doc/recipes/micro_batch.md \
	doc/recipes/notebook.md \
	doc/recipes/offload.md \
	doc/recipes/other_gpu.md \
	doc/recipes/other_simulators.md \
	doc/recipes/oversubscribed.md \
	doc/recipes/own_kernels.md \
	doc/recipes/own_model.md \
	doc/recipes/own_network.md \
	doc/recipes/own_schedule.md \
	doc/recipes/picture.md \
	doc/recipes/recompute.md \
	doc/recipes/recording.md \
	doc/recipes/review.md \
	doc/recipes/several_steps.md \
	doc/recipes/straggler.md \
	doc/recipes/torchtitan_file.md \
	doc/recipes/training_script.md \
	doc/recipes/uneven_stages.md \
	doc/recipes/where_time_goes.md \
	doc/recipes/which_schedule.md \
	doc/reports.md \
	doc/schedules.md \
	doc/strategies.md \
	doc/sweeps.md \
	doc/tracer.md \
	doc/traces.md \
	doc/tutorial.md \
	doc/words.md \
	share/bash-completion/trainspec \
	share/fish/trainspec.fish \
	share/zsh/_trainspec

nodist_trainspec_SOURCES = tools/cli/pages.c
CLEANFILES += tools/cli/pages.c
tools/cli/pages.c: $(help_pages) tools/tools.mk tools/embed.sh
	$(AM_V_GEN)$(MKDIR_P) tools/cli && AWK="$(AWK)" $(SHELL) $(srcdir)/tools/embed.sh ts_pages tools/cli/pages.h "$(srcdir)" $(help_pages) > $@.tmp && mv $@.tmp $@
# The page of a sweep, and the live one, share style and helpers with the page of a run.
#: sweep_styles = runtime/report/page/page.css tools/sweep/page/*.css
sweep_styles = \
	runtime/report/page/page.css \
	tools/sweep/page/sweep.css

sweep_scripts = runtime/report/page/format.js runtime/report/page/colours.js tools/sweep/page/sweep.js tools/sweep/page/picture.js \
	tools/sweep/page/front.js tools/sweep/page/heat.js tools/sweep/page/parallel.js tools/sweep/page/table.js tools/sweep/page/start.js
live_scripts = runtime/report/page/format.js runtime/report/page/colours.js tools/sweep/page/sweep.js tools/sweep/page/picture.js \
	tools/sweep/page/front.js tools/sweep/page/live.js
EXTRA_DIST += $(sweep_styles) $(sweep_scripts) tools/sweep/page/live.js
nodist_trainspec_SOURCES += tools/sweep/page_files.c
nodist_tsrun_SOURCES = tools/sweep/page_files.c
CLEANFILES += tools/sweep/page_files.c
tools/sweep/page_files.c: $(sweep_styles) $(sweep_scripts) $(live_scripts) tools/tools.mk tools/embed_text.awk
	$(AM_V_GEN)$(MKDIR_P) tools/sweep && { echo '#include "tools/sweep/report.h"' && \
	  (cd $(srcdir) && $(AWK) -v name=ts_sweep_page_style -f tools/embed_text.awk $(sweep_styles)) && \
	  (cd $(srcdir) && $(AWK) -v name=ts_sweep_page_script -f tools/embed_text.awk $(sweep_scripts)) && \
	  (cd $(srcdir) && $(AWK) -v name=ts_sweep_live_script -f tools/embed_text.awk $(live_scripts)); } > $@.tmp && mv $@.tmp $@
#: EXTRA_DIST += tools/*.sh
EXTRA_DIST += \
	tools/elementwise_table.sh \
	tools/embed.sh \
	tools/experts_table.sh \
	tools/fits.sh \
	tools/latent_table.sh

