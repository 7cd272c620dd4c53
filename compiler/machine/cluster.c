/* Elaboration of cluster declarations, and the changes of `with`. */
#include "compiler/machine/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"
#include "compiler/eval/env.h"
#include "compiler/eval/function.h"
#include "compiler/eval/report.h"

enum { MAX_TIER = 255, MAX_PORTS = 4096 };

/* a link statement whose fields are alike in every iteration of a loop */
typedef struct steady { const ts_ast *link; uint32_t class_index; } steady;

typedef TS_VEC(uint32_t) vertex_list;

typedef struct elaboration {
  ts_session *s;
  const ts_ast *decl;
  TS_VEC(ts_cluster_array) arrays;
  TS_VEC(ts_cluster_class) classes;
  TS_VEC(ts_cluster_link) links;
  TS_VEC(ts_cluster_vertex) vertices;
  TS_VEC(const char *) varying; /* names bound inside of loops */
  TS_VEC(steady) steady;
  vertex_list from, to;         /* scratch: what the two refs of a link stand for */
  uint32_t loops;
} elaboration;

static const char *vertex_text(ts_arena *arena, const ts_cluster_array *a, uint32_t vertex)
{
  uint32_t index = vertex - a->first;
  const char *text = "";
  for (uint32_t d = a->dims; d-- > 0; index /= a->dim[d])
    text = ts_arena_printf(arena, "%" PRIu32 "%s%s", index % a->dim[d], *text ? ", " : "", text);
  return ts_arena_printf(arena, "%s[%s]", a->name, text);
}

static const char *shape_text(ts_arena *arena, const ts_cluster_array *a)
{
  const char *text = a->name;
  for (uint32_t d = 0; d < a->dims; d++)
    text = ts_arena_printf(arena, "%s%s%" PRIu32, text, d ? ", " : "[", a->dim[d]);
  return a->dims ? ts_arena_printf(arena, "%s]", text) : text;
}

/* ---- Arrays ---- */

static bool array_dims(elaboration *c, const ts_env *env, const ts_ast *item, ts_cluster_array *a)
{
  uint64_t count = 1;
  ts_ast_list dimensions = ts_ast_dimensions(item);
  if (dimensions.count > 4) {
    ts_report(c->s, TS_E0602, item->span, "`%s` has %" PRIu32 " dimensions; at most 4 are possible",
              item->name, dimensions.count);
    return false;
  }
  const char *what = ts_arena_printf(c->s->arena, "a dimension of `%s`", item->name);
  for (uint32_t i = 0; i < dimensions.count; i++) {
    int64_t n;
    if (!ts_eval_int(c->s, env, dimensions.at[i], what, &n))
      return false;
    if (n < 1) {
      ts_diag *d = ts_report(c->s, TS_E0225, dimensions.at[i]->span, "%s must be at least 1", what);
      ts_diag_here(d, "this is %" PRId64, n);
      ts_note_values(c->s, env, d, dimensions.at[i]);
      return false;
    }
    uint32_t max = c->s->limits.vertices;
    if (n > max || count * (uint64_t)n + c->vertices.count > max) {
      ts_diag *d = ts_report(c->s, TS_E0606, dimensions.at[i]->span,
                             "the cluster has more than %s devices and switches",
                             ts_count_print(c->s->arena, max));
      ts_diag_here(d, "this is %" PRId64, n);
      ts_diag_help(d, "give the cluster fewer nodes");
      return false;
    }
    count *= (uint64_t)n;
    a->dim[a->dims++] = (uint32_t)n;
  }
  a->count = (uint32_t)count;
  return true;
}

static const ts_cluster_array *array_named(const ts_cluster_array *arrays, size_t count,
                                           const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (arrays[i].name == name)
      return &arrays[i];
  return NULL;
}

