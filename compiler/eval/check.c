#include "compiler/eval/check.h"
#include "compiler/eval/action_form.h"
#include "compiler/eval/figures.h"
#include "compiler/eval/match.h"
#include "compiler/eval/record_type.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/eval/vocabulary.h"

#include <inttypes.h>
#include <string.h>

/* between functions, blocks and models */
typedef struct reference { const ts_ast *from, *to; ts_span span; } reference;

typedef struct trail { const reference **at; size_t count; } trail;

/* before: place + 1 of the one that it hides, or 0 */
typedef struct local {
  const char *name;
  ts_span declared;
  const ts_ast *node;
  uint32_t before;
} local;

typedef struct checker {
  ts_session *s;
  ts_module *module;
  const ts_ast *decl;    /* being checked */
  TS_VEC(local) scope;   /* local names */
  ts_names newest;       /* of each local name: place + 1 */
  TS_VEC(reference) references;
} checker;

static void expression(checker *c, const ts_ast *e);
static void statements(checker *c, const ts_ast *parent);
static void rule(checker *c, const ts_ast *rule);
static const ts_ast *record_type(checker *c, const ts_ast *type);
static const ts_ast *type_of(checker *c, const ts_ast *e);
static void record(checker *c, const ts_ast *type, const ts_ast *e);
static void branches(checker *c, const ts_ast *wanted, const ts_ast *e);
static void elements(checker *c, const ts_ast *wanted, const ts_ast *e);

static void used(checker *c, ts_span span, const char *name, ts_span declared, const ts_ast *node)
{
  if (c->s->running->uses && span.file)
    TS_PUSH(c->s->arena, &c->s->running->uses->all, (ts_use){span, name, declared, node});
}

static void declare_at(checker *c, const char *name, ts_span declared, const ts_ast *node)
{
  if (!name)
    return;
  TS_PUSH(c->s->arena, &c->scope,
          (local){name, declared, node, (uint32_t)(uintptr_t)ts_names_get(&c->newest, name)});
  ts_names_put(c->s->arena, &c->newest, name, (void *)(uintptr_t)c->scope.count);
}

/* The names declared since there were so many. */
static void forget(checker *c, size_t count)
{
  for (; c->scope.count > count; c->scope.count--) {
    const local *last = &c->scope.at[c->scope.count - 1];
    ts_names_put(c->s->arena, &c->newest, last->name, (void *)(uintptr_t)last->before);
  }
}

static void declare(checker *c, const ts_ast *node)
{
  declare_at(c, node->name, node->name_span, node);
  if (node->name)
    used(c, node->name_span, node->name, node->name_span, node);
}

static void declare_word(checker *c, const char *word)
{
  declare_at(c, ts_lang_intern(c->s->lang, word, strlen(word)), TS_NO_SPAN, NULL);
}

static const local *local_of(const checker *c, const char *name)
{
  uintptr_t place = (uintptr_t)ts_names_get(&c->newest, name);
  return place ? &c->scope.at[place - 1] : NULL;
}

static bool may_recur(ts_kind kind)
{
  return kind == TS_AST_FN || kind == TS_AST_BLOCK || kind == TS_AST_MODEL;
}

static void refer(checker *c, const ts_ast *to, ts_span span)
{
  if (may_recur(c->decl->kind) && may_recur(to->kind))
    TS_PUSH(c->s->arena, &c->references, (reference){c->decl, to, span});
}

static void check_unknown(checker *c, const ts_ast *id)
{
  ts_diag *d = ts_report(c->s, TS_E0201, id->span, "`%s` is not in scope", id->name);
  ts_diag_here(d, "not found");
  const char *format = ts_dtype_elsewhere(id->name);
  if (format)
    ts_diag_help(d, "this format is called `%s`", format);
  if (format || ts_module_elsewhere(c->s, d, id->name))
    return;
  ts_name_list names = {0};
  TS_PUSH(c->s->arena, &names.names, "true");
  TS_PUSH(c->s->arena, &names.names, "false");
  for (size_t i = 0; i < c->scope.count; i++)
    TS_PUSH(c->s->arena, &names.names, c->scope.at[i].name);
  ts_module_names(c->s, c->module, &names);
  for (size_t i = 0; i < c->s->vocabulary->builtin_names.count; i++)
    TS_PUSH(c->s->arena, &names.names, c->s->vocabulary->builtin_names.at[i]);
  ts_suggest_names(d, id->name, &names);
}

