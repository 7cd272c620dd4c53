/* trainspec collective --flows: who sends what to whom in one call. */
#ifndef TS_TOOLS_CLI_FLOWS_H
#define TS_TOOLS_CLI_FLOWS_H

#include "base/output.h"
#include "runtime/collective/sends.h"

typedef struct ts_flow_list {
  ts_arena *arena;
  const ts_ir *ir;        /* of the cluster */
  const ts_sends *sends;
  const uint32_t *rank;   /* of each place in the group */
  const char *model;      /* that answers for the call, or NULL: a file alone */
} ts_flow_list;

/* One row for each message; closure: ts_flow_list. By step, channel and sender. */
ts_print ts_flow_list_text, ts_flow_list_csv, ts_flow_list_json;

#endif
