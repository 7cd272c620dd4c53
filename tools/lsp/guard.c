#include "tools/lsp/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/diag.h"
#include "base/exit.h"
#include "base/heap.h"

/* Stopping a worker costs a look at every open document, so work that is soon over is waited for.
 * */
static const double patience = 0.3; /* seconds */
/* of workers that work on no document: there is nothing to set aside then */
enum { MOST_FAILURES = 3 };
#define AGAIN "$/again"             /* the id of `initialize` as later workers get it */

typedef struct guard {
  lsp_wire *editor, worker;
  double seconds;         /* for a look at a document */
  void (*work)(void *context, lsp_wire *wire);
  void *context;
  pid_t child;
  int failures;
  bool shut_down, over;   /* over: the editor says no more */
  char *queue;            /* bytes for the worker that its socket did not take yet */
  size_t queued, room;
  cJSON *initialize;      /* the editor's message; NULL before it */
  /* by URI: the last `didOpen` or `didChange` of each; "aside" is why it is not looked at */
  cJSON *documents;
  cJSON *waiting;         /* requests without an answer */
  cJSON *shown;           /* URIs with messages that the editor shows */
  char *at;               /* the document that the worker works on; NULL: it waits for messages */
  double since;
} guard;

static cJSON *get(const cJSON *o, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static const char *uri_of(const cJSON *message)
{
  return cJSON_GetStringValue(get(get(get(message, "params"), "textDocument"), "uri"));
}

static bool is(const cJSON *message, const char *method)
{
  const char *m = cJSON_GetStringValue(get(message, "method"));
  return m && !strcmp(m, method);
}

/* ---- To the worker ---- */

static void forward(guard *g, const cJSON *message)
{
  char *text = cJSON_PrintUnformatted(message);
  if (!text)
    return;
  size_t size = strlen(text), most = g->queued + size + 64;
  if (most > g->room) {
    g->room = 2 * most;
    g->queue = ts_heap_resize(g->queue, g->room, 1);
  }
  g->queued += (size_t)sprintf(g->queue + g->queued, "Content-Length: %zu\r\n\r\n", size);
  memcpy(g->queue + g->queued, text, size);
  g->queued += size;
  free(text);
}

static void forward_exit(guard *g)
{
  cJSON *message = cJSON_CreateObject();
  cJSON_AddStringToObject(message, "method", "exit");
  forward(g, message);
  cJSON_Delete(message);
}

/* As much as the socket takes. A worker that is gone is noticed where it is read from. */
static void guard_push(guard *g)
{
  ssize_t sent =
    g->queued ? send(g->worker.in, g->queue, g->queued, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
  if (sent > 0) {
    g->queued -= (size_t)sent;
    memmove(g->queue, g->queue + sent, g->queued);
  }
}

/* ---- Workers ---- */

/* A worker that ends leaves nothing behind, and one without a guard ends: an endless plan must not
 * outlive its editor. */
static void bind_to_guard(void)
{
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static bool guard_start(guard *g)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
    return false;
  fflush(g->editor->out);
  g->child = fork();
  if (g->child == 0) {
    close(ends[0]);
    bind_to_guard();
    lsp_wire wire = {.in = ends[1], .out = fdopen(ends[1], "w")};
    if (wire.out)
      g->work(g->context, &wire);
    exit(TS_EXIT_DONE);
  }
  close(ends[1]);
  g->worker = (lsp_wire){.in = ends[0]};
  g->queued = 0;
  return g->child > 0;
}

static void idle(guard *g)
{
  free(g->at);
  g->at = NULL;
}

/* How the worker ended, after it is made to. */
static int stop(guard *g, int signal_number)
{
  int status = 0;
  if (signal_number)
    kill(g->child, signal_number);
  while (waitpid(g->child, &status, 0) < 0 && errno == EINTR)
    ;
  close(g->worker.in);
  lsp_wire_close(&g->worker);
  return status;
}

static void guard_show(guard *g, const char *uri, int version, const char *message)
{
  cJSON *params = cJSON_CreateObject(), *list, *one;
  cJSON_AddStringToObject(params, "uri", uri);
  if (message)
    cJSON_AddNumberToObject(params, "version", version);
  list = cJSON_AddArrayToObject(params, "diagnostics");
  if (message) {
    cJSON *range =
      cJSON_Parse("{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":0,\"character\":1}}");
    cJSON_AddItemToArray(list, one = cJSON_CreateObject());
    cJSON_AddItemToObject(one, "range", range);
    cJSON_AddNumberToObject(one, "severity", 1);
    cJSON_AddStringToObject(one, "code", ts_code_name(TS_E0706));
    cJSON_AddStringToObject(one, "source", "trainspec");
    cJSON_AddStringToObject(one, "message", message);
  }
  lsp_notify(g->editor, "textDocument/publishDiagnostics", params);
}

/* Everything that was open, but for what is set aside, and all requests that are not answered yet.
 * */
static void hand_over(guard *g)
{
  cJSON *message, *uri, *next;
  cJSON_ArrayForEach(uri, g->shown) if (!get(get(g->documents, uri->valuestring), "aside"))
    guard_show(g, uri->valuestring, 0, NULL);
  cJSON_Delete(g->shown);
  g->shown = cJSON_CreateArray();
  if (g->initialize) {
    cJSON *again = cJSON_Duplicate(g->initialize, true);
    cJSON_ReplaceItemInObjectCaseSensitive(again, "id", cJSON_CreateString(AGAIN));
    forward(g, again);
    cJSON_Delete(again);
  }
  cJSON_ArrayForEach(message, g->documents)
    if (!get(message, "aside"))
      forward(g, message);
  for (message = g->waiting->child; message; message = next) {
    next = message->next;
    const cJSON *aside = get(get(g->documents, uri_of(message) ? uri_of(message) : ""), "aside");
    if (!aside) {
      forward(g, message);
      continue;
    }
    lsp_refuse(g->editor, get(message, "id"), LSP_REQUEST_FAILED, cJSON_GetStringValue(aside));
    cJSON_Delete(cJSON_DetachItemViaPointer(g->waiting, message));
  }
  if (g->over)
    forward_exit(g);
}

/* Another worker takes over from one that has ended. */
static bool renew(guard *g)
{
  idle(g);
  if (!guard_start(g))
    return false;
  hand_over(g);
  return true;
}

static bool replace(guard *g)
{
  stop(g, SIGKILL);
  return renew(g);
}

/* The document that the worker works on is not looked at until it changes; `why` is shown there. */
static void set_aside(guard *g, const char *why)
{
  cJSON *document = get(g->documents, g->at);
  if (!document)
    return;
  cJSON_AddStringToObject(document, "aside", why);
  guard_show(g, g->at, get(get(get(document, "params"), "textDocument"), "version")->valueint, why);
}

/* ---- From the editor ---- */

/* Keeps the document's last text, as the message that gave it: the next worker plays a plan that
 * was opened, and not one that was changed since. */
static void guard_note(guard *g, const cJSON *message)
{
  const char *uri = uri_of(message);
  bool text = is(message, "textDocument/didOpen") || is(message, "textDocument/didChange");
  if (uri && (text || is(message, "textDocument/didClose")))
    cJSON_DeleteItemFromObjectCaseSensitive(g->documents, uri);
  if (!uri || !text)
    return;
  cJSON *copy = cJSON_Duplicate(message, true),
        *document = get(get(copy, "params"), "textDocument");
  if (!cJSON_IsNumber(get(document, "version"))) {
    cJSON_DeleteItemFromObjectCaseSensitive(document, "version");
    cJSON_AddNumberToObject(document, "version", 0);
  }
  cJSON_AddItemToObject(g->documents, uri, copy);
}

/* Is the worker busy with it, and will be for longer? */
static bool stuck(const guard *g, const char *uri)
{
  return g->at && uri && !strcmp(g->at, uri) && ts_clock() - g->since > patience;
}

static bool cancel(guard *g, const cJSON *message)
{
  const cJSON *id = get(get(message, "params"), "id");
  cJSON *request;
  cJSON_ArrayForEach(request, g->waiting)
    if (id && cJSON_Compare(get(request, "id"), id, true)) {
      cJSON_DetachItemViaPointer(g->waiting, request);
      bool frees = stuck(g, uri_of(request));
      lsp_refuse(g->editor, id, LSP_CANCELLED, "cancelled");
      cJSON_Delete(request);
      return !frees || replace(g);
    }
  return true;
}

/* Takes the message over. False: no worker can be had. */
static bool from_editor(guard *g, cJSON *message)
{
  const char *uri = uri_of(message);
  const cJSON *id = get(message, "id"), *aside = uri ? get(get(g->documents, uri), "aside") : NULL;
  bool good = true,
       changes = is(message, "textDocument/didChange") || is(message, "textDocument/didClose");
  guard_note(g, message);
  g->over |= is(message, "exit");
  g->shut_down |= is(message, "shutdown") && g->initialize;
  if (is(message, "$/cancelRequest")) {
    good = cancel(g, message);
  } else if (id && aside) {
    lsp_refuse(g->editor, id, LSP_REQUEST_FAILED, cJSON_GetStringValue(aside));
  } else if (changes && stuck(g, uri)) {
    good = replace(g); /* which hands over the new text */
    if (is(message, "textDocument/didClose"))
      guard_show(g, uri, 0, NULL);
  } else if (is(message, "textDocument/didClose") && aside) {
    guard_show(g, uri, 0, NULL);
  } else if (get(message, "method")) {
    forward(g, message);
    if (is(message, "initialize") && !g->initialize)
      g->initialize = cJSON_Duplicate(message, true);
    if (id) {
      cJSON_AddItemToArray(g->waiting, message);
      return true;
    }
  }
  cJSON_Delete(message);
  return good;
}

/* ---- From the worker ---- */

static void note_shown(guard *g, const cJSON *params)
{
  const cJSON *uri = get(params, "uri");
  cJSON *other;
  cJSON_ArrayForEach(other, g->shown)
    if (cJSON_Compare(other, uri, true)) {
      cJSON_Delete(cJSON_DetachItemViaPointer(g->shown, other));
      break;
    }
  if (cJSON_GetArraySize(get(params, "diagnostics")))
    cJSON_AddItemToArray(g->shown, cJSON_Duplicate(uri, true));
}

/* Is this the answer to a request that the editor still waits for? */
static bool answers(guard *g, const cJSON *id)
{
  cJSON *request;
  cJSON_ArrayForEach(request, g->waiting)
    if (cJSON_Compare(get(request, "id"), id, true)) {
      cJSON_Delete(cJSON_DetachItemViaPointer(g->waiting, request));
      return true;
    }
  return false;
}

static void from_worker(guard *g, cJSON *message)
{
  const cJSON *id = get(message, "id");
  if (is(message, LSP_WORKING)) {
    idle(g);
    g->at = ts_heap_text(cJSON_GetStringValue(get(get(message, "params"), "uri")));
    g->since = ts_clock();
  } else if (is(message, LSP_WAITING)) {
    g->failures = 0;
    idle(g);
  } else if (id ? answers(g, id) : true) {
    if (is(message, "textDocument/publishDiagnostics"))
      note_shown(g, get(message, "params"));
    lsp_send(g->editor, message);
    return;
  }
  cJSON_Delete(message);
}

/* The worker has ended, and nobody asked it to. */
static bool failed(guard *g)
{
  char why[256];
  int status = stop(g, 0);
  if (!g->at)
    return ++g->failures < MOST_FAILURES && renew(g);
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT && WTERMSIG(status) != SIGKILL)
    snprintf(why, sizeof why,
             "TrainSpec failed on this plan (signal %d), so it is not checked here until it "
             "changes; please report it with the file",
             WTERMSIG(status));
  else
    snprintf(why, sizeof why,
             "this plan needs more memory than the %.3g GB that the language server takes, so it "
             "is not checked here until it changes; `trainspec lsp --max-memory` allows more",
             (double)ts_heap_ceiling() / 1e9);
  set_aside(g, why);
  return renew(g);
}

static bool late(guard *g)
{
  char why[256];
  snprintf(why, sizeof why,
           "checking this plan took more than %.3g s, so it is not checked here until it changes; "
           "`trainspec lsp --deadline` allows more",
           g->seconds);
  set_aside(g, why);
  return replace(g);
}

/* ---- The loop ---- */

/* All that has come from the editor at once; the worker gets it in one piece, so it can skip texts
 * that are out of date. */
static bool read_editor(guard *g, bool *broken)
{
  bool good = true;
  do {
    cJSON *message = lsp_receive(g->editor, broken);
    if (message)
      good = from_editor(g, message);
    else
      forward_exit(g);
    g->over |= !message;
  } while (good && !g->over && lsp_pending(g->editor));
  return good;
}

/* False: it has ended. */
static bool read_worker(guard *g)
{
  bool broken;
  do {
    cJSON *message = lsp_receive(&g->worker, &broken);
    if (!message)
      return false;
    from_worker(g, message);
  } while (lsp_pending(&g->worker));
  return true;
}

/* Until there is something to do; false: the time of the document is over. */
static bool wait_for_any(const guard *g, struct pollfd at[2])
{
  double left = g->at ? g->since + g->seconds - ts_clock() : 0;
  at[0] =
    (struct pollfd){.fd = g->worker.in, .events = (short)(POLLIN | (g->queued ? POLLOUT : 0))};
  at[1] = (struct pollfd){.fd = g->over ? -1 : g->editor->in, .events = POLLIN};
  if (g->at && left <= 0)
    return false;
  return poll(at, 2, g->at ? (int)(1000 * left) + 1 : -1) != 0;
}

/* Why it ended: true, the editor was done. */
static bool pass(guard *g, bool *broken)
{
  for (;;) {
    struct pollfd at[2];
    bool good = true;
    if (g->editor->end > g->editor->begin && !g->over)
      good = read_editor(g, broken);
    guard_push(g);
    if (good && !wait_for_any(g, at))
      good = late(g);
    else if (good && at[0].revents & (POLLIN | POLLHUP | POLLERR) && !read_worker(g)) {
      if (g->over && !cJSON_GetArraySize(g->waiting) && !g->at)
        return true;
      good = failed(g);
    } else if (good && at[1].revents)
      good = read_editor(g, broken);
    if (!good)
      return false;
    if (g->editor->lost)
      return true;
  }
}

int lsp_guard(lsp_wire *editor, double seconds, void (*work)(void *context, lsp_wire *wire),
              void *context)
{
  guard g = {.editor = editor,
             .seconds = seconds,
             .work = work,
             .context = context,
             .documents = cJSON_CreateObject(),
             .waiting = cJSON_CreateArray(),
             .shown = cJSON_CreateArray()};
  bool broken = false, done = guard_start(&g) && pass(&g, &broken);
  if (!done)
    fputs("trainspec lsp: no worker process can be started\n", stderr);
  if (broken)
    fputs("trainspec lsp: the input is not a message of the Language Server Protocol, or exceeds "
          "64 MiB; an editor starts this program, see doc/editors.md\n",
          stderr);
  if (g.child > 0)
    stop(&g, done && !editor->lost ? 0 : SIGKILL);
  cJSON_Delete(g.initialize);
  cJSON_Delete(g.documents);
  cJSON_Delete(g.waiting);
  cJSON_Delete(g.shown);
  free(g.queue);
  if (editor->lost)
    fputs("trainspec lsp: a message cannot be written\n", stderr);
  return !done || editor->lost  ? TS_EXIT_ENVIRONMENT :
         broken || !g.shut_down ? TS_EXIT_REJECTED :
                                  TS_EXIT_DONE;
}
