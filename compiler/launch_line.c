#include "compiler/launch_line.h"

#include <string.h>

#include "compiler/eval/eval.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/machine/cluster.h"
#include "compiler/plan/plan.h"

#define LIBRARY "std/frameworks/launch.ts"

typedef struct launch_record {
  ts_session *s;
  TS_VEC(ts_field) fields;
} launch_record;

static void launch_put(launch_record *r, const char *name, ts_value v)
{
  ts_value *copy = ts_arena_copy(r->s->arena, &v, sizeof v);
  TS_PUSH(r->s->arena, &r->fields,
          (ts_field){.name = ts_lang_intern(r->s->lang, name, strlen(name)), .value = copy});
}

static void launch_put_text(launch_record *r, const char *name, const char *text)
{
  launch_put(r, name, ts_string_value(ts_lang_intern(r->s->lang, text, strlen(text)), TS_NO_SPAN));
}

static ts_value launch_value(launch_record *r)
{
  ts_record *record = TS_NEW(r->s->arena, ts_record);
  *record = (ts_record){.count = (uint32_t)r->fields.count, .at = r->fields.at};
  return (ts_value){.type = TS_T_RECORD, .u.record = record};
}

/* What the language has no values for outside of a plan: an axis is its size, formats, labels and
 * words are texts, what is applied a record { name, arguments }. */
static ts_value as_plain(ts_session *s, ts_value v);

static ts_value plain_arguments(ts_session *s, const ts_record *args)
{
  launch_record all = {.s = s};
  for (uint32_t i = 0; i < args->count; i++)
    launch_put(&all, args->at[i].name, as_plain(s, *args->at[i].value));
  return launch_value(&all);
}

static ts_value plain_call(ts_session *s, const char *name, ts_value arguments)
{
  launch_record r = {.s = s};
  launch_put_text(&r, "name", name);
  launch_put(&r, "arguments", arguments);
  return launch_value(&r);
}

/* `more`: what comes behind the list, or NONE. */
static ts_value plain_list(ts_session *s, const ts_list *list, ts_value more)
{
  uint32_t count = list->count + (more.type != TS_T_NONE);
  ts_value *at = TS_NEW_ARRAY(s->arena, ts_value, count + 1);
  for (uint32_t i = 0; i < count; i++)
    at[i] = as_plain(s, i < list->count ? list->at[i] : more);
  return ts_list_value(s->arena, at, count, TS_NO_SPAN);
}

static ts_value as_plain(ts_session *s, ts_value v)
{
  launch_record r = {.s = s};
  switch (v.type) {
  case TS_T_LIST: return plain_list(s, v.u.list, ts_none_value());
  case TS_T_DTYPE: launch_put_text(&r, "name", v.u.dtype->name); return *r.fields.at[0].value;
  case TS_T_LABEL:
  case TS_T_WORD: return ts_string_value(v.u.string, TS_NO_SPAN);
  case TS_T_AXIS: return ts_int_value(ts_axes_size(s, v.u.axes.mask), TS_NO_SPAN);
  case TS_T_APPLIED:
    return plain_call(s, v.u.applied->name, plain_arguments(s, &v.u.applied->args));
  case TS_T_DECL: return plain_call(s, v.u.decl->name, launch_value(&r));
  default: return v;
  }
}

/* Of the devices, the first kind that the cluster has. */
static const char *device_of(const ts_cluster *c)
{
  for (uint32_t i = 0; i < c->array_count; i++)
    if (!c->arrays[i].is_switch && c->arrays[i].device_class.type == TS_T_GPU)
      return c->arrays[i].device_class.u.record->name;
  return "";
}

/* The arguments that an importer wrote into the file, and their type's name. */
static void put_arguments(launch_record *r, const ts_plan *p)
{
  ts_session *s = r->s;
  ts_module *m = ts_module_of(s, p->decl->span.file);
  const char *name = ts_lang_intern(s->lang, "arguments", 9);
  ts_value v;
  bool known = m && ts_module_find(m, name) && ts_module_lookup(s, m, name, TS_NO_SPAN, &v) &&
               v.type == TS_T_RECORD && v.u.record->type;
  launch_put(r, "arguments", known ? v : ts_none_value());
  launch_put_text(r, "arguments_type", known ? v.u.record->type->name : "");
}

