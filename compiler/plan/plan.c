/* A plan file to an evaluated plan. */
#include "compiler/plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/eval/check.h"
#include "compiler/eval/defines.h"
#include "compiler/eval/files.h"
#include "compiler/eval/plan_cache.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/running.h"
#include "compiler/machine/cluster.h"

static const char *const field_names[] = {
#define FIELD(name, type) #name,
#include "compiler/plan/plan_fields.def"
#undef FIELD
};
static const char *const field_types[] = {
#define FIELD(name, type) #type,
#include "compiler/plan/plan_fields.def"
#undef FIELD
};

typedef struct loader {
  ts_session *s;
  ts_module *module;
  ts_plan *plan;
  ts_env *env;
  const ts_ast *field[TS_PLAN_FIELDS]; /* expressions */
} loader;

/* ---- Which plan ---- */

const ts_ast *ts_plan_choose(ts_session *s, const ts_module *m, const char *wanted)
{
  ts_name_list names = {0};
  const ts_ast *found = ts_module_choose(s, m, TS_AST_PLAN, wanted, &names);
  if (found)
    return found;
  ts_diag *d;
  if (!names.names.count) {
    d = ts_report(s, TS_E0217, TS_NO_SPAN, "`%s` has no plan", m->name);
    ts_diag_help(d, "declare one: `plan my_plan { model = ..., cluster = ..., costs = [...] }`");
  } else if (wanted) {
    d = ts_report(s, TS_E0217, TS_NO_SPAN, "`%s` has no plan `%s`", m->name, wanted);
    if (!ts_suggest_names(d, wanted, &names))
      ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
  } else {
    d = ts_report(s, TS_E0217, TS_NO_SPAN, "`%s` has %zu plans: choose one", m->name,
                  names.names.count);
    ts_diag_help(d, "choose with `--plan=NAME` from %s", ts_name_list_print(s, &names));
  }
  return NULL;
}

/* ---- Parameters and -D ---- */

/* Does the mesh name this parameter, or a later one whose default does? */
static bool mesh_needs(const loader *l, uint32_t index)
{
  const ts_ast *params = ts_ast_params(l->plan->decl), *mesh = l->field[TS_PLAN_mesh];
  if (ts_ast_uses(mesh, params->child[index]->name))
    return true;
  for (uint32_t i = index + 1; i < params->count; i++)
    if (ts_ast_default(params->child[i]) &&
        ts_ast_uses(ts_ast_default(params->child[i]), params->child[index]->name) &&
        mesh_needs(l, i))
      return true;
  return false;
}

/* Those that the mesh needs, or all others: these may name its axes. */
static void bind_parameters(loader *l, bool for_mesh)
{
  const ts_ast *params = ts_ast_params(l->plan->decl);
  for (uint32_t i = 0; params && i < params->count; i++) {
    const ts_ast *formal = params->child[i];
    if (for_mesh == (l->field[TS_PLAN_mesh] && mesh_needs(l, i)))
      ts_env_bind(
        l->env, formal->name,
        ts_param_value(l->s, l->env, formal, ts_ast_type(formal), ts_ast_default(formal)));
  }
}

static void parameter_names(loader *l, ts_name_list *names)
{
  const ts_ast *params = ts_ast_params(l->plan->decl);
  for (uint32_t i = 0; params && i < params->count; i++)
    TS_PUSH(l->s->arena, &names->names, params->child[i]->name);
  for (size_t m = 0; m < ts_module_count(l->s); m++) {
    const ts_module *module = ts_module_at(l->s, m);
    for (size_t i = 0; i < module->own.count; i++)
      if (module->own.at[i]->decl->kind == TS_AST_PARAM)
        TS_PUSH(l->s->arena, &names->names, module->own.at[i]->name);
  }
}

static const char *text_of(ts_session *s, ts_span at)
{
  return ts_arena_string(s->arena, ts_sources_get(s->sources, at.file)->text + at.begin,
                         at.end - at.begin);
}

/* The call's other arguments as they are written, each with a comma. */
static const char *other_arguments(ts_session *s, const ts_ast *call, const char *name)
{
  ts_ast_list args = ts_ast_args(call);
  const char *text = "";
  for (uint32_t i = 0; i < args.count; i++)
    if (!args.at[i]->name || strcmp(args.at[i]->name, name) != 0)
      text = ts_arena_printf(s->arena, "%s%s, ", text, text_of(s, args.at[i]->span));
  return text;
}