/* Where a name of the file was given: by its declaration, or by an import with `as`. */
static ts_span declared(const ts_visible *v, const char *name)
{
  return v->entry->name == name ? v->entry->decl->name_span : v->alias;
}

static bool identifier(checker *c, const ts_ast *id)
{
  const local *l = local_of(c, id->name);
  const ts_visible *v = l ? NULL : ts_module_find(c->module, id->name);
  bool known = l || v || ts_names_get(&c->s->vocabulary->builtins, id->name);
  if (known)
    used(c, id->span, id->name,
         l ? l->declared :
         v ? declared(v, id->name) :
             TS_NO_SPAN,
         l ? l->node :
         v ? v->entry->decl :
             NULL);
  if (v && ts_module_clashes(c->s, v, id->name, id->span))
    return false;
  if (v)
    refer(c, v->entry->decl, id->span);
  if (!known)
    check_unknown(c, id);
  return known;
}

/* Names of axes, and words: those who read them look them up. */
static bool taken_as_written(checker *c, const ts_ast *type)
{
  const ts_type_info *info = ts_type_find(c->s, type->name);
  return (info && info->type == TS_T_AXIS) || ts_type_of_words(type);
}

static bool knows(const void *closure, const char *name)
{
  const checker *c = closure;
  return local_of(c, name) || ts_module_find(c->module, name) ||
         ts_names_get(&c->s->vocabulary->builtins, name);
}

static void labels(checker *c, const ts_ast *e)
{
  const ts_ast *at;
  const char *text = e ? ts_unquoted_label(c->s, e, knows, c, &at) : NULL;
  if (text)
    ts_report_unquoted(c->s, at, text);
  else
    expression(c, e);
}

/* An expression of which a type is wanted; no type: any. */
static void expression_as(checker *c, const ts_ast *wanted, const ts_ast *e)
{
  const ts_ast *type = e ? record_type(c, wanted) : NULL;
  if (wanted && ts_type_of_labels(wanted))
    labels(c, e);
  else if (type && e->kind == TS_AST_RECORD)
    record(c, type, e);
  else if (e && ts_is_choice(e))
    branches(c, wanted, e);
  else if (e && e->kind == TS_AST_LIST && wanted && ts_ast_element(wanted))
    elements(c, ts_ast_element(wanted), e);
  else if (!wanted || !taken_as_written(c, wanted))
    expression(c, e);
}

static void arms(checker *c, const ts_ast *wanted, const ts_ast *e)
{
  ts_ast_list list = ts_ast_arms(e);
  const ts_ast *type = type_of(c, ts_ast_value(e));
  expression(c, ts_ast_value(e));
  for (uint32_t i = 0; i < list.count; i++) {
    ts_ast_list patterns = ts_ast_patterns(list.at[i]);
    for (uint32_t k = 0; k < patterns.count; k++)
      expression_as(c, type && ts_type_of_words(type) ? type : NULL, patterns.at[k]);
    expression_as(c, wanted, ts_ast_value(list.at[i]));
  }
  ts_match_check(c->s, e, type);
}

static void branches(checker *c, const ts_ast *wanted, const ts_ast *e)
{
  if (e->kind == TS_AST_MATCH) {
    arms(c, wanted, e);
    return;
  }
  expression(c, ts_ast_condition(e));
  expression_as(c, wanted, ts_ast_then(e));
  expression_as(c, wanted, ts_ast_else(e));
}

static void elements(checker *c, const ts_ast *wanted, const ts_ast *e)
{
  for (uint32_t i = 0; i < e->count; i++)
    expression_as(c, wanted, e->child[i]);
}

/* ---- Records of declared types ---- */

static const ts_ast *record_type(checker *c, const ts_ast *type)
{
  const ts_type_info *info = type ? ts_type_of(c->s, type) : NULL;
  return info ? info->record : NULL;
}

/* Those of built-in types stand in no file. */
static void field_used(checker *c, const ts_ast *type, ts_span at, const ts_ast *formal)
{
  if (ts_module_of(c->s, type->span.file))
    used(c, at, formal->name, formal->name_span, formal);
}

