#include "tools/lsp/documents.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/digest.h"
#include "base/format.h"
#include "base/heap.h"
#include "base/output.h"
#include "base/version.h"
#include "compiler/eval/files.h"
#include "compiler/eval/running.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/lower/lower.h"
#include "compiler/replay/replay.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "runtime/play/play.h"

enum { SLOW_MS = 300 };

/* ---- Open and closed ---- */

lsp_document *lsp_document_of(const lsp_documents *all, const char *uri)
{
  for (size_t i = 0; uri && i < all->count; i++)
    if (!strcmp(all->at[i]->uri, uri))
      return all->at[i];
  return NULL;
}

void lsp_document_forget(lsp_document *d)
{
  for (uint32_t i = 0; i < d->count; i++)
    ts_arena_free(d->plan[i].arena);
  d->count = 0;
}

lsp_document *lsp_document_put(lsp_documents *all, const char *uri, const char *text, int version)
{
  lsp_document *d = lsp_document_of(all, uri);
  if (!d) {
    char *path = lsp_path_of_uri(uri);
    if (!path)
      return NULL;
    d = ts_heap_new(1, sizeof *d);
    *d = (lsp_document){.uri = ts_heap_text(uri), .path = path};
    all->at = ts_heap_resize(all->at, all->count + 1, sizeof *all->at);
    all->at[all->count++] = d;
  }
  free(d->text);
  d->text = ts_heap_text(text);
  d->size = strlen(text);
  d->version = version;
  for (size_t i = 0; i < all->count; i++)
    all->at[i]->stale = true; /* it may import this one */
  return d;
}

void lsp_document_drop(lsp_documents *all, lsp_document *d)
{
  size_t i = 0;
  while (all->at[i] != d)
    i++;
  all->at[i] = all->at[--all->count];
  for (i = 0; i < all->count; i++)
    all->at[i]->stale = true;
  lsp_document_forget(d);
  free(d->uri);
  free(d->path);
  free(d->text);
  for (i = 0; i < d->reported_count; i++)
    free(d->reported[i]);
  free(d->reported);
  free(d);
}

lsp_text lsp_text_of(const lsp_documents *all, const lsp_document *d)
{
  return (lsp_text){d->text, d->size, all->utf8};
}

/* ---- Analyses ---- */

static int64_t milliseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool documents_complete(const ts_ast *plan)
{
  const ts_ast *params = ts_decl_params(plan);
  for (uint32_t i = 0; params && i < params->count; i++)
    if (!ts_ast_default(params->child[i]))
      return false;
  return true;
}

/* All, or the one that --plan names. */
static size_t plans_of(const ts_module *m, const char *wanted, const ts_ast *plan[LSP_MOST_PLANS])
{
  size_t count = 0;
  for (size_t i = 0; i < m->own.count && count < LSP_MOST_PLANS; i++) {
    const ts_ast *decl = m->own.at[i]->decl;
    if (decl->kind == TS_AST_PLAN && documents_complete(decl) &&
        (!wanted || !strcmp(decl->name, wanted)))
      plan[count++] = decl;
  }
  return count;
}

static void documents_start(const lsp_documents *all, const lsp_document *d, lsp_analysis *a)
{
  *a = (lsp_analysis){.arena = ts_arena_new("document")};
  ts_session *s = a->session = ts_session_new(a->arena);
  ts_compile_settings(s, &all->compile);
  s->running->uses = TS_NEW(a->arena, ts_uses);
  ts_embedded_file *given = TS_NEW_ARRAY(a->arena, ts_embedded_file, all->count);
  for (size_t i = 0; i < all->count; i++)
    given[i] = (ts_embedded_file){
      ts_arena_printf(a->arena, "%s", all->at[i]->path),
      (const unsigned char *)ts_arena_string(a->arena, all->at[i]->text, all->at[i]->size),
      all->at[i]->size};
  s->files->given = given;
  s->files->given_count = (uint32_t)all->count;
  a->module = ts_module_load(s, ts_arena_printf(a->arena, "%s", d->path));
}

/* What names mean, even where the text cannot be understood as a whole; what else is wrong with it
 * then is not reported. */
static void check_anyway(lsp_analysis *a)
{
  ts_diags *reported = a->session->diags;
  if (ts_diags_errors(reported))
    a->session->diags = ts_diags_new(a->arena, a->session->sources);
  ts_check(a->session);
  a->session->diags = reported;
}

static const char *step_text(const lsp_analysis *a, uint64_t step)
{
  return ts_arena_printf(a->arena, "%s a step", ts_format_time(step).text);
}

