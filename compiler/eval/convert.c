/* Values checked against types, and converted: an Int to a Real, an Axis to its size, a range to a
 * list. */
#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/eval/record_type.h"
#include "compiler/eval/report.h"

static bool is_model_kind(ts_kind kind) { return kind == TS_AST_MODEL || kind == TS_AST_MODEL_IS; }

static bool applied_fits(const char *type, const ts_applied *applied)
{
  if (!applied->decl)
    return !strcmp(type, "Model"); /* trace(...) */
  ts_kind kind = applied->decl->kind;
  return !strcmp(type, "Model")    ? is_model_kind(kind) :
         !strcmp(type, "Strategy") ? kind == TS_AST_STRATEGY :
                                     kind == TS_AST_SCHEDULE;
}

static bool to_number(ts_session *s, ts_value *v, ts_type wanted)
{
  if (v->type == TS_T_AXIS)
    *v = ts_int_value(ts_axes_size(s, v->u.axes.mask), v->span);
  if (v->type == TS_T_INT && wanted == TS_T_REAL)
    *v = ts_real_value((double)v->u.integer, v->span);
  return v->type == wanted;
}

static ts_value list_of_range(ts_arena *arena, ts_value v)
{
  int64_t count = v.u.range.end - v.u.range.begin;
  if (count > TS_MAX_LIST)
    return v;
  ts_value *at = TS_NEW_ARRAY(arena, ts_value, count);
  for (int64_t i = 0; i < count; i++)
    at[i] = ts_int_value(v.u.range.begin + i, v.span);
  return ts_list_value(arena, at, (uint32_t)count, v.span);
}

/* Of a declared type: what is of no type yet, or of this one. */
static bool is_record(const ts_ast *type, const ts_value *v)
{
  if (v->type != TS_T_RECORD)
    return v->type == TS_T_GPU && !type;
  return !type || !v->u.record->type || v->u.record->type == type;
}

bool ts_type_fits(ts_session *s, const ts_type_info *info, ts_value *v)
{
  if (info->type == TS_T_APPLIED || info->type == TS_T_CLUSTER)
    *v = ts_settle(s, *v);
  switch (info->type) {
  case TS_T_NONE: return v->type != TS_T_ERROR;
  case TS_T_INT:
  case TS_T_REAL: return to_number(s, v, info->type);
  case TS_T_QUANTITY:
    return v->type == TS_T_QUANTITY && ts_dimension_equal(v->dimension, info->dimension);
  case TS_T_LIST:
    if (v->type == TS_T_RANGE &&
        !ts_charge(s, (uint64_t)(v->u.range.end - v->u.range.begin), v->span))
      *v = ts_error_value();
    if (v->type == TS_T_RANGE)
      *v = list_of_range(s->arena, *v);
    return v->type == TS_T_LIST;
  case TS_T_RECORD: return is_record(info->record, v);
  case TS_T_LABEL:
    if (v->type == TS_T_STRING)
      v->type = TS_T_LABEL;
    return v->type == TS_T_LABEL;
  case TS_T_WORD: return v->type == TS_T_WORD || v->type == TS_T_BOOL;
  case TS_T_APPLIED: return v->type == TS_T_APPLIED && applied_fits(info->name, v->u.applied);
  default: return v->type == info->type;
  }
}

static const char *info_describe(const ts_type_info *info)
{
  return info->text ? info->text : ts_dimension_describe(info->dimension);
}

/* A function or declaration stands where what it makes is wanted. */
static void help_call(ts_session *s, ts_diag *d, const ts_ast *callee)
{
  const ts_ast *params = ts_decl_params(callee);
  const char *text = "";
  for (uint32_t i = 0; i < params->count; i++)
    if (!ts_ast_default(params->child[i]))
      text =
        ts_arena_printf(s->arena, "%s%s%s: ...", text, *text ? ", " : "", params->child[i]->name);
  if (*text)
    ts_diag_help(d, "`%s` needs its arguments: `%s(%s)`", callee->name, callee->name, text);
}

