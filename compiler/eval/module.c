#include "compiler/eval/module.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "compiler/eval/defines.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/running.h"
#include "compiler/eval/stdlib_embed.h"

struct ts_module_table {
  TS_VEC(ts_module *) all;
  TS_VEC(ts_module *) by_file; /* NULL: not a module */
  TS_VEC(ts_module *) loading; /* who imports whom, outermost first */
  TS_VEC(ts_entry *) busy;     /* values being worked out, outermost first */
  ts_names by_key;
  ts_names declared;           /* names that any of them declares */
};

static struct ts_module_table *modules(ts_session *s)
{
  if (!s->modules)
    s->modules = TS_NEW(s->lasting, struct ts_module_table);
  return s->modules;
}

size_t ts_module_count(const ts_session *s) { return s->modules ? s->modules->all.count : 0; }

ts_module *ts_module_at(const ts_session *s, size_t i) { return s->modules->all.at[i]; }

ts_module *ts_module_of(ts_session *s, uint32_t file)
{
  return s->modules && file < s->modules->by_file.count ? s->modules->by_file.at[file] : NULL;
}

const ts_env *ts_decl_env(ts_session *s, const ts_ast *decl)
{
  ts_module *m = ts_module_of(s, decl->span.file);
  return m ? m->env : ts_env_sized(s, NULL, 0);
}

/* ---- Names of a file ---- */

static bool declares(ts_kind kind) { return kind >= TS_AST_LET && kind <= TS_AST_SEARCH; }

static bool is_value(const ts_ast *decl)
{
  return decl->kind != TS_AST_PLAN && decl->kind != TS_AST_SEARCH;
}

static bool is_std(const ts_module *m) { return !strncmp(m->name, "std/", 4); }

/* Names that begin so stay in their file. */
static bool is_private(const char *name) { return *name == '_'; }

static uint32_t rank_of(const ts_entry *entry, uint32_t rank)
{
  if (rank == TS_RANK_IMPORTED && is_std(entry->module))
    rank = TS_RANK_STD;
  return rank + (is_value(entry->decl) ? 0 : TS_RANK_PLAN);
}

/* Two that are equally near; otherwise `other` is one that is hidden. */
static bool ambiguous(const ts_visible *v)
{
  return v->other && v->rank == rank_of(v->other, TS_RANK_IMPORTED);
}

/* The smaller rank counts. Of two that are equal and are not the same, nobody knows which is meant;
 * a plan is asked for by other ways. */
static void module_take(ts_visible *v, ts_visible o)
{
  if (v->entry == o.entry && v->rank <= o.rank) {
    v->direct |= o.direct;
    v->exported |= o.exported;
  } else if (!v->entry || o.rank < v->rank) {
    bool hides =
      v->entry && v->entry != o.entry && o.rank == TS_RANK_IMPORTED && v->rank == TS_RANK_STD;
    if (hides) {
      o.other = v->entry;
      o.other_import = v->import;
    }
    *v = o;
  } else if (!ambiguous(v) && v->rank >= TS_RANK_IMPORTED && o.rank <= TS_RANK_PRELUDE &&
             o.rank - v->rank <= (v->rank == TS_RANK_IMPORTED)) {
    v->other = o.entry;
    v->other_import = o.import;
  }
}

static void see(ts_session *s, ts_module *m, const char *name, ts_visible o)
{
  ts_visible *v = (ts_visible *)(uintptr_t)ts_names_get(&m->near, name);
  o.rank = rank_of(o.entry, o.rank);
  if (!v) {
    v = TS_NEW(s->lasting, ts_visible);
    ts_names_put(s->lasting, &m->near, name, v);
  }
  module_take(v, o);
}

static void own_names(ts_session *s, ts_module *m)
{
  for (uint32_t i = 0; i < m->ast->count; i++) {
    const ts_ast *decl = m->ast->child[i];
    if (!decl || !declares(decl->kind) || !decl->name)
      continue;
    const ts_visible *first = ts_names_get(&m->near, decl->name);
    if (first) {
      ts_diag *d = ts_report(s, TS_E0202, decl->name_span, "`%s` is declared twice", decl->name);
      ts_diag_here(d, "again here");
      ts_diag_label(d, first->entry->decl->name_span, "first here");
      continue;
    }
    ts_entry *entry = TS_NEW(s->lasting, ts_entry);
    *entry = (ts_entry){.name = decl->name, .decl = decl, .module = m};
    TS_PUSH(s->lasting, &m->own, entry);
    ts_names_put(s->lasting, &modules(s)->declared, decl->name, entry);
    see(s, m, entry->name, (ts_visible){.entry = entry, .rank = TS_RANK_OWN, .direct = true});
  }
}

