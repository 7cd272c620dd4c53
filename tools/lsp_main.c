/* trainspec lsp: the language server. Editors start it and talk to it over standard input and
 * output (Language Server Protocol 3.17). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/options.h"
#include "base/version.h"
#include "compiler/eval/running.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/lsp/guard.h"
#include "tools/lsp/messages.h"

enum { DEADLINE = 1, SINGLE_PROCESS };
static const ts_option options[] = {
  PLAN_FILE_OPTIONS,
  {DEADLINE, 0, "deadline", "SECONDS", "time limit for checking a plan (10)", "Server"},
  {SINGLE_PROCESS, 0, "single-process", NULL,
   "work in this process, without limits: where there are no others, as in a browser", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]...", NULL};
static const char *const notes[] = {
  "An editor starts it; see doc/editors.md for how to set one up. Messages as one",
  "types, hover, definitions, references, renaming, completion, signatures,",
  "outline, formatting and quick fixes. With the initialization option",
  "`stepTime` true, opening or saving a plan also simulates it, and its step time is",
  "shown beside its name; with `lenses` true, step time and memory stand above it.",
  NULL,
};
static const ts_program program = {
  .summary =
    "TrainSpec language server: speaks the Language Server Protocol on standard input and output.",
  .usage = usage,
  .options = options,
  .notes = notes,
  .manual = "trainspec(1)",
};

typedef struct server {
  lsp_wire wire;
  lsp_documents documents;
  bool initialized, shut_down;
} server;

/* A request about a place of a document. */
typedef struct question {
  server *server;
  const cJSON *params;
  lsp_document *document;
  const lsp_analysis *a; /* of the first plan; its module is not NULL */
  lsp_text text;
  uint32_t offset;       /* 0 where no place is given */
  const ts_use *use;     /* the name there; may be NULL */
} question;