/* Whether it is a call of something declared that takes an argument of this name. */
static bool takes(ts_session *s, const ts_ast *call, const char *name)
{
  if (!call || call->kind != TS_AST_CALL || ts_ast_function(call)->kind != TS_AST_ID)
    return false;
  const ts_module *m = ts_module_of(s, call->span.file);
  const ts_visible *v = m ? ts_module_find(m, ts_ast_function(call)->name) : NULL;
  const ts_ast *formals = v ? ts_decl_params(v->entry->decl) : NULL;
  for (uint32_t k = 0; formals && k < formals->count; k++)
    if (!strcmp(formals->child[k]->name, name))
      return true;
  return false;
}

/* The parameters that it is made of, and the lines that make one of itself. */
static void help_field(ts_session *s, ts_diag *d, const ts_ast *plan, const ts_ast *field)
{
  const char *type = "Any", *value = text_of(s, ts_ast_value(field)->span);
  ts_name_list from = {0};
  for (uint32_t i = 0; i < ts_ast_params(plan)->count; i++)
    if (ts_ast_uses(ts_ast_value(field), ts_ast_params(plan)->child[i]->name))
      TS_PUSH(s->arena, &from.names, ts_ast_params(plan)->child[i]->name);
  for (size_t k = 0; k < TS_PLAN_FIELDS; k++)
    if (!strcmp(field_names[k], field->name))
      type = field_types[k];
  ts_diag_label(d, field->span, "a field%s%s", from.names.count ? " that depends on " : "",
                from.names.count ? ts_name_list_print(s, &from) : "");
  ts_diag_help(d, "to vary it, add the parameter `%s: %s = %s` to the plan, and write `%s = %s` "
                  "here",
               field->name, type, strchr(value, '\n') ? "..." : value, field->name, field->name);
}

bool ts_plan_help_name(ts_session *s, ts_diag *d, const ts_ast *plan, const char *name,
                       const char *value, bool varied)
{
  const ts_ast *params = ts_ast_params(plan);
  for (uint32_t i = 0; i < params->count; i++) {
    const ts_ast *call = ts_ast_default(params->child[i]);
    if (!takes(s, call, name))
      continue;
    const char *callee = ts_ast_function(call)->name;
    ts_diag_help(d, "it is an argument of `%s`: give `%s '%s=%s%s(%s%s: %s)%s'`", callee,
                 varied ? "--vary" : "-D", params->child[i]->name, varied ? "[" : "", callee,
                 other_arguments(s, call, name), name, value, varied ? ", ...]" : "");
    return true;
  }
  ts_ast_list fields = ts_ast_fields(plan);
  for (uint32_t i = 0; i < fields.count; i++) {
    if (!strcmp(fields.at[i]->name, name)) {
      help_field(s, d, plan, fields.at[i]);
      return true;
    }
    const ts_ast *call = ts_ast_value(fields.at[i]);
    if (!takes(s, call, name))
      continue;
    ts_diag_help(d, "it is an argument of `%s` in the field `%s`: make it a parameter of the plan "
                    "and write `%s` there",
                 ts_ast_function(call)->name, fields.at[i]->name, name);
    return true;
  }
  if (!strstr(value, "b/s") && !strstr(value, "B/s"))
    return false;
  ts_diag_help(d,
               "links of the machine are changed by `trainspec run --what-if nic=%s`; "
               "`trainspec topo` has their names",
               value);
  return true;
}

/* Every -D must find its parameter, be it of the plan or of a file. */
static void check_defines(loader *l)
{
  ts_session *s = l->s;
  ts_name_list names = {0};
  parameter_names(l, &names);
  for (uint32_t i = 0; i < s->options->define_count; i++) {
    bool known = false;
    for (size_t k = 0; k < names.names.count && !known; k++)
      known = !strcmp(names.names.at[k], s->options->defines[i].name);
    uint32_t index;
    ts_session_define(s, s->options->defines[i].name, &index);
    if (known || index != i)
      continue;
    ts_span span = {s->defined->file[i], 0, (uint32_t)strlen(s->options->defines[i].expression)};
    ts_diag *d =
      ts_report(s, TS_E0215, span, "no parameter is named `%s`", s->options->defines[i].name);
    ts_diag_here(d, "given with `-D %s=%s`", s->options->defines[i].name,
                 s->options->defines[i].expression);
    if (ts_plan_help_name(s, d, l->plan->decl, s->options->defines[i].name,
                          s->options->defines[i].expression, false))
      continue;
    if (!ts_suggest_names(d, s->options->defines[i].name, &names) && names.names.count)
      ts_diag_note(d, "parameters are %s", ts_name_list_print(s, &names));
    else if (!names.names.count)
      ts_diag_help(d, "give the plan a parameter: `plan %s(%s: Int = ...)`", l->plan->name,
                   s->options->defines[i].name);
  }
}

