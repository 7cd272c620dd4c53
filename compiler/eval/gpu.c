/* Values of `gpu` declarations: fields of their own, or those of another with changes. */
#include <string.h>

#include "compiler/eval/function.h"
#include "compiler/eval/report.h"

typedef struct known_field {
  const char *name, *type;
  double min, max;
} known_field;

/* bits, bits/s: what an IR can hold. Other fields are for functions to ask. */
static const known_field known[] = {{"memory", "Size", 0, 8 * 0x1p56},
                                    {"reserved", "Size", 0, 8 * 0x1p56},
                                    {"bandwidth", "Rate", 8, 8e21},
                                    {"l2", "Size", 0, 8 * 0x1p56},
                                    {"sms", "Int", 1, 1 << 20},
                                    {"watts", "Power", 0, 1e9},
                                    {"idle_watts", "Power", 0, 1e9},
                                    {"host_watts", "Power", 0, 1e9},
                                    {"price", "Price", 0, 1e6},
                                    {"peak", "Record", 0, 0},
                                    {"called", "List", 0, 0}};
enum { KNOWN = sizeof known / sizeof *known };

typedef struct making { /* a gpu */
  ts_session *s;
  const ts_env *env;
  const char *name;
  TS_VEC(ts_field) fields;
  bool ok;
} making;

static const known_field *known_of(const char *name)
{
  for (size_t i = 0; i < KNOWN; i++)
    if (!strcmp(known[i].name, name))
      return &known[i];
  return NULL;
}

/* ---- Fields ---- */

static bool gpu_number(ts_session *s, const char *what, ts_value v, ts_span at, double min,
                       double max)
{
  double number = v.type == TS_T_INT ? (double)v.u.integer : v.u.real;
  if (number >= min && number <= max)
    return true;
  ts_diag *d = ts_report(s, TS_E0225, at, "%s is not possible", what);
  ts_diag_here(d, "this is %s, %s than is possible", ts_value_print(s->arena, v),
               number < min ? "less" : "more");
  return false;
}

static bool peaks(ts_session *s, const ts_record *rates)
{
  bool ok = true;
  for (uint32_t i = 0; i < rates->count; i++) {
    ts_field peak = rates->at[i];
    ts_value rate = *peak.value;
    const char *what = ts_arena_printf(s->arena, "the peak rate of `%s`", peak.name);
    ok = ts_convert_to(s, "WorkRate", &rate, what, peak.span, TS_NO_SPAN) &&
         gpu_number(s, what, rate, peak.span, 1, 1e30) && ok;
    if (!ts_dtype_find(peak.name)) {
      ts_report(s, TS_E0214, peak.span, "`%s` is not a number format", peak.name);
      ok = false;
    }
  }
  return ok;
}

static bool names(ts_session *s, const ts_list *list, ts_span at)
{
  bool ok = true;
  for (uint32_t i = 0; ok && i < list->count; i++) {
    ts_value name = list->at[i];
    ok = ts_convert_to(s, "String", &name, "a name in `called`", at, TS_NO_SPAN);
  }
  return ok;
}

static bool check(making *m, const ts_ast *field, ts_value *v)
{
  const known_field *k = known_of(field->name);
  ts_span at = ts_ast_value(field)->span;
  const char *what = ts_arena_printf(m->s->arena, "`%s` of gpu `%s`", field->name, m->name);
  if (!k || v->type == TS_T_ERROR)
    return v->type != TS_T_ERROR;
  if (!ts_convert_to(m->s, k->type, v, what, at, TS_NO_SPAN))
    return false;
  if (v->type == TS_T_RECORD)
    return peaks(m->s, v->u.record);
  return v->type == TS_T_LIST ? names(m->s, v->u.list, at) :
                                gpu_number(m->s, what, *v, at, k->min, k->max);
}

/* A field that functions may ask for is spelt almost as one that the compiler reads. */
static void doubt(making *m, const ts_ast *field, ts_ast_list given)
{
  const char *candidates[KNOWN], *best[3];
  size_t count = 0;
  if (known_of(field->name) || strlen(field->name) < 4)
    return;
  for (size_t k = 0; k < KNOWN; k++) {
    bool there = strlen(known[k].name) < 4;
    for (uint32_t i = 0; i < given.count && !there; i++)
      there = !strcmp(given.at[i]->name, known[k].name);
    if (!there)
      candidates[count++] = known[k].name;
  }
  if (!ts_suggest(field->name, candidates, count, best))
    return;
  ts_diag *d = ts_report(m->s, TS_W0207, field->name_span,
                         "`%s` of gpu `%s` is for functions to ask; nothing else reads it",
                         field->name, m->name);
  ts_diag_edit(d, field->name_span, best[0], "did you mean `%s`?", best[0]);
}