/* `recompute = "full"`: what is named in quotes is declared. */
static bool help_quoted(ts_session *s, ts_diag *d, const char *name, ts_span at)
{
  const ts_module *m = ts_module_of(s, at.file);
  const ts_source *source = ts_sources_get(s->sources, at.file);
  const ts_visible *v = m ? ts_module_find(m, ts_lang_intern(s->lang, name, strlen(name))) : NULL;
  const char *module = v ? NULL : ts_session_declared_in(s, name);
  if (module)
    v = ts_module_of_std(s, name);
  const ts_ast *decl = v ? v->entry->decl : NULL;
  if (!decl)
    return false;
  const ts_ast *params = ts_decl_params(decl);
  const char *text = "";
  for (uint32_t i = 0; params && i < params->count; i++)
    if (!ts_ast_default(params->child[i]))
      text =
        ts_arena_printf(s->arena, "%s%s%s: ...", text, *text ? ", " : "", params->child[i]->name);
  const char *call = params ? ts_arena_printf(s->arena, "%s(%s)", name, text) : name;
  bool written = source && source->text[at.begin] == '"';
  if (written && !*text)
    ts_diag_edit(d, at, call, "names of declarations stand without quotes: `%s`", call);
  else
    ts_diag_help(d, "names of declarations stand without quotes: `%s`", call);
  if (module)
    ts_diag_help(d, "`%s` is declared in `%s`: `import %s`", name, module, module);
  return true;
}

/* `precision = bf16`: a function that is visible makes the record of such a value alone. */
static bool help_maker(ts_session *s, ts_diag *d, const ts_type_info *info, ts_value v, ts_span at)
{
  const ts_module *m = info->record ? ts_module_of(s, at.file) : NULL;
  ts_seen_list seen = {0};
  if (m)
    ts_module_entries(s, m, &seen);
  for (size_t i = 0; i < seen.all.count; i++) {
    const ts_ast *decl = seen.all.at[i].entry->decl,
                 *made = decl->kind == TS_AST_FN ? ts_ast_type(decl) : NULL,
                 *params = made ? ts_decl_params(decl) : NULL;
    const ts_type_info *first = NULL;
    bool alone = params && params->count && !strcmp(made->name, info->record->name);
    for (uint32_t k = 1; alone && k < params->count; k++)
      alone = ts_ast_default(params->child[k]);
    if (alone && ts_ast_type(params->child[0]))
      first = ts_type_of(s, ts_ast_type(params->child[0]));
    if (!first || first->type == TS_T_NONE || first->type != v.type)
      continue;
    const char *call =
      ts_arena_printf(s->arena, "%s(%s)", seen.all.at[i].name, ts_value_print(s->arena, v));
    ts_diag_edit(d, at, call, "`%s` makes %s of it", call, info_describe(info));
    return true;
  }
  return false;
}

static void mismatch(ts_session *s, const ts_type_info *info, ts_value v, const char *what,
                     ts_span at, ts_span note)
{
  const char *found = ts_value_describe(s->arena, v), *expected = info_describe(info);
  bool units = info->type == TS_T_QUANTITY && (v.type == TS_T_QUANTITY || ts_value_is_number(v));
  ts_diag *d =
    ts_report(s, units ? TS_E0221 : TS_E0220, at, "%s is %s, not %s", what, found, expected);
  ts_diag_here(d, "found %s", found);
  bool elsewhere =
    v.span.file && (v.span.file != at.file || v.span.begin < at.begin || v.span.end > at.end);
  const ts_ast *callee = v.type == TS_T_DECL     ? v.u.decl :
                         v.type == TS_T_FUNCTION ? v.u.function->decl :
                                                   NULL;
  if (elsewhere && callee)
    ts_diag_note_at(d, callee->name_span, "`%s` is declared here", callee->name);
  else if (elsewhere && v.type != TS_T_CLUSTER)
    ts_diag_note_at(d, v.span, "its value, %s, comes from here", ts_value_print(s->arena, v));
  if (note.file)
    ts_diag_note_at(d, note, "expected %s", expected);
  if (v.type == TS_T_STRING && info->type != TS_T_STRING && help_quoted(s, d, v.u.string, at))
    return;
  if (help_maker(s, d, info, v, at))
    return;
  if (units && ts_value_is_number(v))
    ts_diag_help(d, "write its unit, as in `%s`", info->example);
  else if (units && ts_dimension_equal(info->dimension, TS_DIM_RATE) &&
           ts_dimension_equal(v.dimension, TS_DIM_SIZE))
    ts_diag_help(d, "a rate ends in `/s`; note that `400 GB/s` is eight times `400 Gb/s`");
  else if (info->type == TS_T_INT && v.type == TS_T_REAL)
    ts_diag_help(
      d, "`round(x)`, `floor(x)` and `ceil(x)` make an Int of a Real; `div(a, b)` divides Ints");
  else if (callee && info->type != TS_T_FUNCTION && ts_decl_params(callee))
    help_call(s, d, callee);
}

