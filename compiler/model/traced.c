/* From rows to the op graph. Which kind of row is which op, and what its arguments are, the plan
 * says by a record of stdlib/import/. */
#include "compiler/model/traced.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/eval/module.h"
#include "compiler/model/traced_graph.h"
#include "compiler/model/traced_internal.h"

static const char *text_option(ts_tracer *t, const char *name)
{
  const ts_value *v = ts_record_find(&t->model->args, name);
  return v && v->type == TS_T_STRING ? v->u.string : NULL;
}

/* The device that the file names, else the plan. */
static bool read_device(ts_tracer *t)
{
  const ts_value *stated = ts_record_find(&t->model->args, "device");
  const char *own = t->rows.device, *text = text_option(t, "device");
  t->device = own ? own : text;
  if (!own || !text || !strcmp(own, text))
    return true;
  ts_diag *d = ts_diag_add(t->s->diags, TS_E0523, stated->span, "`%s` was not recorded on `%s`",
                           t->rows.name, text);
  ts_diag_here(d, "it names its device, `%s`", own);
  ts_diag_help(d, "leave `device` out, or correct the line `# device:` of the file");
  return false;
}

/* What a step of the table's batch took as a whole; 0: nobody says. */
static bool read_step(ts_session *s, const ts_applied *model, ts_graph *g)
{
  const ts_value *step = ts_record_find(&model->args, "step");
  g->step_seconds = step && step->type == TS_T_QUANTITY ? step->u.real : 0;
  if (g->step_seconds >= 0)
    return true;
  ts_diag *d = ts_diag_add(s->diags, TS_E0302, step->span, "a recorded step of %.4g s",
                           g->step_seconds);
  ts_diag_here(d, "must not be negative");
  return false;
}

/* What scales times, of a table that has none. */
static bool check_times(ts_tracer *t)
{
  static const char *const scales[] = {"step", "from", "beside", "by"};
  const ts_value *times = ts_record_find(&t->model->args, "times");
  t->rows.untimed |= times && times->type == TS_T_BOOL && !times->u.truth;
  for (size_t i = 0; t->rows.untimed && i < sizeof scales / sizeof *scales; i++) {
    const ts_value *v = ts_record_find(&t->model->args, scales[i]);
    if (!v || v->type == TS_T_NONE)
      continue;
    ts_diag *d = ts_diag_add(t->s->diags, TS_E0523, v->span, "`%s` of `%s`, which has no times",
                             scales[i], t->rows.name);
    ts_diag_here(d, "scales recorded times");
    ts_diag_help(d, "leave it out: `costs` of the plan price each kernel; or trace with --timed");
    return false;
  }
  return true;
}

static bool traced_read_options(ts_tracer *t)
{
  ts_table_source source = {.from_file = t->model->span.file,
                            .file = ts_graph_file_of_rank(t->s->arena, text_option(t, "file"), 0),
                            .tensors = text_option(t, "tensors"),
                            .column = text_option(t, "column"),
                            .span = t->model->span};
  const ts_value *again = ts_record_find(&t->model->args, "recompute");
  t->again = !again || again->type != TS_T_BOOL || again->u.truth;
  const ts_value *repeat = ts_record_find(&t->model->args, "repeat"),
                 *from = ts_record_find(&t->model->args, "from");
  t->gpu = from && from->type == TS_T_GPU ? from : NULL;
  t->layered = repeat && repeat->type == TS_T_INT;
  t->repeat = repeat && repeat->type == TS_T_INT ? repeat->u.integer : 1;
  if (t->repeat < 1 || t->repeat > t->s->limits.ops) {
    ts_diag *d = ts_diag_add(t->s->diags, TS_E0302, repeat->span,
                             "cannot repeat a layer %lld times", (long long)t->repeat);
    ts_diag_here(d, "must be from 1 to %u", t->s->limits.ops);
    return false;
  }
  return source.file && ts_rows_read(t->s, &source, &t->rows) && check_times(t) && read_device(t) &&
         ts_mapping_read(t->s, t->model, &t->map);
}

/* -- arguments -- */

static ts_value shapes_value(ts_tracer *t, const ts_shape *shape, uint32_t count)
{
  ts_value *at = TS_NEW_ARRAY(t->s->arena, ts_value, count + 1);
  for (uint32_t i = 0; i < count; i++)
    at[i] = ts_shape_value(t->s->arena, shape[i], t->model->span);
  return ts_list_value(t->s->arena, at, count, t->model->span);
}

