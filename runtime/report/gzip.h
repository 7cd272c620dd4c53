/* Output packed as gzip while it is made: by a thread of its own, and by the one that makes it
 * whenever enough text waits. The bytes are the same with the thread and without. */
#ifndef TS_RUNTIME_REPORT_GZIP_H
#define TS_RUNTIME_REPORT_GZIP_H

#include "base/output.h"

/* What `put` prints goes into the open file, which stays open. 0 or an errno value. */
int ts_print_gzip(FILE *file, ts_print *put, void *closure);

#endif
