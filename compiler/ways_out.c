#include "compiler/ways_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/module.h"
#include "compiler/eval/shared.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/plan/plan.h"

typedef struct ways_out_finder {
  ts_session *s;
  ts_arena *arena;
  const ts_plan *plan;
  ts_module *module;
  const char *text;          /* of the plan's file */
  const char *const *labels; /* patterns for LABEL */
  uint32_t label_count;
  const ts_compile_options *options;
  const ts_record *row; /* being looked at */
  TS_VEC(ts_way) ways;
} ways_out_finder;

/* ---- Ways ---- */

static const char *listed(ts_arena *arena, const char *list, const char *item)
{
  return ts_arena_printf(arena, "%s%s%s", list, *list && *item ? ", " : "", item);
}

static const char *replaced_by(const ways_out_finder *f, const ts_way *w)
{
  const char *list = "";
  ts_value v;
  for (uint32_t i = 0; i < w->define_count; i++) {
    const char *name = w->defines[i].name;
    if (ts_env_lookup(f->plan->env, ts_lang_intern(f->s->lang, name, strlen(name)), &v))
      list = listed(f->arena, list,
                    ts_arena_printf(f->arena, "%s=%s", name, ts_value_print(f->arena, v)));
  }
  for (uint32_t i = 0; i < w->edit_count; i++) {
    const ts_way_edit *e = &w->edits[i];
    list = listed(f->arena, list, ts_arena_string(f->arena, f->text + e->begin, e->end - e->begin));
  }
  return list;
}

static void add_way(ways_out_finder *f, const ts_way_edit *edits, uint32_t edit_count,
                    const ts_define *defines, uint32_t define_count)
{
  ts_way w = {.edit_count = edit_count, .define_count = define_count, .row = f->row};
  w.edits = edit_count ? ts_arena_copy(f->arena, edits, edit_count * sizeof *edits) : NULL;
  w.defines =
    define_count ? ts_arena_copy(f->arena, defines, define_count * sizeof *defines) : NULL;
  w.replaced = replaced_by(f, &w);
  TS_PUSH(f->arena, &f->ways, w);
}

static bool overlap(const ts_way_edit *a, const ts_way_edit *b)
{
  if (a->begin == a->end && b->begin == b->end)
    return false; /* two things put in at one place */
  return a->begin < b->end && b->begin < a->end;
}

static bool same_edit(const ts_way_edit *a, const ts_way_edit *b)
{
  return a->begin == b->begin && a->end == b->end && !strcmp(a->text, b->text);
}

static int by_place(const void *x, const void *y)
{
  const ts_way_edit *a = x, *b = y;
  return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : strcmp(a->text, b->text);
}

static int ways_out_by_name(const void *x, const void *y)
{
  return strcmp(((const ts_define *)x)->name, ((const ts_define *)y)->name);
}

bool ts_way_join(ts_arena *arena, const ts_way *a, const ts_way *b, ts_way *out)
{
  for (uint32_t i = 0; i < a->define_count; i++)
    for (uint32_t k = 0; k < b->define_count; k++)
      if (!strcmp(a->defines[i].name, b->defines[k].name))
        return false;
  TS_VEC(ts_way_edit) edits = {0};
  TS_VEC(ts_define) defines = {0};
  for (uint32_t i = 0; i < a->edit_count; i++)
    TS_PUSH(arena, &edits, a->edits[i]);
  for (uint32_t i = 0; i < b->edit_count; i++) {
    bool known = false; /* an import that both need */
    for (uint32_t k = 0; k < a->edit_count && !known; k++) {
      if (!(known = same_edit(&a->edits[k], &b->edits[i])) && overlap(&a->edits[k], &b->edits[i]))
        return false;
    }
    if (!known)
      TS_PUSH(arena, &edits, b->edits[i]);
  }
  for (uint32_t i = 0; i < a->define_count + b->define_count; i++)
    TS_PUSH(arena, &defines, i < a->define_count ? a->defines[i] : b->defines[i - a->define_count]);
  TS_SORT(&edits, by_place);
  TS_SORT(&defines, ways_out_by_name);
  *out = (ts_way){(uint32_t)edits.count, (uint32_t)defines.count, edits.at, defines.at, a->row,
                  listed(arena, a->replaced, b->replaced)};
  return true;
}

