/* trainspec list: what there is to put plans together from, in std and in one's own files. */
#include <string.h>

#include "base/escape.h"
#include "base/json_writer.h"
#include "base/options.h"
#include "base/terminal.h"
#include "compiler/catalog.h"
#include "compiler/compile.h"
#include "compiler/lookup.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"

enum { FORMAT = 1, OUTPUT, IMPORT, STDLIB };
enum { NAME_INDENT = 2, MORE_INDENT = 6, WIDTH = 80 };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text, json, markdown (a reference) or names (text)", "Listing"},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {PLAN_IMPORT, 'I', "import-dir", "DIR", "also look for imports and data in DIR", NULL},
  {PLAN_STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},
  {0},
};
static const char *const forms[] = {"text", "json", "markdown", "names", NULL};
static const char *const kinds[] = {
  "models",     "gpus",       "machines",   "clusters", "networks",   "costs", "schedules",
  "strategies", "precisions", "optimizers", "hosts",    "frameworks", "ops",   "blocks",
  "records",    "all",        NULL};
static const ts_option_values values[] = {{TS_OPERAND, kinds}, {0}};
static const char *const usage[] = {"[OPTION]... [KIND] [FILE]...", NULL};
static const char *const notes[] = {
  "KIND: models, gpus, machines, clusters, networks, costs, schedules, strategies,",
  "precisions, optimizers, hosts, frameworks, ops, blocks, records; any type, such",
  "as Size; or all. Without one, how many there are of each. Names of FILEs, and of",
  "the files they import, come first.",
  "",
  "Examples:",
  "$ models",
  "$ schedules mine.ts",
  "$ all --format=markdown -o std.md   # a reference of the standard library",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 cannot read or write.",
  NULL,
};
static const ts_program program = {.summary = "TrainSpec: lists what plans are put together from.",
                                   .usage = usage,
                                   .options = options,
                                   .values = values,
                                   .notes = notes,
                                   .manual = "trainspec(1)"};

typedef enum form { TEXT, JSON, MARKDOWN, NAMES } form;

typedef struct list_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *kind, *type, *home, *output; /* home: the library's modules of that kind */
  TS_VEC(const char *) files;
  form form;
  ts_catalog catalog;
} list_task;