/* Names from further away are found when they are asked for: each file of a long chain would hold
 * those of all behind it. */
static void see_module(ts_session *s, ts_module *m, const struct ts_import *import)
{
  for (size_t i = 0; i < import->module->own.count; i++) {
    ts_entry *entry = import->module->own.at[i];
    if (!is_private(entry->name) && !ts_names_get(&m->renamed, (const char *)entry))
      see(s, m, entry->name,
          (ts_visible){
            .entry = entry, .import = import->span, .rank = TS_RANK_IMPORTED, .direct = true});
  }
}

static const ts_visible nothing;

static const ts_visible *handed_on(ts_session *s, ts_module *m, const char *name);

/* What an import brings of names that its file does not declare. */
static void take_far(ts_session *s, ts_module *m, const struct ts_import *import, const char *name,
                     ts_visible *v)
{
  bool prelude = !import->span.file;
  const ts_visible *o = import->list || (!prelude && !import->module->exports) ?
                          NULL :
                          handed_on(s, import->module, name);
  if (!o || ts_names_get(&m->renamed, (const char *)o->entry))
    return;
  uint32_t rank = prelude ? TS_RANK_PRELUDE : TS_RANK_IMPORTED;
  module_take(
    v, (ts_visible){.entry = o->entry, .import = import->span, .rank = rank_of(o->entry, rank)});
  if (ambiguous(o))
    module_take(
      v, (ts_visible){.entry = o->other, .import = import->span, .rank = rank_of(o->other, rank)});
}

/* What importing files get under a name: what is declared here, or exported. */
static const ts_visible *handed_on(ts_session *s, ts_module *m, const char *name)
{
  if (is_private(name))
    return NULL;
  const ts_visible *near = ts_names_get(&m->near, name), *known = ts_names_get(&m->handed_on, name);
  if (near && (near->rank == TS_RANK_OWN || near->exported))
    return near;
  if (!m->exports)
    return near && near->entry->module == m ? near : NULL;
  if (known)
    return known == &nothing ? NULL : known;
  ts_visible *v = TS_NEW(s->lasting, ts_visible);
  if (near && near->entry->module == m)
    *v = *near;
  for (size_t i = 0; i < m->imports.count; i++) {
    const struct ts_import *import = &m->imports.at[i];
    const ts_visible *o =
      import->exported && !import->list ? handed_on(s, import->module, name) : NULL;
    if (o && !ts_names_get(&m->renamed, (const char *)o->entry))
      module_take(v, (ts_visible){.entry = o->entry,
                                  .import = import->span,
                                  .rank = rank_of(o->entry, TS_RANK_IMPORTED)});
  }
  ts_names_put(s->lasting, &m->handed_on, name, v->entry ? v : &nothing);
  return v->entry ? v : NULL;
}

/* `near`: what is known of the name, or NULL. */
static const ts_visible *find_far(ts_session *s, ts_module *m, const char *name,
                                  const ts_visible *near)
{
  const ts_visible *known = ts_names_get(&m->far, name);
  if (known)
    return known == &nothing ? NULL : known;
  ts_visible *v = TS_NEW(s->lasting, ts_visible);
  if (near)
    *v = *near;
  for (size_t i = 0; i < m->imports.count; i++)
    take_far(s, m, &m->imports.at[i], name, v);
  ts_names_put(s->lasting, &m->far, name, v->entry ? v : &nothing);
  return v->entry ? v : NULL;
}

/* ---- Lists of names ---- */

