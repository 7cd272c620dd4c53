# Fits of operators, networks and slowdown to measurements. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += calibrate/*.c
libtrainspec_la_SOURCES += \
	calibrate/fit_train.c \
	calibrate/network_curves.c \
	calibrate/network_fit.c \
	calibrate/network_infer.c \
	calibrate/network_log.c \
	calibrate/network_npkit.c \
	calibrate/operators.c \
	calibrate/slowdown_fit.c

#: nobase_pkginclude_HEADERS += calibrate/*.h
nobase_pkginclude_HEADERS += \
	calibrate/network_curves.h \
	calibrate/network_fit.h \
	calibrate/network_infer.h \
	calibrate/network_npkit.h \
	calibrate/operators.h \
	calibrate/slowdown_fit.h