static void record_field(checker *c, const ts_ast *type, const ts_ast *field)
{
  const ts_ast *formal = ts_record_type_field(type, field->name);
  if (formal)
    field_used(c, type, field->name_span, formal);
  else
    ts_record_type_no_field(c->s, type, TS_E0214, field->name_span, field->name);
  expression_as(c, formal ? ts_ast_type(formal) : NULL, ts_ast_value(field));
}

static void record(checker *c, const ts_ast *type, const ts_ast *e)
{
  ts_name_list given = {0};
  for (uint32_t i = 0; i < e->count; i++) {
    TS_PUSH(c->s->arena, &given.names, e->child[i]->name);
    record_field(c, type, e->child[i]);
  }
  ts_record_type_complete(c->s, type, &given, e->span);
}

/* The type that a name was declared with, a function returns, a field has; NULL: nobody knows. */
static const ts_ast *type_of(checker *c, const ts_ast *e)
{
  const ts_ast *name = e->kind == TS_AST_CALL ? ts_ast_function(e) : e;
  const local *l = name->kind == TS_AST_ID ? local_of(c, name->name) : NULL;
  const ts_visible *v =
    name->kind == TS_AST_ID && !l ? ts_module_find(c->module, name->name) : NULL;
  const ts_ast *decl = l ? l->node : v ? v->entry->decl : NULL, *type;
  switch (e->kind) {
  case TS_AST_ID:
    return decl && (decl->kind == TS_AST_LET || decl->kind == TS_AST_PARAM ||
                    decl->kind == TS_AST_FORMAL) ?
             ts_ast_type(decl) :
             NULL;
  case TS_AST_CALL: return !l && decl && decl->kind == TS_AST_FN ? ts_ast_type(decl) : NULL;
  case TS_AST_INDEX: type = type_of(c, ts_ast_base(e)); return type ? ts_ast_element(type) : NULL;
  case TS_AST_WITH: return type_of(c, ts_ast_base(e));
  case TS_AST_MEMBER:
    decl = record_type(c, type_of(c, ts_ast_base(e)));
    decl = decl ? ts_record_type_field(decl, e->name) : NULL;
    return decl ? ts_ast_type(decl) : NULL;
  default: return NULL;
  }
}

static void check_member(checker *c, const ts_ast *e)
{
  const ts_ast *type = record_type(c, type_of(c, ts_ast_base(e)));
  const ts_ast *formal = type ? ts_record_type_field(type, e->name) : NULL;
  if (formal)
    field_used(c, type, e->name_span, formal);
  else if (type)
    ts_record_type_no_field(c->s, type, TS_E0213, e->name_span, e->name);
  expression(c, ts_ast_base(e));
}

static void changes(checker *c, const ts_ast *e)
{
  const ts_ast *type = record_type(c, type_of(c, ts_ast_base(e)));
  ts_ast_list changed = ts_ast_changes(e);
  expression(c, ts_ast_base(e));
  for (uint32_t i = 0; i < changed.count; i++)
    if (type && changed.at[i]->kind == TS_AST_FIELD)
      record_field(c, type, changed.at[i]);
    else
      expression(c, changed.at[i]);
}

static const ts_ast *formal_of(const ts_ast *params, ts_ast_list args, uint32_t argument)
{
  uint32_t place = 0;
  const char *name = args.at[argument]->name;
  for (uint32_t i = 0; i < argument; i++)
    place += !args.at[i]->name;
  for (uint32_t i = 0; name && i < params->count; i++)
    if (params->child[i]->name == name)
      return params->child[i];
  return !name && place < params->count ? params->child[place] : NULL;
}

/* An axis that a maker takes by name. */
static bool axis_of_maker(const ts_function *f, const char *name)
{
  for (uint32_t i = 0; f && name && i < f->formal_count; i++)
    if (f->formals[i].name == name)
      return !strcmp(f->formals[i].type, "Axis");
  return false;
}