static void no_such_name(ts_session *s, const ts_module *other, const ts_ast *item)
{
  for (size_t i = 0; is_private(item->name) && i < other->own.count; i++)
    if (other->own.at[i]->name == item->name) {
      ts_diag *d =
        ts_report(s, TS_E0240, item->name_span, "`%s` is private to `%s`", item->name, other->name);
      ts_diag_here(d, "a name that begins with `_` stays in its file");
      ts_diag_note_at(d, other->own.at[i]->decl->name_span, "declared here");
      return;
    }
  ts_diag *d = ts_report(s, TS_E0201, item->name_span, "`%s` has no `%s`", other->name, item->name);
  ts_diag_here(d, "not found there");
  ts_seen_list seen = {0};
  ts_name_list names = {0};
  ts_module_exports(s, other, &seen);
  for (size_t i = 0; i < seen.all.count; i++)
    TS_PUSH(s->lasting, &names.names, seen.all.at[i].name);
  if (!ts_suggest_names(d, item->name, &names))
    ts_module_elsewhere(s, d, item->name);
}

static void listed_twice(ts_session *s, const ts_visible *before, const ts_visible *v,
                         const char *name, ts_span place)
{
  bool own = before->rank == TS_RANK_OWN;
  ts_diag *d = ts_report(s, own ? TS_E0202 : TS_E0206, place,
                         own ? "`%s` is declared in this file too" : "two lists bring `%s`", name);
  ts_diag_here(d, "brings `%s` of `%s`", v->entry->name, v->entry->module->name);
  ts_diag_label(d, own ? before->entry->decl->name_span : before->alias,
                own ? "declared here" : "brings that of `%s`", before->entry->module->name);
  ts_diag_help(d, "`%s as other_%s` gives it another name", v->entry->name, v->entry->name);
}

/* The names of a list stand as near as if they were declared here. */
static void see_list(ts_session *s, ts_module *m, const struct ts_import *import)
{
  for (uint32_t i = 0; i < import->list->count; i++) {
    const ts_ast *item = import->list->child[i], *other_name = ts_ast_alias(item);
    const char *name = other_name ? other_name->name : item->name;
    const ts_visible *o = handed_on(s, import->module, item->name),
                     *before = ts_names_get(&m->near, name);
    if (!o) {
      no_such_name(s, import->module, item);
      continue;
    }
    ts_visible v = {.entry = o->entry,
                    .import = import->span,
                    .alias = other_name ? other_name->span : item->name_span,
                    .rank = TS_RANK_LISTED,
                    .direct = true,
                    .exported = import->exported};
    if (ambiguous(o) && ts_module_clashes(s, o, item->name, item->name_span))
      continue;
    if (before && before->rank <= TS_RANK_LISTED && before->entry != v.entry &&
        is_value(v.entry->decl)) {
      listed_twice(s, before, &v, name, v.alias);
      continue;
    }
    if (other_name && other_name->name != item->name)
      ts_names_put(s->lasting, &m->renamed, (const char *)v.entry, v.entry);
    ts_names_put(s->lasting, &modules(s)->declared, name, v.entry);
    see(s, m, name, v);
  }
}

/* Lists first: what they give another name does not come under its old one. */
static void see_imports(ts_session *s, ts_module *m)
{
  for (size_t i = 0; i < m->imports.count; i++)
    if (m->imports.at[i].list)
      see_list(s, m, &m->imports.at[i]);
  for (size_t i = 0; i < m->imports.count; i++) {
    const struct ts_import *import = &m->imports.at[i];
    if (import->span.file && !import->list)
      see_module(s, m, import);
    m->looks_far |= !import->list && (!import->span.file || import->module->exports);
  }
}

/* ---- Files ---- */

static const char *module_key_of(ts_session *s, const ts_found *found)
{
  char *real = found->path ? ts_heap_real_path(found->path) : NULL;
  const char *name = real ? real : found->name, *key = ts_lang_intern(s->lang, name, strlen(name));
  free(real);
  return key;
}

static ts_module *already_read(ts_session *s, const ts_found *found)
{
  return (ts_module *)(uintptr_t)ts_names_get(&modules(s)->by_key, module_key_of(s, found));
}

static void import_cycle(ts_session *s, const ts_module *again, ts_span span)
{
  struct ts_module_table *all = modules(s);
  size_t first = 0;
  while (first < all->loading.count && all->loading.at[first] != again)
    first++;
  const char *chain = again->name;
  for (size_t i = first + 1; i < all->loading.count; i++)
    chain = ts_arena_printf(s->lasting, "%s\n%s", chain, all->loading.at[i]->name);
  ts_diag *d =
    ts_report(s, TS_E0205, span,
              first + 1 == all->loading.count ? "`%s` imports itself" :
                                                "`%s` imports itself through other files",
              again->name);
  ts_diag_here(d, "closes the cycle");
  if (first + 1 < all->loading.count)
    ts_diag_fact(d, "each imports the next", "%s\n%s", chain, again->name);
  ts_diag_help(d, "move what both need to a file of its own");
}

