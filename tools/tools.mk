# The programs: a few lines each over libtrainspec. Lists: ./dev sources.

#: EXTRA_DIST += tools/*.sh
EXTRA_DIST += \
	tools/embed.sh