static ts_value follow_value(ts_tracer *t, ts_shape in, ts_shape out)
{
  ts_follow follow;
  ts_value *at = TS_NEW_ARRAY(t->s->arena, ts_value, out.rank + 1);
  ts_shape_follow(in, out, false, &follow);
  for (uint32_t i = 0; i < out.rank; i++) {
    int64_t dim[TS_FOLLOW_MAX];
    uint32_t n = 0;
    for (; n < TS_FOLLOW_MAX && follow.of[i][n] >= 0; n++)
      dim[n] = follow.of[i][n];
    at[i] = ts_shape_value(t->s->arena, (ts_shape){n, ts_arena_copy(t->s->arena, dim, sizeof dim)},
                           t->model->span);
  }
  return ts_list_value(t->s->arena, at, out.rank, t->model->span);
}

/* tensors, and weights */
typedef struct inputs {
  uint32_t count;
  uint32_t *row;
  ts_shape *shape;
  uint32_t parameter_count;
  ts_shape *parameter;
} inputs;

static inputs inputs_of(ts_tracer *t, const ts_row *row)
{
  inputs in = {0};
  uint32_t room = row->input_count + row->parameter_count + 1;
  in.row = TS_NEW_ARRAY(t->s->arena, uint32_t, room);
  in.shape = TS_NEW_ARRAY(t->s->arena, ts_shape, room);
  in.parameter = TS_NEW_ARRAY(t->s->arena, ts_shape, room);
  for (uint32_t i = 0; i < row->input_count; i++) {
    uint32_t from = ts_traced_tensor_row(t, row->input[i]);
    if (t->places[row->input[i]].role == TS_ROW_PARAMETER)
      in.parameter[in.parameter_count++] = t->rows.at[row->input[i]].output;
    if (from == TS_ROW_NONE)
      continue;
    in.row[in.count] = from;
    in.shape[in.count++] = from == row->input[i] ? row->input_shape[i] : t->rows.at[from].output;
  }
  for (uint32_t i = 0; i < row->parameter_count; i++)
    in.parameter[in.parameter_count++] = row->parameter[i];
  return in;
}

static const ts_field *field(ts_tracer *t, const char *name, ts_value value)
{
  ts_field *f = TS_NEW(t->s->arena, ts_field);
  *f = (ts_field){ts_traced_intern(t, name), ts_arena_copy(t->s->arena, &value, sizeof value),
                  t->model->span};
  return f;
}

/* What functions in `args` are given. */
static ts_value row_value(ts_tracer *t, const ts_row *row, const inputs *in, ts_shape output)
{
  ts_span at = t->model->span;
  ts_shape first = in->count ? in->shape[0] : output;
  const ts_field *fields[] = {
    field(t, "name", ts_string_value(row->name, at)),
    field(t, "kind", ts_string_value(row->kind, at)),
    field(t, "inputs", shapes_value(t, in->shape, in->count)),
    field(t, "weights", shapes_value(t, in->parameter, in->parameter_count)),
    field(t, "output", ts_shape_value(t->s->arena, output, at)),
    field(t, "follow", follow_value(t, first, output)),
    field(t, "forward", ts_bool_value(ts_traced_device_time(t, row->forward) > 0, at)),
    field(t, "backward", ts_bool_value(ts_traced_device_time(t, row->backward) > 0, at)),
  };
  enum { COUNT = sizeof fields / sizeof *fields };
  ts_field *all = TS_NEW_ARRAY(t->s->arena, ts_field, COUNT);
  for (int i = 0; i < COUNT; i++)
    all[i] = *fields[i];
  ts_record *record = TS_NEW(t->s->arena, ts_record);
  *record = (ts_record){.count = COUNT, .at = all};
  return (ts_value){.type = TS_T_RECORD, .span = at, .u.record = record};
}

static ts_value tensor_value(ts_tracer *t, const ts_tensor *tensor)
{
  return (ts_value){.type = TS_T_TENSOR, .span = t->model->span, .u.tensor = tensor};
}

typedef struct given { ts_field *at; uint32_t count; } given;