static void import_file(ts_session *s, ts_module *m, const char *name, const ts_ast *path,
                        bool exported);

/* `a.b` is a/b.ts, or a/b.trainspec where there is no such file. */
static const char *file_of(ts_session *s, const ts_module *m, const char *dotted)
{
  char *path = ts_arena_printf(s->lasting, "%s", dotted);
  for (char *c = path; *c; c++)
    *c = *c == '.' ? '/' : *c;
  const char *usual = ts_arena_printf(s->lasting, "%s.ts", path),
             *other = ts_arena_printf(s->lasting, "%s.trainspec", path);
  ts_found found;
  return !ts_session_resolve(s, m->file, usual, &found) &&
             ts_session_resolve(s, m->file, other, &found) ?
           other :
           usual;
}

static void imports(ts_session *s, ts_module *m)
{
  for (uint32_t i = 0; i < m->ast->count; i++) {
    const ts_ast *import = m->ast->child[i];
    for (uint32_t k = 0; import && import->kind == TS_AST_IMPORT && k < import->count; k++) {
      const ts_ast *path = import->child[k];
      if (path->flags & 1) {
        import_file(s, m, path->name, path, import->flags & 1);
        continue;
      }
      import_file(s, m, file_of(s, m, path->name), path, import->flags & 1);
    }
  }
}

static void import_prelude(ts_session *s, ts_module *m)
{
  ts_found found;
  if (!ts_session_resolve(s, m->file, "std/prelude.ts", &found))
    return;
  ts_module *prelude = already_read(s, &found);
  if (!prelude || !prelude->loading)
    import_file(s, m, "std/prelude.ts", NULL, false);
}

/* A file of the program's own library has a tree; any other text is parsed. */
static ts_ast *tree_of(ts_session *s, const ts_found *found, uint32_t file)
{
  const ts_embedded_file *own = ts_session_embedded(found->name);
  ts_ast *stored = own && found->embedded == own ? ts_stored_file(s->lang, file, &ts_stdlib_trees,
                                                                  (size_t)(own - ts_stdlib_files)) :
                                                   NULL;
  return stored ? stored : ts_parse_file(s->lang, file);
}

static ts_module *read_module(ts_session *s, const ts_found *found, const char *role, ts_span span)
{
  struct ts_module_table *all = modules(s);
  size_t size;
  const char *text = ts_session_load(s, found, role, span, &size);
  if (!text)
    return NULL;
  ts_module *m = TS_NEW(s->lasting, ts_module);
  m->path = found->path;
  m->name = found->name;
  m->key = module_key_of(s, found);
  const ts_dependency *known = ts_session_read_below(s, found, role, text, size);
  m->file = known ? known->file : ts_sources_add(s->sources, found->shown, role, text, size);
  ts_session_mapped(s, found, role, m->file);
  m->dependency = s->files->dependencies.at[ts_session_dependency_of(s, m->file)];
  m->env = ts_env_sized(s, NULL, 0);
  m->env->module = m;
  m->loading = true;
  TS_PUSH(s->lasting, &all->all, m);
  ts_names_put(s->lasting, &all->by_key, m->key, m);
  while (all->by_file.count <= m->file)
    TS_PUSH(s->lasting, &all->by_file, NULL);
  all->by_file.at[m->file] = m;
  TS_PUSH(s->lasting, &all->loading, m);
  m->ast = known ? s->below->modules->by_file.at[m->file]->ast : tree_of(s, found, m->file);
  own_names(s, m);
  import_prelude(s, m);
  imports(s, m);
  see_imports(s, m);
  all->loading.count--;
  m->loading = false;
  return m;
}

static void nested_too_deep(ts_session *s, ts_span span)
{
  ts_diag *d = ts_report(s, TS_E0226, span, "imports nest too deeply");
  ts_diag_note(d, "at most %u files, each imported by the one before", s->limits.importing);
  ts_diag_help(d, "import the files from one file that names them all");
}