static const cJSON *get(const cJSON *o, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static const char *lsp_text_at(const cJSON *o, const char *name)
{
  return cJSON_GetStringValue(get(o, name));
}

static cJSON *range_here(const question *q, uint32_t begin, uint32_t end)
{
  return lsp_range(&q->text, begin, end);
}

/* ---- What names mean ---- */

/* The value is that of the first plan that has one. */
static cJSON *hover(const question *q)
{
  if (!q->use)
    return NULL;
  const char *text = NULL;
  for (uint32_t i = 0; i < q->document->count; i++) {
    const lsp_analysis *a = &q->document->plan[i];
    const ts_use *use = a->module ? ts_lookup_use(a->session, a->module->file, q->offset) : NULL;
    bool has = use && a->plan && use->span.begin >= a->plan->decl->span.begin &&
               use->span.end <= a->plan->decl->span.end;
    if (use && (!text || has))
      text = ts_lookup_describe(a->session, a->plan, use);
  }
  cJSON *o = cJSON_CreateObject(), *contents = cJSON_AddObjectToObject(o, "contents");
  cJSON_AddStringToObject(contents, "kind", "markdown");
  cJSON_AddStringToObject(contents, "value", text);
  cJSON_AddItemToObject(o, "range", range_here(q, q->use->span.begin, q->use->span.end));
  return o;
}

static void add_location(const question *q, cJSON *list, ts_span span)
{
  cJSON *location = lsp_location(&q->server->documents, q->a, span);
  if (location)
    cJSON_AddItemToArray(list, location);
}

/* The declaration of a name; the file of an import; the ops of a label. */
static cJSON *definition(const question *q)
{
  cJSON *list = cJSON_CreateArray();
  const ts_module *import = ts_lookup_import(q->a->session, q->a->module, q->offset);
  if (import) {
    add_location(q, list, (ts_span){import->file, 0, 0});
  } else if (q->use) {
    add_location(q, list, q->use->declared);
  } else {
    ts_spans places = {0};
    const char *label = ts_lookup_dotted(q->a->session, q->a->module->file, q->offset);
    if (label)
      ts_lookup_labels(q->a->session, label, &places);
    for (size_t i = 0; i < places.all.count; i++)
      add_location(q, list, places.all.at[i]);
  }
  return list;
}

static bool lsp_same(ts_span a, ts_span b)
{
  return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

static cJSON *references(const question *q)
{
  cJSON *list = cJSON_CreateArray();
  bool declaration = cJSON_IsTrue(get(get(q->params, "context"), "includeDeclaration"));
  const ts_uses *uses = q->a->session->running->uses;
  for (size_t i = 0; q->use && q->use->declared.file && i < uses->all.count; i++)
    if (lsp_same(uses->all.at[i].declared, q->use->declared) &&
        (declaration || !lsp_same(uses->all.at[i].span, q->use->declared)))
      add_location(q, list, uses->all.at[i].span);
  return list;
}

static cJSON *highlights(const question *q)
{
  cJSON *list = cJSON_CreateArray();
  const ts_uses *uses = q->a->session->running->uses;
  for (size_t i = 0; q->use && q->use->declared.file && i < uses->all.count; i++) {
    const ts_use *use = &uses->all.at[i];
    if (use->span.file != q->a->module->file || !lsp_same(use->declared, q->use->declared))
      continue;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "range", range_here(q, use->span.begin, use->span.end));
    cJSON_AddItemToArray(list, o);
  }
  return list;
}

/* ---- Renaming ---- */

/* Why a name cannot be another; NULL: it can. */
static const char *cannot_rename(const question *q)
{
  if (!q->use)
    return "the name here has no declaration";
  const ts_module *m =
    q->use->declared.file ? ts_module_of(q->a->session, q->use->declared.file) : NULL;
  if (!m || !strncmp(m->name, "std/", 4))
    return "this name is built in or belongs to the standard library";
  return NULL;
}

static bool lsp_is_name(const char *text)
{
  static const char *const reserved[] = {
#define RESERVED(token, spelling) spelling,
#define CONTEXTUAL(token, spelling)
#include "lang/keywords.def"
#undef RESERVED
#undef CONTEXTUAL
  };
  for (size_t i = 0; text && i < sizeof reserved / sizeof *reserved; i++)
    if (!strcmp(text, reserved[i]))
      return false;
  size_t length =
    text ? strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") : 0;
  return length && !text[length] && !(text[0] >= '0' && text[0] <= '9');
}

static cJSON *prepare_rename(const question *q)
{
  return cannot_rename(q) ? NULL : range_here(q, q->use->span.begin, q->use->span.end);
}

/* Wherever it is used in the files that this one and its imports are. The gradient `dx` of a tensor
 * `x` follows it. */
static cJSON *rename_name(const question *q)
{
  cJSON *o = cJSON_CreateObject(), *changes = cJSON_AddObjectToObject(o, "changes");
  const char *name = lsp_text_at(q->params, "newName");
  const ts_uses *uses = q->a->session->running->uses;
  for (size_t i = 0; i < uses->all.count; i++) {
    const ts_use *use = &uses->all.at[i];
    cJSON *location = lsp_same(use->declared, q->use->declared) ?
                        lsp_location(&q->server->documents, q->a, use->span) :
                        NULL;
    if (!location)
      continue;
    const char *uri = lsp_text_at(location, "uri");
    cJSON *edits = cJSON_GetObjectItemCaseSensitive(changes, uri), *edit = cJSON_CreateObject();
    if (!edits)
      edits = cJSON_AddArrayToObject(changes, uri);
    cJSON_AddItemToObject(edit, "range", cJSON_DetachItemFromObject(location, "range"));
    bool gradient =
      use->node && use->name != use->node->name && lsp_same(use->declared, use->node->name_span);
    char *text = ts_heap_new(strlen(name) + 2, 1);
    sprintf(text, "%s%s", gradient ? "d" : "", name);
    cJSON_AddStringToObject(edit, "newText", text);
    free(text);
    bool twice = false;
    const cJSON *other;
    cJSON_ArrayForEach(other, edits)
      twice |= cJSON_Compare(other, edit, true);
    if (twice)
      cJSON_Delete(edit);
    else
      cJSON_AddItemToArray(edits, edit);
    cJSON_Delete(location);
  }
  return o;
}

/* ---- Writing ---- */

static cJSON *completion(const question *q)
{
  static const int kinds[] = {
    [TS_PROPOSE_FUNCTION] = 3, [TS_PROPOSE_VALUE] = 6,   [TS_PROPOSE_PARAMETER] = 5,
    [TS_PROPOSE_TYPE] = 22,    [TS_PROPOSE_FIELD] = 10,  [TS_PROPOSE_FILE] = 9,
    [TS_PROPOSE_UNIT] = 11,    [TS_PROPOSE_KEYWORD] = 14};
  ts_proposals list = {.begin = q->offset};
  ts_lookup_propose(q->a->session, q->a->module, q->offset, &list);
  cJSON *items = cJSON_CreateArray();
  for (size_t i = 0; i < list.all.count; i++) {
    const ts_proposal *p = &list.all.at[i];
    cJSON *item = cJSON_CreateObject(), *edit = cJSON_CreateObject();
    char order[24];
    snprintf(order, sizeof order, "%06zu", i);
    cJSON_AddStringToObject(item, "label", p->text);
    cJSON_AddNumberToObject(item, "kind", kinds[p->kind]);
    if (p->detail)
      cJSON_AddStringToObject(item, "detail", p->detail);
    cJSON_AddStringToObject(item, "sortText", order);
    cJSON_AddItemToObject(edit, "range", range_here(q, list.begin, q->offset));
    cJSON_AddStringToObject(edit, "newText", p->text);
    cJSON_AddItemToObject(item, "textEdit", edit);
    cJSON_AddItemToArray(items, item);
  }
  return items;
}

static cJSON *signature(const question *q)
{
  ts_open_call call;
  ts_session *s = q->a->session;
  if (!ts_lookup_call(s, q->a->module, q->offset, &call))
    return NULL;
  uint32_t count = call.params ? call.params->count : call.maker->formal_count,
           active = call.argument;
  cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "signatures"),
        *one = cJSON_CreateObject(), *parameters = cJSON_CreateArray();
  const char *text = ts_arena_printf(s->arena, "%s(", call.name);
  for (uint32_t i = 0; i < count; i++) {
    const ts_maker_formal *formal = call.params ? NULL : &call.maker->formals[i];
    bool typed = formal && formal->type && *formal->type;
    const char *name = call.params ? call.params->child[i]->name : formal->name;
    const char *label = call.params ? ts_lookup_signature(s, call.params->child[i]) :
                                      ts_arena_printf(s->arena, "%s%s%s", name, typed ? ": " : "",
                                                      typed ? formal->type : "");
    cJSON *parameter = cJSON_CreateObject();
    cJSON_AddStringToObject(parameter, "label", label);
    cJSON_AddItemToArray(parameters, parameter);
    text = ts_arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", label);
    if (call.named && !strcmp(call.named, name))
      active = i;
  }
  cJSON_AddItemToArray(list, one);
  cJSON_AddStringToObject(one, "label", ts_arena_printf(s->arena, "%s)", text));
  cJSON_AddItemToObject(one, "parameters", parameters);
  cJSON_AddNumberToObject(o, "activeSignature", 0);
  cJSON_AddNumberToObject(o, "activeParameter", active);
  return o;
}