static void list_take(void *task, int id)
{
  list_task *t = task;
  switch (id) {
  case TS_OPERAND:
    if (t->kind)
      TS_PUSH(t->arena, &t->files, t->options.argument);
    else
      t->kind = t->options.argument;
    break;
  case FORMAT: t->form = (form)ts_options_choice(&t->options, forms); break;
  case OUTPUT: t->output = t->options.argument; break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool is_wanted(const list_task *t, const ts_catalog_item *item)
{
  return !t->type || (item->type && !strcmp(item->type, t->type));
}

static size_t count_of(const list_task *t, const char *type)
{
  size_t count = 0;
  for (size_t i = 0; i < t->catalog.items.count; i++)
    count += t->catalog.items.at[i].type && !strcmp(t->catalog.items.at[i].type, type);
  return count;
}

/* The type that the word stands for: a kind, in the singular too, or the type itself. False after a
 * message. */
static bool choose_type(list_task *t)
{
  TS_VEC(const char *) words = {0};
  const ts_catalog_kind *k;
  if (!t->kind || !strcmp(t->kind, "all"))
    return true;
  for (size_t i = 0; (k = ts_catalog_kind_at(i)); i++) {
    size_t length = strlen(k->word);
    if (!strcmp(t->kind, k->word) || !strcmp(t->kind, k->type) ||
        (strlen(t->kind) == length - 1 && !strncmp(t->kind, k->word, length - 1)))
      t->type = k->type, t->home = ts_arena_printf(t->arena, "std.%s", k->word);
    TS_PUSH(t->arena, &words, k->word);
  }
  TS_PUSH(t->arena, &words, "all");
  TS_PUSH(t->arena, &words, NULL);
  for (size_t i = 0; !t->type && i < t->catalog.items.count; i++)
    if (t->catalog.items.at[i].type && !strcmp(t->catalog.items.at[i].type, t->kind))
      t->type = t->catalog.items.at[i].type;
  if (t->type)
    return true;
  ts_options_not_among(&t->options, "kind", t->kind, words.at);
  return false;
}

/* Modules of the kind's own name stand before those that have one of it among others. */
static void home_first(list_task *t)
{
  size_t count = t->catalog.items.count, length = t->home ? strlen(t->home) : 0, to = 0;
  ts_catalog_item *sorted = TS_NEW_ARRAY(t->arena, ts_catalog_item, count + 1);
  for (int turn = 0; length && turn < 3; turn++)
    for (size_t i = 0; i < count; i++) {
      const ts_catalog_item *item = &t->catalog.items.at[i];
      const char *import = ts_catalog_import(t->session, item->entry->module);
      if (turn == (strncmp(import, "std.", 4) ? 0 : strncmp(import, t->home, length) ? 2 : 1))
        sorted[to++] = *item;
    }
  if (length)
    t->catalog.items.at = sorted;
}

/* ---- Text ---- */

static void put_kinds(const list_task *t, FILE *out)
{
  const ts_catalog_kind *k;
  for (size_t i = 0; (k = ts_catalog_kind_at(i)); i++)
    ts_put_text(out, "%4zu  %-12s  %s\n", count_of(t, k->type), k->word, k->about);
  ts_put_text(out, "\n`%s models` lists one kind; `trainspec show NAME` shows one thing.\n",
              t->options.called);
}

/* What a gpu has: its memory, its bandwidth and its rate in one format, so that gpus compare. */
static const char *facts_of(const list_task *t, const ts_entry *entry)
{
  static const char format[] = "bf16";
  ts_value gpu = ts_entry_value(t->session, (ts_entry *)(uintptr_t)entry);
  const ts_value *memory, *bandwidth, *peaks, *peak = NULL;
  if (gpu.type != TS_T_GPU || !(memory = ts_record_find(gpu.u.record, "memory")) ||
      !(bandwidth = ts_record_find(gpu.u.record, "bandwidth")))
    return "";
  if ((peaks = ts_record_find(gpu.u.record, "peak")) && peaks->type == TS_T_RECORD)
    peak = ts_record_find(peaks->u.record, format);
  const char *sizes = ts_arena_printf(t->arena, " %6.4g GiB  %6.4g TB/s", memory->u.real / 0x1p33,
                                      bandwidth->u.real / 8e12);
  return peak ?
           ts_arena_printf(t->arena, "%s  %6.4g TFLOP/s %s", sizes, peak->u.real / 1e12, format) :
           sizes;
}

/* One that is neither its group's nor its file's. */
static bool has_comment(const list_task *t, const ts_catalog_item *item)
{
  return *item->comment && !item->first &&
         strcmp(item->comment, ts_catalog_about(t->session, item->entry->module)) != 0;
}

static void put_item(const list_task *t, const ts_catalog_item *item, FILE *out, unsigned width)
{
  const ts_ast *decl = item->entry->decl;
  if (item->type && !strcmp(item->type, "Gpu")) {
    const char *facts = facts_of(t, item->entry);
    ts_put_text(out, *facts ? "  %-20s" : "  %s", item->entry->name);
    ts_put_text(out, "%s\n", facts);
    return;
  }
  ts_put_text(out, "  ");
  ts_put_wrapped(out, ts_catalog_call(t->session, decl), NAME_INDENT,
                 MORE_INDENT, width);
  if (has_comment(t, item)) {
    ts_put_text(out, "      ");
    ts_put_wrapped(out, ts_catalog_sentence(t->session, item->comment), MORE_INDENT, MORE_INDENT,
                   width);
  }
}

static void list_put_text(const list_task *t, FILE *out)
{
  unsigned width = t->output ? WIDTH : ts_terminal_columns(out, WIDTH);
  const ts_module *module = NULL;
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    if (!is_wanted(t, item))
      continue;
    if (item->entry->module != module) {
      const char *name = ts_catalog_import(t->session, item->entry->module);
      const char *about = ts_catalog_sentence(
        t->session, ts_catalog_about(t->session, item->entry->module));
      const char *line = ts_arena_printf(t->arena, "%s%s%s", name, *about ? ": " : "", about);
      ts_put_text(out, module ? "\n" : "");
      ts_put_wrapped(out, line, 0, NAME_INDENT, width);
      module = item->entry->module;
    }
    put_item(t, item, out, width);
  }
  if (!module)
    ts_put_text(out, "none\n");
}

/* ---- Other forms ---- */

static void list_put_json(const list_task *t, FILE *out)
{
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-list");
  ts_json_put_count(&w, "format", 1);
  ts_json_begin(&w, "items", '[');
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    const ts_ast *decl = item->entry->decl;
    if (!is_wanted(t, item))
      continue;
    ts_position at =
      ts_sources_position(t->session->sources, decl->span.file, decl->name_span.begin);
    ts_json_line(&w, 2);
    ts_json_begin(&w, NULL, '{');
    ts_json_put_text(&w, "name", item->entry->name);
    if (item->type)
      ts_json_put_text(&w, "type", item->type);
    else
      ts_json_put_null(&w, "type");
    ts_json_put_text(&w, "import", ts_catalog_import(t->session, item->entry->module));
    ts_json_put_text(&w, "signature", ts_lookup_signature(t->session, decl));
    ts_json_put_text(&w, "comment", item->comment);
    ts_json_put_text(&w, "file", item->entry->module->name);
    ts_json_put_count(&w, "line", at.line);
    ts_json_end(&w, '}');
  }
  ts_json_last_line(&w, 0);
  ts_json_end(&w, ']');
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

static void put_markdown(const list_task *t, FILE *out)
{
  const ts_module *module = NULL;
  ts_put_text(out, "# %s\n", !t->kind || !t->type ? "Reference" : t->kind);
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    if (!is_wanted(t, item))
      continue;
    if (item->entry->module != module) {
      module = item->entry->module;
      ts_put_text(out, "\n## %s\n", ts_catalog_import(t->session, module));
      ts_put_lines(out, ts_catalog_about(t->session, module));
    }
    ts_put_text(out, "\n### %s\n```\n%s\n```\n", item->entry->name,
                ts_lookup_signature(t->session, item->entry->decl));
    if (has_comment(t, item))
      ts_put_lines(out, item->comment);
  }
}

