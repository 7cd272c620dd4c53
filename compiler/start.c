#include "compiler/start.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/eval/options.h"
#include "compiler/lookup.h"

#define LIBRARY "std/tools/start.ts"

static const ts_ast *plan_of(const ts_start *start, size_t search)
{
  ts_name_list names = {0};
  return ts_module_choose(start->s, start->module, TS_AST_PLAN, start->searches.at[search].plan,
                          &names);
}

bool ts_start_open(ts_session *s, const ts_catalog *catalog, ts_start *start)
{
  *start = (ts_start){.s = s, .catalog = catalog, .module = ts_module_of_library(s, LIBRARY)};
  for (size_t i = 0; start->module && i < start->module->own.count; i++) {
    const ts_ast *decl = start->module->own.at[i]->decl;
    if (decl->kind == TS_AST_SEARCH)
      TS_PUSH(s->arena, &start->searches,
              (ts_start_search){decl->name, ts_ast_plan(decl)->name, decl});
  }
  if (start->searches.count)
    return true;
  if (!ts_diags_errors(s->diags))
    ts_diag_add(s->diags, TS_E0233, TS_NO_SPAN, "`" LIBRARY "` has no search");
  return false;
}

static const ts_ast *formal_of(const ts_ast *plan, const char *name)
{
  const ts_ast *params = ts_ast_params(plan);
  for (uint32_t i = 0; i < params->count; i++)
    if (!strcmp(params->child[i]->name, name))
      return params->child[i];
  return NULL;
}

void ts_start_parameters(const ts_start *start, ts_name_list *names)
{
  for (size_t i = 0; i < start->searches.count; i++) {
    const ts_ast *plan = plan_of(start, i);
    for (uint32_t k = 0; plan && k < ts_ast_params(plan)->count; k++) {
      const char *name = ts_ast_params(plan)->child[k]->name;
      size_t n = 0;
      while (n < names->names.count && names->names.at[n] != name)
        n++;
      if (n == names->names.count)
        TS_PUSH(start->s->arena, &names->names, name);
    }
  }
}

const char *ts_start_default(const ts_start *start, size_t search, const char *name)
{
  const ts_ast *formal = formal_of(plan_of(start, search), name),
               *value = formal ? ts_ast_default(formal) : NULL;
  const char *text = ts_sources_get(start->s->sources, start->module->file)->text;
  return value ? ts_arena_string(start->s->arena, text + value->span.begin,
                                 value->span.end - value->span.begin) :
                 NULL;
}

/* ---- The text ---- */

typedef struct edit { uint32_t begin, end; const char *text; } edit;

typedef struct start_writer {
  const ts_start *start;
  ts_arena *arena;
  TS_VEC(const char *) imports; /* as import statements name them */
  TS_VEC(edit) edits;
  TS_VEC(char) text;
} start_writer;

static void start_put(start_writer *w, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++)
    TS_PUSH(w->arena, &w->text, text[i]);
}

static void puts_to(start_writer *w, const char *text) { start_put(w, text, strlen(text)); }

static void import(start_writer *w, const ts_module *m)
{
  const char *name = ts_catalog_import(w->start->s, m);
  for (size_t i = 0; i < w->imports.count; i++)
    if (!strcmp(w->imports.at[i], name))
      return;
  TS_PUSH(w->arena, &w->imports, name);
}

/* What a name of a value stands for: that of the template, or anything there is. */
static void import_name(start_writer *w, const char *name, bool any)
{
  const ts_visible *v = ts_module_find(w->start->module, name);
  if (v)
    import(w, v->entry->module);
  for (size_t i = 0; !v && any && i < w->start->catalog->items.count; i++)
    if (!strcmp(w->start->catalog->items.at[i].entry->name, name)) {
      import(w, w->start->catalog->items.at[i].entry->module);
      return;
    }
}

static void import_names(start_writer *w, const ts_ast *node, bool any)
{
  if (!node)
    return;
  if (node->kind == TS_AST_ID || node->kind == TS_AST_TYPE)
    import_name(w, node->name, any);
  for (uint32_t i = 0; i < node->count; i++)
    import_names(w, node->child[i], any);
}

/* The text of a value, whose bare word is a string where one is asked for. NULL after an error: it
 * is no expression. */
