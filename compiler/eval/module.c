#include "compiler/eval/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "compiler/eval/function.h"

struct ts_modules {
  TS_VEC(ts_module *) all;
  TS_VEC(ts_module *) by_file; /* NULL: not a module */
  TS_VEC(ts_module *) loading; /* who imports whom, outermost first */
  TS_VEC(ts_entry *) busy;     /* values being worked out, outermost first */
  ts_names by_key;
  ts_names declared;           /* names that any of them declares */
};

static struct ts_modules *modules(ts_session *s)
{
  if (!s->modules)
    s->modules = TS_NEW(s->arena, struct ts_modules);
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

static bool is_value(const ts_ast *decl) { return decl->kind != TS_AST_PLAN && decl->kind != TS_AST_SEARCH; }

static void see(ts_session *s, ts_module *m, ts_entry *entry, ts_span import, bool direct)
{
  ts_visible *v = (ts_visible *)(uintptr_t)ts_names_get(&m->near, entry->name);
  if (v && v->entry == entry) {
    v->direct |= direct;
    return;
  }
  if (!v) {
    v = TS_NEW(s->arena, ts_visible);
    *v = (ts_visible){.entry = entry, .import = import, .direct = direct};
    ts_names_put(s->arena, &m->near, entry->name, v);
    return;
  }
  bool only_plan = !is_value(v->entry->decl), is_plan = !is_value(entry->decl);
  if (is_plan || (v->direct && !direct && !only_plan))
    return; /* the nearer one counts; plans and searches are no values, so their names hide none */
  if (only_plan || (!v->direct && direct)) {
    *v = (ts_visible){.entry = entry, .import = import, .direct = direct};
    return;
  }
  if (!direct) {
    v->rival = v->rival ? v->rival : entry;
    return;
  }
  ts_diag *d = ts_report(s, TS_E0206, import, "`%s` of `%s` is also declared in `%s`", entry->name, entry->module->name, v->entry->module->name);
  ts_diag_here(d, "brings `%s`", entry->name);
  ts_diag_label(d, v->import, "brings `%s` too", entry->name);
  ts_diag_note_at(d, v->entry->decl->name_span, "one is declared here");
  ts_diag_note_at(d, entry->decl->name_span, "the other here");
  ts_diag_help(d, "import one of the two files, or rename the one that is yours");
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
    ts_entry *entry = TS_NEW(s->arena, ts_entry);
    *entry = (ts_entry){.name = decl->name, .decl = decl, .module = m};
    TS_PUSH(s->arena, &m->own, entry);
    ts_names_put(s->arena, &modules(s)->declared, decl->name, entry);
    see(s, m, entry, TS_NO_SPAN, true);
  }
}

/* Names from further away are found when they are asked for: each file of a long chain would hold those of all behind it. */
static void see_module(ts_session *s, ts_module *m, const ts_module *other, ts_span span)
{
  for (size_t i = 0; i < other->own.count; i++)
    see(s, m, other->own.at[i], span, true);
}

static void add_far(ts_visible *v, ts_entry *entry, ts_span import)
{
  bool value = is_value(entry->decl);
  if (!v->entry || (value && !is_value(v->entry->decl)))
    *v = (ts_visible){.entry = entry, .import = import};
  else if (value && v->entry != entry)
    v->rival = v->rival ? v->rival : entry;
}

static const ts_visible nothing;

/* As the imports see the name, the first of them counts. `near`: a plan of that name, which hides no value, or NULL. */
static const ts_visible *find_far(ts_session *s, ts_module *m, const char *name, const ts_visible *near)
{
  const ts_visible *known = ts_names_get(&m->far, name);
  if (known)
    return known == &nothing ? NULL : known;
  ts_visible *v = TS_NEW(s->arena, ts_visible);
  if (near)
    *v = *near;
  for (size_t i = 0; i < m->imports.count; i++) {
    const ts_visible *other = ts_module_find(m->imports.at[i].module, name);
    if (other)
      add_far(v, other->entry, m->imports.at[i].span);
  }
  ts_names_put(s->arena, &m->far, name, v->entry ? v : &nothing);
  return v->entry ? v : NULL;
}