static bool add_array(elaboration *c, const ts_env *env, const ts_ast *item)
{
  ts_cluster_array a = {.name = item->name,
                        .is_switch = item->flags & 1,
                        .first = (uint32_t)c->vertices.count,
                        .span = item->name_span};
  const ts_cluster_array *earlier = array_named(c->arrays.at, c->arrays.count, item->name);
  if (earlier) {
    ts_diag *d = ts_report(c->s, TS_E0202, item->name_span, "cluster `%s` has two arrays `%s`",
                           c->decl->name, item->name);
    ts_diag_label(d, earlier->span, "first here");
    return false;
  }
  if (ts_ast_class(item)) {
    a.device_class = ts_eval(c->s, env, ts_ast_class(item));
    const char *what = ts_arena_printf(c->s->arena, "the class of `%s`", item->name);
    if (!ts_convert_to(c->s, "Gpu", &a.device_class, what, ts_ast_class(item)->span, TS_NO_SPAN))
      return false;
  } else if (!a.is_switch) {
    ts_diag *d = ts_report(c->s, TS_E0216, item->span, "devices `%s` have no class", item->name);
    ts_diag_help(d, "name a gpu after a colon, as in `device %s[8]: my_gpu`", item->name);
    return false;
  } else {
    a.device_class = ts_none_value();
  }
  if (!array_dims(c, env, item, &a))
    return false;
  for (uint32_t i = 0; i < a.count; i++)
    TS_PUSH(c->s->arena, &c->vertices,
            (ts_cluster_vertex){.array = (uint32_t)c->arrays.count, .speed = 1});
  TS_PUSH(c->s->arena, &c->arrays, a);
  return true;
}

/* ---- References ---- */

static const ts_cluster_array *ref_array(ts_session *s, const ts_cluster_array *arrays,
                                         size_t count, const ts_ast *ref)
{
  const ts_cluster_array *a = array_named(arrays, count, ref->name);
  if (a && (!ref->count || ref->count == a->dims))
    return a;
  if (a) {
    ts_diag *d = ts_report(s, TS_E0602, ref->span, "`%s` has %" PRIu32 " dimension%s, not %" PRIu32,
                           ref->name, a->dims, a->dims == 1 ? "" : "s", ref->count);
    ts_diag_here(d, "%" PRIu32 " ind%s", ref->count, ref->count == 1 ? "ex" : "ices");
    ts_diag_note_at(d, a->span, "`%s` is declared here", shape_text(s->arena, a));
    return NULL;
  }
  ts_diag *d = ts_report(s, TS_E0601, ref->name_span.file ? ref->name_span : ref->span,
                         "the cluster has no devices or switches `%s`", ref->name);
  ts_diag_here(d, "not found");
  ts_name_list names = {0};
  ts_name_list shapes = {0};
  for (size_t i = 0; i < count; i++) {
    TS_PUSH(s->arena, &names.names, arrays[i].name);
    TS_PUSH(s->arena, &shapes.names, shape_text(s->arena, &arrays[i]));
  }
  if (!ts_suggest_names(d, ref->name, &names) && count)
    ts_diag_note(d, "it has %s", ts_name_list_print(s, &shapes));
  return NULL;
}

static bool ref_index(ts_session *s, const ts_env *env, const ts_cluster_array *a,
                      const ts_ast *ref, uint32_t d, uint32_t *index)
{
  int64_t i;
  if (!ts_eval_int(s, env, ref->child[d], "an index", &i))
    return false;
  *index = (uint32_t)i;
  if (i >= 0 && i < a->dim[d])
    return true;
  ts_diag *diag = ts_report(s, TS_E0602, ref->child[d]->span, "index %" PRId64 " is outside `%s`",
                            i, shape_text(s->arena, a));
  ts_diag_here(diag, "this is %" PRId64 "; indices here are 0..%" PRIu32, i, a->dim[d]);
  ts_diag_note_at(diag, a->span, "`%s` is declared here", a->name);
  ts_note_values(s, env, diag, ref->child[d]);
  return false;
}

/* Vertices that a reference stands for, in order; `*`, or no indices at all, stand for every one.
 * */
static bool resolve(ts_session *s, const ts_env *env, const ts_cluster_array *arrays, size_t count,
                    const ts_ast *ref, vertex_list *out, bool *many)
{
  const ts_cluster_array *a = ref_array(s, arrays, count, ref);
  if (!a)
    return false;
  out->count = 0;
  TS_PUSH(s->arena, out, a->first);
  uint32_t stride = a->count;
  *many = false;
  for (uint32_t d = 0; d < a->dims; d++) {
    stride /= a->dim[d];
    bool star = !ref->count || ref->child[d]->kind == TS_AST_STAR;
    uint32_t index = 0;
    if (!star && !ref_index(s, env, a, ref, d, &index))
      return false;
    size_t before = out->count;
    for (size_t k = 0; k < before; k++)
      out->at[k] += index * stride;
    for (uint32_t i = 1; star && i < a->dim[d]; i++)
      for (size_t k = 0; k < before; k++)
        TS_PUSH(s->arena, out, out->at[k] + i * stride);
    *many |= star;
  }
  return true;
}

/* ---- Links ---- */

typedef enum link_field {
  BANDWIDTH,
  LATENCY,
  TIER,
  PORTS,
  SETUP,
  FAILED,
  LOSS,
  DOWN,
  LINK_FIELDS
} link_field;