/* `path`: NULL for the prelude. */
static void import_file(ts_session *s, ts_module *m, const char *name, const ts_ast *path,
                        bool exported)
{
  ts_span span = path ? path->name_span : TS_NO_SPAN;
  ts_found found;
  if (!ts_session_resolve(s, m->file, name, &found)) {
    ts_session_missing(s, TS_E0204, m->file, name, span);
    return;
  }
  ts_module *other = already_read(s, &found);
  if (other && other->loading) {
    import_cycle(s, other, span);
    return;
  }
  if (!other && modules(s)->loading.count >= s->limits.importing) {
    nested_too_deep(s, span);
    return;
  }
  if (!other)
    other = read_module(s, &found, !strncmp(found.name, "std/", 4) ? "stdlib" : "import", span);
  if (!other)
    return;
  const ts_ast *list = path && path->count ? path : NULL;
  uintptr_t known = list ? 0 : (uintptr_t)ts_names_get(&m->imported, (const char *)other);
  m->exports |= exported;
  if (known) {
    m->imports.at[known - 1].exported |= exported;
    return;
  }
  TS_PUSH(s->lasting, &m->imports,
          (struct ts_import){.module = other, .span = span, .list = list, .exported = exported});
  if (!list)
    ts_names_put(s->lasting, &m->imported, (const char *)other,
                 (void *)(uintptr_t)m->imports.count);
}

ts_module *ts_module_load(ts_session *s, const char *path)
{
  ts_found found = ts_session_given(s, path);
  ts_module *m = already_read(s, &found);
  return m ? m : read_module(s, &found, "plan", TS_NO_SPAN);
}

/* A file that an earlier plan of the session read decides the output of this one too, and so do
 * those that it imports, in the order in which they would be read. */
static void depend_again(ts_session *s, const ts_module *m)
{
  size_t before = s->files->dependencies.count;
  ts_session_depends(s, m->dependency);
  bool added = s->files->dependencies.count > before;
  for (size_t i = 0; added && i < m->imports.count; i++)
    depend_again(s, m->imports.at[i].module);
}

ts_module *ts_module_of_library(ts_session *s, const char *name)
{
  ts_found found;
  if (!ts_session_resolve(s, 0, name, &found))
    return NULL;
  ts_module *m = already_read(s, &found);
  if (!m)
    return read_module(s, &found, "stdlib", TS_NO_SPAN);
  depend_again(s, m);
  return m;
}

/* ---- Values ---- */

static ts_value declared_function(ts_session *s, const ts_entry *entry)
{
  const ts_ast *decl = entry->decl;
  ts_function *f = TS_NEW(s->lasting, ts_function);
  *f = (ts_function){.kind = decl->kind == TS_AST_FN ? TS_FUNCTION_DECL : TS_FUNCTION_NATIVE,
                     .name = decl->name,
                     .decl = decl,
                     .module = entry->module->env};
  if (decl->kind == TS_AST_EXTERN && !(f->native = ts_native_open(s, decl)))
    return ts_error_value();
  return ts_function_value(f, decl->name_span);
}

static ts_value param_value(ts_session *s, const ts_entry *entry)
{
  s->reuse->touched.parameters |= TS_TOUCHED_OTHER;
  return ts_param_value(s, entry->module->env, entry->decl, ts_ast_type(entry->decl),
                        ts_ast_value(entry->decl));
}

const ts_ast *ts_module_choose(ts_session *s, const ts_module *m, ts_kind kind, const char *name,
                               ts_name_list *names)
{
  const ts_ast *found = NULL;
  for (size_t i = 0; i < m->own.count; i++) {
    const ts_ast *decl = m->own.at[i]->decl;
    if (decl->kind != kind)
      continue;
    TS_PUSH(s->lasting, &names->names, decl->name);
    if (!name || !strcmp(decl->name, name))
      found = decl;
  }
  return name || names->names.count == 1 ? found : NULL;
}

/* `-D machine=h200`: of a name of the type and a word, such as `machine_h200`. Where there are such
 * names, but not this one, an error that has those near it. */