static void call(checker *c, const ts_ast *e)
{
  const ts_ast *callee = ts_ast_function(e), *params = NULL;
  const ts_function *maker = NULL;
  if (callee->kind != TS_AST_ID)
    expression(c, callee);
  else if (!identifier(c, callee))
    return; /* its arguments may be labels and axes: nobody knows */
  if (callee->kind == TS_AST_ID && !local_of(c, callee->name)) {
    const ts_visible *v = ts_module_find(c->module, callee->name);
    const ts_value *builtin = v ? NULL : ts_names_get(&c->s->vocabulary->builtins, callee->name);
    params = v ? ts_decl_params(v->entry->decl) : NULL;
    if (params)
      ts_call_fits(c->s, v->entry->decl, e);
    else if (builtin && builtin->type == TS_T_FUNCTION)
      ts_call_fits_function(c->s, maker = builtin->u.function, e);
  }
  ts_ast_list args = ts_ast_args(e);
  for (uint32_t i = 0; i < args.count; i++) {
    const ts_ast *arg = args.at[i], *formal = params ? formal_of(params, args, i) : NULL;
    if (formal && arg->name)
      used(c, arg->name_span, formal->name, formal->name_span, formal);
    if (formal || !axis_of_maker(maker, arg->name))
      expression_as(c, formal ? ts_ast_type(formal) : NULL, ts_ast_value(arg));
  }
}

static void comprehension(checker *c, const ts_ast *e)
{
  size_t scope = c->scope.count;
  ts_ast_list generators = ts_ast_generators(e);
  for (uint32_t i = 0; i + 1 < generators.count; i += 2) {
    const ts_ast *variable = generators.at[i];
    expression(c, generators.at[i + 1]);
    declare_at(c, variable->name, variable->span, variable);
  }
  expression(c, ts_ast_condition(e));
  expression(c, ts_ast_element(e));
  forget(c, scope);
}

static void expression(checker *c, const ts_ast *e)
{
  if (!e)
    return;
  switch (e->kind) {
  case TS_AST_ID: identifier(c, e); return;
  case TS_AST_CALL: call(c, e); return;
  case TS_AST_COMPREHENSION: comprehension(c, e); return;
  case TS_AST_RULE: rule(c, e); return;
  case TS_AST_MEMBER: check_member(c, e); return;
  case TS_AST_WITH: changes(c, e); return;
  case TS_AST_MATCH: arms(c, NULL, e); return;
  default:
    for (uint32_t i = 0; i < e->count; i++)
      expression(c, e->child[i]);
  }
}

/* Built-in types stand in no file. */
static void type_used(checker *c, const ts_ast *t, const ts_ast *decl)
{
  bool in_file = ts_module_of(c->s, decl->span.file);
  used(c, t->name_span, t->name, in_file ? decl->name_span : TS_NO_SPAN, in_file ? decl : NULL);
}

static void type(checker *c, const ts_ast *t)
{
  if (!t)
    return;
  const ts_type_info *info = ts_type_of(c->s, t);
  if (!info) {
    ts_value any = ts_none_value(); /* the message about an unknown type is that of conversions */
    ts_convert(c->s, NULL, t, &any, "");
    return;
  }
  if (info->record)
    type_used(c, t, info->record);
  if (ts_ast_element(t) && info->type != TS_T_LIST)
    ts_diag_here(ts_report(c->s, TS_E0218, ts_ast_element(t)->span,
                           "`%s` takes no type in brackets: only `List` does", t->name),
                 "not here");
  type(c, ts_ast_element(t));
}

static void parameters(checker *c, const ts_ast *params)
{
  for (uint32_t i = 0; params && i < params->count; i++) {
    const ts_ast *formal = params->child[i];
    type(c, ts_ast_type(formal));
    expression_as(c, ts_ast_type(formal), ts_ast_default(formal));
    for (uint32_t k = 0; k < i; k++)
      if (params->child[k]->name == formal->name) {
        ts_diag *d =
          ts_report(c->s, TS_E0202, formal->name_span, "`%s` has two %s `%s`", c->decl->name,
                    c->decl->kind == TS_AST_RECORD_TYPE ? "fields" : "parameters", formal->name);
        ts_diag_label(d, params->child[k]->name_span, "first here");
      }
    declare(c, formal);
  }
}

/* What is not checked here, for editors: names that mean something where the pattern or the rule
 * stands. */
static void mentions(checker *c, const ts_ast *e)
{
  if (!e || !c->s->running->uses)
    return;
  bool name = e->kind == TS_AST_ID || e->kind == TS_AST_NAME || e->kind == TS_AST_USE_PROTOCOL;
  const local *l = name ? local_of(c, e->name) : NULL;
  const ts_visible *v = name && !l ? ts_module_find(c->module, e->name) : NULL;
  if (l || v)
    used(c, e->name_span.file ? e->name_span : e->span, e->name,
         l ? l->declared : declared(v, e->name), l ? l->node : v->entry->decl);
  for (uint32_t i = 0; i < e->count; i++)
    mentions(c, e->child[i]);
}

