# Fits of operators, networks and slowdown to measurements. Lists: ./dev sources.

#: libts_a_SOURCES += calibrate/*.c calibrate/*.h
libts_a_SOURCES += \
	calibrate/conformal.c \
	calibrate/conformal.h \
	calibrate/device_sheets.c \
	calibrate/device_sheets.h \
	calibrate/fabric_fit.c \
	calibrate/fabric_fit.h \
	calibrate/fit_file.c \
	calibrate/fit_file.h \
	calibrate/fit_train.c \
	calibrate/learners.c \
	calibrate/learners.h \
	calibrate/network_curves.c \
	calibrate/network_curves.h \
	calibrate/network_fit.c \
	calibrate/network_fit.h \
	calibrate/network_infer.c \
	calibrate/network_infer.h \
	calibrate/network_log.c \
	calibrate/network_npkit.c \
	calibrate/network_npkit.h \
	calibrate/operator_fit.c \
	calibrate/operator_fit.h \
	calibrate/operator_rows.c \
	calibrate/operator_rows.h \
	calibrate/operator_scores.c \
	calibrate/operator_scores.h \
	calibrate/operator_update.c \
	calibrate/operator_update.h \
	calibrate/scaled_ir.c \
	calibrate/scaled_ir.h \
	calibrate/slowdown_fit.c \
	calibrate/slowdown_fit.h \
	calibrate/step_fit.c \
	calibrate/step_fit.h \
	calibrate/step_rows.c \
	calibrate/step_rows.h