/* ---- Files ---- */

static const char *key_of(ts_session *s, const ts_found *found)
{
  char *real = found->path ? ts_heap_real_path(found->path) : NULL;
  const char *name = real ? real : found->name, *key = ts_lang_intern(s->lang, name, strlen(name));
  free(real);
  return key;
}

static ts_module *already_read(ts_session *s, const ts_found *found)
{
  return (ts_module *)(uintptr_t)ts_names_get(&modules(s)->by_key, key_of(s, found));
}

static void import_cycle(ts_session *s, const ts_module *again, ts_span span)
{
  struct ts_modules *all = modules(s);
  size_t first = 0;
  while (first < all->loading.count && all->loading.at[first] != again)
    first++;
  const char *chain = again->name;
  for (size_t i = first + 1; i < all->loading.count; i++)
    chain = ts_arena_printf(s->arena, "%s\n%s", chain, all->loading.at[i]->name);
  ts_diag *d = ts_report(s, TS_E0205, span, first + 1 == all->loading.count ? "`%s` imports itself" : "`%s` is imported in a circle", again->name);
  ts_diag_here(d, "closes the circle");
  if (first + 1 < all->loading.count)
    ts_diag_fact(d, "each imports the next", "%s\n%s", chain, again->name);
  ts_diag_help(d, "move what both need to a file of its own");
}

static void import_file(ts_session *s, ts_module *m, const char *name, ts_span span);