static const ts_type_info *type_info(ts_session *s, const ts_ast *type)
{
  const ts_type_info *info = ts_type_of(s, type);
  if (info)
    return info;
  ts_diag *d = ts_report(s, TS_E0218, type->name_span.file ? type->name_span : type->span,
                         "there is no type `%s`", type->name);
  ts_name_list names = {0};
  ts_type_names(s, &names);
  const ts_module *m = ts_module_of(s, type->span.file);
  ts_seen_list seen = {0};
  if (m)
    ts_module_entries(s, m, &seen);
  for (size_t i = 0; i < seen.all.count; i++)
    if (seen.all.at[i].entry->decl->kind == TS_AST_RECORD_TYPE)
      TS_PUSH(s->arena, &names.names, seen.all.at[i].name);
  if (!ts_module_elsewhere(s, d, type->name) && !ts_suggest_names(d, type->name, &names))
    ts_diag_note(d, "types are Int, Real, Bool, String, Time, Size, Rate, Work, WorkRate, Tensor, "
                    "Axis, Label, Overlap, List[...] and more: see the language reference");
  return NULL;
}

static bool convert_elements(ts_session *s, const ts_ast *element, ts_value *v, const char *what,
                             ts_span at, ts_span note)
{
  const ts_list *list = v->u.list;
  if (!ts_charge(s, list->count, at))
    return false;
  ts_value *out = TS_NEW_ARRAY(s->arena, ts_value, list->count);
  const char *each = ts_arena_printf(s->arena, "an element of %s", what);
  for (uint32_t i = 0; i < list->count; i++) {
    out[i] = list->at[i];
    bool inside =
      out[i].span.file == at.file && out[i].span.begin >= at.begin && out[i].span.end <= at.end;
    if (!ts_convert_at(s, element, &out[i], each, inside ? out[i].span : at, note))
      return false;
  }
  *v = ts_list_value(s->arena, out, list->count, v->span);
  return true;
}

bool ts_convert_at(ts_session *s, const ts_ast *type, ts_value *v, const char *what, ts_span at,
                    ts_span note)
{
  const ts_type_info *info = type_info(s, type);
  if (!info || v->type == TS_T_ERROR)
    return false;
  if (!ts_type_fits(s, info, v)) {
    if (v->type != TS_T_ERROR)
      mismatch(s, info, *v, what, at, note);
    return false;
  }
  if (info->type == TS_T_LIST && ts_ast_element(type))
    return convert_elements(s, ts_ast_element(type), v, what, at, note);
  return !info->record || ts_record_type_convert(s, info->record, v, what, at);
}

bool ts_convert(ts_session *s, const ts_env *env, const ts_ast *type, ts_value *v, const char *what)
{
  (void)env;
  return ts_convert_at(s, type, v, what, v->span, type->span);
}

bool ts_convert_to(ts_session *s, const char *type_name, ts_value *v, const char *what, ts_span at,
                   ts_span note)
{
  const ts_type_info *info = ts_record_type_built_in(s, type_name);
  for (size_t i = 0; !info && ts_type_at(i); i++)
    if (!strcmp(ts_type_at(i)->name, type_name))
      info = ts_type_at(i);
  if (!info || v->type == TS_T_ERROR)
    return false;
  if (!ts_type_fits(s, info, v)) {
    if (v->type != TS_T_ERROR)
      mismatch(s, info, *v, what, at, note);
    return false;
  }
  return !info->record || ts_record_type_convert(s, info->record, v, what, at);
}
