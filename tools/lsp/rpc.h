/* The wire of the language server: messages of JSON-RPC 2.0 with a header that says how long each
 * is (Language Server Protocol 3.17, "Base Protocol"). */
#ifndef TS_TOOLS_LSP_RPC_H
#define TS_TOOLS_LSP_RPC_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* lost: a message could not be written */
typedef struct lsp_wire {
  int in;
  FILE *out;
  char *buffer;
  size_t begin, end, room;
  bool lost;
} lsp_wire;

/* Waits for the next message. NULL at the end of input and after something that is no message (then
 * *broken). To be freed by cJSON_Delete. */
cJSON *lsp_receive(lsp_wire *w, bool *broken);
/* Is there more to be read at once? Then what was asked last may be out of date before it is
 * answered. */
bool lsp_pending(const lsp_wire *w);
void lsp_wire_close(lsp_wire *w);

/* Each takes over what it is given. */
void lsp_reply(lsp_wire *w, const cJSON *id, cJSON *result);
void lsp_refuse(lsp_wire *w, const cJSON *id, int code, const char *message);
void lsp_notify(lsp_wire *w, const char *method, cJSON *params);
void lsp_send(lsp_wire *w, cJSON *message); /* as it is */

enum {
  LSP_PARSE_ERROR = -32700,
  LSP_INVALID_REQUEST = -32600,
  LSP_NO_METHOD = -32601,
  LSP_INVALID_PARAMS = -32602,
  LSP_NOT_INITIALIZED = -32002,
  LSP_REQUEST_FAILED = -32803,
  LSP_CANCELLED = -32800
};

#endif