/* What a rule's expressions see is known where it matches; what its actions take is known here. */
static void rule(checker *c, const ts_ast *rule)
{
  ts_ast_list actions = ts_ast_actions(rule);
  for (uint32_t i = 0; i < actions.count; i++)
    ts_action_fits(c->s, actions.at[i]);
  mentions(c, rule);
}

/* ---- Clauses of schedules ---- */

/* A letter that the clause does not use yet. */
static const char *free_name(const ts_session *s, const ts_ast *clause)
{
  static const char *const letters[] = {"x", "y", "z", "u", "v", "w", "x0"};
  size_t i = 0;
  while (i + 1 < sizeof letters / sizeof *letters &&
         ts_ast_uses(clause, ts_lang_intern(s->lang, letters[i], 1)))
    i++;
  return letters[i];
}

/* Whoever writes the name of a parameter or a `let` at the left of a clause may mean its value. */
static void hides(checker *c, const ts_ast *clause, const ts_ast *id)
{
  const local *l = local_of(c, id->name);
  const ts_visible *v = l ? NULL : ts_module_find(c->module, id->name);
  const ts_ast *node = l ? l->node : v && v->entry->module == c->module ? v->entry->decl : NULL;
  if (!node ||
      (node->kind != TS_AST_LET && node->kind != TS_AST_PARAM && node->kind != TS_AST_FORMAL))
    return;
  const char *other = free_name(c->s, clause);
  ts_diag *d = ts_report(
    c->s, TS_W0408, id->span, "`%s` in this clause is any number, whatever %s`%s%s` is", id->name,
    node->kind == TS_AST_LET ? "" : "parameter ", node->kind == TS_AST_LET ? "let " : "", id->name);
  ts_diag_here(d, "a variable of the clause");
  ts_diag_note_at(d, l ? l->declared : node->name_span, "it hides this one");
  ts_diag_help(
    d, "write another name; for the value of this one, `%s` here and `where %s == %s` at the end",
    other, other, id->name);
}

/* A bare name at the left is a variable; the rest of the clause sees it. */
static void variable(checker *c, const ts_ast *clause, const ts_ast *e, size_t outside)
{
  if (e->kind != TS_AST_ID)
    return;
  const local *l = local_of(c, e->name);
  if (l && l >= c->scope.at + outside)
    return; /* it stands there twice */
  hides(c, clause, e);
  declare_at(c, e->name, e->span, e);
}

static void pattern_clause(checker *c, const ts_ast *clause)
{
  size_t outside = c->scope.count;
  const ts_ast *item = ts_ast_item(clause),
               *each = clause->kind == TS_AST_DEPEND ? ts_ast_each(clause) : NULL;
  for (uint32_t i = 0; i < item->count; i++)
    variable(c, clause, ts_ast_value(item->child[i]), outside);
  variable(c, clause, ts_ast_at(clause), outside);
  if (each)
    declare_at(c, each->name, each->name_span, each);
  mentions(c, clause);
  forget(c, outside);
}

static void pattern_clauses(checker *c, const ts_ast *decl)
{
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++)
    if (items.at[i]->kind == TS_AST_DEPEND || items.at[i]->kind == TS_AST_PARTNER ||
        items.at[i]->kind == TS_AST_SLOW)
      pattern_clause(c, items.at[i]);
    else if (decl->kind == TS_AST_PROTOCOL)
      mentions(c, items.at[i]);
}

/* ---- Ops ---- */

static void declare_with_gradient(checker *c, const ts_ast *tensor)
{
  const char *gradient = ts_arena_printf(c->s->arena, "d%s", tensor->name);
  declare(c, tensor);
  declare_at(c, ts_lang_intern(c->s->lang, gradient, strlen(gradient)), tensor->name_span, tensor);
}

/* Work of a phase is stated once: its kernels may be many. */
static void phase_once(checker *c, const ts_ast *decl, uint32_t at)
{
  ts_ast_list items = ts_ast_items(decl);
  const ts_ast *phase = items.at[at];
  const char *said = strcmp(phase->name, "forward") ?
                       ts_arena_printf(c->s->arena, "backward(%s)", phase->name) :
                       "forward";
  for (uint32_t i = 0; i < at; i++)
    if (items.at[i]->kind == TS_AST_PHASE && items.at[i]->name == phase->name) {
      ts_diag *d =
        ts_report(c->s, TS_E0202, phase->name_span, "op `%s` states `%s` twice", decl->name, said);
      ts_diag_label(d, items.at[i]->name_span, "first here");
      ts_diag_help(d, "write several kernels in one: `%s { kernel ... kernel ... }`", said);
      return;
    }
}

