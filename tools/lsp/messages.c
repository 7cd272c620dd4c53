#include "tools/lsp/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/escape.h"
#include "base/heap.h"

typedef struct messages_message {
  const lsp_analysis *a;
  const ts_diag *diag;
  ts_span span;
  const char *path;
} messages_message;

/* The file of the user's that a place is in; NULL: the library's, or none. */
static const char *user_file(const lsp_analysis *a, ts_span span)
{
  const ts_module *m = span.file ? ts_module_of(a->session, span.file) : NULL;
  return m && m->path && strncmp(m->name, "std/", 4) ? m->path : NULL;
}

/* Where a message is shown: its own place; where that is in the library, the first of its other
 * places that is the user's; else the plan's name. */
static ts_span messages_place_of(const lsp_analysis *a, const ts_diag *d)
{
  if (user_file(a, d->primary))
    return d->primary;
  for (size_t i = 0; i < d->labels.count; i++)
    if (user_file(a, d->labels.at[i].span))
      return d->labels.at[i].span;
  for (size_t i = 0; i < d->children.count; i++)
    if (user_file(a, d->children.at[i].span))
      return d->children.at[i].span;
  if (a->plan)
    return a->plan->decl->name_span;
  uint32_t file = a->module ? a->module->file : 0;
  return (ts_span){file, 0, 0};
}

static void put_line(FILE *out, const char *name, const char *text)
{
  ts_put_text(out, *name ? "\n%s: " : "\n%s", name);
  ts_put_lines(out, text);
}

/* The headline, then what stands beside it, as the terminal shows them. */
static char *messages_text_of(const ts_diag *d)
{
  char *text = NULL;
  size_t size;
  FILE *out = ts_heap_print(&text, &size);
  ts_put_lines(out, d->message);
  if (d->here)
    put_line(out, "", d->here);
  for (size_t i = 0; i < d->children.count; i++) {
    const ts_diag_child *child = &d->children.at[i];
    if (child->kind == TS_CHILD_FACT)
      put_line(out, child->name, child->text);
    else if (child->kind != TS_CHILD_NOTE || !child->span.file)
      put_line(out, child->kind == TS_CHILD_NOTE ? "note" : "help", child->text);
  }
  if (d->more)
    fprintf(out, "\nand %u more like it", d->more);
  ts_heap_printed(out);
  return text;
}

static void relate(const lsp_documents *all, const lsp_analysis *a, cJSON *related, ts_span span,
                   const char *text)
{
  cJSON *location = span.file ? lsp_location(all, a, span) : NULL;
  if (!location)
    return;
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToObject(item, "location", location);
  cJSON_AddStringToObject(item, "message", text ? text : "");
  cJSON_AddItemToArray(related, item);
}

static cJSON *diagnostic(const lsp_documents *all, const messages_message *m)
{
  const ts_diag *d = m->diag;
  const ts_source *source = ts_sources_get(m->a->session->sources, m->span.file);
  lsp_text t = {source->text, source->size, all->utf8};
  ts_span span = ts_span_shown(m->a->session->sources, m->span);
  cJSON *o = cJSON_CreateObject();
  cJSON_AddItemToObject(o, "range", lsp_range(&t, span.begin, span.end));
  cJSON_AddNumberToObject(o, "severity",
                          d->severity == TS_ERROR   ? 1 :
                          d->severity == TS_WARNING ? 2 :
                                                      3);
  cJSON_AddStringToObject(o, "code", ts_code_name(d->code));
  cJSON_AddStringToObject(o, "source", "trainspec");
  char *text = messages_text_of(d);
  cJSON_AddStringToObject(o, "message", text);
  free(text);
  cJSON *related = cJSON_CreateArray();
  if (m->span.begin != d->primary.begin || m->span.file != d->primary.file)
    relate(all, m->a, related, d->primary, d->here ? d->here : d->message);
  for (size_t i = 0; i < d->labels.count; i++)
    relate(all, m->a, related, d->labels.at[i].span, d->labels.at[i].text);
  for (size_t i = 0; i < d->children.count; i++)
    if (d->children.at[i].kind == TS_CHILD_NOTE)
      relate(all, m->a, related, d->children.at[i].span, d->children.at[i].text);
  if (cJSON_GetArraySize(related))
    cJSON_AddItemToObject(o, "relatedInformation", related);
  else
    cJSON_Delete(related);
  return o;
}

/* ---- Sorted by file ---- */

typedef struct file_messages { char *uri; cJSON *list; } file_messages;
typedef struct reported {
  const lsp_documents *all;
  file_messages *at;
  size_t count;
} reported;

