#include "compiler/replay/operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "compiler/eval/module.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/model/traced_mapping.h"
#include "trace/read/rank_graph.h"

enum { TENSORS_MOST = 4096 };
static const double elements_most = 0x1p48;

struct ts_rank_operators {
  ts_session *s;
  const ts_plan *plan;
  const ts_applied *model;
  ts_mapping map;
  ts_hash_table known;
  TS_VEC(const char *) keys;
  TS_VEC(ts_rank_operator) all;
};

/* ---- The mapping ---- */

ts_rank_operators *ts_rank_operators_new(ts_session *s, const ts_plan *plan,
                                         const ts_applied *model, bool counted)
{
  ts_rank_operators *o = TS_NEW(s->arena, ts_rank_operators);
  *o = (ts_rank_operators){.s = s, .plan = plan};
  o->model = counted ? ts_with_mapping(s, model, "std/import/counted.ts", "counted_work") :
                       ts_with_mapping(s, model, "std/import/aten.ts", "aten");
  return o->model && ts_mapping_read(s, o->model, &o->map) ? o : NULL;
}

/* ---- Tensors ---- */

/* As frameworks name number formats. */
static const ts_dtype *dtype_of(const char *name, size_t length)
{
  static const struct { const char *name, *is; } formats[] = {
    {"float64", "fp64"}, {"double", "fp64"},   {"float32", "fp32"},  {"float", "fp32"},
    {"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"},     {"int64", "int64"},
    {"long", "int64"},   {"long int", "int64"}, {"int32", "int32"},  {"int", "int32"},
    {"int8", "int8"},    {"uint8", "int8"},    {"bool", "bool8"}};
  char text[32] = {0};
  if (length >= sizeof text)
    return ts_dtype_find("fp32");
  for (size_t i = 0; i < length; i++)
    text[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
  const char *plain = strncmp(text, "c10::", 5) == 0 ? text + 5 : text;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (!strcmp(formats[i].name, plain))
      return ts_dtype_find(formats[i].is);
  int64_t bytes = ts_scalar_bytes(plain);
  return ts_dtype_find(strncmp(plain, "float8", 6) == 0 ? "fp8" :
                       bytes == 1                       ? "int8" :
                       bytes == 2                       ? "fp16" :
                       bytes == 8                       ? "int64" :
                                                          "fp32");
}

/* "[4,8]" behind the bracket; what has more dimensions than a tensor of the language is one long
 * row. */
static const char *take_shape(ts_arena *arena, const char *at, ts_shape *out)
{
  int64_t dim[TS_MAX_DIMS] = {0}, all = 1;
  uint32_t count = 0;
  double elements = 1;
  for (char *end; *at && *at != ']'; at = *end == ',' ? end + 1 : end) {
    long long n = strtoll(at, &end, 10);
    if (end == at)
      break;
    n = n < 0 ? 0 : n;
    elements *= (double)n;
    if (elements > elements_most)
      n = 1, elements = elements_most;
    all *= n;
    if (count < TS_MAX_DIMS)
      dim[count] = n;
    count++;
  }
  if (count > TS_MAX_DIMS)
    dim[0] = all, count = 1;
  *out = (ts_shape){count, ts_arena_copy(arena, dim, sizeof dim)};
  return at;
}

/* Of what an event takes, or gives. */
static ts_shapes shapes_of(const ts_events *e, uint32_t event, bool given)
{
  const ts_graph_facts *f = ts_graph_facts_of(e, event);
  uint32_t shapes = !f ? TS_EVENT_NONE : given ? f->out : f->in;
  return shapes != TS_EVENT_NONE ? e->shapes.at[shapes] :
         given                   ? (ts_shapes){0} :
                                   ts_event_work_of(e, event).in;
}

/* A list of tensors as values of the language. */
static ts_value tensors_value(ts_rank_operators *o, const ts_events *e, ts_shapes shapes)
{
  ts_arena *arena = o->s->arena;
  const char *dims = ts_events_text(e, shapes.dims), *types = ts_events_text(e, shapes.types);
  dims += *dims == '[';
  TS_VEC(ts_value) all = {0};
  while (all.count < TENSORS_MOST && (dims = strchr(dims, '[')) && (types = strchr(types, '"'))) {
    ts_tensor *t = TS_NEW(arena, ts_tensor);
    size_t length = strcspn(types + 1, "\"");
    *t = (ts_tensor){.dtype = dtype_of(types + 1, length), .id = (uint32_t)all.count, .name = "x"};
    dims = take_shape(arena, dims + 1, &t->shape);
    TS_PUSH(arena, &all,
            ((ts_value){.type = TS_T_TENSOR, .span = o->model->span, .u.tensor = t}));
    types += length + 1;
    types += *types == '"';
  }
  return ts_list_value(arena, all.at, (uint32_t)all.count, o->model->span);
}

static const char *operators_intern(ts_rank_operators *o, const char *text)
{
  return ts_lang_intern(o->s->lang, text, strlen(text));
}

/* What functions of the mapping are given. */
static ts_value operators_row_of(ts_rank_operators *o, const ts_events *e, uint32_t event)
{
  const ts_graph_facts *f = ts_graph_facts_of(e, event);
  ts_span at = o->model->span;
  const char *phase = f ? ts_events_text(e, f->phase) : "";
  ts_event_work work = ts_event_work_of(e, event);
  const struct { const char *name; ts_value value;
  } fields[] = {
    {"name",
     ts_string_value(operators_intern(o, ts_events_text(e, ts_event_at(e, event)->name)), at)},
    {"phase", ts_string_value(operators_intern(o, phase), at)},
    {"inputs", tensors_value(o, e, shapes_of(e, event, false))},
    {"outputs", tensors_value(o, e, shapes_of(e, event, true))},
    {"flops", ts_quantity_value(work.flops, TS_DIM_WORK, at)},
    {"bytes", ts_quantity_value(work.bytes * 8, TS_DIM_SIZE, at)}};
  enum { COUNT = sizeof fields / sizeof *fields };
  ts_field *all = TS_NEW_ARRAY(o->s->arena, ts_field, COUNT);
  for (int i = 0; i < COUNT; i++)
    all[i] = (ts_field){operators_intern(o, fields[i].name),
                        ts_arena_copy(o->s->arena, &fields[i].value, sizeof(ts_value)), at};
  ts_record *record = TS_NEW(o->s->arena, ts_record);
  *record = (ts_record){.count = COUNT, .at = all};
  return (ts_value){.type = TS_T_RECORD, .span = at, .u.record = record};
}

/* ---- Ops ---- */

typedef enum outcome { FITS, OTHERWISE, FAILED } outcome;

/* A value of an entry, or what its function makes of the row. */
static ts_value of_row(ts_rank_operators *o, ts_value v, ts_value row, ts_span span)
{
  return v.type == TS_T_FUNCTION ? ts_call(o->s, v, &row, NULL, 1, span) : v;
}

static outcome is_meant(ts_rank_operators *o, const ts_mapped_kind *e, ts_value row)
{
  ts_value v = e->when.type == TS_T_NONE ? ts_bool_value(true, e->span) :
                                           of_row(o, e->when, row, e->span);
  if (v.type == TS_T_BOOL)
    return v.u.truth ? FITS : OTHERWISE;
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_report(o->s, TS_E0523, e->when.span, "`when` says whether an entry is meant");
    ts_diag_here(d, "found %s, not a Bool", ts_value_describe(o->s->arena, v));
  }
  return FAILED;
}