static bool is_slot(const ts_ast *item)
{
  return item->kind == TS_AST_OP_WEIGHT || item->kind == TS_AST_OP_OUTPUT ||
         item->kind == TS_AST_OP_SLICE;
}

/* What an op calls by name (arguments, weights, outputs, slices) has one name each. */
static void slot_once(checker *c, const ts_ast *decl, uint32_t at)
{
  ts_ast_list items = ts_ast_items(decl);
  const ts_ast *slot = items.at[at], *params = ts_ast_params(decl), *first = NULL;
  for (uint32_t i = 0; i < params->count && !first; i++)
    first = params->child[i]->name == slot->name ? params->child[i] : NULL;
  for (uint32_t i = 0; i < at && !first; i++)
    first = is_slot(items.at[i]) && items.at[i]->name == slot->name ? items.at[i] : NULL;
  if (!first)
    return;
  ts_diag *d = ts_report(c->s, TS_E0202, slot->name_span, "op `%s` declares `%s` twice", decl->name,
                         slot->name);
  ts_diag_label(d, first->name_span, "first here");
  ts_diag_help(d, "give one of them another name");
}

static void op(checker *c, const ts_ast *decl)
{
  const ts_ast *params = ts_ast_params(decl);
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < params->count; i++)
    declare_with_gradient(c, params->child[i]);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    if (is_slot(item)) {
      slot_once(c, decl, i);
      declare_with_gradient(c, item);
    } else if (item->kind == TS_AST_LET) {
      declare(c, item);
    }
  }
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    if (item->kind == TS_AST_PHASE)
      phase_once(c, decl, i);
    if (item->kind == TS_AST_TIE) {
      labels(c, ts_ast_label(item));
      expression(c, ts_ast_condition(item));
    } else {
      expression(c, item);
    }
  }
}

/* ---- Statements of graphs, schedules and clusters ---- */

static void block(checker *c, const ts_ast *parent)
{
  size_t scope = c->scope.count;
  statements(c, parent);
  forget(c, scope);
}

static void statement(checker *c, const ts_ast *item)
{
  size_t scope = c->scope.count;
  switch (item->kind) {
  case TS_AST_LET:
    type(c, ts_ast_type(item));
    expression_as(c, ts_ast_type(item), ts_ast_value(item));
    declare(c, item);
    return;
  case TS_AST_NODE:
    expression(c, ts_ast_value(item));
    declare(c, item);
    return;
  case TS_AST_REPEAT:
    expression(c, ts_ast_times(item));
    declare_at(c, ts_ast_label(item)->name, ts_ast_label(item)->span, ts_ast_label(item));
    statements(c, item);
    return;
  case TS_AST_FOR:
    expression(c, ts_ast_over(item));
    declare(c, item);
    expression(c, ts_ast_where(item));
    statements(c, item);
    break;
  case TS_AST_AT:
    expression(c, ts_ast_ranks(item));
    declare(c, item);
    statements(c, item);
    break;
  case TS_AST_IF_STMT:
    expression(c, ts_ast_condition(item));
    statement(c, ts_ast_then(item));
    if (ts_ast_else(item))
      statement(c, ts_ast_else(item));
    return;
  case TS_AST_THEN:
  case TS_AST_ELSE:
    if (c->decl->kind == TS_AST_CLUSTER || c->decl->kind == TS_AST_SCHEDULE)
      block(c, item);
    else
      statements(c, item); /* what a branch of a model assigns is seen after it */
    return;
  case TS_AST_POLICY:
    expression(c, ts_ast_micro_batches(item));
    expression(c, ts_ast_ranks(item));
    ts_ast_list items = ts_ast_items(item);
    for (uint32_t i = 0; i < items.count; i++)
      mentions(c, items.at[i]);
    return;
  case TS_AST_DEPEND: /* when all names of the schedule are known */
  case TS_AST_PARTNER:
  case TS_AST_SLOW: return;
  case TS_AST_RULE: rule(c, item); return;
  case TS_AST_STAGES:
  case TS_AST_USE_PROTOCOL: mentions(c, item); return;
  default: expression(c, item);
  }
  forget(c, scope);
}

