/* Sessions with the language server: its worker, without the guard's processes, gets messages and
 * answers each. A line of input is a message; one that begins with a blank comes together with the
 * one before it; one that begins with `!` is put on the wire as it stands, with all behind it.
 * Messages are mutated by their JSON, and the texts in them by their trees. */
#define _GNU_SOURCE /* fopencookie */
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "tests/fuzz/no_bug.h"
#include "tests/fuzz/tree_mutator.h"
#include "tools/cli/programs.h"
#include "tools/lsp/guard.h"

enum { MOST_INPUT = 32768, MOST_NODES = 4096 }; /* a pipe holds 65,536 bytes (pipe(7)) */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

/* ---- A session ---- */

typedef struct editor { const char *at, *end; int to; } editor;

static editor now; /* that the guard below stands for */

static void say(const char *text, size_t size)
{
  if (write(now.to, text, size) < 0)
    now.at = now.end;
}

static void close_wire(void)
{
  if (now.to >= 0)
    close(now.to);
  now.to = -1;
}

/* The next message, and those that come with it. */
static void say_more(void)
{
  bool said = false;
  while (now.at < now.end && now.to >= 0) {
    const char *feed = memchr(now.at, '\n', (size_t)(now.end - now.at)),
               *end = feed ? feed : now.end;
    char header[64];
    if (*now.at == '!') {
      say(now.at + 1, (size_t)(now.end - now.at - 1));
      now.at = now.end;
    } else if (said && *now.at != ' ') {
      return;
    } else {
      said = end > now.at;
      if (said)
        say(header, (size_t)snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n",
                                     (size_t)(end - now.at)));
      say(now.at, (size_t)(end - now.at));
      now.at = feed ? feed + 1 : now.end;
    }
  }
  close_wire();
}

/* What the server says; once it waits, it hears more. */
static ssize_t hear(void *none, const char *text, size_t size)
{
  (void)none;
  no_bug_in(text, size);
  for (size_t i = 0; i + sizeof LSP_WAITING - 1 <= size; i++)
    if (memcmp(text + i, LSP_WAITING, sizeof LSP_WAITING - 1) == 0) {
      say_more();
      break;
    }
  return (ssize_t)size;
}

/* In place of tools/lsp/guard.c. */
int lsp_guard(lsp_wire *wire, double seconds, void (*work)(void *context, lsp_wire *wire),
              void *context)
{
  int ends[2];
  (void)wire, (void)seconds;
  if (pipe(ends))
    return 0;
  now.to = ends[1];
  say_more();
  work(context, &(lsp_wire){.in = ends[0],
                            .out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = hear})});
  close(ends[0]);
  close_wire();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char name[] = "lsp", *arguments[] = {name, NULL};
  if (size > MOST_INPUT)
    return 0;
  setenv("XDG_CACHE_HOME", "", 1); /* no files of the library are written */
  setenv("HOME", "", 1);
  now = (editor){(const char *)bytes, (const char *)bytes + size, -1};
  ts_lsp_main(1, arguments);
  return 0;
}

/* ---- Mutations ---- */

typedef struct session {
  cJSON *message[256];
  bool together[256];
  uint32_t count, nodes;
  cJSON *node[MOST_NODES];
} session;

static void collect(session *s, cJSON *node)
{
  if (s->nodes < MOST_NODES)
    s->node[s->nodes++] = node;
  for (cJSON *child = node->child; child; child = child->next)
    collect(s, child);
}

static void read_session(session *s, const char *text, size_t size)
{
  for (const char *end = text + size; text < end && s->count < 256;) {
    const char *feed = memchr(text, '\n', (size_t)(end - text)), *stop = feed ? feed : end;
    cJSON *message = *text == '!' ? NULL : cJSON_ParseWithLength(text, (size_t)(stop - text));
    if (message) {
      s->together[s->count] = *text == ' ';
      s->message[s->count++] = message;
      collect(s, message);
    }
    text = stop + 1;
  }
}