/* Those of a declaration, or of `with`: each once, in the place of the one that is there. */
static void add_fields(making *m, ts_ast_list given)
{
  for (uint32_t i = 0; i < given.count; i++) {
    const ts_ast *field = given.at[i];
    ts_value *v = TS_NEW(m->s->arena, ts_value);
    *v = ts_eval(m->s, m->env, ts_ast_value(field));
    m->ok &= check(m, field, v);
    doubt(m, field, given);
    for (uint32_t k = 0; k < i; k++)
      if (given.at[k]->name == field->name) {
        ts_diag *d = ts_report(m->s, TS_E0202, field->name_span, "gpu `%s` has two fields `%s`",
                               m->name, field->name);
        ts_diag_label(d, given.at[k]->name_span, "first here");
        m->ok = false;
      }
    size_t at = 0;
    while (at < m->fields.count && m->fields.at[at].name != field->name)
      at++;
    if (at == m->fields.count)
      TS_PUSH(m->s->arena, &m->fields, (ts_field){0});
    m->fields.at[at] = (ts_field){.name = field->name, .value = v, .span = field->span};
  }
}

/* What no device is without; what drivers take is a part of the memory. */
static bool gpu_whole(const making *m, const ts_record *gpu, ts_span name, ts_span around)
{
  const ts_value *memory = ts_record_find(gpu, "memory"),
                 *reserved = ts_record_find(gpu, "reserved");
  if (!ts_record_find(gpu, "bandwidth")) {
    ts_diag *d = ts_report(m->s, TS_E0216, name, "gpu `%s` has no `bandwidth`", m->name);
    ts_diag_help(d, "it is the rate of its memory: `bandwidth = 3.35 TB/s`");
    return false;
  }
  if (!memory || !reserved || reserved->u.real <= memory->u.real)
    return true;
  bool here = reserved->span.file == around.file && reserved->span.begin >= around.begin &&
              reserved->span.end <= around.end;
  ts_diag *d = ts_report(m->s, TS_E0225, here ? reserved->span : around,
                         "`reserved` of gpu `%s` is more than its memory", m->name);
  ts_diag_here(d, "of %s", ts_value_print(m->s->arena, *memory));
  return false;
}

static ts_value made(const making *m, ts_span name, ts_span around)
{
  ts_record *gpu = TS_NEW(m->s->arena, ts_record);
  *gpu = (ts_record){.count = (uint32_t)m->fields.count, .at = m->fields.at, .name = m->name};
  return m->ok && gpu_whole(m, gpu, name, around) ?
           (ts_value){.type = TS_T_GPU, .span = name, .u.record = gpu} :
           ts_error_value();
}

/* ---- Declarations and changes ---- */

/* `gpu b = a with { ... }`: the same device under a name of its own. */
static ts_value renamed(ts_session *s, const ts_env *env, const ts_ast *decl)
{
  ts_value v = ts_eval(s, env, ts_ast_value(decl));
  const char *what = ts_arena_printf(s->arena, "`%s`", decl->name);
  if (!ts_convert_to(s, "Gpu", &v, what, ts_ast_value(decl)->span, TS_NO_SPAN))
    return ts_error_value();
  ts_record *gpu = TS_NEW(s->arena, ts_record);
  *gpu = *v.u.record;
  gpu->name = decl->name;
  v.u.record = gpu;
  v.span = decl->name_span;
  return v;
}

ts_value ts_gpu_value(ts_session *s, const ts_env *env, const ts_ast *decl)
{
  if (decl->kind == TS_AST_GPU_IS)
    return renamed(s, env, decl);
  making m = {.s = s, .env = env, .name = decl->name, .ok = true};
  add_fields(&m, ts_ast_fields(decl));
  return made(&m, decl->name_span, decl->span);
}

ts_value ts_gpu_changed(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with)
{
  making m = {.s = s, .env = env, .name = v.u.record->name, .ok = true};
  ts_ast_list changes = ts_ast_changes(with);
  for (uint32_t i = 0; i < changes.count; i++)
    if (changes.at[i]->kind != TS_AST_FIELD) {
      ts_diag_here(ts_report(s, TS_E0220, changes.at[i]->span, "a gpu has only fields"),
                   "write `memory = 141 GiB`");
      return ts_error_value();
    }
  for (uint32_t i = 0; i < v.u.record->count; i++)
    TS_PUSH(s->arena, &m.fields, v.u.record->at[i]);
  add_fields(&m, changes);
  return made(&m, with->span, with->span);
}