static bool named_after_type(ts_session *s, const ts_env *env, const ts_ast *type,
                             const ts_ast *given, ts_value *v)
{
  char *name = ts_arena_printf(s->lasting, "%s_%s", type->name, given->name);
  size_t head = strlen(type->name) + 1;
  *name = (char)tolower((unsigned char)*name);
  if (ts_env_lookup(env, ts_lang_intern(s->lang, name, strlen(name)), v) && v->type == TS_T_RECORD)
    return true;
  ts_name_list all = {0}, near = {0};
  ts_env_names(env, false, &all);
  for (size_t i = 0; i < all.names.count; i++)
    if (!strncmp(all.names.at[i], name, head) && ts_env_lookup(env, all.names.at[i], v) &&
        v->type == TS_T_RECORD)
      TS_PUSH(s->arena, &near.names, all.names.at[i] + head);
  if (!near.names.count || ts_module_of_std(s, given->name))
    return false;
  ts_diag *d = ts_report(s, TS_E0201, given->span, "`%s` is not in scope", given->name);
  ts_diag_here(d, "not found");
  if (!ts_suggest_names(d, given->name, &near))
    ts_diag_note(d, "there are %s", ts_name_list_print(s, &near));
  *v = ts_error_value();
  return true;
}

bool ts_bare_word(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *given,
                  ts_value *v)
{
  bool named = given->kind == TS_AST_ID && type && type->name,
       known = named && ts_env_lookup(env, given->name, v),
       text = named && strcmp(type->name, "String") == 0;
  if (text && !(known && (v->type == TS_T_STRING || v->type == TS_T_ERROR))) {
    *v = (ts_value){.type = TS_T_STRING, .span = given->span, .u.string = given->name};
    return true;
  }
  if (!named || known || text || !named_after_type(s, env, type, given, v))
    return false;
  v->span = given->span;
  return true;
}

/* `-D note=two words`: a String without quotes; else an error, as it is no expression. */
static ts_value unquoted(ts_session *s, const ts_ast *type, uint32_t define)
{
  const char *text = s->options->defines[define].expression;
  uint32_t file = s->defined->file[define];
  if (type && type->name && !strcmp(type->name, "String") && *text && !strchr(text, '"'))
    return (ts_value){.type = TS_T_STRING,
                      .span = {file, 0, (uint32_t)strlen(text)},
                      .u.string = ts_lang_intern(s->lang, text, strlen(text))};
  ts_parse_expr(s->lang, file);
  return ts_error_value();
}

ts_value ts_param_value(ts_session *s, const ts_env *env, const ts_ast *param, const ts_ast *type,
                        const ts_ast *expr)
{
  uint32_t define;
  const ts_ast *given = ts_session_define(s, param->name, &define);
  if (define != UINT32_MAX && !given)
    return unquoted(s, type, define);
  if (!given && !expr) {
    ts_diag *d = ts_report(s, TS_E0210, param->name_span, "`%s` has no value", param->name);
    ts_diag_here(d, "no default");
    ts_diag_help(d, "give it with `-D %s=...`, or a default here", param->name);
    return ts_error_value();
  }
  ts_value v;
  if (!given || !ts_bare_word(s, env, type, given, &v))
    v = ts_eval_as(s, env, type, given ? given : expr);
  if (v.type == TS_T_ERROR)
    return v;
  const char *what = ts_arena_printf(s->lasting, "`%s`", param->name);
  return ts_convert(s, env, type, &v, what) ? v : ts_error_value();
}

static ts_value evaluate(ts_session *s, const ts_entry *entry)
{
  const ts_ast *decl = entry->decl;
  switch (decl->kind) {
  case TS_AST_LET: return ts_eval_let(s, entry->module->env, decl);
  case TS_AST_PARAM: return param_value(s, entry);
  case TS_AST_FN:
  case TS_AST_EXTERN: return declared_function(s, entry);
  case TS_AST_GPU:
  case TS_AST_GPU_IS: return ts_gpu_value(s, entry->module->env, decl);
  case TS_AST_MODEL_IS: {
    ts_value v = ts_eval(s, entry->module->env, ts_ast_value(decl));
    bool ok = v.type != TS_T_ERROR &&
              ts_convert_to(s, "Model", &v, ts_arena_printf(s->lasting, "`%s`", decl->name),
                            ts_ast_value(decl)->span, TS_NO_SPAN);
    return ok ? v : ts_error_value();
  }
  default: return (ts_value){.type = TS_T_DECL, .span = decl->name_span, .u.decl = decl};
  }
}