static cJSON *list_for(reported *t, const char *uri)
{
  for (size_t i = 0; i < t->count; i++)
    if (!strcmp(t->at[i].uri, uri))
      return t->at[i].list;
  t->at = ts_heap_resize(t->at, t->count + 1, sizeof *t->at);
  t->at[t->count] = (file_messages){ts_heap_text(uri), cJSON_CreateArray()};
  return t->at[t->count++].list;
}

/* Two plans of a file may have one fault. */
static void messages_add(cJSON *list, cJSON *item)
{
  const cJSON *other;
  cJSON_ArrayForEach(other, list)
    if (cJSON_Compare(other, item, true)) {
      cJSON_Delete(item);
      return;
    }
  cJSON_AddItemToArray(list, item);
}

static void messages_collect(reported *t, const lsp_document *d, const lsp_analysis *a)
{
  ts_arena *scratch = ts_arena_new("messages");
  size_t count;
  ts_diag **diag = ts_diags_sorted(a->session->diags, scratch, &count);
  for (size_t i = 0; i < count; i++) {
    messages_message m = {.a = a, .diag = diag[i], .span = messages_place_of(a, diag[i])};
    m.path = user_file(a, m.span);
    char *uri = m.path && a->module && m.span.file != a->module->file ? lsp_uri_of_path(m.path) :
                                                                        ts_heap_text(d->uri);
    bool other = strcmp(uri, d->uri) != 0;
    if (m.span.file && !(other && lsp_document_of(t->all, uri))) /* an open file reports its own */
      messages_add(list_for(t, uri), diagnostic(t->all, &m));
    free(uri);
  }
  ts_arena_free(scratch);
}

static void publish(lsp_wire *wire, const lsp_document *d, const char *uri, cJSON *list)
{
  cJSON *params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "uri", uri);
  if (!strcmp(uri, d->uri))
    cJSON_AddNumberToObject(params, "version", d->version);
  cJSON_AddItemToObject(params, "diagnostics", list);
  lsp_notify(wire, "textDocument/publishDiagnostics", params);
}

void lsp_tell(const lsp_documents *all, lsp_document *d, lsp_wire *wire)
{
  reported t = {.all = all};
  list_for(&t, d->uri);
  for (size_t i = 0; i < d->reported_count; i++) {
    list_for(&t, d->reported[i]);
    free(d->reported[i]);
  }
  for (uint32_t i = 0; i < d->count; i++)
    messages_collect(&t, d, &d->plan[i]);
  d->reported = ts_heap_resize(d->reported, t.count, sizeof *d->reported);
  d->reported_count = 0;
  for (size_t i = 0; i < t.count; i++) {
    bool keep = cJSON_GetArraySize(t.at[i].list) && strcmp(t.at[i].uri, d->uri);
    publish(wire, d, t.at[i].uri, t.at[i].list);
    if (keep)
      d->reported[d->reported_count++] = t.at[i].uri;
    else
      free(t.at[i].uri);
  }
  free(t.at);
}

/* ---- Edits ---- */

static cJSON *fix(const lsp_documents *all, const lsp_document *d, const ts_diag_child *child,
                  ts_span edited)
{
  lsp_text t = lsp_text_of(all, d);
  cJSON *action = cJSON_CreateObject();
  cJSON_AddStringToObject(action, "title", child->text);
  cJSON_AddStringToObject(action, "kind", "quickfix");
  cJSON *edits = cJSON_AddArrayToObject(
          cJSON_AddObjectToObject(cJSON_AddObjectToObject(action, "edit"), "changes"), d->uri),
        *edit = cJSON_CreateObject();
  cJSON_AddItemToObject(edit, "range", lsp_range(&t, edited.begin, edited.end));
  cJSON_AddStringToObject(edit, "newText", child->replacement);
  cJSON_AddItemToArray(edits, edit);
  return action;
}

cJSON *lsp_fixes(const lsp_documents *all, const lsp_document *d, uint32_t begin, uint32_t end)
{
  cJSON *actions = cJSON_CreateArray();
  for (uint32_t p = 0; p < d->count; p++) {
    const lsp_analysis *a = &d->plan[p];
    ts_arena *scratch = ts_arena_new("fixes");
    size_t count;
    ts_diag **diag = ts_diags_sorted(a->session->diags, scratch, &count);
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; a->module && k < diag[i]->children.count; k++) {
        const ts_diag_child *child = &diag[i]->children.at[k];
        bool here = diag[i]->primary.begin <= end && begin <= diag[i]->primary.end;
        ts_span edited = ts_diag_edited(diag[i], child, a->session->sources);
        if (edited.file == a->module->file && here)
          messages_add(actions, fix(all, d, child, edited));
      }
    ts_arena_free(scratch);
  }
  return actions;
}
