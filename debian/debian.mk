# What Debian packages are built with: ./dev deb. Lists: ./dev sources.

#: EXTRA_DIST += debian/*
EXTRA_DIST +=