static void statements(checker *c, const ts_ast *parent)
{
  ts_ast_list items = ts_ast_items(parent);
  for (uint32_t i = 0; i < items.count; i++)
    statement(c, items.at[i]);
}

/* ---- Plans ---- */

bool ts_ast_uses(const ts_ast *e, const char *name)
{
  if (e->kind == TS_AST_ID && e->name == name)
    return true;
  for (uint32_t i = 0; i < e->count; i++)
    if (e->child[i] && ts_ast_uses(e->child[i], name))
      return true;
  return false;
}

/* A parameter without effect would make -D lie. */
static void unused_parameters(checker *c, const ts_ast *plan)
{
  const ts_ast *params = ts_ast_params(plan);
  ts_ast_list fields = ts_ast_fields(plan);
  for (uint32_t i = 0; params && i < params->count; i++) {
    bool used = false;
    for (uint32_t k = i + 1; k < params->count && !used; k++)
      used = ts_ast_default(params->child[k]) &&
             ts_ast_uses(ts_ast_default(params->child[k]), params->child[i]->name);
    for (uint32_t k = 0; k < fields.count && !used; k++)
      used = ts_ast_uses(fields.at[k], params->child[i]->name);
    if (used)
      continue;
    ts_diag *d = ts_report(c->s, TS_W0201, params->child[i]->name_span,
                           "no field of plan `%s` uses its parameter `%s`", plan->name,
                           params->child[i]->name);
    ts_diag_here(d, "has no effect");
  }
}

/* `mesh = { tp }`: the axis has the size and the name of the parameter. */
static void declare_axis(checker *c, const ts_ast *field)
{
  const local *parameter = field->flags & 1 ? local_of(c, field->name) : NULL;
  if (!parameter)
    declare(c, field);
}

static void plan(checker *c, const ts_ast *decl)
{
  ts_ast_list fields = ts_ast_fields(decl);
  for (uint32_t i = 0; i < fields.count; i++) {
    const ts_ast *value = ts_ast_value(fields.at[i]);
    for (uint32_t k = 0; value->kind == TS_AST_RECORD && k < value->count; k++)
      if (!strcmp(fields.at[i]->name, "mesh"))
        declare_axis(c, value->child[k]);
  }
  for (uint32_t i = 0; i < fields.count; i++)
    expression(c, ts_ast_value(fields.at[i]));
  unused_parameters(c, decl);
}

/* ---- Searches ---- */

static void check_search(checker *c, const ts_ast *decl)
{
  const ts_ast *plan = ts_search_plan(c->s, c->module, decl);
  const ts_ast *params = plan ? ts_ast_params(plan) : NULL;
  ts_ast_list items = ts_ast_items(decl);
  parameters(c, params);
  for (size_t i = 0; plan && i < TS_FIGURES; i++)
    declare_at(c, ts_search_figure(c->s, i), TS_NO_SPAN, NULL);
  for (uint32_t i = 0; plan && i < items.count; i++) {
    const ts_ast *item = items.at[i];
    const ts_ast *wanted = item->kind == TS_AST_LET ? ts_ast_type(item) : NULL;
    for (uint32_t k = 0; item->kind != TS_AST_LET && k < params->count; k++)
      if (params->child[k]->name == item->name) /* what `vary` and `set` give a parameter */
        wanted = ts_ast_type(params->child[k]);
    expression_as(c, wanted,
                  item->kind == TS_AST_REQUIRE ? ts_ast_condition(item) : ts_ast_value(item));
    if (item->kind == TS_AST_LET)
      declare(c, item);
  }
}

/* ---- Imports ---- */

/* Names in lists, for editors. */
static void imported_names(checker *c)
{
  for (size_t i = 0; c->s->running->uses && i < c->module->imports.count; i++) {
    const ts_ast *list = c->module->imports.at[i].list;
    for (uint32_t k = 0; list && k < list->count; k++) {
      const ts_ast *item = list->child[k], *alias = ts_ast_alias(item);
      const ts_visible *v = ts_module_find(c->module, alias ? alias->name : item->name);
      if (!v || v->entry->name != item->name)
        continue;
      const ts_ast *decl = v->entry->decl;
      used(c, item->name_span, item->name, decl->name_span, decl);
      if (alias)
        used(c, alias->span, alias->name, declared(v, alias->name), decl);
    }
  }
}

