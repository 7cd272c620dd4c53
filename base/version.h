/* Which TrainSpec this is. */
#ifndef TS_BASE_VERSION_H
#define TS_BASE_VERSION_H

#include <stddef.h>

const char *ts_version(void); /* "0.1.0" */

/* The build, as the linker noted it in the program: equal builds have equal ones, and any change of
 * the code another. "" where the linker notes none. In hexadecimal digits, cut to `size`. */
void ts_build(char *hex, size_t size);

#endif