static outcome make_op(ts_rank_operators *o, const ts_mapped_kind *e, ts_value row, ts_op *op)
{
  const ts_ast *decl = e->op.u.decl, *formals = ts_ast_params(decl);
  uint32_t count = e->args ? e->args->count : 0;
  ts_field *args = TS_NEW_ARRAY(o->s->arena, ts_field, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    args[i] = e->args->at[i];
    ts_value v = of_row(o, *args[i].value, row, args[i].span);
    if (v.type == TS_T_ERROR)
      return FAILED;
    args[i].value = ts_arena_copy(o->s->arena, &v, sizeof v);
  }
  ts_record record = {.count = count, .at = args};
  ts_env *env = ts_bind_record(o->s, ts_decl_env(o->s, decl), decl, &record);
  ts_value *values = TS_NEW_ARRAY(o->s->arena, ts_value, formals->count + 1);
  for (uint32_t i = 0; i < formals->count; i++)
    if (!env || !ts_env_lookup(env, formals->child[i]->name, &values[i]) ||
        values[i].type == TS_T_ERROR)
      return FAILED;
  *op = (ts_op){.decl = decl,
                .module = ts_decl_env(o->s, decl),
                .kind = decl->name,
                .label = row.u.record->at[0].value->u.string,
                .span = o->model->span,
                .arg_count = formals->count,
                .args = values};
  return FITS;
}

