/* Calls: arguments bound to parameters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/eval/check.h"
#include "compiler/eval/domain.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/eval/record_type.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/running.h"

/* ---- Arguments taken as written ---- */

static ts_value mesh_axis(ts_session *s, const ts_ast *e)
{
  s->reuse->touched.mesh = true;
  for (uint32_t i = 0; i < s->mesh->count; i++)
    if (s->mesh->axis[i].name == e->name) {
      ts_value v = {.type = TS_T_AXIS, .span = e->span};
      v.u.axes = (ts_axes){.mask = UINT32_C(1) << i, .text = e->name};
      return v;
    }
  return ts_none_value();
}

/* The only axis of this size: NULL, there is none, or there are several. */
static const char *axis_of_number(const ts_session *s, const ts_value *number)
{
  const char *found = NULL;
  for (uint32_t i = 0; i < s->mesh->count; i++) {
    if (number->type != TS_T_INT || s->mesh->axis[i].size != number->u.integer)
      continue;
    if (found)
      return NULL;
    found = s->mesh->axis[i].name;
  }
  return found;
}

/* `found`: the value, of no type if nothing has the name. */
static ts_value axis_error(ts_session *s, const ts_ast *e, const ts_value *found)
{
  ts_diag *d;
  if (e->kind == TS_AST_ID)
    d = ts_report(s, TS_E0227, e->span, "`%s` is not an axis of the mesh", e->name);
  else
    d = ts_report(s, TS_E0227, e->span, "expected an axis of the mesh, found %s",
                  ts_value_describe(s->arena, *found));
  ts_name_list names = {0};
  const char *text = NULL;
  for (uint32_t i = 0; i < s->mesh->count; i++) {
    TS_PUSH(s->arena, &names.names, s->mesh->axis[i].name);
    text = text ? ts_arena_printf(s->arena, "%s, `%s`", text, s->mesh->axis[i].name) :
                  ts_arena_printf(s->arena, "`%s`", s->mesh->axis[i].name);
  }
  if (text)
    ts_diag_label(d, s->mesh->axis[0].span, "axes are declared here");
  if (text && e->kind == TS_AST_ID && found->type == TS_T_INT && !s->running->frame &&
      e->span.file == s->mesh->axis[0].span.file) {
    ts_span end = s->mesh->axis[s->mesh->count - 1].span;
    end.begin = end.end;
    ts_diag_edit(d, end, ts_arena_printf(s->arena, ", %s", e->name), "add `%s` to the mesh",
                 e->name);
    return ts_error_value();
  }
  if (e->kind == TS_AST_ID && ts_suggest_names(d, e->name, &names))
    return ts_error_value();
  const char *meant = axis_of_number(s, found);
  if (text)
    ts_diag_note(d, "the mesh has %s", text);
  if (meant)
    ts_diag_edit(d, e->span, meant, "name the axis of this size");
  else if (!text)
    ts_diag_help(d, s->mesh->open ?
                      "give the plan a mesh, as in `mesh = { tp: 8, dp: 4 }`" :
                      "the expressions of the mesh cannot name its axes: write numbers here");
  return ts_error_value();
}

static ts_value axis_product(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value a = ts_eval_axis(s, env, ts_ast_left(e)), b = ts_eval_axis(s, env, ts_ast_right(e));
  if (a.type != TS_T_AXIS || b.type != TS_T_AXIS)
    return ts_error_value();
  if (a.u.axes.mask & b.u.axes.mask) {
    ts_report(s, TS_E0227, e->span, "an axis occurs twice in this product");
    return ts_error_value();
  }
  if (!a.u.axes.mask || !b.u.axes.mask)
    return a.u.axes.mask ? a : b;
  const char *text = ts_arena_printf(s->arena, "%s * %s", a.u.axes.text, b.u.axes.text);
  ts_value v = {.type = TS_T_AXIS, .span = e->span};
  v.u.axes = (ts_axes){.mask = a.u.axes.mask | b.u.axes.mask,
                       .text = ts_lang_intern(s->lang, text, strlen(text))};
  return v;
}

