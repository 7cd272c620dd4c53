# The programs: a few lines each over libtrainspec. Lists: ./dev sources.

bin_PROGRAMS += tsc
tsc_SOURCES = tools/tsc.c tools/programs.h
tsc_LDADD = libtrainspec.la

#: EXTRA_DIST += tools/*.sh
EXTRA_DIST += \
	tools/embed.sh