/* ---- Fields ---- */

static void find_fields(loader *l)
{
  const ts_ast *decl = l->plan->decl;
  ts_name_list names = {0};
  for (size_t k = 0; k < TS_PLAN_FIELDS; k++)
    TS_PUSH(l->s->arena, &names.names, field_names[k]);
  ts_ast_list fields = ts_ast_fields(decl);
  for (uint32_t i = 0; i < fields.count; i++) {
    const ts_ast *field = fields.at[i];
    size_t k = 0;
    while (k < TS_PLAN_FIELDS && strcmp(field_names[k], field->name))
      k++;
    if (k == TS_PLAN_FIELDS) {
      ts_diag *d =
        ts_report(l->s, TS_E0214, field->name_span, "a plan has no field `%s`", field->name);
      ts_diag_here(d, "not a field");
      if (!ts_suggest_names(d, field->name, &names))
        ts_diag_note(d, "fields are %s", ts_name_list_print(l->s, &names));
    } else if (l->field[k]) {
      ts_diag *d = ts_report(l->s, TS_E0202, field->name_span, "`%s` is given twice", field->name);
      ts_diag_label(d, l->field[k]->span, "first here");
    } else {
      l->field[k] = ts_ast_value(field);
      l->plan->span_of[k] = ts_ast_value(field)->span;
    }
  }
}

/* Of the caller, in the stead of the plan's own. */
static void replace_schedule(loader *l)
{
  const char *text = l->s->options->schedule;
  if (!text)
    return;
  uint32_t file = ts_sources_add(l->s->sources, "schedule", "command line", text, strlen(text));
  l->field[TS_PLAN_schedule] = ts_parse_expr(l->s->lang, file);
}

/* What the plan needs of a field's value. */
typedef ts_value shaping(loader *l, ts_plan_field field, ts_value v);

/* `shape`: what is wanted of it, or NULL; a field is always asked for with the same one. */
static ts_value field_value(loader *l, ts_plan_field field, shaping *shape)
{
  const ts_ast *expr = l->field[field];
  if (!expr)
    return ts_none_value();
  const ts_value *known = ts_plan_cache_get(l->s, expr, 0);
  if (known)
    return *known;
  ts_noting before = ts_noting_begin(l->s, (ts_touched){0});
  ts_value v = ts_settle(l->s, ts_eval(l->s, l->env, expr));
  if (shape && v.type != TS_T_NONE && v.type != TS_T_ERROR)
    v = shape(l, field, v);
  ts_touched touched = ts_noting_end(l->s, &before);
  if (l->s->reuse->plan_cache && v.type != TS_T_ERROR)
    ts_plan_cache_put(l->s, &before, touched, expr, 0, ts_arena_copy(l->s->arena, &v, sizeof v));
  return v;
}

static ts_value to_type(loader *l, ts_plan_field field, ts_value v)
{
  const char *what = ts_arena_printf(l->s->arena, "`%s`", field_names[field]);
  bool fits = ts_convert_to(l->s, field_types[field], &v, what, l->field[field]->span, TS_NO_SPAN);
  return fits ? v : ts_error_value();
}

/* A field of its type; NONE when left out. */
static ts_value typed(loader *l, ts_plan_field field) { return field_value(l, field, to_type); }

static bool is_source(ts_value v, bool functions)
{
  if (v.type == TS_T_APPLIED)
    return !v.u.applied->decl;
  if (v.type != TS_T_RECORD || !functions)
    return false;
  for (uint32_t i = 0; i < v.u.record->count; i++)
    if (v.u.record->at[i].value->type != TS_T_FUNCTION)
      return false;
  return true;
}