/* The step and what the fullest device holds. */
static void weigh(lsp_analysis *a, const ts_ir *ir)
{
  ts_stop stop = {.arena = a->arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){0}, &stop);
  if (!run)
    return;
  const ts_memory *memory = ts_memory_new(a->arena, ir, run);
  const ts_memory_class *m = &memory->classes[memory->fullest];
  a->answer = step_text(a, ts_run_result(run)->step);
  a->memory = !memory->stated ? "" :
              !m->limit ?
                ts_arena_printf(a->arena, "%s", ts_format_bytes((double)(m->peak + m->reserved)).text) :
                          ts_arena_printf(a->arena, "%s of %s%s",
                                          ts_format_bytes((double)(m->peak + m->reserved)).text,
                                          ts_format_bytes((double)m->limit).text,
                                          m->over ? ": does not fit" : "");
  ts_run_free(run);
}

static void documents_play(const lsp_documents *all, lsp_analysis *a, ts_ir_builder *b)
{
  ts_ir ir;
  ts_error error;
  ts_stop stop = {.arena = a->arena};
  uint64_t step = 0;
  ts_ir_builder_view(b, &ir);
  if ((!all->play && !all->lenses) || ts_ir_verify(&ir, &error) != 0)
    return;
  if (all->lenses)
    weigh(a, &ir);
  else if (ts_run_step(&ir, &(ts_run_options){0}, &step, &stop))
    a->answer = step_text(a, step);
}

static void analyze(const lsp_documents *all, lsp_document *d, lsp_analysis *a, const ts_ast *plan)
{
  ts_session *s = a->session;
  if (!plan || ts_diags_errors(s->diags)) {
    check_anyway(a);
    return;
  }
  int64_t begin = milliseconds();
  a->plan = ts_plan_load(s, a->module->path, plan->name);
  if (!a->plan || !(d->whole || !d->slow))
    return;
  ts_lowered lowered;
  (ts_plan_replays(s, a->plan) ? ts_plan_replay : ts_plan_lower)(s, a->plan, &lowered);
  ts_ir_builder *b = lowered.builder;
  d->slow |= milliseconds() - begin > SLOW_MS;
  if (b && d->whole)
    documents_play(all, a, b);
  if (b)
    ts_ir_builder_free(b);
}

static void analyze_all(const lsp_documents *all, lsp_document *d)
{
  const ts_ast *plan[LSP_MOST_PLANS];
  size_t plans = 0;
  do {
    lsp_analysis *a = &d->plan[d->count];
    documents_start(all, d, a);
    if (d->count == 0 && a->module)
      plans = plans_of(a->module, all->compile.plan_name, plan);
    if (a->module)
      analyze(all, d, a, d->count < plans ? plan[d->count] : NULL);
  } while (++d->count < plans);
}

bool lsp_document_analyze(const lsp_documents *all, lsp_document *d)
{
  if (!d->stale)
    return false;
  lsp_document_forget(d);
  d->slow &= !d->whole; /* measured anew */
  analyze_all(all, d);
  d->stale = d->whole = false;
  return true;
}

/* ---- Places ---- */

static bool make_folders(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
  }
  return true;
}

/* "std/models/x.ts" as a file that an editor can open: in the user's cache, in a folder named by
 * the content. */
static const char *library_file(const lsp_analysis *a, const ts_source *source)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  uint8_t sha256[32];
  struct stat info;
  if (!(cache && cache[0] == '/') && !(home && home[0] == '/'))
    return NULL;
  ts_digest_bytes(source->text, source->size, sha256);
  char *path = ts_arena_printf(a->arena, "%s%s/trainspec/%s-%02x%02x%02x%02x/%s",
                               cache && cache[0] == '/' ? cache : home,
                               cache && cache[0] == '/' ? "" : "/.cache", ts_version(), sha256[0],
                               sha256[1], sha256[2], sha256[3], source->name);
  bool there = stat(path, &info) == 0 ||
               (make_folders(path) && ts_write_file(path, source->text, source->size) == 0);
  return there ? path : NULL;
}

cJSON *lsp_location(const lsp_documents *all, const lsp_analysis *a, ts_span span)
{
  const ts_source *source = ts_sources_get(a->session->sources, span.file);
  const ts_module *m = source ? ts_module_of(a->session, span.file) : NULL;
  const char *path = m ? m->path : NULL;
  if (m && !path)
    path = library_file(a, source);
  char *real = path && path[0] != '/' ? ts_heap_real_path(path) : NULL;
  char *uri = path ? lsp_uri_of_path(real ? real : path) : NULL;
  free(real);
  if (!uri)
    return NULL;
  cJSON *location = cJSON_CreateObject();
  cJSON_AddStringToObject(location, "uri", uri);
  cJSON_AddItemToObject(
    location, "range",
    lsp_range(&(lsp_text){source->text, source->size, all->utf8}, span.begin, span.end));
  free(uri);
  return location;
}