/* A plan without a mesh has the one axis that a number of ranks asks for. */
static ts_value axis_of_size(ts_session *s, const ts_ast *e, int64_t size)
{
  ts_mesh *mesh = s->mesh;
  s->reuse->touched.parameters |= TS_TOUCHED_OTHER;
  if (!mesh->count) {
    mesh->axis[0].name = ts_lang_intern(s->lang, "ranks", 5);
    mesh->axis[0].size = size;
    mesh->axis[0].stride = 1;
    mesh->axis[mesh->count++].span = e->span;
  }
  if (mesh->axis[0].size != size) {
    ts_value other = ts_int_value(size, e->span);
    return axis_error(s, e, &other);
  }
  ts_value v = {.type = TS_T_AXIS, .span = e->span};
  v.u.axes = (ts_axes){.mask = 1, .text = mesh->axis[0].name};
  return v;
}

ts_value ts_eval_axis(ts_session *s, const ts_env *env, const ts_ast *e)
{
  if (e->kind == TS_AST_BINARY && e->u.op == TS_OP_MUL)
    return axis_product(s, env, e);
  ts_value v = ts_none_value();
  if (e->kind == TS_AST_ID) {
    ts_touched before = s->reuse->touched;
    if (ts_env_lookup(env, e->name, &v) && v.type == TS_T_AXIS)
      return v;
    ts_value axis = mesh_axis(s, e);
    if (axis.type == TS_T_AXIS) {
      if (ts_env_of_plan(env, e->name)) { /* no Axis, whatever its value is */
        s->reuse->touched = before;
        s->reuse->touched.mesh = true;
      }
      return axis;
    }
    s->reuse->touched.parameters |= TS_TOUCHED_OTHER;
    if (!ts_env_lookup(env, e->name, &v) || !s->mesh->open || v.type != TS_T_INT)
      return axis_error(s, e, &v);
  } else {
    v = ts_eval(s, env, e);
  }
  if (v.type == TS_T_AXIS || v.type == TS_T_ERROR)
    return v;
  if (v.type == TS_T_INT && v.u.integer == 1) { /* no axis at all: one rank */
    v = (ts_value){.type = TS_T_AXIS, .span = e->span};
    v.u.axes = (ts_axes){.mask = 0, .text = ts_lang_intern(s->lang, "1", 1)};
    return v;
  }
  if (s->mesh->open && v.type == TS_T_INT && v.u.integer > 1 && v.u.integer <= 1 << 24)
    return axis_of_size(s, e, v.u.integer);
  return axis_error(s, e, &v);
}

/* a.b[3].c as text, or NULL if it is something else. */
static const char *dotted(ts_session *s, const ts_ast *e)
{
  if (e->kind == TS_AST_ID)
    return e->name;
  if (e->kind == TS_AST_MEMBER) {
    const char *head = dotted(s, ts_ast_base(e));
    return head ? ts_arena_printf(s->arena, "%s.%s", head, e->name) : NULL;
  }
  if (e->kind == TS_AST_INDEX && ts_ast_index(e)->kind == TS_AST_INT) {
    const char *head = dotted(s, ts_ast_base(e));
    return head ? ts_arena_printf(s->arena, "%s[%" PRId64 "]", head, ts_ast_index(e)->u.integer) :
                  NULL;
  }
  return NULL;
}

const char *ts_unquoted_label(ts_session *s, const ts_ast *e, ts_knows *known, const void *closure,
                              const ts_ast **at)
{
  const char *text = dotted(s, e);
  if (text) {
    const ts_ast *root = e;
    while (root->kind != TS_AST_ID)
      root = ts_ast_base(root);
    *at = e;
    return known(closure, root->name) ? NULL : text;
  }
  bool choice = ts_is_choice(e);
  uint32_t end = choice || e->kind == TS_AST_LIST ? e->count : e->kind == TS_AST_ARM;
  for (uint32_t i = choice; i < end && !text; i++)
    text = ts_unquoted_label(s, e->child[i], known, closure, at);
  return text;
}

void ts_report_unquoted(ts_session *s, const ts_ast *at, const char *text)
{
  ts_diag *d =
    ts_report(s, TS_E0238, at->span, "labels are written in quotes, and nothing is named `%.*s`",
              (int)strcspn(text, ".["), text);
  const char *quoted = ts_arena_printf(s->arena, "\"%s\"", text);
  ts_diag_here(d, "expected a label");
  ts_diag_edit(d, at->span, quoted, "write `%s`", quoted);
}

static bool in_env(const void *env, const char *name)
{
  ts_value v;
  return ts_env_lookup(env, name, &v);
}

ts_value ts_eval_label(ts_session *s, const ts_env *env, const ts_ast *e)
{
  const ts_ast *at;
  const char *text = ts_unquoted_label(s, e, in_env, env, &at);
  if (!text)
    return ts_eval(s, env, e);
  ts_report_unquoted(s, at, text);
  return ts_error_value();
}