/* `min` 0: it may be 0; else more than that. */
static bool cluster_possible(ts_session *s, const ts_ast *field, ts_value v, double min, double max)
{
  double value = v.u.real;
  if (value >= min && value <= max)
    return true;
  bool outside = value > 0;
  ts_diag *d = ts_report(s, TS_E0604, ts_ast_value(field)->span,
                         outside ? "`%s` is not possible" :
                         min > 0 ? "`%s` must be more than 0" :
                                   "`%s` must be 0 or more",
                         field->name);
  if (outside && max < 1)
    ts_diag_here(d, "this is %s, at most %g is possible", ts_value_print(s->arena, v), max);
  else if (outside)
    ts_diag_here(d, "this is %s, %s than is possible", ts_value_print(s->arena, v),
                 value < min ? "less" : "more");
  else
    ts_diag_here(d, "this is %s", value == 0 ? "0" : "negative");
  return false;
}

static bool unknown_field(ts_session *s, const ts_ast *field, const char *of,
                          const char *const *known, size_t count)
{
  ts_diag *d = ts_report(s, TS_E0214, field->name_span, "%s has no field `%s`", of, field->name);
  ts_diag_here(d, "not a field");
  ts_name_list names = {0};
  for (size_t i = 0; i < count; i++)
    TS_PUSH(s->arena, &names.names, known[i]);
  if (!ts_suggest_names(d, field->name, &names))
    ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
  return false;
}

static bool whole_between(ts_session *s, const ts_ast *field, int64_t value, int64_t max,
                          const char *what)
{
  if (value >= 0 && value <= max)
    return true;
  ts_diag *d = ts_report(s, TS_E0225, ts_ast_value(field)->span, "%s: at most %" PRId64, what, max);
  ts_diag_here(d, "this is %" PRId64, value);
  return false;
}

static bool link_field_value(ts_session *s, const ts_env *env, const ts_ast *field,
                             ts_cluster_class *class, unsigned *given)
{
  static const char *const known[] = {"bandwidth", "latency", "tier", "ports",
                                      "setup",     "failed",  "loss", "down"};
  static const char *const type[] = {"Rate", "Time", "Int", "Int", "Time", "Bool", "Real", "Time"};
  int k = 0;
  while (k < LINK_FIELDS && strcmp(known[k], field->name))
    k++;
  if (k == LINK_FIELDS)
    return unknown_field(s, field, "a link", known, LINK_FIELDS);
  if (*given & 1u << k) {
    ts_report(s, TS_E0202, field->name_span, "`%s` is given twice", field->name);
    return false;
  }
  ts_value v = ts_eval(s, env, ts_ast_value(field));
  if (!ts_convert_to(s, type[k], &v, ts_arena_printf(s->arena, "`%s`", known[k]),
                     ts_ast_value(field)->span, TS_NO_SPAN))
    return false;
  *given |= 1u << k;
  switch ((link_field)k) {
  /* bits/s: what an IR can hold */
  case BANDWIDTH: class->bandwidth = v.u.real; return cluster_possible(s, field, v, 8, 8e21);
  case LATENCY: class->latency = v.u.real; return cluster_possible(s, field, v, 0, 1e6);
  case SETUP: class->setup = v.u.real; return cluster_possible(s, field, v, 0, 1e6);
  case LOSS: class->loss = v.u.real; return cluster_possible(s, field, v, 0, 0.5);
  case DOWN: class->down = v.u.real; return cluster_possible(s, field, v, 0, 1e6);
  case TIER:
    class->tier = (uint32_t)v.u.integer;
    return whole_between(s, field, v.u.integer, MAX_TIER,
                         "`tier` is 0 inside a node, 1 between nodes, ...");
  case PORTS:
    class->ports = (uint32_t)v.u.integer;
    return whole_between(s, field, v.u.integer, MAX_PORTS,
                         "`ports` is how many circuits an end holds at a time");
  default: class->failed = v.u.truth; return true;
  }
}

static bool link_fields(ts_session *s, const ts_env *env, const ts_ast *link,
                        ts_cluster_class *class, unsigned *given)
{
  bool ok = true;
  ts_ast_list fields = ts_ast_fields(link);
  for (uint32_t i = 0; i < fields.count; i++)
    ok = link_field_value(s, env, fields.at[i], class, given) && ok;
  return ok;
}

static bool mentions(const elaboration *c, const ts_ast *e)
{
  if (e->kind == TS_AST_ID)
    for (size_t i = 0; i < c->varying.count; i++)
      if (c->varying.at[i] == e->name)
        return true;
  for (uint32_t i = 0; i < e->count; i++)
    if (e->child[i] && mentions(c, e->child[i]))
      return true;
  return false;
}