/* { ops: a label or labels, set: { argument: value } } */
static bool tunes(loader *l, ts_value v, ts_span at)
{
  const ts_value *ops = v.type == TS_T_RECORD ? ts_record_find(v.u.record, "ops") : NULL,
                 *set = v.type == TS_T_RECORD ? ts_record_find(v.u.record, "set") : NULL;
  if (ops && set && set->type == TS_T_RECORD &&
      (ops->type == TS_T_STRING || ops->type == TS_T_LABEL || ops->type == TS_T_LIST))
    return true;
  ts_diag *d =
    ts_report(l->s, TS_E0220, at, "an element of `tuning` says of which ops it sets what");
  ts_diag_here(d, "found %s", ts_value_describe(l->s->arena, v));
  ts_diag_help(d, "write `{ ops: \"layer[*]\", set: { frozen: true } }`");
  return false;
}

static bool element_fits(loader *l, ts_plan_field field, ts_value *v)
{
  /* not where a module declares it */
  ts_span at = v->span.file == l->field[field]->span.file ? v->span : l->field[field]->span;
  const char *found = ts_value_describe(l->s->arena, *v);
  if (field == TS_PLAN_apply)
    return ts_convert_to(l->s, "Strategy", v, "an element of `apply`", at, TS_NO_SPAN);
  if (field != TS_PLAN_tuning && is_source(*v, field == TS_PLAN_costs))
    return true;
  if (v->type == TS_T_ERROR)
    return false;
  if (field == TS_PLAN_tuning)
    return tunes(l, *v, at);
  bool costs = field == TS_PLAN_costs;
  ts_diag *d = ts_report(l->s, TS_E0220, at, "an element of `%s` is %s, not %s", field_names[field],
                         found, costs ? "a source of costs" : "a model of the network");
  ts_diag_here(d, "found %s", found);
  ts_diag_help(d, costs ? "a source is `table \"ops.csv\"`, `fit(...)`, `roofline(gpu)` or a "
                          "record of functions, `{ family: f }`" :
                          "a model is `measured(table \"net.csv\")`, `whitebox(\"nccl.json\")`, "
                          "`flow()`, `packet()` or `alpha_beta(...)`");
  return false;
}

typedef struct value_list { TS_VEC(ts_value) items; } value_list;

/* Lists in lists are flattened, `none` is skipped: what a function chose can stand among others. */
static bool plan_collect(loader *l, ts_plan_field field, ts_value v, value_list *out)
{
  bool ok = true;
  if (v.type == TS_T_LIST) {
    for (uint32_t i = 0; i < v.u.list->count; i++)
      ok = plan_collect(l, field, v.u.list->at[i], out) && ok;
    return ok;
  }
  if (v.type == TS_T_NONE)
    return true;
  v = ts_settle(l->s, v);
  if (!element_fits(l, field, &v))
    return false;
  TS_PUSH(l->s->arena, &out->items, v);
  return true;
}

static ts_value to_list(loader *l, ts_plan_field field, ts_value v)
{
  value_list out = {0};
  if (!plan_collect(l, field, v, &out))
    return ts_error_value();
  return ts_list_value(l->s->arena, out.items.at, (uint32_t)out.items.count, l->field[field]->span);
}

static ts_value list_field(loader *l, ts_plan_field field)
{
  return field_value(l, field, to_list);
}

static ts_span plan_place_of(const loader *l, ts_plan_field field)
{
  return l->field[field] ? l->field[field]->span : l->plan->decl->name_span;
}

typedef struct records { ts_precision precision; ts_optimizer optimizer; ts_host host; } records;

static records make_records(loader *l)
{
  ts_value precision = typed(l, TS_PLAN_precision), optimizer = typed(l, TS_PLAN_optimizer),
           host = typed(l, TS_PLAN_host);
  records r;
  r.precision = ts_precision_of(l->s, precision, plan_place_of(l, TS_PLAN_precision));
  r.optimizer = ts_optimizer_of(l->s, optimizer, precision, plan_place_of(l, TS_PLAN_optimizer));
  r.host = ts_host_of(l->s, host, plan_place_of(l, TS_PLAN_host));
  return r;
}