/* ---- Words of enumerations ---- */

const char *const ts_overlap_words[] = {"own_part", "ring", NULL};
enum { OVERLAPS = sizeof ts_overlap_words / sizeof *ts_overlap_words - 1 };

static ts_value unknown_word(ts_session *s, const ts_ast *e)
{
  const char *best[3];
  ts_diag *d = ts_report(s, TS_E0239, e->span, "`%s` is not a kind of overlap", e->name);
  ts_diag_here(d, "known: `true`, `false`, %s", ts_listed(s->arena, ts_overlap_words, OVERLAPS));
  if (ts_suggest(e->name, ts_overlap_words, OVERLAPS, best))
    ts_diag_edit(d, e->span, best[0], "did you mean `%s`?", best[0]);
  return ts_error_value();
}

ts_value ts_eval_overlap(ts_session *s, const ts_env *env, const ts_ast *e)
{
  ts_value v;
  if (ts_is_choice(e)) {
    const ts_ast *chosen = ts_eval_choice(s, env, e);
    return chosen ? ts_eval_overlap(s, env, chosen) : ts_error_value();
  }
  if (e->kind == TS_AST_LIST) {
    ts_value *at = TS_NEW_ARRAY(s->arena, ts_value, e->count);
    for (uint32_t i = 0; i < e->count; i++)
      if ((at[i] = ts_eval_overlap(s, env, e->child[i])).type == TS_T_ERROR)
        return ts_error_value();
    return ts_list_value(s->arena, at, e->count, e->span);
  }
  if (e->kind != TS_AST_ID)
    return ts_eval(s, env, e);
  for (size_t i = 0; i < OVERLAPS; i++)
    if (!strcmp(ts_overlap_words[i], e->name))
      return (ts_value){.type = TS_T_WORD, .span = e->span, .u.string = e->name};
  return ts_env_lookup(env, e->name, &v) ? ts_eval(s, env, e) : unknown_word(s, e);
}

/* What a type is, or holds in lists. */
static const ts_ast *innermost(const ts_ast *type)
{
  while (ts_ast_element(type))
    type = ts_ast_element(type);
  return type;
}

bool ts_type_of_labels(const ts_ast *type) { return !strcmp(innermost(type)->name, "Label"); }
bool ts_type_of_words(const ts_ast *type) { return !strcmp(innermost(type)->name, "Overlap"); }

/* A record of a declared type, a list of such, or a choice between them. */
static ts_value of_records(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *e)
{
  const ts_type_info *info = e->kind == TS_AST_RECORD ? ts_type_of(s, type) : NULL;
  if (e->kind == TS_AST_RECORD)
    return ts_eval_record(s, env, info ? info->record : NULL, e);
  if (ts_is_choice(e)) {
    const ts_ast *chosen = ts_eval_choice(s, env, e);
    return chosen ? ts_eval_as(s, env, type, chosen) : ts_error_value();
  }
  ts_value *at = TS_NEW_ARRAY(s->arena, ts_value, e->count);
  bool ok = true;
  for (uint32_t i = 0; i < e->count; i++) {
    at[i] = ts_eval_as(s, env, ts_ast_element(type), e->child[i]);
    ok &= at[i].type != TS_T_ERROR;
  }
  return ok ? ts_list_value(s->arena, at, e->count, e->span) : ts_error_value();
}

ts_value ts_eval_as(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *e)
{
  if (type && ts_type_of_words(type))
    return ts_eval_overlap(s, env, e);
  if (type && ts_type_of_labels(type))
    return ts_eval_label(s, env, e);
  bool literal = e->kind == TS_AST_RECORD || e->kind == TS_AST_LIST || ts_is_choice(e);
  if (!type || !literal || ts_type_find(s, innermost(type)->name))
    return ts_eval(s, env, e);
  if (!ts_charge(s, 1, e->span) || !ts_deeper(s, e->span))
    return ts_error_value();
  ts_value v = of_records(s, env, type, e);
  s->running->depth--;
  return v;
}

ts_value ts_let_value(ts_session *s, const ts_ast *let, ts_value v)
{
  const ts_ast *type = ts_ast_type(let), *expr = ts_ast_value(let);
  if (type && v.type != TS_T_ERROR &&
      !ts_convert_at(s, type, &v, ts_arena_printf(s->arena, "`%s`", let->name), expr->span,
                     type->span))
    return ts_error_value();
  return v;
}