/* Tensors go to the op's tensor parameters in order. False when they do not go up. */
static bool give_tensors(ts_tracer *t, const ts_ast *decl, const ts_tensor **tensor, uint32_t count,
                         given *args)
{
  const ts_ast *formals = ts_ast_params(decl);
  uint32_t next = 0;
  for (uint32_t i = 0; i < formals->count; i++) {
    const char *type = ts_ast_type(formals->child[i])->name;
    if (!strcmp(type, "Tensor")) {
      if (next == count)
        return false;
      args->at[args->count++] = *field(t, formals->child[i]->name, tensor_value(t, tensor[next++]));
    } else if (!strcmp(type, "List") && ts_ast_element(ts_ast_type(formals->child[i])) &&
               !strcmp(ts_ast_element(ts_ast_type(formals->child[i]))->name, "Tensor")) {
      ts_value *list = TS_NEW_ARRAY(t->s->arena, ts_value, count + 1);
      uint32_t n = 0;
      while (next < count)
        list[n++] = tensor_value(t, tensor[next++]);
      if (!n)
        return false;
      args->at[args->count++] =
        *field(t, formals->child[i]->name, ts_list_value(t->s->arena, list, n, t->model->span));
    }
  }
  return next == count;
}

static bool give_others(ts_tracer *t, const ts_mapped_kind *e, ts_value row, given *args)
{
  for (uint32_t i = 0; e->args && i < e->args->count; i++) {
    ts_field f = e->args->at[i];
    if (f.value->type == TS_T_FUNCTION) {
      ts_value v = ts_call(t->s, *f.value, &row, NULL, 1, f.span);
      if (v.type == TS_T_ERROR)
        return false;
      f.value = ts_arena_copy(t->s->arena, &v, sizeof v);
    }
    args->at[args->count++] = f;
  }
  return true;
}

typedef enum outcome { FITS, OTHERWISE, FAILED } outcome;

/* The op of an entry with these tensors. */
static outcome make_op(ts_tracer *t, const ts_mapped_kind *e, const ts_tensor **tensor,
                       uint32_t count, ts_value row, ts_op *op)
{
  const ts_ast *decl = e->op.u.decl, *formals = ts_ast_params(decl);
  const ts_env *module = ts_decl_env(t->s, decl);
  given args = {
    TS_NEW_ARRAY(t->s->arena, ts_field, formals->count + (e->args ? e->args->count : 0) + 1), 0};
  if (!give_tensors(t, decl, tensor, count, &args))
    return OTHERWISE;
  if (!give_others(t, e, row, &args))
    return FAILED;
  ts_record record = {.count = args.count, .at = args.at};
  ts_env *env = ts_bind_record(t->s, module, decl, &record);
  ts_value *values = TS_NEW_ARRAY(t->s->arena, ts_value, formals->count + 1);
  for (uint32_t i = 0; i < formals->count; i++)
    if (!env || !ts_env_lookup(env, formals->child[i]->name, &values[i]) ||
        values[i].type == TS_T_ERROR)
      return FAILED;
  *op = (ts_op){.decl = decl,
                .module = module,
                .kind = decl->name,
                .span = t->model->span,
                .arg_count = formals->count,
                .args = values};
  return FITS;
}

/* -- ops -- */

/* An op at the shapes of the table, which must give the output the row has. */
static outcome try_entry(ts_tracer *t, const ts_row *row, const inputs *in, ts_value record,
                         const ts_mapped_kind *e, ts_op *op)
{
  const ts_tensor **tensor = TS_NEW_ARRAY(t->s->arena, const ts_tensor *, in->count + 1);
  for (uint32_t i = 0; i < in->count; i++) {
    ts_tensor *x = TS_NEW(t->s->arena, ts_tensor);
    *x = (ts_tensor){in->shape[i], t->rows.at[in->row[i]].dtype, i, "x"};
    tensor[i] = x;
  }
  outcome made = make_op(t, e, tensor, in->count, record, op);
  if (made != FITS)
    return made;
  op->label = row->name;
  op->traced = row->dtype;
  ts_op_slots(t->s, op);
  ts_op_scope scope = {.s = t->s, .plan = t->plan, .op = op, .slots = op->slots, .args = op->args};
  if (!ts_op_shapes(&scope))
    return FAILED;
  const ts_slot *out = op->output_count ? &op->slots[op->slot_count - op->output_count] : NULL;
  return out && (ts_same_shape(out->shape, row->output) ||
                 (ts_shape_elements(row->output) == 1 && !row->output.rank)) ?
           FITS :
           OTHERWISE;
}

