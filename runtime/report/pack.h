/* Files packed as gzip has it, by several threads. A megabyte of bytes at a time is packed by
 * itself with the 32 KB before it as its dictionary, so that the packed bytes are the same for any
 * number of threads. */
#ifndef TS_RUNTIME_REPORT_PACK_H
#define TS_RUNTIME_REPORT_PACK_H

#include <stdint.h>
#include <stdio.h>

/* A stream whose bytes end packed in `file`; closing it leaves that open. `threads`: as
 * ts_run_options has it. NULL with errno. */
FILE *ts_packing(FILE *file, uint32_t threads);

#endif
