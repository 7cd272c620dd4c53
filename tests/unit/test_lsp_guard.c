/* The language server's guard, with a worker whose documents say what it does: hang, die, or
 * answer. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit.h"
#include "tools/lsp/guard.h"

/* ---- The worker ---- */

static cJSON *get(const cJSON *o, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static void act(const char *text)
{
  if (!strcmp(text, "hang"))
    for (;;)
      pause();
  if (!strcmp(text, "die"))
    raise(SIGUSR1);
  if (!strcmp(text, "eat"))
    exit(TS_EXIT_ENVIRONMENT);
}

static void post(lsp_wire *wire, const char *method, const char *uri)
{
  cJSON *params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "uri", uri);
  if (method[0] != '$')
    cJSON_AddArrayToObject(params, "diagnostics");
  lsp_notify(wire, method, params);
}

static void work(void *context, lsp_wire *wire)
{
  cJSON *message;
  bool broken, over = false;
  if (context)
    exit(TS_EXIT_DONE);
  while (!over && (message = lsp_receive(wire, &broken))) {
    const char *method = get(message, "method")->valuestring;
    cJSON *params = get(message, "params"), *document = get(params, "textDocument"),
          *uri = get(document, "uri"), *text = get(document, "text");
    over = !strcmp(method, "exit");
    if (uri)
      post(wire, LSP_WORKING, uri->valuestring);
    if (cJSON_IsString(text))
      act(text->valuestring);
    if (get(params, "ask"))
      act(get(params, "ask")->valuestring);
    if (get(message, "id"))
      lsp_reply(wire, get(message, "id"), cJSON_CreateString(method));
    else if (uri)
      post(wire, "textDocument/publishDiagnostics", uri->valuestring);
    lsp_notify(wire, LSP_WAITING, cJSON_CreateObject());
    cJSON_Delete(message);
  }
  lsp_wire_close(wire);
  fclose(wire->out);
}

/* ---- The editor ---- */

typedef struct editor { lsp_wire in; FILE *out; pid_t guard; } editor;

static editor start(double seconds, void *context)
{
  int to[2], from[2];
  cr_assert(pipe(to) == 0 && pipe(from) == 0);
  editor e = {.guard = fork()};
  if (e.guard == 0) {
    close(to[1]);
    close(from[0]);
    lsp_wire wire = {.in = to[0], .out = fdopen(from[1], "w")};
    int status = lsp_guard(&wire, seconds, work, context);
    lsp_wire_close(&wire);
    fclose(wire.out);
    _exit(status);
  }
  close(to[0]);
  close(from[1]);
  e.out = fdopen(to[1], "w");
  e.in.in = from[0];
  return e;
}

static void say(editor *e, const char *json)
{
  fprintf(e->out, "Content-Length: %zu\r\n\r\n%s", strlen(json), json);
  fflush(e->out);
}

#define OPEN(uri, text)                                                                            \
  "{\"method\": \"textDocument/didOpen\", \"params\": {\"textDocument\": {\"uri\": \"" uri         \
  "\", \"version\": 3, \"text\": \"" text "\"}}}"
#define CHANGE(uri, text)                                                                          \
  "{\"method\": \"textDocument/didChange\", \"params\": {\"textDocument\": {\"uri\": \"" uri       \
  "\", \"version\": 4, \"text\": \"" text "\"}}}"
#define ASK(id, uri, text)                                                                         \
  "{\"method\": \"ask\", \"id\": " #id ", \"params\": {\"ask\": \"" text                           \
  "\", \"textDocument\": {\"uri\": \"" uri "\"}}}"

/* The next message to the editor, in short. */
static void expect(editor *e, const char *wanted)
{
  char got[512];
  bool broken;
  cJSON *message = lsp_receive(&e->in, &broken), *params = get(message, "params"),
        *list = get(params, "diagnostics"), *error = get(message, "error");
  cr_assert(message, "nothing came, expected %s", wanted);
  if (list)
    snprintf(got, sizeof got, "%s: %s", get(params, "uri")->valuestring,
             cJSON_GetArraySize(list) ? get(cJSON_GetArrayItem(list, 0), "message")->valuestring :
                                        "fine");
  else if (error)
    snprintf(got, sizeof got, "%d: %d", get(message, "id")->valueint, get(error, "code")->valueint);
  else
    snprintf(got, sizeof got, "%d: %s", get(message, "id")->valueint,
             get(message, "result")->valuestring);
  cr_assert(!strncmp(got, wanted, strlen(wanted)), "got %s, expected %s", got, wanted);
  cJSON_Delete(message);
}

static void finish(editor *e, int wanted)
{
  int status;
  bool broken;
  fclose(e->out);
  cJSON *more = lsp_receive(&e->in, &broken);
  cr_assert(!more, "one more message");
  cr_assert(waitpid(e->guard, &status, 0) == e->guard && WIFEXITED(status));
  cr_assert(WEXITSTATUS(status) == wanted, "exit %d, expected %d", WEXITSTATUS(status), wanted);
  close(e->in.in);
  lsp_wire_close(&e->in);
}

