# The intermediate representation: ir.h is its specification. Lists: ./dev sources.

#: libts_a_SOURCES += ir/*.c ir/*.h ir/*.def
libts_a_SOURCES += \
	ir/algorithms.def \
	ir/build.c \
	ir/canon.c \
	ir/forms.c \
	ir/forms.h \
	ir/ir.h \
	ir/layout.c \
	ir/layout.h \
	ir/load.c \
	ir/loops.c \
	ir/loops.h \
	ir/names.c \
	ir/names.h \
	ir/packets.c \
	ir/packets.h \
	ir/parts.h \
	ir/pool.c \
	ir/pool.h \
	ir/records.def \
	ir/run_kind.c \
	ir/run_kind.h \
	ir/spelling.c \
	ir/spelling.h \
	ir/spread.c \
	ir/spread.h \
	ir/text/cluster.c \
	ir/text/lex.c \
	ir/text/output.c \
	ir/text/output.h \
	ir/text/play.c \
	ir/text/read.c \
	ir/text/text.c \
	ir/text/text.h \
	ir/text/write.c \
	ir/text/write_internal.h \
	ir/text/write_work.c \
	ir/verify.c \
	ir/verify_check.h \
	ir/verify_fields.c \
	ir/verify_groups.c \
	ir/verify_machine.c \
	ir/verify_network.c \
	ir/verify_programs.c \
	ir/verify_runs.c \
	ir/verify_runs.h \
	ir/write.c
