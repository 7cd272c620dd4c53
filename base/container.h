/* What the process may use of the machine: containers and services have limits of their own (Linux,
 * control groups). */
#ifndef TS_BASE_CONTAINER_H
#define TS_BASE_CONTAINER_H

#include <stdint.h>

/* The least limit on memory in bytes, of the process's control group and of those around it; 0:
 * none. `root` stands before /proc and /sys: "" but in tests. Asks for no memory. What cannot be
 * read limits nothing. */
uint64_t ts_container_memory(const char *root);

#endif