static cJSON *formatting(const question *q)
{
  size_t size;
  char *text = ts_format(q->a->session->lang, q->a->module->file, &size);
  cJSON *edits = cJSON_CreateArray();
  if (!text || (size == q->text.size && !memcmp(text, q->text.text, size)))
    return edits;
  cJSON *edit = cJSON_CreateObject();
  cJSON_AddItemToObject(edit, "range", range_here(q, 0, (uint32_t)q->text.size));
  cJSON_AddStringToObject(edit, "newText", ts_arena_string(q->a->arena, text, size));
  cJSON_AddItemToArray(edits, edit);
  return edits;
}

static cJSON *fixes(const question *q)
{
  const cJSON *range = get(q->params, "range");
  return lsp_fixes(&q->server->documents, q->document, lsp_offset(&q->text, get(range, "start")),
                   lsp_offset(&q->text, get(range, "end")));
}

/* ---- The whole document ---- */

static int symbol_kind(ts_kind kind)
{
  switch (kind) {
  case TS_AST_FN:
  case TS_AST_EXTERN:
  case TS_AST_OP: return 12;      /* function */
  case TS_AST_LET: return 14;     /* constant */
  case TS_AST_PARAM: return 13;   /* variable */
  case TS_AST_RECORD_TYPE: return 23; /* struct */
  case TS_AST_GPU:
  case TS_AST_GPU_IS:
  case TS_AST_CLUSTER: return 19; /* object */
  case TS_AST_PLAN:
  case TS_AST_SEARCH: return 2;   /* module */
  default: return 5;              /* class */
  }
}