static void add_kernels(ts_rank_operators *o, const ts_kernels *from, ts_kernels *to)
{
  ts_kernel *all = TS_NEW_ARRAY(o->s->arena, ts_kernel, to->count + from->count + 1);
  uint32_t count = to->count;
  if (count)
    memcpy(all, to->at, count * sizeof *all);
  for (uint32_t i = 0; i < from->count; i++)
    if (!from->at[i].host_only)
      all[count++] = from->at[i];
  *to = (ts_kernels){count, all};
}

static double model_flops(const ts_kernels *kernels)
{
  double flops = 0;
  for (uint32_t i = 0; i < kernels->count; i++) flops += kernels->at[i].model_flops;
  return flops;
}

/* A backward is no more than twice its forward to the model, as in compiler/shard/model_work.c: the
 * scores of fused attention, which it computes again, are none of it. */
static void count_once(ts_rank_operators *o, ts_work *work)
{
  double forward = model_flops(&work->phase[TS_PHASE_FORWARD]), backward = 0;
  for (int p = 0; p < TS_PHASES; p++)
    backward += p == TS_PHASE_FORWARD ? 0 : model_flops(&work->phase[p]);
  if (!(forward > 0 && backward > 2 * forward))
    return;
  for (int p = 0; p < TS_PHASES; p++) {
    ts_kernels *phase = &work->phase[p];
    if (p == TS_PHASE_FORWARD || !phase->count)
      continue;
    ts_kernel *kernels = ts_arena_copy(o->s->arena, phase->at, phase->count * sizeof *kernels);
    for (uint32_t i = 0; i < phase->count; i++)
      kernels[i].model_flops *= 2 * forward / backward;
    phase->at = kernels;
  }
}

/* The phases of the op that the operator is: "forward", "backward", "input", "weight", or several
 * of them with blanks between. */
static outcome choose_phases(ts_rank_operators *o, const ts_mapped_kind *e, ts_value row,
                             const ts_work *work, ts_kernels *out)
{
  static const char *const words[] = {"forward", "input", "weight"};
  ts_value v = e->work.type == TS_T_NONE ? ts_string_value("forward", e->span) :
                                           of_row(o, e->work, row, e->span);
  bool good = v.type == TS_T_STRING;
  for (const char *at = good ? v.u.string : ""; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    bool both = length == 8 && !memcmp(at, "backward", 8), found = both;
    for (int p = 0; p < TS_PHASES; p++)
      if ((both && p != TS_PHASE_FORWARD) ||
          (strlen(words[p]) == length && !memcmp(at, words[p], length))) {
        add_kernels(o, &work->phase[p], out);
        found = true;
      }
    good &= found;
    at += length;
  }
  if (good)
    return FITS;
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_report(o->s, TS_E0523, e->work.span, "`work` names phases of an op");
    ts_diag_here(d, "found %s; known: forward, backward, input, weight",
                 ts_value_describe(o->s->arena, v));
  }
  return FAILED;
}