static void defined_through_itself(ts_session *s, const ts_entry *entry)
{
  struct ts_module_table *all = modules(s);
  size_t first = 0;
  while (all->busy.at[first] != entry)
    first++;
  ts_diag *d =
    ts_report(s, TS_E0207, entry->decl->name_span, "`%s` is defined through itself", entry->name);
  ts_diag_here(d, "needs its own value");
  for (size_t i = first + 1; i < all->busy.count; i++)
    ts_diag_note_at(d, all->busy.at[i]->decl->name_span, "through `%s`", all->busy.at[i]->name);
}

ts_value ts_entry_value(ts_session *s, ts_entry *entry)
{
  struct ts_module_table *all = modules(s);
  if (entry->state == TS_ENTRY_DONE) {
    ts_touch(&s->reuse->touched, entry->touched);
    s->files->reads += !entry->steady; /* it may have read a file */
    return entry->value;
  }
  if (entry->state == TS_ENTRY_BUSY) {
    defined_through_itself(s, entry);
    return ts_error_value();
  }
  entry->state = TS_ENTRY_BUSY;
  TS_PUSH(s->lasting, &all->busy, entry);
  const ts_frame *frame = s->running->frame;
  s->running->frame = NULL; /* its value has nothing to do with who asks first */
  ts_noting before = ts_noting_begin(s, (ts_touched){0});
  ts_arena *arena = s->arena;
  s->arena = s->lasting;
  entry->value = evaluate(s, entry);
  s->arena = arena;
  entry->touched = ts_noting_end(s, &before);
  entry->steady = !ts_touched_any(entry->touched) && before.reads == s->files->reads &&
                  !ts_noting_said(s, &before);
  s->running->frame = frame;
  all->busy.count--;
  entry->state = TS_ENTRY_DONE;
  return entry->value;
}

void ts_modules_forget(ts_session *s)
{
  for (size_t i = 0; i < modules(s)->all.count; i++)
    for (size_t k = 0; k < modules(s)->all.at[i]->own.count; k++)
      if (!modules(s)->all.at[i]->own.at[k]->steady)
        modules(s)->all.at[i]->own.at[k]->state = TS_ENTRY_NEW;
}

const ts_visible *ts_module_find(const ts_module *module, const char *name)
{
  ts_session *s = module->env->session;
  const ts_visible *near = ts_names_get(&module->near, name);
  if (!module->looks_far || (near && near->rank <= TS_RANK_LISTED) ||
      !ts_names_get(&modules(s)->declared, name))
    return near;
  return find_far(s, (ts_module *)(uintptr_t)module, name, near);
}

/* An import as it is written. */
static const char *written(ts_session *s, ts_span span)
{
  return span.file ?
           ts_arena_string(s->lasting, ts_sources_get(s->sources, span.file)->text + span.begin,
                           span.end - span.begin) :
           "";
}

bool ts_module_clashes(ts_session *s, const ts_visible *v, const char *name, ts_span requested)
{
  bool clash = ambiguous(v),
       both = v->import.begin == v->other_import.begin && v->import.file == v->other_import.file;
  if (!v->other)
    return false;
  ts_diag *d = clash ? ts_report(s, TS_E0206, requested, "`%s` may be the one of `%s` or of `%s`",
                                 name, v->entry->module->name, v->other->module->name) :
                       ts_report(s, TS_W0206, requested, "`%s` is the one of `%s`, not of `%s`",
                                 name, v->entry->module->name, v->other->module->name);
  ts_diag_here(d, clash ? "which one?" : "a file of yours hides the standard library");
  ts_diag_label(d, v->import, "brings `%s`", name);
  if (!both)
    ts_diag_label(d, v->other_import, "brings `%s` too", name);
  ts_diag_note_at(d, v->entry->decl->name_span, "one is declared here");
  ts_diag_note_at(d, v->other->decl->name_span, "the other here");
  if (both)
    ts_diag_help(d, "import the one you mean from its own file, in a list: `(%s)`", name);
  else
    ts_diag_help(
      d, "`import %s (%s)` selects this one; `import %s (%s as other_%s)` renames the other",
      written(s, v->import), name, written(s, v->other_import), name, name);
  return clash;
}

bool ts_module_lookup(ts_session *s, ts_module *module, const char *name, ts_span requested,
                      ts_value *value)
{
  const ts_visible *v = ts_module_find(module, name);
  if (!v)
    return false;
  if (ambiguous(v)) { /* of what is hidden the check warns */
    *value = ts_error_value();
    return requested.file && ts_module_clashes(s, v, name, requested);
  }
  *value = ts_entry_value(s, v->entry);
  return true;
}