static void imports(ts_session *s, ts_module *m)
{
  for (uint32_t i = 0; i < m->ast->count; i++) {
    const ts_ast *import = m->ast->child[i];
    for (uint32_t k = 0; import && import->kind == TS_AST_IMPORT && k < import->count; k++) {
      const ts_ast *path = import->child[k];
      if (path->flags & 1) {
        import_file(s, m, path->name, path->span);
        continue;
      }
      char *name = ts_arena_printf(s->arena, "%s.ts", path->name);
      for (size_t c = 0, length = strlen(path->name); c < length; c++)
        name[c] = name[c] == '.' ? '/' : name[c];
      import_file(s, m, name, path->span);
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
    import_file(s, m, "std/prelude.ts", TS_NO_SPAN);
}

static ts_module *read_module(ts_session *s, const ts_found *found, const char *role, ts_span span)
{
  struct ts_modules *all = modules(s);
  size_t size;
  const char *text = ts_session_load(s, found, role, span, &size);
  if (!text)
    return NULL;
  ts_module *m = TS_NEW(s->arena, ts_module);
  m->path = found->path;
  m->name = found->name;
  m->key = key_of(s, found);
  m->file = ts_sources_add(s->sources, found->shown, role, text, size);
  ts_session_mapped(s, found, role, m->file);
  m->env = ts_env_sized(s, NULL, 0);
  m->env->module = m;
  m->loading = true;
  TS_PUSH(s->arena, &all->all, m);
  ts_names_put(s->arena, &all->by_key, m->key, m);
  while (all->by_file.count <= m->file)
    TS_PUSH(s->arena, &all->by_file, NULL);
  all->by_file.at[m->file] = m;
  TS_PUSH(s->arena, &all->loading, m);
  m->ast = ts_parse_file(s->lang, m->file);
  own_names(s, m);
  import_prelude(s, m);
  imports(s, m);
  for (size_t i = 0; i < m->imports.count; i++)
    if (m->imports.at[i].span.file) /* the prelude's names give way to those that were asked for */
      see_module(s, m, m->imports.at[i].module, m->imports.at[i].span);
  all->loading.count--;
  m->loading = false;
  return m;
}

static void nested_too_deep(ts_session *s, ts_span span)
{
  ts_diag *d = ts_report(s, TS_E0226, span, "imports nest too deeply");
  ts_diag_note(d, "at most %u files, each imported by the one before", s->limits.importing);
  ts_diag_help(d, "import the files from one that names them all");
}

static void import_file(ts_session *s, ts_module *m, const char *name, ts_span span)
{
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
  if (!other || ts_names_get(&m->imported, (const char *)other))
    return;
  ts_names_put(s->arena, &m->imported, (const char *)other, other);
  TS_PUSH(s->arena, &m->imports, (struct ts_import){.module = other, .span = span});
}

ts_module *ts_module_load(ts_session *s, const char *path)
{
  ts_found found = ts_session_given(s, path);
  ts_module *m = already_read(s, &found);
  return m ? m : read_module(s, &found, "plan", TS_NO_SPAN);
}

/* ---- Values ---- */

static ts_value declared_function(ts_session *s, const ts_entry *entry)
{
  const ts_ast *decl = entry->decl;
  ts_function *f = TS_NEW(s->arena, ts_function);
  *f = (ts_function){.kind = decl->kind == TS_AST_FN ? TS_FUNCTION_DECL : TS_FUNCTION_NATIVE, .name = decl->name, .decl = decl, .module = entry->module->env};
  if (decl->kind == TS_AST_EXTERN && !(f->native = ts_native_open(s, decl)))
    return ts_error_value();
  return ts_function_value(f, decl->name_span);
}

static ts_value param_value(ts_session *s, const ts_entry *entry)
{
  return ts_param_value(s, entry->module->env, entry->decl, entry->decl->child[0], entry->decl->child[1]);
}

const ts_ast *ts_module_choose(ts_session *s, const ts_module *m, ts_kind kind, const char *name, ts_name_list *names)
{
  const ts_ast *found = NULL;
  for (size_t i = 0; i < m->own.count; i++) {
    const ts_ast *decl = m->own.at[i]->decl;
    if (decl->kind != kind)
      continue;
    TS_PUSH(s->arena, &names->names, decl->name);
    if (!name || !strcmp(decl->name, name))
      found = decl;
  }
  return name || names->names.count == 1 ? found : NULL;
}

ts_value ts_param_value(ts_session *s, const ts_env *env, const ts_ast *param, const ts_ast *type, const ts_ast *expr)
{
  uint32_t define;
  const ts_ast *given = ts_session_define(s, param->name, &define);
  if (define != UINT32_MAX && !given)
    return ts_error_value();
  if (!given && !expr) {
    ts_diag *d = ts_report(s, TS_E0210, param->name_span, "`%s` has no value", param->name);
    ts_diag_here(d, "no default");
    ts_diag_help(d, "give it with `-D %s=...`, or a default here", param->name);
    return ts_error_value();
  }
  ts_value v = ts_eval_as(s, env, type, given ? given : expr);
  if (v.type == TS_T_ERROR)
    return v;
  const char *what = ts_arena_printf(s->arena, "`%s`", param->name);
  return ts_convert(s, env, type, &v, what) ? v : ts_error_value();
}

static bool gpu_number(ts_session *s, const char *what, ts_value v, ts_span at, double least, double most)
{
  double number = v.type == TS_T_INT ? (double)v.u.integer : v.u.real;
  if (number >= least && number <= most)
    return true;
  ts_diag *d = ts_report(s, TS_E0225, at, "%s is not possible", what);
  ts_diag_here(d, "this is %s, %s than it can be", ts_value_print(s->arena, v), number < least ? "less" : "more");
  return false;
}

/* What no device is without; what drivers take is a part of the memory. */
static bool whole_gpu(ts_session *s, const ts_ast *decl, const ts_record *record)
{
  const ts_value *memory = ts_record_find(record, "memory"), *reserved = ts_record_find(record, "reserved");
  if (!ts_record_find(record, "bandwidth")) {
    ts_diag *d = ts_report(s, TS_E0216, decl->name_span, "gpu `%s` has no `bandwidth`", decl->name);
    for (uint32_t i = 0; i < record->count; i++) {
      const char *best[3];
      if (ts_suggest(record->at[i].name, (const char *const[]){"bandwidth"}, 1, best))
        ts_diag_label(d, decl->child[i]->name_span, "did you mean `bandwidth`?");
    }
    ts_diag_help(d, "it is the rate of its memory: `bandwidth = 3.35 TB/s`");
    return false;
  }
  if (!memory || !reserved || reserved->u.real <= memory->u.real)
    return true;
  ts_diag *d = ts_report(s, TS_E0225, reserved->span, "`reserved` of gpu `%s` is more than its memory", decl->name);
  ts_diag_here(d, "of %s", ts_value_print(s->arena, *memory));
  return false;
}

static ts_value gpu_value(ts_session *s, const ts_entry *entry)
{
  static const struct { const char *field, *type; double least, most; } known[] = { /* bits, bits/s: what an IR can hold */
    {"memory", "Size", 0, 8 * 0x1p56}, {"reserved", "Size", 0, 8 * 0x1p56}, {"bandwidth", "Rate", 8, 8e21}, {"l2", "Size", 0, 8 * 0x1p56}, {"sms", "Int", 1, 1 << 20}, {"peak", "Record", 0, 0}, {"called", "List", 0, 0}};
  const ts_ast *decl = entry->decl;
  ts_field *at = TS_NEW_ARRAY(s->arena, ts_field, decl->count);
  ts_value *values = TS_NEW_ARRAY(s->arena, ts_value, decl->count);
  bool ok = true;
  for (uint32_t i = 0; i < decl->count; i++) {
    const ts_ast *field = decl->child[i];
    values[i] = ts_eval(s, entry->module->env, field->child[0]);
    at[i] = (ts_field){.name = field->name, .value = &values[i], .span = field->span};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
      if (!strcmp(known[k].field, field->name)) {
        const char *what = ts_arena_printf(s->arena, "`%s` of gpu `%s`", field->name, decl->name);
        ok = ts_convert_to(s, known[k].type, &values[i], what, field->child[0]->span, TS_NO_SPAN) &&
             (values[i].type == TS_T_RECORD || values[i].type == TS_T_LIST || gpu_number(s, what, values[i], field->child[0]->span, known[k].least, known[k].most)) && ok;
      }
    ok &= values[i].type != TS_T_ERROR;
    if (ok && !strcmp(field->name, "peak"))
      for (uint32_t k = 0; k < values[i].u.record->count; k++) {
        ts_field peak = values[i].u.record->at[k];
        ts_value rate = *peak.value;
        const char *what = ts_arena_printf(s->arena, "the peak rate of `%s`", peak.name);
        ok = ts_convert_to(s, "WorkRate", &rate, what, peak.span, TS_NO_SPAN) && gpu_number(s, what, rate, peak.span, 1, 1e30) && ok;
        if (!ts_dtype_find(peak.name)) {
          ts_report(s, TS_E0214, peak.span, "`%s` is not a number format", peak.name);
          ok = false;
        }
      }
    for (uint32_t k = 0; ok && !strcmp(field->name, "called") && k < values[i].u.list->count; k++) {
      ts_value name = values[i].u.list->at[k];
      ok = ts_convert_to(s, "String", &name, "a name in `called`", field->child[0]->span, TS_NO_SPAN);
    }
    for (uint32_t k = 0; k < i; k++)
      if (at[k].name == field->name) {
        ts_diag *d = ts_report(s, TS_E0202, field->name_span, "gpu `%s` has two fields `%s`", decl->name, field->name);
        ts_diag_label(d, decl->child[k]->name_span, "first here");
        ok = false;
      }
  }
  ts_record *record = TS_NEW(s->arena, ts_record);
  *record = (ts_record){.count = decl->count, .at = at, .name = decl->name};
  return ok && whole_gpu(s, decl, record) ? (ts_value){.type = TS_T_GPU, .span = decl->name_span, .u.record = record} : ts_error_value();
}

static ts_value evaluate(ts_session *s, const ts_entry *entry)
{
  const ts_ast *decl = entry->decl;
  switch (decl->kind) {
  case TS_AST_LET: return ts_eval_let(s, entry->module->env, decl);
  case TS_AST_PARAM: return param_value(s, entry);
  case TS_AST_FN:
  case TS_AST_EXTERN: return declared_function(s, entry);
  case TS_AST_GPU: return gpu_value(s, entry);
  case TS_AST_MODEL_IS: {
    ts_value v = ts_eval(s, entry->module->env, decl->child[0]);
    bool ok = v.type != TS_T_ERROR && ts_convert_to(s, "Model", &v, ts_arena_printf(s->arena, "`%s`", decl->name), decl->child[0]->span, TS_NO_SPAN);
    return ok ? v : ts_error_value();
  }
  default: return (ts_value){.type = TS_T_DECL, .span = decl->name_span, .u.decl = decl};
  }
}

static void defined_through_itself(ts_session *s, const ts_entry *entry)
{
  struct ts_modules *all = modules(s);
  size_t first = 0;
  while (all->busy.at[first] != entry)
    first++;
  ts_diag *d = ts_report(s, TS_E0207, entry->decl->name_span, "`%s` is defined through itself", entry->name);
  ts_diag_here(d, "needs its own value");
  for (size_t i = first + 1; i < all->busy.count; i++)
    ts_diag_note_at(d, all->busy.at[i]->decl->name_span, "through `%s`", all->busy.at[i]->name);
}

ts_value ts_entry_value(ts_session *s, ts_entry *entry)
{
  struct ts_modules *all = modules(s);
  if (entry->state == TS_ENTRY_DONE)
    return entry->value;
  if (entry->state == TS_ENTRY_BUSY) {
    defined_through_itself(s, entry);
    return ts_error_value();
  }
  entry->state = TS_ENTRY_BUSY;
  TS_PUSH(s->arena, &all->busy, entry);
  const ts_frame *frame = s->frame;
  s->frame = NULL; /* its value has nothing to do with who asks first */
  entry->value = evaluate(s, entry);
  s->frame = frame;
  all->busy.count--;
  entry->state = TS_ENTRY_DONE;
  return entry->value;
}

const ts_visible *ts_module_find(const ts_module *module, const char *name)
{
  ts_session *s = module->env->session;
  const ts_visible *near = ts_names_get(&module->near, name);
  if ((near && is_value(near->entry->decl)) || !ts_names_get(&modules(s)->declared, name))
    return near;
  return find_far(s, (ts_module *)(uintptr_t)module, name, near);
}

static void ambiguous(ts_session *s, const ts_visible *v)
{
  ts_diag *d = ts_report(s, TS_E0206, v->import, "`%s` is declared in `%s` and in `%s`, and neither is imported here", v->entry->name,
                         v->entry->module->name, v->rival->module->name);
  ts_diag_note_at(d, v->entry->decl->name_span, "one is declared here");
  ts_diag_note_at(d, v->rival->decl->name_span, "the other here");
  ts_diag_help(d, "import the file that is meant");
}

bool ts_module_lookup(ts_session *s, ts_module *module, const char *name, ts_value *value)
{
  const ts_visible *v = ts_module_find(module, name);
  if (!v)
    return false;
  if (v->rival) {
    ambiguous(s, v);
    *value = ts_error_value();
    return true;
  }
  *value = ts_entry_value(s, v->entry);
  return true;
}

void ts_module_names(ts_session *s, const ts_module *module, ts_name_list *list)
{
  ts_entry_list all = {0};
  ts_module_entries(s, module, &all);
  for (size_t i = 0; i < all.entries.count; i++)
    TS_PUSH(s->arena, &list->names, all.entries.at[i]->name);
}

static void list_entries(ts_session *s, ts_module *m, ts_entry_list *list)
{
  m->listed = true;
  for (size_t i = 0; i < m->own.count; i++)
    TS_PUSH(s->arena, &list->entries, m->own.at[i]);
  for (size_t i = 0; i < m->imports.count; i++)
    if (!m->imports.at[i].module->listed)
      list_entries(s, m->imports.at[i].module, list);
}

void ts_module_entries(ts_session *s, const ts_module *module, ts_entry_list *list)
{
  for (size_t i = 0; i < modules(s)->all.count; i++)
    modules(s)->all.at[i]->listed = false;
  list_entries(s, (ts_module *)(uintptr_t)module, list);
}