static uint32_t class_index(elaboration *c, const ts_cluster_class *class)
{
  enum { LOOK_BACK = 64 }; /* equal classes of one statement mostly follow each other */
  for (size_t i = c->classes.count; i-- > 0 && c->classes.count - i <= LOOK_BACK;) {
    const ts_cluster_class *k = &c->classes.at[i];
    if (k->span.begin == class->span.begin && k->bandwidth == class->bandwidth &&
        k->latency == class->latency && k->tier == class->tier && k->ports == class->ports &&
        k->setup == class->setup && k->failed == class->failed && k->loss == class->loss &&
        k->down == class->down)
      return (uint32_t)i;
  }
  TS_PUSH(c->s->arena, &c->classes, *class);
  return (uint32_t)c->classes.count - 1;
}

static bool circuits_have_ports(ts_session *s, const ts_cluster_class *class)
{
  if (!(class->setup > 0) || class->ports)
    return true;
  ts_diag *d = ts_report(s, TS_E0216, class->span,
                         "a link of circuits that take time to set up needs `ports`");
  ts_diag_help(d, "how many circuits an end holds at a time, as in `{ bandwidth = 400 Gb/s, setup "
                  "= 10 us, ports = 4 }`");
  return false;
}

static bool link_class(elaboration *c, const ts_env *env, const ts_ast *link, uint32_t *index)
{
  for (size_t i = 0; i < c->steady.count; i++)
    if (c->steady.at[i].link == link) {
      *index = c->steady.at[i].class_index;
      return true;
    }
  ts_cluster_class class = {.span = link->span};
  unsigned given = 0;
  if (!link_fields(c->s, env, link, &class, &given))
    return false;
  if (!circuits_have_ports(c->s, &class))
    return false;
  if (!(given & 1u << BANDWIDTH)) {
    ts_diag *d = ts_report(c->s, TS_E0216, link->span, "a link needs a `bandwidth`");
    ts_diag_here(d, "not given");
    ts_diag_help(
      d, "the rate of one direction, as in `{ bandwidth = 400 Gb/s, latency = 2 us, tier = 1 }`");
    return false;
  }
  class.name =
    ts_arena_printf(c->s->arena, "%s-%s", ts_ast_from(link)->name, ts_ast_to(link)->name);
  *index = class_index(c, &class);
  bool varies = false;
  ts_ast_list fields = ts_ast_fields(link);
  for (uint32_t i = 0; i < fields.count; i++)
    varies |= mentions(c, fields.at[i]);
  if (!varies)
    TS_PUSH(c->s->arena, &c->steady, (steady){link, *index});
  return true;
}

static bool self_link(elaboration *c, const ts_env *env, const ts_ast *link, uint32_t vertex)
{
  const ts_cluster_array *a = &c->arrays.at[c->vertices.at[vertex].array];
  ts_diag *d = ts_report(c->s, TS_E0605, link->span, "this links `%s` to itself",
                         vertex_text(c->s->arena, a, vertex));
  ts_diag_label(d, ts_ast_from(link)->span, "%s", vertex_text(c->s->arena, a, vertex));
  ts_diag_label(d, ts_ast_to(link)->span, "%s", vertex_text(c->s->arena, a, vertex));
  ts_note_values(c->s, env, d, ts_ast_from(link));
  ts_note_values(c->s, env, d, ts_ast_to(link));
  return false;
}

static bool add_link(elaboration *c, const ts_env *env, const ts_ast *link)
{
  uint32_t index;
  bool many_from, many_to;
  bool found =
    resolve(c->s, env, c->arrays.at, c->arrays.count, ts_ast_from(link), &c->from, &many_from);
  found =
    resolve(c->s, env, c->arrays.at, c->arrays.count, ts_ast_to(link), &c->to, &many_to) && found;
  if (!link_class(c, env, link, &index) || !found)
    return false;
  bool duplex = !(link->flags & 1),
       within = many_from && many_to && ts_ast_from(link)->name == ts_ast_to(link)->name;
  uint64_t added = (uint64_t)c->from.count * c->to.count;
  if (added + c->links.count > c->s->limits.links) {
    ts_diag *d = ts_report(c->s, TS_E0606, link->span, "the cluster has more than %s links",
                           ts_count_print(c->s->arena, c->s->limits.links));
    ts_diag_here(d, "%s more", ts_count_print(c->s->arena, (int64_t)added));
    ts_diag_help(
      d, "link the devices to a switch instead of each other, or give the cluster fewer nodes");
    return false;
  }
  for (size_t i = 0; i < c->from.count; i++)
    for (size_t k = 0; k < c->to.count; k++) {
      uint32_t from = c->from.at[i], to = c->to.at[k];
      if (from == to && !many_from && !many_to)
        return self_link(c, env, link, from);
      /* all of an array with all of it: each pair once */
      if (from != to && !(within && duplex && from > to))
        TS_PUSH(c->s->arena, &c->links,
                (ts_cluster_link){.from = from, .to = to, .link_class = index, .duplex = duplex});
    }
  return true;
}