const char *ts_way_apply(ts_arena *arena, const ts_way *way, const char *text, size_t size,
                         size_t *new_size)
{
  size_t room = size + 1, used = 0, at = 0;
  for (uint32_t i = 0; i < way->edit_count; i++)
    room += strlen(way->edits[i].text);
  char *out = ts_arena_alloc(arena, room);
  for (uint32_t i = 0; i < way->edit_count; i++) {
    const ts_way_edit *e = &way->edits[i];
    size_t length = strlen(e->text);
    memcpy(out + used, text + at, e->begin - at);
    used += e->begin - at;
    memcpy(out + used, e->text, length);
    used += length;
    at = e->end;
  }
  memcpy(out + used, text + at, size - at);
  *new_size = used + size - at;
  return out;
}

ts_session *ts_way_compile(ts_arena *scratch, ts_common *common, const char *path, const char *text,
                           size_t size, const ts_compile_options *o, const ts_way *way,
                           ts_input *input)
{
  ts_session *s = ts_session_with(scratch, common);
  ts_compile_options compile = *o;
  uint32_t given = o->define_count;
  ts_define *defines = TS_NEW_ARRAY(scratch, ts_define, given + way->define_count + 1);
  /* of two for one name the last counts */
  for (uint32_t i = 0; i < given + way->define_count; i++)
    defines[i] = i < given ? o->defines[i] : way->defines[i - given];
  compile.defines = defines;
  compile.define_count += way->define_count;
  text = ts_way_apply(scratch, way, text, size, &size);
  if (ts_input_compile(s, path, text, size, &compile, input))
    return s;
  ts_shared_leave(s);
  return NULL;
}

const char *ts_way_lines(ts_arena *arena, const ts_way *way, const char *text, size_t size)
{
  size_t new_size;
  const char *changed = ts_way_apply(arena, way, text, size, &new_size), *lines = "",
             *shown = changed;
  ptrdiff_t moved = 0;
  for (uint32_t i = 0; i < way->define_count; i++)
    lines = ts_arena_printf(arena, "%s%s-D %s=%s", lines, i ? " " : "", way->defines[i].name,
                            way->defines[i].expression);
  for (uint32_t i = 0; i < way->edit_count; i++) {
    const ts_way_edit *e = &way->edits[i];
    const char *at = changed + e->begin + moved, *last = at + strlen(e->text);
    moved += (ptrdiff_t)strlen(e->text) - (ptrdiff_t)(e->end - e->begin);
    at += strspn(at, "\n"); /* a line put in begins behind a line feed */
    while (last > at && last[-1] == '\n')
      last--;
    while (at > shown && at[-1] != '\n')
      at--;
    if (at < shown)
      continue; /* on a line that is shown already */
    at += strspn(at, " \t");
    last += strcspn(last, "\n");
    lines = ts_arena_printf(arena, "%s%s%.*s", lines, *lines ? "\n" : "", (int)(last - at), at);
    shown = last;
  }
  return lines;
}

/* ---- Places of the plan ---- */

static const ts_ast *field_of(const ways_out_finder *f, const char *name)
{
  ts_ast_list fields = ts_ast_fields(f->plan->decl);
  for (uint32_t i = 0; i < fields.count; i++)
    if (!strcmp(fields.at[i]->name, name))
      return ts_ast_value(fields.at[i]);
  return NULL;
}