/* An optimizer asks functions of the precision. */
static void evaluate_records(loader *l)
{
  enum { RECORDS = -1 }; /* no micro-batch, by which graphs are kept */
  ts_plan *p = l->plan;
  const records *known = ts_plan_cache_get(l->s, p->decl, RECORDS);
  ts_noting before = ts_noting_begin(l->s, (ts_touched){0});
  records r = known ? *known : make_records(l);
  ts_touched touched = ts_noting_end(l->s, &before);
  if (!known && l->s->reuse->plan_cache && !ts_diags_errors(l->s->diags))
    ts_plan_cache_put(l->s, &before, touched, p->decl, RECORDS,
                      ts_arena_copy(l->s->arena, &r, sizeof r));
  p->precision = r.precision;
  p->optimizer = r.optimizer;
  p->host = r.host;
}

static void evaluate_memory(loader *l)
{
  ts_value v = typed(l, TS_PLAN_memory);
  for (uint32_t i = 0; v.type == TS_T_RECORD && i < v.u.record->count; i++) {
    ts_field f = v.u.record->at[i];
    ts_value size = *f.value;
    if (!ts_convert_to(l->s, "Size", &size,
                       ts_arena_printf(l->s->arena, "`%s` of `memory`", f.name), f.span,
                       TS_NO_SPAN))
      v = ts_error_value();
    else if (!ts_possible_amount(l->s, ts_arena_printf(l->s->arena, "`%s` of `memory`", f.name),
                                 size, f.span))
      v = ts_error_value();
  }
  l->plan->memory = v;
}

/* A text of the record `framework`; "" where it has none and need not. */
static const char *framework_text(loader *l, ts_value v, const char *name, bool needed)
{
  const ts_value *text = v.type == TS_T_RECORD ? ts_record_find(v.u.record, name) : NULL;
  if (text && text->type == TS_T_STRING && (*text->u.string || !needed))
    return text->u.string;
  if (v.type != TS_T_RECORD || (!needed && (!text || text->type == TS_T_NONE)))
    return "";
  ts_diag *d = ts_report(l->s, TS_E0225, l->field[TS_PLAN_framework]->span,
                         "`%s` of `framework` must be a string", name);
  ts_diag_here(d, "%s",
               text ? ts_value_describe(l->s->arena, *text) : "this record has no such field");
  ts_diag_help(d, "take a profile of `std.frameworks`, or write `framework = { name: "
                  "\"my_framework\" }`");
  return "";
}

static void evaluate_framework(loader *l)
{
  ts_value v = typed(l, TS_PLAN_framework);
  l->plan->framework = framework_text(l, v, "name", true);
  l->plan->release = framework_text(l, v, "release", false);
}

static void evaluate_carbon(loader *l)
{
  ts_value v = typed(l, TS_PLAN_carbon);
  l->plan->carbon = TS_NOT_KNOWN;
  if (v.type != TS_T_QUANTITY)
    return;
  double grams = round(v.u.real * TS_JOULES_OF_KWH * 1e6) / 1e6;
  if (!(grams >= 0 && grams <= 1e6))
    ts_diag_here(ts_report(l->s, TS_E0225, l->field[TS_PLAN_carbon]->span,
                           "`carbon` is not possible"),
                 "this is %s", ts_value_print(l->s->arena, v));
  l->plan->carbon = grams;
}

/* ---- Batch and tokens ---- */

static int64_t batch_size(loader *l, const ts_record *batch, unsigned i, int64_t otherwise)
{
  ts_value v = *batch->at[i].value;
  if (v.type != TS_T_INT)
    return otherwise;
  if (v.u.integer < 1) {
    ts_diag *d = ts_report(l->s, TS_E0225, v.span.file ? v.span : l->field[TS_PLAN_batch]->span,
                           "`%s` of `batch` must be at least 1", batch->at[i].name);
    ts_diag_here(d, "this is %" PRId64, v.u.integer);
    return otherwise;
  }
  return v.u.integer;
}

static void evaluate_batch(loader *l)
{
  ts_plan *p = l->plan;
  p->micro_batch = 1;
  ts_value v = typed(l, TS_PLAN_batch);
  if (v.type == TS_T_RECORD) {
    p->micro_batch = batch_size(l, v.u.record, TS_Batch_micro, 1);
    p->global_batch = batch_size(l, v.u.record, TS_Batch_global, 0);
  }
  v = typed(l, TS_PLAN_tokens);
  if (v.type == TS_T_REAL && v.u.real < 0)
    ts_report(l->s, TS_E0225, l->field[TS_PLAN_tokens]->span,
              "`tokens` is the number of tokens of a sample: 0 or more");
  p->tokens_per_sample = v.type == TS_T_REAL ? v.u.real : 0;
}

