/* trainspec show: what a name means: how it is called, what its comment says, and its source. */
#include <string.h>

#include "base/escape.h"
#include "base/options.h"
#include "base/terminal.h"
#include "compiler/catalog.h"
#include "compiler/compile.h"
#include "compiler/eval/record_type.h"
#include "compiler/eval/vocabulary.h"
#include "compiler/lookup.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/show.h"

enum { BRIEF = 1, WIDTH = 80 };

static const ts_option options[] = {
  {BRIEF, 0, "brief", NULL, "leave out the source", "Showing"},
  {PLAN_IMPORT, 'I', "import-dir", "DIR", "also look for imports and data in DIR", NULL},
  {PLAN_STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... NAME [FILE]...", NULL};
static const char *const notes[] = {
  "NAME is declared in the standard library or in FILEs, is built in, or is a",
  "module: std.models, say, then a file of it.",
  "",
  "Examples:",
  "$ data_parallel",
  "$ std.strategies.data",
  "$ --brief my_schedule mine.ts",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage or no such name, 4 cannot read.",
  NULL,
};
static const char *const names[] = {":names all", NULL};
static const ts_option_values values[] = {{TS_OPERAND, names}, {0}};
static const ts_program program = {.summary = "TrainSpec: shows what a name means, and its source.",
                                   .usage = usage,
                                   .options = options,
                                   .values = values,
                                   .notes = notes,
                                   .manual = "trainspec(1)"};

/* ---- What is shown ---- */

static void put_source(const ts_session *s, const ts_ast *decl, FILE *out)
{
  const ts_source *source = ts_sources_get(s->sources, decl->span.file);
  size_t end = decl->span.end;
  while (end < source->size && source->text[end] != '\n')
    end++; /* a comment at its end belongs to it */
  ts_put_lines(out, ts_arena_string(s->arena, source->text + decl->span.begin,
                                    end - decl->span.begin));
  ts_put_text(out, "\n");
}

static void put_notes(ts_session *s, const ts_notes *notes, FILE *out)
{
  unsigned width = ts_terminal_columns(out, WIDTH);
  for (size_t i = 0; i < notes->all.count; i++) {
    const ts_note *n = &notes->all.at[i];
    const char *text = ts_catalog_sentence(s, n->comment);
    text = ts_arena_printf(s->arena, "%s%s%s", n->name, *text ? ": " : "", text);
    if (n->source)
      text = ts_arena_printf(s->arena, "%s (source: %s)", text, n->source);
    fputs(i ? "  " : "\n  ", out);
    ts_put_wrapped(out, text, 2, 6, width);
  }
}

static void put_item(ts_session *s, const ts_catalog_item *item, bool source, FILE *out)
{
  const ts_ast *decl = item->entry->decl;
  const char *import = ts_catalog_import(s, item->entry->module);
  ts_position at = ts_sources_position(s->sources, decl->span.file, decl->span.begin);
  ts_put_wrapped(out, ts_lookup_signature(s, decl), 0, 2, ts_terminal_columns(out, WIDTH));
  ts_put_text(out, "  gives    %s\n", item->type ? item->type : "a value");
  ts_put_text(out, "  import   import %s\n", import);
  ts_put_text(out, "  stands   %s:%u\n", item->entry->module->name, at.line);
  ts_notes notes = {0};
  ts_lookup_notes(s, decl, &notes);
  if (notes.source) {
    ts_put_text(out, "  source   ");
    ts_put_wrapped(out, notes.source, 11, 11, ts_terminal_columns(out, WIDTH));
  }
  if (*item->comment) {
    ts_put_text(out, "\n");
    if (item->first)
      ts_put_text(out, "Of the group that begins with %s:\n", item->first->name);
    ts_put_lines(out, item->comment);
  }
  put_notes(s, &notes, out);
  if (source) {
    ts_put_text(out, "\n");
    put_source(s, decl, out);
  }
}

static void put_module(ts_session *s, const ts_catalog *catalog, const ts_module *m, FILE *out)
{
  unsigned width = ts_terminal_columns(out, WIDTH);
  ts_put_text(out, "%s\n\n", ts_catalog_import(s, m));
  ts_put_lines(out, ts_catalog_about(s, m));
  for (size_t i = 0; i < catalog->items.count; i++) {
    const ts_catalog_item *item = &catalog->items.at[i];
    if (item->entry->module != m)
      continue;
    ts_put_text(out, "  ");
    ts_put_wrapped(out, ts_catalog_sentence(s, ts_catalog_call(s, item->entry->decl)), 2, 6, width);
  }
}

/* "std.models.x", "models.x", "std/models/x.ts", "mine.ts". */
static bool is_module(ts_session *s, const ts_module *m, const char *name)
{
  const char *import = ts_catalog_import(s, m);
  return !strcmp(import, name) || !strcmp(m->name, name) ||
         (!strncmp(import, "std.", 4) && !strcmp(import + 4, name));
}

static bool put_built_in(ts_session *s, const char *name, FILE *out)
{
  const char *interned = ts_lang_intern(s->lang, name, strlen(name));
  ts_use use = {.name = interned};
  const ts_type_info *type = ts_type_find(s, interned);
  if (type && !type->record) {
    ts_put_text(out, "%s\n  a type, built in; a value of it: %s\n", name, type->example);
    return true;
  }
  if (!type && !ts_record_type_built_in(s, interned) &&
      !ts_names_get(&s->vocabulary->builtins, interned))
    return false;
  const char *text = ts_lookup_describe(s, NULL, &use) + strlen("```\n");
  size_t length = (size_t)(strstr(text, "\n```") - text);
  ts_put_wrapped(out, ts_arena_string(s->arena, text, length), 0, 2,
                 ts_terminal_columns(out, WIDTH));
  ts_put_text(out, "  built in\n");
  return true;
}

bool ts_show_name(ts_session *s, const ts_catalog *catalog, const char *name, bool source,
                  FILE *out)
{
  size_t shown = 0;
  for (size_t i = 0; i < catalog->modules.count; i++)
    if (is_module(s, catalog->modules.at[i], name)) {
      put_module(s, catalog, catalog->modules.at[i], out);
      return true;
    }
  for (size_t i = 0; i < catalog->items.count; i++)
    if (!strcmp(catalog->items.at[i].entry->name, name)) {
      if (shown++)
        ts_put_text(out, "\n");
      put_item(s, &catalog->items.at[i], source, out);
    }
  return shown > 0 || put_built_in(s, name, out);
}

int ts_show_unknown(ts_session *s, ts_options *o, const ts_catalog *catalog, const char *name)
{
  TS_VEC(const char *) names = {0};
  for (size_t i = 0; i < catalog->items.count; i++)
    TS_PUSH(s->arena, &names, catalog->items.at[i].entry->name);
  for (size_t i = 0; i < catalog->modules.count; i++)
    TS_PUSH(s->arena, &names, ts_catalog_import(s, catalog->modules.at[i]));
  for (size_t i = 0; i < s->vocabulary->builtin_names.count; i++)
    TS_PUSH(s->arena, &names, s->vocabulary->builtin_names.at[i]);
  for (size_t i = 0; ts_type_at(i); i++)
    TS_PUSH(s->arena, &names, ts_type_at(i)->name);
  TS_PUSH(s->arena, &names, NULL);
  return ts_options_not_among(o, "name", name, names.at);
}

/* ---- The command ---- */

typedef struct show_task {
  ts_options options;
  ts_arena *arena;
  ts_plan_options plan;
  const char *name;
  TS_VEC(const char *) files;
  bool brief;
} show_task;

static void show_take(void *task, int id)
{
  show_task *t = task;
  if (id == TS_OPERAND && !t->name)
    t->name = t->options.argument;
  else if (id == TS_OPERAND)
    TS_PUSH(t->arena, &t->files, t->options.argument);
  else if (id == BRIEF)
    t->brief = true;
  else
    ts_plan_option(&t->plan, t->arena, &t->options, id);
}

static int show(show_task *t)
{
  ts_session *s = ts_session_new(t->arena);
  ts_catalog catalog;
  if (!t->name)
    return ts_options_wrong(&t->options, "no NAME given; `trainspec list` says what there is");
  ts_compile_settings(s, &t->plan.compile);
  ts_catalog_load(s, t->files.at, t->files.count, &catalog);
  int status = ts_options_report(&t->options, s->diags);
  if (status)
    return status;
  if (!ts_show_name(s, &catalog, t->name, !t->brief, stdout))
    return ts_show_unknown(s, &t->options, &catalog, t->name);
  return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
}

int ts_show_main(int argc, char **argv)
{
  show_task t = {.arena = ts_arena_new("show")};
  t.options = ts_options_start(&program, argc, argv);
  bool read = ts_options_read(&t.options, &t, show_take);
  int status = read ? show(&t) : t.options.status;
  ts_arena_free(t.arena);
  return status;
}