/* above the guard's patience */
static void wait_until_stuck(void) { nanosleep(&(struct timespec){0, 600000000}, NULL); }

/* ---- Tests ---- */

Test(lsp_guard, what_takes_too_long_is_set_aside_until_it_changes)
{
  editor e = start(0.5, NULL);
  say(&e, OPEN("file:///b", "fine"));
  expect(&e, "file:///b: fine");
  say(&e, OPEN("file:///a", "hang"));
  expect(&e, "file:///a: checking this plan took more than 0.5 s");
  expect(&e, "file:///b: fine"); /* the next worker looks at it, too */
  say(&e, ASK(1, "file:///a", "this"));
  expect(&e, "1: -32803");
  say(&e, ASK(2, "file:///b", "this"));
  expect(&e, "2: ask");
  say(&e, CHANGE("file:///a", "fine"));
  expect(&e, "file:///a: fine");
  say(&e, ASK(3, "file:///a", "this"));
  expect(&e, "3: ask");
  finish(&e, TS_EXIT_REJECTED);
}

Test(lsp_guard, faults_and_memory_end_a_worker_and_not_the_server)
{
  editor e = start(60, NULL);
  say(&e, OPEN("file:///a", "die"));
  expect(&e, "file:///a: TrainSpec failed on this plan (signal");
  say(&e, OPEN("file:///b", "eat"));
  expect(&e, "file:///b: this plan needs more memory than");
  say(&e, OPEN("file:///c", "fine"));
  expect(&e, "file:///c: fine");
  say(&e, "{\"method\": \"textDocument/didClose\", \"params\": {\"textDocument\": {\"uri\": "
          "\"file:///a\"}}}");
  expect(&e, "file:///a: fine");
  finish(&e, TS_EXIT_REJECTED);
}

Test(lsp_guard, a_request_that_takes_too_long_is_refused_with_its_document)
{
  editor e = start(0.5, NULL);
  say(&e, OPEN("file:///a", "fine"));
  expect(&e, "file:///a: fine");
  say(&e, ASK(7, "file:///a", "hang"));
  expect(&e, "file:///a: checking this plan took more");
  expect(&e, "7: -32803");
  finish(&e, TS_EXIT_REJECTED);
}

Test(lsp_guard, cancelled_requests_are_refused_at_once_and_others_answered)
{
  editor e = start(60, NULL);
  say(&e, ASK(1, "file:///a", "hang"));
  say(&e, ASK(2, "file:///a", "this"));
  wait_until_stuck();
  say(&e, "{\"method\": \"$/cancelRequest\", \"params\": {\"id\": 1}}");
  expect(&e, "1: -32800");
  expect(&e, "2: ask");
  finish(&e, TS_EXIT_REJECTED);
}

Test(lsp_guard, a_new_text_replaces_one_that_is_worked_on)
{
  editor e = start(60, NULL);
  say(&e, OPEN("file:///a", "hang"));
  wait_until_stuck();
  say(&e, CHANGE("file:///a", "fine"));
  expect(&e, "file:///a: fine");
  say(&e, OPEN("file:///b", "hang"));
  wait_until_stuck();
  say(&e, "{\"method\": \"textDocument/didClose\", \"params\": {\"textDocument\": {\"uri\": "
          "\"file:///b\"}}}");
  expect(&e, "file:///b: fine");
  expect(&e, "file:///a: fine");
  finish(&e, TS_EXIT_REJECTED);
}

Test(lsp_guard, an_editor_that_goes_leaves_no_endless_worker)
{
  editor e = start(0.5, NULL);
  say(&e, OPEN("file:///a", "hang"));
  fclose(e.out);
  e.out = fopen("/dev/null", "w");
  expect(&e, "file:///a: checking this plan took more than 0.5 s");
  finish(&e, TS_EXIT_REJECTED);
}

Test(lsp_guard, ends_as_the_protocol_asks)
{
  editor e = start(60, NULL);
  say(&e, "{\"method\": \"initialize\", \"id\": 1, \"params\": {}}");
  expect(&e, "1: initialize");
  say(&e, "{\"method\": \"shutdown\", \"id\": 2}");
  expect(&e, "2: shutdown");
  say(&e, "{\"method\": \"exit\"}");
  finish(&e, TS_EXIT_DONE);
}

Test(lsp_guard, workers_that_never_start_are_given_up)
{
  int any, status;
  editor e = start(60, &any);
  cr_assert(waitpid(e.guard, &status, 0) == e.guard && WIFEXITED(status));
  cr_assert_eq(WEXITSTATUS(status), TS_EXIT_ENVIRONMENT);
  fclose(e.out);
  close(e.in.in);
}