/* ---- Mesh ---- */

static void add_axis(loader *l, const char *name, ts_span span, ts_value v)
{
  ts_session *s = l->s;
  ts_mesh *mesh = s->mesh;
  int64_t size = 1;
  if (mesh->count == sizeof mesh->axis / sizeof mesh->axis[0]) {
    ts_report(s, TS_E0228, span, "a mesh has at most %zu axes",
              sizeof mesh->axis / sizeof mesh->axis[0]);
    return;
  }
  for (uint32_t i = 0; i < mesh->count; i++)
    if (mesh->axis[i].name == name) {
      ts_diag *d = ts_report(s, TS_E0202, span, "the mesh has two axes `%s`", name);
      ts_diag_label(d, mesh->axis[i].span, "first here");
      return;
    }
  if (ts_convert_to(s, "Int", &v, ts_arena_printf(s->arena, "the size of axis `%s`", name), span,
                    TS_NO_SPAN))
    size = v.u.integer;
  int64_t stride =
    mesh->count ? mesh->axis[mesh->count - 1].size * mesh->axis[mesh->count - 1].stride : 1;
  if (size < 1) {
    ts_diag *d = ts_report(s, TS_E0228, span, "the size of axis `%s` must be at least 1", name);
    ts_diag_here(d, "this is %" PRId64, size);
    size = 1;
  } else if (size > s->limits.ranks || stride * size > s->limits.ranks) {
    ts_diag *d = ts_report(s, TS_E0228, span, "the mesh has more than %s ranks",
                           ts_count_print(s->arena, s->limits.ranks));
    ts_diag_here(d, "`%s` is %" PRId64, name, size);
    ts_diag_help(d, "make an axis shorter");
    size = 1;
  }
  mesh->axis[mesh->count].name = name;
  mesh->axis[mesh->count].size = size;
  mesh->axis[mesh->count].stride = stride;
  mesh->axis[mesh->count++].span = span;
}

/* Innermost axis first. An axis that is wrong still is an axis, so that one error is reported and
 * not all that follow. */
static void evaluate_mesh(loader *l)
{
  const ts_ast *mesh = l->field[TS_PLAN_mesh];
  if (!mesh)
    return;
  l->s->mesh->count = 0;
  if (mesh->kind == TS_AST_RECORD) {
    for (uint32_t i = 0; i < mesh->count; i++)
      add_axis(l, mesh->child[i]->name, mesh->child[i]->span,
               ts_eval(l->s, l->env, ts_ast_value(mesh->child[i])));
    return;
  }
  if (mesh->kind == TS_AST_LIST) {
    ts_diag *d = ts_report(l->s, TS_E0220, mesh->span, "the mesh is a list, not a record of axes");
    ts_diag_here(d, "found a list");
    ts_diag_help(d,
                 "name the axes, the innermost first: `mesh = { tp: 4, dp: 8 }`, or `{ tp, dp }` "
                 "for parameters of these names");
    for (uint32_t i = 0; i < mesh->count; i++)
      if (mesh->child[i]->kind == TS_AST_ID)
        add_axis(l, mesh->child[i]->name, mesh->child[i]->span,
                 ts_eval(l->s, l->env, mesh->child[i]));
    return;
  }
  ts_value v = typed(l, TS_PLAN_mesh);
  for (uint32_t i = 0; v.type == TS_T_RECORD && i < v.u.record->count; i++)
    add_axis(l, v.u.record->at[i].name, v.u.record->at[i].span, *v.u.record->at[i].value);
}

static int64_t world_of(const ts_mesh *mesh)
{
  return mesh->count ? mesh->axis[mesh->count - 1].size * mesh->axis[mesh->count - 1].stride : 1;
}