/* Whether a weight is another op's, as the declaration says: always, or if its arguments say so. */
static bool is_tied(ts_tracer *t, const ts_op *op, const ts_slot *slot)
{
  ts_op_scope scope = {.s = t->s, .plan = t->plan, .op = op, .slots = op->slots, .args = op->args};
  ts_ast_list items = ts_ast_items(op->decl);
  for (uint32_t i = 0; i < items.count; i++) {
    bool tied = items.at[i]->kind == TS_AST_TIE && !strcmp(items.at[i]->name, slot->name);
    const ts_ast *condition = tied ? ts_ast_condition(items.at[i]) : NULL;
    if (tied && (!condition || (ts_eval_bool(t->s, ts_op_env(&scope, op->module), condition,
                                             "the condition of `tie`", &tied) &&
                                tied)))
      return true;
  }
  return false;
}

/* Whether the weights that the row lists are those of the op: an empty cell would be a smaller
 * model. A row may leave out those that another row has. */
static bool has_parameters(ts_tracer *t, const inputs *in, const ts_op *op, double *stated,
                           double *made)
{
  double tied = 0;
  *stated = *made = 0;
  for (uint32_t i = 0; i < in->parameter_count; i++)
    *stated += ts_shape_elements(in->parameter[i]);
  for (uint32_t i = op->input_count; i < op->input_count + op->param_count; i++)
    *(is_tied(t, op, &op->slots[i]) ? &tied : made) += ts_slot_elements(&op->slots[i]);
  *made += *stated == *made ? 0 : tied;
  return *stated == *made || (!*stated && !t->lists_parameters);
}

static bool other_parameters(ts_tracer *t, const ts_row *row, const inputs *in, const ts_op *op)
{
  double stated, made;
  has_parameters(t, in, op, &stated, &made);
  ts_diag *d = ts_diag_add(t->s->diags, TS_E0522, row->span,
                           "the row `%s` lists %.0f parameters, and the op `%s` has %.0f",
                           row->name, stated, op->kind, made);
  ts_diag_here(d, stated ? "the shapes of its weights" : "other rows of this table list theirs");
  ts_diag_note_at(d, t->model->span, "the trace is read here");
  ts_diag_help(d, "correct `parameters` of the row, or `args` of the mapping's entry for `%s`",
               row->kind);
  return false;
}

/* The ops of the row's kind, and what tensors each takes. False: there are none. */
static bool note_tried(ts_tracer *t, ts_diag *d, const ts_row *row)
{
  uint32_t e = ts_traced_entry(t, row->kind, 0);
  bool any = e != TS_ROW_NONE;
  for (; e != TS_ROW_NONE; e = ts_traced_entry(t, row->kind, e + 1)) {
    const ts_ast *decl = t->map.entries.at[e].op.u.decl, *formals = ts_ast_params(decl);
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < formals->count; i++)
      if (!strcmp(ts_ast_type(formals->child[i])->name, "Tensor"))
        text = ts_arena_printf(t->s->arena, "%s%s`%s`", text, count++ ? ", " : "",
                               formals->child[i]->name);
    ts_diag_note_at(d, decl->name_span, "`%s` was tried, which takes %u input%s, %s; the row has %u",
                    decl->name, count, count == 1 ? "" : "s", text, row->input_count);
  }
  return any;
}

static bool no_entry(ts_tracer *t, const ts_row *row, const ts_op *last)
{
  ts_diag *d = ts_diag_add(t->s->diags, TS_E0522, row->span, "no op for the row `%s` of kind `%s`",
                           row->name, row->kind);
  ts_diag_here(d, "gives %s",
               ts_value_print(t->s->arena, ts_shape_value(t->s->arena, row->output, row->span)));
  if (last->slots)
    ts_diag_note(
      d, "`%s` would give %s", last->kind,
      ts_value_print(t->s->arena,
                     ts_shape_value(t->s->arena,
                                    last->slots[last->slot_count - last->output_count].shape,
                                    row->span)));
  ts_diag_note_at(d, t->model->span, "the trace is read here");
  TS_VEC(const char *) kinds = {0};
  const char *best[3];
  for (size_t i = 0; i < t->map.entries.count; i++)
    for (uint32_t k = 0; k < t->map.entries.at[i].kind.count; k++)
      TS_PUSH(t->s->arena, &kinds, t->map.entries.at[i].kind.at[k]);
  if (!last->slots && ts_suggest(row->kind, kinds.at, kinds.count, best))
    ts_diag_help(d, "did you mean `%s`?", best[0]);
  else if (!note_tried(t, d, row))
    ts_diag_help(d, "an entry of `ops` maps a kind to an op; the first entry with a matching kind "
                    "and an op of this shape is taken");
  return false;
}