/* An import of `from`, unless the plan's file sees the name that TEXT begins with. */
static uint32_t import_for(const ways_out_finder *f, const char *text, const char *from,
                           ts_way_edit *edit)
{
  const char *name =
    ts_lang_intern(f->s->lang, text, strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"));
  if (!*from || ts_module_find(f->module, name))
    return 0;
  uint32_t at = 0;
  for (uint32_t i = 0; i < f->module->ast->count; i++) {
    const ts_ast *decl = f->module->ast->child[i];
    if (decl && (!i || decl->span.begin < at))
      at = decl->span.begin;
  }
  *edit = (ts_way_edit){at, at, ts_arena_printf(f->arena, "import %s\n", from)};
  return 1;
}

/* A field in the place of the old one, or as a line of its own before the plan's end. */
static ts_way_edit field_edit(const ways_out_finder *f, const char *field, const char *text)
{
  const ts_ast *old = field_of(f, field);
  if (old)
    return (ts_way_edit){old->span.begin, old->span.end, text};
  uint32_t end = f->plan->decl->span.end - 1; /* the bracket */
  while (end > f->plan->decl->span.begin && strchr(" \t\n", f->text[end - 1]))
    end--;
  return (ts_way_edit){end, end, ts_arena_printf(f->arena, "\n  %s = %s", field, text)};
}

static const char *ways_out_text_at(const ways_out_finder *f, ts_span span)
{
  return ts_arena_string(f->arena, f->text + span.begin, span.end - span.begin);
}

/* A number of the plan that can be changed: written out, or a parameter by itself. */
typedef struct number { const ts_ast *expr; int64_t value; } number;

static bool is_number(const ways_out_finder *f, const ts_ast *expr, number *n)
{
  if (!expr || expr->span.file != f->plan->decl->span.file)
    return false;
  n->expr = expr;
  if (expr->kind == TS_AST_INT)
    return n->value = expr->u.integer, true;
  ts_value v;
  if (expr->kind != TS_AST_ID)
    return false;
  const ts_ast *params = ts_ast_params(f->plan->decl);
  for (uint32_t i = 0; params && i < params->count; i++)
    if (params->child[i]->name == expr->name && ts_env_lookup(f->plan->env, expr->name, &v) &&
        v.type == TS_T_INT)
      return n->value = v.u.integer, true;
  return false;
}

typedef struct change {
  ts_way_edit edits[3];
  ts_define defines[3];
  uint32_t edit_count, define_count;
} change;

static void change_number(const ways_out_finder *f, const number *n, int64_t value, change *c)
{
  const char *text = ts_arena_printf(f->arena, "%" PRId64, value);
  if (n->expr->kind == TS_AST_INT)
    c->edits[c->edit_count++] = (ts_way_edit){n->expr->span.begin, n->expr->span.end, text};
  else
    c->defines[c->define_count++] = (ts_define){n->expr->name, text};
}

static void add_change(ways_out_finder *f, change *c)
{
  qsort(c->edits, c->edit_count, sizeof *c->edits, by_place);
  qsort(c->defines, c->define_count, sizeof *c->defines, ways_out_by_name);
  add_way(f, c->edits, c->edit_count, c->defines, c->define_count);
}

/* ---- The kinds of changes ---- */

static void set_field(ways_out_finder *f, const char *field, const char *text, const char *from)
{
  const ts_ast *old = field_of(f, field);
  if (old && !strcmp(ways_out_text_at(f, old->span), text))
    return; /* it is so already */
  change c = {.edits = {field_edit(f, field, text)}, .edit_count = 1};
  c.edit_count += import_for(f, text, from, &c.edits[1]);
  add_change(f, &c);
}

/* `text` with LABEL replaced, in quotes. */
static const char *with_label(const ways_out_finder *f, const char *text, const char *label)
{
  const char *at = strstr(text, "LABEL");
  return ts_arena_printf(f->arena, "%.*s\"%s\"%s", (int)(at - text), text, label,
                         at + strlen("LABEL"));
}

static void set_fields(ways_out_finder *f, const char *field, const char *text, const char *from)
{
  if (!strstr(text, "LABEL")) {
    set_field(f, field, text, from);
    return;
  }
  for (uint32_t i = 0; i < f->label_count; i++)
    set_field(f, field, with_label(f, text, f->labels[i]), from);
}

static void add_to_list(ways_out_finder *f, const char *field, const char *text, const char *from)
{
  const ts_ast *old = field_of(f, field);
  change c = {.edit_count = 1};
  if (old && old->kind == TS_AST_LIST && old->count)
    c.edits[0] =
      (ts_way_edit){old->child[old->count - 1]->span.end, old->child[old->count - 1]->span.end,
                    ts_arena_printf(f->arena, ", %s", text)};
  else
    c.edits[0] =
      field_edit(f, field,
                 old ? ts_arena_printf(f->arena, "[%s, %s]", ways_out_text_at(f, old->span), text) :
                       ts_arena_printf(f->arena, "[%s]", text));
  c.edit_count += import_for(f, text, from, &c.edits[1]);
  add_change(f, &c);
}

typedef void node_fn(ways_out_finder *f, const ts_ast *node, void *closure);

static void ways_out_walk(ways_out_finder *f, const ts_ast *node, node_fn *v, void *closure)
{
  if (!node)
    return;
  v(f, node, closure);
  for (uint32_t i = 0; i < node->count; i++)
    ways_out_walk(f, node->child[i], v, closure);
}

typedef struct replacement { const char *call, *by, *from; int64_t keep; } replacement;

static void replace_call(ways_out_finder *f, const ts_ast *node, void *closure)
{
  const replacement *r = closure;
  if (node->kind != TS_AST_CALL || ts_ast_function(node)->kind != TS_AST_ID ||
      strcmp(ts_ast_function(node)->name, r->call) != 0)
    return;
  const ts_ast *function = ts_ast_function(node);
  change c = {.edits = {{function->span.begin, function->span.end, r->by}}, .edit_count = 1};
  ts_ast_list args = ts_ast_args(node);
  if (r->keep > 0 && args.count > r->keep)
    c.edits[c.edit_count++] =
      (ts_way_edit){args.at[r->keep - 1]->span.end, args.at[args.count - 1]->span.end, ""};
  c.edit_count += import_for(f, r->by, r->from, &c.edits[c.edit_count]);
  add_change(f, &c);
}

/* Half of what the mesh has, too, would be another mesh: trade_axes. */
static bool is_of_mesh(const ways_out_finder *f, const ts_ast *expr)
{
  const ts_ast *mesh = field_of(f, "mesh");
  for (uint32_t i = 0; mesh && mesh->kind == TS_AST_RECORD && i < mesh->count; i++) {
    const ts_ast *axis = ts_ast_value(mesh->child[i]);
    if (expr->kind == TS_AST_ID && axis && axis->kind == TS_AST_ID && axis->name == expr->name)
      return true;
  }
  return false;
}

static void halve(ways_out_finder *f, const ts_ast *node, void *closure)
{
  const char *name = closure;
  number n;
  if ((node->kind != TS_AST_ARG && node->kind != TS_AST_FIELD) || !node->name ||
      strcmp(node->name, name) != 0 || !is_number(f, ts_ast_value(node), &n) || n.value < 2 ||
      n.value % 2 || is_of_mesh(f, n.expr))
    return;
  for (int64_t value = n.value / 2;; value /= 2) {
    change c = {0};
    change_number(f, &n, value, &c);
    add_change(f, &c);
    if (value % 2)
      break;
  }
}

/* The number of devices stays. */
static void trade_axes(ways_out_finder *f)
{
  const ts_ast *mesh = field_of(f, "mesh");
  for (uint32_t i = 0; mesh && mesh->kind == TS_AST_RECORD && i < mesh->count; i++) {
    number more, less;
    if (!is_number(f, ts_ast_value(mesh->child[i]), &more))
      continue;
    for (uint32_t k = 0; k < mesh->count; k++) {
      if (k == i || !is_number(f, ts_ast_value(mesh->child[k]), &less) || less.value % 2)
        continue;
      change c = {0};
      change_number(f, &more, 2 * more.value, &c);
      change_number(f, &less, less.value / 2, &c);
      add_change(f, &c);
    }
  }
}

/* ---- Values of a type ---- */

static const ts_ast *param_of(const ways_out_finder *f, const char *name)
{
  const ts_ast *params = ts_ast_params(f->plan->decl);
  for (uint32_t i = 0; params && i < params->count; i++)
    if (params->child[i]->name == name)
      return params->child[i];
  return NULL;
}

typedef struct wrapping {
  const char *type, *with;
  TS_VEC(ts_way_edit) edits;
} wrapping;

/* A name of a file that is a record of the type, with the fields that the plan changes in it. */
static void wrap_names(ways_out_finder *f, const ts_ast *node, wrapping *w)
{
  const ts_ast *of = node;
  ts_value v;
  while (of && of->kind == TS_AST_WITH)
    of = ts_ast_base(of);
  if (of && of->kind == TS_AST_ID && !param_of(f, of->name) &&
      ts_module_find(f->module, of->name) &&
      ts_module_lookup(f->s, f->module, of->name, TS_NO_SPAN, &v) && v.type == TS_T_RECORD &&
      v.u.record->type && !strcmp(v.u.record->type->name, w->type)) {
    TS_PUSH(f->arena, &w->edits,
            ((ts_way_edit){node->span.begin, node->span.end,
                           ts_arena_printf(f->arena, "((%s) with { %s })",
                                           ways_out_text_at(f, node->span), w->with)}));
    return;
  }
  for (uint32_t i = 0; node && i < node->count; i++)
    wrap_names(f, node->child[i], w);
}

/* Wherever the plan names a record of the type, and what -D sets a parameter of the type to. */
static void wrap_all(ways_out_finder *f, const char *type, const char *with)
{
  wrapping w = {type, with, {0}};
  TS_VEC(ts_define) defines = {0};
  for (uint32_t i = 0; i < f->options->define_count; i++) {
    const ts_define *d = &f->options->defines[i];
    const ts_ast *p = param_of(f, ts_lang_intern(f->s->lang, d->name, strlen(d->name)));
    const ts_ast *is = p ? ts_ast_type(p) : NULL;
    if (is && is->name && !strcmp(is->name, type))
      TS_PUSH(
        f->arena, &defines,
        ((ts_define){d->name, ts_arena_printf(f->arena, "(%s) with { %s }", d->expression, with)}));
  }
  wrap_names(f, f->plan->decl, &w);
  TS_SORT(&w.edits, by_place);
  if (w.edits.count || defines.count)
    add_way(f, w.edits.at, (uint32_t)w.edits.count, defines.at, (uint32_t)defines.count);
}

/* ---- Parameters of the plan ---- */

typedef struct compared {
  const char *name, *now;
} compared;

/* `how == "ring"`, where it is another text now */
static void try_text(ways_out_finder *f, const ts_ast *node, void *closure)
{
  const compared *c = closure;
  if (node->kind != TS_AST_BINARY || node->u.op != TS_OP_EQ ||
      ts_ast_left(node)->kind != TS_AST_ID || ts_ast_left(node)->name != c->name ||
      ts_ast_right(node)->kind != TS_AST_STRING)
    return;
  const char *text = ways_out_text_at(f, ts_ast_right(node)->span);
  if (strcmp(text, ts_arena_printf(f->arena, "\"%s\"", c->now)) != 0)
    add_way(f, NULL, 0, &(ts_define){c->name, text}, 1);
}

/* A Bool the other way round, a String as another text that the plan compares it with. */
static void turn_parameters(ways_out_finder *f)
{
  const ts_ast *params = ts_ast_params(f->plan->decl);
  for (uint32_t i = 0; params && i < params->count; i++) {
    const char *name = params->child[i]->name;
    ts_value v;
    if (!ts_env_lookup(f->plan->env, name, &v))
      continue;
    if (v.type == TS_T_BOOL)
      add_way(f, NULL, 0, &(ts_define){name, v.u.truth ? "false" : "true"}, 1);
    else if (v.type == TS_T_STRING)
      ways_out_walk(f, f->plan->decl, try_text, &(compared){name, v.u.string});
  }
}

/* ---- Rows of the list ---- */

static bool is_text(const ts_value *v, const char *text)
{
  for (uint32_t i = 0; v && v->type == TS_T_LIST && i < v->u.list->count; i++)
    if (is_text(&v->u.list->at[i], text))
      return true;
  return v && v->type == TS_T_STRING && !strcmp(v->u.string, text);
}

/* The record that a plan's field `framework` is; NULL: it has none of a declared type. */
static const ts_record *framework_of(const ways_out_finder *f)
{
  const ts_ast *field = field_of(f, "framework");
  ts_value v = field ? ts_eval(f->s, f->plan->env, field) : ts_none_value();
  return field && v.type == TS_T_RECORD && v.u.record->type ? v.u.record : NULL;
}

/* Whether the plan's framework is as the row asks; one that is not known may be. */
static bool has_framework(const ways_out_finder *f, const ts_record *row)
{
  const ts_value *where = ts_record_find(row, "where");
  const ts_record *framework = where ? framework_of(f) : NULL;
  for (uint32_t i = 0; framework && i < where->u.record->count; i++) {
    const char *name = where->u.record->at[i].name;
    if (!is_text(ts_record_find(framework, name), ts_record_text(where->u.record, name)))
      return false;
  }
  return true;
}

static void try_row(ways_out_finder *f, const ts_record *r)
{
  const char *to = ts_record_text(r, "to"), *from = ts_record_text(r, "from"), *word;
  const ts_value *keep = ts_record_find(r, "keep");
  if (!has_framework(f, r))
    return;
  f->row = r;
  if (*(word = ts_record_text(r, "set"))) {
    set_fields(f, word, to, from);
  } else if (*(word = ts_record_text(r, "add"))) {
    add_to_list(f, to, word, from);
  } else if (*(word = ts_record_text(r, "call"))) {
    replacement by = {word, ts_record_text(r, "by"), from,
                      keep && keep->type == TS_T_INT ? keep->u.integer : 0};
    ways_out_walk(f, f->plan->decl, replace_call, &by);
  } else if (*(word = ts_record_text(r, "halve"))) {
    ways_out_walk(f, f->plan->decl, halve, (void *)(uintptr_t)word);
  } else if (*ts_record_text(r, "trade")) {
    trade_axes(f);
  } else if (*(word = ts_record_text(r, "wrap"))) {
    wrap_all(f, word, ts_record_text(r, "with"));
  } else if (*ts_record_text(r, "turn")) {
    turn_parameters(f);
  } else {
    add_way(f, NULL, 0, NULL, 0); /* changes no text */
  }
}

/* The part of a label that the language takes for all repeats, "attn.core" of layer[*].attn.core,
 * then its scope. */
static uint32_t patterns(ts_arena *arena, const char *const *labels, uint32_t count,
                         const char **out)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    const char *label = labels[i];
    for (const char *repeat; (repeat = strstr(label, "[*]."));)
      label = repeat + 4;
    const char *both[] = {label, ts_arena_string(arena, label, strcspn(label, "."))};
    for (uint32_t b = 0; b < 2; b++) {
      bool known = !*both[b];
      for (uint32_t k = 0; k < n && !known; k++)
        known = !strcmp(out[k], both[b]);
      if (!known)
        out[n++] = both[b];
    }
  }
  return n;
}