static outcome try_entry(ts_rank_operators *o, const ts_mapped_kind *e, ts_value row,
                         ts_kernels *out)
{
  ts_op op;
  ts_work work;
  const ts_ast *failed;
  outcome found = is_meant(o, e, row);
  if (found != FITS || (found = make_op(o, e, row, &op)) != FITS)
    return found;
  ts_op_slots(o->s, &op);
  ts_op_scope scope = {
    .s = o->s, .plan = o->plan, .op = &op, .slots = op.slots, .args = op.args, .quiet = true};
  if (!ts_op_shapes(&scope))
    return FAILED;
  if (!ts_op_work(&scope, &work, &failed))
    return failed ? OTHERWISE : FAILED;
  count_once(o, &work);
  return choose_phases(o, e, row, &work, out);
}

/* The first entry that is meant and whose op takes these shapes. states: work of its own. */
static bool work_out(ts_rank_operators *o, ts_value row, bool states, ts_rank_operator *out)
{
  ts_frame frame = {out->name, o->model->span, o->s->running->frame};
  bool empty = !states;
  for (uint32_t i = 2; i < 4; i++) {
    const ts_list *list = row.u.record->at[i].value->u.list;
    for (uint32_t k = 0; k < list->count; k++)
      empty &= ts_shape_elements(list->at[k].u.tensor->shape) == 0;
  }
  if (empty || ts_patterns_match(&o->map.values, out->name))
    return true; /* of nothing, nothing is launched */
  for (size_t i = 0; i < o->map.entries.count; i++) {
    const ts_mapped_kind *e = &o->map.entries.at[i];
    if (!ts_patterns_match(&e->kind, out->name))
      continue;
    o->s->running->frame = &frame;
    outcome found = try_entry(o, e, row, &out->kernels);
    o->s->running->frame = frame.outer;
    out->guessed = e->guessed;
    if (found != OTHERWISE)
      return found == FITS;
    out->kernels = (ts_kernels){0};
  }
  ts_diag *d = ts_report(o->s, TS_E0523, o->model->span, "no entry of the mapping fits `%s`",
                         out->name);
  ts_diag_here(d, "played here");
  ts_diag_help(d, "end `ops` of the mapping with an entry for the rest, as std.import.aten does: "
                  "{ kind: \"*\", ..., guessed: true }");
  return false;
}

/* ---- Kept by name, shapes and formats ---- */

static const char *operators_key_of(ts_arena *arena, const ts_events *e, uint32_t event)
{
  const ts_graph_facts *f = ts_graph_facts_of(e, event);
  ts_event_work work = ts_event_work_of(e, event);
  const char *text = ts_events_text(e, ts_event_at(e, event)->name);
  for (int i = 0; i < 2; i++) {
    ts_shapes shapes = shapes_of(e, event, i);
    text = ts_arena_printf(arena, "%s\n%s%s", text, ts_events_text(e, shapes.dims),
                           ts_events_text(e, shapes.types));
  }
  if (work.flops > 0 || work.bytes > 0)
    text = ts_arena_printf(arena, "%s\n%a %a", text, work.flops, work.bytes);
  return f ? ts_arena_printf(arena, "%s\n%s", text, ts_events_text(e, f->phase)) : text;
}

const ts_rank_operator *ts_rank_operator_of(ts_rank_operators *o, const ts_events *e,
                                            uint32_t event)
{
  ts_arena *scratch = ts_arena_new("key of an operator");
  const char *key = operators_key_of(scratch, e, event);
  uint32_t found = ts_hash_find_text(&o->known, key, o->keys.at, sizeof *o->keys.at);
  if (found == TS_HASH_NONE) {
    ts_rank_operator made = {.name =
                               operators_intern(o, ts_events_text(e, ts_event_at(e, event)->name))};
    found = (uint32_t)o->all.count;
    if (!work_out(o, operators_row_of(o, e, event), ts_states_work(ts_event_work_of(e, event)),
                  &made)) {
      ts_arena_free(scratch);
      return NULL;
    }
    ts_hash_add(o->s->arena, &o->known, ts_hash_text(key), found);
    TS_PUSH(o->s->arena, &o->keys, ts_arena_string(o->s->arena, key, strlen(key)));
    TS_PUSH(o->s->arena, &o->all, made);
  }
  ts_arena_free(scratch);
  return &o->all.at[found];
}