ts_value ts_eval_let(ts_session *s, const ts_env *env, const ts_ast *let)
{
  return ts_let_value(s, let, ts_eval_as(s, env, ts_ast_type(let), ts_ast_value(let)));
}

/* ---- Binding ---- */

const ts_ast *ts_decl_params(const ts_ast *decl)
{
  switch (decl->kind) {
  case TS_AST_FN:
  case TS_AST_EXTERN:
  case TS_AST_OP:
  case TS_AST_BLOCK:
  case TS_AST_MODEL:
  case TS_AST_STRATEGY:
  case TS_AST_SCHEDULE:
  case TS_AST_CLUSTER:
  case TS_AST_PLAN: return ts_ast_params(decl);
  default: return NULL;
  }
}

/* One argument as it arrives: an expression of the caller, or a value already. */
typedef struct given {
  const ts_ast *expr;
  const ts_value *value;
  const char *name;
  ts_span span;
} given;

typedef struct binding {
  ts_session *s;
  const ts_env *caller;
  const ts_ast *decl, *params;
  const given *args;
  uint32_t arg_count;
  ts_span call;
} binding;

enum { MAX_FORMALS = 64 };

static uint32_t formal_named(const ts_ast *params, const char *name)
{
  for (uint32_t i = 0; i < params->count; i++)
    if (params->child[i]->name == name)
      return i;
  return UINT32_MAX;
}

static void unknown_argument(const binding *b, const given *arg)
{
  ts_diag *d =
    ts_report(b->s, TS_E0209, arg->span, "`%s` has no parameter `%s`", b->decl->name, arg->name);
  ts_diag_here(d, "not a parameter");
  ts_name_list names = {0};
  for (uint32_t i = 0; i < b->params->count; i++)
    TS_PUSH(b->s->arena, &names.names, b->params->child[i]->name);
  ts_diag_note_at(d, b->decl->name_span, "`%s` is declared here", b->decl->name);
  ts_suggest_names(d, arg->name, &names);
}

static void extra_argument(const binding *b, const given *arg)
{
  uint32_t count = b->params ? b->params->count : 0;
  ts_diag *d =
    ts_report(b->s, TS_E0211, arg->span, "`%s` takes %" PRIu32 " argument%s, not %" PRIu32,
              b->decl->name, count, count == 1 ? "" : "s", b->arg_count);
  ts_diag_here(d, "one too many");
  ts_diag_note_at(d, b->decl->name_span, "`%s` is declared here", b->decl->name);
}

/* Which argument goes to which formal. */
static bool assign(const binding *b, const given *of[MAX_FORMALS])
{
  bool ok = true;
  uint32_t next = 0, count = b->params ? b->params->count : 0;
  for (uint32_t i = 0; i < b->arg_count; i++) {
    const given *arg = &b->args[i];
    uint32_t formal =
      arg->name ? (count ? formal_named(b->params, arg->name) : UINT32_MAX) : next++;
    if (formal == UINT32_MAX) {
      unknown_argument(b, arg);
      ok = false;
    } else if (formal >= count) {
      extra_argument(b, arg);
      return false;
    } else if (of[formal]) {
      ts_diag *d = ts_report(b->s, TS_E0211, arg->span, "`%s` of `%s` is given twice",
                             b->params->child[formal]->name, b->decl->name);
      ts_diag_label(d, of[formal]->span, "first here");
      ok = false;
    } else {
      of[formal] = arg;
    }
  }
  return ok;
}

static bool missing_arguments(const binding *b, const given *of[MAX_FORMALS])
{
  ts_arena *arena = b->s->arena;
  const char *text = NULL;
  for (uint32_t i = 0; i < b->params->count; i++)
    if (!of[i] && !ts_ast_default(b->params->child[i]))
      text = text ? ts_arena_printf(arena, "%s, `%s`", text, b->params->child[i]->name) :
                    ts_arena_printf(arena, "`%s`", b->params->child[i]->name);
  if (!text)
    return false;
  ts_diag *d = ts_report(b->s, TS_E0210, b->call, "`%s` needs %s", b->decl->name, text);
  ts_diag_here(d, "not given");
  ts_diag_note_at(d, b->decl->name_span, "`%s` is declared here", b->decl->name);
  return true;
}