/* Time of rows that are no ops goes to the next op, or what is left to the last one. */
static void settle_pending(ts_tracer *t)
{
  if (t->last)
    t->last->seconds[TS_TRACED_FORWARD] += t->pending;
  t->pending = 0;
}

/* The first entry that fits, with the row's parameters; keeps op and measured times for the copies
 * of a layer. */
static bool traced_choose(ts_tracer *t, uint32_t index, const inputs *in, ts_value record)
{
  ts_traced_row *p = &t->places[index];
  const ts_row *row = &t->rows.at[index];
  ts_op op = {0}, other = {0}; /* other: fits but for its parameters */
  double stated, made;
  for (; p->entry != TS_ROW_NONE; p->entry = ts_traced_entry(t, row->kind, p->entry + 1)) {
    outcome o = try_entry(t, row, in, record, &t->map.entries.at[p->entry], &op);
    if (o == FAILED)
      return false;
    if (o == OTHERWISE)
      continue;
    if (has_parameters(t, in, &op, &stated, &made))
      break;
    other = other.kind ? other : op;
  }
  if (p->entry == TS_ROW_NONE)
    return other.kind ? other_parameters(t, row, in, &other) : no_entry(t, row, &op);
  ts_measured *m = TS_NEW(t->s->arena, ts_measured);
  m->seconds[TS_TRACED_FORWARD] = ts_traced_device_time(t, row->forward);
  m->seconds[TS_TRACED_BACKWARD] =
    ts_traced_device_time(t, row->backward) + ts_traced_device_time(t, row->accumulate);
  m->untimed = t->rows.untimed;
  m->joined = ts_patterns_match(&t->map.joined, row->kind);
  m->slots = op.slots;
  m->span = t->model->span;
  m->kind = op.kind;
  m->device = t->device;
  m->gpu = t->gpu;
  m->source = ts_arena_printf(t->s->arena, "%s:%u", t->rows.listed, row->line);
  if (m->seconds[TS_TRACED_FORWARD] > 0) { /* it has a kernel to which the time can go */
    t->last = m;
    settle_pending(t);
  }
  p->measured = m;
  p->op = op;
  return true;
}

/* -- tensors -- */

/* An input or a constant at the plan's batch. */
static ts_shape traced_scaled(ts_tracer *t, ts_shape shape, bool given)
{
  uint32_t at = given && shape.rank <= t->batch_dim ? 0 : t->batch_dim;
  bool batched = shape.rank > at && shape.dim[at] == t->batch && (given || shape.rank > 1);
  if (!t->batch || t->plan->micro_batch <= 0 || !batched)
    return shape;
  int64_t *dim = ts_arena_copy(t->s->arena, shape.dim, shape.rank * sizeof *dim);
  dim[at] = t->plan->micro_batch;
  return (ts_shape){shape.rank, dim};
}

/* What `out` of the table is when what it is made of is not `in` but `now`: dimensions grow with
 * those they are made of. */
static ts_shape followed(ts_tracer *t, ts_shape in, ts_shape out, ts_shape now, ts_follow *follow)
{
  int64_t *dim = ts_arena_copy(t->s->arena, out.dim, (out.rank + 1) * sizeof *dim);
  ts_shape_follow(in, out, true, follow);
  for (uint32_t i = 0; i < out.rank; i++)
    for (int n = 0; n < TS_FOLLOW_MAX && follow->of[i][n] >= 0; n++) {
      int64_t from = in.dim[follow->of[i][n]], to = now.dim[follow->of[i][n]];
      if (from > 0 && to > 0 && dim[i] * to % from == 0)
        dim[i] = dim[i] * to / from;
    }
  return (ts_shape){out.rank, dim};
}

static const ts_tensor *new_tensor(ts_tracer *t, ts_shape shape, const ts_dtype *dtype,
                                   uint32_t edge, const char *name)
{
  ts_tensor *x = TS_NEW(t->s->arena, ts_tensor);
  *x = (ts_tensor){shape, dtype, edge, name};
  return x;
}

static void add_source(ts_tracer *t, uint32_t index)
{
  const ts_row *row = &t->rows.at[index];
  bool given = t->places[index].role == TS_ROW_GIVEN;
  ts_shape shape = traced_scaled(t, row->output, given);
  uint32_t edge = ts_graph_add_tensor(t->s, t->g, row->name, shape, row->dtype, TS_NO_INDEX);
  t->made[index] = new_tensor(t, shape, row->dtype, edge, row->name);
}

