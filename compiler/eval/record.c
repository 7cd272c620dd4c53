/* Records: what a literal makes, and copies of them with changes. */
#include "compiler/eval/record_type.h"
#include "compiler/eval/report.h"

static bool twice(ts_session *s, ts_ast_list fields, uint32_t i)
{
  for (uint32_t j = 0; j < i; j++)
    if (fields.at[j]->name == fields.at[i]->name) {
      ts_diag *d = ts_report(s, TS_E0202, fields.at[i]->name_span, "the record has two fields `%s`",
                             fields.at[i]->name);
      ts_diag_label(d, fields.at[j]->name_span, "first here");
      return true;
    }
  return false;
}

/* FIELDs as written, each once; of which a RECORD_TYPE is wanted, or none. */
static bool evaluate(ts_session *s, const ts_env *env, const ts_ast *type, ts_ast_list written,
                     ts_field *fields)
{
  ts_value *values = TS_NEW_ARRAY(s->arena, ts_value, written.count);
  bool ok = true;
  for (uint32_t i = 0; i < written.count; i++) {
    const ts_ast *field = written.at[i];
    const ts_ast *formal = type ? ts_record_type_field(type, field->name) : NULL;
    values[i] = ts_eval_as(s, env, formal ? ts_ast_type(formal) : NULL, ts_ast_value(field));
    fields[i] = (ts_field){.name = field->name, .value = &values[i], .span = field->span};
    ok &= values[i].type != TS_T_ERROR;
    ok &= !twice(s, written, i);
  }
  return ok;
}

static ts_value record_of(ts_session *s, const ts_field *fields, uint32_t count, ts_span span)
{
  ts_record *r = TS_NEW(s->arena, ts_record);
  *r = (ts_record){.count = count, .at = fields};
  return (ts_value){.type = TS_T_RECORD, .span = span, .u.record = r};
}

ts_value ts_eval_record(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *e)
{
  ts_field *fields = TS_NEW_ARRAY(s->arena, ts_field, e->count);
  return evaluate(s, env, type, (ts_ast_list){.at = e->child, .count = e->count}, fields) ?
           record_of(s, fields, e->count, e->span) :
           ts_error_value();
}

/* ---- Changes ---- */

static bool only_fields(ts_session *s, ts_ast_list changes)
{
  for (uint32_t i = 0; i < changes.count; i++)
    if (changes.at[i]->kind != TS_AST_FIELD) {
      ts_diag_here(ts_report(s, TS_E0220, changes.at[i]->span, "a record has only fields"),
                   "write `name = value`");
      return false;
    }
  return true;
}

/* The place of a field; count: it has none of this name. */
static uint32_t record_place_of(const ts_record *r, const char *name)
{
  uint32_t i = 0;
  while (i < r->count && r->at[i].name != name)
    i++;
  return i;
}

static void no_field(ts_session *s, const ts_ast *with, const ts_ast *field, ts_value v)
{
  const ts_record *r = v.u.record;
  if (r->type) {
    ts_record_type_no_field(s, r->type, TS_E0214, field->name_span, field->name);
    return;
  }
  ts_name_list names = {0};
  for (uint32_t i = 0; i < r->count; i++)
    TS_PUSH(s->arena, &names.names, r->at[i].name);
  ts_diag *d =
    ts_report(s, TS_E0214, field->name_span, "the record has no field `%s`", field->name);
  ts_diag_here(d, "not a field");
  if (v.span.file && ts_ast_base(with)->kind != TS_AST_RECORD)
    ts_diag_note_at(d, v.span, "it comes from here");
  if (!ts_suggest_names(d, field->name, &names) && names.names.count)
    ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
}

static bool known_fields(ts_session *s, const ts_ast *with, ts_value v)
{
  ts_ast_list changes = ts_ast_changes(with);
  bool ok = true;
  for (uint32_t i = 0; i < changes.count; i++)
    if (record_place_of(v.u.record, changes.at[i]->name) == v.u.record->count) {
      no_field(s, with, changes.at[i], v);
      ok = false;
    }
  return ok;
}

ts_value ts_record_changed(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with)
{
  const ts_record *old = v.u.record;
  ts_ast_list changes = ts_ast_changes(with);
  if (!only_fields(s, changes) || !ts_charge(s, old->count, with->span))
    return ts_error_value();
  ts_field *changed = TS_NEW_ARRAY(s->arena, ts_field, changes.count);
  ts_field *fields = TS_NEW_ARRAY(s->arena, ts_field, old->count);
  bool known = known_fields(s, with, v);
  if (!evaluate(s, env, old->type, changes, changed) || !known)
    return ts_error_value();
  for (uint32_t i = 0; i < old->count; i++)
    fields[i] = old->at[i];
  for (uint32_t i = 0; i < changes.count; i++)
    fields[record_place_of(old, changed[i].name)] = changed[i];
  ts_value made = record_of(s, fields, old->count, with->span);
  return !old->type || ts_record_type_convert(s, old->type, &made,
                                              ts_with_article(s->arena, old->type->name),
                                              with->span) ?
           made :
           ts_error_value();
}

ts_value ts_unchangeable(ts_session *s, ts_value v, const ts_ast *with)
{
  ts_diag *d = ts_report(s, TS_E0220, ts_ast_base(with)->span,
                         "`with` changes a Cluster, a Gpu, a record or a Strategy, not %s",
                         ts_value_describe(s->arena, v));
  ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
  return ts_error_value();
}