static ts_value evaluate_argument(ts_session *s, const ts_env *env, const ts_ast *type,
                                  const ts_ast *expr)
{
  const ts_type_info *info = ts_type_find(s, type->name);
  if (info && info->type == TS_T_AXIS)
    return ts_eval_axis(s, env, expr);
  return ts_eval_as(s, env, type, expr);
}

/* An error value after a diagnostic. */
static ts_value argument(const binding *b, const ts_env *env, const ts_ast *formal,
                         const given *arg)
{
  ts_session *s = b->s;
  const ts_ast *type = ts_ast_type(formal), *expr = arg ? arg->expr : ts_ast_default(formal);
  ts_value v =
    arg && arg->value ? *arg->value : evaluate_argument(s, arg ? b->caller : env, type, expr);
  if (v.type == TS_T_ERROR)
    return v;
  ts_span at = arg ? arg->span : expr->span;
  const ts_type_info *info = ts_type_find(s, type->name);
  if (info && ts_type_fits(s, info, &v) && info->type != TS_T_LIST)
    return v;
  /* the text of a message is made only when there may be one */
  const char *what = ts_arena_printf(s->arena, "`%s` of `%s`", formal->name, b->decl->name);
  return ts_convert_at(s, type, &v, what, at, formal->span) ? v : ts_error_value();
}

/* An argument that failed is bound too: defaults that ask for it keep quiet. */
static bool bind_one(const binding *b, ts_env *env, const ts_ast *formal, const given *arg)
{
  ts_value v = argument(b, env, formal, arg);
  ts_env_bind(env, formal->name, v);
  return v.type != TS_T_ERROR;
}

static ts_env *call_bind(const binding *b, const ts_env *module)
{
  const given *of[MAX_FORMALS];
  uint32_t count = b->params ? b->params->count : 0;
  if (count > MAX_FORMALS) {
    ts_report(b->s, TS_E0226, b->params->span, "`%s` has more than %d parameters", b->decl->name,
              MAX_FORMALS);
    return NULL;
  }
  memset(of, 0, count * sizeof *of);
  if (!assign(b, of) || (count && missing_arguments(b, of)))
    return NULL;
  ts_env *env = ts_env_sized(b->s, module, count);
  bool ok = true;
  for (uint32_t i = 0; i < count; i++)
    ok = bind_one(b, env, b->params->child[i], of[i]) && ok;
  return ok ? env : NULL;
}

enum { FEW = 8 }; /* arguments that need no memory of the arena */

static given *written(ts_session *s, const ts_ast *call, given few[FEW])
{
  ts_ast_list all = ts_ast_args(call);
  given *args = all.count <= FEW ? few : TS_NEW_ARRAY(s->arena, given, all.count);
  for (uint32_t i = 0; i < all.count; i++) {
    const ts_ast *arg = all.at[i];
    args[i] = (given){.expr = ts_ast_value(arg),
                      .name = arg->name,
                      .span = arg->name ? arg->span : ts_ast_value(arg)->span};
  }
  return args;
}

bool ts_call_fits(ts_session *s, const ts_ast *decl, const ts_ast *call)
{
  given few[FEW];
  const given *of[MAX_FORMALS] = {0};
  uint32_t count = ts_ast_args(call).count;
  binding b = {s, NULL, decl, ts_decl_params(decl), written(s, call, few), count, call->span};
  return b.params->count > MAX_FORMALS || (assign(&b, of) && !missing_arguments(&b, of));
}

ts_env *ts_bind_args(ts_session *s, const ts_env *caller, const ts_env *module, const ts_ast *decl,
                     const ts_ast *call)
{
  given few[FEW];
  uint32_t count = ts_ast_args(call).count;
  binding b = {s, caller, decl, ts_decl_params(decl), written(s, call, few), count, call->span};
  return call_bind(&b, module);
}

ts_env *ts_bind_record(ts_session *s, const ts_env *module, const ts_ast *decl,
                       const ts_record *record)
{
  given *args = TS_NEW_ARRAY(s->arena, given, record->count);
  for (uint32_t i = 0; i < record->count; i++)
    args[i] =
      (given){.value = record->at[i].value, .name = record->at[i].name, .span = record->at[i].span};
  binding b = {s, module, decl, ts_decl_params(decl), args, record->count, decl->span};
  return call_bind(&b, module);
}

/* ---- Application ---- */

