# The library as others see it: one header. Lists: ./dev sources.

include_HEADERS += library/trainspec.h
#: libts_a_SOURCES += library/*.c library/*.h
libts_a_SOURCES += \
	library/sweep.c \
	library/trainspec.c \
	library/trainspec.h \
	library/workspace.h