/* ---- Statements ---- */

static bool cluster_run(elaboration *c, ts_env *env, const ts_ast *parent);

static bool run_for(elaboration *c, ts_env *env, const ts_ast *loop)
{
  ts_value list = ts_eval(c->s, env, ts_ast_over(loop));
  if (list.type == TS_T_ERROR)
    return false;
  if (list.type != TS_T_RANGE && list.type != TS_T_LIST) {
    ts_diag *d =
      ts_report(c->s, TS_E0220, ts_ast_over(loop)->span, "`%s` runs over %s, not over a list",
                loop->name, ts_value_describe(c->s->arena, list));
    ts_diag_here(d, "found %s", ts_value_describe(c->s->arena, list));
    return false;
  }
  int64_t count =
    list.type == TS_T_LIST ? (int64_t)list.u.list->count : list.u.range.end - list.u.range.begin;
  ts_env *inner = ts_env_sized(c->s, env, 2);
  TS_PUSH(c->s->arena, &c->varying, loop->name);
  c->loops++;
  bool ok = true;
  for (int64_t i = 0; i < count && ok; i++) {
    bool wanted = true;
    ts_env_bind(inner, loop->name,
                list.type == TS_T_LIST ?
                  list.u.list->at[i] :
                  ts_int_value(list.u.range.begin + i, ts_ast_over(loop)->span));
    ok = !ts_ast_where(loop) ||
         ts_eval_bool(c->s, inner, ts_ast_where(loop), "the condition of `for`", &wanted);
    ok = ok && (!wanted || cluster_run(c, inner, loop));
    ok = ts_count_iteration(c->s, loop->span) && ok;
  }
  c->loops--;
  return ok;
}

static bool run_if(elaboration *c, ts_env *env, const ts_ast *item)
{
  bool condition;
  if (!ts_eval_bool(c->s, env, ts_ast_condition(item), "the condition of `if`", &condition))
    return false;
  const ts_ast *branch = condition ? ts_ast_then(item) : ts_ast_else(item);
  if (!branch)
    return true;
  return branch->kind == TS_AST_IF_STMT ? run_if(c, env, branch) : cluster_run(c, env, branch);
}

static bool run_let(elaboration *c, ts_env *env, const ts_ast *let)
{
  ts_value v = ts_eval_let(c->s, env, let);
  ts_env_bind(env, let->name, v);
  if (c->loops)
    TS_PUSH(c->s->arena, &c->varying, let->name);
  return v.type != TS_T_ERROR;
}

static bool run_item(elaboration *c, ts_env *env, const ts_ast *item)
{
  switch (item->kind) {
  case TS_AST_LET: return run_let(c, env, item);
  case TS_AST_ARRAY: return add_array(c, env, item);
  case TS_AST_LINK: return add_link(c, env, item);
  case TS_AST_FOR: return run_for(c, env, item);
  case TS_AST_IF_STMT: return run_if(c, env, item);
  default: return true;
  }
}

static bool cluster_run(elaboration *c, ts_env *env, const ts_ast *parent)
{
  bool ok = true;
  ts_ast_list items = ts_ast_items(parent);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    ok = run_item(c, env, item) && ok;
    if (!ok && (item->kind == TS_AST_ARRAY || item->kind == TS_AST_LET))
      return false; /* links would fail for want of it */
  }
  return ok;
}

/* ---- Checks of the whole ---- */

static bool linked_twice(elaboration *c, uint32_t from, uint32_t to)
{
  const ts_cluster_class *first = NULL, *second = NULL;
  for (size_t k = 0; k < c->links.count; k++) {
    const ts_cluster_link *l = &c->links.at[k];
    if ((l->from == from && l->to == to) || (l->duplex && l->from == to && l->to == from)) {
      second = &c->classes.at[l->link_class];
      first = first ? first : second;
    }
  }
  ts_diag *d = ts_report(c->s, TS_E0603, second->span, "`%s` and `%s` are linked twice",
                         vertex_text(c->s->arena, &c->arrays.at[c->vertices.at[from].array], from),
                         vertex_text(c->s->arena, &c->arrays.at[c->vertices.at[to].array], to));
  if (first->span.begin != second->span.begin)
    ts_diag_label(d, first->span, "first here");
  ts_diag_help(d, "make it one link with the sum of the bandwidths");
  return false;
}