static ts_record record_of_env(ts_session *s, const ts_env *env, ts_span span)
{
  ts_field *at = TS_NEW_ARRAY(s->arena, ts_field, env->count);
  for (uint32_t i = 0; i < env->count; i++)
    at[i] = (ts_field){.name = env->name[i],
                       .value = &env->value[i],
                       .span = env->value[i].span.file ? env->value[i].span : span};
  return (ts_record){.count = env->count, .at = at};
}

static ts_value applied(ts_session *s, const ts_ast *decl, const ts_env *module, const char *name,
                        ts_record args, ts_span span)
{
  ts_applied *a = TS_NEW(s->arena, ts_applied);
  *a = (ts_applied){.decl = decl, .env = module, .name = name, .span = span, .args = args};
  return (ts_value){.type = TS_T_APPLIED, .span = span, .u.applied = a};
}

/* A call takes memory as well, so it counts for several. */
enum { CALL_STEPS = 20 };

static ts_value run_function(ts_session *s, const ts_function *f, const ts_env *env, ts_span span)
{
  if (f->kind == TS_FUNCTION_NATIVE)
    return ts_native_call(s, f->native, env->value, span);
  const ts_ast *type = ts_ast_type(f->decl);
  ts_frame frame = {f->name, span, s->running->frame};
  s->running->frame = &frame;
  ts_value v = ts_charge(s, CALL_STEPS, span) ? ts_eval_as(s, env, type, ts_ast_body(f->decl)) :
                                                ts_error_value();
  s->running->frame = frame.outer;
  const ts_type_info *info = type ? ts_type_find(s, type->name) : NULL;
  bool fits = info && ts_type_fits(s, info, &v) && info->type != TS_T_LIST;
  /* the text of a message is made only when there may be one */
  if (type && v.type != TS_T_ERROR && !fits &&
      !ts_convert_at(s, type, &v, ts_arena_printf(s->arena, "the result of `%s`", f->name),
                     ts_ast_body(f->decl)->span, type->span))
    return ts_error_value();
  v.span = span;
  return v;
}

static ts_value build_cluster(ts_session *s, const ts_env *env, const ts_ast *decl, ts_span span)
{
  ts_frame frame = {decl->name, span, s->running->frame};
  s->running->frame = &frame;
  ts_value v = s->domain->cluster(s, env, decl, span);
  s->running->frame = frame.outer;
  return v;
}

static ts_value apply_decl(ts_session *s, const ts_ast *decl, const ts_env *module,
                           const ts_env *env, ts_span span)
{
  if (!env)
    return ts_error_value();
  if (decl->kind == TS_AST_CLUSTER)
    return build_cluster(s, env, decl, span);
  return applied(s, decl, module, decl->name, record_of_env(s, env, span), span);
}

/* ---- Built-in functions and makers ---- */

static uint32_t maker_formal(const ts_function *f, const char *name)
{
  for (uint32_t i = 0; i < f->formal_count; i++)
    if (f->formals[i].name == name)
      return i;
  return UINT32_MAX;
}

static uint32_t call_place_of(ts_session *s, const ts_function *f, const given *arg, uint32_t next)
{
  if (!arg->name)
    return next;
  uint32_t i = maker_formal(f, arg->name);
  if (i != UINT32_MAX)
    return i;
  ts_diag *d = ts_report(s, TS_E0209, arg->span, "`%s` has no parameter `%s`", f->name, arg->name);
  ts_name_list names = {0};
  for (uint32_t k = 0; k < f->formal_count; k++)
    TS_PUSH(s->arena, &names.names, f->formals[k].name);
  if (!ts_suggest_names(d, arg->name, &names) && f->formal_count) {
    const char *text = ts_arena_printf(s->arena, "`%s`", f->formals[0].name);
    for (uint32_t k = 1; k < f->formal_count; k++)
      text = ts_arena_printf(s->arena, "%s, `%s`", text, f->formals[k].name);
    ts_diag_note(d, "it has %s", text);
  }
  return UINT32_MAX;
}

static void call_too_many(ts_session *s, const ts_function *f, ts_span span, uint32_t most,
                          uint32_t count)
{
  ts_diag *d = ts_report(s, TS_E0211, span, "`%s` takes %" PRIu32 " argument%s, not %" PRIu32,
                         f->name, most, most == 1 ? "" : "s", count);
  ts_diag_here(d, "one too many");
}

