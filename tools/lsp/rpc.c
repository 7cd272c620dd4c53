#include "tools/lsp/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/heap.h"
#include "base/json_tree.h"
#include "base/output.h"

enum { MOST_HEADER = 8192, MOST_MESSAGE = 64 << 20 };

/* At least `size` bytes in the buffer; false at the end of input. */
static bool need(lsp_wire *w, size_t size)
{
  if (w->begin && w->end - w->begin < size) {
    memmove(w->buffer, w->buffer + w->begin, w->end - w->begin);
    w->end -= w->begin;
    w->begin = 0;
  }
  while (w->end - w->begin < size) {
    if (w->end == w->room) {
      w->room = w->room ? 2 * w->room : 65536;
      w->buffer = ts_heap_resize(w->buffer, w->room, 1);
    }
    ssize_t got = read(w->in, w->buffer + w->end, w->room - w->end);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    w->end += (size_t)got;
  }
  return true;
}

bool lsp_pending(const lsp_wire *w)
{
  struct pollfd input = {.fd = w->in, .events = POLLIN};
  return w->end > w->begin || (poll(&input, 1, 0) > 0 && (input.revents & POLLIN));
}

/* Decimal digits of a line, which ends at `end`; what is no number is 0, what is too large for any
 * message is so too. */
static size_t length_in(const char *at, const char *end)
{
  size_t length = 0;
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  for (; at < end && *at >= '0' && *at <= '9' && length <= MOST_MESSAGE; at++)
    length = 10 * length + (size_t)(*at - '0');
  return at == end || *at == ' ' || *at == '\t' ? length : 0;
}

/* Lines up to an empty one. The length of what follows; 0: none is given. */
static size_t header(lsp_wire *w, bool *broken)
{
  size_t length = 0;
  for (size_t line = 0, size = 1;; size++) {
    if (size > MOST_HEADER || !need(w, size)) {
      *broken = size > 1;
      return 0;
    }
    const char *text = w->buffer + w->begin;
    if (text[size - 1] != '\n')
      continue;
    size_t end = size - 1 - (size - 1 > line && text[size - 2] == '\r');
    if (end == line) {
      w->begin += size;
      *broken = length == 0 || length > MOST_MESSAGE;
      return *broken ? 0 : length;
    }
    if (end - line > 15 && strncasecmp(text + line, "Content-Length:", 15) == 0)
      length = length_in(text + line + 15, text + end);
    line = size;
  }
}

cJSON *lsp_receive(lsp_wire *w, bool *broken)
{
  *broken = false;
  size_t length = header(w, broken);
  if (!length || !need(w, length)) {
    *broken |= length > 0;
    return NULL;
  }
  const char *end;
  cJSON *message = ts_json_tree(w->buffer + w->begin, length, &end);
  w->begin += length;
  if (!message) {
    lsp_refuse(w, NULL, LSP_PARSE_ERROR, "this is not JSON");
    return cJSON_CreateObject(); /* the header said where the next one begins */
  }
  return message;
}

void lsp_wire_close(lsp_wire *w)
{
  free(w->buffer);
  w->buffer = NULL;
}

static void put_made(void *closure, FILE *out) { ts_put_json_made(out, closure); }

void lsp_send(lsp_wire *w, cJSON *message)
{
  size_t size;
  char *text = cJSON_PrintUnformatted(message);
  cJSON_Delete(message);
  if (!text)
    return;
  char *escaped = ts_printed(put_made, text, &size);
  fprintf(w->out, "Content-Length: %zu\r\n\r\n", size);
  ts_put_raw(w->out, escaped);
  w->lost |= fflush(w->out) != 0;
  free(escaped);
  free(text);
}

static void rpc_put(lsp_wire *w, cJSON *message)
{
  cJSON_AddStringToObject(message, "jsonrpc", "2.0");
  lsp_send(w, message);
}

void lsp_reply(lsp_wire *w, const cJSON *id, cJSON *result)
{
  cJSON *message = cJSON_CreateObject();
  cJSON_AddItemToObject(message, "id", cJSON_Duplicate(id, true));
  cJSON_AddItemToObject(message, "result", result ? result : cJSON_CreateNull());
  rpc_put(w, message);
}

void lsp_refuse(lsp_wire *w, const cJSON *id, int code, const char *text)
{
  cJSON *message = cJSON_CreateObject(), *error = cJSON_AddObjectToObject(message, "error");
  cJSON_AddItemToObject(message, "id", id ? cJSON_Duplicate(id, true) : cJSON_CreateNull());
  cJSON_AddNumberToObject(error, "code", code);
  cJSON_AddStringToObject(error, "message", text);
  rpc_put(w, message);
}

void lsp_notify(lsp_wire *w, const char *method, cJSON *params)
{
  cJSON *message = cJSON_CreateObject();
  cJSON_AddStringToObject(message, "method", method);
  cJSON_AddItemToObject(message, "params", params);
  rpc_put(w, message);
}