/* The row states another shape of the same elements: a reshape that is not listed. */
static const ts_tensor *as_stated(ts_tracer *t, const ts_tensor *x, ts_shape made, ts_shape stated)
{
  if (ts_same_shape(made, stated) || ts_shape_elements(made) != ts_shape_elements(stated))
    return x;
  ts_follow follow;
  ts_shape shape =
    ts_same_shape(x->shape, made) ? stated : followed(t, made, stated, x->shape, &follow);
  uint32_t edge =
    ts_graph_add_tensor(t->s, t->g, x->name, shape, x->dtype, t->g->tensors.at[x->id].producer);
  t->g->tensors.at[edge].source = x->id;
  return new_tensor(t, shape, x->dtype, edge, x->name);
}

/* What a row gives when its inputs are of another batch than in the table, if it only moves
 * elements; a dimension made of nothing is one of the batch when it stands where the batch does and
 * is as large. */
static ts_shape at_batch(ts_tracer *t, const ts_row *row, const inputs *table, const inputs *now)
{
  ts_follow follow;
  ts_shape shape = followed(t, table->shape[0], row->output, now->shape[0], &follow);
  int64_t *dim = ts_arena_copy(t->s->arena, shape.dim, (shape.rank + 1) * sizeof *dim);
  uint32_t at = t->batch_dim;
  if (shape.rank > 1 && at < shape.rank && follow.of[at][0] < 0 && dim[at] == t->batch)
    dim[at] = t->plan->micro_batch;
  return (ts_shape){shape.rank, dim};
}

/* Launches nothing and gives what it was given, as `to` the type it has or dropout of nothing: no
 * op. */
static bool does_nothing(const ts_tracer *t, const ts_row *row, const inputs *in)
{
  return in->count == 1 && !in->parameter_count && ts_traced_device_time(t, row->forward) <= 0 &&
         ts_traced_device_time(t, row->backward) <= 0 &&
         ts_same_shape(row->output, t->rows.at[in->row[0]].output) &&
         row->dtype == t->rows.at[in->row[0]].dtype;
}

static bool add_op(ts_tracer *t, uint32_t index, const char *prefix)
{
  const ts_row *row = &t->rows.at[index];
  ts_traced_row *p = &t->places[index];
  inputs in = inputs_of(t, row);
  if (does_nothing(t, row, &in)) {
    t->made[index] = t->made[in.row[0]];
    return true;
  }
  ts_value record = row_value(t, row, &in, row->output);
  ts_op op;
  if (!p->measured && !traced_choose(t, index, &in, record))
    return false;
  const ts_tensor **tensor = TS_NEW_ARRAY(t->s->arena, const ts_tensor *, in.count + 1);
  for (uint32_t i = 0; i < in.count; i++)
    tensor[i] = as_stated(t, t->made[in.row[i]], t->rows.at[in.row[i]].output, in.shape[i]);
  if (t->plan->micro_batch > 0 && t->plan->micro_batch != t->batch) {
    inputs now = in;
    now.shape = TS_NEW_ARRAY(t->s->arena, ts_shape, in.count + 1);
    for (uint32_t i = 0; i < in.count; i++)
      now.shape[i] = tensor[i]->shape;
    record = row_value(t, row, &now, at_batch(t, row, &in, &now));
  }
  if (t->g->ops.count >= t->s->limits.ops) {
    ts_diag *d =
      ts_diag_add(t->s->diags, TS_E0302, t->model->span, "the model has more than %s ops",
                  ts_count_print(t->s->arena, t->s->limits.ops));
    ts_diag_here(d, "one too many");
    ts_diag_help(d, "`repeat` fewer layers, or trace fewer of them");
    return false;
  }
  if (make_op(t, &t->map.entries.at[p->entry], tensor, in.count, record, &op) != FITS)
    return false;
  op.label = ts_traced_intern(t, ts_arena_printf(t->s->arena, "%s%s", prefix, p->label));
  op.unit = t->unit_of ? t->unit_of[index] : t->unit;
  op.measured = p->measured;
  op.traced = row->dtype;
  op.again = t->again ? row->again : 0;
  uint32_t made = ts_graph_add(t->s, t->g, t->plan, op);
  if (made == TS_NO_INDEX)
    return false;
  const ts_op *added = &t->g->ops.at[made];
  const ts_slot *out = &added->slots[added->slot_count - added->output_count];
  t->made[index] = new_tensor(t, out->shape, out->dtype, out->tensor, out->name);
  return true;
}