/* The plan, beside which `besides` is given. False: it cannot be evaluated. */
static bool open_plan(ways_out_finder *f, const char *path, size_t size, ts_embedded_file besides)
{
  ts_embedded_file *given = TS_NEW_ARRAY(f->arena, ts_embedded_file, 2);
  f->s = ts_session_new(f->arena);
  given[0] = (ts_embedded_file){path, (const unsigned char *)f->text, size};
  given[1] = besides;
  f->s->files->given = given;
  f->s->files->given_count = besides.path ? 2 : 1;
  ts_compile_settings(f->s, f->options);
  f->plan = ts_plan_load(f->s, path, f->options->plan_name);
  f->module = f->plan ? ts_module_of(f->s, f->plan->decl->span.file) : NULL;
  return f->module != NULL;
}

ts_ways ts_ways_list(ts_arena *arena, const char *list, const char *path, const char *text,
                     size_t size, const ts_compile_options *o, const char *const *labels,
                     uint32_t label_count)
{
  static const char list_name[] = "<list>";
  const char *import = ts_arena_printf(arena, "import std.tools.%s\n", list);
  ways_out_finder f = {.arena = arena, .text = text, .options = o};
  ts_embedded_file rows_file = {list_name, (const unsigned char *)import, strlen(import)};
  ts_module *rows = open_plan(&f, path, size, rows_file) ? ts_module_load(f.s, list_name) : NULL;
  ts_value v;
  if (!rows ||
      !ts_module_lookup(f.s, rows, ts_lang_intern(f.s->lang, list, strlen(list)), TS_NO_SPAN, &v) ||
      v.type != TS_T_LIST)
    return (ts_ways){0};
  const char **found = TS_NEW_ARRAY(arena, const char *, 2 * (size_t)label_count + 1);
  f.label_count = patterns(arena, labels, label_count, found);
  f.labels = found;
  for (uint32_t i = 0; i < v.u.list->count; i++)
    if (v.u.list->at[i].type == TS_T_RECORD)
      try_row(&f, v.u.list->at[i].u.record);
  return (ts_ways){(uint32_t)f.ways.count, f.ways.at};
}