static cJSON *symbols(const question *q)
{
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < q->a->module->own.count; i++) {
    const ts_ast *decl = q->a->module->own.at[i]->decl;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", decl->name);
    cJSON_AddStringToObject(o, "detail", ts_kind_name(decl->kind));
    cJSON_AddNumberToObject(o, "kind", symbol_kind(decl->kind));
    cJSON_AddItemToObject(o, "range", range_here(q, decl->span.begin, decl->span.end));
    cJSON_AddItemToObject(o, "selectionRange",
                          range_here(q, decl->name_span.begin, decl->name_span.end));
    cJSON_AddItemToArray(list, o);
  }
  return list;
}

/* The step time beside a plan's name. */
static cJSON *hints(const question *q)
{
  cJSON *list = cJSON_CreateArray();
  for (uint32_t i = 0; i < q->document->count; i++) {
    const lsp_analysis *a = &q->document->plan[i];
    if (!a->answer || a->plan->decl->span.file != a->module->file)
      continue;
    cJSON *o = cJSON_CreateObject(),
          *range = range_here(q, a->plan->decl->name_span.end, a->plan->decl->name_span.end);
    cJSON_AddItemToObject(o, "position", cJSON_DetachItemFromObject(range, "start"));
    cJSON_Delete(range);
    cJSON_AddStringToObject(o, "label", a->answer);
    cJSON_AddBoolToObject(o, "paddingLeft", true);
    cJSON_AddItemToArray(list, o);
  }
  return list;
}

static void add_lens(cJSON *list, const question *q, const lsp_analysis *a, const char *title,
                     const char *command)
{
  const ts_ast *decl = a->plan->decl;
  cJSON *lens = cJSON_CreateObject(), *does = cJSON_AddObjectToObject(lens, "command");
  const char *const given[] = {q->document->uri, decl->name};
  cJSON_AddItemToObject(lens, "range",
                        range_here(q, decl->name_span.begin, decl->name_span.end));
  cJSON_AddStringToObject(does, "title", title);
  cJSON_AddStringToObject(does, "command", command);
  cJSON_AddItemToObject(does, "arguments", cJSON_CreateStringArray(given, 2));
  cJSON_AddItemToArray(list, lens);
}

/* Above a plan: its step time and memory, and doors to report and timeline, which are commands of
 * the editor with the document and the plan's name. */
static cJSON *lenses(const question *q)
{
  cJSON *list = cJSON_CreateArray();
  for (uint32_t i = 0; i < q->document->count; i++) {
    const lsp_analysis *a = &q->document->plan[i];
    if (!a->plan || a->plan->decl->span.file != a->module->file)
      continue;
    if (!a->answer) {
      add_lens(list, q, a, "save to see time and memory", "trainspec.save");
      continue;
    }
    const char *memory = a->memory ? a->memory : "";
    add_lens(list, q, a,
             ts_arena_printf(a->arena, "%s%s%s", a->answer, *memory ? " | " : "", memory),
             "trainspec.report");
    add_lens(list, q, a, "timeline", "trainspec.timeline");
  }
  return list;
}

/* ---- Messages ---- */

static const struct request {
  const char *method;
  cJSON *(*answer)(const question *q); /* NULL: nothing to say */
} requests[] = {
  {"textDocument/hover", hover},
  {"textDocument/definition", definition},
  {"textDocument/references", references},
  {"textDocument/documentHighlight", highlights},
  {"textDocument/prepareRename", prepare_rename},
  {"textDocument/rename", rename_name},
  {"textDocument/completion", completion},
  {"textDocument/signatureHelp", signature},
  {"textDocument/formatting", formatting},
  {"textDocument/codeAction", fixes},
  {"textDocument/documentSymbol", symbols},
  {"textDocument/inlayHint", hints},
  {"textDocument/codeLens", lenses},
};

/* To the guard, which limits the time. */
static void working(server *s, const lsp_document *d)
{
  cJSON *params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "uri", d->uri);
  lsp_notify(&s->wire, LSP_WORKING, params);
}

static void lsp_look(server *s, lsp_document *d)
{
  if (d->stale)
    working(s, d);
  if (lsp_document_analyze(&s->documents, d))
    lsp_tell(&s->documents, d, &s->wire);
}

