# What a kernel costs: tables, fits, roofline, Gaussian processes. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += cost/*.c
libtrainspec_la_SOURCES += \
	cost/cost.c \
	cost/database.c \
	cost/fit.c \
	cost/fit_table.c \
	cost/gp.c \
	cost/interpolate.c \
	cost/kernel_models.c \
	cost/roofline.c \
	cost/table.c \
	cost/trees.c

#: nobase_pkginclude_HEADERS += cost/*.h cost/*.def
nobase_pkginclude_HEADERS += \
	cost/correlate.def \
	cost/cost.h \
	cost/database.h \
	cost/fit.h \
	cost/gp.h \
	cost/kernel_models.h \
	cost/source.h \
	cost/table.h \
	cost/trees.h
