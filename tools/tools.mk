# The programs: a few lines each over libtrainspec. Each is a function in NAME_main.c, so that the umbrella holds them all. Lists: ./dev sources.

bin_PROGRAMS += tsc tsrun tsfmt trainspec
tsc_SOURCES = tools/tsc.c tools/tsc_main.c tools/interrupt.c tools/interrupt.h tools/plan_options.c tools/plan_options.h tools/programs.h
tsc_LDADD = libtrainspec.la
#: tsrun_SOURCES = tools/tsrun*.c tools/tsrun*.h tools/interrupt.* tools/plan_options.* tools/programs.h
tsrun_SOURCES = \
	tools/interrupt.c \
	tools/interrupt.h \
	tools/plan_options.c \
	tools/plan_options.h \
	tools/programs.h \
	tools/tsrun.c \
	tools/tsrun_main.c \
	tools/tsrun_networks.c \
	tools/tsrun_networks.h \
	tools/tsrun_progress.c \
	tools/tsrun_progress.h \
	tools/tsrun_study.c \
	tools/tsrun_study.h \
	tools/tsrun_ways_out.c \
	tools/tsrun_ways_out.h

tsrun_LDADD = libtrainspec.la $(CJSON_LIBS)
tsfmt_SOURCES = tools/tsfmt.c tools/tsfmt_main.c tools/interrupt.c tools/interrupt.h tools/programs.h
tsfmt_LDADD = libtrainspec.la
trainspec_LDADD = libtrainspec.la $(CJSON_LIBS) $(GSL_LIBS)
#: trainspec_SOURCES = tools/*.c tools/*.h :!tools/tsc.c :!tools/tsrun.c :!tools/tsfmt.c
trainspec_SOURCES = \
	tools/collective_main.c \
	tools/db_main.c \
	tools/diff_main.c \
	tools/export_main.c \
	tools/fit_network_main.c \
	tools/fit_ops_main.c \
	tools/fit_slowdown_main.c \
	tools/interrupt.c \
	tools/interrupt.h \
	tools/lsp_documents.c \
	tools/lsp_documents.h \
	tools/lsp_guard.c \
	tools/lsp_guard.h \
	tools/lsp_main.c \
	tools/lsp_messages.c \
	tools/lsp_messages.h \
	tools/lsp_rpc.c \
	tools/lsp_rpc.h \
	tools/lsp_text.c \
	tools/lsp_text.h \
	tools/plan_options.c \
	tools/plan_options.h \
	tools/programs.h \
	tools/replay_graph.c \
	tools/replay_graph.h \
	tools/replay_main.c \
	tools/sweep_main.c \
	tools/table_main.c \
	tools/topo_main.c \
	tools/trace_against.c \
	tools/trace_against.h \
	tools/trace_main.c \
	tools/trace_open.c \
	tools/trace_open.h \
	tools/trainspec.c \
	tools/tsc_main.c \
	tools/tsfmt_main.c \
	tools/tsrun_main.c \
	tools/tsrun_networks.c \
	tools/tsrun_networks.h \
	tools/tsrun_progress.c \
	tools/tsrun_progress.h \
	tools/tsrun_study.c \
	tools/tsrun_study.h \
	tools/tsrun_ways_out.c \
	tools/tsrun_ways_out.h

#: EXTRA_DIST += tools/*.sh
EXTRA_DIST += \
	tools/elementwise_table.sh \
	tools/embed.sh \
	tools/experts_table.sh \
	tools/fits.sh \
	tools/latent_table.sh

