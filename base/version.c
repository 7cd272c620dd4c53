#include "base/version.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

const char *ts_version(void) { return PACKAGE_VERSION; }