/* Of vertices linked twice those that come first. */
static bool linked_once(elaboration *c)
{
  ts_arena *scratch = ts_arena_new("ends of links");
  uint32_t count = (uint32_t)c->vertices.count, from = 0, twice = UINT32_MAX,
           *first = TS_NEW_ARRAY(scratch, uint32_t, (size_t)count + 2),
           *to = ts_arena_alloc_raw(scratch, 2 * c->links.count * sizeof *to),
           *seen = TS_NEW_ARRAY(scratch, uint32_t, count);
  for (size_t i = 0; i < c->links.count; i++) {
    first[c->links.at[i].from + 2]++;
    first[c->links.at[i].to + 2] += c->links.at[i].duplex;
  }
  for (uint32_t v = 0; v < count; v++)
    first[v + 2] += first[v + 1];
  for (size_t i = 0; i < c->links.count; i++) {
    const ts_cluster_link *l = &c->links.at[i];
    to[first[l->from + 1]++] = l->to;
    if (l->duplex)
      to[first[l->to + 1]++] = l->from;
  }
  for (; from < count; from++) {
    for (uint32_t k = first[from]; k < first[from + 1]; k++) {
      if (seen[to[k]] == from + 1 && to[k] < twice)
        twice = to[k];
      seen[to[k]] = from + 1;
    }
    if (twice != UINT32_MAX)
      break;
  }
  ts_arena_free(scratch);
  return twice == UINT32_MAX || linked_twice(c, from, twice);
}

/* All devices must be able to talk to each other: those outside of the largest connected part are
 * reported. */
static bool connected(elaboration *c)
{
  uint32_t count = (uint32_t)c->vertices.count, best = 0, outside = 0, lonely = UINT32_MAX;
  uint32_t *parts = ts_sets_new(c->s->arena, count),
           *devices = TS_NEW_ARRAY(c->s->arena, uint32_t, count);
  for (size_t i = 0; i < c->links.count; i++)
    ts_sets_join(parts, c->links.at[i].from, c->links.at[i].to);
  for (uint32_t v = 0; v < count; v++)
    if (!c->arrays.at[c->vertices.at[v].array].is_switch)
      devices[ts_set_of(parts, v)]++;
  for (uint32_t v = 0; v < count; v++)
    best = devices[v] > devices[best] ? v : best;
  for (uint32_t v = 0; v < count; v++)
    if (!c->arrays.at[c->vertices.at[v].array].is_switch && ts_set_of(parts, v) != best) {
      lonely = outside++ ? lonely : v;
    }
  if (!outside)
    return true;
  const ts_cluster_array *a = &c->arrays.at[c->vertices.at[lonely].array];
  ts_diag *d =
    ts_report(c->s, TS_E0609, a->span, "no path of links connects `%s` with the other devices",
              vertex_text(c->s->arena, a, lonely));
  ts_diag_here(d, "%" PRIu32 " of %" PRIu32 " devices are not connected to the others", outside,
               outside + devices[best]);
  ts_diag_help(d,
               "link them to a switch of the others, as in `link %s[...] <-> leaf[...] "
               "{ bandwidth = 400 Gb/s }`",
               a->name);
  return false;
}

static uint32_t count_devices(const elaboration *c)
{
  uint32_t count = 0;
  for (size_t i = 0; i < c->arrays.count; i++)
    count += c->arrays.at[i].is_switch ? 0 : c->arrays.at[i].count;
  return count;
}

ts_value ts_cluster_build(ts_session *s, const ts_env *env, const ts_ast *decl, ts_span span)
{
  elaboration c = {.s = s, .decl = decl};
  ts_env *scope = ts_env_new(s, env);
  if (!cluster_run(&c, scope, decl))
    return ts_error_value();
  uint32_t devices = count_devices(&c);
  if (!devices) {
    ts_diag *d = ts_report(s, TS_E0608, decl->name_span, "cluster `%s` has no devices", decl->name);
    ts_diag_help(d, "declare some, as in `device gpu[8]: my_gpu`");
    return ts_error_value();
  }
  if (!linked_once(&c) || !connected(&c))
    return ts_error_value();
  ts_cluster *cluster = TS_NEW(s->arena, ts_cluster);
  *cluster = (ts_cluster){.named = {decl->name},
                          .span = span,
                          .array_count = (uint32_t)c.arrays.count,
                          .class_count = (uint32_t)c.classes.count,
                          .link_count = (uint32_t)c.links.count,
                          .vertex_count = (uint32_t)c.vertices.count,
                          .device_count = devices,
                          .arrays = c.arrays.at,
                          .classes = c.classes.at,
                          .links = c.links.at,
                          .vertices = c.vertices.at};
  return (ts_value){.type = TS_T_CLUSTER, .span = span, .u.cluster = cluster};
}

