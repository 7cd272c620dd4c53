/* Types of records: their names, and records made values of them. */
#include "compiler/eval/record_type.h"

#include <string.h>

#include "compiler/eval/module.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/eval/vocabulary.h"

/* ---- Names ---- */

void ts_record_types_install(ts_session *s, const char *text)
{
  uint32_t file = ts_sources_add(s->sources, "built in", "built in", text, strlen(text));
  const ts_ast *all = ts_parse_file(s->lang, file);
  for (uint32_t i = 0; i < all->count; i++) {
    TS_PUSH(s->lasting, &s->vocabulary->record_names, all->child[i]->name);
    ts_names_put(s->lasting, &s->vocabulary->record_types, all->child[i]->name, all->child[i]);
  }
}

/* One for each declaration, made when first asked for. */
static const ts_type_info *info_of(ts_session *s, const ts_ast *decl)
{
  const ts_type_info *known = ts_names_get(&s->vocabulary->record_infos, (const char *)decl);
  if (known)
    return known;
  ts_type_info *info = TS_NEW(s->lasting, ts_type_info);
  *info = (ts_type_info){.name = decl->name,
                         .type = TS_T_RECORD,
                         .text = ts_with_article(s->lasting, decl->name),
                         .example = "{ ... }",
                         .record = decl};
  ts_names_put(s->lasting, &s->vocabulary->record_infos, (const char *)decl, info);
  return info;
}

const ts_type_info *ts_record_type_built_in(ts_session *s, const char *name)
{
  const ts_ast *decl =
    ts_names_get(&s->vocabulary->record_types, ts_lang_intern(s->lang, name, strlen(name)));
  return decl ? info_of(s, decl) : NULL;
}

const ts_type_info *ts_type_of(ts_session *s, const ts_ast *type)
{
  const ts_type_info *info = ts_type_find(s, type->name);
  if (info)
    return info;
  const ts_module *m = ts_module_of(s, type->span.file);
  const ts_visible *v = m ? ts_module_find(m, type->name) : NULL;
  if (v && v->entry->decl->kind == TS_AST_RECORD_TYPE)
    return ts_module_clashes(s, v, type->name, type->name_span) ? NULL : info_of(s, v->entry->decl);
  const ts_ast *decl = ts_names_get(&s->vocabulary->record_types, type->name);
  return decl ? info_of(s, decl) : NULL;
}

void ts_type_names(ts_session *s, ts_name_list *names)
{
  for (size_t i = 0; ts_type_at(i); i++)
    TS_PUSH(s->arena, &names->names, ts_type_at(i)->name);
  for (size_t i = 0; i < s->vocabulary->record_names.count; i++)
    TS_PUSH(s->arena, &names->names, s->vocabulary->record_names.at[i]);
}

/* ---- Fields ---- */

const ts_ast *ts_record_type_field(const ts_ast *decl, const char *name)
{
  for (uint32_t i = 0; i < decl->count; i++)
    if (decl->child[i]->name == name)
      return decl->child[i];
  return NULL;
}

static void note_declared(ts_session *s, ts_diag *d, const ts_ast *decl)
{
  if (ts_module_of(s, decl->span.file))
    ts_diag_note_at(d, decl->name_span, "`%s` is declared here", decl->name);
}

void ts_record_type_no_field(ts_session *s, const ts_ast *decl, ts_code code, ts_span at,
                             const char *name)
{
  ts_name_list names = {0};
  for (uint32_t i = 0; i < decl->count; i++)
    TS_PUSH(s->arena, &names.names, decl->child[i]->name);
  ts_diag *d = ts_report(s, code, at, "`%s` has no field `%s`", decl->name, name);
  ts_diag_here(d, "not a field");
  note_declared(s, d, decl);
  if (!ts_suggest_names(d, name, &names) && names.names.count)
    ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
}

static bool record_type_holds(const ts_name_list *list, const char *name)
{
  for (size_t i = 0; i < list->names.count; i++)
    if (list->names.at[i] == name)
      return true;
  return false;
}