static bool arrange(ts_session *s, const ts_function *f, const given *args, uint32_t count,
                    const given **of, uint32_t room)
{
  uint32_t next = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = call_place_of(s, f, &args[i], next);
    next += !args[i].name;
    if (at == UINT32_MAX)
      return false;
    if (at >= room) {
      call_too_many(s, f, args[i].span, room, count);
      return false;
    }
    if (of[at]) {
      ts_report(s, TS_E0211, args[i].span, "`%s` of `%s` is given twice", f->formals[at].name,
                f->name);
      return false;
    }
    of[at] = &args[i];
  }
  return true;
}

bool ts_call_fits_function(ts_session *s, const ts_function *f, const ts_ast *call)
{
  uint32_t count = ts_ast_args(call).count,
           most = f->builtin ? f->builtin->max_count : f->formal_count;
  uint32_t room = most ? most : count;
  given few[FEW];
  return arrange(s, f, written(s, call, few), count,
                 TS_NEW_ARRAY(s->arena, const given *, room + 1), room);
}

static ts_value call_value_of(ts_session *s, const ts_env *env, const given *arg)
{
  return arg->value ? *arg->value : ts_eval(s, env, arg->expr);
}

static ts_value call_builtin(ts_session *s, const ts_function *f, const ts_env *env,
                             const given *args, uint32_t count, const ts_ast *call, ts_span span)
{
  const ts_builtin *builtin = f->builtin;
  uint32_t room = builtin->max_count ? builtin->max_count : count;
  const given *few[8] = {0}, **of = room <= 8 ? few : TS_NEW_ARRAY(s->arena, const given *, room);
  if (!arrange(s, f, args, count, of, room))
    return ts_error_value();
  if (count < builtin->min_count) {
    ts_diag *d = ts_report(s, TS_E0210, span, "`%s` needs %s%" PRIu32 " argument%s, not %" PRIu32,
                           f->name, builtin->max_count == builtin->min_count ? "" : "at least ",
                           builtin->min_count, builtin->min_count == 1 ? "" : "s", count);
    ts_diag_here(d, "not given");
    return ts_error_value();
  }
  ts_value small[8], *values = count <= 8 ? small : TS_NEW_ARRAY(s->arena, ts_value, count);
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    if (!of[i]) {
      ts_report(s, TS_E0210, span, "`%s` needs `%s`", f->name, f->formals[i].name);
      return ts_error_value();
    }
    values[i] = call_value_of(s, env, of[i]);
    if (values[i].type == TS_T_AXIS)
      values[i] = ts_int_value(ts_axes_size(s, values[i].u.axes.mask), values[i].span);
    ok &= values[i].type != TS_T_ERROR;
  }
  ts_builtin_call c = {
    .s = s, .name = f->name, .call = call, .arg = values, .count = count, .span = span};
  return ok ? builtin->run(&c) : ts_error_value();
}

static ts_value call_maker(ts_session *s, const ts_function *f, const ts_env *env,
                           const given *args, uint32_t count, ts_span span)
{
  const given **of = TS_NEW_ARRAY(s->arena, const given *, f->formal_count + 1);
  if (!arrange(s, f, args, count, of, f->formal_count))
    return ts_error_value();
  ts_field *fields = TS_NEW_ARRAY(s->arena, ts_field, f->formal_count);
  ts_value *values = TS_NEW_ARRAY(s->arena, ts_value, f->formal_count);
  ts_record record = {.at = fields};
  bool ok = true;
  for (uint32_t i = 0; i < f->formal_count; i++) {
    const ts_maker_formal *formal = &f->formals[i];
    if (!of[i]) {
      if (!formal->optional) {
        ts_diag *d = ts_report(s, TS_E0210, span, "`%s` needs `%s`", f->name, formal->name);
        ts_diag_here(d, "not given");
        ok = false;
      }
      continue;
    }
    /* an axis as written, not its size */
    values[i] = !strcmp(formal->type, "Axis") && !of[i]->value ? ts_eval_axis(s, env, of[i]->expr) :
                                                                 call_value_of(s, env, of[i]);
    ok = ts_convert_to(s, formal->type, &values[i],
                       ts_arena_printf(s->arena, "`%s` of `%s`", formal->name, f->name),
                       of[i]->span, TS_NO_SPAN) &&
         ok;
    fields[record.count++] =
      (ts_field){.name = formal->name, .value = &values[i], .span = of[i]->span};
  }
  return ok ? applied(s, NULL, NULL, f->name, record, span) : ts_error_value();
}

/* ---- Calls ---- */