/* ---- Declarations ---- */

/* Fields are parameters that nobody passes: a default sees those before it. */
static void record_declaration(checker *c, const ts_ast *decl)
{
  if (ts_type_find(c->s, decl->name)) {
    ts_diag *d =
      ts_report(c->s, TS_E0202, decl->name_span, "`%s` is a type of the language", decl->name);
    ts_diag_help(d, "give this one another name");
  }
  parameters(c, decl);
}

static void declaration(checker *c, const ts_ast *decl)
{
  c->decl = decl;
  forget(c, 0);
  used(c, decl->name_span, decl->name, decl->name_span, decl);
  const ts_ast *params = ts_decl_params(decl);
  parameters(c, params);
  switch (decl->kind) {
  case TS_AST_FN:
    type(c, ts_ast_type(decl));
    expression_as(c, ts_ast_type(decl), ts_ast_body(decl));
    break;
  case TS_AST_EXTERN: type(c, ts_ast_type(decl)); break;
  case TS_AST_LET:
  case TS_AST_PARAM:
    type(c, ts_ast_type(decl));
    mentions(c, ts_ast_value(decl));
    break;
  case TS_AST_RECORD_TYPE: record_declaration(c, decl); break;
  case TS_AST_OP: op(c, decl); break;
  case TS_AST_PLAN: plan(c, decl); break;
  case TS_AST_SEARCH: check_search(c, decl); break;
  case TS_AST_MODEL: declare_word(c, "batch"); /* fall through */
  case TS_AST_BLOCK:
  case TS_AST_STRATEGY:
  case TS_AST_CLUSTER: statements(c, decl); break;
  case TS_AST_SCHEDULE:
    declare_word(c, "next");
    statements(c, decl);
    pattern_clauses(c, decl);
    break;
  case TS_AST_PROTOCOL: pattern_clauses(c, decl); break;
  default: mentions(c, decl); break; /* what the plan needs is evaluated */
  }
}

/* ---- Recursion ---- */

static bool reaches(checker *c, const ts_ast *from, const ts_ast *to, trail *path, uint8_t *seen)
{
  for (size_t i = 0; i < c->references.count; i++) {
    const reference *r = &c->references.at[i];
    if (r->from != from || seen[i])
      continue;
    seen[i] = 1;
    path->at[path->count++] = r;
    if (r->to == to || reaches(c, r->to, to, path, seen))
      return true;
    path->count--;
  }
  return false;
}

static bool recursion(checker *c)
{
  bool any = false;
  size_t count = c->references.count;
  uint8_t *reported = TS_NEW_ARRAY(c->s->arena, uint8_t, count + 1);
  for (size_t i = 0; i < count; i++) {
    uint8_t *seen = TS_NEW_ARRAY(c->s->arena, uint8_t, count + 1);
    trail path = {.at = TS_NEW_ARRAY(c->s->arena, const reference *, count + 1)};
    const reference *r = &c->references.at[i];
    if (reported[i] || (r->to != r->from && !reaches(c, r->to, r->from, &path, seen)))
      continue;
    any = true;
    ts_diag *d = ts_report(c->s, TS_E0208, r->span, "`%s` calls itself", r->from->name);
    ts_diag_here(d, path.count ? "is part of a cycle" : "calls itself");
    for (size_t k = 0; k < path.count; k++) {
      ts_diag_note_at(d, path.at[k]->span, "`%s` calls `%s`", path.at[k]->from->name,
                      path.at[k]->to->name);
      reported[path.at[k] - c->references.at] = 1;
    }
    ts_diag_help(d, "repeat with a list `[... for i in 0..n]`, `sum` or `repeat`");
  }
  return any;
}

bool ts_check(ts_session *s)
{
  checker c = {.s = s};
  s->running->checking = true;
  for (size_t i = 0; i < ts_module_count(s); i++) {
    c.module = ts_module_at(s, i);
    if (!strncmp(c.module->name, "std/", 4))
      continue;
    imported_names(&c);
    for (size_t k = 0; k < c.module->own.count; k++)
      declaration(&c, c.module->own.at[k]->decl);
  }
  s->running->checking = false;
  return !recursion(&c);
}
