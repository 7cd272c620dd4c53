#include "compiler/catalog.h"

#include <ctype.h>
#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/lookup.h"

static const ts_catalog_kind kinds[] = {
  {"models", "Model", "what is trained"},
  {"gpus", "Gpu", "devices with their memory and rates"},
  {"machines", "Machine", "a gpu, how many of it are joined, and what its kernels and calls cost"},
  {"clusters", "Cluster", "graphs of devices, switches and links"},
  {"networks", "Network", "how long messages and collectives take"},
  {"costs", "Costs", "how long kernels take"},
  {"schedules", "Schedule", "the order of the work of a pipeline"},
  {"strategies", "Strategy", "how a model is laid over ranks, recomputed, offloaded"},
  {"precisions", "Precision", "number formats of a step"},
  {"optimizers", "Optimizer", "the update, and the state it keeps"},
  {"hosts", "Host", "what the host thread of a rank spends"},
  {"frameworks", "Framework", "profiles of the software that runs a plan"},
  {"ops", "Op", "operators, with their work and their backward"},
  {"blocks", "Block", "parts of models"},
  {"records", "RecordType", "types of records"},
  {NULL, NULL, NULL},
};

const ts_catalog_kind *ts_catalog_kind_at(size_t i) { return kinds[i].word ? &kinds[i] : NULL; }

/* ---- What a declaration gives ---- */

enum { DEEPEST = 12 }; /* names that stand for names */

static const char *type_of_expr(const ts_module *m, const ts_ast *e, unsigned depth);

static const char *type_of_maker(const char *name)
{
  static const char *const networks[] = {"whitebox", "flow",       "packet",
                                         "measured", "alpha_beta", "statistical"},
                    *const costs[] = {"table", "fit",   "calibrated", "db",    "roofline",
                                      "scale", "like", "during",     "slower", "on_gpu"};
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if (!strcmp(networks[i], name))
      return "Network";
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
    if (!strcmp(costs[i], name))
      return "Costs";
  return NULL;
}

static const char *type_of(const ts_module *m, const ts_ast *decl, unsigned depth)
{
  switch (decl->kind) {
  case TS_AST_MODEL:
  case TS_AST_MODEL_IS: return "Model";
  case TS_AST_GPU:
  case TS_AST_GPU_IS: return "Gpu";
  case TS_AST_CLUSTER: return "Cluster";
  case TS_AST_STRATEGY: return "Strategy";
  case TS_AST_SCHEDULE: return "Schedule";
  case TS_AST_OP: return "Op";
  case TS_AST_BLOCK: return "Block";
  case TS_AST_RECORD_TYPE: return "RecordType";
  case TS_AST_PROTOCOL: return "Protocol";
  case TS_AST_PLAN: return "Plan";
  case TS_AST_SEARCH: return "Search";
  case TS_AST_LET:
  case TS_AST_PARAM:
  case TS_AST_FN:
  case TS_AST_EXTERN: break;
  default: return NULL;
  }
  if (ts_ast_type(decl) && strcmp(ts_ast_type(decl)->name, "List") != 0 &&
      strcmp(ts_ast_type(decl)->name, "Record") != 0)
    return ts_ast_type(decl)->name;
  if (decl->kind == TS_AST_EXTERN || !depth)
    return NULL;
  return type_of_expr(m, decl->kind == TS_AST_FN ? ts_ast_body(decl) : ts_ast_value(decl),
                      depth - 1);
}

static const char *type_of_name(const ts_module *m, const char *name, bool called, unsigned depth)
{
  const ts_visible *v = ts_module_find(m, name);
  if (!v)
    return called ? type_of_maker(name) : NULL;
  bool function = v->entry->decl->kind == TS_AST_FN || v->entry->decl->kind == TS_AST_EXTERN;
  return called || !function ? type_of(v->entry->module, v->entry->decl, depth) : NULL;
}

/* Of the first value that says it: a plan may leave things out with `none`. */
static const char *type_of_any(const ts_module *m, ts_ast_list list, unsigned depth)
{
  const char *type = NULL;
  for (uint32_t i = 0; !type && i < list.count; i++)
    type = type_of_expr(m, list.at[i], depth);
  return type;
}

static const char *type_of_expr(const ts_module *m, const ts_ast *e, unsigned depth)
{
  const char *type;
  if (!e || !depth)
    return NULL;
  switch (e->kind) {
  case TS_AST_ID: return type_of_name(m, e->name, false, depth - 1);
  case TS_AST_CALL:
    return ts_ast_function(e)->kind == TS_AST_ID ?
             type_of_name(m, ts_ast_function(e)->name, true, depth - 1) :
             NULL;
  case TS_AST_LIST: return type_of_any(m, ts_ast_elements(e), depth - 1);
  case TS_AST_COMPREHENSION: return type_of_expr(m, ts_ast_element(e), depth - 1);
  case TS_AST_WITH: return type_of_expr(m, ts_ast_base(e), depth - 1);
  case TS_AST_IF:
    type = type_of_expr(m, ts_ast_then(e), depth - 1);
    return type ? type : type_of_expr(m, ts_ast_else(e), depth - 1);
  case TS_AST_MATCH: return type_of_any(m, ts_ast_arms(e), depth - 1);
  case TS_AST_ARM: return type_of_expr(m, ts_ast_value(e), depth);
  case TS_AST_BINARY:
    type = e->u.op == TS_OP_ADD ? type_of_expr(m, ts_ast_left(e), depth - 1) : NULL;
    return type || e->u.op != TS_OP_ADD ? type : type_of_expr(m, ts_ast_right(e), depth - 1);
  default: return NULL;
  }
}