static ts_value launch_facts(ts_session *s, const ts_plan *p)
{
  launch_record r = {.s = s}, mesh = {.s = s};
  int64_t world = 1;
  for (uint32_t i = 0; i < s->mesh->count; i++) {
    launch_put(&mesh, s->mesh->axis[i].name, ts_int_value(s->mesh->axis[i].size, TS_NO_SPAN));
    world *= s->mesh->axis[i].size;
  }
  launch_put_text(&r, "name", p->name);
  launch_put_text(&r, "framework", p->framework ? p->framework : "");
  launch_put_text(&r, "device",
                  p->cluster.type == TS_T_CLUSTER ? device_of(p->cluster.u.cluster) : "");
  launch_put(&r, "world", ts_int_value(world, TS_NO_SPAN));
  launch_put(&r, "mesh", launch_value(&mesh));
  launch_put(&r, "model", as_plain(s, p->model));
  launch_put(&r, "schedule", as_plain(s, p->schedule));
  launch_put(
    &r, "apply",
    plain_list(s, p->apply.type == TS_T_LIST ? p->apply.u.list : &(ts_list){0}, p->recompute));
  launch_put(&r, "micro", ts_int_value(p->micro_batch, TS_NO_SPAN));
  launch_put(&r, "global", ts_int_value(p->global_batch, TS_NO_SPAN));
  launch_put_text(&r, "compute", p->precision.compute ? p->precision.compute->name : "fp32");
  launch_put_text(&r, "gradients", p->precision.gradients ? p->precision.gradients->name : "fp32");
  put_arguments(&r, p);
  return launch_value(&r);
}

static bool launch_library(ts_session *s, const char *name, ts_value *v)
{
  ts_module *m = ts_module_of_library(s, LIBRARY);
  return m && ts_module_lookup(s, m, ts_lang_intern(s->lang, name, strlen(name)), TS_NO_SPAN, v);
}

const char *const *ts_launch_frameworks(ts_session *s)
{
  TS_VEC(const char *) names = {0};
  ts_value v;
  if (launch_library(s, "launch_frameworks", &v) && v.type == TS_T_LIST)
    for (uint32_t i = 0; i < v.u.list->count; i++)
      TS_PUSH(s->arena, &names, v.u.list->at[i].u.string);
  TS_PUSH(s->arena, &names, NULL);
  return names.at;
}

/* Lines are lists of pieces. */
static const char *launch_joined_lines(ts_session *s, ts_value lines)
{
  TS_VEC(char) text = {0};
  for (int64_t i = 0; i < ts_sequence_count(lines); i++) {
    ts_value line = ts_sequence_at(lines, i);
    for (int64_t k = 0; k < ts_sequence_count(line); k++)
      for (const char *c = ts_sequence_at(line, k).u.string; *c; c++)
        TS_PUSH(s->arena, &text, *c);
    TS_PUSH(s->arena, &text, '\n');
  }
  TS_PUSH(s->arena, &text, 0);
  return text.at;
}

const char *ts_launch_text(ts_session *s, const char *path, const char *plan, const char *framework)
{
  ts_plan *p = ts_plan_load(s, path, plan);
  ts_value write, lines;
  if (!p || ts_diags_errors(s->diags) || !launch_library(s, "launch_lines", &write))
    return NULL;
  ts_value args[] = {
    launch_facts(s, p),
    ts_string_value(ts_lang_intern(s->lang, framework, strlen(framework)), TS_NO_SPAN)};
  if (ts_diags_errors(s->diags))
    return NULL;
  lines = ts_call(s, write, args, NULL, 2, p->decl->name_span);
  return lines.type == TS_T_LIST && !ts_diags_errors(s->diags) ? launch_joined_lines(s, lines) :
                                                                 NULL;
}
