# What a kernel costs: tables, fits, roofline, Gaussian processes. Lists: ./dev sources.

#: libts_a_SOURCES += cost/*.c cost/*.h cost/*.def
libts_a_SOURCES += \
	cost/calibration.c \
	cost/calibration.h \
	cost/correlate.def \
	cost/cost.c \
	cost/cost.h \
	cost/database.c \
	cost/database.h \
	cost/fit.c \
	cost/fit.h \
	cost/fit_table.c \
	cost/gp.c \
	cost/gp.h \
	cost/interpolate.c \
	cost/kernel_models.c \
	cost/kernel_models.h \
	cost/minimize.c \
	cost/minimize.h \
	cost/operators.c \
	cost/operators.h \
	cost/roofline.c \
	cost/source.h \
	cost/stored_fit.c \
	cost/stored_fit.h \
	cost/table.c \
	cost/table.h \
	cost/trees.c \
	cost/trees.h