/* ---- Towards another plan ---- */

ts_ways ts_ways_towards(ts_arena *arena, const ts_way_plan *from, const ts_way_plan *to,
                        const ts_compile_options *o)
{
  ways_out_finder f = {.arena = arena, .text = from->text, .options = o},
                  g = {.arena = arena, .text = to->text, .options = o};
  if (!open_plan(&f, from->path, from->size, (ts_embedded_file){0}) ||
      !open_plan(&g, to->path, to->size, (ts_embedded_file){0}))
    return (ts_ways){0};
  const ts_record *a = framework_of(&f), *b = framework_of(&g);
  for (uint32_t i = 0; a && b && i < a->count; i++) {
    const ts_value *other = ts_record_find(b, a->at[i].name);
    const char *was = ts_value_print(arena, *a->at[i].value),
               *is = other ? ts_value_print(arena, *other) : was;
    size_t before = f.ways.count;
    if (!strcmp(was, is) || a->at[i].value->type == TS_T_NONE)
      continue;
    wrap_all(&f, a->type->name, ts_arena_printf(arena, "%s = %s", a->at[i].name, is));
    for (size_t k = before; k < f.ways.count; k++)
      f.ways.at[k].replaced = ts_arena_printf(arena, "%s: %s -> %s", a->at[i].name, was, is);
  }
  return (ts_ways){(uint32_t)f.ways.count, f.ways.at};
}