/* ---- with ---- */

typedef struct change { /* a copy being changed */
  ts_session *s;
  const ts_env *env;
  const ts_cluster *old;
  TS_VEC(ts_cluster_class) classes;
  TS_VEC(ts_cluster_link) links;
  ts_cluster_vertex *vertices;
  ts_cluster_array *arrays;
} change;

static bool changes_nothing(ts_session *s, const ts_ast *override)
{
  ts_diag *d = ts_report(s, TS_E0607, override->span, "this changes nothing");
  ts_diag_here(d,
               override->kind == TS_AST_LINK ? "no such link in the cluster" : "no field is given");
  return false;
}

static uint8_t *marked(change *c, const ts_ast *ref)
{
  vertex_list list = {0};
  bool many;
  if (!resolve(c->s, c->env, c->old->arrays, c->old->array_count, ref, &list, &many))
    return NULL;
  uint8_t *marks = TS_NEW_ARRAY(c->s->arena, uint8_t, c->old->vertex_count);
  for (size_t i = 0; i < list.count; i++)
    marks[list.at[i]] = 1;
  return marks;
}

static uint32_t changed_class(change *c, uint32_t old, uint32_t *renewed,
                              const ts_cluster_class *new, unsigned given)
{
  if (renewed[old] != UINT32_MAX)
    return renewed[old];
  ts_cluster_class class = c->classes.at[old];
  class.span = new->span;
  class.bandwidth = given & 1u << BANDWIDTH ? new->bandwidth : class.bandwidth;
  class.latency = given & 1u << LATENCY ? new->latency : class.latency;
  class.tier = given & 1u << TIER ? new->tier : class.tier;
  class.ports = given & 1u << PORTS ? new->ports : class.ports;
  class.setup = given & 1u << SETUP ? new->setup : class.setup;
  class.failed = given & 1u << FAILED ? new->failed : class.failed;
  class.loss = given & 1u << LOSS ? new->loss : class.loss;
  class.down = given & 1u << DOWN ? new->down : class.down;
  TS_PUSH(c->s->arena, &c->classes, class);
  return renewed[old] = (uint32_t)c->classes.count - 1;
}

static bool change_links(change *c, const ts_ast *override)
{
  ts_cluster_class new = {.span = override->span};
  unsigned given = 0;
  uint8_t *a = marked(c, ts_ast_from(override)), *b = marked(c, ts_ast_to(override));
  if (!a || !b || !link_fields(c->s, c->env, override, &new, &given))
    return false;
  bool both_ways = !(override->flags & 1), any = false, ok = true;
  size_t classes = c->classes.count, links = c->links.count;
  uint32_t *renewed = TS_NEW_ARRAY(c->s->arena, uint32_t, classes);
  memset(renewed, 0xff, classes * sizeof *renewed);
  for (size_t i = 0; i < links && given; i++) {
    ts_cluster_link l = c->links.at[i];
    bool forward = a[l.from] && b[l.to], back = a[l.to] && b[l.from];
    if (both_ways)
      forward = back = forward || back;
    if (!forward && !(back && l.duplex))
      continue;
    any = true;
    uint32_t class = changed_class(c, l.link_class, renewed, &new, given);
    ok = ok && circuits_have_ports(c->s, &c->classes.at[class]);
    if (l.duplex && forward != back) { /* one direction of a link with two: it becomes two links */
      ts_cluster_link outward = {
        .from = forward ? l.to : l.from, .to = forward ? l.from : l.to, .link_class = l.link_class};
      TS_PUSH(c->s->arena, &c->links, outward);
      c->links.at[i] =
        (ts_cluster_link){.from = outward.to, .to = outward.from, .link_class = class};
    } else {
      c->links.at[i].link_class = class;
    }
  }
  return any ? ok : changes_nothing(c->s, override);
}

