/* Output packed as gzip, on a thread of its own while the text is made. Its bytes are the same
 * without the thread: packing then stops the text whenever enough of it waits. */
#ifndef TS_RUNTIME_REPORT_GZIP_H
#define TS_RUNTIME_REPORT_GZIP_H

#include "base/output.h"

/* What `put` prints goes into the open file, which stays open. 0 or an errno value. */
int ts_print_gzip(FILE *file, ts_print *put, void *closure);

#endif