static void change_string(uint32_t *state, session *s, cJSON *node)
{
  static const char *const methods[] = {"textDocument/hover",
                                        "textDocument/definition",
                                        "textDocument/references",
                                        "textDocument/documentHighlight",
                                        "textDocument/prepareRename",
                                        "textDocument/rename",
                                        "textDocument/completion",
                                        "textDocument/signatureHelp",
                                        "textDocument/formatting",
                                        "textDocument/codeAction",
                                        "textDocument/documentSymbol",
                                        "textDocument/inlayHint",
                                        "textDocument/didOpen",
                                        "textDocument/didChange",
                                        "textDocument/didSave",
                                        "textDocument/didClose",
                                        "shutdown",
                                        "exit",
                                        "initialize"};
  const cJSON *other = s->node[tree_random(state, s->nodes)];
  if (node->string && strcmp(node->string, "method") == 0) {
    cJSON_SetValuestring(node, methods[tree_random(state, sizeof methods / sizeof *methods)]);
  } else if (node->string && strcmp(node->string, "text") == 0) {
    size_t size = strlen(node->valuestring), most = 2 * size + 64;
    uint8_t *text = malloc(most + 1);
    memcpy(text, node->valuestring, size);
    text[tree_mutate(text, size, most, *state)] = '\0';
    cJSON_SetValuestring(node, (char *)text);
    free(text);
  } else if (cJSON_IsString(other)) {
    char *text = strdup(other->valuestring); /* of itself, perhaps */
    cJSON_SetValuestring(node, text);
    free(text);
  }
}

static void change_value(uint32_t *state, session *s)
{
  static const double numbers[] = {0, 1, 2, 3, -1, 1e9, -1e9, 2147483647, 4294967296, 1e308, 0.5};
  cJSON *node = s->node[tree_random(state, s->nodes)];
  if (cJSON_IsString(node))
    change_string(state, s, node);
  else if (cJSON_IsNumber(node))
    cJSON_SetNumberValue(node, tree_random(state, 2) ?
                                 numbers[tree_random(state, sizeof numbers / sizeof *numbers)] :
                                 tree_random(state, 100));
  else if (node->child && node->child->string)
    cJSON_DeleteItemFromObjectCaseSensitive(node, node->child->string);
}

static void change_messages(uint32_t *state, session *s)
{
  uint32_t a = tree_random(state, s->count), b = tree_random(state, s->count);
  cJSON *message = s->message[a];
  switch (tree_random(state, 4)) {
  case 0: /* twice */
    if (s->count < 256)
      s->message[s->count++] = cJSON_Duplicate(message, true);
    break;
  case 1: /* left out */
    cJSON_Delete(message);
    s->message[a] = s->message[--s->count];
    break;
  case 2: /* swapped */
    s->message[a] = s->message[b];
    s->message[b] = message;
    break;
  default: s->together[a] ^= 1;
  }
}

static size_t print_session(session *s, uint8_t *bytes, size_t most)
{
  size_t size = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    char *text = cJSON_PrintUnformatted(s->message[i]);
    size_t length = text ? strlen(text) : 0;
    if (text && size + length + 2 <= most) {
      if (s->together[i])
        bytes[size++] = ' ';
      memcpy(bytes + size, text, length);
      size += length;
      bytes[size++] = '\n';
    }
    free(text);
    cJSON_Delete(s->message[i]);
  }
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
  uint32_t state = seed * 2654435761u + 1;
  state += !state;
  session *s = calloc(1, sizeof *s);
  read_session(s, (const char *)bytes, size);
  if (!s->count || tree_random(&state, 16) == 0) {
    size = LLVMFuzzerMutate(bytes, size, most);
    while (s->count)
      cJSON_Delete(s->message[--s->count]);
  } else {
    if (tree_random(&state, 4))
      change_value(&state, s);
    else
      change_messages(&state, s);
    size = print_session(s, bytes, most);
  }
  free(s);
  return size;
}