const ts_visible *ts_module_of_std(ts_session *s, const char *name)
{
  const char *std = is_private(name) ? NULL : ts_session_declared_in(s, name);
  if (!std)
    return NULL;
  char *path = ts_arena_printf(s->arena, "%s.ts", std);
  for (char *c = path; c < path + strlen(std); c++)
    *c = *c == '.' ? '/' : *c;
  const ts_module *m = ts_module_of_library(s, path);
  return m ? ts_module_find(m, ts_lang_intern(s->lang, name, strlen(name))) : NULL;
}

bool ts_module_typed(ts_session *s, const ts_ast *e, ts_value *out)
{
  const ts_source *source = ts_sources_get(s->sources, e->span.file);
  bool typed =
    source && (!strcmp(source->role, "options") || /* or of figures, as --assert is */
               (!strcmp(source->role, "command line") && strncmp(source->name, "--", 2)));
  const ts_visible *v = typed ? ts_module_of_std(s, e->name) : NULL;
  if (v)
    *out = ts_entry_value(s, v->entry);
  return v;
}

bool ts_module_elsewhere(ts_session *s, ts_diag *d, const char *name)
{
  const char *std = is_private(name) ? NULL : ts_session_declared_in(s, name);
  const ts_entry *entry = ts_names_get(&modules(s)->declared, name);
  if (std) {
    ts_diag_help(d, "`import %s` provides it", std);
    return true;
  }
  if (!entry || entry->name != name)
    return false;
  ts_diag_note_at(d, entry->decl->name_span,
                  is_private(name) ? "declared here, and private to `%s`: it begins with `_`" :
                                     "declared here, in `%s`, which this file does not import",
                  entry->module->name);
  return true;
}

void ts_module_names(ts_session *s, const ts_module *module, ts_name_list *list)
{
  ts_seen_list seen = {0};
  ts_module_entries(s, module, &seen);
  for (size_t i = 0; i < seen.all.count; i++)
    TS_PUSH(s->lasting, &list->names, seen.all.at[i].name);
}

static void list_names(ts_session *s, const ts_ast *path, const ts_module *m, ts_seen_list *list)
{
  for (uint32_t i = 0; i < path->count; i++) {
    const ts_ast *item = path->child[i];
    const char *name = ts_ast_alias(item) ? ts_ast_alias(item)->name : item->name;
    const ts_visible *v = ts_names_get(&m->near, name);
    if (v && v->rank == TS_RANK_LISTED)
      TS_PUSH(s->lasting, &list->all, (ts_seen){name, v->entry});
  }
}

static void list_exports(ts_session *s, ts_module *m, ts_seen_list *list)
{
  if (m->listed)
    return;
  m->listed = true;
  for (size_t i = 0; i < m->own.count; i++)
    if (!is_private(m->own.at[i]->name))
      TS_PUSH(s->lasting, &list->all, (ts_seen){m->own.at[i]->name, m->own.at[i]});
  for (size_t i = 0; m->exports && i < m->imports.count; i++)
    if (m->imports.at[i].exported && m->imports.at[i].list)
      list_names(s, m->imports.at[i].list, m, list);
    else if (m->imports.at[i].exported)
      list_exports(s, m->imports.at[i].module, list);
}

static void list_none(ts_session *s)
{
  for (size_t i = 0; i < modules(s)->all.count; i++)
    modules(s)->all.at[i]->listed = false;
}

void ts_module_exports(ts_session *s, const ts_module *module, ts_seen_list *list)
{
  list_none(s);
  list_exports(s, (ts_module *)(uintptr_t)module, list);
}

void ts_module_entries(ts_session *s, const ts_module *module, ts_seen_list *list)
{
  list_none(s);
  for (size_t i = 0; i < module->own.count; i++)
    TS_PUSH(s->lasting, &list->all, (ts_seen){module->own.at[i]->name, module->own.at[i]});
  for (size_t i = 0; i < module->imports.count; i++)
    if (module->imports.at[i].list)
      list_names(s, module->imports.at[i].list, module, list);
    else
      list_exports(s, module->imports.at[i].module, list);
}