/* ---- Comments ---- */

static const char *catalog_text_of(const ts_session *s, const ts_module *m)
{
  return ts_sources_get(s->sources, m->file)->text;
}

/* Whether nothing but the end of a line stands between two declarations. */
static bool follows(const ts_session *s, const ts_ast *before, const ts_ast *decl)
{
  const char *text = ts_sources_get(s->sources, decl->span.file)->text;
  const char *end = text + before->span.end;
  const char *line = memchr(end, '\n', decl->span.begin - before->span.end);
  return line && line + 1 == text + decl->span.begin;
}

/* Without a heading of its section, "-- strategies --". */
static const char *comment_of(const ts_session *s, const ts_ast *decl)
{
  const char *comment = ts_lookup_comment(s, decl);
  return strncmp(comment, "-- ", 3) ? comment : comment + strcspn(comment, "\n") + 1;
}

static void add_items(ts_session *s, const ts_module *m, ts_catalog *catalog)
{
  const ts_entry *first = NULL;
  const char *comment = "";
  for (size_t i = 0; i < m->own.count; i++) {
    const ts_entry *entry = m->own.at[i];
    const char *own = comment_of(s, entry->decl);
    bool grouped = !*own && i > 0 && follows(s, m->own.at[i - 1]->decl, entry->decl);
    if (!grouped) {
      first = entry;
      comment = own;
    }
    if (*entry->name != '_')
      TS_PUSH(s->arena, &catalog->items,
              (ts_catalog_item){entry, type_of(m, entry->decl, DEEPEST), comment,
                                grouped && *comment ? first : NULL});
  }
}

const char *ts_catalog_about(ts_session *s, const ts_module *m)
{
  const char *at = catalog_text_of(s, m);
  TS_VEC(char) about = {0};
  while (at[0] == '/' && at[1] == '/') {
    const char *end = at + strcspn(at, "\n");
    at += 2 + (at[2] == ' ');
    for (; at < end; at++)
      TS_PUSH(s->arena, &about, *at);
    TS_PUSH(s->arena, &about, '\n');
    at = *end ? end + 1 : end;
  }
  TS_PUSH(s->arena, &about, '\0');
  return about.at;
}

const char *ts_catalog_sentence(ts_session *s, const char *comment)
{
  TS_VEC(char) line = {0};
  for (const char *c = comment; *c; c++) {
    bool blank = isspace((unsigned char)*c);
    if (!blank || (line.count && line.at[line.count - 1] != ' '))
      TS_PUSH(s->arena, &line, blank ? ' ' : *c);
    const char *next = c + 1 + strspn(c + 1, " \n");
    if (*c == '\n' && c[1] == ' ') /* a table, an example */
      break;
    if (*c == '.' && next > c + 1 && (isupper((unsigned char)*next) || *next == '`' || !*next))
      break;
  }
  while (line.count && line.at[line.count - 1] == ' ')
    line.count--;
  TS_PUSH(s->arena, &line, '\0');
  return line.at;
}

/* ---- Names ---- */

const char *ts_catalog_import(ts_session *s, const ts_module *m)
{
  size_t length = strlen(m->name);
  if (strncmp(m->name, "std/", 4) != 0 || length < 3)
    return ts_arena_printf(s->arena, "\"%s\"", m->name);
  char *name = ts_arena_string(s->arena, m->name, length - 3);
  for (char *c = name; *c; c++)
    *c = *c == '/' ? '.' : *c;
  return name;
}

const char *ts_catalog_call(ts_session *s, const ts_ast *decl)
{
  const ts_ast *params = ts_decl_params(decl);
  const char *text = "";
  if (!params)
    return decl->name;
  for (uint32_t i = 0; i < params->count; i++) {
    const ts_ast *formal = params->child[i], *value = ts_ast_default(formal);
    const char *given =
      value ? ts_arena_string(s->arena, ts_sources_get(s->sources, value->span.file)->text +
                                          value->span.begin,
                              value->span.end - value->span.begin) :
              "";
    text = ts_arena_printf(s->arena, "%s%s%s%s%s", text, i ? ", " : "", formal->name,
                           value ? "=" : "", given);
  }
  return ts_arena_printf(s->arena, "%s(%s)", decl->name, text);
}

/* ---- The whole ---- */

static void add_module(ts_session *s, const ts_module *m, ts_catalog *catalog)
{
  for (size_t i = 0; i < catalog->modules.count; i++)
    if (catalog->modules.at[i] == m)
      return;
  TS_PUSH(s->arena, &catalog->modules, m);
  add_items(s, m, catalog);
}

bool ts_catalog_load(ts_session *s, const char *const *paths, size_t count, ts_catalog *catalog)
{
  size_t files;
  const char *const *names = ts_session_std_modules(s, &files);
  *catalog = (ts_catalog){0};
  for (size_t i = 0; i < count; i++) {
    const ts_module *m = ts_module_load(s, paths[i]);
    if (m)
      add_module(s, m, catalog);
  }
  for (size_t i = 0; i < ts_module_count(s); i++)
    if (strncmp(ts_module_at(s, i)->name, "std/", 4) != 0)
      add_module(s, ts_module_at(s, i), catalog);
  for (size_t i = 0; i < files; i++) {
    const ts_module *m = ts_module_of_library(s, names[i]);
    if (m)
      add_module(s, m, catalog);
  }
  return !ts_diags_errors(s->diags);
}