static const char *start_value(start_writer *w, const ts_ast *formal, const ts_define *value)
{
  ts_session *s = w->start->s;
  const char *name = ts_arena_printf(w->arena, "-D %s", value->name);
  const ts_ast *expr = ts_parse_expr(
    s->lang, ts_sources_add(s->sources, name, "command line", value->expression,
                            strlen(value->expression)));
  ts_value word;
  if (!expr)
    return NULL;
  if (ts_bare_word(s, w->start->module->env, ts_ast_type(formal), expr, &word) &&
      word.type == TS_T_STRING)
    return ts_arena_printf(w->arena, "\"%s\"", word.u.string);
  import_names(w, expr, true);
  return value->expression;
}

/* `fixed`: the search does not vary it. */
static bool start_give(start_writer *w, const ts_ast *plan, const ts_ast *search,
                       const ts_define *value, bool fixed)
{
  const ts_ast *formal = formal_of(plan, value->name);
  const char *text = formal ? start_value(w, formal, value) : NULL;
  if (!text)
    return !formal;
  const ts_ast *old = ts_ast_default(formal);
  ts_span at = old ? old->span : ts_ast_type(formal)->span;
  TS_PUSH(w->arena, &w->edits,
          (edit){old ? at.begin : at.end, at.end,
                 ts_arena_printf(w->arena, "%s%s", old ? "" : " = ", text)});
  for (uint32_t i = 0; i < search->count && fixed; i++) {
    const ts_ast *item = search->child[i];
    if (item->kind != TS_AST_VARY || strcmp(item->name, value->name) != 0)
      continue;
    at = ts_ast_value(item)->span;
    TS_PUSH(w->arena, &w->edits, (edit){at.begin, at.end, ts_arena_printf(w->arena, "[%s]", text)});
  }
  return true;
}

static int by_place(const void *a, const void *b)
{
  const edit *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* A part of the template with the edits in it. */
static void put_part(start_writer *w, uint32_t begin, uint32_t end)
{
  const char *text = ts_sources_get(w->start->s->sources, w->start->module->file)->text;
  for (size_t i = 0; i < w->edits.count; i++) {
    edit e = w->edits.at[i];
    if (e.begin < begin || e.end > end)
      continue;
    start_put(w, text + begin, e.begin - begin);
    puts_to(w, e.text);
    begin = e.end;
  }
  start_put(w, text + begin, end - begin);
  puts_to(w, "\n");
}

static void put_comment(start_writer *w, const char *lines)
{
  for (const char *at = lines; *at;) {
    size_t length = strcspn(at, "\n");
    puts_to(w, length ? "// " : "//");
    start_put(w, at, length);
    puts_to(w, "\n");
    at += length + (at[length] == '\n');
  }
}

static void put_imports(start_writer *w)
{
  for (size_t i = 0; i < w->imports.count; i++)
    puts_to(w, ts_arena_printf(w->arena, "import %s\n", w->imports.at[i]));
  puts_to(w, "\n");
}

const char *ts_start_text(const ts_start *start, size_t search, const char *name,
                          const ts_define *values, uint32_t value_count, uint32_t fixed,
                          const char *about, size_t *size)
{
  ts_session *s = start->s;
  start_writer w = {.start = start, .arena = s->arena};
  const ts_ast *plan = plan_of(start, search), *decl = start->searches.at[search].decl;
  for (uint32_t i = 0; i < value_count; i++)
    if (!start_give(&w, plan, decl, &values[i], i < fixed))
      return NULL;
  import_names(&w, plan, false);
  import_names(&w, decl, false);
  ts_span called = plan->name_span, of = ts_ast_plan(decl)->span;
  TS_PUSH(w.arena, &w.edits, (edit){called.begin, called.end, name});
  TS_PUSH(w.arena, &w.edits, (edit){of.begin, of.end, name});
  TS_SORT(&w.edits, by_place);
  put_comment(&w, about);
  put_imports(&w);
  if (start->declares)
    puts_to(&w, ts_arena_printf(s->arena, "%s\n\n", start->declares));
  put_comment(&w, ts_lookup_comment(s, plan));
  put_part(&w, plan->span.begin, plan->span.end);
  puts_to(&w, "\n");
  put_part(&w, decl->span.begin, decl->span.end);
  TS_PUSH(w.arena, &w.text, '\0');
  return ts_format(s->lang,
                   ts_sources_add(s->sources, "<plan>", "plan", w.text.at, w.text.count - 1), size);
}
