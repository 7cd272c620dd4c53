/* What the rows of a traced model's tables say of single kernels, as a table of costs: what
 * `trainspec fit ops` fits. */
#ifndef TS_COMPILER_MEASURED_ROWS_H
#define TS_COMPILER_MEASURED_ROWS_H

#include "compiler/compile.h"

/* A line for each kernel and sizes with the median of its times (doc/costs.md, "Tables"). Times of
 * several kernels are shared out by the roofline of the gpu that the table names (`from`), and left
 * out without it; a comment says how many. NULL after errors. Text in the session's arena. */
const char *ts_list_measured(ts_session *s, const char *path, const ts_compile_options *o);

#endif