static ts_value not_callable(ts_session *s, const ts_ast *callee, ts_value v, ts_span span)
{
  ts_diag *d =
    ts_report(s, TS_E0212, callee ? callee->span : span, "%s%s%s is %s and cannot be called",
              callee && callee->name ? "`" : "", callee && callee->name ? callee->name : "this",
              callee && callee->name ? "`" : "", ts_value_describe(s->arena, v));
  ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
  return ts_error_value();
}

static bool has_parameters(ts_kind kind)
{
  return kind == TS_AST_OP || kind == TS_AST_BLOCK || kind == TS_AST_MODEL ||
         kind == TS_AST_STRATEGY || kind == TS_AST_SCHEDULE || kind == TS_AST_CLUSTER;
}

ts_value ts_eval_call(ts_session *s, const ts_env *env, const ts_ast *call)
{
  ts_value callee = ts_eval(s, env, ts_ast_function(call));
  if (callee.type == TS_T_ERROR)
    return callee;
  if (callee.type == TS_T_DECL && has_parameters(callee.u.decl->kind)) {
    const ts_ast *decl = callee.u.decl;
    const ts_env *module = ts_decl_env(s, decl);
    if (s->running->apply && (decl->kind == TS_AST_OP || decl->kind == TS_AST_BLOCK))
      return s->running->apply(s->running->apply_closure, env, decl, module, call);
    return apply_decl(s, decl, module, ts_bind_args(s, env, module, decl, call), call->span);
  }
  if (callee.type != TS_T_FUNCTION)
    return not_callable(s, ts_ast_function(call), callee, call->span);
  const ts_function *f = callee.u.function;
  if (f->decl) {
    ts_env *inner = ts_bind_args(s, env, f->module, f->decl, call);
    return inner ? run_function(s, f, inner, call->span) : ts_error_value();
  }
  uint32_t count = ts_ast_args(call).count;
  given few[FEW], *args = written(s, call, few);
  return f->kind == TS_FUNCTION_BUILTIN ? call_builtin(s, f, env, args, count, call, call->span) :
                                          call_maker(s, f, env, args, count, call->span);
}

ts_value ts_call(ts_session *s, ts_value callee, const ts_value *values, const char *const *names,
                 uint32_t count, ts_span span)
{
  given *args = TS_NEW_ARRAY(s->arena, given, count);
  for (uint32_t i = 0; i < count; i++)
    args[i] = (given){.value = &values[i],
                      .name = names ? names[i] : NULL,
                      .span = values[i].span.file ? values[i].span : span};
  if (callee.type == TS_T_DECL && has_parameters(callee.u.decl->kind)) {
    const ts_env *module = ts_decl_env(s, callee.u.decl);
    binding b = {s, module, callee.u.decl, ts_decl_params(callee.u.decl), args, count, span};
    return apply_decl(s, callee.u.decl, module, call_bind(&b, module), span);
  }
  if (callee.type != TS_T_FUNCTION)
    return callee.type == TS_T_ERROR ? callee : not_callable(s, NULL, callee, span);
  const ts_function *f = callee.u.function;
  if (f->kind == TS_FUNCTION_BUILTIN)
    return call_builtin(s, f, NULL, args, count, NULL, span);
  if (f->kind == TS_FUNCTION_MAKER)
    return call_maker(s, f, NULL, args, count, span);
  binding b = {s, f->module, f->decl, ts_decl_params(f->decl), args, count, span};
  ts_env *env = call_bind(&b, f->module);
  return env ? run_function(s, f, env, span) : ts_error_value();
}

static bool nothing_to_give(const ts_ast *params)
{
  for (uint32_t i = 0; params && i < params->count; i++)
    if (!ts_ast_default(params->child[i]))
      return false;
  return true;
}

ts_value ts_settle(ts_session *s, ts_value v)
{
  bool decl = v.type == TS_T_DECL && has_parameters(v.u.decl->kind) &&
              nothing_to_give(ts_decl_params(v.u.decl));
  bool function = v.type == TS_T_FUNCTION && v.u.function->kind == TS_FUNCTION_DECL &&
                  nothing_to_give(ts_decl_params(v.u.function->decl));
  return decl || function ? ts_call(s, v, NULL, NULL, 0, v.span) : v;
}

const char *ts_function_name(const ts_function *f) { return f->name; }

const char *ts_function_formal(const ts_function *f, uint32_t i)
{
  const ts_ast *params = f->decl ? ts_decl_params(f->decl) : NULL;
  return params && i < params->count ? params->child[i]->name : NULL;
}