bool ts_record_type_complete(ts_session *s, const ts_ast *decl, const ts_name_list *given,
                             ts_span at)
{
  ts_name_list missing = {0};
  for (uint32_t i = 0; i < decl->count; i++)
    if (!ts_ast_default(decl->child[i]) && !record_type_holds(given, decl->child[i]->name))
      TS_PUSH(s->arena, &missing.names, decl->child[i]->name);
  if (!missing.names.count)
    return true;
  ts_diag *d = ts_report(s, TS_E0216, at, "%s needs %s", ts_with_article(s->arena, decl->name),
                         ts_name_list_print(s, &missing));
  ts_diag_here(d, "not given");
  note_declared(s, d, decl);
  return false;
}

/* ---- Values ---- */

/* The place of a name, at the beginning of what is written of its field. */
static ts_span record_type_name_of(const ts_field *field, ts_span otherwise)
{
  ts_span span = field->span;
  if (!span.file)
    return otherwise;
  span.end = span.begin + (uint32_t)strlen(field->name);
  return span;
}

static bool known_fields(ts_session *s, const ts_ast *decl, const ts_record *record, ts_span at)
{
  bool ok = true;
  for (uint32_t i = 0; i < record->count; i++)
    if (!ts_record_type_field(decl, record->at[i].name)) {
      ts_record_type_no_field(s, decl, TS_E0214, record_type_name_of(&record->at[i], at),
                              record->at[i].name);
      ok = false;
    }
  return ok;
}

static bool needed_fields(ts_session *s, const ts_ast *decl, const ts_record *record, ts_span at)
{
  ts_name_list given = {0};
  for (uint32_t i = 0; i < record->count; i++)
    if (record->at[i].value->type != TS_T_NONE)
      TS_PUSH(s->arena, &given.names, record->at[i].name);
  return ts_record_type_complete(s, decl, &given, at);
}

static const ts_field *field_of(const ts_record *record, const char *name)
{
  for (uint32_t i = 0; i < record->count; i++)
    if (record->at[i].name == name)
      return &record->at[i];
  return NULL;
}

/* A field that is `none` was left out; one whose default is `none` may stay so. */
static ts_value field_value(ts_session *s, const ts_env *env, const ts_ast *formal,
                            const ts_field *given, const char *what, ts_span at)
{
  const ts_ast *type = ts_ast_type(formal), *otherwise = ts_ast_default(formal);
  bool left_out = !given || given->value->type == TS_T_NONE;
  ts_value v = left_out ? ts_eval_as(s, env, type, otherwise) : *given->value;
  if (left_out && v.type == TS_T_NONE)
    return v;
  what = ts_arena_printf(s->arena, "`%s` of %s", formal->name, what);
  ts_span where = left_out ? otherwise->span : given->span.file ? given->span : at;
  ts_span note = ts_module_of(s, formal->span.file) ? formal->span : TS_NO_SPAN;
  return ts_convert_at(s, type, &v, what, where, note) ? v : ts_error_value();
}

static bool record_type_fill(ts_session *s, const ts_ast *decl, ts_value *v, const char *what,
                             ts_span at)
{
  ts_env *env = ts_env_sized(s, ts_decl_env(s, decl), decl->count);
  ts_record *record = TS_NEW(s->arena, ts_record);
  ts_field *fields = TS_NEW_ARRAY(s->arena, ts_field, decl->count);
  ts_value *values = TS_NEW_ARRAY(s->arena, ts_value, decl->count);
  bool ok = true;
  for (uint32_t i = 0; i < decl->count; i++) {
    const ts_ast *formal = decl->child[i];
    const ts_field *given = field_of(v->u.record, formal->name);
    values[i] = field_value(s, env, formal, given, what, at);
    ok &= values[i].type != TS_T_ERROR;
    fields[i] = (ts_field){formal->name, &values[i], given ? given->span : TS_NO_SPAN};
    ts_env_bind(env, formal->name, values[i]);
  }
  *record = (ts_record){.count = decl->count, .at = fields, .type = decl};
  v->u.record = record;
  return ok;
}

bool ts_record_type_convert(ts_session *s, const ts_ast *decl, ts_value *v, const char *what,
                            ts_span at)
{
  ts_span literal = v->span.file ? v->span : at;
  if (v->u.record->type == decl)
    return true;
  bool known = known_fields(s, decl, v->u.record, literal);
  if (!needed_fields(s, decl, v->u.record, literal) || !known || !ts_charge(s, decl->count, at) ||
      !ts_deeper(s, at))
    return false;
  bool ok = record_type_fill(s, decl, v, what, at);
  s->running->depth--;
  return ok;
}