static bool add_rows(ts_tracer *t, uint32_t from, uint32_t to, const char *prefix)
{
  for (uint32_t i = from; i < to; i++) {
    if (t->unit_of && i == t->first_module)
      t->g->before_units = (uint32_t)t->g->ops.count;
    switch (t->places[i].role) {
    case TS_ROW_OP:
      if (!add_op(t, i, prefix))
        return false;
      break;
    case TS_ROW_CONSTANT:
    case TS_ROW_GIVEN: add_source(t, i); /* fallthrough */
    case TS_ROW_VALUE:
      if (t->rows.at[i].stage == TS_ROW_FORWARD)
        t->pending += ts_traced_device_time(t, t->rows.at[i].forward);
      break;
    default: break;
    }
  }
  return true;
}

static bool add_layers(ts_tracer *t)
{
  settle_pending(t); /* what comes before the layer is not repeated with it */
  for (int64_t i = 0; i < t->repeat; i++) {
    t->unit = (uint32_t)i;
    if (!add_rows(t, t->first, t->end, ts_arena_printf(t->s->arena, "layer[%lld].", (long long)i)))
      return false;
    if (i == 0)
      settle_pending(t);
    t->pending = 0; /* the first copy's ops have it */
    t->made[t->in] = t->made[t->out];
  }
  return true;
}

bool ts_trace_build(ts_session *s, const ts_plan *plan, const ts_applied *model, ts_graph *g)
{
  ts_tracer t = {.s = s, .plan = plan, .g = g, .model = model};
  if (!traced_read_options(&t) || !read_step(s, model, g))
    return false;
  g->sums_measured = t.map.sums;
  g->update_bytes = t.rows.untimed ? t.rows.update_bytes : 0;
  g->bucket_bytes = t.rows.untimed ? t.rows.bucket_bytes : 0;
  ts_traced_floor(&t);
  if (!ts_traced_place(&t) || !ts_traced_batch(&t) || !ts_traced_layer(&t) || !ts_traced_pairs(&t))
    return false;
  ts_traced_formats(&t);
  g->traced = true;
  g->batch_ratio =
    t.batch > 0 && plan->micro_batch > 0 ? (double)t.batch / (double)plan->micro_batch : 1;
  t.made = TS_NEW_ARRAY(s->arena, const ts_tensor *, t.rows.count);
  if (t.map.modules && !t.layered)
    ts_traced_modules(&t);
  if (t.first < t.end) {
    const ts_value *repeat = ts_record_find(&model->args, "repeat");
    g->unit_count = (uint32_t)t.repeat;
    g->unit_name = ts_traced_intern(&t, "layer");
    g->unit_span = repeat->span;
  }
  if (!add_rows(&t, 0, t.first, "") || (t.first < t.end && !add_layers(&t)) ||
      !add_rows(&t, t.end, t.rows.count, ""))
    return false;
  settle_pending(&t);
  return true;
}

/* -- work at the shapes of the table -- */

static bool no_kernel(ts_session *s, const ts_op *op, const char *direction, double seconds)
{
  ts_diag *d = ts_diag_add(s->diags, TS_E0522, op->span,
                           "the op `%s` has no kernel for the measured %.1f us of its %s", op->kind,
                           seconds * 1e6, direction);
  ts_diag_here(d, "the row is %s", op->measured->source);
  ts_diag_note_at(d, op->decl->name_span, "the op is declared here");
  return false;
}

static bool traced_finish(ts_session *s, const ts_plan *plan, const ts_op *op, ts_measured *m)
{
  const ts_ast *failed = NULL;
  ts_op_scope scope = {
    .s = s, .plan = plan, .op = op, .slots = (ts_slot *)(uintptr_t)m->slots, .args = op->args};
  if (!ts_op_work(&scope, &m->work, &failed)) {
    if (!failed)
      return false;
    ts_diag *d =
      ts_diag_add(s->diags, TS_E0314, op->span,
                  "the traced op `%s` does not meet what `%s` requires", op->label, op->kind);
    ts_diag_here(d, "the row is %s", m->source);
    ts_diag_note_at(d, failed->span, "required here");
    return false;
  }
  if (!op->needs_input_gradient)
    m->work.phase[TS_PHASE_INPUT] = (ts_kernels){0};
  if (!op->needs_gradient)
    m->work.phase[TS_PHASE_WEIGHT] = (ts_kernels){0};
  if (m->seconds[TS_TRACED_FORWARD] > 0 && !m->work.phase[TS_PHASE_FORWARD].count)
    return no_kernel(s, op, "forward", m->seconds[TS_TRACED_FORWARD]);
  if (m->seconds[TS_TRACED_BACKWARD] > 0 && op->needs_gradient &&
      !m->work.phase[TS_PHASE_INPUT].count && !m->work.phase[TS_PHASE_WEIGHT].count)
    return no_kernel(s, op, "backward", m->seconds[TS_TRACED_BACKWARD]);
  return true;
}