static void put_names(const list_task *t, FILE *out)
{
  for (size_t i = 0; i < t->catalog.items.count; i++)
    if (is_wanted(t, &t->catalog.items.at[i]))
      ts_put_text(out, "%s\n", t->catalog.items.at[i].entry->name);
}

static void list_put(void *closure, FILE *out)
{
  const list_task *t = closure;
  if (t->form == JSON)
    list_put_json(t, out);
  else if (t->form == MARKDOWN)
    put_markdown(t, out);
  else if (t->form == NAMES)
    put_names(t, out);
  else if (t->kind)
    list_put_text(t, out);
  else
    put_kinds(t, out);
}

static int list(list_task *t)
{
  t->session = ts_session_new(t->arena);
  ts_compile_settings(t->session, &t->plan.compile);
  ts_catalog_load(t->session, t->files.at, t->files.count, &t->catalog);
  int status = ts_options_report(&t->options, t->session->diags);
  if (!status && !choose_type(t))
    return t->options.status;
  home_first(t);
  return status ? status : ts_options_write(&t->options, t->output, list_put, t);
}

int ts_list_main(int argc, char **argv)
{
  list_task t = {.arena = ts_arena_new("list")};
  int status = TS_EXIT_DONE;
  t.options = ts_options_start(&program, argc, argv);
  bool read = ts_options_read(&t.options, &t, list_take);
  status = read ? list(&t) : t.options.status;
  ts_arena_free(t.arena);
  return status;
}