/* While nothing waits to be read: what was changed is looked at, and what may import it. */
static void settle(server *s)
{
  for (size_t i = 0; i < s->documents.count && !lsp_pending(&s->wire); i++)
    lsp_look(s, s->documents.at[i]);
  lsp_notify(&s->wire, LSP_WAITING, cJSON_CreateObject());
}

static void answer(server *s, const struct request *r, const cJSON *id, const cJSON *params)
{
  question q = {.server = s,
                .params = params,
                .document =
                  lsp_document_of(&s->documents, lsp_text_at(get(params, "textDocument"), "uri"))};
  if (!q.document) {
    lsp_refuse(&s->wire, id, LSP_INVALID_PARAMS, "this document is not open");
    return;
  }
  working(s, q.document);
  lsp_look(s, q.document);
  q.a = &q.document->plan[0];
  if (!q.a->module) {
    lsp_reply(&s->wire, id, NULL);
    return;
  }
  /* two documents may be one file: what was read counts */
  const ts_source *source = ts_sources_get(q.a->session->sources, q.a->module->file);
  q.text = (lsp_text){source->text, source->size, s->documents.utf8};
  q.offset = lsp_offset(&q.text, get(params, "position"));
  q.use = get(params, "position") ? ts_lookup_use(q.a->session, q.a->module->file, q.offset) : NULL;
  const char *wrong = r->answer == rename_name ? cannot_rename(&q) : NULL;
  if (!wrong && r->answer == rename_name && !lsp_is_name(lsp_text_at(params, "newName")))
    wrong = "a name begins with a letter, has letters, digits and `_`, and is no word of the "
            "language such as `let`";
  if (wrong)
    lsp_refuse(&s->wire, id, LSP_REQUEST_FAILED, wrong);
  else
    lsp_reply(&s->wire, id, r->answer(&q));
}

static cJSON *initialize(server *s, const cJSON *params)
{
  static const char *const can[] = {"hoverProvider",
                                    "definitionProvider",
                                    "referencesProvider",
                                    "documentHighlightProvider",
                                    "documentFormattingProvider",
                                    "codeActionProvider",
                                    "documentSymbolProvider"};
  const cJSON *encodings = get(get(get(params, "capabilities"), "general"), "positionEncodings"),
              *encoding;
  cJSON_ArrayForEach(encoding, encodings)
    s->documents.utf8 |= cJSON_IsString(encoding) && !strcmp(encoding->valuestring, "utf-8");
  s->documents.play = cJSON_IsTrue(get(get(params, "initializationOptions"), "stepTime"));
  s->documents.lenses = cJSON_IsTrue(get(get(params, "initializationOptions"), "lenses"));
  s->initialized = true;
  cJSON *o = cJSON_CreateObject(), *c = cJSON_AddObjectToObject(o, "capabilities"),
        *info = cJSON_AddObjectToObject(o, "serverInfo");
  cJSON_AddStringToObject(c, "positionEncoding", s->documents.utf8 ? "utf-8" : "utf-16");
  cJSON *sync = cJSON_AddObjectToObject(c, "textDocumentSync");
  cJSON_AddBoolToObject(sync, "openClose", true);
  cJSON_AddNumberToObject(sync, "change", 1); /* whole texts */
  cJSON_AddBoolToObject(sync, "save", true);
  for (size_t i = 0; i < sizeof can / sizeof *can; i++)
    cJSON_AddBoolToObject(c, can[i], true);
  cJSON_AddBoolToObject(cJSON_AddObjectToObject(c, "renameProvider"), "prepareProvider", true);
  cJSON *complete = cJSON_AddObjectToObject(c, "completionProvider"),
        *sign = cJSON_AddObjectToObject(c, "signatureHelpProvider");
  const char *const dot[] = {"."}, *const call[] = {"(", ","};
  cJSON_AddItemToObject(complete, "triggerCharacters", cJSON_CreateStringArray(dot, 1));
  cJSON_AddItemToObject(sign, "triggerCharacters", cJSON_CreateStringArray(call, 2));
  if (s->documents.play)
    cJSON_AddBoolToObject(c, "inlayHintProvider", true);
  if (s->documents.lenses)
    cJSON_AddObjectToObject(c, "codeLensProvider");
  cJSON_AddStringToObject(info, "name", "trainspec");
  cJSON_AddStringToObject(info, "version", ts_version());
  return o;
}

