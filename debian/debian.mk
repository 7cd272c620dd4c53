# What Debian packages are built with: ./dev deb. Lists: ./dev sources.

#: EXTRA_DIST += debian/*
EXTRA_DIST += \
	debian/changelog \
	debian/control \
	debian/copyright \
	debian/debian.mk \
	debian/libtrainspec-dev.install \
	debian/libtrainspec-dev.lintian-overrides \
	debian/libtrainspec0.install \
	debian/libtrainspec0.lintian-overrides \
	debian/python3-trainspec.install \
	debian/python3-trainspec.lintian-overrides \
	debian/rules \
	debian/source/format \
	debian/source/lintian-overrides \
	debian/trainspec.README.Debian \
	debian/trainspec.install \
	debian/trainspec.lintian-overrides