/* `dgx(nodes: 2)` has 16 devices: one whole number, of which it has so many each. */
static void help_larger(loader *l, ts_diag *d, int64_t world, int64_t devices)
{
  ts_session *s = l->s;
  const ts_ast *call = l->field[TS_PLAN_cluster];
  ts_ast_list args = {0};
  if (call->kind == TS_AST_CALL && ts_ast_function(call)->kind == TS_AST_ID)
    args = ts_ast_args(call);
  if (args.count != 1)
    return;
  const ts_ast *argument = args.at[0], *value = ts_ast_value(argument);
  int64_t n = 0;
  ts_aside before = ts_session_set_aside(s);
  bool whole = value && ts_eval_int(s, l->env, value, "a count", &n);
  ts_session_take_up(s, before);
  if (!whole || n < 1 || devices % n || world % (devices / n))
    return;
  ts_diag_help(d, "`%s(%s%s%" PRId64 ")` has as many", ts_ast_function(call)->name,
               argument->name ? argument->name : "", argument->name ? ": " : "",
               world / (devices / n));
}

static void compare_with_cluster(loader *l)
{
  ts_session *s = l->s;
  const ts_plan *p = l->plan;
  if (p->cluster.type != TS_T_CLUSTER || ts_diags_errors(s->diags))
    return;
  int64_t world = world_of(s->mesh), devices = p->cluster.u.cluster->device_count;
  if (world <= devices)
    return;
  const char *product = "";
  for (uint32_t i = 0; i < s->mesh->count; i++)
    product = ts_arena_printf(s->arena, "%s%s%s %" PRId64, product, i ? " * " : "",
                              s->mesh->axis[i].name, s->mesh->axis[i].size);
  const ts_ast *mesh = l->field[TS_PLAN_mesh];
  ts_diag *d = ts_report(s, TS_E0608, mesh ? mesh->span : s->mesh->axis[0].span,
                         "the mesh needs %s devices, the cluster has %s",
                         ts_count_print(s->arena, world), ts_count_print(s->arena, devices));
  ts_diag_here(d, "%s = %s", product, ts_count_print(s->arena, world));
  ts_diag_label(d, l->field[TS_PLAN_cluster]->span, "%s devices",
                ts_count_print(s->arena, devices));
  help_larger(l, d, world, devices);
  for (uint32_t i = 0; i < s->mesh->count; i++) {
    int64_t rest = world / s->mesh->axis[i].size;
    if (rest <= devices && devices % rest == 0)
      ts_diag_help(d, "`%s` = %" PRId64 " would fill the cluster", s->mesh->axis[i].name,
                   devices / rest);
  }
}

/* ---- The whole ---- */

static bool has_field(const ts_ast *decl, const char *name)
{
  ts_ast_list fields = ts_ast_fields(decl);
  for (uint32_t i = 0; i < fields.count; i++)
    if (!strcmp(fields.at[i]->name, name))
      return true;
  return false;
}

static void required(loader *l)
{
  static const struct { ts_plan_field field; const char *example; } needed[] = {
    {TS_PLAN_model, "model = my_model(layers: 12)"},
    {TS_PLAN_cluster, "cluster = my_cluster(nodes: 1)"},
    {TS_PLAN_costs, "costs = [roofline(my_gpu)]"}};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    if (l->field[needed[i].field] || (l->s->options->ranks && needed[i].field == TS_PLAN_model))
      continue;
    ts_diag *d = ts_diag_add(l->s->diags, TS_E0216, l->plan->decl->name_span,
                             "plan `%s` has no `%s`", l->plan->name, field_names[needed[i].field]);
    ts_diag_help(d, "add a line such as `%s`", needed[i].example);
  }
}

/* What graphs that play in the model's stead leave out. */
static void evaluate_work(loader *l)
{
  ts_plan *p = l->plan;
  ts_noting before = ts_noting_begin(l->s, (ts_touched){0});
  p->model = typed(l, TS_PLAN_model);
  p->tuning = list_field(l, TS_PLAN_tuning);
  ts_touch(&p->touched, ts_noting_end(l->s, &before));
  before = ts_noting_begin(l->s, (ts_touched){0});
  p->apply = list_field(l, TS_PLAN_apply);
  ts_touch(&p->laid_out_by, ts_noting_end(l->s, &before));
  p->schedule = typed(l, TS_PLAN_schedule);
  p->protocols = l->field[TS_PLAN_protocols] ?
                   ts_eval(l->s, l->env, l->field[TS_PLAN_protocols]) :
                   ts_none_value();
  before = ts_noting_begin(l->s, (ts_touched){0});
  p->recompute = typed(l, TS_PLAN_recompute);
  ts_touch(&p->laid_out_by, ts_noting_end(l->s, &before));
}