static void closed(server *s, lsp_document *d)
{
  lsp_document_forget(d);
  lsp_tell(&s->documents, d, &s->wire); /* empty lists */
  lsp_document_drop(&s->documents, d);
}

static void notified(server *s, const char *method, const cJSON *params)
{
  const cJSON *document = get(params, "textDocument"), *changes = get(params, "contentChanges"),
              *version = get(document, "version");
  const char *uri = lsp_text_at(document, "uri"), *text = NULL;
  if (!s->initialized || !uri)
    return;
  bool open = !strcmp(method, "textDocument/didOpen"),
       change = !strcmp(method, "textDocument/didChange"),
       save = !strcmp(method, "textDocument/didSave");
  if (open || change)
    text = lsp_text_at(
      open ? document : cJSON_GetArrayItem(changes, cJSON_GetArraySize(changes) - 1), "text");
  lsp_document *d = text ? lsp_document_put(&s->documents, uri, text,
                                            cJSON_IsNumber(version) ? version->valueint : 0) :
                           lsp_document_of(&s->documents, uri);
  if (d && (open || save))
    d->stale = d->whole = true;
  if (d && !strcmp(method, "textDocument/didClose"))
    closed(s, d);
}

static void requested(server *s, const char *method, const cJSON *id, const cJSON *params)
{
  if (!strcmp(method, "initialize")) {
    lsp_reply(&s->wire, id, initialize(s, params));
    return;
  }
  if (!s->initialized) {
    lsp_refuse(&s->wire, id, LSP_NOT_INITIALIZED, "`initialize` comes first");
    return;
  }
  if (!strcmp(method, "shutdown")) {
    s->shut_down = true;
    lsp_reply(&s->wire, id, NULL);
    return;
  }
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
    if (!strcmp(method, requests[i].method)) {
      if (s->shut_down)
        lsp_refuse(&s->wire, id, LSP_INVALID_REQUEST, "the server was shut down");
      else
        answer(s, &requests[i], id, params);
      return;
    }
  lsp_refuse(&s->wire, id, LSP_NO_METHOD, "this server does not do that");
}

/* In a process of its own, or in the only one: until the guard or the editor says `exit` or nothing
 * more. */
static void serve(void *context, lsp_wire *wire)
{
  server *s = context;
  s->wire = *wire;
  bool broken, over = false;
  cJSON *message;
  while (!over && (message = lsp_receive(&s->wire, &broken))) {
    const char *method = lsp_text_at(message, "method");
    const cJSON *id = get(message, "id"), *params = get(message, "params");
    over = method && !strcmp(method, "exit");
    if (method && id && !over)
      requested(s, method, id, params);
    else if (method && !over)
      notified(s, method, params);
    cJSON_Delete(message);
    settle(s);
  }
  while (s->documents.count)
    lsp_document_drop(&s->documents, s->documents.at[0]);
  free(s->documents.at);
  lsp_wire_close(&s->wire);
  fclose(s->wire.out);
}

int ts_lsp_main(int argc, char **argv)
{
  ts_options o = ts_options_start(&program, argc, argv);
  ts_arena *arena = ts_arena_new("lsp");
  ts_plan_options plan = {0};
  server s = {0};
  lsp_wire editor = {.in = STDIN_FILENO, .out = stdout};
  long long seconds = 10;
  bool alone = false;
  int status, id;
  while (!o.status && (id = ts_options_next(&o)) != TS_OPTIONS_END) {
    if (id == TS_OPTIONS_EXIT) {
      ts_arena_free(arena);
      return o.status;
    }
    if (id == TS_OPERAND)
      ts_options_wrong(&o, "`%s`: the editor names the files", o.argument);
    else if (id == SINGLE_PROCESS)
      alone = true;
    else if (id == DEADLINE)
      ts_options_number(&o, 1, 86400, &seconds);
    else
      ts_plan_option(&plan, arena, &o, id);
  }
  status = o.status;
  s.documents.compile = plan.compile;
  if (status == TS_EXIT_DONE && alone) {
    serve(&s, &editor);
    status = s.shut_down ? TS_EXIT_DONE : TS_EXIT_REJECTED;
  } else if (status == TS_EXIT_DONE) {
    status = lsp_guard(&editor, (double)seconds, serve, &s);
  }
  if (!alone)
    lsp_wire_close(&editor);
  ts_arena_free(arena);
  return status;
}
