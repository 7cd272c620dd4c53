/* Private to tables.c, layout.c and match.c: tables while they are filled. */
#ifndef TS_RUNTIME_LOAD_TABLES_INTERNAL_H
#define TS_RUNTIME_LOAD_TABLES_INTERNAL_H

#include "runtime/load/tables.h"

typedef TS_VEC(uint32_t) ts_wait_list;

int ts_layout_fragment(const ts_tables *tables, ts_wait_list *waits, uint32_t fragment,
                       ts_fragment_layout *layout, ts_stop *stop);
int ts_match_messages(ts_tables *tables, ts_stop *stop);

#endif
