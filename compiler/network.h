/* Measured collectives: a CSV table `collective,ranks,islands,bytes,time_us` as points of the IR. */
#ifndef TS_COMPILER_NETWORK_H
#define TS_COMPILER_NETWORK_H

#include "compiler/session.h"
#include "compiler/value.h"
#include "ir/ir.h"

typedef struct ts_network_table { const char *name; uint32_t count; const ts_ir_net_point *points; } ts_network_table;

/* `source`: the value of `table("x.csv")`. Points are sorted as the IR wants them; equal ones become their median. NULL after E0502 or E0505. */
const ts_network_table *ts_network_table_of(ts_session *s, const ts_value *source);
/* The table's text alone; for tests. *error is what is wrong, at line *line. */
const ts_network_table *ts_network_table_read(ts_arena *arena, const char *text, size_t size, const char **error, uint32_t *line);
int ts_collective_named(const char *name); /* ts_ir_collective_kind, or -1 */

#endif