static void evaluate(loader *l)
{
  ts_plan *p = l->plan;
  p->model = p->tuning = p->apply = p->schedule = p->protocols = p->recompute = ts_none_value();
  if (!l->s->options->ranks)
    evaluate_work(l);
  p->cluster = typed(l, TS_PLAN_cluster);
  p->placement = typed(l, TS_PLAN_placement);
  evaluate_batch(l);
  ts_noting before = ts_noting_begin(l->s, (ts_touched){0});
  evaluate_records(l);
  ts_touch(&p->touched, ts_noting_end(l->s, &before));
  p->costs = list_field(l, TS_PLAN_costs);
  p->network = list_field(l, TS_PLAN_network);
  p->calibration = field_value(l, TS_PLAN_calibration, NULL);
  evaluate_memory(l);
  evaluate_framework(l);
  evaluate_carbon(l);
  if (!l->s->options->ranks)
    compare_with_cluster(l);
}

/* A library without them gives predictions without intervals. */
static ts_value library_errors(ts_session *s)
{
  ts_module *m =
    ts_diags_errors(s->diags) ? NULL : ts_module_of_library(s, "std/accuracy/errors.ts");
  ts_value v = ts_none_value();
  if (m && !ts_diags_errors(s->diags))
    ts_module_lookup(s, m, ts_lang_intern(s->lang, "errors", strlen("errors")), TS_NO_SPAN, &v);
  return v.type == TS_T_RECORD ? v : ts_none_value();
}

/* Values of the user's files that the plan did not ask for. Of several plans each has its own mesh,
 * which other plans' values may name. */
static void evaluate_the_rest(ts_session *s, const ts_module *m)
{
  size_t plans = 0;
  for (size_t i = 0; i < m->own.count; i++)
    plans += m->own.at[i]->decl->kind == TS_AST_PLAN;
  for (size_t i = 0; plans == 1 && i < m->own.count; i++) {
    ts_kind kind = m->own.at[i]->decl->kind;
    if (kind == TS_AST_LET || kind == TS_AST_PARAM || kind == TS_AST_GPU ||
        kind == TS_AST_GPU_IS || kind == TS_AST_MODEL_IS)
      ts_entry_value(s, m->own.at[i]);
  }
}

/* Files that an earlier plan read need no other check. */
static bool check_files(ts_session *s)
{
  size_t modules = ts_module_count(s);
  if (s->reuse->plan_cache && s->reuse->checked == modules)
    return true;
  ts_noting before = ts_noting_begin(s, s->reuse->touched);
  bool done = ts_check(s);
  s->reuse->checked = done && !ts_noting_said(s, &before) ? modules : 0;
  return done;
}

ts_plan *ts_plan_load(ts_session *s, const char *path, const char *plan_name)
{
  ts_noting before = ts_noting_begin(s, (ts_touched){0});
  loader l = {.s = s, .module = ts_module_load(s, path)};
  s->files->said_loading |= ts_noting_said(s, &before);
  if (!l.module || ts_diags_errors(s->diags) || !check_files(s))
    return NULL;
  const ts_ast *decl = ts_plan_choose(s, l.module, plan_name);
  if (!decl)
    return NULL;
  ts_plan *p = l.plan = TS_NEW(s->arena, ts_plan);
  p->name = decl->name;
  p->decl = decl;
  p->env = l.env = ts_env_new(s, l.module->env);
  ts_plan_cache_watch(s, l.env);
  if (!s->files->loaded)
    s->files->loaded = s->files->dependencies.count;
  s->running->steps = s->running->next_look = 0; /* each plan may take as many */
  s->mesh->count = 0;
  s->mesh->open = !has_field(decl, "mesh");
  find_fields(&l);
  replace_schedule(&l);
  bind_parameters(&l, true);
  evaluate_mesh(&l);
  bind_parameters(&l, false);
  check_defines(&l);
  required(&l);
  evaluate(&l);
  evaluate_the_rest(s, l.module);
  p->errors = library_errors(s);
  return ts_diags_errors(s->diags) ? NULL : p;
}