/* Fields of the cluster are those of the gpus of all its devices. */
static bool change_gpus(change *c, const ts_ast *with, const ts_ast *field)
{
  static const char *const known[] = {"watts", "idle_watts", "host_watts", "price"};
  enum { KNOWN = sizeof known / sizeof *known };
  size_t k = 0;
  while (k < KNOWN && strcmp(known[k], field->name))
    k++;
  if (k == KNOWN)
    return unknown_field(c->s, field, "a cluster", known, KNOWN);
  ts_ast *one = ts_arena_copy(c->s->arena, with, sizeof *one);
  ts_ast *children[] = {with->child[0], (ts_ast *)(uintptr_t)field};
  one->child = ts_arena_copy(c->s->arena, children, sizeof children);
  one->count = 2;
  for (uint32_t i = 0; i < c->old->array_count; i++) {
    ts_value *gpu = &c->arrays[i].device_class;
    if (gpu->type == TS_T_GPU)
      *gpu = ts_gpu_changed(c->s, c->env, *gpu, one);
    if (gpu->type == TS_T_ERROR)
      return false;
  }
  return true;
}

static bool change_devices(change *c, const ts_ast *override)
{
  static const char *const known[] = {"speed"};
  const ts_ast *ref = ts_ast_ref(override);
  const ts_cluster_array *array = ref_array(c->s, c->old->arrays, c->old->array_count, ref);
  uint8_t *marks = array ? marked(c, ref) : NULL;
  if (!marks)
    return false;
  if (array->is_switch) {
    ts_diag *d = ts_report(c->s, TS_E0607, ref->span,
                           "`%s` is a switch, which has no fields to change", ref->name);
    ts_diag_help(d, "change its links, as in `link %s[0] <-> gpu[*] { bandwidth = 100 Gb/s }`",
                 ref->name);
    return false;
  }
  ts_ast_list fields = ts_ast_fields(override);
  for (uint32_t i = 0; i < fields.count; i++) {
    const ts_ast *field = fields.at[i];
    if (strcmp(field->name, "speed"))
      return unknown_field(c->s, field, "a device", known, 1);
    ts_value v = ts_eval(c->s, c->env, ts_ast_value(field));
    if (!ts_convert_to(c->s, "Real", &v, "`speed`", ts_ast_value(field)->span, TS_NO_SPAN) ||
        !cluster_possible(c->s, field, v, 1e-6, 1e6))
      return false;
    for (uint32_t k = 0; k < c->old->vertex_count; k++)
      c->vertices[k].speed = marks[k] ? v.u.real : c->vertices[k].speed;
  }
  return override->count > 1 || changes_nothing(c->s, override);
}

ts_value ts_cluster_override(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with)
{
  v = ts_settle(s, v);
  if (v.type == TS_T_ERROR)
    return v;
  if (v.type != TS_T_CLUSTER)
    return ts_unchangeable(s, v, with);
  const ts_cluster *old = v.u.cluster;
  change c = {.s = s,
              .env = env,
              .old = old,
              .arrays =
                ts_arena_copy(s->arena, old->arrays, old->array_count * sizeof *old->arrays),
              .vertices =
                ts_arena_copy(s->arena, old->vertices, old->vertex_count * sizeof *old->vertices)};
  for (uint32_t i = 0; i < old->class_count; i++)
    TS_PUSH(s->arena, &c.classes, old->classes[i]);
  for (uint32_t i = 0; i < old->link_count; i++)
    TS_PUSH(s->arena, &c.links, old->links[i]);
  bool ok = true;
  ts_ast_list changes = ts_ast_changes(with);
  for (uint32_t i = 0; i < changes.count; i++)
    if (changes.at[i]->kind == TS_AST_RULE || changes.at[i]->kind == TS_AST_REMOVE) {
      ts_diag_here(ts_report(s, TS_E0220, changes.at[i]->span, "a cluster has no rules"),
                   "only strategies have rules");
      return ts_error_value();
    }
  for (uint32_t i = 0; i < changes.count; i++)
    ok = (changes.at[i]->kind == TS_AST_LINK  ? change_links(&c, changes.at[i]) :
          changes.at[i]->kind == TS_AST_FIELD ? change_gpus(&c, with, changes.at[i]) :
                                                change_devices(&c, changes.at[i])) &&
         ok;
  if (!ok)
    return ts_error_value();
  ts_cluster *cluster = TS_NEW(s->arena, ts_cluster);
  *cluster = *old;
  cluster->classes = c.classes.at;
  cluster->class_count = (uint32_t)c.classes.count;
  cluster->links = c.links.at;
  cluster->link_count = (uint32_t)c.links.count;
  cluster->vertices = c.vertices;
  cluster->arrays = c.arrays;
  return (ts_value){.type = TS_T_CLUSTER, .span = v.span, .u.cluster = cluster};
}
