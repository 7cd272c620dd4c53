# Floor below every module: arena, source map, diagnostics, digests. Lists: ./dev sources.

#: libts_a_SOURCES += base/*.c base/*.h base/*.def
libts_a_SOURCES += \
	base/arena.c \
	base/arena.h \
	base/blocks.c \
	base/blocks.h \
	base/cache.c \
	base/cache.h \
	base/clock.c \
	base/clock.h \
	base/complete.c \
	base/complete.h \
	base/container.c \
	base/container.h \
	base/csv.c \
	base/csv.h \
	base/diag.c \
	base/diag.h \
	base/diag_codes.def \
	base/diag_json.c \
	base/diag_record.h \
	base/diag_render.c \
	base/diag_sarif.c \
	base/digest.c \
	base/digest.h \
	base/error.c \
	base/error.h \
	base/escape.c \
	base/escape.h \
	base/exit.h \
	base/figure_units.def \
	base/figures.c \
	base/figures.def \
	base/figures.h \
	base/format.c \
	base/format.h \
	base/hash_table.c \
	base/hash_table.h \
	base/heap.c \
	base/heap.h \
	base/intern.c \
	base/intern.h \
	base/json_settings.c \
	base/json_tree.c \
	base/json_tree.h \
	base/json_writer.c \
	base/json_writer.h \
	base/known.h \
	base/locale.c \
	base/locale.h \
	base/options.c \
	base/options.h \
	base/order.h \
	base/output.c \
	base/output.h \
	base/progress.h \
	base/raster.c \
	base/raster.h \
	base/round.h \
	base/sets.h \
	base/settings.c \
	base/settings.h \
	base/settings_text.c \
	base/sha256.h \
	base/sha256_x86.c \
	base/source.c \
	base/source.h \
	base/sqlite.c \
	base/sqlite.h \
	base/sqlite_calls.h \
	base/suggest.c \
	base/table.h \
	base/terminal.c \
	base/terminal.h \
	base/text.c \
	base/text.h \
	base/text_diff.c \
	base/text_diff.h \
	base/toml.h \
	base/toml_table.c \
	base/toml_value.c \
	base/version.c \
	base/version.h \
	base/xgboost.c \
	base/xgboost.h \
	base/yaml.c

# The reader of TOML is generated here in a checkout and comes ready-made in a release.
#: EXTRA_DIST += base/*.l base/*.y
EXTRA_DIST += \
	base/toml.y \
	base/toml_scan.l

base_generated = base/toml_grammar.c base/toml_grammar.h base/toml_scan.c
libts_a_SOURCES += $(base_generated)
BUILT_SOURCES += $(base_generated)
MAINTAINERCLEANFILES += $(base_generated)

base/toml_grammar.c: base/toml.y
	$(AM_V_GEN)$(MKDIR_P) base && $(BISON) --no-lines -o base/toml_grammar.c -Hbase/toml_grammar.h $(srcdir)/base/toml.y

base/toml_grammar.h: base/toml_grammar.c
	@test -f $@ || { rm -f base/toml_grammar.c; $(MAKE) $(AM_MAKEFLAGS) base/toml_grammar.c; }

base/toml_scan.c: base/toml_scan.l
	$(AM_V_GEN)$(MKDIR_P) base && $(FLEX) --noline -o base/toml_scan.c $(srcdir)/base/toml_scan.l

# Writes what docs and schemas say of figures.
EXTRA_DIST += base/figures.py