/* The ops of a table that is only learned from. */
static bool add_samples(ts_session *s, const ts_plan *plan, const ts_applied *table, ts_graph *g)
{
  ts_graph unused = {0};
  ts_tracer t = {.s = s, .plan = plan, .g = &unused, .model = table};
  if (!traced_read_options(&t))
    return false;
  ts_traced_floor(&t);
  if (!ts_traced_place(&t) || !ts_traced_pairs(&t))
    return false;
  for (uint32_t i = 0; i < t.rows.count; i++) {
    const ts_row *row = &t.rows.at[i];
    if (t.places[i].role != TS_ROW_OP)
      continue;
    inputs in = inputs_of(&t, row);
    if (does_nothing(&t, row, &in))
      continue;
    if (!traced_choose(&t, i, &in, row_value(&t, row, &in, row->output)))
      return false;
    t.places[i].op.needs_gradient = t.places[i].op.needs_input_gradient = row->backward > 0;
  }
  settle_pending(&t);
  for (uint32_t i = 0; i < t.rows.count; i++) {
    const ts_traced_row *p = &t.places[i];
    if (!p->measured)
      continue;
    if (!traced_finish(s, plan, &p->op, p->measured))
      return false;
    TS_PUSH(s->arena, &g->samples, p->measured);
  }
  return true;
}

static bool no_samples(ts_session *s, ts_span at, const char *title, const char *help)
{
  ts_diag *d = ts_diag_add(s->diags, TS_E0523, at, "%s", title);
  ts_diag_here(d, "learned from, beside the table of the model");
  ts_diag_help(d, "%s", help);
  return false;
}

static bool add_beside(ts_session *s, const ts_plan *plan, ts_graph *g)
{
  const ts_applied *model = plan->model.u.applied;
  const ts_value *beside = ts_record_find(&model->args, "beside"),
                 *from = ts_record_find(&model->args, "from");
  if (!beside || beside->type != TS_T_LIST || !beside->u.list->count)
    return true;
  if (!from || from->type != TS_T_GPU)
    return no_samples(s, beside->span, "`beside` without `from`",
                      "name the gpu that the table was recorded on: `from: a100_pcie_80g`");
  for (uint32_t i = 0; i < beside->u.list->count; i++) {
    const ts_value *table = &beside->u.list->at[i];
    const ts_applied *made = table->type == TS_T_APPLIED ? table->u.applied : NULL;
    const ts_value *gpu = made ? ts_record_find(&made->args, "from") : NULL;
    bool maker = made && !made->decl && gpu && gpu->type == TS_T_GPU;
    if (maker && !strcmp(made->name, "table"))
      TS_PUSH(s->arena, &g->singles, table);
    else if (!maker || strcmp(made->name, "trace"))
      return no_samples(s, table->span, "a table that names no gpu",
                        "`beside` lists traces and tables of single kernels that name theirs: "
                        "`trace(FILE, OPS, from: GPU)`, `table(FILE, from: GPU)`");
    else if (!add_samples(s, plan, made, g))
      return false;
  }
  return true;
}

bool ts_trace_finish(ts_session *s, const ts_plan *plan, ts_graph *g)
{
  const ts_measured *done = NULL;
  for (size_t i = 0; i < g->ops.count; i++) {
    const ts_op *op = &g->ops.at[i];
    if (!op->measured || op->measured->work.has_phase[TS_PHASE_FORWARD] || op->measured == done)
      continue;
    done = op->measured;
    if (!traced_finish(s, plan, op, (ts_measured *)(uintptr_t)op->measured))
      return false;
    if (!done->untimed)
      TS_PUSH(s->arena, &g->samples, done);
  }
  return add_beside(s, plan, g);
}
